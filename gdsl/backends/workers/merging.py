"""How the values that several workers wrote to one element become one: in the order of ranks, for the same bits
everywhere, and with the arithmetic of generated code.

A place is the number of a value in an array. A pair has one or two words of 64 bits a value, which order as it does.
Arrays are NumPy's, or CuPy's in the memory of a GPU: NumPy's functions pass these on to CuPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.backends.pairs import words_of
from gdsl.graph.shares import GraphShare
from gdsl.ir.nodes import Array
from gdsl.operations import Domain, ReduceOperation
from gdsl.plan.exchange_nodes import Exchanged, How
from gdsl.types import Type, Widths

Part = tuple[NDArray[np.int64], NDArray[Any]]
"""Places, ascending and each once, and the values there."""


@dataclass(frozen=True, slots=True)
class Field:
    """An array or scalar of the program as exchanges see it. `places`: per worker, the place of the first value that it
    owns, and where the last worker's end; None for a scalar. `words`: of a pair; 0 for other types. `count`: values of
    an element, a vertex or (`of_edges`) an edge."""

    name: str
    kind: Type
    dtype: np.dtype[Any]
    places: NDArray[np.int64] | None
    words: int = 0
    count: int = 1
    of_edges: bool = False

    @property
    def width(self) -> int:
        """The items of `dtype` that a value has."""
        return max(self.words, 1)


def field_of(
    share: GraphShare, name: str, kind: Type, dtype: np.dtype[Any], widths: Widths, array: Array | None, count: int
) -> Field:
    """What `name` is in exchanges: an `array` whose elements have `count` values, or a scalar."""
    words = words_of(kind, widths) if kind.is_pair else 0
    if array is None:
        return Field(name, kind, dtype, None, words)
    of_edges = array.domain is Domain.EDGE
    places = (share.edge_boundaries if of_edges else share.boundaries) * count
    return Field(name, kind, dtype, places, words, count, of_edges)


def start_of(each: Exchanged, field: Field) -> Any | None:
    """What a worker's part of a sum or product begins with, where it cannot be found from the result and the value
    before; None elsewhere."""
    if each.how is not How.MERGE:
        return None
    if each.operation is ReduceOperation.MULTIPLY:
        return field.dtype.type(1)
    if each.operation is not ReduceOperation.ADD or not field.kind.is_float:
        return None
    return field.dtype.type(-0.0)  # what adds nothing to any value: -0.0 + 0.0 is 0.0


def changed_places(values: NDArray[Any], before: Any, words: int) -> NDArray[np.int64]:
    """Where values have other bits than `before`, an array or one value of the same type."""
    return np.flatnonzero(differing(values, before, words))


def differing(values: NDArray[Any], before: Any, words: int) -> NDArray[np.bool_]:
    """bool[n]: whether each element differs from what it was `before`; `words` numbers are one element."""
    bits = np.dtype(f"u{values.dtype.itemsize}")
    differs: Any = values.view(bits) != before.view(bits)
    mask: NDArray[np.bool_] = differs.reshape(-1, words).any(axis=1) if words > 1 else differs
    return mask


def taken(values: NDArray[Any], places: NDArray[np.int64], words: int) -> NDArray[Any]:
    """The values at some places."""
    found: NDArray[Any] = values.reshape(-1, words)[places].reshape(-1) if words > 1 else values[places]
    return found


def put(values: NDArray[Any], places: NDArray[np.int64], changed: NDArray[Any], words: int) -> None:
    """Store values at some places."""
    if words > 1:
        values.reshape(-1, words)[places] = changed.reshape(-1, words)
    else:
        values[places] = changed


def places_of(elements: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The places of the values of some elements, each of which has `count`."""
    if count == 1:
        return elements
    return (elements[:, None] * count + np.arange(count)).reshape(-1)


@dataclass(frozen=True, slots=True)
class Noted:
    """Values before a step: those from the place `first` on, or, if they are few, those at `places`, ascending."""

    values: NDArray[Any]
    first: int
    places: NDArray[np.int64] | None
    words: int
    is_whole: bool = False
    """Whether it has the values at all places."""

    @classmethod
    def of(cls, values: NDArray[Any], first: int, last: int, words: int) -> Noted:
        """The values from one place to before another."""
        width = max(words, 1)
        is_whole = (last - first) * width == len(values)
        return cls(values[first * width : last * width].copy(), first, None, words, is_whole)

    @classmethod
    def at(cls, values: NDArray[Any], places: NDArray[np.int64], words: int) -> Noted:
        """The values at some places."""
        return cls(taken(values, places, words), 0, places, words)

    def _now(self, values: NDArray[Any]) -> NDArray[Any]:
        """The values of today that were noted."""
        if self.places is not None:
            return taken(values, self.places, self.words)
        first = self.first * max(self.words, 1)
        return values[first : first + len(self.values)]

    def changed(self, values: NDArray[Any], start: Any | None) -> NDArray[np.int64]:
        """The places where values differ from those noted, or, where they began anew, from `start`."""
        places = changed_places(self._now(values), self.values if start is None else start, self.words)
        return self.places[places] if self.places is not None else places + self.first

    def before(self, values: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
        """The values before the step at some places; those that were not noted have not changed."""
        if self.places is None:
            return taken(self.values, places - self.first, self.words)
        result = taken(values, places, self.words)
        if len(self.places):
            at = np.minimum(np.searchsorted(self.places, places), len(self.places) - 1)
            known = np.flatnonzero(self.places[at] == places)
            put(result, known, taken(self.values, at[known], self.words), self.words)
        return result

    def fill(self, values: NDArray[Any], value: Any) -> None:
        """Store one value, a scalar of NumPy of the same type, wherever values were noted. Its bits are stored, as
        CuPy takes -0.0 for a zero and clears the memory instead."""
        bits = np.dtype(f"u{values.dtype.itemsize}")
        if self.places is not None:
            values.view(bits)[self.places] = value.view(bits)
        else:
            self._now(values).view(bits)[:] = value.view(bits)

    def restore(self, values: NDArray[Any]) -> None:
        """Store the values that were noted."""
        if self.places is not None:
            put(values, self.places, self.values, self.words)
        else:
            self._now(values)[:] = self.values


def contribution(
    each: Exchanged, field: Field, values: NDArray[Any], before: Noted, places: NDArray[np.int64]
) -> NDArray[Any]:
    """What a worker sends of its values at `places`: the difference, where that is exact, otherwise the values."""
    contributed = taken(values, places, field.words)
    if start_of(each, field) is not None:
        return contributed
    return difference(each.operation, contributed, before.before(values, places))


def difference(operation: ReduceOperation | None, values: NDArray[Any], before: NDArray[Any]) -> NDArray[Any]:
    """What was added to `before`, or the bits that have changed; otherwise the values."""
    if operation is ReduceOperation.ADD:
        bits = np.dtype(f"u{values.dtype.itemsize}")
        added: NDArray[Any] = (values.view(bits) - before.view(bits)).view(values.dtype)
        return added
    return np.bitwise_xor(values, before) if operation is ReduceOperation.BIT_XOR else values


def combined(each: Exchanged, field: Field, now: NDArray[Any], before: Noted, parts: Sequence[Part]) -> Part:
    """Where any of `parts`, by rank, has a value, and the value of all of them and the one before; `now` are the values
    of this worker."""
    places = np.unique(np.concatenate([place for place, _ in parts]))
    result = before.before(now, places)
    waiting = np.ones_like(places, dtype=bool)
    for own, values in parts:
        at = np.searchsorted(places, own)
        if each.operation is None:  # the first of any values
            first = waiting[at]
            put(result, at[first], taken(values, np.flatnonzero(first), field.words), field.words)
            waiting[at] = False
            continue
        former = taken(result, at, field.words)
        put(result, at, combine(each.operation, field, former, values), field.words)
    return places, result


def combined_scalar(
    each: Exchanged, field: Field, before: NDArray[Any], values: Sequence[NDArray[Any]]
) -> NDArray[Any]:
    """The value of a scalar, an array of one element (of as many words as its field has), from its value `before` and
    the `values` of all workers by rank."""
    noted = Noted.of(before, 0, 1, field.words)
    parts = []
    for value in values:
        places = noted.changed(value, start_of(each, field))
        parts.append((places, contribution(each, field, value, noted, places)))
    places, result = combined(each, field, before, noted, parts)
    return result if len(places) else before


def combine(operation: ReduceOperation, field: Field, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """Two arrays of values, element by element."""
    if operation in (ReduceOperation.MIN, ReduceOperation.MAX):
        return _extreme(operation is ReduceOperation.MIN, field, left, right)
    with np.errstate(all="ignore"):
        result: NDArray[Any] = _COMBINING[operation](left, right)
        return result


_COMBINING = {
    ReduceOperation.ADD: np.add,
    ReduceOperation.MULTIPLY: np.multiply,
    ReduceOperation.BIT_AND: np.bitwise_and,
    ReduceOperation.BIT_OR: np.bitwise_or,
    ReduceOperation.BIT_XOR: np.bitwise_xor,
}


def _extreme(least: bool, field: Field, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """The smaller or larger values. A NaN is neither; ids compare without sign, so that `none` is the largest."""
    if field.words:
        return _extreme_pairs(least, field, left, right)
    if field.kind.is_id:
        bits = np.dtype(f"u{field.dtype.itemsize}")
        left, right = left.view(bits), right.view(bits)
    function = (np.fmin if least else np.fmax) if field.dtype.kind == "f" else np.minimum if least else np.maximum
    result: NDArray[Any] = function(left, right).view(field.dtype)
    return result


def _extreme_pairs(least: bool, field: Field, left: NDArray[Any], right: NDArray[Any]) -> NDArray[Any]:
    """The same of pairs, as `lower_wins` of the runtime compares them: -0.0 equals 0.0, and any other pair wins over
    one with a NaN in either part."""
    (first, second, is_nan), (others, seconds, are_nan) = (_ranks(each, field) for each in (left, right))
    less = others < first if least else others > first
    less |= (others == first) & (seconds < second if least else seconds > second)
    takes = (less | is_nan) & ~are_nan
    rows = (each.reshape(-1, field.words) for each in (right, left))
    return np.where(takes[:, None], *rows).reshape(-1)


def _ranks(words: NDArray[Any], field: Field) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_]]:
    """Both parts of pairs as numbers that order as the values do (`rank_of` of the runtime), and which have a NaN."""
    halves = words.view(np.uint32) if field.words == 1 else words
    ranks = [halves[1::2], halves[0::2]] if field.words == 1 else [halves[0::2], halves[1::2]]
    nan = np.zeros_like(ranks[0], dtype=np.bool_)
    for place, part in enumerate(field.kind.parts):
        if part.is_float:
            zero, infinity = (1 << 31, 0x7F800000) if part is Type.FLOAT32 else (1 << 63, 0x7FF << 52)
            kind, rank = ranks[place].dtype.type, ranks[place]
            nan |= (rank > kind(zero + infinity)) | (rank < kind(zero - 1 - infinity))
            ranks[place] = np.where(rank == kind(zero - 1), kind(zero), rank)
    return ranks[0], ranks[1], nan


def union(parts: Sequence[NDArray[Any]], count: int) -> NDArray[Any]:
    """The members that any of `parts` has, ascending; ids below `count`."""
    members = np.concatenate(parts)
    if len(members) < count // 16:
        return np.unique(members)
    marks = np.zeros_like(members, dtype=bool, shape=count)
    marks[members] = True
    return np.flatnonzero(marks).astype(members.dtype)
