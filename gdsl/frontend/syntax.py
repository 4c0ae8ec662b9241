"""The syntax tree, and the typed tree built from it by the checker: the same classes with more slots filled. All of
them are on this page; they are defined in the files `syntax_*.py`, by theme.

The parser fills everything but the slots listed here. The checker builds new nodes in which

- every `Expression.type` is set (None remains only on `Call`s of operators without a value, on set
  literals, operators, chains of sets, and names of frontiers, functors and option words);
- every `Name.symbol`, `Index.symbol`, `Call.symbol` and the `symbol` of declarations, functors, functions, `Let`, `For`
  and `FrontierDeclaration` is set; the same declaration gives the same `Symbol` everywhere, compare them with `==`;
- `Index.checked` says whether the index was computed and must be tested while the program runs;
- conversions are explicit: an implied widening or a cast (a `Call` named like a type) has become a `Convert`, so both
  operands of a `Binary` and both sides of an assignment have one type; a literal has the type of its place;
- an `Update` of a `var` has become an `Assign`, a `ShortAssign` too; the others write elements and
  scalars, and have no effect in their values: a `Let` before them has;
- calls of operators in the schedule (`advance`, `filter`, `where`, `compute`, `neighbor_reduce`, `neighbor_vote`,
  `intersect`) have become `OperatorCall`s; `size`, `swap` and `fill` stay `Call`s whose symbol is a built-in;
- functors without a name (`Lambda`) have become `Functor`s of the program;
- calls of procedures have become the procedures' statements, each with its `Span.calls`;
- reductions over arrays in the schedule (`sum(a)`) have become `Reduced`s;
- `|`, `&` and `-` between sets have become `SetChain`s;

A program with mistakes never leaves the checker, so later stages may rely on this. Spans of statements and
of calls are unique within a program and identify them.
"""

# ruff: noqa: F403 (whoever imports this page finds all nodes in it)

from __future__ import annotations

from bisect import bisect_right

from gdsl.frontend.syntax_declarations import *
from gdsl.frontend.syntax_expressions import *
from gdsl.frontend.syntax_statements import *
from gdsl.frontend.syntax_symbols import *
from gdsl.frontend.syntax_walking import *
from gdsl.records import dataclass
from gdsl.source import Span


@dataclass(frozen=True, slots=True)
class Broken:
    """`spans` are the stretches that were skipped or guessed, ascending and disjoint; `names` those that occur in
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
