"""Pass `distribution`: how several workers, each with a part of the graph, run one program together.

Every worker runs the whole schedule on mirrors of all vertex arrays, scalars and frontiers. Steps that walk no edges (a
store, a fill, a set operation) are executed by all workers alike. Each worker runs an operator for the members whose
lists it owns; the exchange after it makes the mirrors equal again, before anything else reads them. So all workers take
the same branches and the same number of passes through each loop, without communication.

The result is one that a single worker could have computed. This follows from the proofs of the race checker
(`combining`): calls of one operator may run in any order and need not see each other's writes, and what they write
belongs to one worker, or is combined by one commutative operation. If a call depends on what other calls did before it,
workers take turns, which is one of the orders in which a single worker may run the calls.

Steps that make a choice of their own (the bound of buckets, sums that are rounded in any order) are made equal by
taking one worker's. Where there is a launch for each step, the host exchanges data between launches. Where workers
pull (`combining.pulls_from_others`), each visits the edges into its own vertices; the exchange is that of a push. An
array is mirrored, and exchanged, only where something names other elements of it than those of a worker's own vertices
and edges.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, walk
from gdsl.operations import Domain, Over
from gdsl.plan import combining, nodes, own_members
from gdsl.plan.exchange_nodes import (
    Distribution,
    Exchange,
    Exchanged,
    Held,
    How,
    Placement,
    Reach,
    Snapshot,
    Turns,
)
from gdsl.plan.facts import Facts
from gdsl.plan.functor_facts import parts_read
from gdsl.plan.walking import has_own_edges, map_blocks, operations, pulls, steps_in, sweeps_of

GRAPH_PARTS = ("offsets", "columns", "in_offsets", "in_sources", "in_edges", "edge_sources", "reverse_edges")


def run(plan: nodes.Plan, facts: Facts) -> nodes.Plan:
    """`plan` with its exchanges, for a target of several workers; others keep theirs."""
    if not plan.target.workers:
        return plan
    distribution = distribution_of(plan, facts)
    exchanges = _Exchanges(facts, distribution)
    schedule = map_blocks(plan.schedule, exchanges.block)
    distribution = dataclasses.replace(distribution, walked=tuple(sorted(exchanges.walked)))
    return dataclasses.replace(plan, schedule=schedule, distribution=distribution)


class _Exchanges:
    """Adds exchanges after the steps of one plan."""

    def __init__(self, facts: Facts, distribution: Distribution) -> None:
        self.facts, self.program = facts, facts.program
        self.fused, self.own_sets = facts.target.fused, distribution.own_sets
        self.in_parts = frozenset(each.name for each in distribution.arrays if each.held is Held.OWN)
        self.contracts = any(isinstance(step, ir.Contract) for step in all_steps(self.program.schedule))
        self.of_edges = frozenset(each.name for each in self.program.arrays if each.domain is Domain.EDGE)
        self.count = 0
        self.walked: list[int] = []
        """The sites of operators that walk edges, and change nothing that workers exchange."""

    def block(self, steps: tuple[nodes.Step, ...]) -> tuple[nodes.Step, ...]:
        """A block with its exchanges."""
        around = self._around if self.fused else self._around_launch
        return tuple(each for step in steps for each in around(step))

    def _around_launch(self, step: nodes.Step) -> Iterator[nodes.Step]:
        """The host exchanges what the step of a launch needs, before and after the launch."""
        if not isinstance(step, nodes.Launch) or len(step.steps) != 1:
            yield step
            return
        for each in self._around(step.steps[0]):
            is_exchange = isinstance(each, (Snapshot, Exchange))
            yield each if is_exchange else dataclasses.replace(step, steps=(each,))

    def _around(self, step: nodes.Step) -> Iterator[nodes.Step]:
        if isinstance(step, nodes.Operation):
            yield from self._operation(step)
            return
        yield step
        if isinstance(step, nodes.FarEnds):
            yield self._exchange("the far ends of each worker's own edges", (), step.step.name)
        elif isinstance(step, nodes.OnSets) and isinstance(step.step, ir.ChooseBound):
            chosen = Exchanged(step.step.bound, How.ADOPT, Reach.ANYWHERE, scalar=True)
            yield self._exchange("one bound for all", (chosen,))
        elif isinstance(step, nodes.MakeGraph) and isinstance(step.step, ir.Contract) and step.step.weights is not None:
            sums = Exchanged(step.step.weights.array, How.ADOPT, Reach.ANYWHERE)
            yield self._exchange("sums are rounded in any order", (sums,))

    def _operation(self, operation: nodes.Operation) -> Iterator[nodes.Step]:
        step = operation.step
        if step.result in self.own_sets:  # which each worker finds for itself
            yield operation
            return
        functor = self.facts.accesses.functor_of(step)
        written = combining.written_by(step, functor)
        written = tuple(self._where(each) for each in written if each.name not in self.in_parts)
        obstacle = combining.in_turns(step, functor, self.program)
        walked = any(sweep.edges is nodes.EdgeCount.WALKED for sweep in sweeps_of(operation))
        if obstacle is not None:
            adopted = tuple(Exchanged(each.name, How.ADOPT, Reach.ANYWHERE, None, each.scalar) for each in written)
            each_turn = self._exchange("what this worker wrote", adopted)
            yield dataclasses.replace(operation, turns=Turns(each_turn, obstacle.reason, obstacle.line))
            written = ()
        else:
            if written:
                yield self._snapshot(operation, written)
            yield operation
        if written or step.result is not None:
            reason = "what each worker found" if step.result is not None else "what each worker wrote"
            yield self._exchange(reason, written, step.result, walked)
        elif walked:
            self.walked.append(step.site)

    def _where(self, each: Exchanged) -> Exchanged:
        """`each`, of which a contraction moves edges: they have other ids, and leave vertices of other workers, than
        the edges of the same ids in the given graph."""
        moved = self.contracts and each.reach is Reach.OWN and each.name in self.of_edges
        return dataclasses.replace(each, reach=Reach.ANYWHERE) if moved else each

    def _snapshot(self, operation: nodes.Operation, written: tuple[Exchanged, ...]) -> Snapshot:
        noted_whole = self.program.graphs or not self.fused
        frontier, over = (None, ()) if noted_whole else _reached(operation.step, written)
        if frontier is None or not pulls(operation):
            return Snapshot(self.count, written, frontier, over)
        pulled_from = _pulled_from(operation)
        if pulled_from is None:
            return Snapshot(self.count, written)
        return Snapshot(self.count, written, frontier, over, pulled_from)

    def _exchange(
        self, reason: str, data: tuple[Exchanged, ...], frontier: str | None = None, counts: bool = False
    ) -> Exchange:
        self.count += 1
        return Exchange(self.count - 1, reason, data, frontier, counts)


def _pulled_from(operation: nodes.Operation) -> int | None:
    """The factor by which the size of a set is multiplied, in the test of a pull that continues, before it is compared
    with the number of vertices; None if a pull may begin along fewer edges than there are vertices."""
    does = operation.does
    if not isinstance(does, nodes.Choice):
        return None
    factors = [
        test.factor
        for test in does.test.stay
        if (test.left, test.right) == (nodes.Measure.SIZE, nodes.Measure.VERTICES)
    ]
    begins_late = nodes.Compare(nodes.Measure.EDGES, 1, nodes.Measure.VERTICES, strict=True) in does.test.enter
    return factors[0] if begins_late and factors else None


def _reached(step: ir.Operator, written: tuple[Exchanged, ...]) -> tuple[str | None, tuple[Over, ...]]:
    """The set and the lists whose far ends have everything that `step` writes; (None, ()) where it writes more."""
    frontier, over = step.frontier.frontier, step.visits
    everywhere = any(each.reach is Reach.ANYWHERE and not each.scalar for each in written)
    if frontier is None or everywhere or step.frontier.domain is Domain.EDGE or isinstance(step, ir.Intersect):
        return None, ()
    if over is None:
        return frontier, ()
    return frontier, (Over.OUT_EDGES, Over.IN_EDGES) if over is Over.ALL_EDGES else (over,)


# What a worker holds


def distribution_of(plan: nodes.Plan, facts: Facts) -> Distribution:
    """What a worker holds of the arrays and of the graph."""
    where = _Uses(plan, facts)
    program = facts.program
    whole = where.mirrored()
    arrays = tuple(
        Placement(array.name, Held.MIRROR, whole[array.name])
        if array.name in whole
        else Placement(array.name, Held.OWN)
        for array in program.arrays
    )
    own_sets = tuple(sorted(own_members.own_sets(program))) if plan.target.grid else ()
    return Distribution(arrays, tuple(where.parts()), own_sets)


class _Uses:
    """Finds where a program names elements and edges other than a worker's own."""

    def __init__(self, plan: nodes.Plan, facts: Facts) -> None:
        self.plan, self.facts, self.program = plan, facts, facts.program
        self.operators = [(each.step, list(self._code(each.step))) for each in operations(plan)]
        self.pulling = {id(each.step) for each in operations(plan) if pulls(each)}

    def _code(self, step: ir.Operator) -> Iterator[object]:
        functor = self.facts.accesses.functor_of(step)
        if functor is not None:
            yield functor
        if isinstance(step, ir.NeighborVote) and step.score is not None:
            yield self.facts.vote_functors[step.score]

    def mirrored(self) -> dict[str, str]:
        """The arrays that are mirrored, and why."""
        arrays = [array.name for array in self.program.arrays]
        if self.plan.graphs:
            return dict.fromkeys(arrays, "the schedule makes graphs")
        mirrors: dict[str, str] = {}
        for step, code in self.operators:
            for name, index in _elements(code):
                if id(step) in self.pulling or not combining.in_own_part(index, step):
                    mirrors.setdefault(name, f"{index.span.words} names other elements")
        elsewhere: list[object] = [self.program.functions]
        elsewhere += [array.initial for array in self.program.arrays if array.initial is not None]
        elsewhere += [scalar.initial for scalar in self.program.scalars if scalar.initial is not None]
        elsewhere.append(tuple(_own_part(step) for step in all_steps(self.program.schedule)))
        for name, index in _elements(elsewhere):
            mirrors.setdefault(name, f"{index.span.words} names other elements")
        for on_sets in steps_in(self.plan.schedule):
            if isinstance(on_sets, nodes.OnSets):
                use = on_sets.step.use
                why = f"{on_sets.step.span.words} names other elements"
                mirrors |= {name: why for name in (*use.reads, *use.writes) if name not in mirrors}
        return self._with_swapped({name: why for name, why in mirrors.items() if name in arrays})

    def _with_swapped(self, mirrors: dict[str, str]) -> dict[str, str]:
        """`mirrors`, and the arrays that change places with one of them."""
        arrays = {array.name for array in self.program.arrays}
        swaps = [step.step for step in steps_in(self.plan.schedule) if isinstance(step, nodes.Swap)]
        before = -1
        while len(mirrors) != before:
            before = len(mirrors)
            for swap in swaps:
                for one, other in ((swap.first, swap.second), (swap.second, swap.first)):
                    if one in mirrors and other in arrays:
                        mirrors.setdefault(other, f"{swap.span.words} swaps it with {one}")
        return mirrors

    def parts(self) -> Iterator[Placement]:
        """The parts of the graph. Where lists begin is known everywhere."""
        whole = self._whole_parts()
        far = any(isinstance(step, ir.Intersect) for step, _ in self.operators)
        for name in GRAPH_PARTS:
            if name in ("offsets", "in_offsets"):
                yield Placement(name, Held.MIRROR, "degrees")
            elif name in whole:
                yield Placement(name, Held.MIRROR, whole[name])
            else:
                yield Placement(name, Held.FAR if far and name == "columns" else Held.OWN)

    def _whole_parts(self) -> dict[str, str]:
        if self.plan.graphs:
            return dict.fromkeys(GRAPH_PARTS, "the schedule makes graphs")
        reasons: dict[str, str] = {}
        for step, code in self.operators:
            for node in _lists_read(code):
                if not _reads_own_list(node, step):
                    reasons.update({part: node.span.words for part in parts_read(node) if part not in reasons})
            if isinstance(step, ir.Intersect) and step.partners is not None:
                reasons.setdefault("columns", step.span.words)
            if isinstance(step, ir.Intersect) and self.plan.target.grid and _names_edges(code):
                reasons.setdefault("edge_sources", step.span.words)
        initial = tuple(array.initial for array in self.program.arrays if array.initial is not None)
        for node in _lists_read([self.program.functions, initial, self.program.schedule]):
            reasons.update({part: node.span.words for part in parts_read(node) if part not in reasons})
        return reasons


def _elements(code: list[object]) -> Iterator[tuple[str, ir.Expression]]:
    """The arrays that are named in `code`, with the element."""
    for node in walk(tuple(code)):
        if isinstance(node, (ir.Element, ir.ElementTarget)):
            yield node.array, ir.element_index(node.index)


def _lists_read(code: list[object]) -> Iterator[ir.GraphRead | ir.ForNeighbors]:
    return (node for node in walk(tuple(code)) if isinstance(node, (ir.GraphRead, ir.ForNeighbors)))


def _names_edges(code: list[object]) -> bool:
    """Whether an intersection names the edges to a common neighbor: on a grid their sources tell which end each leaves,
    and one of them is another worker's."""
    common = (functor.common for functor in code if isinstance(functor, ir.EdgeFunctor))
    return any(names is not None and names.has_edges for names in common)


def _reads_own_list(node: ir.GraphRead | ir.ForNeighbors, step: ir.Operator) -> bool:
    """Whether the worker that runs the call owns the edge or the vertex in question."""
    of = node.vertex if isinstance(node, ir.ForNeighbors) else node.arguments[0]
    if not isinstance(of, ir.Parameter):
        return False
    if isinstance(node, ir.GraphRead) and node.query.of_edge:
        return of.role is ir.Role.EDGE and has_own_edges(step)
    return of.role in combining.own_roles(step)


def _own_part(step: ir.Node) -> tuple[object, ...]:
    """A step of the schedule without the steps in it."""
    names = ("condition", "count", "target", "value", "members")
    fields = (getattr(step, name, None) for name in names)
    return tuple(each for each in fields if isinstance(each, (ir.Node, tuple)))
