"""Which values of edges are computed in vectors on a CPU, and that nobody sees the difference."""

from __future__ import annotations

import numpy as np
import pytest

from gdsl.ir.verifier import VerificationError
from gdsl.plan import target
from gdsl.plan.hints import InVectors
from gdsl.plan.nodes import Plan
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_sweeps
from tests.cpu.running import SMALL
from tests.cpu.test_cpu_alone import ALONE, check
from tests.support.graphs import make_graph, random_graph

from .planning import only_sweep, plan_of

MUCH = (
    "value low[dst] >= low[src] ? TYPE(1) << (low[dst] - low[src] & 7)"
    " : min(TYPE(low[dst]) * 3 + 1, TYPE(100) - TYPE(low[src]));"
)


def text_of(body: str, operation: str = "or", more: str = "", kind: str = "int32") -> str:
    return f"""program p; problem {{
        input vertex low : int32; input vertex next : vertex; vertex result : {kind};
    }}
    edge functor f(src, dst, e) -> {kind} {{ {body.replace("TYPE", kind)} }}
    function much(a: int32, b: int32) -> int32 {{ return a >= b ? 1 << (a - b & 7) : min(a * 3 + 1, 100 - b); }}
    function steps(a: int32, b: int32) -> int32 {{ let c = a * 3 + b; return min(c * 2, c * b + a * 7 - c * 5 + a); }}
    schedule {{ result = neighbor_reduce(vertices, f, {operation}{more}); }}"""


@pytest.mark.parametrize(
    "body, operation, kind, vectors",
    [
        (MUCH, "or", "int32", True),
        (MUCH, "sum", "uint64", True),
        (MUCH, "product", "int32", False),
        (MUCH, "sum", "float32", False),  # the order of additions can be seen
        ("cond low[dst] > 0; " + MUCH, "or", "int32", False),  # not every edge has a value
        (MUCH.replace("* 3", "// (low[src] + 1)"), "max", "int32", False),
        (MUCH.replace("low[dst] >=", "low[next[dst]] >="), "max", "int32", False),  # may be found to be wrong
        ("value low[dst];", "sum", "int32", False),  # takes long to gather
        ("value much(low[dst], low[src]);", "or", "int32", True),
        ("value steps(low[dst], low[src]);", "or", "int32", False),  # more than one expression
        ("value low[dst] + low[src] * 2;", "min", "int32", False),
    ],
)
def test_which_values_are_computed_in_vectors(body: str, operation: str, kind: str, vectors: bool) -> None:
    body = body.replace("<< (low[dst] - low[src] & 7)", "* 5") if kind == "float32" else body
    assert has_hint(plan_of(text_of(body, operation, kind=kind), on=target.CPU)) is vectors
    assert not has_hint(plan_of(text_of(body, operation, kind=kind)))


def has_hint(plan: Plan) -> bool:
    return only_sweep(plan).hint(InVectors) is not None


def test_floats_must_not_be_computed_in_vectors() -> None:
    plan = plan_of(text_of("value float32(low[dst]);", "sum", kind="float32"), on=target.CPU)
    wrong = map_sweeps(plan, lambda _, sweep: sweep.with_hints(InVectors()))
    with pytest.raises(VerificationError, match="vectors of values whose order can be seen"):
        verify(wrong)


@pytest.mark.parametrize("sizes", [None, ALONE, SMALL], ids=["as given", "alone", "together"])
@pytest.mark.parametrize("more", ["", ", over=in_edges", ", over=all_edges"])
@pytest.mark.parametrize("operation, kind", [("or", "int32"), ("max", "uint32"), ("min", "int64"), ("sum", "uint64")])
@pytest.mark.sampled(24)
def test_the_result_is_the_same(operation: str, kind: str, more: str, sizes: target.Sizes | None) -> None:
    random = np.random.default_rng(3)
    given = {"low": random.integers(0, 90, 90), "next": np.zeros(90, np.int64)}
    star = make_graph([(0, far) for far in range(1, 80)] + [(far, 0) for far in range(1, 17)] + [(3, 3)] * 2, 90)
    graphs = [random_graph(90, 1800, seed=1), random_graph(90, 80, seed=2), star]
    check(text_of(MUCH, operation, more, kind), graphs, sizes, **given)
