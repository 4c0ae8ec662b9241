"""Indices that need no check, and the verifier's own opinion of them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from gdsl import pipeline
from gdsl.ir import nodes, verifier
from gdsl.ir.traversal import rewrite, walk
from gdsl.passes import ir_passes
from gdsl.source import Source

SAMPLES = Path(__file__).parents[2] / "samples"
PROGRAM = """
program p;
problem {{
    {data} vertex label : vertex = id; vertex out : vertex = none;
    scalar some : vertex = none; param given : vertex;
}}
vertex functor f(v) {{ apply {{ {body} }} }}
edge functor g(src, dst, e) {{ apply {{ {edge} }} }}
schedule {{ {before} compute(vertices, f); compute(edges, g); }}
"""


def checked(text: str) -> int:
    """How many checks are left in a program."""
    program = ir_passes.apply(pipeline.load_source(Source("p.gdsl", text)), ir_passes.CPU)
    return sum(getattr(node, "checked", False) for node in walk((program.vertex_functors, program.edge_functors)))


def program(
    body: str = "out[v] = label[label[v]];", edge: str = "label[dst] min= src;", data: str = "", before: str = ""
) -> str:
    """A program that looks a vertex up by its label."""
    return PROGRAM.format(body=body, edge=edge, data=data, before=before)


@pytest.mark.parametrize(
    "edge",
    [
        "label[dst] min= src;",
        "label[dst] min= out[src];",
        "label[dst] max= src;",
        "label[dst] any= src;",
        "label[dst] max= min(src, label[src]);",
        "let end = src < dst ? src : dst; label[dst] max= end;",
        "var end = src; if (src < dst) { end = dst; } label[dst] max= end;",
        "let before = fetch(label[dst] min= src); label[before] min= dst;",
        "if (cas(label[dst], dst, src)) { }",
    ],
)
def test_what_keeps_vertices(edge: str) -> None:
    assert checked(program(edge=edge)) == 0


@pytest.mark.parametrize(
    "edge",
    [
        "label[dst] max= out[src];",
        "label[dst] any= none;",
        "label[dst] any= given;",
        "label[dst] any= vertex(7);",
        "label[dst] max= max(src, out[src]);",
        "let end = src < dst ? src : out[dst]; label[dst] max= end;",
        "var end = src; if (src < dst) { end = out[dst]; } label[dst] max= end;",
        "if (cas(label[dst], dst, out[src])) { }",
    ],
)
def test_what_does_not(edge: str) -> None:
    assert checked(program(edge=edge)) == 1


@pytest.mark.parametrize(
    "text",
    [
        program(before="label[given] = given;"),
        program(before="fill(label, none);"),
        program(before="swap(label, out);"),
        program(body="out[v] = label[out[v]];"),
        program(body="out[v] = other[other[v]];", data="input vertex other : vertex;"),
        program(body="out[v] = other[other[v]];", data="vertex other : vertex = none;"),
        program(body="out[v] = label[some];"),
        program(body="out[v] = label[2];"),
    ],
)
def test_what_the_schedule_or_the_caller_may_have_changed(text: str) -> None:
    assert checked(text) == 1


def test_an_element_that_the_schedule_reads() -> None:
    assert checked(program(before="some = label[given];")) == 0


@pytest.mark.parametrize("name", ["connected_components", "components_hook_and_jump", "bipartite_check"])
def test_samples_without_a_check(name: str) -> None:
    program = ir_passes.apply(pipeline.load(SAMPLES / f"{name}.gdsl"), ir_passes.CPU)
    assert not any(getattr(node, "checked", False) for node in walk(program))


def unchecked(program: nodes.Program) -> nodes.Program:
    """The mutant without any check in functors."""

    def change(node: nodes.Node) -> nodes.Node:
        return dataclasses.replace(node, checked=False) if getattr(node, "checked", False) else node  # type: ignore[call-arg]

    return dataclasses.replace(
        program,
        vertex_functors=rewrite(program.vertex_functors, change),
        edge_functors=rewrite(program.edge_functors, change),
    )


@pytest.mark.parametrize(
    "text",
    [
        program(edge="label[dst] max= out[src];"),
        program(edge="label[dst] any= none;"),
        program(edge="var end = src; if (src < dst) { end = out[dst]; } label[dst] max= end;"),
        program(edge="if (cas(label[dst], dst, out[src])) { }"),
        program(before="label[given] = given;"),
        program(before="fill(label, none);"),
        program(before="swap(label, out);"),
        program(body="out[v] = label[out[v]];"),
        program(body="out[v] = other[other[v]];", data="input vertex other : vertex;"),
        program(body="out[v] = label[some];"),
        program(body="let d = out_degree(out[v]); if (d > 2) { out[v] = v; }"),
        program(body="for w in neighbors(out[v]) { label[w] min= v; }"),
    ],
)
def test_the_verifier_finds_a_missing_check(text: str) -> None:
    program = pipeline.load_source(Source("p.gdsl", text))
    verifier.verify(ir_passes.apply(program, ir_passes.CPU), "the passes")
    with pytest.raises(verifier.VerificationError, match="without a check"):
        verifier.verify(unchecked(program), "a mutant")
