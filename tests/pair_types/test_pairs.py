"""Pairs of every kind of type, with awkward values, on every backend: each result is that of an independent order."""

from __future__ import annotations

import pytest
from cpu.running import SMALL as CPU_SMALL
from cpu.running import executable
from emulator import build as emulator_build
from emulator.running import SMALL, build, device_for

from gdsl.backends.interface import Limits, Outcome, Pair
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.pipeline import load
from gdsl.types import Widths

from .programs import TYPES, Example, bits, example, expected, found_bits

_SIGNS = ("<", "<=", "==", "!=", ">", ">=")
_PLACES = list(enumerate(TYPES))


def check(given: Example, outcome: Outcome) -> None:
    """Every result, bit for bit."""
    results = {**outcome.arrays, **outcome.scalars}
    for name, values in expected(given).items():
        result = results[name]
        if isinstance(result, Pair):
            assert found_bits(given.types, result) == bits(given.types, values), name
        else:
            assert result.tolist() == values, name


@pytest.mark.parametrize("sign", _SIGNS)
@pytest.mark.parametrize(("seed", "types"), _PLACES)
@pytest.mark.sampled(15)
def test_reference(seed: int, types: tuple[str, str], sign: str) -> None:
    given = example(types, seed, sign)
    program = load(given.text)
    check(
        given,
        interpret(program, given.graph, bind(program, given.graph, given.inputs, id_bits=32), Limits(), seed=seed),
    )


@pytest.mark.parametrize("id_bits", [32, 64])
@pytest.mark.parametrize(("seed", "types"), _PLACES)
@pytest.mark.sampled(45)
def test_cpu(seed: int, types: tuple[str, str], id_bits: int) -> None:
    given = example(types, seed, _SIGNS[seed % 6])
    ready = executable(given.text, (), CPU_SMALL, id_bits)
    check(given, ready.run(given.graph, bind(ready.program, given.graph, given.inputs, id_bits=id_bits), Limits()))


@pytest.mark.skipif(emulator_build.compiler() is None, reason="the emulator needs g++")
@pytest.mark.parametrize("tune", [(), ("schedule.fuse=off", "give.balance=block")])
@pytest.mark.parametrize(("seed", "types"), _PLACES)
@pytest.mark.sampled(5)
def test_emulator(seed: int, types: tuple[str, str], tune: tuple[str, ...]) -> None:
    given = example(types, seed, _SIGNS[(seed + 3) % 6])
    id_bits = 64 if seed % 3 == 2 else 32
    built = build(given.text, tune, SMALL, Widths.both(id_bits))
    bindings = bind(built.program, given.graph, given.inputs, id_bits=id_bits)
    check(given, built.run(given.graph, bindings, device_for(seed, blocks=2)))
