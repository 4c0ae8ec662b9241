"""Checks the sweeps of one operation."""

from __future__ import annotations

import dataclasses

from gdsl.effects.access import Accesses
from gdsl.ir.nodes import (
    Accept,
    Advance,
    Compute,
    EdgeFunctor,
    ElementTarget,
    Intersect,
    NeighborReduce,
    Operator,
    Role,
    ScalarTarget,
    Update,
    VertexFunctor,
    While,
)
from gdsl.ir.remembered import Remembered
from gdsl.ir.traversal import walk
from gdsl.ir.verifier import VerificationError
from gdsl.operations import Balance, Domain, Duplicates, Over, ReduceOperation
from gdsl.passes.writers import accumulated_scalars, far_roles, plain_arrays, targets_in, written_arrays
from gdsl.plan.balances import balance_of, balance_of_push, form_of_members
from gdsl.plan.both_sides import reads_both_sides
from gdsl.plan.deduplication import repeated_of
from gdsl.plan.early import early_of
from gdsl.plan.ends import is_open
from gdsl.plan.first_values import keeps_first
from gdsl.plan.forms import form_of_result
from gdsl.plan.fusion import Fusion, flattened
from gdsl.plan.looks import early_of_worklist
from gdsl.plan.lower import arrays_read, reduction_of
from gdsl.plan.nodes import (
    Choice,
    Collect,
    Dedup,
    Early,
    EdgeCount,
    Form,
    Members,
    Mode,
    Operation,
    Plan,
    Sweep,
    Variant,
    Walk,
)
from gdsl.plan.orders import orders_of
from gdsl.plan.side_by_side import edges_side_by_side
from gdsl.plan.skips import skips_of
from gdsl.plan.stopping import result_that_stays
from gdsl.plan.values_first import looks_at_value_first
from gdsl.plan.variants import asks_for_edge, by_one_thread, contends
from gdsl.plan.verifier_intersections import verify_intersection
from gdsl.plan.verifier_votes import verify_vote
from gdsl.plan.waiting import operation_waits
from gdsl.plan.walking import operations, sweeps_of, variants_of
from gdsl.plan.whole_sets import walked_whole, whole_sets

_BACK = {Over.OUT_EDGES: Over.IN_EDGES, Over.IN_EDGES: Over.OUT_EDGES}


class SweepVerifier:
    """Raises `VerificationError` for what does not fit in one of a plan's operations."""

    operation: Operation
    functor: VertexFunctor | EdgeFunctor

    def __init__(self, plan: Plan) -> None:
        self.plan, self.program = plan, plan.program
        self.frontiers = {frontier.name: frontier for frontier in plan.frontiers}
        self.scalars = {scalar.name: scalar.type for scalar in plan.program.scalars}
        self.arrays = {array.name: array.type for array in plan.program.arrays}
        self._accesses = Accesses(plan.program)
        self._repeated = repeated_of(plan)
        self._may_be_whole = whole_sets(plan.program) if plan.target.grid else frozenset[str]()
        self._inside = {each.step.site for operation in operations(plan) for each in operation.ahead}
        """The operators that run in the sweep of another."""
        self._fusion = Fusion(self._accesses, self._repeated)
        self.repeats = False
        """Whether members of the sweep may come twice."""
        counted = [name for name, frontier in self.frontiers.items() if frontier.counts is not None]
        by_loop = orders_of(plan.program, plan.target, counted)
        loops = (node for node in walk(plan.program.schedule) if isinstance(node, While) and node.loop in by_loop)
        self._orders = {
            step.site: by_loop[loop.loop] for loop in loops for step in walk(loop.body) if isinstance(step, Operator)
        }
        self._functions = {function.name: function.body for function in plan.program.functions}
        self._skips = skips_of(plan.program, plan.target, counted)
        self._ask = Remembered()
        self._seen: dict[tuple[int, int], tuple[object, object]] = {}
        """The variants that fit already, by identity, each with its functor."""

    def expect(self, holds: bool, what: str) -> None:
        """Raise unless it holds."""
        if not holds:
            raise VerificationError(f"plan of {self.program.name}: {self.operation.name}: {what}")

    def verify(self, operation: Operation) -> None:
        """The whole operation."""
        functor = self._accesses.functor_of(operation.step)
        self.operation = operation
        self.repeats = operation.step.frontier.frontier in self._repeated
        waits = operation_waits(operation.does, self.program, self.plan.target)
        waits = waits or (self.repeats and not is_open(operation)) or any(each.waits for each in operation.ahead)
        self._in_one_sweep(flattened(operation))
        open_ended = is_open(operation) and not operation_waits(operation.does, self.program, self.plan.target)
        self.expect(operation.waits == waits or open_ended, "whether it ends with a barrier")
        planned = (operation_waits(each.does, self.program, self.plan.target) for each in operation.ahead)
        self.expect([each.waits for each in operation.ahead] == [*planned], "whether one in its sweep would")
        if functor is None or isinstance(operation.step, Intersect):
            verify_intersection(self.plan, operation, functor, self.expect)
            if functor is not None:
                self.functor = functor
                self._on_common(sweeps_of(operation)[0], operation.step)
            return
        self.functor = functor
        self.expect(bool(operation.name) and bool(operation.call), "an operation without a name")
        if isinstance(operation.does, Choice):
            test, yes, no = operation.does.test, operation.does.yes, operation.does.no
            self.expect(all(each.factor > 0 for each in (*test.enter, *test.stay)), "a factor is not positive")
            self.expect(bool(test.enter) and bool(test.stay), "a switch without a test")
            self.expect(yes.members.frontier == no.members.frontier is not None, "the sweeps have other members")
            self.expect(yes.selection is not None and no.selection is None, "a choice of two sweeps alike")
            same = (yes.totals, yes.collect is None) == (no.totals, no.collect is None)
            self.expect(same, "the sweeps leave other things")
        for sweep in sweeps_of(operation):
            self._sweep(sweep)

    def _in_one_sweep(self, operations: tuple[Operation, ...]) -> None:
        """What runs in the sweep of others may."""
        for number, each in enumerate(operations[1:], start=1):
            former = dataclasses.replace(operations[number - 1], ahead=operations[: number - 1])
            fits = self.plan.target.grid and self.plan.target.fused
            self.expect(fits and self._fusion.obstacle(former, each) is None, "two operators in one sweep")

    def _sweep(self, sweep: Sweep) -> None:
        members, pulls = sweep.members, sweep.selection is not None
        self.expect((sweep.own is None) == bool(sweep.walks), "either elements or their edges")
        self.expect(sweep.intersection is None, "lists that nobody asks for")
        self.expect(members.domain is Domain.VERTEX or not sweep.walks, "edges of edges")
        self._members(members, form_of_members(sweep.balance, pulls))
        over = [each.over for each in sweep.walks]
        asked = self.operation.step.visits
        wanted = [Over.OUT_EDGES, Over.IN_EDGES] if asked is Over.ALL_EDGES else [asked]
        self.expect(not over or over == wanted, "other edges than the program visits")
        knobs = self.plan.program.tuning.sites[self.operation.step.site]
        wanted_balance = balance_of(knobs.balance, self.plan.target, pulls, self.repeats)
        by_warps = sweep.order is not None or sweep.skips is not None
        if isinstance(self.operation.step, Advance) and asked is not None and not pulls and not by_warps:
            wanted_balance = balance_of_push(wanted_balance, asked, sweep.walks[0].first_places, self.plan.target)
        self.expect(sweep.balance is (wanted_balance if sweep.walks else Balance.AUTO), "another balance")
        self.expect(not self.repeats or sweep.collect is None or bool(sweep.walks), "members twice in a result")
        self.expect(not self.repeats or sweep.segment is None, "results of members that come twice")
        self.expect(sweep.early == self._early(sweep), "what is read ahead")
        if sweep.own is not None:
            self._modes(sweep.own, frozenset() if self.repeats else frozenset({Role.VERTEX, Role.EDGE}))
        self._by_one(sweep.own_by_one, sweep.own is not None and members.domain is Domain.VERTEX)
        self.expect(sweep.contended == self._contended(sweep), "whether threads get into each other's way")
        if sweep.selection is not None:
            closing = getattr(self.operation.step, "closing", None)
            stops = closing is not None and closing.end is Role.FAR and closing.conjunct in sweep.selection.test.tests
            self.expect(sweep.selection.closes == stops, "whether a pull stops")
        self.expect(sweep.order == self._orders.get(self.operation.step.site), "another order")
        self.expect(sweep.skips == self._skips.get(self.operation.step.site), "other members passed over")
        for each in sweep.walks:
            self._walk(each, sweep)
        for variant in variants_of(sweep):
            self._variant(variant)
        for variant in (each for each in variants_of(sweep) if sweep.selection is None or each != sweep.selection.test):
            self._whole(variant, sweep)
        self._left(sweep)

    def _members(self, members: Members, wanted_form: Form) -> None:
        own = self.operation.step.frontier
        self.expect((members.frontier is None) == (members.form is None), "a form without a frontier")
        if members.frontier is not None:
            self.expect(self._domain(members.frontier) is members.domain, "a frontier of other elements")
        self.expect((members.domain, members.frontier) == (own.domain, own.frontier), "other members")
        self.expect(members.form in (None, wanted_form), "members in another form")
        whole = walked_whole(own, wanted_form, self._may_be_whole, self.repeats)
        self.expect(members.whole == whole, "whether members may be all vertices")

    def _early(self, sweep: Sweep) -> Early | None:
        alone = not self.operation.ahead and self.operation.step.site not in self._inside
        if not (alone and self.plan.target.grid and isinstance(self.operation.step, Compute)):
            return None
        if sweep.own is None or not isinstance(self.functor, VertexFunctor):
            return None
        return early_of(self.functor, sweep.own, self._functions)

    def _early_of_edges(self, each: Walk, sweep: Sweep) -> Early | None:
        step, skips = self.operation.step, sweep.skips
        if skips is not None and isinstance(self.functor, EdgeFunctor) and isinstance(step, Advance):
            return early_of_worklist(step, self.functor, each.variant, skips, self.program, self.plan.target)
        return early_of(self.functor, each.variant, self._functions)

    # What is run

    def _on_common(self, sweep: Sweep, step: Operator) -> None:
        """What an intersection runs."""
        (variant,) = variants_of(sweep)
        self._modes(variant, frozenset())
        self._variant(variant)
        own = tuple(total for total in sweep.totals if total.scalar != step.adds_to)
        self._whole(variant, dataclasses.replace(sweep, totals=own))

    def _walk(self, each: Walk, sweep: Sweep) -> None:
        pulls = sweep.selection is not None
        self.expect(each.over in _BACK and each.lists is (_BACK[each.over] if pulls else each.over), "other lists")
        self.expect(isinstance(self.functor, EdgeFunctor), "a walk along edges needs a functor of edges")
        if isinstance(self.functor, EdgeFunctor):
            asks = self._ask(asks_for_edge, self.functor) or self.operation.step.gives is Domain.EDGE
            self.expect(each.edge_ids == asks, "whether ids of edges are asked for")
        listed = sweep.balance is not Balance.EDGES
        limited = each.first_places is None or (each.lists is Over.OUT_EDGES and not pulls and listed)
        self.expect(limited, "places are counted along out-edges")
        cut = self.plan.target.shares_pulled_lists if pulls else sweep.balance is Balance.AUTO
        self.expect((each.shared is not None) == cut, "whether long lists are cut")
        shares = self.plan.target.grid and sweep.balance is Balance.AUTO and not pulls
        ahead = shares and sweep.order is None and sweep.segment is None and sweep.vote is None
        self.expect(each.early == (self._early_of_edges(each, sweep) if ahead else None), "what is read ahead of edges")
        self._modes(each.variant, far_roles(each.over) | {Role.EDGE} if pulls else self._own_edge())
        if each.shared is not None:
            self._modes(each.shared, self._own_edge())
        self._by_one(each.by_one, isinstance(self.operation.step, Advance) and not pulls)

    def _by_one(self, variant: Variant | None, may: bool) -> None:
        """What one thread runs alone: everything, with plain writes."""
        wanted = self._ask(by_one_thread, self.functor) if may and not self.plan.target.grid else None
        self.expect(variant == wanted, "how one thread runs it")

    def _contended(self, sweep: Sweep) -> bool:
        """Whether one thread alone needs no atomics where several do."""
        own = (sweep.own, sweep.own_by_one, ())
        ways = [own, *((each.variant, each.by_one, (each.over,)) for each in sweep.walks)]
        return self.functor is not None and any(contends(self.functor, *way) for way in ways)

    def _own_edge(self) -> frozenset[Role]:
        """What an edge's call has alone: nothing where both ends may bring the edge."""
        several = self.repeats or self.operation.step.visits is Over.ALL_EDGES
        return frozenset() if several else frozenset({Role.EDGE})

    def _modes(self, variant: Variant, alone: frozenset[Role]) -> None:
        """A write is plain where the call has its element alone, and nowhere else."""
        plain = self._ask(plain_arrays, self.functor, alone) if variant.claim is None else frozenset()
        arrays = self._ask(written_arrays, self.functor)
        totals = self._ask(accumulated_scalars, self.functor)
        for write in variant.writes:
            others = Mode.TOTAL if write.name in totals and write.name not in arrays else Mode.SHARED
            self.expect(write.mode is (Mode.PLAIN if write.name in plain else others), f"{write.name} {write.mode}")

    def _variant(self, variant: Variant) -> None:
        functor, claim = self.functor, variant.claim
        if (id(variant), id(functor)) in self._seen:
            return
        self._seen[id(variant), id(functor)] = (variant, functor)
        self.expect(variant.functor == functor.name, "another functor")
        self.expect(sorted(set(variant.tests)) == list(variant.tests), "tests out of order")
        self.expect(set(variant.tests) <= set(range(len(functor.condition))), "a test that there is not")
        self.expect(sorted(set(variant.body)) == list(variant.body), "statements out of order")
        self.expect(set(variant.body) <= set(range(len(functor.body))), "a statement that there is not")
        if claim is not None:
            apart = claim.conjunct not in variant.tests and claim.statement not in variant.body
            self.expect(apart, "what is claimed is done twice")
            store = functor.body[claim.statement]
            named = getattr(getattr(store, "target", None), "array", None)
            self.expect(named == claim.array and claim.conjunct < len(functor.condition), "a claim of another array")
            kind = getattr(getattr(store, "target", None), "type", None)
            self.expect(claim.expected.type is kind, "a claim that expects another type")
            blind = self.plan.target.grid and not claim.expected.type.is_pair
            self.expect(claim.blind == blind, "a claim that looks where it need not, or the reverse")
        alone = not (variant.masked or variant.at_once) or variant == self._ask(by_one_thread, functor)
        self.expect(alone, "a body that is run or tests that are made in any case by others than one thread alone")
        statements = tuple(functor.body[i] for i in variant.body)
        written = {t.array if isinstance(t, ElementTarget) else t.scalar for t in targets_in(statements)}
        self.expect(sorted(write.name for write in variant.writes) == sorted(written), "other things are written")
        scalars = {t.scalar for t in targets_in(statements) if isinstance(t, ScalarTarget)}
        summed = {write.name for write in variant.writes if write.mode is Mode.TOTAL}
        self.expect(summed <= scalars, "an array is no total")
        self.expect(variant.accepts == any(isinstance(node, Accept) for node in walk(statements)), "who accepts")

    def _whole(self, variant: Variant, sweep: Sweep) -> None:
        """Every conjunct is tested, and every statement run, once."""
        tests = [*variant.tests, *((variant.claim.conjunct,) if variant.claim else ())]
        tests += sweep.selection.test.tests if sweep.selection is not None else ()
        self.expect(sorted(tests) == list(range(len(self.functor.condition))), "a conjunct is tested never or twice")
        body = [*variant.body, *((variant.claim.statement,) if variant.claim else ())]
        self.expect(sorted(body) == list(range(len(self.functor.body))), "a statement is run never or twice")
        totals = {write.name for write in variant.writes if write.mode is Mode.TOTAL}
        self.expect(totals == {total.scalar for total in sweep.totals}, "totals that nobody sums up, or the reverse")

    # What is left

    def _left(self, sweep: Sweep) -> None:
        step, collect = self.operation.step, sweep.collect
        self.expect((collect.frontier if collect is not None else None) == step.result, "another result")
        if collect is not None:
            self._collect(collect, sweep)
        self.expect(len({total.scalar for total in sweep.totals}) == len(sweep.totals), "a total twice")
        for total in sweep.totals:
            reduction = total.reduction
            self.expect(self.scalars.get(total.scalar) is reduction.type, f"a total of another type: {total.scalar}")
            combined = self._ask(_combined, self.functor).get(total.scalar)
            self.expect(combined == {reduction.combine}, f"a total of another kind: {total.scalar}")
        self._segment(sweep)
        verify_vote(self.plan, self.operation, sweep, self.expect)
        counted = self._counted(sweep.members.frontier)
        reduces = sweep.segment is not None or sweep.vote is not None
        everything = sweep.members.frontier is None and not reduces
        everything = everything and (bool(sweep.walks) or sweep.members.domain is Domain.EDGE)
        fits = {
            EdgeCount.NONE: not sweep.walks and sweep.members.domain is Domain.VERTEX,
            EdgeCount.ALL: everything and len(sweep.walks) <= 1,
            EdgeCount.BOTH_LISTS: everything and len(sweep.walks) == 2,
            EdgeCount.CARRIED: counted and not reduces,
            EdgeCount.MEMBERS: sweep.members.frontier is not None and sweep.members.domain is Domain.EDGE,
            EdgeCount.WALKED: bool(sweep.walks) and (reduces or not (everything or counted)),
        }
        self.expect(fits[sweep.edges], f"edges {sweep.edges.value}")

    def _counted(self, frontier: str | None) -> bool:
        """Whether everything that makes `frontier` counts the edges that this operation asks for."""
        over = self.operation.step.visits
        known = self.frontiers.get(frontier) if frontier is not None else None
        return over is not None and known is not None and known.counts is over

    def _domain(self, frontier: str) -> Domain | None:
        known = self.frontiers.get(frontier)
        return known.domain if known is not None else None

    def _collect(self, collect: Collect, sweep: Sweep) -> None:
        self.expect(self._domain(collect.frontier) is collect.domain, "a result of other elements")
        pulls, claims = sweep.selection is not None, any(v.claim is not None for v in variants_of(sweep))
        knobs = self.program.tuning.sites[self.operation.step.site]
        self.expect(collect.form is form_of_result(knobs.frontier, pulls), "a result in another form")
        of_edges = collect.domain is Domain.EDGE
        self.expect(collect.domain is self.operation.step.gives, "a result of other elements")
        self.expect(not (pulls and of_edges), "a pull finds vertices")
        twice = self.operation.step.visits is Over.ALL_EDGES
        once = not sweep.walks or collect.form is Form.BITMAP or pulls or (of_edges and not twice)
        late = knobs.dedup is Duplicates.NONE and self.plan.target.marks_apart and not of_edges
        marks = not claims or of_edges
        wanted = Dedup.NONE if once else (Dedup.LATE if late else Dedup.MARK) if marks else Dedup.CLAIM
        wanted = Dedup.RANK if sweep.order is not None and self.plan.target.grid else wanted
        self.expect(collect.dedup is wanted, f"{collect.dedup.value} against duplicates")

    def _segment(self, sweep: Sweep) -> None:
        segment = sweep.segment
        valued = isinstance(self.operation.step, NeighborReduce)
        self.expect((segment is not None) == valued, "a value that nobody reduces")
        if segment is not None:
            step = self.operation.step
            known = self.arrays.get(segment.array) is segment.type and isinstance(step, NeighborReduce)
            self.expect(known and segment.operation is getattr(step, "operation", None), "a reduction")
            fits = isinstance(step, NeighborReduce) and segment.reduction == reduction_of(step)
            self.expect(fits, "combined by something else")
            self.expect(segment.array == self.operation.step.stores, "stored in another array")
            assert isinstance(step, NeighborReduce) and isinstance(self.functor, EdgeFunctor)
            stays = result_that_stays(step, self.functor, sweep.balance)
            self.expect(segment.stops_at is stays, "where a reduction stops")
            reads = segment.array in self._ask(arrays_read, self.functor)
            self.expect((segment.aside is not None) == reads, "whether the results stand aside")
            wanted = edges_side_by_side(step, self.functor, self.program, self.plan.target)
            self.expect(segment.side_by_side == wanted, "edges that a thread looks at side by side")
            first = looks_at_value_first(step, self.functor, self.plan.target)
            self.expect(segment.value_first == first, "whether values come before tests")
            kept = keeps_first(self.program, self.plan.target).get(step.site)
            self.expect(segment.kept == kept, "whether blocks keep the first values")
            both = reads_both_sides(step, self.functor, self.plan.target)
            self.expect(segment.both_sides == both, "whether both sides of a choice are read")


def _combined(functor: VertexFunctor | EdgeFunctor) -> dict[str, set[ReduceOperation]]:
    """By scalar the operations by which updates of `functor` combine into it."""
    found: dict[str, set[ReduceOperation]] = {}
    for node in walk(functor.body):
        if isinstance(node, Update) and isinstance(node.target, ScalarTarget):
            found.setdefault(node.target.scalar, set()).add(node.operation)
    return found
