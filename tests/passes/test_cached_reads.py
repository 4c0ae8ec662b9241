"""Which reads may come from the cache of a GPU's multiprocessor."""

from __future__ import annotations

import dataclasses

import pytest

from gdsl import pipeline
from gdsl.ir import nodes as ir
from gdsl.ir import verifier
from gdsl.ir.traversal import rewrite, walk
from gdsl.ir.verifier import VerificationError
from gdsl.passes import ir_passes

_TEXT = """program p;
problem {{ vertex x : vertex = id; vertex small : bool; vertex y : int32; vertex z : int32; }}
{functor}
schedule {{ {step} }}"""
CACHED = {
    "labels of labels": "while (changed(x[v] min= x[x[v]])) { }",
    "now": "y[v] = int32(now x[x[v]]); x[v] min= v;",
    "the labels of neighbors": "for u in neighbors(v) { x[v] min= x[u]; }",
}
PAST = {
    "its own": "while (changed(x[v] min= y[v] > 0 ? v : x[v])) { }",
    "what nobody writes": "y[v] = z[x[v]];",
    "a byte": "y[v] = now small[x[v]] ? 1 : 0; small[v] |= true;",
}


def reads_of(text: str) -> list[ir.Element]:
    program = ir_passes.apply(pipeline.load(text), ir_passes.GPU)
    return [node for node in walk(program.functors) if isinstance(node, ir.Element) and node.cached]


@pytest.mark.parametrize("name", [*CACHED, *PAST])
def test_reads_of_vertex_functors(name: str) -> None:
    body = (CACHED | PAST)[name]
    functor = f"vertex functor f(v) {{ apply {{ {body} }} }}"
    found = reads_of(_TEXT.format(functor=functor, step="compute(vertices, f);"))
    assert [node.array for node in found] == (["x"] if name in CACHED else [])


HOOKS = {
    "hooks": ("x[max(x[src], x[dst])] min= min(x[src], x[dst]);", "advance(vertices, f, to=none);", True),
    "hooks over edges": ("x[max(src, dst)] min= now x[x[src]];", "compute(edges, f);", True),
    "a search": (
        "accept changed(x[dst] min= x[src]);",
        "frontier g = advance(vertices, f); while (g) { g = advance(g, f); }",
        False,
    ),
    "a climb": ("for i in 0..9 { x[max(src, dst)] min= now x[x[src]]; }", "advance(vertices, f, to=none);", True),
}


@pytest.mark.parametrize("name", HOOKS)
def test_reads_of_labels_along_edges(name: str) -> None:
    body, step, cached = HOOKS[name]
    found = reads_of(_TEXT.format(functor=f"edge functor f(src, dst, e) {{ apply {{ {body} }} }}", step=step))
    assert {node.array for node in found} == ({"x"} if cached else set())


def test_a_cpu_has_no_such_reads() -> None:
    functor = f"vertex functor f(v) {{ apply {{ {CACHED['labels of labels']} }} }}"
    program = ir_passes.apply(pipeline.load(_TEXT.format(functor=functor, step="compute(vertices, f);")), ir_passes.CPU)
    assert not any(isinstance(node, ir.Element) and node.cached for node in walk(program.functors))


@pytest.mark.parametrize("name", ["what nobody writes", "a byte"])
def test_other_reads_are_seen(name: str) -> None:
    functor = f"vertex functor f(v) {{ apply {{ {PAST[name]} }} }}"
    program = ir_passes.apply(pipeline.load(_TEXT.format(functor=functor, step="compute(vertices, f);")), ir_passes.ALL)

    def change(node: ir.Node) -> ir.Node:
        wrong = isinstance(node, ir.Element) and (not node.now or node.array == "small")
        return dataclasses.replace(node, cached=True) if wrong else node

    with pytest.raises(VerificationError):
        verifier.verify(rewrite(program, change), after="cache_reads")
