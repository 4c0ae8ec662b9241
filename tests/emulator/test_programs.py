"""Every sample and test program as generated CUDA: no finding of the emulator, the reference's results and trace, and
the answers of the oracles."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

import pytest
from _pytest.mark import ParameterSet
from oracles import CASES, LIBRARY, SAMPLES, Case
from support.graphs import grid, make_graph, named_graphs, random_graph

from gdsl.backends.interface import Bindings, Limits, Outcome
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, rmat

from . import build
from .driver import EmulatedModule, EmulatorError
from .findings import Kind
from .modes import FUSED, Mode, modes_of
from .running import Built, device_for, differences, expect, program_of
from .running import build as build_program

pytestmark = pytest.mark.skipif(build.compiler() is None, reason="the emulator needs g++")

EVERYTHING = int(os.environ.get("GDSL_TEST_EXAMPLES", "1")) > 1
LARGE = ("rmat", "grid")
LESS = ("small_rmat", "small_grid")
"""The same for the modes that have no part of the runtime to themselves: still more vertices than threads."""


@cache
def graphs() -> dict[str, Graph]:
    """Awkward ones, random ones, and some of many hundred vertices."""
    found = named_graphs()
    found["several_blocks"] = random_graph(300, 2000, seed=3, directed=False)
    found["several_blocks_directed"] = random_graph(400, 1500, seed=4)
    found["rmat"] = rmat(10, 4, seed=5)
    found["grid"] = make_graph(grid(30, 40), 1200, directed=False)
    found["small_rmat"] = rmat(8, 4, seed=5)
    found["small_grid"] = make_graph(grid(17, 16), 272, directed=False)
    return found


@cache
def reference(case: Case, graph: str, id_bits: int) -> tuple[Bindings, Outcome]:
    """The caller's data, and what the reference makes of it."""
    program = program_of(case.name)
    bindings = bind(program, graphs()[graph], case.values(graphs()[graph], 1), id_bits=id_bits)
    return bindings, expect(program, graphs()[graph], bindings, id_bits)


def names_for(case: Case, mode: Mode, place: int, taken: tuple[int, int] = (0, 1)) -> list[str]:
    """A third of the small graphs, another third for each mode, and large ones, the largest for the first samples; of
    the library fewer. `place` is the mode's among those of the program. The further modes of other programs share two
    thirds among those of them that a run takes: `taken` is which of them this is, and of how many."""
    suited = [name for name, graph in graphs().items() if case.suits(graph) and name not in LARGE + LESS]
    if case in LIBRARY:
        return [*suited[place % 6 :: 6], *(name for name in LESS if case.suits(graphs()[name]))]
    turn = place % 3
    if case in SAMPLES or EVERYTHING or mode is FUSED:
        small = suited[turn::3]
    else:
        small = [name for name in suited if name not in suited[::3]][taken[0] :: taken[1]]
    large = LARGE if case in SAMPLES and mode.name in ("fused", "pull", "unfused_push") else LESS
    if case not in SAMPLES and mode.name != "fused":
        large = (LESS[turn % len(LESS)],)
    return small + [name for name in large if case.suits(graphs()[name])]


def check(built: Built, case: Case, graph: str, seed: int) -> None:
    bindings, expected = reference(case, graph, built.widths.vertex)
    device = device_for(seed, blocks=1 + seed % 4)
    found = built.run(graphs()[graph], bindings, device)
    where = f"on {graph} with {device.multiprocessors} blocks and seed {seed}"
    assert differences(built.program, expected, found) == [], where
    case.check(graphs()[graph], {**bindings.params, **bindings.inputs}, {**found.arrays, **found.scalars})


PARTS, OTHER_PARTS = 5, 8
"""Into so many tests the modes of a program fall: of the first samples, and of others."""


def parts_of(case: Case) -> int:
    return PARTS if case in SAMPLES else OTHER_PARTS


def further() -> Iterator[ParameterSet]:
    """The first samples in all modes; of other programs, in turns, one part of them; the rest of the library has the
    tunings of `test_schedules` instead. GDSL_TEST_EXAMPLES=2 in the environment, or more, asks for all."""
    for turn, case in enumerate(CASES):
        count = parts_of(case)
        if EVERYTHING or case in SAMPLES:
            parts = range(count)
        else:
            parts = range(0) if case in LIBRARY else range(turn % count, turn % count + 1)
        yield from (pytest.param(case, part, id=f"{case.name}-{part}") for part in parts)


def agrees(case: Case, mode: Mode, place: int, taken: tuple[int, int] = (0, 1)) -> None:
    built = build_program(case.name, mode.words, mode.shape, mode.widths)
    for seed, graph in enumerate(names_for(case, mode, place, taken)):
        check(built, case, graph, seed)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.sampled(36)
def test_agrees_with_the_reference(case: Case) -> None:
    agrees(case, FUSED, 0)


@pytest.mark.parametrize(("case", "part"), list(further()))
@pytest.mark.sampled(80)
@pytest.mark.rare(20)
def test_further_modes_agree(case: Case, part: int) -> None:
    """Which these are is asked here: every word of every mode is a program to compile."""
    modes = list(enumerate(modes_of(case.name)))[1:]
    parts = min(parts_of(case), len(modes))
    chosen = modes[part % parts :: parts]
    for turn, (place, mode) in enumerate(chosen):
        agrees(case, mode, place, (turn, len(chosen)))


@pytest.mark.parametrize("name", ["bfs", "sssp", "connected_components", "neighborhoods", "sets", "common_neighbors"])
@pytest.mark.sampled(3)
def test_holds_under_many_orders(name: str) -> None:
    case = next(case for case in CASES if case.name == name)
    built = build_program(name)
    for seed in range(15):
        check(built, case, "random_undirected", seed)


@pytest.mark.parametrize("fuse", ["on", "off"])
@pytest.mark.parametrize("name", ["bfs", "core", "neighborhoods", "sssp", "common_neighbors"])
@pytest.mark.sampled(10)
def test_a_stop_is_heard_and_harms_nothing(name: str, fuse: str) -> None:
    """Wherever the host asks for a stop: the run ends, with all blocks at one barrier."""
    case = next(case for case in CASES if case.name == name)
    built = build_program(name, (f"schedule.fuse={fuse}",))
    bindings, _ = reference(case, "several_blocks", 32)
    stopped = 0
    for seed in range(15):
        device = device_for(seed)
        device.schedule.stop_at = 1 + 1597 * seed
        try:
            built.run(graphs()["several_blocks"], bindings, device)
        except GdslError as error:
            assert error.diagnostics[0].code == "E0802"
            stopped += 1
    assert stopped > 0


def test_an_index_out_of_range_stops_the_run() -> None:
    text = """
    program beyond;
    problem { input vertex next : vertex; vertex seen : int32; local scalar again : int32 = 3; }
    vertex functor follow(v) { apply { seen[next[v]] += 1; } }
    schedule { while (again > 0) { compute(vertices, follow); again = again - 1; } }
    """
    graph = graphs()["several_blocks"]
    built = build_program(text)
    values = {"next": [*range(1, graph.num_vertices), -1]}
    with pytest.raises(GdslError) as caught:
        built.run(graph, bind(built.program, graph, values), device_for(1))
    assert caught.value.diagnostics[0].code == "E0801"


@pytest.mark.parametrize("over", ["out_edges", "in_edges"])
def test_lanes_without_an_edge_touch_nothing_that_is_written(over: str) -> None:
    """What is read ahead for them is what the last edge asks for; its own lane may have written that by then."""
    text = f"""
    program ahead;
    problem {{
        vertex next : vertex; local edge kept : int32; vertex number : int32 = int32(id) % 13; vertex sums : int32;
    }}
    vertex functor point(v) {{ apply {{ next[v] = v; }} }}
    edge functor take(src, dst, e) {{ apply {{
        let former = kept[e];
        kept[e] = former + number[next[src]] * number[next[dst]];
        sums[dst] += kept[e];
    }} }}
    schedule {{
        compute(vertices, point);
        advance(vertices, take, to=none, over={over});
        advance(where(v => number[v] > 3), take, to=none, over={over});
    }}
    """
    for name in ("several_blocks", "small_rmat"):
        graph, built = graphs()[name], build_program(text)
        bindings = bind(built.program, graph, {})
        expected = expect(built.program, graph, bindings)
        for seed in range(3):
            assert differences(built.program, expected, built.run(graph, bindings, device_for(seed))) == []


@pytest.mark.parametrize(
    "text",
    [
        "met[v] = neighbor(v, 3);",
        "met[v] = dst(out_edge(v, -1));",
        "met[v] = src(back[v]);",
        "if ((v > v) & (src(back[v]) == v)) { met[v] = v; }",
    ],
)
def test_a_place_that_is_not_there_stops_the_run(text: str) -> None:
    """Also where there is no edge at all, whose ends nothing may read."""
    text = f"""
    program beyond;
    problem {{ vertex met : vertex; vertex back : edge; }}
    vertex functor look(v) {{ apply {{ {text} }} }}
    schedule {{ compute(vertices, look); }}
    """
    built = build_program(text)
    for edges in ([(0, 1), (1, 0)], []):
        graph = make_graph(edges, 40)
        with pytest.raises(GdslError) as caught:
            built.run(graph, bind(built.program, graph, {}), device_for(1))
        assert caught.value.diagnostics[0].code == "E0801"


def test_max_iterations_stop_the_run() -> None:
    built = build_program("bfs")
    bindings, _ = reference(next(case for case in CASES if case.name == "bfs"), "path_undirected", 32)
    with pytest.raises(GdslError) as caught:
        built.run(graphs()["path_undirected"], bindings, device_for(1), Limits(max_iterations=3))
    assert caught.value.diagnostics[0].code == "E0803"


def test_findings_name_the_line_of_the_program() -> None:
    """A race that the checker is not there to see: the emulator names the .gdsl line."""
    built = build_program("backward", ("reach.direction=push",))
    text = built.generated.text
    assert " claim(&d.steps[" in text
    broken = text.replace(" claim(&d.steps[", " plain_claim(&d.steps[")
    broken = broken.replace("// ---- functors ----", PLAIN_EXCHANGE)
    module = EmulatedModule(broken, "backward.cu")
    mutant = Built(built.program, built.plan, built.generated, module, built.widths)
    bindings, _ = reference(next(case for case in CASES if case.name == "backward"), "several_blocks", 32)
    with pytest.raises(EmulatorError) as caught:
        for seed in range(5):
            mutant.run(graphs()["several_blocks"], bindings, device_for(seed))
    assert {finding.kind for finding in caught.value.findings} == {Kind.RACE}
    places = [place for f in caught.value.findings for place in (f.place, f.other) if place]
    assert any(line.startswith("backward.gdsl:") for place in places for line in (place.line, *place.outer))


PLAIN_EXCHANGE = """
template <class T>
__device__ bool plain_claim(T* x, T old, T value, bool) {
    const bool won = *x == old;
    if (won) { *x = value; }
    return won;
}
"""
