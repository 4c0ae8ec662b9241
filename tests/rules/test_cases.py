"""Programs that take a second look: what the checker says, and whether the interpreter finds one answer or several.

The head of each says what to expect: `# verdict: accepted; rounding NAMES; converged NAMES; not unique NAMES` (all else
is exact) or `# verdict: refused CODE; fix words of the fix`, and with `# several` that runs do differ, with the rules
off and all results looked at. What is accepted has one answer in all that is not marked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from interleaving.interleave import Answer, explore
from orders import graphs, program_of

from gdsl.backends.interface import Limits
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.operations import Grade

CASES = sorted((Path(__file__).parent / "cases").glob("*.gdsl"))
LIMITS = Limits(timeout=20, max_iterations=60)


@dataclass(frozen=True)
class Case:
    """One program and what its head says."""

    text: str
    verdict: str
    fix: str | None
    several: bool


def read(path: Path) -> Case:
    text = path.read_text(encoding="utf-8")
    verdict = re.search(r"^# verdict: (.*)$", text, re.MULTILINE)
    assert verdict is not None, path
    said, _, fix = verdict[1].partition("; fix ")
    return Case(text, said, fix or None, "\n# several\n" in text)


def verdict_of(program: Program) -> str:
    found = "accepted"
    for grade in (Grade.ROUNDING, Grade.CONVERGED, Grade.NOT_UNIQUE):
        names = [data.name for data in (*program.arrays, *program.scalars) if data.grade is grade]
        found += f"; {grade.value} {', '.join(names)}" if names else ""
    return found


def make(edges: list[tuple[int, int]], count: int) -> Graph:
    sources, destinations = (np.array(ends, np.int64) for ends in zip(*edges, strict=True))
    return Graph.from_edges(sources, destinations, count, directed=True)


def more_graphs() -> dict[str, Graph]:
    numbers = np.random.default_rng(7)
    ring = [(v, (v + 1) % 12) for v in range(12)] + [((v + 1) % 12, v) for v in range(12)]
    some = [(int(a), int(b)) for a, b in numbers.integers(0, 11, (30, 2))]
    return {**graphs(), "ring": make(ring, 12), "random": make(some, 11)}


def distinct(program: Program, seeds: range, *, everything: bool, enough: int = 1000) -> list[Answer]:
    """The answers on the first graph that has `enough` of them, else on that with most."""
    most: list[Answer] = []
    for name, graph in more_graphs().items():
        if program.requires.simple and name not in ("diamonds", "ring"):
            continue
        given = {param.name: 0 for param in program.params if param.default is None}
        bindings = bind(program, graph, given)
        found = explore(program, graph, bindings, seeds, limits=LIMITS, everything=everything)
        most = max(most, found, key=len)
        if len(most) >= enough:
            break
    return most


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_verdict(path: Path) -> None:
    case = read(path)
    if case.verdict.startswith("accepted"):
        assert verdict_of(program_of(case.text, path.stem)) == case.verdict
        return
    with pytest.raises(GdslError) as caught:
        program_of(case.text, path.stem)
    assert {found.code for found in caught.value.diagnostics} == {case.verdict.split()[1]}, caught.value
    if case.fix is not None:
        assert case.fix in (caught.value.diagnostics[0].fix or "")


@pytest.mark.parametrize(
    "path", [path for path in CASES if read(path).verdict.startswith("accepted")], ids=lambda path: path.stem
)
@pytest.mark.sampled(35)
def test_what_is_not_marked_has_one_answer(path: Path) -> None:
    found = distinct(program_of(read(path).text, path.stem), range(12), everything=False)
    assert len([answer for answer in found if answer.error is None]) <= 1, found


@pytest.mark.parametrize("path", [path for path in CASES if read(path).several], ids=lambda path: path.stem)
@pytest.mark.sampled(25)
def test_marks_and_refusals_have_a_reason(path: Path) -> None:
    program = program_of(read(path).text, path.stem, races=False)
    assert len(distinct(program, range(80), everything=True, enough=2)) > 1


FIXES: dict[str, Callable[[str], str]] = {
    "test_before_min": lambda text: re.sub(
        r"if \(d\[src\].*else \{ accept false; \}", "accept changed(d[dst] min= d[src] + w[e]);", text
    ),
    "test_in_apply": lambda text: re.sub(
        r"apply \{ if \(d\[dst\] == -1\) (\{.*?\}) else \{ accept false; \} \}", r"cond d[dst] == -1; apply \1", text
    ),
    "matching_by_tests": lambda text: re.sub(
        r"cond .*? apply \{.*?\}",
        "apply { if (cas(m[src], false, true)) { if (cas(m[dst], false, true)) { used[e] = true; } } }",
        text,
    ),
}


@pytest.mark.parametrize("name", FIXES)
def test_fixes_are_right_when_typed_in(name: str) -> None:
    text = (Path(__file__).parent / "cases" / f"{name}.gdsl").read_text(encoding="utf-8")
    mended = FIXES[name](text)
    assert mended != text
    program = program_of(mended, name)
    for graph in more_graphs().values():
        answers = explore(program, graph, bind(program, graph, {}), range(6), limits=LIMITS, everything=True)
        assert all(answer.error is None for answer in answers)
        if name == "matching_by_tests":
            for answer in answers:
                assert _is_matching(graph, answer)


def _is_matching(graph: Graph, answer: Answer) -> bool:
    ends = [graph.ends(int(edge)) for edge in np.flatnonzero(answer.arrays["used"])]
    flat = [vertex for pair in ends for vertex in pair]
    return len(flat) == len(set(flat))
