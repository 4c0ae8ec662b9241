"""What `contract` makes of weights of parallel edges: each reduction against one written out, and what is refused."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.graphs import make_graph, named_graphs, random_graph

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.operations import Grade
from gdsl.pipeline import load

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
PROGRAM = """program joined;
problem {{
    input vertex group : int32;
    input edge given : {kind};
    vertex label : int32 = group[id];
    edge weight : {kind} = given[id];
    scalar m : int64;
}}
schedule {{ graph h = contract(label, weight{operation}); on h {{ m = num_edges; }} }}
"""
JOINS: dict[str, Callable[[Any, Any], Any]] = {
    "": operator.add,
    "sum": operator.add,
    "min": min,
    "max": max,
    "product": operator.mul,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
}
KINDS = {"int32": 32, "uint64": 64}


def program(kind: str, operation: str) -> gdsl.Program:
    return gdsl.compile(PROGRAM.format(kind=kind, operation=f", {operation}" if operation else ""))


def joined(graph: gdsl.Graph, group: Any, given: Any, operation: str) -> list[Any]:
    """The weights of the new edges, in the order of their ids."""
    numbers = {int(value): place for place, value in enumerate(np.unique(group))}
    of_vertex = [numbers[int(value)] for value in group]
    between: dict[tuple[int, int], list[Any]] = {}
    for u, v, own in zip(*graph.edges, given.tolist(), strict=True):
        between.setdefault((of_vertex[u], of_vertex[v]), []).append(own)
    return [functools.reduce(JOINS[operation], between[pair]) for pair in sorted(between)]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("operation", JOINS)
@pytest.mark.sampled(15)
def test_integers(backend: str, operation: str) -> None:
    draw = np.random.default_rng(len(operation))
    for kind, bits in KINDS.items():
        made = program(kind, operation)
        for graph in (random_graph(20, 90, seed=3), make_graph([(0, 0), (0, 0), (0, 1), (1, 0), (0, 1)], 3)):
            group = draw.integers(-3, 3, graph.num_vertices).astype(np.int32)
            given = draw.integers(0, 40, graph.num_edges).astype(kind)
            if not kind.startswith("u"):
                given = given - given.dtype.type(20)
            result = made.run(graph, {"group": group, "given": given}, backend=backend)
            wanted = joined(graph, group, given, operation)
            found = result["weight"][: len(wanted)]
            assert result["m"] == len(wanted)
            assert [int(value) % 2**bits for value in found] == [value % 2**bits for value in wanted], (kind, operation)
            assert result["weight"][len(wanted) :].tolist() == given[len(wanted) :].tolist()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("operation", ["sum", "min", "max", "product"])
@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.sampled(15)
def test_floats(backend: str, operation: str, kind: str) -> None:
    graph = random_graph(20, 90, seed=4)
    draw = np.random.default_rng(5)
    group, given = draw.integers(0, 6, 20).astype(np.int32), draw.uniform(-2, 2, graph.num_edges).astype(kind)
    found = program(kind, operation).run(graph, {"group": group, "given": given}, backend=backend)["weight"]
    wanted = joined(graph, group, given.astype(np.float64), operation)
    tolerance = 0 if operation in ("min", "max") else 1e-4
    assert found[: len(wanted)].tolist() == pytest.approx(wanted, rel=tolerance, abs=tolerance)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("backend", BACKENDS)
def test_odd_floats(backend: str) -> None:
    """NaN never wins, also where it is alone, and -0.0 counts as 0.0."""
    graph = make_graph([(0, 0), (0, 1), (0, 1), (1, 0), (1, 1), (1, 1)], 2)
    given = {"group": np.array([0, 1], np.int32), "given": np.array([math.nan, math.nan, 3, -0.0, math.inf, -math.inf])}
    least = program("float64", "min").run(graph, given, backend=backend)["weight"]
    most = program("float64", "max").run(graph, given, backend=backend)["weight"]
    assert least[:4].tolist() == [math.inf, 3, 0, -math.inf] and math.copysign(1, least[2]) == 1
    assert most[:4].tolist() == [-math.inf, 3, 0, math.inf] and math.copysign(1, most[2]) == 1


@pytest.mark.parametrize("backend", BACKENDS[1:])
def test_every_small_graph(backend: str) -> None:
    made = program("int64", "min")
    for name, graph in named_graphs().items():
        group = np.arange(graph.num_vertices, dtype=np.int32) // 3
        given = np.arange(graph.num_edges, dtype=np.int64)[::-1] * 7
        found = made.run(graph, {"group": group, "given": given}, backend=backend)["weight"]
        wanted = joined(graph, group, given, "min")
        assert found[: len(wanted)].tolist() == wanted, name


def test_only_what_is_added_up_is_rounded() -> None:
    for operation, grade in (
        ("", Grade.ROUNDING),
        ("product", Grade.ROUNDING),
        ("min", Grade.EXACT),
        ("max", Grade.EXACT),
    ):
        text = PROGRAM.format(kind="float32", operation=f", {operation}" if operation else "")
        (found,) = (array.grade for array in load(text).arrays if array.name == "weight")
        assert found is grade, operation


@pytest.mark.parametrize(
    ("kind", "operation", "code", "message"),
    [
        ("float32", "xor", "E0407", "`xor` is for integers, and the weights are of float32"),
        ("int32", "count", "E0402", "the reduction of `contract` is not one of the known words"),
        ("int32", "mini", "E0402", "the reduction of `contract` is not one of the known words"),
        ("int32", "3", "E0402", "the reduction of `contract` is not one of the known words"),
        ("int32", "op=min", "E0402", "`contract` takes no argument `op=`"),
        (
            "int32",
            "min, max",
            "E0402",
            "`contract` takes a label, and a weight and its reduction if there are any, not 4 arguments",
        ),
    ],
)
def test_what_is_refused(kind: str, operation: str, code: str, message: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(PROGRAM.format(kind=kind, operation=f", {operation}"))
    (found,) = caught.value.diagnostics
    assert (found.code, found.message) == (code, message)


def test_a_label_alone_takes_no_reduction() -> None:
    with pytest.raises(GdslError) as caught:
        load("program p; problem { vertex label : int32; } schedule { graph h = contract(label, min); }")
    assert caught.value.diagnostics[0].message == "`min` is a function, not a value"


def test_an_array_of_that_name_is_no_word() -> None:
    """What stands third is a word, whatever the program declares under it."""
    text = PROGRAM.format(kind="int32", operation=", sum").replace("scalar m", "edge sum : int32; scalar m")
    load(text)
