"""What is a vertex, what is an edge, and what is `none`: the same on every backend and at both widths of ids."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import gdsl
from gdsl.backends.cuda import nvrtc, source_text
from gdsl.backends.interface import Limits, Outcome
from gdsl.backends.registry import get
from gdsl.binding import bind
from gdsl.graph import Graph
from gdsl.pipeline import load
from gdsl.types import Widths
from tests.emulator import build as emulator
from tests.emulator.running import build as emulated
from tests.emulator.running import device_for
from tests.support.graphs import make_graph

GRAPH = make_graph([(0, 1), (1, 2), (2, 0), (2, 1)], 3)
EDGELESS = make_graph([], 2)
WIDTHS = [32, 64]
NONE = -1

NUMBERS = [0, 1, 2, 3, 4, -1, -2, 2**31 - 1, 2**31, -(2**31), 2**32 - 2, 2**32 - 1, 2**32, 2**32 + 1, 2**62, -(2**63)]
"""Few of them are a vertex of a graph with 3, and fewer an edge of one without any."""


def run(backend: str, text: str, graph: Graph, bits: int, **given: Any) -> Outcome:
    if backend == "emulator":
        if emulator.compiler() is None:
            pytest.skip("no g++ on this machine")
        built = emulated(text, (f"schedule.ids={bits}",), widths=Widths.both(bits))
        return built.run(graph, bind(built.program, graph, given, id_bits=bits), device_for(1))
    program = load(text, (f"schedule.ids={bits}",))
    return get(backend).build(program, bits).run(graph, bind(program, graph, given, id_bits=bits), Limits())


backends = pytest.mark.parametrize("backend", ["reference", "cpu", "emulator"])
widths = pytest.mark.parametrize("bits", WIDTHS)

CASTS = """
program casts;
problem {
    param given : int64;
    input vertex given_to : int64;
    vertex functor_v : vertex;
    vertex functor_e : edge;
    vertex called : vertex;
    vertex unsigned : vertex;
    vertex narrow : vertex;
    vertex initial : vertex = vertex(given_to[id]);
    vertex initial_e : edge = edge(given_to[id]);
    vertex shown : int64;
    vertex from_given : vertex = vertex(given);
    scalar scheduled : vertex;
    scalar scheduled_e : edge = edge(given);
}
function made(x : int64) -> vertex { let y = vertex(x); return y; }
vertex functor cast(v) {
    apply {
        functor_v[v] = vertex(given_to[v]);
        functor_e[v] = edge(given_to[v]);
        called[v] = made(given_to[v]);
        unsigned[v] = vertex(uint64(given_to[v]));
        narrow[v] = vertex(int32(given_to[v]));
        shown[v] = int64(vertex(given_to[v]));
    }
}
schedule { compute(vertices, cast); scheduled = vertex(given); }
"""


@backends
@widths
@pytest.mark.parametrize("first", range(0, len(NUMBERS), 3))
@pytest.mark.sampled(5)
def test_a_cast_gives_an_id_of_the_graph_or_none(backend: str, bits: int, first: int) -> None:
    numbers = [NUMBERS[(first + step) % len(NUMBERS)] for step in range(3)]
    outcome = run(backend, CASTS, GRAPH, bits, given_to=numpy.array(numbers, numpy.int64), given=numbers[0])
    vertices = [number if 0 <= number < 3 else NONE for number in numbers]
    edges = [number if 0 <= number < 4 else NONE for number in numbers]
    wrapped = [(number + 2**31) % 2**32 - 2**31 for number in numbers]
    assert {name: array.tolist() for name, array in outcome.arrays.items()} == {
        "given_to": numbers,
        "functor_v": vertices,
        "functor_e": edges,
        "called": vertices,
        "unsigned": vertices,
        "narrow": [number if 0 <= number < 3 else NONE for number in wrapped],
        "initial": vertices,
        "initial_e": edges,
        "shown": vertices,
        "from_given": [vertices[0]] * 3,
    }
    assert outcome.scalars == {"scheduled": vertices[0], "scheduled_e": edges[0]}


@backends
@widths
def test_no_number_is_an_edge_of_a_graph_without_edges(backend: str, bits: int) -> None:
    outcome = run(backend, CASTS, EDGELESS, bits, given_to=numpy.array([0, 1], numpy.int64), given=0)
    assert outcome.arrays["functor_e"].tolist() == outcome.arrays["initial_e"].tolist() == [NONE, NONE]
    assert outcome.arrays["functor_v"].tolist() == [0, 1]
    assert outcome.scalars == {"scheduled": 0, "scheduled_e": NONE}


LITERALS = [2, 3, 2**31, 2**32 - 2, 2**32 - 1, 2**32, 2**32 + 1, 2**63 - 1]


@backends
@widths
@pytest.mark.sampled(3)
def test_a_cast_of_a_literal_is_a_cast(backend: str, bits: int) -> None:
    numbers = dict(enumerate(LITERALS))
    data = " ".join(f"vertex a{i} : vertex = vertex({n}); vertex b{i} : vertex; vertex c{i} : vertex;"
                    for i, n in numbers.items())  # fmt: skip
    text = f"""
    program p;
    problem {{ param origin : vertex = vertex(1); {data} }}
    function f(v : vertex) -> vertex {{ return v; }}
    vertex functor g(v) {{ apply {{
        {" ".join(f"b{i}[v] = vertex({n}); c{i}[v] = f(vertex({n}));" for i, n in numbers.items())}
    }} }}
    schedule {{ compute(vertices, g); {" ".join(f"b{i}[vertex(1)] = vertex(-{n});" for i, n in numbers.items())} }}
    """
    found = run(backend, text, GRAPH, bits).arrays
    for i, number in numbers.items():
        expected = number if number < 3 else NONE
        assert found[f"a{i}"].tolist() == found[f"c{i}"].tolist() == [expected] * 3, number
        assert found[f"b{i}"].tolist() == [expected, NONE, expected], number


COMPARED = [0, 2, 3, 2**31, 2**32 - 3, 2**32 - 2, 2**32 - 1, 2**32, 2**32 + 1, 2**63 - 1]


@pytest.mark.sampled(2)
@backends
@widths
def test_a_literal_in_a_comparison_may_be_any_number_and_none_is_greater(backend: str, bits: int) -> None:
    operations = ("<", "<=", ">", ">=", "==", "!=")
    declared = "".join(f"vertex left_{n} : int32; vertex right_{n} : int32; " for n in range(len(COMPARED)))
    lines = []
    for n, number in enumerate(COMPARED):
        tests = [f"(next[v] {operation} {number} ? {1 << i} : 0)" for i, operation in enumerate(operations)]
        lines.append(f"left_{n}[v] = {' + '.join(tests)};")
        tests = [f"({number} {operation} next[v] ? {1 << i} : 0)" for i, operation in enumerate(operations)]
        lines.append(f"right_{n}[v] = {' + '.join(tests)};")
    text = f"""
    program p;
    problem {{ input vertex next : vertex; {declared} }}
    vertex functor f(v) {{ apply {{ {" ".join(lines)} }} }}
    schedule {{ compute(vertices, f); }}
    """
    found = run(backend, text, GRAPH, bits, next=numpy.array([0, 2, NONE])).arrays
    for n, number in enumerate(COMPARED):
        values = [0, 2, float("inf")]
        assert found[f"left_{n}"].tolist() == [_compared(value, float(number)) for value in values], number
        assert found[f"right_{n}"].tolist() == [_compared(float(number), value) for value in values], number


def _compared(a: float, b: float) -> int:
    return sum(int(holds) << i for i, holds in enumerate((a < b, a <= b, a > b, a >= b, a == b, a != b)))


@backends
@widths
@pytest.mark.sampled(3)
def test_the_literal_of_a_closing_condition(backend: str, bits: int) -> None:
    """Taken by a compare-and-swap with the number of the comparison."""
    numbers = dict(enumerate([2, 2**32 - 1, 2**32, 2**32 + 2]))
    functors = "\n".join(
        f"edge functor visit{i}(src, dst, e) {{ cond seen{i}[dst] == {n}; apply {{ seen{i}[dst] = 0; }} }}"
        for i, n in numbers.items()
    )
    text = f"""
    program p;
    problem {{ {" ".join(f"vertex seen{i} : vertex = id;" for i in numbers)} }}
    {functors}
    schedule {{ {" ".join(f"advance(vertices, visit{i}, to=none);" for i in numbers)} }}
    """
    found = run(backend, text, GRAPH, bits).arrays
    for i, number in numbers.items():
        assert found[f"seen{i}"].tolist() == ([0, 1, 0] if number == 2 else [0, 1, 2]), number


PLACES = {
    "initial value": ("vertex b : vertex = {n};", "", ""),
    "initial choice": ("vertex b : vertex = id == 0 ? {n} : id;", "", ""),
    "scalar": ("scalar s : vertex = {n};", "", ""),
    "edge": ("vertex b : edge = {n};", "", ""),
    "where": ("input vertex b : vertex where min(b, {n}) == b;", "", ""),
    "stored": ("", "apply {{ a[v] = {n}; }}", ""),
    "argument": ("", "apply {{ a[v] = min(v, {n}); }}", ""),
    "let": ("", "apply {{ let x : vertex = {n}; a[v] = x; }}", ""),
    "choice": ("", "apply {{ a[v] = v == 1 ? v : {n}; }}", ""),
    "function": ("", "apply {{ a[v] = same({n}); }}", ""),
    "degree": ("", "cond out_degree({n}) > 0;", ""),
    "cas": ("", "apply {{ if (cas(a[v], {n}, v)) {{ }} }}", ""),
    "reduction": ("", "apply {{ a[v] min= {n}; }}", ""),
    "any": ("", "apply {{ a[v] any= {n}; }}", ""),
    "frontier": ("", "", "frontier q = {{ 0, {n} }};"),
    "fill": ("", "", "fill(a, {n});"),
    "scheduled": ("scalar s : vertex;", "", "s = {n};"),
}


def with_literal(place: str, number: int) -> str:
    data, functor, schedule = (part.format(n=number) for part in PLACES[place])
    return f"""
    program p;
    problem {{ vertex a : vertex; vertex kept : vertex; {data} }}
    function same(v : vertex) -> vertex {{ return v; }}
    vertex functor f(v) {{ {functor} }}
    schedule {{ compute(vertices, f); {schedule} }}
    """


@pytest.mark.parametrize("number", [5, 2**31, 2**32 - 2, 2**32 - 1, 2**32, 2**32 + 1, 2**63 - 1])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.sampled(6)
def test_a_literal_that_is_no_vertex_is_an_error_before_the_run(place: str, number: int) -> None:
    text = with_literal(place, number)
    given = {"b": numpy.zeros(3, numpy.int32)} if place == "where" else {}
    for bits in WIDTHS:
        with pytest.raises(gdsl.GdslError) as caught:
            gdsl.compile(text, tune=(f"schedule.ids={bits}",)).run(GRAPH, given, backend="reference")
        (problem,) = caught.value.diagnostics
        kind = "edge" if place == "edge" else "vertex"
        assert (problem.code, str(number) in problem.message, kind in problem.message) == ("E0612", True, True)
        lines = text.splitlines()
        assert problem.span is not None
        assert lines[problem.span.line - 1][problem.span.column - 1 :].startswith(str(number))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.sampled(10)
def test_a_literal_that_is_a_vertex_runs(place: str) -> None:
    given = {"b": numpy.zeros(3, numpy.int32)} if place == "where" else {}
    gdsl.compile(with_literal(place, 2)).run(GRAPH, given, backend="cpu")


@pytest.mark.parametrize("number", ["-1", "-5", str(2**63), str(2**64), str(10**30)])
@pytest.mark.parametrize("place", PLACES)
def test_a_literal_that_is_no_vertex_of_any_graph_is_an_error_of_the_text(place: str, number: str) -> None:
    data, functor, schedule = PLACES[place]
    text = with_literal(place, 0).replace(data.format(n=0), data.format(n=number)) if data else with_literal(place, 0)
    text = text.replace(functor.format(n=0), functor.format(n=number)) if functor else text
    text = text.replace(schedule.format(n=0), schedule.format(n=number)) if schedule else text
    with pytest.raises(gdsl.GdslError) as caught:
        load(text)
    assert caught.value.code == "E0208"


BEYOND = [3, 2**32 - 2, 2**32 - 1, 2**32, 2**32 + 1, 2**62]


@backends
@widths
@pytest.mark.parametrize("functor", [True, False])
@pytest.mark.sampled(4)
def test_an_index_is_checked_where_it_is_used(backend: str, bits: int, functor: bool) -> None:
    """One program has them all and uses one, or none."""
    use = "a[v] = b[{}];" if functor else "a[{}] = 1;"
    uses = " ".join(f"if (used == {i}) {{ {use.format(number)} }}" for i, number in enumerate(BEYOND))
    text = f"""
    program p;
    problem {{ param used : int32; vertex a : int32; vertex b : int32; }}
    vertex functor f(v) {{ apply {{ {uses if functor else ""} }} }}
    schedule {{ compute(vertices, f); {"" if functor else uses} }}
    """
    for i, number in enumerate(BEYOND):
        with pytest.raises(gdsl.GdslError, match=f"index {number} ") as caught:
            run(backend, text, GRAPH, bits, used=i)
        assert caught.value.code == "E0801"
    assert run(backend, text, GRAPH, bits, used=-1).arrays["a"].tolist() == [0, 0, 0]


INDICES = [("int64", -1), ("int64", -2), ("int64", 5), ("int64", -(2**63)), ("int32", -1), ("uint32", 2**32 - 1)]
INDICES += [("uint32", 7), ("uint64", 2**63), ("uint64", 2**64 - 1), ("vertex", None)]
USES = [
    "b[v] = a[at[v]];",
    "a[at[v]] min= 1;",
    "let x = fetch(a[at[v]] += 1);",
    "if (cas(a[at[v]], 0, 1)) { b[v] = 1; }",
]


@backends
@widths
@pytest.mark.parametrize(("kind", "value"), INDICES)
@pytest.mark.sampled(33)
def test_a_wrong_index_is_named_alike_by_every_backend(backend: str, bits: int, kind: str, value: int | None) -> None:
    """Its value as its type has it, how many elements there are, and the place of the index itself."""
    at = numpy.array([-1 if value is None else value], numpy.int64 if value is None else kind)
    for use in USES if backend == "reference" or (backend, value) == ("cpu", -1) else USES[:1]:
        text = f"""program p; problem {{ vertex a : int32; vertex b : int32; input vertex at : {kind}; }}
vertex functor f(v) {{ apply {{ {use} }} }}
schedule {{ compute(vertices, f); }}"""
        with pytest.raises(gdsl.GdslError) as caught:
            run(backend, text, make_graph([], 1), bits, at=at)
        [problem] = caught.value.diagnostics
        shown = "none" if value is None else value
        assert problem.message == f"index {shown} of `a` is out of range: there is 1 element, counted from 0"
        assert problem.span is not None
        assert (problem.span.line, problem.span.column) == (2, text.split("\n")[1].index("at[v]") + 1)


@backends
def test_a_wrong_member_of_a_set_is_named_alike_by_every_backend(backend: str) -> None:
    text = "program p; problem { scalar s : vertex; }\nschedule { frontier f = { 0, s }; }"
    with pytest.raises(gdsl.GdslError, match="index none of `f` is out of range: there are 3 elements"):
        run(backend, text, GRAPH, 32)


def test_every_literal_that_is_no_vertex_is_reported() -> None:
    text = "program p; problem { vertex a : vertex = 7; } schedule { frontier f = { 0, 8, 2, 9 }; }"
    with pytest.raises(gdsl.GdslError) as caught:
        gdsl.compile(text)(GRAPH, backend="reference")
    assert [problem.message.split()[0] for problem in caught.value.diagnostics] == ["7", "8", "9"]


def test_the_default_of_a_param_counts_only_where_it_is_taken() -> None:
    program = gdsl.compile("program p; problem { param s : vertex = 7; vertex a : vertex = s; } schedule { }")
    assert program(GRAPH, s=1, backend="reference").a.tolist() == [1, 1, 1]
    with pytest.raises(gdsl.GdslError) as caught:
        program(GRAPH, backend="reference")
    assert caught.value.code == "E0604"


@pytest.mark.parametrize("fuse", ["on", "off"])
@widths
def test_nvrtc_compiles_casts_and_comparisons(bits: int, fuse: str) -> None:
    pytest.importorskip("cupy_backends", reason="CuPy, which brings the way to NVRTC, is not installed: gdsl[cuda13]")
    text = CASTS.replace("int64(vertex(given_to[v]))", f"v < {2**32 + 3} ? 1 : 0")
    cubin = nvrtc.compile_to_cubin(source_text(load(text, (f"schedule.fuse={fuse}",)), bits), "sm_90")
    assert cubin.startswith(b"\x7fELF")
