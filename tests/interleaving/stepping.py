"""Calls of functors that can be held before every access to data that the operator writes."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

from gdsl.arithmetic.operations import SINGLE, typed
from gdsl.backends.reference.expressions import (
    ACCEPTED,
    FIRST_LOCAL,
    Evaluator,
    Frame,
    Round,
    compile_graph_read,
    index_error,
    rounds_of,
    value_error,
)
from gdsl.backends.reference.operators import Call
from gdsl.backends.reference.state import State
from gdsl.backends.reference.statements import BodyCompiler, Signal, apply_swap, apply_update
from gdsl.backends.reference.values import (
    Value,
    convert_function,
    differs,
    domain_of,
    reduce_function,
)
from gdsl.ir import nodes as ir
from gdsl.ir.nodes import Functor
from gdsl.ir.traversal import walk
from gdsl.operations import BinaryOperation, Degree, Domain, Outcome

Steps = Generator[None, None, Any]
"""A call, or a part of one, that stops before each access to shared data; its return value is the part's value."""


class SteppedExpressions:
    """The expressions of one functor, part by part. What reads nothing that the functor writes is done at once."""

    def __init__(self, functor: Functor, state: State) -> None:
        """Find out what `functor` writes."""
        self.functor = functor
        self.state = state
        self.compiler = BodyCompiler(state.environment)
        targets = [node for node in walk(functor.body) if isinstance(node, ir.ElementTarget | ir.ScalarTarget)]
        self.written = {target.data for target in targets}
        self._whole: dict[int, Evaluator | None] = {}

    def whole(self, node: ir.Expression) -> Evaluator | None:
        """`node` as one function of the frame; None where it meets shared data and must be taken part by part."""
        # The functor holds its nodes as long as this object lives, so their identities stay theirs.
        if id(node) not in self._whole:
            shared = any(self.is_shared(part) for part in walk(node))
            self._whole[id(node)] = None if shared else self.compiler.compile(node)
        return self._whole[id(node)]

    def is_shared(self, node: ir.Node) -> bool:
        """Whether `node` itself reads or writes what calls of this functor write."""
        match node:
            case ir.Element(array=name) | ir.ScalarValue(name=name):
                return name in self.written
        return isinstance(node, ir.UpdateValue | ir.CompareAndSwap)

    def value(self, node: ir.Expression, frame: Frame) -> Steps:
        """The value of `node`."""
        whole = self.whole(node)
        if whole is not None:
            return whole(frame)
        match node:
            case ir.ScalarValue():
                yield
                return self.state.scalars[node.name]
            case ir.Element():
                index = yield from self.index(node.index, node.checked, node.array, node.domain, frame)
                yield
                return self.state.arrays[node.array].values[index]
            case ir.UpdateValue():
                former, combined = yield from self.update(node.update, frame)
                return former if node.outcome is Outcome.FETCH else differs(former, combined)
            case ir.CompareAndSwap():
                old = yield from self.value(node.old, frame)
                new = yield from self.value(node.new, frame)
                values, key = yield from self.place(node.target, frame)
                return apply_swap(values, key, old, new)
            case ir.Binary():
                return (yield from self.binary(node, frame))
            case ir.Chain():
                return (yield from self.chain(node, frame))
            case ir.Select():
                chosen = yield from self.value(node.condition, frame)
                return (yield from self.value(node.yes if chosen else node.no, frame))
        return (yield from self.function(node, frame))

    def binary(self, node: ir.Binary, frame: Frame) -> Steps:
        """An operation on two operands."""
        left = yield from self.value(node.left, frame)
        if node.operation.is_logical and bool(left) is (node.operation is BinaryOperation.OR):
            return left
        right = yield from self.value(node.right, frame)
        if node.operation.is_logical:
            return right
        return SINGLE.binary(node.operation, node.left.type, node.right.type)(left, right)

    def chain(self, node: ir.Chain, frame: Frame) -> Steps:
        """Operators one after the other."""
        value = yield from self.value(node.first, frame)
        for operation, operand in node.links:
            if operation.is_logical and bool(value) is (operation is BinaryOperation.OR):
                return value
            operand = yield from self.value(operand, frame)
            if operation.is_logical:
                value = operand
            else:
                value = SINGLE.binary(operation, node.type, operand.type)(value, operand)
        return value

    def function(self, node: ir.Expression, frame: Frame) -> Steps:
        """What is a function of its operands."""
        match node:
            case ir.Unary():
                operand = yield from self.value(node.operand, frame)
                return SINGLE.unary(node.operation)(operand)
            case ir.MakePair():
                first = yield from self.value(node.first, frame)
                return first, (yield from self.value(node.second, frame))
            case ir.PairPart():
                pair = yield from self.value(node.pair, frame)
                return pair[node.place]
            case ir.Convert():
                operand = yield from self.value(node.operand, frame)
                ids = self.state.graph.bound(domain_of(node.type))
                return convert_function(node.operand.type, node.type, self.state.id_bits, ids)(operand)
            case ir.DegreeOf():
                name = node.degree.value
                index = yield from self.index(node.vertex, node.checked, name, Domain.VERTEX, frame)
                return self.state.graph.degrees(Degree(name))[index]
            case ir.BuiltinCall() | ir.FunctionCall() | ir.GraphRead():
                arguments = []
                for argument in node.arguments:
                    arguments.append((yield from self.value(argument, frame)))
                if isinstance(node, ir.GraphRead):
                    return compile_graph_read(node, self.state.environment)(arguments)
                if isinstance(node, ir.BuiltinCall):
                    return SINGLE.builtin(node.function, node.arguments[0].type)(*arguments)
                return self.state.environment.functions[node.function](arguments)
        raise TypeError(f"{type(node).__name__} in a functor")

    def index(self, node: ir.Expression, checked: bool, name: str, domain: Domain, frame: Frame) -> Steps:
        """An index into `name`, tested where `checked`."""
        if isinstance(node, ir.Slot):
            element = yield from self.index(node.element, node.checked, name, domain, frame)
            place = int((yield from self.value(node.place, frame)))
            values = int((yield from self.value(node.count, frame)))
            if not 0 <= place < values:
                raise value_error(self.state.environment, node.place, name, place, values)
            return int(element) * values + place
        index = int(node.value) if isinstance(node, ir.Literal) else (yield from self.value(node, frame))
        count = self.state.graph.bound(domain)
        if checked and not 0 <= index < count:
            raise index_error(self.state.environment, node, name, index, count)
        return index

    def place(self, target: ir.Target, frame: Frame) -> Steps:
        """The place that a write goes to; stops before the write."""
        if isinstance(target, ir.ScalarTarget):
            yield
            return self.state.scalars, target.scalar
        index = yield from self.index(target.index, target.checked, target.array, target.domain, frame)
        yield
        return self.state.arrays[target.array].values, index

    def update(self, node: ir.Update, frame: Frame) -> Steps:
        """`x op= y`, indivisible; gives the former value and the combined one."""
        value = yield from self.value(node.value, frame)
        values, key = yield from self.place(node.target, frame)
        return apply_update(values, key, reduce_function(node.operation, node.target.type), value)


class SteppedFunctor(SteppedExpressions):
    """A functor whose calls can be held."""

    def call(self, call: Call, accepted: set[int], collected: int) -> Steps:
        """One call, which puts what it has at `collected` into `accepted` at the end, where it accepts."""
        frame: Frame = [None] * FIRST_LOCAL
        frame[: len(call)] = call
        frame[ACCEPTED] = True
        for conjunct in self.functor.condition:
            if not (yield from self.value(conjunct, frame)):
                return
        yield from self.body(self.functor.body, frame)
        if frame[ACCEPTED]:
            accepted.add(frame[collected])

    def body(self, statements: tuple[ir.Statement, ...], frame: Frame) -> Steps:
        """Statements one after another; gives the signal that ended them, or None."""
        for statement in statements:
            signal = yield from self.statement(statement, frame)
            if signal is not None:
                return signal
        return None

    def statement(self, node: ir.Statement, frame: Frame) -> Steps:
        """One statement; gives its signal."""
        match node:
            case ir.Branch():
                chosen = yield from self.value(node.condition, frame)
                return (yield from self.body(node.then if chosen else node.otherwise, frame))
            case ir.ForRange():
                first = yield from self.value(node.first, frame)
                last = yield from self.value(node.last, frame)
                numbers = map(typed(node.type), range(first, last))
                return (yield from self.bounded(node.body, (((node.name, number),) for number in numbers), frame))
            case ir.ForNeighbors():
                vertex = yield from self.index(node.vertex, node.checked, "neighbors", Domain.VERTEX, frame)
                rounds = rounds_of(node, self.state.graph, vertex)
                return (yield from self.bounded(node.body, rounds, frame))
            case ir.Loop():
                return (yield from self.loop(node, frame))
            case ir.Break():
                return Signal.BREAK
            case ir.Update():
                yield from self.update(node, frame)
            case ir.Let() | ir.Assign():
                self.set_local(node.name, (yield from self.value(node.value, frame)), frame)
            case ir.Accept():
                frame[ACCEPTED] = yield from self.value(node.value, frame)
            case ir.Evaluate():
                yield from self.value(node.value, frame)
            case ir.Store():
                value = yield from self.value(node.value, frame)
                values, key = yield from self.place(node.target, frame)
                values[key] = value
        return None

    def bounded(self, body: tuple[ir.Statement, ...], rounds: Iterator[Round], frame: Frame) -> Steps:
        """A loop whose rounds are known when it begins."""
        for values in rounds:
            self.state.clock.poll()
            for name, value in values:
                self.set_local(name, value, frame)
            signal = yield from self.body(body, frame)
            if signal is not None:
                return None if signal is Signal.BREAK else signal
        return None

    def loop(self, node: ir.Loop, frame: Frame) -> Steps:
        """`while (condition)`."""
        while (yield from self.value(node.condition, frame)):
            self.state.clock.poll()
            signal = yield from self.body(node.body, frame)
            if signal is not None:
                return None if signal is Signal.BREAK else signal
        return None

    def set_local(self, name: str, value: Value, frame: Frame) -> None:
        """Give the local `name` a value."""
        slot = self.compiler.slot(name)
        frame.extend([None] * (slot + 1 - len(frame)))
        frame[slot] = value
