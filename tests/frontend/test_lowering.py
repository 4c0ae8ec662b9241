"""What the frontend accepts, and the IR that it becomes: conversions, directions, temporaries, unique names."""

from __future__ import annotations

import dataclasses

import pytest
from mistake_programs import BFS, with_parts

from gdsl.ir import nodes
from gdsl.ir.printer import print_program
from gdsl.ir.traversal import walk
from gdsl.ir.verifier import VerificationError, verify
from gdsl.knobs import KNOBS, Knob, settled
from gdsl.operations import Balance, BinaryOperation, Direction
from gdsl.pipeline import load, load_checked
from gdsl.source import NOWHERE, Source
from gdsl.types import Type


def lines(text: str) -> list[str]:
    """The printed IR of a program, without indentation."""
    return [line.strip() for line in print_program(load(text)).split("\n")]


def body_of(statements: str) -> list[str]:
    """The printed IR of statements in the vertex functor of the base program."""
    found = lines(with_parts(apply=statements))
    start = found.index("vertex functor settle(v):")
    return found[start + 2 : found.index("", start)]


def test_bfs_as_ir() -> None:
    text = print_program(load(Source("bfs.gdsl", BFS)))
    assert text == (
        "program bfs  # bfs.gdsl\n"
        "\n"
        "data:\n"
        "    param source: vertex\n"
        "    vertex distance: int32 = -1\n"
        "    vertex parent: vertex = none  # not unique (one of several writers wins, line 14)\n"
        "\n"
        "edge functor visit(src, dst, e):\n"
        "    cond distance[dst] == -1\n"
        "    distance[dst] = iteration + 1  # all writers store the same value\n"
        "    parent[dst] = src  # any writer wins\n"
        "\n"
        "frontiers: f\n"
        "\n"
        "schedule:\n"
        "    distance[source] = 0\n"
        "    f = {source}\n"
        "    while not_empty(f):  # loop 0\n"
        "        f = advance f by visit, over out_edges, direction auto, balance auto, "
        "closes distance[far] by conjunct 0  # site 0 @visit\n"
        "\n"
        "tuning: fuse on, block backend's choice, ids as needed, bounds on\n"
    )


@pytest.mark.parametrize(
    ("statement", "printed"),
    [
        ("rank[v] = 1;", "rank[v] = 1.0  # single writer"),
        ("rank[v] = level[v];", "rank[v] = float32(level[v])  # single writer"),
        ("big[v] = level[v];", "big[v] = int64(level[v])  # single writer"),
        ("big[v] = 5000000000;", "big[v] = 5000000000:int64  # single writer"),
        ("rank[v] = 2 * rate + 1;", "rank[v] = (2.0 * rate) + 1.0  # single writer"),
        ("rank[v] = 1.0 / num_vertices;", "rank[v] = 1.0 / float32(num_vertices)  # single writer"),
        ("rank[v] = level[v] + 0.5;", "rank[v] = float32(level[v]) + 0.5  # single writer"),
        ("rank[v] = rank[v] / out_degree(v);", "rank[v] = rank[v] / float32(out_degree(v))  # single writer"),
        ("level[v] = int32(0.5);", "level[v] = int32(0.5)  # single writer"),
        ("words[v] = uint32(-1);", "words[v] = uint32(-1)  # single writer"),
        ("level[v] = -2147483648;", "level[v] = -2147483648  # single writer"),
        ("level[v] = max(level[v], 3) << 2;", "level[v] = max(level[v], 3) << 2  # single writer"),
        ("rank[v] = sqrt(2);", "rank[v] = sqrt(2.0)  # single writer"),
        ("parent[v] = vertex(level[v] + 1);", "parent[v] = vertex(level[v] + 1)  # single writer"),
        ("level[v] = parent[v] == none ? 0 : 1;", "level[v] = (parent[v] == none) ? 0 : 1  # single writer"),
        ("level[v] = -7 // 2 % 3;", "level[v] = (-7 // 2) % 3  # single writer"),
        ("count += level[v];", "count += int64(level[v])"),
        ("count -= 1;", "count -= 1:int64"),
        ("let a = 1; let b : int64 = a;", "let a: int32 = 1"),
        ("accept changed(count max= 3);", "accept changed(count max= 3:int64)"),
        ("let x = fetch(count += 1);", "let x: int64 = fetch(count += 1:int64)"),
        ("cas(count, 0, 1);", "cas(count, 0:int64, 1:int64)"),
        ("changed(count += 1);", "count += 1:int64"),
        ("rank[v] = half(level[v]);", "rank[v] = half(float32(level[v]))  # single writer"),
        ("if (!(v < 3) && true) { }", "if !(v < 3:vertex) && true:"),
        ("for i in 0..out_degree(v) { big[v] += i; }", "for i: int32 in 0..out_degree(v):"),
        ("for i in 0..num_edges { break; }", "for i: int64 in 0:int64..num_edges:"),
        ("rank[v] = float32(0xff);", "rank[v] = 255.0  # single writer"),
        ("level[v] += level[v];", "level[v] += level[v]"),
    ],
)
def test_statements(statement: str, printed: str) -> None:
    assert body_of(statement)[0] == printed


def test_an_update_of_a_var_is_spelled_out() -> None:
    assert body_of("var x = 1; x += 2; x min= 3; rank[v] = x;")[:3] == [
        "var x: int32 = 1",
        "x = x + 2",
        "x = min(x, 3)",
    ]


def test_locals_of_several_blocks_get_names_of_their_own() -> None:
    printed = body_of("if (rank[v] > 0) { let x = 1; rank[v] = x; } else { let x = 2.5; rank[v] = x; }")
    assert "let x: int32 = 1" in printed and "let x_2: float32 = 2.5" in printed
    assert "rank[v] = x_2  # single writer" in printed


def test_integer_addition_saturates_only_where_the_type_has_an_inf() -> None:
    plain = body_of("level[v] = level[v] + 1; big[v] = big[v] + 1;")
    assert plain[:2] == ["level[v] = level[v] + 1  # single writer", "big[v] = big[v] + 1:int64  # single writer"]
    program = load(
        with_parts(data="vertex far_away : int32 = inf;", apply="level[v] = level[v] + 1; big[v] = big[v] + 1;")
    )
    operations = {node.type: node.operation for node in walk(program.vertex_functors) if isinstance(node, nodes.Binary)}
    assert operations == {Type.INT32: BinaryOperation.ADD_SATURATING, Type.INT64: BinaryOperation.ADD}


def test_nested_operators_become_frontiers_with_readable_names() -> None:
    found = lines(
        with_parts(schedule="frontier filtered_1 = filter(advance({ 0, source }, visit), settle); where(settle);")
    )
    assert "frontiers: f, members_1, advanced_1, filtered_1, selected_1" in found
    assert "members_1 = {0:vertex, source}" in found
    start = found.index("members_1 = {0:vertex, source}")
    assert found[start + 1].startswith("advanced_1 = advance members_1 by visit")
    assert found[start + 2] == "filtered_1 = filter advanced_1 by settle  # site 3 @settle"
    assert found[start + 3] == "selected_1 = filter vertices by settle  # site 4 @settle"


def test_frontiers_are_block_scoped_values() -> None:
    text = "if (f) { frontier g = f; f = g; } else { frontier g; f = g; } frontier g = vertices; f = g;"
    found = lines(with_parts(schedule=text))
    assert "frontiers: f, g, g_2, g_3" in found
    for line in ("g = copy of f", "f = copy of g", "g_2 = {}", "f = copy of g_2", "g_3 = vertices", "f = copy of g_3"):
        assert line in found


def test_a_frontier_assigned_to_itself_is_no_step() -> None:
    found = lines(with_parts(schedule="f = f; if (f) { frontier g = f; g = g; f = g; } frontier g = f; g = f;"))
    copies = [line for line in found if "copy of" in line]
    assert copies == ["g = copy of f", "f = copy of g", "g_2 = copy of f", "g_2 = copy of f"]


def test_sizes_and_frontiers_in_conditions() -> None:
    found = lines(with_parts(schedule="while (f && size(f) < num_vertices) { count = size(vertices) + size(f); }"))
    assert "while not_empty(f) && (size(f) < num_vertices):  # loop 1" in found
    assert "count = num_vertices + size(f)" in found


def test_conjuncts_are_split() -> None:
    program = load(BFS.replace("cond distance[dst] == -1", "cond src != dst && (distance[dst] == -1 && true)"))
    assert len(program.edge_functors[0].condition) == 3


def test_checked_indices() -> None:
    assert body_of("let a = level[parent[v]];")[0] == "let a: int32 = level[checked parent[v]]"
    assert body_of("let u = v; big[v] = level[u];")[1] == "big[v] = int64(level[checked u])  # single writer"
    assert body_of("big[v] = level[source];")[0] == "big[v] = int64(level[source])  # single writer"
    assert (
        body_of("big[v] = out_degree(parent[v]);")[0]
        == "big[v] = int64(out_degree(checked parent[v]))  # single writer"
    )


def test_tuning() -> None:
    text = with_parts(
        schedule="f = advance(f, visit) @again;",
        tune="tune {visit.direction = auto(alpha=4, beta=7); again.direction = pull; schedule.block = 64; bounds off;}",
    )
    program = load(
        text, ["visit.balance=block", "again.balance=auto", "schedule.ids=64", "schedule.fuse=off", "bounds=on"]
    )
    first, second = (node for node in walk(program.schedule) if isinstance(node, nodes.Advance))
    tuning = program.tuning
    knobs = tuning.sites[first.site]
    assert (knobs.direction, knobs.alpha, knobs.beta, knobs.balance) == (Direction.AUTO, 4, 7, Balance.BLOCK)
    knobs = tuning.sites[second.site]
    assert (knobs.direction, knobs.alpha, knobs.beta) == (Direction.PULL, 3, 20)
    assert (knobs.balance, second.label) == (Balance.AUTO, "again")
    printed = print_program(program)
    assert (tuning.block, tuning.ids, tuning.fuse, tuning.bounds) == (64, 64, False, True)
    assert "direction auto(alpha=4, beta=7), balance block" in printed and "direction pull, balance auto" in printed


def test_a_label_wins_over_its_functor_knob_by_knob() -> None:
    text = with_parts(
        schedule="f = advance(f, visit) @again;",
        tune="tune { @again.balance = block; visit.direction = push; visit.balance = auto; }",
    )
    sites = load(text).tuning.sites
    assert [(knobs.direction, knobs.balance) for knobs in sites if knobs.direction is not None] == [
        (Direction.PUSH, Balance.AUTO),
        (Direction.PUSH, Balance.BLOCK),
    ]


def test_a_knob_of_a_functor_is_for_those_of_its_operators_that_have_it() -> None:
    text = with_parts(schedule="compute(edges, visit);", tune="tune { visit.direction = push; visit.balance = block; }")
    assert [(knobs.direction, knobs.balance) for knobs in load(text).tuning.sites if knobs.direction is not None] == [
        (Direction.PUSH, Balance.BLOCK)
    ]


@pytest.mark.parametrize("operator", ["advance", None])
def test_every_knob_of_the_table_is_a_field(operator: str | None) -> None:
    """One more row asks for one more field, and for nothing else."""
    holder = nodes.OperatorKnobs if operator is not None else nodes.Tuning
    others = ("span", "sites", "without")  # passes that a caller leaves out
    fields = [each.name for each in dataclasses.fields(holder) if each.name not in others]
    assert sorted(fields) == sorted(settled(operator, {}))
    if operator is None:
        assert settled(None, {}) == {name: getattr(nodes.Tuning(NOWHERE), name) for name in fields}


@pytest.mark.parametrize("knob", [knob for knob in KNOBS if knob.values], ids=lambda knob: knob.name)
def test_a_knob_that_is_set_to_anything_else_is_found(knob: Knob) -> None:
    """The verifier knows every knob by the table: its values, and the operators that have it."""
    program = load(with_parts(schedule="f = filter(f, settle);"))
    tuning = program.tuning
    for node in walk(program.schedule) if knob.operators else (None,):
        if node is not None and not isinstance(node, nodes.Operator):
            continue
        for value in (object(), 7, "push", *knob.values.values()):
            if node is None:
                changed = dataclasses.replace(tuning, **{knob.name: value})
            else:
                sites = list(tuning.sites)
                sites[node.site] = dataclasses.replace(sites[node.site], **{knob.name: value})
                changed = dataclasses.replace(tuning, sites=tuple(sites))
            has_it = node is None or node.word in knob.operators
            if value in (knob.values.values() if has_it else (knob.default,)):
                verify(dataclasses.replace(program, tuning=changed), "tuning")
            else:
                with pytest.raises(VerificationError, match=f"knob {knob.name}"):
                    verify(dataclasses.replace(program, tuning=changed), "tuning")


def test_unused_functors_are_left_out_and_functions_come_callees_first() -> None:
    program = load(
        with_parts(
            top="function outer(x: float32) -> float32 { return inner(x); }"
            "function inner(x: float32) -> float32 { return x; }",
            apply="rank[v] = outer(1);",
        )
    )
    assert [function.name for function in program.functions] == ["inner", "outer"]
    assert [functor.name for functor in program.edge_functors] == ["visit"]


def test_doc_and_requirements() -> None:
    program = load('"""First.\n\n   Second.\n"""\nprogram p;\nrequires symmetric, simple;\nschedule { }')
    assert program.doc == "First.\n\nSecond."
    assert program.requires.symmetric and program.requires.simple


def test_every_typed_expression_has_a_type() -> None:
    from gdsl.frontend import syntax

    tree = load_checked(Source("p.gdsl", with_parts(apply="let x = rank[v] > 1 ? 2 : level[v];"))).program
    for root in (*tree.functors, *tree.functions):
        for node in syntax.walk(root):
            assert not isinstance(node, syntax.Expression) or node.type is not None


def test_the_verifier_finds_a_broken_program() -> None:
    program = load(BFS)
    functor = program.edge_functors[0]
    import dataclasses

    broken = dataclasses.replace(functor, condition=(nodes.Local(functor.span, Type.BOOL, "gone"),))
    with pytest.raises(VerificationError, match="after a test: the local gone is not known"):
        verify(dataclasses.replace(program, edge_functors=(broken,)), "a test")
