"""Edges with values put in the order of their sources, then of their destinations, then as given.

A sort of whole numbers is many times as fast as a walk through memory in no order, so everything is a sort of numbers
that fit in a processor's cache. First, piece by piece, edges go into blocks of neighbouring sources: what is sorted is
the number of the block with the place in the piece behind it. Then the edges of each block, which stand there as given,
are sorted by source within the block, destination and place in the block, all in one number of 64 bits. The places
tell parallel edges apart, so that no two numbers are equal and any sort is stable; and where the values of each are.
Where 64 bits are too few, which takes many edges in one block, it is done with as many bits of the pairs as there are,
from the last to the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.ids import id_dtype
from gdsl.graph.immutable import room
from gdsl.graph.lists import Blocks, can_order, lists_of
from gdsl.graph.sorting import Sort, library_for, sort_of
from gdsl.graph.threads import by_threads

_PIECE = 1 << 19
"""Edges that are divided into blocks at a time."""
_BLOCK = 1 << 16
"""Edges of a block, if all blocks have as many."""
_MOST_BLOCKS_BITS = 8
_WORD_BITS = 64
_MOST_THREADS = 8


class Ordered(NamedTuple):
    """Lists of edges: where those of each vertex begin, int64[V+1], their far ends, and their values by name, the last
    two in memory that nobody can write."""

    offsets: NDArray[np.int64]
    columns: NDArray[Any]
    values: dict[str, NDArray[Any]]


@dataclass(slots=True)
class _Ordering:
    sources: NDArray[Any]
    destinations: NDArray[Any]
    values: Mapping[str, NDArray[Any]]
    both_ways: bool
    id_bits: int
    """Of a destination."""
    local_bits: int
    """Of a source within its block."""
    num_blocks: int
    keys: NDArray[np.uint64]
    """(source within the block, destination) in one number, of the edges of each piece by block."""
    moved: dict[str, NDArray[Any]]
    """The values in the same order."""
    sort: Sort

    def divide(self, first: int) -> NDArray[np.int64]:
        """Put a piece of the edges, those from `first` on, in order by block; where in `keys` each block begins."""
        part = slice(first, first + _PIECE)
        values = {name: each[part] for name, each in self.values.items()}
        sources, destinations = self.sources[part], self.destinations[part]
        if self.both_ways:
            sources, destinations, values = with_opposites(sources, destinations, values)
        bits = np.uint32(bits_for(len(sources)))
        order = (sources >> self.local_bits).astype(np.uint32)
        order <<= bits
        order |= np.arange(len(order), dtype=np.uint32)
        self.sort(order, int(bits), int(bits) + bits_for(self.num_blocks))
        cuts = np.searchsorted(order, np.arange(self.num_blocks + 1, dtype=np.uint32) << bits)
        order &= (np.uint32(1) << bits) - np.uint32(1)
        places = order.astype(np.intp)
        keys = (sources & ((1 << self.local_bits) - 1)).astype(np.uint64)
        keys <<= np.uint64(self.id_bits)
        keys |= destinations.view(f"u{destinations.itemsize}")
        at = first * (2 if self.both_ways else 1)
        _take(keys, places, self.keys[at : at + len(keys)])
        for name, each in values.items():
            _take(each, places, self.moved[name][at : at + len(keys)])
        return cuts + at

    def finish(
        self,
        parts: list[slice],
        degrees: NDArray[np.int64],
        columns: NDArray[Any],
        values: Mapping[str, NDArray[Any]],
    ) -> None:
        """Write degrees, far ends and values of one block where they go; `parts` of `keys` are its edges."""
        keys = np.concatenate([self.keys[part] for part in parts])
        keys, places = _sorted(keys, self.local_bits + self.id_bits, self.sort)
        np.copyto(columns, keys & np.uint64((1 << self.id_bits) - 1), casting="unsafe")
        for name, target in values.items():
            moved = self.moved[name]
            _take(np.concatenate([moved[part] for part in parts]), places, target)
        keys >>= np.uint64(self.id_bits)
        degrees[:] = np.bincount(keys.view(np.int64), minlength=len(degrees))


def ordered(
    sources: NDArray[Any],
    destinations: NDArray[Any],
    num_vertices: int,
    values: Mapping[str, NDArray[Any]],
    both_ways: bool = False,
) -> Ordered:
    """The lists of these edges; with `both_ways` each is followed by its opposite, but a loop."""
    total = len(sources) * (2 if both_ways else 1)
    id_bits = bits_for(num_vertices)
    local_bits = max(id_bits - min(bits_for(total // _BLOCK), _MOST_BLOCKS_BITS), 0)
    num_blocks = (max(num_vertices, 1) - 1 >> local_bits) + 1
    library = library_for(total)
    if library is not None and can_order(sources, destinations, values):
        blocks = Blocks(_PIECE, num_blocks, local_bits, id_bits, _WORD_BITS)
        return Ordered(*lists_of(library, sources, destinations, num_vertices, values, both_ways, blocks))
    moved = {name: np.empty(total, each.dtype) for name, each in values.items()}
    sizes = id_bits, local_bits, num_blocks, np.empty(total, np.uint64)
    ordering = _Ordering(sources, destinations, values, both_ways, *sizes, moved, sort_of(total))
    cuts = by_threads(ordering.divide, range(0, max(len(sources), 1), _PIECE), _MOST_THREADS)
    ends = np.cumsum(np.sum([np.diff(of_piece) for of_piece in cuts], axis=0))
    count = int(ends[-1])
    writable, columns = room(count, id_dtype(num_vertices))
    rooms = {name: room(count, each.dtype) for name, each in values.items()}
    offsets = np.zeros(num_vertices + 1, np.int64)

    def finish(number: int) -> None:
        part = slice(int(ends[number - 1]) if number else 0, int(ends[number]))
        targets = {name: target[part] for name, (target, _) in rooms.items()}
        degrees = offsets[1:][number << local_bits : (number + 1) << local_bits]
        parts = [slice(*of_piece[number : number + 2]) for of_piece in cuts]
        ordering.finish(parts, degrees, writable[part], targets)

    by_threads(finish, range(num_blocks), _MOST_THREADS)
    np.cumsum(offsets, out=offsets)
    return Ordered(offsets, columns, {name: made for name, (_, made) in rooms.items()})


def order_of(leading: NDArray[Any], other: NDArray[Any], num_vertices: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """(order, starts) of pairs of ids: their places in a stable order, and where in it other pairs begin."""
    places = {"": np.arange(len(leading), dtype=id_dtype(len(leading)))}
    offsets, columns, values = ordered(leading, other, num_vertices, places)
    different = np.ones(len(columns), dtype=bool)
    np.not_equal(columns[1:], columns[:-1], out=different[1:])
    begin = offsets[:-1]
    different[begin[begin < len(columns)]] = True
    return values[""], np.flatnonzero(different)


def with_opposites(
    sources: NDArray[Any], destinations: NDArray[Any], values: Mapping[str, NDArray[Any]]
) -> tuple[NDArray[Any], NDArray[Any], dict[str, NDArray[Any]]]:
    """Each edge followed by its opposite, so that parallel edges keep their order in both lists; loops stay single."""
    keep = np.ones(2 * len(sources), dtype=bool)
    np.not_equal(sources, destinations, out=keep[1::2])
    kind = np.result_type(sources, destinations)
    starts, ends = np.empty(len(keep), kind), np.empty(len(keep), kind)
    starts[::2], starts[1::2] = sources, destinations
    ends[::2], ends[1::2] = destinations, sources
    twice = {name: np.repeat(each, 2) for name, each in values.items()}
    if keep.all():
        return starts, ends, twice
    return starts[keep], ends[keep], {name: each[keep] for name, each in twice.items()}


def bits_for(count: int) -> int:
    """How many bits a number below `count` takes."""
    return max(count - 1, 0).bit_length()


def _sorted(keys: NDArray[np.uint64], bits: int, sort: Sort) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    """Numbers of `bits` bits in a stable order, and where they were; `keys` is used up."""
    width = max(_WORD_BITS - bits_for(len(keys)), 1)
    if bits <= width:
        return _sorted_with_places(keys, bits, sort)
    places: NDArray[np.intp] | None = None
    for shift in range(0, bits, width):
        digit = keys >> np.uint64(shift)
        digit &= np.uint64((1 << width) - 1)
        _, step = _sorted_with_places(digit if places is None else digit[places], width, sort)
        places = step if places is None else places[step]
    assert places is not None
    return keys[places], places


def _sorted_with_places(keys: NDArray[np.uint64], bits: int, sort: Sort) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    """The same of numbers that have room for the places below them."""
    below = bits_for(len(keys))
    keys <<= np.uint64(below)
    keys |= np.arange(len(keys), dtype=np.uint64)
    sort(keys, below, below + bits)
    places = (keys & np.uint64((1 << below) - 1)).view(np.intp)
    keys >>= np.uint64(below)
    return keys, places


def _take(values: NDArray[Any], places: NDArray[np.intp], target: NDArray[Any]) -> None:
    """`target[:] = values[places]`, all of which there are: NumPy need not look first."""
    values.take(places, out=target, mode="wrap")
