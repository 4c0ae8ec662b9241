"""What must hold of the results of a sweep: frontiers, totals, reductions, winners of votes, numbers of edges."""

from __future__ import annotations

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Domain, NeighborOperation, Over, ReduceOperation
from gdsl.plan.functor_facts import may_stop
from gdsl.plan.nodes import Collect, Dedup, EdgeCount, Form, Reduction, Segment, Sweep, Vote
from gdsl.plan.tickets import accepts_by_ticket
from gdsl.plan.verifier_variants import VariantVerifier, uses_edge_id

_STAYS = {NeighborOperation.SOME: True, NeighborOperation.EVERY: False}


class ResultVerifier(VariantVerifier):
    """What `gdsl.plan.verifier_sweeps` asks of the results of a sweep."""

    def verify_results(self, step: ir.Operator, functor: ir.Functor | None, sweep: Sweep) -> None:
        """They are those of the step."""
        collect = sweep.collect
        self.expect((collect.frontier if collect is not None else None) == step.result, "another result")
        if collect is not None:
            self._collect(step, functor, collect, sweep)
        self.expect(len({total.scalar for total in sweep.totals}) == len(sweep.totals), "a total twice")
        for total in sweep.totals:
            self.expect(
                self.scalars.get(total.scalar) is total.reduction.type, f"a total of another type: {total.scalar}"
            )
            combined = self.ask(_combined, functor).get(total.scalar, set()) if functor is not None else set()
            counted = {ReduceOperation.ADD} if isinstance(step, ir.Intersect) and step.count == total.scalar else set()
            self.expect(combined | counted == {total.reduction.combine}, f"a total of another kind: {total.scalar}")
        if isinstance(step, ir.Intersect):
            lists = sweep.intersection
            assert lists is not None
            counted_too = step.count is None or any(total.scalar == step.count for total in sweep.totals)
            self.expect(counted_too, "nobody counts")
            self.expect(lists.source is lists.destination is Over.OUT_EDGES, "other lists")
            self.expect(lists.partners == step.partners and (lists.run is None) == (functor is None), "other partners")
            asks = functor is not None and self.ask(uses_edge_id, functor)
            self.expect(lists.edge_ids or not asks, "ids of edges that nobody has")
        if sweep.segment is not None:
            assert isinstance(step, ir.NeighborReduce) and isinstance(functor, ir.EdgeFunctor)
            self._segment(step, functor, sweep.segment, sweep)
        if sweep.vote is not None:
            assert isinstance(step, ir.NeighborVote) and isinstance(functor, ir.EdgeFunctor)
            self._vote(step, functor, sweep.vote)

    def _collect(self, step: ir.Operator, functor: ir.Functor | None, collect: Collect, sweep: Sweep) -> None:
        known = self.frontiers.get(collect.frontier)
        self.expect(
            known is not None and known.domain is collect.domain is step.result_domain, "a result of other elements"
        )
        pulls, of_edges = sweep.selection is not None, collect.domain is Domain.EDGE
        self.expect(not (pulls and of_edges) and not (of_edges and collect.form is Form.BITMAP), "a bitmap of edges")
        self.expect(bool(sweep.walks) or collect.form is not Form.BITMAP, "a bitmap of members that come one by one")
        in_rows = of_edges and not sweep.walks and sweep.members.frontier is None and self.target.grid
        self.expect(collect.form is not Form.MARKS or in_rows, "marks of edges that do not come in rows")
        one_each = not sweep.walks and sweep.intersection is None
        one_each |= pulls or collect.form is Form.BITMAP or (of_edges and step.visits is not Over.ALL_EDGES)
        claims = bool(sweep.walks) and all(each.variant.claim is not None for each in sweep.walks)
        allowed = {
            Dedup.NONE: one_each,
            Dedup.TICKET: self._has_tickets(step, functor) and not of_edges and not one_each,
            Dedup.MARK: not one_each,
            Dedup.CLAIM: claims and not of_edges and not one_each,
            Dedup.RANK: sweep.order is not None and self.target.grid,
            Dedup.LATE: self.target.marks_apart and not of_edges and not one_each,
        }
        self.expect(allowed[collect.dedup], f"{collect.dedup.value} against duplicates")
        self.expect((collect.dedup is Dedup.RANK) == (sweep.order is not None and self.target.grid), "entries by rank")

    def _has_tickets(self, step: ir.Operator, functor: ir.Functor | None) -> bool:
        """Whether each far end is accepted once, by a value that one call alone gets."""
        if not isinstance(step, ir.Advance) or not isinstance(functor, ir.EdgeFunctor):
            return False
        return self.target.grid and accepts_by_ticket(functor, step.over)

    def _segment(self, step: ir.NeighborReduce, functor: ir.EdgeFunctor, segment: Segment, sweep: Sweep) -> None:
        array = self.arrays.get(segment.array)
        self.expect(segment.array == step.stores and array is not None and array.type is segment.type, "another array")
        self.expect(segment.operation is step.operation, "another reduction")
        if step.own is not None:
            self.expect(segment.reduction == step.own, "combined by something else")
        else:
            assert step.operation is not None
            wanted = Reduction(step.operation.as_update, step.array_type)
            self.expect(segment.reduction == wanted, "combined by something else")
        reads = any(isinstance(node, ir.Element) and node.array == segment.array for node in walk(functor))
        self.expect(segment.staging is not None or not reads, "results are stored that others still read")
        self.expect(
            segment.staging is None or segment.staging not in self.arrays, "results aside in the program's own data"
        )
        if segment.stops_at is not None:
            known = step.operation is not None and _STAYS.get(step.operation) is segment.stops_at
            ways = (Balance.AUTO,) if self.target.grid else (Balance.AUTO, Balance.THREAD)  # a grid has chunks by AUTO
            whole = step.over is not Over.ALL_EDGES and sweep.balance in ways
            self.expect(known and whole and not may_stop(functor), "a list is not reduced to its end")

    def _vote(self, step: ir.NeighborVote, functor: ir.EdgeFunctor, vote: Vote) -> None:
        scores = {each.name: each for each in self.program.vote_functors}
        score = scores.get(step.score) if step.score is not None else None
        key, weight = functor.key, functor.value
        assert key is not None and weight is not None
        self.expect((vote.array, vote.score, vote.keep) == (step.array, step.score, step.keep), "another vote")
        self.expect(vote.stands == step.keeps_candidate, "whether a key needs ballots")
        self.expect(vote.key is key.type and vote.total is weight.type, "votes of other types")
        self.expect(vote.score_type is (score.value.type if score is not None else weight.type), "another score")
        self.expect((vote.tables is not None) == self.target.grid, "whether tables are shared")
        read = {node.array for node in walk((functor, *((score,) if score else ()))) if isinstance(node, ir.Element)}
        reads = step.array in read or step.array == step.keep
        self.expect(vote.staging is not None or not reads, "winners are stored that others still read")
        data = {each.name for each in self.program.params} | set(self.arrays) | set(self.scalars)
        own = (
            *((vote.tables.keys, vote.tables.totals) if vote.tables else ()),
            *((vote.staging,) if vote.staging else ()),
        )
        self.expect(len(set(own)) == len(own) and not data & set(own), "a buffer with the name of something else")

    def verify_edge_count(self, step: ir.Operator, sweep: Sweep) -> None:
        """How many edges were visited, as traces and switches have it, is known where it is said to be."""
        frontier = self.frontiers.get(sweep.members.frontier or "")
        visits = isinstance(step, ir.Advance)
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


def _combined(functor: ir.Functor) -> dict[str, set[ReduceOperation]]:
    """By scalar the operations by which updates of `functor` combine into it."""
    reductions: dict[str, set[ReduceOperation]] = {}
    for node in walk(functor.body):
        if isinstance(node, ir.Update) and isinstance(node.target, ir.ScalarTarget):
            reductions.setdefault(node.target.scalar, set()).add(node.operation)
    return reductions
