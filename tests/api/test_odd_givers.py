"""What a caller gives by objects that change, or that raise whatever they like where they are looked at."""

from __future__ import annotations

import inspect
import sys
import threading
import types
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from typing import Any

import networkx as nx
import numpy as np
import pytest

import gdsl
from gdsl.graph import rmat

PARENTS = """
program parents;
problem { input vertex parent : vertex;  vertex q : vertex; }
schedule { compute(vertices, v => { q[v] = parent[v]; }); }
"""
MEMBERS = """
program members;
problem { param chosen : vertex set;  vertex inside : bool; }
schedule { compute(chosen, v => { inside[v] = true; }); }
"""
BACKENDS = ["cpu", "reference"]


@pytest.fixture(scope="module")
def bfs() -> gdsl.Program:
    return gdsl.compile("bfs")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("others", [[10**6] * 16, [-5] * 16, [7] * 16, [], ["no"] * 16])
def test_a_list_that_changes_while_its_runs_go_on(bfs: gdsl.Program, backend: str, others: list[Any]) -> None:
    graph, sources = rmat(6, 4, seed=1), list(range(16))
    results = bfs.imap(graph, source=sources, backend=backend, batch=4)
    found = [next(results)]
    sources[:] = others
    found += results
    expected = [bfs(graph, source=source, backend=backend).distance.tolist() for source in range(16)]
    assert [each.distance.tolist() for each in found] == expected


def test_the_values_of_a_batch_are_those_that_were_run(bfs: gdsl.Program) -> None:
    graph, sources = rmat(4, 4, seed=1), [0, 1, 2]
    batch = bfs.map(graph, source=sources, backend="reference")
    sources[:] = [9, 9, 9]
    assert list(batch.values["source"]) == [0, 1, 2]


@pytest.fixture
def flipping() -> Iterator[np.ndarray]:
    """Vertices, the last of which another thread makes none again and again."""
    values, over = np.zeros(1 << 14, np.int32), threading.Event()

    def flip() -> None:
        while not over.is_set():
            values[-1] = 1 << 30
            values[-1] = 0

    before, thread = sys.getswitchinterval(), threading.Thread(target=flip)
    sys.setswitchinterval(1e-5)
    thread.start()
    yield values
    over.set()
    thread.join()
    sys.setswitchinterval(before)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("text", "name"), [(PARENTS, "parent"), (MEMBERS, "chosen")])
def test_ids_that_change_while_they_are_checked(flipping: np.ndarray, text: str, name: str) -> None:
    program, graph = gdsl.compile(text), rmat(14, 1, seed=1)
    for _ in range(150):
        try:
            result = program.run(graph, {name: flipping}, backend="cpu")
        except gdsl.GdslError as error:
            assert error.code == "E0604"
        else:
            assert result.inside.nonzero()[0].tolist() == [0] if text is MEMBERS else not result.q.any()


class Column:
    """What speaks `__array__` alone, as columns of tables do."""

    def __init__(self, values: Any) -> None:
        self._values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self._values, dtype)


@pytest.mark.parametrize("backend", BACKENDS)
def test_numbers_are_names_whatever_holds_them(bfs: gdsl.Program, backend: str) -> None:
    graph = gdsl.Graph.from_networkx(nx.path_graph(range(1, 10), create_using=nx.DiGraph))
    expected = list(range(9))
    for source in (1, np.int64(1), np.array(1), np.array(1, np.uint8)):
        assert bfs(graph, source=source, backend=backend).distance.tolist() == expected
    batch = bfs.map(graph, source=[np.array(1), np.int64(1), 1], backend=backend)
    assert [each.distance.tolist() for each in batch] == [expected] * 3
    members = gdsl.compile(MEMBERS)
    for chosen in ([3], np.array([3]), Column([3]), Column(np.array([3], object)), (np.array(3),)):
        assert members(graph, chosen=chosen, backend=backend).inside.nonzero()[0].tolist() == [2]
    called = gdsl.Graph.from_networkx(nx.path_graph(["a", "b", "c"]))
    for chosen in (["b"], np.array(["b"]), Column(["b"]), Column(np.array(["b"], object))):
        assert members(called, chosen=chosen, backend=backend).inside.tolist() == [False, True, False]
    flags = Column([False, True, True])
    assert members(called, chosen=flags, backend=backend).inside.tolist() == [False, True, True]


def test_a_dry_run_takes_what_stands_for_a_default() -> None:
    graph = gdsl.Graph.from_edges([0, 1], [1, 2], attributes={"weight": [1.0, 2.0]})
    program = gdsl.compile("sssp")
    default = inspect.signature(program).parameters["weight"].default
    told = program.dry_run(graph, {"source": 0, "weight": default}, backend="reference")
    assert told.backend == "reference"


class Broken(types.ModuleType):
    """A module that is loaded when it is asked for something, and cannot be."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("no such library")


@pytest.mark.parametrize("module", [Broken("cupy"), types.ModuleType("cupy"), None])
def test_a_cupy_that_is_none(monkeypatch: pytest.MonkeyPatch, module: Any) -> None:
    monkeypatch.setitem(sys.modules, "cupy", module)
    graph = gdsl.Graph.from_edges([0, 1], [1, 2])
    members = gdsl.compile(MEMBERS)
    assert members(graph, chosen={1}, backend="reference").inside.tolist() == [False, True, False]
    weight = [1.0, 2.0]
    assert gdsl.compile("sssp")(graph, source=0, weight=weight, backend="reference").distance.tolist() == [0, 1, 3]


def raising(*names: str, base: type = object, **own: Any) -> Any:
    """A class of which whatever has one of these names raises."""

    def fails(self: Any, *_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("of the caller's")

    found = {name: fails if name.startswith("__") else property(fails) for name in names}
    return type("Odd", (base,), {**found, **own})


class Whole(IntEnum):
    """Integers of a class of their own."""

    ONE = 1


ODD = [
    raising("dtype", "shape", "ndim", "tolist", "requires_grad", "layout")(),
    raising("dtype", "__array__")(),
    raising("__len__", __iter__=lambda self: iter([1]), __contains__=lambda self, _: True)(),
    raising("__iter__", __len__=lambda self: 1, __contains__=lambda self, _: True)(),
    raising("__int__", "__index__", "__abs__", base=float)(1.5),
    np.timedelta64(0, "s"),
    [np.timedelta64(0, "s")],
    [raising("shape", "dtype")()],
]


@pytest.mark.parametrize("given", ODD, ids=range(len(ODD)))
def test_odd_objects_get_one_error(bfs: gdsl.Program, given: Any) -> None:
    graph = rmat(3, 2, seed=1)
    for program, name in ((gdsl.compile(MEMBERS), "chosen"), (gdsl.compile(PARENTS), "parent"), (bfs, "source")):
        for value in (given, gdsl.unchecked(given)):
            with pytest.raises((gdsl.GdslError, TypeError, ValueError)):
                program.run(graph, {name: value}, backend="reference")
    if not isinstance(given, Iterable):  # what comes out of an iterator of the caller's is the caller's
        with pytest.raises((gdsl.GdslError, TypeError, ValueError)):
            bfs.map(graph, source=given, backend="reference")


def test_numbers_of_a_class_of_their_own_are_what_they_are(bfs: gdsl.Program) -> None:
    graph = gdsl.Graph.from_edges([0, 1], [1, 2])
    odd = raising("__int__", "__index__", "__float__", "__abs__", base=int)(1)
    for one in (Whole.ONE, odd):
        assert bfs(graph, source=one, backend="reference").distance.tolist() == [-1, 0, 1]
        found = gdsl.compile(MEMBERS)(graph, chosen=[one], backend="reference").inside.tolist()
        assert found == [False, True, False]
    pagerank = gdsl.compile("pagerank")
    half = raising("__float__", "__int__", base=float)(0.5)
    found = pagerank(graph, damping=half, backend="reference").rank.tolist()
    assert found == pagerank(graph, damping=0.5, backend="reference").rank.tolist()


class Changing(Mapping[Any, Any]):
    """A mapping that has other names each time."""

    def __init__(self) -> None:
        self._looks = 0

    def __getitem__(self, name: Any) -> Any:
        return 0

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Iterator[Any]:
        self._looks += 1
        return iter(["source"] if self._looks == 1 else [7])


def test_a_mapping_is_looked_at_once(bfs: gdsl.Program) -> None:
    graph = gdsl.Graph.from_edges([0, 1], [1, 2])
    assert bfs.run(graph, Changing(), backend="reference").distance.tolist() == [0, 1, 2]
