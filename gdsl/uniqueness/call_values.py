"""The levels of what the calls of one operator see: the values that they read, and the results of their updates."""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.effects import Effects, Waiting, Write, each
from gdsl.effects.terms import (
    Constant,
    ElementTerm,
    OfData,
    OfEnd,
    OfFrontier,
    OfPass,
    OfPlace,
    OfRead,
    OfResult,
    OfRoots,
    OfRound,
    OfUnseen,
    ScalarTerm,
    Term,
    Unknown,
)
from gdsl.operations import Outcome
from gdsl.rules import JudgedOperator
from gdsl.uniqueness.data import Data
from gdsl.uniqueness.levels import EXACT, Level, State, decision_level, not_unique, worst
from gdsl.uniqueness.values import ValueLevels, compared_with_index, compared_with_initial

_FORMS = {Outcome.FETCH: "`fetch`", Outcome.CHANGED: "`changed`"}


class CallValues:
    """The levels inside one operator that starts from `state`; `members` is the level of its frontier."""

    def __init__(
        self, judged: JudgedOperator, state: State, members: Level, data: Data, initials: Mapping[str, Constant]
    ) -> None:
        self.judged = judged
        self.effects: Effects = judged.effects
        self.state = state
        self.data = data
        self.initials = initials
        self.members = decision_level(members, self.effects.operator.span)
        self.closing = {closes.name for closes in judged.closings}
        self.look_again()

    def look_again(self) -> None:
        """Find the levels of values, and of which calls `run`, in what is now the state."""
        self.levels = self._levels()
        self.run = self._run()

    def _levels(self) -> ValueLevels:
        exact = 0
        for atom, bit in self.effects.atoms:
            steady = isinstance(atom, OfEnd | OfPlace | OfPass | OfRound)
            if steady or (isinstance(atom, OfData) and self.state.value(atom.name).exact):
                exact |= bit
            elif isinstance(atom, OfRoots):
                exact |= bit if self.state.roots(atom.name).exact else 0
            elif isinstance(atom, OfRead):
                exact |= bit if self._of_read(atom.number).exact else 0
            elif isinstance(atom, OfResult) and self._is_own(atom.number):
                exact |= bit if self._of_own_result(self.effects.write_number(atom.number)).exact else 0
            elif isinstance(atom, OfFrontier):
                exact |= bit if self.state.frontier(atom.name).exact else 0
        return ValueLevels(self.data, exact, self.effects.terms.atoms.closure, self._of_leaf, self._of_test)

    def _run(self) -> Level:
        conditions = self.levels.at(self.effects.operator.span)
        return worst((self.members, *(conditions.decision(conjunct) for conjunct in self.effects.conjuncts)))

    # ------------------------------------------------------------ leaves

    def _of_leaf(self, term: Term) -> Level:
        if isinstance(term, ElementTerm | ScalarTerm):
            return self._of_read(term.read) if term.read else self.state.value(term.data)
        write = self.effects.write_of(term)
        if write is not None:
            return self._of_result(write)
        if not isinstance(term, Unknown):
            return EXACT
        atoms = self.effects.terms.atoms.members(term.depends)
        return worst(decision_level(self._of_atom(atom), self.levels.span) for atom in atoms)

    def _of_atom(self, atom: object) -> Level:
        if isinstance(atom, OfData):
            return self.state.value(atom.name)
        if isinstance(atom, OfRoots):
            return self.state.roots(atom.name)
        if isinstance(atom, OfFrontier):
            return self.state.frontier(atom.name)
        if isinstance(atom, OfRead):
            return self._of_read(atom.number)
        if isinstance(atom, OfUnseen):
            return not_unique(self.levels.span, "it is not understood")
        return self._of_result(self.effects.write_number(atom.number)) if isinstance(atom, OfResult) else EXACT

    def _of_read(self, number: int) -> Level:
        read = self.effects.reads[number]
        if self._sees_one_value(number):
            return self.state.value(read.name)
        if read.now:
            return not_unique(read.span, "`now` takes any value from before or during the operator")
        return not_unique(read.span, "it is read while other calls write it")

    def _sees_one_value(self, number: int) -> bool:
        read = self.effects.reads[number]
        if self.judged.writers.sees_own(read):
            return True
        return read.in_condition and not read.now and read.name in self.closing

    def _of_test(self, term: Term) -> Level | None:
        """The level of a comparison with the initial constant, where that is all that is asked; or of whether a vertex
        is the root of its set, which is the only one that is its own label."""
        for label in compared_with_index(term):
            is_settled = label.array in self.state.partitions and self.state.roots(label.array).exact
            if is_settled and (not label.read or self._sees_one_value(label.read)):
                return self.levels.of(label.index)
        for read in compared_with_initial(term, self.initials):
            if read.read and not self._sees_one_value(read.read):
                continue
            if isinstance(read, ScalarTerm) or self.levels.of(read.index).exact:
                return self.state.mark(read.data)
        return None

    def joined(self, loop: Waiting) -> Level:
        """The level of which vertices a loop of the calls joins."""
        span = loop.loop.span
        if self.judged.closings:
            return not_unique(span, "which calls run depends on the order")
        levels = self.levels.at(span)
        ends = (levels.decision(term) for term in self.effects.first_values(loop))
        return worst((self.run, *ends, *(levels.decision(guard.term) for guard in each(loop.guard))))

    def _is_own(self, number: int) -> bool:
        return self.judged.writers.single(self.effects.write_number(number).name)

    def _of_own_result(self, write: Write) -> Level:
        """What an update of the call's own element gave."""
        state = self.state.value(write.name)
        return state if write.outcome is Outcome.FETCH else decision_level(state, write.span)

    def _of_result(self, write: Write) -> Level:
        if self.judged.writers.single(write.name):
            value_level = self.levels.of(write.value)
            value_level = value_level if write.outcome is Outcome.FETCH else decision_level(value_level, write.span)
            level = worst((self._of_own_result(write), value_level))
            return worst((level, self.levels.decision(write.old))) if write.old is not None else level
        if self.effects.joins(write.name):
            return not_unique(write.span, "which labels `join` leaves is open until they are roots")
        form = _FORMS[write.outcome] if write.outcome is not None else "`cas`"
        return not_unique(write.span, f"which call gets which result of {form} is open")
