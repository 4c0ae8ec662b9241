"""Names of vertices, numbered by several workers as one process numbers them.

Each name has an owner, by its hash, whom all workers ask. Names in the order of appearance: the owner answers who of
them has the name first, that worker numbers it after the names of the workers before, and tells the owner. Numbers in
their own order: each worker owns a range of them, found from samples.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.group import Group, objects
from gdsl.graph.vertices import Names, compacted, id_dtype
from gdsl.records import dataclass

_FEW_WORKERS = 32
_PIECE = 1 << 18
"""Elements that are looked at together, to save memory."""
_SAMPLES = 64
"""Values of each worker from which the ranges are found."""


@dataclass(frozen=True, slots=True)
class NumberedNames:
    """Some of the names of `count` vertices, with their ids, int64. Each name is with one worker."""

    ids: NDArray[np.int64]
    values: NDArray[Any]
    count: int

    def __len__(self) -> int:
        return self.count


def number_by_appearance(group: Group, names: Sequence[Hashable]) -> tuple[NDArray[np.int64], NumberedNames]:
    """int64, the number of each of the names here, which are distinct and in order of appearance; and some names."""
    values = objects(names)
    route = Route(group, np.fromiter((_hash(name) % group.size for name in names), np.int64, len(names)))
    asked = route.send(values)
    keys: dict[Hashable, int] = {}
    places = [np.array([keys.setdefault(name, len(keys)) for name in part.tolist()], np.int64) for part in asked]
    num_keys = len(keys)
    del asked, keys  # names take much memory
    # The lowest rank that has a name has it first.
    first = np.full(num_keys, -1, np.int64)
    for rank in reversed(range(group.size)):
        first[places[rank]] = rank
    is_mine = route.answer([first[places[rank]] == rank for rank in range(group.size)])
    counts = group.gather(int(np.count_nonzero(is_mine)))
    start, count = sum(counts[: group.rank]), sum(counts)
    numbers = np.where(is_mine, start + np.cumsum(is_mine) - 1, -1)
    table = np.zeros(num_keys, np.int64)
    for place, known in zip(places, route.send(numbers), strict=True):
        table[place[known >= 0]] = known[known >= 0]
    ids = route.answer([table[place] for place in places])
    return ids, NumberedNames(ids[is_mine], values[is_mine], count)


def number_by_value(group: Group, values: NDArray[Any]) -> tuple[NDArray[np.int64], NumberedNames]:
    """int64, for each of the values here its place among the distinct values of all workers, in their order; and some
    of these values, as Python's objects."""
    kinds = {each for each in group.gather(values.dtype.kind if len(values) else None) if each is not None}
    if "O" in kinds or len(kinds) > 1:  # combined, NumPy turns int64 and uint64 into floats
        values = values.astype(object)
    elif kinds:
        values = values.astype(f"{kinds.pop()}8")
    else:
        values = values.astype(np.int64)
    distinct, places = np.unique(values, return_inverse=True)
    samples = np.unique(np.concatenate(group.gather(distinct[:: max(len(distinct) // _SAMPLES, 1)])))
    cuts = samples[np.arange(1, group.size) * len(samples) // group.size] if len(samples) else samples
    route = Route(group, np.searchsorted(cuts, distinct, side="right").astype(np.int64))
    asked = route.send(distinct)
    owned = np.unique(np.concatenate(asked))
    counts = group.gather(len(owned))
    start = sum(counts[: group.rank])
    ids = route.answer([(np.searchsorted(owned, part) + start).astype(np.int64) for part in asked])
    own = np.arange(start, start + len(owned), dtype=np.int64)
    return ids[places.reshape(-1)], NumberedNames(own, objects(owned.tolist()), sum(counts))


def numbered_by_value(
    sources: NDArray[Any], destinations: NDArray[Any], group: Group
) -> tuple[NDArray[Any], NDArray[Any], Names | NumberedNames]:
    """As `gdsl.graph.vertices.compacted`, of the edges of all workers of a group, of which each has some; the ids count
    all."""
    if group.alone:
        return compacted(sources, destinations)
    if {sources.dtype.kind, destinations.dtype.kind} == {"i", "u"}:  # combined, NumPy turns them into floats
        sources, destinations = sources.astype(object), destinations.astype(object)
    ids, names = number_by_value(group, np.concatenate([sources, destinations]))
    ids = ids.astype(id_dtype(names.count))
    return ids[: len(sources)], ids[len(sources) :], names


def _hash(name: Hashable) -> int:
    """The same number for equal names, on all workers: Python's own hash of a text is another one in each process."""
    if isinstance(name, str):
        return zlib.crc32(name.encode("utf-8", "surrogatepass"))
    return zlib.crc32(name) if isinstance(name, bytes) else _hash_of_other(name)


def _hash_of_other(name: Hashable) -> int:
    if isinstance(name, int | float):
        return hash(name)
    return zlib.crc32(repr(name).encode("utf-8", "surrogatepass"))


class Route:
    """Where each of some elements goes, and how answers come back in their order."""

    def __init__(self, group: Group, owners: NDArray[Any]) -> None:
        """`owners`: the worker to which each element goes."""
        self._group = group
        narrow = np.int32 if len(owners) < 2**31 else np.int64
        if group.size <= _FEW_WORKERS:  # takes half of the memory of a sort
            of_each = [np.flatnonzero(owners == rank).astype(narrow) for rank in range(group.size)]
            self._order: NDArray[Any] = np.concatenate(of_each)
            self._cuts = np.cumsum([len(each) for each in of_each])[:-1]
        else:
            self._order = np.argsort(owners, kind="stable").astype(narrow)
            self._cuts = np.searchsorted(owners[self._order], np.arange(1, group.size))

    def send(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """A value for each element, sent to its owner; what each worker sent here, in the order of its elements."""
        return self._group.exchange(np.split(values[self._order], self._cuts))

    def answer(self, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Send worker r `parts[r]`, a value for each element that it sent; the answers for the elements here."""
        arrived = np.concatenate(self._group.exchange(parts))
        result = np.empty_like(arrived)
        result[self._order] = arrived
        return result


def owners_of(group: Group, owner: Callable[..., NDArray[Any]], *elements: NDArray[Any]) -> NDArray[Any]:
    """The ranks that `owner` gives for the elements of equally long arrays, [n], in the narrowest type for a rank. It
    is called with some of them at a time."""
    result = np.empty(len(elements[0]), np.min_scalar_type(group.size))
    for first in range(0, len(result), _PIECE):
        result[first : first + _PIECE] = owner(*(each[first : first + _PIECE] for each in elements))
    return result
