"""What must hold of any plan, stated without asking any pass what it would have decided.

1. Every step of the program occurs once; only steps that do not conflict change their order.
2. Each conjunct is tested and each statement run once on every way through a sweep (`verifier_variants`).
3. A plain write goes where one call alone has the element (`verifier_variants`).
4. Between two conflicting accesses there is a barrier, and every pass of a loop meets one: between steps
   (`verifier_barriers`), and between the phases of an operator (`verifier_phases`).
5. Whatever spares work has the fact of the program that allows it (`verifier_sweeps`, `verifier_hints`,
   `verifier_sets`), and a sweep has the results of its step (`verifier_results`).
6. The storage of every node exists and is large enough (`verifier_storage`).
7. Frontiers that share a slot are never needed at the same time (`verifier_storage`).
8. The sizes fit each other (`verifier_storage`).
9. Several workers have the same data wherever one of them reads it (`verifier_exchanges`, `verifier_parts`).
10. Instances that run together keep the bits of their tests up to date (`verifier_bits`).
11. Where blocks go on without a barrier, nothing depends on the order of their rounds (`verifier_rounds`).

What no plan shows, the order of instructions inside a piece of the runtime, only the emulator sees. A failure is a
mistake of the compiler.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.effects.access import Access, Accesses, Who, asked_frontiers, frontiers_of
from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_expression
from gdsl.ir.traversal import walk
from gdsl.ir.verifier import expecting
from gdsl.operations import Domain
from gdsl.plan import renumbering, teams
from gdsl.plan.contracts import ENDING_SET_STEPS
from gdsl.plan.facts import may_be_left_out
from gdsl.plan.hints import FewAsList
from gdsl.plan.nodes import (
    Barrier,
    Branch,
    Choice,
    Combine,
    Copy,
    Define,
    EnterGraph,
    Exchange,
    FarEnds,
    Fill,
    Initialize,
    Launch,
    Leader,
    Loop,
    MakeGraph,
    MakeOnce,
    On,
    OnSets,
    Operation,
    Plan,
    Privatize,
    Rotate,
    Snapshot,
    Step,
    StorePrivate,
    StoreReplicas,
    Swap,
    WriteBack,
)
from gdsl.plan.verifier_barriers import missing_barrier
from gdsl.plan.verifier_bits import verify_bits
from gdsl.plan.verifier_exchanges import verify_exchanges
from gdsl.plan.verifier_graphs import verify_kept_graphs
from gdsl.plan.verifier_labels import verify_labels
from gdsl.plan.verifier_merges import verify_merges
from gdsl.plan.verifier_phases import verify_phases
from gdsl.plan.verifier_proposals import verify_proposals
from gdsl.plan.verifier_replicas import verify_replicas
from gdsl.plan.verifier_rounds import verify_rounds
from gdsl.plan.verifier_sets import verify_combinations, verify_copies
from gdsl.plan.verifier_storage import verify_sizes, verify_slots, verify_storage
from gdsl.plan.verifier_sweeps import SweepVerifier
from gdsl.plan.walking import deepest_on, launches, operations, steps_in, sweeps_of
from gdsl.types import Type

_PUT_IN = (Barrier, Initialize, Privatize, WriteBack, StoreReplicas, Snapshot, Exchange)
"""The steps that are not the program's."""
_SAME_EACH_TIME = (ir.Literal, ir.NoneId, ir.ParamValue, ir.Unary, ir.Binary, ir.Convert)


def verify(plan: Plan) -> None:
    """Raise `gdsl.ir.verifier.VerificationError` unless `plan` is a correct plan of its program. One for many values at
    a time is none where these do not run together."""
    if plan.target.instances and plan.target.grid and plan.bits is None:
        return
    verifier = _Verifier(plan)
    verifier.header()
    verify_storage(plan)
    verifier.schedule()
    sweeping = SweepVerifier(plan)
    for operation in operations(plan):
        sweeping.verify(operation)
    verify_phases(plan)
    verify_combinations(plan)
    verify_copies(plan)
    verify_exchanges(plan)
    verify_bits(plan)
    verify_rounds(plan)
    verify_merges(plan)
    verify_proposals(plan)
    verify_labels(plan)
    verify_replicas(plan)
    verify_slots(plan)
    verify_sizes(plan)


class _Verifier:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.program = plan.program
        self.expect = expecting(f"plan of {plan.program.name}")
        self.accesses = Accesses(plan.program)
        self.counted = {each.name for each in plan.frontiers if each.counts is not None}
        self.rotations = {each.name: each.value for each in plan.rotations}

    def header(self) -> None:
        plan = self.plan
        known = [(frontier.name, frontier.domain) for frontier in plan.frontiers]
        wanted = [(frontier.name, frontier.domain) for frontier in self.program.frontiers]
        self.expect(len(known) == len(wanted) and set(known) == set(wanted), "the frontiers are others")
        self.expect(all(frontier.slot >= 0 for frontier in plan.frontiers), "a slot that there is not")
        counted = [frontier for frontier in plan.frontiers if frontier.counts is not None]
        self.expect(all(frontier.domain is Domain.VERTEX for frontier in counted), "edges of edges are counted")
        choosing = [o.step.site for o in operations(plan) if isinstance(o.does, Choice)]
        self.expect(sorted(plan.switches) == sorted(choosing), "the switches are not those of the choices")
        swaps = [step.step for step in steps_in(plan.schedule) if isinstance(step, Swap)]
        names = {name for swap in swaps for name in (swap.first, swap.second)}
        self.expect(set(plan.swapped) == names and len(plan.swapped) == len(names), "other names are swapped")
        self.expect((plan.saved is None) == plan.target.fused, "what launches hand on")
        self.expect((plan.teams is not None) == plan.target.teams, "places of buffers for many values")
        self.expect(not plan.target.teams or teams.refusal(plan) is None, "teams cannot run this")
        if plan.teams is not None:
            self.expect(plan.teams == teams.teams_of(plan), "teams have other things to themselves")
        deepest = deepest_on(plan.schedule)
        made = [step for step in steps_in(plan.schedule) if isinstance(step, MakeGraph)]
        in_rooms = any(step.kept is None for step in made) or (bool(plan.graphs) and not made)
        fits = plan.graph_rooms > len(plan.graphs) + deepest if in_rooms else plan.graph_rooms == 0
        self.expect(fits, "rooms for graphs")
        verify_kept_graphs(plan)
        self.expect(plan.graphs == self.program.graphs, "other graphs")
        all_launches = [step for step in steps_in(plan.schedule) if isinstance(step, Launch)]
        self.expect(all(0 <= step.around <= deepest for step in all_launches), "a launch has other graphs around")
        if plan.layout is not None:
            self.expect(self.program.any_ids and plan.target.grid, "ids are changed that somebody can see")
            self.expect(plan.layout == renumbering.renumbering_of(plan), "another layout")

    # ------------------------------------------------------------ schedule

    def schedule(self) -> None:
        plan = self.plan
        sites = [operation.step.site for operation in operations(plan)]
        self.expect(len(set(sites)) == len(sites), "two operations have one site")
        self._initial()
        if plan.target.fused:
            self.expect(len(plan.schedule) == 1 and isinstance(plan.schedule[0], Launch), "more than one launch")
        self.expect(self._same(plan.schedule, self.program.schedule, 0), "the steps are not those of the program")
        for step in plan.schedule:
            self._on_host(step)
        for launch in launches(plan):
            self._launch(launch)

    def _initial(self) -> None:
        """Everything that may be read before it is written has its initial value."""
        initializations = [step for step in steps_in(self.plan.schedule) if isinstance(step, Initialize)]
        self.expect(len(initializations) == 1, "the data are initialized once")
        (first,) = initializations
        wanted = Barrier(first.barrier.reason) if first.barrier is not None else None
        waits = (first.barrier is not None) == self.plan.target.grid and first.barrier == wanted
        self.expect(waits, "data are read before all are initialized")
        initialized = [*first.vertex_arrays, *first.edge_arrays, *first.scalars]
        declared: tuple[ir.Array | ir.Scalar, ...] = (*self.program.arrays, *self.program.scalars)
        data = {each.name: each for each in declared if not each.is_input}
        self.expect(len({each.name for each in initialized}) == len(initialized), "data are initialized twice")
        for each in initialized:
            known = data.get(each.name)
            self.expect(known is not None and known.initial == each.value, f"another initial value of {each.name}")
        domains = {array.name: array.domain for array in self.program.arrays}
        for group, domain in ((first.vertex_arrays, Domain.VERTEX), (first.edge_arrays, Domain.EDGE)):
            self.expect(all(domains.get(each.name) is domain for each in group), "an array of other elements")
        self.expect(set(data) == {each.name for each in initialized}, "data without an initial value")

    def _same(self, steps: tuple[Step, ...], wanted: tuple[ir.Step, ...], depth: int) -> bool:
        """Whether `steps`, without what was put between them, are `wanted`; `depth` loops are around."""
        own: list[Step] = []
        for step in _outside_launches(steps):
            if isinstance(step, Operation):
                own += (*step.fused, step)
            elif isinstance(step, MakeOnce):
                own += (each for each in step.body if not isinstance(each, _PUT_IN))
            elif not isinstance(step, _PUT_IN):
                own.append(step)
        return len(own) == len(wanted) and self._in_order(own, list(wanted), depth)

    def _in_order(self, own: list[Step], wanted: list[ir.Step], depth: int) -> bool:
        """The same, each in its place or on the other side of steps that it does not conflict with."""
        while own:
            step = own.pop(0)
            at = next((at for at, other in enumerate(wanted) if self._same_step(step, other, depth)), None)
            if at is None or any(self._conflicts(wanted[at], other) for other in wanted[:at]):
                return False
            del wanted[at]
        return True

    def _conflicts(self, step: ir.Step, other: ir.Step) -> bool:
        """Whether the order of two steps can be seen. What has steps in it is never moved."""
        simple = (ir.StoreScalar, ir.StoreElement, ir.Swap, ir.Operator)
        if not isinstance(step, simple) or not isinstance(other, simple):
            return True
        one, another = self._touched(step), self._touched(other)
        written = {each.name for each in one if each.writes}, {each.name for each in another if each.writes}
        if written[0] & {each.name for each in another} or written[1] & {each.name for each in one}:
            return True
        uses = frontiers_of(step), frontiers_of(other)
        sets = {*uses[0].read, *uses[0].written}, {*uses[1].read, *uses[1].written}
        return bool({*uses[0].written} & sets[1] or {*uses[1].written} & sets[0])

    def _touched(self, step: ir.Step) -> frozenset[Access]:
        if isinstance(step, ir.Swap):
            return frozenset(Access(name, True, Who.ANYBODY) for name in (step.first, step.second))
        return self.accesses.of_step(step)

    def _same_step(self, step: Step, wanted: ir.Step, depth: int) -> bool:
        if isinstance(step, Loop):
            number = isinstance(wanted, (ir.While, ir.Repeat)) and wanted.loop == step.number
            counted = isinstance(wanted, ir.Repeat) and wanted.count == step.condition
            tested = isinstance(wanted, ir.While) and wanted.condition == step.condition
            fits = number and (counted if step.counted else tested) and step.outermost == (depth == 0)
            fits = fits and self._order(step) is step.order
            return fits and isinstance(wanted, (ir.While, ir.Repeat)) and self._same(step.body, wanted.body, depth + 1)
        if isinstance(step, On):
            fits = isinstance(wanted, ir.On) and wanted.graph == step.graph
            return fits and isinstance(wanted, ir.On) and self._same(step.body, wanted.body, depth)
        if isinstance(step, Branch):
            if not isinstance(wanted, ir.If) or wanted.condition != step.condition:
                return False
            return self._same(step.then, wanted.then, depth) and self._same(step.otherwise, wanted.otherwise, depth)
        return not isinstance(step, (Launch, EnterGraph, MakeOnce, *_PUT_IN)) and step.step == wanted

    def _order(self, loop: Loop) -> object:
        """The order in which the body works off the worklist, which is the loop's."""
        sweeps = [step.does for step in loop.body if isinstance(step, Operation)]
        orders = [sweep.order for sweep in sweeps if not isinstance(sweep, Choice) and sweep.order is not None]
        same = len(orders) == 1 and orders[0] == loop.order
        return loop.order if same or (not orders and loop.order is None) else _ANOTHER

    def _on_host(self, step: Step) -> None:
        """A step between launches."""
        if isinstance(step, On):
            self.expect(step.enter is not None, "the device enters a graph by itself")
            for each in step.body:
                self._on_host(each)
        elif isinstance(step, (Loop, Branch)):
            self.expect(step.ask is not None and step.ask.answer == step.condition, "the host asks for something else")
            self._condition(step)
            blocks = (step.body,) if isinstance(step, Loop) else (step.then, step.otherwise)
            for each in (each for block in blocks for each in block):
                self._on_host(each)
        else:
            self.expect(
                isinstance(step, (Launch, Swap, Snapshot, Exchange)), "the host cannot do what only the device can"
            )

    def _condition(self, step: Loop | Branch) -> None:
        counted = isinstance(step, Loop) and step.counted
        wanted = Type.INT64 if counted else Type.BOOL
        self.expect(step.condition.type is wanted, "a condition of another type")

    def _handed_on(self, launch: Launch) -> None:
        reads, writes = set(asked_frontiers(launch.answer)), set[str]()
        for step in launch.steps if not self.plan.target.fused else ():
            if isinstance(step, (Operation, Define, Copy, Combine, FarEnds, MakeGraph, Leader, Fill, OnSets)):
                use = frontiers_of(step.step)
                (writes if isinstance(step, (Operation, Combine, OnSets)) else reads).update(use.read)
                writes.update(use.written)
        same = (reads, writes) == (set(launch.reads), set(launch.writes))
        once = len({*launch.reads}) == len(launch.reads) and len({*launch.writes}) == len(launch.writes)
        self.expect(same and once, "a launch hands on other frontiers than it uses")

    def _launch(self, launch: Launch) -> None:
        plan = self.plan
        for step in steps_in(launch.steps):
            self.expect(not isinstance(step, Launch), "a launch within a launch")
            if isinstance(step, (Loop, Branch)):
                self.expect(step.ask is None, "the device asks the host")
                self._condition(step)
            if isinstance(step, Define):
                asks = may_be_left_out(step.step, self.program)
                self.expect(step.asks_lists == asks, "whether members are looked for in lists")
            if isinstance(step, Barrier):
                self.expect(plan.target.grid and bool(step.reason), "a barrier for nothing")
                self.expect(step == Barrier(step.reason), "a barrier of an operator outside of it")
        self._handed_on(launch)
        self.expect(bool(launch.steps) != (launch.answer is not None), "a launch that does nothing")
        one = plan.target.fused or (len(launch.steps) <= 1 and not any(isinstance(s, Loop) for s in launch.steps))
        self.expect(one, "a launch of several steps")
        if plan.target.grid and plan.target.fused:
            for step in steps_in(launch.steps):
                self._end(step)
            why = missing_barrier(launch, self.accesses)
            self.expect(why is None, f"a barrier is missing: {why}")
            self._scalars(launch)
        else:
            self.expect(not plan.rotations and not plan.private_scalars, "scalars rotate in several launches")
            own = (
                isinstance(step, (Barrier, Rotate, Privatize, StorePrivate, WriteBack))
                for step in steps_in(launch.steps)
            )
            self.expect(not any(own), "copies of scalars in several launches")
        chosen = [s.step.site for s in launch.steps if isinstance(s, Operation) and isinstance(s.does, Choice)]
        self.expect(plan.target.fused or list(launch.directions) == chosen, "a switch is not handed on")

    def _end(self, step: Step) -> None:
        """A collected set is complete, and the walked edges are counted, after a barrier."""
        if isinstance(step, OnSets):
            level = isinstance(step.step, (ir.PushLevel, ir.TakeLevel))
            self.expect(step.waits or level, "a set is used before it is complete")
            self.expect(
                not step.waits or type(step.step) in ENDING_SET_STEPS, "a barrier that the runtime does not have"
            )
            counts = isinstance(step.step, ir.TakeLevel) and step.step.name in self.counted
            self.expect(step.waits or not counts, "the edges of a level are not counted yet")
        if isinstance(step, Operation) and not step.waits:
            for each in (*step.fused, step):
                fits = not isinstance(each.does, Choice) and each.does.collect is None and not self.program.graphs
                self.expect(fits, f"{each.name} does not wait for its own result")
                walks = not isinstance(each.does, Choice) and (each.does.walks or each.does.intersection)
                reduces = not isinstance(each.does, Choice) and each.does.segment is not None
                self.expect(not walks or reduces, f"{each.name} does not wait for the edges that it counts")
        if isinstance(step, Loop):
            self._list(step)

    def _list(self, loop: Loop) -> None:
        """A worklist of few members is a list that no other step reads or writes."""
        for push in (step for step in loop.body if isinstance(step, Operation)):
            if not any(sweep.hint(FewAsList) for sweep in sweeps_of(push)):
                continue
            name = push.step.result
            others = [step for step in steps_in(loop.body) if step is not push]
            self.expect(not any(isinstance(step, Loop) for step in others), "a list in a loop around others")
            of_sets = (Operation, Copy, FarEnds, Combine, OnSets, MakeGraph, Define)
            used = [frontiers_of(step.step) for step in others if isinstance(step, of_sets)]
            self.expect(all(name not in (*use.read, *use.written) for use in used), f"{name} is a list, and is used")

    def _scalars(self, launch: Launch) -> None:
        """Rotating and private scalars are stored by the schedule in one way, and written back where they are
        results."""
        plan, steps = self.plan, list(steps_in(launch.steps))
        stores = [(step, step.step) for step in steps if isinstance(step, (Leader, Rotate, StorePrivate))]
        results = {scalar.name for scalar in self.program.scalars if not scalar.is_local}
        written = {each.name for o in operations(plan) for each in self.accesses.of_step(o.step) if each.writes}
        for step, store in stores:
            if not isinstance(store, ir.StoreScalar):
                continue
            name = store.scalar
            self.expect(
                isinstance(step, StorePrivate) == (name in plan.private_scalars),
                f"{name} is not stored by every thread",
            )
            if isinstance(step, Rotate):
                constant = all(isinstance(node, _SAME_EACH_TIME) for node in walk(store.value))
                self.expect(name in self.rotations and constant, f"{name} rotates to a value that changes")
                self.expect(_text(store.value) == _text(self.rotations.get(name)), f"{name} rotates to another value")
        for name in plan.private_scalars:
            self.expect(name not in written, f"{name} is private, and operators write it")
        rotating = {step.step.scalar for step in steps if isinstance(step, Rotate)}
        self.expect(rotating == set(self.rotations), "other scalars rotate")
        private = [name for step in steps if isinstance(step, Privatize) for name in step.scalars]
        self.expect(sorted(private) == sorted(plan.private_scalars), "other scalars are private")
        back = [step for step in steps if isinstance(step, WriteBack)]
        written_back = (
            {name for step in back for name in step.rotating},
            {name for step in back for name in step.private},
        )
        wanted = results & set(self.rotations), results & set(plan.private_scalars)
        self.expect(
            written_back == wanted and len(back) == bool(wanted[0] or wanted[1]), "a result is not written back"
        )
        last = isinstance(launch.steps[-1], (WriteBack, Barrier, StoreReplicas))
        self.expect(not back or last, "results are written back too early")


_ANOTHER = object()
"""An order that no loop has."""


def _text(value: ir.Expression | None) -> str:
    """A value without its place in the text."""
    return f"{value.type.name} {print_expression(value)}" if value is not None else ""


def _outside_launches(steps: tuple[Step, ...]) -> Iterator[Step]:
    """The steps with those of launches in the place of the launches."""
    for step in steps:
        if isinstance(step, Launch):
            yield from step.steps
        else:
            yield step
