"""The plain ones among the conditions of inputs, on arrays of a GPU: one kernel reads the array once.

Plain is what compares an element with literals and params, with logic between; other conditions are evaluated array
by array (`expressions.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from gdsl.ir import nodes as ir
from gdsl.operations import Builtin, UnaryOperation
from gdsl.types import Type

_TYPES = {
    Type.BOOL: ("bool", np.bool_),
    Type.INT32: ("int", np.int32),
    Type.UINT32: ("unsigned int", np.uint32),
    Type.INT64: ("long long", np.int64),
    Type.UINT64: ("unsigned long long", np.uint64),
    Type.FLOAT32: ("float", np.float32),
    Type.FLOAT64: ("double", np.float64),
}
"""What C++ and NumPy call the types that conditions may be about here; ids are not among them."""
_THREADS, _EACH, _MOST_BLOCKS = 256, 8, 2048
_KERNEL = """
extern "C" __global__ void test(const {type}* values, long long length, unsigned long long* first{parameters}) {{
    const long long step = {step}LL;
    for (long long at = blockIdx.x * step + threadIdx.x; at < length; at += gridDim.x * step) {{
        {type} several[{each}];
        #pragma unroll
        for (int k = 0; k < {each}; ++k) {{
            several[k] = values[at + k * {threads} < length ? at + k * {threads} : at];
        }}
        #pragma unroll
        for (int k = 0; k < {each}; ++k) {{
            const {type} own = several[k];
            const long long place = at + k * {threads};
            if (!({condition}) && place < length) atomicMin(first, (unsigned long long)place);
        }}
    }}
}}
"""
"""One pass over the array; the lowest place where the condition does not hold stays."""


class _NotPlainError(Exception):
    """The condition is more than this file knows."""


def first_failure(name: str, where: ir.Expression, values: Any, params: Mapping[str, bool | int | float]) -> int | None:
    """The first place of `values`, a CuPy array that is the input `name`, of which `where` does not hold; its length
    where it holds of all. None: the condition is none of the plain ones."""
    constants: list[Any] = []
    try:
        condition = _printed(name, where, params, constants)
    except _NotPlainError:
        return None
    if not len(values):
        return 0
    kind = next(kind for kind, (_, dtype) in _TYPES.items() if np.dtype(dtype) == values.dtype)
    kernel = _kernel(condition, _TYPES[kind][0], tuple(constant.dtype.name for constant in constants))
    return _run(kernel, values, constants)


def _run(kernel: Any, values: Any, constants: list[Any]) -> int:
    import cupy

    first = cupy.empty(1, np.uint64)
    first.data.memset_async(0xFF, first.nbytes)
    blocks = min(-(-len(values) // (_THREADS * _EACH)), _MOST_BLOCKS)
    kernel((blocks,), (_THREADS,), (values, np.int64(len(values)), first, *constants))
    return min(int(first.get()[0]), len(values))


@cache
def _kernel(condition: str, kind: str, constants: tuple[str, ...]) -> Any:
    import cupy

    names = {np.dtype(dtype).name: name for name, dtype in _TYPES.values()}
    parameters = "".join(f", {names[each]} c{place}" for place, each in enumerate(constants))
    text = _KERNEL.format(
        type=kind, parameters=parameters, condition=condition, each=_EACH, threads=_THREADS, step=_THREADS * _EACH
    )
    return cupy.RawKernel(text, "test")


def _printed(name: str, node: ir.Expression, params: Mapping[str, Any], constants: list[Any]) -> str:
    """The condition in C++; literals and params become `constants`, so that one kernel serves all their values."""
    match node:
        case ir.Element(array=array, index=ir.OwnId()) if array == name and node.type in _TYPES:
            return "own"
        case ir.Literal(value=value) if node.type in _TYPES:
            return _constant(value, node.type, constants)
        case ir.ParamValue(name=param) if node.type in _TYPES:
            return _constant(params[param], node.type, constants)
        case ir.Unary(operation=UnaryOperation.NOT, operand=operand):
            return f"(!{_printed(name, operand, params, constants)})"
        case ir.BuiltinCall(function=Builtin.ABS, arguments=(operand,)) if operand.type.is_float:
            call = "fabsf" if operand.type is Type.FLOAT32 else "fabs"
            return f"{call}({_printed(name, operand, params, constants)})"
        case ir.Binary(operation=operation, left=left, right=right):
            if operation.is_logical or (operation.is_comparison and left.type in _TYPES):
                first = _printed(name, left, params, constants)
                return f"({first} {operation.value} {_printed(name, right, params, constants)})"
        case ir.Chain(first=start, links=links) if all(link.operation.is_logical for link in links):
            text = _printed(name, start, params, constants)
            for link in links:
                text = f"({text} {link.operation.value} {_printed(name, link.operand, params, constants)})"
            return text
    raise _NotPlainError


def _constant(value: bool | int | float, kind: Type, constants: list[Any]) -> str:
    constants.append(_TYPES[kind][1](value))
    return f"c{len(constants) - 1}"
