"""Tests plain conditions of inputs on arrays of a GPU: one kernel reads the array once.

A plain condition compares an element with literals and params, and combines comparisons by logic; other conditions are
evaluated array by array (`expressions.py`). The kernel is only started here: the caller continues and reads its verdict
later.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from gdsl import deadline
from gdsl.ir import nodes as ir
from gdsl.operations import Builtin, UnaryOperation
from gdsl.resources import filled_text
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
"""The names in C++ and NumPy of the types of plain conditions, which do not include ids."""
_THREADS, _MOST_BLOCKS, _PACK_BYTES = 256, 2112, 16
_SPINNING, _PAUSE = 0.01, 5e-5
"""Seconds of busy waiting for a verdict, and the length of the pauses after that."""


class _NotPlainError(Exception):
    """The condition is not plain."""


class Verdict:
    """The result of a kernel that tests a condition; reading it waits for the kernel."""

    def __init__(self, free_answers: list[_Answer], answer: _Answer | None, length: int) -> None:
        self._free_answers, self._answer, self._length = free_answers, answer, length
        self._failure: int | None = None

    def failure(self) -> int | None:
        """The first place where the condition does not hold, if there is one."""
        answer, self._answer = self._answer, None
        if answer is not None:
            first = answer.wait()
            if first < self._length:
                self._failure = first
            else:  # it is unchanged and can be reused
                self._free_answers.append(answer)
        return self._failure


class _Answer:
    """A number that a kernel lowers, and its copy in the host's memory."""

    def __init__(self) -> None:
        import cupy

        self._runtime, self._cuda = cupy.cuda.runtime, cupy.cuda
        self.first = cupy.empty(1, np.uint64)
        self.first.data.memset_async(0xFF, self.first.nbytes)
        self._pinned = cupy.cuda.alloc_pinned_memory(self.first.nbytes)
        self._host_copy = np.frombuffer(self._pinned, np.uint64, 1)
        self._done = cupy.cuda.Event(disable_timing=True)

    def expect(self) -> None:
        """Queue the copy after the kernel."""
        stream, runtime = self._cuda.get_current_stream(), self._runtime
        device_pointer, nbytes = self.first.data.ptr, self.first.nbytes
        runtime.memcpyAsync(self._pinned.ptr, device_pointer, nbytes, runtime.memcpyDeviceToHost, stream.ptr)
        self._done.record(stream)

    def wait(self) -> int:
        """The number, after waiting for it."""
        began = time.monotonic()
        try:
            while not self._done.done:
                if time.monotonic() - began > _SPINNING:
                    deadline.check()
                    time.sleep(_PAUSE)
        except BaseException:  # Ctrl-C or a timeout: the kernel must finish writing first
            self._done.synchronize()
            raise
        return int(self._host_copy[0])


def start_test(
    name: str, where: ir.Expression, values: Any, params: Mapping[str, bool | int | float]
) -> Verdict | None:
    """Start to test `where` on all of `values`, a CuPy array that is the input `name`; None if it is not plain."""
    constants: list[Any] = []
    try:
        condition = _printed(name, where, params, constants)
    except _NotPlainError:
        return None
    if not len(values):
        return Verdict([], None, 0)
    kind = next(kind for kind, (_, dtype) in _TYPES.items() if np.dtype(dtype) == values.dtype)
    kernel, free_answers = _kernel(condition, _TYPES[kind][0], tuple(constant.dtype.name for constant in constants))
    return _launch(kernel, free_answers, values, constants)


def _launch(kernel: Any, answers_by_device: dict[int, list[_Answer]], values: Any, constants: list[Any]) -> Verdict:
    import cupy

    free_answers = answers_by_device.setdefault(cupy.cuda.runtime.getDevice(), [])
    try:
        answer = free_answers.pop()
    except IndexError:  # other threads may take them
        answer = _Answer()
    length, size = len(values), values.dtype.itemsize
    head = min(-values.data.ptr % _PACK_BYTES // size, length)
    blocks = min(-(-length * size // (_THREADS * 4 * _PACK_BYTES)), _MOST_BLOCKS)
    kernel((blocks,), (_THREADS,), (values, np.int64(length), np.int64(head), answer.first, *constants))
    answer.expect()
    return Verdict(free_answers, answer, length)


@cache
def _kernel(condition: str, kind: str, constants: tuple[str, ...]) -> tuple[Any, dict[int, list[_Answer]]]:
    """The kernel, and answers that are free for reuse, by device."""
    import cupy

    names = {np.dtype(dtype).name: name for name, dtype in _TYPES.values()}
    sizes = {name: np.dtype(dtype).itemsize for name, dtype in _TYPES.values()}
    text = filled_text(
        "templates",
        "cuda",
        "condition.cu.in",
        type=kind,
        parameters="".join(f", {names[each]} c{place}" for place, each in enumerate(constants)),
        constants="".join(f", c{place}" for place in range(len(constants))),
        condition=condition,
        per_pack=_PACK_BYTES // sizes[kind],
        pack_bytes=_PACK_BYTES,
    )
    return cupy.RawKernel(text, "find_failure"), {}


def _printed(name: str, node: ir.Expression, params: Mapping[str, Any], constants: list[Any]) -> str:
    """The condition in C++; literals and params become `constants`, so that one kernel serves all their values."""
    match node:
        case ir.Element(array=array, index=ir.OwnId()) if array == name and node.type in _TYPES:
            return "value"
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
        case ir.Chain(first=start, links=links) if all(operation.is_logical for operation, _ in links):
            text = _printed(name, start, params, constants)
            for operation, operand in links:
                text = f"({text} {operation.value} {_printed(name, operand, params, constants)})"
            return text
    raise _NotPlainError


def _constant(value: bool | int | float, kind: Type, constants: list[Any]) -> str:
    constants.append(_TYPES[kind][1](value))
    return f"c{len(constants) - 1}"
