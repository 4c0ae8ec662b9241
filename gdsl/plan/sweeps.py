"""From an operator of the program to its sweeps: what is walked, what is run on the way, what is left behind."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from gdsl.effects.access import Accesses
from gdsl.ir.nodes import (
    Advance,
    Array,
    Compute,
    EdgeFunctor,
    Element,
    Elements,
    Expression,
    Filter,
    Intersect,
    NeighborReduce,
    NeighborVote,
    Operator,
    OwnOperation,
    Param,
    Program,
    Role,
    Scalar,
    VertexFunctor,
    While,
)
from gdsl.ir.remembered import Remembered
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Direction, Domain, Over
from gdsl.plan import choices, orders, stopping, variants, votes
from gdsl.plan.balances import balance_of, balance_of_push, form_of_members
from gdsl.plan.both_sides import reads_both_sides
from gdsl.plan.claims import claim_of
from gdsl.plan.duplicates import dedup_of, repeated_in
from gdsl.plan.early import early_of
from gdsl.plan.ends import is_open
from gdsl.plan.first_values import keeps_first
from gdsl.plan.forms import form_of_result
from gdsl.plan.intersections import plan_intersection
from gdsl.plan.looks import early_of_worklist
from gdsl.plan.nodes import (
    Choice,
    Collect,
    Dedup,
    Early,
    EdgeCount,
    Form,
    Members,
    NearFar,
    Operation,
    Reduction,
    Segment,
    Selection,
    Sweep,
    Variant,
    Walk,
)
from gdsl.plan.place_limits import place_limit
from gdsl.plan.side_by_side import edges_side_by_side
from gdsl.plan.skips import skips_of
from gdsl.plan.target import Target
from gdsl.plan.values_first import looks_at_value_first
from gdsl.plan.waiting import operation_waits
from gdsl.plan.whole_sets import walked_whole, whole_sets

_BACK = {Over.OUT_EDGES: Over.IN_EDGES, Over.IN_EDGES: Over.OUT_EDGES}


@dataclass
class OperationPlanner:
    """Plans the operators of one program."""

    program: Program
    target: Target

    def __post_init__(self) -> None:
        self.directions = choices.directions(self.program)
        self.accesses = Accesses(self.program)
        self.orders = orders.orders_of(self.program, self.target, self.directions.counts)
        """By number of the loop."""
        loops = [node for node in walk(self.program.schedule) if isinstance(node, While)]
        self._ordered = {node.site: self.orders.get(loop.loop) for loop in loops for node in _operators_of(loop)}
        self._skips = skips_of(self.program, self.target, self.directions.counts)
        self.repeated: frozenset[str] = frozenset()
        """The frontiers that may hold a vertex twice."""
        self._whole = whole_sets(self.program) if self.target.grid else frozenset[str]()
        self._ask = Remembered()
        self._claims: dict[tuple[object, ...], Variant | None] = {}
        data: tuple[Param | Array | Scalar, ...] = (
            *self.program.params,
            *self.program.arrays,
            *self.program.scalars,
        )
        self._names = {each.name for each in data}
        self._functions = {function.name: function.body for function in self.program.functions}
        self._votes = {functor.name: functor for functor in self.program.vote_functors}
        made = (step.result for step in walk(self.program.schedule) if isinstance(step, Advance) and self._late(step))
        self.repeated = repeated_in(self.program, (name for name in made if name is not None))

    def plan(self, step: Operator) -> Operation:
        """The plan of any operator."""
        planned = self._plan(step)
        waits = operation_waits(planned.does, self.program, self.target)
        waits = waits or (self._repeats(step) and not is_open(planned))
        return dataclasses.replace(planned, waits=waits)

    def _plan(self, step: Operator) -> Operation:
        if isinstance(step, Advance):
            return self._advance(step)
        if isinstance(step, Filter):
            call = f"{step.result} = filter({_set_text(step.frontier)}, {step.functor})"
            return Operation(step, f"filter_{step.label}", call, self._on_members(step))
        if isinstance(step, Compute):
            call = f"compute({_set_text(step.frontier)}, {step.functor})"
            return Operation(step, f"compute_{step.label}", call, self._on_members(step))
        if isinstance(step, Intersect):
            functor = self._edge_functor(step) if step.functor is not None else None
            return plan_intersection(step, functor, self.target.grid)
        if isinstance(step, NeighborVote):
            return self._vote(step)
        assert isinstance(step, NeighborReduce)
        words = f"{step.functor}, {step.combines_by}{_over_text(step.over)}"
        call = f"{step.array} = neighbor_reduce({_set_text(step.frontier)}, {words})"
        return Operation(step, f"reduce_{step.label}", call, self._reduce(step))

    # Advance

    def _advance(self, step: Advance) -> Operation:
        direction = self.directions.of_site[step.site]
        does: Sweep | Choice
        if direction is Direction.AUTO:
            does = Choice(choices.switch(self.program.tuning.sites[step.site]), self._pull(step), self._push(step))
        else:
            does = self._pull(step) if direction is Direction.PULL else self._push(step)
        result = f"{step.result} = " if step.result is not None else ""
        to = ", to=edges" if step.to is Domain.EDGE else ""
        call = f"{result}advance({_set_text(step.frontier)}, {step.functor}{to}{_over_text(step.over)})"
        return Operation(step, f"advance_{step.label}", call, does)

    def _push(self, step: Advance) -> Sweep:
        functor = self._edge_functor(step)
        claimed = self._claimed(functor, step)
        variant = claimed or self._ask(variants.pushed, functor, step.over, self._repeats(step))
        limits = self._limits(functor, self._balance(step))
        balance, order = self._balance(step), self._order(step)
        if order is None and step.site not in self._skips:  # those take whole warps
            balance = balance_of_push(balance, step.over, limits.get(Over.OUT_EDGES), self.target)
        shared = variant if balance is Balance.AUTO else None
        asks = step.to is Domain.EDGE or self._ask(variants.asks_for_edge, functor)
        form = form_of_result(self.program.tuning.sites[step.site].frontier, pulls=False)
        by_one = self._by_one(functor)
        walks = []
        for over in _sides(step.over):
            early = self._early_of_edges(step, functor, variant, balance)
            walks.append(Walk(over, over, variant, shared, limits.get(over), asks, by_one, early))
        return Sweep(
            members=self._members(step, form_of_members(balance, pulls=False)),
            own=None,
            walks=tuple(walks),
            selection=None,
            collect=self._collect(
                step, form, Dedup.RANK if order is not None and self.target.grid else self._dedup(step)
            ),
            totals=self._ask(variants.totals_of, functor),
            segment=None,
            balance=balance,
            edges=self._edges_pushed(step),
            order=order,
            contended=variants.contends(functor, variant, by_one, _sides(step.over)),
            skips=self._skips.get(step.site),
        )

    def _order(self, step: Advance) -> NearFar | None:
        """Of the worklist, where this is all that a loop does with it."""
        return self._ordered.get(step.site)

    def _edges_pushed(self, step: Advance) -> EdgeCount:
        if step.frontier.frontier is None:
            return EdgeCount.BOTH_LISTS if step.over is Over.ALL_EDGES else EdgeCount.ALL
        carried = self.directions.counts.get(step.frontier.frontier) is step.over
        return EdgeCount.CARRIED if carried else EdgeCount.WALKED

    def _claimed(self, functor: EdgeFunctor, step: Advance) -> Variant | None:
        """The push with a claim; None where there is nothing to claim."""
        closing = step.closing
        if closing is None:
            return None
        key = (functor.name, step.over, closing.end, closing.array, closing.conjunct, closing.statement)
        if key not in self._claims:
            claim = claim_of(functor, step.over, closing, self.target.grid)
            self._claims[key] = variants.claimed(functor, claim) if claim is not None else None
        return self._claims[key]

    def _pull(self, step: Advance) -> Sweep:
        functor = self._edge_functor(step)
        test = self._ask(variants.selected, functor, step.over)
        closing = step.closing
        closes = closing is not None and closing.end is Role.FAR and closing.conjunct in test.tests
        alone = self._ask(variants.pulled, functor, step.over, test, True)
        cut = self.target.shares_pulled_lists
        several = self._ask(variants.pulled, functor, step.over, test, False) if cut else None
        asks = self._ask(variants.asks_for_edge, functor)
        form = form_of_result(self.program.tuning.sites[step.site].frontier, pulls=True)
        return Sweep(
            members=_members(step.frontier, Form.BITMAP),
            own=None,
            walks=(Walk(step.over, _BACK[step.over], alone, several, None, asks),),
            selection=Selection(test, closes),
            collect=self._collect(step, form, Dedup.NONE),
            totals=self._ask(variants.totals_of, functor),
            segment=None,
            balance=Balance.AUTO,
            edges=EdgeCount.ALL if step.frontier.everything else EdgeCount.CARRIED,
        )

    # The members themselves

    def _on_members(self, step: Operator) -> Sweep:
        functor = self._functor(step)
        edges = EdgeCount.ALL if step.frontier.everything else EdgeCount.MEMBERS
        own = self._ask(variants.on_elements, functor, self._repeats(step))
        by_one = self._by_one(functor) if step.frontier.domain is Domain.VERTEX else None
        return Sweep(
            members=self._members(step, Form.QUEUE),
            own=own,
            walks=(),
            selection=None,
            collect=self._collect(step, Form.QUEUE, Dedup.NONE),
            totals=self._ask(variants.totals_of, functor),
            segment=None,
            balance=Balance.AUTO,
            edges=edges if step.frontier.domain is Domain.EDGE else EdgeCount.NONE,
            own_by_one=by_one,
            contended=variants.contends(functor, own, by_one),
            early=self._early(step, functor),
        )

    def _early(self, step: Operator, functor: VertexFunctor | EdgeFunctor) -> Early | None:
        """What a sweep over the members themselves reads ahead."""
        if not self.target.grid or not isinstance(step, Compute) or not isinstance(functor, VertexFunctor):
            return None
        variant = self._ask(variants.on_elements, functor, self._repeats(step))
        return early_of(functor, variant, self._functions)

    def _early_of_edges(self, step: Advance, functor: EdgeFunctor, variant: Variant, balance: Balance) -> Early | None:
        """What a push reads ahead."""
        if not self.target.grid or balance is not Balance.AUTO or self._order(step) is not None:
            return None
        skips = self._skips.get(step.site)
        if skips is not None:
            return early_of_worklist(step, functor, variant, skips, self.program, self.target)
        return early_of(functor, variant, self._functions)

    # Neighbour reduction

    def _reduce(self, step: NeighborReduce) -> Sweep:
        functor = self._edge_functor(step)
        balance, variant = self._balance(step), self._ask(variants.valued, functor)
        shared = variant if balance is Balance.AUTO else None
        asks = self._ask(variants.asks_for_edge, functor)
        reduction, stops = reduction_of(step), stopping.result_that_stays(step, functor, balance)
        aside = self._unused(f"{step.array}_reduced") if step.array in self._ask(arrays_read, functor) else None
        side_by_side = edges_side_by_side(step, functor, self.program, self.target)
        first = looks_at_value_first(step, functor, self.target)
        limits, kept = self._limits(functor, balance), keeps_first(self.program, self.target).get(step.site)
        both = reads_both_sides(step, functor, self.target)
        return Sweep(
            members=self._members(step, form_of_members(balance, pulls=False)),
            own=None,
            walks=tuple(Walk(over, over, variant, shared, limits.get(over), asks) for over in _sides(step.over)),
            selection=None,
            collect=None,
            totals=(),
            segment=Segment(
                step.operation, step.array, step.array_type, reduction, stops, aside, side_by_side, first, kept, both
            ),
            balance=balance,
            edges=EdgeCount.WALKED,
        )

    # Votes

    def _vote(self, step: NeighborVote) -> Operation:
        functor = self._edge_functor(step)
        score = self._votes[step.score] if step.score is not None else None
        words = [step.functor, *([step.score] if step.score else []), *over_words(step.over)]
        words += [f"keep={step.keep}"] if step.keep is not None else []
        call = f"{step.array} = neighbor_vote({_set_text(step.frontier)}, {', '.join(words)})"
        variant = self._ask(variants.valued, functor)
        asks = self._ask(variants.asks_for_edge, functor)
        sweep = Sweep(
            members=self._members(step, Form.QUEUE),
            own=None,
            walks=tuple(Walk(over, over, variant, variant, None, asks) for over in _sides(step.over)),
            selection=None,
            collect=None,
            totals=(),
            segment=None,
            balance=Balance.AUTO,
            edges=EdgeCount.WALKED,
            vote=votes.vote_of(step, functor, score, self.target.grid, self._unused),
        )
        return Operation(step, f"vote_{step.label}", call, sweep)

    # Facts

    def _limits(self, functor: EdgeFunctor, balance: Balance) -> dict[Over, Expression | None]:
        """Up to which place lists are walked."""
        return {Over.OUT_EDGES: self._ask(place_limit, functor)} if balance is not Balance.EDGES else {}

    def _by_one(self, functor: VertexFunctor | EdgeFunctor) -> Variant | None:
        """How one thread runs what it does alone; None on a grid, whose threads are always there."""
        return None if self.target.grid else self._ask(variants.by_one_thread, functor)

    def _functor(self, step: Operator) -> VertexFunctor | EdgeFunctor:
        functor = self.accesses.functor_of(step)
        assert functor is not None
        return functor

    def _edge_functor(self, step: Operator) -> EdgeFunctor:
        functor = self.accesses.functor_of(step)
        assert isinstance(functor, EdgeFunctor)
        return functor

    def _unused(self, name: str) -> str:
        """A name that no data of the program has."""
        while name in self._names:
            name += "_"
        return name

    def _balance(self, step: Operator) -> Balance:
        """Of a push or a reduction."""
        return balance_of(self.program.tuning.sites[step.site].balance, self.target, False, self._repeats(step))

    def _members(self, step: Operator, form: Form) -> Members:
        """What is walked, and whether it may be all vertices."""
        whole = walked_whole(step.frontier, form, self._whole, self._repeats(step))
        return dataclasses.replace(_members(step.frontier, form), whole=whole)

    def _repeats(self, step: Operator) -> bool:
        return step.frontier.frontier in self.repeated

    def _dedup(self, step: Advance) -> Dedup:
        knobs, claimed = self.program.tuning.sites[step.site], self._claimed(self._edge_functor(step), step) is not None
        return dedup_of(step, knobs.dedup, self.target, form_of_result(knobs.frontier, pulls=False), claimed)

    def _late(self, step: Advance) -> bool:
        """Whether a result may hold a vertex twice."""
        pulls = self.directions.of_site[step.site] is Direction.PULL
        return step.result is not None and not pulls and self._dedup(step) is Dedup.LATE

    def _collect(self, step: Operator, form: Form, dedup: Dedup) -> Collect | None:
        if step.result is None:
            return None
        return Collect(step.result, step.gives, form, dedup)


def reduction_of(step: NeighborReduce) -> Reduction | OwnOperation:
    """How the values of a list become one."""
    if step.own is not None:
        return step.own
    assert step.operation is not None
    return Reduction(step.operation.as_update, step.array_type)


def arrays_read(functor: EdgeFunctor) -> frozenset[str]:
    """The arrays of which `functor` reads an element."""
    return frozenset(node.array for node in walk(functor) if isinstance(node, Element))


def _members(source: Elements, form: Form) -> Members:
    return Members(source.domain, source.frontier, None if source.everything else form)


def _operators_of(loop: While) -> list[Advance]:
    """The advances directly in the body."""
    return [step for step in loop.body if isinstance(step, Advance)]


def _sides(over: Over) -> tuple[Over, ...]:
    """The lists of a vertex that are walked, one after the other."""
    return (Over.OUT_EDGES, Over.IN_EDGES) if over is Over.ALL_EDGES else (over,)


def _set_text(source: Elements) -> str:
    if source.frontier is not None:
        return source.frontier
    return "edges" if source.domain is Domain.EDGE else "vertices"


def over_words(over: Over) -> list[str]:
    """The edges that are visited, as an argument of a call."""
    return [] if over is Over.OUT_EDGES else [f"over={over.value}"]


def _over_text(over: Over) -> str:
    return "".join(f", {word}" for word in over_words(over))
