"""The printer of expressions, statements and functors."""

from __future__ import annotations

import dataclasses
import struct

import pytest

from gdsl.codegen.expressions import CheckTable, ExpressionPrinter
from gdsl.codegen.function_text import Argument
from gdsl.codegen.functions import FunctionPrinter
from gdsl.codegen.lines import comment_lines, number_lines
from gdsl.codegen.literals import literal
from gdsl.codegen.names import Names, identifiers_of
from gdsl.ir import nodes as ir
from gdsl.operations import Outcome, ReduceOperation, UnaryOperation
from gdsl.plan.nodes import Claim
from gdsl.source import NOWHERE
from gdsl.types import Type
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

F32, I64 = Type.FLOAT32, Type.INT64


def spelled(names: Names, text: str) -> str:
    names.settle(identifiers_of(""))
    return names.spell(text)


def printed(expression: ir.Expression) -> str:
    names = Names()
    return spelled(names, ExpressionPrinter(names, CheckTable()).print(expression))


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
    assert literal(2**64 - 1, Type.UINT64) == "18446744073709551615ull"
    assert literal(float("inf"), F32) == "FLOAT32_INF"
    assert literal(-float("inf"), Type.FLOAT64) == "-FLOAT64_INF"
    assert literal(3, VERTEX) == "vertex(3)"


def test_names_that_mean_something_are_printed_otherwise() -> None:
    names = Names()
    words = ("rank", "int", "xor", "graph", "frontier", "size", "x_", "__x", "_X", "a__b", "_", "_1", "LIMIT")
    members = ", ".join(names.member(word) for word in words)
    names.settle(
        identifiers_of("struct data { int graph; }; int frontier, LIMIT;"), structs="struct data { int graph; };"
    )
    assert names.spell(members) == (
        "rank, int_, xor_, graph_, frontier, size, x_, x_2, X_, a_b_, name_, name_1_, LIMIT_"
    )


def test_a_name_keeps_clear_of_what_is_seen_where_it_stands() -> None:
    names = Names()
    text = f"{names.local('kept')} {names.frontier('kept')} {names.member('kept')} {names.function('kept')}"
    names.settle(identifiers_of("kept run other"), functions="kept", schedule="run", structs="other")
    assert names.spell(text) == "kept_ kept_2 kept kept_3"


def test_words_of_our_own_are_found_beside_any_file_name() -> None:
    text = '#line 3 "a*/b/*c // d.gdsl"\none; // not "this\ntwo; /* nor "that */ three; \n#line 4 "x*/y"\nfour'
    assert identifiers_of(text) == {"line", "one", "two", "three", "four"}


def test_derived_names_give_way() -> None:
    names = Names()
    text = " ".join(
        (
            names.functor("visit", "apply"),
            names.function("visit_apply"),
            names.functor("_a", "apply"),
            names.functor("a_", "apply"),
            names.functor("same", "value"),
        )
    )
    names.settle(identifiers_of("same_value"))
    assert names.spell(text) == "visit_apply_ visit_apply a_apply_ a_apply_2 same_value_"


def test_functor_of_bfs() -> None:
    names = Names()
    printer = FunctionPrinter(BFS, names, CheckTable())
    condition, apply = printer.condition(VISIT), printer.apply(VISIT)
    pulled = printer.apply(VISIT, "pull", frozenset({"distance", "parent"}))
    assert condition is not None and apply is not None and pulled is not None
    assert spelled(names, condition.definition("inline")).split("\n") == [
        "inline bool visit_condition(const data_slice& d, vertex dst) {",
        '#line 13 "bfs.gdsl"',
        "    return d.distance[dst] == -1;",
        "}",
        "#line resume",
    ]
    assert names.spell(apply.signature) == (
        "void visit_apply(const data_slice& d, vertex src, vertex dst, int32 iteration)"
    )
    assert names.spell("\n".join(apply.body)).split("\n") == [
        '#line 15 "bfs.gdsl"',
        "    store_shared(&d.distance[dst], iteration + 1);",
        "    store_shared(&d.parent[dst], src);",
    ]
    call = apply.call({Argument.SOURCE: "u", Argument.DESTINATION: "v"})
    assert names.spell(call) == "visit_apply(d, u, v, iteration)"
    assert names.spell("\n".join(pulled.body[1:])).split("\n") == [
        "    d.distance[dst] = iteration + 1;",
        "    d.parent[dst] = src;",
    ]


def test_the_claim_of_bfs() -> None:
    names = Names()
    printer = FunctionPrinter(BFS, names, CheckTable(), line_directives=False)
    claim = printer.claim(VISIT, Claim("distance", 0, 0, number(-1)))
    rest = printer.apply(VISIT, "claimed", without=0)
    assert rest is not None
    assert spelled(names, *claim.body) == "    return compare_and_swap(&d.distance[dst], -1, iteration + 1);"
    assert names.spell(*rest.body) == "    store_shared(&d.parent[dst], src);"


def accepting(*body: ir.Statement) -> list[str]:
    functor = dataclasses.replace(VISIT, body=body)
    names = Names()
    apply = FunctionPrinter(BFS, names, CheckTable(), line_directives=False).apply(functor)
    assert apply is not None and apply.result == "bool"
    return [line.strip() for line in spelled(names, "\n".join(apply.body)).split("\n")]


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
    total = ir.ScalarTarget(NOWHERE, "error", Type.FLOAT64)
    count = ir.ScalarTarget(NOWHERE, "count", INT32)
    body = (
        ir.Update(NOWHERE, total, ReduceOperation.ADD, number(1.5, Type.FLOAT64)),
        ir.Update(NOWHERE, count, ReduceOperation.ADD, number(1)),
    )
    functor = ir.VertexFunctor(NOWHERE, "settle", "v", (), body)
    names = Names()
    printer = FunctionPrinter(EMPTY, names, CheckTable(), line_directives=False)
    apply, atomic = printer.apply(functor, accumulated=frozenset({"error", "count"})), printer.apply(functor)
    assert apply is not None and atomic is not None
    assert spelled(names, "\n".join(apply.body)) == "    totals.error += 1.5;\n    plain_add(&totals.count, 1);"
    assert names.spell(str(apply.parameters[-1])) == "settle_totals& totals"
    assert names.spell(atomic.body[0]) == "    reduce_add(d.error, 1.5);"


def test_lines_resume_with_the_generated_files_own_number() -> None:
    assert number_lines("a\n#line resume\nb", "x.cpp") == 'a\n#line 3 "x.cpp"\nb'


def test_comments_cannot_end_or_go_on() -> None:
    assert comment_lines("\nfirst */ \\\n  second ??/\n\x07\n") == ("first * /", "second ? ?/")
