"""The values of scalars that depend on a graph's structure alone, which the host keeps with the graph: what runs pass
for the params of `gdsl.plan.hoisted_scalars`, and what they have found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from gdsl.plan.known_scalars import HoistedScalars
from gdsl.types import Type, Widths

_kept: WeakKeyDictionary[Any, dict[tuple[str, Widths], tuple[Any, ...]]] = WeakKeyDictionary()
"""By the graph, as one device has it; the values in the order of the scalars."""
_lock = Lock()


class GraphScalars:
    """Those of one program on one graph, as one device has it, with ids of these `widths`."""

    def __init__(self, graph: Any, widths: Widths, wanted: tuple[HoistedScalars, ...]) -> None:
        with _lock:
            self._kept = _kept.setdefault(graph, {})
        self._widths, self._wanted, self._missing = widths, wanted, wanted

    @property
    def are_known(self) -> bool:
        """Whether runs find nothing more."""
        return not self._missing

    def params(self) -> Iterator[tuple[str, Type, Any]]:
        """What a run passes for the params: their names and types, and values as they are stored."""
        for each in self._wanted:
            values = self._kept.get((each.key, self._widths))
            yield each.there, Type.BOOL, values is not None
            for place, scalar in enumerate(each.scalars):
                first = -1 if scalar.value is None else scalar.value
                yield scalar.param, scalar.type, first if values is None else values[place]

    def note(self, value: Callable[[str], Any]) -> None:
        """Keep what a run has found, whose scalars are stored as `value` says of their names."""
        for each in self._missing:
            if value(each.found):
                self._kept[each.key, self._widths] = tuple(value(scalar.scalar) for scalar in each.scalars)
        self._missing = tuple(each for each in self._missing if (each.key, self._widths) not in self._kept)
