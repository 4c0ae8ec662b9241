"""Names of vertices: what a file, NetworkX or pandas calls them, beside their ids."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray


class Names(Sequence[Any]):
    """The name of each vertex, by id. Immutable; names are different, mostly str, and may be any hashable values."""

    def __init__(self, names: Iterable[Hashable]) -> None:
        """Keep `names`; raises ValueError where two are the same."""
        self._names = tuple(names)
        self._ids = {name: place for place, name in enumerate(self._names)}
        self._words: dict[str, int] | None = None
        if len(self._ids) != len(self._names):
            raise ValueError("two vertices have the same name")

    def id_of(self, name: object) -> int | None:
        """The vertex called `name`, or, for a str, the only one whose name reads like that; None if there is none."""
        try:
            found = self._ids.get(name)
        except Exception:  # what cannot be hashed or compared is no name, whatever its class raises
            return None
        if found is not None or not isinstance(name, str):
            return found
        if self._words is None:
            words: dict[str, int] = {}
            for place, kept in enumerate(self._names):
                words[str(kept)] = -1 if str(kept) in words else place
            self._words = words
        place = self._words.get(name, -1)
        return place if place >= 0 else None

    def like(self, name: object) -> list[str]:
        """Names that are written nearly like `name`."""
        return difflib.get_close_matches(str(name)[:100], [str(kept) for kept in self._names[:10_000]], n=1)

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
    found = [numbers[name] for name in mixed]
    return [found[place::count] for place in range(count)], Names(ids)


def compacted(sources: NDArray[Any], destinations: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], Names]:
    """Both ends counted from 0 without gaps, in the order of the numbers that they were, and these as names."""
    if {sources.dtype.kind, destinations.dtype.kind} == {"i", "u"}:  # beside each other NumPy makes floats of them
        sources, destinations = sources.astype(object), destinations.astype(object)
    kept, places = np.unique(np.concatenate([sources, destinations]), return_inverse=True)
    places = places.astype(np.int32 if len(kept) < 2**31 - 1 else np.int64)
    return places[: len(sources)], places[len(sources) :], Names(kept.tolist())
