"""Whether the operand of a reduction grows with what it reads of its own array."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.frontend.races.proof import bounds
from gdsl.frontend.races.terms import Apply, Element, Term, inside
from gdsl.types import ScalarType

_GROWING = ("+", "+|", "min", "max", "floor", "ceil", "sqrt", "exp", "log")
_SETS = ("&&", "||", "&", "|")


@dataclass(frozen=True, slots=True)
class Monotone:
    """Judges terms as functions of the elements of `array`; `nonnegative` are the inputs that a `where` keeps so."""

    array: str
    nonnegative: frozenset[str]
    of_sets: bool
    """Whether values are ordered as sets of bits (`|=`, `&=`), not as numbers."""

    def reads(self, term: Term) -> bool:
        """Whether `term` itself is an element of the array."""
        return isinstance(term, Element) and term.array == self.array

    def _free(self, term: Term) -> bool:
        return not any(self.reads(part) for part in inside(term))

    def holds(self, term: Term) -> bool:
        """Whether the value never falls where elements of the array rise, and nothing else moves it."""
        if self._free(term):
            return True
        if isinstance(term, Element):
            return self.reads(term) and self._free(term.index)
        if not isinstance(term, Apply):
            return False
        parts = term.arguments
        if term.operation in (_SETS if self.of_sets else _GROWING):
            return all(self.holds(part) for part in parts)
        if term.operation == "?:":
            return self._free(parts[0]) and self.holds(parts[1]) and self.holds(parts[2])
        if self.of_sets:
            return False
        if term.operation == "convert":
            return term.type is not ScalarType.BOOL and not _wraps(parts[0].type, term.type) and self.holds(parts[0])
        if term.operation in ("-", "-|") and len(parts) == 2:
            return self.holds(parts[0]) and self._free(parts[1])
        if term.operation in ("/", "//", ">>"):
            return self.holds(parts[0]) and self._free(parts[1]) and self._not_negative(parts[1])
        if term.operation == "*":
            factors = [part for part in parts if self._free(part)]
            return len(factors) == 1 and self._not_negative(factors[0]) and any(self.holds(part) for part in parts)
        return False

    def _not_negative(self, term: Term) -> bool:
        if isinstance(term, Element) and term.array in self.nonnegative:
            return True
        interval = bounds(term)
        return interval is not None and interval[0] >= 0


def _wraps(source: ScalarType | None, target: ScalarType | None) -> bool:
    """Whether a conversion may turn the order around: to a narrower integer, or from a signed to an unsigned one."""
    if source is None or target is None or target.is_float or source.is_float:
        return False
    if source.is_id or target.is_id:
        return True
    return (target.bits or 64) < (source.bits or 64) or (source.is_signed and not target.is_signed)
