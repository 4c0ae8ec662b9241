"""The backend as others use it: building, stopping, and its expressions on their own."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Iterator, Mapping

import numpy as np
import pytest

from gdsl.backends.interface import Bindings, Limits
from gdsl.backends.reference import create_backend
from gdsl.backends.reference.backend import ReferenceBackend
from gdsl.backends.reference.expressions import Environment, compile_expression
from gdsl.backends.reference.graphs import GraphView
from gdsl.backends.reference.statements import compile_functions
from gdsl.backends.reference.values import constant
from gdsl.ir import nodes as ir
from gdsl.types import Type
from tests.support.graphs import make_graph, path
from tests.support.interpreting import program_of

GRAPH = make_graph(path(6), 6)
ENDLESS = """program endless; problem { scalar s : int32; vertex a : int32; }
vertex functor f(v) { apply { a[v] += 1; } }
schedule { while (s == 0) { compute(vertices, f); } }"""


def test_it_is_always_there() -> None:
    found = create_backend()
    assert found.name == "reference"
    assert found.availability().ok


def test_an_executable_runs_again_and_a_seed_repeats_a_run() -> None:
    program = program_of("""program p; problem { scalar last : vertex; vertex first : vertex = id; }
    vertex functor f(v) { apply { last any= v; first[v] = none; } } schedule { compute(vertices, f); }""")
    executable = ReferenceBackend(seed=5).build(program, 64)
    first, second = (executable.run(GRAPH, Bindings({}, {}), Limits()) for _ in range(2))
    assert first.scalars == second.scalars
    assert first.arrays["first"].dtype == np.int64
    assert first.arrays["first"].tolist() == [-1] * 6
    assert first.time_ms > 0


def test_ctrl_c_leaves_everything_usable() -> None:
    executable = create_backend().build(program_of(ENDLESS), 32)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    gc.disable()  # what is raised while somebody watches the collector is lost
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            executable.run(GRAPH, Bindings({}, {}), Limits(timeout=120))
    finally:
        gc.enable()
    timer.join()
    good = program_of("program p; problem { scalar s : int32 = 4; } schedule { s += 1; }")
    assert create_backend().build(good, 32).run(GRAPH, Bindings({}, {}), Limits()).scalars == {"s": 5}


class Counting(Mapping[str, object]):
    """Scalars that are asked for one by one, as those on a device are."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __getitem__(self, name: str) -> object:
        self.asked.append(name)
        return constant(len(self.asked), Type.INT32, 32)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def test_expressions_of_the_schedule_for_other_hosts() -> None:
    program = program_of("""program p; problem { param k : int32; scalar s : int32; }
    function twice(x : int32) -> int32 { return x * 2; }
    schedule { frontier f = vertices; while (f && twice(s) + k < 9 && iteration < 5) { s += 1; } }""")
    loop = next(step for step in program.schedule if isinstance(step, ir.While))
    scalars, sizes, passes = Counting(), {"f": 1}, [0]
    functions: dict[str, object] = {}
    environment = Environment(
        32,
        GraphView(GRAPH),
        params={"k": 1},
        scalars=scalars,
        frontier_sizes=sizes,
        functions=functions,  # type: ignore[arg-type]
        iteration=lambda: passes[0],
    )
    compile_functions(program.functions, environment, functions)  # type: ignore[arg-type]
    condition = compile_expression(loop.condition, environment)
    assert [condition() for _ in range(4)] == [True, True, True, False]
    assert scalars.asked == ["s"] * 4
    scalars.asked.clear()
    sizes["f"] = 0
    assert not condition()
    assert scalars.asked == []
    sizes["f"], passes[0] = 1, 5
    assert not condition()
