"""Vertices by name, where the graph has names for them."""

from __future__ import annotations

from typing import Any

from gdsl.binding.params import Text, plain
from gdsl.diagnostics import GdslError, shown
from gdsl.graph import Graph
from gdsl.ir import nodes as ir
from gdsl.numerals import is_real, is_whole, whole_number
from gdsl.source import Source
from gdsl.types import Type


def vertex_by_name(declared: ir.Param | ir.Scalar, given: object, graph: Graph, source: Source | None) -> object:
    """The id of the vertex that `given` names; `given` itself where it is no name.

    Of a graph with names a str is one, a number where names are numbers, and whatever is equal to a name, such as a
    tuple or a frozenset; on the command line a word in double quotes is never an id. Raises E0604 for a name that no
    vertex has, E0603 for a word that is an id and the name of another vertex.
    """
    if declared.type is not Type.VERTEX or graph.names is None:
        return given
    if not isinstance(given, Text | bool) and (found := graph.names.id_of(given)) is not None:
        return found
    name = _name(given if isinstance(given, Text) else plain(given))
    if name is None and any(type(kept) is type(given) for kept in graph.names):
        name = given
    if name is None:
        return given
    found = graph.names.id_of(name)
    if found is not None:
        return found
    if isinstance(given, Text) and is_whole(name):
        _refuse_both(declared, given.strip(), name, graph, source)
    if is_whole(name) and not any(is_real(kept) for kept in graph.names):
        return given
    raise _no_such_name(declared, name, graph, source)


def _name(given: Any) -> Any:
    """What may be a name; None for what cannot be one."""
    if isinstance(given, Text):
        word = given.strip()
        if len(word) > 1 and word[0] == word[-1] == '"':
            return word[1:-1]
        try:
            return whole_number(word)
        except ValueError:
            return word
    if isinstance(given, str | tuple) or is_whole(given):
        return given
    return None


def _refuse_both(declared: ir.Param | ir.Scalar, word: str, number: int, graph: Graph, source: Source | None) -> None:
    """Raise E0603 where the text of `number`, which is an id, is what another vertex is called."""
    assert graph.names is not None
    called = graph.names.id_of(word)
    if called is None or called == number:
        return
    also = f"the id of the vertex {shown(graph.names[number])}" if 0 <= number < len(graph.names) else "no id"
    fix = f"in double quotes it is a name: -p '{declared.name}=\"{word}\"'"
    message = f"{word} is the name of a vertex, and {also}"
    raise GdslError.single("E0603", f"param `{declared.name}`: {message}", declared.span, source, fix=fix)


def _no_such_name(declared: ir.Param | ir.Scalar, name: object, graph: Graph, source: Source | None) -> GdslError:
    assert graph.names is not None
    kind = "param" if isinstance(declared, ir.Param) else "input"
    close = graph.names.like(name)
    few = ", ".join(shown(kept) for kept in graph.names[:5])
    return GdslError.single(
        "E0604",
        f"{kind} `{declared.name}` is {shown(name)}, and the graph has no vertex of this name",
        declared.span,
        source,
        notes=[f"names: {few}{', …' if len(graph.names) > 5 else ''}"] if few else ["the graph has no vertices"],
        fix=f"did you mean {shown(close[0])}?" if close else None,
    )
