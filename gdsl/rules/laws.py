"""Whether the operators that a program declares may combine the values of a list in any order.

This cannot be proved of every function, so it is tried on all triples of some values of the type, including the
extremes. Floats must agree within a tolerance, and finite ones are of moderate size, since sums of the largest are
infinite in one order and not in another; NaN is not tried. Both zeros count as the same number: which one results is a
matter of rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy

from gdsl.arithmetic.constants import integer_range
from gdsl.diagnostics import Diagnostic
from gdsl.interpreter import with_room
from gdsl.ir import nodes
from gdsl.ir.calls import frames_of_calls
from gdsl.ir.traversal import walk
from gdsl.rules.law_proofs import is_proved
from gdsl.rules.law_trials import IDS, NONE, TooLongError, Trial, Value, literal
from gdsl.types import Type

MOST_WORK = 500_000
"""The most statements, loop iterations and calls in all trials of one operator."""
_TOLERANCES = {Type.FLOAT32: 1e-4, Type.FLOAT64: 1e-11}
_FLOATS = (0.0, 1.0, -1.0, 0.1, -0.3, 0.7, 2.0, -7.25, 13.7, 1e-3, float("inf"), float("-inf"))


@dataclass(frozen=True)
class Laws:
    """The operators whose order makes no difference at all, and the mistakes in the others."""

    exact: frozenset[str] = frozenset()
    proved: frozenset[str] = frozenset()
    """The operators whose laws are proved for all values; for the others they are tried on samples."""
    diagnostics: list[Diagnostic] = field(default_factory=list)


def laws(program: nodes.Program) -> Laws:
    """Check every operator that the schedule reduces with."""
    used = {node.function: node for node in walk(program.schedule) if isinstance(node, nodes.OwnOperation)}
    if not used:
        return Laws()
    return with_room(frames_of_calls(program), lambda: _check_operators(program, used))


def _check_operators(program: nodes.Program, used: dict[str, nodes.OwnOperation]) -> Laws:
    exact, diagnostics = set(), []
    functions = {function.name: function for function in program.functions}
    with numpy.errstate(all="ignore"):
        for name, own in used.items():
            checked = _OperatorLaws(program, functions[name], own)
            message = checked.mistake()
            if message is not None:
                diagnostics.append(_diagnostic(message, functions[name]))
            elif checked.exact and checked.treats_zeros_alike():
                exact.add(name)
    proved = frozenset(name for name in used if is_proved(program, functions[name]))
    return Laws(frozenset(exact), proved, diagnostics)


def _diagnostic(message: str, function: nodes.Function) -> Diagnostic:
    note = "the edges of a vertex are combined in any order, and distributed among threads that begin with the identity"
    return Diagnostic("E0308", message, function.span, notes=(note,))


class _OperatorLaws:
    """One operator on all samples."""

    def __init__(self, program: nodes.Program, function: nodes.Function, own: nodes.OwnOperation) -> None:
        self.name, self.kind = function.name, function.result
        self._trial, self._known = Trial(program.functions, MOST_WORK), dict[tuple[object, object], Value]()
        self.identity = self._trial.value(own.identity, {})
        self.samples = samples(self.kind, self.identity)
        self.exact = True

    def mistake(self) -> str | None:
        """The mistake, with the values that show it, if any."""
        try:
            return self._identity() or self._commutes() or self._associates()
        except TooLongError:
            limit = f"more than {MOST_WORK:,} statements, rounds of loops and calls for all samples"
            return f"the operator `{self.name}` takes too long to be tried: {limit}"

    def _of(self, a: Value, b: Value) -> Value:
        key = (a, b)
        if key not in self._known:
            self._known[key] = self._trial.call(self.name, (a, b))
        return self._known[key]

    def _identity(self) -> str | None:
        for a in self.samples:
            for pair in ((self.identity, a), (a, self.identity)):
                result = self._of(*pair)
                if not self._same(result, a, (a,)):
                    identity = self._word(self.identity)
                    return (
                        f"{identity} is not an identity of `{self.name}`: {self._call(*pair)} is {self._word(result)}"
                    )
        return None

    def _commutes(self) -> str | None:
        for a in self.samples:
            for b in self.samples:
                one, other = self._of(a, b), self._of(b, a)
                if not self._same(one, other, (a, b)):
                    calls = f"{self._call(a, b)} is {self._word(one)}, and {self._call(b, a)} is {self._word(other)}"
                    return f"the operator `{self.name}` depends on the order of its operands: {calls}"
                self.exact = self.exact and (not self.kind.is_float or _picks(one, other, a, b))
        return None

    def _associates(self) -> str | None:
        for a in self.samples:
            for b in self.samples:
                for c in self.samples:
                    first, last = self._of(self._of(a, b), c), self._of(a, self._of(b, c))
                    if not self._same(first, last, (a, b, c, self._of(a, b), self._of(b, c))):
                        left = f"{self.name}({self._call(a, b)}, {self._word(c)}) is {self._word(first)}"
                        right = f"{self.name}({self._word(a)}, {self._call(b, c)}) is {self._word(last)}"
                        return f"the operator `{self.name}` is not associative: {left}, and {right}"
        return None

    def treats_zeros_alike(self) -> bool:
        """Whether the order does not affect the sign of a zero either."""
        if not self.kind.is_float:
            return True
        zero, other = literal(0.0, self.kind), literal(-0.0, self.kind)
        some = [*self.samples, self.identity, zero, other]

        def of(a: Value, b: Value) -> Value:  # the cache does not distinguish the two zeros
            return self._trial.call(self.name, (a, b))

        with_both = ((a, b, c) for a in some for b, c in ((zero, other), (other, zero), (other, a)))
        try:
            return _alike(of(self.identity, self.identity), self.identity) and all(
                _alike(of(a, b), of(b, a)) and _alike(of(of(a, b), c), of(a, of(b, c))) for a, b, c in with_both
            )
        except TooLongError:
            return False

    def _same(self, one: Value, other: Value, made_of: tuple[Value, ...]) -> bool:
        if bool(one == other) or bool(one != one and other != other):
            return True
        if not self.kind.is_float or not (numpy.isfinite(one) and numpy.isfinite(other)):
            return False
        largest = max(abs(float(value)) for value in (*made_of, one, other) if numpy.isfinite(value))
        self.exact = False
        return abs(float(one) - float(other)) <= _TOLERANCES[self.kind] * largest

    def _call(self, a: Value, b: Value) -> str:
        return f"{self.name}({self._word(a)}, {self._word(b)})"

    def _word(self, value: Value) -> str:
        """A value as a program writes it."""
        if self.kind is Type.BOOL:
            return str(bool(value)).lower()
        if self.kind.is_id:
            return "none" if value == NONE else str(value)
        return str(value.item())


def _alike(one: Value, other: Value) -> bool:
    """Whether two floats are the same, and of one sign where they are zeros."""
    return bool(one == other) and bool(numpy.signbit(one) == numpy.signbit(other))


def _picks(one: Value, other: Value, a: Value, b: Value) -> bool:
    """Whether a float operator returns one of its operands, the same in either order."""
    return bool(one == other) and one in (a, b)


def samples(kind: Type, identity: Value) -> list[Value]:
    """Values of a type, always the same ones."""
    if kind is Type.BOOL:
        return [False, True]
    if kind.is_id:
        samples: list[Value] = [0, 1, 2, 7, IDS - 1, NONE]
    elif kind.is_float:
        samples = [literal(value, kind) for value in _FLOATS]
    else:
        low, high = integer_range(kind)
        near = (0, 1, 2, 3, 12, 18, 1000, high // 2, high - 1, high)
        below = (-1, -2, -7, low, low + 1) if kind.is_signed else ()
        samples = [literal(value, kind) for value in (*near, *below)]
    return samples if any(bool(value == identity) for value in samples) else [*samples, identity]
