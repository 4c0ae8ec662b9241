"""What the operators of a program do, computed once from the IR: the only source for rules, grades and reordering.

For each operator `programs` creates an `Effects`: the writes, the reads of what it writes, the value of `accept`, and
their conditions, as terms. A term knows everything that its value may come from, by data or by control; the operations
that compute it are visible to proofs (`terms`). What is not understood is an `Unknown`, which is never constant, one
value for all, unique, monotone or harmless.

`summary` and `statements` describe calls, as terms, for the rules. `access` describes steps and the threads that run
them, for barriers.

To follow how one program is judged, read `summary` (what is known about an operator), `statements` (how it is found),
then `gdsl.rules.writes` (what is allowed), `gdsl.uniqueness.operators` (what an operator does to the grades of
results) and `gdsl.uniqueness.schedule` (how grades pass through the schedule).
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gdsl.effects.programs import ProgramEffects, program_effects
    from gdsl.effects.summary import Effects, Guard, Read, Waiting, Write, WriteKind, each

__all__ = ["Effects", "Guard", "ProgramEffects", "Read", "Waiting", "Write", "WriteKind", "each", "program_effects"]

_OF_PROGRAMS = ("ProgramEffects", "program_effects")


def __getattr__(name: str) -> object:
    """Import on first use: planning a known program needs only `access`."""
    if name not in __all__:
        raise AttributeError(f"module 'gdsl.effects' has no attribute {name!r}")
    home = importlib.import_module(f"gdsl.effects.{'programs' if name in _OF_PROGRAMS else 'summary'}")
    value = globals()[name] = getattr(home, name)
    return value
