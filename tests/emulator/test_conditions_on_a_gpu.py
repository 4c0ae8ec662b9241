"""The `where` of inputs that lie in a GPU's memory: one kernel says the same as NumPy does of the same values."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.binding import device_conditions
from tests.support.graphs import make_graph, path

from .build import compiler
from .fake_cupy import FakeCupy, FakeEvent, install

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

NAN, INF = float("nan"), float("inf")
NUMBERS = {
    "bool": [True, False],
    "int32": [0, 1, -1, 5, 2**31 - 1, -(2**31)],
    "uint32": [0, 1, 5, 2**32 - 1],
    "int64": [0, 1, -1, 5, 2**63 - 1, -(2**63)],
    "uint64": [0, 1, 5, 2**64 - 1],
    "float32": [0.0, -0.0, 1.0, 0.1, -5.5, INF, -INF, NAN, 1e-45],
    "float64": [0.0, -0.0, 1.0, 0.1, -5.5, INF, -INF, NAN, 5e-324],
}
CONDITIONS = [
    ("bool", "x"),
    ("bool", "!x"),
    *((kind, "x >= 0") for kind in NUMBERS if kind != "bool"),
    *((kind, "x < inf") for kind in NUMBERS if kind != "bool"),
    *((kind, "x == limit") for kind in NUMBERS if kind != "bool"),
    *((kind, "x > 0 && x <= limit || x == 0") for kind in NUMBERS if kind != "bool"),
    *((kind, "!(abs(x) > limit)") for kind in ("float32", "float64")),
    ("float32", "x != 0.1"),
    ("float64", "x != 0.1"),
    ("float64", " && ".join(f"x != {number}.5" for number in range(40))),
]
OTHERS = ["x * 2 < 5", "x >= int32(id)", "x > out_degree(id)", "min(x, 3) >= 0"]


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> FakeCupy:
    device_conditions._kernel.cache_clear()
    yield install(monkeypatch)
    device_conditions._kernel.cache_clear()


def program(kind: str, condition: str) -> gdsl.Program:
    limit = "bool" if kind == "bool" else kind
    return gdsl.compile(
        f"program p; problem {{ param limit : {limit}; input vertex y : int32; "
        f"input vertex x : {kind} where {condition}; "
        "vertex a : int32; } schedule { }",
        tune=["schedule.block=32"],
    )


def verdict(compiled: gdsl.Program, graph: gdsl.Graph, backend: str, **values: object) -> str:
    try:
        compiled(graph, backend=backend, **values)
    except gdsl.GdslError as error:
        return str(error)
    return "all right"


@pytest.mark.parametrize(("kind", "condition"), CONDITIONS)
@pytest.mark.sampled(5)
def test_a_kernel_says_what_numpy_says(cupy: FakeCupy, kind: str, condition: str) -> None:
    compiled, said = program(kind, condition), set()
    for length in (1, 3, 301, 5002):
        graph = make_graph(path(length), length)
        for number in NUMBERS[kind]:
            given = np.full(length, np.array(NUMBERS[kind], kind)[-1 if length > 3 else 0])
            given[length // 3 :: max(length // 2, 1)] = np.array(number, kind)
            values = {"limit": True if kind == "bool" else 1, "y": np.zeros(length, np.int32)}
            wanted = verdict(compiled, graph, "reference", x=given, **values)
            cupy.log.clear()
            whole = cupy.asarray(np.concatenate([np.zeros(length % 4, kind), given]))
            assert verdict(compiled, graph, "cuda", x=whole.without(length % 4), **values) == wanted
            assert cupy.log["raw kernel"] == 1
            said.add(wanted == "all right")
    assert said


@pytest.mark.parametrize("condition", OTHERS)
def test_what_is_not_plain_is_left_to_others(cupy: FakeCupy, condition: str) -> None:
    (array,) = (array for array in program("int32", condition).ir.arrays if array.where is not None)
    given = cupy.asarray(np.zeros(3, np.int32))
    assert device_conditions.start_test("x", array.where, given, {"limit": 1}) is None
    assert cupy.log["raw kernel"] == 0


@pytest.mark.parametrize("backend", ["cuda", "cpu", "reference"])
def test_what_the_caller_vouches_for_is_not_looked_at(cupy: FakeCupy, backend: str) -> None:
    graph, compiled = make_graph(path(3), 3), program("float32", "x >= limit")
    values = {"limit": 1, "y": np.zeros(3, np.int32)}
    given = np.array([1, 0, 2], np.float32)
    assert "vertex 1 has 0.0" in verdict(compiled, graph, backend, x=given, **values)
    assert verdict(compiled, graph, backend, x=gdsl.unchecked(given), **values) == "all right"
    assert verdict(compiled, graph, backend, x=gdsl.unchecked([1, 0, 2]), **values) == "all right"
    assert "E0606" in verdict(compiled, graph, backend, x=gdsl.unchecked(given[:2]), **values)
    assert "E0607" in verdict(compiled, graph, backend, x=gdsl.unchecked(np.zeros(3, complex)), **values)
    assert "E0603" in verdict(compiled, graph, backend, x=given, **{**values, "limit": gdsl.unchecked(1)})


def test_several_kernels_are_waited_for_together(cupy: FakeCupy) -> None:
    """Two that test alike, and what is no kernel's between them: the first input that does not do is told, whichever
    way its condition is tested, and no answer is taken for another or for that of a call before."""
    graph = make_graph(path(5), 5)
    compiled = gdsl.compile(
        "program p; problem { input vertex x : int32 where x >= 0; input vertex y : int32 where y * 2 < 9; "
        "input vertex z : int32 where z >= 0; vertex a : int32; } "
        "vertex functor f(v) { apply { a[v] = x[v] + y[v] + z[v]; } } schedule { compute(vertices, f); }",
        tune=["schedule.block=32"],
    )
    good = np.arange(5, dtype=np.int32)
    cases = {"": (), "x` must": (("x", 3),), "y` must": (("y", 1),), "z` must": (("z", 0),)}
    cases |= {
        "input `x` ": (("x", 4), ("z", 2)),
        "input `y` ": (("y", 2), ("z", 1)),
        "vertex 3 has": (("x", 3), ("y", 0)),
    }
    for said, wrong in (*cases.items(), ("", ()), ("", ())):
        values = {name: good.copy() for name in "xyz"}
        for name, place in wrong:
            values[name][place] = 77 if name == "y" else -1
        on_device = {name: cupy.asarray(value) for name, value in values.items() if name != "y"}
        cupy.log.clear()
        if said:
            assert said in verdict(compiled, graph, "cuda", y=values["y"], **on_device)
            assert cupy.log["launch"] == 0
        else:
            result = compiled(graph, backend="cuda", y=values["y"], **on_device)
            assert result.a.get().tolist() == (3 * good).tolist()
            assert (cupy.log["raw kernel"], cupy.log["launch"]) == (2, 1)


def test_whoever_stops_waiting_leaves_nothing_behind(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C while a kernel tests: its answer is not asked for any more, and the next call has one of its own."""
    graph, compiled = make_graph(path(3), 3), program("int32", "x >= 0")
    values = {"limit": 1, "y": np.zeros(3, np.int32)}
    compiled(graph, backend="cuda", x=cupy.asarray(np.zeros(3, np.int32)), **values)

    def interrupted(event: FakeEvent) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(FakeEvent, "done", property(interrupted, lambda event, value: None), raising=False)
        with pytest.raises(KeyboardInterrupt):
            compiled(graph, backend="cuda", x=cupy.asarray(np.full(3, -1, np.int32)), **values)
    assert verdict(compiled, graph, "cuda", x=cupy.asarray(np.zeros(3, np.int32)), **values) == "all right"
    assert "vertex 1 has -1" in verdict(
        compiled, graph, "cuda", x=cupy.asarray(np.array([0, -1, 2], np.int32)), **values
    )
