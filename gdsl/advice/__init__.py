"""Warnings W01 to W08: what a program says and probably does not mean. They never stop a run.

Each is only given where it is sure: a form that is not known here counts as a use, as a change, as a test.
"""

from __future__ import annotations

from collections.abc import Sequence

from gdsl.advice.loops import endless_worklists, steady_loops
from gdsl.advice.unused import unused
from gdsl.advice.values import decided_conditions, largest_of_nothing, shifts_beyond_width, sums_of_infinity
from gdsl.diagnostics import Diagnostic, in_names_of
from gdsl.effects import program_effects
from gdsl.frontend.syntax import Symbol
from gdsl.ir.nodes import Program
from gdsl.source import Source
from gdsl.uniqueness.data import Data

__all__ = ["advise"]


def advise(
    program: Program, symbols: Sequence[Symbol], source: Source, tune: Sequence[str] = ()
) -> tuple[Diagnostic, ...]:
    """The warnings about a program without mistakes, in the order of the text. `symbols` are its declarations."""
    effects = program_effects(program)
    data = Data(effects)
    warnings = [
        *steady_loops(program, source),
        *unused(program, symbols, source, tune),
        *sums_of_infinity(effects),
        *decided_conditions(effects, data, source),
        *endless_worklists(effects, source),
        *largest_of_nothing(program, source),
        *shifts_beyond_width(program),
    ]
    return in_names_of(source, sorted(dict.fromkeys(warnings), key=_place))


def _place(diagnostic: Diagnostic) -> tuple[int, int]:
    return (diagnostic.span.line, diagnostic.span.column) if diagnostic.span is not None else (0, 0)
