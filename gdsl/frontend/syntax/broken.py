"""What of a program was passed over because of its syntax, so that nothing is said about what is missing there."""

from __future__ import annotations

from bisect import bisect_right

from gdsl.records import dataclass
from gdsl.source import Span


@dataclass(frozen=True, slots=True)
class Broken:
    """`spans` are the stretches that were passed over or guessed at, ascending and apart; `names` those that stand in
    them and may be declared there. `parts`: whether whole parts of the program may be among it, as its schedule."""

    spans: tuple[Span, ...] = ()
    names: frozenset[str] = frozenset()
    parts: bool = False

    def touches(self, span: Span) -> bool:
        """Whether something is missing inside `span`."""
        if span.file:
            return False
        last = bisect_right(self.spans, (span.end_line, span.end_column), key=lambda s: (s.line, s.column)) - 1
        lost = self.spans[last] if last >= 0 else None
        return lost is not None and (lost.end_line, lost.end_column) >= (span.line, span.column)
