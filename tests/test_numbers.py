"""`number(f)`: forms and mistakes, and sets of many sizes on every backend."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.binding.graph_checks import check_numbers
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes
from gdsl.pipeline import load
from tests.support.graphs import make_graph, path

BACKENDS = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]

DATA = """program p;
problem {
    param every : int32 = 1; scalar s : int64; vertex a : int64 = -1; vertex real : float32; vertex who : vertex;
    edge b : int64 = -1; input vertex given : int32; vertex small : int32;
}
vertex functor some(v) { cond int32(v) % every == 0; }
edge functor odd(src, dst, e) { cond int32(e) % every == 0; }
"""


@pytest.mark.parametrize("every", [1, 2, 7, 1000])
@pytest.mark.parametrize("count", [1, 31, 32, 33, 1023, 1024, 1025, 5000])
@pytest.mark.parametrize("backend", BACKENDS)
def test_places(backend: str, count: int, every: int) -> None:
    """Around the sizes of words and of what is counted together."""
    if backend == "reference" and count > 1100:
        pytest.skip("slow")
    text = DATA.replace("input vertex given : int32;", "") + (
        "schedule { a = number(where(some)); b = number(filter(edges, odd)); }"
    )
    result = gdsl.compile(text).run(make_graph(path(count), count), {"every": every}, backend=backend).host_arrays()
    for name, length in (("a", count), ("b", count - 1)):
        chosen = np.arange(length) % every == 0
        expected = np.where(chosen, np.cumsum(chosen) - 1, -1)
        assert result[name].tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("schedule", "code", "words"),
    [
        ("a = number();", "E0402", "`number` takes one frontier"),
        ("a = number(vertices, 1);", "E0402", "`number` takes one frontier"),
        ("a = number(f=vertices);", "E0402", "`number` takes no argument `f=`"),
        ("a = number(vertices) @x;", "E0402", "only operators have labels"),
        ("real = number(vertices);", "E0205", "`real` is float32"),
        ("who = number(vertices);", "E0205", "`who` is vertex"),
        ("b = number(vertices);", "E0416", "`b` is over edges"),
        ("a = number(edges);", "E0416", "`a` is over vertices"),
        ("given = number(vertices);", "E0214", "it is an input"),
        ("s = number(vertices);", "E0404", "`number` is not allowed here"),
        ("frontier f = number(vertices);", "E0404", "`number` is not allowed here"),
        ("number(vertices);", "E0404", "`number` is not allowed here"),
        ("a = number(s);", "E0403", "`s` is a scalar, not a frontier"),
    ],
)
def test_refused(schedule: str, code: str, words: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(f"{DATA}schedule {{ {schedule} }}")
    (found,) = caught.value.diagnostics
    assert (found.code, words in found.message) == (code, True), found.message


def test_a_declared_name_wins() -> None:
    own = "function number(x : int64) -> int64 { return x + 1; }\n"
    (step,) = load(f"{DATA}{own}schedule {{ s = number(s); }}").schedule
    assert isinstance(step, nodes.StoreScalar)
    assert load("program p; problem { vertex number : int32; } schedule { fill(number, 3); }").schedule
    with pytest.raises(GdslError, match="E0204"):
        load(f"{DATA}{own}schedule {{ a = number(vertices); }}")


def test_arrays_that_are_too_narrow() -> None:
    """An int32 array on a graph with more than 2^31 vertices."""

    class Huge:
        num_vertices = 2**31 + 1
        num_edges = 2**33

    for schedule, fits in (("small = number(vertices);", False), ("a = number(vertices);", True)):
        program = load(f"{DATA}schedule {{ {schedule} }}")
        if fits:
            check_numbers(program, Huge(), None)  # type: ignore[arg-type]
            continue
        with pytest.raises(GdslError) as caught:
            check_numbers(program, Huge(), None)  # type: ignore[arg-type]
        assert caught.value.code == "E0613"
