"""`docs/from-text-to-cuda.md` shows one program, its plan and its CUDA: what stands there is what is made today.

Before each block of the page stands which lines it shows: `<!-- cuda | first line | last line -->`, each by how the
line begins. `pytest --update-golden` writes the blocks anew.
"""

from __future__ import annotations

import re
import textwrap
from functools import cache
from pathlib import Path

import pytest

from gdsl.backends.cuda import plan_of, source_text
from gdsl.codegen.cuda import runtime
from gdsl.pipeline import load
from gdsl.plan.printer import print_plan
from gdsl.source import Source

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "from-text-to-cuda.md"
SAMPLE = ROOT / "samples" / "bfs.gdsl"
_SHOWN = re.compile(r"<!-- (\w+) \| (.*?) \| (.*?) -->\n```(\w+)\n(.*?)```\n", re.DOTALL)
_LANGUAGES = {"program": "gdsl", "plan": "text", "cuda": "cuda"}


@cache
def texts() -> dict[str, list[str]]:
    """The three texts by lines; of the CUDA not where the numbers of lines go back to those of the file itself."""
    program = SAMPLE.read_text(encoding="utf-8")
    ir = load(Source(SAMPLE.name, program))
    cuda = re.sub(r'#line \d+ "bfs\.cu"\n', "", source_text(ir, 32))
    return {"program": program.split("\n"), "plan": print_plan(plan_of(ir)).split("\n"), "cuda": cuda.split("\n")}


def part(kind: str, first: str, last: str) -> list[int]:
    """The numbers of the lines from the first that begins with `first` to the next that begins with `last`; a closing
    brace stands below what it closes."""
    lines = texts()[kind]
    start = next((at for at, line in enumerate(lines) if line.strip().startswith(first)), None)
    assert start is not None, f"no line of the {kind} begins with `{first}`"
    indent = len(lines[start]) - len(lines[start].lstrip())
    closes = last.startswith("}")
    ends = (at for at in range(start, len(lines)) if lines[at].strip().startswith(last))
    end = next((at for at in ends if not closes or len(lines[at]) - len(lines[at].lstrip()) == indent), None)
    assert end is not None, f"no line of the {kind} behind `{first}` begins with `{last}`"
    return list(range(start, end + 1))


def rendered(page: str) -> str:
    """`page` with every block as it should be."""

    def block(found: re.Match[str]) -> str:
        kind, first, last = found[1], found[2], found[3]
        lines = [texts()[kind][at] for at in part(kind, first, last)]
        code = textwrap.dedent("\n".join(lines)).rstrip()
        return f"<!-- {kind} | {first} | {last} -->\n```{_LANGUAGES[kind]}\n{code}\n```\n"

    return _SHOWN.sub(block, page)


def test_the_page_shows_what_is_made(request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text(encoding="utf-8")
    made = rendered(page)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(made, encoding="utf-8", newline="\n")
        page = made
    assert page == made, "run pytest --update-golden, and look whether the words around it are still true"


@pytest.mark.parametrize(
    ("kind", "first", "last"),
    [
        ("program", "program bfs", ""),
        ("plan", "schedule:", ""),
        ("cuda", "// ---- functors ----", "}  // namespace gdsl"),
    ],
)
def test_the_page_leaves_nothing_out(kind: str, first: str, last: str) -> None:
    """All of the program, all of the plan's schedule, and all of the CUDA that is the program's own."""
    lines = texts()[kind]
    start = lines.index(next(line for line in lines if line.startswith(first)))
    end = lines.index(last, start) if last else len(lines)
    blocks = _SHOWN.finditer(PAGE.read_text(encoding="utf-8"))
    shown = {at for block in blocks if block[1] == kind for at in part(kind, block[2], block[3])}
    missing = [lines[at] for at in range(start, end) if at not in shown and lines[at].strip()]
    assert [line for line in missing if not line.startswith(("// ----", "schedule:", "program bfs"))] == []


def test_words_of_the_page_stand_in_what_it_shows() -> None:
    """What the page's sentences name is in one of the texts, in the runtime, or a word of the command line."""
    words = _SHOWN.sub("", PAGE.read_text(encoding="utf-8"))
    words = re.sub(r"```.*?```", "", words, flags=re.DOTALL)
    named = set(re.findall(r"`([^`]+)`", words))
    known = "\n".join(line for lines in texts().values() for line in lines)
    known += "\n".join(piece.text for piece in runtime.pieces())
    unknown = sorted(word for word in named if not word.startswith(("gdslc ", "--", "pytest ")) and word not in known)
    assert unknown == []


def test_a_push_alone_has_two_of_the_five_forms_of_the_functor() -> None:
    program = load(Source(SAMPLE.name, SAMPLE.read_text(encoding="utf-8")), ["visit.direction=push"])
    forms = [
        set(re.findall(r" (visit_\w+)\(", text)) for text in ("\n".join(texts()["cuda"]), source_text(program, 32))
    ]
    assert [len(each) for each in forms] == [5, 2]
