"""What must hold of the buffers of a plan: all that its nodes use exists, is long enough, and is cleared if need be."""

from __future__ import annotations

from gdsl.effects.access import frontiers_of, measured_frontiers
from gdsl.extents import EDGES, Fixed, Parts, Size
from gdsl.ir.nodes import Array, DegreeOf, Scalar
from gdsl.ir.traversal import walk
from gdsl.ir.verifier import expecting
from gdsl.operations import Balance, Degree, Domain, Over
from gdsl.plan import block_cache, buffers, functor_facts, gpu_copies, nodes, scalar_copies, votes
from gdsl.plan.buffer_nodes import PROBLEM, Allocator, Buffer, Cleared, Role
from gdsl.plan.deduplication import repeated_of
from gdsl.plan.hints import FewAsList
from gdsl.plan.sweep_nodes import Form
from gdsl.plan.walking import cuts_lists, numbered_domains, steps_in, sweeps
from gdsl.plan.work_order import orders
from gdsl.types import Type


def verify_storage(plan: nodes.Plan) -> None:
    """Raise `gdsl.ir.verifier.VerificationError` where a buffer is missing or too small."""
    _Storage(plan).buffers()


_OF_NO_SETS = (
    nodes.Barrier,
    nodes.Initialize,
    nodes.Privatize,
    nodes.WriteBack,
    nodes.Swap,
    nodes.EnterGraph,
    nodes.Snapshot,
    nodes.Exchange,
)
"""The steps that need no frontier, or none that is not needed by what comes before them."""
_OF_HINTS = (Role.LISTED, Role.BOUNDED)
"""Scratch memory that only hints use: without them it is there for nothing."""


class _Storage:
    def __init__(self, plan: nodes.Plan) -> None:
        self.plan, self.program = plan, plan.program
        self.expect = expecting(f"plan of {plan.program.name}")
        self.rotations = {each.name for each in plan.rotations}
        self.data: tuple[Array | Scalar, ...] = (*plan.program.arrays, *plan.program.scalars)
        self.by_role: dict[Role, list[Buffer]] = {}
        for buffer in plan.buffers:
            self.by_role.setdefault(buffer.role, []).append(buffer)

    def buffers(self) -> None:
        plan = self.plan
        names = [(buffer.group, buffer.name) for buffer in plan.buffers]
        self.expect(len(set(names)) == len(names), "two buffers have one name")
        everything: dict[Size | str, int] = {Size.VERTICES: 1000, Size.EDGES: 5000, Size.BLOCKS: 10}
        everything.update((param.name, 3) for param in self.program.params if param.is_count)
        for buffer in plan.buffers:
            self.expect(buffer.extent.value(everything) > 0, f"the buffer {buffer.name} is empty")
            own = buffer.allocator is Allocator.PROGRAM
            self.expect(not own or plan.target.allocates_itself, f"nobody makes the buffer {buffer.name}")
        self._data()
        self._scratch()
        self._graph()

    def _data(self) -> None:
        by_name = {buffer.name: buffer for buffer in self.plan.buffers if buffer.group == PROBLEM}
        narrow = dict(self.plan.narrow)
        for data in self.data:
            buffer = by_name.get(data.name)
            fits = buffer is not None and buffer.element is narrow.get(data.name, data.type)
            self.expect(fits, f"no buffer for {data.name}")
            if buffer is not None and isinstance(data, Scalar):
                places = scalar_copies.PLACES * scalar_copies.stride(data.type) if data.name in self.rotations else 1
                self.expect(buffer.extent.value({}) == places, f"the places of {data.name}")
            if buffer is not None:
                is_given = buffer.cleared is Cleared.GIVEN
                self.expect(is_given == data.is_input and (buffer.role is Role.INPUT) == data.is_input, data.name)
        results = [sweep.segment or sweep.vote for sweep in sweeps(self.plan)]
        staging = {each.staging for each in results if each is not None and each.staging is not None}
        self._tables()
        names = {buffer.name for buffer in self.by_role.get(Role.TEMPORARY, [])}
        self.expect(staging == names, "the temporaries are not those of the reductions")

    def _tables(self) -> None:
        """Every table has the type of what it holds, and room for the lists of every operator that uses it."""
        tables = {buffer.name: buffer for buffer in self.by_role.get(Role.TABLES, [])}
        used: set[str] = set()
        everything: dict[Size | str, int] = {Size.VERTICES: 1000, Size.EDGES: 5000, Size.BLOCKS: 10}
        for sweep in sweeps(self.plan):
            vote = sweep.vote
            if vote is None or vote.tables is None:
                continue
            for name, kind in ((vote.tables.keys, vote.key), (vote.tables.totals, vote.total)):
                used.add(name)
                buffer, wanted = tables.get(name), votes.places(sweep).value(everything)
                fits = buffer is not None and buffer.element is kind and buffer.extent.value(everything) >= wanted
                self.expect(fits, f"no room for the votes in {name}")
        self.expect(used == set(tables), "a table that nobody votes in")

    def _scratch(self) -> None:
        """What a run works with: as many buffers of each role as are needed, with room, and clear at first."""
        by_host = not self.plan.target.allocates_itself
        for role, count in self._wanted().items():
            copies = sum(max(buffer.copies, 1) for buffer in self.by_role.get(role, []))
            fits = copies >= count * by_host if role in _OF_HINTS else copies == count * by_host
            self.expect(fits, f"{copies} buffers of the role {role.value}")
        self._queues()
        member, places = buffers.small_frontier_member(self.plan), Fixed(self.plan.sizes.listed_places)
        for listed in self.by_role.get(Role.LISTED, []):
            fits = listed.extent == places and listed.element == member
            self.expect(fits, "no room for the list of few members")
        zero = (Role.CONTROL, Role.MARKS, Role.SAVED)
        for buffer in (each for role in zero for each in self.by_role.get(role, [])):
            self.expect(buffer.cleared is Cleared.ZERO, f"{buffer.name} is not cleared")

    def _wanted(self) -> dict[Role, int]:
        """How many buffers of each role a run needs that the host allocates."""
        plan, all_sweeps = self.plan, sweeps(self.plan)
        own_sets = not plan.target.instances  # the words of instances are other buffers
        marked = buffers.marked_domains(plan) if plan.target.marks_apart else frozenset[Domain]()
        bins = any(sweep.balance is Balance.BINS for sweep in all_sweeps)
        wanted = {
            Role.CONTROL: 1,
            Role.TRACE: 1,
            Role.LANES: plan.target.lanes,
            Role.MIRROR: gpu_copies.copies_of(plan),
            Role.ADDRESSES: gpu_copies.copies_of(plan) * gpu_copies.shares_copies(plan),
            Role.HUBS: plan.target.instances or any(cuts_lists(sweep) for sweep in all_sweeps),
            Role.PLACES: bool(numbered_domains(plan)),
            Role.SAVED: not plan.target.fused,
            Role.OUTPUTS: plan.target.fused and bool(plan.swapped),
            Role.QUEUE: sum(map(plan.slots, Domain)) * own_sets,
            Role.BITMAP: plan.slots(Domain.VERTEX) * buffers.needs_bitmaps(plan) * own_sets,
            Role.SHARES: 2 * any(sweep.sums_degrees for sweep in all_sweeps) + 3 * bins,
            Role.MARKS: 2 * len(marked) * own_sets,
            Role.KEYS: 2 * bool(orders(plan)),
            Role.LISTED: 2 * any(sweep.hint(FewAsList) for sweep in all_sweeps),
            Role.VISITED: any(sweep.skips is not None for sweep in all_sweeps),
            Role.BOUNDED: block_cache.has_bounds(plan.schedule),
        }
        return {role: int(count) for role, count in wanted.items()}

    def _queues(self) -> None:
        """Each set has room for all that may be in it; edges that are rows of marks alone need a bit each."""
        collects = [sweep.collect for sweep in sweeps(self.plan) if sweep.collect is not None]
        rows = {each.frontier: each.form is Form.MARKS for each in collects}
        queued = any(each.domain is Domain.EDGE and not rows.get(each.name) for each in self.plan.frontiers)
        room = {
            Domain.VERTEX: "2 * V" if repeated_of(self.plan) else "V",
            Domain.EDGE: "E" if queued else str(Parts(EDGES, 32)),
        }
        for queue in self.by_role.get(Role.QUEUE, []):
            domain = Domain.EDGE if queue.element is Type.EDGE else Domain.VERTEX
            fits = queue.copies == self.plan.slots(domain) and str(queue.extent) == room[domain]
            self.expect(fits, f"the queues {queue.name} have no room for all")

    def _graph(self) -> None:
        """Whatever a sweep walks or counts is there."""
        buffer_names = {buffer.name for buffer in self.by_role.get(Role.GRAPH, [])}
        tables = [sweep for sweep in sweeps(self.plan) if sweep.walks and sweep.balance is Balance.EDGES]
        self.expect(not tables or {"columns", "edge_sources"} <= buffer_names, "the table of edges is not there")
        for each in (each for sweep in sweeps(self.plan) if sweep not in tables for each in sweep.walks):
            back = each.lists is Over.IN_EDGES
            wanted = {"in_offsets", "in_sources"} if back else {"offsets", "columns"}
            self.expect(wanted <= buffer_names, f"the lists of {each.lists.value} are not there")
            self.expect(
                not back or not each.edge_ids or "in_edges" in buffer_names, "the ids of in-edges are not there"
            )
        ends = {step.step.end for step in steps_in(self.plan.schedule) if isinstance(step, nodes.FarEnds)}
        self.expect({buffers.ENDS[end] for end in ends} <= buffer_names, "the far ends of edges are not there")
        own = [sweep.members for sweep in sweeps(self.plan) if sweep.members.domain is Domain.EDGE]
        grid = self.plan.target.grid
        alone = {"columns", "edge_sources"} if any(grid or each.frontier is not None for each in own) else set()
        self.expect(alone <= buffer_names, "the ends of edges are not there")
        lists = {"offsets", "columns"} if any(sweep.intersection is not None for sweep in sweeps(self.plan)) else set()
        self.expect(lists <= buffer_names, "the lists of an intersection are not there")
        asks = any(each.intersection is not None and each.intersection.edge_ids for each in sweeps(self.plan))
        self.expect(
            not (grid and asks) or "edge_sources" in buffer_names, "the sources of the edges of lists are not there"
        )
        read = {part for node in walk(self.program) for part in functor_facts.parts_read(node)}
        self.expect(read <= buffer_names, "what functors read of the graph is not there")
        asked = {node.degree for node in walk(buffers.code_of(self.program)) if isinstance(node, DegreeOf)}
        names = {Degree.OUT: "offsets", Degree.IN: "in_offsets"}
        self.expect({names[degree] for degree in asked} <= buffer_names, "degrees are not there")


# Checks that frontiers with one slot are never needed at the same time: whatever is used is what is stored there.
#
# The plan is followed from its beginning on, with the frontiers that may have been the last to be made in each slot;
# so this knows nothing of how slots are chosen, and no part is followed more than twice, however deep loops are
# nested.

_Slot = tuple[Domain, int]
_Names = frozenset[str]
_Ends = dict[_Slot, tuple[_Names, bool]]
"""What some steps leave in slots: the frontiers defined last, and whether on some path none is defined there."""
_NOTHING: tuple[_Names, bool] = (frozenset(), True)


def verify_slots(plan: nodes.Plan) -> None:
    """Raise `VerificationError` where a frontier is used while another one may be in its slot."""
    _ReachingDefinitions(plan).block(plan.schedule, {})


class _ReachingDefinitions:
    def __init__(self, plan: nodes.Plan) -> None:
        self.expect = expecting(f"plan of {plan.program.name}")
        self.slots = {frontier.name: (frontier.domain, frontier.slot) for frontier in plan.frontiers}
        self._passes: dict[int, _Ends] = {}
        """What each loop's body leaves, by the loop's identity."""

    def block(self, steps: tuple[nodes.Step, ...], stored: dict[_Slot, _Names]) -> None:
        """Follow steps, which change whose members are `stored` in slots; without any it is an empty set for all."""
        for step in steps:
            if isinstance(step, _OF_NO_SETS):
                continue
            if isinstance(step, nodes.On):
                self.block(step.body, stored)
                continue
            if isinstance(step, nodes.Launch):
                self.block(step.steps, stored)
                self._use(measured_frontiers(step.answer), stored)
            elif isinstance(step, nodes.Loop):
                if step.counted:
                    self._use(measured_frontiers(step.condition), stored)
                for slot, (names, _) in self._pass(step).items():
                    stored[slot] = stored.get(slot, frozenset()) | names
                if not step.counted:
                    self._use(measured_frontiers(step.condition), stored)
                self.block(step.body, dict(stored))
            elif isinstance(step, nodes.Branch):
                self._use(measured_frontiers(step.condition), stored)
                otherwise = dict(stored)
                self.block(step.then, stored)
                self.block(step.otherwise, otherwise)
                for slot, names in otherwise.items():
                    stored[slot] = stored.get(slot, frozenset()) | names
            elif isinstance(step, nodes.MakeOnce):
                made = dict(stored)
                self.block(step.body, made)
                for slot, names in made.items():
                    stored[slot] = stored.get(slot, frozenset()) | names
            else:
                use = frontiers_of(step.step)
                self._use(use.read, stored)
                stored.update({self.slots[name]: frozenset([name]) for name in use.written})
                if isinstance(step, nodes.Combine) and step.marks:
                    self._clear_marks(step)

    def _use(self, names: tuple[str, ...], stored: dict[_Slot, _Names]) -> None:
        for name in names:
            others = stored.get(self.slots[name], frozenset()) - {name}
            self.expect(not others, f"{min(others, default='')} is stored where {name} is needed")

    def _clear_marks(self, step: nodes.Combine) -> None:
        asked, made = step.asked.frontier, step.step.name
        apart = asked is None or asked == made or self.slots[asked] != self.slots[made]
        self.expect(apart, f"{made} is stored where marks of {asked} are to be taken out")

    def _pass(self, loop: nodes.Loop) -> _Ends:
        if id(loop) not in self._passes:
            self._passes[id(loop)] = self._left(loop.body)
        return self._passes[id(loop)]

    def _left(self, steps: tuple[nodes.Step, ...]) -> _Ends:
        """What is stored after the steps."""
        left: _Ends = {}
        for step in steps:
            for slot, (names, passed) in self._left_by(step).items():
                before, none = left.get(slot, _NOTHING)
                left[slot] = (names | before, none) if passed else (names, False)
        return left

    def _left_by(self, step: nodes.Step) -> _Ends:
        if isinstance(step, (nodes.Launch, nodes.On)):
            return self._left(step.body if isinstance(step, nodes.On) else step.steps)
        if isinstance(step, nodes.Loop):
            return {slot: (names, True) for slot, (names, _) in self._pass(step).items()}
        if isinstance(step, nodes.Branch):
            first, second = self._left(step.then), self._left(step.otherwise)
            both = {slot: (first.get(slot, _NOTHING), second.get(slot, _NOTHING)) for slot in {**first, **second}}
            return {slot: (one | other, none or also) for slot, ((one, none), (other, also)) in both.items()}
        if isinstance(step, nodes.MakeOnce):
            return {slot: (names, True) for slot, (names, _) in self._left(step.body).items()}
        if isinstance(step, _OF_NO_SETS):
            return {}
        return {self.slots[name]: (frozenset([name]), False) for name in frontiers_of(step.step).written}


# Checks that the sizes of a target's parts fit each other.


def verify_sizes(plan: nodes.Plan) -> None:
    """Raise `VerificationError` where there is no room for what a size says, or one is not positive."""
    expect = expecting(f"plan of {plan.program.name}")
    expect(0 <= plan.waiting_thread < plan.sizes.block_threads, "a thread waits that there is not")
    sizes = plan.sizes
    numbers = (
        sizes.block_threads,
        sizes.hub_degree,
        sizes.hub_chunk,
        sizes.pull_prefix,
        sizes.pulled_at_once,
        sizes.words_at_once,
        sizes.long_walk,
        sizes.near_set,
        sizes.round_edges,
        sizes.wide_round,
        sizes.thin_round,
        sizes.table_least,
        sizes.radix_bits,
        sizes.voted_alone,
        sizes.combined_words,
        sizes.bound_bits - 2,
        sizes.parted_members,
        sizes.listed_places,
        sizes.listed_edges,
        sizes.solo_edges,
        (1 << 24) - sizes.listed_places,
    )
    expect(sizes.table_slots.bit_count() == 1, "a table whose places are no power of two")
    least = min(sizes.short_list, sizes.small_work, sizes.own_votes)
    expect(min(numbers) > 0 and least >= 0, "a size is not positive")
    if plan.target.grid:
        fits = sizes.reduced_hub >= sizes.hub_degree and sizes.reduced_chunk >= sizes.hub_chunk
        expect(fits, "no room for the chunks of lists that are reduced")
        half = sizes.hub_degree // 2
        fits = half > 0 and 1 / half - 2 / sizes.hub_degree <= 1 / sizes.hub_chunk
        expect(fits, "no room for the chunks of lists half as long")
        part = min(sizes.vote_part, sizes.vote_part_of_few)
        expect(part >= sizes.hub_chunk, "no room for the parts of lists that vote")
        expect(0 < sizes.voted_by_lanes <= 32, "no lane for an edge that votes")
        expect(sizes.vote_words * 32 >= 4 * sizes.block_threads, "no room for the votes of a warp")
