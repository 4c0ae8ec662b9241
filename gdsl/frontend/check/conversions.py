"""Which type becomes which: implicit widening, the common type of two sides, literals, casts and pairs."""

from __future__ import annotations

import dataclasses
import math
import re

from gdsl.arithmetic.constants import in_type, integer_range
from gdsl.frontend import syntax
from gdsl.frontend.check.environment import Environment, poison
from gdsl.operations import BinaryOperation, UnaryOperation
from gdsl.source import Span
from gdsl.types import Type

_ATOM = re.compile(r"[\w.]+(\([^()]*\)|\[[^\[\]]*\])?|\{[^{}]*\}")
SHIFTS = (BinaryOperation.SHIFT_LEFT, BinaryOperation.SHIFT_RIGHT)
_LARGEST_ID = 2**63 - 1
_NO_ID = "ids count from 0; write `none` for no vertex and no edge"
_WIDENINGS = {
    Type.INT32: (Type.INT64,),
    Type.UINT32: (Type.INT64, Type.UINT64),
    Type.FLOAT32: (Type.FLOAT64,),
}


def widens(source: Type, target: Type) -> bool:
    """Whether a value of `source` converts to `target` automatically."""
    if source is target or (source.is_integer and target.is_float):
        return True
    return target in _WIDENINGS.get(source, ())


def common_type(left: Type, right: Type) -> Type | None:
    """The type that both sides of an operation take; None if there is none."""
    if widens(left, right):
        return right
    return left if widens(right, left) else None


def is_literal(expression: syntax.Expression) -> bool:
    """Whether the expression consists of literals only, and so takes the type of its place; a pair that is spelled out
    does so part by part."""
    literals = (syntax.Number, syntax.Infinity, syntax.NoneLiteral, syntax.Pair)
    if isinstance(expression, syntax.Unary):
        return expression.operation is not UnaryOperation.NOT and is_literal(expression.operand)
    if isinstance(expression, syntax.Binary):
        operation = expression.operation
        pure = not (operation.is_comparison or operation.is_logical)
        return pure and is_literal(expression.left) and is_literal(expression.right)
    if isinstance(expression, syntax.Chain):
        operation = expression.links[0].operation
        pure = not (operation.is_comparison or operation.is_logical)
        return pure and is_literal(expression.first) and all(is_literal(link.operand) for link in expression.links)
    return isinstance(expression, literals)


def shifts_a_literal(expression: syntax.Expression) -> bool:
    """Whether it consists of literals but for the counts of shifts, as `1 << n`, `~(1 << n)` and `(1 << n) - 1` do, and
    so takes the type of its place."""
    return takes_its_place(expression) and not is_literal(expression)


def takes_its_place(expression: syntax.Expression) -> bool:
    """Whether it consists of literals, but perhaps for the counts of shifts."""
    if isinstance(expression, syntax.Unary):
        return expression.operation is not UnaryOperation.NOT and takes_its_place(expression.operand)
    sides: tuple[syntax.Expression, ...]
    if isinstance(expression, syntax.Binary):
        sides, operation = (expression.left, expression.right), expression.operation
    elif isinstance(expression, syntax.Chain):
        sides = (expression.first, *(link.operand for link in expression.links))
        operation = expression.links[0].operation
    else:
        return is_literal(expression)
    if operation in SHIFTS:
        return takes_its_place(sides[0])
    pure = not (operation.is_comparison or operation.is_logical)
    return pure and all(takes_its_place(side) for side in sides)


def shifted_hint(
    shifted: syntax.Expression, count: syntax.Expression, count_type: Type | None, hint: Type | None
) -> Type | None:
    """The type of what is shifted, if it is a literal: that of its place, which need not be one of integers, else that
    of the count."""
    if not is_literal(shifted) or is_literal(count) or (hint is not None and hint.is_integer):
        return hint
    return count_type


def has_float(expression: syntax.Expression) -> bool:
    """Whether a literal expression contains a float, and so cannot be an integer."""
    return any(isinstance(node, syntax.Number) and isinstance(node.value, float) for node in syntax.walk(expression))


def typed_number(node: syntax.Number, hint: Type | None, environment: Environment) -> syntax.Expression:
    """A literal number in the type of its place, else in its own (int32, int64 if too large, float32).

    A fraction is a float64 first, as its text in Python is, and is rounded to its type immediately.
    """
    if isinstance(node.value, float):
        type_ = hint if hint is not None and hint.is_float else Type.FLOAT32
    elif hint is not None and (hint.is_numeric or hint.is_id):
        type_ = hint
    else:
        low, high = integer_range(Type.INT32)
        type_ = Type.INT32 if low <= node.value <= high else Type.INT64
    if not _fits(node.value, type_):
        shown = f"{node.value:g}" if isinstance(node.value, float) else str(node.value)
        message = f"{shown} does not fit {type_.name}"
        fix = None
        if type_.is_integer:
            low, high = integer_range(type_)
            fix = f"{type_.name} ranges from {low} to {high}; use a wider type"
        elif type_.is_id:
            fix = _NO_ID
        elif type_.is_float:
            fix = "write `inf` for infinity, or use float64"
        environment.report("E0208", message, node.span, fix=fix)
        return poison(node.span)
    return syntax.Number(node.span, in_type(node.value, type_), type=type_)


def negative_id(number: syntax.Number, type_: Type, span: Span, environment: Environment) -> syntax.Expression:
    """Reports a literal below zero in the place of an id."""
    message = f"-{number.value} does not fit {type_.name}"
    environment.report("E0208", message, span, fix=_NO_ID)
    return poison(span)


def _fits(value: int | float, type_: Type) -> bool:
    if type_.is_float:
        return not math.isinf(in_type(value, type_))
    if type_.is_id:
        return 0 <= value <= _LARGEST_ID
    low, high = integer_range(type_)
    return low <= value <= high


def converted(expression: syntax.Expression, target: Type) -> syntax.Expression:
    """`expression` as a value of `target`, to which it widens; a literal simply changes its type."""
    if expression.type is target or expression.type is None:
        return expression
    if isinstance(expression, syntax.Number) and (target.is_numeric or target.is_id):
        return dataclasses.replace(expression, type=target, value=in_type(expression.value, target))
    return syntax.Convert(expression.span, expression, type=target)


def coerce(expression: syntax.Expression, target: Type, what: str, environment: Environment) -> syntax.Expression:
    """`expression` as a value of `target`; reports a mistake if that needs a cast. `what` names the value's place."""
    source = expression.type
    if source is None or source is target:
        return expression
    if widens(source, target):
        return converted(expression, target)
    message = f"{what} is {target.name}, and this value is {source.name}"
    environment.report(
        "E0205", message, expression.span, fix=suggested_cast(source, target, environment.words(expression.span))
    )
    return poison(expression.span)


def suggested_cast(source: Type, target: Type, words: str) -> str | None:
    """What to write to get from `words`, a `source`, to `target`; None where no cast does it."""
    if source.is_pair or target.is_pair:
        return _fix_of_pairs(source, target)
    if target is Type.BOOL and (source.is_numeric or source.is_id):
        return "write `false`" if words == "0" else "write `true`" if words == "1" else comparison_fix(words, source)
    if may_cast(source, target):
        return f"write `{target.name}({words})`"
    return None


def comparison_fix(words: str, source: Type | None, sign: str = "!=") -> str:
    """How the number or id `words`, a `source`, becomes a bool."""
    return f"compare it: `{as_operand(words)} {sign} {'none' if source is not None and source.is_id else '0'}`"


def as_operand(words: str) -> str:
    """`words` as an operand of any operator."""
    simple = words == "…" or _ATOM.fullmatch(words)
    return words if simple else f"({words})"


def may_cast(source: Type, target: Type) -> bool:
    """Whether a cast from `source` to `target` exists."""
    if source is target or (source.is_numeric and target.is_numeric):
        return True
    if Type.BOOL in (source, target):
        return source.is_numeric or target.is_numeric
    return (source.is_integer and target.is_id) or (source.is_id and target.is_integer)


def _fix_of_pairs(source: Type, target: Type) -> str | None:
    """What to write to get from one type to another of which one is a pair at least."""
    if source.is_pair and target.is_pair:
        for place, (actual, wanted) in enumerate(zip(source.parts, target.parts, strict=True)):
            if not widens(actual, wanted):
                return f"make its {('first', 'second')[place]} part {wanted.name}"
        return "spell it out: `(p.0, p.1)` widens part by part"
    if source.is_pair:
        fitting = [place for place, part in enumerate(source.parts) if widens(part, target)]
        return f"take a part of it: `.{fitting[0]}`" if fitting else None
    return f"write a pair: `(…, …)` of {target.parts[0].name} and {target.parts[1].name}"


def part_hints(hint: Type | None) -> tuple[Type | None, Type | None]:
    """The types that the parts of a pair take where the pair is to have the type `hint`."""
    return (hint.parts[0], hint.parts[1]) if hint is not None and hint.is_pair else (None, None)


def typed_pair(
    node: syntax.Pair, first: syntax.Expression, second: syntax.Expression, hint: Type | None, environment: Environment
) -> syntax.Expression:
    """The pair of two typed expressions, which widen to the types of their places."""
    parts = []
    for part, wanted in zip((first, second), part_hints(hint), strict=True):
        if part.type is None:
            return poison(node.span)
        if part.type.is_pair:
            fix = "store the third value in another array or local"
            environment.report("E0225", "a pair holds two simple values, not another pair", part.span, fix=fix)
            return poison(node.span)
        parts.append(converted(part, wanted) if wanted is not None and widens(part.type, wanted) else part)
    return _pair_of(node, parts[0], parts[1])


def part_of(node: syntax.PairPart, pair: syntax.Expression, environment: Environment) -> syntax.Expression:
    """`pair.0` or `pair.1` of a typed `pair`."""
    if pair.type is None:
        return poison(node.span)
    if not pair.type.is_pair:
        message = f"`.{node.place}` is a part of a pair, and this is {pair.type.name}"
        environment.report("E0204", message, node.span, fix="leave it out")
        return poison(node.span)
    if node.place > 1:
        environment.report("E0204", f"a pair has no part `.{node.place}`", node.span, fix="its parts are `.0` and `.1`")
        return poison(node.span)
    return dataclasses.replace(node, pair=pair, type=pair.type.parts[node.place])


def with_common_type(left: syntax.Expression, right: syntax.Expression) -> tuple[syntax.Expression, syntax.Expression]:
    """Both sides of an operation; two pairs, where they are spelled out, in the common types of their parts."""
    one, other = left.type, right.type
    if one is None or other is None or one is other or not (one.is_pair and other.is_pair):
        return left, right
    first, second = (common_type(*both) for both in zip(one.parts, other.parts, strict=True))
    if first is None or second is None:
        return left, right
    target = Type.pair(first, second)
    return _widened(left, target), _widened(right, target)


def _widened(side: syntax.Expression, target: Type) -> syntax.Expression:
    if not isinstance(side, syntax.Pair):
        return side
    return _pair_of(side, converted(side.first, target.parts[0]), converted(side.second, target.parts[1]))


def _pair_of(node: syntax.Pair, first: syntax.Expression, second: syntax.Expression) -> syntax.Pair:
    assert first.type is not None and second.type is not None
    return dataclasses.replace(node, first=first, second=second, type=Type.pair(first.type, second.type))


def parts_fix(sign: str) -> str:
    """How to do to both parts what is not defined on the pair."""
    return f"do it to the parts, such as `(p.0 {sign} …, p.1)`"
