"""Checks that a plan holds together: every field that a decision sets. A failure is a mistake of the compiler."""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.effects.access import Accesses, asked_frontiers, frontiers_of
from gdsl.extents import Fixed, Size
from gdsl.ir import nodes as ir
from gdsl.ir.nodes import Array, DegreeOf, Scalar
from gdsl.ir.traversal import walk
from gdsl.ir.verifier import VerificationError
from gdsl.operations import Balance, Degree, Domain, Over
from gdsl.plan import buffers, graph_reads, hub_bounds, initial_values, layouts, teams, turns, votes
from gdsl.plan.deduplication import repeated_of
from gdsl.plan.edge_members import may_be_left_out
from gdsl.plan.fusion import Fusion, flattened
from gdsl.plan.listed_sets import list_few
from gdsl.plan.nodes import (
    Barrier,
    Branch,
    Choice,
    Combine,
    Copy,
    Define,
    EnterGraph,
    Everyone,
    FarEnds,
    Fill,
    HandBack,
    Initialise,
    Keep,
    Launch,
    Leader,
    Loop,
    MakeGraph,
    On,
    OnSets,
    Operation,
    Plan,
    Step,
    Swap,
    Turn,
)
from gdsl.plan.orders import orders, orders_of
from gdsl.plan.own_ahead import fetch_own
from gdsl.plan.rows_ahead import fetch_rows
from gdsl.plan.sectors import fetch_beside
from gdsl.plan.storage import PROBLEM, Buffer, Cleared, Made, Role
from gdsl.plan.upcoming import upcoming
from gdsl.plan.verifier_combinations import verify_combinations
from gdsl.plan.verifier_sizes import verify_sizes
from gdsl.plan.verifier_slots import verify_slots
from gdsl.plan.verifier_sweeps import SweepVerifier
from gdsl.plan.waiting import set_step_waits
from gdsl.plan.walking import cuts_lists, deepest_on, launches, numbered, operations, steps_in, sweeps
from gdsl.plan.warp_halves import share_warps
from gdsl.types import Type

_PUT_IN = (Barrier, Initialise, Keep, HandBack)
"""The steps that are none of the program's."""


def verify(plan: Plan) -> None:
    """Raise `gdsl.ir.verifier.VerificationError` unless the parts of `plan` agree with each other and the program."""
    verifier = _Verifier(plan)
    verifier.header()
    verifier.buffers()
    verifier.layout()
    verifier.schedule()
    sweeping = SweepVerifier(plan)
    for operation in operations(plan):
        sweeping.verify(operation)
    verifier.expect(upcoming(plan.schedule, plan.program, plan.target) == plan.schedule, "what is looked at ahead")
    verifier.expect(fetch_own(plan.schedule, plan.program) == plan.schedule, "what is fetched at members ahead")
    verifier.expect(fetch_beside(plan.schedule, plan.program, plan.target) == plan.schedule, "what is fetched beside")
    verifier.expect(share_warps(plan.schedule, plan.target) == plan.schedule, "which warps have the members")
    verifier.expect(fetch_rows(plan.schedule, plan.program, plan.target) == plan.schedule, "what is fetched of rows")
    verifier.expect(list_few(plan.schedule, plan.program, plan.target) == plan.schedule, "which sets are lists")
    verify_combinations(plan)
    verify_slots(plan)
    verify_sizes(plan)


class _Verifier:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.program = plan.program
        self.accesses = Accesses(plan.program)
        counts = [each.name for each in plan.frontiers if each.counts is not None]
        self.fusion = Fusion(self.accesses, repeated_of(plan))
        self.turned = {each.name: each.value for each in plan.turning}
        self.orders = orders_of(plan.program, plan.target, counts)
        self.counted = frozenset(each.name for each in plan.frontiers if each.counts is not None)
        self.data: tuple[Array | Scalar, ...] = (*plan.program.arrays, *plan.program.scalars)
        self.by_role: dict[Role, list[Buffer]] = {}
        for buffer in plan.buffers:
            self.by_role.setdefault(buffer.role, []).append(buffer)

    def expect(self, holds: bool, what: str) -> None:
        if not holds:
            raise VerificationError(f"plan of {self.program.name}: {what}")

    def header(self) -> None:
        plan = self.plan
        known = [(frontier.name, frontier.domain) for frontier in plan.frontiers]
        wanted = [(frontier.name, frontier.domain) for frontier in self.program.frontiers]
        self.expect(len(known) == len(wanted) and set(known) == set(wanted), "the frontiers are others")
        counted = [frontier for frontier in plan.frontiers if frontier.counts is not None]
        self.expect(all(frontier.domain is Domain.VERTEX for frontier in counted), "edges of edges are counted")
        choosing = [o.step.site for o in operations(plan) if isinstance(o.does, Choice)]
        self.expect(list(plan.switches) == choosing, "the switches are not those of the choices")
        swaps = [step.step for step in steps_in(plan.schedule) if isinstance(step, Swap)]
        names = {name for swap in swaps for name in (swap.first, swap.second)}
        self.expect(set(plan.swapped) == names and len(plan.swapped) == len(names), "other names are swapped")
        self.expect((plan.saved is None) == plan.target.fused, "what launches hand on")
        expected = teams.teams_of(plan) if plan.target.teams else None
        self.expect(plan.teams == expected, "teams have other things to themselves")
        self.expect(not plan.target.teams or teams.refusal(plan) is None, "teams cannot run this")
        deepest = deepest_on(plan.schedule)
        self.expect((plan.graph_rooms > 0) == bool(plan.graphs), "rooms for graphs")
        launches = [step for step in steps_in(plan.schedule) if isinstance(step, Launch)]
        self.expect(all(0 <= step.around <= deepest for step in launches), "a launch has other graphs around")

    # ------------------------------------------------------------ buffers

    def buffers(self) -> None:
        plan = self.plan
        names = [(buffer.group, buffer.name) for buffer in plan.buffers]
        self.expect(len(set(names)) == len(names), "two buffers have one name")
        everything: dict[Size | str, int] = {Size.VERTICES: 1000, Size.EDGES: 5000, Size.BLOCKS: 10}
        everything.update((param.name, 3) for param in self.program.params if param.is_count)
        for buffer in plan.buffers:
            self.expect(buffer.extent.value(everything) > 0, f"the buffer {buffer.name} is empty")
            own = buffer.made is Made.PROGRAM
            self.expect(not own or plan.target.allocates_itself, f"nobody makes the buffer {buffer.name}")
        self._data()
        self._scratch()
        self._graph()

    def _data(self) -> None:
        by_name = {buffer.name: buffer for buffer in self.plan.buffers if buffer.group == PROBLEM}
        for data in self.data:
            buffer = by_name.get(data.name)
            fits = buffer is not None and buffer.element is data.type
            self.expect(fits, f"no buffer for {data.name}")
            if buffer is not None and isinstance(data, Scalar):
                places = turns.PLACES * turns.apart(data.type) if data.name in self.turned else 1
                self.expect(buffer.extent.value({}) == places, f"the places of {data.name}")
            if buffer is not None:
                given = buffer.cleared is Cleared.GIVEN
                self.expect(given == data.is_input and (buffer.role is Role.INPUT) == data.is_input, data.name)
        results = [sweep.segment or sweep.vote for sweep in sweeps(self.plan)]
        asides = {each.aside for each in results if each is not None and each.aside is not None}
        self._tables()
        found = {buffer.name for buffer in self.by_role.get(Role.TEMPORARY, [])}
        self.expect(asides == found, "the temporaries are not those of the reductions")

    def _tables(self) -> None:
        """Every table has the type of what it holds, and room for the lists of every operator that uses it."""
        found = {buffer.name: buffer for buffer in self.by_role.get(Role.TABLES, [])}
        used: set[str] = set()
        everything: dict[Size | str, int] = {Size.VERTICES: 1000, Size.EDGES: 5000, Size.BLOCKS: 10}
        for sweep in sweeps(self.plan):
            vote = sweep.vote
            if vote is None or vote.tables is None:
                continue
            for name, kind in ((vote.tables.keys, vote.key), (vote.tables.totals, vote.total)):
                used.add(name)
                buffer, wanted = found.get(name), votes.places(sweep).value(everything)
                fits = buffer is not None and buffer.element is kind and buffer.extent.value(everything) >= wanted
                self.expect(fits, f"no room for the votes in {name}")
        self.expect(used == set(found), "a table that nobody votes in")

    def _scratch(self) -> None:
        plan, all_sweeps = self.plan, sweeps(self.plan)
        by_host = not plan.target.allocates_itself
        slots = {domain: plan.slots(domain) for domain in Domain}
        balances = {sweep.balance for sweep in all_sweeps}
        room = "2 * V" if repeated_of(plan) else "V"
        marked = buffers.marked_domains(plan) if plan.target.marks_apart else frozenset[Domain]()
        wanted = {
            Role.CONTROL: 1,
            Role.TRACE: 1,
            Role.HUBS: any(cuts_lists(sweep) for sweep in all_sweeps),
            Role.PLACES: bool(numbered(plan)),
            Role.SAVED: not plan.target.fused,
            Role.OUTPUTS: plan.target.fused and bool(plan.swapped),
            Role.QUEUE: sum(slots.values()),
            Role.BITMAP: slots[Domain.VERTEX] * buffers.needs_bitmaps(plan),
            Role.SHARES: 2 * (Balance.MERGE in balances) + 3 * (Balance.BINS in balances),
            Role.MARKS: 2 * len(marked),
            Role.KEYS: 2 * bool(orders(plan)),
            Role.LISTED: 2 * any(sweep.listed for sweep in sweeps(plan)),
            Role.VISITED: any(sweep.skips is not None for sweep in all_sweeps),
            Role.BOUNDED: hub_bounds.asked_in(plan.schedule),
        }
        for role, count in wanted.items():
            found = sum(max(buffer.copies, 1) for buffer in self.by_role.get(role, []))
            self.expect(found == int(count) * by_host, f"{found} buffers of the role {role.value}")
        for queue in self.by_role.get(Role.QUEUE, []):
            domain = Domain.EDGE if queue.element is Type.EDGE else Domain.VERTEX
            fits = queue.copies == slots[domain] and str(queue.extent) == ("E" if domain is Domain.EDGE else room)
            self.expect(fits, f"the queues {queue.name} have no room for all")
        for listed in self.by_role.get(Role.LISTED, []):
            fits = listed.extent == Fixed(plan.sizes.listed_places) and listed.element == buffers.listed_member(plan)
            self.expect(fits, "no room for the list of few members")
        zero = (Role.CONTROL, Role.MARKS, Role.SAVED)
        for buffer in (each for role in zero for each in self.by_role.get(role, [])):
            self.expect(buffer.cleared is Cleared.ZERO, f"{buffer.name} is not cleared")

    def _graph(self) -> None:
        """Whatever a sweep walks or counts is there."""
        found = {buffer.name for buffer in self.by_role.get(Role.GRAPH, [])}
        tables = [sweep for sweep in sweeps(self.plan) if sweep.walks and sweep.balance is Balance.EDGES]
        self.expect(not tables or {"columns", "edge_sources"} <= found, "the table of edges is not there")
        for each in (each for sweep in sweeps(self.plan) if sweep not in tables for each in sweep.walks):
            back = each.lists is Over.IN_EDGES
            wanted = {"in_offsets", "in_sources"} if back else {"offsets", "columns"}
            self.expect(wanted <= found, f"the lists of {each.lists.value} are not there")
            self.expect(not back or not each.edge_ids or "in_edges" in found, "the ids of in-edges are not there")
        ends = {step.step.end for step in steps_in(self.plan.schedule) if isinstance(step, FarEnds)}
        self.expect({buffers.ENDS[end] for end in ends} <= found, "the far ends of edges are not there")
        own = [sweep.members for sweep in sweeps(self.plan) if sweep.members.domain is Domain.EDGE]
        grid = self.plan.target.grid
        alone = {"columns", "edge_sources"} if any(grid or each.frontier is not None for each in own) else set()
        self.expect(alone <= found, "the ends of edges are not there")
        lists = {"offsets", "columns"} if any(sweep.intersection is not None for sweep in sweeps(self.plan)) else set()
        self.expect(lists <= found, "the lists of an intersection are not there")
        asks = any(each.intersection is not None and each.intersection.edge_ids for each in sweeps(self.plan))
        self.expect(not (grid and asks) or "edge_sources" in found, "the sources of the edges of lists are not there")
        read = {part for node in walk(self.program) for part in graph_reads.parts_read(node)}
        self.expect(read <= found, "what functors read of the graph is not there")
        asked = {node.degree for node in walk(buffers.code_of(self.program)) if isinstance(node, DegreeOf)}
        names = {Degree.OUT: "offsets", Degree.IN: "in_offsets"}
        self.expect({names[degree] for degree in asked} <= found, "degrees are not there")

    # ------------------------------------------------------------ schedule

    def layout(self) -> None:
        self.expect(self.plan.layout == layouts.layout_of(self.plan), "another layout")

    def schedule(self) -> None:
        plan = self.plan
        sites = [operation.step.site for operation in operations(plan)]
        self.expect(len(set(sites)) == len(sites), "two operations have one site")
        initial = [step for step in steps_in(plan.schedule) if isinstance(step, Initialise)]
        self.expect(len(initial) == 1, "the data are initialised once")
        made = [each.name for each in (*initial[0].vertex_arrays, *initial[0].edge_arrays, *initial[0].scalars)]
        begins = initial_values.begins_with_them(self.program, self.accesses)
        wanted = [
            data.name for data in self.data if not data.is_input and (isinstance(data, Scalar) or data.name in begins)
        ]
        self.expect(sorted(made) == sorted(wanted), "other data are initialised than must be")
        if plan.target.fused:
            self.expect(len(plan.schedule) == 1 and isinstance(plan.schedule[0], Launch), "more than one launch")
        self.expect(self._same(plan.schedule, self.program.schedule, 0), "the steps are not those of the program")
        for step in plan.schedule:
            self._on_host(step)
        for launch in launches(plan):
            self._launch(launch)

    def _same(self, steps: tuple[Step, ...], wanted: tuple[ir.Step, ...], depth: int) -> bool:
        """Whether `steps`, without what was put between them, are `wanted`; `depth` loops stand around."""
        outside = [step for step in _outside_launches(steps) if not isinstance(step, _PUT_IN)]
        own: list[Step] = []
        for step in outside:
            own += flattened(step) if isinstance(step, Operation) else (step,)
        return len(own) == len(wanted) and self._in_order(own, list(wanted), depth)

    def _in_order(self, own: list[Step], wanted: list[ir.Step], depth: int) -> bool:
        """The same, each in its place or on the other side of steps that it has nothing to do with."""
        while own:
            step = own.pop(0)
            at = next((at for at, other in enumerate(wanted) if self._same_step(step, other, depth)), None)
            if at is None or any(self.fusion.meets(step, other) for other in wanted[:at]):
                return False
            del wanted[at]
        return True

    def _same_step(self, step: Step, wanted: ir.Step, depth: int) -> bool:
        if isinstance(step, Loop):
            number = isinstance(wanted, (ir.While, ir.Repeat)) and wanted.loop == step.number
            counted = isinstance(wanted, ir.Repeat) and wanted.count == step.condition
            tested = isinstance(wanted, ir.While) and wanted.condition == step.condition
            fits = number and (counted if step.counted else tested) and step.outermost == (depth == 0)
            fits = fits and self.orders.get(step.number) == step.order
            return fits and isinstance(wanted, (ir.While, ir.Repeat)) and self._same(step.body, wanted.body, depth + 1)
        if isinstance(step, On):
            fits = isinstance(wanted, ir.On) and wanted.graph == step.graph
            return fits and isinstance(wanted, ir.On) and self._same(step.body, wanted.body, depth)
        if isinstance(step, Branch):
            fits = isinstance(wanted, ir.If) and wanted.condition == step.condition
            return fits and all(self._same(*blocks, depth) for blocks in _blocks(step, wanted))
        return not isinstance(step, (Launch, EnterGraph, *_PUT_IN)) and step.step == wanted

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
            self.expect(isinstance(step, (Launch, Swap)), "the host cannot do what only the device can")

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
            if isinstance(step, OnSets):
                waits = set_step_waits(step.step, self.counted, plan.target)
                self.expect(step.waits == waits, "whether a step ends with a barrier")
            if isinstance(step, Barrier):
                self.expect(plan.target.grid and bool(step.reason), "a barrier for nothing")
        self._handed_on(launch)
        self.expect(bool(launch.steps) != (launch.answer is not None), "a launch that does nothing")
        one = plan.target.fused or (len(launch.steps) <= 1 and not any(isinstance(s, Loop) for s in launch.steps))
        self.expect(one, "a launch of several steps")
        if plan.target.grid and plan.target.fused:
            placed = turns.place(turns.without(launch), self.program, self.accesses)
            self.expect(placed.launch == launch, "a barrier is missing, or too many")
            same = tuple(placed.turning.items()) == tuple((each.name, each.value) for each in plan.turning)
            self.expect(same and placed.kept == plan.kept, "other scalars turn, or are kept")
        else:
            self.expect(not plan.turning and not plan.kept, "scalars turn that nobody turns")
            own = (isinstance(step, (Barrier, Turn, Keep, Everyone, HandBack)) for step in steps_in(launch.steps))
            self.expect(not any(own), "what only one launch does by itself")
        chosen = [s.step.site for s in launch.steps if isinstance(s, Operation) and isinstance(s.does, Choice)]
        self.expect(plan.target.fused or list(launch.directions) == chosen, "a switch is not handed on")


def _outside_launches(steps: tuple[Step, ...]) -> Iterator[Step]:
    """The steps with those of launches in the place of the launches."""
    for step in steps:
        if isinstance(step, Launch):
            yield from step.steps
        else:
            yield step


def _blocks(step: Branch, wanted: ir.Step) -> tuple[tuple[tuple[Step, ...], tuple[ir.Step, ...]], ...]:
    assert isinstance(wanted, ir.If)
    return ((step.then, wanted.then), (step.otherwise, wanted.otherwise))
