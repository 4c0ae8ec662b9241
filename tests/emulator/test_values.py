"""The generated CUDA's arithmetic: every operation on awkward values, and every form of minimum and maximum."""

from __future__ import annotations

from pathlib import Path

import every_operation
import pytest
from fuzz.expressions.running import differences
from fuzz.expressions.trees import INTEGERS
from support.graphs import make_graph, path
from support.single_writers import CYCLE_OF_PAIRS, special_pairs

from gdsl.binding import bind

from . import running

EMULATOR = ("emulator",)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("place", ["apply", "initial", "schedule"])
def test_every_operation(place: str) -> None:
    inf_types = INTEGERS if place == "apply" else ()
    program = every_operation.program(place, inf_types, every=3 if place == "schedule" else 2)
    for data in list(every_operation.data_sets())[:: 9 if place == "apply" else 15]:
        found = next(differences(program, data, EMULATOR), None)
        assert found is None, f"{found}\n{program.of(found.target).text()}"


@pytest.mark.parametrize("kind", ["uint64", "int32", "float32", "float64"])
@pytest.mark.sampled(3)
def test_minima_and_maxima_in_every_form(kind: str) -> None:
    program = every_operation.reductions(kind)
    for data in list(every_operation.data_sets())[::4]:
        found = next(differences(program, data, EMULATOR), None)
        assert found is None, found


def test_a_single_writer_sees_signs_of_zeros_and_nan() -> None:
    text = (Path(__file__).parents[1] / "support" / "single_writers.gdsl").read_text(encoding="utf-8")
    built = running.build(text)
    bindings = bind(built.program, CYCLE_OF_PAIRS, special_pairs())
    wanted = running.expect(built.program, CYCLE_OF_PAIRS, bindings)
    found = built.run(CYCLE_OF_PAIRS, bindings, running.device_for(seed=1))
    assert running.differences(built.program, wanted, found) == []


@pytest.mark.parametrize("between", ["x[src] += 9;", "x[src] = 9;"])
def test_an_element_that_rose_in_the_same_call_is_looked_at_again(between: str) -> None:
    text = (
        "program p; problem { vertex x: int32 = 3; }\nedge functor f(src, dst, e) { cond place == 0;"
        f" apply {{ x[src] min= 5; {between} x[src] min= 4; }} }}\n"
        "schedule { advance(vertices, f, to=none); }"
    )
    built = running.build(text)
    graph = make_graph(path(20), 20, directed=False)
    for seed in range(4):
        outcome = built.run(graph, bind(built.program, graph, {}), running.device_for(seed, 2))
        assert set(outcome.arrays["x"].tolist()) == {4}
