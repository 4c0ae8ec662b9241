"""What is called in a visit of an edge or a vertex, and what becomes of what it accepts, in words."""

from __future__ import annotations

from gdsl.codegen.cuda.texts import ResultText
from gdsl.codegen.functions import Argument
from gdsl.codegen.functors import Arguments, Calls
from gdsl.operations import Domain, Over
from gdsl.plan.nodes import Collect, Dedup

FLUSH = "out.flush();"


def collecting(collect: Collect, collector: str, end: str, *before: str) -> ResultText:
    """What becomes of accepted elements that a `collector` takes, between statements `before` and the `end`."""
    if collect.dedup is not Dedup.MARK:
        return ResultText((*before, collector), (FLUSH,), (end,), collects=True)
    edges = "edge_" if collect.domain is Domain.EDGE else ""
    marks, cleared = f"uint32* const seen = {edges}marks_of(run);", f"clear_{edges}marks(seen, result);"
    return ResultText((*before, collector, marks), (FLUSH,), (end, cleared), collects=True)


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
