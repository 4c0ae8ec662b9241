"""Buckets: levels in order on every backend, what joins which level, and what stops a run."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import networkx
import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

import gdsl
from gdsl.diagnostics import GdslError
from tests.support.graphs import make_graph, path

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
FORMS = ["schedule.fuse=on", "schedule.fuse=off"]
LAST = 2**63 - 1
PROGRAMS = Path(__file__).parent / "programs"

DATA = """program levels;
problem {
    input vertex a : int32; vertex level : int64; vertex turn : int32; scalar k : int64; scalar n : int32;
    scalar held : int64; vertex later : int32 = a[id];
}
vertex functor note(v) { apply { level[v] = k; turn[v] = turn[v] * 10 + n; } }
vertex functor change(v) { apply { later[v] = 9 - a[v]; } }
"""
ALL = "while (b) { n += 1; frontier f = b.pop(); k = b.level; compute(f, note); }"


@cache
def program(schedule: str, form: str = FORMS[0]) -> gdsl.Program:
    return gdsl.compile(f"{DATA}schedule {{ {schedule} }}", tune=[form])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("schedule", "turns", "held"),
    [
        (f"buckets b(a, 1) = vertices; {ALL} held = size(b);", [3, 1, 2, 3, 4], 0),
        (f"buckets b(a, 2) = vertices; {ALL}", [2, 1, 1, 2, 3], 0),
        (f"buckets b(a, width=100) = {{ 4, 2 }}; held = size(b); {ALL}", [0, 0, 1, 0, 2], 2),
        # Taken out once however often it was pushed; empty ones are no more, and have no members.
        (
            f"buckets b(a, 1); b.push({{ }}); b.push({{ 3 }}); b.push({{ 3, 0 }}); held = size(b); {ALL}",
            [1, 0, 0, 1, 0],
            2,
        ),
        ("buckets b(a, 1); n = 7; compute(b.pop(), note); if (!b) { held = size(b) + 1; }", [0] * 5, 1),
        # What is below the last level popped joins it.
        (
            "buckets b(a, 1) = { 0, 3, 4 }; b.pop(); b.push({ 1, 2 }); n = 1; compute(b.pop(), note); held = b.level;"
            " n = 2; compute(b.pop(), note);",
            [0, 1, 1, 0, 2],
            5,
        ),
        # The level is that of the last push.
        (
            "buckets b(later, 1) = { 0, 1 }; compute(vertices, change);"
            " b.push({ 1 }); n = 1; compute(b.pop(), note); n = 2; compute(b.pop(), note);",
            [1, 2, 0, 0, 0],
            0,
        ),
        # A pop is a set like others; nobody has to look at it.
        (
            "buckets b(a, 1) = vertices; b.pop(); n = 1; compute(b.pop() | { 0 } | b.pop(), note); held = size(b);",
            [1, 0, 1, 1, 0],
            1,
        ),
        # Several at once, and those of a block are empty at the beginning of each pass.
        (
            "buckets c(a, 1) = vertices; repeat (2) { buckets b(a, 3) = { 4 }; b.push(c.pop()); n += 1;"
            " held += size(b); compute(b.pop(), note); }",
            [0, 1, 2, 0, 0],
            4,
        ),
    ],
)
@pytest.mark.sampled(45)
def test_levels(schedule: str, turns: list[int], held: int, backend: str, form: str) -> None:
    values = {"a": np.array([5, -4, -3, 5, 6], np.int32)}
    result = program(schedule, form).run(make_graph(path(5), 5), values, backend=backend)
    assert result.host_arrays()["turn"].tolist() == turns
    assert result["held"] == held


def floor_of(values: np.ndarray, width: np.generic) -> list[int]:
    """What each level is, by integers without bounds."""
    if values.dtype.kind != "f":
        return [min(int(value) // int(width), LAST) for value in values]
    with np.errstate(all="ignore"):
        ratios = np.floor(values / width)
    return [
        LAST
        if np.isnan(each)
        else max(-LAST - 1, min(LAST, int(each) if np.isfinite(each) else int(np.sign(each)) << 70))
        for each in ratios
    ]


def awkward(kind: str) -> tuple[np.ndarray, list[float]]:
    dtype = np.dtype(kind)
    if dtype.kind == "f":
        odd = [0, -0.0, 1, -1, 2.5, -2.5, np.inf, -np.inf, np.nan, 1e30, -1e30, 3, 0.3, 1e-40]
        return np.array(odd, dtype), [1, 0.3, 1e-30, np.inf, 1e30]
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    values = [0, 1, 2, 3, most, most - 1, least, least + 1, most // 2, 5, 6, 7]
    return np.array(values + ([-1, -2, -3, -4, -5] if least else []), dtype), [1, 2, 3, most]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind", ["int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_the_level_of_every_number(kind: str, backend: str) -> None:
    """Also of those that no int64 is near; a vertex is always found again."""
    text = f"""program p;
    problem {{ input vertex a : {kind}; param w : {kind}; vertex level : int64; vertex met : int32; scalar k : int64; }}
    schedule {{
        buckets b(a, w) = vertices;
        while (b) {{
            frontier f = b.pop();
            k = b.level;
            compute(f, v => {{ apply {{ level[v] = k; met[v] += 1; }} }});
        }}
    }}"""
    made = gdsl.compile(text)
    values, widths = awkward(kind)
    for width in widths:
        given = np.dtype(kind).type(width)
        found = made.run(make_graph([], len(values)), {"a": values, "w": given}, backend=backend).host_arrays()
        assert found["level"].tolist() == floor_of(values, given), width
        assert found["met"].tolist() == [1] * len(values)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("kind", "width"), [("int32", 0), ("int64", -3), ("float32", -0.0), ("float64", float("nan"))])
def test_no_width(kind: str, width: float, backend: str, form: str) -> None:
    """One error that names the line, whatever the bounds are; where it is never declared, none."""
    text = f"""program p;
    problem {{ vertex a : {kind}; param w : {kind}; param times : int32 = 1; scalar made : int32; }}
    schedule {{ repeat (times) {{
        buckets b(a, w) = vertices;
        made += 1; while (b) {{ b.pop(); }} }} }}
    tune {{ bounds off; }}"""
    made = gdsl.compile(text, tune=[form])
    assert made.run(make_graph(path(3), 3), {"w": width, "times": 0}, backend=backend)["made"] == 0
    with pytest.raises(GdslError) as caught:
        made.run(make_graph(path(3), 3), {"w": width}, backend=backend)
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == ("E0805", "the width of `b` is not above 0")
    assert found.span is not None and found.span.line == 4
    assert made.run(make_graph(path(3), 3), {"w": 1}, backend=backend)["made"] == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_vertices(backend: str) -> None:
    for count in (0, 1):
        made = program(f"buckets b(a, 1) = vertices; {ALL} held = n;")
        assert made.run(make_graph([], count), {"a": np.zeros(count, np.int32)}, backend=backend)["held"] == count


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("delta", [0.05, 0.4, 30.0])
def test_distances_are_those_of_scipy(backend: str, delta: float) -> None:
    made = gdsl.compile(PROGRAMS / "delta_stepping.gdsl")
    random = np.random.default_rng(3)
    for count, edges in ((1, 0), (40, 60), (60, 400)):
        graph = make_graph(random.integers(0, count, (edges, 2)).tolist(), count)
        weight = random.random(graph.num_edges).astype(np.float32) + np.float32(0.01)
        found = made.run(graph, {"source": 0, "weight": weight, "delta": delta}, backend=backend).host_arrays()
        least = np.full((count, count), np.inf)
        np.minimum.at(least, (graph.edge_sources, graph.columns), weight)
        np.fill_diagonal(least, np.inf)
        matrix = csr_matrix(np.where(np.isfinite(least), least, 0))
        assert found["distance"] == pytest.approx(dijkstra(matrix, indices=0), rel=1e-5)


@pytest.mark.parametrize("backend", BACKENDS)
def test_cores_are_those_of_networkx(backend: str) -> None:
    made = gdsl.compile(PROGRAMS / "coreness.gdsl")
    for seed in range(3):
        known = networkx.gnm_random_graph(50, 70 + 90 * seed, seed=seed)
        graph = make_graph(list(known.edges), 50, directed=False)
        core = made.run(graph, backend=backend).host_arrays()["core"].tolist()
        assert core == [networkx.core_number(known)[v] for v in range(50)]
