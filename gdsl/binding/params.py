"""Values for the params of a program, and for its scalars that are inputs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gdsl.diagnostics import GdslError
from gdsl.ir import nodes as ir
from gdsl.source import Source
from gdsl.types import ScalarType

Value = bool | int | float

_BOOLS = {"true": True, "false": False, "1": True, "0": False, "on": True, "off": False}
_RANGES = {
    ScalarType.INT32: (-(2**31), 2**31 - 1),
    ScalarType.UINT32: (0, 2**32 - 1),
    ScalarType.INT64: (-(2**63), 2**63 - 1),
    ScalarType.UINT64: (0, 2**64 - 1),
}


class Text(str):
    """A value that came as text, from the command line."""


def scalar_value(declared: ir.Param | ir.Scalar, given: object, id_count: int, source: Source | None) -> Value:
    """`given` as a value of the declared type; ids must be below `id_count`.

    Raises E0603 where it is none of the type's values, E0604 where an id is out of range.
    """
    kind = "param" if isinstance(declared, ir.Param) else "input"
    value = _from_text(declared, given, kind, source) if isinstance(given, Text) else _plain(given)
    type_ = declared.type
    if type_ is ScalarType.BOOL:
        if isinstance(value, bool):
            return value
    elif type_.is_float:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _float(declared, value, kind, source)
    elif isinstance(value, int) and not isinstance(value, bool):
        return _integer(declared, value, kind, id_count, source)
    raise _unusable(declared, kind, f"{_shown(given)} is no value of type {type_.value}", source)


def check_id(declared: ir.Param | ir.Scalar, value: int, kind: str, id_count: int, source: Source | None) -> None:
    """Raise E0604 unless `value` is the id of one of the graph's vertices or edges."""
    if 0 <= value < id_count:
        return
    plural = "vertices" if declared.type is ScalarType.VERTEX else "edges"
    have = f"{plural} 0 to {id_count - 1}" if id_count else f"it has no {plural}"
    raise GdslError.single(
        "E0604",
        f"{kind} `{declared.name}` is {value}, which is no {declared.type.value} of the graph ({have})",
        declared.span,
        source,
    )


def _plain(given: object) -> object:
    """NumPy's and CuPy's scalars as Python's."""
    if isinstance(given, bool | int | float | str) or given is None:
        return given
    if getattr(given, "shape", None) == () and hasattr(given, "item"):
        return given.item()
    return given


def _from_text(declared: ir.Param | ir.Scalar, text: Text, kind: str, source: Source | None) -> Value:
    type_ = declared.type
    word = text.strip()
    try:
        if type_ is ScalarType.BOOL:
            return _BOOLS[word.lower()]
        return float(word) if type_.is_float else int(word, 10)
    except (KeyError, ValueError):
        expected = {"b": "true or false", "f": "a number"}["b" if type_ is ScalarType.BOOL else "f"]
        if not type_.is_float and type_ is not ScalarType.BOOL:
            expected = "a whole number"
        raise _unusable(
            declared, kind, f"'{text}' is no value of type {type_.value}; expected {expected}", source
        ) from None


def _float(declared: ir.Param | ir.Scalar, value: int | float, kind: str, source: Source | None) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    with np.errstate(over="ignore"):
        stored = float(np.float32(number)) if declared.type is ScalarType.FLOAT32 else number
    if math.isinf(stored) and not (isinstance(value, float) and math.isinf(value)):
        raise _unusable(declared, kind, f"{value} is too large for {declared.type.value}", source)
    return stored


def _integer(declared: ir.Param | ir.Scalar, value: int, kind: str, id_count: int, source: Source | None) -> int:
    if declared.type.is_id:
        check_id(declared, value, kind, id_count, source)
        return value
    low, high = _RANGES[declared.type]
    if not low <= value <= high:
        raise _unusable(declared, kind, f"{value} is not in the range of {declared.type.value}", source)
    return value


def _unusable(declared: ir.Param | ir.Scalar, kind: str, why: str, source: Source | None) -> GdslError:
    return GdslError.single("E0603", f"{kind} `{declared.name}`: {why}", declared.span, source)


def _shown(given: Any) -> str:
    text = repr(str(given)) if isinstance(given, str) else repr(given)
    return text if len(text) <= 60 else f"{text[:57]}..."
