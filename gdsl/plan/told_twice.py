"""Whether anybody can see that `changed` is true for calls of two workers where it would be true for one of them if
they ran one after the other.

Workers that run side by side all begin with the values before the operator, so each is told what it would be told if it
came first. They cannot all come first, so what they do together must be what some order of the calls does. For each
element, any worker may be the first, and then at most the calls that it was told about are told. So these are fine:

- effects on that element that are the same for all calls: they happen if any worker's calls were told;
- one effect that differs from call to call, of which one call wins (`min=`, `max=`, `any=`, whether the element is
  accepted): the worker of the winner may be the first.

Others are not: what happens where a call is *not* told (`else`, `!`, the right side of `||`), since the second of two
equal calls would not be told; two effects that differ, since different calls might win; and what several calls leave
together (`|=` of different bits). Nor are effects on other elements, which may have another first worker, but for those
on scalars that are the same for all calls. After all of these, workers take turns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_expression, print_index
from gdsl.ir.traversal import walk
from gdsl.operations import BinaryOperation, ReduceOperation, StoreRule, UnaryOperation

_LOGICAL = (BinaryOperation.AND, BinaryOperation.OR)
_WINS = (ReduceOperation.MIN, ReduceOperation.MAX)
_KEPT = (ReduceOperation.BIT_OR, ReduceOperation.BIT_AND, *_WINS)
_STORED = (StoreRule.ANY_WINNER, StoreRule.SAME_VALUE)
_SAME = (
    *(ir.Literal, ir.NoneId, ir.ParamValue, ir.Iteration, ir.Count, ir.Parameter),
    *(ir.Unary, ir.Binary, ir.Chain, ir.Select, ir.Convert, ir.BuiltinCall, ir.MakePair, ir.PairPart),
)
"""Expressions that have one value for all calls where their parts have; of parameters, see `_Effects.same`."""


class _SeenError(Exception):
    """Carries the node whose effect shows."""

    def __init__(self, node: ir.Node) -> None:
        super().__init__()
        self.node = node


def visible(
    functor: ir.VertexFunctor | ir.EdgeFunctor, told: Iterable[ir.UpdateValue], collected: Collection[str] | None
) -> ir.Node | None:
    """What shows that calls of two workers are told, in a functor with `told`, its `changed(…)` of elements or scalars
    that several workers write; None where nothing does. `collected`: the names of the vertex that an accepting call
    adds to a set of vertices; None where there is no such set."""
    effects = _Effects(functor, tuple(told), collected)
    try:
        effects.statements(functor.body, told=False, same=True)
    except _SeenError as seen:
        return seen.node
    return None


@dataclass
class _Effects:
    functor: ir.VertexFunctor | ir.EdgeFunctor
    told: tuple[ir.UpdateValue, ...]
    collected: Collection[str] | None
    known: dict[str, bool] = field(default_factory=dict)
    """The `let`s that say that a call was told, and whether nothing else decides that they are true."""
    unknown: dict[str, bool] = field(default_factory=dict)
    """The `let`s that say that a call was not told; the value as above."""
    differing: int = 0

    def __post_init__(self) -> None:
        nodes = walk(self.functor.body)
        self.varying = {node.name for node in nodes if isinstance(node, ir.Let) and node.mutable}
        self.varying |= {node.name for node in nodes if isinstance(node, ir.ForRange)}
        self.written = {node.target.data for node in nodes if isinstance(node, ir.Store | ir.Update)}
        self.ids = {id(each) for each in self.told}
        self.places = {place(each.update.target) for each in self.told}
        self.ends = {_end(each.update.target) for each in self.told}
        targets = (each.update.target for each in self.told)
        indices = [ir.element_index(target.index) for target in targets if isinstance(target, ir.ElementTarget)]
        self.roles = {each.role for each in indices if isinstance(each, ir.Parameter)} if len(indices) == 1 else set()

    def asks(self, *nodes: object) -> bool:
        """Whether any part depends on what a call was told."""
        named = self.known.keys() | self.unknown.keys()
        return any(id(n) in self.ids or (isinstance(n, ir.Local) and n.name in named) for n in walk(nodes))

    def same(self, value: ir.Expression) -> bool:
        """Whether all calls on one element have the same value."""
        return all(
            isinstance(n, _SAME) and (not isinstance(n, ir.Parameter) or n.role in self.roles) for n in walk(value)
        )

    def guard(self, value: ir.Expression, told: bool) -> bool:
        """Whether nothing but what a call was told decides that `value` is true."""
        if isinstance(value, ir.UpdateValue):
            if told:  # it happens only where another one was told
                self.effect(value.update, value.update.target, value.update.value, False)
            return True
        if isinstance(value, ir.Local) and value.name in self.known:
            return self.known[value.name]
        if not isinstance(value, ir.Binary) or value.operation not in _LOGICAL:
            raise _SeenError(value)
        left, right = (self.asks(side) for side in (value.left, value.right))
        first = self.guard(value.left, told) if left else self.same(value.left)
        if value.operation is BinaryOperation.OR and left and _acts(value.right):
            raise _SeenError(value)
        second = self.guard(value.right, told or left) if right else self.same(value.right)
        return first and second

    def statements(self, body: Iterable[ir.Statement], *, told: bool, same: bool) -> None:
        """A block: `told`, it runs only where a call was told; `same`, nothing else decides whether it runs."""
        for each in body:
            self.statement(each, told, same)

    def statement(self, node: ir.Statement, told: bool, same: bool) -> None:
        """One statement."""
        if isinstance(node, ir.Let) and self.asks(node.value):
            negated = _negated(node.value)
            guard = self.guard(node.value if negated is None else negated, told)
            if node.mutable:
                raise _SeenError(node)
            (self.known if negated is None else self.unknown)[node.name] = guard and same
        elif isinstance(node, ir.Branch):
            asks = self.asks(node.condition)
            guard = self.guard(node.condition, told) if asks else self.same(node.condition)
            if asks and node.otherwise:
                raise _SeenError(node.otherwise[0])
            self.statements(node.then, told=told or asks, same=same and guard)
            self.statements(node.otherwise, told=told, same=same and guard)
        elif isinstance(node, ir.Loop | ir.ForRange | ir.ForNeighbors):
            if self.asks(node):
                raise _SeenError(node)
            self.statements(node.body, told=told, same=False)
        elif isinstance(node, ir.Accept):
            self.accept(node, told, same)
        elif isinstance(node, ir.Store | ir.Update):
            self.write(node, told, same)
        elif (isinstance(node, ir.Break) and told) or (isinstance(node, ir.Assign | ir.Evaluate) and self.asks(node)):
            raise _SeenError(node)

    def accept(self, node: ir.Accept, told: bool, same: bool) -> None:
        """The last one decides, and without any a call accepts; so one that says no must not hang on the answer."""
        if self.collected is None or not (told or self.asks(node.value)):
            return
        if not self.ends <= set(self.collected):
            raise _SeenError(node)
        yes = isinstance(node.value, ir.Literal) and node.value.value is True
        if told and not yes:
            raise _SeenError(node)
        if not told and not self.guard(node.value, told):
            self.differ(node)

    def write(self, node: ir.Store | ir.Update, told: bool, same: bool) -> None:
        """A store or an update whose answer nobody asks for."""
        if not self.asks(node.value):
            self.effect(node, node.target, node.value, same, always=not told)
        elif isinstance(node, ir.Update) and node.operation is ReduceOperation.BIT_OR:
            self.effect(node, node.target, None, self.guard(node.value, told) and same)
        elif isinstance(node, ir.Update) and node.operation is ReduceOperation.BIT_AND:
            self.effect(node, node.target, None, self.guard_not(node.value, told) and same)
        else:
            raise _SeenError(node)

    def guard_not(self, value: ir.Expression, told: bool) -> bool:
        """Whether nothing but what a call was told decides that `value` is false."""
        if isinstance(value, ir.Local) and value.name in self.unknown:
            return self.unknown[value.name]
        negated = _negated(value)
        if negated is None:
            raise _SeenError(value)
        return self.guard(negated, told)

    def effect(
        self,
        node: ir.Store | ir.Update,
        target: ir.Target,
        value: ir.Expression | None,
        same: bool,
        *,
        always: bool = False,
    ) -> None:
        """`value`: None where it is whether a call was told. `always`: it happens whatever a call is told."""
        kept = node.rule in _STORED if isinstance(node, ir.Store) else node.operation in _KEPT
        alike = same and (value is None or self.same(value))
        of_element = isinstance(target, ir.ElementTarget)
        here = not isinstance(target, ir.ElementTarget) or (self.places == {place(target)} and self.steady(target))
        if not (kept and here):
            raise _SeenError(node)
        if alike or (isinstance(node, ir.Store) and node.rule is StoreRule.SAME_VALUE and same):
            return
        if always and of_element:
            return
        wins = isinstance(node, ir.Store) or node.operation in _WINS
        if not of_element or not wins:
            raise _SeenError(node)
        self.differ(node)

    def steady(self, target: ir.ElementTarget) -> bool:
        """Whether the text of its index means one element throughout a call."""
        for node in walk(target.index):
            if isinstance(node, ir.Local) and node.name in self.varying:
                return False
            if isinstance(node, ir.Element) and (node.now or node.array in self.written):
                return False
        return True

    def differ(self, node: ir.Node) -> None:
        """One more effect that differs from call to call."""
        self.differing += 1
        if self.differing > 1:
            raise _SeenError(node)


def place(target: ir.Target) -> str:
    """The element of an array that a target is, whatever the array; all scalars are in one place."""
    return print_index(target.index, False) if isinstance(target, ir.ElementTarget) else ""


def _end(target: ir.Target) -> str:
    """The same of an array's vertex or edge."""
    return print_expression(ir.element_index(target.index)) if isinstance(target, ir.ElementTarget) else ""


def _negated(value: ir.Expression) -> ir.Expression | None:
    return value.operand if isinstance(value, ir.Unary) and value.operation is UnaryOperation.NOT else None


def _acts(value: ir.Expression) -> bool:
    return any(isinstance(node, ir.UpdateValue) for node in walk(value))
