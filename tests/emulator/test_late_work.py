"""Calls, maps and runs that are not waited for, at random, on a device that does its work late."""

from __future__ import annotations

import gc
import warnings
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl.backends import registry
from gdsl.backends.cuda import pinned_copies, run_transfers
from tests.support.graphs import grid, make_graph, path

from . import late
from .build import compiler
from .submitting import GIVEN
from .test_calls import CHANGING, COUNTED, SMALL
from .test_submit_beside import SEVERAL

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")
ENDLESS = """program endless;
problem { scalar s : int32; vertex a : int32; vertex b : bool; }
schedule { while (s == 0) { s = 0; } fill(a, 1); fill(b, true); }
"""
OWN = """program own;
problem { input edge weight : float32; vertex y : float32; scalar up : vertex; scalar down : vertex; }
edge functor add(src, dst, e) { apply { y[dst] max= weight[e] * float32(int32(src)); up max= src; down min= dst; } }
schedule { advance(vertices, add, to=none); swap(up, down); }
"""
PROGRAMS = ("sssp", "connected_components", CHANGING, COUNTED, GIVEN, SEVERAL, OWN)
KNOBS = ((), (), ("schedule.layout=by_degree",), ("schedule.fuse=off",))
WAYS = ("submit",) * 8 + ("call", "call", "stop", "late", "map", "endless", "stream", "ask", "ask", "ask", "drop")
NO_MORE = {"stop": "E0803", "late": "E0802", "endless": "E0802"}


def graphs() -> list[gdsl.Graph]:
    """Of different sizes, with weights of their own."""
    made = [
        make_graph(path(9), 9, directed=False),
        make_graph(path(100), 100),
        make_graph(grid(4, 5), 20, directed=False),
    ]
    weights = [{"weight": (np.arange(each.num_edges) % 7).astype(np.float32)} for each in made]
    return [
        gdsl.Graph(each.offsets, each.columns, directed=each.directed, attributes=weight)
        for each, weight in zip(made, weights, strict=True)
    ]


class Sequence:
    """Calls of a few programs on some graphs."""

    def __init__(self, random: Random, cupy: Any, late_device: late.LateDevice) -> None:
        self.random, self.cupy, self.late = random, cupy, late_device
        self.graphs = graphs()[: random.choice((1, 2, 3))]
        self.programs = [
            (text, self.compiled(text, random.choice(KNOBS)))
            for text in random.sample(PROGRAMS, random.choice((1, 2, 2, 3)))
        ]
        self.endless = self.compiled(ENDLESS, random.choice(KNOBS[:3])).prepare("cuda")
        self.asked: list[tuple[str, Any, gdsl.Program, gdsl.Graph, dict[str, Any]]] = []
        self.answers = 0

    @staticmethod
    def compiled(text: str, knobs: tuple[str, ...]) -> gdsl.Program:
        try:
            return gdsl.compile(text, tune=[*SMALL, *knobs])
        except gdsl.GdslError:  # a knob that does not fit
            return gdsl.compile(text, tune=SMALL)

    def values(self, text: str, graph: gdsl.Graph) -> dict[str, Any]:
        random = self.random
        if text in ("sssp", COUNTED):
            shift = {"shift": random.choice((0, 0, 1, 1000))} if text == COUNTED else {}
            return {"source": random.randrange(graph.num_vertices), **shift}
        if text == SEVERAL:
            return {"count": random.choice((1, 2, 2, 3, 7))}
        return {"shift": random.randrange(9)} if text == GIVEN else {}

    def step(self) -> None:
        random, graph = self.random, self.random.choice(self.graphs)
        (text, program), way = random.choice(self.programs), random.choice(WAYS)
        values = self.values(text, graph)
        if way in ("submit", "stop", "late", "endless"):
            options: dict[str, Any] = {"stop": {"max_iterations": 1}, "late": {"timeout": 0.003}}.get(way, {})
            program, values, options = (
                (self.endless, {}, {"timeout": 0.02}) if way == "endless" else (program, values, options)
            )
            try:
                pending = program.submit(graph, values, backend="cuda", **options)
            except gdsl.GdslError as error:
                assert error.code == NO_MORE.get(way), way
            else:
                self.asked.append((way, pending, program, graph, values))
        elif way == "call":
            self.check(way, lambda: program.run(graph, values, backend="cuda"), program, graph, values)
        elif way == "map" and text == "sssp":
            for source, found in enumerate(program.map(graph, source=range(3), backend="cuda")):
                self.check(way, lambda found=found: found, program, graph, {"source": source})
        elif way == "stream":
            self.cupy.stream = SimpleNamespace(ptr=random.choice((0, 7)), synchronize=self.late.end)
        elif way in ("ask", "drop") and self.asked:
            which = self.asked.pop(random.randrange(len(self.asked)))
            if way == "ask":
                self.check(which[0], which[1].result, *which[2:])

    def check(self, way: str, ask: Any, program: gdsl.Program, graph: gdsl.Graph, values: dict[str, Any]) -> None:
        """What is asked for is what the reference has, or is stopped as it was to be."""
        wrong = found = due = code = None
        try:
            found = ask()
        except gdsl.GdslError as error:
            wrong = error.code
        if wrong is None or wrong != NO_MORE.get(way):
            try:
                due = program.run(graph, values, backend="reference")
            except gdsl.GdslError as error:
                code = error.code
            assert wrong == code, (way, program.name, values)
        if found is not None and due is not None:
            self.answers += 1
            assert found.numbers() == due.numbers() or way == "map", (way, program.name, values)
            for name, expected in due.host_arrays().items():
                assert np.array_equal(found.host_arrays()[name], expected), (way, program.name, name, values)

    def run(self, steps: int) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of failures that was never requested
            for _ in range(steps):
                self.step()
            self.random.shuffle(self.asked)
            for way, pending, *of in self.asked:
                self.check(way, pending.result, *of)
            self.asked.clear()
            device: Any = registry.get("cuda").device()  # type: ignore[attr-defined]
            device.drain_queue()
            gc.collect()


@pytest.mark.parametrize("seed", range(16))
@pytest.mark.sampled(45)
def test_whatever_is_asked_for(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    cupy, device = late.install(monkeypatch, seed)
    random = Random(seed)
    monkeypatch.setattr(pinned_copies, "_FEW", random.choice((pinned_copies._FEW, 3000)))
    monkeypatch.setattr(pinned_copies, "_SETTLED", random.choice((16, 2)))
    monkeypatch.setattr(run_transfers, "_RECORDS", random.choice((64, 2, 8)))
    found = 0
    for _ in range(2):
        sequence = Sequence(random, cupy, device)
        sequence.run(20)
        found += sequence.answers
    device.close()
    assert found > 0
