"""How the CUDA templates call functors: with which arguments, what is read before, and how edges are numbered."""

from __future__ import annotations

from gdsl.codegen.function_text import Argument, Cached
from gdsl.codegen.functors import ON_COMMON, Arguments, Ballot, Calls
from gdsl.codegen.template_helpers import TemplateHelpers, on_an_edge
from gdsl.ir import nodes as ir
from gdsl.operations import Balance, Domain, NeighborOperation, Over
from gdsl.plan.block_cache import gathers
from gdsl.plan.hints import BlindClaim, BlockCache, HubBounds, ReadAhead
from gdsl.plan.nodes import Sweep, Variant, Walk


class FunctorCalls(TemplateHelpers):
    """The calls of the functors of one plan."""

    def edge_id(self, sweep: Sweep, walk: Walk, number: str = "") -> str:
        """The id of the edge at a place of the lists of a walk; of several edges that of this number. The table of all
        edges has the order of the out-lists, where places are ids as long as no graph is built."""
        lists = Over.OUT_EDGES if sweep.balance is Balance.EDGES else walk.lists
        return self.id_in_lists(f"at{number}", lists)

    def id_in_lists(self, place: str, lists: Over = Over.OUT_EDGES) -> str:
        """The id of the edge at a `place` of the out-lists or in-lists."""
        if lists is Over.OUT_EDGES and not self.plan.graphs:
            return place
        return f"{'out' if lists is Over.OUT_EDGES else 'in'}_lists{{d.graph}}.id({place})"

    def visit(self, sweep: Sweep, walk: Walk) -> Calls:
        """What a push calls for an edge."""
        edge, variant = self._edge(sweep, walk), walk.variant
        skip_array = sweep.skips.array if sweep.skips is not None else None
        read_ahead, bounds = sweep.hint(ReadAhead, walk.over), sweep.hint(HubBounds, walk.over)
        if read_ahead is not None:
            each = self._edge(sweep, walk, "[k]")
            operation = bounds.operation if bounds is not None else None
            return self.functors.calls_after_reads(variant, read_ahead, edge, each, skip_array, operation)
        if sweep.order is not None:
            blind = sweep.hint(BlindClaim) is not None
            return self.functors.calls(variant, edge, "condition", "apply_keyed", sweep.order.array, blind=blind)
        apply = "apply_late" if skip_array is not None else "apply_claimed" if variant.claim else "apply"
        blind = sweep.hint(BlindClaim) is not None
        return self.functors.calls(variant, edge, "condition", apply, skip_array=skip_array, blind=blind)

    def settle(self, sweep: Sweep, walk: Walk) -> Calls:
        """What is called for an edge that was proposed: one for each far end."""
        apply = "apply_claimed" if walk.variant.claim else "apply"
        return self.functors.calls(walk.variant, self._edge(sweep, walk), "condition", apply, alone=True)

    def proposes(self, sweep: Sweep, walk: Walk) -> str:
        """What is tested of an edge before it is proposed, all but the claim; empty: nothing."""
        return self.functors.test(walk.variant, self._edge(sweep, walk), "condition") if walk.variant.tests else ""

    def meet(self, sweep: Sweep, walk: Walk, variant: Variant, apply: str) -> Calls:
        """What a pull calls for an edge."""
        part = "apply_claimed" if variant.claim else apply
        return self.functors.calls(variant, self._edge(sweep, walk), "meets", part)

    def selects(self, sweep: Sweep, walk: Walk) -> str:
        """The test of a vertex before a pull looks for edges."""
        assert sweep.selection is not None
        return self.functors.test(sweep.selection.test, self._edge(sweep, walk), "selects")

    def perform(
        self, sweep: Sweep, vertex: str = "v", totals: str = "totals", handed: tuple[str, str] | None = None
    ) -> Calls:
        """What is called for a member itself, an edge or a `vertex`, and which value of an array it is `handed`."""
        assert sweep.own is not None
        of_edges = sweep.members.domain is Domain.EDGE
        member: Arguments = on_an_edge(Over.OUT_EDGES, "at") if of_edges else {Argument.VERTEX: vertex}
        member[Argument.TOTALS] = totals
        read_ahead = sweep.hint(ReadAhead)
        if read_ahead is not None:
            return self.functors.calls_after_reads(sweep.own, read_ahead, member, {Argument.VERTEX: f"{vertex}[k]"})
        apply = "apply_claimed" if of_edges and sweep.own.claim else "apply"
        array, member[Argument.HANDED] = handed or (None, "")
        return self.functors.calls(sweep.own, member, apply=apply, handed=array)

    def perform_by_warp(self, sweep: Sweep) -> Calls:
        """What a whole warp calls for the member ``v``."""
        assert sweep.own is not None
        arguments = {Argument.VERTEX: "v", Argument.TOTALS: "totals"}
        return self.functors.calls_by_warp(sweep.own, sweep.lanes, arguments)

    def visit_common(self, sweep: Sweep) -> Calls:
        """What an intersection calls for an edge and a common neighbor of its ends."""
        assert sweep.intersection is not None and sweep.intersection.run is not None
        return self.functors.calls(sweep.intersection.run, ON_COMMON)

    def value(self, sweep: Sweep, walk: Walk, identity: str) -> str:
        """What an edge gives to a reduction, which begins with `identity`."""
        segment = sweep.segment
        assert segment is not None
        empty = "false" if segment.operation is NeighborOperation.COUNT else identity
        return self.functors.value(walk.variant, self._edge(sweep, walk), empty, self._cached(sweep, walk))

    def _cached(self, sweep: Sweep, walk: Walk) -> Cached | None:
        """Where the functor of a walk reads the array whose first values each block keeps."""
        if sweep.hint(BlockCache) is None:
            return None
        functor = self.functors.functor(walk.variant.functor)
        assert isinstance(functor, ir.EdgeFunctor)
        places = gathers(functor, walk.over)
        return Cached(places[0].type, tuple(places))

    def ballot(self, sweep: Sweep, walk: Walk) -> Ballot:
        """What an edge gives to a vote."""
        return self.functors.ballot(walk.variant, self._edge(sweep, walk))

    def _edge(self, sweep: Sweep, walk: Walk, number: str = "") -> Arguments:
        return on_an_edge(walk.over, self.edge_id(sweep, walk, number), number)
