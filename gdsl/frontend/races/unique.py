"""What one operator does to the levels of the names that it writes, and of the frontier that it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gdsl.frontend.races.calls import Calls, Guard, Write, WriteKind
from gdsl.frontend.races.closing import Closing, ConditionUse, shifting, steady_accept
from gdsl.frontend.races.levels import Level, State, decided, of_operation, test_of_constant, worst
from gdsl.frontend.races.proof import differ
from gdsl.frontend.races.terms import Apply, Constant, DegreeOf, Element, ScalarRead, Term, Unknown, inside, parts
from gdsl.frontend.races.writes import differing_pair, shared_winners, won
from gdsl.operations import Outcome, ReduceOperation

_IDEMPOTENT = (ReduceOperation.MIN, ReduceOperation.MAX, ReduceOperation.BIT_OR, ReduceOperation.BIT_AND)


class OperatorLevels:
    """The levels inside one operator call that starts from `state`, where `run` is that of its taking place at all and
    of its frontier's members."""

    def __init__(
        self,
        calls: Calls,
        uses: Mapping[str, ConditionUse],
        found: list[Closing],
        state: State,
        run: Level,
        initials: Mapping[str, Constant],
    ) -> None:
        self.calls = calls
        self.uses = uses
        self.closings = found
        self.state = state
        self.initials = initials
        self._kept: dict[int, Level] = {}
        self._kept_for: tuple[dict[str, Level], dict[str, Level]] = ({}, {})
        self._settling = False
        self._in_condition = {read.term.read for read in calls.reads if read.in_condition}
        self.run = decided(worst([run, *(self.level(conjunct) for conjunct in calls.conjuncts)]))

    def apply(self) -> None:
        """Raise the levels of what the operator writes; own elements may pass levels on to each other."""
        before = None
        while before != (self.state.values, self.state.marks):
            before = (dict(self.state.values), dict(self.state.marks))
            for write in self.calls.writes:
                self.state.raise_to(write.name, self.effect(write), self._mark_effect(write))

    # ------------------------------------------------------------ values

    def level(self, term: Term) -> Level:
        """The level of a value."""
        if isinstance(term, Element):
            if decided(self.level(term.index)) is Level.DIFFERS:
                return Level.DIFFERS
            return self._of_read(term, term.array, term.index)
        if isinstance(term, ScalarRead):
            return self._of_read(term, term.name, None)
        if isinstance(term, DegreeOf):
            return decided(self.level(term.vertex))
        if isinstance(term, Apply):
            mark = self._of_test(term)
            levels = [self.level(part) for part in term.arguments]
            return of_operation(term.operation, term.type, levels) if mark is None else mark
        if isinstance(term, Unknown):
            write = self.calls.write_of(term)
            if write is not None:
                return self._of_result(write)
            return self._of_unknown(term.number)
        return worst(self.level(part) for part in parts(term))

    def _of_unknown(self, number: int) -> Level:
        """The worst level of what an unknown was made from; kept, as many unknowns may be made from one."""
        state = (self.state.values, self.state.marks)
        if not self._settling and state != self._kept_for:
            self._kept, self._kept_for = {}, (dict(state[0]), dict(state[1]))
        if number not in self._kept:
            self._settle(sorted(self._reached(number) - self._kept.keys()))
        return self._kept[number]

    def _settle(self, numbers: list[int]) -> None:
        """The levels of unknowns that may be made from each other, in loops: the least that agree. Those that were made
        first come first, so that most are right at once, and no way back is as long as the program."""
        self._kept.update(dict.fromkeys(numbers, Level.SAME))
        self._settling = True
        changed = True
        while changed:
            changed = False
            for number in numbers:
                level = worst([self.level(part) for part in self.calls.sources.get(number, ())])
                changed = changed or level is not self._kept[number]
                self._kept[number] = level
        self._settling = False

    def _reached(self, number: int) -> set[int]:
        """The unknowns that an unknown was made from, and itself."""
        reached = {number}
        waiting = [number]
        while waiting:
            current = waiting.pop()
            write = self.calls.write_of_number(current)
            made_from = self.calls.sources.get(current, ()) if write is None else (write.value,)
            for source in made_from:
                found = {part.number for part in inside(source) if isinstance(part, Unknown)} - reached
                reached |= found
                waiting += found
        return reached

    def _of_read(self, term: Element | ScalarRead, name: str, index: Term | None) -> Level:
        if term.read and not self._sees_one_value(term, name, index):
            return Level.DIFFERS
        return self.state.value(name)

    def _sees_one_value(self, term: Element | ScalarRead, name: str, index: Term | None) -> bool:
        if index is not None and self.calls.single_writer(name) and self.calls.is_own(index):
            return True
        return not term.now and name in self.uses and term.read in self._in_condition

    def _of_test(self, term: Apply) -> Level | None:
        """The level of a comparison with the initial constant, where that is all that is asked."""
        constant = test_of_constant(term)
        element = next((part for part in term.arguments if isinstance(part, Element | ScalarRead)), None)
        if constant is None or element is None:
            return None
        name = element.array if isinstance(element, Element) else element.name
        index = element.index if isinstance(element, Element) else None
        if self.initials.get(name) != constant or (index is not None and self.level(index)):
            return None
        if element.read and not self._sees_one_value(element, name, index):
            return None
        return self.state.mark(name)

    def _of_result(self, write: Write) -> Level:
        if not self.calls.single_writer(write.name):
            return Level.DIFFERS
        level = max(self.state.value(write.name), self.level(write.value))
        return level if write.outcome is Outcome.FETCH else decided(level)

    # ------------------------------------------------------------ effects

    def effect(self, write: Write) -> Level:
        """The level that a write gives its array or scalar."""
        control = self.control(write)
        if control is Level.DIFFERS or self._picks_a_winner(write):
            return Level.DIFFERS
        return self._stored(write)

    def _stored(self, write: Write) -> Level:
        if write.kind is WriteKind.REDUCE:
            if write.operation is ReduceOperation.BIT_OR and self._some_change(write.value, write.index):
                return Level.SAME
            level = self.level(write.value)
            sums = write.operation not in _IDEMPOTENT and write.type is not None and write.type.is_float
            return max(level, Level.ROUNDED) if sums and not self.calls.single_writer(write.name) else level
        return self.level(write.value)

    def _picks_a_winner(self, write: Write) -> bool:
        """Whether the order of the calls decides which value stays."""
        if self.calls.single_writer(write.name):
            return False
        if write.kind is WriteKind.CAS:
            unsure = shared_winners(self.calls, write) is not None
            return unsure or not self.calls.determined(write.value, write.index)
        if write.kind is WriteKind.REDUCE or any(won(self.calls, guard) for guard in write.guards):
            return False
        same_kind = [other for other in self.calls.written(write.name) if other.kind is write.kind]
        return differing_pair(self.calls, same_kind) is not None

    def _mark_effect(self, write: Write) -> Level:
        """The level that a write gives to the question whether its element is the initial constant."""
        initial = self.initials.get(write.name)
        if initial is None or write.kind is WriteKind.REDUCE or not differ(write.value, initial):
            return decided(self.effect(write))
        if write.kind is WriteKind.CAS and write.old != initial:
            return decided(self.effect(write))
        return self.control(write)

    def control(self, write: Write) -> Level:
        """The level of where a write happens: its index and guards, the runs of a closing functor, the operator."""
        if self.run or decided(self.level(write.index)):
            return Level.DIFFERS
        if any(self._unsteady(closing, write) for closing in self.closings):
            return Level.DIFFERS
        if write.kind is WriteKind.CAS and (write.old is None or self.level(write.old) or not self._cas_known(write)):
            return Level.DIFFERS
        return self._guards(write)

    def _unsteady(self, closing: Closing, write: Write) -> bool:
        if write.kind is WriteKind.ANY:  # where it happens counts here, not which value wins
            write = replace(write, kind=WriteKind.CAS)
        return shifting(self.calls, closing, write) is not None

    def _cas_known(self, cas: Write) -> bool:
        if cas.old == self.initials.get(cas.name):
            return self.state.mark(cas.name) is Level.SAME
        return self.state.value(cas.name) is Level.SAME

    def _guards(self, write: Write) -> Level:
        for place, guard in enumerate(write.guards):
            if self._order_decides(guard.term):
                return self._under_result(write, guard, write.guards[place + 1 :])
            if self.level(guard.term):
                return Level.DIFFERS
        return Level.SAME

    def _order_decides(self, term: Term) -> bool:
        results = (self.calls.write_of(part) for part in self.calls.origins(term) if isinstance(part, Unknown))
        return any(write is not None and not self.calls.single_writer(write.name) for write in results)

    def _under_result(self, write: Write, guard: Guard, later: tuple[Guard, ...]) -> Level:
        """Under the success of a `cas` or a change: certain where only the element that was fought for counts."""
        cause = self.calls.write_of(guard.term) if isinstance(guard.term, Unknown) and guard.expected else None
        if cause is None or self.control(cause):
            return Level.DIFFERS
        values = [write.index, write.value, *([write.old] if write.old is not None else [])]
        values += [further.term for further in later]
        if not all(self.calls.determined(value, cause.index) for value in values):
            return Level.DIFFERS
        if any(self.level(further.term) for further in later):
            return Level.DIFFERS
        if cause.kind is WriteKind.CAS:
            return Level.SAME if shared_winners(self.calls, cause) is None else Level.DIFFERS
        repeatable = write.kind is not WriteKind.REDUCE or write.operation in _IDEMPOTENT
        return Level.SAME if repeatable and self._change_known(cause) else Level.DIFFERS

    def _change_known(self, cause: Write) -> bool:
        """Whether some call or none changes the element in every run (not which call)."""
        known = cause.outcome is Outcome.CHANGED and not self.control(cause)
        known = known and len(self.calls.written(cause.name)) == 1
        return known and not self.level(cause.value) and not self.state.value(cause.name)

    def _some_change(self, term: Term, key: Term) -> bool:
        """Whether all runs agree if one of the calls for `key` has `term` true, where it is an update's result."""
        write = self.calls.write_of(term) if isinstance(term, Unknown) else None
        if write is None or not self.calls.determined(key, write.index):
            return False
        if write.kind is WriteKind.CAS:
            return not self.control(write) and len(self.calls.written(write.name)) == 1
        return self._change_known(write)

    # ------------------------------------------------------------ the frontier

    def accepted(self) -> Level:
        """The level of the outgoing frontier."""
        term = self.calls.accept
        if self.run or term is None:
            return self.run
        if not all(steady_accept(self.calls, closing, term) for closing in self.closings):
            return Level.DIFFERS
        return self._some_accept(term)

    def _some_accept(self, term: Term) -> Level:
        """The level of one of the calls for an element accepting it."""
        if not self._order_decides(term):
            return decided(self.level(term))
        far = self.calls.far
        if isinstance(term, Unknown):
            return Level.SAME if self._some_change(term, far) else Level.DIFFERS
        if not isinstance(term, Apply):
            return Level.DIFFERS
        if term.operation == "||":
            return worst(self._some_accept(part) for part in term.arguments)
        decided_by_far = [part for part in term.arguments if self.calls.determined(part, far)]
        if term.operation == "&&" and decided_by_far:
            return worst(self._some_accept(part) for part in term.arguments)
        if term.operation == "?:":
            condition, yes, no = term.arguments
            if condition in decided_by_far:
                return worst([self.level(condition), self._some_accept(yes), self._some_accept(no)])
            if isinstance(no, Constant) and no.value is False and yes in decided_by_far:
                return max(self._some_accept(condition), self.level(yes))
        return Level.DIFFERS
