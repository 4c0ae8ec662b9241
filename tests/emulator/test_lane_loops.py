"""Loops over neighbors that the lanes of a warp share, on lists of any length: the same bits as the reference."""

from __future__ import annotations

import dataclasses
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import gdsl
from gdsl.backends.cuda import plan_of
from gdsl.binding import bind
from gdsl.codegen.cuda.generate import generate
from gdsl.ir.nodes import Program
from gdsl.types import Widths

from .build import compiler
from .driver import EmulatedModule, EmulatorError
from .fake_cupy import FakeCupy
from .mutants import Mutant
from .mutating import templates_with
from .running import SMALL, TINY, WIDER, Built, build, device_for, differences, emulated, expect, program_of

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

SUMS = """
program sums;
problem {
    input edge weight : float32;
    input vertex mass : float64;
    vertex total : float64;
    vertex mean : float64;
    edge so_far : float64;
    scalar lists : int64;
}
vertex functor add_up(v) {
    cond mass[v] > 0.125;
    apply {
        var sum : float64 = 0;
        for u, x in neighbors(v) {
            sum += float64(weight[x]) / mass[u];
            so_far[x] max= sum;
        }
        total[v] = sum;
        lists += 1;
        var mean_of : float64 = sum / 3;
        for step in 0..3 {
            var next : float64 = 0;
            for u in neighbors(v) {
                let apart = abs(mass[u] - mean_of);
                if (apart > 0.25) { next += mass[u] / apart; }
            }
            mean_of = next;
        }
        mean[v] = mean_of;
    }
}
schedule { compute(vertices, add_up); }
"""

CHOICES = """
program choices;
problem {
    param limit : float64 = 4;
    input edge weight : float32;
    vertex least : float64 = inf;
    vertex at : vertex = none;
    vertex by : edge = none;
    vertex seen : int32;
    vertex marks : int64;
    vertex rest : float64;
    edge before : float64 = -1;
    edge parity : int32;
    scalar light : int64;
    scalar most : int32;
}
function part(x : float64, share : float64) -> float64 { return x > 1 ? x * share : share; }
vertex functor choose(v) {
    apply {
        var best : float64 = inf;
        var best_at : vertex = none;
        var best_by : edge = none;
        var odd : bool = false;
        var left : float64 = limit;
        for u, x in neighbors(v) {
            let w = float64(weight[x]);
            if (w < best) { best = w; best_at = u; best_by = x; before[x] max= left; }
            else { left = part(left, w); }
            if (w > 0.5) {
                let half = w / 2;
                odd = !odd;
                parity[x] max= odd ? 2 : 1;
                if (half > 0.375) { seen[u] += 1; left -= half * half; } else { left += half; }
            } else {
                light += 1;
                marks[u] max= int64(v) + 1;
            }
            most max= int32(weight[x] * 100);
        }
        least[v] = best; at[v] = best_at; by[v] = best_by; rest[v] = left;
    }
}
schedule { compute(vertices, choose); }
"""

COUNTS = """
program counts;
problem {
    param rounds : int32 = 2;
    vertex entered : int32;
    vertex high : bool = int32(id) % 3 == 0;
    vertex next : bool;
    scalar links : int64;
}
vertex functor enter(v) { apply { for u in neighbors(v) { entered[u] += 1; links += 1; } } }
vertex functor look(v) {
    apply { var some_high : bool = high[v]; for u in neighbors(v) { some_high |= high[u]; } next[v] = some_high; }
}
vertex functor take(v) { apply { high[v] = next[v]; } }
schedule {
    compute(vertices, enter);
    repeat (rounds) { compute(vertices, look); compute(vertices, take); }
    frontier f = where(v => high[v]);
    compute(f, enter);
    frontier rest = vertices;
    repeat (rounds) { compute(rest, enter); rest = filter(rest, v => !high[v]); }
}
"""

GATHERED = """
program gathered;
problem {
    param limit : int32 = 20;
    input edge weight : float32;
    vertex links : int64;
    vertex least : int32;
    vertex flags : uint32;
    vertex odd : bool;
    vertex total : float64;
    vertex late : int32;
    edge   order : int32;
}
vertex functor look(v) {
    apply {
        var found : int64 = 5;
        var low : int32 = 1000;
        var bits : uint32 = 1;
        var parity : bool = true;
        var sum : float64 = 0;
        var after_half : int32 = 0;
        var place_in_list : int32 = 0;
        for u, x in neighbors(v) {
            for w, y in neighbors(u) {
                if (w == v) { found += int64(y); }
                if (int32(w) > limit) { break; }
                low = min(low, int32(w) - int32(u));
            }
            var steps : int32 = int32(x) % 5;
            while (steps > 0) { steps -= 1; bits |= uint32(1) << uint32(steps); }
            parity ^= int32(u) % 2 == 0;
            sum += float64(weight[x]);
            if (sum > 2) { after_half += 1; }
            place_in_list += 1;
            order[x] max= place_in_list;
        }
        for u in neighbors(v) { if (u != v) { found -= 3; } }
        links[v] = found; least[v] = low; flags[v] = bits; odd[v] = parity; total[v] = sum; late[v] = after_half;
    }
}
schedule { compute(vertices, look); }
"""

PART = """
program part;
problem { input edge weight : float32; vertex total : float64; edge so_far : float64; }
vertex functor add_up(v) {
    apply {
        var sum : float64 = 0;
        for u, x in neighbors(v) { sum += float64(weight[x]) / 3; so_far[x] max= sum; }
        total[v] = sum;
    }
}
schedule {
    edge frontier kept = filter(edges, (src, dst, e) => weight[e] > 0.25);
    graph g = subgraph(kept);
    on g { compute(vertices, add_up); }
}
"""
SHAPES = {"small": SMALL, "tiny": TINY, "wider": WIDER}


@cache
def graphs() -> dict[str, gdsl.Graph]:
    """Hubs of up to four rows of edges, with loops and parallel edges, beside short lists; and next to nothing."""
    random = np.random.default_rng(5)
    count, degrees = 150, np.zeros(150, np.int64)
    degrees[:12] = (129, 128, 64, 63, 33, 32, 31, 9, 8, 7, 1, 40)
    degrees[20:] = random.integers(0, 12, count - 20)
    source = np.repeat(random.permutation(count), degrees)
    found = {
        "hubs": _graph(source, random.integers(0, count, source.size) // random.integers(1, 9, source.size), count)
    }
    star = np.arange(1, 100)
    found["star"] = _graph(np.concatenate([0 * star, star]), np.concatenate([star, 0 * star]), 100)
    found["loops"] = _graph(np.repeat([0, 1, 2], [70, 2, 0]), np.zeros(72, np.int64), 3)
    found["one"] = _graph(np.zeros(0, np.int64), np.zeros(0, np.int64), 1)
    found["none"] = _graph(np.zeros(0, np.int64), np.zeros(0, np.int64), 0)
    return found


def _graph(source: np.ndarray, destination: np.ndarray, count: int) -> gdsl.Graph:
    weights = np.random.default_rng(source.size).random(source.size, np.float32)
    return gdsl.Graph.from_edges(source, destination, count, weights, directed=True)


def _values(name: str, graph: gdsl.Graph) -> dict[str, object]:
    random = np.random.default_rng(7)
    if name == SUMS:
        return {"mass": random.random(graph.num_vertices)}
    if name == "weighted_walk":
        return {"starts": np.arange(graph.num_vertices) % 3 == 0, "length": 5}
    if name == "geolocation":
        known = random.random(graph.num_vertices) < 0.3
        places = random.random((2, graph.num_vertices)) * 50
        return {
            "latitude": np.where(known, places[0], np.nan),
            "longitude": np.where(known, places[1], np.nan),
            "steps": 4,
        }
    return {}


PROGRAMS = {"sums": SUMS, "choices": CHOICES, "counts": COUNTS, "gathered": GATHERED, "part": PART}
PROGRAMS |= {name: name for name in ("weighted_walk", "geolocation")}


def _without(program: Program) -> Program:
    """One thread for each member."""
    return dataclasses.replace(program, tuning=dataclasses.replace(program.tuning, without=("lane_loops",)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_bits(name: str, shape: str) -> None:
    """As the reference, and (where sines have other bits there) as one thread for each member."""
    tune = {"tiny": ("schedule.fuse=off",), "wider": ("schedule.ids=64",)}.get(shape, ())
    widths = Widths.both(64 if shape == "wider" else 32)
    built = build(PROGRAMS[name], tune, SHAPES[shape], widths)
    alone = emulated(_without(built.program), SHAPES[shape], widths)
    assert "_by_warp(" in built.generated.text and "_by_warp(" not in alone.generated.text
    for seed, (where, graph) in enumerate(graphs().items()):
        bindings = bind(built.program, graph, _values(PROGRAMS[name], graph), id_bits=widths.vertex)
        expected = expect(built.program, graph, bindings, widths.vertex)
        found = built.run(graph, bindings, device_for(seed, 1 + seed % 3))
        assert differences(built.program, expected, found) == [], where
        if name == "geolocation":
            expected = alone.run(graph, bindings, device_for(seed, 2))
        for array, values in found.arrays.items():
            assert values.tobytes() == expected.arrays[array].astype(values.dtype).tobytes(), (where, array)
        for scalar, value in found.scalars.items():
            assert value == expected.scalars[scalar], (where, scalar)


LONG = """
program long;
problem { vertex sum : int64; }
vertex functor turn(v) {
    cond v == 0;
    apply {
        var all_of_it : int64 = 0;
        for step in 0..12 { for u in neighbors(v) { all_of_it += int64(u); } }
        sum[v] = all_of_it;
    }
}
schedule { compute(vertices, turn); }
"""
OFTEN = Mutant("a look at each second pass", "runtime/stops.cuh", "polls += 1;", "polls += 32768;", LONG, "")


@pytest.mark.parametrize("together", [True, False])
def test_lanes_leave_a_loop_together(together: bool, tmp_path: Path) -> None:
    """When the host stops the run: one lane asks for all. If each asked for itself, some would wait for ever."""
    program = program_of(LONG)
    with templates_with(OFTEN, tmp_path):
        plan = plan_of(program, SMALL)
        generated = generate(plan, Widths.both(32))
    text = generated.text
    if not together:
        text = text.replace("stop_requested_by_warp(d, polls)) {", "stop_requested(d, polls)) {")
    built = Built(program, plan, generated, EmulatedModule(text, "long.cu", False), Widths.both(32))
    graph, found = graphs()["star"], set[str]()
    for seed in range(40):
        device = device_for(seed, 1)
        device.schedule.stop_at = 500 + 211 * seed
        try:
            found.add("done" if built.run(graph, bind(program, graph, {}), device).arrays["sum"][0] else "nothing")
        except EmulatorError:
            found.add("left alone")
        except gdsl.GdslError:
            found.add("stopped")
    assert ("left alone" not in found and "stopped" in found) is together, found


def test_a_warp_of_a_team(cupy: FakeCupy) -> None:
    """Many values at once: each team's warps take the long lists of its own value."""
    program, graph = gdsl.compile(CHOICES, tune=["schedule.block=32"]), graphs()["hubs"]
    assert np.diff(graph.offsets).max() >= 128, "a long list, whatever the sizes"
    batch = program.map(graph, limit=[0.5, 3.0, 4.0], backend="cuda")
    assert "one block each" in batch.how
    expected = program.map(graph, limit=[0.5, 3.0, 4.0], backend="reference").host_arrays()
    for name, values in batch.host_arrays().items():
        assert np.asarray(values).tobytes() == np.asarray(expected[name]).tobytes(), name
