"""What is called in a visit of an edge or a vertex, and what becomes of what it accepts, in words."""

from __future__ import annotations

import dataclasses

from gdsl.codegen.cuda.balances import PUSHES, REDUCES, WARPS
from gdsl.codegen.cuda.texts import ResultText, Visit
from gdsl.codegen.early import BOUNDS, EARLY, SEEN, bounds_of
from gdsl.codegen.functions import Argument
from gdsl.codegen.functors import Arguments, Calls, FunctorTexts
from gdsl.codegen.literals import type_name
from gdsl.codegen.names import Names
from gdsl.ir.nodes import Program
from gdsl.operations import Balance, Domain, Over, ReduceOperation
from gdsl.plan.load_balance import walks_short_lists_alone
from gdsl.plan.nodes import Collect, Dedup, Early, Segment, Skips, Sweep, Variant, Walk

FLUSH = "out.flush();"
ROW = "row"

_TABLES = {Over.OUT_EDGES: "out_table{d.graph}", Over.IN_EDGES: "in_table{d.graph}"}
_OFFSETS = {Over.OUT_EDGES: "graph.offsets", Over.IN_EDGES: "graph.in_offsets"}
_NEIGHBORS = {Over.OUT_EDGES: "graph.columns", Over.IN_EDGES: "graph.in_sources"}
MARK_UNREAD = "mark_unread(seen, far)"
"""Of what was changed: most of it for the first time."""


def collecting(collect: Collect, collector: str, end: str, *before: str) -> ResultText:
    """What becomes of accepted elements that a `collector` takes, between statements `before` and the `end`."""
    if collect.dedup is not Dedup.MARK:
        return ResultText((*before, collector), (FLUSH,), (end,), collects=True)
    edges = "edge_" if collect.domain is Domain.EDGE else ""
    marks, cleared = f"uint32* const seen = {edges}marks_of(run);", f"clear_{edges}marks(seen, result);"
    return ResultText((*before, collector, marks), (FLUSH,), (end, cleared), collects=True)


def lists_walked(sweep: Sweep, walk: Walk, lists: str) -> str:
    """What a push or a reduction walks, where `lists` are those of vertices one by one. Of a worklist that passes over
    what it has visited most lists are read once."""
    if sweep.balance is Balance.EDGES:
        return _TABLES[walk.lists]
    once = sweep.skips is not None and walk.lists is Over.OUT_EDGES and walk.first_places is None
    return f"read_once{{{lists}}}" if once else lists


def on_an_edge(over: Over, edge: str, number: str = "") -> Arguments:
    """What functors are given in a visit `over` the edges of `near`, of `edge`; of several that of this number."""
    near, far = f"near{number}", f"far{number}"
    source, destination = (near, far) if over is Over.OUT_EDGES else (far, near)
    return {
        Argument.SOURCE: source,
        Argument.DESTINATION: destination,
        Argument.EDGE: edge,
        Argument.NEAR: near,
        Argument.FAR: far,
    }


def collected(collect: Collect | None, arguments: Arguments) -> tuple[str, str]:
    """What a visit puts into the result, and the test that it is not there yet. An inactive lane has no edge whose id
    could be looked up."""
    if collect is None or collect.domain is Domain.VERTEX:
        return "far", "mark(seen, far)"
    edge = arguments[Argument.EDGE]
    return (edge if edge == "at" else f"accepted ? {edge} : NO_EDGE"), f"mark_edge(seen, {edge})"


def test(calls: Calls) -> str:
    """All tests of some calls as one."""
    return " && ".join(calls.tests)


def visit_behind(
    texts: FunctorTexts,
    own: Variant,
    early: Early,
    names: tuple[Arguments, Arguments],
    parameters: str,
    far: str,
    mark: str = "",
    late: str | None = None,
) -> Visit:
    """A visit of one of several elements of which values are read ahead; `names` are what functors are given for that
    one, and for each of them. `late`: the array that is changed, of whose elements each is looked at last."""
    one, each = names
    calls = texts.calls_behind(own, early, one, {**each, Argument.EARLY: f"{EARLY}[k]"}, late)
    assert calls.early is not None
    with_early, ahead = f"{parameters}, {calls.early.type}& {EARLY}", calls.early
    if late is not None:
        assert mark, "who is changed again is put into the result once"
        place = f"&d.{texts.printer.names.member(late)}[far[k]]"
        looked = f"{BOUNDS}.look(far[k], {place})" if early.bounds is not None else f"load_seen({place})"
        look = f"{EARLY}[k].{SEEN} = {looked};"
        ahead = dataclasses.replace(ahead, steps=(*ahead.steps, look))
    return Visit(with_early, test(calls), calls.apply, calls.says, far, mark, early=ahead)


def edges_beside(visit: Visit, walk: Walk, names: Names) -> Visit:
    """`visit`, and what it fetches for the edges beside."""
    if walk.beside is None:
        return visit
    arrays = (*(_NEIGHBORS[each] for each in walk.beside.lists), *map(names.member, walk.beside.arrays))
    return dataclasses.replace(visit, fetches=tuple(f"fetch_beside(d.{a}, at, d.graph.num_edges);" for a in arrays))


def vertices_beside(collect: Collect, names: Names) -> tuple[str, ...]:
    """The function that is called for each vertex of a small result, where something is fetched for those beside it."""
    if collect.beside is None:
        return ()
    arrays = (*(_OFFSETS[each] for each in collect.beside.lists), *map(names.member, collect.beside.arrays))
    calls = (f"    fetch_beside(d.{each}, v, d.graph.num_vertices);" for each in arrays)
    return ("const auto beside = [&](vertex v) {", *calls, "};")


def fetched_lists(collect: Collect, lists: Over, names: Names) -> tuple[str, ...]:
    """What is done for each vertex of a list of few, whose lists are known: these are fetched, and what lies beside."""
    neighbors = f"fetch_list(first, last, d.{_NEIGHBORS[lists]});"
    return (neighbors, *(line.strip() for line in vertices_beside(collect, names)[1:-1]))


def rows_ahead(sweep: Sweep, names: Names) -> tuple[str, ...]:
    """The function that has fetched what the vertices `next` and `after` ask for, which come after another one."""
    rows = sweep.rows
    if rows is None:
        return ()
    lists = [
        line
        for each in rows.lists
        for line in (
            f"fetch_first_edge(d.{_OFFSETS[each]}, d.{_NEIGHBORS[each]}, next, d.graph.num_edges);",
            f"fetch_sector(d.{_OFFSETS[each]}, after);",
        )
    ]
    own = (*(_OFFSETS[each] for each in rows.begins), *map(names.member, rows.arrays))
    fetches = [*lists, *(f"fetch_sector(d.{each}, next);" for each in own)]
    return (f"const auto {ROW} = [&](vertex next, vertex after) {{", *(f"    {line}" for line in fetches), "};")


def in_rows(sweep: Sweep, members: str) -> str:
    """`members` for whose next ones something is fetched, if anything is."""
    return f"in_rows({members}, {ROW})" if sweep.rows is not None else members


def more_of(sweep: Sweep, place: int) -> str:
    """The second of two sides goes on in the bins behind the first."""
    return ", sorted" if place and sweep.balance is Balance.BINS else ""


def members_of(sweep: Sweep, prefix: str) -> str:
    """What makes the members of a set of a frontier, whose struct has this `prefix`."""
    if sweep.members.whole and sweep.order is None:
        return "members_among(input, d.graph.num_vertices)"
    return "entries_of(input, order)" if sweep.order is not None else f"{prefix}members_of(input)"


def side_by_side(visit: Visit) -> str:
    """What the name of a sweep goes on with where it reads ahead."""
    early = visit.early
    return f"_side_by_side<{early.side_by_side}, {early.type}>" if early is not None else ""


def _with_arguments(name: str, arguments: tuple[object, ...]) -> str:
    return f"{name}<{', '.join(map(str, arguments))}>" if arguments else name


def push_of(sweep: Sweep, visit: Visit, program: Program) -> str:
    """The runtime's function that shares the edges of members out, with its arguments."""
    early = visit.early
    if early is None:
        return _with_arguments(_push_of(sweep, program), WARPS[sweep.warps])
    arguments = (early.side_by_side, early.type, *WARPS[sweep.warps])
    return _with_arguments(f"{_push_of(sweep, program)}_side_by_side", arguments)


def reduce_of(sweep: Sweep, segment: Segment) -> str:
    """The same where members get a result of theirs."""
    if segment.stops_at is not None:
        return "reduce_until"
    name = "reduce_ahead" if segment.upcoming is not None else REDUCES[sweep.balance]
    edges = (segment.side_by_side,) if sweep.balance is Balance.AUTO else ()
    return _with_arguments(name, (*edges, *WARPS[sweep.warps]))


def _push_of(sweep: Sweep, program: Program) -> str:
    if sweep.order is not None:
        return "push_entries"
    if sweep.skips is not None:
        return "push_unvisited"
    return "push_short_lists" if walks_short_lists_alone(sweep, program) else PUSHES[sweep.balance]


def chunks_of(sweep: Sweep) -> str:
    """That for the chunks which it leaves."""
    return "push_hubs" if sweep.skips is None else "push_unvisited_hubs"


def visited(skips: Skips, names: Names) -> str:
    """What knows the values that members were visited with."""
    falls = "true" if skips.operation is ReduceOperation.MIN else "false"
    return f"visited_values<{type_name(skips.type)}, {falls}> known(run, d.{names.member(skips.array)});"


def bounds_in(sweep: Sweep) -> str:
    """What makes the bounds that a sweep asks; empty where it asks none."""
    kinds = [bounds_of(walk.early) for walk in sweep.walks if walk.early is not None]
    return f"{kinds[0]} {BOUNDS}(d.graph.num_vertices);" if any(kinds) else ""


def changed_late(sweep: Sweep) -> str | None:
    """The array of which visits say whether any of them has changed an element."""
    return sweep.skips.array if sweep.skips is not None else None
