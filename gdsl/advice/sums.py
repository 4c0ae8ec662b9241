"""W04: a sum of integers in which `inf` may be: it is a number like any other there, and the sum wraps."""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.arithmetic.constants import integer_range
from gdsl.diagnostics import Diagnostic
from gdsl.effects import Effects, ProgramEffects, WriteKind, each
from gdsl.effects.terms import Choice, ElementTerm, ScalarTerm, Term, inside
from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.operations import NeighborOperation, ReduceOperation
from gdsl.source import Source, Span

_SUMS = (ReduceOperation.ADD, ReduceOperation.SUBTRACT)


def sums_of_infinity(effects: ProgramEffects, source: Source) -> Iterator[Diagnostic]:
    """The warnings about `+=`, `-=`, `sum` and `neighbor_reduce` over all elements of data that begin as `inf`."""
    infinite = _begin_as_infinity(effects.program) - _made_finite(effects)
    if not infinite:
        return
    for site in effects.sites.values():
        if not site.frontier.everything:
            continue
        for span, value, tests in _sums(site):
            name = next((name for name in _read(value) if name in infinite), None)
            if name is not None and name not in _tested(site, value, tests):
                yield _message(span, name, source)


def _sums(site: Effects) -> Iterator[tuple[Span, Term, tuple[Term, ...]]]:
    """The place, the operand, and what it stands under."""
    for write in site.writes:
        if write.kind is WriteKind.REDUCE and write.operation in _SUMS and write.type.is_integer:
            yield write.span, write.value, tuple(guard.term for guard in each(write.guard))
    operator, value = site.operator, site.value
    sums = isinstance(operator, nodes.NeighborReduce) and operator.operation is NeighborOperation.SUM
    if sums and value is not None and value.type.is_integer:
        yield operator.span, value, ()


def _begin_as_infinity(program: nodes.Program) -> set[str]:
    all_data: tuple[nodes.Array | nodes.Scalar, ...] = (*program.arrays, *program.scalars)
    return {
        data.name
        for data in all_data
        if data.type.is_integer
        and isinstance(data.initial, nodes.Literal)
        and data.initial.value == integer_range(data.type)[1]
    }


def _made_finite(effects: ProgramEffects) -> set[str]:
    """What a step or an operator over everything replaces as a whole."""
    found = {
        node.array for node in walk(effects.program.schedule) if isinstance(node, nodes.Fill | nodes.NeighborReduce)
    }
    for node in walk(effects.program.schedule):
        if isinstance(node, nodes.Swap):
            found |= {node.first, node.second}
        elif isinstance(node, nodes.StoreScalar):
            found.add(node.scalar)
    for site in effects.sites.values():
        if not site.on_edges and site.frontier.everything and not site.conjuncts:
            found |= {w.name for w in site.writes if w.kind is WriteKind.STORE and w.guard is None}
    return found


def _read(term: Term) -> Iterator[str]:
    for part in inside(term):
        if isinstance(part, ElementTerm):
            yield part.array
        elif isinstance(part, ScalarTerm):
            yield part.name


def _tested(site: Effects, value: Term, tests: tuple[Term, ...]) -> set[str]:
    """The data that something asks about before the sum takes the value."""
    asked = [*site.conjuncts, *tests]
    asked += [part.condition for part in inside(value) if isinstance(part, Choice)]
    return {name for term in asked for name in _read(term)}


def _message(span: Span, name: str, source: Source) -> Diagnostic:
    message = f"this sum of integers takes `inf` of `{name}` for a number, and may wrap"
    fix = f"leave `inf` out, `{name}[v] == inf ? 0 : {name}[v]`, or sum over a set of the vertices that have a value"
    return Diagnostic("W04", message, span, fix=fix)
