"""Decides what a thread reads ahead for several elements side by side, before it works on one of them (cuda).

A thread that takes one element after the other waits for the element's own values, then for what they lead to, and only
then goes on to the next element: no compiler moves a read over a write or an atomic that may be of the same memory. So
what every element asks for before its first write is read for several elements at once, level by level: own values,
then what they are the index of; the test between what comes before it and what comes behind. Then the rest is run, an
element after the other.

Why nothing is lost: the elements of an operator run in no order, and the steps of several may be mixed in any way. What
is read here is asked for whatever an element's values are (`early` goes no way that is taken only sometimes: no right
side of `&&`, no side of `? :`, no branch, no loop), and each element still does its reads, then its writes, in its own
order: that all of a few elements read first is one of the ways to mix them. A read of what the sweep writes is taken
only before the element's first write, so that it comes behind none of its own; what the sweep does not write at all is
the same whenever it is read. A value that an element asks for twice before its first write is read once: nobody need
have come in between. An index that is out of range stops the run as it would have, since the element would have asked.

An atomic minimum or maximum looks at its element first, and does nothing where that is small enough. An older look is as
good where the sweep does nothing else to the array: then values only fall (or rise), so that what was small enough is so
still, and whether anything changes is decided by the atomic where the look does not rule it out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gdsl.ir import nodes as ir
from gdsl.ir.nodes import Expression, Node
from gdsl.ir.printer_expressions import print_expression
from gdsl.ir.traversal import rewrite, walk
from gdsl.operations import BinaryOperation, Outcome, ReduceOperation
from gdsl.passes.writers import Functor, targets, targets_in
from gdsl.plan.sweep_nodes import Early, EarlyRead, Mode, Variant

SEVERAL = 4
MOST_WORDS = 12
"""Of values of 32 bits that are read ahead for all elements side by side."""
_LAZY = (BinaryOperation.AND, BinaryOperation.OR)
_WRITES = (ir.UpdateValue, ir.CompareAndSwap)
_INDEXES = (
    ir.Parameter,
    ir.Literal,
    ir.Unary,
    ir.Binary,
    ir.Convert,
    ir.ParamValue,
    ir.Count,
    ir.Iteration,
    ir.Element,
    ir.DegreeOf,
)
"""What the index of a read may be made of."""
_LOOKS = (ReduceOperation.MIN, ReduceOperation.MAX)


def early_of(functor: Functor, variant: Variant) -> Early | None:
    """What a sweep reads ahead that runs nothing but this `variant` of `functor`; None where it is nothing."""
    found = _Reads(functor, variant)
    before, behind = found.levels()
    words = sum(2 if read.value.type.bits == 64 else 1 for level in (*before, *behind) for read in level)
    several = next((each for each in (SEVERAL, SEVERAL // 2) if words * each <= MOST_WORDS), 1)
    return Early(before, behind, several) if words and several > 1 else None


class _Reads:
    """Finds the reads of one functor that come ahead."""

    def __init__(self, functor: Functor, variant: Variant) -> None:
        self.functor, self.variant = functor, variant
        written = list(targets(functor))
        self._written = {each.array for each in written if isinstance(each, ir.ElementTarget)}
        self._scalars = {each.scalar for each in written if isinstance(each, ir.ScalarTarget)}
        self._shared = {each.name for each in variant.writes if each.mode is Mode.SHARED}
        self._combined = _only_combined(functor)
        self._values: dict[str, Expression] = {}
        """By constant what it stands for."""
        self._level: dict[str, int] = {}
        self._found: dict[str, EarlyRead] = {}
        """By text what is read, in order."""
        self._taken: set[Node] = set()
        """The places in the functor that have been replaced."""
        self._wrote = False

    def levels(self) -> tuple[tuple[tuple[EarlyRead, ...], ...], tuple[tuple[EarlyRead, ...], ...]]:
        """What is read before the test, level by level, and what behind it; without a test all is behind."""
        for test in self.variant.tests[:1]:
            self._expression(self.functor.condition[test])
        before = self._by_level(0)
        known = len(self._found)
        # What the other conjuncts ask for is asked for only where the first one holds.
        for statement in (self.functor.body[i] for i in self.variant.body):
            if not self._statement(statement):
                break
        return before, self._by_level(known)

    def _by_level(self, known: int) -> tuple[tuple[EarlyRead, ...], ...]:
        reads = list(self._found.items())[known:]
        levels = sorted({self._level[text] for text, _ in reads})
        return tuple(tuple(read for text, read in reads if self._level[text] == each) for each in levels)

    # Statements

    def _statement(self, node: ir.Statement) -> bool:
        """Whether those behind `node` are reached whatever happens in it."""
        if isinstance(node, ir.Let):
            self._expression(node.value)
            if not node.mutable and self._index(node.value) is not None:
                self._values[node.name] = node.value
        elif isinstance(node, (ir.Assign, ir.Evaluate, ir.Accept)):
            self._expression(node.value)
        elif isinstance(node, (ir.Store, ir.Update)):
            self._write(node)
        elif isinstance(node, ir.Branch):
            self._expression(node.condition)
            self._wrote |= any(True for _ in targets_in((node.then, node.otherwise)))
        else:
            return False
        return True

    def _write(self, node: ir.Store | ir.Update) -> None:
        if isinstance(node.target, ir.ElementTarget):
            self._expression(ir.element_index(node.target.index))
        self._expression(node.value)
        if isinstance(node, ir.Update):
            self._look(node)
        if isinstance(node.target, ir.ElementTarget) or node.target.scalar in self._shared:
            self._wrote = True

    def _look(self, node: ir.Update) -> None:
        target = node.target
        if not isinstance(target, ir.ElementTarget) or target.array not in self._shared & self._combined:
            return
        if node.operation in _LOOKS and not target.type.holds_float and not target.type.is_pair:
            read = ir.Element(target.span, target.type, target.array, target.domain, target.index, target.checked, True)
            self._take(read, target)

    # Expressions

    def _expression(self, node: Expression) -> None:
        """Everything that is read whenever `node` is evaluated."""
        for each in _always(node):
            if isinstance(each, _WRITES):
                if isinstance(each, ir.UpdateValue) and each.outcome is Outcome.CHANGED:
                    self._look(each.update)
                self._wrote = True
            elif isinstance(each, (ir.Element, ir.DegreeOf)):
                self._take(each, each)

    def _take(self, read: ir.Element | ir.DegreeOf, place: Node) -> None:
        if isinstance(read, ir.Element) and (read.type.is_pair or (read.array in self._written and self._wrote)):
            return
        index = self._index(read.index if isinstance(read, ir.Element) else read.vertex)
        if index is None or place in self._taken:
            return
        self._taken.add(place)
        text = print_expression(_with_index(read, self._inlined(index)))
        known = self._found.get(text)
        places = (*known.places, place) if known is not None else (place,)
        self._found[text] = EarlyRead(_with_index(read, index), places)
        inner = (print_expression(self._inlined(each)) for each in walk(index) if _is_read(each))
        self._level.setdefault(text, 1 + max((self._level[each] for each in inner), default=0))

    def _index(self, node: Expression) -> Expression | None:
        """`node` with constants replaced by what they stand for, made of what has been read ahead; None where it is
        made of anything else."""
        index = self._inlined(node)
        for each in walk(index):
            if isinstance(each, ir.ScalarValue) and each.name not in self._scalars:
                continue
            if not isinstance(each, _INDEXES) or (isinstance(each, ir.Binary) and each.operation in _LAZY):
                return None
            if _is_read(each) and each not in self._taken:
                return None
        return index

    def _inlined(self, node: Expression) -> Expression:
        def change(each: Node) -> Node:
            return self._values.get(each.name, each) if isinstance(each, ir.Local) else each

        return rewrite(node, change)


def _is_read(node: Node) -> bool:
    return isinstance(node, (ir.Element, ir.DegreeOf))


def _with_index(read: ir.Element | ir.DegreeOf, index: Expression) -> Expression:
    if isinstance(read, ir.Element):
        return ir.Element(read.span, read.type, read.array, read.domain, index, read.checked, read.now)
    return ir.DegreeOf(read.span, read.type, read.degree, index, read.checked)


def _always(node: Expression) -> Iterator[Node]:
    """What is evaluated whenever `node` is, the innermost first; an update comes behind its index and its value."""
    inside: Iterable[Expression]
    if isinstance(node, ir.Binary) and node.operation in _LAZY:
        inside = (node.left,)
    elif isinstance(node, ir.Chain):
        lazy = any(link.operation in _LAZY for link in node.links)
        inside = (node.first, *(() if lazy else (link.operand for link in node.links)))
    elif isinstance(node, ir.Select):
        inside = (node.condition,)
    elif isinstance(node, ir.UpdateValue):
        target = node.update.target
        index = (ir.element_index(target.index),) if isinstance(target, ir.ElementTarget) else ()
        inside = (*index, node.update.value)
    elif isinstance(node, ir.CompareAndSwap):
        index = (ir.element_index(node.target.index),) if isinstance(node.target, ir.ElementTarget) else ()
        inside = (*index, node.old, node.new)
    elif isinstance(node, ir.Element):
        inside = (ir.element_index(node.index),)
    elif isinstance(node, (ir.DegreeOf, ir.Unary, ir.Binary, ir.Convert, ir.BuiltinCall, ir.FunctionCall)):
        inside = _operands(node)
    else:
        inside = ()
    for each in inside:
        yield from _always(each)
    yield node


def _operands(node: Expression) -> tuple[Expression, ...]:
    if isinstance(node, ir.Binary):
        return (node.left, node.right)
    if isinstance(node, (ir.BuiltinCall, ir.FunctionCall)):
        return node.arguments
    assert isinstance(node, (ir.DegreeOf, ir.Unary, ir.Convert))
    return (node.vertex if isinstance(node, ir.DegreeOf) else node.operand,)


def _only_combined(functor: Functor) -> set[str]:
    """The arrays to which the functor does nothing but one reduction."""
    operations: dict[str, set[object]] = {}
    for node in walk(functor.body):
        if isinstance(node, (ir.Store, ir.CompareAndSwap)) and isinstance(node.target, ir.ElementTarget):
            operations.setdefault(node.target.array, set()).add(node)
        elif isinstance(node, ir.Update) and isinstance(node.target, ir.ElementTarget):
            operations.setdefault(node.target.array, set()).add(node.operation)
    return {
        name for name, used in operations.items() if len(used) == 1 and isinstance(next(iter(used)), ReduceOperation)
    }
