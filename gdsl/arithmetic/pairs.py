"""The operations on pairs: `(first, second)` as Python tuples of the values of `operations`.

They are ordered by the first part, then by the second (false before true). A pair with NaN in any part is neither
smaller nor larger than another where that part decides, and it never wins a minimum or maximum.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gdsl.operations import BinaryOperation

Pair = tuple[Any, Any]
Choose = Callable[[Any, Any, Any], Any]
"""`(condition, yes, no)`: one of two values (of each element)."""


def comparison(operation: BinaryOperation) -> Callable[[Pair, Pair], Any]:
    """The function of a comparison for two pairs."""
    return _COMPARISONS[operation]


def _equal(a: Pair, b: Pair) -> Any:
    return (a[0] == b[0]) & (a[1] == b[1])


def _less(a: Pair, b: Pair) -> Any:
    return (a[0] < b[0]) | ((a[0] == b[0]) & (a[1] < b[1]))


def _at_most(a: Pair, b: Pair) -> Any:
    return (a[0] < b[0]) | ((a[0] == b[0]) & (a[1] <= b[1]))


_COMPARISONS: dict[BinaryOperation, Callable[[Pair, Pair], Any]] = {
    BinaryOperation.EQUAL: _equal,
    BinaryOperation.NOT_EQUAL: lambda a, b: _equal(a, b) ^ True,
    BinaryOperation.LESS: _less,
    BinaryOperation.LESS_EQUAL: _at_most,
    BinaryOperation.GREATER: lambda a, b: _less(b, a),
    BinaryOperation.GREATER_EQUAL: lambda a, b: _at_most(b, a),
}


def _has_nan(a: Pair) -> Any:
    return (a[0] != a[0]) | (a[1] != a[1])


def chosen(choose: Choose, condition: Any, yes: Pair, no: Pair) -> Pair:
    """One of two pairs (for each element)."""
    return choose(condition, yes[0], no[0]), choose(condition, yes[1], no[1])


def minimum(choose: Choose) -> Callable[[Pair, Pair], Pair]:
    """The smaller pair; of one with NaN and one without the latter, of two equal ones or two with NaN the first."""
    return lambda a, b: chosen(choose, (_has_nan(b) ^ True) & (_less(b, a) | _has_nan(a)), b, a)


def maximum(choose: Choose) -> Callable[[Pair, Pair], Pair]:
    """The larger pair; of one with NaN and one without the latter, of two equal ones or two with NaN the first."""
    return lambda a, b: chosen(choose, (_has_nan(b) ^ True) & (_less(a, b) | _has_nan(a)), b, a)
