"""Arrays for the inputs of a program, from the caller or the graph."""

from __future__ import annotations

import difflib
import warnings
import weakref
from collections.abc import Mapping
from typing import Any

import numpy as np

from gdsl.arithmetic.constants import integer_range
from gdsl.binding.graph_checks import flat
from gdsl.binding.params import Text, id_kind, rounding_words
from gdsl.binding.representation import first_changed, plain_number
from gdsl.diagnostics import GdslError, shell_word, type_name
from gdsl.graph import Graph
from gdsl.graph.arrays import host_array, is_of_cupy, is_on_gpu, on_gpu
from gdsl.ir import nodes as ir
from gdsl.operations import Domain
from gdsl.source import Source
from gdsl.types import Type, Widths

_KINDS = {
    Type.BOOL: "b",
    Type.INT32: "iu",
    Type.UINT32: "iu",
    Type.INT64: "iu",
    Type.UINT64: "iu",
    Type.FLOAT32: "fiu",
    Type.FLOAT64: "fiu",
    Type.VERTEX: "iu",
    Type.EDGE: "iu",
}


class unchecked:  # noqa: N801 - it is called as a function is
    """An array for an input whose `where` the caller vouches for, so that it is not tested.

    Shape, dtype and ids are checked as always. If the condition does not hold, results are meaningless, or the run does
    not end.
    """

    def __init__(self, values: Any) -> None:
        """`values` is the array for the input."""
        self.values = values

    def __repr__(self) -> str:
        return f"unchecked({type(self.values).__name__})"


def array_module(values: object) -> Any:
    """The module, numpy or cupy, that works on `values`."""
    if is_on_gpu(values):
        import cupy

        return cupy
    return np


def element_name(domain: Domain, index: int, graph: Graph) -> str:
    """The name in messages of one element: ``vertex 3`` or ``edge 7 (2 -> 5)``."""
    if domain is Domain.VERTEX:
        return f"vertex {index}"
    source, destination = graph.ends(index)
    return f"edge {index} ({source} -> {destination})"


def value_name(domain: Domain, index: int, graph: Graph, count: int | None) -> str:
    """The name in messages of the value at a place: its element, and its position if elements have `count` values."""
    if count is None:
        return element_name(domain, index, graph)
    return f"value {index % count} of {element_name(domain, index // count, graph)}"


_converted_attributes: weakref.WeakKeyDictionary[Graph, dict[tuple[str, Type, Widths, bool, bool], Any]] = (
    weakref.WeakKeyDictionary()
)
"""Attributes in the dtype that a program declares, kept as long as their graph: graphs do not change."""


def attribute_array(
    array: ir.Array,
    graph: Graph,
    widths: Widths,
    source: Source | None,
    flags: bool = False,
    is_rounded: bool = False,
) -> Any:
    """The graph's attribute for the input `array`, as `input_array` converts it; the same array at every call.

    Raises E0605 if the graph has none of that name.
    """
    converted_attributes = _converted_attributes.setdefault(graph, {})
    key = (f"{array.domain.value} {array.name}", array.type, widths, is_rounded, flags)
    if key not in converted_attributes:
        values = _attribute(array, graph, source)
        options = {"flags": flags, "is_rounded": is_rounded}
        converted_attributes[key] = input_array(array, values, graph, widths, source, device=False, **options)
    return converted_attributes[key]


def _attribute(array: ir.Array, graph: Graph, source: Source | None) -> Any:
    attributes = graph.attributes if array.domain is Domain.EDGE else graph.vertex_attributes
    if array.name in attributes and array.count is None:
        return attributes[array.name]
    if array.count is None and not _elements(array, graph):  # a graph without edges has no weights
        return np.empty(0, np.bool_ if array.type is Type.BOOL else np.int32)
    kind = array.domain.value
    fix = f"give {array.name}=array (command line: -p {array.name}=@file.npy)"
    if array.count is not None:
        message = f"no array was given for the input `{array.name}`; a graph's attributes have one value a {kind}"
        raise GdslError.single("E0605", message, array.span, source, fix=fix)
    other = _other_name(array.name, attributes)
    if array.domain is Domain.EDGE and array.name == "weight":
        fix = "a graph file with weights, --weights random:SEED, or weight=array from Python"
        if other is not None:
            column = shell_word(other)
            fix = f"--weight-column {column} selects it, or from Python weight=graph.attributes[{other!r}]"
    elif array.domain is Domain.EDGE and other is not None:
        called = f"a first line such as `source,target,{array.name}` gives a column of a list this name"
        fix = f"{called}, or from Python {array.name}=graph.attributes[{other!r}]"
    names = ", ".join(sorted(attributes))
    raise GdslError.single(
        "E0605",
        f"the graph has no {kind} attribute `{array.name}`, and no array was given for this input",
        array.span,
        source,
        notes=[f"{kind} attributes of the graph: {names}"] if names else [],
        fix=fix,
    )


def _other_name(name: str, attributes: Mapping[str, Any]) -> str | None:
    """The attribute that may be meant by `name`: a similar name, or the only one."""
    similar = [other for other in attributes if other.lower() in (name.lower(), f"{name.lower()}s")]
    similar += difflib.get_close_matches(name, list(attributes), n=1)
    return similar[0] if similar else next(iter(attributes)) if len(attributes) == 1 else None


_DTYPES = {type_: np.dtype(type_.name) for type_ in _KINDS if not type_.is_id}


def is_ready(array: ir.Array, argument: Any, graph: Graph) -> bool:
    """Whether `argument` is an array of CuPy on the current GPU that `input_array` would return unchanged: a cheap test
    for repeated calls."""
    if not is_of_cupy(argument) or argument.dtype != _DTYPES.get(array.type) or array.count is not None:
        return False
    if argument.shape != (_elements(array, graph),) or not argument.flags.c_contiguous:
        return False
    return on_gpu(argument) is argument


def input_array(
    array: ir.Array,
    argument: Any,
    graph: Graph,
    widths: Widths,
    source: Source | None,
    device: bool,
    count: int | None = None,
    flags: bool = False,
    is_rounded: bool = False,
) -> Any:
    """`argument` as a C-contiguous array of the declared dtype (ids: int32 or int64) and length; where an element has
    `count` values, of shape [V, count] or [E, count], which becomes one row.

    It stays on the device where `device` allows that. Values that the declared type does not have become the nearest
    ones where `is_rounded`, also floats for integers. Raises E0606 for a wrong shape, E0607 for a wrong dtype or values
    that the declared type does not have, E0604 for ids that the graph does not have. With `flags` numbers may be given
    as bools, 0 and 1, and integers as floats: whole numbers, and infinity, which is `inf`, the largest value.
    """
    values = _as_array(array, argument, source, device)
    if count is not None:
        values = flat(array, values, count, graph, source)
    length = values.size if count is not None else _elements(array, graph)
    if values.ndim != 1 or len(values) != length:
        raise _wrong_length(array, values, length, graph, source)
    if (is_rounded or flags) and values.dtype.kind == "f" and array.type.is_integer:
        values = array_module(values).rint(values) if is_rounded else values
        return _whole(array, values, graph, source, count, flags)
    if values.dtype.kind == "f" and array.type.is_integer:
        _whole(array, values, graph, source, count, flags)  # reports the first value that no conversion keeps
    if values.dtype.kind not in _KINDS[array.type] and not (flags and values.dtype.kind == "b"):
        raise _wrong_type(array, values, argument, source)
    if array.type.is_id:
        return _checked_ids(array, values, graph, widths, source, count)
    return _converted(array, values, graph, source, count, is_rounded, flags)


def _elements(array: ir.Array, graph: Graph) -> int:
    return graph.num_vertices if array.domain is Domain.VERTEX else graph.num_edges


def _as_array(array: ir.Array, argument: Any, source: Source | None, device: bool) -> Any:
    try:
        if device and is_on_gpu(argument):
            return on_gpu(argument)
        values = host_array(argument, f"input `{array.name}`")
    except ValueError as error:
        raise GdslError.single("E0607", f"input `{array.name}` {error}", array.span, source) from None
    if values.dtype.kind == "O" or (values.ndim == 0 and values.dtype.kind not in "biuf"):
        of_objects = isinstance(argument, np.ndarray)
        what = "an array of objects" if of_objects else type(argument).__name__
        why = f"is not an array of numbers of at most 64 bits, but {what}"
        fix = _conversion(array, values, argument) if of_objects else None
        if isinstance(argument, Text):
            why, fix = "takes an array, not one value", f"-p {array.name}=@FILE, with one value a line or a .npy file"
        raise GdslError.single("E0607", f"input `{array.name}` {why}", array.span, source, fix=fix)
    return values


def _wrong_length(array: ir.Array, values: Any, length: int, graph: Graph, source: Source | None) -> GdslError:
    shape = f"has {len(values):,} values" if values.ndim == 1 else f"has the shape {values.shape}"
    shape = "is one value" if values.ndim == 0 else shape
    what = "vertices" if array.domain is Domain.VERTEX else "stored edges"
    notes = []
    if array.domain is Domain.EDGE and not graph.directed:
        notes.append("an undirected edge is stored both ways, and each direction has its own value")
    return GdslError.single(
        "E0606",
        f"input `{array.name}` {shape}, but the graph has {length:,} {what}",
        array.span,
        source,
        notes=notes,
        fix=_length_fix(array, values, length, graph),
    )


def _length_fix(array: ir.Array, values: Any, length: int, graph: Graph) -> str | None:
    """The fix for an array of the wrong shape, where it is known."""
    if values.ndim == 0:
        return f"give an array with a value for each {array.domain.value}"
    if values.ndim > 1:
        return "make it one row: .reshape(-1)" if values.size == length else None
    count = len(values)
    if array.domain is Domain.VERTEX:
        if count == graph.num_edges:
            return f"values of edges are for an input of edges: `input edge {array.name}`"
        if count > length:
            return f"where edges alone do not say how many vertices there are: num_vertices={count} (--num-vertices)"
        return None
    if not graph.directed and 2 * count - _loops(graph) == length:
        return f"give each undirected edge its value when the graph is made, as the attribute `{array.name}`"
    if count == graph.num_vertices:
        return f"values of vertices are for an input of vertices: `input vertex {array.name}`"
    return None


def _loops(graph: Graph) -> int:
    sources, destinations = graph.edges
    return int((sources == destinations).sum())


def _wrong_type(array: ir.Array, values: Any, argument: Any, source: Source | None) -> GdslError:
    words = "in a text file write `true` and `false`" if array.type is Type.BOOL else None
    fixes = [each for each in (_conversion(array, values, argument), words) if each is not None]
    return GdslError.single(
        "E0607",
        f"input `{array.name}` is {array.type.name}, but the array's dtype is {type_name(values.dtype)}",
        array.span,
        source,
        fix="; ".join(fixes) or None,
    )


def _conversion(array: ir.Array, values: Any, argument: Any) -> str | None:
    """How to convert what was given; None where NumPy cannot, as words, or would lose a part, as of complex numbers."""
    dtype = "int64" if array.type.is_id else array.type.name
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            values.astype(dtype)
    except Exception:  # whatever the elements raise
        return None
    how = f".astype({dtype!r})" if hasattr(argument, "astype") else f"np.asarray({array.name}, {dtype!r})"
    return f"convert the array, for example by {how}"


def _checked_ids(
    array: ir.Array, values: Any, graph: Graph, widths: Widths, source: Source | None, count_of_values: int | None
) -> Any:
    module = array_module(values)
    # Copied first, as other threads may change the caller's array after the check.
    values = module.array(values, order="C")
    count = graph.num_vertices if array.type is Type.VERTEX else graph.num_edges
    # CuPy does not compare with a number that the dtype cannot hold; then no value is too large.
    in_range = count <= np.iinfo(values.dtype).max
    bad = values >= count if in_range else module.zeros(values.shape, dtype=bool)
    if values.dtype.kind == "i":
        bad |= values < -1
    if bool(bad.any()):
        index = int(bad.argmax())
        name = value_name(array.domain, index, graph, count_of_values)
        raise GdslError.single(
            "E0604",
            f"input `{array.name}`: {name} has {int(values[index])}, which is not {id_kind(array.type)} of the graph",
            array.span,
            source,
            notes=[f"ids count from 0 to {count - 1}; -1 is none" if count else "-1 is none"],
        )
    return values.astype(f"i{widths.of(array.type) // 8}", copy=False)


def _converted(
    array: ir.Array,
    values: Any,
    graph: Graph,
    source: Source | None,
    count: int | None,
    is_rounded: bool,
    of_caller: bool,
) -> Any:
    """The values in the declared type, which must represent them (see `representation`) or, if `is_rounded`, have them
    in its range."""
    module = array_module(values)
    target = np.dtype(array.type.name)
    if values.dtype == target:
        return module.ascontiguousarray(values)
    with np.errstate(over="ignore", invalid="ignore"):
        converted = module.ascontiguousarray(values, dtype=target)
    if values.dtype.kind == "b":
        return converted
    if target.kind == "f":
        bad = module.isinf(converted) & module.isfinite(values)
    elif values.dtype.kind == "f":
        low, high = integer_range(array.type)
        bad = ~((values >= low) & (values < float(high + 1)))
    else:
        bad = _out_of_range(values, target)
    index = int(bad.argmax()) if bool(bad.any()) else None
    why = f"which {array.type.name} cannot hold"
    fix = _larger(array, values.dtype, of_caller)
    if index is None and target.kind == "f" and not is_rounded:
        index = first_changed(values, converted, module)
        if index is not None:
            why = f"which {array.type.name} cannot hold; the nearest is {plain_number(converted[index])}"
            fix = _ways_out(array, values.dtype, of_caller)
    if index is not None:
        name = value_name(array.domain, index, graph, count)
        message = f"input `{array.name}`: {name} has {plain_number(values[index])}, {why}"
        raise GdslError.single("E0607", message, array.span, source, fix=fix)
    return converted


def _whole(
    array: ir.Array, values: Any, graph: Graph, source: Source | None, count: int | None, of_caller: bool
) -> Any:
    """Whole floats as integers. Raises E0607 for the first that is a fraction, or beyond the type."""
    module = array_module(values)
    fractions = module.isfinite(values) & (values != module.trunc(values))
    if bool(fractions.any()):
        index = int(fractions.argmax())
        name = value_name(array.domain, index, graph, count)
        message = f"input `{array.name}`: {name} has {plain_number(values[index])}, which {array.type.name} cannot hold"
        alternative = "give whole numbers" if of_caller else f"declare `{array.name} : {_float_name(values.dtype)}`"
        fix = f"{alternative}, or take the nearest whole numbers: {rounding_words(array.name)}"
        raise GdslError.single("E0607", message, array.span, source, fix=fix)
    infinite = module.isposinf(values) & of_caller
    converted = _converted(array, module.where(infinite, 0, values), graph, source, count, True, of_caller)
    if bool(infinite.any()):
        converted[infinite] = integer_range(array.type)[1]
    return converted


def _ways_out(array: ir.Array, dtype: np.dtype[Any], of_caller: bool) -> str:
    """The fix for values that the declared type does not have, or if it is `of_caller` the chosen one."""
    if of_caller:
        return f"choose another type (-t, from Python types=), or take the nearest values: {rounding_words(array.name)}"
    type_ = "float64" if dtype.kind == "f" or dtype.itemsize < 8 else dtype.name
    return f"declare `{array.name} : {type_}`, or take the nearest values: {rounding_words(array.name)}"


def _larger(array: ir.Array, dtype: np.dtype[Any], of_caller: bool) -> str:
    """The fix for values beyond the declared type, or if it is `of_caller` the chosen one."""
    if of_caller:
        return "choose another type (-t, from Python types=)"
    return f"declare `{array.name} : {_float_name(dtype) if dtype.kind == 'f' else dtype.name}`"


def _float_name(dtype: np.dtype[Any]) -> str:
    return "float64" if dtype.itemsize > 4 else "float32"


def _out_of_range(values: Any, target: np.dtype[Any]) -> Any:
    have, want = np.iinfo(values.dtype), np.iinfo(target)
    bad = array_module(values).zeros(values.shape, dtype=bool)
    if have.min < want.min:
        bad |= values < want.min
    if have.max > want.max:
        bad |= values > want.max
    return bad
