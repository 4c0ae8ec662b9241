"""What must hold of any plan, stated without asking any pass what it would have decided. A fact about the program that
takes a proof (`unread_values`, `reduces_anywhere`) is proved in one place, which the pass reads as well.

1. Every step of the program occurs once; only steps that do not conflict change their order.
2. Each conjunct is tested and each statement run once on every way through a sweep (`verifier_variants`).
3. A plain write goes where one call alone has the element (`verifier_variants`).
4. Between two conflicting accesses there is a barrier, and every pass of a loop meets one: between steps
   (`verifier_barriers`), and between the phases of an operator (`verifier_phases`).
5. Whatever spares work has the fact of the program that allows it (`verifier_sweeps`, `verifier_hints`,
   `verifier_sets`), and a sweep has the results of its step (`verifier_results`).
6. The storage of every node exists and is large enough (`verifier_storage`).
7. Frontiers that share a slot are never live at the same time (`verifier_storage`).
8. The sizes fit each other (`verifier_storage`).
9. Several workers have the same data wherever one of them reads it (`verifier_exchanges`, `verifier_parts`).
10. Instances that run together keep the bits of their tests up to date (`verifier_bits`).
11. Where blocks go on without a barrier, nothing depends on the order of their rounds (`verifier_rounds`).
12. Where one of several GPUs goes on alone, the others find what it has changed (`verifier_solo`).
13. Where lanes share a loop over neighbors, they compute what one thread does (`verifier_lanes`).
14. The host does only what it can, and each launch is whole (`verifier_launches`).
15. Arrays that are stored in fewer bits hold all values that the program stores there (`verifier_narrow`).

What passes write in operators, before there is a plan, is compared with the program as it was (`verifier_far_values`,
`verifier_gathering`). What no plan shows, the order of instructions inside a piece of the runtime, only the emulator
sees. A failure is a mistake of the compiler.
"""

from __future__ import annotations

from gdsl.effects.access import Accesses, frontiers_of
from gdsl.ir import nodes as ir
from gdsl.ir.verifier import expecting
from gdsl.operations import Domain
from gdsl.plan import nodes, renumbering, teams
from gdsl.plan.initial_values import unread_values
from gdsl.plan.verifier_bits import verify_bits
from gdsl.plan.verifier_exchanges import verify_exchanges
from gdsl.plan.verifier_graphs import verify_hoisted_graphs
from gdsl.plan.verifier_labels import verify_labels
from gdsl.plan.verifier_lanes import verify_lanes
from gdsl.plan.verifier_launches import verify_launches
from gdsl.plan.verifier_merges import verify_merges
from gdsl.plan.verifier_narrow import verify_narrow_arrays
from gdsl.plan.verifier_own_queues import verify_own_queues
from gdsl.plan.verifier_phases import verify_phases
from gdsl.plan.verifier_proposals import verify_proposals
from gdsl.plan.verifier_replicas import verify_replicas
from gdsl.plan.verifier_rounds import verify_rounds
from gdsl.plan.verifier_sets import verify_combinations, verify_copies
from gdsl.plan.verifier_solo import verify_solo
from gdsl.plan.verifier_storage import verify_sizes, verify_slots, verify_storage
from gdsl.plan.verifier_sweeps import SweepVerifier
from gdsl.plan.walking import deepest_on, numbering, operations, outside_launches, steps_in
from gdsl.uniqueness.first_free import first_free

_PUT_IN = (nodes.Barrier, nodes.Initialize, nodes.Privatize, nodes.WriteBack, nodes.Snapshot, nodes.Exchange)
"""The steps that are not the program's."""


def verify(plan: nodes.Plan) -> None:
    """Raise `gdsl.ir.verifier.VerificationError` unless `plan` is a correct plan of its program. One for many values at
    a time is refused where these cannot run together."""
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
    verify_lanes(plan)
    verify_merges(plan)
    verify_proposals(plan)
    verify_labels(plan)
    verify_replicas(plan)
    verify_own_queues(plan)
    verify_solo(plan)
    verify_narrow_arrays(plan)
    verify_slots(plan)
    verify_sizes(plan)


class _Verifier:
    def __init__(self, plan: nodes.Plan) -> None:
        self.plan = plan
        self.program = plan.program
        self.expect = expecting(f"plan of {plan.program.name}")
        self.accesses = Accesses(plan.program)
        self.unfinished = first_free(plan.program).unfinished if numbering(plan) else {}

    def header(self) -> None:
        plan = self.plan
        known = [(frontier.name, frontier.domain) for frontier in plan.frontiers]
        wanted = [(frontier.name, frontier.domain) for frontier in self.program.frontiers]
        self.expect(len(known) == len(wanted) and set(known) == set(wanted), "the frontiers are others")
        self.expect(all(frontier.slot >= 0 for frontier in plan.frontiers), "a slot that there is not")
        counted = [frontier for frontier in plan.frontiers if frontier.counts is not None]
        self.expect(all(frontier.domain is Domain.VERTEX for frontier in counted), "edges of edges are counted")
        choosing = [o.step.site for o in operations(plan) if isinstance(o.does, nodes.Choice)]
        self.expect(sorted(plan.switches) == sorted(choosing), "the switches are not those of the choices")
        swaps = [step.step for step in steps_in(plan.schedule) if isinstance(step, nodes.Swap)]
        names = {name for swap in swaps for name in (swap.first, swap.second)}
        self.expect(set(plan.swapped) == names and len(plan.swapped) == len(names), "other names are swapped")
        self.expect((plan.saved is None) == plan.target.fused, "what launches hand on")
        self.expect((plan.teams is not None) == plan.target.teams, "places of buffers for many values")
        self.expect(not plan.target.teams or teams.refusal(plan) is None, "teams cannot run this")
        if plan.teams is not None:
            self.expect(plan.teams == teams.teams_of(plan), "teams have other things to themselves")
        deepest = deepest_on(plan.schedule)
        made = [step for step in steps_in(plan.schedule) if isinstance(step, nodes.MakeGraph)]
        in_rooms = any(step.hoisted is None for step in made) or (bool(plan.graphs) and not made)
        fits = plan.graph_slots > len(plan.graphs) + deepest if in_rooms else plan.graph_slots == 0
        self.expect(fits, "rooms for graphs")
        verify_hoisted_graphs(plan)
        self.expect(plan.graphs == self.program.graphs, "other graphs")
        all_launches = [step for step in steps_in(plan.schedule) if isinstance(step, nodes.Launch)]
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
            self.expect(len(plan.schedule) == 1 and isinstance(plan.schedule[0], nodes.Launch), "more than one launch")
        self.expect(self._same(plan.schedule, self.program.schedule, 0), "the steps are not those of the program")
        verify_launches(plan, self.accesses)

    def _initial(self) -> None:
        """Everything that may be read before it is written has its initial value."""
        initializations = [step for step in steps_in(self.plan.schedule) if isinstance(step, nodes.Initialize)]
        self.expect(len(initializations) == 1, "the data are initialized once")
        (first,) = initializations
        wanted = nodes.Barrier(first.barrier.reason) if first.barrier is not None else None
        waits = (first.barrier is not None) == self.plan.target.grid and first.barrier == wanted
        self.expect(waits, "data are read before all are initialized")
        initialized = [*first.vertex_arrays, *first.edge_arrays, *first.scalars]
        data = {each.name: each for each in self.program.data if not each.is_input}
        self.expect(len({each.name for each in initialized}) == len(initialized), "data are initialized twice")
        for each in initialized:
            known = data.get(each.name)
            self.expect(known is not None and known.initial == each.value, f"another initial value of {each.name}")
        domains = {array.name: array.domain for array in self.program.arrays}
        for group, domain in ((first.vertex_arrays, Domain.VERTEX), (first.edge_arrays, Domain.EDGE)):
            self.expect(all(domains.get(each.name) is domain for each in group), "an array of other elements")
        lacking = set(data) - {each.name for each in initialized}
        self.expect(lacking <= set(unread_values(self.program)), "data without an initial value")

    def _same(self, steps: tuple[nodes.Step, ...], wanted: tuple[ir.Step, ...], depth: int) -> bool:
        """Whether `steps`, without what was put between them, are `wanted`; `depth` loops are around."""
        own: list[nodes.Step] = []
        for step in outside_launches(steps):
            if isinstance(step, nodes.Operation):
                own += (*step.fused, step)
            elif isinstance(step, nodes.MakeOnce):
                own += (each for each in step.body if not isinstance(each, _PUT_IN))
            elif not isinstance(step, _PUT_IN):
                own.append(step)
        return len(own) == len(wanted) and self._in_order(own, list(wanted), depth)

    def _in_order(self, own: list[nodes.Step], wanted: list[ir.Step], depth: int) -> bool:
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
        one, another = self.accesses.with_swaps(step), self.accesses.with_swaps(other)
        written = {each.name for each in one if each.writes}, {each.name for each in another if each.writes}
        if written[0] & {each.name for each in another} or written[1] & {each.name for each in one}:
            return True
        uses = frontiers_of(step), frontiers_of(other)
        sets = {*uses[0].read, *uses[0].written}, {*uses[1].read, *uses[1].written}
        return bool({*uses[0].written} & sets[1] or {*uses[1].written} & sets[0])

    def _same_step(self, step: nodes.Step, wanted: ir.Step, depth: int) -> bool:
        if isinstance(step, nodes.Loop):
            number = isinstance(wanted, (ir.While, ir.Repeat)) and wanted.loop == step.number
            counted = isinstance(wanted, ir.Repeat) and wanted.count == step.condition
            tested = isinstance(wanted, ir.While) and wanted.condition == step.condition
            fits = number and (counted if step.counted else tested) and step.outermost == (depth == 0)
            fits = fits and self._order(step) is step.order and self._gives_up(step)
            return fits and isinstance(wanted, (ir.While, ir.Repeat)) and self._same(step.body, wanted.body, depth + 1)
        if isinstance(step, nodes.On):
            fits = isinstance(wanted, ir.On) and wanted.graph == step.graph
            return fits and isinstance(wanted, ir.On) and self._same(step.body, wanted.body, depth)
        if isinstance(step, nodes.Branch):
            if not isinstance(wanted, ir.If) or wanted.condition != step.condition:
                return False
            return self._same(step.then, wanted.then, depth) and self._same(step.otherwise, wanted.otherwise, depth)
        return not isinstance(step, (nodes.Launch, nodes.EnterGraph, nodes.MakeOnce, *_PUT_IN)) and step.step == wanted

    def _gives_up(self, loop: nodes.Loop) -> bool:
        """Whether the loop gives up if and only if it must: results do not depend on how far it comes, which may differ
        from run to run."""
        return loop.gives_up == self.unfinished.get(loop.number)

    def _order(self, loop: nodes.Loop) -> object:
        """The order in which the body works off the worklist, which is the loop's."""
        sweeps = [step.does for step in loop.body if isinstance(step, nodes.Operation)]
        orders = [sweep.order for sweep in sweeps if not isinstance(sweep, nodes.Choice) and sweep.order is not None]
        same = len(orders) == 1 and orders[0] == loop.order
        return loop.order if same or (not orders and loop.order is None) else _ANOTHER


_ANOTHER = object()
"""An order that no loop has."""
