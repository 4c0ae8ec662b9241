"""Arrays of several values an element before a run: how many there are, and whether there is room for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdsl.diagnostics import GdslError
from gdsl.extents import MOST_VALUES, of_domain, of_graph
from gdsl.graph import Graph
from gdsl.graph.memory import require_memory
from gdsl.ir import nodes as ir
from gdsl.operations import Domain
from gdsl.source import Source
from gdsl.types import Widths


def values_of(array: ir.Array, params: Mapping[str, object]) -> int | None:
    """How many values an element of `array` has in a run; None: one, without a place of its own."""
    if isinstance(array.count, ir.Literal):
        return int(array.count.value)
    count = params[array.count.name] if isinstance(array.count, ir.ParamValue) else None
    return count if isinstance(count, int) else None


def check_counts(program: ir.Program, params: Mapping[str, object], source: Source | None) -> None:
    """Raise E0614 for the first array whose elements would have no values, or more than any may have."""
    for array in program.arrays:
        count = values_of(array, params)
        if count is not None and not 1 <= count <= MOST_VALUES:
            raise GdslError.single(
                "E0614",
                f"an element of `{array.name}` would have {count:,} values",
                array.span,
                source,
                fix=f"give params that make it an integer of 1 to {MOST_VALUES:,}",
            )


def check_room(program: ir.Program, graph: Graph, params: Mapping[str, object], widths: Widths) -> None:
    """Raise E0708 where the arrays of several values are more than the machine has memory left for."""
    sizes = of_graph(graph.num_vertices, graph.num_edges, params)
    needed, described = 0, []
    for array in program.arrays:
        count = values_of(array, params)
        if count is not None and not array.is_input:
            needed += array.extent.value(sizes) * max(widths.of(array.type) // 8, 1)
            elements = of_domain(array.domain).value(sizes)
            described.append(f"`{array.name}`, of {count:,} values for each of {elements:,} {_plural(array.domain)}")
    if described:
        require_memory(needed, " and ".join(described))


def _plural(domain: Domain) -> str:
    return "vertices" if domain is Domain.VERTEX else "edges"


def flat(array: ir.Array, values: Any, count: int, graph: Graph, source: Source | None) -> Any:
    """An input of shape [V, count] or [E, count] as one row of values. Raises E0606 for another shape."""
    length = graph.num_vertices if array.domain is Domain.VERTEX else graph.num_edges
    if values.shape == (length, count):
        return values.reshape(-1)
    has = f"{len(values):,} values" if values.ndim == 1 else f"the shape {values.shape}"
    raise GdslError.single(
        "E0606",
        f"input `{array.name}` has {has}, but {length:,} {_plural(array.domain)} have {count:,} values each",
        array.span,
        source,
        fix=f"give an array of shape ({length}, {count})",
    )
