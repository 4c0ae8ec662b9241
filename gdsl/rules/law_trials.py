"""Pure functions of a program, called with single values at check time.

An id is a Python int here, of a graph that has `IDS` vertices and as many edges; `none` is greater than all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from numpy import floating

from gdsl.arithmetic.operations import SINGLE, typed
from gdsl.ir import nodes
from gdsl.operations import BinaryOperation
from gdsl.types import Type

IDS = 1000
NONE = 2**63 - 1
Value = Any
Locals = dict[str, Value]


class TooLongError(Exception):
    """More work than the limit."""


class Trial:
    """The functions of one program; `work` is the limit of statements and calls in all. Call under
    `numpy.errstate(all="ignore")`."""

    def __init__(self, functions: Iterable[nodes.Function], work: int) -> None:
        self._functions = {function.name: function for function in functions}
        self._work = work
        self._results: dict[tuple[object, ...], Value] = {}
        """By function and arguments: functions that each call the next one twice are evaluated once a level."""

    def call(self, name: str, arguments: Iterable[Value]) -> Value:
        """The value of a function. Raises `TooLongError`."""
        self._spend()
        arguments = tuple(arguments)
        key = (name, *(_distinct(argument) for argument in arguments))
        if key not in self._results:
            function = self._functions[name]
            names = (parameter for parameter, _ in function.parameters)
            value = self._block(function.body, dict(zip(names, arguments, strict=True)))
            self._results[key] = value[0] if isinstance(value, tuple) else literal(0, function.result)
        return self._results[key]

    def _spend(self) -> None:
        self._work -= 1
        if self._work < 0:
            raise TooLongError

    # ------------------------------------------------------------ statements: None, "break", or (the value,)

    def _block(self, body: Iterable[nodes.Statement], own: Locals) -> Any:
        for statement in body:
            self._spend()
            ended = self._statement(statement, own)
            if ended is not None:
                return ended
        return None

    def _statement(self, node: nodes.Statement, own: Locals) -> Any:
        match node:
            case nodes.Let() | nodes.Assign():
                own[node.name] = self.value(node.value, own)
            case nodes.Return():
                return (self.value(node.value, own),)
            case nodes.Break():
                return "break"
            case nodes.Branch():
                return self._block(node.then if self.value(node.condition, own) else node.otherwise, own)
            case nodes.Loop():
                return self._loop(node.body, own, lambda: bool(self.value(node.condition, own)))
            case nodes.ForRange():
                return self._range(node, own)
        return None

    def _range(self, node: nodes.ForRange, own: Locals) -> Any:
        kind = typed(node.type)
        at, last = int(self.value(node.first, own)) - 1, int(self.value(node.last, own))

        def step() -> bool:
            nonlocal at
            at += 1
            own[node.name] = kind(at) if at < last else None
            return at < last

        return self._loop(node.body, own, step)

    def _loop(self, body: tuple[nodes.Statement, ...], own: Locals, goes_on: Callable[[], bool]) -> Any:
        while goes_on():
            self._spend()
            ended = self._block(body, own)
            if ended == "break":
                return None
            if ended is not None:
                return ended
        return None

    # ------------------------------------------------------------ expressions

    def value(self, node: nodes.Expression, own: Locals) -> Value:
        """The value of an expression of a function, or of a literal."""
        match node:
            case nodes.Literal():
                return literal(node.value, node.type)
            case nodes.NoneId():
                return NONE
            case nodes.Local():
                return own[node.name]
            case nodes.Unary():
                return SINGLE.unary(node.operation)(self.value(node.operand, own))
            case nodes.Binary():
                return self._apply(node.operation, node.left.type, self.value(node.left, own), node.right, own)
            case nodes.Chain():
                value = self.value(node.first, own)
                for operation, operand in node.links:
                    value = self._apply(operation, node.type, value, operand, own)
                return value
            case nodes.Select():
                return self.value(node.yes if self.value(node.condition, own) else node.no, own)
            case nodes.Convert():
                return convert(self.value(node.operand, own), node.operand.type, node.type)
            case nodes.BuiltinCall():
                function = SINGLE.builtin(node.function, node.arguments[0].type)
                return function(*(self.value(each, own) for each in node.arguments))
            case nodes.FunctionCall():
                return self.call(node.function, [self.value(each, own) for each in node.arguments])
        raise AssertionError(f"trying: {type(node).__name__}")

    def _apply(
        self, operation: BinaryOperation, kind: Type, left: Value, right: nodes.Expression, own: Locals
    ) -> Value:
        """An operation whose right side is evaluated only where it matters."""
        if operation.is_logical:
            return left if bool(left) is (operation is BinaryOperation.OR) else self.value(right, own)
        return SINGLE.binary(operation, kind, right.type)(left, self.value(right, own))


def _distinct(value: Value) -> object:
    """`value` as a key: zeros of either sign are two keys, and each NaN has one."""
    return value.tobytes() if isinstance(value, floating) else value


def literal(value: bool | int | float, kind: Type) -> Value:
    """A constant as a value of its type."""
    if kind is Type.BOOL:
        return bool(value)
    return int(value) if kind.is_id else typed(kind)(value)


def convert(value: Value, source: Type, target: Type) -> Value:
    """A cast, as `gdsl.ir.nodes.Convert` says."""
    if source is target:
        return value
    if target.is_id:
        return int(value) if 0 <= value < IDS else NONE
    if source.is_id:
        return SINGLE.convert(Type.INT64, target)(typed(Type.INT64)(-1 if value == NONE else value))
    return SINGLE.convert(source, target)(value)
