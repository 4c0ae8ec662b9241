"""What the steps of the schedule that run no functor do to the levels, and the levels of its expressions."""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.effects import ProgramEffects
from gdsl.effects.terms import (
    Constant,
    ElementTerm,
    OfData,
    OfEnd,
    OfFrontier,
    OfPass,
    Origin,
    ScalarTerm,
    Term,
    Unknown,
)
from gdsl.ir import nodes
from gdsl.operations import SetOperation
from gdsl.source import Span
from gdsl.types import Type
from gdsl.uniqueness.data import Data, ScheduleTerms
from gdsl.uniqueness.levels import EXACT, Level, State, decision_level, free_choice, not_unique, rounding, worst
from gdsl.uniqueness.values import ValueLevels, compared_with_initial


class StepLevels:
    """Runs single steps on levels."""

    def __init__(self, effects: ProgramEffects, data: Data) -> None:
        self.effects = effects
        self.data = data
        self.terms = ScheduleTerms(effects)
        self.initials = self._initials()
        self.elsewhere = 0
        """The number of `on` around: there, what is done to everything does not change elements of the given graph that
        are missing."""
        certain = ((scalar.name, _literal(scalar.initial)) for scalar in effects.program.scalars)
        self.state = State(certain=frozenset((name, value) for name, value in certain if value is not None))

    def _initials(self) -> Mapping[str, Constant]:
        """The constant that each array and scalar holds at first, where it is one."""
        constants: dict[str, Constant] = {}
        for data in self.effects.data:
            value = self.terms.value(data.initial) if data.initial is not None else None
            if isinstance(value, Constant):
                constants[data.name] = value
        return constants

    def run(self, step: nodes.Step) -> None:
        """Run a step without a functor and without a block."""
        match step:
            case nodes.DefineFrontier():
                members = worst(self.level(member, step.span, decides=True) for member in step.members)
                self.state.define(step.name, members, members)
            case nodes.CopyFrontier() | nodes.FarEnds():
                reached = self.state.reached(step.other)
                copied = isinstance(step, nodes.CopyFrontier)
                self.state.define(step.name, self.state.frontier(step.other) if copied else reached, reached)
            case nodes.CombineFrontiers():
                members = worst((self.members(step.first), self.members(step.second)))
                reached = members
                if step.operation is SetOperation.UNION and step.first.frontier and step.second.frontier:
                    reached = worst(self.state.reached(name) for name in (step.first.frontier, step.second.frontier))
                self.state.define(step.name, members, reached)
            case nodes.SetStep():
                self._set_step(step)
            case nodes.SameGraph() | nodes.Subgraph() | nodes.Contract():
                self._graph(step)
            case _:
                self._store(step)

    # ------------------------------------------------------------ stores

    def _store(self, step: nodes.Step) -> None:
        state = self.state
        match step:
            case nodes.StoreScalar():
                self._replace(step.scalar, step.value, step.span)
                said = _literal(step.value)
                if said is not None:
                    state.certain |= {(step.scalar, said)}
            case nodes.Fill():
                former, mark = state.value(step.array), state.mark(step.array)
                self._replace(step.array, step.value, step.span)
                if self.elsewhere:
                    state.raise_to(step.array, former, mark)
            case nodes.StoreElement():
                name = step.target.array
                index = self.level(step.target.index, step.span, decides=True)
                value = self.level(step.value, step.span)
                constant = isinstance(self.terms.value(step.value), Constant)
                mark = index if constant else worst((index, decision_level(value, step.span)))
                state.forget(name)
                state.raise_to(name, worst((index, value)), mark)
            case nodes.Swap():
                self._swap(step)
            case _:
                raise AssertionError(f"uniqueness: {type(step).__name__} in a schedule")

    def _replace(self, name: str, value: nodes.Expression, span: Span) -> None:
        """Every element of `name` gets a new value."""
        level, constant = self.level(value, span), isinstance(self.terms.value(value), Constant)
        self.state.forget(name)
        self.state.set(name, level, EXACT if constant else decision_level(level, span))

    def _swap(self, step: nodes.Swap) -> None:
        state = self.state
        one, other = state.value(step.first), state.value(step.second)
        marks = state.mark(step.first), state.mark(step.second)
        if self.initials.get(step.first) is not self.initials.get(step.second):
            marks = (decision_level(one, step.span), decision_level(other, step.span))
        state.forget(step.first)
        state.forget(step.second)
        state.set(step.first, other, marks[1])
        state.set(step.second, one, marks[0])

    # ------------------------------------------------------------ graphs and sets

    def _graph(self, step: nodes.SameGraph | nodes.Subgraph | nodes.Contract) -> None:
        """A graph has a level as frontiers have one, under its name, which none of them has."""
        state = self.state
        match step:
            case nodes.SameGraph():
                state.define(step.name, EXACT, EXACT)
            case nodes.Subgraph():
                level = state.frontier(step.edges)
                state.define(step.name, level, level)
            case nodes.Contract():
                label = decision_level(state.value(step.label), step.span)
                state.forget(step.label)
                state.raise_to(step.label, label, label)
                state.define(step.name, label, label)
                if step.weights is not None:
                    rounded = step.weights.type.is_float and step.weights.operation.adds_up
                    name, rounds = step.weights.array, rounding(step.span) if rounded else EXACT
                    state.write(name, worst((state.value(name), label, rounds)), step.span)

    def _set_step(self, step: nodes.SetStep) -> None:
        state = self.state
        match step:
            case nodes.PushLevel():
                data = step.history.data
                level = worst((state.frontier(step.frontier), *(state.value(name) for name in data)))
                for name in data:
                    state.write(name, level, step.span)
            case nodes.TakeLevel():
                level = worst(decision_level(state.value(name), step.span) for name in step.history.data)
                state.define(step.name, level, level)
            case nodes.NumberMembers():
                level = decision_level(self.members(step.members), step.span)
                if step.members.frontier is not None or self.elsewhere:
                    level = worst((level, state.value(step.array)))
                state.write(step.array, level, step.span)
            case nodes.ChooseBound():
                level = free_choice(step.span, f"the run chooses which vertices `{step.buckets}` gives")
                state.forget(step.bound)
                state.set(step.bound, level, level)
            case nodes.CheckWidth() | nodes.CheckPairs():
                pass  # changes nothing, and what stops a run leaves no results
            case _:
                raise AssertionError(f"uniqueness: {type(step).__name__} in a schedule")

    # ------------------------------------------------------------ expressions

    def members(self, source: nodes.Elements) -> Level:
        """The level of a set."""
        return self.state.frontier(source.frontier) if source.frontier is not None else EXACT

    def level(self, node: nodes.Expression, span: Span, *, decides: bool = False, passes: bool = False) -> Level:
        """The level of an expression of the schedule; `decides`: of a decision on it, `passes`: of the number of passes
        that it leads to."""
        term = self.terms.value(node)
        level = self._levels(term, span, passes).of(term)
        return decision_level(level, span) if decides else level

    def _levels(self, term: Term, span: Span, passes: bool) -> ValueLevels:
        exact = 0
        atoms = self.effects.terms.atoms
        for atom in atoms.members(term.depends):
            of_data = isinstance(atom, OfData) and self.state.value(atom.name).exact
            of_frontier = isinstance(atom, OfFrontier) and self.of_frontier(atom.name, atom.emptiness).exact
            if of_data or of_frontier or isinstance(atom, OfPass | OfEnd):
                exact |= atoms.bit(atom)
        values = ValueLevels(self.data, exact, atoms.closure, self._of_leaf, self._of_test)
        values.passes = passes
        return values.at(span)

    def _of_leaf(self, term: Term) -> Level:
        if isinstance(term, ElementTerm | ScalarTerm):
            return self.state.value(term.data)
        if isinstance(term, Unknown) and term.origin is Origin.UNSEEN:
            return not_unique(self.effects.program.span, "it is not understood")
        if not isinstance(term, Unknown):
            return EXACT
        return self.of_frontier(term.name, term.type is Type.BOOL)

    def of_frontier(self, name: str, reached: bool) -> Level:
        """The level of a frontier's members, or of the set of its far ends and whether it is empty."""
        return self.state.reached(name) if reached else self.state.frontier(name)

    def _of_test(self, term: Term) -> Level | None:
        reads = compared_with_initial(term, self.initials)
        return next((self.state.mark(read.data) for read in reads if isinstance(read, ScalarTerm)), None)


def _literal(node: nodes.Expression | None) -> bool | None:
    """The value of `true` or `false`."""
    return node.value if isinstance(node, nodes.Literal) and isinstance(node.value, bool) else None
