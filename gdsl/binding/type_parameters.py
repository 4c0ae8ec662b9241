"""The types that a call decides: for each type parameter one that represents what was given for it exactly."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gdsl.binding.inputs import unchecked
from gdsl.binding.params import Text, plain
from gdsl.diagnostics import GdslError, shown
from gdsl.foreign_objects import attribute
from gdsl.graph import Graph
from gdsl.graph.arrays import host_array
from gdsl.ir import nodes as ir
from gdsl.numerals import real_number, whole_number
from gdsl.operations import Domain
from gdsl.source import Source
from gdsl.types import TYPE_CLASSES, Type

_ANSWERS = 64
"""Bits of the widest integer."""


class _Need:
    """What one value or array needs of a type: integers from `low` to `high`, or a fraction of so many `bits`."""

    def __init__(self, name: str, what: str, low: int = 0, high: int = 0, bits: int = 0) -> None:
        self.name, self.what, self.low, self.high, self.bits = name, what, low, high, bits

    def is_met_by(self, type_: Type) -> bool:
        """Whether the type represents all of it exactly."""
        assert type_.bits is not None
        if type_.is_float:
            mantissa = 24 if type_ is Type.FLOAT32 else 53
            return self.bits <= type_.bits and max(-self.low, self.high) <= 1 << mantissa
        whole = 1 << (type_.bits - type_.is_signed)
        return not self.bits and (-whole if type_.is_signed else 0) <= self.low and self.high < whole


def inferred_types(
    program: ir.Program,
    graph: Graph,
    given: Mapping[str, Any],
    chosen: Mapping[str, Type],
    source: Source | None = None,
    varied: Iterable[str] = (),
) -> tuple[Type, ...]:
    """The type of each type parameter in a call with `given` on `graph`: the `chosen` one; else the first of those that
    it admits that represents all inputs of this type exactly, by their dtypes; else the default.

    One number, as opposed to an array, widens the type only where it is none of its values; those of `varied` are lists
    of numbers. Raises E0620 where no type represents all of them.
    """
    return tuple(
        chosen.get(parameter.name) or _inferred(program, parameter, graph, given, source, varied)
        for parameter in program.types
    )


def _inferred(
    program: ir.Program,
    parameter: ir.TypeParameter,
    graph: Graph,
    given: Mapping[str, Any],
    source: Source | None,
    varied: Iterable[str],
) -> Type:
    arrays = {array.name: array for array in program.arrays if array.is_input}
    needs, numbers = list[_Need](), list[_Need]()
    for name in parameter.users:
        if name in arrays:
            dtype = _dtype_of(arrays[name], graph, given)
            found = None if dtype is None else _of_dtype(name, dtype)
            needs += [found] if found is not None else []
        elif name in given:
            values = given[name] if name in varied else [given[name]]
            numbers += filter(None, (_of_number(name, value) for value in values))
    admitted = TYPE_CLASSES[parameter.class_name]
    if all(type_.is_float for type_ in admitted):
        # Whether float64 represents these integers is seen when they are converted.
        needs = [each if each.is_met_by(Type.FLOAT64) else _Need(each.name, each.what, bits=64) for each in needs]
    if not needs and all(need.is_met_by(parameter.default) for need in numbers):
        return parameter.default
    fitting = [type_ for type_ in admitted if all(need.is_met_by(type_) for need in needs)]
    if numbers and not needs:  # a number has no width of its own
        fitting = [type_ for type_ in fitting if type_.bits == _ANSWERS]
    both = [type_ for type_ in fitting if all(need.is_met_by(type_) for need in numbers)]
    if not both:
        raise _no_type(parameter, [*needs, *numbers], admitted, source)
    return both[0]


def _dtype_of(array: ir.Array, graph: Graph, given: Mapping[str, Any]) -> np.dtype[Any] | None:
    """The dtype of an input; None where there is none, or nothing that has one, about which binding has more to say."""
    if array.name in given:
        values = given[array.name]
        values = values.values if isinstance(values, unchecked) else values
        dtype = attribute(values, "dtype")
        if isinstance(dtype, np.dtype):
            return dtype
        if isinstance(values, Text):
            return None
        try:
            return host_array(values, array.name).dtype
        except (ValueError, GdslError):
            return None
    if array.count is not None:
        return None
    if array.domain is Domain.VERTEX:
        attributes: Mapping[str, Any] = graph.vertex_attributes
    else:  # whose edges need not be in order to know this
        attributes = graph.attributes if graph._postponed is None else graph._postponed.edges.attributes
    return np.dtype(attributes[array.name].dtype) if array.name in attributes else None


def _of_dtype(name: str, dtype: np.dtype[Any]) -> _Need | None:
    if dtype.kind == "b":
        return _Need(name, "bool", 0, 1)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return _Need(name, dtype.name, int(limits.min), int(limits.max))
    return _Need(name, dtype.name, bits=min(max(dtype.itemsize * 8, 32), 64)) if dtype.kind == "f" else None


def _of_number(name: str, given: Any) -> _Need | None:
    """What one number needs, a fraction only that it is no integer, as literals do; None for what is no number."""
    value = _parsed(given) if isinstance(given, Text) else plain(given)
    if isinstance(value, float):
        with np.errstate(over="ignore"):
            is_large = bool(np.isinf(np.float32(value))) and not np.isinf(value)
        return _Need(name, shown(value), bits=64 if is_large else 32)
    return _Need(name, shown(value), value, value) if isinstance(value, int) else None


def _parsed(text: Text) -> int | float | None:
    try:
        return whole_number(text.strip())
    except ValueError:
        pass
    try:
        return real_number(text.strip())
    except ValueError:
        return None


def _no_type(
    parameter: ir.TypeParameter, needs: list[_Need], admitted: tuple[Type, ...], source: Source | None
) -> GdslError:
    listed = " and ".join(f"`{need.name}` is {need.what}" for need in needs)
    types = ", ".join(type_.name for type_ in admitted)
    widest = next((type_.name for type_ in reversed(admitted) if type_.is_float), admitted[0].name)
    return GdslError.single(
        "E0620",
        f"no type for `{parameter.name}` represents all that was given exactly: {listed}",
        parameter.span,
        source,
        notes=[f"`{parameter.name}` is one of {types}"],
        fix=f'choose one: -t {parameter.name}={widest} (from Python: types={{"{parameter.name}": "{widest}"}})',
    )


def chosen_types(program: ir.Program, types: object) -> dict[str, Type]:
    """What a caller says of the types of a program: by name of the type parameter the name of a type, or a dtype.

    Raises TypeError for what is no mapping, E0621 for names and types that there are not.
    """
    if types is None:
        return {}
    if not isinstance(types, Mapping):
        raise TypeError(f'types is a mapping such as {{"weight_type": "int64"}}, not {shown(types)}')
    parameters = {parameter.name: parameter for parameter in program.types}
    return {name: _chosen(program, parameters, name, types[name]) for name in types}


def _chosen(program: ir.Program, parameters: Mapping[str, ir.TypeParameter], name: object, type_: object) -> Type:
    if not isinstance(name, str) or name not in parameters:
        near = difflib.get_close_matches(str(name), parameters, n=1)
        listed = ", ".join(parameters)
        fix = f"did you mean `{near[0]}`?" if near else f"its type parameters: {listed}" if parameters else None
        word = f"`{name}`" if isinstance(name, str) and name.isidentifier() else shown(name)
        raise GdslError.single("E0621", f"program {program.name} has no type parameter {word}", fix=fix)
    admitted = {each.name: each for each in TYPE_CLASSES[parameters[name].class_name]}
    word = _type_word(type_)
    if word not in admitted:
        near = difflib.get_close_matches(word, admitted, n=1)
        fix = f"did you mean {near[0]}?" if near else f"write {name}={parameters[name].default.name}, for example"
        what = f"`{name}` is one of {', '.join(admitted)}, not {shown(type_)}"
        raise GdslError.single("E0621", what, fix=fix)
    return admitted[word]


def _type_word(type_: object) -> str:
    """What the language calls a type that was given by its name, a dtype, or a class of NumPy's or Python's."""
    if isinstance(type_, str):
        return type_.strip()
    if isinstance(type_, Type):
        return type_.name
    if type_ is None:
        return ""
    try:
        return np.dtype(type_).name  # type: ignore[call-overload,no-any-return]
    except TypeError:
        return ""
