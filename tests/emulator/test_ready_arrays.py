"""Arrays of CuPy that a call takes as they are, and those that only seem so; the emulator takes CuPy's place."""

from __future__ import annotations

import gc
import importlib
import weakref
from typing import Any

import numpy
import pytest

import gdsl
from gdsl.binding import device_conditions
from tests.support.clock import Clock
from tests.support.graphs import make_graph, path

from .build import compiler
from .fake_cupy import FakeArray, FakeCupy

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

COUNT = 40
SMALL = ["schedule.block=64"]


def on_device(cupy: FakeCupy, values: Any, dtype: str = "float32") -> FakeArray:
    found: FakeArray = cupy.asarray(numpy.asarray(values, dtype))
    return found


def distance(program: gdsl.Program, graph: gdsl.Graph, weight: Any) -> list[float]:
    found = program(graph, source=0, weight=weight, backend="cuda")["distance"]
    return [float(value) for value in found.get()]


@pytest.fixture
def once(cupy: FakeCupy) -> tuple[gdsl.Program, gdsl.Graph, FakeArray]:
    """A program, a graph, and weights with which it was called."""
    program, graph = gdsl.compile("sssp", tune=SMALL), make_graph(path(COUNT), COUNT)
    weight = on_device(cupy, numpy.ones(graph.num_edges))
    distance(program, graph, weight)
    return program, graph, weight


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The arrays that were looked at as a whole, call by call."""
    looked: list[Any] = []
    binding: Any = importlib.import_module("gdsl.binding.bind")  # the package has a function of this name
    whole = binding.is_ready

    def noted(array: Any, given: Any, graph: gdsl.Graph) -> bool:
        looked.append(given)
        return bool(whole(array, given, graph))

    monkeypatch.setattr(binding, "is_ready", noted)
    return looked


def test_the_array_of_the_last_call_is_not_looked_at_again(cupy: FakeCupy, asked: list[Any]) -> None:
    program, graph = gdsl.compile("sssp", tune=SMALL), make_graph(path(COUNT), COUNT)
    ones, twos = (on_device(cupy, numpy.full(graph.num_edges, value)) for value in (1.0, 2.0))
    expected = {id(ones): [float(v) for v in range(COUNT)], id(twos): [2.0 * v for v in range(COUNT)]}
    for given in (ones, ones, twos, twos, ones):
        assert distance(program, graph, given) == expected[id(given)]
    assert [id(each) for each in asked] == [id(ones), id(twos), id(ones)]
    ones.set(numpy.full(graph.num_edges, 3.0))
    assert distance(program, graph, gdsl.unchecked(ones)) == [3.0 * v for v in range(COUNT)]
    assert len(asked) == 3


def test_what_must_hold_of_an_array_is_tested_again_in_each_call(
    once: tuple[gdsl.Program, gdsl.Graph, FakeArray],
) -> None:
    program, graph, weight = once
    weight.set(numpy.full(graph.num_edges, -1.0))
    with pytest.raises(gdsl.GdslError) as caught:
        distance(program, graph, weight)
    assert caught.value.code == "E0608"


def test_of_another_graph_and_in_another_shape_it_is_looked_at(
    once: tuple[gdsl.Program, gdsl.Graph, FakeArray],
) -> None:
    program, graph, weight = once
    with pytest.raises(gdsl.GdslError) as caught:
        distance(program, make_graph(path(COUNT + 1), COUNT + 1), weight)
    assert caught.value.code == "E0606"
    weight.shape, weight.ndim = (1, graph.num_edges), 2  # type: ignore[assignment]
    with pytest.raises(gdsl.GdslError) as caught:
        distance(program, graph, weight)
    assert caught.value.code == "E0606"


def test_an_array_is_not_kept_for_the_next_call(cupy: FakeCupy) -> None:
    program, graph = gdsl.compile("sssp", tune=SMALL), make_graph(path(COUNT), COUNT)
    weight = on_device(cupy, numpy.ones(graph.num_edges))
    gone = weakref.ref(weight)
    distance(program, graph, weight)
    del weight
    gc.collect()
    assert gone() is None
    assert distance(program, graph, on_device(cupy, numpy.full(graph.num_edges, 2.0))) == [
        2.0 * v for v in range(COUNT)
    ]


def test_an_array_is_let_go_where_the_time_is_over_while_it_is_tested(
    cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, graph = gdsl.compile("sssp", tune=SMALL), make_graph(path(COUNT), COUNT)
    weight = on_device(cupy, numpy.ones(graph.num_edges))
    gone = weakref.ref(weight)
    started, clock = device_conditions.start_test, Clock(monkeypatch)

    def late(*given: Any) -> Any:
        verdict = started(*given)
        clock.advance(91)
        return verdict

    monkeypatch.setattr(device_conditions, "start_test", late)
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(gdsl.GdslError) as caught:
            program(graph, source=0, weight=weight, backend="cuda", timeout=90)
        assert caught.value.code == "E0802"
        del weight, caught
        assert gone() is None
    finally:
        gc.enable()


def test_other_types_are_converted_in_each_call(cupy: FakeCupy, asked: list[Any]) -> None:
    program, graph = gdsl.compile("sssp", tune=SMALL), make_graph(path(COUNT), COUNT)
    weight = on_device(cupy, numpy.ones(graph.num_edges), "float32")
    host = numpy.full(graph.num_edges, 4.0)
    assert (
        distance(program, graph, host)
        == distance(program, graph, gdsl.unchecked(host))
        == [4.0 * v for v in range(COUNT)]
    )
    assert distance(program, graph, weight) == [float(v) for v in range(COUNT)]
    assert len(asked) == 3
