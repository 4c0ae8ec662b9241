"""Operators that move trees of labels: what is written, and where, is made of labels that were read.

Where labels are compressed, all of these are roots when the operator begins, so any other vertex keeps its label. When
labels are compressed again, vertices that had one label have one.
"""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.effects import Effects
from gdsl.effects.terms import Choice, ElementTerm, End, Operation, Term
from gdsl.ir import nodes
from gdsl.operations import Builtin, Outcome
from gdsl.rules import JudgedOperator


def made_of(name: str, effects: Effects, term: Term) -> tuple[Term, ...] | None:
    """What has to be in the component of the call's own vertices, so that the vertex `term` is; None where nothing is
    known to do."""
    if isinstance(term, End):
        return None if term.other or term.role.is_edge else ()
    if isinstance(term, ElementTerm):
        return (term.index,) if term.array == name else None
    if isinstance(term, Operation):
        return term.arguments if term.operation in (Builtin.MIN, Builtin.MAX) else None
    if isinstance(term, Choice):
        return term.yes, term.no
    write = effects.write_of(term)
    if write is not None:
        return (write.index,) if write.name == name and write.outcome is Outcome.FETCH else None
    return effects.carried.get(term)


def moves_trees(name: str, step: nodes.Step, sites: Mapping[int, JudgedOperator]) -> bool:
    """Whether a step on compressed labels writes only labels to labels, if any: all that it reads are roots then, and
    no other vertex gets another label."""
    if isinstance(step, nodes.If):
        return all(moves_trees(name, each, sites) for each in (*step.then, *step.otherwise))
    if not isinstance(step, nodes.Advance) or step.stores is not None:
        return False
    effects = sites[step.site].effects
    written = [term for write in effects.written(name) for term in (write.index, write.value)]
    return all(_is_made_of_labels(name, effects, term) for term in written)


def _is_made_of_labels(name: str, effects: Effects, term: Term) -> bool:
    waiting, seen = [term], set[Term]()
    while waiting:
        term = waiting.pop()
        if term in seen or (isinstance(term, ElementTerm) and term.array == name):
            continue
        seen.add(term)
        write = effects.write_of(term)
        if write is not None and write.name == name and write.outcome is Outcome.FETCH:
            continue  # the former label
        within = None if isinstance(term, End) else made_of(name, effects, term)
        if within is None:
            return False
        waiting.extend(within)
    return True
