"""How certain the number of calls is that an operator accepts."""

from __future__ import annotations

from gdsl.effects.atoms import OfResult
from gdsl.uniqueness.levels import Level, not_unique
from gdsl.uniqueness.operators import OperatorLevels


def of_accepted(inner: OperatorLevels) -> Level:
    """The level of how many calls accept, before anything is written."""
    effects, span = inner.effects, inner.effects.operator.span
    term = effects.accept
    if not inner.run.exact or term is None:
        return inner.run
    if inner.judged.closings:
        return not_unique(span, "how many are accepted depends on which calls run")
    atoms = effects.terms.atoms.members(term.depends)
    if any(isinstance(atom, OfResult) for atom in atoms):
        return not_unique(span, "how many are accepted hangs on shared results")
    return inner.levels.at(span).decision(term)
