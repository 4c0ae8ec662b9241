"""What the calls of one operator do: the summary that all rules and grades are found from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from gdsl.effects.term_factory import Terms
from gdsl.effects.terms import (
    Atom,
    ElementTerm,
    End,
    OfData,
    OfEnd,
    OfFrontier,
    OfPass,
    OfPlace,
    OfRoots,
    ScalarTerm,
    Term,
    Unknown,
    parts,
    split,
)
from gdsl.ir.nodes import EdgeFunctor, Elements, Functor, Loop, Operator, Role
from gdsl.operations import Domain, Forest, ForestWord, Outcome, Over, ReduceOperation
from gdsl.source import Span
from gdsl.types import Type


class WriteKind(Enum):
    """How an element or scalar is written."""

    STORE = "="
    ANY = "any="
    REDUCE = "op="
    CAS = "cas"


@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    """A term that must be `expected` for a statement to run, in addition to the guards of `outer`. `depends` is the
    set of atoms of all of them."""

    term: Term
    expected: bool
    outer: Guard | None
    depends: int


def each(guard: Guard | None) -> Iterator[Guard]:
    """`guard` and the guards around it, the innermost first."""
    while guard is not None:
        yield guard
        guard = guard.outer


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """One write in the text of `apply`, and what its runs write.

    `node` is the statement or expression of the IR; `index` is `Terms.unit` for scalars. `span` is the statement's (the
    expression's for `changed`, `fetch` and `cas`), `target` that of what is written. `statement` is the position in the
    functor's body, None for nested statements. `result` is what `changed`, `fetch` or
    `cas` returned. `rounds`: whether one call may run it more than once.
    """

    number: int
    node: object
    name: str
    type: Type
    index: Term
    kind: WriteKind
    value: Term
    guard: Guard | None
    span: Span
    target: Span
    statement: int | None
    rounds: bool
    operation: ReduceOperation | None = None
    old: Term | None = None
    result: Unknown | None = None
    outcome: Outcome | None = None

    @property
    def form(self) -> str:
        """The spelling: `=`, `any=`, `min=`, `cas`, …"""
        return self.operation.value if self.operation is not None else self.kind.value


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """One read, in the text, of something that the operator writes. `index` is `Terms.unit` for scalars."""

    number: int
    term: ElementTerm | ScalarTerm
    name: str
    index: Term
    span: Span
    now: bool
    in_condition: bool


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """A `while` of the functor. `exits` are the terms that decide when it ends (its condition and the guards of its
    `break`s); each of `goes_on` is a bool that is true whenever another iteration follows. `heads` are the locals that
    it changes, as an iteration finds them; `guard` is that of the whole loop."""

    loop: Loop
    exits: tuple[Term, ...]
    goes_on: tuple[Term, ...]
    numbers: range
    """The numbers of the reads and writes inside it."""
    heads: tuple[Term, ...] = ()
    guard: Guard | None = None


@dataclass
class Effects:
    """Everything that the calls of one operator read, write and decide."""

    operator: Operator
    functor: Functor
    terms: Terms
    conjuncts: list[Term] = field(default_factory=list)
    reads: dict[int, Read] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)
    accept: Term | None = None
    """What decides membership of the outgoing frontier; None where there is no frontier."""
    accepts: list[Span] = field(default_factory=list)
    value: Term | None = None
    """The `value` of a functor for `neighbor_reduce`, the weight of one for `neighbor_vote`."""
    key: Term | None = None
    score: Term | None = None
    """For `neighbor_vote`: the key, and the score that the vote functor computes from it and its total."""
    exits: list[Term] = field(default_factory=list)
    """What decides how often loops run: another result may be an endless loop."""
    loops: list[Waiting] = field(default_factory=list)
    carried: dict[Term, tuple[Term, ...]] = field(default_factory=dict)
    """The possible values of a local that a loop changes, at the beginning of an iteration and after the loop."""
    requires_simple: bool = False
    _results: dict[Term, Write] = field(default_factory=dict)
    _by_name: dict[str, list[Write]] = field(default_factory=dict)
    _by_number: dict[int, Write] = field(default_factory=dict)
    _shared: tuple[int, int] = (-1, 0)

    # ------------------------------------------------------------ the operator

    @property
    def on_edges(self) -> bool:
        """Whether the calls are for edges."""
        return isinstance(self.functor, EdgeFunctor)

    @property
    def on_common(self) -> bool:
        """Whether the calls are for common neighbors of the ends of edges."""
        return isinstance(self.functor, EdgeFunctor) and self.functor.common is not None

    @property
    def over(self) -> Over:
        """Which edges are visited."""
        return self.operator.visits or Over.OUT_EDGES

    @property
    def visits_twice(self) -> bool:
        """Whether several calls may be for one edge: from both of its ends, or one for each common neighbor."""
        return self.over is Over.ALL_EDGES or self.on_common

    @property
    def frontier(self) -> Elements:
        """What the operator runs on."""
        return self.operator.frontier

    def end(self, role: Role) -> End:
        """The term for a functor parameter; `near` and `far` are source and destination where the operator says so."""
        if role in (Role.NEAR, Role.FAR) and not self.visits_twice:
            source = (role is Role.NEAR) != (self.over is Over.IN_EDGES)
            role = Role.SOURCE if source else Role.DESTINATION
        return self.terms.end(role)

    @property
    def near(self) -> End:
        """The end that is in the frontier."""
        return self.end(Role.NEAR)

    @property
    def far(self) -> End:
        """The other end; of a vertex functor the vertex itself."""
        return self.end(Role.FAR) if self.on_edges else self.terms.end(Role.VERTEX)

    @property
    def collected(self) -> End:
        """What an accepting call puts into the result."""
        if self.on_common:
            return self.terms.end(Role.COMMON)
        return self.terms.end(Role.EDGE) if self.operator.result_domain is Domain.EDGE else self.far

    # ------------------------------------------------------------ what was found

    def add(self, write: Write) -> None:
        """Keep a write."""
        self.writes.append(write)
        self._by_name.setdefault(write.name, []).append(write)
        self._by_number[write.number] = write
        if write.result is not None:
            self._results[write.result] = write

    def written(self, name: str) -> list[Write]:
        """All writes to an array or scalar."""
        return self._by_name.get(name, [])

    def written_names(self) -> list[str]:
        """The arrays and scalars that are written, in the order of the text."""
        return list(self._by_name)

    def write_of(self, term: Term) -> Write | None:
        """The update or `cas` that has `term` as its result."""
        return self._results.get(term)

    def write_number(self, number: int) -> Write:
        """The write with this number."""
        return self._by_number[number]

    def is_scalar(self, write: Write | Read) -> bool:
        """Whether a scalar is written or read."""
        return write.index is self.terms.unit

    def joins(self, name: str) -> list[Waiting]:
        """The loops by which calls join sets of the labels in an array; nothing else in the operator writes it."""
        return [each for each in self.loops if each.loop.forest == Forest(ForestWord.JOIN, name)]

    def keeps_sets(self, name: str) -> bool:
        """Whether all that calls do to labels is to follow them to their roots."""
        return any(each.loop.forest == Forest(ForestWord.FLATTEN, name) for each in self.loops)

    def first_values(self, loop: Waiting) -> tuple[Term, ...]:
        """What the locals that a loop changes have when it begins."""
        return tuple(self.carried[head][0] for head in loop.heads)

    # ------------------------------------------------------------ what decides a value

    def depends(self, *terms: Term) -> int:
        """The atoms that `terms` may come from, in full."""
        atoms = 0
        for term in terms:
            atoms |= term.depends
        return self.terms.atoms.closure(atoms)

    @cached_property
    def atoms(self) -> list[tuple[Atom, int]]:
        """Every atom that something here depends on, with its bit; only valid once all effects are known."""
        decided = (self.accept, self.value, self.key, self.score)
        atoms = self.depends(*self.conjuncts, *self.exits, *(term for term in decided if term is not None))
        for write in self.writes:
            atoms |= self.depends(write.index, write.value, *([write.old] if write.old is not None else []))
            atoms |= self.terms.atoms.closure(write.guard.depends) if write.guard is not None else 0
        bit = self.terms.atoms.bit
        return [(atom, bit(atom)) for atom in self.terms.atoms.members(atoms)]

    def _harmless(self) -> int:
        """The atoms that are the same for all calls wherever they are read from: only an index can tell calls apart."""
        atoms = self.terms.atoms
        if self._shared[0] != len(atoms):
            depends = 0
            for atom, bit in atoms.all():
                if isinstance(atom, OfPass | OfData | OfRoots | OfFrontier):
                    depends |= bit
            self._shared = (len(atoms), depends)
        return self._shared[1]

    def _decided_by(self, key: End) -> int:
        """The atoms of the call's own ends that `key` decides."""
        if key.role is not Role.EDGE:
            return key.depends
        bit = self.terms.atoms.bit
        atoms = bit(OfPlace(key.other)) | key.depends
        return atoms | bit(OfEnd(Role.SOURCE, key.other)) | bit(OfEnd(Role.DESTINATION, key.other))

    def determined(self, term: Term, key: Term) -> bool:
        """Whether any two calls, at any two moments, with the same value for `key` have the same value for `term`: it
        is computed from the key, from what all calls share, and from elements that the operator does not write. For
        arrays with several values per element, the index determines the element and the place, and vice versa."""
        keys = {key, *split(key)}
        allowed = self._harmless()
        for part in keys:
            allowed |= self._decided_by(part) if isinstance(part, End) else 0
        if not self.depends(term) & ~allowed:
            return True
        waiting, seen = [term], {term}
        while waiting:
            part = waiting.pop()
            if part in keys or not self.depends(part) & ~allowed:
                continue
            inner = parts(part)
            if not inner or (isinstance(part, ElementTerm) and part.read):
                return False
            for inner_term in inner:
                if inner_term not in seen:
                    seen.add(inner_term)
                    waiting.append(inner_term)
        return True

    def uniform(self, term: Term) -> bool:
        """Whether all calls of the operator have the same value for `term`."""
        return self.determined(term, self.terms.unit)
