"""What a program requires of a graph."""

from __future__ import annotations

from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.ir import nodes as ir
from gdsl.source import Source

_AS_IN_A_FLOW = (
    "where an opposite has the value 0, as in a flow with capacities, --reverse-arcs adds it (reverse_arcs=True)"
)


def check_requirements(program: ir.Program, graph: Graph, source: Source | None) -> None:
    """Raise E0609 where the graph is not symmetric or simple, as the program asks."""
    span = program.requires.span
    if program.requires.symmetric:
        edge = graph.first_asymmetric_edge()
        if edge is not None:
            first, second = graph.ends(edge)
            raise GdslError.single(
                "E0609",
                f"the program requires a symmetric graph, but the edge {first} -> {second} has no edge "
                f"{second} -> {first}",
                span,
                source,
                notes=[_AS_IN_A_FLOW] if graph.directed and graph.attributes else [],
                fix="--undirected stores every edge both ways (undirected=True)",
            )
    if program.requires.simple:
        edge = graph.first_duplicate_or_loop()
        if edge is not None:
            first, second = graph.ends(edge)
            what = "a self-loop" if first == second else "a parallel edge"
            raise GdslError.single(
                "E0609",
                f"the program requires a simple graph, but the edge {first} -> {second} is {what}",
                span,
                source,
                notes=[]
                if first == second
                else ["parallel edges, such as those of a multigraph, stay edges of their own"],
                fix=f"{' '.join(_simplifying(graph))} (from Python: {_in_python(graph)})",
            )


def _simplifying(graph: Graph) -> list[str]:
    """The options that make a graph simple."""
    loops, parallels = graph.has_loops(), graph.has_parallel_edges()
    return ["--no-loops"] * loops + ["--dedup first|sum|min|max"] * parallels


def _in_python(graph: Graph) -> str:
    words = ["loops=False"] * graph.has_loops() + ["dedup='first'"] * graph.has_parallel_edges()
    return f"graph.changed({', '.join(words)})"
