"""What the operators of a program do, found once on the IR: the one source for rules, grades and reordering.

For each operator `collect` makes an `Effects`: the writes, the reads of what it writes, what `accept` says, and under
which conditions, as terms. A term knows all that its value may come from, by data or by control (`atoms`); where it is
made of operations it can also be looked into (`terms`), for proofs. What is not understood is an `Unknown`, and unknown
is never constant, one value for all, unique, monotone or harmless.

To follow how one program is judged, read `summary` (what is known of an operator), `statements` (how it is found),
then `gdsl.rules.writes` (what is allowed), `gdsl.uniqueness.operators` (what an operator does to the grades of
results) and `gdsl.uniqueness.schedule` (how grades pass through the schedule).
"""

from gdsl.effects.collect import ProgramEffects, program_effects
from gdsl.effects.summary import Effects, Guard, Read, Waiting, Write, WriteKind, each

__all__ = ["Effects", "Guard", "ProgramEffects", "Read", "Waiting", "Write", "WriteKind", "each", "program_effects"]
