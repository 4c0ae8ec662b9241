"""Loops that repeat reductions which read their own array until nothing changes.

Inside such a loop the values depend on the order (a read sees some of the pass's changes or all), but its end does not.
Let every reduction be `x[j] min= g(x[i])` with `g` monotone (`monotone`), and let everything else that decides what it
does be the same in every pass. (For `max=` the order is reversed, for `|=` and `&=` it is that of sets.)

- *Sweeps*, `while (s) { s = false; … }` with the reductions over a set that stays: let D be the end of one run. In
  its last pass nothing changed, so every reduction holds of D. Another run begins at or above D and, `g` being
  monotone, never falls below it; so neither run's end is below the other's.
- *A worklist*, `while (f) { f = advance(f, relax); }`: here the reductions of a vertex hold of D if it was in the first
  f or its element changed (it was accepted then, and its edges were visited with its last value). By induction over
  another run: a vertex in its f was in the first f, or has changed and so has an element of D below the first one,
  which means that it changed in the first run, too; so its reductions hold of D, and the step stays above D. Where
  elements have several values, one that changes is enough: a visit looks at all that it reads.

Both need this: the loop ends for no other reason, the flag is cleared in its first statement and nowhere else, every
change sets it (accepts the far end), and nothing else in the loop writes the array.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping

from gdsl.effects import Effects, Write, WriteKind, each
from gdsl.effects.terms import (
    DEEPEST_PROOF,
    Choice,
    Constant,
    OfData,
    OfEnd,
    OfPlace,
    OfRead,
    OfResult,
    OfRoots,
    OfRound,
    Operation,
    Term,
    split,
)
from gdsl.ir import nodes
from gdsl.ir.traversal import all_steps, expand_buckets
from gdsl.operations import IDEMPOTENT, BinaryOperation, Outcome, ReduceOperation
from gdsl.rules import JudgedOperator
from gdsl.types import Type
from gdsl.uniqueness.data import Data, ScheduleTerms
from gdsl.uniqueness.monotone import Monotone
from gdsl.uniqueness.split_worklists import SplitWorklist

Sources = frozenset[tuple[str, bool]]
"""Frontiers, each with whether nothing but the set of its far ends counts."""
Origins = tuple[frozenset[str], Sources]
"""The data and the frontiers that a value depends on."""


class Loop:
    """A `while` whose condition is one frontier or one bool scalar, and what it settles."""

    def __init__(self, loop: nodes.While, sites: Mapping[int, JudgedOperator], data: Data) -> None:
        self.written, self.defined = written_in(loop.body, sites)
        self.split = SplitWorklist(loop, self.defined, data.effects.program)
        self.loop = loop = dataclasses.replace(loop, body=expand_buckets(loop.body))
        self.sites = sites
        self.data = data
        condition = loop.condition
        self.frontier = condition.frontier if isinstance(condition, nodes.FrontierNotEmpty) else None
        self.flag = condition.name if isinstance(condition, nodes.ScalarValue) else None
        direct = (step for step in loop.body if isinstance(step, nodes.Operator) and step.stores is None)
        self.ends_of = {step.name: step.other for step in loop.body if isinstance(step, nodes.FarEnds)}
        """The edge frontier whose far ends a frontier holds: those of the edges that the last pass accepted."""
        self.operators = [sites[step.site] for step in direct if step.site in sites]
        self._makers: dict[str, list[int]] = {}
        """The places of the body where each frontier is defined, without those inside branches and loops."""
        for place, step in enumerate(loop.body):
            for name in written_by(step, sites)[1]:
                self._makers.setdefault(name, []).append(place)

    def settled(self) -> dict[str, Origins]:
        """The arrays whose values after the loop do not depend on the order, each with what it does depend on."""
        if self.frontier is None and self.flag is None:
            return {}
        result: dict[str, Origins] = {}
        names = {read.name for judged in self.operators for read in judged.effects.reads.values()}
        for name in sorted(names):
            steps = self.writers_of(name)
            if steps and self._settles(name, steps):
                origins = [self.origins(name, judged) for judged in steps]
                of_data = frozenset({name}).union(*(data for data, _ in origins))
                of_frontiers = Sources().union(*(frontiers for _, frontiers in origins))
                result[name] = (of_data, of_frontiers)
                for note in self._notes(name, steps):
                    result[note] = (of_data | {note}, of_frontiers)
        return result

    def _notes(self, name: str, steps: list[JudgedOperator]) -> list[str]:
        """The arrays and scalars in which every change of an element of `name` is noted, and nothing else: an element
        has changed in the end if it is another one than at first."""
        others = {write.name for judged in steps for write in judged.effects.writes} - {name, self.flag}
        return [other for other in sorted(others) if self._is_note(other, name, steps)]

    def _is_note(self, other: str, name: str, steps: list[JudgedOperator]) -> bool:
        values = set()
        for judged in self.writers_of(other):
            for note in judged.effects.written(other):
                if not any(_notes_change(judged.effects, note, write) for write in judged.effects.written(name)):
                    return False
                values.add(note.value if note.kind is not WriteKind.REDUCE else judged.effects.terms.true)
        everywhere = all(
            any(_notes_change(judged.effects, note, write) for note in judged.effects.written(other))
            for judged in steps
            for write in judged.effects.written(name)
        )
        return len(values) == 1 and everywhere

    def writers_of(self, name: str) -> list[JudgedOperator]:
        """The operators directly in the body that write `name`, where nothing else in the loop does; else none."""
        steps = [judged for judged in self.operators if judged.effects.written(name)]
        return steps if sum(len(judged.effects.written(name)) for judged in steps) == self.written.get(name, 0) else []

    def _settles(self, name: str, steps: list[JudgedOperator]) -> bool:
        operations = {write.operation for judged in steps for write in judged.effects.written(name)}
        operation = next(iter(operations))
        if len(operations) != 1 or operation not in IDEMPOTENT:
            return False
        if not all(self.is_fixed(name, judged) and self._is_monotone(name, operation, judged) for judged in steps):
            return False
        return self._is_worklist(name, steps) or self._are_sweeps(name, steps)

    # ------------------------------------------------------------ what the reductions depend on

    def origins(self, name: str, judged: JudgedOperator) -> Origins:
        """Everything else that the reductions of a step depend on, and its input frontier."""
        names = {atom.name for atom in self._atoms(name, judged.effects) if isinstance(atom, OfData | OfRoots)}
        sources = self._made_of(judged)
        if sources is None:  # a worklist
            source = judged.effects.frontier.frontier or ""
            if self.split.works_off(judged.effects.operator):
                source = self.frontier or ""
            sources = frozenset({(self.ends_of.get(source, source), source in self.ends_of)})
        return frozenset(names), sources

    def _atoms(self, name: str, effects: Effects) -> list[object]:
        atoms = effects.depends(*_deciding(effects, name))
        return list(effects.terms.atoms.members(atoms))

    def is_fixed(self, name: str, judged: JudgedOperator) -> bool:
        """Whether what a step does to `name` is decided by the same things in every pass, and by nothing that the order
        decides but elements of `name` itself."""
        effects = judged.effects
        if judged.closings:
            return False
        for atom in self._atoms(name, effects):
            own = isinstance(atom, OfRead) and effects.reads[atom.number].name == name
            if not own and not self._same_in_every_pass(atom):
                return False
        return True

    def _same_in_every_pass(self, atom: object) -> bool:
        steady = isinstance(atom, OfEnd | OfPlace | OfRound)
        return steady or (isinstance(atom, OfData) and atom.name not in self.written)

    def stays(self, judged: JudgedOperator) -> bool:
        """Whether the set that a step works on is the same in every pass."""
        return self._made_of(judged) is not None

    def _made_of(self, judged: JudgedOperator) -> Sources | None:
        """The sets from outside the loop that a step works on: directly, or through sets that the body derives from
        them in every pass, before that step. None where it may be a different set in another pass."""
        reads = set[tuple[str, bool]]()
        if judged.effects.operator.array_read in self.written:  # pairs: the partners may change
            return None
        waiting = [(judged.effects.frontier.frontier, self.loop.body.index(judged.effects.operator), False)]
        seen = set[tuple[int, bool]]()
        while waiting:
            name, place, far_ends = waiting.pop()
            if name is None or name not in self.defined:
                reads |= set() if name is None else {(name, far_ends)}
                continue
            makers = self._makers.get(name, [])
            before = [at for at in makers if at < place]
            if not before or len(makers) != self.defined[name]:
                return None
            parts = self._parts(self.loop.body[before[-1]], far_ends)
            if parts is None:
                return None
            if (before[-1], far_ends) not in seen:
                seen.add((before[-1], far_ends))
                waiting += [(part, before[-1], of_ends) for part, of_ends in parts]
        return frozenset(reads)

    def _parts(self, step: nodes.Step, far_ends: bool) -> list[tuple[str | None, bool]] | None:
        """The sets from which a step derives its own, each with whether its far ends are used; None where it uses
        anything else, too."""
        match step:
            case nodes.DefineFrontier():
                terms = ScheduleTerms(self.data.effects)
                return None if any(terms.value(member).depends for member in step.members) else []
            case nodes.CopyFrontier():
                return [(step.other, far_ends)]
            case nodes.FarEnds():
                return [(step.other, True)]
            case nodes.CombineFrontiers():
                return [(step.first.frontier, False), (step.second.frontier, False)]
        return None

    def _is_monotone(self, name: str, operation: ReduceOperation, judged: JudgedOperator) -> bool:
        effects = judged.effects
        reads = [read.number for read in effects.reads.values() if read.name == name]
        rules = Monotone(effects.terms, self.data, name, operation, reads)
        for write in effects.written(name):
            fixed = (write.index, *(guard.term for guard in each(write.guard)))
            if not all(rules.free(term) for term in fixed) or not rules.of(write):
                return False
        return all(rules.free(conjunct) for conjunct in effects.conjuncts)

    # ------------------------------------------------------------ the two shapes

    def _is_worklist(self, name: str, steps: list[JudgedOperator]) -> bool:
        operator = steps[0].effects.operator
        if len(steps) != 1 or self.frontier is None or operator.visits is None:
            return False
        source = operator.frontier.frontier or ""
        whole = self.defined.get(self.frontier) == 1 and self.ends_of.get(source, source) == self.frontier
        if not (whole and operator.result == self.frontier) and not self.split.works_off(operator):
            return False
        return works_off(steps[0].effects, name) and self._accepts_steadily(steps[0].effects, name)

    def _accepts_steadily(self, effects: Effects, name: str) -> bool:
        """Whether `accept` depends on nothing else that the order decides or the loop changes."""
        assert effects.accept is not None
        own = effects.written(name)[0]
        for atom in effects.terms.atoms.members(effects.accept.depends):
            by_change = isinstance(atom, OfResult) and atom.number == own.number
            if not by_change and not self._same_in_every_pass(atom):
                return False
        return True

    def _are_sweeps(self, name: str, steps: list[JudgedOperator]) -> bool:
        if not all(self.stays(judged) for judged in steps):
            return False
        by_flag = self.resets()
        for judged in steps:
            effects, operator = judged.effects, judged.effects.operator
            alone = self.frontier is not None and self.frontier == operator.result and len(steps) == 1
            alone = alone and self.defined.get(self.frontier or "") == 1
            for write in effects.written(name):
                accepted = alone and split(write.index)[0] is effects.far and accepts_change(effects, write)
                if not accepted and not (by_flag and self.sets_flag(judged, write)):
                    return False
        return True

    def resets(self) -> bool:
        """Whether the loop's flag is cleared by its first statement, and can but be set by all else in it."""
        first = self.loop.body[0] if self.loop.body else None
        if self.flag is None or not isinstance(first, nodes.StoreScalar) or first.scalar != self.flag:
            return False
        if not (isinstance(first.value, nodes.Literal) and first.value.value is False):
            return False
        setters = 0
        for step in all_steps(self.loop.body):
            if isinstance(step, nodes.Operator) and step.site in self.sites:
                for write in self.sites[step.site].effects.written(self.flag):
                    if not _sets(self.sites[step.site].effects, write):
                        return False
                    setters += 1
        return self.written.get(self.flag) == 1 + setters

    def sets_flag(self, judged: JudgedOperator, write: Write) -> bool:
        """Whether the flag becomes true whenever `write` changes something."""
        effects = judged.effects
        if write.outcome is not Outcome.CHANGED or write.result is None:
            return False
        under = {(guard.term, guard.expected) for guard in each(write.guard)}
        for setter in effects.written(self.flag or ""):
            asks = {(guard.term, guard.expected) for guard in each(setter.guard)}
            if setter.value is effects.terms.true and asks <= under | {(write.result, True)}:
                return True
            if setter.kind is WriteKind.REDUCE and is_implied(effects, setter.value, write) and asks <= under:
                return True
        return False


def works_off(effects: Effects, name: str) -> bool:
    """Whether an advance has one reduction of `name`, at the far end, that reads it at the near end alone, and accepts
    every far end that it changes."""
    writes = effects.written(name)
    if len(writes) != 1 or split(writes[0].index)[0] is not effects.far or effects.accept is None:
        return False
    near_only = all(split(read.index)[0] is effects.near for read in effects.reads.values() if read.name == name)
    return near_only and accepts_change(effects, writes[0])


def accepts_change(effects: Effects, write: Write) -> bool:
    """Whether a call whose `write` changes something accepts its far end."""
    return effects.accept is not None and is_implied(effects, effects.accept, write)


def is_implied(effects: Effects, term: Term, write: Write) -> bool:
    """Whether a bool is true whenever `write` has happened and changed something."""
    certain = {(guard.term, guard.expected) for guard in each(write.guard)}
    if write.outcome is Outcome.CHANGED and write.result is not None:
        certain.add((write.result, True))
    results: dict[Term, bool] = {}

    def follows(part: Term) -> bool:
        if part not in results:
            results[part] = part.depth <= DEEPEST_PROOF and look(part)
        return results[part]

    def look(part: Term) -> bool:
        if part is effects.terms.true or (part, True) in certain:
            return True
        if isinstance(part, Choice):
            yes = (part.condition, False) in certain or follows(part.yes)
            return yes and ((part.condition, True) in certain or follows(part.no))
        if isinstance(part, Operation) and part.operation in (BinaryOperation.OR, BinaryOperation.BIT_OR):
            return any(map(follows, part.arguments))
        return (
            isinstance(part, Operation) and part.operation is BinaryOperation.AND and all(map(follows, part.arguments))
        )

    return follows(term)


def _notes_change(effects: Effects, note: Write, write: Write) -> bool:
    """Whether `note` happens just where `write` has changed something, and stores a constant at that element (or into a
    scalar)."""
    if write.outcome is not Outcome.CHANGED or write.result is None:
        return False
    if note.index is not write.index and not effects.is_scalar(note):
        return False
    under = {(guard.term, guard.expected) for guard in each(write.guard)}
    asks = {(guard.term, guard.expected) for guard in each(note.guard)}
    if note.kind in (WriteKind.STORE, WriteKind.ANY):
        changed = (write.result, True)
        return isinstance(note.value, Constant) and changed in asks and asks <= under | {changed}
    return note.operation is ReduceOperation.BIT_OR and note.value is write.result and asks <= under


def _sets(effects: Effects, write: Write) -> bool:
    """Whether a write of a bool can only make it true."""
    if write.kind in (WriteKind.STORE, WriteKind.ANY):
        return write.value is effects.terms.true
    return write.operation is ReduceOperation.BIT_OR and write.type is Type.BOOL


def _deciding(effects: Effects, name: str) -> Iterator[Term]:
    """The terms that decide what a step does to `name`."""
    yield from effects.conjuncts
    for write in effects.written(name):
        yield write.index
        yield write.value
        yield from (guard.term for guard in each(write.guard))


def written_in(
    steps: tuple[nodes.Step, ...], sites: Mapping[int, JudgedOperator]
) -> tuple[dict[str, int], dict[str, int]]:
    """How often the text of some steps writes each name, and how often it defines each frontier."""
    data: dict[str, int] = {}
    frontiers: dict[str, int] = {}
    for step in all_steps(steps):
        names, sets = written_by(step, sites)
        for name in names:
            data[name] = data.get(name, 0) + 1
        for name in sets:
            frontiers[name] = frontiers.get(name, 0) + 1
    return data, frontiers


def written_by(step: nodes.Step, sites: Mapping[int, JudgedOperator]) -> tuple[list[str], list[str]]:
    """The data that one step writes, once for each place, and the frontiers that it defines."""
    names: list[str] = []
    sets: list[str] = []
    match step:
        case nodes.StoreScalar():
            names = [step.scalar]
        case nodes.StoreElement():
            names = [step.target.array]
        case nodes.Fill():
            names = [step.array]
        case nodes.Swap():
            names = [step.first, step.second]
        case nodes.DefineFrontier() | nodes.CopyFrontier() | nodes.CombineFrontiers() | nodes.FarEnds():
            sets = [step.name]
        case nodes.SameGraph() | nodes.Subgraph():
            sets = [step.name]
        case nodes.Contract():
            sets = [step.name]
            names = list(step.arrays)
        case nodes.SetStep():
            names, sets = list(step.use.writes), [step.use.result] if step.use.result is not None else []
        case nodes.Operator():
            names = [write.name for write in sites[step.site].effects.writes] if step.site in sites else []
            names += [name for name in (step.stores, step.adds_to) if name is not None]
            sets = [step.result] if step.result is not None else []
    return names, sets
