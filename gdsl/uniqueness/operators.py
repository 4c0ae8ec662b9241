"""What one operator does to the levels of the data that it writes, and of the frontier that it returns.

An effect is EXACT where it happens in the same cases with the same value in every run. That is plain where its index,
conditions and value do not depend on the order of the calls. Where they depend on the result of an update that calls
share, which call gets which result is open, but two things are not:

- *all results together*: where all calls do the same to an element (the operand is one value for all of them), or where
  a `cas` has a single winner, the results that its calls get are the same in every run, only distributed differently.
  An effect that depends only on the result and the element then happens as often and with the same values in every run.
- *whether any call changed the element* by a monotone reduction, where nothing else writes that element. An effect that
  gives the same when it happens once or often, under that condition alone, is the same in every run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from gdsl.effects import Effects, Guard, Write, WriteKind, each
from gdsl.effects.terms import (
    DEEPEST_PROOF,
    Choice,
    Constant,
    End,
    OfResult,
    Operation,
    Origin,
    Term,
    split,
)
from gdsl.operations import IDEMPOTENT, BinaryOperation, Outcome, ReduceOperation, UnaryOperation
from gdsl.rules import JudgedOperator
from gdsl.rules.closing import knows, shifting, steady_accept
from gdsl.rules.writes import shared_winners
from gdsl.source import Span
from gdsl.uniqueness.call_values import CallValues
from gdsl.uniqueness.data import Data
from gdsl.uniqueness.levels import EXACT, Level, State, decision_level, not_unique, rounding, worst
from gdsl.uniqueness.values import tested_not_zero


class OperatorLevels(CallValues):
    """What the calls of one operator do to the levels. The analysis raises `state` until nothing changes: a read may
    see what any call has written."""

    def __init__(
        self, judged: JudgedOperator, state: State, members: Level, data: Data, initials: Mapping[str, Constant]
    ) -> None:
        super().__init__(judged, state, members, data, initials)
        self._control: dict[int, Level] = {}
        self._accepts: dict[Term, Level] = {}
        self._collected = judged.effects.collected

    def apply(self) -> None:
        """Raise the levels of what the operator writes until they agree with each other."""
        changed = True
        while changed:
            changed = False
            self._control.clear()
            self.look_again()
            for write in self.effects.writes:
                changed |= self.state.raise_to(write.name, self.effect(write), self._mark(write))

    # ------------------------------------------------------------ where a write happens

    def control(self, write: Write) -> Level:
        """The level of where and how often a write happens: EXACT where the elements, and how many calls do it there,
        are the same in every run."""
        control = self._control.get(write.number)
        if control is None:
            self._control[write.number] = not_unique(write.span, "it depends on itself")
            control = self._control[write.number] = self._find_control(write)
        return control

    def _find_control(self, write: Write) -> Level:
        if not self.run.exact:
            return self.run
        reason = self._unsteady(write)
        if reason is not None:
            return not_unique(write.span, reason)
        results = self._shared_results((write.index, *self._olds(write)), write.guard)
        levels = self.levels.at(write.span)
        if not results:
            return worst((levels.decision(write.index), *self._guard_levels(write)))
        return self._under_results(write, results)

    def _unsteady(self, write: Write) -> str | None:
        if write.kind is WriteKind.ANY:  # where something is written counts here; which value wins is another question
            write = dataclasses.replace(write, kind=WriteKind.CAS)
        reasons = (shifting(self.effects, closes, write) for closes in self.judged.closings)
        return next((reason for reason in reasons if reason is not None), None)

    def _olds(self, write: Write) -> tuple[Term, ...]:
        return (write.old,) if write.old is not None else ()

    def _guard_levels(self, write: Write) -> Iterable[Level]:
        return (self.levels.decision(guard.term) for guard in each(write.guard))

    def _shared_results(self, terms: Iterable[Term], guard: Guard | None) -> list[Write]:
        """The writes whose results, shared by several calls, decide something."""
        depends = guard.depends if guard is not None else 0
        for term in terms:
            depends |= term.depends
        causes = []
        for atom in self.effects.terms.atoms.members(depends):
            if isinstance(atom, OfResult):
                write = self.effects.write_number(atom.number)
                if not self.judged.writers.single(write.name):
                    causes.append(write)
        return causes

    def _under_results(self, write: Write, results: list[Write]) -> Level:
        """The level of where something happens that depends on shared results."""
        cause = results[0]
        open_result = self._of_result(cause)
        if len(results) > 1 or not self._same_for_all(cause, (write.index, *self._olds(write)), write.guard):
            return open_result
        if self._deals_out(cause):
            return EXACT
        under = [guard for guard in self._further(write.guard, cause) if self._hangs_on(guard.term, cause)]
        positive = all(guard.term is cause.result and guard.expected for guard in under)
        free = not any(self._hangs_on(term, cause) for term in (write.index, *self._olds(write)))
        repeatable = write.kind is not WriteKind.REDUCE or write.operation in IDEMPOTENT
        return EXACT if positive and free and repeatable and self._any_change_known(cause) else open_result

    def _hangs_on(self, term: Term, cause: Write) -> bool:
        bit = self.effects.terms.atoms.bit(OfResult(cause.number))
        return bool(self.effects.depends(term) & bit)

    def _further(self, guard: Guard | None, cause: Write) -> list[Guard]:
        """The guards of what depends on the result of `cause` that are not those of `cause` itself."""
        shared = {(comparison.term, comparison.expected) for comparison in each(cause.guard)}
        return [comparison for comparison in each(guard) if (comparison.term, comparison.expected) not in shared]

    def _same_for_all(self, cause: Write, terms: Iterable[Term], guard: Guard | None) -> bool:
        """Whether the element that `cause` writes determines exactly everything else that `terms` and `guard` depend
        on."""
        effects = self.effects
        further = (*terms, *(comparison.term for comparison in self._further(guard, cause)))
        rest = effects.depends(*further) & ~effects.terms.atoms.bit(OfResult(cause.number))
        if cause.result is None or not self.levels.is_exact(rest):
            return False
        stand_in = effects.terms.unknown(cause.result.type, Origin.RESULT, "", 0)
        substitution: dict[Term, Term] = {cause.result: stand_in}
        return all(
            effects.determined(effects.terms.replace_terms(term, substitution.get), cause.index) for term in further
        )

    def _deals_out(self, cause: Write) -> bool:
        """Whether the results of `cause` are the same in every run, all calls taken together."""
        if len(self.effects.written(cause.name)) != 1 or not self.control(cause).exact:
            return False
        if cause.kind is WriteKind.CAS:
            return shared_winners(self.effects, cause) is None and self._old_known(cause)
        exact = self.state.value(cause.name).exact and self.levels.at(cause.span).of(cause.value).exact
        return exact and self.effects.determined(cause.value, cause.index)

    def _old_known(self, cas: Write) -> bool:
        """Whether all runs agree on which elements hold the old value of a `cas`."""
        if cas.old is None or not self.levels.at(cas.span).of(cas.old).exact:
            return False
        if cas.old is self.initials.get(cas.name):
            return self.state.mark(cas.name).exact
        return self.state.value(cas.name).exact

    def _any_change_known(self, cause: Write) -> bool:
        """Whether all runs agree on which elements are changed by some call."""
        is_known = cause.outcome is Outcome.CHANGED and cause.operation in IDEMPOTENT and self.control(cause).exact
        alone = all(other is cause or _apart(other.index, cause.index) for other in self.effects.written(cause.name))
        is_known = is_known and alone and self.state.value(cause.name).exact
        return is_known and self.levels.at(cause.span).of(cause.value).exact

    def _changes_noted(self, note: Write, cause: Write) -> bool:
        """Whether all runs agree on whether any call changes what `cause` changes, as one scalar notes all that do."""
        if note.index is not self.effects.terms.unit or not self.state.value(cause.name).exact:
            return False
        together = [cause]
        for one in together:
            others = (other for other in self.effects.written(cause.name) if not _apart(other.index, one.index))
            together += [other for other in others if other not in together]
        return all(other.operation is cause.operation and self._is_noted(other, note) for other in together)

    def _is_noted(self, write: Write, note: Write) -> bool:
        """Whether `write` is a reduction in which each call is sure of its operand, and says in the scalar of `note` if
        it has changed anything."""
        if write.outcome is not Outcome.CHANGED or write.operation not in IDEMPOTENT:
            return False
        is_known = self.control(write).exact and self.levels.at(write.span).of(write.value).exact
        notes = (other for other in self.effects.written(note.name) if other.operation is note.operation)
        return is_known and any(notes_any(other, write) and not self._further(other.guard, write) for other in notes)

    # ------------------------------------------------------------ what a write leaves

    def effect(self, write: Write) -> Level:
        """The level that a write gives its array or scalar."""
        control = self.control(write)
        if not control.exact:
            return control
        winner = self._winner(write)
        if winner is not None:
            return winner
        if write.kind is WriteKind.REDUCE:
            # Under a shared result it is open which calls get here, so all of them must bring the same operand.
            for cause in self._shared_results((write.index,), write.guard):
                if not self._same_for_all(cause, (write.value,), write.guard):
                    return self._of_result(cause)
        value = worst((self._value(write), self._of_comparison(write)))
        if write.kind is WriteKind.REDUCE and write.type.is_pair:  # the first parts decide between the second ones
            return decision_level(worst((value, self.state.value(write.name))), write.span)
        sums = write.kind is WriteKind.REDUCE and write.operation not in IDEMPOTENT and write.type.is_float
        return worst((value, rounding(write.span))) if sums and not self.judged.writers.single(write.name) else value

    def _of_comparison(self, write: Write) -> Level:
        """The level of the value that a `cas` expects: whether it writes at all depends on that."""
        return self.levels.at(write.span).decision(write.old) if write.old is not None else EXACT

    def _value(self, write: Write) -> Level:
        results = self._shared_results((write.value,), None)
        if not results:
            return self.levels.at(write.span, not_zero(self.effects, write.guard)).of(write.value)
        cause = results[0]
        if notes_any(write, cause):
            is_known = self._deals_out(cause) or self._any_change_known(cause) or self._changes_noted(write, cause)
            if is_known and self._same_for_all(cause, (write.index,), write.guard):
                return EXACT
        same = len(results) == 1 and self._same_for_all(cause, (write.index, write.value), write.guard)
        if write.kind is WriteKind.REDUCE and same and self._deals_out(cause):
            return EXACT
        return self._of_result(cause)

    def _winner(self, write: Write) -> Level | None:
        """The level where the order of the calls decides which value stays."""
        if self.judged.writers.single(write.name) or write.kind is WriteKind.REDUCE:
            return None
        if self.judged.writers.by_ticket(write.name):
            return not_unique(write.span, "which call gets which result of `fetch` is open")
        reason = "one of several writers wins"
        if write.kind is WriteKind.CAS:
            certain = self._puts_the_same(write) and self._old_known(write)
            return None if certain else not_unique(write.span, reason)
        return not_unique(write.span, reason) if self.judged.varied(write.name, write.kind) else None

    def _puts_the_same(self, cas: Write) -> bool:
        """Whether every winner of a `cas` leaves the same value: all writes of the array are such `cas`, of the same
        old and the same new value, which the index alone determines."""
        return all(
            other.kind is WriteKind.CAS
            and other.old is cas.old
            and other.value is cas.value
            and other.old is not None
            and self.effects.determined(other.old, other.index)
            and self.effects.determined(other.value, other.index)
            for other in self.effects.written(cas.name)
        )

    def _mark(self, write: Write) -> Level:
        """The level that a write gives to the question whether its element is the initial constant."""
        initial = self.initials.get(write.name)
        differs = initial is not None and (
            self.data.proof.differ(write.value, initial)
            or knows(self.effects, write, BinaryOperation.NOT_EQUAL, initial)
        )
        old_known = write.kind is WriteKind.CAS and self._old_known(write)
        if write.kind is WriteKind.REDUCE or (write.kind is WriteKind.CAS and not old_known):
            # The result depends on the former value, and may become the constant.
            return decision_level(worst((self.effect(write), self.state.value(write.name))), write.span)
        if not differs or (write.kind is WriteKind.CAS and write.old is not initial):
            return decision_level(self.effect(write), write.span)
        return self.control(write)

    # ------------------------------------------------------------ the frontier

    def accepted(self, collected: End) -> Level:
        """The level of what some call accepts, `collected` of each: of the outgoing frontier, or of the far ends of the
        edges in it."""
        term = self.effects.accept
        if not self.run.exact or term is None:
            return self.run
        span = self.effects.accepts[-1] if self.effects.accepts else self.effects.operator.span
        if not all(steady_accept(self.effects, closes, term, collected) for closes in self.judged.closings):
            return not_unique(span, "which elements are accepted depends on which calls run")
        self._accepts.clear()
        self._collected = collected
        return self._some_accept(term, span)

    def _some_accept(self, term: Term, span: Span) -> Level:
        """The level of whether some call for an element has `term` true."""
        if term not in self._accepts:
            if term.depth > DEEPEST_PROOF and self._shared_results((term,), None):
                return not_unique(span, "whether it is accepted depends on shared results")
            self._accepts[term] = self._find_accept(term, span)
        return self._accepts[term]

    def _find_accept(self, term: Term, span: Span) -> Level:
        results = self._shared_results((term,), None)
        if not results:
            return self.levels.at(span).decision(term)
        far = self._collected
        if isinstance(term, Operation) and term.operation is BinaryOperation.OR:
            return worst(self._some_accept(part, span) for part in term.arguments)
        if isinstance(term, Choice) and self.effects.determined(term.condition, far):
            parts = (self._some_accept(part, span) for part in (term.yes, term.no))
            return worst((self.levels.at(span).decision(term.condition), *parts))
        if isinstance(term, Operation) and term.operation is BinaryOperation.AND:
            free = [part for part in term.arguments if self.effects.determined(part, far)]
            if free:
                return worst(self._some_accept(part, span) for part in term.arguments)
        cause = results[0]
        is_known = self._deals_out(cause) or (term is cause.result and self._any_change_known(cause))
        if is_known and len(results) == 1 and self._same_for_all(cause, (far, term), None):
            return EXACT
        return self._of_result(cause)

    def num_accepted(self) -> Level:
        """The level of how many calls accept, before anything is written."""
        term, span = self.effects.accept, self.effects.operator.span
        if not self.run.exact or term is None:
            return self.run
        if self.judged.closings:
            return not_unique(span, "how many are accepted depends on which calls run")
        if any(isinstance(atom, OfResult) for atom in self.effects.terms.atoms.members(term.depends)):
            return not_unique(span, "how many are accepted depends on shared results")
        return self.levels.at(span).decision(term)


def not_zero(effects: Effects, guard: Guard | None) -> frozenset[Term]:
    """The numbers that are not zero where `guard` holds."""
    tests = [(part.term, part.expected) for part in each(guard)] + [(term, True) for term in effects.conjuncts]
    return frozenset(number for test, expected in tests for number in tested_not_zero(test, expected))


def _apart(one: Term, other: Term) -> bool:
    """Whether two indices never name the same value: they have different places among the several of an element."""
    (*_, here), (*_, there) = split(one), split(other)
    several = here is not one and there is not other
    return several and isinstance(here, Constant) and isinstance(there, Constant) and here.value != there.value


def notes_any(note: Write, cause: Write) -> bool:
    """Whether `note` only records whether some call got true from `cause`, however many did: `x |= changed(…)`, or,
    negated, `x &= !changed(…)`."""
    if note.operation is ReduceOperation.BIT_OR:
        return note.value is cause.result
    value = note.value
    if not isinstance(value, Operation) or value.operation is not UnaryOperation.NOT:
        return False
    return note.operation is ReduceOperation.BIT_AND and value.arguments[0] is cause.result
