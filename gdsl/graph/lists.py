"""Edges put in the order of their lists by C++ of this machine: what `ordering` does, for 32-bit ids, and no more.

In two steps as there. Edges go into blocks where their lists will stand, in the memory of the result, and each block is
sorted in a processor's cache where it stands; beside the result 4 bytes an edge are all that is needed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.immutable import room
from gdsl.graph.threads import by_threads

_SIZES = (1, 2, 4, 8)
"""Bytes of a value."""
_MOST_THREADS = 8
_WORD, _WIDE = 8, 16


@dataclass(frozen=True, slots=True)
class Blocks:
    """How edges are divided: pieces of `piece` edges at a time, into `count` blocks of neighbouring sources, of which
    `local_bits` bits tell those of a block apart; ids have `id_bits`."""

    piece: int
    count: int
    local_bits: int
    id_bits: int
    word_bits: int
    """Bits of a number in which two ends and a place in a block are sorted fastest."""


def can_order(sources: NDArray[Any], destinations: NDArray[Any], values: Mapping[str, NDArray[Any]]) -> bool:
    """Whether it is for these."""
    ends = sources.dtype == destinations.dtype == np.int32
    return ends and all(each.dtype.itemsize in _SIZES and each.dtype.kind in "biuf" for each in values.values())


@dataclass(slots=True)
class _Lists:
    library: ctypes.CDLL
    sources: NDArray[np.int32]
    destinations: NDArray[np.int32]
    given: list[NDArray[Any]]
    """The values."""
    both_ways: bool
    blocks: Blocks

    @property
    def pieces(self) -> range:
        """The first edge of each."""
        return range(0, len(self.sources), self.blocks.piece)

    @property
    def sizes(self) -> Any:
        """Bytes of each kind of value."""
        return (ctypes.c_int32 * len(self.given))(*(each.itemsize for each in self.given))

    def counts(self, first: int) -> NDArray[np.int64]:
        """How many edges of a piece go to each block."""
        counts = np.zeros(self.blocks.count, np.int64)
        ends, size = self._piece(first)
        self.library.gdsl_count_blocks(*ends, size, self.both_ways, self.blocks.local_bits, _at(counts))
        return counts

    def divide(
        self, first: int, next_places: NDArray[np.int64], local: NDArray[np.uint32], to: Sequence[NDArray[Any]]
    ) -> None:
        """Write the edges of a piece where they go: sources within their blocks, and destinations and values."""
        ends, size = self._piece(first)
        values = _all_at([each[first : first + self.blocks.piece] for each in self.given])
        how = len(self.given), self.sizes, self.both_ways, self.blocks.local_bits
        targets = _at(next_places), _at(local), _at(to[0]), _all_at(to[1:])
        self.library.gdsl_divide(*ends, values, size, *how, *targets)

    def order(
        self, part: slice, local: NDArray[np.uint32], to: Sequence[NDArray[Any]], ends: NDArray[np.int64]
    ) -> None:
        """Put a block of edges in order where it stands, and write where the lists of its vertices end."""
        size, blocks = part.stop - part.start, self.blocks
        place_bits = size.bit_length() if self.given else 0
        fits = blocks.local_bits + blocks.id_bits + place_bits <= blocks.word_bits
        key_size = _WORD if fits else _WIDE
        keys = np.empty(2 * size * key_size // _WORD, np.uint64)
        edges = _at(local), _at(to[0]), len(self.given), self.sizes, _all_at(to[1:])
        where = ctypes.c_int64(part.start), ctypes.c_int64(part.stop), blocks.local_bits, blocks.id_bits
        self.library.gdsl_order_block(*edges, *where, ctypes.c_int64(len(ends)), _at(ends), _at(keys), key_size)

    def _piece(self, first: int) -> tuple[tuple[ctypes.c_void_p, ctypes.c_void_p], ctypes.c_int64]:
        part = slice(first, first + self.blocks.piece)
        sources = self.sources[part]
        return (_at(sources), _at(self.destinations[part])), ctypes.c_int64(len(sources))


def lists_of(
    library: ctypes.CDLL,
    sources: NDArray[np.int32],
    destinations: NDArray[np.int32],
    num_vertices: int,
    values: Mapping[str, NDArray[Any]],
    both_ways: bool,
    blocks: Blocks,
) -> tuple[NDArray[np.int64], NDArray[np.int32], dict[str, NDArray[Any]]]:
    """(offsets, columns, values) of these edges, in memory that nobody can write; with `both_ways` each is followed by
    its opposite, but a loop."""
    ends = np.ascontiguousarray(sources), np.ascontiguousarray(destinations)
    lists = _Lists(library, *ends, [np.ascontiguousarray(each) for each in values.values()], both_ways, blocks)
    pieces = lists.pieces
    counts = np.array(by_threads(lists.counts, pieces, _MOST_THREADS), np.int64).reshape(len(pieces), blocks.count)
    begins = np.zeros(blocks.count + 1, np.int64)
    np.cumsum(counts.sum(axis=0), out=begins[1:])
    next_places = np.cumsum(counts, axis=0) - counts + begins[:-1]
    total = int(begins[-1])
    rooms = [room(total, dtype) for dtype in (np.dtype(np.int32), *(each.dtype for each in lists.given))]
    to, kept = [writable for writable, _ in rooms], [made for _, made in rooms]
    local = np.empty(total, np.uint32)
    by_threads(
        lambda number: lists.divide(pieces[number], next_places[number], local, to), range(len(pieces)), _MOST_THREADS
    )
    writable, offsets = room(num_vertices + 1, np.dtype(np.int64))

    def order(number: int) -> None:
        of_block = writable[1:][number << blocks.local_bits : (number + 1) << blocks.local_bits]
        lists.order(slice(*begins[number : number + 2].tolist()), local, to, of_block)

    by_threads(order, range(blocks.count), _MOST_THREADS)
    return offsets, kept[0], dict(zip(values, kept[1:], strict=True))


def _at(array: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _all_at(arrays: Sequence[NDArray[Any]]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(each.ctypes.data for each in arrays))
