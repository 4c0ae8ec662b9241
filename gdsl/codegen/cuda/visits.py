"""What is called in a visit of an edge or a vertex, and what becomes of what it accepts, in words."""

from __future__ import annotations

from gdsl.codegen.cuda.balances import REDUCES, WARPS
from gdsl.codegen.cuda.texts import ResultText
from gdsl.codegen.functions import Argument
from gdsl.codegen.functors import Arguments, Calls
from gdsl.codegen.names import Names
from gdsl.operations import Balance, Domain, Over
from gdsl.plan.nodes import Collect, Dedup, Segment, Sweep, Walk

FLUSH = "out.flush();"
ROW = "row"

_TABLES = {Over.OUT_EDGES: "out_table{d.graph}", Over.IN_EDGES: "in_table{d.graph}"}
_OFFSETS = {Over.OUT_EDGES: "graph.offsets", Over.IN_EDGES: "graph.in_offsets"}
_NEIGHBORS = {Over.OUT_EDGES: "graph.columns", Over.IN_EDGES: "graph.in_sources"}


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


def test(calls: Calls) -> str:
    """All tests of some calls as one."""
    return " && ".join(calls.tests)


def vertices_beside(collect: Collect, names: Names) -> tuple[str, ...]:
    """The function that is called for each vertex of a small result, where something is fetched for those beside it."""
    if collect.beside is None:
        return ()
    arrays = (*(_OFFSETS[each] for each in collect.beside.lists), *map(names.member, collect.beside.arrays))
    calls = (f"    fetch_beside(d.{each}, v, d.graph.num_vertices);" for each in arrays)
    return ("const auto beside = [&](vertex v) {", *calls, "};")


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


def _with_arguments(name: str, arguments: tuple[object, ...]) -> str:
    return f"{name}<{', '.join(map(str, arguments))}>" if arguments else name


def reduce_of(sweep: Sweep, segment: Segment) -> str:
    """The same where members get a result of theirs."""
    if segment.stops_at is not None:
        return "reduce_until"
    name = "reduce_ahead" if segment.upcoming is not None else REDUCES[sweep.balance]
    edges = (segment.side_by_side,) if sweep.balance is Balance.AUTO else ()
    return _with_arguments(name, (*edges, *WARPS[sweep.warps]))
