"""The functions of integers alone: `popcount`, `ctz`, and the random numbers, which are functions of their keys."""

from __future__ import annotations

import dataclasses

from gdsl.frontend import syntax
from gdsl.frontend.check.conversions import converted
from gdsl.frontend.check.environment import built_in, poison
from gdsl.frontend.check.names import NameChecker
from gdsl.types import Type

BITS = ("popcount", "ctz")
RANDOM = {"random": Type.FLOAT32, "random_bits": Type.UINT64, "random_below": None}
"""The types of their results; None for that of the first argument."""
_PARTS = "give the parts of a pair one by one: `p.0, p.1`"


def bits(checker: NameChecker, call: syntax.Call) -> syntax.Expression:
    """`popcount(x)`, `ctz(x)`, of one argument."""
    (argument,) = call.arguments
    value = checker.infer(argument.value)
    if value.type is None or not _is_integer(checker, call, value, "uint64"):
        return poison(call.span)
    typed = (dataclasses.replace(argument, value=value),)
    return dataclasses.replace(call, arguments=typed, symbol=built_in(call.function), type=Type.INT32)


def drawn(checker: NameChecker, call: syntax.Call) -> syntax.Expression:
    """`random(k…)`, `random_bits(k…)`, `random_below(n, k…)`: each key becomes an int64, so that its width is nothing
    that the result hangs on."""
    name, type_ = call.function, RANDOM[call.function]
    if len(call.arguments) < (1 if type_ is not None else 2):
        wanted = "a key or more" if type_ is not None else "a limit and a key or more"
        fix = f"write for example `{name}({'' if type_ is not None else '6, '}v, iteration)`"
        checker.environment.report("E0211", f"`{name}` takes {wanted}", call.span, fix=fix)
        return poison(call.span)
    values = [checker.infer(argument.value) for argument in call.arguments]
    limits, keys = (values[:1], values[1:]) if type_ is None else ([], values)
    fits = [_is_integer(checker, call, limit, "int32") for limit in limits]
    fits += [_is_key(checker, call, key) for key in keys]
    if any(value.type is None for value in values) or False in fits:
        return poison(call.span)
    type_ = type_ or limits[0].type
    made = [*limits, *(converted(key, Type.INT64) for key in keys)]
    typed = tuple(
        dataclasses.replace(argument, value=value) for argument, value in zip(call.arguments, made, strict=True)
    )
    return dataclasses.replace(call, arguments=typed, symbol=built_in(name), type=type_)


def _is_integer(checker: NameChecker, call: syntax.Call, value: syntax.Expression, cast: str) -> bool:
    if value.type is None or value.type.is_integer:
        return True
    message = f"`{call.function}` is not defined on {value.type.name}"
    checker.environment.report(
        "E0206", message, value.span, fix=f"write `{cast}({checker.environment.words(value.span)})`"
    )
    return False


def _is_key(checker: NameChecker, call: syntax.Call, value: syntax.Expression) -> bool:
    if value.type is None or value.type.is_integer or value.type.is_id or value.type is Type.BOOL:
        return True
    message = f"a key of `{call.function}` is an integer, an id or a bool, and this is {value.type.name}"
    fix = f"write `int64({checker.environment.words(value.span)})`" if value.type.is_float else _PARTS
    checker.environment.report("E0205", message, value.span, fix=fix)
    return False
