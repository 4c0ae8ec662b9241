"""The calls of one operator: everything that they read and write, and under which conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from gdsl.frontend.races.terms import UNIT, Element, End, Place, ScalarRead, Term, Unknown, inside, parts
from gdsl.frontend.syntax import Functor, OperatorCall, OperatorKind, SymbolKind
from gdsl.operations import Domain, Outcome, Over, ReduceOperation
from gdsl.source import Span
from gdsl.types import ScalarType


class WriteKind(Enum):
    """How an element or scalar is written."""

    STORE = "="
    ANY = "any="
    REDUCE = "op="
    CAS = "cas"


@dataclass(frozen=True, slots=True)
class Guard:
    """Something that must be `expected` for a statement to run."""

    term: Term
    expected: bool


@dataclass(frozen=True, slots=True)
class Write:
    """One write in the text of `apply`.

    `index` is UNIT for scalars. `span` is the statement's (the expression's for `changed`, `fetch` and `cas`), `target`
    that of what is written, `statement` the place in the functor's body where it stands directly in it. `result` is
    what `changed`, `fetch` or `cas` gave.
    """

    name: str
    type: ScalarType | None
    index: Term
    kind: WriteKind
    value: Term
    guards: tuple[Guard, ...]
    span: Span
    target: Span
    operation: ReduceOperation | None = None
    old: Term | None = None
    statement: int | None = None
    result: Unknown | None = None
    outcome: Outcome | None = None

    @property
    def is_scalar(self) -> bool:
        """Whether a scalar is written."""
        return self.index == UNIT

    @property
    def form(self) -> str:
        """The spelling: `=`, `any=`, `min=`, `cas`, …"""
        return self.operation.value if self.operation is not None else self.kind.value


@dataclass(frozen=True, slots=True)
class Read:
    """One read, in the text, of something that the operator writes too."""

    term: Element | ScalarRead
    span: Span
    in_condition: bool

    @property
    def name(self) -> str:
        """The array or scalar."""
        return self.term.array if isinstance(self.term, Element) else self.term.name

    @property
    def index(self) -> Term:
        """Where in the array; UNIT for scalars."""
        return self.term.index if isinstance(self.term, Element) else UNIT


@dataclass
class Calls:
    """What the collector gathers about one operator call in the schedule."""

    call: OperatorCall
    functor: Functor
    names: dict[SymbolKind, str]
    """What the program calls the functor's parameters."""
    conjuncts: list[Term] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    accept: Term | None = None
    """The last `accept` as one term; None where there is none."""
    accepts: list[tuple[Span, tuple[Guard, ...]]] = field(default_factory=list)
    value: Term | None = None
    sources: dict[int, list[Term]] = field(default_factory=dict)
    """What each `Unknown` was made from, by its number."""
    loose: list[Term] = field(default_factory=list)
    """Other terms whose value decides something: bounds and conditions of loops."""
    _results: list[Unknown | None] = field(default_factory=list)
    _write_of: dict[int, Write] = field(default_factory=dict)

    @property
    def over(self) -> Over:
        """Which edges are visited."""
        return self.call.over

    @property
    def on_edges(self) -> bool:
        """Whether the calls are made for edges."""
        return self.functor.domain is Domain.EDGE

    @property
    def visits_twice(self) -> bool:
        """Whether one edge may be visited from both of its ends."""
        walks = self.call.kind in (OperatorKind.ADVANCE, OperatorKind.NEIGHBOR_REDUCE)
        return walks and self.over is Over.ALL_EDGES

    @property
    def near(self) -> Term:
        """The end that lies in the frontier."""
        return self.end(SymbolKind.NEAR)

    @property
    def far(self) -> Term:
        """The other end; of a vertex functor the vertex itself."""
        return self.end(SymbolKind.FAR) if self.on_edges else End(ScalarType.VERTEX, SymbolKind.VERTEX)

    def end(self, role: SymbolKind) -> Term:
        """The term for a functor parameter, with `near` and `far` settled where the operator settles them."""
        if role in (SymbolKind.NEAR, SymbolKind.FAR) and not self.visits_twice:
            walks = self.call.kind in (OperatorKind.ADVANCE, OperatorKind.NEIGHBOR_REDUCE)
            backward = walks and self.over is Over.IN_EDGES
            source = (role is SymbolKind.NEAR) != backward
            role = SymbolKind.SOURCE if source else SymbolKind.DESTINATION
        return End(ScalarType.EDGE if role is SymbolKind.EDGE else ScalarType.VERTEX, role)

    def is_own(self, index: Term) -> bool:
        """Whether only this call can name the element at `index` in this way."""
        if not isinstance(index, End):
            return False
        return index.role is SymbolKind.VERTEX or (index.role is SymbolKind.EDGE and not self.visits_twice)

    def written(self, name: str) -> list[Write]:
        """All writes to an array or scalar."""
        return [write for write in self.writes if write.name == name]

    def written_names(self) -> list[str]:
        """The arrays and scalars that are written, in the order of the text."""
        return list(dict.fromkeys(write.name for write in self.writes))

    def single_writer(self, name: str) -> bool:
        """Whether every element of `name` is written by one call at most, namely by its own."""
        return all(self.is_own(write.index) for write in self.written(name))

    def write_of(self, unknown: Unknown) -> Write | None:
        """The update or `cas` whose result `unknown` is."""
        return self.write_of_number(unknown.number)

    def write_of_number(self, number: int) -> Write | None:
        """As `write_of`, for the unknown of that number."""
        if len(self._results) != len(self.writes):
            self._results = [write.result for write in self.writes]
            self._write_of = {write.result.number: write for write in self.writes if write.result is not None}
        return self._write_of.get(number)

    def origins(self, term: Term) -> Iterator[Term]:
        """All terms that the value of `term` was made from, through locals and results, each once."""
        seen: set[int] = set()
        waiting = [term]
        while waiting:
            for part in inside(waiting.pop()):
                yield part
                if isinstance(part, Unknown) and part.number not in seen:
                    seen.add(part.number)
                    waiting.extend(self.sources.get(part.number, ()))

    def determined(self, term: Term, key: Term) -> bool:
        """Whether two calls with the same `key` have the same value for `term`: it is made from the key, from what all
        calls share, and from elements there that the operator does not write."""
        opened: set[int] = set()
        waiting = [(term, False)]
        while waiting:
            part, within = waiting.pop()
            if part == key:
                continue
            if isinstance(part, Element | ScalarRead) and part.read:
                return False
            if isinstance(part, Unknown):
                if (not within and not part.after_loop) or self.write_of(part) is not None:
                    return False
                if part.number not in opened:
                    opened.add(part.number)
                    waiting += [(source, True) for source in self.sources.get(part.number, ())]
            elif isinstance(part, End | Place):
                if not self._edge_decides(part, key):
                    return False
            else:
                waiting += [(inner, within) for inner in parts(part)]
        return True

    def _edge_decides(self, term: Term, key: Term) -> bool:
        if not (isinstance(key, End) and key.role is SymbolKind.EDGE):
            return False
        return not isinstance(term, End) or term.role in (SymbolKind.SOURCE, SymbolKind.DESTINATION)
