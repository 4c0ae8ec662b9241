"""The generated CUDA's arithmetic: every operation on awkward values, and every form of minimum and maximum."""

from __future__ import annotations

import every_operation
import pytest

from gdsl.tools.fuzz.expressions.running import differences
from gdsl.tools.fuzz.expressions.trees import INTEGERS

EMULATOR = ("emulator",)


@pytest.mark.parametrize("place", ["apply", "initial", "schedule"])
def test_every_operation(place: str) -> None:
    inf_types = INTEGERS if place == "apply" else ()
    program = every_operation.program(place, inf_types, every=3 if place == "schedule" else 2)
    for data in list(every_operation.data_sets())[:: 9 if place == "apply" else 15]:
        found = next(differences(program, data, EMULATOR), None)
        assert found is None, f"{found}\n{program.of(found.target).text()}"


@pytest.mark.parametrize("kind", ["uint64", "int32", "float32", "float64"])
def test_minima_and_maxima_in_every_form(kind: str) -> None:
    program = every_operation.reductions(kind)
    for data in list(every_operation.data_sets())[::4]:
        found = next(differences(program, data, EMULATOR), None)
        assert found is None, found
