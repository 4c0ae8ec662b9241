"""Running a program on the reference backend in one line of a test."""

from __future__ import annotations

import functools
from typing import Any

from interleaving.interleave import Answer, explore

from gdsl.backends.interface import Limits, Outcome
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.pipeline import load

_NO_LIMITS = Limits()


@functools.cache
def program_of(text: str) -> Program:
    """The IR of a program's text or path."""
    return load(text)


def run(
    text: str, graph: Graph, *, seed: int = 0, id_bits: int = 32, limits: Limits = _NO_LIMITS, **given: Any
) -> Outcome:
    """What the program gives; `given` are params and inputs."""
    program = program_of(text)
    bindings = bind(program, graph, given, id_bits=id_bits)
    return interpret(program, graph, bindings, limits, id_bits=id_bits, seed=seed)


def answers(text: str | Program, graph: Graph, seeds: int, **given: Any) -> list[Answer]:
    """The distinct answers under the interleavings of `seeds` seeds."""
    program = program_of(text) if isinstance(text, str) else text
    return explore(program, graph, bind(program, graph, given), range(seeds))
