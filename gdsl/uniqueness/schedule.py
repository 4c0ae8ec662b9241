"""Follows the levels of all data through the schedule, loops to a fixed point.

Every run makes the same steps up to a place where a condition depends on something that is not EXACT: what the steps
under such a condition change differs after it, as far as the condition does. Inside the body of a loop the state is
that of one pass, which is the same in every run that gets so far; after the loop the number of passes counts. A level
of a history is as certain as the worst of everything that was pushed, and the order of the levels is that of the
passes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gdsl.effects import ProgramEffects, WriteKind
from gdsl.effects.terms import (
    Constant,
    ElementTerm,
    End,
    OfData,
    OfEnd,
    OfFrontier,
    OfPass,
    Operation,
    Origin,
    ScalarTerm,
    Term,
    Unknown,
)
from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.operations import BinaryOperation, NeighborOperation, SetOperation
from gdsl.rules import JudgedOperator
from gdsl.source import Span
from gdsl.types import Type
from gdsl.uniqueness.data import Data, ScheduleTerms
from gdsl.uniqueness.labels import LabelLoop, flattens, label_arrays, settled_labels
from gdsl.uniqueness.levels import (
    EXACT,
    Level,
    State,
    decision_level,
    free_choice,
    not_unique,
    of_passes,
    rounding,
    worst,
)
from gdsl.uniqueness.operators import OperatorLevels, of_accepted
from gdsl.uniqueness.relaxation import Loop, written_in
from gdsl.uniqueness.values import ValueLevels
from gdsl.uniqueness.whole_components import loops_over_all


class Flow:
    """Runs a schedule on levels."""

    def __init__(self, effects: ProgramEffects, sites: Mapping[int, JudgedOperator], data: Data) -> None:
        self.effects = effects
        self.sites = sites
        self.data = data
        self.terms = ScheduleTerms(effects)
        program = effects.program
        self.initials = self._initials()
        self.labels = label_arrays(program, sites) if not program.graphs else frozenset[str]()
        """None where a graph may come to be another one: what is said of labels holds of all edges and vertices."""
        self.over_all = loops_over_all(program.schedule, sites, self.labels)
        self.elsewhere = 0
        """The number of `on` around: there, operators on everything do not change elements of the given graph that are
        missing."""
        certain = ((scalar.name, _literal(scalar.initial)) for scalar in program.scalars)
        self.state = State(certain=frozenset((name, value) for name, value in certain if value is not None))
        self.state.compressed = self.labels
        self._seen: dict[tuple[int, object], State] = {}

    def _initials(self) -> dict[str, Constant]:
        """The constant that each array and scalar holds at first, where it is one."""
        constants: dict[str, Constant] = {}
        for data in self.effects.data:
            value = self.terms.value(data.initial) if data.initial is not None else None
            if isinstance(value, Constant):
                constants[data.name] = value
        return constants

    def block(self, steps: tuple[nodes.Step, ...]) -> None:
        """Run steps one after the other."""
        for step in steps:
            self._step(step)

    def _step(self, step: nodes.Step) -> None:
        match step:
            case nodes.While():
                self._while(step)
            case nodes.Repeat():
                self._loop(step, self._level(step.count, step.span))  # a number like others: no end that comes nearer
            case nodes.If():
                self._if(step)
            case nodes.NeighborReduce():
                self._neighbor_reduce(step)
            case nodes.NeighborVote():
                self._neighbor_vote(step)
            case nodes.Intersect():
                self._intersect(step)
            case nodes.Operator():
                self._operator(step)
            case nodes.SameGraph() | nodes.Subgraph() | nodes.Contract() | nodes.On():
                self._graph(step)
            case nodes.DefineFrontier():
                members = worst(self._level(member, step.span, decides=True) for member in step.members)
                self.state.define(step.name, members, members)
            case nodes.CopyFrontier() | nodes.FarEnds():
                reached = self.state.reached(step.other)
                copied = isinstance(step, nodes.CopyFrontier)
                self.state.define(step.name, self.state.frontier(step.other) if copied else reached, reached)
            case nodes.PushBuckets() | nodes.PopBuckets():
                self.block(step.body)
            case nodes.SetStep():
                _follow_set_step(step, self.state, self.elsewhere > 0)
            case nodes.CombineFrontiers():
                members = worst((self._members(step.first), self._members(step.second)))
                reached = members
                if step.operation is SetOperation.UNION and step.first.frontier and step.second.frontier:
                    reached = worst(self.state.reached(name) for name in (step.first.frontier, step.second.frontier))
                self.state.define(step.name, members, reached)
            case _:
                self._store(step)

    # ------------------------------------------------------------ stores of the schedule

    def _store(self, step: nodes.Step) -> None:
        state = self.state
        match step:
            case nodes.StoreScalar():
                self._replace(step.scalar, self._level(step.value, step.span), step.value, step.span)
                said = _literal(step.value)
                if said is not None:
                    state.certain |= {(step.scalar, said)}
            case nodes.Fill():
                self._fill(step)
            case nodes.StoreElement():
                name = step.target.array
                index = self._level(step.target.index, step.span, decides=True)
                value = self._level(step.value, step.span)
                constant = isinstance(self.terms.value(step.value), Constant)
                mark = index if constant else worst((index, decision_level(value, step.span)))
                state.forget(name)
                state.raise_to(name, worst((index, value)), mark)
            case nodes.Swap():
                self._swap(step)
            case _:
                raise AssertionError(f"uniqueness: {type(step).__name__} in a schedule")

    def _replace(self, name: str, level: Level, value: nodes.Expression, span: Span) -> None:
        """Every element of `name` gets a new value."""
        constant = isinstance(self.terms.value(value), Constant)
        self.state.forget(name)
        self.state.set(name, level, EXACT if constant else decision_level(level, span))

    def _fill(self, step: nodes.Fill) -> None:
        former, mark = self.state.value(step.array), self.state.mark(step.array)
        self._replace(step.array, self._level(step.value, step.span), step.value, step.span)
        if self.elsewhere:
            self.state.raise_to(step.array, former, mark)

    def _graph(self, step: nodes.GraphStep | nodes.On) -> None:
        """A graph has a level as frontiers have one, under its name, which none of them has."""
        match step:
            case nodes.On():
                self.elsewhere += 1
                self.block(step.body)
                self.elsewhere -= 1
                self._differs(step.body, decision_level(self.state.frontier(step.graph), step.span))
            case nodes.SameGraph():
                self.state.define(step.name, EXACT, EXACT)
            case nodes.Subgraph():
                level = self.state.frontier(step.edges)
                self.state.define(step.name, level, level)
            case nodes.Contract():
                self._contract(step)

    def _contract(self, step: nodes.Contract) -> None:
        label = decision_level(self.state.value(step.label), step.span)
        self.state.forget(step.label)
        self.state.raise_to(step.label, label, label)
        self.state.define(step.name, label, label)
        if step.weights is not None:
            rounded = step.weights.type.is_float and step.weights.operation.adds_up
            name, rounds = step.weights.array, rounding(step.span) if rounded else EXACT
            level = worst((self.state.value(name), label, rounds))
            self.state.forget(name)
            self.state.set(name, level, decision_level(level, step.span))

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

    # ------------------------------------------------------------ operators

    def _members(self, source: nodes.Elements) -> Level:
        return self.state.frontier(source.frontier) if source.frontier is not None else EXACT

    def _called_for(self, step: nodes.Operator) -> Level:
        """The level of what a functor is called for: the members, and the partner of each."""
        members = self._members(step.frontier)
        if not isinstance(step, nodes.Intersect) or step.partners is None:
            return members
        return worst((members, decision_level(self.state.value(step.partners), step.span)))

    def _operator(self, step: nodes.Operator) -> None:
        judged = self.sites[step.site]
        inner = OperatorLevels(judged, self.state, self._called_for(step), self.data, self.initials)
        roots = {
            name: decision_level(self.state.value(name), step.span) for name in self.labels if flattens(name, judged)
        }
        inner.apply()
        accepted, reached = EXACT, EXACT
        if step.result is not None:
            accepted = inner.accepted(judged.effects.collected)
            reached = inner.accepted(judged.effects.far) if step.visits is not None else accepted
        replaced = self._overwritten(step, judged, inner)
        for name in judged.effects.written_names():
            self.state.forget(name)
        for name, level in {**replaced, **roots}.items():
            self.state.set(name, level, decision_level(level, step.span))
        self.state.compressed |= frozenset(roots)
        if step.result is not None:
            self.state.define(step.result, accepted, reached)

    def _overwritten(self, step: nodes.Operator, judged: JudgedOperator, inner: OperatorLevels) -> dict[str, Level]:
        """The arrays in which every element gets a new value, with its level, which no longer depends on the former
        one."""
        effects = judged.effects
        if (
            self.elsewhere
            or not isinstance(step, nodes.Compute)
            or not step.frontier.everything
            or effects.conjuncts
            or judged.closings
        ):
            return {}
        replaced = {}
        for name in effects.written_names():
            writes = effects.written(name)
            whole = len(writes) == 1 and writes[0].kind is WriteKind.STORE and writes[0].guard is None
            read = any(other.name == name for other in effects.reads.values())
            index = writes[0].index
            if whole and not read and isinstance(index, End) and judged.writers.names_own(index):
                replaced[name] = inner.effect(writes[0])
        return replaced

    def _neighbor_reduce(self, step: nodes.NeighborReduce) -> None:
        judged = self.sites[step.site]
        inner = OperatorLevels(judged, self.state, self._members(step.frontier), self.data, self.initials)
        value = judged.effects.value
        level = inner.run
        if value is not None:
            level = worst((level, inner.levels.at(step.span).of(value)))
            if step.operation is NeighborOperation.COUNT or value.type.is_pair:
                level = decision_level(level, step.span)
            elif step.operation in (NeighborOperation.SUM, NeighborOperation.PRODUCT) and value.type.is_float:
                level = worst((level, rounding(step.span)))
        if step.own is not None:
            level = _of_own_reduction(step.own, self.effects.program, level)
        self.state.forget(step.array)
        if self.elsewhere or not step.frontier.everything:
            level = worst((level, self.state.value(step.array)))
        self.state.set(step.array, level, decision_level(level, step.span))

    def _neighbor_vote(self, step: nodes.NeighborVote) -> None:
        """The winning key is decided by sums of weights; without votes the element stays."""
        judged = self.sites[step.site]
        inner = OperatorLevels(judged, self.state, self._members(step.frontier), self.data, self.initials)
        key, weight, score = judged.effects.key, judged.effects.value, judged.effects.score
        assert key is not None and weight is not None
        levels = inner.levels.at(step.span)
        total = worst((levels.of(weight), *((rounding(step.span),) if weight.type.is_float else ())))
        decisions = [inner.run, levels.decision(key), decision_level(total, step.span)]
        decisions += [levels.decision(score)] if score is not None else []
        decisions += [decision_level(self.state.value(step.keep), step.span)] if step.keep is not None else []
        level = worst((*decisions, self.state.value(step.array)))
        self.state.forget(step.array)
        self.state.set(step.array, level, decision_level(level, step.span))

    def _intersect(self, step: nodes.Intersect) -> None:
        """The result depends on the graph, the members, and what the functor accepts."""
        level = self._called_for(step)
        if step.functor is not None:
            judged = self.sites[step.site]
            inner = OperatorLevels(judged, self.state, level, self.data, self.initials)
            level = inner.run if step.count is None else of_accepted(inner)
            self._operator(step)
        if step.count is not None:
            total = worst((self.state.value(step.count), level))
            self.state.forget(step.count)
            self.state.set(step.count, total, decision_level(total, step.span))
        if step.result is not None and step.functor is None:
            self.state.define(step.result, level, level)

    # ------------------------------------------------------------ expressions

    def _level(self, node: nodes.Expression, span: Span, *, decides: bool = False, passes: bool = False) -> Level:
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
            of_frontier = isinstance(atom, OfFrontier) and self._of_frontier(atom.name, atom.emptiness).exact
            if of_data or of_frontier or isinstance(atom, OfPass | OfEnd):
                exact |= atoms.bit(atom)
        values = ValueLevels(self.data, exact, atoms.closure, self._of_leaf, self._of_test)
        values.passes = passes
        return values.at(span)

    def _of_leaf(self, term: Term) -> Level:
        if isinstance(term, ElementTerm | ScalarTerm):
            return self.state.value(term.array if isinstance(term, ElementTerm) else term.name)
        if isinstance(term, Unknown) and term.origin is Origin.UNSEEN:
            return not_unique(self.effects.program.span, "it is not understood")
        if not isinstance(term, Unknown):
            return EXACT
        return self._of_frontier(term.name, term.type is Type.BOOL)

    def _of_frontier(self, name: str, reached: bool) -> Level:
        """The level of a frontier's members, or of the set of its far ends and whether it is empty."""
        return self.state.reached(name) if reached else self.state.frontier(name)

    def _of_test(self, term: Term) -> Level | None:
        if not isinstance(term, Operation) or term.operation not in (BinaryOperation.EQUAL, BinaryOperation.NOT_EQUAL):
            return None
        for read, constant in (term.arguments, term.arguments[::-1]):
            if isinstance(read, ScalarTerm) and self.initials.get(read.name) is constant:
                return self.state.mark(read.name)
        return None

    # ------------------------------------------------------------ control flow

    def _if(self, step: nodes.If) -> None:
        condition = self._level(step.condition, step.span, decides=True)
        before = self.state.copy()
        self.block(step.then)
        after, self.state = self.state, before
        self.block(step.otherwise)
        self.state.join(after)
        self._differs((*step.then, *step.otherwise), condition)

    def _differs(self, steps: Iterable[nodes.Step], level: Level) -> None:
        """Raise what steps change to the `level` of the condition that decides whether, or how often, they run."""
        if level.exact:
            return
        data, frontiers = written_in(tuple(steps), self.sites)
        certain = {name for name, _ in self.state.certain}  # whichever way a run has taken
        for name in data.keys() - certain:
            self.state.raise_to(name, level, level)
        for name in certain:
            self.state.set(name, EXACT, EXACT)
        for name in frontiers:
            self.state.worsen_frontier(name, level)

    def _while(self, step: nodes.While) -> None:
        entry = self.state.copy()
        former = self._seen.get((step.loop, entry.key()))
        if former is not None:
            self.state = former.copy()
            return
        settled, roots = self._settled(step)
        self._loop(step, EXACT)
        for name, level in settled.items():
            self.state.set(name, level, decision_level(level, step.span))
        self.state.compressed |= roots
        self._known_behind(step)
        self._seen[step.loop, entry.key()] = self.state.copy()

    def _loop(self, step: nodes.While | nodes.Repeat, passes: Level) -> None:
        while True:
            if isinstance(step, nodes.While):
                passes = worst(
                    (passes, of_passes(self._level(step.condition, step.span, passes=True), step.condition.span))
                )
            before = self.state.copy()
            self.block(step.body)
            self.state.join(before)
            if self.state.key() == before.key():
                break
        self._differs(step.body, passes)

    def _known_behind(self, step: nodes.While) -> None:
        """A loop ends when its frontier is empty, or its scalar false, in every run."""
        condition = step.condition
        if isinstance(condition, nodes.FrontierNotEmpty):
            self.state.define(condition.frontier, EXACT, EXACT)
        elif isinstance(condition, nodes.ScalarValue):
            self.state.forget(condition.name)
            self.state.certain |= {(condition.name, False)}
            self.state.set(condition.name, EXACT, EXACT)

    def _settled(self, step: nodes.While) -> tuple[dict[str, Level], set[str]]:
        """The arrays whose values after the loop do not depend on the order, with their levels; label arrays left
        compressed."""
        condition = step.condition
        if not isinstance(condition, nodes.FrontierNotEmpty | nodes.ScalarValue):
            return {}, set()
        enters = self._level(condition, step.span, decides=True)
        made_from = Loop(step, self.sites, self.data).settled()
        entered = isinstance(condition, nodes.ScalarValue) and (condition.name, True) in self.state.certain
        loop = LabelLoop(step, self.sites, self.data)
        of_labels, roots = settled_labels(loop, self.labels, self.state.compressed, entered, self.over_all)
        made_from |= of_labels
        grades = {}
        for name, (data, frontiers) in made_from.items():
            levels = [self.state.value(other) for other in sorted(data)]
            levels += [self._of_frontier(other, far_ends) for other, far_ends in sorted(frontiers)]
            grades[name] = worst((enters, *(decision_level(level, step.span) for level in levels)))
        return grades, roots


def _literal(node: nodes.Expression | None) -> bool | None:
    """The value of `true` or `false`."""
    return node.value if isinstance(node, nodes.Literal) and isinstance(node.value, bool) else None


_DECIDING = (nodes.Branch, nodes.Loop, nodes.ForRange, nodes.Select, nodes.FunctionCall, nodes.Convert)


def _of_own_reduction(own: nodes.OwnOperation, program: nodes.Program, level: Level) -> Level:
    """The level of a reduction of values of `level`. An operator may make decisions on its arguments; for one that is
    not exact, the last digits depend on the order."""
    (function,) = (each for each in program.functions if each.name == own.function)
    level = decision_level(level, own.span) if any(map(_decides, walk(function.body))) else level
    return level if own.exact else worst((level, rounding(own.span)))


def _decides(node: nodes.Node) -> bool:
    if isinstance(node, nodes.Binary):
        return node.operation.is_comparison or node.operation.is_logical
    return isinstance(node, _DECIDING)


def _follow_set_step(step: nodes.SetStep, state: State, elsewhere: bool) -> None:
    """Run one step on levels; `elsewhere`: on another graph than the given one, which may have fewer elements."""
    if isinstance(step, nodes.PushLevel):
        data = step.history.data
        level = worst((state.frontier(step.frontier), *(state.value(name) for name in data)))
        for name in data:
            state.forget(name)
            state.set(name, level, decision_level(level, step.span))
    elif isinstance(step, nodes.TakeLevel):
        level = worst(decision_level(state.value(name), step.span) for name in step.history.data)
        state.define(step.name, level, level)
    elif isinstance(step, nodes.NumberMembers):
        source = step.members.frontier
        level = decision_level(state.frontier(source), step.span) if source is not None else EXACT
        state.forget(step.array)
        if source is not None or elsewhere:
            level = worst((level, state.value(step.array)))
        state.set(step.array, level, decision_level(level, step.span))
    elif isinstance(step, nodes.ChooseBound):
        level = free_choice(step.span, f"the run chooses which vertices `{step.buckets}` gives")
        state.forget(step.bound)
        state.set(step.bound, level, level)
    elif isinstance(step, nodes.CheckWidth | nodes.CheckPairs):
        pass  # changes nothing, and what stops a run leaves no results
    else:
        raise AssertionError(f"uniqueness: {type(step).__name__} in a schedule")
