"""Loops of a functor that wait for another call.

Calls need not run concurrently, so a `while` that continues until another call does something may never end. A loop
whose end depends on what other calls write must make progress itself: whenever another iteration follows, it has
changed something by a monotone reduction, `changed(x min= y)` and the like, which cannot happen forever; or a local has
become smaller (or always larger), as in `while (u > now label[u]) { u = now label[u]; }`: `_descends`. The same of a
local whose next value is shown to be smaller by what has not left the loop: `_falls`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gdsl.effects.statements import both_true
from gdsl.effects.summary import Effects, Waiting
from gdsl.effects.terms import DEEPEST_PROOF, Choice, OfRead, OfResult, Operation, Term
from gdsl.ir import nodes
from gdsl.ir.traversal import conjuncts, walk
from gdsl.operations import (
    IDEMPOTENT,
    BinaryOperation,
    Builtin,
    Outcome,
    ReduceOperation,
    UnaryOperation,
)
from gdsl.rules.report import Report, waits_for_others
from gdsl.rules.writers import Writers


def check_waiting(effects: Effects, writers: Writers, report: Report) -> None:
    """Report each loop that may wait."""
    for loop in effects.loops:
        shared = _shared(effects, writers, loop)
        if shared is not None and not any(_gets_on(effects, loop, term) for term in loop.goes_on):
            if _descends(effects, loop.loop) or _falls(effects, loop):
                continue
            waits_for_others(report, effects, loop.loop, shared)


def _shared(effects: Effects, writers: Writers, loop: Waiting) -> str | None:
    """The array or scalar that other calls write and that decides when the loop ends; None if there is none."""
    for atom in effects.terms.atoms.members(effects.depends(*loop.exits)):
        if not isinstance(atom, OfRead | OfResult) or atom.number not in loop.numbers:
            continue
        if isinstance(atom, OfRead):
            read = effects.reads[atom.number]
            if read.now and not writers.sees_own(read):
                return read.name
        else:
            name = effects.write_number(atom.number).name
            if not writers.single(name):
                return name
    return None


def _gets_on(effects: Effects, loop: Waiting, term: Term) -> bool:
    """Whether a true bool proves a monotone change by this call in the same iteration."""
    for part in both_true(term):
        write = effects.write_of(part)
        if write is None or write.number not in loop.numbers:
            continue
        if write.outcome is Outcome.CHANGED and write.operation in IDEMPOTENT:
            return True
    return False


# ---------------------------------------------------------------- locals that only get smaller

_SMALLER = (BinaryOperation.LESS,)
_LARGER = (BinaryOperation.GREATER,)


def _descends(effects: Effects, loop: nodes.Loop) -> bool:
    """Whether each round gives a local of the condition `u > x` the value of `x`, so that it is smaller in each round;
    or larger, of `u < x`. Where `x` reads what other calls write by `min=` alone (`max=`), a second read of it in the
    body is no larger than the first."""
    return any(_moves(effects, loop, test) for test in conjuncts(loop.condition))


def _moves(effects: Effects, loop: nodes.Loop, test: nodes.Expression) -> bool:
    if not isinstance(test, nodes.Binary) or test.operation not in (*_SMALLER, *_LARGER):
        return False
    for local, bound, down in ((test.left, test.right, _LARGER), (test.right, test.left, _SMALLER)):
        if not isinstance(local, nodes.Local) or not (local.type.is_integer or local.type.is_id):
            continue
        if local.type is bound.type and isinstance(bound, nodes.Local | nodes.Element):
            operation = ReduceOperation.MIN if test.operation in down else ReduceOperation.MAX
            if _is_given(effects, loop.body, local, bound, operation):
                return True
    return False


def _is_given(
    effects: Effects,
    body: Sequence[nodes.Statement],
    local: nodes.Local,
    bound: nodes.Local | nodes.Element,
    operation: ReduceOperation,
) -> bool:
    """Whether `body` assigns the value of `bound` to `local`, once and in every iteration, before anything that `bound`
    depends on is changed."""
    if isinstance(bound, nodes.Element):
        plain = isinstance(bound.index, nodes.Local) and bound.now
        if not plain or any(write.operation is not operation for write in effects.written(bound.array)):
            return False
    parts = {node.name for node in walk(bound) if isinstance(node, nodes.Local)} | {local.name}
    same = {bound.name} if isinstance(bound, nodes.Local) else set()
    """The locals that have a value of `bound`, read in this iteration."""
    has_wait = False
    for statement in body:
        changed = {node.name for node in walk(statement) if isinstance(node, nodes.Let | nodes.Assign)}
        if not has_wait and isinstance(statement, nodes.Let | nodes.Assign):
            value = statement.value
            equal = (isinstance(value, nodes.Local) and value.name in same) or _alike(value, bound)
            if statement.name == local.name:
                if not equal or isinstance(statement, nodes.Let):
                    return False
                has_wait = True
                continue
            same = same | {statement.name} if equal else same - {statement.name}
        elif local.name in changed:
            return False
        else:
            same -= changed
        if not has_wait and changed & parts:
            return False
    return has_wait


def _alike(one: nodes.Expression, other: nodes.Expression) -> bool:
    """Whether two reads are of one element, by the same local."""
    if not (isinstance(one, nodes.Element) and isinstance(other, nodes.Element)):
        return False
    indices = one.index, other.index
    names = [index.name for index in indices if isinstance(index, nodes.Local)]
    return one.array == other.array and one.now and len(names) == 2 and names[0] == names[1]


_Less = frozenset[tuple[Term, Term]]
"""Pairs of values of which the first is less than the second."""


def _falls(effects: Effects, loop: Waiting) -> bool:
    """Whether a local is smaller in each round (or larger in each), as what must hold for a further round shows:
    `high = max(before, low)` after `if (before >= high || low >= high) { break; }`."""
    less = frozenset(pair for term in loop.goes_on for pair in _ordered(term, True))
    more = frozenset((large, small) for small, large in less)
    for head in loop.heads:
        if head.type.is_integer or head.type.is_id:
            last = effects.carried[head][-1]
            if _is_beyond(last, head, less, Builtin.MAX) or _is_beyond(last, head, more, Builtin.MIN):
                return True
    return False


def _ordered(term: Term, holds: bool) -> Iterator[tuple[Term, Term]]:
    """The comparisons by `<` that are true where a bool is `holds`."""
    if not isinstance(term, Operation) or term.depth > DEEPEST_PROOF:
        return
    if term.operation is UnaryOperation.NOT:
        yield from _ordered(term.arguments[0], not holds)
    elif term.operation is (BinaryOperation.AND if holds else BinaryOperation.OR):
        for part in term.arguments:
            yield from _ordered(part, holds)
    elif term.operation is (BinaryOperation.LESS if holds else BinaryOperation.GREATER_EQUAL):
        yield term.arguments[0], term.arguments[1]
    elif term.operation is (BinaryOperation.GREATER if holds else BinaryOperation.LESS_EQUAL):
        yield term.arguments[1], term.arguments[0]


def _is_beyond(term: Term, head: Term, known: _Less, all_of: Builtin) -> bool:
    """Whether `known` shows that `term` is beyond `head`: of `all_of` (`max` for less) each operand has to be, of the
    other one an operand."""
    if (term, head) in known:
        return True
    if term.depth > DEEPEST_PROOF:
        return False
    if isinstance(term, Choice):
        return _is_beyond(term.yes, head, known, all_of) and _is_beyond(term.no, head, known, all_of)
    if not isinstance(term, Operation) or term.operation not in (Builtin.MAX, Builtin.MIN):
        return False
    parts = (_is_beyond(part, head, known, all_of) for part in term.arguments)
    return all(parts) if term.operation is all_of else any(parts)
