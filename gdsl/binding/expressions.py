"""Evaluates expressions before a run: defaults of params, `where` of inputs.

Whole arrays at a time, with the meaning that the language gives every operation. Ids are uint64 with `none` as the
largest value, so that it orders after all others. A pair is a tuple of two arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gdsl import deadline
from gdsl.arithmetic.operations import of_arrays
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes as ir
from gdsl.operations import BinaryOperation, Degree, Domain
from gdsl.types import Type

Array = Any

NONE = 2**64 - 1
"""`none` among ids as uint64."""

DTYPES: dict[Type, Any] = {
    Type.BOOL: np.dtype(np.bool_),
    Type.INT32: np.dtype(np.int32),
    Type.UINT32: np.dtype(np.uint32),
    Type.INT64: np.dtype(np.int64),
    Type.UINT64: np.dtype(np.uint64),
    Type.FLOAT32: np.dtype(np.float32),
    Type.FLOAT64: np.dtype(np.float64),
    Type.VERTEX: np.dtype(np.uint64),
    Type.EDGE: np.dtype(np.uint64),
}
"""The dtypes that expressions are evaluated in."""


def stored_as(values: Array, type_: Type) -> Array:
    """`values` of a bound array (ids signed, `none` as -1) in the dtype that expressions are evaluated in."""
    if type_.is_id:
        return values.astype(np.int64).astype(np.uint64)
    return values.astype(DTYPES[type_], copy=False)


def convert(module: Any, value: Array, old: Type, new: Type, ids: int) -> Array:
    """A conversion as `ir.Convert` defines it; `ids` is the number of ids of the type `new`."""
    if old is new:
        return value
    target = DTYPES[new]
    if old.is_id:
        none = value == np.uint64(NONE)
        largest = NONE if new is Type.UINT64 else (2**32 - 1 if new is Type.UINT32 else -1)
        return module.where(none, module.full(1, largest, dtype=target), value.astype(target))
    if new.is_id:
        out_of_range = (value < 0) | (value >= ids)
        return module.where(out_of_range, np.uint64(NONE), module.where(out_of_range, 0, value).astype(np.uint64))
    return of_arrays(module).convert(old, new)(value)


Value = Any
"""An array, or a pair of arrays."""


def choose(module: Any, condition: Any, yes: Value, no: Value) -> Value:
    """One of two values for each element."""
    if isinstance(yes, tuple):
        return tuple(module.where(condition, one, other) for one, other in zip(yes, no, strict=True))
    return module.where(condition, yes, no)


def zero_values(module: Any, length: int, kind: Type) -> Value:
    """`length` zeros of a type."""
    if kind.is_pair:
        return tuple(module.zeros(length, DTYPES[part]) for part in kind.parts)
    return module.zeros(length, DTYPES[kind])


def num_elements(value: Value) -> int:
    """How many elements a value has: one for each, or one for all of them."""
    return max(map(len, value)) if isinstance(value, tuple) else len(value)


def element_of(value: Value, place: int) -> Value:
    """The value of one element."""
    if isinstance(value, tuple):
        return tuple(element_of(part, place) for part in value)
    return value[place : place + 1] if len(value) > 1 else value


def store(values: Value, place: int, value: Value) -> None:
    """Store the value of one element."""
    if isinstance(values, tuple):
        for part, own in zip(values, value, strict=True):
            part[place] = own[0]
    else:
        values[place] = value[0]


class Evaluator:
    """Evaluates expressions for a range of elements; every value is an array of their number, or of length one."""

    def __init__(
        self,
        module: Any,
        functions: Mapping[str, ir.Function],
        params: Mapping[str, bool | int | float],
        counts: Mapping[Domain, int],
        array: Callable[[str], Any] = lambda name: None,
        degrees: Callable[[Degree], Any] = lambda degree: None,
    ) -> None:
        """`module` is numpy or cupy; `array` gives inputs by name, arrays of it and scalars, `degrees` arrays [V]."""
        self._module = module
        self._arithmetic = of_arrays(module)
        self._functions = functions
        self._params = params
        self._counts = counts
        self._array = array
        self._degrees = degrees
        self._range: tuple[int, int, int] | None = (0, 1, 1)
        """The elements that are evaluated, as (first, last, values of each); None for single elements, which are in the
        next two fields."""
        self._ids: Array = None
        self._parts: Array = None

    def values(self, expression: ir.Expression, first: int, last: int, count: int = 1) -> Array:
        """The values for elements `first` to `last` - 1; where each has `count` values, for these positions among all
        values."""
        self._range, self._ids, self._parts = (first, last, count), None, None
        with np.errstate(all="ignore"):
            return self._evaluate(expression, {}, None)

    def value(self, expression: ir.Expression) -> bool | int | float:
        """The value of an expression that refers to no element; `none` is -1."""
        result = self.values(expression, 0, 1)[0].item()
        if expression.type.is_id and result == NONE:
            return -1
        return result  # type: ignore[no-any-return]

    @property
    def _own(self) -> Array:
        if self._ids is None:
            self._number()
        return self._ids

    @property
    def _part(self) -> Array:
        if self._parts is None:
            self._number()
        return self._parts

    def _number(self) -> None:
        """Number the elements of the range, and the values of each: few expressions need that."""
        assert self._range is not None
        first, last, count = self._range
        places = self._module.arange(first, last, dtype=np.uint64)
        self._ids, self._parts = places // np.uint64(count), (places % np.uint64(count)).astype(np.int32)

    def _evaluate(self, node: ir.Expression, local: dict[str, Array], active: Array | None) -> Array:
        match node:
            case ir.Element() | ir.DegreeOf():
                return self._gathered(node, local, active)
            case ir.Slot():
                element, count, place = (
                    self._evaluate(part, local, active).astype(np.int64)
                    for part in (node.element, node.count, node.place)
                )
                return element * count + place
            case ir.Unary(operation=operation, operand=operand):
                return self._arithmetic.unary(operation)(self._evaluate(operand, local, active))
            case ir.Binary():
                return self._binary(node, local, active)
            case ir.Chain():
                return self._chain(node, local, active)
            case ir.Select(condition=condition, yes=yes, no=no):
                chosen = self._evaluate(condition, local, active)
                return choose(
                    self._module,
                    chosen,
                    self._evaluate(yes, local, self._narrowed(active, chosen)),
                    self._evaluate(no, local, self._narrowed(active, ~chosen)),
                )
            case ir.MakePair(first=first, second=second):
                return self._evaluate(first, local, active), self._evaluate(second, local, active)
            case ir.PairPart(pair=pair, place=place):
                return self._evaluate(pair, local, active)[place]
            case ir.Convert(operand=operand):
                value = self._evaluate(operand, local, active)
                limits = self._counts.get(Domain.VERTEX if node.type is Type.VERTEX else Domain.EDGE, 0)
                return convert(self._module, value, operand.type, node.type, limits)
            case ir.BuiltinCall(function=builtin, arguments=arguments):
                values = [self._evaluate(argument, local, active) for argument in arguments]
                return self._arithmetic.builtin(builtin, arguments[0].type)(*values)
            case ir.FunctionCall(function=name, arguments=arguments):
                values = [self._evaluate(argument, local, active) for argument in arguments]
                return self._called(self._functions[name], values, active)
        return self._leaf(node, local)

    def _leaf(self, node: ir.Expression, local: dict[str, Array]) -> Array:
        match node:
            case ir.Literal(value=value):
                return self._constant(value, node.type)
            case ir.NoneId():
                return self._constant(NONE, node.type)
            case ir.Local(name=name):
                return local[name]
            case ir.ParamValue(name=name):
                value = self._params[name]
                return self._constant(NONE if node.type.is_id and value < 0 else value, node.type)
            case ir.ScalarValue(name=name):
                return self._constant(self._array(name), node.type)
            case ir.OwnId():
                return self._own
            case ir.OwnPart():
                return self._part
            case ir.Count(domain=domain):
                return self._constant(self._counts[domain], node.type)
        raise AssertionError(f"{type(node).__name__} cannot be evaluated before a run")

    def _constant(self, value: bool | int | float, type_: Type) -> Array:
        return self._module.full(1, value, dtype=DTYPES[type_])

    def _binary(self, node: ir.Binary, local: dict[str, Array], active: Array | None) -> Array:
        left = self._evaluate(node.left, local, active)
        return self._applied(node.operation, node.left.type, left, node.right, local, active)

    def _chain(self, node: ir.Chain, local: dict[str, Array], active: Array | None) -> Array:
        value = self._evaluate(node.first, local, active)
        for operation, operand in node.links:
            value = self._applied(operation, node.type, value, operand, local, active)
        return value

    def _applied(
        self,
        operation: BinaryOperation,
        kind: Type,
        left: Array,
        right: ir.Expression,
        local: dict[str, Array],
        active: Array | None,
    ) -> Array:
        """`left`, of type `kind`, and `right` under an operation."""
        if operation is BinaryOperation.AND:
            return left & self._evaluate(right, local, self._narrowed(active, left))
        if operation is BinaryOperation.OR:
            return left | self._evaluate(right, local, self._narrowed(active, ~left))
        return self._arithmetic.binary(operation, kind, right.type)(left, self._evaluate(right, local, active))

    def _narrowed(self, active: Array | None, chosen: Array) -> Array:
        return chosen if active is None else active & chosen

    def _gathered(self, node: ir.Element | ir.DegreeOf, local: dict[str, Array], active: Array | None) -> Array:
        if isinstance(node, ir.Element) and isinstance(node.index, ir.OwnId) and self._range and self._range[2] == 1:
            first, last, _ = self._range
            return stored_as(self._array(node.array)[first:last], node.type)
        if isinstance(node, ir.Element):
            array, index = self._array(node.array), self._evaluate(node.index, local, active)
            what = f"{node.array}[{{}}]"
        else:
            array, index = self._degrees(node.degree), self._evaluate(node.vertex, local, active)
            what = f"{node.degree.value}({{}})"
        signed = index.dtype.kind == "i"
        out_of_range = (index < 0) | (index >= len(array)) if signed else index >= np.uint64(len(array))
        if active is not None:
            out_of_range = out_of_range & active
        if bool(out_of_range.any()):
            offender = int(index[int(out_of_range.argmax())] if len(index) == len(out_of_range) else index[0])
            shown = "none" if offender == NONE else str(offender)
            raise GdslError.single("E0801", f"index out of range: {what.format(shown)}", node.span)
        if len(array) == 0:
            return self._module.zeros(len(index), DTYPES[node.type])
        values = array[self._module.clip(index, 0, len(array) - 1).astype(np.int64)]
        return stored_as(values, node.type)

    def _called(self, function: ir.Function, values: list[Array], active: Array | None) -> Array:
        """A function's values: all elements together where it has no control flow, else one after the other."""
        deadline.check()
        names = [name for name, _ in function.parameters]
        if all(isinstance(statement, ir.Let | ir.Assign | ir.Return) for statement in function.body):
            return self._returned(function.body, dict(zip(names, values, strict=True)), active)
        length = max([num_elements(value) for value in values] + [len(self._own)])
        results = zero_values(self._module, length, function.result)
        own, part, element_range = self._own, self._part, self._range
        self._range = None
        for place in range(length):
            deadline.check()
            if active is not None and not bool(active[place if len(active) > 1 else 0]):
                continue
            one = [element_of(value, place) for value in values]
            self._ids = own[place : place + 1] if len(own) > 1 else own
            self._parts = part[place : place + 1] if len(part) > 1 else part
            store(results, place, self._returned(function.body, dict(zip(names, one, strict=True)), None))
        self._ids, self._parts, self._range = own, part, element_range
        return results

    def _returned(self, body: tuple[ir.Statement, ...], local: dict[str, Array], active: Array | None) -> Array:
        result = self._run(body, local, active)
        assert result is not None, "the checker lets no function end without a value"
        return result

    def _run(self, body: tuple[ir.Statement, ...], local: dict[str, Array], active: Array | None) -> Array | None:
        """Run statements for one element, or for all where there is no control flow; the value of `return`."""
        for statement in body:
            match statement:
                case ir.Let(name=name, value=value) | ir.Assign(name=name, value=value):
                    local[name] = self._evaluate(value, local, active)
                case ir.Return(value=value):
                    return self._evaluate(value, local, active)
                case ir.Branch(condition=condition, then=then, otherwise=otherwise):
                    chosen = then if self._holds(condition, local) else otherwise
                    result = self._run(chosen, local, active)
                    if result is not None:
                        return result
                case ir.ForRange() | ir.Loop():
                    result = self._loop(statement, local)
                    if result is not None:
                        return result
                case ir.Break():
                    raise _LeaveLoop
                case _:
                    raise AssertionError(f"{type(statement).__name__} cannot occur in a function")
        return None

    def _loop(self, statement: ir.ForRange | ir.Loop, local: dict[str, Array]) -> Array | None:
        try:
            if isinstance(statement, ir.Loop):
                while self._holds(statement.condition, local):
                    deadline.check()
                    result = self._run(statement.body, local, None)
                    if result is not None:
                        return result
                return None
            first = int(self._evaluate(statement.first, local, None)[0])
            last = int(self._evaluate(statement.last, local, None)[0])
            for value in range(first, last):
                deadline.check()
                local[statement.name] = self._constant(value, statement.type)
                result = self._run(statement.body, local, None)
                if result is not None:
                    return result
        except _LeaveLoop:
            pass
        return None

    def _holds(self, condition: ir.Expression, local: dict[str, Array]) -> bool:
        return bool(self._evaluate(condition, local, None)[0])


class _LeaveLoop(Exception):  # noqa: N818 - it is no error
    """A `break`."""
