"""What a tuner may set: for each knob of the program and of each of its operators, the words to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gdsl.api.schedules import tuned_operators
from gdsl.api.tune_files import NOT_TUNED
from gdsl.backends.interface import TraceRecord
from gdsl.ir import nodes as ir
from gdsl.knobs import KNOBS, Knob, written

_FACTORS = (1 / 4, 4)
"""By how much the numbers of `auto(…)` are tried to be smaller and larger than they are by themselves."""
_FIRST, _LAST = ("order", "layout"), ("block", "fuse")
"""Knobs of the program that decide what those of operators stand on, and those that only decide how it is launched."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One knob. words: what it may be set to; an empty one leaves it as the program has it."""

    name: str
    words: tuple[str, ...]


def choices(program: ir.Program, trace: Sequence[TraceRecord]) -> list[Choice]:
    """All knobs that there are, those first from which most may come: of operators that have the most to do in `trace`.
    Which of their values the program takes, and which of these make a difference, is not known yet."""
    own = {knob.name: knob for knob in KNOBS if not knob.operators and knob.name not in NOT_TUNED}
    work = _work(trace)
    operators = sorted(tuned_operators(program).items(), key=lambda found: -work.get(found[0], 0))
    return [
        *(_choice("", own[name]) for name in _FIRST),
        *(
            _choice(label, knob)
            for label, steps in operators
            for knob in KNOBS
            if {step.word for step in steps} & set(knob.operators)
        ),
        *(_choice("", own[name]) for name in _LAST),
    ]


def _work(trace: Sequence[TraceRecord]) -> Mapping[str, int]:
    """By label how many elements and edges an operator has gone through."""
    found: dict[str, int] = {}
    for record in trace:
        found[record.label] = found.get(record.label, 0) + record.frontier_size + record.edges
    return found


def _choice(label: str, knob: Knob) -> Choice:
    name = f"{label}.{knob.name}" if label else written(knob)
    return Choice(name, ("", *(f"{name}={value}" for value in _values(knob))))


def _values(knob: Knob) -> Iterator[str]:
    yield from knob.values
    for argument in knob.arguments:
        yield from (f"auto({argument.name}={max(1, round(argument.default * factor))})" for factor in _FACTORS)
