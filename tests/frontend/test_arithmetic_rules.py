"""Which types the operations take and give: `wrap`, saturating sums, shifts, functions of integers."""

from __future__ import annotations

import pytest
from mistake_programs import with_parts

from gdsl.diagnostics import GdslError
from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.operations import BinaryOperation
from gdsl.pipeline import load
from gdsl.types import Type

SUMS = (
    BinaryOperation.ADD,
    BinaryOperation.ADD_SATURATING,
    BinaryOperation.SUBTRACT,
    BinaryOperation.SUBTRACT_SATURATING,
)


def sums(text: str, part: str = "vertex_functors") -> list[str]:
    """The sums and differences in a part of a program, with a bar behind those that saturate."""
    found = (node for node in walk(getattr(load(text), part)) if isinstance(node, nodes.Binary))
    return [node.operation.value for node in found if node.operation in SUMS]


@pytest.mark.parametrize(
    ("apply", "found"),
    [
        ("level[v] = level[v] + 1;", ["+|"]),
        ("level[v] = level[v] - 1;", ["-|"]),
        ("level[v] = wrap(level[v] + 1);", ["+"]),
        ("level[v] = wrap(level[v] * 31 + 1 - 2) + 3;", ["+|", "-", "+"]),
        ("var x = level[v]; x += 1; level[v] = x;", ["+|"]),
        ("level[v] += 1;", []),
        ("level[v] = min(level[v] + 1, wrap(level[v] - 1));", ["+|", "-"]),
        ("big[v] = big[v] + 1;", ["+"]),
        ("rank[v] = rank[v] + 1;", ["+"]),
        ("level[v] = int32(num_vertices + 1) - -inf;", ["-|", "+"]),
    ],
)
def test_sums_saturate_where_the_type_has_an_inf(apply: str, found: list[str]) -> None:
    assert sums(with_parts(data="vertex most : int32 = inf;", apply=apply)) == found


@pytest.mark.parametrize(
    "written",
    [
        "vertex most : int32 = inf;",
        "vertex most : int32 = -inf;",
        "param most : int32 = inf;",
        "vertex most : bool = int32(inf) == 3;",
        "vertex most : float32 = float32(min(3, int32(inf)));",
    ],
)
def test_an_inf_anywhere_in_the_file_counts(written: str) -> None:
    assert sums(with_parts(data=written, apply="level[v] = level[v] + 1;")) == ["+|"]


def test_the_schedule_saturates_too_but_its_updates_wrap() -> None:
    text = with_parts(data="scalar most : int64 = inf;", schedule="most = most + 1; most += 1; most -= 1; most min= 3;")
    assert sums(text, "schedule") == ["+|", "+", "-"]


def test_a_function_called_wrap_is_the_programs_own() -> None:
    text = """program p;
problem { vertex a : float32; }
function wrap(x : float32, y : float32) -> float32 { return x * y; }
vertex functor f(v) { apply { a[v] = wrap(a[v], 2); } }
schedule { compute(vertices, f); }
"""
    calls = [node.function for node in walk(load(text)) if isinstance(node, nodes.FunctionCall)]
    assert calls == ["wrap"]


def test_data_may_be_called_wrap() -> None:
    load("program p;\nproblem { vertex wrap : int32; }\nvertex functor f(v) { apply { wrap[v] = 1; } }\n"
         "schedule { compute(vertices, f); }\n")  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "code", "words"),
    [
        ("rank[v] = wrap(rank[v] + 1);", "E0206", "`wrap` is not defined on float32"),
        ("level[v] = wrap(level[v], 1);", "E0211", "`wrap` takes 1 argument, not 2"),
        ("level[v] = wrap();", "E0211", "`wrap` takes 1 argument, not 0"),
        ("level[v] = wrp(level[v]);", "E0201", "did you mean `wrap`"),
        ("level[v] = level[v] << 1.5;", "E0206", "`<<` is not defined on float32"),
        ("rank[v] = sqrt(level[v]);", "E0205", "write `float32(sqrt(level[v]))`"),
        ("rank[v] = pow(level[v], 0.5);", "E0205", "write `float32(pow(level[v], 0.5))`"),
    ],
)
def test_mistakes(statement: str, code: str, words: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(with_parts(apply=statement))
    assert caught.value.code == code
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "count", ["int32(v)", "int64(v)", "uint32(int32(v))", "uint64(int64(v))", "-1", "40", "num_edges"]
)
def test_the_count_of_a_shift_is_of_any_integer_type(count: str) -> None:
    text = with_parts(apply=f"level[v] = level[v] << ({count}); big[v] = big[v] >> ({count});")
    shifts = [node for node in walk(load(text)) if isinstance(node, nodes.Binary)]
    assert {node.type for node in shifts} >= {Type.INT32, Type.INT64}


@pytest.mark.parametrize(
    "function", ["sqrt(level[v])", "floor(level[v])", "pow(level[v], 2)", "pow(level[v], 0.5)", "exp(big[v])"]
)
def test_a_function_of_an_integer_is_a_float64(function: str) -> None:
    program = load(with_parts(data="vertex wide : float64;", apply=f"wide[v] = {function};"))
    calls = [node for node in walk(program) if isinstance(node, nodes.BuiltinCall)]
    assert [node.type for node in calls] == [Type.FLOAT64]
    load(with_parts(apply=f"rank[v] = float32({function});"))


@pytest.mark.parametrize(
    ("condition", "store", "accepted"),
    [
        ("level[dst] == inf", "level[dst] = iteration + 1;", True),
        ("level[dst] == bound", "level[dst] = bound + 1;", False),
        ("level[dst] == bound", "level[dst] = wrap(bound + 1);", True),
        ("level[dst] > bound", "level[dst] = bound - 1;", False),
    ],
)
def test_what_is_shown_of_a_condition_knows_that_sums_stop_at_inf(condition: str, store: str, accepted: bool) -> None:
    """Where `bound` is `inf`, so is `bound + 1` and `bound - 1`: the condition is not false behind the store."""
    text = f"""program p;
problem {{ param bound : int32; vertex level : int32 = inf; }}
edge functor visit(src, dst, e) {{ cond {condition}; apply {{ {store} }} }}
schedule {{ frontier f = vertices; f = advance(f, visit); }}
"""
    if accepted:
        load(text)
        return
    with pytest.raises(GdslError) as caught:
        load(text)
    assert caught.value.code == "E0302"
