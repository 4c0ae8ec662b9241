"""Reductions over lists of every length: compilers make vectors of the partial results, and the last values of a list,
with one more or one less, are where they have lost some. Programs are small, since a compiler inlines less in large
ones."""

from __future__ import annotations

import pytest

from gdsl.backends.interface import Limits
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from tests.cpu.running import assert_agree, executable
from tests.support.graphs import make_graph

pytestmark = pytest.mark.optimized
VALUES = {
    "int32": "int32(d) | 1",
    "int64": "int64(d) | 1",
    "uint32": "uint32(d) | 1",
    "uint64": "uint64(d) | 1",
    "float64": "float64(int32(d) % 7) - 2.5",
    "vertex": "d",
    "bool": "int32(d) % 3 > 0",
}
BITS = ("and", "or", "xor")
OPERATIONS = {kind: ("sum", "product", "min", "max", *(BITS if "int" in kind else ())) for kind in VALUES}
OPERATIONS |= {"vertex": ("min", "max"), "bool": (*BITS, "some", "every", "count")}
OF_LISTS = """program reduced;
problem { vertex found : %s; }
schedule { found = neighbor_reduce(vertices, (s, d, e) => %s, %s); }
"""
IN_VECTORS = "(int32(d) & 1) == 0 ? {kind}(s) * 3 + {kind}(d) * 5 - 7 : ({kind}(d) + {kind}(s) ^ 9) * 11 | 1"
BY_CALLS = """program added;
problem { vertex sum : %s; vertex less : %s; scalar whole : %s; scalar rest : %s; }
vertex functor add_up(v) {
    apply {
        var here : %s = 0;
        var least : %s = 0;
        for u in neighbors(v) { here += %s(u) * 3; least -= %s(u); }
        sum[v] = here;
        less[v] = least;
        whole += here;
        rest -= least;
    }
}
schedule { compute(vertices, add_up); }
"""
GRAPHS = [
    make_graph([(long, other) for long in lengths for other in range(long)], max(lengths) + 1)
    for lengths in (range(140), range(250, 290), *(range(at, at + 5) for at in range(0, 140, 5)), range(254, 266))
]
"""Two for several threads, and small ones for one, which has loops of its own."""


def agrees(text: str) -> None:
    ready = executable(text)
    for graph in GRAPHS:
        bindings = bind(ready.program, graph, {})
        expected = interpret(ready.program, graph, bindings, Limits())
        assert_agree(ready.program, expected, ready.run(graph, bindings, Limits()))


def test_signed_sum() -> None:
    """g++ 12 lost most of a sum of 32 terms, where additions were converted to unsigned numbers and back."""
    agrees(OF_LISTS % ("int64", VALUES["int64"], "sum"))


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "operation"), [(kind, each) for kind in OPERATIONS for each in OPERATIONS[kind]])
def test_reduction(kind: str, operation: str) -> None:
    agrees(OF_LISTS % ("int64" if operation == "count" else kind, VALUES[kind], operation))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["int32", "int64", "uint32", "uint64"])
@pytest.mark.parametrize("operation", ["sum", "min", "max", *BITS])
def test_values_in_vectors(operation: str, kind: str) -> None:
    agrees(OF_LISTS % (kind, IN_VECTORS.format(kind=kind), operation))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["int32", "int64", "uint32", "uint64"])
def test_sums_in_calls(kind: str) -> None:
    agrees(BY_CALLS % ((kind,) * 8))
