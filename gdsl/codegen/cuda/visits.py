"""What is called in a visit of an edge or a vertex, and what becomes of what it accepts, in words."""

from __future__ import annotations

from gdsl.codegen.cuda.texts import ResultText
from gdsl.codegen.functions import Argument
from gdsl.codegen.functors import Arguments, Calls
from gdsl.operations import Balance, Domain, Over
from gdsl.plan.nodes import Collect, Dedup, Sweep

FLUSH = "out.flush();"

MARK_UNREAD = "mark_unread(seen, far)"
"""Of what was changed: most of it for the first time."""
_PUSHES = {
    Balance.THREAD: "push_threads",
    Balance.WARP: "push_each_warp",
    Balance.BLOCK: "push_blocks",
    Balance.MERGE: "push_merge",
    Balance.BINS: "push_bins",
    Balance.EDGES: "push_edges",
    Balance.AUTO: "push_warps",
}


def collecting(collect: Collect, collector: str, end: str, *before: str) -> ResultText:
    """What becomes of accepted elements that a `collector` takes, between statements `before` and the `end`."""
    if collect.dedup is not Dedup.MARK:
        return ResultText((*before, collector), (FLUSH,), (end,), collects=True)
    edges = "edge_" if collect.domain is Domain.EDGE else ""
    marks, cleared = f"uint32* const seen = {edges}marks_of(run);", f"clear_{edges}marks(seen, result);"
    return ResultText((*before, collector, marks), (FLUSH,), (end, cleared), collects=True)


def on_an_edge(over: Over, edge: str) -> Arguments:
    """What functors are given in a visit `over` the edges of `near`, of `edge`."""
    source, destination = ("near", "far") if over is Over.OUT_EDGES else ("far", "near")
    return {
        Argument.SOURCE: source,
        Argument.DESTINATION: destination,
        Argument.EDGE: edge,
        Argument.NEAR: "near",
        Argument.FAR: "far",
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


def push_of(sweep: Sweep) -> str:
    """The runtime's function that shares the edges of members out."""
    if sweep.order is not None:
        return "push_entries"
    return _PUSHES[sweep.balance] if sweep.skips is None else "push_unvisited"
