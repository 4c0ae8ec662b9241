"""Params, inputs, `where` and `requires`, checked before a run."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.binding import Text, bind
from gdsl.program_files import read_source


def bound(problem: str, graph: gdsl.Graph, *, functions: str = "", requires: str = "", **values: object):
    problem = f"problem {{ {problem} vertex out : int32 = 0; }}"
    text = f'"""A program."""\nprogram p;\n{requires}\n{problem}\n{functions}\nschedule {{ }}\n'
    program = gdsl.compile(text)
    return bind(program.ir, graph, values, read_source(text))


def refusal(*arguments: str, **values: object) -> gdsl.GdslError:
    with pytest.raises(gdsl.GdslError) as caught:
        bound(*arguments, **values)
    return caught.value


@pytest.fixture
def graph() -> gdsl.Graph:
    return gdsl.Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 0], num_vertices=3, weights=[4.0, 0.5, 2.0, 1.0])


@pytest.mark.parametrize(
    ("type_name", "given", "expected"),
    [
        ("int32", 5, 5),
        ("int32", np.int64(-5), -5),
        ("int32", Text(" 7 "), 7),
        ("uint64", 2**64 - 1, 2**64 - 1),
        ("float32", 0.1, float(np.float32(0.1))),
        ("float64", 3, 3.0),
        ("float64", Text("inf"), float("inf")),
        ("bool", True, True),
        ("bool", Text("off"), False),
        ("bool", np.bool_(True), True),
        ("vertex", 2, 2),
        ("edge", np.int32(3), 3),
    ],
)
def test_values_of_params(graph, type_name, given, expected):
    value = bound(f"param x : {type_name};", graph, x=given).params["x"]
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("type_name", "given", "code"),
    [
        ("int32", 2**31, "E0603"),
        ("uint32", -1, "E0603"),
        ("int32", 1.0, "E0603"),
        ("int32", True, "E0603"),
        ("int32", "1", "E0603"),
        ("int32", None, "E0603"),
        ("int32", [1], "E0603"),
        ("int32", Text("0x10"), "E0603"),
        ("float32", 1e300, "E0603"),
        ("float64", "much", "E0603"),
        ("bool", 1, "E0603"),
        ("bool", Text("maybe"), "E0603"),
        ("vertex", 3, "E0604"),
        ("vertex", -1, "E0604"),
        ("edge", 4, "E0604"),
    ],
)
def test_values_that_params_refuse(graph, type_name, given, code):
    error = refusal(f"param x : {type_name};", graph, x=given)
    assert error.code == code
    assert "`x`" in str(error)


def test_defaults(graph):
    params = bound("param a : int32 = -7; param b : float32 = 0.1; param c : int64 = 5;", graph, c=6).params
    assert params == {"a": -7, "b": pytest.approx(0.1), "c": 6}


def test_a_default_of_none_is_named(graph):
    error = refusal("param x : vertex = none;", graph)
    assert error.code == "E0604"
    assert "param `x` is none, which is not a vertex" in str(error) and "fix: give `x` a value" in str(error)


def test_every_missing_and_unknown_name_is_reported(graph):
    error = refusal("param first : int32; param second : vertex;", graph, frist=1)
    assert [diagnostic.code for diagnostic in error.diagnostics] == ["E0602", "E0601", "E0601"]
    assert "did you mean `first`?" in str(error)


def test_vertex_param_of_an_empty_graph():
    empty = gdsl.Graph.from_edges([], [], num_vertices=0)
    assert "has no vertices" in str(refusal("param x : vertex;", empty, x=0))


@pytest.mark.parametrize(
    ("type_name", "given", "dtype"),
    [
        ("float32", [1, 2, 3], "float32"),
        ("float32", np.array([0.1, 0.2, np.inf]), "float32"),
        ("float64", np.float32([1, 2, 3]), "float64"),
        ("int32", np.array([1, 2, 3], dtype=np.uint64), "int32"),
        ("uint32", [0, 1, 2**32 - 1], "uint32"),
        ("bool", [True, False, True], "bool"),
        ("vertex", [2, -1, 0], "int32"),
        ("int64", np.arange(6)[::2], "int64"),
    ],
)
def test_arrays(graph, type_name, given, dtype):
    values = bound(f"input vertex x : {type_name};", graph, x=given).inputs["x"]
    assert values.dtype.name == dtype
    assert values.flags.c_contiguous
    np.testing.assert_array_equal(values, np.asarray(given, dtype=dtype))


@pytest.mark.parametrize(
    ("type_name", "given", "code"),
    [
        ("float32", [1, 2], "E0606"),
        ("float32", [[1, 2, 3]], "E0606"),
        ("float32", 1.0, "E0606"),
        ("float32", [True, False, True], "E0607"),
        ("float32", ["a", "b", "c"], "E0607"),
        ("float32", [1, "b", None], "E0607"),
        ("float32", [[1], [2, 3], []], "E0607"),
        ("float32", [1, 1e300, 0], "E0607"),
        ("int32", [1.0, 2.0, 3.0], "E0607"),
        ("int32", [1, 2**31, 3], "E0607"),
        ("uint32", [1, -1, 3], "E0607"),
        ("bool", [0, 1, 0], "E0607"),
        ("float64", [1j, 0, 0], "E0607"),
        ("vertex", [0, 3, 1], "E0604"),
        ("vertex", [0, -2, 1], "E0604"),
        ("float32", object(), "E0607"),
    ],
)
def test_arrays_that_are_refused(graph, type_name, given, code):
    error = refusal(f"input vertex x : {type_name};", graph, x=given)
    assert error.code == code, str(error)
    assert "`x`" in str(error)


def test_an_array_of_objects_is_called_so(graph):
    error = refusal("input vertex x : float32;", graph, x=np.array([1, 2, 2.5], dtype=object))
    assert "but an array of objects" in str(error) and ".astype('float32')" in str(error)


@pytest.mark.parametrize(
    ("type_name", "given", "words", "convert"),
    [
        ("int32", np.array([1.0, 2.0, 3.0]), ".astype('int32')", lambda x: x.astype("int32")),
        ("int32", [1.0, 2.0, 3.0], "np.asarray(x, 'int32')", lambda x: np.asarray(x, "int32")),
        ("float64", np.array(["1", "2.5", "3"]), ".astype('float64')", lambda x: x.astype("float64")),
        ("float64", np.array(["1", "two", "3"]), None, None),
        ("float64", np.array([1, 2, "x"], dtype=object), None, None),
        ("float64", np.array([1, 2, 3j]), None, None),
    ],
)
def test_a_conversion_that_is_suggested_works(graph, type_name, given, words, convert):
    declaration = f"input vertex x : {type_name};"
    [one] = refusal(declaration, graph, x=given).diagnostics
    assert one.fix == (None if words is None else f"convert the array, for example by {words}")
    if convert is not None:
        bound(declaration, graph, x=convert(given))


def test_attributes_of_the_graph_are_inputs(graph):
    weights = bound("input edge weight : float32;", graph).inputs["weight"]
    assert weights.tolist() == [4.0, 0.5, 2.0, 1.0]
    assert bound("input edge weight : float32;", graph, weight=[1, 2, 3, 4]).inputs["weight"].tolist() == [1, 2, 3, 4]
    assert "--weights" in str(refusal("input edge weight : float32;", gdsl.Graph.from_edges([0], [1])))


@pytest.mark.parametrize("type_name", ["float32", "uint64", "bool", "vertex"])
def test_a_graph_without_edges_needs_no_values_of_edges(type_name):
    without = gdsl.Graph.from_edges([], [], num_vertices=3)
    assert bound(f"input edge weight : {type_name};", without).inputs["weight"].shape == (0,)
    assert refusal(f"input edge weight : {type_name};", without, weight=[1]).code == "E0606"
    assert refusal(f"input vertex seed : {type_name};", without).code == "E0605"
    assert bound(f"input vertex seed : {type_name};", gdsl.Graph.from_edges([], [])).inputs["seed"].shape == (0,)


@pytest.mark.parametrize(
    ("condition", "given", "offender"),
    [
        ("x >= 0", [0.0, -0.0, 1.0], None),
        ("x >= 0", [0.0, -1.0, -2.0], "vertex 1 has -1.0"),
        ("x >= 0", [0.0, 1.0, np.nan], "vertex 2 has nan"),
        ("x < 0 || x >= 0", [0.0, np.nan, np.nan], "vertex 1 has nan"),
        ("x <= limit", [0.0, 5.0, 6.0], "vertex 2 has 6.0"),
        ("x * 2 < 9 && x != 1", [4.0, 1.0, 5.0], "vertex 1 has 1.0"),
        ("x > float32(out_degree(id))", [3.0, 2.0, 1.0], "vertex 2 has 1.0"),
        ("(x > 2 ? x < 4 : true)", [1.0, 3.0, 4.0], "vertex 2 has 4.0"),
        ("min(abs(x), 2.0) == 2", [-3.0, 2.0, 1.0], "vertex 2 has 1.0"),
        ("even(x)", [2.0, 4.0, 3.0], "vertex 2 has 3.0"),
        ("small(x)", [2.0, 4.0, 30.0], "vertex 2 has 30.0"),
    ],
)
def test_where(graph, condition, given, offender):
    functions = """
    function even(a: float32) -> bool { let half = int32(a) // 2; return half * 2 == int32(a); }
    function small(a: float32) -> bool { for i in 0..10 { if (a < float32(i)) { return true; } } return false; }
    """
    problem = f"param limit : float32 = 5; input vertex x : float32 where {condition};"
    if offender is None:
        bound(problem, graph, functions=functions, x=given)
        return
    error = refusal(problem, graph, functions=functions, x=given)
    assert error.code == "E0608"
    assert offender in str(error)
    assert condition.strip("()") in str(error)


def test_where_on_edges_names_the_ends(graph):
    error = refusal("input edge weight : float32 where weight >= 1;", graph)
    assert "edge 1 (0 -> 2) has 0.5" in str(error)


def test_requirements(graph):
    triangle = gdsl.Graph.from_edges([0, 1, 2], [1, 2, 0], directed=False)
    bound("", triangle, requires="requires symmetric, simple;")
    error = refusal("", graph, requires="requires symmetric;")
    assert error.code == "E0609"
    assert "0 -> 1" in str(error)
    loop = gdsl.Graph.from_edges([0, 1], [1, 1], directed=False)
    assert "1 -> 1 is a self-loop" in str(refusal("", loop, requires="requires simple;"))
    double = gdsl.Graph.from_edges([0, 0], [1, 1])
    assert "parallel edge" in str(refusal("", double, requires="requires simple;"))


def test_what_is_the_graphs_own_is_converted_and_tested_once(graph, monkeypatch):
    from gdsl.binding.conditions import WhereChecker

    tested: list[str] = []
    test = WhereChecker._test
    monkeypatch.setattr(
        WhereChecker,
        "_test",
        lambda self, declared, *edges: (tested.append(declared.name), test(self, declared, *edges)),
    )
    problem = "param least : float32 = 0; input edge weight : float32 where weight >= least;"
    first, second = (bound(problem, graph).inputs["weight"] for _ in range(2))
    assert first is second
    assert tested == ["weight"]
    refusal(problem, graph, least=1)
    refusal(problem, graph, least=1)
    bound(problem, graph, weight=[1, 2, 3, 4])
    bound(problem, graph, weight=[1, 2, 3, 4])
    assert tested == ["weight"] * 5
