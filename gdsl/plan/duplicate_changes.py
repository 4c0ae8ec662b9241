"""Whether the effects of a functor show that `changed` was true in two workers for one change of an element.

Workers that run at the same time all begin with the values from before the operator. So `changed` may be true for a
call of each of them, where a serial order of the calls would have given true to one of these calls only: the others are
duplicates. Workers may run side by side if what they leave is nevertheless what some serial order leaves. For each
element, any worker may come first in that order; its answers are then the true ones. These effects are allowed:

- an effect on the same element that is equal for all calls and follows every `changed` about what the element held.
  Some call gets true in any order, so the effect happens once or, which is the same, several times. Not allowed: it
  requires two true answers, or some of the calls only, since whether one of these gets true depends on who is first;
- one effect of which one call wins (`min=`, `max=`, `any=`, whether the element is accepted) and that depends on who is
  first: let the winner's worker be first.

These are not allowed:

- what happens where `changed` is *false* (`else`, `!`, the right side of `||`, another `accept` that overrules one):
  the duplicates would have got false;
- two effects that depend on who is first: they may require different workers to be first;
- effects that add up over calls (`|=` of different bits);
- effects on other elements, which may have another first worker, except those on scalars that are equal for all calls.

Each element can have its own first worker only if nothing ties elements to each other:

- an answer about what only one worker writes, as of `fetch`, fixes the order of its calls;
- so does a read of what other calls write at other elements, if an effect depends on who is first: each of two elements
  might have a winner that has read what the other one wrote;
- the data that `changed` is about must not be written in any other way, which may make other answers false; nor may an
  answer decide which element or value another answer is about.

In all other cases workers take turns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_expression, print_index
from gdsl.ir.traversal import contains, walk
from gdsl.operations import EXTREMES, IDEMPOTENT, BinaryOperation, ReduceOperation, StoreRule, UnaryOperation

_STORED = (StoreRule.ANY_WINNER, StoreRule.SAME_VALUE)
_SAME = (
    *(ir.Literal, ir.NoneId, ir.ParamValue, ir.Iteration, ir.Count, ir.Parameter),
    *(ir.Unary, ir.Binary, ir.Chain, ir.Select, ir.Convert, ir.BuiltinCall, ir.MakePair, ir.PairPart),
)
"""Expressions that have one value for all calls where their parts have; of parameters, see `_Effects.same`."""

_Any = frozenset[int] | None
"""After any of which answers, by their identities, something happens; None: something else decides that, too."""
_ALWAYS = frozenset[int]()


class _VisibleError(Exception):
    """Carries the node whose effect shows."""

    def __init__(self, node: ir.Node) -> None:
        super().__init__()
        self.node = node


def visible_duplicate(
    functor: ir.VertexFunctor | ir.EdgeFunctor, answers: Iterable[ir.UpdateValue], collected: Collection[str] | None
) -> ir.Node | None:
    """The effect of a functor that shows duplicates; None if nothing does. `answers`: its `changed(…)` about data that
    several workers write. `collected`: the names of the vertex that an accepting call adds to a set of vertices; None
    where there is no such set."""
    effects = _Effects(functor, tuple(answers), collected)
    try:
        effects.check_answers()
        effects.statements(functor.body, changed=False, after=_ALWAYS)
        effects.check_equal_effects()
    except _VisibleError as error:
        return error.node
    return None


@dataclass
class _Effects:
    functor: ir.VertexFunctor | ir.EdgeFunctor
    answers: tuple[ir.UpdateValue, ...]
    collected: Collection[str] | None
    known: dict[str, _Any] = field(default_factory=dict)
    """The `let`s that are true only if `changed` was true for the call."""
    unknown: dict[str, _Any] = field(default_factory=dict)
    """The `let`s that are true only if `changed` was false for the call."""
    alike: dict[str, tuple[ir.Node, frozenset[int]]] = field(default_factory=dict)
    """Effects that are equal for all calls, by their text: the first place, and after any of which answers."""
    differing: int = 0
    accepted: bool = False
    """Whether an `accept` so far depends on an answer."""

    def __post_init__(self) -> None:
        nodes = list(walk(self.functor.body))
        self.varying = {node.name for node in nodes if isinstance(node, ir.Let) and node.mutable}
        self.varying |= {node.name for node in nodes if isinstance(node, ir.ForRange)}
        self.writes = [node for node in nodes if isinstance(node, ir.Store | ir.Update | ir.CompareAndSwap)]
        self.written = {node.target.data for node in self.writes}
        self.ids = {id(each) for each in self.answers}
        self.places = {place(each.update.target) for each in self.answers}
        self.ends = {_end(each.update.target) for each in self.answers}
        targets = [each.update.target for each in self.answers]
        indices = [ir.element_index(target.index) for target in targets if isinstance(target, ir.ElementTarget)]
        one_place = len(self.places) == 1 and len(indices) == len(targets)
        self.roles = {each.role for each in indices if isinstance(each, ir.Parameter)} if one_place else set()

    def check_answers(self) -> None:
        """The functor has no other answers, and what they are about is written in no other way."""
        for node in walk(self.functor.body):
            if isinstance(node, ir.CompareAndSwap) or (isinstance(node, ir.UpdateValue) and id(node) not in self.ids):
                raise _VisibleError(node)
        own = {id(each.update) for each in self.answers}
        names = {each.update.target.data for each in self.answers}
        for write in self.writes:
            if write.target.data in names and id(write) not in own:
                raise _VisibleError(write)

    def check_equal_effects(self) -> None:
        """Effects that are equal for all calls must follow all answers about some data: any first call has them."""
        for node, after in self.alike.values():
            if not self.complete(after):
                raise _VisibleError(node)

    def complete(self, answers: frozenset[int]) -> bool:
        """Whether these are all answers about the data that they are about."""
        names = {each.update.target.data for each in self.answers if id(each) in answers}
        return all(id(each) in answers for each in self.answers if each.update.target.data in names)

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

    def uses_answer(self, *nodes: object) -> bool:
        """Whether any part depends on an answer."""
        named = self.known.keys() | self.unknown.keys()
        return any(id(n) in self.ids or (isinstance(n, ir.Local) and n.name in named) for n in walk(nodes))

    def same(self, value: ir.Expression) -> bool:
        """Whether all calls on one element have the same value."""
        return all(
            isinstance(n, _SAME) and (not isinstance(n, ir.Parameter) or n.role in self.roles) for n in walk(value)
        )

    def guard(self, value: ir.Expression, changed: bool) -> _Any:
        """The answers of which any makes `value` true, if nothing else decides that; else None."""
        if isinstance(value, ir.UpdateValue):
            if self.uses_answer(value.update.value, value.update.target):
                raise _VisibleError(value)
            if changed:  # it happens only where another answer was true
                self.effect(value.update, value.update.target, value.update.value, True, None)
            return frozenset({id(value)})
        if isinstance(value, ir.Local) and value.name in self.known:
            return self.known[value.name]
        if not isinstance(value, ir.Binary) or not value.operation.is_logical:
            raise _VisibleError(value)
        left, right = (self.uses_answer(side) for side in (value.left, value.right))
        if value.operation is BinaryOperation.OR and left and _acts(value.right):
            raise _VisibleError(value)
        both = value.operation is BinaryOperation.AND
        found = [self.guard(value.left, changed)] if left else []
        found += [self.guard(value.right, changed or (left and both))] if right else []
        others = [side for side, asks in ((value.left, left), (value.right, right)) if not asks]
        if (left and right and both) or not all(map(self.same, others)) or None in found:
            return None
        return frozenset().union(*(each for each in found if each is not None))

    def statements(self, body: Iterable[ir.Statement], *, changed: bool, after: _Any) -> None:
        """A block. `changed`: it runs only where an answer was true. `after`: after any of which answers, if nothing
        else decides that; none where all calls run it."""
        for each in body:
            self.statement(each, changed, after)

    def statement(self, node: ir.Statement, changed: bool, after: _Any) -> None:
        """One statement."""
        if isinstance(node, ir.Let) and self.uses_answer(node.value):
            negated = _negated(node.value)
            guard = self.guard(node.value if negated is None else negated, changed)
            if node.mutable:
                raise _VisibleError(node)
            (self.known if negated is None else self.unknown)[node.name] = guard if after == _ALWAYS else None
        elif isinstance(node, ir.Branch):
            self.branch(node, changed, after)
        elif isinstance(node, ir.Loop | ir.ForRange | ir.ForNeighbors):
            if self.uses_answer(node):
                raise _VisibleError(node)
            self.statements(node.body, changed=changed, after=None)
        elif isinstance(node, ir.Accept):
            self.accept(node, changed, after)
        elif isinstance(node, ir.Store | ir.Update):
            self.write(node, changed, after)
        elif (isinstance(node, ir.Break) and changed) or (
            isinstance(node, ir.Assign | ir.Evaluate) and self.uses_answer(node)
        ):
            raise _VisibleError(node)

    def branch(self, node: ir.Branch, changed: bool, after: _Any) -> None:
        """What happens where an answer was true, and what happens in any case."""
        if not self.uses_answer(node.condition):
            after = after if self.same(node.condition) else None
            self.statements(node.then, changed=changed, after=after)
            self.statements(node.otherwise, changed=changed, after=after)
            return
        guard = self.guard(node.condition, changed)
        if node.otherwise:
            raise _VisibleError(node.otherwise[0])
        self.statements(node.then, changed=True, after=guard if after == _ALWAYS else None)

    def accept(self, node: ir.Accept, changed: bool, after: _Any) -> None:
        """The last one decides, and a call without any accepts. So none may reject because of an answer, or after one
        that accepted because of it."""
        if self.collected is None:
            return
        if not (changed or self.uses_answer(node.value)):
            if self.accepted:
                raise _VisibleError(node)
            return
        yes = isinstance(node.value, ir.Literal) and node.value.value is True
        if (changed and not yes) or not self.ends <= set(self.collected):
            raise _VisibleError(node)
        self.accepted = True
        if not changed:
            guard = self.guard(node.value, changed)
            after = guard if after == _ALWAYS else None
        if after is None or not self.complete(after):
            self.differ(node)

    def write(self, node: ir.Store | ir.Update, changed: bool, after: _Any) -> None:
        """A store, or an update whose answer is not used."""
        if not self.uses_answer(node.value):
            self.effect(node, node.target, node.value, changed, after)
            return
        if not isinstance(node, ir.Update) or node.operation not in (ReduceOperation.BIT_OR, ReduceOperation.BIT_AND):
            raise _VisibleError(node)
        sets = node.operation is ReduceOperation.BIT_OR
        guard = self.guard(node.value, changed) if sets else self.guard_not(node.value, changed)
        self.effect(node, node.target, None, True, guard if after == _ALWAYS else None)

    def guard_not(self, value: ir.Expression, changed: bool) -> _Any:
        """The answers of which any makes `value` false, if nothing else decides that; else None."""
        if isinstance(value, ir.Local) and value.name in self.unknown:
            return self.unknown[value.name]
        negated = _negated(value)
        if negated is None:
            raise _VisibleError(value)
        return self.guard(negated, changed)

    def effect(
        self, node: ir.Store | ir.Update, target: ir.Target, value: ir.Expression | None, changed: bool, after: _Any
    ) -> None:
        """A write of `value`, or, if that is None, of the answer itself; the rest as of `statements`."""
        operation = None if isinstance(node, ir.Store) else node.operation
        kept = node.rule in _STORED if isinstance(node, ir.Store) else operation in IDEMPOTENT
        of_element = isinstance(target, ir.ElementTarget)
        here = not isinstance(target, ir.ElementTarget) or (
            self.places == {place(target)} and self.steady(target.index)
        )
        if not (kept and here):
            raise _VisibleError(node)
        if not changed:
            return
        one_value = isinstance(node, ir.Store) and node.rule is StoreRule.SAME_VALUE
        if after is not None and (one_value or value is None or self.same(value)):
            bit = "true" if operation is ReduceOperation.BIT_OR else "false"
            written = bit if value is None else "" if one_value else print_expression(value)
            text = f"{target.data}[{place(target)}] {operation} {written}"
            first, answers = self.alike.get(text, (node, _ALWAYS))
            self.alike[text] = (first, answers | after)
        elif of_element and (operation is None or operation in EXTREMES):
            self.differ(node)
        else:
            raise _VisibleError(node)

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
        """One more effect that depends on who is first."""
        self.differing += 1
        tie = self.ties()
        if self.differing > 1 or tie is not None:
            raise _VisibleError(node if tie is None else tie)


def place(target: ir.Target) -> str:
    """The element of an array that a target is, whatever the array; all scalars are in one place."""
    return print_index(target.index, False) if isinstance(target, ir.ElementTarget) else ""


def _end(target: ir.Target) -> str:
    """The same of an array's vertex or edge."""
    return print_expression(ir.element_index(target.index)) if isinstance(target, ir.ElementTarget) else ""


def _negated(value: ir.Expression) -> ir.Expression | None:
    return value.operand if isinstance(value, ir.Unary) and value.operation is UnaryOperation.NOT else None


def _acts(value: ir.Expression) -> bool:
    return contains(value, ir.UpdateValue)
