"""The pass `hoist_scalars`: scalars that are computed of nothing but the given graph's structure are kept with it. It
is written in operators, before `lower`.

    hub = argmax(v => out_degree(v));

Two reductions over all vertices and their barriers find the same vertex in every run. So the first run on a graph tells
the host what it has found, and later runs, of any program with the same lines, begin with that: each such scalar has
the value of a hidden param at first, and another one, `there`, says whether it is known.

    if (!there) { hub = argmax(v => out_degree(v)); found = true; }

What is hoisted is a row of stores in scalars and of `compute` on all vertices or edges, outside of loops and of graphs
that the schedule makes, whose code reads ids, degrees, lists and scalars of the same row, and changes nothing else.
Every other step that reads one of these scalars comes later in the same block, or in a block there, and none of them
changes it. Sums of floats are left to each run, as their rounding depends on the order. What callers get as a result is
stored by each run; it is often a copy of such a scalar.

Of several workers each has only a part of the graph, and teams of blocks or instances begin with params of their own:
there every run computes the scalars. So does the reference, which knows no passes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from gdsl.effects.access import Accesses
from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_expression, print_functor
from gdsl.ir.traversal import all_steps, contains, walk
from gdsl.operations import ReduceOperation, UnaryOperation
from gdsl.plan.functor_facts import called_functions
from gdsl.plan.known_scalars import HoistedScalar, HoistedScalars
from gdsl.plan.target import Target
from gdsl.types import Type

_OF_A_RUN = (
    *(ir.Element, ir.ElementTarget, ir.ParamValue, ir.Iteration, ir.FrontierSize, ir.FrontierNotEmpty),
    *(ir.UpdateValue, ir.CompareAndSwap),
)
"""What may be different in another run on the same graph, or depends on the order of calls."""
_ROUNDED = (ReduceOperation.ADD, ReduceOperation.SUBTRACT, ReduceOperation.MULTIPLY)
_THERE, _FOUND, _KNOWN = "there ", "found ", "known "
"""Not the beginnings of names that a program can declare."""


def run(program: ir.Program, target: Target) -> ir.Program:
    """`program` with such scalars computed where they are not known; the same object if there are none."""
    if not target.fused or target.teams or target.workers or target.instances:
        return program
    return _Writer(program).program()


def hoisted_scalars(program: ir.Program) -> tuple[HoistedScalars, ...]:
    """What `run` has written in a program, in the order of its text."""
    params, accesses = {each.name: each for each in program.params}, Accesses(program)
    found = []
    for there, (*row, last) in _rows(program):
        assert isinstance(last, ir.StoreScalar)
        names = [name for name in _written(row, accesses) if _KNOWN + name in params]
        scalars = tuple(_hoisted_scalar(params[_KNOWN + name], name) for name in names)
        found.append(HoistedScalars(_key(row, scalars, program), there, last.scalar, scalars))
    return tuple(found)


def hoisted_sites(program: ir.Program) -> frozenset[int]:
    """The operators of such rows, which later runs on a graph skip, and have no records of."""
    return frozenset(step.site for _, row in _rows(program) for step in row if isinstance(step, ir.Operator))


def _rows(program: ir.Program) -> Iterator[tuple[str, tuple[ir.Step, ...]]]:
    """The name of the param that says whether a row is skipped, and the row with the store behind it."""
    for step in all_steps(program.schedule):
        there = step.condition.operand if isinstance(step, ir.If) and isinstance(step.condition, ir.Unary) else None
        if isinstance(step, ir.If) and isinstance(there, ir.ParamValue) and there.name.startswith(_THERE):
            yield there.name, step.then


def noted_scalars(program: ir.Program) -> frozenset[str]:
    """The scalars that the host reads after a run which has found them."""
    groups = hoisted_scalars(program)
    return frozenset(name for each in groups for name in (each.found, *(scalar.scalar for scalar in each.scalars)))


def _hoisted_scalar(param: ir.Param, scalar: str) -> HoistedScalar:
    return HoistedScalar(scalar, param.name, param.type, _constant(param.default))


def _constant(initial: ir.Expression | None) -> bool | int | float | None:
    initial = initial.operand if isinstance(initial, ir.Convert) else initial
    return initial.value if isinstance(initial, ir.Literal) else None


def _key(row: Sequence[ir.Step], scalars: Sequence[HoistedScalar], program: ir.Program) -> str:
    """The text of a row of steps: the same text finds the same values."""
    accesses = Accesses(program)
    lines = [f"{each.type.name} {each.scalar} = {each.value}" for each in scalars]
    for step in row:
        if isinstance(step, ir.StoreScalar):
            lines.append(f"{step.scalar} = {print_expression(step.value)}")
        elif isinstance(step, ir.Compute):
            functor = accesses.functor(step)
            lines.append(f"compute {step.frontier.domain.plural}:")
            lines += map(print_functor, (functor, *called_functions(functor, program)))
    return "\n".join(lines)


def _written(row: Sequence[ir.Step], accesses: Accesses) -> tuple[str, ...]:
    """The names of what a row of steps writes, in the order of the text."""
    return tuple(dict.fromkeys(name for step in row for name in sorted(accesses.names_of_step(step)[1])))


class _Writer:
    """Writes one program."""

    def __init__(self, program: ir.Program) -> None:
        self.before, self.accesses = program, Accesses(program)
        may = (each for each in program.scalars if each.is_local and not each.is_input and not each.type.is_pair)
        self.may = {each.name: each for each in may if _has_constant(each)}
        """The scalars that may be kept."""
        self.params: list[ir.Param] = []
        self.found: list[ir.Scalar] = []

    def program(self) -> ir.Program:
        """The whole program."""
        before, schedule = self.before, self._block(self.before.schedule)
        if not self.params:
            return before
        first = {each.name.removeprefix(_KNOWN): each for each in self.params}
        scalars = (
            dataclasses.replace(each, initial=_value_of(first[each.name])) if each.name in first else each
            for each in before.scalars
        )
        return dataclasses.replace(
            before,
            params=(*before.params, *self.params),
            scalars=(*scalars, *self.found),
            schedule=schedule,
        )

    def _block(self, steps: tuple[ir.Step, ...]) -> tuple[ir.Step, ...]:
        """A block in which each step runs at most once, on the given graph."""
        written: list[ir.Step] = []
        at = 0
        while at < len(steps):
            row = self._row(steps, at)
            if row:
                written.append(self._hoisted(steps[at : at + row]))
                at += row
                continue
            step, at = steps[at], at + 1
            if isinstance(step, ir.If):
                step = dataclasses.replace(step, then=self._block(step.then), otherwise=self._block(step.otherwise))
            written.append(step)
        return tuple(written)

    def _row(self, steps: tuple[ir.Step, ...], at: int) -> int:
        """How many steps from this one on are hoisted together."""
        end, known = at, frozenset[str]()
        while end < len(steps) and (found := self._finds(steps[end], known)) is not None:
            known, end = known | found, end + 1
        while end > at and (name := self._used_elsewhere(steps, at, end)) is not None:
            end = next(place for place in range(at, end) if name in _written((steps[place],), self.accesses))
        return end - at if any(isinstance(step, ir.Compute) for step in steps[at:end]) else 0

    def _finds(self, step: ir.Step, known: frozenset[str]) -> frozenset[str] | None:
        """The scalars that a step finds of the graph and of what is `known`; None if it does anything else."""
        if isinstance(step, ir.StoreScalar):
            code: tuple[object, ...] = (step.value,)
        elif isinstance(step, ir.Compute) and step.frontier.everything:
            functor = self.accesses.functor(step)
            code = (functor, *called_functions(functor, self.before))
        else:
            return None
        written = self.accesses.names_of_step(step)[1]
        if not written or not written <= self.may.keys() or contains(code, *_OF_A_RUN):
            return None
        if isinstance(step, ir.Compute) and written & known and self._reads(code, written):
            return None
        updates = [node for part in code for node in walk(part) if isinstance(node, ir.Update)]
        if any(each.operation in _ROUNDED and each.value.type.is_float for each in updates):
            return None
        return written if all(name in known for name in self._values(code)) else None

    def _values(self, code: tuple[object, ...]) -> Iterator[str]:
        return (node.name for part in code for node in walk(part) if isinstance(node, ir.ScalarValue))

    def _reads(self, code: tuple[object, ...], names: frozenset[str]) -> bool:
        return any(name in names for name in self._values(code))

    def _used_elsewhere(self, steps: tuple[ir.Step, ...], at: int, end: int) -> str | None:
        """A scalar of the row that is used where it may not be known, or changed after the row; None: there is none."""
        names = _written(steps[at:end], self.accesses)
        later = set(map(id, all_steps(steps[end:])))
        row = set(map(id, steps[at:end]))
        for step in all_steps(self.before.schedule):
            read, written = self.accesses.names_of_step(step)
            forbidden = written if id(step) in later else read | written if id(step) not in row else frozenset[str]()
            for name in names:
                if name in forbidden:
                    return name
        return None

    def _hoisted(self, row: tuple[ir.Step, ...]) -> ir.If:
        span = row[0].span
        number = len(self.found)
        there = ir.Param(span, f"{_THERE}{number}", Type.BOOL, ir.Literal(span, Type.BOOL, False))
        found = f"{_FOUND}{number}"
        self.found.append(ir.Scalar(span, found, Type.BOOL, there.default, False, True, None))
        self.params.append(there)
        for name in _written(row, self.accesses):
            scalar = self.may[name]
            self.params.append(ir.Param(scalar.span, f"{_KNOWN}{name}", scalar.type, scalar.initial))
        unknown = ir.Unary(span, Type.BOOL, UnaryOperation.NOT, _value_of(there))
        return ir.If(span, unknown, (*row, ir.StoreScalar(span, found, ir.Literal(span, Type.BOOL, True))), ())


def _has_constant(scalar: ir.Scalar) -> bool:
    """Whether the host knows the initial value of a scalar."""
    initial = scalar.initial
    if isinstance(initial, ir.Convert) and initial.type.is_id:
        initial = initial.operand
    return isinstance(initial, (ir.Literal, ir.NoneId))


def _value_of(param: ir.Param) -> ir.ParamValue:
    return ir.ParamValue(param.span, param.type, param.name)
