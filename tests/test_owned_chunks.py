"""Which GPU gets which chunks of the vertices: all have equally many, and no more edges than the others."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gdsl.backends.cuda import owned_chunks
from gdsl.backends.cuda.owned_chunks import chunk_lengths, dealt_out, has_chunks

EVEN = 64 * [3]


def offsets_of(degrees: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(degrees)])


@given(degrees=st.lists(st.integers(0, 9), min_size=24, max_size=90), length=st.integers(1, 50), gpus=st.integers(1, 4))
def test_each_gpu_has_an_equal_part(degrees: list[int], length: int, gpus: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owned_chunks, "_UNEVEN", 1e9)
        patch.setattr(owned_chunks, "_UNLIKE", 1e9)
        found = dealt_out([offsets_of(degrees)], [length], gpus)
    assert found is not None
    count, firsts = len(degrees), [first for first, _ in found.pieces]
    assert firsts[0] == 0 and firsts == sorted(set(firsts)) and firsts[-1] < count
    held, owner_of = [0] * gpus, np.empty(count, int)
    for (first, number), end in zip(found.pieces, [*firsts[1:], count], strict=True):
        assert first // length == (end - 1) // length or first % length == 0
        held[number] += end - first
        owner_of[first:end] = number
    assert held == [count // gpus + (number < count % gpus) for number in range(gpus)]
    assert len(found.owners) == -(-count // length)
    for place, owner in enumerate(found.owners):
        shares = np.bincount(owner_of[place * length : (place + 1) * length], minlength=gpus)
        assert shares[owner] == shares.max()
    assert found.owners[0] == 0
    chunks = [first for number in range(gpus) for first in found.of(number)]
    assert sorted(chunks) == list(range(0, count, length))


def test_edges_are_divided_evenly() -> None:
    """The largest chunks go to different GPUs, whatever their order."""
    degrees = [value for chunk in (5, 1, 5, 1, 3, 3, 3, 3) for value in [chunk] * 8]
    found = dealt_out([offsets_of(degrees)], [8], 2)
    assert found is not None
    edges = [sum(sum(degrees[first : first + 8]) for first in found.of(number)) for number in (0, 1)]
    assert edges == [96, 96]
    both = dealt_out([offsets_of(degrees), offsets_of(degrees[::-1])], [8], 2)  # a directed graph
    assert both is not None and sorted(both.owners) == [0] * 4 + [1] * 4


@pytest.mark.parametrize("degrees", [[0] * 63 + [999], [9] * 8 + [1] * 56, [2, 3] * 31 + [3, 900]], ids=len)
def test_chunks_that_are_unlike_are_not_dealt_out(degrees: list[int]) -> None:
    assert dealt_out([offsets_of(degrees)], [8], 2) is None
    assert dealt_out([offsets_of(EVEN)], [8], 2) is not None


def test_a_graph_without_edges() -> None:
    assert dealt_out([offsets_of([0] * 64)], [8], 3) is not None


def test_the_lengths_of_chunks() -> None:
    """Whole pages of small values; the first one that divides edges evenly is taken."""
    assert chunk_lengths(1 << 21, 2, 2 << 20) == (1 << 20, 1 << 19)
    assert chunk_lengths(1 << 26, 2, 2 << 20) == tuple((1 << 25) >> place for place in range(5))
    for vertices, gpus in itertools.product(range(1024, 9999, 99), (2, 3, 4, 8)):
        lengths = chunk_lengths(vertices, gpus, 256)
        assert list(lengths) == sorted(lengths, reverse=True)
        assert all(length % 64 == 0 for length in lengths)
        found = dealt_out([offsets_of([1] * vertices)], lengths, gpus)
        assert found is None or set(found.owners) == set(range(gpus))  # each has a part of the results
        assert gpus <= -(-vertices // lengths[0]) < 1.5 * gpus
    for degrees, length in ((EVEN, 32), ([4] * 16 + [3] * 32 + [2] * 16, 16), ([2, 4] * 8 + [3] * 48, 32)):
        found = dealt_out([offsets_of(degrees)], [32, 16, 8], 2)
        assert found is not None and found.length == length
    assert dealt_out([offsets_of(EVEN)], [], 2) is None
    assert has_chunks(8 * 100, 100) and has_chunks(12 * 100, 100)
    assert not has_chunks(100, 100) and not has_chunks(0, 0) and not has_chunks(6 * 100, 100)
