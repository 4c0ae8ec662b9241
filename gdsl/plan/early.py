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

An atomic minimum or maximum looks at its element first, and does nothing where that is small enough. An older look is
as good where the sweep does nothing else to the array: then values only fall (or rise), so that what was small enough
is so still, and whether anything changes is decided by the atomic where the look does not rule it out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gdsl.ir import nodes as ir
from gdsl.ir.nodes import Expression, Node
from gdsl.ir.printer_expressions import print_expression
from gdsl.ir.traversal import rewrite, walk
from gdsl.operations import BinaryOperation, Outcome, ReduceOperation
from gdsl.passes.writers import Functor, targets, targets_in
from gdsl.plan.sweep_nodes import Early, EarlyRead, EarlyStage, Mode, Variant

SEVERAL = 4
EDGES = 2
"""Of a push."""
MOST_WORDS = 16
"""Of values of 32 bits that are read ahead for all elements side by side."""
_LAZY = (BinaryOperation.AND, BinaryOperation.OR)
_WRITES = (ir.UpdateValue, ir.CompareAndSwap)
_LOOPS = (ir.ForRange, ir.ForNeighbors, ir.Loop)
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


def early_of(functor: Functor, variant: Variant, most: int | None = None) -> Early | None:
    """What a sweep reads ahead that runs nothing but this `variant` of `functor`; None where it is nothing."""
    if variant.claim is not None:
        return None
    found = _Reads(functor, variant)
    before, stages = found.stages()
    levels = (*before, *(level for stage in stages for level in stage.levels))
    if most is not None and most < 2:
        return None
    kept = _kept(functor, stages)
    words = sum(2 if read.value.type.bits == 64 else 1 for level in levels for read in level) + len(kept)
    several = next((each for each in (SEVERAL, SEVERAL // 2) if words * each <= MOST_WORDS), 1)
    return Early(before, stages, kept, min(several, most or several)) if levels and several > 1 else None


def _kept(functor: Functor, stages: tuple[EarlyStage, ...]) -> tuple[str, ...]:
    """The locals that are made in one stage and used in a later one."""
    found: dict[str, None] = {}
    made: set[str] = set()
    for stage in stages:
        parts = tuple(functor.body[i] for i in stage.body)
        used = (node.name for node in walk(parts) if isinstance(node, (ir.Local, ir.Assign)))
        found.update(dict.fromkeys(name for name in used if name in made))
        made |= {node.name for node in parts if isinstance(node, ir.Let)}
    return tuple(found)


@dataclass
class _Read:
    """A read that comes ahead: in which stage, behind how many others there."""

    value: Expression
    stage: int
    level: int
    places: list[Node]


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
        self._reads: list[_Read] = []
        self._known: dict[str, _Read] = {}
        """Those that stand for another read of the same text."""
        self._taken: dict[Node, _Read] = {}
        """By place in the functor."""
        self._starts = [0]
        """Where in the body each stage begins; the reads before the tests are those of stage -1."""
        self._stage, self._at = -1, 0
        self._splits = True
        self._wrote = self._writes = False
        """Whether something was written in the stage by the statements before, and by this one."""

    def stages(self) -> tuple[tuple[tuple[EarlyRead, ...], ...], tuple[EarlyStage, ...]]:
        """What is read before the test, level by level, and what is done behind it; without a test all is behind."""
        for test in self.variant.tests[:1]:
            self._expression(self.functor.condition[test])
        # What the other conjuncts ask for is asked for only where the first one holds.
        self._stage, body = 0, self.variant.body
        for self._at, number in enumerate(body):
            if not self._statement(self.functor.body[number]):
                break
            self._wrote, self._writes = self._wrote or self._writes, False
        self._repeated()
        ends = (*self._starts[1:], len(body))
        parts = (body[first:last] for first, last in zip(self._starts, ends, strict=True))
        return self._levels(-1), tuple(EarlyStage(self._levels(i), part) for i, part in enumerate(parts))

    def _levels(self, stage: int) -> tuple[tuple[EarlyRead, ...], ...]:
        reads = [read for read in self._reads if read.stage == stage]
        return tuple(
            tuple(EarlyRead(read.value, tuple(read.places)) for read in reads if read.level == level)
            for level in sorted({read.level for read in reads})
        )

    # Statements

    def _statement(self, node: ir.Statement) -> bool:
        """Whether those behind `node` are reached whatever happens in it."""
        if isinstance(node, ir.Let):
            self._expression(node.value)
            if not node.mutable and self._index(node.value) is not None:
                self._values[node.name] = node.value
        elif isinstance(node, (ir.Assign, ir.Evaluate)):
            self._expression(node.value)
        elif isinstance(node, ir.Accept):
            self._expression(node.value)
            self._splits = False
        elif isinstance(node, (ir.Store, ir.Update)):
            self._write(node)
        elif isinstance(node, ir.Branch):
            self._expression(node.condition)
            self._writes |= any(True for _ in targets_in((node.then, node.otherwise)))
            self._splits &= not any(isinstance(each, ir.Accept) for each in walk(node))
            return not any(isinstance(each, _LOOPS) for each in walk(node))
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
            self._writes = True

    def _look(self, node: ir.Update) -> None:
        target = node.target
        if not isinstance(target, ir.ElementTarget) or target.array not in self._shared & self._combined:
            return
        if node.operation in _LOOKS and not target.type.is_pair:
            read = ir.Element(target.span, target.type, target.array, target.domain, target.index, target.checked, True)
            self._take(read, target)

    # Expressions

    def _expression(self, node: Expression) -> None:
        """Everything that is read whenever `node` is evaluated."""
        for each in _always(node):
            if isinstance(each, _WRITES):
                if isinstance(each, ir.UpdateValue) and each.outcome is Outcome.CHANGED:
                    self._look(each.update)
                self._writes = True
            elif isinstance(each, (ir.Element, ir.DegreeOf)):
                self._take(each, each)

    def _take(self, read: ir.Element | ir.DegreeOf, place: Node) -> None:
        index = self._index(read.index if isinstance(read, ir.Element) else read.vertex)
        if index is None or place in self._taken or read.type.is_pair:
            return
        others_write = isinstance(read, ir.Element) and read.array in self._written
        plain = isinstance(read, ir.Element) and read.array not in self._shared
        if others_write and (self._writes or (self._wrote and plain) or not self._fresh()):
            return  # of a plain write of its own a thread has the value at hand
        value = _with_index(read, index)
        text = print_expression(value)
        inner = [self._taken[each] for each in walk(index) if _is_read(each)]
        stage = self._stage if others_write or self._stage < 0 else max((each.stage for each in inner), default=0)
        if text not in self._known:
            level = 1 + max((each.level for each in inner if each.stage == stage), default=0)
            self._known[text] = _Read(value, max(stage, 0) if self._stage >= 0 else stage, level, [])
            self._reads.append(self._known[text])
        self._taken[place] = self._known[text]
        self._known[text].places.append(place)

    def _repeated(self) -> None:
        """What the sweep does not write need not be read again, wherever that is asked for."""
        stages = [-1] * len(self.functor.condition) + [
            sum(at >= s for s in self._starts) - 1 for at in range(len(self.variant.body))
        ]
        parts = (*self.functor.condition, *(self.functor.body[number] for number in self.variant.body))
        for stage, part in zip(stages, parts, strict=True):
            for node in reversed(list(walk(part))):
                if not isinstance(node, (ir.Element, ir.DegreeOf)) or node in self._taken:
                    continue
                index = self._index(node.index if isinstance(node, ir.Element) else node.vertex)
                if index is None or self._changes(node):
                    continue
                known = self._known.get(print_expression(_with_index(node, index)))
                if known is not None and known.stage <= stage:
                    self._taken[node] = known
                    known.places.append(node)

    def _fresh(self) -> bool:
        """Whether what the sweep writes can be read ahead here; behind a write in another stage."""
        if self._wrote and not self._splits:
            return False
        if self._wrote:
            self._starts.append(self._at)
            self._stage, self._wrote = self._stage + 1, False
            self._known = {text: read for text, read in self._known.items() if not self._changes(read.value)}
        return True

    def _changes(self, value: Expression) -> bool:
        return any(isinstance(each, ir.Element) and each.array in self._written for each in walk(value))

    def _index(self, node: Expression) -> Expression | None:
        """`node` with constants replaced by what they stand for, made of what has been read ahead; None where it is
        made of anything else."""
        index = rewrite(node, self._inlined)
        for each in walk(index):
            if isinstance(each, ir.ScalarValue) and each.name not in self._scalars:
                continue
            if not isinstance(each, _INDEXES) or (isinstance(each, ir.Binary) and each.operation in _LAZY):
                return None
            if _is_read(each) and each not in self._taken:
                return None
        return index

    def _inlined(self, node: Node) -> Node:
        return self._values.get(node.name, node) if isinstance(node, ir.Local) else node


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
