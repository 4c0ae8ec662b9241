"""Pairs: their types, and how the two sides of a comparison come to have one."""

from __future__ import annotations

import dataclasses

from gdsl.frontend import syntax
from gdsl.frontend.check.conversions import common_type, converted, widens
from gdsl.frontend.check.environment import Environment, poison
from gdsl.types import Type


def hints_of(hint: Type | None) -> tuple[Type | None, Type | None]:
    """The types that the parts of a pair take where the pair is to have the type `hint`."""
    return (hint.parts[0], hint.parts[1]) if hint is not None and hint.is_pair else (None, None)


def made_pair(
    node: syntax.Pair, first: syntax.Expression, second: syntax.Expression, hint: Type | None, environment: Environment
) -> syntax.Expression:
    """The pair of two typed expressions, which widen to the types of their places."""
    parts = []
    for part, wanted in zip((first, second), hints_of(hint), strict=True):
        if part.type is None:
            return poison(node.span)
        if part.type.is_pair:
            fix = "keep the third value in an array or a local of its own"
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


def agreed(left: syntax.Expression, right: syntax.Expression) -> tuple[syntax.Expression, syntax.Expression]:
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


def undefined_fix(sign: str) -> str:
    """How to do to both parts what is not defined on the pair."""
    return f"do it to the parts, such as `(p.0 {sign} …, p.1)`"
