"""Operations of the plan as what the templates lay out."""

from __future__ import annotations

from typing import Any

from gdsl.codegen.conversions import conversion
from gdsl.codegen.cpu.texts import (
    AdvanceText,
    ElementsText,
    IntersectText,
    OperatorText,
    Pull,
    Push,
    ReduceText,
    ResultText,
    Visit,
    VoteText,
    WalkText,
)
from gdsl.codegen.cpu.variables import direction_of, own_data, tables_of, tables_type
from gdsl.codegen.cpu.visits import (
    answer_lines,
    collected_lines,
    element_lines,
    keyed_lines,
    masked_lines,
    visit_lines,
)
from gdsl.codegen.functions import Argument
from gdsl.codegen.functors import Arguments, Calls
from gdsl.codegen.literals import literal, type_name
from gdsl.codegen.operators import ON_COMMON, STRUCTS, CommonPrinter, order_type
from gdsl.codegen.precedence import Text
from gdsl.codegen.reductions import of_segment
from gdsl.codegen.switches import SwitchText
from gdsl.operations import Balance, Domain, NeighborOperation, Over
from gdsl.plan.cpu_threads import own_scalars
from gdsl.plan.fetched_lists import fetched_with
from gdsl.plan.nodes import (
    Collect,
    Dedup,
    EdgeCount,
    Form,
    Measure,
    NearFar,
    Operation,
    Plan,
    Segment,
    Sweep,
    Variant,
    Vote,
    Walk,
)
from gdsl.types import Type

COUNTED: dict[Over | None, str] = {
    None: "uncounted{}",
    Over.OUT_EDGES: "out_lists{d.graph}",
    Over.IN_EDGES: "in_neighbors{d.graph}",
    Over.ALL_EDGES: "all_lists{d.graph}",
}
_MEASURES = {
    Measure.SIZE: "input.size",
    Measure.EDGES: "input.edges",
    Measure.UNVISITED: "direction.unvisited",
    Measure.VERTICES: "d.graph.num_vertices",
}
_EDGES = {
    EdgeCount.NONE: "0",
    EdgeCount.ALL: "d.graph.num_edges",
    EdgeCount.BOTH_LISTS: "2 * d.graph.num_edges",
    EdgeCount.CARRIED: "input.edges",
}
_FINISH_BITMAP = "finish_bitmap(run, result);"
_PUSHES = {Balance.AUTO: "push_edges", Balance.THREAD: "push_lists"}
_REDUCES = {Balance.AUTO: "reduce_edges", Balance.THREAD: "reduce_lists"}
SPARE_EDGES = "spare_edges"
"""The set of edges into which the next result goes; it then changes places with the one that is assigned."""
_EDGE = "vertex near, vertex far, edge e"
"""The parameters of a lambda that visits an edge; that of a vertex has ``vertex v``."""
_ON_A_VERTEX = {Argument.VERTEX: "v"}


class OperatorPrinter(CommonPrinter[OperatorText]):
    """Prints the operations of one plan for this backend."""

    measures = _MEASURES
    lists = COUNTED

    def _own_fields(self, operation: Operation, sweep: Sweep, directed: bool, everything: str) -> dict[str, Any]:
        step, members, collect = operation.step, sweep.members, sweep.collect
        parts = [
            ("run_state& run", "run"),
            ("const data_slice& d", "d"),
            *([self._input(members.domain, members.frontier)] if members.frontier is not None else []),
            *(self._results(collect) if collect is not None else []),
            *([("direction_state& direction", direction_of(step.site))] if directed else []),
            *([(f"{order_type(sweep.order)}& order", "order")] if sweep.order is not None else []),
            *([(f"{tables_type(sweep.vote)}& tables", tables_of(step.site))] if sweep.vote is not None else []),
            ("int32 iteration", "iteration"),
        ]
        totals = self._totals(operation, sweep)
        has_input = members.frontier is not None
        return {
            "comment": f"L{step.span.words[1:]}: {operation.call}",
            "parameters": ", ".join(declaration for declaration, _ in parts),
            "arguments": ", ".join(argument for _, argument in parts),
            "members": self._own_members(sweep),
            "size": "input.size" if has_input else everything,
            "totals": totals.type if totals is not None else "",
        }

    def _input(self, domain: Domain, name: str) -> tuple[str, str]:
        return f"{STRUCTS[domain]}& input", self.names.frontier(name)

    def _results(self, collect: Collect) -> list[tuple[str, str]]:
        result = (f"{STRUCTS[collect.domain]}& result", self.names.frontier(collect.frontier))
        return [result] if collect.domain is Domain.VERTEX else [result, ("edge_frontier& next", SPARE_EDGES)]

    def _result(self, collect: Collect | None, sifts: bool = False) -> ResultText | None:
        if collect is None:
            return None
        marked = "true" if collect.dedup is Dedup.MARK else "false"
        if collect.domain is Domain.EDGE:
            out = "edge_collector out(next);"
            return ResultText(out, (f"finish_edges(next, result, {marked});",), out)
        if collect.form is Form.BITMAP:
            out = self._collector("bits_collector", collect)
            return ResultText(out, (_FINISH_BITMAP,), out)
        structs = "sifter" if sifts else "collector", "collector_by_one"
        out, alone = (self._collector(struct, collect) for struct in structs)
        return ResultText(out, (f"finish_queue(run, result, {marked});",), alone)

    def _pulled_result(self, collect: Collect | None) -> ResultText:
        """A pull goes over all vertices and gives every word of a bitmap, whoever takes it."""
        if collect is None:
            return ResultText("discarder out;", ())
        queue = ("need_queue(result);",) if collect.form is Form.QUEUE else ()
        return ResultText(self._collector("bitmap_collector", collect), (_FINISH_BITMAP, *queue))

    def _collector(self, struct: str, collect: Collect) -> str:
        return f"{struct} out(run.next, {self._counted(collect)});"

    # Along edges

    def _advance(
        self, common: dict[str, Any], push: Sweep | None, pull: Sweep | None, choice: SwitchText | None
    ) -> AdvanceText:
        pushed = self._push(push) if push is not None else None
        return AdvanceText(**common, push=pushed, pull=self._pull(pull) if pull is not None else None, choice=choice)

    def _push(self, sweep: Sweep) -> Push:
        if sweep.order is not None:
            return self._push_in_order(sweep, sweep.order)
        collect = sweep.collect
        marks = collect is not None and collect.dedup is Dedup.MARK
        queued = collect is not None and collect.domain is Domain.VERTEX and collect.form is not Form.BITMAP
        walks, sifts = [], False
        for walk in sweep.walks:
            assert walk.by_one is not None
            element = "e" if collect is not None and collect.domain is Domain.EDGE else "far"
            new = f"out.is_new({element})" if marks else ""
            collected = element if collect is not None else ""
            sifts = walk.by_one.at_once and queued and marks
            lines = () if sifts else visit_lines(self._calls_together(walk), collected, new)
            calls = self.texts.calls(
                walk.by_one, _on_an_edge(walk.over), condition="condition_alone", apply="apply_alone"
            )
            if sifts:  # nothing is written, so several threads may do what one does
                lines = alone = collected_lines(calls, collected)
            else:
                alone = (masked_lines if walk.by_one.masked else visit_lines)(calls, collected, new)
            walks.append(WalkText(self._lists_of(walk), Visit(_EDGE, lines), by_one=Visit(_EDGE, alone)))
        over = sweep.walks[0].over if len(sweep.walks) == 1 else Over.ALL_EDGES
        edges = "" if sweep.edges is EdgeCount.WALKED else _EDGES[sweep.edges]
        members, little = self._own_members(sweep), self._little(sweep)
        much = f"much_work({members}, {COUNTED[over]}, {little})"
        if edges:
            much = f"maximum(size, edges) > {little}"
        kept = self._result(collect, sifts)
        return Push(
            tuple(walks), _PUSHES[sweep.balance], much, edges, kept, self._ahead(sweep), contended=sweep.contended
        )

    def _ahead(self, sweep: Sweep) -> Visit | None:
        """What is fetched of a member before its turn."""
        arrays = fetched_with(sweep, self.plan)
        if arrays is None:
            return None
        parts = ("graph.neighbors" if self.plan.graphs else "graph.columns", *map(self.names.member, arrays))
        fetches = (f"fetch_first(&d.{part}[at]);" for part in parts)
        return Visit("vertex v", ("const int64 at = d.graph.offsets[v];", *fetches))

    def _calls_together(self, walk: Walk) -> Calls:
        """Of an edge that any of several threads visits."""
        apply = "apply_claimed" if walk.variant.claim is not None else "apply"
        return self.texts.calls(walk.variant, _on_an_edge(walk.over), apply=apply)

    def _own_members(self, sweep: Sweep) -> str:
        """What a sweep over vertices goes through."""
        return "members_of(input)" if sweep.members.frontier is not None else "all_members{d.graph.num_vertices}"

    def _little(self, sweep: Sweep, usual: str = "1") -> str:
        """Up to how much work one thread does it all."""
        return f"little_work({self.plan.sizes.contended if sweep.contended else usual})"

    def _push_in_order(self, sweep: Sweep, order: NearFar) -> Push:
        """Of a worklist: what is accepted goes where its value belongs."""
        (walk,) = sweep.walks
        assert walk.by_one is not None
        together, alone = (
            keyed_lines(
                self.texts.calls(variant, _on_an_edge(walk.over), condition, apply, order.array), type_name(order.type)
            )
            for variant, condition, apply in (
                (walk.variant, "condition", "apply_keyed"),
                (walk.by_one, "condition_alone", "apply_keyed_alone"),
            )
        )
        finish = ("finish_queue(run, result, true);", "note_round(order, result, run.visited);")
        outs = (f"{struct} out(run.next, order);" for struct in ("near_far_collector", "near_far_by_one"))
        kept = ResultText(next(outs), finish, next(outs))
        return Push(
            walks=(WalkText(self._lists_of(walk), Visit(_EDGE, together), by_one=Visit(_EDGE, alone)),),
            share=_PUSHES[sweep.balance],
            much=f"much_work({self._own_members(sweep)}, {COUNTED[walk.over]}, {self._little(sweep)})",
            edges="",
            result=kept,
            contended=sweep.contended,
        )

    def _pull(self, sweep: Sweep) -> Pull:
        (walk,), selection = sweep.walks, sweep.selection
        assert selection is not None
        arguments = _on_an_edge(walk.over)
        calls = self.texts.calls(walk.variant, arguments, "meets", "apply_alone")
        select = (f"return {self.texts.test(selection.test, arguments, 'selects')};",)
        return Pull(
            lists=self._walked_lists(walk),
            closes=selection.closes,
            select=Visit("vertex far", select),
            visit=Visit(_EDGE, answer_lines(calls)),
            edges=_EDGES[sweep.edges],
            result=self._pulled_result(sweep.collect),
        )

    def _walked_lists(self, walk: Walk) -> str:
        """The lists to walk; the ids of in-edges only where they are asked for."""
        if walk.lists is Over.OUT_EDGES:
            return "out_lists{d.graph}"
        return "in_lists{d.graph}" if walk.edge_ids else "in_neighbors{d.graph}"

    # The members themselves

    def _on_elements(self, common: dict[str, Any], sweep: Sweep, own: Variant) -> ElementsText:
        kept, everything = sweep.collect is not None, sweep.members.frontier is None
        common["result"] = self._result(sweep.collect)
        if sweep.members.domain is Domain.EDGE:
            calls = self.texts.calls(own, _on_an_edge(Over.OUT_EDGES))
            visit = Visit(_EDGE, element_lines(calls, "e" if kept else ""))
            each = "each_edge(run, d.graph" if everything else "each_edge_of(input, d.graph"
            return ElementsText(**common, queued=False, each=each, edges="size", visit=visit, own=self._own(own))
        calls = self.texts.calls(own, _ON_A_VERTEX)
        visit = Visit("vertex v", element_lines(calls, "v" if kept else ""))
        assert sweep.own_by_one is not None
        calls = self.texts.calls(sweep.own_by_one, _ON_A_VERTEX, apply="apply_alone")
        by_one = Visit("vertex v", element_lines(calls, "v" if kept else ""))
        each = f"each_vertex({common['members']}"
        only_tests = kept and bool(calls.tests) and not calls.apply
        test = Visit("vertex v", (f"return {' && '.join(calls.tests)};",)) if only_tests else None
        common |= {
            "queued": not everything,
            "each": each,
            "edges": _EDGES[sweep.edges],
            "little": self._little(sweep, "at_hand(run)"),
        }
        copies = () if test is not None else self._own(own)
        return ElementsText(**common, visit=visit, by_one=by_one, test=test, own=copies)

    def _own(self, own: Variant) -> tuple[str, ...]:
        return own_data(own_scalars(self.texts.functor(own.functor)), self.names)

    # The common neighbours of the ends of edges

    def _intersect(self, common: dict[str, Any], sweep: Sweep, count: str | None) -> IntersectText:
        lists = sweep.intersection
        assert lists is not None
        common["result"] = self._result(sweep.collect)
        collected = ("if (out.is_new(x)) { out.append(x); }",) if sweep.collect is not None else ()
        each = "each_edge(run, d.graph" if sweep.members.frontier is None else "each_edge_of(input, d.graph"
        if lists.partners is not None:
            each = f"each_pair({common['members']}, d.{self.names.member(lists.partners)}"
        common["queued"] = sweep.members.domain is Domain.VERTEX and sweep.members.frontier is not None
        if lists.run is None:
            counted = tuple(f"totals.{self.names.member(total.scalar)} += 1;" for total in sweep.totals)
            visit = Visit("vertex x, edge, edge", (*counted, *collected))
            return IntersectText(
                **common, each=each, edge="vertex u, vertex w, edge", visit=visit, with_edges=False, count=""
            )
        calls = self.texts.calls(lists.run, ON_COMMON)
        counted = ("counted += 1;",) if count is not None else ()
        inner = (*((f"{calls.apply};",) if calls.apply and not calls.says else ()), *counted, *collected)
        chain = " && ".join((*calls.tests, *((calls.apply,) if calls.says else ())))
        lines = (f"if ({chain}) {{", *(f"    {line}" for line in inner), "}") if chain else inner
        visit = Visit("vertex x, edge eu, edge ew" if lists.edge_ids else "vertex x, edge, edge", lines)
        target = f"d.{self.names.member(count)}" if count is not None else ""
        own = "vertex u, vertex w, edge e" if lists.edge_ids else "vertex u, vertex w, edge"
        return IntersectText(**common, each=each, edge=own, visit=visit, with_edges=lists.edge_ids, count=target)

    # Neighbour reduction

    def _reduce(self, common: dict[str, Any], sweep: Sweep, segment: Segment) -> ReduceText:
        array, kind = f"d.{self.names.member(segment.array)}", segment.type
        target = f"d.{self.names.member(segment.aside)}" if segment.aside is not None else array
        words, stops = of_segment(segment, self.texts.printer.expressions()), segment.stops_at
        walks = []
        for i, walk in enumerate(sweep.walks):
            visit = self._reduced(walk, segment, words.identity)
            former = f"unpacked({target}[near])" if kind.is_pair else f"{target}[near]"
            reduced = f"combine({former}, reduced)" if i else "reduced"
            assign = Visit(f"vertex near, {type_name(kind)} reduced", (f"{target}[near] = {reduced};",))
            walks.append(WalkText(self._lists_of(walk), visit, assign))
        stored = Visit("vertex near", (f"{array}[near] = {target}[near];",)) if segment.aside is not None else None
        return ReduceText(
            **common,
            type=type_name(kind),
            begins=words.identity if stops is None else f"{words.identity}, {literal(stops, kind)}",
            combine=f"bool({words.combine})" if kind is Type.BOOL else words.combine,
            captured=words.captured,
            share=_REDUCES[sweep.balance] if stops is None else "reduce_until",
            share_by_one="reduce_by_one" if stops is None else "reduce_until_by_one",
            walks=tuple(walks),
            stored=stored,
            ahead=self._ahead(sweep),
        )

    # Votes

    def _vote(self, common: dict[str, Any], sweep: Sweep, vote: Vote) -> VoteText:
        array = f"d.{self.names.member(vote.array)}"
        target = f"d.{self.names.member(vote.aside)}" if vote.aside is not None else array
        walks = []
        for walk in sweep.walks:
            ballot = self.texts.ballot(walk.variant, _on_an_edge(walk.over))
            count = f"votes.count({ballot.key}, {ballot.weight});"
            lines = (f"if ({ballot.test}) {{ {count} }}",) if ballot.test else (count,)
            walks.append(WalkText(self._walked_lists(walk), Visit(_EDGE, lines)))
        over = sweep.walks[0].over if len(sweep.walks) == 1 else Over.ALL_EDGES
        elected = f"if (voted) {{ {array}[near] = key; }}"
        if vote.aside is not None:
            elected = f"{target}[near] = voted ? key : {array}[near];"
        stored = Visit("vertex near", (f"{array}[near] = {target}[near];",)) if vote.aside is not None else None
        return VoteText(
            **common,
            key=vote.key.name,
            total=vote.total.name,
            keys="d.graph.num_vertices" if vote.key is Type.VERTEX else "0",
            score_type=vote.score_type.name,
            score=self._score(vote),
            kept=f"d.{self.names.member(vote.keep)}[near]" if vote.keep is not None else "",
            degrees=COUNTED[over],
            walks=tuple(walks),
            elect=Visit(f"vertex near, bool voted, {vote.key.name} key", (elected,)),
            stored=stored,
            ahead=self._ahead(sweep),
        )

    def _reduced(self, walk: Walk, segment: Segment, begins: str) -> Visit:
        """What an edge gives; or, where values come before tests, what becomes of what its list has given so far."""
        if not segment.value_first:
            return Visit(_EDGE, (f"return {self._value(walk, segment, begins)};",))
        test, value = self.texts.test_and_value(walk.variant, _on_an_edge(walk.over))
        kind = type_name(segment.type)
        better = f"const {kind} better = combine(best, {value});"
        return Visit(f"{_EDGE}, {kind} best", (better, f"return better != best && {test} ? better : best;"))

    def _value(self, walk: Walk, segment: Segment, begins: str) -> str:
        """What an edge gives, in the type of the reduction: a count adds up bools."""
        counts = segment.operation is NeighborOperation.COUNT
        empty = "false" if counts else begins
        value = self.texts.value(walk.variant, _on_an_edge(walk.over), empty, both_sides=segment.both_sides)
        return conversion(Text(value, 1), Type.BOOL, segment.type).text if counts else value


def counted(plan: Plan) -> dict[str | None, str]:
    """Whose edges are counted where each frontier is made; None stands for no frontier."""
    return {None: COUNTED[None], **{each.name: COUNTED[each.counts] for each in plan.frontiers}}


def _on_an_edge(over: Over) -> Arguments:
    """What functors are given in a visit `over` the edges of `near`."""
    source, destination = ("far", "near") if over is Over.IN_EDGES else ("near", "far")
    return {
        Argument.SOURCE: source,
        Argument.DESTINATION: destination,
        Argument.EDGE: "e",
        Argument.NEAR: "near",
        Argument.FAR: "far",
    }
