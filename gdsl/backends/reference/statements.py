"""Compiles statements of functors and functions into Python functions of a call's frame."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from gdsl.arithmetic.operations import BinaryFunction, typed
from gdsl.arithmetic.pairs import comparison
from gdsl.backends.reference.expressions import (
    ACCEPTED,
    FIRST_LOCAL,
    RESULT,
    Environment,
    Evaluator,
    ExpressionCompiler,
    Frame,
    rounds_of,
)
from gdsl.backends.reference.values import Value, differs, reduce_function
from gdsl.ir import nodes as ir
from gdsl.operations import BinaryOperation, Domain, Outcome


class Signal(Enum):
    """Why a body ended before its last statement."""

    BREAK = "break"
    RETURN = "return"


Executor = Callable[[Frame], "Signal | None"]
"""A compiled statement: runs it for one call; None: the next statement follows."""

Place = tuple[Any, Any]
"""Where a value is kept: something with `[key]`, and the key."""

Locator = Callable[[Frame], Place]


class BodyCompiler(ExpressionCompiler):
    """Turns statements into functions of a frame, and expressions with an effect too."""

    def __init__(self, environment: Environment) -> None:
        """`environment.scalars` must be mutable where scalars are written."""
        super().__init__(environment)
        self.makers[ir.UpdateValue] = self.update_value
        self.makers[ir.CompareAndSwap] = self.compare_and_swap
        self.executors: dict[type[Any], Callable[[Any], Executor]] = {
            ir.Let: self.assign,
            ir.Assign: self.assign,
            ir.Store: self.store,
            ir.Update: self.update,
            ir.Evaluate: self.evaluate,
            ir.Accept: self.accept,
            ir.Branch: self.branch,
            ir.ForNeighbors: self.for_neighbors,
            ir.ForRange: self.for_range,
            ir.Loop: self.loop,
            ir.Break: lambda _: lambda frame: Signal.BREAK,
            ir.Return: self.give,
        }

    def body(self, statements: tuple[ir.Statement, ...]) -> Executor:
        """Statements one after another."""
        executors = [self.statement(statement) for statement in statements]
        if len(executors) == 1:
            return executors[0]

        def execute(frame: Frame) -> Signal | None:
            for executor in executors:
                signal = executor(frame)
                if signal is not None:
                    return signal
            return None

        return execute

    def statement(self, node: ir.Statement) -> Executor:
        """One statement."""
        return self.executors[type(node)](node)

    def target(self, node: ir.Target) -> Locator:
        """The target of a write."""
        if isinstance(node, ir.ScalarTarget):
            place = (self.environment.scalars, node.scalar)
            return lambda frame: place
        cells = self.environment.arrays[node.array]
        index = self.index(node.index, node.checked, node.array, self.environment.graph.bound(node.domain))
        return lambda frame: (cells.values, index(frame))

    def assign(self, node: ir.Let | ir.Assign) -> Executor:
        """A value for a local."""
        value, slot = self.compile(node.value), self.slot(node.name)

        def execute(frame: Frame) -> None:
            frame[slot] = value(frame)

        return execute

    def store(self, node: ir.Store) -> Executor:
        """`x = y`."""
        target, value = self.target(node.target), self.compile(node.value)

        def execute(frame: Frame) -> None:
            values, key = target(frame)
            values[key] = value(frame)

        return execute

    def updating(self, node: ir.Update) -> Callable[[Frame], tuple[Value, Value]]:
        """`x op= y` as a function that returns the former value and the combined one."""
        target, value = self.target(node.target), self.compile(node.value)
        combine = reduce_function(node.operation, node.target.type)

        def execute(frame: Frame) -> tuple[Value, Value]:
            values, key = target(frame)
            return apply_update(values, key, combine, value(frame))

        return execute

    def update(self, node: ir.Update) -> Executor:
        """`x op= y` as a statement."""
        updating = self.updating(node)

        def execute(frame: Frame) -> None:
            updating(frame)

        return execute

    def update_value(self, node: ir.UpdateValue) -> Evaluator:
        """`changed(x op= y)` or `fetch(x op= y)`."""
        updating = self.updating(node.update)
        if node.outcome is Outcome.FETCH:
            return lambda frame: updating(frame)[0]
        return lambda frame: differs(*updating(frame))

    def compare_and_swap(self, node: ir.CompareAndSwap) -> Evaluator:
        """`cas(x, old, new)`."""
        target, old, new = self.target(node.target), self.compile(node.old), self.compile(node.new)

        def execute(frame: Frame) -> bool:
            values, key = target(frame)
            return apply_swap(values, key, old(frame), new(frame))

        return execute

    def evaluate(self, node: ir.Evaluate) -> Executor:
        """An expression for its effect."""
        value = self.compile(node.value)

        def execute(frame: Frame) -> None:
            value(frame)

        return execute

    def accept(self, node: ir.Accept) -> Executor:
        """Whether the element is accepted."""
        value = self.compile(node.value)

        def execute(frame: Frame) -> None:
            frame[ACCEPTED] = value(frame)

        return execute

    def branch(self, node: ir.Branch) -> Executor:
        """`if … else …`."""
        condition, then, otherwise = self.compile(node.condition), self.body(node.then), self.body(node.otherwise)
        return lambda frame: then(frame) if condition(frame) else otherwise(frame)

    def for_range(self, node: ir.ForRange) -> Executor:
        """`for i in first..last`."""
        first, last, slot = self.compile(node.first), self.compile(node.last), self.slot(node.name)
        body, poll, kind = self.body(node.body), self.environment.poll, typed(node.type)

        def execute(frame: Frame) -> Signal | None:
            for index in range(first(frame), last(frame)):
                poll()
                frame[slot] = kind(index)
                signal = body(frame)
                if signal is not None:
                    return None if signal is Signal.BREAK else signal
            return None

        return execute

    def for_neighbors(self, node: ir.ForNeighbors) -> Executor:
        """`for u in neighbors(v)`, `for u, x in neighbors(v)`."""
        graph, poll = self.environment.graph, self.environment.poll
        vertex = self.index(node.vertex, node.checked, "neighbors", graph.count(Domain.VERTEX))
        slots = {name: self.slot(name) for name, _ in node.variables}
        body = self.body(node.body)

        def execute(frame: Frame) -> Signal | None:
            for values in rounds_of(node, graph, vertex(frame)):
                poll()
                for name, value in values:
                    frame[slots[name]] = value
                signal = body(frame)
                if signal is not None:
                    return None if signal is Signal.BREAK else signal
            return None

        return execute

    def loop(self, node: ir.Loop) -> Executor:
        """`while (condition)`."""
        condition, body, poll = self.compile(node.condition), self.body(node.body), self.environment.poll

        def execute(frame: Frame) -> Signal | None:
            while condition(frame):
                poll()
                signal = body(frame)
                if signal is not None:
                    return None if signal is Signal.BREAK else signal
            return None

        return execute

    def give(self, node: ir.Return) -> Executor:
        """`return x;`."""
        value = self.compile(node.value)

        def execute(frame: Frame) -> Signal:
            frame[RESULT] = value(frame)
            return Signal.RETURN

        return execute


def apply_update(values: Any, key: Any, combine: BinaryFunction, value: Value) -> tuple[Value, Value]:
    """Combine `values[key]` with `value` and store the result; returns the former value and the result."""
    former = values[key]
    combined = values[key] = combine(former, value)
    return former, combined


def apply_swap(values: Any, key: Any, old: Value, new: Value) -> bool:
    """Replace `values[key]` by `new` if it equals `old`; returns whether it did."""
    same = comparison(BinaryOperation.EQUAL)(values[key], old) if isinstance(old, tuple) else values[key] == old
    if not same:
        return False
    values[key] = new
    return True


@dataclass(frozen=True, slots=True)
class CompiledFunctor:
    """A functor compiled for calls one after another.

    `condition` None: always true. `value` is for `neighbor_reduce` and `neighbor_vote` only, `key` for the latter.
    `size` is the length of a frame.
    """

    condition: Evaluator | None
    body: Executor
    value: Evaluator | None
    size: int
    key: Evaluator | None = None

    def frame(self) -> Frame:
        """A frame for a call, everything in it yet to be set."""
        return [None] * self.size


def compile_functor(functor: ir.VertexFunctor | ir.EdgeFunctor, environment: Environment) -> CompiledFunctor:
    """`functor` compiled in `environment`, which has the arrays that it names."""
    compiler = BodyCompiler(environment)
    conjuncts = [compiler.compile(conjunct) for conjunct in functor.condition]
    body = compiler.body(functor.body)
    results = (functor.value, functor.key) if isinstance(functor, ir.EdgeFunctor) else (None, None)
    value, key = (compiler.compile(result) if result is not None else None for result in results)
    return CompiledFunctor(_all_of(conjuncts), body, value, FIRST_LOCAL + len(compiler.slots), key)


def _all_of(conjuncts: list[Evaluator]) -> Evaluator | None:
    if len(conjuncts) < 2:
        return conjuncts[0] if conjuncts else None
    return lambda frame: all(conjunct(frame) for conjunct in conjuncts)


def compile_functions(
    functions: tuple[ir.Function, ...],
    environment: Environment,
    into: MutableMapping[str, Callable[[list[Value]], Value]],
) -> None:
    """Put each of the program's own functions, as a Python function of its arguments' values, under its name.

    They take one list, not several arguments: so a call of one by another is a plain one, which needs no C stack."""
    for function in functions:
        into[function.name] = _compile_function(function, environment)


def _compile_function(function: ir.Function, environment: Environment) -> Callable[[list[Value]], Value]:
    compiler = BodyCompiler(environment)
    for name, _ in function.parameters:
        compiler.slot(name)
    body = compiler.body(function.body)
    spare = [None] * (len(compiler.slots) - len(function.parameters))
    head = [None] * FIRST_LOCAL

    poll = environment.poll

    def call(arguments: list[Value]) -> Value:
        poll()
        frame: Frame = [*head, *arguments, *spare]
        body(frame)
        return frame[RESULT]

    return call
