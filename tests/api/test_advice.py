"""What a message of Python advises for a value of the wrong kind is accepted."""

from __future__ import annotations

import re

import networkx
import pytest

import gdsl

GRAPH = gdsl.Graph.from_edges([0, 1, 2], [1, 2, 0], weights=[1.0, 2.0, 3.0])
TEXT = """program p; problem { param at : vertex; param share : float64 = 0.5; vertex a : vertex = none;
    vertex b : vertex; }
schedule { compute({ at }, v => { b[v] = dst(out_edge(a[v], 0)); }); }"""


@pytest.fixture(scope="module")
def program() -> gdsl.Program:
    return gdsl.compile(TEXT)


@pytest.mark.parametrize(
    ("values", "fix"),
    [
        ({"at": "0"}, "give the number, not its text: at=0"),
        ({"at": 1.0}, "give a whole number: at=1"),
        ({"at": 0, "share": " 0.85"}, "give the number, not its text: share=0.85"),
        ({"at": "x"}, None),
        ({"at": 0.5}, None),
        ({"at": None}, None),
    ],
)
def test_numbers_that_come_as_something_else(program: gdsl.Program, values: dict[str, object], fix: str | None) -> None:
    with pytest.raises(gdsl.GdslError) as caught:
        program.run(GRAPH, values, backend="reference")
    assert (caught.value.code, caught.value.diagnostics[0].fix) == ("E0603", fix)


def test_an_index_that_is_none(program: gdsl.Program) -> None:
    with pytest.raises(gdsl.GdslError, match="E0801") as caught:
        program(GRAPH, at=0, backend="reference")
    assert "if (x != none)" in str(caught.value.diagnostics[0].fix)


def test_a_set_is_the_same_in_all_runs_of_a_map() -> None:
    with pytest.raises(TypeError, match="; sites is a set, which is the same in all runs"):
        gdsl.samples.personalized_pagerank.map(GRAPH, sites=[[0], [1]])


def test_an_item_that_a_result_has_not(program: gdsl.Program) -> None:
    result = gdsl.samples.bfs(GRAPH, source=0, backend="reference")
    with pytest.raises(KeyError, match=re.escape("dist: the result has distance, parent")):
        result["dist"]
    assert result.get("dist") is None


def test_the_weight_of_an_edge_of_another_library() -> None:
    graph = networkx.Graph([(0, 1, {"weight": "3"})])
    with pytest.raises(gdsl.GdslError, match="the weight '3' of edge number 0 of Graph is not a number"):
        gdsl.Graph.from_networkx(graph)


def test_a_home_directory() -> None:
    with pytest.raises(gdsl.GdslError, match=re.escape("os.path.expanduser")):
        gdsl.Graph.read("~/no-such-graph.mtx")
