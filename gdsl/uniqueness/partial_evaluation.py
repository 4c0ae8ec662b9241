"""Evaluates functors where little is known: numbers by their distance from a bound that stays a symbol, and words of
which not all bits are known, for `gdsl.uniqueness.first_free`.

Whatever needs to know more raises `NotProvedError`. Where a bit decides, `SplitError` says which one, so that both of
its values can be tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gdsl.effects.ranges import limits
from gdsl.ir import nodes as ir
from gdsl.operations import BinaryOperation, Builtin, ReduceOperation, UnaryOperation
from gdsl.types import Type

FAR = 1 << 70
"""Beyond every number."""


class NotProvedError(Exception):
    """The functors do something that is not understood, or not proved."""


class SplitError(Exception):
    """A bit decides."""

    def __init__(self, bit: int) -> None:
        super().__init__()
        self.bit = bit


@dataclass(frozen=True)
class Number:
    """`times` · b + [low, high], which is between `least` and `most`."""

    times: int
    low: int
    high: int
    least: int
    most: int

    @property
    def constant(self) -> int | None:
        """Its value, if that is one."""
        return self.low if self.times == 0 and self.low == self.high else None


_Bit = int | tuple[int, bool]
"""0, 1, or the number of a bit of the word and whether it is inverted."""


@dataclass(frozen=True)
class Bits:
    """A word of which not all bits are known."""

    bits: tuple[_Bit, ...]


Value = Number | Bits | bool


def bits_of(kind: Type) -> int:
    """The bits of an unsigned integer type."""
    if not kind.is_integer or kind.is_signed or kind.bits is None:
        raise NotProvedError
    return kind.bits


def exactly(value: int) -> Number:
    """A number that is known."""
    return Number(0, value, value, value, value)


@dataclass
class Evaluation:
    """Evaluates a functor. `seen`: by array and whose element it is. `name`: the array that it stores in."""

    program: ir.Program
    seen: dict[tuple[str, ir.Role], Value]
    name: str = ""
    locals: Mapping[str, Value] = field(default_factory=dict)
    scalars: Mapping[str, Value] = field(default_factory=dict)
    accepted: bool | None = None
    stored: bool = False
    maxima: list[Number] = field(default_factory=list)

    def refuses(self, condition: ir.Expression) -> bool:
        """Whether a condition does not hold."""
        try:
            return self.of(condition) is False
        except (NotProvedError, SplitError):
            return False

    def run(self, body: tuple[ir.Statement, ...]) -> None:
        """Run statements."""
        for statement in body:
            match statement:
                case ir.Let() | ir.Assign():
                    self.locals = {**self.locals, statement.name: self.of(statement.value)}
                case ir.Branch():
                    self.run(statement.then if self._decided(statement.condition) else statement.otherwise)
                case ir.Store(target=ir.ElementTarget(array=self.name, index=ir.Parameter())) if not self.stored:
                    self.seen[self.name, ir.Role.VERTEX] = self.of(statement.value)
                    self.stored = True
                case ir.Update(target=ir.ScalarTarget(), operation=ReduceOperation.MAX) if self.stored:
                    self.maxima.append(self._number(statement.value))
                case ir.Accept():
                    self.accepted = self._decided(statement.value)
                case _:
                    raise NotProvedError

    def of(self, node: ir.Expression) -> Value:
        """The value of an expression."""
        match node:
            case ir.Literal():
                return node.value if isinstance(node.value, bool) else _literal(node.value)
            case ir.Local() if node.name in self.locals:
                return self.locals[node.name]
            case ir.ScalarValue() if node.name in self.scalars:
                return self.scalars[node.name]
            case ir.Element(index=ir.Parameter() as index):
                value = self.seen.get((node.array, index.role))
                if value is None:
                    raise NotProvedError
                return value
            case ir.Select():
                return self.of(node.yes if self._decided(node.condition) else node.no)
            case ir.FunctionCall():
                return self._call(node)
            case ir.Convert():
                return _converted(self.of(node.operand), node.type)
            case ir.Unary():
                return _unary(node.operation, self.of(node.operand))
            case ir.Binary(operation=BinaryOperation.AND):
                return self._decided(node.left) and self._decided(node.right)
            case ir.Binary(operation=BinaryOperation.OR):
                return self._decided(node.left) or self._decided(node.right)
            case ir.Binary():
                return _binary(node.operation, self.of(node.left), self.of(node.right), node.type)
            case ir.BuiltinCall():
                return _built_in(node.function, [self.of(each) for each in node.arguments])
        raise NotProvedError

    def _call(self, node: ir.FunctionCall) -> Value:
        (function,) = (each for each in self.program.functions if each.name == node.function)
        arguments = {name: self.of(each) for (name, _), each in zip(function.parameters, node.arguments, strict=True)}
        inside = replace(self, locals=arguments, name="")
        for statement in function.body:
            if isinstance(statement, ir.Return):
                return inside.of(statement.value)
            inside.run((statement,))
        raise NotProvedError

    def _decided(self, node: ir.Expression) -> bool:
        value = self.of(node)
        if not isinstance(value, bool):
            raise NotProvedError
        return value

    def _number(self, node: ir.Expression) -> Number:
        value = self.of(node)
        if not isinstance(value, Number):
            raise NotProvedError
        return value


# ---------------------------------------------------------------- operations


def _literal(value: float) -> Number:
    if not isinstance(value, int):
        raise NotProvedError
    return exactly(value)


def _converted(value: Value, kind: Type) -> Value:
    if isinstance(value, bool):
        value = exactly(int(value))
    if not kind.is_integer or isinstance(value, Bits):
        raise NotProvedError
    low, high = int(limits(kind).low), int(limits(kind).high)
    if value.least >= low and value.most <= high:
        return value
    if value.times == 0 and low == 0 and value.high < 0 and value.low >= -high - 1:
        return Number(0, value.low + high + 1, value.high + high + 1, value.low + high + 1, value.high + high + 1)
    raise NotProvedError


def _unary(operation: UnaryOperation, value: Value) -> Value:
    match operation, value:
        case UnaryOperation.NOT, bool():
            return not value
        case UnaryOperation.INVERT, Bits():
            return Bits(tuple(1 - bit if isinstance(bit, int) else (bit[0], not bit[1]) for bit in value.bits))
        case UnaryOperation.INVERT, Number():
            return Number(-value.times, -1 - value.high, -1 - value.low, -1 - value.most, -1 - value.least)
    raise NotProvedError


def _binary(operation: BinaryOperation, left: Value, right: Value, kind: Type) -> Value:
    if isinstance(left, Bits):
        return _of_bits(operation, left, right)
    if not isinstance(left, Number) or not isinstance(right, Number):
        raise NotProvedError
    match operation:
        case BinaryOperation.ADD:
            return _added(left, right)
        case BinaryOperation.SUBTRACT:
            return _added(left, Number(-right.times, -right.high, -right.low, -right.most, -right.least))
        case BinaryOperation.SHIFT_LEFT:
            places = right.constant
            if left.constant == 0:
                return left
            if left.constant is None or places is None or not 0 <= places < bits_of(kind):
                raise NotProvedError
            return exactly(left.constant << places & (1 << bits_of(kind)) - 1)
        case BinaryOperation.BIT_AND | BinaryOperation.BIT_OR:
            one, other = left.constant, right.constant
            if one is None or other is None or min(one, other) < 0:
                raise NotProvedError
            return exactly(one & other if operation is BinaryOperation.BIT_AND else one | other)
    return _compared(operation, left, right)


def _added(left: Number, right: Number) -> Number:
    low, high = left.low + right.low, left.high + right.high
    least, most = left.least + right.least, left.most + right.most
    times = left.times + right.times
    if times == 0:
        least, most = max(least, low), min(most, high)
        low, high = max(least, low), min(most, high)
    return Number(times, low, high, least, most)


def _compared(operation: BinaryOperation, left: Number, right: Number) -> bool:
    """By what is known of both, and of their difference."""
    low, high = left.least - right.most, left.most - right.least
    if left.times == right.times:
        low, high = max(low, left.low - right.high), min(high, left.high - right.low)
    outcomes = {
        BinaryOperation.LESS: (high < 0, low >= 0),
        BinaryOperation.LESS_EQUAL: (high <= 0, low > 0),
        BinaryOperation.GREATER: (low > 0, high <= 0),
        BinaryOperation.GREATER_EQUAL: (low >= 0, high < 0),
        BinaryOperation.EQUAL: (low == high == 0, low > 0 or high < 0),
        BinaryOperation.NOT_EQUAL: (low > 0 or high < 0, low == high == 0),
    }
    holds, fails = outcomes.get(operation, (False, False))
    if holds == fails:
        raise NotProvedError
    return holds


def _of_bits(operation: BinaryOperation, left: Bits, right: Value) -> Value:
    constant = right.constant if isinstance(right, Number) else None
    if constant is None or constant < 0:
        raise NotProvedError
    bits, count = left.bits, len(left.bits)
    match operation:
        case BinaryOperation.SHIFT_RIGHT if constant < count:
            return Bits((*bits[constant:], *(0,) * constant))
        case BinaryOperation.SHIFT_LEFT if constant < count:
            return Bits((*(0,) * constant, *bits[: count - constant]))
        case BinaryOperation.BIT_AND:
            return Bits(tuple(bit if constant >> at & 1 else 0 for at, bit in enumerate(bits)))
        case BinaryOperation.BIT_OR:
            return Bits(tuple(1 if constant >> at & 1 else bit for at, bit in enumerate(bits)))
        case BinaryOperation.EQUAL | BinaryOperation.NOT_EQUAL:
            wanted = [constant >> at & 1 for at in range(count)]
            differs = any(isinstance(bit, int) and bit != one for bit, one in zip(bits, wanted, strict=True))
            if not differs:
                _known(bits)
            return differs is (operation is BinaryOperation.NOT_EQUAL)
    raise NotProvedError


def _known(bits: tuple[_Bit, ...]) -> None:
    """Raise `SplitError` for the first bit that is not known."""
    for bit in bits:
        if not isinstance(bit, int):
            raise SplitError(bit[0])


def _built_in(function: Builtin, arguments: list[Value]) -> Value:
    if function is Builtin.CTZ and isinstance(arguments[0], Bits):
        bits = arguments[0].bits
        for at, bit in enumerate(bits):
            _known((bit,))
            if bit == 1:
                return exactly(at)
        return exactly(len(bits))
    if function in (Builtin.MIN, Builtin.MAX) and len(arguments) == 2:
        one, other = arguments
        if isinstance(one, Number) and isinstance(other, Number) and one.times == other.times:
            choose = min if function is Builtin.MIN else max
            parts = ("low", "high", "least", "most")
            return Number(one.times, *(choose(getattr(one, part), getattr(other, part)) for part in parts))
    raise NotProvedError
