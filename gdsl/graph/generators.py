"""Generated graphs (R-MAT, grids, uniform) and random weights, decided by integer hashes alone."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError, shown
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.group import ALONE, Group
from gdsl.graph.memory import require_memory
from gdsl.graph.text import printable
from gdsl.graph.vertices import LARGEST_NUM_VERTICES, id_dtype
from gdsl.numerals import is_real, is_whole

Words = NDArray[np.uint64]

_GOLDEN = 0x9E3779B97F4A7C15
_MASK = 2**64 - 1


def mixed(words: Words) -> Words:
    """The finalizer of SplitMix64 (Steele, Lea and Flood 2014) on each word; changes `words` and returns it."""
    words ^= words >> np.uint64(30)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words


def mixed_integer(word: int) -> int:
    """`mixed` of one Python integer modulo 2**64."""
    return int(mixed(np.array([word & _MASK], dtype=np.uint64))[0])


def random_words(seed: int, stream: int, counters: Words) -> Words:
    """uint64, one hash for each counter: SplitMix64, started from the seed and the number of the stream."""
    start = mixed_integer(mixed_integer(seed + _GOLDEN) + stream * _GOLDEN)
    return mixed(counters * np.uint64(_GOLDEN) + np.uint64(start))


def permuted(values: Words, bits: int, seed: int) -> Words:
    """A bijection of 0 … 2**bits - 1, chosen by the seed: rounds of odd multiplication, addition, shifted xor."""
    mask = np.uint64((1 << bits) - 1)
    shift = np.uint64(max(1, (bits + 1) // 2))
    values = values.copy()
    for round_number in range(4):
        values *= np.uint64(mixed_integer(seed + 2 * round_number * _GOLDEN) | 1)
        values += np.uint64(mixed_integer(seed + (2 * round_number + 1) * _GOLDEN))
        values &= mask
        values ^= values >> shift
    return values


def endpoint_weights(sources: NDArray[Any], destinations: NDArray[Any], seed: int, largest: int) -> NDArray[np.int32]:
    """int32[E]: for each edge a weight from 1 to `largest`, by a hash of its two ends (in either order) and the
    seed."""
    low = np.minimum(sources, destinations).astype(np.uint64)
    high = np.maximum(sources, destinations).astype(np.uint64)
    low *= np.uint64(_GOLDEN)
    high *= np.uint64(0xC2B2AE3D27D4EB4F)
    words = low
    words += high
    # Seed 0 adds nothing, which gives the weights of published timings.
    words += np.uint64(seed * 0x165667B19E3779F9 & _MASK)
    words ^= words >> np.uint64(31)
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(29)
    words %= np.uint64(largest)
    words += np.uint64(1)
    weights: NDArray[np.int32] = words.astype(np.int32)
    return weights


# The Graph500 probabilities of the quadrants, as shares of 2**32: the first, the second, the third.
_RMAT_A = round(0.57 * 2**32)
_RMAT_AB = round((0.57 + 0.19) * 2**32)
_RMAT_ABC = round((0.57 + 0.19 + 0.19) * 2**32)
_CHUNK = 1 << 17
_SPEC = re.compile(r"(rmat|grid|uniform):\S*")


def rmat_edges(scale: int, edge_factor: int = 16, seed: int = 1, *, group: Group = ALONE) -> EdgeList:
    """The edges of `gdsl.graph.rmat`; of a worker, those that were drawn more than once within it become one."""
    scale = _whole("scale", scale, 0, 31)
    edge_factor = _whole("edge_factor", edge_factor, 0, 2**20)
    seed = _whole("seed", seed, 0, 2**64 - 1)
    count, draws = 1 << scale, edge_factor << scale
    needed = (24 * count + 64 * draws) // group.size
    require_memory(needed, f"an R-MAT graph of {count:,} vertices and {draws:,} edges")
    first, last = group.part(draws)
    # A table of all ids is faster, and takes memory for all vertices.
    table = permuted(np.arange(count, dtype=np.uint64), scale, seed).astype(np.int64) if group.size == 1 else None
    pairs = np.empty(last - first, dtype=np.int64)
    for start in range(first, last, _CHUNK):
        ends = _drawn_edges(scale, seed, start, min(start + _CHUNK, last))
        if table is None:
            sources, destinations = (permuted(end.astype(np.uint64), scale, seed).astype(np.int64) for end in ends)
        else:
            sources, destinations = (table[end] for end in ends)
        low, high = np.minimum(sources, destinations), np.maximum(sources, destinations)
        pairs[start - first : start - first + len(low)] = (low << scale) + high
    pairs.sort()
    is_first = np.ones(len(pairs), dtype=bool)
    np.not_equal(pairs[1:], pairs[:-1], out=is_first[1:])
    pairs = pairs[is_first]
    dtype = id_dtype(count)
    low, high = (pairs >> scale).astype(dtype), (pairs & (count - 1)).astype(dtype)
    del pairs, is_first
    different = low != high
    return _undirected(low[different], high[different], count)


def _drawn_edges(scale: int, seed: int, start: int, stop: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The drawn edges with the numbers start … stop-1; each hash gives two levels of 32 bits."""
    sources = np.zeros(stop - start, dtype=np.int64)
    destinations = np.zeros(stop - start, dtype=np.int64)
    numbers = np.arange(start, stop, dtype=np.uint64)
    words: Words = numbers
    for bit in range(scale):
        if bit % 2 == 0:
            words = random_words(seed, bit // 2, numbers)
        part = (words >> np.uint64(32) if bit % 2 else words & np.uint64(0xFFFFFFFF)).astype(np.int64)
        lower_half = part >= _RMAT_AB
        right_half = ((part >= _RMAT_A) & ~lower_half) | (part >= _RMAT_ABC)
        sources |= lower_half.astype(np.int64) << bit
        destinations |= right_half.astype(np.int64) << bit
    return sources, destinations


def grid_edges(
    rows: int, columns: int | None = None, keep: float = 0.9, seed: int = 2, *, group: Group = ALONE
) -> EdgeList:
    """The edges of `gdsl.graph.grid`; of a worker, those from its vertices to the right and down."""
    columns = rows if columns is None else columns
    rows = _whole("rows", rows, 1, LARGEST_NUM_VERTICES)
    columns = _whole("columns", columns, 1, LARGEST_NUM_VERTICES)
    _whole("rows × columns", rows * columns, 1, LARGEST_NUM_VERTICES)
    seed = _whole("seed", seed, 0, 2**64 - 1)
    if not is_real(keep) or not 0 <= keep <= 1:
        _refuse(f"keep is {shown(keep)}", "keep is a probability from 0 to 1")
    keep, count = float(keep), rows * columns
    require_memory(160 * count // group.size, f"a grid of {count:,} vertices")
    first, last = group.part(count)
    vertices = np.arange(first, last, dtype=np.int64)
    right, down = vertices[vertices % columns != columns - 1], vertices[: max(count - columns - first, 0)]
    right, down = right[_keep_edges(2 * right, keep, seed)], down[_keep_edges(2 * down + 1, keep, seed)]
    return _undirected(np.concatenate([right, down]), np.concatenate([right + 1, down + columns]), count)


def _keep_edges(numbers: NDArray[np.int64], keep: float, seed: int) -> NDArray[np.bool_]:
    words = random_words(seed, 0, numbers.astype(np.uint64)) >> np.uint64(11)
    return words < np.uint64(round(keep * 2**53))


def uniform_edges(vertices: int, edges: int, seed: int = 1, *, group: Group = ALONE) -> EdgeList:
    """The edges of `gdsl.graph.uniform`; of a worker, its part of them."""
    vertices = _whole("vertices", vertices, 0, 2**31 - 1)
    pairs = vertices * (vertices - 1) // 2
    edges = _whole("edges", edges, 0, pairs)
    seed = _whole("seed", seed, 0, 2**64 - 1)
    needed = (24 * vertices + 96 * edges) // group.size
    require_memory(needed, f"a graph of {vertices:,} vertices and {edges:,} edges")
    bits = max(1, (pairs - 1).bit_length())
    numbers = permuted(np.arange(*group.part(edges), dtype=np.uint64), bits, seed)
    # A number beyond the pairs moves along its cycle of the permutation, which leads to a pair.
    outside = np.flatnonzero(numbers >= np.uint64(pairs)) if pairs else np.empty(0, np.int64)
    while len(outside):
        moved = permuted(numbers[outside], bits, seed)
        numbers[outside] = moved
        outside = outside[moved >= np.uint64(pairs)]
    return _undirected(*_pair(numbers.astype(np.int64)), vertices)


def _pair(numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(low, high) of the pairs in the order 01 02 12 03 13 23 …: number high (high - 1) / 2 + low."""
    high = ((1 + np.sqrt(1 + 8 * numbers.astype(np.float64))) / 2).astype(np.int64)
    # The square root is rounded: at most one step is wrong.
    high -= high * (high - 1) // 2 > numbers
    high += high * (high + 1) // 2 <= numbers
    return numbers - high * (high - 1) // 2, high


def _undirected(low: NDArray[np.int64], high: NDArray[np.int64], count: int) -> EdgeList:
    dtype = id_dtype(count)
    return EdgeList(low.astype(dtype, copy=False), high.astype(dtype, copy=False), count, directed=False)


def looks_like_generator(text: str) -> bool:
    """Whether `text` begins like `rmat:`, `grid:` or `uniform:`."""
    return _SPEC.fullmatch(text) is not None


def edges_of_spec(spec: str, group: Group = ALONE) -> EdgeList:
    """The edges of `gdsl.graph.generate`, or the share of a worker: an edge of R-MAT may be in several shares."""
    if not isinstance(spec, str):
        raise TypeError(f"a generator is named by a str, not {shown(spec)}")
    if not looks_like_generator(spec):
        _refuse(f"`{spec}` is not a generator", "rmat:SCALE, grid:SIDE or uniform:VERTICES:EDGES")
    kind, *words = spec.split(":")
    numbers = [word for word in words if "=" not in word]
    named = dict(word.split("=", 1) for word in words if "=" in word)
    if len(numbers) + len(named) != len(words):
        _refuse(f"`{spec}` sets something twice", f"write it as {_MAKERS[kind].form}")
    if kind == "grid" and len(numbers) == 1 and "x" in numbers[0]:
        numbers = numbers[0].split("x")
    maker = _MAKERS[kind]
    fits = len(maker.required) <= len(numbers) <= len(maker.required + maker.optional)
    if not fits or not named.keys() <= {*maker.keywords}:
        _refuse(f"`{spec}` is not of the form of this generator", f"write it as {_MAKERS[kind].form}")
    keywords: dict[str, Any] = {name: _number(spec, word, name == "keep") for name, word in named.items()}
    return maker.make(*(_number(spec, word, False) for word in numbers), **keywords, group=group)


class _Maker(NamedTuple):
    """A generator: its options, those that a word gives by their places and those by name, and the form of the word."""

    make: Callable[..., EdgeList]
    required: tuple[str, ...]
    optional: tuple[str, ...]
    keywords: tuple[str, ...]
    form: str


_GRID_FORM = "grid:SIDE or grid:ROWSxCOLUMNS, with [:keep=P][:seed=N]"
_MAKERS = {
    "rmat": _Maker(rmat_edges, ("scale",), ("edge_factor",), ("seed",), "rmat:SCALE[:EDGE_FACTOR][:seed=N]"),
    "grid": _Maker(grid_edges, ("rows",), ("columns",), ("keep", "seed"), _GRID_FORM),
    "uniform": _Maker(uniform_edges, ("vertices", "edges"), (), ("seed",), "uniform:VERTICES:EDGES[:seed=N]"),
}


def generate_edges(spec: str, options: dict[str, Any]) -> EdgeList:
    """The edges of `Graph.generate`."""
    if not isinstance(spec, str) or looks_like_generator(spec):
        if options and isinstance(spec, str):
            raise TypeError(f"{shown(spec)} contains all options; pass options only with the name of a generator")
        return edges_of_spec(spec)
    if spec not in _MAKERS:
        close = difflib.get_close_matches(spec[:100], _MAKERS, n=1)
        _refuse(
            f"{shown(spec)} is not a generator",
            f"did you mean {close[0]!r}?" if close else f"one of {', '.join(_MAKERS)}",
        )
    maker = _MAKERS[spec]
    known = maker.required + maker.optional + maker.keywords
    unknown = [name for name in options if name not in known]
    missing = [name for name in maker.required if name not in options]
    if unknown or missing:
        wrong = f"not {unknown[0]!r}" if unknown else f"and {missing[0]!r} is missing"
        raise TypeError(f"{spec} takes {', '.join(known)}, {wrong}")
    return maker.make(**options)


def refuse_for_generators(one_based: object, num_vertices: object) -> None:
    """Raise E0712 for options that generated graphs do not take."""
    if one_based or num_vertices is not None:
        message = "one_based, num_vertices and directed are for edge lists, not for generated graphs"
        raise GdslError.single("E0712", message)


def _number(spec: str, word: str, real: bool) -> Any:
    if re.fullmatch(r"[0-9]{1,20}", word):
        return int(word)
    if real and re.fullmatch(r"[0-9]*\.?[0-9]+", word):
        return float(word)
    what = "number of digits and at most one point" if real else "whole number of up to 20 digits"
    return _refuse(
        f"`{printable(word)}` in `{printable(spec)}` is not a {what}", f"write it as {_MAKERS[spec.split(':')[0]].form}"
    )


def _whole(name: str, value: int, lowest: int, highest: int) -> int:
    if not is_whole(value) or not lowest <= value <= highest:
        _refuse(f"{name} is {shown(value)}", f"{name} is a whole number from {lowest:,} to {highest:,}")
    return int(value)


def _refuse(message: str, fix: str) -> NoReturn:
    raise GdslError.single("E0713", message, fix=fix)
