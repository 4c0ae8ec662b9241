"""The printer of expressions, statements and functors."""

from __future__ import annotations

import dataclasses
import struct

import pytest

from gdsl.codegen.comments import comment_lines
from gdsl.codegen.expressions import CheckTable, ExpressionPrinter
from gdsl.codegen.functions import Argument, FunctionPrinter
from gdsl.codegen.lines import number_lines
from gdsl.codegen.literals import literal
from gdsl.codegen.names import Names
from gdsl.ir import nodes as ir
from gdsl.operations import Outcome, ReduceOperation, UnaryOperation
from gdsl.source import NOWHERE
from gdsl.types import ScalarType
from tests.codegen.build import (
    BFS,
    BOOL,
    DESTINATION,
    EMPTY,
    INT32,
    ITERATION,
    SOURCE,
    VERTEX,
    VISIT,
    binary,
    element,
    local,
    number,
    target,
)  # fmt: skip

F32, I64 = ScalarType.FLOAT32, ScalarType.INT64


def printed(expression: ir.Expression) -> str:
    return ExpressionPrinter(Names(EMPTY), CheckTable()).print(expression)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (binary(ITERATION, "+", number(1)), "iteration + 1"),
        (binary(local("a"), "+", number(1)), "wrapping_add(a, 1)"),
        (binary(local("a", F32), "+", binary(local("b", F32), "*", local("c", F32))), "a + b * c"),
        (binary(binary(local("a", F32), "+", local("b", F32)), "*", local("c", F32)), "(a + b) * c"),
        (binary(local("a", F32), "-", binary(local("b", F32), "-", local("c", F32))), "a - (b - c)"),
        (binary(binary(local("a", F32), "-", local("b", F32)), "-", local("c", F32)), "a - b - c"),
        (binary(local("p", BOOL), "||", binary(local("q", BOOL), "&&", local("r", BOOL))), "p || (q && r)"),
        (binary(binary(local("p", BOOL), "||", local("q", BOOL)), "&&", local("r", BOOL)), "(p || q) && r"),
        (binary(local("p", BOOL), "^", local("q", BOOL)), "p != q"),
        (binary(local("a"), "//", number(2)), "a / 2"),
        (binary(local("a"), "//", local("b")), "divide(a, b)"),
        (binary(local("a"), "%", number(-1)), "modulo(a, -1)"),
        (binary(local("a"), "<<", number(3)), "shift_left(a, 3)"),
        (binary(local("a"), ">>", number(3)), "a >> 3"),
        (binary(local("v", VERTEX), "==", number(0, VERTEX)), "v == 0"),
        (binary(local("p", VERTEX), "==", ir.NoneId(NOWHERE, VERTEX)), "p == NO_VERTEX"),
        (ir.Unary(NOWHERE, INT32, UnaryOperation.NEGATE, local("a")), "wrapping_negate(a)"),
        (ir.Unary(NOWHERE, F32, UnaryOperation.NEGATE, number(-1.5, F32)), "-(-1.5f)"),
        (ir.Unary(NOWHERE, BOOL, UnaryOperation.NOT, binary(local("a"), "<", local("b"))), "!(a < b)"),
        (ir.Select(NOWHERE, INT32, local("p", BOOL), number(1), number(2)), "p ? 1 : 2"),
        (ir.Convert(NOWHERE, F32, local("a")), "float32(a)"),
        (ir.Convert(NOWHERE, INT32, local("x", F32)), "convert<int32>(x)"),
        (ir.Convert(NOWHERE, INT32, local("v", VERTEX)), "from_id<int32>(v)"),
        (ir.Convert(NOWHERE, VERTEX, local("a")), "to_id<vertex>(a, d.graph.num_vertices)"),
        (ir.Convert(NOWHERE, BOOL, local("a")), "a != 0"),
        (element("rank", SOURCE, F32), "d.rank[src]"),
        (dataclasses.replace(element("rank", SOURCE, F32), now=True), "load_now(&d.rank[src])"),
        (element("rank", local("i"), F32, True), "d.rank[checked_index(d, i, d.graph.num_vertices, 0)]"),
        (
            ir.UpdateValue(
                NOWHERE, BOOL, Outcome.CHANGED,
                ir.Update(NOWHERE, target("x", DESTINATION), ReduceOperation.MIN, number(3)),
            ),
            "changed_min(&d.x[dst], 3)",
        ),
    ],
)  # fmt: skip
def test_expressions(expression: ir.Expression, text: str) -> None:
    assert printed(expression) == text


@pytest.mark.parametrize("value", [0.1, 1e-6, 0.85, 3.4e38, 1e-45, 16777217.0, 1.0, 123456789.0])
def test_float32_literals_read_back_as_the_same_number(value: float) -> None:
    text = literal(value, F32)
    assert text.endswith("f")
    assert struct.pack("f", float(text[:-1])) == struct.pack("f", value)


def test_literals() -> None:
    assert literal(-(2**31), INT32) == "(-2147483647 - 1)"
    assert literal(5, I64) == "5ll"
    assert literal(2**64 - 1, ScalarType.UINT64) == "18446744073709551615ull"
    assert literal(float("inf"), F32) == "FLOAT32_INF"
    assert literal(-float("inf"), ScalarType.FLOAT64) == "-FLOAT64_INF"
    assert literal(3, VERTEX) == "vertex(3)"


def test_names_that_mean_something_are_printed_otherwise() -> None:
    names = Names(EMPTY, "struct frontier { int size; }; void synchronize() {}")
    assert [names.member(name) for name in ("rank", "int", "xor", "graph", "frontier", "size")] == [
        "rank", "int_", "xor_", "graph_", "frontier_", "size",
    ]  # fmt: skip
    words = ("x", "x_", "x__", "minimum", "M_PI", "__syncthreads", "_Complex", "iteration", "src")
    assert [names.local(name) for name in words] == [
        "x", "x__", "x___", "minimum_", "M_PI_", "__syncthreads_", "_Complex_", "iteration_", "src",
    ]  # fmt: skip


def test_functors_and_functions_never_share_a_name() -> None:
    function = ir.Function(NOWHERE, "visit_apply", (("a", INT32),), INT32, (ir.Return(NOWHERE, local("a")),))
    names = Names(dataclasses.replace(BFS, functions=(function,)))
    assert names.function("visit_apply") == "visit_apply"
    assert names.functor("visit", "apply") == "visit_apply_"


def test_functor_of_bfs() -> None:
    printer = FunctionPrinter(BFS, Names(BFS), CheckTable())
    condition, apply = printer.condition(VISIT), printer.apply(VISIT)
    assert condition is not None and apply is not None
    assert condition.definition("inline").split("\n") == [
        "inline bool visit_condition(const data_slice& d, vertex dst) {",
        '#line 13 "bfs.gdsl"',
        "    return d.distance[dst] == -1;",
        "}",
        "#line resume",
    ]
    assert apply.signature == "void visit_apply(const data_slice& d, vertex src, vertex dst, int32 iteration)"
    assert apply.body == (
        '#line 15 "bfs.gdsl"',
        "    store_shared(&d.distance[dst], iteration + 1);",
        "    store_shared(&d.parent[dst], src);",
    )
    assert apply.call({Argument.SOURCE: "u", Argument.DESTINATION: "v"}) == "visit_apply(d, u, v, iteration)"
    pulled = printer.apply(VISIT, "pull", frozenset({"distance", "parent"}))
    assert pulled is not None and pulled.body[1:] == (
        "    d.distance[dst] = iteration + 1;",
        "    d.parent[dst] = src;",
    )


def test_the_claim_of_bfs() -> None:
    printer = FunctionPrinter(BFS, Names(BFS), CheckTable(), line_directives=False)
    closing = ir.Closing(NOWHERE, ir.Role.FAR, "distance", 0, 0)
    claim = printer.claim(VISIT, closing, frozenset({ir.Role.DESTINATION}))
    assert claim.body == ("    return compare_and_swap(&d.distance[dst], -1, iteration + 1);",)
    rest = printer.apply(VISIT, "claimed", without=0)
    assert rest is not None and rest.body == ("    store_shared(&d.parent[dst], src);",)


def accepting(*body: ir.Statement) -> list[str]:
    functor = dataclasses.replace(VISIT, body=body)
    printer = FunctionPrinter(BFS, Names(BFS), CheckTable(), line_directives=False)
    apply = printer.apply(functor)
    assert apply is not None and apply.result == "bool"
    return [line.strip() for line in apply.body]


def test_accept_returns_where_it_is_last() -> None:
    yes, no = ir.Accept(NOWHERE, number(True, BOOL)), ir.Accept(NOWHERE, number(False, BOOL))
    branch = ir.Branch(NOWHERE, local("p", BOOL), (yes,), ())
    assert accepting(yes) == ["return true;"]
    assert accepting(branch) == ["if (p) {", "return true;", "}", "return true;"]
    assert accepting(dataclasses.replace(branch, otherwise=(no,)))[-1] == "}"
    assert accepting(branch, no) == [
        "bool accepted = true;", "if (p) {", "accepted = true;", "}", "accepted = false;", "return accepted;",
    ]  # fmt: skip


def test_loops_ask_whether_to_stop() -> None:
    loop = ir.ForRange(NOWHERE, "i", INT32, number(0), local("n"), (ir.Break(NOWHERE),))
    short = ir.ForRange(NOWHERE, "j", INT32, number(0), number(4), (ir.Break(NOWHERE),))
    assert accepting(loop, short, ir.Accept(NOWHERE, number(True, BOOL))) == [
        "uint32 polls = 0;",
        "for (int32 i = 0, i_end = n; i < i_end; ++i) {",
        "if (stop_requested(d, polls)) { return false; }",
        "break;",
        "}",
        "for (int32 j = 0; j < 4; ++j) {",
        "break;",
        "}",
        "return true;",
    ]


def test_accumulated_scalars_go_into_totals() -> None:
    total = ir.ScalarTarget(NOWHERE, "error", ScalarType.FLOAT64)
    count = ir.ScalarTarget(NOWHERE, "count", INT32)
    body = (
        ir.Update(NOWHERE, total, ReduceOperation.ADD, number(1.5, ScalarType.FLOAT64)),
        ir.Update(NOWHERE, count, ReduceOperation.ADD, number(1)),
    )
    functor = ir.VertexFunctor(NOWHERE, "settle", "v", (), body)
    printer = FunctionPrinter(EMPTY, Names(EMPTY), CheckTable(), line_directives=False)
    apply = printer.apply(functor, accumulated=frozenset({"error", "count"}))
    assert apply is not None
    assert apply.body == ("    totals.error += 1.5;", "    plain_add(&totals.count, 1);")
    assert str(apply.parameters[-1]) == "settle_totals& totals"
    atomic = printer.apply(functor)
    assert atomic is not None and atomic.body[0] == "    reduce_add(d.error, 1.5);"


def test_lines_resume_with_the_generated_files_own_number() -> None:
    assert number_lines("a\n#line resume\nb", "x.cpp") == 'a\n#line 3 "x.cpp"\nb'


def test_comments_cannot_end_or_go_on() -> None:
    assert comment_lines("\nfirst */ \\\n  second ??/\n\x07\n") == ("first * /", "second ? ?/")
