"""Checks whether a run converged: a result `converged` that is false, and floats that became infinite or NaN.

None of this is an error: callers often want to stop an iteration early. Each call warns once, by a
`NotConvergedWarning` in Python and by a line on standard error of `gdslc`.
"""

from __future__ import annotations

import contextlib
import math
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np

from gdsl.api.description import parts_of_data, results_of
from gdsl.api.summary import on_host
from gdsl.backends.interface import Bindings, parts_of
from gdsl.diagnostics import shown
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import BinaryOperation, Builtin, Grade, NeighborOperation, ReduceOperation
from gdsl.records import dataclass
from gdsl.types import Type

CONVERGED, LIMIT, ERROR = "converged", "max_iterations", "error"
"""The conventional names of the result, of the param that limits the passes, and of the remaining error."""
_SMALL = 1 << 16
"""Arrays of at most this many values are checked on the host, wherever they are."""
_HOME = str(Path(__file__).parents[1])
_MAY_LEAVE = frozenset((BinaryOperation.SUBTRACT, BinaryOperation.MULTIPLY, BinaryOperation.DIVIDE))
_UPDATES = frozenset((ReduceOperation.SUBTRACT, ReduceOperation.MULTIPLY))
_KEEPS = frozenset((Builtin.MIN, Builtin.MAX, Builtin.ABS, Builtin.FLOOR, Builtin.CEIL))


_OF_NOTHING = (NeighborOperation.MIN, NeighborOperation.MAX)
"""Reductions that give infinity for no edges."""


class NotConvergedWarning(RuntimeWarning):
    """A run ended before its iteration converged, or its results became infinite or NaN although its inputs are not."""


@dataclass(frozen=True, slots=True)
class _Watched:
    """A float result, and whether the program itself may store `inf` in it."""

    name: str
    knows_inf: bool


class Watch:
    """What to check in the results of a program, determined once."""

    def __init__(self, program: ir.Program) -> None:
        results = results_of(program)
        self._program = program.name
        self._says = any(
            isinstance(data, ir.Scalar) and data.name == CONVERGED and data.type is Type.BOOL for data in results
        )
        self._has_limit = any(param.name == LIMIT and param.type.is_integer for param in program.params)
        self._has_error = any(
            isinstance(data, ir.Scalar) and data.name == ERROR and data.type.is_float for data in results
        )
        floats = [part for data in results for part in parts_of_data(data) if part.type.is_float]
        if floats and not _may_leave(program, results):
            floats = []
        may_be_infinite = bool(floats) and _writes_inf(program)
        watched = [
            (isinstance(part, ir.Array), _Watched(part.name, may_be_infinite or _begins(part))) for part in floats
        ]
        self._arrays = [each for is_array, each in watched if is_array]
        self._scalars = [each for is_array, each in watched if not is_array]
        self.is_idle = not (self._says or floats)
        """Whether there is nothing to check."""

    def check(
        self, arrays: Mapping[str, Any], scalars: Mapping[str, Any], iterations: int, bindings: Bindings
    ) -> str | None:
        """The warning about one run; None if all is well. Without `arrays` only scalars are checked."""
        if self._says and not scalars[CONVERGED]:
            return self._ended(scalars, iterations, bindings.params)
        values = parts_of(scalars) if self._scalars else {}
        return self._left(((each, values[each.name]) for each in self._scalars), arrays, bindings)

    def check_all(
        self,
        arrays: Mapping[str, Any],
        scalars: Mapping[str, Sequence[Any]],
        bindings: Bindings,
        varied: Mapping[str, Sequence[Any]],
    ) -> str | None:
        """The warning about many runs, given stacks of arrays, and a list of values for each scalar; None if all is
        well. `bindings` are those of the first run, which has the inputs of all; `varied` are the params that
        differ."""
        missed = [number for number, value in enumerate(scalars[CONVERGED]) if not value] if self._says else []
        if missed:
            values = ", ".join(f"{name}={shown(values[missed[0]])}" for name, values in varied.items())
            runs = f"{len(missed):,} of {len(scalars[CONVERGED]):,} runs"
            return f"{self._program} did not converge in {runs}; the first of them is that with {values}"
        stacks = parts_of({name: _stack(values) for name, values in scalars.items()}) if self._scalars else {}
        return self._left(((each, stacks[each.name]) for each in self._scalars), arrays, bindings)

    def _ended(self, scalars: Mapping[str, Any], iterations: int, params: Mapping[str, Any]) -> str:
        passes = f"{iterations:,} {'pass' if iterations == 1 else 'passes'}"
        limited = self._has_limit and iterations >= params.get(LIMIT, math.inf)
        how = (
            f"did not converge in {passes}, the limit that `{LIMIT}` sets"
            if limited
            else f"did not converge: it ended after {passes}"
        )
        left = f"; `{ERROR}` is {scalars[ERROR]:.3g}" if self._has_error else ""
        return f"{self._program} {how}{left}"

    def _left(
        self, scalars: Iterable[tuple[_Watched, Any]], arrays: Mapping[str, Any], bindings: Bindings
    ) -> str | None:
        values = parts_of(arrays) if self._arrays and arrays else {}
        of_arrays = [(each, values[each.name]) for each in self._arrays] if values else []
        for watched, value in (*scalars, *of_arrays):
            if _is_fine(value, watched.knows_inf):
                continue
            nans = _count("isnan", value)
            infinite = 0 if watched.knows_inf else _count("isinf", value)
            of_nan, of_inf = _of_inputs(bindings)
            name = f"{self._program}: `{watched.name}`"
            if nans and not of_nan:
                return f"{name} {_words(value, nans, 'NaN')}, and no input is NaN"
            if infinite and not (of_inf or of_nan):
                return f"{name} {_words(value, infinite, 'infinite')}, and all inputs are finite"
        return None


_is_quiet = ContextVar("is_quiet", default=False)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress the warnings of runs inside, which no caller asked for."""
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


def warn(text: str) -> None:
    """A `NotConvergedWarning` at the line outside gdsl that called."""
    if _is_quiet.get():
        return
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HOME):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, NotConvergedWarning, stacklevel=level)


def _stack(values: Sequence[Any]) -> Any:
    """The values of one scalar in all runs; for pairs, a pair of arrays."""
    first = values[0] if len(values) else 0
    if isinstance(first, tuple):
        return type(first)(*(np.asarray([value[place] for value in values]) for place in range(2)))
    return np.asarray(values)


def _words(value: Any, count: int, what: str) -> str:
    if isinstance(value, float):
        return f"became {what}"
    return f"has {count:,} {'value' if count == 1 else 'values'} that became {what}"


def _is_fine(value: Any, knows_inf: bool) -> bool:
    """Whether `value` has no NaN, and no unexpected infinity; with one pass over an array."""
    if isinstance(value, float):
        return not math.isnan(value) if knows_inf else math.isfinite(value)
    if not value.size:
        return True
    if value.size <= _SMALL:
        value = on_host(value)  # without a kernel that would have to be compiled
    if knows_inf:
        return not math.isnan(float(value.min()))  # which is NaN if any value is
    with np.errstate(all="ignore"):
        return math.isfinite(float(value.sum())) or not (_count("isnan", value) or _count("isinf", value))


def _count(test: str, value: Any) -> int:
    """How many values are NaN, or infinite."""
    return int(np.count_nonzero(getattr(np, test)(on_host(value))))


def _of_inputs(bindings: Bindings) -> tuple[bool, bool]:
    """Whether the caller's values include NaN, and infinities."""
    arguments = [*bindings.inputs.values(), *(value for value in bindings.params.values() if isinstance(value, float))]
    floats = [
        value
        for value in arguments
        if isinstance(value, float) or getattr(value, "dtype", np.bool_(0).dtype).kind == "f"
    ]
    return any(_count("isnan", value) for value in floats), any(_count("isinf", value) for value in floats)


def _begins(data: ir.Array | ir.Scalar) -> bool:
    """Whether `inf` is in the initial value."""
    return any(map(_is_inf, walk(data.initial)))


def _is_inf(node: object) -> bool:
    return isinstance(node, ir.Literal) and isinstance(node.value, float) and math.isinf(node.value)


def _writes_inf(program: ir.Program) -> bool:
    """Whether the program has an `inf` outside of comparisons, or reductions that give one for no edges."""
    compared = set[int]()
    for node in walk(_body(program)):
        if isinstance(node, ir.Binary) and node.operation.is_comparison:
            compared.update(id(side) for side in (node.left, node.right))
        elif isinstance(node, ir.NeighborReduce):
            if node.array_type.is_float and node.operation in _OF_NOTHING:
                return True
        elif _is_inf(node) and id(node) not in compared:
            return True
    return False


def _body(program: ir.Program) -> tuple[object, ...]:
    functors = (program.vertex_functors, program.edge_functors, program.vote_functors)
    return (program.functions, functors, program.schedule)


def _may_leave(program: ir.Program, results: Sequence[ir.Array | ir.Scalar]) -> bool:
    """Whether finite floats may become infinite or NaN other than by a sum that is compared, as distances are: by sums
    in any order, or by operations whose results exceed their operands."""
    if any(data.grade not in (Grade.EXACT, Grade.TRIED) for data in results):
        return True
    for node in walk((tuple(each.initial for each in program.data if each.initial is not None), _body(program))):
        if isinstance(node, ir.Binary) and node.type.is_float and node.operation in _MAY_LEAVE:
            return True
        if (
            isinstance(node, ir.Chain)
            and node.type.is_float
            and any(operation in _MAY_LEAVE for operation, _ in node.links)
        ):
            return True
        if isinstance(node, ir.Update) and node.value.type.is_float and node.operation in _UPDATES:
            return True
        if isinstance(node, ir.BuiltinCall) and node.type.is_float and node.function not in _KEEPS:
            return True
    return False
