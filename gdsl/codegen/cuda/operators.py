"""Operations of the plan as what the templates lay out."""

from __future__ import annotations

import dataclasses
from typing import Any

from gdsl.codegen.cuda.balances import WAIT
from gdsl.codegen.cuda.first_values import keeping, kept_in
from gdsl.codegen.cuda.texts import (
    BallotSide,
    Beside,
    IntersectText,
    OperatorText,
    ReduceSide,
    ReduceText,
    ResultText,
    Visit,
    VoteText,
)
from gdsl.codegen.cuda.visits import (
    collecting,
    in_rows,
    lists_walked,
    members_of,
    more_of,
    on_an_edge,
    reduce_of,
    rows_ahead,
    test,
    vertices_beside,
)
from gdsl.codegen.cuda.words import COUNTED, EDGE, EDGES, LISTED, LISTS, MEASURES
from gdsl.codegen.functions import Argument
from gdsl.codegen.functors import Arguments
from gdsl.codegen.literals import literal, type_name
from gdsl.codegen.names import Scope
from gdsl.codegen.operators import ON_COMMON, STRUCTS, CommonPrinter, order_type
from gdsl.codegen.reductions import of_segment
from gdsl.codegen.switches import SwitchText
from gdsl.operations import Balance, Domain, NeighborOperation, Over
from gdsl.plan.nodes import (
    Collect,
    Dedup,
    Form,
    Operation,
    Segment,
    Sweep,
    Variant,
    Vote,
    Walk,
)
from gdsl.plan.small_frontiers import is_listed

_END_BITMAP = "end_bitmap(run, result);"
_ON_A_VERTEX = {Argument.VERTEX: "v"}


class OperatorPrinter(CommonPrinter[OperatorText]):
    """Prints the operations of one plan for this backend."""

    measures = MEASURES
    lists = COUNTED

    def print(self, operation: Operation) -> OperatorText:
        """What is laid out for an operation and all that runs in its sweep. A reduction lends its own sweep to what
        comes behind it."""
        alone = dataclasses.replace(operation, ahead=())
        first, *others = (*operation.ahead, alone)
        if not others:
            return super().print(operation)
        of_first = isinstance(first.does, Sweep) and first.does.segment is not None
        host, beside = (first, others) if of_first else (alone, operation.ahead)
        numbered = enumerate(beside, start=1)
        text = super().print(dataclasses.replace(host, body=operation.body))
        return dataclasses.replace(
            text, beside=tuple(self._beside(each, number, "near" if of_first else "v") for number, each in numbered)
        )

    def _own_fields(self, operation: Operation, sweep: Sweep, directed: bool, everything: str) -> dict[str, Any]:
        has_input, collect = sweep.members.frontier is not None, sweep.collect
        looks = sweep.segment is not None and sweep.segment.upcoming is not None
        owner = f"operator {operation.step.site}"
        parts = [
            ("enactor& run", ""),
            ("const data_slice& d", ""),
            *([(f"{STRUCTS[sweep.members.domain]}& input", "input")] if has_input else []),
            *([(f"{STRUCTS[collect.domain]}& result", "result")] if collect is not None else []),
            *([("direction_state& direction", "direction")] if directed else []),
            *([(f"{order_type(sweep.order)}& order", "order")] if sweep.order is not None else []),
            *([("listed_set& listed", LISTED)] if is_listed(operation) else []),
            *([("lists_ahead& upcoming", "upcoming"), ("const history_state& history", "history")] if looks else []),
            ("int32 iteration", "iteration"),
        ]
        prefix, members = ("edge_", "all_edges") if sweep.members.domain is Domain.EDGE else ("", "all_members")
        listed = self.plan.graphs and sweep.members.domain is Domain.EDGE
        counted = "d.graph" if listed else f"uint64({everything})"
        return {
            "direction": self.names.derived(Scope.VARIABLE, f"direction_of_{operation.name}", owner),
            "comment": f"{operation.step.span.words}: {operation.call}",
            "parameters": ", ".join(declaration for declaration, _ in parts),
            "arguments": tuple(argument for _, argument in parts if argument),
            "directed": directed,
            "members": members_of(sweep, prefix) if has_input else f"{members}{{{counted}}}",
            "size": "input.size" if has_input else f"uint64({everything})",
            "totals": self._totals(operation, sweep),
            "body": operation.body,
            "beside": (),
        }

    def _beside(self, operation: Operation, number: int, vertex: str) -> Beside:
        """`operation` in the sweep of another one, whose totals have no number; `vertex` is the member there."""
        sweep, name = operation.does, f"totals_{number}"
        assert isinstance(sweep, Sweep) and sweep.own is not None
        of_edges = sweep.members.domain is Domain.EDGE
        own = on_an_edge(Over.OUT_EDGES, "at") if of_edges else {Argument.VERTEX: vertex}
        calls = self.texts.calls(sweep.own, {**own, Argument.TOTALS: name})
        return Beside(
            comment=f"{operation.step.span.words}: {operation.call}",
            site=operation.step.site,
            edges="size" if of_edges else EDGES[sweep.edges],
            visit=Visit("", test(calls), calls.apply, calls.says),
            totals=self._totals(operation, sweep),
            totals_name=name,
        )

    def _result(self, collect: Collect | None) -> ResultText:
        if collect is None:
            return ResultText((), (), (WAIT,), collects=False)
        fetches = vertices_beside(collect, self.names)
        if collect.dedup is Dedup.RANK:
            fetch = "beside" if fetches else "fetch_nothing{}"
            collector = f"entry_collector out(run, result, order, order.next_keys, 0, {fetch});"
            return collecting(collect, collector, "end_entries(run, result, order, visited);", *fetches)
        if collect.domain is Domain.EDGE:
            return collecting(collect, "edge_collector out(run, result);", "end_edges(run, result);")
        counted, everything = self._counted(collect), "uint64(d.graph.num_vertices)"
        if collect.form is Form.BITMAP:
            cleared = f"clear_bitmap(run, result, {everything});"
            return collecting(collect, f"bitmap_collector out(run, result, {counted});", _END_BITMAP, cleared)
        if collect.dedup is Dedup.LATE:
            collector = f"late_collector out(run, result, {counted}, {everything});"
            return collecting(collect, collector, f"end_late_queue(run, result, {everything});")
        counted = f"fetching({counted}, beside)" if fetches else counted
        return collecting(collect, f"collector out(run, result, {counted});", "end_queue(run, result);", *fetches)

    def _advance(
        self, common: dict[str, Any], push: Sweep | None, pull: Sweep | None, choice: SwitchText | None
    ) -> OperatorText:
        raise AssertionError("templates read this from the plan")

    def _on_elements(self, common: dict[str, Any], sweep: Sweep, own: Variant) -> OperatorText:
        raise AssertionError("templates read this from the plan")

    def _walked_lists(self, walk: Walk) -> str:
        return LISTS[walk.lists]

    def _in_a_list(self, sweep: Sweep, walk: Walk, number: str = "") -> Arguments:
        """What functors are given in a visit along a walk, of several edges that of this number. The table of all edges
        has the order of the out-lists; places in it are ids of edges as long as no graph is made."""
        lists = Over.OUT_EDGES if sweep.balance is Balance.EDGES else walk.lists
        return on_an_edge(walk.over, self._id(lists, f"at{number}"), number)

    def _id(self, lists: Over, place: str) -> str:
        """The id of the edge at a place of `lists`."""
        is_id = lists is Over.OUT_EDGES and not self.plan.graphs
        return place if is_id else f"{LISTS[lists]}.id({place})"

    # The common neighbours of the ends of edges

    def _intersect(self, common: dict[str, Any], sweep: Sweep, count: str | None) -> IntersectText:
        lists = sweep.intersection
        assert lists is not None
        common["result"] = self._result(sweep.collect)
        common["queued"] = sweep.members.domain is Domain.VERTEX and sweep.members.frontier is not None
        partners = f"pair_ends{{d.{self.names.member(lists.partners)}}}" if lists.partners is not None else ""
        common["ends"] = partners or "edge_ends{d.graph}"
        common["untabled"] = "untabled_ends{d.graph}" if lists.tables else ""
        if lists.run is None:
            totals = common["totals"].members if common["totals"] is not None else ()
            total = f"totals.{totals[0].name}" if totals else ""
            return IntersectText(**common, total=total, count="", visit=None, edge_at="", edge_found="")
        calls = self.texts.calls(lists.run, ON_COMMON)
        visit = Visit("bool common, vertex x, edge e, edge at, edge found", test(calls), calls.apply, calls.says)
        target = f"d.{self.names.member(count)}" if count is not None else ""
        total = "counted" if count is not None else ""
        at, found = (self._id(Over.OUT_EDGES, place) if lists.edge_ids else "" for place in ("at", "found"))
        return IntersectText(**common, total=total, count=target, visit=visit, edge_at=at, edge_found=found)

    # Neighbour reduction

    def _reduce(self, common: dict[str, Any], sweep: Sweep, segment: Segment) -> ReduceText:
        array = f"d.{self.names.member(segment.array)}"
        target = f"d.{self.names.member(segment.aside)}" if segment.aside is not None else array
        words, stops = of_segment(segment, self.texts.printer.expressions()), segment.stops_at
        begins = words.identity if stops is None else f"{words.identity}, {literal(stops, segment.type)}"
        sides = (
            self._reduce_side(walk, i, sweep, segment, words.identity, target) for i, walk in enumerate(sweep.walks)
        )
        return ReduceText(
            **common,
            type=type_name(segment.type),
            begins=begins,
            final=f"load_now(&{target}[near])" if stops is not None else "",
            combine=words.combine,
            captured=words.captured,
            reduce=f"{words.reduce}(&{target}[near], reduced{words.rest})",
            sides=tuple(sides),
            balance=reduce_of(sweep, segment),
            adds=sweep.balance in (Balance.MERGE, Balance.EDGES),
            side_by_side=segment.side_by_side,
            target=target,
            copied=array if segment.aside is not None else "",
            keeps=keeping(segment, self.plan.program, self.names),
            known="upcoming, " if segment.upcoming is not None else "",
            history=f"d.{self.names.member(segment.upcoming.members)}" if segment.upcoming is not None else "",
            walked=in_rows(sweep, common["members"]),
            rows=rows_ahead(sweep, self.names),
        )

    # Votes

    def _vote(self, common: dict[str, Any], sweep: Sweep, vote: Vote) -> VoteText:
        assert vote.tables is not None
        array = f"d.{self.names.member(vote.array)}"
        sides = tuple(
            BallotSide(
                name="ballot_back" if place else "ballot",
                lists=self._walked_lists(walk),
                parameters=EDGE,
                ballot=self.texts.ballot(walk.variant, self._in_a_list(sweep, walk)),
            )
            for place, walk in enumerate(sweep.walks)
        )
        return VoteText(
            **common,
            key=vote.key.name,
            total=vote.total.name,
            score_type=vote.score_type.name,
            score=self._score(vote),
            kept=f"d.{self.names.member(vote.keep)}[near]" if vote.keep is not None else "",
            keys=f"d.{self.names.member(vote.tables.keys)}",
            totals_at=f"d.{self.names.member(vote.tables.totals)}",
            sides=sides,
            target=f"d.{self.names.member(vote.aside)}" if vote.aside is not None else "",
            array=array,
        )

    def _reduce_side(
        self, walk: Walk, place: int, sweep: Sweep, segment: Segment, begins: str, target: str
    ) -> ReduceSide:
        empty = "false" if segment.operation is NeighborOperation.COUNT else begins
        former = f"unpacked({target}[near])" if segment.type.is_pair else f"{target}[near]"
        assign = f"combine({former}, reduced)" if place else "reduced"
        kept = kept_in(segment, walk, self.plan.program)
        return ReduceSide(
            name="value_back" if place else "value",
            lists=lists_walked(sweep, walk, self._lists_of(walk)),
            parameters=EDGE,
            value=self.texts.value(walk.variant, self._in_a_list(sweep, walk), empty, kept),
            begin="chunks" if place else "0",
            more=more_of(sweep, place),
            assign=f"{target}[near] = {assign}",
        )
