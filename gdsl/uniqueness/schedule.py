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
from gdsl.effects.terms import End
from gdsl.ir import nodes
from gdsl.ir.traversal import all_steps, walk
from gdsl.operations import NeighborOperation
from gdsl.rules import JudgedOperator
from gdsl.uniqueness.data import Data
from gdsl.uniqueness.labels import LabelLoop, flattens, label_arrays, settled_labels
from gdsl.uniqueness.levels import EXACT, Level, State, decision_level, of_passes, rounding, worst
from gdsl.uniqueness.operators import OperatorLevels
from gdsl.uniqueness.relaxation import Loop, written_in
from gdsl.uniqueness.steps import StepLevels
from gdsl.uniqueness.whole_components import asks_for_vertices, joined_either_way, joins_over_all, loops_over_all


class Flow(StepLevels):
    """Runs a schedule on levels."""

    def __init__(
        self, effects: ProgramEffects, sites: Mapping[int, JudgedOperator], data: Data, *, doubtful: bool = False
    ) -> None:
        """`doubtful`: nothing is concluded from what `join` has joined, but where it was along all edges."""
        super().__init__(effects, data)
        self.doubtful = doubtful
        self.sites = sites
        program = effects.program
        contracts = any(isinstance(step, nodes.Contract) for step in all_steps(program.schedule))
        self.forests = frozenset[str]() if contracts else label_arrays(program, sites)
        """None where a graph may come to have fewer vertices: what is said of roots holds of all vertices."""
        self.labels = self.forests if not program.graphs else frozenset[str]()
        """None where a graph may come to be another one: what is said of labels holds of all edges and vertices."""
        self.over_all = loops_over_all(program.schedule, sites, self.labels)
        self.joins_all = joins_over_all(program.schedule, sites, self.labels)
        self.joins_any = any(each.effects.joins(name) for each in sites.values() for name in self.forests)
        self.not_unique_after = set[int]()
        """The operators that write nothing but labels that loops over all edges settle, which are not unique then."""
        self.state.compressed = self.labels
        self._seen: dict[tuple[int, object], State] = {}

    def block(self, steps: tuple[nodes.Step, ...]) -> None:
        """Run steps one after the other."""
        for step in steps:
            self._step(step)

    def _step(self, step: nodes.Step) -> None:
        match step:
            case nodes.While():
                self._while(step)
            case nodes.Repeat():
                self._loop(step, self.level(step.count, step.span))  # a number like others: no end that comes nearer
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
            case nodes.On():
                self.elsewhere += 1
                self.block(step.body)
                self.elsewhere -= 1
                self._differs(step.body, decision_level(self.state.frontier(step.graph), step.span))
            case nodes.PushBuckets() | nodes.PopBuckets():
                self.block(step.body)
            case _:
                self.run(step)

    # ------------------------------------------------------------ operators

    def _called_for(self, step: nodes.Operator) -> Level:
        """The level of what a functor is called for: the members, and the partner of each."""
        members = self.members(step.frontier)
        if not isinstance(step, nodes.Intersect) or step.partners is None:
            return members
        return worst((members, decision_level(self.state.value(step.partners), step.span)))

    def _inside(self, step: nodes.Operator, members: Level) -> OperatorLevels:
        """The levels inside an operator on a set of level `members`."""
        return OperatorLevels(self.sites[step.site], self.state, members, self.data, self.initials)

    def _operator(self, step: nodes.Operator) -> None:
        inner = self._inside(step, self._called_for(step))
        judged = inner.judged
        roots = {
            name: decision_level(self.state.roots(name), step.span) for name in self.forests if flattens(name, judged)
        }
        effects = judged.effects
        former = {
            name: self.state.roots(name) for name in self.forests if effects.joins(name) or effects.keeps_sets(name)
        }
        inner.apply()
        joined = {
            name: worst((level, *(inner.joined(loop) for loop in judged.effects.joins(name))))
            for name, level in former.items()
        }
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
        for name, level in joined.items():
            if (step.site, name) in self.joins_all:
                self.state.partitions[name] = EXACT
            elif not self.doubtful:
                self.state.partitions[name] = decision_level(level, step.span)
        if step.result is not None:
            self.state.define(step.result, accepted, reached)
        self._note_labels(step, tuple(judged.effects.written_names()))

    def _note_labels(self, step: nodes.Operator, written: tuple[str, ...]) -> None:
        settled = {name for _, name in (*self.over_all, *self.joins_all)}
        joins_all = any(site == step.site for site, _ in self.joins_all)
        if len(written) == 1 and written[0] in settled and not joins_all and not self.state.value(written[0]).exact:
            self.not_unique_after.add(step.site)

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
        inner = self._inside(step, self.members(step.frontier))
        value = inner.effects.value
        level = inner.run
        if value is not None:
            level = worst((level, inner.levels.at(step.span).of(value)))
            if step.operation is NeighborOperation.COUNT or value.type.is_pair:
                level = decision_level(level, step.span)
            elif step.operation in (NeighborOperation.SUM, NeighborOperation.PRODUCT) and value.type.is_float:
                level = worst((level, rounding(step.span)))
        if step.own is not None:
            level = _of_own_reduction(step.own, self.effects.program, level)
        if self.elsewhere or not step.frontier.everything:
            level = worst((level, self.state.value(step.array)))
        self.state.write(step.array, level, step.span)

    def _neighbor_vote(self, step: nodes.NeighborVote) -> None:
        """The winning key is decided by sums of weights; without votes the element stays."""
        inner = self._inside(step, self.members(step.frontier))
        key, weight, score = inner.effects.key, inner.effects.value, inner.effects.score
        assert key is not None and weight is not None
        levels = inner.levels.at(step.span)
        total = worst((levels.of(weight), *((rounding(step.span),) if weight.type.is_float else ())))
        decisions = [inner.run, levels.decision(key), decision_level(total, step.span)]
        decisions += [levels.decision(score)] if score is not None else []
        decisions += [decision_level(self.state.value(step.keep), step.span)] if step.keep is not None else []
        self.state.write(step.array, worst((*decisions, self.state.value(step.array))), step.span)

    def _intersect(self, step: nodes.Intersect) -> None:
        """The result depends on the graph, the members, and what the functor accepts."""
        level = self._called_for(step)
        if step.functor is not None:
            inner = self._inside(step, level)
            level = inner.run if step.count is None else inner.num_accepted()
            self._operator(step)
        if step.count is not None:
            self.state.write(step.count, worst((self.state.value(step.count), level)), step.span)
        if step.result is not None and step.functor is None:
            self.state.define(step.result, level, level)

    # ------------------------------------------------------------ control flow

    def _if(self, step: nodes.If) -> None:
        condition = self.level(step.condition, step.span, decides=True)
        before = self.state.copy()
        self.block(step.then)
        after, self.state = self.state, before
        self.block(step.otherwise)
        self.state.join(after)
        self._differs((*step.then, *step.otherwise), condition)
        joined = joined_either_way(step, self.sites, self.joins_all)
        if asks_for_vertices(step.condition):  # without any, all labels are as they would be
            joined |= {name for name, level in after.partitions.items() if level.exact}
        for name in joined:
            self.state.partitions[name] = EXACT
            if name in self.state.compressed:
                self.state.set(name, EXACT, EXACT)

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
        for name in data.keys() & self.state.partitions.keys():
            self.state.partitions[name] = worst((self.state.partitions[name], level))
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
                    (passes, of_passes(self.level(step.condition, step.span, passes=True), step.condition.span))
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
        enters = self.level(condition, step.span, decides=True)
        made_from = Loop(step, self.sites, self.data).settled()
        entered = isinstance(condition, nodes.ScalarValue) and (condition.name, True) in self.state.certain
        loop = LabelLoop(step, self.sites, self.data)
        of_labels, roots = settled_labels(loop, self.labels, self.state.compressed, entered, self.over_all)
        made_from |= of_labels
        grades = {}
        for name, (data, frontiers) in made_from.items():
            levels = [self.state.value(other) for other in sorted(data)]
            levels += [self.of_frontier(other, far_ends) for other, far_ends in sorted(frontiers)]
            grades[name] = worst((enters, *(decision_level(level, step.span) for level in levels)))
        return grades, roots


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
