"""The values of a result as pictures take them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gdsl.api.description import Data, parts_of_data
from gdsl.api.summary import finite, on_host
from gdsl.backends.interface import parts_of
from gdsl.diagnostics import shown
from gdsl.ir import nodes as ir
from gdsl.operations import Domain

if TYPE_CHECKING:
    from gdsl.api.result import Result
    from gdsl.pictures.choosing import Values

FRONTIER = "frontier"
"""The name that stands for the trace, where no result has it."""
_MOST_PANELS = 6


def plot(result: Result, name: str | None, ax: Any, kind: str | None) -> Any:
    """`Result.plot`."""
    from gdsl.pictures.choosing import plot_values

    if name is not None and not isinstance(name, str):
        raise TypeError(f"the name of a result is a str, not {shown(name)}")
    names = names_of(result)
    if name is None:
        name = next(iter(names), FRONTIER)
    if name in names:
        return plot_values(_values(result, name, names[name]), ax, kind)
    if name != FRONTIER:
        what = "is a scalar" if name in result.scalars else "is no result with a value for each vertex or edge"
        raise ValueError(f"{shown(name)} {what}; what can be drawn is {', '.join([*names, FRONTIER])}")
    return plot_trace(result, ax)


def plot_trace(result: Result, ax: Any) -> Any:
    """`Result.plot_trace`."""
    from gdsl.pictures import choosing

    return choosing.plot_trace(result.trace, f"{result.iterations:,} iterations on {result.backend}", ax)


def all_pictures(result: Result) -> list[Callable[[Any], object]]:
    """What draws each result, as far as a page has room, and the frontier where there is more than one."""

    def drawing(name: str) -> Callable[[Any], object]:
        return lambda ax: plot(result, name, ax, None)

    names = list(names_of(result))[: _MOST_PANELS - 1]
    draws = [drawing(name) for name in names]
    if len(result.trace) > 1 or not draws:
        draws.append(lambda ax: plot_trace(result, ax))
    return draws


def names_of(result: Result) -> dict[str, tuple[Data, int | None]]:
    """What can be drawn, with its declaration and, where an element has several values, which of them: `best.0` and
    `best.1` of a pair `best`."""
    arrays, found = parts_of(result.arrays), dict[str, tuple[Data, int | None]]()
    for declared in result._declared.values():
        for part in parts_of_data(declared) if isinstance(declared, ir.Array) else ():
            shape = arrays[part.name].shape
            several: dict[str, tuple[Data, int | None]] = {}
            if len(shape) > 1:
                several = {f"{part.name}.{place}": (part, place) for place in range(shape[1])}
            found.update(several or {part.name: (part, None)})
    return found


def _values(result: Result, name: str, which: tuple[Data, int | None]) -> Values:
    from gdsl.pictures.choosing import Values

    declared, place = which
    values: NDArray[Any] = on_host(parts_of(result.arrays)[declared.name])
    values = values if place is None else values[:, place]
    known = finite(declared, values)
    count = len(values) - int(np.count_nonzero(known))
    apart = f"{count:,} {'none' if declared.type.is_id else 'not finite'}" if count else ""
    of_edges = isinstance(declared, ir.Array) and declared.domain is Domain.EDGE
    return Values(name, values, known, apart, of_edges, result._graph)
