"""The verifier of advances that gather, on what the pass writes with a mistake put in."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gdsl.ir import nodes as ir
from gdsl.ir import verifier
from gdsl.ir.traversal import rewrite
from gdsl.operations import BinaryOperation, Degree, Direction, NeighborOperation, Over, ReduceOperation
from gdsl.passes import ir_passes
from gdsl.pipeline import load
from gdsl.plan import gathering, target
from gdsl.plan.verifier_gathering import verify_gathering
from gdsl.source import Source

TEXT = """program one; requires symmetric;
    problem {
        local vertex x : int32 = 1; local vertex y : int32 = 2; vertex total : int32; vertex other : int32;
        vertex most : int32; scalar reached : int64;
    }
    schedule {
        frontier f = vertices;
        repeat (2) {
            frontier g = advance(f, (s, t, e) => {
                cond x[s] > 2 && y[t] > x[s];
                apply { total[t] -= x[s] + y[s]; }
            }) @a;
            advance(f, (s, t, e) => { most[t] max= x[s] - y[t]; }) @b;
            frontier h = advance(vertices, (s, t, e) => { other[t] += x[s]; }) @c;
            reached += size(h);
            f = filter(g, v => total[v] < 5);
        }
    }"""


def before_it() -> ir.Program:
    return ir_passes.apply(load(Source("one.gdsl", TEXT)))


def changed(program: ir.Program, kind: type, where: Callable[[Any], bool], change: Callable[[Any], Any]) -> ir.Program:
    """`program` with `change` of the nodes of a kind for which `where` holds, of which there must be one at least."""
    count = 0

    def each(node: Any) -> Any:
        nonlocal count
        if not isinstance(node, kind) or not where(node):
            return node
        count += 1
        return change(node)

    parts = ("arrays", "vertex_functors", "edge_functors", "schedule")
    changed_parts = {part: rewrite(getattr(program, part), each) for part in parts}
    assert count, (kind, "nothing to change")
    return dataclasses.replace(program, **changed_parts)


def without(program: ir.Program, functor: str) -> ir.Program:
    """`program` without the step of that functor, or the fill of that array."""

    def each(node: Any) -> Any:
        if isinstance(node, ir.If):
            then = tuple(
                step for step in node.then if functor not in (getattr(step, "functor", 0), getattr(step, "array", 0))
            )
            return dataclasses.replace(node, then=then)
        return node

    found = rewrite(program.schedule, each)
    assert found != program.schedule, functor
    return dataclasses.replace(program, schedule=found)


def put(**fields: Any) -> Callable[[Any], Any]:
    return lambda node: dataclasses.replace(node, **fields)


def mutants(after: ir.Program) -> Iterator[tuple[str, ir.Program]]:
    def of(kind: type, name: str, value: object, change: Callable[[Any], Any]) -> ir.Program:
        return changed(after, kind, lambda node: getattr(node, name) == value, change)

    def literal(node: Any, value: Any) -> Any:
        return dataclasses.replace(node.value, value=value)

    yield "others give something", of(ir.Fill, "array", "a_given", lambda n: put(value=literal(n, 1))(n))
    yield "others are marked", of(ir.Fill, "array", "a_from", lambda n: put(value=literal(n, True))(n))
    for name in ("a_given", "a_from", "a_give", "a_gather", "a_take", "a_reach", "a_keep", "b_gather", "c_keep"):
        yield f"without {name}", without(after, name)
    yield "given under no condition", of(ir.VertexFunctor, "name", "a_give", put(condition=()))
    yield "reached under no condition", of(ir.EdgeFunctor, "name", "a_reach", put(condition=()))
    yield "gathered under no condition", of(ir.EdgeFunctor, "name", "a_gather", put(condition=()))
    yield "from all vertices", of(ir.EdgeFunctor, "name", "b_gather", put(condition=()))
    yield "kept under no condition", of(ir.VertexFunctor, "name", "a_keep", put(condition=()))
    yield "taken twice", of(ir.VertexFunctor, "name", "a_take", lambda n: put(body=n.body * 2)(n))
    for name, wrong in (("a_gather", NeighborOperation.MAX), ("b_gather", NeighborOperation.SUM)):
        yield "another reduction", of(ir.NeighborReduce, "functor", name, put(operation=wrong))
    yield "every, not some", of(ir.NeighborReduce, "functor", "a_reach", put(operation=NeighborOperation.EVERY))
    yield "other edges", of(ir.NeighborReduce, "functor", "a_gather", put(over=Over.OUT_EDGES))
    yield "an array of the program", of(ir.NeighborReduce, "functor", "a_gather", put(array="most"))
    yield "another result", of(ir.Filter, "functor", "a_keep", put(result="f"))
    yield "no result", without(after, "a_keep")
    some = ir.Elements(after.schedule[0].span, ir.Domain.VERTEX, "f")
    yield "for some vertices", of(ir.NeighborReduce, "functor", "a_gather", put(frontier=some))
    yield "of all vertices", of(ir.Compute, "functor", "a_give", put(frontier=dataclasses.replace(some, frontier=None)))
    yield (
        "another operation",
        of(
            ir.VertexFunctor,
            "name",
            "a_take",
            lambda n: put(body=tuple(put(operation=ReduceOperation.ADD)(each) for each in n.body))(n),
        ),
    )

    def first_part(node: Any) -> Any:
        return node.left if isinstance(node, ir.Binary) and node.operation is BinaryOperation.ADD else node

    def nearer(node: Any) -> Any:
        return put(role=ir.Role.NEAR)(node) if isinstance(node, ir.Parameter) else node

    yield "another value", of(ir.VertexFunctor, "name", "a_give", lambda n: rewrite(n, first_part))
    ends = of(ir.EdgeFunctor, "name", "a_gather", lambda n: put(value=rewrite(n.value, nearer))(n))
    yield "the value of another end", ends
    yield "the other degree", of(ir.DegreeOf, "degree", Degree.IN, put(degree=Degree.OUT))
    sites = [put(direction=Direction.AUTO)(each) for each in after.tuning.sites]
    yield "it may also pull", dataclasses.replace(after, tuning=put(sites=tuple(sites))(after.tuning))
    yield (
        "a scalar of the program decides",
        changed(after, ir.StoreScalar, lambda node: node.scalar == "a_gathers", put(scalar="reached")),
    )
    yield "another advance", changed(after, ir.Advance, lambda node: node.label == "a", put(functor="b"))


def test_the_verifier_notices_wrong_gathers() -> None:
    before = before_it()
    after = gathering.run(before, target.CUDA_FUSED)
    verify_gathering(before, after)
    missed = []
    for what, wrong in mutants(after):
        assert wrong != after, what
        try:
            verify_gathering(before, wrong)
        except verifier.VerificationError:
            continue
        missed.append(what)
    assert not missed


@pytest.mark.parametrize(
    ("update", "what"),
    [
        ("total[t] min= total[s]", "reads what it changes"),
        ("total[t] += slow(x[s])", "calls a function"),
        ("total[t] += x[label[s]]", "may stop the run"),
        ("total[s] += x[t]", "is no sum at the far end"),
        ("least[t] min= 1.0 / x[s]", "is a least float"),
    ],
)
def test_the_verifier_notices_advances_that_must_push(monkeypatch: pytest.MonkeyPatch, update: str, what: str) -> None:
    text = f"""program one; requires symmetric;
        problem {{
            local vertex x : int32 = 1; local vertex label : vertex = id; vertex total : int32; vertex least : float64;
        }}
        function slow(a : int32) -> int32 {{ return a; }}
        schedule {{ frontier f = vertices; advance(f, (s, t, e) => {{ {update}; }}) @a; }}"""
    before = ir_passes.apply(load(Source("one.gdsl", text), ("a.direction=auto",)))
    assert gathering.run(before, target.CUDA_FUSED) is before, what
    monkeypatch.setattr(gathering, "may_gather", lambda step, program: True)
    with pytest.raises(verifier.VerificationError):
        verify_gathering(before, gathering.run(before, target.CUDA_FUSED))


def test_computations_on_edges_stand_beside() -> None:
    text = TEXT.replace(
        "            f = filter",
        "            compute(edges, (s, t, e) => { most[t] max= 1; }) @d;\n            f = filter",
    )
    before = load(Source("one.gdsl", text))
    verify_gathering(before, gathering.run(before, target.CUDA_FUSED))
