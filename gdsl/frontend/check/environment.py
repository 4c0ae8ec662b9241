"""What the checker knows while it walks: the names in reach, the place in the program, the mistakes found so far."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum

from gdsl.diagnostics import Diagnostic, Label, Suggestion
from gdsl.frontend import syntax
from gdsl.frontend.syntax import Symbol, SymbolKind
from gdsl.frontend.vocabulary import ALLOWED_AS_PARAMETERS, RESERVED, unused_name
from gdsl.operations import Domain
from gdsl.records import equal_apart_from
from gdsl.source import NOWHERE, Source, Span
from gdsl.types import Type


class Place(Enum):
    """The parts of a program that have rules of their own for expressions."""

    APPLY = "`apply`"
    CONDITION = "`cond`"
    VALUE = "`value`"
    FUNCTION = "a function"
    INITIAL = "an initial value"
    DEFAULT = "a param's default"
    IDENTITY = "an operator's identity"
    WHERE = "`where`"
    EXTENT = "the number of values an element has"
    SCHEDULE = "the schedule"

    @property
    def in_functor(self) -> bool:
        """Whether this is a part of a functor."""
        return self in (Place.APPLY, Place.CONDITION, Place.VALUE)


VALUE_TYPES = {
    "iteration": Type.INT32,
    "place": Type.INT32,
    "num_vertices": Type.INT64,
    "num_edges": Type.INT64,
    "near": Type.VERTEX,
    "far": Type.VERTEX,
}


def built_in(name: str, type_: Type | None = None) -> Symbol:
    """The symbol of something that the language provides."""
    kind = {"near": SymbolKind.NEAR, "far": SymbolKind.FAR}.get(name, SymbolKind.BUILTIN)
    return Symbol(kind, name, NOWHERE, type_ or VALUE_TYPES.get(name), unique=name)


def poison(span: Span) -> syntax.Expression:
    """The placeholder for an expression with a reported mistake, which is not reported again."""
    return syntax.Unknown(span)


def refuse_now(name: syntax.Name | syntax.Index, environment: Environment) -> None:
    """Report `now` before a name that it does not apply to."""
    if name.now:
        message = "`now` is for elements and scalars that a functor reads"
        words = environment.words(name.span).removeprefix("now").lstrip()
        environment.report("E0215", message, name.span, fix=f"write `{words}`")


@dataclass(slots=True)
class Generated:
    """What the checker generates: functors, scalars; and the names that these must not have."""

    functors: list[syntax.Functor] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
    """Those of calls, by which these are tuned: only a functor of the same call may be called so."""
    scalars: list[Symbol] = field(default_factory=list)
    """Those that hold the values of procedures' parameters."""

    def name(self, stem: str, *, numbered: bool) -> str:
        """A name for a functor, which counts as taken from now on."""
        number = 1
        name = f"{stem}_1" if numbered else stem
        while name in self.taken or (name != stem and name in self.labels):
            number += 1
            name = f"{stem}_{number}"
        self.taken.add(name)
        return name


@dataclass(slots=True)
class Environment:
    """One walk over one part of the program.

    `globals` and `functors`, `functions` are shared by all parts; `scopes` are the blocks around the place, innermost
    last. `domain` is that of the functor or of the array whose initial value or `where` is checked; `own` is that array
    or scalar. `taken` are the unique names of the part, `loops` counts the loops around the place.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    globals: dict[str, Symbol] = field(default_factory=dict)
    functors: dict[str, syntax.Functor] = field(default_factory=dict)
    functions: dict[str, syntax.Function] = field(default_factory=dict)
    place: Place = Place.SCHEDULE
    domain: Domain | None = None
    own: Symbol | None = None
    count: syntax.Node | None = None
    """How many values an element has of the array whose initial value or `where` is checked; None: one."""
    result: Type | None = None
    scopes: list[dict[str, Symbol]] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    loops: int = 0
    broken: syntax.Broken = field(default_factory=syntax.Broken)
    """What the parser passed over: a name that may be declared there counts as declared."""
    around: list[tuple[str, str]] = field(default_factory=lambda: [("", "")])
    """The blocks of `on` around the place, each with the family of its graph (see `graphs`), the schedule first."""
    declared: list[Symbol] = field(default_factory=list)
    """All declarations, in the order in which they were met."""
    source: Source = field(default_factory=lambda: Source("", ""))
    """The text, for fixes in the program's own words."""
    generated: Generated = field(default_factory=Generated)
    statement: syntax.Statement | None = None
    """The statement that is checked."""
    skipped: int = 0
    """Operators of the expression around the place that may leave it out: `&&`, `||` and `? :`."""
    blocks_around: int = 0
    """Blocks of the callers of a procedure that its statements are expanded in."""
    in_procedure: bool = False
    """Whether the place is in a procedure, whose names hide those of the program."""
    types: dict[str, Type | None] = field(default_factory=dict)
    """The types that the program declares, by name; None after a mistake."""
    votes: dict[str, tuple[Type, Type]] = field(default_factory=dict)
    """By vote functor the types of the keys and totals that it scores."""

    @contextmanager
    def perhaps(self) -> Iterator[None]:
        """While this is open: what is checked is evaluated only if the rest of its expression needs it."""
        self.skipped += 1
        yield
        self.skipped -= 1

    def part(self, place: Place, domain: Domain | None = None, own: Symbol | None = None) -> Environment:
        """A fresh walk over another part of the same program."""
        shared = (self.diagnostics, self.globals, self.functors, self.functions)
        part = Environment(
            *shared, place, domain, own, scopes=[{}], broken=self.broken, declared=self.declared, source=self.source
        )
        part.generated, part.votes, part.types = self.generated, self.votes, self.types
        return part

    def seeing(self, names: dict[str, Symbol]) -> Environment:
        """This environment, with `names` in the place of the declarations of the whole program."""
        return dataclasses.replace(self, globals=names)

    def report(
        self,
        code: str,
        message: str,
        span: Span,
        *,
        fix: str | None = None,
        hint: str = "",
        labels: Iterable[Label] = (),
        notes: Iterable[str] = (),
        suggestions: Iterable[Suggestion] = (),
    ) -> None:
        """Note a mistake. `suggestions` are tried in their order before `fix`."""
        diagnostic = Diagnostic(
            code, message, span, tuple(labels), tuple(notes), fix, hint, suggestions=tuple(suggestions)
        )
        self.diagnostics.append(diagnostic)

    def words(self, span: Span, otherwise: str = "…") -> str:
        """The program's text at `span`, for a fix; `otherwise` where that is too long."""
        return self.source.excerpt(span) or otherwise

    @contextmanager
    def block(self) -> Iterator[None]:
        """A block with its own names."""
        self.scopes.append({})
        try:
            yield
        finally:
            self.scopes.pop()

    @contextmanager
    def loop(self) -> Iterator[None]:
        """The body of a loop, a block with its own names."""
        self.loops += 1
        with self.block():
            yield
        self.loops -= 1

    def find(self, name: str) -> Symbol | None:
        """The declaration that `name` means here; None if there is none."""
        symbol = self._declared(name)
        if symbol is None and name in self.broken.names:
            return Symbol(SymbolKind.MISTAKEN, name, NOWHERE)
        return symbol

    def symbol_of(self, value: object) -> Symbol | None:
        """The declaration that an expression names; None of any other expression."""
        return self.find(value.name) if isinstance(value, syntax.Name) else None

    def functor(self, name: str) -> syntax.Functor:
        """A functor of the program, or one that the checker built from a lambda."""
        return self.functors.get(name) or next(each for each in self.generated.functors if each.name == name)

    def _declared(self, name: str) -> Symbol | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return self.globals.get(name)

    def visible_names(self) -> set[str]:
        """All declared names in reach."""
        return set(self.globals).union(*self.scopes)

    def allowed(self, name: str, span: Span, *, parameter: bool = False) -> bool:
        """Whether `name` may be declared here; reports why not."""
        if name in RESERVED and not (parameter and name in ALLOWED_AS_PARAMETERS):
            message = f"`{name}` is a word of the language"
            self.report("E0203", message, span, fix="choose another name")
            return False
        former = self._declared(name)
        if former is not None:
            labels = (Label(former.span, "the first"),)
            self.report("E0202", f"`{name}` is declared twice", span, labels=labels, fix="rename one of them")
            return False
        return True

    def declare(self, symbol: Symbol, *, parameter: bool = False) -> Symbol:
        """Put a local name into the innermost block; gives the symbol with its unique name."""
        self.allowed(symbol.name, symbol.span, parameter=parameter)
        unique = self.unique(symbol.name)
        symbol = dataclasses.replace(symbol, unique=unique)
        self.scopes[-1][symbol.name] = symbol
        self._record(symbol)
        return symbol

    def hidden(self, name: str, type_: Type | None) -> Symbol:
        """A local that nothing in the text can mean."""
        return Symbol(SymbolKind.LOCAL, name, NOWHERE, type_, unique=self.unique(name))

    def unique(self, name: str) -> str:
        """`name`, or that with a number, as no other declaration of this part is called."""
        unique = unused_name(name, self.taken)
        self.taken.add(unique)
        return unique

    def _record(self, symbol: Symbol) -> None:
        if symbol.span != NOWHERE and symbol.name.isidentifier():
            self.declared.append(symbol)

    def declare_global(self, symbol: Symbol) -> Symbol:
        """Make a name of the whole program."""
        declared = dataclasses.replace(symbol, unique=symbol.name)
        if self.allowed(symbol.name, symbol.span) or symbol.name not in self.globals:
            self.globals[symbol.name] = declared
            self._record(declared)
        return declared


def graph_of(environment: Environment, domain: Domain) -> str:
    """What a frontier that is declared here belongs to."""
    block, family = environment.around[-1]
    return family if domain is Domain.VERTEX else block


def check_same_graph(symbol: Symbol, span: Span, environment: Environment) -> bool:
    """Whether a frontier belongs to the enclosing graph; reports one that does not."""
    domain = symbol.domain or Domain.VERTEX
    if symbol.graph == graph_of(environment, domain):
        return True
    words = {SymbolKind.HISTORY: "has levels", SymbolKind.BUCKETS: "holds vertices"}
    what = words.get(symbol.kind, f"is a set of {domain.plural}")
    message = f"`{symbol.name}` {what} of another graph than the one around"
    labels = (Label(symbol.span, "declared here"),)
    fix = "declare a frontier inside this `on { … }`"
    note = "a subgraph has the vertices of the graph it was built from, and its own edges"
    environment.report("E0421", message, span, labels=labels, notes=(note,), fix=fix)
    return False


def names_without(names: dict[str, Symbol], hidden: set[str]) -> dict[str, Symbol]:
    """The names that are not hidden."""
    return {name: symbol for name, symbol in names.items() if name not in hidden}


def around_functor(value: syntax.Lambda, environment: Environment) -> Environment:
    """What a functor without a name can access: the data of the program, and frontiers only to report their use."""
    own = syntax.names_declared_in(value)
    local = {name: symbol for scope in environment.scopes for name, symbol in scope.items() if name not in own}
    visible = names_without(environment.globals, own) if environment.in_procedure else environment.globals
    return environment.seeing({**local, **visible})


_NOT_COMPARED = ("span", "name_span", "array_span", "function_span", "symbol", "type")


def refuse_fixed_size(symbol: Symbol | None, what: str, environment: Environment, span: Span) -> bool:
    """Whether `symbol` is an array of several values per element, which `what` does not take; reports it."""
    if symbol is None or symbol.count is None:
        return False
    message = f"{what} takes arrays of one value per element, and `{symbol.name}` has several"
    labels = (Label(symbol.span, "declared here"),)
    fix = "copy the values you need into another array, with a functor"
    environment.report("E0424", message, span, labels=labels, fix=fix)
    return True


def same_expression(one: object, other: object) -> bool:
    """Whether two expressions are equal, apart from their places and types."""
    return equal_apart_from(one, other, _NOT_COMPARED)
