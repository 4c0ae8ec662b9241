"""What must hold of hints, which change no access: they need threads that are there, and places that no other thread
uses; what is computed more often, or earlier, is the same then and cannot stop the run.
"""

from __future__ import annotations

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Domain
from gdsl.plan import hints
from gdsl.plan.cpu_threads import changes_own_ends, claims_at_once, tests_at_once, total_first
from gdsl.plan.functor_facts import may_stop
from gdsl.plan.nodes import Dedup, Form, Sweep
from gdsl.plan.verifier_variants import VariantVerifier


class HintVerifier(VariantVerifier):
    """What `gdsl.plan.verifier_sweeps` asks of the hints of a sweep."""

    def verify_hints(self, step: ir.Operator, sweep: Sweep) -> None:
        """What changes no access still needs threads that are there, and places that no other thread reads."""
        self._lists_of_members(sweep)
        together = self.target.grid and self.target.fused and not self.target.teams
        by_warps = together and bool(sweep.walks) and sweep.members.form is Form.QUEUE
        by_warps = by_warps and sweep.balance is Balance.AUTO
        for each in (sweep.selection, sweep.vote, sweep.intersection, sweep.order, sweep.skips):
            by_warps = by_warps and each is None
        segment, next_level = sweep.segment, sweep.hint(hints.NextLevel)
        whole = sweep.collect is not None if segment is None else segment.stops_at is None and next_level is None
        share = sweep.hint(hints.WarpShare)
        self.expect(share is None or (by_warps and whole), "half of the warps for another kind of sweep")
        if sweep.hint(hints.FewAsList) is not None:
            collect, members = sweep.collect, sweep.members
            fits = isinstance(step, ir.Advance) and sweep.selection is None and len(sweep.walks) == 1 and together
            fits = fits and collect is not None and collect.dedup in (Dedup.CLAIM, Dedup.RANK)
            self.expect(fits and collect is not None and collect.form is Form.QUEUE, "a list of who may come twice")
            own = members.form is Form.QUEUE and sweep.hint(hints.WholeSet) is None
            own = own and members.frontier == step.result
            self.expect(own and not self.operation.fused and self.operation.waits, "a list of other members")
            first, hint = sweep.walks[0].first_places, sweep.hint(hints.ReadAhead, sweep.walks[0].over)
            plain = not sweep.totals and first is None and hint is None and sweep.skips is None
            self.expect(plain and sweep.balance is Balance.AUTO, "a list that is worked off in another way")
            self.expect(step.site in self.in_loops, "a list that no loop ends")
        names = {array.name for array in self.program.arrays}
        fetches = (hints.PrefetchRows, hints.PrefetchLists)
        fetched = {name for each in sweep.hints if isinstance(each, fetches) for name in each.arrays}
        self.expect(fetched <= names, "an array is fetched that there is not")
        self._hints_of_functors(step, sweep)

    def _lists_of_members(self, sweep: Sweep) -> None:
        """Lists that are looked up in a table are those of any sweep, in any order."""
        lists = sweep.intersection
        together = lists is not None and sweep.members.frontier is None and lists.partners is None and self.target.grid
        tables = sweep.hint(hints.SourceTables) is not None
        self.expect(not tables or together, "tables of members that are not side by side")

    def _hints_of_functors(self, step: ir.Operator, sweep: Sweep) -> None:
        """What is computed more often, or earlier, is the same then and cannot stop the run."""
        functor, grid, segment = self.accesses.functor_of(step), self.target.grid, sweep.segment
        pulls, ordered = sweep.selection is not None, sweep.order is not None
        walks = {each.over: each for each in sweep.walks}
        places = [(type(each), each.over) for each in sweep.hints]
        self.expect(len(set(places)) == len(places), "a hint twice")
        self.expect(all(each.over is None or each.over in walks for each in sweep.hints), "a hint for no walk")
        for hint in sweep.hints:
            if isinstance(hint, hints.ReadAhead):
                fits = isinstance(functor, ir.VertexFunctor) or (hint.over is not None and not pulls and not ordered)
                self.expect(grid and fits, "values that are read early")
                assert functor is not None
                self._read_ahead(functor, hint, sweep)
            elif isinstance(hint, hints.HubBounds):
                skips = sweep.skips
                self.expect(skips is not None and hint.operation is skips.operation, "bounds of another value")
            elif isinstance(hint, hints.UnbranchedTests):
                assert functor is not None
                by_one = walks[hint.over].by_one if hint.over is not None else None
                self.expect(by_one is not None and self.ask(tests_at_once, functor), "tests in any case")
            elif isinstance(hint, hints.UnbranchedClaims):
                assert functor is not None
                fits = not grid and walks[sweep.walks[0].over].by_one is not None
                self.expect(fits and claims_at_once(functor, sweep), "claims in any case")
            elif isinstance(hint, hints.TotalFirst):
                assert functor is not None
                fits = not grid and sweep.own is not None and hint == self.ask(total_first, functor)
                self.expect(fits, "a total that says nothing of tests")
            elif isinstance(hint, hints.OwnEnds):
                assert functor is not None
                fits = not grid and not self.program.graphs and sweep.walks[0].by_one is not None
                self.expect(fits and changes_own_ends(functor, sweep), "far ends of one thread that others change")
            elif isinstance(hint, hints.EqualShares):
                fits = not grid and sweep.own is not None and sweep.members.frontier is None
                self.expect(fits and sweep.members.domain is Domain.VERTEX, "equal shares of a part of the vertices")
            elif isinstance(hint, hints.WholeSet):
                members = sweep.members
                whole = members.form is Form.QUEUE and members.domain is Domain.VERTEX and grid
                self.expect(whole and members.frontier not in self.repeated, "members by their number")
            elif isinstance(hint, hints.EdgesSideBySide):
                self.expect(segment is not None and hint.count >= 1, "no edge at a time")
            elif isinstance(hint, hints.ListTiles):
                shares = segment is not None and sweep.balance is Balance.MERGE and grid
                self.expect(shares and hint.length % hint.rows == 0 < hint.length, "tiles of what is not shared")
            elif isinstance(hint, hints.SelectFirst):
                self.expect(segment is not None and not grid and not may_stop(functor), "a value in any case")
                value = functor.value if isinstance(functor, ir.EdgeFunctor) else None
                alike = isinstance(value, ir.Select) and not any(
                    isinstance(node, (ir.Element, ir.Parameter, ir.Local, ir.DegreeOf))
                    for node in walk(value.condition)
                )
                self.expect(alike, "edges select their values themselves")
            elif isinstance(hint, hints.BlockCache):
                self.expect(hint.array in self.arrays and segment is not None, "a block keeps what there is not")
                changes = segment is not None and hint.array == segment.array and segment.staging is None
                self.expect(not changes, "a block keeps what the sweep changes")
