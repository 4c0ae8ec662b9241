"""Arrays, keywords and paths of odd kinds, of which graphs are made: a clear word, and none of NumPy's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.odd import GRAPH, HUGE, Broken, clear

import gdsl
from gdsl.graph import write


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0], [1], "3"), "num_vertices must be a whole number"), (([0], [1], 3.0), "num_vertices"),
        (([0], [1], True), "num_vertices"), (([0], [1], float("nan")), "num_vertices"),
        (([0], [1], [3]), "num_vertices"), (([0], [1], np.array([3])), "num_vertices"),
    ],
)  # fmt: skip
def test_graphs_of_odd_kinds(arguments, words) -> None:
    with pytest.raises(TypeError, match=words) as caught:
        gdsl.Graph.from_edges(*arguments)
    clear(caught.value)


@pytest.mark.parametrize(
    "keywords",
    [
        {"directed": "no"}, {"directed": 0}, {"directed": np.array([True, False])},
        {"attributes": [1]}, {"attributes": 5}, {"attributes": {1: [1]}}, {"vertex_attributes": "x"},
        {"vertex_attributes": {None: [1, 1]}}, {"attributes": np.zeros(2)},
    ],
)  # fmt: skip
def test_keywords_of_odd_kinds(keywords) -> None:
    with pytest.raises(TypeError) as caught:
        gdsl.Graph.from_edges([0], [1], **keywords)
    clear(caught.value)


@pytest.mark.parametrize(
    ("sources", "keywords", "code"),
    [
        (np.ma.array([0, 1], mask=[0, 1]), {}, "E0711"), ([0, np.ma.masked], {}, "E0711"), ([0, HUGE], {}, "E0711"),
        ([0, 2**63], {}, "E0707"), (np.array([0, 1], complex), {}, "E0711"), (np.array([0, 1], object), {}, "E0711"),
        (np.zeros(2, "M8[s]"), {}, "E0711"), ([True, False], {}, "E0711"), ([0.0, 1.0], {}, "E0711"),
        ("01", {}, "E0711"), (None, {}, "E0711"), (5, {}, "E0711"), ({0: 1, 1: 2}, {}, "E0711"),
        ([[0], [1]], {}, "E0711"), (Broken(), {}, "E0711"), (range(10**15), {}, "E0708"),
        (np.broadcast_to(0, 10**15), {}, "E0708"), ([0, -1], {}, "E0707"), ([0, 1], {"num_vertices": HUGE}, "E0709"),
        ([0, 1], {"num_vertices": -HUGE}, "E0711"), ([0, 1], {"num_vertices": 1}, "E0707"),
        ([0, 1], {"weights": np.ma.array([1.0, 2.0], mask=[1, 0])}, "E0711"),
        ([0, 1], {"weights": [1.0, np.ma.masked]}, "E0711"), ([0, 1], {"weights": [1, HUGE]}, "E0711"),
        ([0, 1], {"weights": np.ones(2, "longdouble")}, "E0711"), ([0, 1], {"weights": [1j, 2]}, "E0711"),
        ([0, 1], {"weights": ["a", "b"]}, "E0711"), ([0, 1], {"weights": 5.0}, "E0711"),
        ([0, 1], {"vertex_attributes": {"x": np.ma.masked_all(2)}}, "E0711"), ([0, 2**40], {}, "E0709"),
    ],
)  # fmt: skip
def test_edges_that_are_refused(sources, keywords, code) -> None:
    with pytest.raises(gdsl.GdslError) as caught:
        gdsl.Graph.from_edges(sources, [0, 0], **keywords)
    assert caught.value.code == code
    clear(caught.value)


@pytest.mark.parametrize("dtype", ["i1", "u1", ">i2", "u2", "i4", ">u4", "i8", ">i8", "u8", ">u8"])
@pytest.mark.parametrize("directed", [True, False])
def test_ids_of_any_integer_type(dtype, directed) -> None:
    graph = gdsl.Graph.from_edges(np.array([9, 2, 9, 0], dtype)[1::2][::-1], [1, 2], directed=directed)
    assert graph.edge_sources.tolist() == ([0, 2] if directed else [0, 1, 2])
    assert graph.columns.tolist() == ([1, 2] if directed else [1, 0, 2])


@pytest.mark.parametrize("dtype", ["?", "i1", ">i2", "u4", ">i8", "u8", "f2", ">f4", ">f8"])
def test_weights_of_any_type(dtype) -> None:
    weights = np.array([1, 0, 1], dtype)
    graph = gdsl.Graph.from_edges([0, 1, 2], [1, 2, 0], weights=weights[::-1], vertex_attributes={"x": weights})
    assert graph.attributes["weight"].tolist() == graph.vertex_attributes["x"].tolist() == [1, 0, 1]
    assert graph.attributes["weight"].dtype.isnative
    assert graph.attributes["weight"].dtype.itemsize <= 8


@pytest.mark.parametrize("path", [b"x.mtx", 3, None, ["x.mtx"], True, np.zeros(2)])
def test_paths_of_odd_kinds(path) -> None:
    for call in (lambda: gdsl.Graph.read(path), lambda: write(GRAPH, path)):
        with pytest.raises(TypeError, match="a graph's path is a str or a path-like object, not") as caught:
            call()
        clear(caught.value)


@pytest.mark.parametrize(
    "path", ["x" * 5000 + ".mtx", "nul\0.mtx", "", ".", Path("nul\0"), Path("/no/such.mtx"), "a\nb.mtx", "\udcff.mtx"]
)
def test_paths_to_nothing(path) -> None:
    with pytest.raises(gdsl.GdslError) as caught:
        gdsl.Graph.read(path)
    assert caught.value.code.startswith("E07")
    assert len(str(caught.value)) < 1500
    assert "\n" not in str(caught.value).splitlines()[0]


def test_reading_with_odd_options(tmp_path) -> None:
    file = tmp_path / "edges.txt"
    file.write_text("0 1\n1 2\n")
    assert gdsl.Graph.read(file, num_vertices=np.int64(7)).num_vertices == 7
    for keywords in (
        {"undirected": "no"},
        {"one_based": 1},
        {"num_vertices": "7"},
        {"num_vertices": 7.0},
        {"format": 3},
        {"format": b"edges"},
    ):
        with pytest.raises(TypeError) as caught:
            gdsl.Graph.read(file, **keywords)
        clear(caught.value)
    for keywords in (
        {"weights": 5},
        {"weights": "random:" + "9" * 5000},
        {"dedup": ["min"]},
        {"dedup": HUGE},
        {"format": "x" * 5000},
        {"num_vertices": HUGE},
    ):
        with pytest.raises(gdsl.GdslError) as caught:
            gdsl.Graph.read(file, **keywords)
        assert len(str(caught.value).splitlines()[0]) < 6000
