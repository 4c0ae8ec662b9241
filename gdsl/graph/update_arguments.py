"""The edges that a caller inserts into a graph and deletes from it, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, shown
from gdsl.graph.arguments import attribute_arrays, id_array
from gdsl.graph.messages import bad_array
from gdsl.graph.update_records import Record
from gdsl.graph.updates import Delta, Insertions
from gdsl.graph.vertices import Names, check_range, id_dtype

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Update:
    """A caller's update, checked: the ends of edges to delete, and the edges to insert."""

    deleted: tuple[Array, Array]
    inserted: Insertions

    def applied_to(self, delta: Delta) -> Delta:
        """What is deleted is deleted first. Raises E0717 for an edge that does not exist."""
        return delta.without(*self.deleted).with_edges(self.inserted)

    def record(self, before: object) -> Record:
        """What it changes of the graph that `before` identifies."""
        inserted = np.unique(np.concatenate([self.inserted.sources, self.inserted.destinations]))
        sources, destinations = self.deleted
        example = (int(sources[0]), int(destinations[0])) if len(sources) else None
        return Record(before, inserted, np.unique(np.concatenate(self.deleted)), example)


def checked_update(
    insert: Any, delete: Any, num_vertices: int, names: Names | None, dtypes: Mapping[str, np.dtype[Any]]
) -> Update:
    """The update in a caller's arguments: `insert` is (sources, destinations), followed by the weights, or by the
    values of all attributes by name, if the graph has any; `delete` is (sources, destinations).

    Raises GdslError E0707, E0711 or E0717, TypeError for arguments of a wrong kind.
    """
    deleted = _ends("delete", _parts("delete", delete, (2,)), num_vertices, names)
    parts = _parts("insert", insert, (2, 3))
    sources, destinations = _ends("insert", parts, num_vertices, names)
    own_attributes = parts[2] if len(parts) == 3 else {}
    values = own_attributes if isinstance(own_attributes, Mapping) else {"weight": own_attributes}
    attributes = _attributes(values, len(sources), dtypes) if insert is not None else {}
    if insert is None:
        attributes = {name: np.zeros(0, dtype) for name, dtype in dtypes.items()}
    return Update(deleted, Insertions(sources, destinations, attributes))


def _parts(name: str, value: Any, sizes: tuple[int, ...]) -> tuple[Any, ...]:
    if value is None:
        return ((), ())
    if not isinstance(value, tuple | list) or len(value) not in sizes:
        weights = ", weights)" if 3 in sizes else ")"
        raise TypeError(f"{name} is (sources, destinations{weights}, one array each, not {shown(value)}")
    return tuple(value)


def _ends(name: str, parts: tuple[Any, ...], num_vertices: int, names: Names | None) -> tuple[Array, Array]:
    ends = []
    for values, which in zip(parts, ("sources", "destinations"), strict=False):
        called = f"{which} to {name}"
        ids = id_array(values if names is None else _ids(values, called, names), called, "this graph has no names")
        check_range(ids, called, num_vertices)
        ends.append(ids.astype(id_dtype(num_vertices), copy=True))
    if len(ends[0]) != len(ends[1]):
        message = f"{name} has {len(ends[0]):,} sources and {len(ends[1]):,} destinations"
        raise bad_array(message, "give one source and one destination for each edge")
    return ends[0], ends[1]


def _ids(values: Any, called: str, names: Names) -> Any:
    """The vertices that the caller names; whole numbers are ids where no name is a number."""
    items = values.tolist() if hasattr(values, "tolist") else list(values)
    ids = [names.id_of(value) for value in items]
    place = next((place for place, vertex in enumerate(ids) if vertex is None), None)
    if place is None:
        return np.array(ids, np.int64)
    integers = all(isinstance(value, int) and not isinstance(value, bool) for value in items)
    if integers and not any(isinstance(name, int | float) for name in names):
        return values
    near = names.like(items[place])
    message = f"{called}: no vertex is called {shown(items[place])}; an update keeps the vertices"
    raise GdslError.single("E0717", message, fix=f"did you mean {near[0]!r}?" if near else None)


def _attributes(values: Mapping[str, Any], count: int, dtypes: Mapping[str, np.dtype[Any]]) -> dict[str, Array]:
    """The values of the inserted edges in the types of the graph's attributes."""
    missing = [name for name in dtypes if name not in values]
    if missing and count:
        fix = "insert=(sources, destinations, weights)"
        if [*dtypes] != ["weight"]:
            fix = f"insert=(sources, destinations, {{{', '.join(f'{name!r}: …' for name in dtypes)}}})"
        message = f"the inserted edges have no `{missing[0]}`, which all edges of the graph have"
        raise GdslError.single("E0717", message, fix=fix)
    unknown = next((name for name in values if name not in dtypes), None)
    if unknown is not None:
        have = ", ".join(dtypes) or "none"
        message = f"the inserted edges have values for {shown(unknown)}, but the graph has no such attribute of edges"
        raise GdslError.single("E0717", message, notes=(f"attributes of edges: {have}",), fix="leave them out")
    arrays = attribute_arrays(values, count, "inserted edge")
    return {
        name: _of_type(name, arrays[name], dtype) if name in arrays else np.zeros(0, dtype)
        for name, dtype in dtypes.items()
    }


def _of_type(name: str, values: Array, dtype: np.dtype[Any]) -> Array:
    """`values` in the type of an attribute. Raises E0717 for the first that it does not have."""
    with np.errstate(all="ignore"):
        converted = values.astype(dtype)
        same = (converted == values) & (converted.astype(values.dtype) == values)
        if values.dtype.kind == "f":
            same |= np.isnan(values) & (dtype.kind == "f")
    if (values.dtype.kind == "b") is not (dtype.kind == "b") and len(values):
        same[:] = False
    if not same.all():
        place = int((~same).argmax())
        message = f"`{name}` of inserted edge {place} is {values[place]}, which the graph's {dtype} cannot hold"
        is_whole = dtype.kind in "iu" and values.dtype.kind == "f"
        notes = ("a graph whose values are all whole numbers has integers",) if is_whole else ()
        raise GdslError.single("E0717", message, notes=notes, fix=f"give values of {dtype}")
    return converted
