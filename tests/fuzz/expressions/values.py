"""What expressions are worth, by the language's page alone: shares no code with the compiler, on purpose.

Integers and bools are Python's, floats NumPy's single values of their type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy
from oracles import philox as draws

from fuzz.expressions.trees import BITS, FLOATS, INTEGERS, SIGNED, Function, Tree

Value = Any

OF_INTEGERS = ("popcount", "ctz", *draws.WORDS)
"""Functions whose arguments have types of their own."""
FLOAT = {"float32": numpy.float32, "float64": numpy.float64}
_ORDER = ("int32", "uint32", "int64", "uint64", "float32", "float64")


def limits(type_: str) -> tuple[int, int]:
    """The smallest and the largest integer of a type."""
    signed = type_ in SIGNED
    return (-(1 << BITS[type_] - 1) if signed else 0), (1 << BITS[type_] - signed) - 1


def wrapped(value: int, type_: str) -> int:
    """`value` modulo the width of an integer type."""
    value &= (1 << BITS[type_]) - 1
    return value - (1 << BITS[type_]) if type_ in SIGNED and value >> BITS[type_] - 1 else value


def cast(value: Value, type_: str) -> Value:
    """A change of type: rounded once, the nearest integer that fits, NaN as 0, integers modulo their width."""
    if type_ == "bool":
        return bool(value != 0)
    if type_ in FLOATS:
        return _to_float(value, type_)
    if isinstance(value, bool | int):
        return wrapped(int(value), type_)
    low, high = limits(type_)
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return high if value > 0 else low
    return max(low, min(high, math.trunc(float(value))))


def _to_float(value: Value, type_: str) -> Value:
    if isinstance(value, bool | int):
        size = abs(int(value))
        if type_ == "float32" and size.bit_length() > 53:
            # Rounded once: what a float64 would lose is kept as a last bit that cannot tip the float32.
            low = (1 << size.bit_length() - 50) - 1
            size = (size | low) ^ low | (low + 1 if size & low else 0)
        return FLOAT[type_](float(size if value >= 0 else -size))
    return FLOAT[type_](value)


@dataclass
class Evaluation:
    """Evaluates trees. `leaves` are the values of elements, params and so on by their word."""

    leaves: Mapping[str, Value]
    saturating: frozenset[str]
    functions: Mapping[str, Function]
    wraps: bool = field(default=False)

    def value(self, tree: Tree) -> Value:
        """The value of `tree`."""
        found: Callable[[Tree], Value] | None = getattr(self, f"_{tree.kind}", None)
        return found(tree) if found is not None else self.leaves[tree.word]

    def _literal(self, tree: Tree) -> Value:
        if tree.type == "bool":
            return tree.word == "true"
        if tree.type in FLOATS:
            fraction = any(letter in tree.word for letter in ".einf")
            return cast(numpy.float64(tree.word) if fraction else int(tree.word), tree.type)
        return limits(tree.type)[1] if tree.word == "inf" else int(tree.word)

    _bare = _literal

    def _cast(self, tree: Tree) -> Value:
        return cast(self.value(tree.parts[0]), tree.type)

    def _wrap(self, tree: Tree) -> Value:
        before, self.wraps = self.wraps, True
        value = self.value(tree.parts[0])
        self.wraps = before
        return value

    def _call(self, tree: Tree) -> Value:
        function = self.functions[tree.word]
        values = {f"x{i}": self.value(part) for i, part in enumerate(tree.parts)}
        return Evaluation(values, self.saturating, self.functions).value(function.body)

    def _choose(self, tree: Tree) -> Value:
        condition, yes, no = tree.parts
        return self.value(yes if self.value(condition) else no)

    def _unary(self, tree: Tree) -> Value:
        (operand,) = tree.parts
        if tree.word == "-" and operand.kind == "bare":  # belongs to the number: -0 is a whole number, and 0
            return self._literal(Tree("bare", operand.type, f"-{operand.word}"))
        value = self.value(operand)
        if tree.word == "!":
            return not value
        if tree.type in FLOATS:
            return -value
        return wrapped(-value if tree.word == "-" else ~value, tree.type)

    def _builtin(self, tree: Tree) -> Value:
        if tree.word in OF_INTEGERS:
            return _of_whole(tree.word, [self.value(part) for part in tree.parts], tree.parts[0].type)
        values = [cast(self.value(part), tree.type) for part in tree.parts]
        return function_of(tree.word, values, tree.type)

    def _binary(self, tree: Tree) -> Value:
        left, right = tree.parts
        if tree.word in ("&&", "||"):
            first = self.value(left)
            return self.value(right) if first == (tree.word == "&&") else first
        if tree.word in ("<<", ">>"):
            count = self.value(right) % BITS[tree.type]
            value = self.value(left)
            return wrapped(value << count if tree.word == "<<" else value >> count, tree.type)
        type_ = common(left.type, right.type)
        a, b = (self.value(side) if side.type == type_ else cast(self.value(side), type_) for side in tree.parts)
        if tree.word in _COMPARISONS:
            return bool(_COMPARISONS[tree.word](a, b))
        if type_ == "bool":
            return {"&": a and b, "|": a or b, "^": a != b}[tree.word]
        return _of_floats(tree.word, a, b) if type_ in FLOATS else self._of_integers(tree.word, a, b, type_)

    def _of_integers(self, word: str, a: int, b: int, type_: str) -> int:
        if word in "+-" and type_ in self.saturating and not self.wraps:
            return saturating(word, a, b, type_)
        exact = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}
        if word in exact:
            return wrapped(exact[word], type_)
        if b == 0:
            return 0
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return wrapped(quotient if word == "//" else a - b * quotient, type_)


_COMPARISONS: dict[str, Callable[[Value, Value], Any]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def common(left: str, right: str) -> str:
    """The type that both sides of an operation take: the wider one, a float where one is a float."""
    return left if left == right else max(left, right, key=_ORDER.index)


def saturating(word: str, a: int, b: int, type_: str) -> int:
    """`inf + y`, `x + inf`, `inf - y` are `inf`, `x - inf` is the smallest value, all else is clamped."""
    low, inf = limits(type_)
    if a == inf or (b == inf and word == "+"):
        return inf
    if b == inf:
        return low
    return max(low, min(inf, a + b if word == "+" else a - b))


def _of_floats(word: str, a: Value, b: Value) -> Value:
    operations = {"+": numpy.add, "-": numpy.subtract, "*": numpy.multiply, "/": numpy.divide}
    if word in operations:
        return operations[word](a, b)
    if math.isinf(a) or b == 0 or math.isnan(a) or math.isnan(b):
        return type(a)(math.nan)
    return type(a)(math.fmod(a, b)) if not math.isinf(b) else a


def function_of(word: str, values: list[Value], type_: str) -> Value:
    """A function of the language on values of one type."""
    if word in ("min", "max"):
        a, b = values
        wins = b < a if word == "min" else b > a
        return b if wins or a != a else a
    (x, *rest) = values
    if word == "abs" and type_ in INTEGERS:
        return wrapped(abs(x), type_)
    if word == "abs":
        return FLOAT[type_](math.fabs(x))
    if word in ("floor", "ceil", "trunc", "sqrt"):
        return getattr(numpy, word)(x)
    return FLOAT[type_](_nearly(word, float(x), *(float(y) for y in rest)))


def _nearly(word: str, x: float, y: float = 0.0) -> float:
    """exp, log, pow and trigonometry by the C library, with the results that Python's raise for."""
    if word not in ("exp", "log", "pow"):
        return _trigonometry(word, x, y)
    try:
        if word == "exp":
            return math.exp(x)
        if word == "log":
            return -math.inf if x == 0 else math.log(x)
        return math.pow(x, y)
    except OverflowError:
        odd = word == "pow" and math.isfinite(y) and y == math.floor(y) and math.fmod(y, 2) != 0
        return -math.inf if x < 0 and odd else math.inf
    except ValueError:
        if x == 0:
            odd = math.isfinite(y) and y == math.floor(y) and math.fmod(y, 2) != 0
            return math.copysign(math.inf, x) if odd else math.inf
        return math.nan


def _trigonometry(word: str, x: float, y: float) -> float:
    try:
        found: float = getattr(math, word)(*((x, y) if word == "atan2" else (x,)))
    except OverflowError:
        return math.copysign(math.inf, x) if word == "sinh" else math.inf
    except ValueError:  # outside of where the function is defined
        return math.nan
    return found


def _of_whole(word: str, values: list[Value], type_: str) -> Value:
    """A function of integers, of which the first is of `type_`."""
    if word in draws.WORDS:
        return draws.number(word, values)
    digits = f"{values[0] % (1 << BITS[type_]):0{BITS[type_]}b}"
    return digits.count("1") if word == "popcount" else len(digits) - len(digits.rstrip("0"))


def lowest(type_: str, values: list[Value], first: Value) -> Value:
    """What `min=` makes of `first` with each of `values`: NaN never wins, -0.0 counts as 0.0."""
    return _extreme(type_, values, first, lambda a, b: bool(a < b))


def highest(type_: str, values: list[Value], first: Value) -> Value:
    """The same for `max=`."""
    return _extreme(type_, values, first, lambda a, b: bool(a > b))


def _extreme(type_: str, values: list[Value], first: Value, wins: Callable[[Value, Value], bool]) -> Value:
    best = first
    for value in values:
        operand = FLOAT[type_](0.0) if type_ in FLOATS and value == 0 else value
        if wins(operand, best) or (best != best and operand == operand):
            best = operand
    return best
