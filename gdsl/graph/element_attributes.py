"""Attributes of nodes and edges in GraphML, GML and files that NetworkX reads: by name, each on some of the
elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import printable, shown
from gdsl.graph.arguments import exact_array
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import bad_array, notice
from gdsl.graph.number_text import is_number, is_whole
from gdsl.graph.vertices import Names, id_dtype

NAME = "name"
WEIGHT = "weight"
_FEW_ATTRIBUTES = 16
"""So many attributes of few elements are always kept."""
_FEW_CELLS = 1 << 20
_CELLS_PER_VALUE = 64
"""So many elements may lack a value for each element that has one, over all attributes."""
_BYTES_PER_CELL = 24
_LARGE = 2**31
"""NetworkX writes whole numbers from here on as strings into GML."""


class ElementAttributes:
    """The attributes of all nodes, or of all edges, of a file. Memory is proportional to the values that are there."""

    def __init__(self, what: str, place: str) -> None:
        """`what` is what messages call an element, `place` the file."""
        self._what, self._place = what, place
        self._places: dict[str, list[int]] = {}
        self._values: dict[str, list[Any]] = {}
        self._repeated: dict[str, None] = {}
        self.defaults: dict[str, Any] = {}

    def add(self, name: str, place: int, value: Any) -> None:
        """Give element number `place` a value: a bool, an int, a float or a str. Elements must come in order."""
        places = self._places.get(name)
        if places is None:
            places = self._places[name] = []
            self._values[name] = []
        if places and places[-1] == place:
            self._repeated[name] = None
            return
        places.append(place)
        self._values[name].append(value)

    def on_all(self, name: str, count: int) -> list[Any] | None:
        """The values of an attribute that every element has; None where some have none."""
        values = self._values.get(name)
        return values if values is not None and len(values) == count and name not in self._repeated else None

    def remove(self, name: str) -> None:
        """Remove an attribute."""
        del self._values[name], self._places[name]

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def arrays(self, count: int, without: str | None = None) -> dict[str, NDArray[Any]]:
        """The attributes that are numbers, each [count]. Where an element has none it has the attribute's default,
        else NaN; the weight of an edge is 1 then.

        Raises GdslError E0711 for a weight that is not a number, E0708 for more than fits in memory.
        """
        if self._repeated:
            named = ", ".join(printable(name)[:60] for name in list(self._repeated)[:5])
            notice(
                f"{printable(self._place)}: an attribute with several values on one {self._what} is skipped: {named}"
            )
        result = {}
        for name in dict.fromkeys((*self._values, *self.defaults)):
            if name != without and name not in self._repeated:
                values = self._numbers(name)
                if values is not None:
                    result[name] = values
        fitting = self._affordable(result, count)
        return {name: self._whole(name, values, count) for name, values in fitting.items()}

    def _numbers(self, name: str) -> NDArray[Any] | None:
        """The values of an attribute as an array; None if some are text."""
        values = self._values.get(name, [])
        default = self.defaults.get(name)
        all_values = [*values, default] if default is not None else values
        texts = [value for value in all_values if isinstance(value, str)]
        is_weight = name == WEIGHT and self._what == "edge"
        if texts:
            large = all(is_whole(text) and abs(int(text[:30])) >= _LARGE for text in texts)
            if not is_weight and not (large and len(texts) < len(all_values)):
                return None
            text = next((text for text in texts if not is_number(text.strip())), None)
            if text is not None:
                message = f"the weight {shown(text)} of edge number {self._place_of(name, text)} is not a number"
                raise bad_array(message, "give numbers, or another name to this attribute")
            values = [_number(value) for value in values]
        array = exact_array(values)
        if array is None and all(isinstance(value, int) or value.is_integer() for value in values):
            array = exact_array([int(value) for value in values])  # whole numbers that were written as real ones
        if array is None:
            message = f"the values of `{printable(name)}` fit no single type of 64 bits"
            raise bad_array(message, "give integers below 2^53 next to floats, or only integers, or only floats")
        return array

    def _place_of(self, name: str, value: Any) -> int:
        values = self._values.get(name, [])
        return self._places[name][values.index(value)] if value in values else 0

    def _affordable(self, result: dict[str, NDArray[Any]], count: int) -> dict[str, NDArray[Any]]:
        """The attributes that fit: one that few elements have takes as much memory as one that all have."""
        complete = {name: values for name, values in result.items() if len(values) == count}
        incomplete = sorted((name for name in result if name not in complete), key=lambda name: -len(result[name]))
        num_values = sum(len(values) for values in result.values())
        max_incomplete = max(_FEW_ATTRIBUTES, (_FEW_CELLS + _CELLS_PER_VALUE * num_values) // max(count, 1))
        skipped = [name for name in incomplete[max_incomplete:] if name != WEIGHT]
        if skipped:
            example = printable(skipped[0])[:60]
            notice(
                f"{printable(self._place)}: {len(skipped):,} attributes that few of the {count:,} {self._what}s have "
                f"are skipped, `{example}` among them"
            )
        left_out = set(skipped)
        fitting = {name: values for name, values in result.items() if name not in left_out}
        require_memory(
            len(fitting) * count * _BYTES_PER_CELL, f"{len(fitting):,} attributes of {count:,} {self._what}s"
        )
        return fitting

    def _whole(self, name: str, values: NDArray[Any], count: int) -> NDArray[Any]:
        if len(values) == count:
            return values
        is_weight = name == WEIGHT and self._what == "edge"
        default = self.defaults.get(name, 1 if is_weight else float("nan"))
        if is_weight and name not in self.defaults:
            without = f"{count - len(values):,} of {count:,} edges have"
            notice(f"{printable(self._place)}: {without} no weight, and get 1")
        default = _number(default) if isinstance(default, str) else default
        filler = exact_array([default])
        kind = np.result_type(values, filler) if len(values) and filler is not None else np.asarray(default).dtype
        if values.dtype.kind in "iu" and kind.kind == "f" and (values.astype(kind) != values).any():
            message = (
                f"`{printable(name)}` has whole numbers that float64 cannot hold, and some {self._what}s have no value"
            )
            raise bad_array(message, f"give each {self._what} a value")
        filled = np.full(count, default, kind)
        filled[np.array(self._places.get(name, []), np.int64)] = values
        return filled


def edge_list_of(
    ends: list[Any], ids: list[Any], directed: bool, nodes: ElementAttributes, edges: ElementAttributes, place: str
) -> EdgeList:
    """The edges of the file at `place`: `ends` are pairs of numbers of nodes, `ids` what the file calls the nodes."""
    names, attribute = named_by(nodes, ids, place)
    count = len(ids)
    pairs = np.array(ends, id_dtype(count)).reshape(-1, 2)
    sources, destinations = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    of_nodes = nodes.arrays(count, attribute)
    return EdgeList(sources, destinations, count, directed, edges.arrays(len(pairs)), of_nodes, names)


def _number(value: Any) -> Any:
    """The number that a text is."""
    if not isinstance(value, str):
        return value
    return int(value) if is_whole(value.strip()) else float(value)


def _are_names(values: list[Any]) -> bool:
    return "" not in values and len(set(map(str, values))) == len(values) and all(each == each for each in values)


def named_by(nodes: ElementAttributes, ids: list[Any], place: str) -> tuple[Names | None, str | None]:
    """The names of the nodes, and the attribute that they are: `name`, else `label`, else none, which are the ids.

    A name that is missing, empty or repeated does not do, of which a notice says so; None: ids that only count.
    """
    for name in (NAME, "label"):
        if name not in nodes:
            continue
        values = nodes.on_all(name, len(ids))
        if values is not None and _are_names(values):
            return Names(values), name
        if name == NAME:
            why = "missing or empty on some nodes" if values is None or "" in values else "repeated"
            notice(f"{printable(place)}: the attribute `name` is {why}: the vertices are called by their ids")
            break
    if all(value == at or value in (str(at), f"n{at}") for at, value in enumerate(ids)):
        return None, None
    return Names(ids), None
