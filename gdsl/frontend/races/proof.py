"""What can be shown about a condition without running the program: true, false, or nothing.

Intervals, equal terms, equal bases with different constants added, and that the ids of a call are never `none`. What is
not shown stays unknown, so a proof here may be relied upon.
"""

from __future__ import annotations

from gdsl.frontend.races.terms import Apply, Constant, DegreeOf, End, Place, Term, Uniform
from gdsl.types import ScalarType

Interval = tuple[int | float, int | float]

_MOST_PASSES = 2**31 - 2**16
"""No run gets so far (`iteration` is an int32 and each pass takes longer than a microsecond)."""

_SATURATING = ("+|", "-|")
"""Sums and differences that stop at the ends of their type, and for which `inf` stays `inf`."""

_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def decide(term: Term) -> bool | None:
    """The value of a bool term where it is the same whatever the program does; else None."""
    if isinstance(term, Constant) and isinstance(term.value, bool):
        return term.value
    if not isinstance(term, Apply):
        return None
    if term.operation == "!":
        operand = decide(term.arguments[0])
        return None if operand is None else not operand
    if term.operation in ("&&", "&", "||", "|") and term.type is ScalarType.BOOL:
        return _logical(term.operation[0] == "&", *(decide(part) for part in term.arguments))
    if term.operation == "?:":
        condition, yes, no = (decide(part) for part in term.arguments)
        if condition is not None:
            return yes if condition else no
        return yes if yes == no else None
    if term.operation in _MIRRORED:
        return _compare(term.operation, *term.arguments)
    return None


def _logical(is_and: bool, left: bool | None, right: bool | None) -> bool | None:
    decisive = not is_and
    if decisive in (left, right):
        return decisive
    return None if left is None or right is None else is_and


def differ(left: Term, right: Term) -> bool:
    """Whether two values can be shown to be different."""
    return _compare("==", left, right) is False


def _compare(operation: str, left: Term, right: Term) -> bool | None:
    if left.type is ScalarType.BOOL:
        one, other = decide(left), decide(right)
        if one is not None and other is not None:
            return _by_order(operation, int(one), int(other))
        return None
    if left == right:
        return _of_equals(operation, left.type is not None and left.type.is_float)
    if left.type is not None and left.type.is_id:
        return _compare_ids(operation, left, right)
    first, second = bounds(left), bounds(right)
    if first is not None and second is not None:
        ordered = _by_intervals(operation, first, second)
        if ordered is not None:
            return ordered
    return _by_offset(operation, left, right)


def _of_equals(operation: str, may_be_nan: bool) -> bool | None:
    if operation in ("<", ">"):
        return False
    if may_be_nan:
        return None
    return operation in ("==", "<=", ">=")


def _compare_ids(operation: str, left: Term, right: Term) -> bool | None:
    if _is_none(right) and never_none(left):
        return operation in ("!=", "<", "<=")
    if _is_none(left) and never_none(right):
        return operation in ("!=", ">", ">=")
    if isinstance(left, Constant) and isinstance(right, Constant) and None not in (left.value, right.value):
        return _by_order(operation, left.value, right.value)  # type: ignore[arg-type]
    return None


def _is_none(term: Term) -> bool:
    return isinstance(term, Constant) and term.value is None


def never_none(term: Term) -> bool:
    """Whether an id is that of a vertex or an edge for certain."""
    if isinstance(term, Constant):
        return term.value is not None
    if isinstance(term, Apply):
        if term.operation == "?:":
            return never_none(term.arguments[1]) and never_none(term.arguments[2])
        if term.operation == "min":
            return any(never_none(part) for part in term.arguments)
        return term.operation == "max" and all(never_none(part) for part in term.arguments)
    return isinstance(term, End) or (isinstance(term, Uniform) and term.is_param)


def _by_order(operation: str, left: int | float, right: int | float) -> bool:
    results: dict[str, bool] = {
        "==": left == right,
        "!=": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }
    return results[operation]


def _by_intervals(operation: str, left: Interval, right: Interval) -> bool | None:
    if left[1] < right[0] or right[1] < left[0]:
        return _by_order(operation, left[0], right[0])
    if left[0] == left[1] == right[0] == right[1]:
        return _by_order(operation, left[0], right[0])
    if left[1] == right[0] and operation in ("<=", ">"):
        return operation == "<="
    if right[1] == left[0] and operation in (">=", "<"):
        return operation == ">="
    return None


def _by_offset(operation: str, left: Term, right: Term) -> bool | None:
    if left.type is None or not left.type.is_integer:
        return None
    (base, added), (other_base, other_added) = _split(left), _split(right)
    if base != other_base:
        return None
    bits = left.type.bits or 64
    if operation in ("==", "!="):
        same = (added - other_added) % (1 << bits) == 0
        return same == (operation == "==")
    fits = bounds(base)
    limits = _limits(left.type)
    if fits is None or limits is None:
        return None
    for offset in (added, other_added):
        if fits[0] + offset < limits[0] or fits[1] + offset > limits[1]:
            return None
    return _by_order(operation, added, other_added)


def _split(term: Term) -> tuple[Term, int]:
    """`term` as a base and a constant added to it."""
    if isinstance(term, Apply) and _adds(term):
        left, right = term.arguments
        plus = term.operation[0] == "+"
        if isinstance(right, Constant) and isinstance(right.value, int):
            base, added = _split(left)
            return base, added + (right.value if plus else -right.value)
        if isinstance(left, Constant) and isinstance(left.value, int) and plus:
            base, added = _split(right)
            return base, added + left.value
    return term, 0


def _adds(term: Apply) -> bool:
    """Whether `term` is a sum or difference modulo its width; a saturating one is where it cannot reach an end."""
    if len(term.arguments) != 2 or term.operation not in ("+", "-", *_SATURATING):
        return False
    if term.operation not in _SATURATING:
        return True
    made, limits = _interval_of_operation(term), _limits(term.type)
    return made is not None and limits is not None and limits[0] <= made[0] and made[1] <= limits[1]


def _limits(kind: ScalarType | None) -> Interval | None:
    if kind is None or not kind.is_integer:
        return None
    bits = kind.bits or 64
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if kind.is_signed else (0, 2**bits - 1)


def bounds(term: Term) -> Interval | None:
    """Bounds of a number that is not NaN; None where there may be none."""
    limits = _limits(term.type)
    if isinstance(term, Constant):
        value = term.value
        return None if value is None or isinstance(value, bool) or value != value else (value, value)
    if isinstance(term, Uniform):
        known = {"iteration": (0, _MOST_PASSES), "num_vertices": (0, 2**62), "num_edges": (0, 2**62)}
        return limits if term.is_param else known.get(term.name, limits)
    if isinstance(term, DegreeOf | Place):
        return (0, 2**31 - 1)
    if isinstance(term, Apply):
        made = _interval_of_operation(term)
        if made is not None and (limits is None or (limits[0] <= made[0] and made[1] <= limits[1])):
            return made
    return limits


def _interval_of_operation(term: Apply) -> Interval | None:
    intervals = [bounds(part) for part in term.arguments]
    if term.operation == "?:":
        intervals = intervals[1:]
    if any(interval is None or abs(interval[0]) == float("inf") or abs(interval[1]) == float("inf")
           for interval in intervals):  # fmt: skip
        return None
    known = [interval for interval in intervals if interval is not None]
    if term.operation in _SATURATING:
        limits = _limits(term.type)
        if limits is None or any(interval[1] >= limits[1] for interval in known):
            return None
        return _interval_of_two(term.operation[0], known[0], known[1])
    if term.operation == "convert":
        number = term.arguments[0].type is not None and term.arguments[0].type.is_integer
        return known[0] if number else None
    if term.operation == "?:":
        return (min(known[0][0], known[1][0]), max(known[0][1], known[1][1]))
    if len(known) == 1:
        return (-known[0][1], -known[0][0]) if term.operation == "-" else None
    if len(known) == 2:
        return _interval_of_two(term.operation, known[0], known[1])
    return None


def _interval_of_two(operation: str, left: Interval, right: Interval) -> Interval | None:
    if operation == "+":
        return (left[0] + right[0], left[1] + right[1])
    if operation == "-":
        return (left[0] - right[1], left[1] - right[0])
    if operation == "*":
        corners = [one * other for one in left for other in right]
        return (min(corners), max(corners))
    if operation in ("min", "max"):
        pick = min if operation == "min" else max
        return (pick(left[0], right[0]), pick(left[1], right[1]))
    if operation == "%" and left[0] >= 0 and right[0] > 0:
        return (0, right[1] - 1 if isinstance(right[1], int) else right[1])
    return None
