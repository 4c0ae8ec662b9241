"""What must hold of hints, which change no access: they need threads that are there, and places that no other thread
uses; what is computed more often, or earlier, is the same then and cannot stop the run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import contains
from gdsl.operations import Balance, Domain
from gdsl.plan import hints
from gdsl.plan.cpu_threads import changes_own_ends, claims_at_once, in_lanes, tests_at_once
from gdsl.plan.functor_facts import follows_own_labels, may_stop
from gdsl.plan.nodes import Dedup, Form, Sweep, Variant
from gdsl.plan.verifier_variants import VariantVerifier


class HintVerifier(VariantVerifier):
    """What `gdsl.plan.verifier_sweeps` asks of the hints of a sweep: a method for each kind of which anything must
    hold."""

    def verify_hints(self, step: ir.Operator, sweep: Sweep) -> None:
        """Raise `VerificationError` for a hint that may change more than how long a sweep takes."""
        places = [(type(each), each.over) for each in sweep.hints]
        self.expect(len(set(places)) == len(places), "a hint twice")
        walks = {None, *(each.over for each in sweep.walks)}
        self.expect(all(each.over in walks for each in sweep.hints), "a hint for no walk")
        for hint in sweep.hints:
            if type(hint) in _RULES:
                _RULES[type(hint)](self, step, sweep, hint)

    # On a GPU

    @property
    def _is_one_grid(self) -> bool:
        """Whether all threads run the whole schedule side by side."""
        return self.target.grid and self.target.fused and not self.target.teams

    def _warp_share(self, step: ir.Operator, sweep: Sweep, hint: hints.WarpShare) -> None:
        other_ways = (sweep.selection, sweep.vote, sweep.intersection, sweep.order, sweep.skips)
        by_warps = self._is_one_grid and bool(sweep.walks) and all(each is None for each in other_ways)
        by_warps = by_warps and sweep.members.form is Form.QUEUE and sweep.balance is Balance.AUTO
        segment, next_level = sweep.segment, sweep.hint(hints.NextLevel)
        whole = sweep.collect is not None if segment is None else segment.stops_at is None and next_level is None
        self.expect(by_warps and whole, "half of the warps for another kind of sweep")

    def _few_as_list(self, step: ir.Operator, sweep: Sweep, hint: hints.FewAsList) -> None:
        collect, members = sweep.collect, sweep.members
        fits = isinstance(step, ir.Advance) and sweep.selection is None and len(sweep.walks) == 1 and self._is_one_grid
        fits = fits and collect is not None and collect.dedup in (Dedup.CLAIM, Dedup.RANK)
        self.expect(fits and collect is not None and collect.form is Form.QUEUE, "a list of who may come twice")
        own = members.form is Form.QUEUE and sweep.hint(hints.WholeSet) is None
        own = own and members.frontier == step.result
        self.expect(own and not self.operation.fused and self.operation.waits, "a list of other members")
        first, ahead = sweep.walks[0].first_places, sweep.hint(hints.ReadAhead, sweep.walks[0].over)
        plain = not sweep.totals and first is None and ahead is None and sweep.skips is None
        self.expect(plain and sweep.balance is Balance.AUTO, "a list that is worked off in another way")
        self.expect(step.site in self.in_loops, "a list that no loop ends")

    def _prefetch(self, step: ir.Operator, sweep: Sweep, hint: hints.PrefetchRows | hints.PrefetchLists) -> None:
        self.expect(self.arrays.keys() >= set(hint.arrays), "an array is fetched that there is not")

    def _labels_together(self, step: ir.Operator, sweep: Sweep, hint: hints.LabelsTogether) -> None:
        alone = sweep.published == (hint.array,) and hint.elements > 1
        self.expect(
            alone and follows_own_labels(hint.array, self.accesses.functor(step)), "other calls follow no labels"
        )

    def _source_tables(self, step: ir.Operator, sweep: Sweep, hint: hints.SourceTables) -> None:
        """Lists that are looked up in a table are those of any sweep, in any order."""
        lists = sweep.intersection
        together = lists is not None and sweep.members.frontier is None and lists.partners is None and self.target.grid
        self.expect(together, "tables of members that are not side by side")

    def _values_ahead(self, step: ir.Operator, sweep: Sweep, hint: hints.ReadAhead) -> None:
        functor, pulls, ordered = self.accesses.functor(step), sweep.selection is not None, sweep.order is not None
        fits = isinstance(functor, ir.VertexFunctor) or (hint.over is not None and not pulls and not ordered)
        self.expect(self.target.grid and fits, "values that are read early")
        self._read_ahead(functor, hint, sweep)

    def _hub_bounds(self, step: ir.Operator, sweep: Sweep, hint: hints.HubBounds) -> None:
        skips = sweep.skips
        self.expect(skips is not None and hint.operation is skips.operation, "bounds of another value")

    def _whole_set(self, step: ir.Operator, sweep: Sweep, hint: hints.WholeSet) -> None:
        members = sweep.members
        whole = members.form is Form.QUEUE and members.domain is Domain.VERTEX and self.target.grid
        self.expect(whole and members.frontier not in self.repeated, "members by their number")

    def _edges_side_by_side(self, step: ir.Operator, sweep: Sweep, hint: hints.EdgesSideBySide) -> None:
        self.expect(sweep.segment is not None and hint.count >= 1, "no edge at a time")

    def _list_tiles(self, step: ir.Operator, sweep: Sweep, hint: hints.ListTiles) -> None:
        shares = sweep.segment is not None and sweep.balance is Balance.MERGE and self.target.grid
        self.expect(shares and hint.length % hint.rows == 0 < hint.length, "tiles of what is not shared")

    def _block_cache(self, step: ir.Operator, sweep: Sweep, hint: hints.BlockCache) -> None:
        segment = sweep.segment
        self.expect(hint.array in self.arrays and segment is not None, "a block keeps what there is not")
        changes = segment is not None and hint.array == segment.array and segment.staging is None
        self.expect(not changes, "a block keeps what the sweep changes")

    # On a CPU

    def _by_one(self, sweep: Sweep) -> Variant | None:
        """How the first walk is run where one thread does all of the sweep; None also on a GPU."""
        return None if self.target.grid else sweep.walks[0].by_one

    def _unbranched_tests(self, step: ir.Operator, sweep: Sweep, hint: hints.UnbranchedTests) -> None:
        by_one = next((each.by_one for each in sweep.walks if each.over is hint.over), None)
        fits = by_one is not None and self.ask(tests_at_once, self.accesses.functor(step))
        self.expect(fits, "tests in any case")

    def _unbranched_claims(self, step: ir.Operator, sweep: Sweep, hint: hints.UnbranchedClaims) -> None:
        fits = self._by_one(sweep) is not None and claims_at_once(self.accesses.functor(step), sweep)
        self.expect(fits, "claims in any case")

    def _own_ends(self, step: ir.Operator, sweep: Sweep, hint: hints.OwnEnds) -> None:
        fits = self._by_one(sweep) is not None and not self.program.graphs
        self.expect(
            fits and changes_own_ends(self.accesses.functor(step), sweep), "far ends of one thread that others change"
        )

    def _observed_threads(self, step: ir.Operator, sweep: Sweep, hint: hints.ObservedThreads) -> None:
        fits = self._by_one(sweep) is not None and not self.target.workers and sweep.selection is None
        self.expect(
            fits and sweep.collect is None, "one thread in place of several for what nobody has planned for one"
        )

    def _equal_shares(self, step: ir.Operator, sweep: Sweep, hint: hints.EqualShares) -> None:
        fits = not self.target.grid and sweep.own is not None and sweep.members.frontier is None
        self.expect(fits and sweep.members.domain is Domain.VERTEX, "equal shares of a part of the vertices")

    def _select_first(self, step: ir.Operator, sweep: Sweep, hint: hints.SelectFirst) -> None:
        functor = self.accesses.functor(step)
        fits = sweep.segment is not None and not self.target.grid and not may_stop(functor)
        self.expect(fits, "a value in any case")
        value = functor.value if isinstance(functor, ir.EdgeFunctor) else None
        of_edge = (ir.Element, ir.Parameter, ir.Local, ir.DegreeOf)
        alike = isinstance(value, ir.Select) and not contains(value.condition, *of_edge)
        self.expect(alike, "edges select their values themselves")

    def _in_vectors(self, step: ir.Operator, sweep: Sweep, hint: hints.InVectors) -> None:
        segment = sweep.segment
        fits = segment is not None and not self.target.grid and not may_stop(self.accesses.functor(step))
        self.expect(fits, "values of no lists in vectors")
        assert segment is not None
        alone = segment.type.is_pair or segment.type.holds_float or isinstance(segment.reduction, ir.OwnOperation)
        self.expect(not alone, "vectors of values whose order can be seen")

    def _in_lanes(self, step: ir.Operator, sweep: Sweep, hint: hints.InLanes) -> None:
        functor, values = self.accesses.functor(step), None
        if sweep.segment is not None and isinstance(step, ir.NeighborReduce) and isinstance(functor, ir.EdgeFunctor):
            values = in_lanes(step, functor)
        self.expect(not self.target.grid and hint == values, "lanes of values that are not elements at far ends")


_RULES: dict[type[hints.Hint], Callable[[HintVerifier, ir.Operator, Sweep, Any], None]] = {
    hints.WarpShare: HintVerifier._warp_share,
    hints.FewAsList: HintVerifier._few_as_list,
    hints.PrefetchRows: HintVerifier._prefetch,
    hints.PrefetchLists: HintVerifier._prefetch,
    hints.LabelsTogether: HintVerifier._labels_together,
    hints.SourceTables: HintVerifier._source_tables,
    hints.ReadAhead: HintVerifier._values_ahead,
    hints.HubBounds: HintVerifier._hub_bounds,
    hints.WholeSet: HintVerifier._whole_set,
    hints.EdgesSideBySide: HintVerifier._edges_side_by_side,
    hints.ListTiles: HintVerifier._list_tiles,
    hints.BlockCache: HintVerifier._block_cache,
    hints.UnbranchedTests: HintVerifier._unbranched_tests,
    hints.UnbranchedClaims: HintVerifier._unbranched_claims,
    hints.OwnEnds: HintVerifier._own_ends,
    hints.ObservedThreads: HintVerifier._observed_threads,
    hints.EqualShares: HintVerifier._equal_shares,
    hints.SelectFirst: HintVerifier._select_first,
    hints.InVectors: HintVerifier._in_vectors,
    hints.InLanes: HintVerifier._in_lanes,
}
