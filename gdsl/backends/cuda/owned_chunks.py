"""Divides the caller's vertices among several GPUs, so that results can stay in the memories of all of them.

The caller's ids are cut into chunks whose values take whole pages. Each GPU has as many vertices as any other, in
chunks that together have about as many edges. It numbers its own vertices by falling degree (`numbering`). So it holds
their values both during a run and in the caller's order, and brings results to that order without another GPU's memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

CHUNKS = (1, 2, 4, 8, 16)
"""About so many chunks a GPU: as few as divide edges evenly, since their pages are mapped one after the other (80
microseconds each)."""
_UNEVEN, _UNLIKE = 1.02, 2.0
"""How many times as many edges as the mean a GPU and a chunk may have. Where ids have to do with degrees, chunks are
unlike, and one GPU would have most hubs."""
_VALUE = 4
"""Bytes of the values whose chunks are whole pages; others are if theirs are a multiple of it."""


class OwnedChunks(NamedTuple):
    """length: vertices of each chunk but the last. owners: the number of the GPU that has each. pieces: the first
    vertices of pieces in order, and the number of the GPU that has each: all GPUs have equally many vertices (the first
    ones may have one more), so a chunk may have pieces of several."""

    length: int
    owners: tuple[int, ...]
    pieces: tuple[tuple[int, int], ...]

    def of(self, number: int) -> list[int]:
        """The first vertices of a GPU's chunks."""
        return [place * self.length for place, owner in enumerate(self.owners) if owner == number]


def chunk_lengths(num_vertices: int, gpus: int, page: int) -> tuple[int, ...]:
    """What chunks may have of vertices, for pages of so many bytes, from the largest number to the smallest. There are
    as many chunks as GPUs, or more, if there are as many pages."""
    pages = -(-num_vertices * _VALUE // page)
    lengths = (_page_count(pages, chunks * gpus, gpus) * page // _VALUE for chunks in CHUNKS)
    return tuple(dict.fromkeys(lengths))


def _page_count(pages: int, chunks: int, gpus: int) -> int:
    """Of each chunk, if there are to be about so many. Rounded up, nine pages for four GPUs would be three chunks."""
    rounded_up = -(-pages // chunks)
    return rounded_up if -(-pages // rounded_up) >= gpus else max(pages // chunks, 1)


def has_chunks(nbytes: int, num_vertices: int) -> bool:
    """Whether chunks are whole pages of an array of so many bytes for all vertices."""
    return num_vertices > 0 and nbytes > 0 and nbytes % (_VALUE * num_vertices) == 0


def dealt_out(lists: Sequence[Any], lengths: Sequence[int], gpus: int) -> OwnedChunks | None:
    """The vertices of a graph, given the offsets of its lists, in chunks of the first of `lengths` that divides edges
    evenly; None if none does, or if chunks of the last length are unlike. The first GPU has the first chunk: an array
    counts as that of the GPU that has its first page."""
    if not lengths or not _are_alike(lists, lengths[-1]):
        return None
    return next(filter(None, (_of_length(lists, length, gpus) for length in lengths)), None)


def _bounds(lists: Sequence[Any], length: int) -> list[int]:
    count = len(lists[0]) - 1
    return [*range(0, count, length), count]


def _are_alike(lists: Sequence[Any], length: int) -> bool:
    bounds = _bounds(lists, length)
    most = max(_edges(lists, first, last) for first, last in pairwise(bounds))
    return most * bounds[-1] <= _UNLIKE * length * _edges(lists, 0, bounds[-1])


def _of_length(lists: Sequence[Any], length: int, gpus: int) -> OwnedChunks | None:
    bounds = _bounds(lists, length)
    count = bounds[-1]
    chunks = [(_edges(lists, first, last), first, last) for first, last in pairwise(bounds)]
    room = [count // gpus + (number < count % gpus) for number in range(gpus)]
    held, pieces = [0] * gpus, list[tuple[int, int, int]]()
    for edges, first, last in (chunks[0], *sorted(chunks[1:], key=lambda chunk: (-chunk[0], chunk[1]))):
        fitting = [number for number in range(gpus) if room[number] >= last - first]
        if fitting:
            number = min(fitting, key=lambda number: (held[number], number))
            taken = [(number, first, last)]
        else:
            taken = list(_shared_out(room, first, last))
            edges = 0
        for number, begin, end in taken:
            pieces.append((begin, end, number))
            room[number] -= end - begin
            held[number] += edges or _edges(lists, begin, end)
    if max(held) * gpus > _UNEVEN * sum(held):
        return None
    pieces.sort()
    owners = tuple(_most_of(pieces, first, last, gpus) for first, last in pairwise(bounds))
    return OwnedChunks(length, owners, tuple((begin, number) for begin, _, number in pieces))


def _edges(lists: Sequence[Any], first: int, last: int) -> int:
    """The edges of the vertices from `first` on, before `last`."""
    return sum(int(offsets[last]) - int(offsets[first]) for offsets in lists)


def _shared_out(room: Sequence[int], first: int, last: int) -> Iterator[tuple[int, int, int]]:
    """The vertices of a chunk for which no GPU has room, among those that have most."""
    for number in sorted(range(len(room)), key=lambda number: (-room[number], number)):
        end = min(first + room[number], last)
        if end > first:
            yield number, first, end
        first = end


def _most_of(pieces: Sequence[tuple[int, int, int]], first: int, last: int, gpus: int) -> int:
    """The GPU that has most of these vertices; the first of several."""
    shares = [0] * gpus
    for begin, end, number in pieces:
        shares[number] += max(0, min(end, last) - max(begin, first))
    return shares.index(max(shares))
