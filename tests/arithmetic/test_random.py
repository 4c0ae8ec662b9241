"""Random numbers: the published vectors of Philox, what of the keys counts, and the look of the distribution."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from oracles import philox as draws

import gdsl
from gdsl.arithmetic.operations import SINGLE, of_arrays
from gdsl.arithmetic.random import philox
from gdsl.operations import Builtin
from gdsl.types import Type

_ONES = 0xFFFFFFFF
# Of Random123's kat_vectors.
VECTORS = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((_ONES,) * 4, (_ONES,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]
COMPILED = ["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
KEYS = """program keys;
problem {
    vertex by_id : uint64 = random_bits(id, 5);
    vertex by_int : uint64 = random_bits(int32(id), 5);
    vertex by_word : uint64 = random_bits(uint64(id), uint32(5));
    vertex of_none : uint64 = random_bits(vertex(none));
    vertex of_minus_one : uint64 = random_bits(-1);
    vertex of_ones : uint64 = random_bits(uint64(0xffffffffffffffff));
    vertex of_true : uint64 = random_bits(true);
    vertex of_one : uint64 = random_bits(1);
    vertex in_functor : uint64;
    vertex none_in_functor : uint64;
    vertex edge_none : uint64;
    vertex below_narrow : int32 = random_below(1000, id);
    vertex below_wide : uint64 = random_below(uint64(1000), id);
    vertex whole : uint64 = random_below(uint64(0xc000000000000001), id);
    vertex nothing : int64 = random_below(int64(-9), id) + random_below(int64(0), id);
    scalar scheduled : uint64;
    scalar unit : float32;
}
function of_word(word : int64) -> uint64 { return random_bits(word, 5); }
vertex functor draw(v) { apply {
    in_functor[v] = of_word(int64(v));
    none_in_functor[v] = random_bits(vertex(-3));
    edge_none[v] = random_bits(edge(none));
} }
schedule { compute(vertices, draw); scheduled = random_bits(0); unit = random(0); }
"""


@pytest.mark.parametrize(("counter", "key", "wanted"), VECTORS)
def test_published_vectors(counter: Any, key: Any, wanted: Any) -> None:
    assert philox(counter, key) == wanted
    arrays = tuple(np.array([word, 0], np.uint64) for word in counter)
    assert tuple(int(word[0]) for word in philox(arrays, key)) == wanted


def test_the_first_words_of_the_first_block() -> None:
    """What the language's page promises of a key 0: the first two words of the first published vector."""
    assert SINGLE.builtin(Builtin.RANDOM_BITS, Type.INT64)(np.int64(0)) == 0xE169C58D6627E8D5
    assert SINGLE.builtin(Builtin.RANDOM, Type.INT64)(np.int64(0)) == np.float32(0xE169C5 / 2**24)


@pytest.mark.parametrize("backend", COMPILED)
@pytest.mark.parametrize("ids", [32, 64])
def test_keys_are_64_bits_wide(backend: str, ids: int) -> None:
    graph = gdsl.Graph.from_edges([0, 1], [1, 2], num_vertices=300)
    result = gdsl.compile(KEYS, tune=[f"schedule.ids={ids}"]).run(graph, backend=backend)
    found = {**result.host_arrays(), **result.scalars}
    wanted = np.array([draws.number("random_bits", [v, 5]) for v in range(300)], np.uint64)
    for name in ("by_id", "by_int", "by_word", "in_functor"):
        assert np.array_equal(found[name], wanted), name
    of_none = draws.number("random_bits", [-1])
    for name in ("of_none", "of_minus_one", "of_ones", "none_in_functor", "edge_none"):
        assert set(found[name].tolist()) == {of_none}, name
    assert np.array_equal(found["of_true"], found["of_one"])
    assert found["below_narrow"].tolist() == found["below_wide"].tolist()
    limit = 0xC000000000000001  # of which a quarter of all draws is refused
    assert found["whole"].tolist() == [draws.number("random_below", [limit, v]) for v in range(300)]
    assert not found["nothing"].any()
    assert found["scheduled"] == 0xE169C58D6627E8D5
    assert found["unit"] == 0xE169C5 / 2**24


@pytest.mark.parametrize("limit", [2, 6, 10, 16])
def test_every_number_is_as_likely(limit: int) -> None:
    """Chi-square of neighboring keys in either place: far from what a fair die hardly ever shows (p below 1e-6)."""
    below = of_arrays(np).builtin(Builtin.RANDOM_BELOW, Type.INT32)
    size, numbers = 1 << 16, np.arange(1 << 16)
    most = limit - 1 + 5 * np.sqrt(2.0 * (limit - 1)) + 10
    for keys in ((numbers,), (numbers, np.array([3])), (np.array([3]), numbers), (numbers >> 8, numbers & 255)):
        counts = np.bincount(below(np.array([limit], np.int32), *keys), minlength=limit)
        assert len(counts) == limit
        assert ((counts - size / limit) ** 2 / (size / limit)).sum() < most


def test_bits_are_balanced_and_independent_of_their_neighbors() -> None:
    bits = of_arrays(np).builtin(Builtin.RANDOM_BITS, Type.INT64)
    drawn = bits(np.arange(1 << 14))
    assert len(np.unique(drawn)) == len(drawn)
    table = (drawn[:, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)).astype(float) * 2 - 1
    deviation = np.sqrt(len(drawn))
    assert np.abs(table.sum(0)).max() < 6 * deviation
    assert np.abs(table.T @ table - len(drawn) * np.eye(64)).max() < 6 * deviation
    assert np.abs((table[1:] * table[:-1]).sum(0)).max() < 6 * deviation


def test_keys_have_an_order_and_a_number() -> None:
    """No list of small keys gives what another gives."""
    lists = [keys for count in (1, 2, 3) for keys in itertools.product((-1, 0, 1, 2), repeat=count)]
    bits = SINGLE.builtin(Builtin.RANDOM_BITS, Type.INT64)
    assert len({int(bits(*map(np.int64, keys))) for keys in lists}) == len(lists)


def test_unit_numbers_are_below_one() -> None:
    drawn = of_arrays(np).builtin(Builtin.RANDOM, Type.INT64)(np.arange(1 << 16))
    assert drawn.dtype == np.float32
    assert 0 <= drawn.min() < 0.001 < 0.999 < drawn.max() < 1
    assert np.array_equal(drawn * 2**24, np.floor(drawn * 2**24))
    assert abs(float(drawn.mean(dtype=np.float64)) - 0.5) < 0.01
