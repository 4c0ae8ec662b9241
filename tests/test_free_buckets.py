"""Buckets whose width finds itself: results that hang on no choice, and the refusal of those that do."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

import gdsl
from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.graph import Graph
from gdsl.ir import nodes
from gdsl.ir.traversal import rewrite, walk
from gdsl.ir.verifier import VerificationError, verify
from gdsl.operations import Grade
from gdsl.passes import ir_passes
from gdsl.pipeline import load
from tests.support.graphs import make_graph, path, random_graph

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
FORMS = ["schedule.fuse=on", "schedule.fuse=off"]

HEAD = """program p;
problem {
    param source : vertex; param limit : int32 = 3; input edge weight : float32 where weight >= 0;
    vertex distance : float32 = inf; vertex hops : uint64 = inf; vertex label : vertex = id;
    vertex rank : int64 = -int64(id);
    vertex turn : int32; vertex parent : vertex = none; vertex narrow : int32 = inf; vertex seen : bool;
    scalar passes : int32; scalar left : int64; scalar first : vertex; scalar any_left : bool; scalar total : float64;
    local vertex noted : int32;
}
edge functor relax(src, dst, e) { apply { accept changed(distance[dst] min= distance[src] + weight[e]); } }
edge functor count(src, dst, e) { apply { accept changed(hops[dst] min= hops[src] + 1); } }
edge functor join(src, dst, e) { apply { accept changed(label[dst] min= label[src]); } }
edge functor spread(src, dst, e) { apply { accept changed(seen[dst] |= seen[src]); } }
edge functor visit(src, dst, e) { cond turn[dst] == 0; apply { turn[dst] = iteration + 1; } }
edge functor follow(src, dst, e) {
    apply {
        if (changed(distance[dst] min= distance[src] + weight[e])) { parent[dst] any= src; } else { accept false; }
    }
}
edge functor shrink(src, dst, e) { apply { accept changed(distance[dst] min= 1 / (1 + distance[src])); } }
vertex functor note(v) { apply { turn[v] += passes; } }
vertex functor quietly(v) { apply { noted[v] += 1; } }
vertex functor add(v) { apply { total += distance[v]; } }
"""


def text_of(schedule: str) -> str:
    return f"{HEAD}schedule {{ {schedule} }}"


@cache
def program(schedule: str, form: str = FORMS[0]) -> gdsl.Program:
    return gdsl.compile(text_of(schedule), tune=[form])


def graph_and_weights(seed: int) -> tuple[Graph, np.ndarray]:
    graph = random_graph(300, 1500, seed=seed)
    return graph, np.random.default_rng(seed).integers(0, 5, graph.num_edges).astype(np.float32)


HOPS = """hops[source] = 0; buckets b(hops, width=auto) = { source };
while (b) { b.push(advance(b.pop(), count)); }"""
BEGIN = "distance[source] = 0; buckets b(distance, width=auto) = { source };"
LOOP = "while (b) { b.push(advance(b.pop(), relax)); }"
ORDERS = [
    # What vertices are ordered by need have nothing to do with what is computed.
    HOPS,
    HOPS.replace("b(hops,", "b(rank,"),
    HOPS.replace("b(hops,", "b(distance,"),
    HOPS.replace("{ source };", "vertices;").replace("width=auto", "auto"),
    HOPS.replace("b.push(advance(b.pop(), count));", "frontier f = b.pop(); f = advance(f, count) @c; b.push(f);"),
    # What is only noted on the way may hang on it.
    HOPS.replace("b.push(", "frontier f = b.pop(); compute(f, quietly); b.push(").replace("b.pop(), count", "f, count"),
    "repeat (2) { " + HOPS + " }",
    "frontier f = { source }; " + HOPS.replace("= { source };", "; b.push(f | { source });"),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("schedule", ORDERS)
@pytest.mark.sampled(30)
def test_the_end_is_that_of_a_plain_worklist(schedule: str, backend: str, form: str) -> None:
    graph, weight = graph_and_weights(3)
    values = {"source": 5, "weight": weight}
    plain = program("hops[source] = 0; frontier f = { source }; while (f) { f = advance(f, count); }")
    wanted = plain.run(graph, values, backend="reference").host_arrays()["hops"]
    found = program(schedule, form).run(graph, values, backend=backend).host_arrays()["hops"]
    assert found.tolist() == wanted.tolist()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.slow
def test_large_sets_are_split(backend: str) -> None:
    """More vertices than a backend takes at a time; with weights that differ far, and as far as floats go."""
    graph = random_graph(40_000, 160_000, seed=9, directed=False)
    random = np.random.default_rng(1)
    weight = np.where(random.random(graph.num_edges) < 0.01, 1e30, random.integers(0, 64, graph.num_edges))
    begin = BEGIN.replace("{ source }", "vertices")
    plain = "distance[source] = 0; frontier f = { source }; while (f) { f = advance(f, relax); }"
    values = {"source": 0, "weight": weight.astype(np.float32)}
    wanted = program(plain).run(graph, values, backend="cpu").host_arrays()["distance"]
    if backend == "reference":
        graph, values = random_graph(400, 1600, seed=9), {"source": 0, "weight": values["weight"][:1600]}
        wanted = program(plain).run(graph, values, backend="cpu").host_arrays()["distance"]
    found = program(f"{begin} {LOOP}").run(graph, values, backend=backend)
    assert found.host_arrays()["distance"].tolist() == wanted.tolist()


@pytest.mark.parametrize("backend", BACKENDS)
def test_labels(backend: str) -> None:
    graph = random_graph(200, 150, seed=2, directed=False)
    schedule = "buckets b(rank, width=auto) = vertices; while (b) { b.push(advance(b.pop(), join)); }"
    _, parts = connected_components(matrix_of(graph), directed=False)
    least = {part: int(np.flatnonzero(parts == part)[0]) for part in set(parts.tolist())}
    found = program(schedule).run(
        graph, {"source": 0, "weight": np.zeros(graph.num_edges, np.float32)}, backend=backend
    )
    assert found.host_arrays()["label"].tolist() == [least[part] for part in parts.tolist()]


def matrix_of(graph: Graph) -> csr_array:
    ones = np.ones(graph.num_edges)
    return coo_array((ones, (graph.edge_sources, graph.columns)), (graph.num_vertices,) * 2).tocsr()


@pytest.mark.sampled(15)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind", ["int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_every_number_is_taken_in_the_end(kind: str, backend: str) -> None:
    """However odd: each pop takes somebody."""
    if kind.startswith("float"):
        ranks = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 3e38, -3e38, np.nan, 1.0, 1e-45] * 3, kind)
    else:
        least, most = np.iinfo(kind).min, np.iinfo(kind).max
        ranks = np.array([least, most, 0, 1, most - 1, least + 1, most // 2] * 4, kind)
    text = f"""program p; problem {{ input vertex rank : {kind}; vertex seen : bool = id == 0; }}
    edge functor spread(src, dst, e) {{ apply {{ accept changed(seen[dst] |= seen[src]); }} }}
    schedule {{ buckets b(rank, width=auto) = vertices; while (b) {{ b.push(advance(b.pop(), spread)); }} }}"""
    result = gdsl.compile(text).run(
        make_graph(path(len(ranks)), len(ranks)), {"rank": ranks}, backend=backend, max_iterations=500
    )
    assert result.host_arrays()["seen"].all()


# ---------------------------------------------------------------- what is refused


def mistake(schedule: str) -> Diagnostic:
    with pytest.raises(GdslError) as caught:
        load(text_of(schedule))
    (found,) = caught.value.diagnostics
    return found


@pytest.mark.parametrize(
    ("schedule", "name", "where"),
    [
        (f"{BEGIN} while (b) {{ passes += 1; b.push(advance(b.pop(), relax)); }}", "passes", "passes += 1;"),
        (
            f"{BEGIN} while (b) {{ frontier f = b.pop(); compute(f, note); b.push(advance(f, relax)); }}",
            "turn",
            "turn[v] +=",
        ),
        (f"{BEGIN} while (b) {{ b.push(advance(b.pop(), relax)); left = size(b); }}", "left", "left = size(b);"),
        (f"{BEGIN} frontier f = b.pop(); left = size(f);", "left", "left = size(f);"),
        (
            f"{BEGIN} while (b && passes < limit) {{ passes += 1; b.push(advance(b.pop(), relax)); }}",
            "distance",
            "changed(distance[dst]",
        ),
        (f"{BEGIN} while (b) {{ b.push(advance(b.pop(), follow)); }}", "parent", "parent[dst] any="),
        (f"{BEGIN} while (b) {{ b.push(advance(b.pop(), shrink)); }}", "distance", "changed(distance[dst]"),
        (f"{BEGIN} b.pop(); {LOOP}", "distance", "changed(distance[dst]"),
        (
            f"{BEGIN} while (b) {{ frontier f = b.pop(); b.push(advance(f, relax)); fill(turn, int32(size(f))); }}",
            "turn",
            "fill(turn",
        ),
        (f"{BEGIN} while (b) {{ advance(b.pop(), visit, to=none); }}", "turn", "turn[dst] ="),
        (HOPS.replace("while (b)", "repeat (3)"), "hops", "changed(hops[dst]"),
        (
            f"{BEGIN} {LOOP} compute(vertices, add); b.push({{ source }}); frontier f = b.pop();"
            " any_left = size(f) == 1;",
            "any_left",
            "any_left =",
        ),
    ],
)
def test_what_hangs_on_the_choice_is_refused(schedule: str, name: str, where: str) -> None:
    found = mistake(schedule)
    assert found.code == "E0427" and f"`{name}`" in found.message and "`b`" in found.message, found.message
    assert found.fix is not None and "width of its own" in found.fix
    assert found.span is not None
    line = text_of(schedule).splitlines()[found.span.line - 1]
    assert line[found.span.column - 1 :].startswith(where), line[found.span.column - 1 :]


@pytest.mark.parametrize(
    "schedule", [f"{BEGIN} {LOOP}", f"{BEGIN} {LOOP} compute(vertices, note); left = size(b);", *ORDERS]
)
def test_what_does_not_is_exact(schedule: str) -> None:
    program = load(text_of(schedule))
    assert all(data.grade is Grade.EXACT for data in (*program.arrays, *program.scalars) if not data.is_local)


def test_a_width_that_is_given_may_be_seen() -> None:
    load(text_of(f"{BEGIN} while (b) {{ passes += 1; b.push(advance(b.pop(), relax)); }}".replace("width=auto", "2")))


def test_auto_is_a_name_like_others() -> None:
    text = text_of(f"{BEGIN} passes = int32(b.level > 0);").replace("limit : int32 = 3", "auto : float32 = 3")
    assert any(isinstance(node, nodes.CheckWidth) for node in walk(load(text).schedule))


def test_the_verifier_knows_the_bound() -> None:
    program = load(text_of(f"{BEGIN} {LOOP}"))
    verify(program, "lowering")
    (choice,) = (node for node in walk(program.schedule) if isinstance(node, nodes.ChooseBound))
    loop = program.schedule[-1]
    assert isinstance(loop, nodes.While)
    for changes in ({"bound": "passes"}, {"nearest": "left"}, {"waiting": "nothing"}):
        changed = dataclasses.replace(choice, **changes)
        broken_loop = rewrite(loop, lambda node, new=changed: new if node == choice else node)
        broken = dataclasses.replace(program, schedule=(*program.schedule[:-1], broken_loop))
        with pytest.raises(VerificationError):
            verify(broken, "a test")


def test_pushes_and_pops_are_nodes_until_the_passes_choose() -> None:
    loop = load(text_of(f"{BEGIN} {LOOP}")).schedule[-1]
    assert isinstance(loop, nodes.While)
    pop, advance, push = loop.body
    assert isinstance(pop, nodes.PopBuckets) and isinstance(push, nodes.PushBuckets) and pop.buckets == push.buckets
    assert isinstance(advance, nodes.Advance) and advance.frontier.frontier == pop.result
    assert pop.buckets.automatic and pop.buckets.array == "distance"


@pytest.mark.parametrize(
    ("schedule", "tune", "whole"),
    [
        (f"{BEGIN} {LOOP}", [], [nodes.Advance]),
        (f"{BEGIN} {LOOP}", ["schedule.order=as_given"], None),
        (f"{BEGIN.replace('width=auto', '2')} {LOOP}", [], None),
    ],
)
def test_the_passes_leave_no_push_and_no_pop(schedule: str, tune: list[str], whole: list[type] | None) -> None:
    """A plain worklist where its order is open, else the steps that pushes and pops stand for."""
    before = load(text_of(schedule), tune=tune)
    after = ir_passes.apply(before)
    assert not any(isinstance(node, nodes.PushBuckets | nodes.PopBuckets) for node in walk(after.schedule))
    (old,), (new,) = ([step for step in each.schedule if isinstance(step, nodes.While)] for each in (before, after))
    pop, advance, push = old.body
    assert isinstance(pop, nodes.PopBuckets) and isinstance(push, nodes.PushBuckets)
    wanted = whole or [type(step) for step in (*pop.body, advance, *push.body)]
    assert [type(step) for step in new.body] == wanted
