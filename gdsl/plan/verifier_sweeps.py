"""What must hold of the sweeps of one operation.

Every conjunct is tested and every statement run once on each way through a sweep; a plain write goes where one call
alone has the element; whatever spares work (a claim, a stop, another order) has the fact of the program that allows it.
Which of several correct ways a pass chose is not asked.
"""

from __future__ import annotations

from gdsl.ir import nodes as ir
from gdsl.ir import worklists
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, BinaryOperation, Domain, Over
from gdsl.passes.writers import far_roles
from gdsl.plan import hints
from gdsl.plan.both_ends import does_the_same_from_both_ends
from gdsl.plan.functor_facts import may_stop, own_arrays
from gdsl.plan.nodes import Choice, EdgeCount, Form, Mode, Operation, Selection, Sweep, Walk
from gdsl.plan.verifier_hints import HintVerifier
from gdsl.plan.verifier_results import ResultVerifier
from gdsl.plan.verifier_variants import uses_edge_id
from gdsl.plan.walking import sweeps_of
from gdsl.plan.work_order import observed_loop
from gdsl.uniqueness.first_free import first_free

_NOBODY: frozenset[ir.Role] = frozenset()
_EDGE = frozenset({ir.Role.EDGE})


class SweepVerifier(HintVerifier, ResultVerifier):
    """Raises `VerificationError` for what cannot be right in an operation of a plan."""

    def verify(self, operation: Operation) -> None:
        """Raise `VerificationError` unless everything holds of `operation`."""
        self.operation = operation
        self.expect(bool(operation.name) and bool(operation.call), "an operation without a name")
        self._fused((*operation.fused, operation))
        if isinstance(operation.does, Choice):
            self._choice(operation.does)
        for sweep in sweeps_of(operation):
            self._sweep(operation.step, sweep)

    def _choice(self, choice: Choice) -> None:
        test, yes, no = choice.test, choice.yes, choice.no
        self.expect(all(each.factor > 0 for each in (*test.enter, *test.stay)), "a factor is not positive")
        self.expect(bool(test.enter) and bool(test.stay), "a switch without a test")
        self.expect(yes.members.frontier == no.members.frontier is not None, "the sweeps have other members")
        self.expect(yes.selection is not None and no.selection is None, "a choice of two sweeps alike")
        self.expect(yes.edges is no.edges is EdgeCount.CARRIED, "a choice by edges that nobody counts")
        same = (yes.totals, yes.collect is None) == (no.totals, no.collect is None)
        self.expect(same, "the sweeps leave other things")

    def _sweep(self, step: ir.Operator, sweep: Sweep) -> None:
        functor = self.accesses.functor_of(step)
        self._members(step, sweep)
        self._ways(step, sweep)
        if sweep.selection is not None:
            assert isinstance(functor, ir.EdgeFunctor) and isinstance(step, ir.Advance)
            self._pull(step, functor, sweep.selection)
        for each in sweep.walks:
            assert isinstance(functor, ir.EdgeFunctor)
            self._walk(step, functor, each, sweep)
        if functor is not None:
            self._variants(step, functor, sweep)
        self._shares(step, sweep)
        self.verify_hints(step, sweep)
        self._ordered(step, sweep)
        self.verify_results(step, functor, sweep)
        self.verify_edge_count(step, sweep)

    def _members(self, step: ir.Operator, sweep: Sweep) -> None:
        members, source = sweep.members, step.frontier
        self.expect((members.domain, members.frontier) == (source.domain, source.frontier), "other members")
        self.expect((members.frontier is None) == (members.form is None), "a form without a frontier")
        self.expect(members.form is not Form.BITMAP or members.domain is Domain.VERTEX, "a bitmap of edges")
        self.expect(members.form is not Form.MARKS, "members that are only marked")
        self.expect(members.form is not Form.BITMAP or bool(sweep.walks), "a bitmap that is gone through by members")
        by_edges = sweep.selection is not None or sweep.balance is Balance.EDGES
        self.expect(
            members.form is None or by_edges == (members.form is Form.BITMAP), "members that cannot be asked for"
        )

    def _ways(self, step: ir.Operator, sweep: Sweep) -> None:
        """The sweep goes over the members that the step names, and does with them what it says."""
        on_members = isinstance(step, (ir.Filter, ir.Compute))
        self.expect((sweep.own is not None) == on_members, "either elements or their edges")
        self.expect((sweep.intersection is not None) == isinstance(step, ir.Intersect), "lists that nobody asks for")
        along = not on_members and not isinstance(step, ir.Intersect)
        over = step.visits
        wanted = [Over.OUT_EDGES, Over.IN_EDGES] if over is Over.ALL_EDGES else [over]
        self.expect([each.over for each in sweep.walks] == (wanted if along else []), "other edges are visited")
        self.expect((sweep.segment is not None) == isinstance(step, ir.NeighborReduce), "a value that nobody reduces")
        self.expect((sweep.vote is not None) == isinstance(step, ir.NeighborVote), "ballots that nobody counts")
        self.expect(sweep.selection is None or isinstance(step, ir.Advance), "a pull of another operator")

    def _pull(self, step: ir.Advance, functor: ir.EdgeFunctor, selection: Selection) -> None:
        self.expect(worklists.may_pull(step, self.program.tuning.sites[step.site]), "a pull where there can be none")
        chosen, far = selection.test.tests, far_roles(step.over)
        for number in chosen:
            nodes = list(walk(functor.condition[number]))
            ends = {node.role for node in nodes if isinstance(node, ir.Parameter)}
            alone = bool(ends) and ends <= far and not any(isinstance(node, ir.Place) for node in nodes)
            self.expect(alone, "a vertex is selected by what it does not know")
            self.expect(not may_stop(functor.condition[: number + 1]), "a test that may stop the run is moved")
        test = selection.test
        self.expect(not (test.body or test.claim or test.writes or test.accepts), "a selection that changes something")
        self.expect(test.functor == functor.name, "a selection by another test")
        closing = step.closing
        closes = closing is not None and closing.end is ir.Role.FAR and closing.conjunct in chosen
        self.expect(closes or not selection.closes, "a pull stops before it has seen all edges")

    def _walk(self, step: ir.Operator, functor: ir.EdgeFunctor, each: Walk, sweep: Sweep) -> None:
        pulls = sweep.selection is not None
        self.expect(
            each.over is not Over.ALL_EDGES and each.lists is (each.over.reversed if pulls else each.over),
            "other lists",
        )
        asks = step.result_domain is Domain.EDGE or self.ask(uses_edge_id, functor)
        self.expect(each.edge_ids or not asks, "ids of edges that nobody has")
        if each.first_places is not None:
            in_places = each.lists is Over.OUT_EDGES and not pulls and sweep.balance is not Balance.EDGES
            self.expect(in_places and _limits(functor, each.first_places), "a list is not walked to its end")
        if each.repeats:
            self._repeats(step, functor, each, sweep)
        grid = self.target.grid
        self.expect(
            (each.by_one is None) == (grid or pulls or not isinstance(step, ir.Advance)), "a form for one thread"
        )

    def _repeats(self, step: ir.Operator, functor: ir.EdgeFunctor, each: Walk, sweep: Sweep) -> None:
        """A walk that is left out where the one before has made the same calls, with the ends exchanged."""
        target = self.target
        whole = target.grid and not (target.workers or target.instances or target.teams)
        self.expect(whole, "lists are left out that others may have")
        second = step.visits is Over.ALL_EDGES and each is sweep.walks[-1] and each.lists is Over.IN_EDGES
        self.expect(second and isinstance(step, ir.Advance) and step.result is None, "edges are left out")
        self.expect(self.ask(does_the_same_from_both_ends, functor), "calls from the other end are others")

    def _variants(self, step: ir.Operator, functor: ir.Functor, sweep: Sweep) -> None:
        """Every way to run the functor: complete, and with plain writes only where it has the element alone."""
        several = step.frontier.frontier in self.repeated
        pulls = sweep.selection is not None
        of_edge = _NOBODY if not pulls and (several or step.visits is Over.ALL_EDGES) else _EDGE
        of_member = _NOBODY if several else frozenset({ir.Role.VERTEX, ir.Role.EDGE})
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

    def _shares(self, step: ir.Operator, sweep: Sweep) -> None:
        self.expect(sweep.balance in self.target.balances, "a balance that the target does not have")
        self.expect(bool(sweep.walks) or sweep.balance is Balance.AUTO, "a balance without edges")
        pulls = sweep.selection is not None
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

    def _ordered(self, step: ir.Operator, sweep: Sweep) -> None:
        """Another order of visits, and visits that are spared, need a loop whose end does not depend on them."""
        for each in (sweep.order, sweep.skips):
            if each is None:
                continue
            loop = self.loop_of.get(step.site)
            self.expect(
                isinstance(step, ir.Advance) and loop is not None and loop.monotone, "an order that can be seen"
            )
            assert isinstance(step, ir.Advance) and loop is not None
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
        if sweep.skips is not None and sweep.skips.most_visits is not None:
            loop = self.loop_of.get(step.site)
            self.expect(self.target.fused and not self.target.teams, "a run that cannot begin again is stopped")
            self.expect(loop is not None and loop is observed_loop(self.program), "a run is stopped for no other order")

    # Operators that share a sweep

    def _fused(self, operations: tuple[Operation, ...]) -> None:
        """Operators in one sweep go through the same members, and a call sees what another one wrote for its own
        member alone."""
        if len(operations) == 1:
            return
        self.expect(self.target.fused and not self.target.workers, "two operators in one sweep")
        if not self.target.grid:
            reduction, *others = operations
            reduces = isinstance(reduction.does, Sweep) and reduction.does.segment is not None
            self.expect(reduces and len(others) == 1, "one thread after the other in one sweep")
        for number, later in enumerate(operations[1:], start=1):
            second = later.does
            self.expect(isinstance(second, Sweep) and second.own is not None, "edges in another operator's sweep")
            assert isinstance(second, Sweep)
            self.expect(second.hint(hints.ReadAhead) is None, "values read early that another operator may write")
            shared = not any(second.hint(kind) is not None for kind in (hints.Contended, hints.EqualShares))
            self.expect(shared, "threads of another sweep")
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
                complete = first.collect is None and first.hint(hints.ReadAhead) is None
                self.expect(complete, "a sweep that goes on with its own result")
                in_place = self._in_place(operations)
                if first.segment is not None:
                    whole = first.segment.staging is None and first.balance not in (Balance.MERGE, Balance.EDGES)
                    self.expect(whole and (in_place or second.collect is None), "results that are not complete yet")
                if in_place:
                    continue
                alone = self._own(earlier.step) & self._own(later.step)
                for name in self._meeting(earlier.step, later.step):
                    self.expect(name in alone, f"{name} is seen before all calls have written it")

    def _in_place(self, operations: tuple[Operation, ...]) -> bool:
        """Whether these are a reduction and a filter in a loop of their own that gives the same numbers however old the
        values are that it reads; those it reads by one load each, and stores them whole."""
        reduction, taking, *others = operations
        step, take, target = reduction.step, taking.step, self.target
        if others or not isinstance(step, ir.NeighborReduce) or not isinstance(take, ir.Filter):
            return False
        alone = target.grid and not (target.teams or target.several_gpus or target.instances)
        if not alone or not isinstance(taking.does, Sweep) or taking.does.own is None:
            return False
        stored = [each for each in taking.does.own.writes if each.mode is not Mode.TOTAL]
        reads = [each for each in walk(self.program.edge_functor(step.functor)) if isinstance(each, ir.Element)]
        late = all(each.now for each in reads if ir.is_parameter(each.index, *far_roles(step.over)))
        whole = len(stored) == 1 and stored[0].mode is Mode.OWN
        segment = reduction.does.segment if isinstance(reduction.does, Sweep) else None
        tests = self.program.vertex_functor(take.functor).condition
        handed = segment is not None and (not segment.handed or not _reads(tests, segment.array))
        return late and whole and handed and (step, take) in self.ask(first_free, self.program).pairs

    def _own(self, step: ir.Operator) -> frozenset[str]:
        """The arrays of which the work on a member touches that member's element alone."""
        functor = self.accesses.functor_of(step)
        if step.stores is not None:
            read = any(each.name == step.stores and not each.writes for each in self.accesses.of_step(step))
            array = self.arrays.get(step.stores)
            return frozenset({step.stores}) if not read and array is not None and array.count is None else frozenset()
        return own_arrays(functor, self.program) if functor is not None else frozenset()

    def _meeting(self, first: ir.Operator, second: ir.Operator) -> set[str]:
        one, other = self.accesses.of_step(first), self.accesses.of_step(second)
        written = {each.name for each in one if each.writes}, {each.name for each in other if each.writes}
        names = {each.name for each in one}, {each.name for each in other}
        return (written[0] & names[1]) | (written[1] & names[0])


def _reads(part: object, array: str) -> bool:
    return any(isinstance(node, ir.Element) and node.array == array for node in walk(part))


def _limits(functor: ir.EdgeFunctor, limit: ir.Expression) -> bool:
    """Whether the condition says `place < limit`, after nothing that may stop the run."""
    for conjunct in functor.condition:
        less = conjunct if isinstance(conjunct, ir.Binary) and conjunct.operation is BinaryOperation.LESS else None
        if less is not None and isinstance(less.left, ir.Place) and less.right == limit:
            return True
        if may_stop(conjunct):
            return False
    return False
