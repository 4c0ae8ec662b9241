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
    sources, destinations = np.ascontiguousarray(sources), np.ascontiguousarray(destinations)
    given = [np.ascontiguousarray(each) for each in values.values()]
    sizes = (ctypes.c_int32 * len(given))(*(each.itemsize for each in given))
    pieces = range(0, len(sources), blocks.piece)

    def counted(first: int) -> NDArray[np.int64]:
        counts = np.zeros(blocks.count, np.int64)
        part = slice(first, first + blocks.piece)
        ends, count = (_at(sources[part]), _at(destinations[part])), len(sources[part])
        library.gdsl_count_blocks(*ends, ctypes.c_int64(count), both_ways, blocks.local_bits, _at(counts))
        return counts

    counts = np.array(by_threads(counted, pieces, _MOST_THREADS), np.int64).reshape(len(pieces), blocks.count)
    begins = np.zeros(blocks.count + 1, np.int64)
    np.cumsum(counts.sum(axis=0), out=begins[1:])
    next_places = np.cumsum(counts, axis=0) - counts + begins[:-1]
    total = int(begins[-1])
    writable, columns = room(total, np.dtype(np.int32))
    rooms = [room(total, each.dtype) for each in given]
    moved = _all_at([each for each, _ in rooms])
    local = np.empty(total, np.uint32)

    def divide(number: int) -> None:
        first = pieces[number]
        part = slice(first, first + blocks.piece)
        ends, count = (_at(sources[part]), _at(destinations[part])), len(sources[part])
        of_values = _all_at([each[part] for each in given]), ctypes.c_int64(count), len(given), sizes
        to = _at(next_places[number]), _at(local), _at(writable), moved
        library.gdsl_divide(*ends, *of_values, both_ways, blocks.local_bits, *to)

    by_threads(divide, range(len(pieces)), _MOST_THREADS)
    writable_offsets, offsets = room(num_vertices + 1, np.dtype(np.int64))

    def order(number: int) -> None:
        begin, end = (int(each) for each in begins[number : number + 2])
        ends = writable_offsets[1:][number << blocks.local_bits : (number + 1) << blocks.local_bits]
        place_bits = (end - begin).bit_length() if given else 0
        fits = blocks.local_bits + blocks.id_bits + place_bits <= blocks.word_bits
        key_size = _WORD if fits else _WIDE
        keys = np.empty(2 * (end - begin) * key_size // _WORD, np.uint64)
        edges = _at(local), _at(writable), len(given), sizes, moved, ctypes.c_int64(begin), ctypes.c_int64(end)
        lists = ctypes.c_int64(len(ends)), _at(ends), _at(keys), key_size
        library.gdsl_order_block(*edges, blocks.local_bits, blocks.id_bits, *lists)

    by_threads(order, range(blocks.count), _MOST_THREADS)
    return offsets, columns, {name: made for name, (_, made) in zip(values, rooms, strict=True)}


def _at(array: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _all_at(arrays: Sequence[NDArray[Any]]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(each.ctypes.data for each in arrays))
