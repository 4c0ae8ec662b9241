"""`where` behind a param: what it may say, what is refused before the run, and what is known of the param from it."""

from __future__ import annotations

from typing import Any

import pytest
from support.graphs import make_graph

import gdsl
from gdsl.api.description import sections
from gdsl.diagnostics import GdslError
from gdsl.operations import Grade
from gdsl.pipeline import load
from gdsl.source import Source

PATH = make_graph([(v, v + 1) for v in range(8)], 9)
BACKENDS = ["reference", "cpu"]


def text_of(problem: str, schedule: str = "n += 1;", more: str = "") -> str:
    return f"program p; problem {{ {problem} scalar n : int64; vertex a : int32; }} {more} schedule {{ {schedule} }}"


def refusal(problem: str, given: dict[str, Any], more: str = "", graph: gdsl.Graph = PATH) -> str:
    with pytest.raises(GdslError) as caught:
        gdsl.compile(text_of(problem, more=more)).run(graph, given, backend="reference")
    (found,) = caught.value.diagnostics
    assert found.code == "E0608" and found.span is not None
    return found.message


CASES = [
    ("param k : int32 where k > 0;", {"k": 1}, {"k": 0}, "`k > 0`, but it is 0"),
    ("param k : int32 = 5 where k > 0 && k < num_vertices;", {}, {"k": 9}, "but it is 9"),
    ("param x : float32 = 1 where x >= 0;", {"x": 0}, {"x": float("nan")}, "but it is nan"),
    ("param x : float64 = 1 where x * x < 4;", {"x": -1.5}, {"x": -2}, "`x * x < 4`, but it is -2.0"),
    ("param b : bool where b || m; param m : bool = false;", {"b": True}, {"b": False}, "but it is False"),
    ("param s : vertex where out_degree(s) > 0;", {"s": 0}, {"s": 8}, "`out_degree(s) > 0`, but it is 8"),
    ("param s : vertex; param t : vertex where s != t;", {"s": 1, "t": 2}, {"s": 1, "t": 1}, "param `t`"),
    ("param t : vertex where s != t; param s : vertex;", {"s": 1, "t": 2}, {"s": 1, "t": 1}, "param `t`"),
    ("param e : edge where int32(e) % 2 == 0;", {"e": 2}, {"e": 3}, "but it is 3"),
    ("param u : uint64 where u > 9223372036854775808;", {"u": 2**64 - 1}, {"u": 2**63}, "but it is 92233720368547"),
    ("param f : vertex set where f > 2;", {"f": [3, 4]}, {"f": [4, 2, 1]}, "`f > 2`, but vertex 1 is in it"),
    ("param f : vertex set where in_degree(f) > 0 && f != s; param s : vertex = 7;", {"f": []}, {"f": [7]}, "vertex 7"),
    ("param f : vertex set where int32(id) < k; param k : int32 = 4;", {"f": [3]}, {"f": [3, 4]}, "vertex 4 is in it"),
    ("param k : int32 where odd(k);", {"k": 7}, {"k": 6}, "`odd(k)`, but it is 6"),
]  # fmt: skip
SIZES = [
    ("size(f) > 0", [3], [], "`f` must have at least one member, but it is empty"),
    ("size(f) != 0", [3], [], "at least one member"),
    ("0 < size(f)", [3], [], "at least one member"),
    ("f > 1 && size(f) >= 2 && f < 8", [2, 3], [2, 2], "at least 2 members, but it has 1"),
    ("f > 1 && size(f) >= 2 && f < 8", [2, 3], [2, 8], "but vertex 8 is in it"),
]


@pytest.mark.parametrize(("where", "fine", "wrong", "message"), SIZES)
def test_a_set_may_have_a_least_size(where: str, fine: list[int], wrong: list[int], message: str) -> None:
    problem = f"param f : vertex set where {where};"
    for given in (fine, [vertex in fine for vertex in range(9)]):
        assert gdsl.compile(text_of(problem)).run(PATH, {"f": given}, backend="reference")["n"] == 1
    assert message in refusal(problem, {"f": wrong})
    assert message in refusal(problem, {"f": [vertex in wrong for vertex in range(9)]})


@pytest.mark.parametrize("where", ["size(f) > f", "size(f) < 3", "size(f) + 1 > 0", "size(f) > 0 || f > 2"])
def test_a_size_is_compared_with_a_number_alone(where: str) -> None:
    with pytest.raises(GdslError, match="the size of the set `f` is compared with a number"):
        gdsl.compile(text_of(f"param f : vertex set where {where};"))


ODD = "function odd(x: int32) -> bool { var y = x; while (y > 1) { y -= 2; } return y == 1; }"


@pytest.mark.parametrize(("problem", "fine", "wrong", "message"), CASES)
@pytest.mark.sampled(24)
def test_it_is_checked_before_the_run(problem: str, fine: dict[str, Any], wrong: dict[str, Any], message: str) -> None:
    for backend in BACKENDS:
        result = gdsl.compile(text_of(problem, more=ODD)).run(PATH, fine, backend=backend)
        assert result["n"] == 1
    assert message in refusal(problem, wrong, ODD)


def test_a_default_is_checked_too() -> None:
    assert "must fulfill `k > 5`, but it is 3" in refusal("param k : int32 = 3 where k > 5;", {})


def test_it_is_checked_before_what_hangs_on_it() -> None:
    """The number of values an element has, which another message would refuse."""
    assert "must fulfill" in refusal("param k : int32 where k > 0; vertex x[k] : float32;", {"k": 0})


def test_the_order_of_refusals_is_that_of_the_text() -> None:
    assert "param `a1`" in refusal("param a1 : int32 where a1 > 0; param b1 : int32 where b1 > 0;", {"a1": 0, "b1": 0})


@pytest.mark.parametrize(
    ("problem", "code"),
    [
        ("param k : int32 where k;", "E0210"),
        ("param k : int32 where k > id;", "E0215"),
        ("param k : int32 where k > x[id]; input vertex x : int32;", "E0215"),
        ("param k : vertex where x[k] > 0; input vertex x : int32;", "E0222"),
        ("param k : int32 where y > 0; scalar y : int32;", "E0222"),
        ("param k : int32 where unknown > 0;", "E0201"),
        ("param f : vertex set where g; param g : vertex set;", "E0204"),
        ("param f : vertex set where f > 0.5;", "E0209"),
        ("vertex x : int32 where x > 0;", "E0224"),
        ("scalar x : int32 where x > 0;", "E0224"),
    ],
)
def test_what_it_may_not_say(problem: str, code: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(text_of(problem))
    assert caught.value.code == code and len(caught.value.diagnostics) == 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_input_may_speak_of_degrees(backend: str) -> None:
    program = gdsl.compile(text_of("input vertex x : int32 where x > out_degree(id);", "n += sum(x);"))
    assert program.run(PATH, {"x": [2] * 9}, backend=backend)["n"] == 18
    with pytest.raises(GdslError, match="vertex 3 has 1"):
        program.run(PATH, {"x": [2, 2, 2, 1, 2, 2, 2, 2, 2]}, backend=backend)


RELAX = """program relax;
problem {{ param source : vertex; param length : float32 {where}; vertex distance : float32 = 1e30; }}
edge functor go(src, dst, e) {{ apply {{ accept changed(distance[dst] min= distance[src] * length + 1); }} }}
schedule {{ distance[source] = 0; frontier f = {{ source }}; while (f) {{ f = advance(f, go); }} }}
"""


def test_what_it_says_is_known_of_the_param() -> None:
    """A product with what may be negative falls as the other factor rises; `where` rules that out."""
    for where, exact in (("", False), ("where length >= 0 && length < 100", True), ("where length < 100", False)):
        program = load(RELAX.format(where=where))
        (grade,) = {array.grade for array in program.arrays if array.name == "distance"}
        assert (grade is Grade.EXACT) is exact, where


def test_it_is_told_where_params_are() -> None:
    text = text_of("param k : int32 = 3 where k > 0; param f : vertex set where f > 2;")
    told = dict(sections(load(text), Source("<text>", text)))
    assert told["param"] == [
        "k: an int32, with k > 0, 3 unless given",
        "f: a set of vertices, with f > 2, must be given",
    ]


@pytest.mark.parametrize(
    ("kind", "largest"), [("int32", 2**31 - 1), ("uint32", 2**32 - 1), ("int64", 2**63 - 1), ("uint64", 2**64 - 1)]
)
def test_the_largest_integer_is_called_inf(kind: str, largest: int) -> None:
    for limit, notes in (("inf", (f"{largest} is `inf`, the largest value of {kind}",)), (str(largest), ())):
        program = gdsl.compile(text_of(f"param most : {kind} where most < {limit};"))
        with pytest.raises(GdslError) as caught:
            program.run(PATH, {"most": largest}, backend="reference")
        assert caught.value.diagnostics[0].notes == notes
