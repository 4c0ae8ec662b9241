"""Each operation, for each type, on single values and on whole arrays, defined once for both.

Numbers are NumPy's of their type's dtype (single values or arrays), a bool is a Python or NumPy bool. Ids may be
anything that compares: only comparisons, `min` and `max` are defined on them. Call these functions under
`numpy.errstate(all="ignore")`: infinities, NaN and integers that wrap are ordinary here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy

from gdsl.arithmetic import pairs, random
from gdsl.arithmetic.constants import integer_range
from gdsl.operations import BinaryOperation, Builtin, UnaryOperation
from gdsl.types import Type

Value = Any
"""A single value or an array."""

UnaryFunction = Callable[[Value], Value]
BinaryFunction = Callable[[Value, Value], Value]

_DIRECT: dict[BinaryOperation, BinaryFunction] = {
    BinaryOperation.EQUAL: operator.eq,
    BinaryOperation.NOT_EQUAL: operator.ne,
    BinaryOperation.LESS: operator.lt,
    BinaryOperation.LESS_EQUAL: operator.le,
    BinaryOperation.GREATER: operator.gt,
    BinaryOperation.GREATER_EQUAL: operator.ge,
    BinaryOperation.BIT_AND: operator.and_,
    BinaryOperation.BIT_OR: operator.or_,
    BinaryOperation.BIT_XOR: operator.xor,
    BinaryOperation.ADD: operator.add,
    BinaryOperation.SUBTRACT: operator.sub,
    BinaryOperation.MULTIPLY: operator.mul,
    BinaryOperation.DIVIDE: operator.truediv,
}
"""Operations that NumPy does as the language does: integers wrap, floats are rounded to their type."""


_EXACT = (Builtin.FLOOR, Builtin.CEIL, Builtin.TRUNC, Builtin.SQRT)
_OF_BITS = (Builtin.POPCOUNT, Builtin.CTZ)
_MODULE_NAMES = {
    Builtin.ASIN: "arcsin",
    Builtin.ACOS: "arccos",
    Builtin.ATAN: "arctan",
    Builtin.ATAN2: "arctan2",
}
"""NumPy's names for some functions."""


def typed(type_: Type) -> Callable[[Any], Any]:
    """NumPy's scalar type for a number type, which also converts Python's numbers that fit."""
    convert: Callable[[Any], Any] = numpy.dtype(type_.name).type
    return convert


def smallest(type_: Type) -> Value:
    """The smallest value of a number type: minus infinity of a float."""
    return typed(type_)(-numpy.inf if type_.is_float else integer_range(type_)[0])


def largest(type_: Type) -> Value:
    """The largest value of a number type, its `inf`."""
    return typed(type_)(numpy.inf if type_.is_float else integer_range(type_)[1])


@dataclass(frozen=True)
class Arithmetic:
    """The operations on one form of values.

    `choose(condition, yes, no)` selects one of two values (of each element), `caster(type)` returns the function that
    converts to another type as C's casts do where those are defined, `word` converts an integer to a word, and `module`
    is numpy or cupy.
    """

    module: Any
    choose: Callable[[Value, Value, Value], Value]
    caster: Callable[[Type], UnaryFunction]
    word: UnaryFunction

    # Operators

    def unary(self, operation: UnaryOperation) -> UnaryFunction:
        """The function of `operation`."""
        if operation is UnaryOperation.NOT:
            return lambda value: value ^ True
        return operator.neg if operation is UnaryOperation.NEGATE else operator.invert

    def binary(self, operation: BinaryOperation, type_: Type, right: Type | None = None) -> BinaryFunction:
        """The function of `operation` (not `&&`, `||`) for operands of `type_`; `right` is the type of a shift's
        count."""
        if type_.is_pair:
            return pairs.comparison(operation)
        if operation in _DIRECT:
            return _DIRECT[operation]
        if operation is BinaryOperation.MODULO and type_.is_float:
            fmod: BinaryFunction = self.module.fmod
            return fmod
        makers = {
            BinaryOperation.ADD_SATURATING: self._saturating_sum,
            BinaryOperation.SUBTRACT_SATURATING: self._saturating_difference,
            BinaryOperation.INTEGER_DIVIDE: self._quotient,
            BinaryOperation.MODULO: self._remainder,
        }
        if operation in makers:
            return makers[operation](type_)
        shift = operator.lshift if operation is BinaryOperation.SHIFT_LEFT else operator.rshift
        count = self._shift_count(type_, right or type_)
        return lambda a, b: shift(a, count(b))

    def _saturating_sum(self, type_: Type) -> BinaryFunction:
        choose, zero, low, inf = self.choose, typed(type_)(0), smallest(type_), largest(type_)

        def add(a: Value, b: Value) -> Value:
            wrapped = a + b
            clamped = choose(b < zero, choose(wrapped > a, low, wrapped), choose(wrapped < a, inf, wrapped))
            return choose((a == inf) | (b == inf), inf, clamped)

        return add

    def _saturating_difference(self, type_: Type) -> BinaryFunction:
        choose, zero, low, inf = self.choose, typed(type_)(0), smallest(type_), largest(type_)

        def subtract(a: Value, b: Value) -> Value:
            wrapped = a - b
            clamped = choose(b < zero, choose(wrapped < a, inf, wrapped), choose(wrapped > a, low, wrapped))
            return choose(a == inf, inf, choose(b == inf, low, clamped))

        return subtract

    def _quotient(self, type_: Type) -> BinaryFunction:
        """Towards zero; by zero it is 0, and the smallest value by -1 wraps."""
        choose, kind, cast = self.choose, typed(type_), self.caster(type_)
        zero, one = kind(0), kind(1)
        if not type_.is_signed:
            return lambda a, b: choose(b == zero, zero, a // choose(b == zero, one, b))
        minus_one = kind(-1)

        def divide(a: Value, b: Value) -> Value:
            divisor = choose((b == zero) | (b == minus_one), one, b)
            floor = a // divisor
            rounded_down = (floor * divisor != a) & ((a < zero) ^ (divisor < zero))
            return choose(b == zero, zero, choose(b == minus_one, -a, floor + cast(rounded_down)))

        return divide

    def _remainder(self, type_: Type) -> BinaryFunction:
        """The remainder, with the sign of the left side; 0 for a division by zero."""
        choose, zero, divide = self.choose, typed(type_)(0), self._quotient(type_)
        return lambda a, b: choose(b == zero, zero, a - divide(a, b) * b)

    def _shift_count(self, type_: Type, count: Type) -> UnaryFunction:
        """The count modulo the width, in the type of what is shifted."""
        mask, cast = typed(count)((type_.bits or 0) - 1), self.caster(type_)
        if count is type_:
            return lambda value: value & mask
        return lambda value: cast(value & mask)

    # Functions

    def builtin(self, function: Builtin, type_: Type) -> Callable[..., Value]:
        """The function of the built-in `function` for arguments, the first of which has `type_`."""
        if function.is_random:
            return self._random(function, type_)
        if function in _OF_BITS:
            return self._of_bits(function, type_)
        if function is Builtin.MIN:
            return pairs.minimum(self.choose) if type_.is_pair else self.minimum
        if function is Builtin.MAX:
            return pairs.maximum(self.choose) if type_.is_pair else self.maximum
        if function is Builtin.ABS:
            return self._absolute(type_)
        if function is Builtin.POW:
            return self._power(type_)
        operation: Callable[..., Value] = getattr(self.module, _MODULE_NAMES.get(function, function.value))
        return operation if function in _EXACT else self._wider(operation, type_)

    def minimum(self, a: Value, b: Value) -> Value:
        """The smaller value; of a number and NaN the number, of equal ones the first."""
        return self.choose((b < a) | (a != a), b, a)

    def maximum(self, a: Value, b: Value) -> Value:
        """The larger value; of a number and NaN the number, of equal ones the first."""
        return self.choose((a < b) | (a != a), b, a)

    def _absolute(self, type_: Type) -> UnaryFunction:
        if type_.is_float:
            return operator.abs
        choose, zero = self.choose, typed(type_)(0)
        return (lambda value: choose(value < zero, -value, value)) if type_.is_signed else (lambda value: value)

    def _wider(self, function: Callable[..., Value], type_: Type) -> Callable[..., Value]:
        """`function` by way of float64, so that a float32 is as exact as it can be."""
        if type_ is Type.FLOAT64:
            return function
        widen, narrow = self.caster(Type.FLOAT64), self.caster(type_)
        return lambda *values: narrow(function(*map(widen, values)))

    def _power(self, type_: Type) -> BinaryFunction:
        """C's `pow`. For a base that is not positive it uses the absolute value, which NumPy's shortcuts do not
        affect."""
        choose, kind, module = self.choose, typed(type_), self.module
        size = self._wider(module.power, type_)
        zero, two, inf, nan = kind(0), kind(2), kind(numpy.inf), kind(numpy.nan)

        def power(base: Value, exponent: Value) -> Value:
            result = size(operator.abs(base), exponent)
            whole = module.floor(exponent) == exponent
            odd = whole & (module.fmod(operator.abs(exponent), two) == kind(1))
            defined = whole | (base == zero) | (base == -inf)
            below = module.signbit(base) & (base == base)
            return choose(below, choose(odd, -result, choose(defined, result, nan)), result)

        return power

    def _of_bits(self, function: Builtin, type_: Type) -> UnaryFunction:
        """`popcount` and `ctz`: subtracting 1 flips the bits below the lowest one."""
        word, cast, own = self.word, self.caster(Type.INT32), (1 << (type_.bits or 64)) - 1
        ones = random.ones
        if function is Builtin.POPCOUNT:
            return lambda value: cast(ones(word(value) & own))
        return lambda value: cast(ones((word(value) & own) + own & own & ~word(value)))

    def _random(self, function: Builtin, type_: Type) -> Callable[..., Value]:
        """The random numbers: the same for the same keys, which are int64."""
        word, choose = self.word, self.choose

        def bits(*keys: Value) -> Value:
            return random.bits_of(random.drawn([word(key) for key in keys]))

        if function is Builtin.RANDOM_BITS:
            whole = self.caster(Type.UINT64)
            return lambda *keys: whole(bits(*keys))
        if function is Builtin.RANDOM:
            cast, unit = self.caster(Type.FLOAT32), typed(Type.FLOAT32)(2.0**-24)
            return lambda *keys: cast(bits(*keys) >> 40) * unit
        zero, own = typed(type_)(0), self.caster(type_)

        def below(limit: Value, *keys: Value) -> Value:
            some = limit > zero
            block = random.drawn([word(key) for key in keys])
            number = random.below(choose(some, word(limit), word(zero) + 1), block, choose, self.module.any)
            return choose(some, own(number), zero)

        return below

    # Conversions of numbers and bools

    def convert(self, source: Type, target: Type) -> UnaryFunction:
        """A cast between number types and bool: floats are rounded; as an integer a float loses its fraction, becomes
        the nearest value where it does not fit, and 0 where it is NaN; integers wrap; as a bool what is not 0 is true.
        """
        if source is target:
            return lambda value: value
        if target is Type.BOOL:
            zero = typed(source)(0)
            return lambda value: value != zero
        if source.is_float and target.is_integer:
            return self._truncated(source, target)
        return self.caster(target)

    def _truncated(self, source: Type, target: Type) -> UnaryFunction:
        choose, kind, cast = self.choose, typed(source), self.caster(target)
        low, high = smallest(target), largest(target)
        below, above, zero = kind(int(low)), kind(float(int(high) + 1)), kind(0)

        def convert(value: Value) -> Value:
            inside = choose((value > below) & (value < above), value, zero)
            return choose(value >= above, high, choose(value <= below, low, cast(inside)))

        return convert


def _choose_one(condition: Any, yes: Value, no: Value) -> Value:
    return yes if condition else no


def _one_word(value: Value) -> int:
    return int(value) & random.ALL


SINGLE = Arithmetic(numpy, _choose_one, typed, _one_word)
"""The operations on single values."""


@cache
def of_arrays(module: Any = numpy) -> Arithmetic:
    """The operations on arrays of `module`, numpy or cupy."""

    def caster(type_: Type) -> UnaryFunction:
        dtype = numpy.dtype(type_.name)
        return lambda values: values.astype(dtype, copy=False)

    return Arithmetic(module, module.where, caster, caster(Type.UINT64))
