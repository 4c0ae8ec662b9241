"""Writes a page for each sample, and one that lists them: `python docs/make_gallery.py DIRECTORY`.

Nothing of a page is written by hand: the program, what it takes and gives, a run with its frontiers, the oracle that
the tests hold it against, the times of docs/performance.md, the plan, and the CUDA.
"""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from html import escape
from pathlib import Path
from types import ModuleType

import numpy as np

ROOT = Path(__file__).parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

import gdsl  # noqa: E402
from bench.works import WORKS  # noqa: E402
from docs.frontier_picture import frontier_svg  # noqa: E402
from gdsl.api.description import sections  # noqa: E402
from gdsl.backends.cuda import plan_of, source_text  # noqa: E402
from gdsl.codegen.cuda import runtime  # noqa: E402
from gdsl.ir.nodes import Program  # noqa: E402
from gdsl.pipeline import load  # noqa: E402
from gdsl.plan.printer import print_plan  # noqa: E402
from gdsl.source import Source  # noqa: E402
from tests.oracles import BY_NAME, Case  # noqa: E402

NAMES = sorted(path.stem for path in (ROOT / "samples").glob("*.gdsl"))
_DOC = re.compile(r'\A"""(.*?)"""\n', re.DOTALL)
_TIMED = re.compile(r"^\| (\w+)-(\w+)[^|]*\| ([\d,.]+) \|", re.MULTILINE)


def gallery() -> dict[str, str]:
    """All pages by name, `index` among them."""
    with ProcessPoolExecutor() as pool:
        pages = dict(zip(NAMES, pool.map(sample_page, NAMES), strict=True))
    return {"index": index_page(), **pages}


def index_page() -> str:
    """The list of the samples, each by its first sentence."""
    lines = [
        "# Gallery",
        "",
        "A page for each program that comes along, made from the program, its tests and a run.",
        "",
    ]
    lines += ["| sample | |", "| --- | --- |"]
    lines += [f"| [{name}]({name}.md) | {_sentences(name)[0]} |" for name in NAMES]
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", *NAMES, "```", ""])


def sample_page(name: str) -> str:
    """The page of one sample."""
    source = Source(f"{name}.gdsl", (ROOT / "samples" / f"{name}.gdsl").read_text(encoding="utf-8"))
    program = load(source)
    parts = [
        f"# {name}",
        "\n".join(_sentences(name)),
        _table(program, source),
        "## Program",
        f"```gdsl\n{_DOC.sub('', source.text).strip()}\n```",
        *_run(name),
        *_oracle(BY_NAME[name]),
        *_times(name),
        "## Plan and CUDA",
        _folded("The plan: what will happen on the device", "text", print_plan(plan_of(program))),
        _folded("The CUDA, but for the runtime in front of it", "cuda", own_part(source_text(program, 32))),
        f"`gdslc compile {name} --emit plan` and `gdslc compile {name}` print all of both.",
    ]
    return "\n\n".join(parts) + "\n"


def own_part(cuda: str) -> str:
    """The program's own text: without the pieces of the runtime, and without the numbers of lines."""
    for piece in sorted(runtime.pieces(), key=lambda piece: -len(piece.text)):
        cuda = cuda.replace(f"\n{piece.text}\n", "\n")
    cuda = re.sub(r'^#line \d+ ".*"\n', "", cuda, flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", cuda).strip()


def _sentences(name: str) -> list[str]:
    """The comment that the program begins with, by lines."""
    found = _DOC.match((ROOT / "samples" / f"{name}.gdsl").read_text(encoding="utf-8"))
    assert found is not None, f"{name} has no comment that says what it computes"
    return found[1].strip().split("\n")


def _table(program: Program, source: Source) -> str:
    """What it takes and gives."""
    rows = ["| | |", "| --- | --- |"]
    for kind, sentences in sections(program, source):
        rows += [f"| {kind} | {sentence.replace('|', chr(92) + '|')} |" for sentence in sentences]
    return "\n".join(rows)


def _folded(summary: str, language: str, text: str) -> str:
    return f"<details>\n<summary>{escape(summary)}</summary>\n\n```{language}\n{text.rstrip()}\n```\n\n</details>"


def _run(name: str) -> list[str]:
    """A run on a small graph, its results, and the picture of its frontiers."""
    case = BY_NAME[name]
    graph, about = small_graph(name)
    values = case.values(graph, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gdsl.NotConvergedWarning)  # the table shows `converged`
        program = gdsl.compile(ROOT / "samples" / f"{name}.gdsl")
        result = program.run(graph, values, backend="reference", max_iterations=1000)
    given = ", ".join(f"`{key}` = {_shown(value)}" for key, value in values.items())
    rows = ["| result | |", "| --- | --- |"]
    rows += [f"| `{key}` | {_shown(value)} |" for key, value in {**result.scalars, **result.host_arrays()}.items()]
    text = f"On {about}{' with ' + given if given else ''}; {len(result.trace)} runs of operators:"
    return ["## A run", text, "\n".join(rows), frontier_svg(result.trace)]


@cache
def small_graph(name: str) -> tuple[gdsl.Graph, str]:
    """The karate club; where levels need a direction, with its edges from the smaller id to the larger."""
    graph = gdsl.Graph.read("karate")
    if name != "topological_levels":
        return graph, "Zachary's karate club (34 vertices, 156 edges stored)"
    sources, targets = (np.asarray(ends) for ends in graph.edges)
    up = sources < targets
    graph = gdsl.Graph.from_edges(sources[up], targets[up], num_vertices=graph.num_vertices, directed=True)
    return graph, "Zachary's karate club, each edge from the smaller id to the larger"


def _shown(value: object) -> str:
    """A value in few words: the first ones of an array."""
    array = np.asarray(value)
    if array.ndim == 0:
        return f"{array[()]:.6g}" if array.dtype.kind == "f" else str(array[()])
    if array.size == 0:
        return "nothing"
    first = [f"{each:.4g}" if array.dtype.kind == "f" else str(each) for each in array.reshape(-1)[:8]]
    return ", ".join(first) + (", …" if array.size > 8 else "")


def _oracle(case: Case) -> list[str]:
    """What the tests hold the sample against, in their own words."""
    module = inspect.getmodule(case.check)
    assert isinstance(module, ModuleType) and module.__doc__
    words = [" ".join(module.__doc__.split())]
    if case.check.__doc__:
        words.append(" ".join(case.check.__doc__.split()))
    path = Path(inspect.getsourcefile(case.check) or "").relative_to(ROOT)
    text = f"`{path.as_posix()}`: " + " ".join(words)
    return ["## What it is held against", text, _folded("The check", "python", inspect.getsource(case.check))]


def _times(name: str) -> list[str]:
    """The rows of docs/performance.md that are of this sample; of two of one machine and graph the later one."""
    works = {work.name: work for work in WORKS.values() if work.program == ROOT / "samples" / f"{name}.gdsl"}
    times = {}
    for heading, machine in (("## On one H200", "one H200"), ("## On a CPU", "two cores of a CPU")):
        for row, graph, time in _TIMED.findall(_section(heading)):
            if row in works:
                times[machine, row, graph] = (works[row].unit, time)
    if not times:
        return []
    rows = ["| on | row of the table | |", "| --- | --- | --- |"]
    rows += [f"| {machine} | {row}-{graph} | {time} {unit} |" for (machine, row, graph), (unit, time) in times.items()]
    words = "As measured for the page on [speed](../performance.md), which has graphs, machines and the command."
    return ["## Time", words, "\n".join(rows)]


@cache
def _section(heading: str) -> str:
    """The part of the page on speed below a heading."""
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    begin = page.index(f"\n{heading}\n")
    end = page.find("\n## ", begin + 1)
    return page[begin : end if end > 0 else None]


def write_gallery(directory: Path) -> None:
    """Write all pages into `directory`, which is made."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in gallery().items():
        (directory / f"{name}.md").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_gallery(Path(sys.argv[1]))
