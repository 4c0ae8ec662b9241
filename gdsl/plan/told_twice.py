"""Whether anybody can see that `changed` is true for calls of two workers where it would be true for one of them if
they ran one after the other.

Workers that run side by side all begin with the values before the operator, so each is told what it would be told if it
came first. They cannot all come first, so what they do together must be what some order of the calls does. For each
element, any worker may be the first, and then at most the calls that it was told about are told. So these are fine:

- effects on that element that are the same for all calls, after any such answer about what the element held: in any
  order some call is told so, and they happen. Not if two answers must come together, or if calls ask for several and
  only some of them count: that some call has these depends on who comes first;
- one effect that depends on who comes first, of which one call wins (`min=`, `max=`, `any=`, whether the element is
  accepted): the worker of the winner may be the first.

Others are not: what happens where a call is *not* told (`else`, `!`, the right side of `||`, what another `accept`
overrules), since the second of two equal calls would not be told; two effects that depend on who comes first, since
different workers might have to; and what several calls leave together (`|=` of different bits). Nor are effects on
other elements, which may have another first worker, but for those on scalars that are the same for all calls.

That any worker may be the first for each element by itself needs that nothing else ties the elements to each other:

- answers about what only one worker writes, as of `fetch`, fix the order of its calls;
- so do reads of what other calls write at other elements, where an effect depends on who comes first: of two elements,
  each might have a winner that has read what the other one wrote;
- what calls are told of must not be written without an answer, which may spoil those of other calls; nor may one answer
  decide which element or value another is about.

After all of these, workers take turns.
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

_Any = frozenset[int] | None
"""After any of which answers, by their identities, something happens; None: something else decides that, too."""
_ALWAYS = frozenset[int]()


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
        effects.answers()
        effects.statements(functor.body, told=False, after=_ALWAYS)
        effects.together()
    except _SeenError as seen:
        return seen.node
    return None


@dataclass
class _Effects:
    functor: ir.VertexFunctor | ir.EdgeFunctor
    told: tuple[ir.UpdateValue, ...]
    collected: Collection[str] | None
    known: dict[str, _Any] = field(default_factory=dict)
    """The `let`s that are true only if `changed` was true for the call."""
    unknown: dict[str, _Any] = field(default_factory=dict)
    """The `let`s that are true only if `changed` was false for the call."""
    alike: dict[str, tuple[ir.Node, frozenset[int]]] = field(default_factory=dict)
    """Effects that are the same for all calls, by their text: the first place, and the answers after any of which."""
    differing: int = 0
    accepted: bool = False
    """Whether an `accept` so far depends on an answer."""

    def __post_init__(self) -> None:
        nodes = list(walk(self.functor.body))
        self.varying = {node.name for node in nodes if isinstance(node, ir.Let) and node.mutable}
        self.varying |= {node.name for node in nodes if isinstance(node, ir.ForRange)}
        self.writes = [node for node in nodes if isinstance(node, ir.Store | ir.Update | ir.CompareAndSwap)]
        self.written = {node.target.data for node in self.writes}
        self.ids = {id(each) for each in self.told}
        self.places = {place(each.update.target) for each in self.told}
        self.ends = {_end(each.update.target) for each in self.told}
        targets = [each.update.target for each in self.told]
        indices = [ir.element_index(target.index) for target in targets if isinstance(target, ir.ElementTarget)]
        one_place = len(self.places) == 1 and len(indices) == len(targets)
        self.roles = {each.role for each in indices if isinstance(each, ir.Parameter)} if one_place else set()

    def answers(self) -> None:
        """What calls are told must be of these alone, of data that nothing else writes."""
        for node in walk(self.functor.body):
            if isinstance(node, ir.CompareAndSwap) or (isinstance(node, ir.UpdateValue) and id(node) not in self.ids):
                raise _SeenError(node)
        own = {id(each.update) for each in self.told}
        names = {each.update.target.data for each in self.told}
        for write in self.writes:
            if write.target.data in names and id(write) not in own:
                raise _SeenError(write)

    def together(self) -> None:
        """Effects that are the same for all calls must follow all answers about some data: whoever is told first."""
        for node, after in self.alike.values():
            if not self.complete(after):
                raise _SeenError(node)

    def complete(self, answers: frozenset[int]) -> bool:
        """Whether these are all answers about the data that they are about."""
        names = {each.update.target.data for each in self.told if id(each) in answers}
        return all(id(each) in answers for each in self.told if each.update.target.data in names)

    def ties(self) -> ir.Node | None:
        """A read of what other calls may write at another element than this call's."""
        for node in walk(self.functor):
            if isinstance(node, ir.ScalarValue) and node.name in self.written:
                return node
            if isinstance(node, ir.Element) and node.array in self.written:
                here = self.places == {print_index(node.index, False)} and self.steady(node.index)
                if not here:
                    return node
        return None

    def asks(self, *nodes: object) -> bool:
        """Whether any part depends on what a call was told."""
        named = self.known.keys() | self.unknown.keys()
        return any(id(n) in self.ids or (isinstance(n, ir.Local) and n.name in named) for n in walk(nodes))

    def same(self, value: ir.Expression) -> bool:
        """Whether all calls on one element have the same value."""
        return all(
            isinstance(n, _SAME) and (not isinstance(n, ir.Parameter) or n.role in self.roles) for n in walk(value)
        )

    def guard(self, value: ir.Expression, told: bool) -> _Any:
        """The answers of which any makes `value` true, if nothing else decides that; else None."""
        if isinstance(value, ir.UpdateValue):
            if self.asks(value.update.value, value.update.target):
                raise _SeenError(value)
            if told:  # it happens only where another one was told
                self.effect(value.update, value.update.target, value.update.value, True, None)
            return frozenset({id(value)})
        if isinstance(value, ir.Local) and value.name in self.known:
            return self.known[value.name]
        if not isinstance(value, ir.Binary) or value.operation not in _LOGICAL:
            raise _SeenError(value)
        left, right = (self.asks(side) for side in (value.left, value.right))
        if value.operation is BinaryOperation.OR and left and _acts(value.right):
            raise _SeenError(value)
        both = value.operation is BinaryOperation.AND
        found = [self.guard(value.left, told)] if left else []
        found += [self.guard(value.right, told or (left and both))] if right else []
        others = [side for side, asks in ((value.left, left), (value.right, right)) if not asks]
        if (left and right and both) or not all(map(self.same, others)) or None in found:
            return None
        return frozenset().union(*(each for each in found if each is not None))

    def statements(self, body: Iterable[ir.Statement], *, told: bool, after: _Any) -> None:
        """A block: `told`, it runs only where a call was told; `after`, any of which answers, if nothing else decides
        that, or none where all calls run it."""
        for each in body:
            self.statement(each, told, after)

    def statement(self, node: ir.Statement, told: bool, after: _Any) -> None:
        """One statement."""
        if isinstance(node, ir.Let) and self.asks(node.value):
            negated = _negated(node.value)
            guard = self.guard(node.value if negated is None else negated, told)
            if node.mutable:
                raise _SeenError(node)
            (self.known if negated is None else self.unknown)[node.name] = guard if after == _ALWAYS else None
        elif isinstance(node, ir.Branch):
            self.branch(node, told, after)
        elif isinstance(node, ir.Loop | ir.ForRange | ir.ForNeighbors):
            if self.asks(node):
                raise _SeenError(node)
            self.statements(node.body, told=told, after=None)
        elif isinstance(node, ir.Accept):
            self.accept(node, told, after)
        elif isinstance(node, ir.Store | ir.Update):
            self.write(node, told, after)
        elif (isinstance(node, ir.Break) and told) or (isinstance(node, ir.Assign | ir.Evaluate) and self.asks(node)):
            raise _SeenError(node)

    def branch(self, node: ir.Branch, told: bool, after: _Any) -> None:
        """What happens where a call is told, and what happens anyway."""
        if not self.asks(node.condition):
            after = after if self.same(node.condition) else None
            self.statements(node.then, told=told, after=after)
            self.statements(node.otherwise, told=told, after=after)
            return
        guard = self.guard(node.condition, told)
        if node.otherwise:
            raise _SeenError(node.otherwise[0])
        self.statements(node.then, told=True, after=guard if after == _ALWAYS else None)

    def accept(self, node: ir.Accept, told: bool, after: _Any) -> None:
        """The last one decides, and without any a call accepts: so none may say no because of an answer, or in spite of
        one."""
        if self.collected is None:
            return
        if not (told or self.asks(node.value)):
            if self.accepted:
                raise _SeenError(node)
            return
        yes = isinstance(node.value, ir.Literal) and node.value.value is True
        if (told and not yes) or not self.ends <= set(self.collected):
            raise _SeenError(node)
        self.accepted = True
        if not told:
            guard = self.guard(node.value, told)
            after = guard if after == _ALWAYS else None
        if after is None or not self.complete(after):
            self.differ(node)

    def write(self, node: ir.Store | ir.Update, told: bool, after: _Any) -> None:
        """A store or an update whose answer nobody asks for."""
        if not self.asks(node.value):
            self.effect(node, node.target, node.value, told, after)
            return
        if not isinstance(node, ir.Update) or node.operation not in (ReduceOperation.BIT_OR, ReduceOperation.BIT_AND):
            raise _SeenError(node)
        sets = node.operation is ReduceOperation.BIT_OR
        guard = self.guard(node.value, told) if sets else self.guard_not(node.value, told)
        self.effect(node, node.target, None, True, guard if after == _ALWAYS else None)

    def guard_not(self, value: ir.Expression, told: bool) -> _Any:
        """The answers of which any makes `value` false, if nothing else decides that; else None."""
        if isinstance(value, ir.Local) and value.name in self.unknown:
            return self.unknown[value.name]
        negated = _negated(value)
        if negated is None:
            raise _SeenError(value)
        return self.guard(negated, told)

    def effect(
        self, node: ir.Store | ir.Update, target: ir.Target, value: ir.Expression | None, told: bool, after: _Any
    ) -> None:
        """A write of `value`, or, where that is None, of whether a call was told; the rest as of `statements`."""
        operation = None if isinstance(node, ir.Store) else node.operation
        kept = node.rule in _STORED if isinstance(node, ir.Store) else operation in _KEPT
        of_element = isinstance(target, ir.ElementTarget)
        here = not isinstance(target, ir.ElementTarget) or (
            self.places == {place(target)} and self.steady(target.index)
        )
        if not (kept and here):
            raise _SeenError(node)
        if not told:
            return
        one_value = isinstance(node, ir.Store) and node.rule is StoreRule.SAME_VALUE
        if after is not None and (one_value or value is None or self.same(value)):
            bit = "true" if operation is ReduceOperation.BIT_OR else "false"
            written = bit if value is None else "" if one_value else print_expression(value)
            text = f"{target.data}[{place(target)}] {operation} {written}"
            first, answers = self.alike.get(text, (node, _ALWAYS))
            self.alike[text] = (first, answers | after)
        elif of_element and (operation is None or operation in _WINS):
            self.differ(node)
        else:
            raise _SeenError(node)

    def steady(self, index: ir.Expression) -> bool:
        """Whether the text of an index means one element throughout a call."""
        for node in walk(index):
            if isinstance(node, ir.Local) and node.name in self.varying:
                return False
            name = node.array if isinstance(node, ir.Element) else getattr(node, "name", None)
            if isinstance(node, ir.Element | ir.ScalarValue) and (node.now or name in self.written):
                return False
        return True

    def differ(self, node: ir.Node) -> None:
        """One more effect that depends on who comes first."""
        self.differing += 1
        tie = self.ties()
        if self.differing > 1 or tie is not None:
            raise _SeenError(node if tie is None else tie)


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
