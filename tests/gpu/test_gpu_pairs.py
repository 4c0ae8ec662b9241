"""Pairs of every kind of type on a GPU: one word, and two where it has a compare-and-swap of 128 bits."""

from __future__ import annotations

from typing import Any

import pytest
from pair_types.programs import TYPES, example
from pair_types.test_pairs import check

from gdsl.backends.cuda.backend import CudaBackend
from gdsl.backends.interface import Limits, Outcome, Pair
from gdsl.binding import bind
from gdsl.diagnostics import GdslError
from gdsl.pipeline import load

pytestmark = pytest.mark.gpu
_PLACES = list(enumerate(TYPES))


def _host(value: Any) -> Any:
    if isinstance(value, Pair):
        return Pair(_host(value.first), _host(value.second))
    return value.get() if hasattr(value, "get") else value


@pytest.mark.parametrize("tune", [(), ("schedule.fuse=off", "give.balance=block")])
@pytest.mark.parametrize("id_bits", [32, 64])
@pytest.mark.parametrize(("seed", "types"), _PLACES)
def test_pairs(seed: int, types: tuple[str, str], id_bits: int, tune: tuple[str, ...]) -> None:
    given = example(types, seed, ("<", "<=", "==", "!=", ">", ">=")[seed % 6])
    program = load(given.text, tune)
    try:
        ready = CudaBackend().build(program, id_bits)
    except GdslError as error:
        if "E0908" in str(error):
            pytest.skip("this GPU has no compare-and-swap of 128 bits")
        raise
    found = ready.run(given.graph, bind(program, given.graph, given.inputs, id_bits=id_bits), Limits())
    arrays = {name: _host(value) for name, value in found.arrays.items()}
    check(given, Outcome(arrays, found.scalars, found.iterations, found.time_ms, found.trace))
