"""Vertices: how wide their ids are and how many there may be, checks of ids, and their names."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import shown
from gdsl.graph.group import ALONE, Group
from gdsl.graph.messages import bad_array, bad_id, too_large
from gdsl.numerals import is_whole
from gdsl.types import Widths

WIDE_FROM = 2**31 - 1
"""From this many vertices (edges) on, vertex (edge) ids are kept as int64 and devices use 64 bits."""

LARGEST_NUM_VERTICES = 3_037_000_499
"""More vertices are refused: two ids no longer pack into one int64, and degrees are int32 anyway."""


_NARROW, _MANY_EDGES, _WIDE = Widths(32, 32), Widths(32, 64), Widths(64, 64)
"""Shared objects, so that looking things up by them needs no comparison."""


def id_dtype(count: int) -> np.dtype[Any]:
    """The dtype that host arrays of ids below `count` have."""
    return np.dtype(np.int32 if count < WIDE_FROM else np.int64)


def id_widths(num_vertices: int, num_edges: int) -> Widths:
    """The widths of a graph's ids on devices. Ids of edges are no narrower than those of vertices, which are mixed with
    them where ids are sorted, and where a pair of vertices is walked as an edge is."""
    if num_vertices >= WIDE_FROM:
        return _WIDE
    return _MANY_EDGES if num_edges >= WIDE_FROM else _NARROW


def vertex_count(value: int | None) -> int | None:
    """The number of vertices that a caller passes. Raises TypeError, GdslError E0709 or E0711."""
    if value is None:
        return None
    if not is_whole(value):
        raise TypeError(f"num_vertices must be a whole number, not {shown(value)}")
    count = int(value)
    if count < 0:
        raise bad_array(f"num_vertices is {shown(count)}", "give a number that is not negative, or leave it out")
    require_countable(count)
    return count


def require_countable(count: int, place: str | None = None) -> None:
    """Raise GdslError E0709 for more vertices than a graph can have."""
    if count > LARGEST_NUM_VERTICES:
        number = f"{count:,}" if count < 2**64 else shown(count)
        raise too_large(f"{number} vertices; at most {LARGEST_NUM_VERTICES:,} are possible", place)


def check_ids(sources: NDArray[Any], destinations: NDArray[Any], num_vertices: int | None, group: Group = ALONE) -> int:
    """The number of vertices, after checking that every id is in range; the largest id plus one if it is None. The ids
    are those of the edges of one worker of a group.

    Raises GdslError E0707 for the first id out of range, E0709 for too many vertices.
    """
    largest, first = -1, group.before(len(sources))
    for name, ids in (("sources", sources), ("destinations", destinations)):
        with group.agreement():
            largest = max(largest, check_range(ids, name, num_vertices, first))
    count = group.max(largest) + 1 if num_vertices is None else int(num_vertices)
    with group.agreement():
        require_countable(count)
    return count


def check_range(ids: NDArray[Any], name: str, num_vertices: int | None, first: int = 0) -> int:
    """The largest of `ids`, -1 for none. Raises GdslError E0707 for the first one out of range, at its place, which
    counts from `first`."""
    if len(ids) == 0:
        return -1
    largest = int(ids.max())
    if ids.min() < 0 or (num_vertices is not None and largest >= num_vertices):
        limit = num_vertices if num_vertices is not None else LARGEST_NUM_VERTICES
        place = int(np.argmax((ids < 0) | (ids >= limit)))
        raise bad_id(int(ids[place]), f"{name}[{place + first}]", num_vertices)
    return largest


def packed(leading: NDArray[Any], other: NDArray[Any], num_vertices: int) -> NDArray[np.int64]:
    """Two ids in one number that sorts like the pair."""
    pairs = leading.astype(np.int64)
    pairs *= num_vertices
    pairs += other
    return pairs


class Names(Sequence[Any]):
    """The name of each vertex, by id. Immutable; names are distinct, mostly str, and may be any hashable values."""

    def __init__(self, names: Iterable[Hashable]) -> None:
        """Keep `names`; raises ValueError where two are the same."""
        self._names = tuple(names)
        self._ids = {name: place for place, name in enumerate(self._names)}
        self._words: dict[str, int] | None = None
        if len(self._ids) != len(self._names):
            raise ValueError("two vertices have the same name")

    def id_of(self, name: object) -> int | None:
        """The vertex called `name`, or, for a str, the only one whose name reads like that; else None."""
        try:
            result = self._ids.get(name)
        except Exception:  # a value that cannot be hashed or compared is not a name
            return None
        if result is not None or not isinstance(name, str):
            return result
        if self._words is None:
            words: dict[str, int] = {}
            for place, distinct in enumerate(self._names):
                words[str(distinct)] = -1 if str(distinct) in words else place
            self._words = words
        place = self._words.get(name, -1)
        return place if place >= 0 else None

    def like(self, name: object) -> list[str]:
        """Names similar to `name`."""
        return difflib.get_close_matches(str(name)[:100], [str(distinct) for distinct in self._names[:10_000]], n=1)

    @overload
    def __getitem__(self, place: int) -> Any: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Any, ...]: ...

    def __getitem__(self, place: int | slice) -> Any:
        return self._names[place]

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._names)

    def __contains__(self, name: object) -> bool:
        return self.id_of(name) is not None

    def __eq__(self, other: object) -> bool:
        return self._names == (other._names if isinstance(other, Names) else other)

    def __hash__(self) -> int:
        return hash(self._names)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self._names[:5]))
        return f"<names of {len(self._names):,} vertices: {shown}{', …' if len(self._names) > 5 else ''}>"

    def __reduce__(self) -> tuple[type[Names], tuple[tuple[Any, ...]]]:
        return Names, (self._names,)


def numbered(*columns: Sequence[Hashable]) -> tuple[list[list[int]], Names]:
    """The columns with a number for each name, counted in the order of appearance row by row, and the names."""
    count = len(columns)
    mixed: list[Hashable] = [None] * (count * len(columns[0]))
    for place, column in enumerate(columns):
        mixed[place::count] = column
    ids = dict.fromkeys(mixed)
    numbers = {name: place for place, name in enumerate(ids)}
    result = [numbers[name] for name in mixed]
    return [result[place::count] for place in range(count)], Names(ids)


def compacted(sources: NDArray[Any], destinations: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], Names]:
    """Both ends of E edges, of any integer type, renumbered from 0 without gaps (int32[E], or int64[E] from 2^31 - 1
    vertices on), in the order of the original numbers, which become names."""
    if {sources.dtype.kind, destinations.dtype.kind} == {"i", "u"}:  # combined, NumPy turns them into floats
        sources, destinations = sources.astype(object), destinations.astype(object)
    distinct, places = np.unique(np.concatenate([sources, destinations]), return_inverse=True)
    places = places.astype(np.int32 if len(distinct) < 2**31 - 1 else np.int64)
    return places[: len(sources)], places[len(sources) :], Names(distinct.tolist())
