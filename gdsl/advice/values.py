"""W04, W05, W07 and W08: integer sums of `inf`, conditions that are always the same, the largest id of nothing, and
counts of shifts beyond the width."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gdsl.arithmetic.constants import integer_range
from gdsl.diagnostics import Diagnostic, Edit, Label, Suggestion
from gdsl.effects import Effects, ProgramEffects, WriteKind, each
from gdsl.effects.terms import Choice, ElementTerm, ScalarTerm, Term, inside
from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.operations import ADDITIVE, BinaryOperation, NeighborOperation, UnaryOperation
from gdsl.source import Source, Span
from gdsl.types import Type
from gdsl.uniqueness.data import Data


def decided_conditions(effects: ProgramEffects, data: Data, source: Source) -> Iterator[Diagnostic]:
    """The conditions, and the parts between `&&`, that all operators which call the functor are sure of."""
    verdicts: dict[Span, set[bool | None]] = {}
    for site in effects.sites.values():
        for node, term in zip(site.functor.condition, site.conjuncts, strict=True):
            if not isinstance(node, nodes.Literal) or _after_cond(node.span, source):
                verdicts.setdefault(node.span, set()).add(data.proof.decide(term))
    for span, verdict in verdicts.items():
        words = source.excerpt(span)
        if len(verdict) == 1 and None not in verdict and words:
            words = f"cond {words}" if _after_cond(span, source) else words
            yield _message(span, words, verdict.pop() is True)


def _after_cond(span: Span, source: Source) -> bool:
    """Whether the condition is in a `cond`; else it is that of a functor without a name, which is `true` where it
    takes everything."""
    return "cond" in source.of(span).line(span.line)[: span.column - 1]


def _message(span: Span, words: str, always: bool) -> Diagnostic:
    if always:
        return Diagnostic("W05", f"`{words}` is true for every call", span, fix="leave it out")
    message = f"`{words}` is false for every call: the functor does nothing"
    return Diagnostic("W05", message, span, fix="check the values that it compares: it is never true")


def sums_of_infinity(effects: ProgramEffects) -> Iterator[Diagnostic]:
    """The warnings about `+=`, `-=`, `sum` and `neighbor_reduce` over all elements of data that begin as `inf`."""
    infinite = _initially_infinite(effects.program) - _overwritten(effects)
    if not infinite:
        return
    for site in effects.sites.values():
        if not site.frontier.everything:
            continue
        for span, value, tests in _sums(site):
            name = next((name for name in _read(value) if name in infinite), None)
            if name is not None and name not in _tested_data(site, value, tests):
                yield _sum_message(span, name)


def _sums(site: Effects) -> Iterator[tuple[Span, Term, tuple[Term, ...]]]:
    """The place, the operand, and its conditions."""
    for write in site.writes:
        if write.kind is WriteKind.REDUCE and write.operation in ADDITIVE and write.type.is_integer:
            yield write.span, write.value, tuple(guard.term for guard in each(write.guard))
    operator, value = site.operator, site.value
    sums = isinstance(operator, nodes.NeighborReduce) and operator.operation is NeighborOperation.SUM
    if sums and value is not None and value.type.is_integer:
        yield operator.span, value, ()


def _initially_infinite(program: nodes.Program) -> set[str]:
    return {
        data.name
        for data in program.data
        if data.type.is_integer
        and isinstance(data.initial, nodes.Literal)
        and data.initial.value == integer_range(data.type)[1]
    }


def _overwritten(effects: ProgramEffects) -> set[str]:
    """What a step or an operator over everything replaces as a whole."""
    overwritten = {
        node.array for node in walk(effects.program.schedule) if isinstance(node, nodes.Fill | nodes.NeighborReduce)
    }
    for node in walk(effects.program.schedule):
        if isinstance(node, nodes.Swap):
            overwritten |= {node.first, node.second}
        elif isinstance(node, nodes.StoreScalar):
            overwritten.add(node.scalar)
    for site in effects.sites.values():
        if not site.on_edges and site.frontier.everything and not site.conjuncts:
            overwritten |= {w.name for w in site.writes if w.kind is WriteKind.STORE and w.guard is None}
    return overwritten


def _read(term: Term) -> Iterator[str]:
    for part in inside(term):
        if isinstance(part, ElementTerm):
            yield part.array
        elif isinstance(part, ScalarTerm):
            yield part.name


def _tested_data(site: Effects, value: Term, tests: tuple[Term, ...]) -> set[str]:
    """The data that is tested before the sum takes the value."""
    asked = [*site.conjuncts, *tests]
    asked += [part.condition for part in inside(value) if isinstance(part, Choice)]
    return {name for term in asked for name in _read(term)}


def _sum_message(span: Span, name: str) -> Diagnostic:
    message = f"this integer sum may include `inf` from `{name}`, and wrap"
    fix = f"leave `inf` out, `{name}[v] == inf ? 0 : {name}[v]`, or sum over a set of the vertices that have a value"
    return Diagnostic("W04", message, span, fix=fix)


_EMPTY = re.compile(r"\bempty\s*=")
_SHOWN = 80
"""Characters of a call that a message repeats."""


def largest_of_nothing(program: nodes.Program, source: Source) -> Iterator[Diagnostic]:
    """The warnings about each `neighbor_reduce` by `max` of ids, or pairs with ids, without `empty=`, whose result is
    tested for `none`."""
    for step in walk(program.schedule):
        if not isinstance(step, nodes.NeighborReduce) or step.operation is not NeighborOperation.MAX:
            continue
        if _EMPTY.search(source.text_between(step.span)):
            continue
        parts = step.array_type.parts
        places: list[int | None] = [place for place, part in enumerate(parts) if part.is_id] if parts else [None]
        for place in places if parts or step.array_type.is_id else ():
            test = next(_tests(program, step.array, place), None)
            if test is not None:
                yield _largest_message(step, source.text_between(step.span), place, test)
                break


def _largest_message(step: nodes.NeighborReduce, call: str, place: int | None, test: Span) -> Diagnostic:
    kind = step.array_type if place is None else step.array_type.parts[place]
    parts = ["none" if part.is_id else "false" if part is Type.BOOL else "-inf" for part in step.array_type.parts]
    empty = f"({', '.join(parts)})" if parts else "none"
    message = f"where no edge counts, the largest {kind.name} is {kind.name} 0, never `none`"
    labels = (Label(test, "always as if there were one"),)
    if not call.endswith(")"):
        return Diagnostic("W07", message, step.span, labels, fix=f"give `empty={empty}`")
    changed = f"{call[:-1].rstrip()}, empty={empty})"
    fix = f"write `{changed}`" if len(changed) <= _SHOWN else f"give `empty={empty}`"
    suggestion = Suggestion(fix, (Edit(step.span, changed),))
    return Diagnostic("W07", message, step.span, labels, fix=fix, suggestions=(suggestion,))


def _tests(program: nodes.Program, array: str, place: int | None) -> Iterator[Span]:
    """The comparisons of an element of `array`, or of this part of it, with `none`, also by the name of a `let`."""
    for part in (*program.functors, *program.vote_functors, program.schedule):
        elements, values = set[str](), set[str]()  # the locals that are such an element, and such a value

        def is_element(node: nodes.Expression, elements: set[str] = elements) -> bool:
            is_local = isinstance(node, nodes.Local) and node.name in elements
            return is_local or (isinstance(node, nodes.Element) and node.array == array)

        def is_value(node: nodes.Expression, values: set[str] = values) -> bool:
            if isinstance(node, nodes.Local) and node.name in values:
                return True
            if place is None:
                return is_element(node)
            return isinstance(node, nodes.PairPart) and node.place == place and is_element(node.pair)

        for node in walk(part):
            if isinstance(node, nodes.Let | nodes.Assign):
                elements |= {node.name} if is_element(node.value) else set()
                values |= {node.name} if is_value(node.value) else set()
        for node in walk(part):
            if isinstance(node, nodes.Binary) and node.operation.is_comparison:
                sides = (node.left, node.right)
                if any(isinstance(each, nodes.NoneId) for each in sides) and any(map(is_value, sides)):
                    yield node.span


_SHIFTS = (BinaryOperation.SHIFT_LEFT, BinaryOperation.SHIFT_RIGHT)


def shifts_beyond_width(program: nodes.Program) -> Iterator[Diagnostic]:
    """The warnings about shifts by a constant that is negative, or not less than the width of what is shifted."""
    for node in walk(program):
        if isinstance(node, nodes.Binary):
            links: tuple[tuple[BinaryOperation, nodes.Expression], ...] = ((node.operation, node.right),)
        elif isinstance(node, nodes.Chain):
            links = node.links
        else:
            continue
        bits = node.type.bits
        for operation, count in links:
            value = _constant(count) if operation in _SHIFTS else None
            if value is not None and bits is not None and not 0 <= value < bits:
                message = f"a shift of {node.type} by {value} is one by {value % bits}: counts are taken modulo {bits}"
                wider = f", or shift `{'uint' if node.type.name.startswith('U') else 'int'}64(…)`"
                fix = f"write a count from 0 to {bits - 1}{wider * (0 < value < 64)}"
                yield Diagnostic("W08", message, count.span, fix=fix)


def _constant(node: nodes.Expression) -> int | None:
    """The value of a count that the text says."""
    if isinstance(node, nodes.Convert):
        return _constant(node.operand)
    if isinstance(node, nodes.Unary) and node.operation is UnaryOperation.NEGATE:
        value = _constant(node.operand)
        return None if value is None else -value
    return int(node.value) if isinstance(node, nodes.Literal) and isinstance(node.value, int) else None
