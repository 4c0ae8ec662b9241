"""`docs/from-text-to-cuda.md` shows one program, `docs/operators.md` one for each operator, with their plans and their
CUDA: both are compared with what the compiler prints today. `pytest --update-golden` writes the blocks anew."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gdsl.backends.cuda import source_text
from gdsl.codegen.cuda import runtime
from gdsl.pipeline import load
from gdsl.source import Source
from tests.support import shown

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "from-text-to-cuda.md"
OPERATORS = ROOT / "docs" / "operators.md"
SAMPLE = ROOT / "samples" / "bfs.gdsl"


def texts() -> shown.Texts:
    """The texts of the sample."""
    return shown.texts_of(SAMPLE.stem, SAMPLE.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("path", "texts_at"),
    [
        (PAGE, lambda before: texts()),
        (OPERATORS, shown.texts_above),
    ],
    ids=["one program", "operators"],
)
def test_the_page_shows_what_is_made(
    path: Path, texts_at: Callable[[str], shown.Texts], request: pytest.FixtureRequest
) -> None:
    page = path.read_text(encoding="utf-8")
    made = shown.rendered(page, texts_at)
    if request.config.getoption("--update-golden"):
        path.write_text(made, encoding="utf-8", newline="\n")
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
    blocks = shown.SHOWN.finditer(PAGE.read_text(encoding="utf-8"))
    seen = {at for block in blocks if block[1] == kind for at in shown.part(texts(), kind, block[2], block[3])}
    missing = [lines[at] for at in range(start, end) if at not in seen and lines[at].strip()]
    assert [line for line in missing if not line.startswith(("// ----", "schedule:", "program bfs"))] == []


def test_words_of_the_page_stand_in_what_it_shows() -> None:
    """What the page's sentences name is in one of the texts, in the runtime, or a word of the command line."""
    known = "\n".join(line for lines in texts().values() for line in lines)
    known += "\n".join(piece.text for piece in runtime.pieces())
    words = PAGE.read_text(encoding="utf-8").partition("## In the compiler")[0]  # then come names of its own code
    assert shown.unknown_words(words, known) == []


def test_words_of_the_operators_stand_in_what_is_shown() -> None:
    page = OPERATORS.read_text(encoding="utf-8")
    known = re.sub(r"`[^`\n]+`", "", page) + "\n".join(piece.text for piece in runtime.pieces())
    known += (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    assert shown.unknown_words(page, known) == []


def test_every_operator_has_a_place() -> None:
    page = OPERATORS.read_text(encoding="utf-8")
    headings = "\n".join(re.findall(r"^## .*$", page, re.MULTILINE))
    for operator in ("advance", "filter", "compute", "neighbor_reduce", "intersect", "neighbor_vote", "buckets"):
        assert f"`{operator}`" in headings


def test_a_push_alone_has_two_of_the_five_forms_of_the_functor() -> None:
    program = load(Source(SAMPLE.name, SAMPLE.read_text(encoding="utf-8")), ["visit.direction=push"])
    forms = [
        set(re.findall(r" (visit_\w+)\(", text)) for text in ("\n".join(texts()["cuda"]), source_text(program, 32))
    ]
    assert [len(each) for each in forms] == [5, 2]


@pytest.mark.slow
def test_bfs_passes_the_functions_of_the_table_in_this_order(tmp_path: Path) -> None:
    """All but the last, which needs a GPU."""
    page = PAGE.read_text(encoding="utf-8")
    functions = re.findall(r"^\| `(gdsl\.[\w.]+)` \|", page, re.MULTILINE)[:-1]
    functions = [re.sub(r"\.[A-Z]\w*", "", name) for name in functions]  # without the class of a method
    assert len(functions) > 10
    script = f"""
import sys
import gdsl
from gdsl.api.compiling import compile_file

wanted, seen = {functions!r}, []

def note(frame, event, argument):
    if event == "call":
        name = f"{{frame.f_globals.get('__name__')}}.{{frame.f_code.co_name}}"
        if name in wanted and name not in seen:
            seen.append(name)

sys.setprofile(note)
compile_file({str(ROOT / "samples" / "bfs.gdsl")!r}).source("cuda")
sys.setprofile(None)
assert seen == wanted, seen
"""
    environment = {**os.environ, "GDSL_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment, cwd=ROOT)
