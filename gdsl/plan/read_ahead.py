"""Decides what a thread reads for several elements together, before it processes the first of them (cuda).

A thread that processes one element after the other waits for the element's own values, then for what they refer to, and
only then continues with the next element: no compiler moves a read across a write or an atomic that may touch the same
memory. So values that every element needs and the sweep does not write are read for several elements at once, level by
level: own values, then the values at which these point. Tests are evaluated between what they need and what follows
them. Then the rest runs, one element after the other.

This is correct because a value that no call of the sweep writes is the same whenever it is read. It is read ahead only
if the call needs it whatever its other values are: not on the right side of `&&`, not in a side of `? :`, not in a
branch, and not after a loop. So an index that is out of range would have stopped the run anyway. Other uses of the same
value, as in a branch, take the value that was read. The same holds for elements that only this call touches, until it
writes them.

Values that several calls write could be read ahead, too, as elements come in no order. This was tried: components then
take more passes, since all calls see older labels, and more atomics, since the reads that avoid them are older
(docs/lab/journal.md).

A long functor waits less and has more text, as for `edges_side_by_side`, and registers bound the number of values. Two
cases gained nothing: vertices whose values depend only on their number, which are streamed anyway, and filters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeGuard

from gdsl.ir import nodes as ir
from gdsl.ir.nodes import BuiltinCall, EdgeFunctor, Expression, FunctionCall, NeighborReduce, Node, Program
from gdsl.ir.printer import print_expression
from gdsl.ir.traversal import contains, rewrite, walk
from gdsl.operations import Builtin, Domain, Over
from gdsl.passes.writers import targets_in, written_arrays
from gdsl.plan.hints import EarlyRead, ReadAhead
from gdsl.plan.sweep_nodes import Mode, Skips, Variant

MEMBERS_AT_ONCE = 4
"""Members that a thread runs side by side, so that it waits once for what all of them read."""
MOST_WORDS = 16
"""Of values of 32 bits that are read ahead for all elements side by side."""
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


def read_ahead_of(functor: ir.Functor, variant: Variant, functions: Mapping[str, object]) -> ReadAhead | None:
    """What a sweep reads ahead that runs nothing but this `variant` of `functor`; None where it is nothing, or where a
    vertex waits but once. An edge has waited for its far end before."""
    if not is_simple(functor, variant, functions):
        return None
    before, after = _Reads(functor, variant).levels()
    values = [read.value for level in (*before, *after) for read in level]
    if isinstance(functor, ir.VertexFunctor) and not any(map(_is_read, walk(tuple(map(_index_of, values))))):
        return None
    several = several_of(values)
    return ReadAhead(before, after, several) if values and several > 1 else None


def is_simple(functor: ir.Functor, variant: Variant, functions: Mapping[str, object]) -> bool:
    """Whether a functor is short enough for several elements side by side."""
    if variant.claim is not None or contains(functor.body, *_LOOPS):
        return False
    return nodes_in(functor, functions) <= MOST_NODES


def several_of(values: Iterable[Expression]) -> int:
    """For how many elements there is room where these values are read for each; 1: for no two."""
    words = sum(2 if value.type.bits == 64 else 1 for value in values)
    return next((each for each in (MEMBERS_AT_ONCE, MEMBERS_AT_ONCE // 2) if words * each <= MOST_WORDS), 1)


@dataclass
class _Read:
    """A read that comes ahead, the number of reads before it, and whether it comes before the tests."""

    value: Expression
    level: int
    before: bool
    places: list[Node]


class _Reads:
    """Finds the reads of one functor that come ahead."""

    def __init__(self, functor: ir.Functor, variant: Variant) -> None:
        self.conditions = tuple(functor.condition[i] for i in variant.tests)
        self.body = tuple(functor.body[i] for i in variant.body)
        self._written = written_arrays(functor)
        plain = {each.name for each in variant.writes if each.mode is Mode.PLAIN}
        self._own = plain & self._written if isinstance(functor, ir.VertexFunctor) else set()
        """What the sweep writes by calls of which each has its elements alone, less what has been written so far. Not
        along edges, where lanes without an edge read what the edge of another lane needs."""
        self._counts = Counter(each for each in walk((self.conditions, self.body)) if _is_read(each))
        """Equal reads cannot be distinguished, so those with a write in between are not read ahead."""
        self._values: dict[str, Expression] = {}
        """The value of each constant."""
        self._known: dict[str, _Read] = {}
        """By text, in order."""
        self._taken: dict[Node, _Read] = {}
        """By place in the functor."""
        self._before = True

    def levels(self) -> tuple[tuple[tuple[EarlyRead, ...], ...], tuple[tuple[EarlyRead, ...], ...]]:
        """What is read before the tests, level by level, and what after them (without a test, everything)."""
        # The other conjuncts are evaluated only if the first one holds.
        for test in self.conditions[:1]:
            self._expression(test)
        self._before = False
        for statement in self.body:
            self._statement(statement)
        self._again(self.conditions, before=True)
        self._again(self.body, before=False)
        return self._by_level(True), self._by_level(False)

    def _by_level(self, before: bool) -> tuple[tuple[EarlyRead, ...], ...]:
        reads = [read for read in self._known.values() if read.before is before]
        return tuple(
            tuple(EarlyRead(read.value, tuple(read.places)) for read in reads if read.level == level)
            for level in sorted({read.level for read in reads})
        )

    def _statement(self, node: ir.Statement) -> None:
        """What is read whenever `node` is run."""
        if isinstance(node, (ir.Store, ir.Update)) and isinstance(node.target, ir.ElementTarget):
            self._expression(ir.element_index(node.target.index))
        if isinstance(node, (ir.Let, ir.Assign, ir.Evaluate, ir.Accept, ir.Store, ir.Update)):
            self._expression(node.value)
        elif isinstance(node, ir.Branch):
            self._expression(node.condition)
        self._own -= {each.array for each in targets_in(node) if isinstance(each, ir.ElementTarget)}
        if isinstance(node, ir.Let) and not node.mutable and self._index(node.value) is not None:
            self._values[node.name] = node.value

    def _expression(self, node: Expression) -> None:
        for each in _always(node):
            if isinstance(each, (ir.UpdateValue, ir.CompareAndSwap)):
                self._own -= {target.array for target in targets_in(each) if isinstance(target, ir.ElementTarget)}
            elif isinstance(each, (ir.Element, ir.DegreeOf)) and each not in self._taken:
                self._take(each)

    def _take(self, read: ir.Element | ir.DegreeOf) -> None:
        text, value = self._text(read)
        if value is None or (self._is_written(read) and (read.array not in self._own or self._counts[read] > 1)):
            return
        if text not in self._known:
            inner = (self._taken[each] for each in walk(_index_of(value)) if _is_read(each))
            level = 1 + max((each.level for each in inner if each.before is self._before), default=0)
            self._known[text] = _Read(value, level, self._before, [])
        self._note(read, self._known[text])

    def _note(self, place: ir.Element | ir.DegreeOf, read: _Read) -> None:
        self._taken[place] = read
        read.places.append(place)

    def _again(self, parts: tuple[Node, ...], before: bool) -> None:
        """A value that has been read ahead is not read again, wherever it is used."""
        for node in reversed(list(walk(parts))):
            if isinstance(node, (ir.Element, ir.DegreeOf)) and node not in self._taken and not self._is_written(node):
                known = self._known.get(self._text(node)[0])
                if known is not None and known.before >= before:
                    self._note(node, known)

    def _is_written(self, read: ir.Element | ir.DegreeOf) -> TypeGuard[ir.Element]:
        return isinstance(read, ir.Element) and read.array in self._written

    def _text(self, read: ir.Element | ir.DegreeOf) -> tuple[str, Expression | None]:
        """What is read, made of what has been read ahead; None where it is made of anything else."""
        index = self._index(_index_of(read))
        if index is None or read.type.is_pair:
            return "", None
        value = _with_index(read, index)
        return print_expression(value), value

    def _index(self, node: Expression) -> Expression | None:
        """The same of an index; constants are replaced by their values."""
        index = rewrite(node, self._inlined)
        for each in walk(index):
            if not isinstance(each, _INDEXES) or (isinstance(each, ir.Binary) and each.operation.is_logical):
                return None
            if _is_read(each) and each not in self._taken:
                return None
        return index

    def _inlined(self, node: Node) -> Node:
        return self._values.get(node.name, node) if isinstance(node, ir.Local) else node


def _index_of(read: Expression) -> Expression:
    assert isinstance(read, (ir.Element, ir.DegreeOf))
    return read.index if isinstance(read, ir.Element) else read.vertex


def _is_read(node: Node) -> bool:
    return isinstance(node, (ir.Element, ir.DegreeOf))


def _with_index(read: ir.Element | ir.DegreeOf, index: Expression) -> Expression:
    if isinstance(read, ir.Element):
        return ir.Element(read.span, read.type, read.array, read.domain, index, read.checked, read.now)
    return ir.DegreeOf(read.span, read.type, read.degree, index, read.checked)


def _always(node: Expression) -> Iterator[Node]:
    """What is evaluated whenever `node` is, the innermost first; an update comes after its index and its value."""
    inside: Iterable[Expression]
    if isinstance(node, ir.Binary) and node.operation.is_logical:
        inside = (node.left,)
    elif isinstance(node, ir.Chain):
        lazy = any(operation.is_logical for operation, _ in node.links)
        inside = (node.first, *(() if lazy else (operand for _, operand in node.links)))
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


# Decides what a worklist that passes over members reads ahead for several edges side by side (cuda).
#
# Edges of a monotone loop wait for their values and their far end, then for the value there, which is looked at
# before it is changed. One edge after the other that is two waits an edge, since no read moves over the exchange of
# the edge before. So all of it is read for several edges: what `early` finds; then the values at the far ends. A look
# may be as old as the last barrier (`late_changed_min` says why), so it may be as old as a few edges.
#
# Nor does anybody wait for the mark of a vertex that was changed, which says whether it is in the result already,
# before all edges side by side have put theirs: the result is used after them.
#
# The value of the near end is read once a member, when its visit begins, and noted as what the member is visited with
# (`skips`): each edge is visited with exactly that, so that who still has it in the next pass need not be visited
# again.

_ENDS = {
    Over.OUT_EDGES: (ir.Role.SOURCE, ir.Role.DESTINATION),
    Over.IN_EDGES: (ir.Role.DESTINATION, ir.Role.SOURCE),
}
"""The near end and the far end."""


def read_ahead_of_worklist(
    step: ir.Advance,
    functor: ir.EdgeFunctor,
    variant: Variant,
    skips: Skips,
    program: ir.Program,
) -> ReadAhead | None:
    """None if the functor is too long for that, or reads other values of the array."""
    functions: dict[str, object] = {function.name: function.body for function in program.functions}
    near, far = _ENDS[step.over]
    if not is_simple(functor, variant, functions):
        return None
    (changed,) = (each.target for each in walk(functor.body) if isinstance(each, ir.Update))
    reads = [each for each in walk(functor) if isinstance(each, ir.Element) and each.array == skips.array]
    if not isinstance(changed, ir.ElementTarget) or not ir.is_parameter(changed.index, far) or not reads:
        return None
    if not all(ir.is_parameter(each.index, near) for each in reads):
        return None
    hint = read_ahead_of(functor, variant, functions)
    before, after = (hint.before, hint.after) if hint is not None else ((), ())
    seen = ir.Element(changed.span, skips.type, skips.array, Domain.VERTEX, changed.index, False, False)
    own = EarlyRead(reads[0], tuple(reads))
    several = several_of([*(read.value for level in (*before, *after) for read in level), own.value, seen])
    return ReadAhead(before, after, several, own, seen, over=step.over) if several > 1 else None


# Decides how many edges of a list a thread reduces side by side (cuda).
#
# A thread waits for the neighbor's id and then for what is read of the neighbor. With several edges at a time these
# waits overlap, at the price of the value's text as many times, in registers and in the compiler's time. What
# computes long by itself has less to wait for and more text, so it is written once. To look further ahead changes no
# result: all of a list is reduced, or what is left of it cannot change the result (`Segment.stops_at`).

EDGES_AT_ONCE = 4
"""One, two, four and eight took 1.08, 1.015, 1.025 and 1.014 ms (PageRank of R-MAT, H200)."""
MOST_NODES = 48
"""Of a value and of the operator that reduces it, calls replaced by what they call: more are written once."""
_SHORT = frozenset({Builtin.MIN, Builtin.MAX, Builtin.ABS, Builtin.FLOOR, Builtin.CEIL, Builtin.TRUNC, Builtin.SQRT})
_LONG_CALL = 32
"""Nodes for which a call counts that is many instructions."""


def edges_side_by_side(step: NeighborReduce, functor: EdgeFunctor, program: Program) -> int:
    """Of the reduction `step` of what `functor` gives."""
    functions = {function.name: function.body for function in program.functions}
    own = nodes_in(functions[step.own.function], functions) if step.own is not None else 0
    nodes = nodes_in(functor, functions) + own
    return EDGES_AT_ONCE if nodes <= MOST_NODES else 1


def nodes_in(part: object, functions: Mapping[str, object]) -> int:
    """How many nodes `part` has once calls are replaced by what they call, as far as it matters."""
    count, parts = 0, [part]
    while parts and count <= MOST_NODES:
        for node in walk(parts.pop()):
            count += _LONG_CALL if isinstance(node, BuiltinCall) and node.function not in _SHORT else 1
            if isinstance(node, FunctionCall):
                parts.append(functions[node.function])
    return count
