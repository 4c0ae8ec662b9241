"""The types that the functions of the language take and give."""

from __future__ import annotations

from collections.abc import Sequence

from gdsl.operations import Builtin
from gdsl.types import Type

_PAIRS = (Builtin.MIN, Builtin.MAX, Builtin.POW, Builtin.ATAN2)
_OF_ALL_NUMBERS = (Builtin.MIN, Builtin.MAX, Builtin.ABS)
_OF_BITS = (Builtin.POPCOUNT, Builtin.CTZ)
_RANDOM = {Builtin.RANDOM: Type.FLOAT32, Builtin.RANDOM_BITS: Type.UINT64}


def fits(function: Builtin, result: Type, arguments: Sequence[Type]) -> bool:
    """Whether `function` gives a `result` of arguments of these types."""
    if function.is_random:
        limits = arguments[:1] if function is Builtin.RANDOM_BELOW else ()
        keys = arguments[len(limits) :]
        own = result.is_integer and list(limits) == [result] if limits else result is _RANDOM.get(function)
        return own and len(keys) > 0 and all(key is Type.INT64 for key in keys)
    if len(arguments) != (2 if function in _PAIRS else 1):
        return False
    if function in _OF_BITS:
        return result is Type.INT32 and arguments[0].is_integer
    if any(argument is not result for argument in arguments):
        return False
    ordered = (result.is_id or result.is_pair) and function in (Builtin.MIN, Builtin.MAX)
    return ordered or (result.is_numeric if function in _OF_ALL_NUMBERS else result.is_float)
