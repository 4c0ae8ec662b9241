"""Values for the params of a program and for its scalar inputs, and vertices by their names."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from gdsl.binding.representation import has_float, has_float32, plain_number
from gdsl.diagnostics import GdslError, shown
from gdsl.foreign_objects import attribute, has, own_number
from gdsl.graph import Graph
from gdsl.ir import nodes as ir
from gdsl.numerals import is_real, is_whole, real_number, underflows, whole_number
from gdsl.source import Source
from gdsl.types import Type

Value = bool | int | float

_BOOLS = {"true": True, "false": False, "1": True, "0": False, "on": True, "off": False}
_RANGES = {
    Type.INT32: (-(2**31), 2**31 - 1),
    Type.UINT32: (0, 2**32 - 1),
    Type.INT64: (-(2**63), 2**63 - 1),
    Type.UINT64: (0, 2**64 - 1),
}


class Text(str):
    """A value that came as text, from the command line."""


def scalar_value(
    declared: ir.Param | ir.Scalar, argument: object, id_count: int, source: Source | None, is_rounded: bool = False
) -> Value:
    """`argument` as a value of the declared type, the nearest one where `is_rounded`; ids must be below `id_count`.

    Raises E0603 where it is not a value of the type, E0604 where an id is out of range.
    """
    kind = "param" if isinstance(declared, ir.Param) else "input"
    type_ = declared.type
    is_rounded = is_rounded and not type_.is_id
    value = _from_text(declared, argument, kind, source, is_rounded) if isinstance(argument, Text) else plain(argument)
    if is_rounded and type_.is_integer and isinstance(value, float) and math.isfinite(value):
        value = round(value)
    if type_ is Type.BOOL:
        if isinstance(value, bool):
            return value
    elif type_.is_float:
        if isinstance(value, np.longdouble):
            raise _unusable(declared, kind, f"{shown(value)} is too large for {type_.name}", source)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _float(declared, value, kind, source, is_rounded)
    elif isinstance(value, int) and not isinstance(value, bool):
        return _integer(declared, value, kind, id_count, source)
    if attribute(argument, "shape", ()) != () or isinstance(argument, list | tuple | range):
        raise _not_one(declared, argument, kind, source)
    fix = _as_number(declared, value)
    raise _unusable(declared, kind, f"{shown(argument)} is not a value of type {type_.name}", source, fix)


def _as_number(declared: ir.Param | ir.Scalar, value: object) -> str | None:
    """How a number is given that came as the text of one, or as a float where an integer is meant; None for others."""
    text = value.strip() if isinstance(value, str) else None
    if text is not None and re.fullmatch(r"-?[0-9]{1,19}" + (r"(\.[0-9]+)?" if declared.type.is_float else ""), text):
        return f"give the number, not its text: {declared.name}={text}"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return f"give a whole number: {declared.name}={int(value)}"
    return None


def whole_values(type_: Type, id_count: int) -> tuple[int, int] | None:
    """The range of integers that are values of a type; None for other types."""
    if type_.is_id:
        return 0, id_count
    return (_RANGES[type_][0], _RANGES[type_][1] + 1) if type_ in _RANGES else None


def id_kind(type_: Type) -> str:
    """What messages call an id of the type."""
    return "a vertex" if type_ is Type.VERTEX else "an edge"


def check_id(
    declared: ir.Param | ir.Scalar,
    value: int,
    kind: str,
    id_count: int,
    source: Source | None,
    is_default: bool = False,
) -> None:
    """Raise E0604 unless `value` is the id of one of the graph's vertices or edges."""
    if 0 <= value < id_count:
        return
    plural = "vertices" if declared.type is Type.VERTEX else "edges"
    have = f"{plural} 0 to {id_count - 1}" if id_count else f"it has no {plural}"
    is_none = is_default and value == -1  # what `none` is, and no caller can mean
    raise GdslError.single(
        "E0604",
        f"{kind} `{declared.name}` is {'none' if is_none else shown(value)}, which is not {id_kind(declared.type)} "
        f"of the graph ({have})",
        declared.span,
        source,
        fix=f"give `{declared.name}` a value" if is_none else None,
    )


def plain(argument: Any) -> object:
    """NumPy's and CuPy's numbers, and their arrays without dimension, as Python's numbers."""
    if isinstance(argument, int | float | str) or argument is None:
        return own_number(argument)
    if isinstance(argument, np.ma.MaskedArray) or attribute(argument, "shape") != () or not has(argument, "item"):
        return argument
    kind = attribute(attribute(argument, "dtype"), "kind", "")
    if kind == "f":
        number = argument.item()  # the item of a `longdouble` is one
        value = float(number)
        if number != value and number == np.floor(number) and np.isfinite(number):
            return number if math.isinf(value) else int(number)  # a whole number keeps all its digits
        return value
    return argument.item() if kind in ("b", "i", "u") else argument


def rounding_words(name: str) -> str:
    """How the caller requests the nearest values."""
    return f"--round {name} (from Python: round={name!r})"


def _from_text(declared: ir.Param | ir.Scalar, text: Text, kind: str, source: Source | None, is_rounded: bool) -> Value:
    type_ = declared.type
    word = text.strip()
    try:
        if type_ is not Type.BOOL:
            value = _number(word) if type_.is_float or is_rounded else whole_number(word)
            if not is_rounded and value == 0:
                _refuse_underflow(declared, word, kind, source)
            return value
        if word.lower() in _BOOLS:
            return _BOOLS[word.lower()]
        raise ValueError("expected true or false")
    except ValueError as error:
        message = f"{shown(str(text))} is not a value of type {type_.name}; {error}"
        raise _unusable(declared, kind, message, source) from None


def _refuse_underflow(declared: ir.Param | ir.Scalar, word: str, kind: str, source: Source | None) -> None:
    """Raise E0603 for a number so close to 0 that float64 is 0."""
    if underflows(word):
        what = f"{declared.type.name} cannot hold {shown(word)}; the nearest is 0"
        raise _unusable(declared, kind, what, source, f"take the nearest value: {rounding_words(declared.name)}")


def _number(word: str) -> int | float:
    """The number that a text denotes; whole numbers keep all digits."""
    try:
        return whole_number(word)
    except ValueError:
        return real_number(word)


def _float(
    declared: ir.Param | ir.Scalar, value: int | float, kind: str, source: Source | None, is_rounded: bool
) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    stored = number
    if declared.type is Type.FLOAT32:
        with np.errstate(over="ignore"):
            stored = float(np.float32(number))
    if math.isinf(stored) and not (isinstance(value, float) and math.isinf(value)):
        raise _unusable(declared, kind, f"{shown(value)} is too large for {declared.type.name}", source)
    if not is_rounded and not _has(declared.type, value):
        nearest = np.float32(stored) if declared.type is Type.FLOAT32 else np.float64(stored)
        what = f"{declared.type.name} cannot hold {shown(value)}; the nearest is {plain_number(nearest)}"
        raise _unusable(declared, kind, what, source, _ways_out(declared, value))
    return stored


def _has(type_: Type, value: int | float) -> bool:
    """Whether a float type has a value within its range."""
    if isinstance(value, int):
        return has_float(value, type_.name)
    return type_ is Type.FLOAT64 or has_float32(value)


def _ways_out(declared: ir.Param | ir.Scalar, value: int | float) -> str:
    type_ = "float64" if declared.type is Type.FLOAT32 and _has(Type.FLOAT64, value) else "int64"
    fits = type_ == "float64" or -(2**63) <= value < 2**63
    wider = f"declare `{declared.name} : {type_}`, or " if fits else ""
    return f"{wider}take the nearest value: {rounding_words(declared.name)}"


def _integer(declared: ir.Param | ir.Scalar, value: int, kind: str, id_count: int, source: Source | None) -> int:
    value = int(value)
    if declared.type.is_id:
        check_id(declared, value, kind, id_count, source)
        return value
    low, high = _RANGES[declared.type]
    if not low <= value <= high:
        raise _unusable(declared, kind, f"{shown(value)} is not in the range of {declared.type.name}", source)
    return value


def _not_one(declared: ir.Param | ir.Scalar, argument: Any, kind: str, source: Source | None) -> GdslError:
    """E0603 for several values, or a list of one."""
    name, fix = declared.name, None
    values = (
        argument.tolist() if type(argument) is np.ndarray and argument.ndim == 1 and argument.size == 1 else argument
    )
    if isinstance(values, list | tuple) and len(values) == 1:
        fix = f"give the value alone: {name}={shown(values[0])} (command line: -p {name}={shown(values[0])})"
    elif kind == "param":
        fix = f"`map` runs the program once for each of several values (command line: --each {name}=…)"
    what = f"it takes one value of type {declared.type.name}, and this is {shown(argument)}"
    return _unusable(declared, kind, what, source, fix)


def _unusable(
    declared: ir.Param | ir.Scalar, kind: str, why: str, source: Source | None, fix: str | None = None
) -> GdslError:
    return GdslError.single("E0603", f"{kind} `{declared.name}`: {why}", declared.span, source, fix=fix)


def all_within(values: Sequence[Any], low: int, end: int) -> bool:
    """Whether `values` are Python's own integers from `low` to below `end`. Of a range only the ends are
    compared."""
    if isinstance(values, range):
        values = (values[0], values[-1])
    return {*map(type, values)} == {int} and min(values) >= low and max(values) < end


def vertex_by_name(declared: ir.Param | ir.Scalar, argument: object, graph: Graph, source: Source | None) -> object:
    """The id of the vertex that `argument` names; `argument` itself where it is not a name.

    In a graph with names, a str is a name, as is a number where names are numbers, and anything equal to a name, such
    as a tuple or a frozenset; on the command line a word in double quotes is never an id. Raises E0604 for a name that
    no vertex has, E0603 for a word that is an id and the name of another vertex.
    """
    if declared.type is not Type.VERTEX or graph.names is None:
        return argument
    if not isinstance(argument, Text | bool) and (result := graph.names.id_of(argument)) is not None:
        return result
    name = _name(argument if isinstance(argument, Text) else plain(argument))
    if name is None and any(type(name_of_vertex) is type(argument) for name_of_vertex in graph.names):
        name = argument
    if name is None:
        return argument
    result = graph.names.id_of(name)
    if result is not None:
        return result
    if isinstance(argument, Text) and is_whole(name):
        _refuse_both(declared, argument.strip(), name, graph, source)
    if is_whole(name) and not any(is_real(name_of_vertex) for name_of_vertex in graph.names):
        return argument
    raise _no_such_name(declared, name, graph, source)


def _name(argument: Any) -> Any:
    """A value that may be a name, else None."""
    if isinstance(argument, Text):
        word = argument.strip()
        if len(word) > 1 and word[0] == word[-1] == '"':
            return word[1:-1]
        try:
            return whole_number(word)
        except ValueError:
            return word
    if isinstance(argument, str | tuple) or is_whole(argument):
        return argument
    return None


def _refuse_both(declared: ir.Param | ir.Scalar, word: str, number: int, graph: Graph, source: Source | None) -> None:
    """Raise E0603 where the text of `number`, which is an id, is the name of another vertex."""
    assert graph.names is not None
    named_vertex = graph.names.id_of(word)
    if named_vertex is None or named_vertex == number:
        return
    also = f"the id of the vertex {shown(graph.names[number])}" if 0 <= number < len(graph.names) else "no id"
    fix = f"in double quotes it is a name: -p '{declared.name}=\"{word}\"'"
    message = f"{word} is the name of a vertex, and {also}"
    raise GdslError.single("E0603", f"param `{declared.name}`: {message}", declared.span, source, fix=fix)


def _no_such_name(declared: ir.Param | ir.Scalar, name: object, graph: Graph, source: Source | None) -> GdslError:
    assert graph.names is not None
    kind = "param" if isinstance(declared, ir.Param) else "input"
    close = graph.names.like(name)
    few = ", ".join(shown(name_of_vertex) for name_of_vertex in graph.names[:5])
    return GdslError.single(
        "E0604",
        f"{kind} `{declared.name}` is {shown(name)}, and the graph has no vertex of this name",
        declared.span,
        source,
        notes=[f"names: {few}{', …' if len(graph.names) > 5 else ''}"] if few else ["the graph has no vertices"],
        fix=f"did you mean {shown(close[0])}?" if close else None,
    )
