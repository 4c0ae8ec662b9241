"""The types that a call decides: for each type parameter, one that represents all its values exactly."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gdsl.binding.inputs import unchecked
from gdsl.binding.params import Text, plain
from gdsl.binding.representation import has_float32
from gdsl.diagnostics import GdslError, shown
from gdsl.foreign_objects import attribute
from gdsl.graph import Graph
from gdsl.graph.arrays import host_array, is_of_cupy, is_on_gpu, on_gpu
from gdsl.ir import nodes as ir
from gdsl.numerals import real_number, whole_number
from gdsl.operations import Domain
from gdsl.source import Source
from gdsl.types import TYPE_CLASSES, Type

_WIDEST = 64
"""Bits of the widest types."""


_ranges: WeakKeyDictionary[Graph, dict[tuple[Domain, str], tuple[int, int]]] = WeakKeyDictionary()
"""The least and the largest value of attributes of integers."""


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


class Inference:
    """The types of calls of one program; what one array decides is remembered by its dtype."""

    def __init__(self, program: ir.Program, source: Source | None = None) -> None:
        self._program, self._source = program, source
        self._array = _deciding_array(program)
        self._of_dtypes: dict[np.dtype[Any], tuple[Type, ...]] = {}
        self._of_graphs: WeakKeyDictionary[Graph, tuple[Type, ...]] = WeakKeyDictionary()

    def types(
        self, graph: Graph, arguments: Mapping[str, Any], chosen: Mapping[str, Type], varied: Iterable[str] = ()
    ) -> tuple[Type, ...]:
        """As `inferred_types`."""
        if self._array is None or chosen:
            return inferred_types(self._program, graph, arguments, chosen, self._source, varied)
        values = arguments.get(self._array)
        values = values.values if type(values) is unchecked else values
        dtype = None if values is None else attribute(values, "dtype")
        result = self._of_graphs.get(graph) if values is None else None
        if isinstance(dtype, np.dtype):
            result = self._of_dtypes.get(dtype)
        if result is None:
            result = inferred_types(self._program, graph, arguments, chosen, self._source, varied)
            if values is None:
                self._of_graphs[graph] = result
            elif isinstance(dtype, np.dtype):
                self._of_dtypes[dtype] = result
        return result


def _deciding_array(program: ir.Program) -> str | None:
    """The one array whose dtype alone decides the types of a program; None where there is more to it."""
    if len(program.types) != 1 or not any(type_.is_integer for type_ in TYPE_CLASSES[program.types[0].class_name]):
        return None
    arrays = {array.name for array in program.arrays if array.is_input}
    names = arrays.union(param.name for param in program.params)
    names.update(scalar.name for scalar in program.scalars if scalar.is_input)
    deciding = [name for name in program.types[0].users if name in names]
    return deciding[0] if len(deciding) == 1 and deciding[0] in arrays else None


def inferred_types(
    program: ir.Program,
    graph: Graph,
    arguments: Mapping[str, Any],
    chosen: Mapping[str, Type],
    source: Source | None = None,
    varied: Iterable[str] = (),
) -> tuple[Type, ...]:
    """The type of each type parameter in a call with `arguments` on `graph`: the `chosen` one; else the first admitted
    type that represents all inputs of this type exactly, by their dtypes; else the default.

    Where no type does by the dtypes alone, one of 64 bits that represents the values does. One number, as opposed to an
    array, widens the type only where the type does not have it; those of `varied` are lists of numbers. Raises E0620
    where no type represents all of them.
    """
    call = _Call(program, graph, arguments, source, frozenset(varied))
    return tuple(chosen.get(parameter.name) or call.type_of(parameter) for parameter in program.types)


class _Call:
    """What one call gives for the type parameters of a program."""

    def __init__(
        self,
        program: ir.Program,
        graph: Graph,
        arguments: Mapping[str, Any],
        source: Source | None,
        varied: frozenset[str],
    ) -> None:
        self._arrays = {array.name: array for array in program.arrays if array.is_input}
        self._graph, self._arguments, self._source, self._varied = graph, arguments, source, varied

    def type_of(self, parameter: ir.TypeParameter) -> Type:
        """The type that the inputs of a type parameter need. Raises E0620."""
        admitted = TYPE_CLASSES[parameter.class_name]
        arrays = {name: self._array(self._arrays[name]) for name in parameter.users if name in self._arrays}
        has_floats = any(type_.is_float for type_ in admitted)
        needs = [_of_dtype(name, values.dtype, has_floats) for name, values in arrays.items() if values is not None]
        numbers = list(self._numbers(parameter))
        if not needs and all(each.is_met_by(parameter.default) for each in numbers):
            return parameter.default
        result = _first(admitted, [*needs, *numbers])
        if result is None or not needs:  # a number has no width of its own
            exact = [self._of_values(each, arrays[each.name]) for each in needs]
            result = _first([type_ for type_ in admitted if type_.bits == _WIDEST], [*exact, *numbers])
        if result is None:
            raise _no_type(parameter, [*needs, *numbers], admitted, self._source)
        return result

    def _numbers(self, parameter: ir.TypeParameter) -> Iterator[_Need]:
        for name in parameter.users:
            if name in self._arguments and name not in self._arrays:
                values = self._arguments[name] if name in self._varied else [self._arguments[name]]
                yield from filter(None, (_of_number(name, value) for value in values))

    def _array(self, array: ir.Array) -> Any:
        """An input, the caller's or the graph's; None where there is none, or it does not hold numbers, which
        binding reports."""
        values: Any = None
        if array.name in self._arguments:
            values = self._arguments[array.name]
            values = values.values if isinstance(values, unchecked) else values
            try:
                if is_on_gpu(values):
                    values = values if is_of_cupy(values) else on_gpu(values)
                elif type(values) is not np.ndarray:
                    values = None if isinstance(values, Text) else host_array(values, array.name)
            except (ValueError, GdslError):
                return None
        elif array.count is None:
            values = self._attributes(array.domain).get(array.name)
        return values if values is not None and values.dtype.kind in "biuf" else None

    def _of_values(self, need: _Need, values: Any) -> _Need:
        """What an array needs by its values, where these are integers; of the graph's own this is kept."""
        if need.bits or not values.size:
            return need
        ranges = {} if need.name in self._arguments else _ranges.setdefault(self._graph, {})
        key = self._arrays[need.name].domain, need.name
        if key not in ranges:
            ranges[key] = int(values.min()), int(values.max())
        return _Need(need.name, need.what, *ranges[key])

    def _attributes(self, domain: Domain) -> Mapping[str, Any]:
        if domain is Domain.VERTEX:
            return self._graph.vertex_attributes
        lazy = self._graph._lazy_csr  # whose edges need not be in order to know their dtype
        return self._graph.attributes if lazy is None else lazy.edges.attributes


def _first(types: Iterable[Type], needs: Sequence[_Need]) -> Type | None:
    return next((type_ for type_ in types if all(each.is_met_by(type_) for each in needs)), None)


def _of_dtype(name: str, dtype: np.dtype[Any], has_floats: bool) -> _Need:
    """What an array needs by its dtype, of bools, integers or floats. Where no type has floats,
    these are whole numbers of int64; binding rejects others."""
    if dtype.kind == "f" and not has_floats:
        dtype = np.dtype(np.int64)
    if dtype.kind == "b":
        return _Need(name, "bool", 0, 1)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return _Need(name, dtype.name, int(limits.min), int(limits.max))
    return _Need(name, dtype.name, bits=min(max(dtype.itemsize * 8, 32), 64))


def _of_number(name: str, argument: Any) -> _Need | None:
    """What one number needs, for a fraction a float that represents it; None for anything else."""
    value = _parsed(argument) if isinstance(argument, Text) else plain(argument)
    if isinstance(value, float):
        return _Need(name, shown(value), bits=32 if has_float32(value) else 64)
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
    descriptions = " and ".join(f"`{need.name}` is {need.what}" for need in needs)
    types = ", ".join(type_.name for type_ in admitted)
    real = next((type_.name for type_ in reversed(admitted) if type_.is_float), None)
    options, names = " ".join(f"--round {need.name}" for need in needs), [need.name for need in needs]
    fix = (
        f"choose one, and take the nearest values: -t {parameter.name}={real} {options} "
        f'(from Python: types={{"{parameter.name}": "{real}"}}, round={names})'
    )
    if real is None:
        fix = "give integers of one of these types, such as array.astype('int64')"
    return GdslError.single(
        "E0620",
        f"no type for `{parameter.name}` represents all that was given exactly: {descriptions}",
        parameter.span,
        source,
        notes=[f"`{parameter.name}` is one of {types}"],
        fix=fix,
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
        similar = difflib.get_close_matches(str(name), parameters, n=1)
        names = ", ".join(parameters)
        fix = f"its type parameters: {names}" if parameters else "leave it out: there are none"
        fix = f"did you mean `{similar[0]}`?" if similar else fix
        word = f"`{name}`" if isinstance(name, str) and name.isidentifier() else shown(name)
        raise GdslError.single("E0621", f"program {program.name} has no type parameter {word}", fix=fix)
    admitted = {each.name: each for each in TYPE_CLASSES[parameters[name].class_name]}
    word = _type_word(type_)
    if word not in admitted:
        from gdsl.frontend.vocabulary import FOREIGN_TYPES, closest

        closest_type = FOREIGN_TYPES.get(word) if FOREIGN_TYPES.get(word) in admitted else closest(word, admitted)
        fix = (
            f"did you mean {closest_type}?"
            if closest_type
            else f"write {name}={parameters[name].default.name}, for example"
        )
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
    except (TypeError, ValueError):  # NumPy writes what it cannot convert into the message
        return ""
