"""Whether numbers come out the same, however old what is read of a neighbor is: each the first that is free.

Greedy colors, the values of games and first-fit slots are such numbers: each vertex gets the smallest one that no
neighbor before it has. A loop finds them where a reduction looks at neighbors, and a filter takes from what it found:

    while (rest) { seen = neighbor_reduce(rest, look, or); rest = filter(rest, take); }

An element x of the array is a number where x >= 0; otherwise it *waits*, and ~x is its bound, below which no number
is free for it. `take` gives a vertex that waits a number, or a bound that is not lower, and keeps it in the set while
it waits; vertices that do not wait it leaves alone, and out of the set.

**What is asked** of the two functors, for a vertex with the bound b, whatever bits its neighbors have set together:

1. *Bounds pass over taken numbers alone.* If `take` gives the number or the bound b + t, then for each i below t a bit
   is set that only a neighbor with the number b + i sets.
2. *Numbers are free, and stay so.* If it gives the number b + t, then the bits that are not set show of each neighbor
   that it does not have that number, and if it waits, that its bound is larger.
3. *Who gets nowhere waits for someone.* If it gives the bound b again, no neighbor has the number b, and a bit is set
   that only a waiting neighbor sets: one whose bound is at most b, or, if no vertex ever takes a number while a
   neighbor waits, any.

**Why this is enough.** Let g be the numbers after the loop as it is written, where each pass reads what the one before
has left; of other vertices, their elements. In any other run, let all that has been read so far *agree* with g: numbers
are those of g, and bounds at most those. What a vertex v with the bound b gets then agrees, too. By 1 and 2, as v got
its number in the first run: every number below g(v) is that of a neighbor in g, and g(v) is not. If v gets the bound or
number b + t, numbers from b on up to it are those of neighbors, now and so in g, hence it is not above g(v); a number
is not below either, or it would be a neighbor's in g: of one that had it, or waited with a bound not above it, against
2. So all numbers that are ever given are those of g, whatever a vertex reads of its neighbors, as long as it was there
at some time since the loop began.

It also ends. Bounds only rise, and never above g, so after some pass nothing changes any more. Say that some vertices
wait then, and let v be the one of them that was the first in the first run to get a number, or a bound above the one
that it is left with, b. What its neighbors were then agrees with what they are now: those that wait now waited, with
bounds not larger than now, and those that had numbers have them now. If v rose above b then, by 1 a neighbor had the
number b, and has it now, against 3. If v got a number, it is not below b, and by 2 all neighbors that wait now have
larger bounds, or there are none of them, against 3.

All of this holds of sums of what calls add to scalars as well if only numbers count: a maximum of the number that a
call gives and a constant, which is larger than what any waiting vertex gives.

**How it is proved.** `look` is evaluated for a bound b, which stays a symbol, and a neighbor whose number or bound is
b + d, for each d as far away as there are bits, and at once for all that are farther: what it returns must be the same
for each b. `take` is evaluated for b and a word of unknown bits; a bit that decides something is tried as 0 and as 1.
No number wraps: bounds pass over numbers of neighbors, so that they are not above the degree, unless they were so
before the loop, and what else the program stores in the array is small.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from gdsl.effects.ranges import limits
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, walk
from gdsl.operations import BinaryOperation, Builtin, NeighborOperation, ReduceOperation, UnaryOperation
from gdsl.types import Type

_FAR = 1 << 70
"""Beyond every number."""
_MOST_LEAVES = 200
_SMALL = 1 << 30


class _Unknown(Exception):
    """The functors do something that is not understood, or not proved."""


class _Split(Exception):
    """A bit decides."""

    def __init__(self, bit: int) -> None:
        super().__init__()
        self.bit = bit


@dataclass(frozen=True)
class _Number:
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
class _Bits:
    """A word of which not all bits are known."""

    bits: tuple[_Bit, ...]


_Value = _Number | _Bits | bool


def _exactly(value: int) -> _Number:
    return _Number(0, value, value, value, value)


@dataclass(frozen=True)
class _Neighbor:
    """Neighbors with a number (or waiting, with a bound) of b + [low, high], and the bits that they set."""

    waits: bool
    low: int
    high: int
    bits: int


@dataclass(frozen=True)
class _Leaf:
    """What `take` gives where the bits `ones` are set and the bits `zeros` are not: the number or the bound b + t."""

    ones: int
    zeros: int
    waits: bool
    t: int


def first_free(program: ir.Program) -> Iterator[tuple[ir.NeighborReduce, ir.Filter]]:
    """The reduction and the filter of each such loop after which numbers do not depend on how old the values are that
    calls read of neighbors."""
    for loop in all_steps(program.schedule):
        match loop:
            case ir.While(
                condition=ir.FrontierNotEmpty(frontier=rest),
                body=(
                    ir.NeighborReduce(frontier=ir.Elements(frontier=walked)) as reduction,
                    ir.Filter(frontier=ir.Elements(frontier=filtered), result=result) as taking,
                ),
            ) if rest == walked == filtered == result and _are_first_free(program, reduction, taking):
                yield reduction, taking


def _are_first_free(program: ir.Program, reduction: ir.NeighborReduce, filtered: ir.Filter) -> bool:
    look, take = program.edge_functor(reduction.functor), program.vertex_functor(filtered.functor)
    written = {target.data for target in _targets(take.body) if isinstance(target, ir.ElementTarget)}
    if len(written) != 1 or reduction.operation is not NeighborOperation.OR or reduction.stores is None:
        return False
    (name,) = written
    if not _is_apart(program, name, reduction, take):
        return False
    try:
        neighbors = list(_neighbors(program, look, name))
        leaves = list(_leaves(program, take, name, reduction.stores))
    except _Unknown:
        return False
    return all(_fits(leaf, neighbors, leaves) for leaf in leaves)


def _targets(body: tuple[ir.Statement, ...]) -> Iterator[ir.Target]:
    for node in walk(body):
        if isinstance(node, ir.Store | ir.Update):
            yield node.target


def _is_apart(program: ir.Program, name: str, reduction: ir.NeighborReduce, take: ir.VertexFunctor) -> bool:
    """Whether nothing but `take` reads the results of the reduction, which are no results of the program, and whatever
    else is stored in the array is a small constant."""
    seen = program.array(reduction.stores or "")
    own = {id(node) for node in walk(take)}
    reads = [node for node in walk(program) if isinstance(node, ir.Element) and node.array == seen.name]
    others = [node for node in walk(program) if isinstance(node, ir.Store | ir.Update) and id(node) not in own]
    values = [node.value for node in others if node.target.data == name] + [program.array(name).initial]
    small = all(isinstance(value, ir.Literal | ir.Unary) and _is_small(value) for value in values)
    alone = all(id(node) in own for node in reads) and seen.is_local and not program.array(name).is_input
    return alone and small and seen.count is None and program.array(name).count is None


def _is_small(value: ir.Expression) -> bool:
    if isinstance(value, ir.Unary):
        return value.operation in (UnaryOperation.NEGATE, UnaryOperation.INVERT) and _is_small(value.operand)
    return isinstance(value, ir.Literal) and abs(value.value) < _SMALL


# ---------------------------------------------------------------- what is asked


def _fits(leaf: _Leaf, neighbors: list[_Neighbor], leaves: list[_Leaf]) -> bool:
    possible = [each for each in neighbors if each.bits & leaf.zeros == 0]
    for i in range(leaf.t):
        if not any(
            all(not each.waits and each.low == each.high == i for each in neighbors if each.bits >> bit & 1)
            for bit in _set_in(leaf.ones)
        ):
            return False
    if not leaf.waits:
        return all(each.low > leaf.t if each.waits else not each.low <= leaf.t <= each.high for each in possible)
    if leaf.t > 0:
        return True
    if any(not each.waits and each.low <= 0 <= each.high for each in possible):
        return False
    patient = all(
        each.bits & other.zeros for each in neighbors if each.waits for other in leaves if not other.waits
    )
    return any(
        all(each.waits and (patient or each.high <= 0) for each in neighbors if each.bits >> bit & 1)
        for bit in _set_in(leaf.ones)
    )


def _set_in(word: int) -> Iterator[int]:
    return (bit for bit in range(word.bit_length()) if word >> bit & 1)


# ---------------------------------------------------------------- the two functors


def _neighbors(program: ir.Program, look: ir.EdgeFunctor, name: str) -> Iterator[_Neighbor]:
    """All neighbors, and the bits that they set. What a call reads of its neighbor it must read once."""
    array = program.array(name)
    most = int(limits(array.type).high)
    far = [n for n in walk(look.value) if isinstance(n, ir.Element) and not ir.is_parameter(n.index, ir.Role.SOURCE)]
    if look.value is None or look.condition or look.body or len(far) != 1 or look.value.type.is_signed:
        raise _Unknown
    reach = look.value.type.bits + 1
    distances = [(d, d) for d in range(-reach, reach + 1)] + [(-_FAR, -reach - 1), (reach + 1, _FAR)]
    own = _Number(-1, -1, -1, -most - 1, -1)
    for waits in (False, True):
        for low, high in distances:
            other = _Number(-1, -1 - high, -1 - low, -most - 1, -1) if waits else _Number(1, low, high, 0, most)
            seen = {(name, ir.Role.SOURCE): own, (name, ir.Role.DESTINATION): other}
            value = _Evaluation(program, seen).of(look.value)
            bits = value.constant if isinstance(value, _Number) else None
            if bits is None:
                raise _Unknown
            yield _Neighbor(waits, low, high, bits)


def _leaves(program: ir.Program, take: ir.VertexFunctor, name: str, seen: str) -> Iterator[_Leaf]:
    """What `take` gives, by the bits that decide. One that does not wait must be left alone."""
    most, bits = int(limits(program.array(name).type).high), program.array(seen).type.bits
    known: list[tuple[int, int]] = [(0, 0)]
    number = _Number(0, 0, most, 0, most)
    unknown = _Bits(tuple((bit, False) for bit in range(bits)))
    resting = _Evaluation(program, {(name, ir.Role.VERTEX): number, (seen, ir.Role.VERTEX): unknown})
    if not any(resting.refuses(each) for each in take.condition):
        raise _Unknown
    additions = set[int]()
    for count in range(_MOST_LEAVES):
        if not known:
            break
        if count + 1 == _MOST_LEAVES:
            raise _Unknown
        ones, zeros = known.pop()
        word = _Bits(tuple(1 if ones >> bit & 1 else 0 if zeros >> bit & 1 else (bit, False) for bit in range(bits)))
        waiting = _Number(-1, -1, -1, -most - 1, -1)
        evaluation = _Evaluation(program, {(name, ir.Role.VERTEX): waiting, (seen, ir.Role.VERTEX): word}, name)
        try:
            if not all(evaluation.of(each) is True for each in take.condition):
                raise _Unknown
            evaluation.run(take.body)
        except _Split as split:
            known += [(ones | 1 << split.bit, zeros), (ones, zeros | 1 << split.bit)]
            continue
        yield _leaf(evaluation, name, ones, zeros, additions)
    if len(additions) > 1:
        raise _Unknown


def _leaf(evaluation: _Evaluation, name: str, ones: int, zeros: int, additions: set[int]) -> _Leaf:
    new = evaluation.seen[name, ir.Role.VERTEX]
    if not isinstance(new, _Number) or not evaluation.stored or abs(new.times) != 1 or new.low != new.high:
        raise _Unknown
    waits = new.times < 0
    leaf = _Leaf(ones, zeros, waits, -1 - new.low if waits else new.low)
    if leaf.t < 0 or evaluation.accepted is not waits:
        raise _Unknown
    for operand in evaluation.maxima:
        # Of numbers one constant more; of bounds less than that.
        if waits and operand.most < 0 + min(additions, default=0):
            continue
        if not waits and operand.times == 1 and operand.low == operand.high:
            additions.add(operand.low - leaf.t)
        else:
            raise _Unknown
    return leaf


@dataclass
class _Evaluation:
    """Evaluates a functor. `seen`: by array and whose element it is. `name`: the array that it stores in."""

    program: ir.Program
    seen: dict[tuple[str, ir.Role], _Value]
    name: str = ""
    locals: Mapping[str, _Value] = field(default_factory=dict)
    accepted: bool | None = None
    stored: bool = False
    maxima: list[_Number] = field(default_factory=list)

    def refuses(self, condition: ir.Expression) -> bool:
        """Whether a condition does not hold."""
        try:
            return self.of(condition) is False
        except (_Unknown, _Split):
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
                    raise _Unknown

    def of(self, node: ir.Expression) -> _Value:
        """The value of an expression."""
        match node:
            case ir.Literal():
                return node.value if isinstance(node.value, bool) else _literal(node.value)
            case ir.Local() if node.name in self.locals:
                return self.locals[node.name]
            case ir.Element(index=ir.Parameter()):
                value = self.seen.get((node.array, _role(node.index)))
                if value is None:
                    raise _Unknown
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
        raise _Unknown

    def _call(self, node: ir.FunctionCall) -> _Value:
        (function,) = (each for each in self.program.functions if each.name == node.function)
        arguments = {name: self.of(each) for (name, _), each in zip(function.parameters, node.arguments, strict=True)}
        inside = replace(self, locals=arguments, name="")
        for statement in function.body:
            if isinstance(statement, ir.Return):
                return inside.of(statement.value)
            inside.run((statement,))
        raise _Unknown

    def _decided(self, node: ir.Expression) -> bool:
        value = self.of(node)
        if not isinstance(value, bool):
            raise _Unknown
        return value

    def _number(self, node: ir.Expression) -> _Number:
        value = self.of(node)
        if not isinstance(value, _Number):
            raise _Unknown
        return value


def _role(index: ir.Parameter) -> ir.Role:
    """Whose element it is, of an out-edge."""
    return {ir.Role.NEAR: ir.Role.SOURCE, ir.Role.FAR: ir.Role.DESTINATION}.get(index.role, index.role)


# ---------------------------------------------------------------- operations


def _literal(value: float) -> _Number:
    if not isinstance(value, int):
        raise _Unknown
    return _exactly(value)


def _converted(value: _Value, kind: Type) -> _Value:
    if isinstance(value, bool):
        value = _exactly(int(value))
    if not kind.is_integer or isinstance(value, _Bits):
        raise _Unknown
    low, high = int(limits(kind).low), int(limits(kind).high)
    if value.least >= low and value.most <= high:
        return value
    if value.times == 0 and low == 0 and value.high < 0 and value.low >= -high - 1:
        return _Number(0, value.low + high + 1, value.high + high + 1, value.low + high + 1, value.high + high + 1)
    raise _Unknown


def _unary(operation: UnaryOperation, value: _Value) -> _Value:
    match operation, value:
        case UnaryOperation.NOT, bool():
            return not value
        case UnaryOperation.INVERT, _Bits():
            return _Bits(tuple(1 - bit if isinstance(bit, int) else (bit[0], not bit[1]) for bit in value.bits))
        case UnaryOperation.INVERT, _Number():
            return _Number(-value.times, -1 - value.high, -1 - value.low, -1 - value.most, -1 - value.least)
    raise _Unknown


def _binary(operation: BinaryOperation, left: _Value, right: _Value, kind: Type) -> _Value:
    if isinstance(left, _Bits):
        return _of_bits(operation, left, right)
    if not isinstance(left, _Number) or not isinstance(right, _Number):
        raise _Unknown
    match operation:
        case BinaryOperation.ADD:
            return _added(left, right)
        case BinaryOperation.SUBTRACT:
            return _added(left, _Number(-right.times, -right.high, -right.low, -right.most, -right.least))
        case BinaryOperation.SHIFT_LEFT:
            places = right.constant
            if left.constant == 0:
                return left
            if left.constant is None or places is None or not 0 <= places < kind.bits or kind.is_signed:
                raise _Unknown
            return _exactly(left.constant << places & (1 << kind.bits) - 1)
    return _compared(operation, left, right)


def _added(left: _Number, right: _Number) -> _Number:
    low, high = left.low + right.low, left.high + right.high
    least, most = left.least + right.least, left.most + right.most
    times = left.times + right.times
    if times == 0:
        least, most = max(least, low), min(most, high)
        low, high = max(least, low), min(most, high)
    return _Number(times, low, high, least, most)


def _compared(operation: BinaryOperation, left: _Number, right: _Number) -> bool:
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
        raise _Unknown
    return holds


def _of_bits(operation: BinaryOperation, left: _Bits, right: _Value) -> _Value:
    constant = right.constant if isinstance(right, _Number) else None
    if constant is None or constant < 0:
        raise _Unknown
    bits, count = left.bits, len(left.bits)
    match operation:
        case BinaryOperation.SHIFT_RIGHT if constant < count:
            return _Bits((*bits[constant:], *(0,) * constant))
        case BinaryOperation.SHIFT_LEFT if constant < count:
            return _Bits((*(0,) * constant, *bits[: count - constant]))
        case BinaryOperation.BIT_AND:
            return _Bits(tuple(bit if constant >> at & 1 else 0 for at, bit in enumerate(bits)))
        case BinaryOperation.BIT_OR:
            return _Bits(tuple(1 if constant >> at & 1 else bit for at, bit in enumerate(bits)))
        case BinaryOperation.EQUAL | BinaryOperation.NOT_EQUAL:
            wanted = [constant >> at & 1 for at in range(count)]
            differs = any(isinstance(bit, int) and bit != one for bit, one in zip(bits, wanted, strict=True))
            if not differs:
                _known(bits)
            return differs is (operation is BinaryOperation.NOT_EQUAL)
    raise _Unknown


def _known(bits: tuple[_Bit, ...]) -> None:
    """Raise `_Split` for the first bit that is not known."""
    for bit in bits:
        if not isinstance(bit, int):
            raise _Split(bit[0])


def _built_in(function: Builtin, arguments: list[_Value]) -> _Value:
    if function is Builtin.CTZ and isinstance(arguments[0], _Bits):
        bits = arguments[0].bits
        for at, bit in enumerate(bits):
            _known((bit,))
            if bit == 1:
                return _exactly(at)
        return _exactly(len(bits))
    if function in (Builtin.MIN, Builtin.MAX) and len(arguments) == 2:
        one, other = arguments
        if isinstance(one, _Number) and isinstance(other, _Number) and one.times == other.times:
            choose = min if function is Builtin.MIN else max
            parts = ("low", "high", "least", "most")
            return _Number(one.times, *(choose(getattr(one, part), getattr(other, part)) for part in parts))
    raise _Unknown
