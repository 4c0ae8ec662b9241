"""Edges put in the order of their sources, then of their destinations, then as given: by C++ where there is a compiler,
else by NumPy.

A sort of whole numbers is many times as fast as a walk through memory in no order, so both sort numbers that fit in a
processor's cache. First, piece by piece, edges are divided into blocks of neighboring sources. Then each block is
sorted by source within the block, destination and place in the block. NumPy sorts all three as one number of 64 bits:
no two are equal, so any sort is stable, and the places say where the values of each edge are. Where 64 bits are too
few, which takes many edges in one block, it sorts as many bits of the pairs as fit at a time, from last to first.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gdsl.graph.immutable import allocate_immutable
from gdsl.graph.threads import by_threads
from gdsl.graph.vertices import id_dtype

Sort = Callable[[NDArray[Any], int, int], None]
"""Sorts whole numbers of 32 or 64 bits, none below 0, by their bits from one place up to another, above which all bits
are equal. Numbers with equal bits must be in order before."""

_WORTH_A_LOOK = 1 << 18
_WORTH_COMPILING = 1 << 21
"""So many numbers to sort."""
_NAME, _SYMBOLS = "graph/order.cpp", {4: "gdsl_sort_32", 8: "gdsl_sort_64"}
_OF_LISTS = ("gdsl_count_blocks", "gdsl_divide", "gdsl_order_block")


def library_for(count: int) -> ctypes.CDLL | None:
    """The compiled `order.cpp`, if `count` numbers or edges are worth it and there is a compiler."""
    if count < _WORTH_A_LOOK:
        return None
    from gdsl.native import helper_library  # small graphs do without

    return helper_library.library(_NAME, (*_SYMBOLS.values(), *_OF_LISTS), make=count >= _WORTH_COMPILING)


def sort_of(count: int) -> Sort:
    """The fastest sort for `count` numbers, together or in pieces; any number of threads may call it."""
    library = library_for(count)
    return _by_numpy if library is None else _by(library)


def _by_numpy(numbers: NDArray[Any], low: int, high: int) -> None:
    numbers.sort()


def _by(library: ctypes.CDLL) -> Sort:
    functions = {size: library[symbol] for size, symbol in _SYMBOLS.items()}
    for function in functions.values():
        function.restype = None

    def sort(numbers: NDArray[Any], low: int, high: int) -> None:
        spare = np.empty_like(numbers)
        functions[numbers.itemsize](_at(numbers), _at(spare), ctypes.c_int64(len(numbers)), low, high)

    return sort


_SIZES = (1, 2, 4, 8)
"""Bytes of a value."""
_PIECE = 1 << 19
"""Edges that are divided into blocks at a time."""
_BLOCK = 1 << 16
"""Edges of a block on average."""
_MOST_BLOCKS_BITS = 8
_MOST_THREADS = 8
_WORD_BITS = 64
"""Bits of the number in which two ends and a place in a block are sorted; C++ takes twice as many if they are too
few."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """How edges are divided into `count` blocks of neighboring sources. `local_bits` bits distinguish the sources of a
    block; ids have `id_bits`."""

    count: int
    local_bits: int
    id_bits: int


def can_order(sources: NDArray[Any], destinations: NDArray[Any], values: Mapping[str, NDArray[Any]]) -> bool:
    """Whether the library supports these types."""
    ends = sources.dtype == destinations.dtype == np.int32
    return ends and all(each.dtype.itemsize in _SIZES and each.dtype.kind in "biuf" for each in values.values())


@dataclass(slots=True)
class _Lists:
    library: ctypes.CDLL
    sources: NDArray[np.int32]
    destinations: NDArray[np.int32]
    arrays: list[NDArray[Any]]
    """The values."""
    both_ways: bool
    blocks: Blocks

    @property
    def pieces(self) -> range:
        """The first edge of each piece."""
        return range(0, len(self.sources), _PIECE)

    @property
    def sizes(self) -> Any:
        """Bytes of each kind of value."""
        return (ctypes.c_int32 * len(self.arrays))(*(each.itemsize for each in self.arrays))

    def counts(self, first: int) -> NDArray[np.int64]:
        """How many edges of a piece go to each block."""
        counts = np.zeros(self.blocks.count, np.int64)
        ends, size = self._piece(first)
        self.library.gdsl_count_blocks(*ends, size, self.both_ways, self.blocks.local_bits, _at(counts))
        return counts

    def divide(
        self, first: int, next_places: NDArray[np.int64], local: NDArray[np.uint32], to: Sequence[NDArray[Any]]
    ) -> None:
        """Write the edges of a piece to their blocks: sources within their blocks, destinations and values."""
        ends, size = self._piece(first)
        values = _all_at([each[first : first + _PIECE] for each in self.arrays])
        how = len(self.arrays), self.sizes, self.both_ways, self.blocks.local_bits
        targets = _at(next_places), _at(local), _at(to[0]), _all_at(to[1:])
        self.library.gdsl_divide(*ends, values, size, *how, *targets)

    def order(
        self, part: slice, local: NDArray[np.uint32], to: Sequence[NDArray[Any]], ends: NDArray[np.int64]
    ) -> None:
        """Sort a block of edges in place, and write where the lists of its vertices end."""
        size, blocks = part.stop - part.start, self.blocks
        place_bits = size.bit_length() if self.arrays else 0
        words = 1 if blocks.local_bits + blocks.id_bits + place_bits <= _WORD_BITS else 2
        keys = np.empty(2 * size * words, np.uint64)
        edges = _at(local), _at(to[0]), len(self.arrays), self.sizes, _all_at(to[1:])
        where = ctypes.c_int64(part.start), ctypes.c_int64(part.stop), blocks.local_bits, blocks.id_bits
        self.library.gdsl_order_block(*edges, *where, ctypes.c_int64(len(ends)), _at(ends), _at(keys), 8 * words)

    def _piece(self, first: int) -> tuple[tuple[ctypes.c_void_p, ctypes.c_void_p], ctypes.c_int64]:
        part = slice(first, first + _PIECE)
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
    """(offsets, columns, values) of these edges, in read-only memory; with `both_ways` each edge except loops is
    followed by its opposite."""
    ends = np.ascontiguousarray(sources), np.ascontiguousarray(destinations)
    lists = _Lists(library, *ends, [np.ascontiguousarray(each) for each in values.values()], both_ways, blocks)
    pieces = lists.pieces
    counts = np.array(by_threads(lists.counts, pieces, _MOST_THREADS), np.int64).reshape(len(pieces), blocks.count)
    begins = np.zeros(blocks.count + 1, np.int64)
    np.cumsum(counts.sum(axis=0), out=begins[1:])
    next_places = np.cumsum(counts, axis=0) - counts + begins[:-1]
    total = int(begins[-1])
    outputs = [
        allocate_immutable(total, dtype) for dtype in (np.dtype(np.int32), *(each.dtype for each in lists.arrays))
    ]
    to, results = [writable for writable, _ in outputs], [immutable_array for _, immutable_array in outputs]
    local = np.empty(total, np.uint32)
    by_threads(
        lambda number: lists.divide(pieces[number], next_places[number], local, to), range(len(pieces)), _MOST_THREADS
    )
    writable, offsets = allocate_immutable(num_vertices + 1, np.dtype(np.int64))

    def order(number: int) -> None:
        of_block = writable[1:][number << blocks.local_bits : (number + 1) << blocks.local_bits]
        lists.order(slice(*begins[number : number + 2].tolist()), local, to, of_block)

    by_threads(order, range(blocks.count), _MOST_THREADS)
    return offsets, results[0], dict(zip(values, results[1:], strict=True))


def _at(array: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _all_at(arrays: Sequence[NDArray[Any]]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*(each.ctypes.data for each in arrays))


class Ordered(NamedTuple):
    """Lists of edges: where those of each vertex begin, int64[V+1], their far ends, and their values by name, the last
    two in read-only memory."""

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
    """Bits of a destination."""
    local_bits: int
    """Bits of a source within its block."""
    num_blocks: int
    keys: NDArray[np.uint64]
    """(source within the block, destination) in one number, of the edges of each piece by block."""
    moved: dict[str, NDArray[Any]]
    """The values in the same order."""
    sort: Sort

    def divide(self, first: int) -> NDArray[np.int64]:
        """Sort the piece of edges from `first` on by block; returns where in `keys` each block begins."""
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
        """Write the degrees, far ends and values of one block; its edges are the `parts` of `keys`."""
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
    """The lists of these edges; with `both_ways` each edge except loops is followed by its opposite."""
    total = len(sources) * (2 if both_ways else 1)
    id_bits = bits_for(num_vertices)
    local_bits = max(id_bits - min(bits_for(total // _BLOCK), _MOST_BLOCKS_BITS), 0)
    num_blocks = (max(num_vertices, 1) - 1 >> local_bits) + 1
    library = library_for(total)
    if library is not None and can_order(sources, destinations, values):
        blocks = Blocks(num_blocks, local_bits, id_bits)
        return Ordered(*lists_of(library, sources, destinations, num_vertices, values, both_ways, blocks))
    moved = {name: np.empty(total, each.dtype) for name, each in values.items()}
    sizes = id_bits, local_bits, num_blocks, np.empty(total, np.uint64)
    ordering = _Ordering(sources, destinations, values, both_ways, *sizes, moved, sort_of(total))
    cuts = by_threads(ordering.divide, range(0, max(len(sources), 1), _PIECE), _MOST_THREADS)
    ends = np.cumsum(np.sum([np.diff(of_piece) for of_piece in cuts], axis=0))
    count = int(ends[-1])
    writable, columns = allocate_immutable(count, id_dtype(num_vertices))
    outputs = {name: allocate_immutable(count, each.dtype) for name, each in values.items()}
    offsets = np.zeros(num_vertices + 1, np.int64)

    def finish(number: int) -> None:
        part = slice(int(ends[number - 1]) if number else 0, int(ends[number]))
        targets = {name: target[part] for name, (target, _) in outputs.items()}
        degrees = offsets[1:][number << local_bits : (number + 1) << local_bits]
        parts = [slice(*of_piece[number : number + 2]) for of_piece in cuts]
        ordering.finish(parts, degrees, writable[part], targets)

    by_threads(finish, range(num_blocks), _MOST_THREADS)
    np.cumsum(offsets, out=offsets)
    return Ordered(offsets, columns, {name: immutable_array for name, (_, immutable_array) in outputs.items()})


def order_of(leading: NDArray[Any], other: NDArray[Any], num_vertices: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """(order, starts) of pairs of ids: their places in a stable order, and where in it each pair begins."""
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
    """Numbers of `bits` bits in a stable order, and their old places; `keys` is overwritten."""
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
    """`_sorted` for numbers with room for the places in their low bits."""
    below = bits_for(len(keys))
    keys <<= np.uint64(below)
    keys |= np.arange(len(keys), dtype=np.uint64)
    sort(keys, below, below + bits)
    places = (keys & np.uint64((1 << below) - 1)).view(np.intp)
    keys >>= np.uint64(below)
    return keys, places


def _take(values: NDArray[Any], places: NDArray[np.intp], target: NDArray[Any]) -> None:
    """`target[:] = values[places]`, without checking that the places are in range."""
    values.take(places, out=target, mode="wrap")
