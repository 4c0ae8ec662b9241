"""What must hold of the sweeps of one operation, whoever planned them.

Every conjunct is tested and every statement run once on each way through a sweep; a plain write goes where one call
alone has the element; whatever spares work (a claim, a stop, another order) has the fact of the program that allows it.
Which of several correct ways a pass chose is not asked.
"""

from __future__ import annotations

from gdsl.ir import worklists
from gdsl.ir.nodes import (
    Advance,
    Binary,
    Compute,
    EdgeFunctor,
    Element,
    Expression,
    Filter,
    Intersect,
    NeighborReduce,
    NeighborVote,
    Operator,
    Parameter,
    Place,
    Role,
    ScalarTarget,
    Update,
    VertexFunctor,
)
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, BinaryOperation, Domain, NeighborOperation, Over, ReduceOperation
from gdsl.passes.writers import far_roles
from gdsl.plan.cpu_threads import runs_in_any_case, tests_at_once
from gdsl.plan.functor_facts import may_stop, own_arrays
from gdsl.plan.hints import (
    BlockCache,
    EdgesSideBySide,
    FewAsList,
    HubBounds,
    MaskedBody,
    NextLevel,
    PrefetchLists,
    PrefetchRows,
    PrefetchSectors,
    ReadAhead,
    ShortLists,
    SourceTables,
    UnbranchedTests,
    ValueFirst,
    WarpShare,
    WholeSet,
)
from gdsl.plan.nodes import (
    Choice,
    Collect,
    Dedup,
    EdgeCount,
    Form,
    Operation,
    Reduction,
    Segment,
    Selection,
    Sweep,
    Vote,
    Walk,
)
from gdsl.plan.verifier_variants import VariantVerifier
from gdsl.plan.walking import sweeps_of

Functor = VertexFunctor | EdgeFunctor
_BACK = {Over.OUT_EDGES: Over.IN_EDGES, Over.IN_EDGES: Over.OUT_EDGES}
_STAYS = {NeighborOperation.SOME: True, NeighborOperation.EVERY: False}
_NOBODY: frozenset[Role] = frozenset()
_EDGE = frozenset({Role.EDGE})


class SweepVerifier(VariantVerifier):
    """Raises `VerificationError` for what cannot be right in an operation of a plan."""

    def verify(self, operation: Operation) -> None:
        """The whole operation."""
        self.operation = operation
        self.expect(bool(operation.name) and bool(operation.call), "an operation without a name")
        self._together((*operation.ahead, operation))
        if isinstance(operation.does, Choice):
            self._choice(operation.does)
        for sweep in sweeps_of(operation):
            self._sweep(operation.step, sweep)

    # ------------------------------------------------------------ several operators, several sweeps

    def _together(self, operations: tuple[Operation, ...]) -> None:
        """Operators in one sweep go through the same members, and a call sees what another one wrote for its own
        member alone."""
        if len(operations) == 1:
            return
        self.expect(self.target.fused and self.target.grid, "two operators in one sweep")
        for number, later in enumerate(operations[1:], start=1):
            second = later.does
            self.expect(isinstance(second, Sweep) and second.own is not None, "edges in another operator's sweep")
            assert isinstance(second, Sweep)
            self.expect(second.hint(ReadAhead) is None, "values read early that another operator may write")
            for earlier in operations[:number]:
                first = earlier.does
                fits = isinstance(first, Sweep) and (first.own is not None or first.segment is not None)
                self.expect(fits, "an operator behind a walk along edges in one sweep")
                assert isinstance(first, Sweep)
                same = (first.members.domain, first.members.frontier) == (
                    second.members.domain,
                    second.members.frontier,
                )
                self.expect(same and first.members.frontier not in self.repeated, "other members in one sweep")
                complete = first.collect is None and first.hint(ReadAhead) is None
                self.expect(complete, "a sweep that goes on with its own result")
                if first.segment is not None:
                    whole = first.segment.aside is None and first.balance not in (Balance.MERGE, Balance.EDGES)
                    self.expect(whole and second.collect is None, "results that are not complete yet")
                alone = self._own(earlier.step) & self._own(later.step)
                for name in self._meeting(earlier.step, later.step):
                    self.expect(name in alone, f"{name} is seen before all calls have written it")

    def _own(self, step: Operator) -> frozenset[str]:
        """The arrays of which the work on a member touches that member's element alone."""
        functor = self.accesses.functor_of(step)
        if step.stores is not None:
            read = any(each.name == step.stores and not each.writes for each in self.accesses.of_step(step))
            array = self.arrays.get(step.stores)
            return frozenset({step.stores}) if not read and array is not None and array.count is None else frozenset()
        return own_arrays(functor, self.program) if functor is not None else frozenset()

    def _meeting(self, first: Operator, second: Operator) -> set[str]:
        one, other = self.accesses.of_step(first), self.accesses.of_step(second)
        written = {each.name for each in one if each.writes}, {each.name for each in other if each.writes}
        names = {each.name for each in one}, {each.name for each in other}
        return (written[0] & names[1]) | (written[1] & names[0])

    def _choice(self, choice: Choice) -> None:
        test, yes, no = choice.test, choice.yes, choice.no
        self.expect(all(each.factor > 0 for each in (*test.enter, *test.stay)), "a factor is not positive")
        self.expect(bool(test.enter) and bool(test.stay), "a switch without a test")
        self.expect(yes.members.frontier == no.members.frontier is not None, "the sweeps have other members")
        self.expect(yes.selection is not None and no.selection is None, "a choice of two sweeps alike")
        self.expect(yes.edges is no.edges is EdgeCount.CARRIED, "a choice by edges that nobody counts")
        same = (yes.totals, yes.collect is None) == (no.totals, no.collect is None)
        self.expect(same, "the sweeps leave other things")

    # ------------------------------------------------------------ one sweep

    def _sweep(self, step: Operator, sweep: Sweep) -> None:
        functor = self.accesses.functor_of(step)
        self._members(step, sweep)
        self._ways(step, sweep)
        if sweep.selection is not None:
            assert isinstance(functor, EdgeFunctor) and isinstance(step, Advance)
            self._pull(step, functor, sweep.selection)
        for each in sweep.walks:
            assert isinstance(functor, EdgeFunctor)
            self._walk(step, functor, each, sweep)
        if functor is not None:
            self._variants(step, functor, sweep)
        self._shares(step, sweep)
        self._ordered(step, sweep)
        self._left(step, functor, sweep)
        self._edges(step, sweep)

    def _members(self, step: Operator, sweep: Sweep) -> None:
        members, source = sweep.members, step.frontier
        self.expect((members.domain, members.frontier) == (source.domain, source.frontier), "other members")
        self.expect((members.frontier is None) == (members.form is None), "a form without a frontier")
        self.expect(members.form is not Form.BITMAP or members.domain is Domain.VERTEX, "a bitmap of edges")
        self.expect(members.form is not Form.BITMAP or bool(sweep.walks), "a bitmap that is gone through by members")
        by_edges = sweep.selection is not None or sweep.balance is Balance.EDGES
        self.expect(
            members.form is None or by_edges == (members.form is Form.BITMAP), "members that cannot be asked for"
        )

    def _ways(self, step: Operator, sweep: Sweep) -> None:
        """What is gone through, and what becomes of it, is what the step says."""
        on_members = isinstance(step, (Filter, Compute))
        self.expect((sweep.own is not None) == on_members, "either elements or their edges")
        self.expect((sweep.intersection is not None) == isinstance(step, Intersect), "lists that nobody asks for")
        along = not on_members and not isinstance(step, Intersect)
        over = step.visits
        wanted = [Over.OUT_EDGES, Over.IN_EDGES] if over is Over.ALL_EDGES else [over]
        self.expect([each.over for each in sweep.walks] == (wanted if along else []), "other edges are visited")
        self.expect((sweep.segment is not None) == isinstance(step, NeighborReduce), "a value that nobody reduces")
        self.expect((sweep.vote is not None) == isinstance(step, NeighborVote), "ballots that nobody counts")
        self.expect(sweep.selection is None or isinstance(step, Advance), "a pull of another operator")

    def _pull(self, step: Advance, functor: EdgeFunctor, selection: Selection) -> None:
        self.expect(worklists.may_pull(step, self.program.tuning.sites[step.site]), "a pull where there can be none")
        chosen, far = selection.test.tests, far_roles(step.over)
        for number in chosen:
            nodes = list(walk(functor.condition[number]))
            ends = {node.role for node in nodes if isinstance(node, Parameter)}
            alone = bool(ends) and ends <= far and not any(isinstance(node, Place) for node in nodes)
            self.expect(alone, "a vertex is selected by what it does not know")
            self.expect(not may_stop(functor.condition[: number + 1]), "a test that may stop the run is moved")
        test = selection.test
        self.expect(not (test.body or test.claim or test.writes or test.accepts), "a selection that changes something")
        self.expect(test.functor == functor.name, "a selection by another test")
        closing = step.closing
        closes = closing is not None and closing.end is Role.FAR and closing.conjunct in chosen
        self.expect(closes or not selection.closes, "a pull stops before it has seen all edges")

    def _walk(self, step: Operator, functor: EdgeFunctor, each: Walk, sweep: Sweep) -> None:
        pulls = sweep.selection is not None
        self.expect(each.over in _BACK and each.lists is (_BACK[each.over] if pulls else each.over), "other lists")
        asks = step.result_domain is Domain.EDGE or self.ask(_asks_for_edge, functor)
        self.expect(each.edge_ids or not asks, "ids of edges that nobody has")
        if each.first_places is not None:
            in_places = each.lists is Over.OUT_EDGES and not pulls and sweep.balance is not Balance.EDGES
            self.expect(in_places and _limits(functor, each.first_places), "a list is not walked to its end")
        grid = self.target.grid
        self.expect((each.by_one is None) == (grid or pulls or not isinstance(step, Advance)), "a form for one thread")

    # ------------------------------------------------------------ what is run

    def _variants(self, step: Operator, functor: Functor, sweep: Sweep) -> None:
        """Every way to run the functor: complete, and with plain writes only where it has the element alone."""
        several = step.frontier.frontier in self.repeated
        pulls = sweep.selection is not None
        of_edge = _NOBODY if not pulls and (several or step.visits is Over.ALL_EDGES) else _EDGE
        of_member = _NOBODY if several else frozenset({Role.VERTEX, Role.EDGE})
        if sweep.own is not None:
            self._run(functor, sweep.own, sweep, of_member)
        for each in sweep.walks:
            self._run(functor, each.variant, sweep, far_roles(each.over) | of_edge if pulls else of_edge)
            if each.shared is not None:
                self._run(functor, each.shared, sweep, of_edge)
            if each.by_one is not None:
                self._run(functor, each.by_one, sweep, None)
        alone = sweep.own_by_one
        needs = not self.target.grid and sweep.own is not None and sweep.members.domain is Domain.VERTEX
        self.expect((alone is not None) == needs, "a form for one thread")
        if alone is not None:
            self._run(functor, alone, sweep, None)
        if sweep.intersection is not None and sweep.intersection.run is not None:
            self._run(functor, sweep.intersection.run, sweep, _NOBODY)

    # ------------------------------------------------------------ how the work is shared

    def _shares(self, step: Operator, sweep: Sweep) -> None:
        self.expect(sweep.balance in self.target.balances, "a balance that the target does not have")
        self.expect(bool(sweep.walks) or sweep.balance is Balance.AUTO, "a balance without edges")
        pulls = sweep.selection is not None
        whole = bool(sweep.walks) and not pulls and all(each is None for each in (sweep.segment, sweep.vote))
        whole = whole and all(each is None for each in (sweep.collect, sweep.order, sweep.skips))
        early = any(isinstance(hint, ReadAhead) for hint in sweep.hints)
        whole = whole and sweep.balance is Balance.AUTO and not early
        self.expect(
            sweep.hint(ShortLists) is None or (whole and self.target.grid), "a thread a member in another kind of sweep"
        )
        self.expect(not pulls or sweep.balance is Balance.AUTO, "a pull shares no edges of members")
        for each in sweep.walks:
            cut = self.target.shares_pulled_lists if pulls else sweep.balance is Balance.AUTO
            self.expect((each.shared is not None) == cut, "whether long lists are cut into chunks")
        several = step.frontier.frontier in self.repeated
        self.expect(
            not several or not (sweep.walks and sweep.balance is Balance.AUTO and not pulls), "chunks of lists twice"
        )
        self.expect(not several or sweep.segment is None, "results of members that come twice")
        self.expect(not several or sweep.collect is None or bool(sweep.walks), "members twice in a result")
        lists = sweep.intersection
        together = lists is not None and sweep.members.frontier is None and lists.partners is None and self.target.grid
        tables = sweep.hint(SourceTables) is not None
        self.expect(not tables or together, "tables of members that are not side by side")
        self._hints(step, sweep)

    def _hints(self, step: Operator, sweep: Sweep) -> None:
        """What changes no access still needs threads that are there, and places that nobody else looks at."""
        together = self.target.grid and self.target.fused and not self.target.teams
        by_warps = together and bool(sweep.walks) and sweep.members.form is Form.QUEUE
        by_warps = by_warps and sweep.balance is Balance.AUTO
        for each in (sweep.selection, sweep.vote, sweep.intersection, sweep.order, sweep.skips):
            by_warps = by_warps and each is None
        segment, next_level = sweep.segment, sweep.hint(NextLevel)
        whole = sweep.collect is not None if segment is None else segment.stops_at is None and next_level is None
        share = sweep.hint(WarpShare)
        self.expect(share is None or (by_warps and whole), "half of the warps for another kind of sweep")
        if sweep.hint(FewAsList) is not None:
            collect, members = sweep.collect, sweep.members
            fits = isinstance(step, Advance) and sweep.selection is None and len(sweep.walks) == 1 and together
            fits = fits and collect is not None and collect.dedup in (Dedup.CLAIM, Dedup.RANK)
            self.expect(fits and collect is not None and collect.form is Form.QUEUE, "a list of who may come twice")
            own = members.form is Form.QUEUE and sweep.hint(WholeSet) is None
            own = own and members.frontier == step.result
            self.expect(own and not self.operation.ahead and self.operation.waits, "a list of other members")
            first, early = sweep.walks[0].first_places, sweep.hint(ReadAhead, sweep.walks[0].over)
            plain = not sweep.totals and first is None and early is None and sweep.skips is None
            self.expect(plain and sweep.balance is Balance.AUTO, "a list that is worked off in another way")
            self.expect(step.site in self.loop_of, "a list that no loop ends")
        names = {array.name for array in self.program.arrays}
        fetches = (PrefetchSectors, PrefetchRows, PrefetchLists)
        fetched = {name for each in sweep.hints if isinstance(each, fetches) for name in each.arrays}
        self.expect(fetched <= names, "an array is fetched that there is not")
        self._hints_of_functors(step, sweep)

    def _hints_of_functors(self, step: Operator, sweep: Sweep) -> None:
        """What is computed more often, or earlier, is the same then and cannot stop the run."""
        functor, grid, segment = self.accesses.functor_of(step), self.target.grid, sweep.segment
        pulls, ordered = sweep.selection is not None, sweep.order is not None
        walks = {each.over: each for each in sweep.walks}
        places = [(type(each), each.over) for each in sweep.hints]
        self.expect(len(set(places)) == len(places), "a hint twice")
        self.expect(all(each.over is None or each.over in walks for each in sweep.hints), "a hint for no walk")
        for hint in sweep.hints:
            if isinstance(hint, ReadAhead):
                fits = isinstance(functor, VertexFunctor) or (hint.over is not None and not pulls and not ordered)
                self.expect(grid and fits, "values that are read early")
                assert functor is not None
                self._read_ahead(functor, hint, sweep)
            elif isinstance(hint, HubBounds):
                skips = sweep.skips
                self.expect(skips is not None and hint.operation is skips.operation, "bounds of another value")
            elif isinstance(hint, (MaskedBody, UnbranchedTests)):
                assert functor is not None
                may = runs_in_any_case if isinstance(hint, MaskedBody) else tests_at_once
                by_one = walks[hint.over].by_one if hint.over is not None else None
                self.expect(by_one is not None and self.ask(may, functor), "a body or a test in any case")
            elif isinstance(hint, WholeSet):
                members = sweep.members
                whole = members.form is Form.QUEUE and members.domain is Domain.VERTEX and grid
                self.expect(whole and members.frontier not in self.repeated, "members by their number")
            elif isinstance(hint, EdgesSideBySide):
                self.expect(segment is not None and hint.count >= 1, "no edge at a time")
            elif isinstance(hint, ValueFirst):
                self.expect(segment is not None and not grid and not may_stop(functor), "a value in any case")
                least = (NeighborOperation.MIN, NeighborOperation.MAX)
                fits = isinstance(step, NeighborReduce) and step.operation in least
                self.expect(fits, "a value that says nothing of its tests")
            elif isinstance(hint, BlockCache):
                self.expect(hint.array in self.arrays and segment is not None, "a block keeps what there is not")
                changes = segment is not None and hint.array == segment.array and segment.aside is None
                self.expect(not changes, "a block keeps what the sweep changes")

    def _ordered(self, step: Operator, sweep: Sweep) -> None:
        """Another order of visits, and visits that are spared, need a loop whose end does not depend on them."""
        for each in (sweep.order, sweep.skips):
            if each is None:
                continue
            loop = self.loop_of.get(step.site)
            self.expect(isinstance(step, Advance) and loop is not None and loop.monotone, "an order that can be seen")
            assert isinstance(step, Advance) and loop is not None
            why = worklists.hindrance if each is sweep.order else worklists.fixed_order
            fits = why(loop, self.program) is None and (each is sweep.order or len(loop.body) == 1)
            self.expect(fits, "an order that can be seen")
            update = worklists.update_in(loop, self.program)
            array = worklists.changed_in(loop, self.program).array
            same = (each.array, each.operation) == (array, update.operation) and each.type is self.arrays[array].type
            self.expect(same, "an order by other values")
            self.expect(self.target.orders and sweep.selection is None, "an order that the target does not have")
        self.expect(sweep.order is None or sweep.skips is None, "two orders")
        self.expect(sweep.skips is None or self.target.grid, "members passed over by one thread")

    # ------------------------------------------------------------ what is left

    def _left(self, step: Operator, functor: Functor | None, sweep: Sweep) -> None:
        collect = sweep.collect
        self.expect((collect.frontier if collect is not None else None) == step.result, "another result")
        if collect is not None:
            self._collect(step, collect, sweep)
        self.expect(len({total.scalar for total in sweep.totals}) == len(sweep.totals), "a total twice")
        for total in sweep.totals:
            self.expect(
                self.scalars.get(total.scalar) is total.reduction.type, f"a total of another type: {total.scalar}"
            )
            combined = self.ask(_combined, functor).get(total.scalar, set()) if functor is not None else set()
            counted = {ReduceOperation.ADD} if isinstance(step, Intersect) and step.count == total.scalar else set()
            self.expect(combined | counted == {total.reduction.combine}, f"a total of another kind: {total.scalar}")
        if isinstance(step, Intersect):
            lists = sweep.intersection
            assert lists is not None
            counted_too = step.count is None or any(total.scalar == step.count for total in sweep.totals)
            self.expect(counted_too, "nobody counts")
            self.expect(lists.source is lists.destination is Over.OUT_EDGES, "other lists")
            self.expect(lists.partners == step.partners and (lists.run is None) == (functor is None), "other partners")
            asks = functor is not None and self.ask(_asks_for_edge, functor)
            self.expect(lists.edge_ids or not asks, "ids of edges that nobody has")
        if sweep.segment is not None:
            assert isinstance(step, NeighborReduce) and isinstance(functor, EdgeFunctor)
            self._segment(step, functor, sweep.segment, sweep)
        if sweep.vote is not None:
            assert isinstance(step, NeighborVote) and isinstance(functor, EdgeFunctor)
            self._vote(step, functor, sweep.vote)

    def _collect(self, step: Operator, collect: Collect, sweep: Sweep) -> None:
        known = self.frontiers.get(collect.frontier)
        self.expect(
            known is not None and known.domain is collect.domain is step.result_domain, "a result of other elements"
        )
        pulls, of_edges = sweep.selection is not None, collect.domain is Domain.EDGE
        self.expect(not (pulls and of_edges) and not (of_edges and collect.form is Form.BITMAP), "a bitmap of edges")
        self.expect(bool(sweep.walks) or collect.form is Form.QUEUE, "a bitmap of members that come one by one")
        one_each = not sweep.walks and sweep.intersection is None
        one_each |= pulls or collect.form is Form.BITMAP or (of_edges and step.visits is not Over.ALL_EDGES)
        claims = bool(sweep.walks) and all(each.variant.claim is not None for each in sweep.walks)
        allowed = {
            Dedup.NONE: one_each,
            Dedup.MARK: not one_each,
            Dedup.CLAIM: claims and not of_edges and not one_each,
            Dedup.RANK: sweep.order is not None and self.target.grid,
            Dedup.LATE: self.target.marks_apart and not of_edges and not one_each,
        }
        self.expect(allowed[collect.dedup], f"{collect.dedup.value} against duplicates")
        self.expect((collect.dedup is Dedup.RANK) == (sweep.order is not None and self.target.grid), "entries by rank")

    def _segment(self, step: NeighborReduce, functor: EdgeFunctor, segment: Segment, sweep: Sweep) -> None:
        array = self.arrays.get(segment.array)
        self.expect(segment.array == step.stores and array is not None and array.type is segment.type, "another array")
        self.expect(segment.operation is step.operation, "another reduction")
        if step.own is not None:
            self.expect(segment.reduction == step.own, "combined by something else")
        else:
            assert step.operation is not None
            wanted = Reduction(step.operation.as_update, step.array_type)
            self.expect(segment.reduction == wanted, "combined by something else")
        reads = any(isinstance(node, Element) and node.array == segment.array for node in walk(functor))
        self.expect(segment.aside is not None or not reads, "results are stored that others still read")
        self.expect(
            segment.aside is None or segment.aside not in self.arrays, "results aside in the program's own data"
        )
        if segment.stops_at is not None:
            known = step.operation is not None and _STAYS.get(step.operation) is segment.stops_at
            whole = step.over is not Over.ALL_EDGES and sweep.balance in (Balance.AUTO, Balance.THREAD)
            self.expect(known and whole and not may_stop(functor), "a list is not reduced to its end")

    def _vote(self, step: NeighborVote, functor: EdgeFunctor, vote: Vote) -> None:
        scores = {each.name: each for each in self.program.vote_functors}
        score = scores.get(step.score) if step.score is not None else None
        key, weight = functor.key, functor.value
        assert key is not None and weight is not None
        self.expect((vote.array, vote.score, vote.keep) == (step.array, step.score, step.keep), "another vote")
        self.expect(vote.key is key.type and vote.total is weight.type, "votes of other types")
        self.expect(vote.score_type is (score.value.type if score is not None else weight.type), "another score")
        self.expect((vote.tables is not None) == self.target.grid, "whether tables are shared")
        read = {node.array for node in walk((functor, *((score,) if score else ()))) if isinstance(node, Element)}
        reads = step.array in read or step.array == step.keep
        self.expect(vote.aside is not None or not reads, "winners are stored that others still read")
        data = {each.name for each in self.program.params} | set(self.arrays) | set(self.scalars)
        own = (*((vote.tables.keys, vote.tables.totals) if vote.tables else ()), *((vote.aside,) if vote.aside else ()))
        self.expect(len(set(own)) == len(own) and not data & set(own), "a buffer with the name of something else")

    def _edges(self, step: Operator, sweep: Sweep) -> None:
        """How many edges were visited, as traces and switches have it, is known where it is said to be."""
        frontier = self.frontiers.get(sweep.members.frontier or "")
        visits = isinstance(step, Advance)
        everything = sweep.members.frontier is None
        fits = {
            EdgeCount.NONE: sweep.own is not None and sweep.members.domain is Domain.VERTEX,
            EdgeCount.ALL: everything and (visits or sweep.members.domain is Domain.EDGE) and len(sweep.walks) <= 1,
            EdgeCount.BOTH_LISTS: everything and visits and len(sweep.walks) == 2,
            EdgeCount.CARRIED: visits and frontier is not None and frontier.counts is step.visits,
            EdgeCount.MEMBERS: not everything and sweep.own is not None and sweep.members.domain is Domain.EDGE,
            EdgeCount.WALKED: (bool(sweep.walks) or sweep.intersection is not None) and sweep.selection is None,
        }
        self.expect(fits[sweep.edges], f"edges {sweep.edges.value}")
        if everything and (visits or sweep.own is not None) and sweep.intersection is None:
            self.expect(
                sweep.edges in (EdgeCount.NONE, EdgeCount.ALL, EdgeCount.BOTH_LISTS), f"edges {sweep.edges.value}"
            )


def _asks_for_edge(functor: Functor) -> bool:
    return any(isinstance(node, Place) or (isinstance(node, Parameter) and node.role.is_edge) for node in walk(functor))


def _limits(functor: EdgeFunctor, limit: Expression) -> bool:
    """Whether the condition says `place < limit`, behind nothing that may stop the run."""
    for conjunct in functor.condition:
        less = conjunct if isinstance(conjunct, Binary) and conjunct.operation is BinaryOperation.LESS else None
        if less is not None and isinstance(less.left, Place) and less.right == limit:
            return True
        if may_stop(conjunct):
            return False
    return False


def _combined(functor: Functor) -> dict[str, set[ReduceOperation]]:
    """By scalar the operations by which updates of `functor` combine into it."""
    found: dict[str, set[ReduceOperation]] = {}
    for node in walk(functor.body):
        if isinstance(node, Update) and isinstance(node.target, ScalarTarget):
            found.setdefault(node.target.scalar, set()).add(node.operation)
    return found
