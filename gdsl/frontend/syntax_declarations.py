"""Nodes of the syntax tree for what a program declares, and for the program."""

from __future__ import annotations

from enum import Enum

from gdsl.frontend.syntax_expressions import Expression
from gdsl.frontend.syntax_statements import Statement, TypeName
from gdsl.frontend.syntax_symbols import Node, Symbol
from gdsl.operations import Domain
from gdsl.records import dataclass
from gdsl.source import Span
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class ProcedureParameter(Node):
    """A procedure's parameter: a value (`domain` None), an array over `domain`, or with `declared` None a frontier."""

    name: str
    declared: TypeName | None
    domain: Domain | None


@dataclass(frozen=True, slots=True)
class Procedure(Node):
    """Statements of a schedule under a name."""

    name: str
    name_span: Span
    parameters: tuple[ProcedureParameter, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ImportedName(Node):
    """One name of an `import`."""

    name: str


@dataclass(frozen=True, slots=True)
class Import(Node):
    """`import names from "path";`."""

    names: tuple[ImportedName, ...]
    path: str
    path_span: Span


# ---------------------------------------------------------------- declarations


class DeclarationKind(Enum):
    """The kinds of problem data."""

    PARAM = "param"
    VERTEX_ARRAY = "vertex"
    EDGE_ARRAY = "edge"
    SCALAR = "scalar"

    @property
    def domain(self) -> Domain | None:
        """What an array is indexed by; None of params and scalars."""
        return _DOMAINS.get(self)


_DOMAINS = {DeclarationKind.VERTEX_ARRAY: Domain.VERTEX, DeclarationKind.EDGE_ARRAY: Domain.EDGE}


@dataclass(frozen=True, slots=True)
class Declaration(Node):
    """One line of `problem { … }`. `initial` is the default of a param, else the initial value."""

    kind: DeclarationKind
    name: str
    name_span: Span
    declared: TypeName
    initial: Expression | None
    where: Expression | None
    is_input: bool
    is_local: bool
    count: Expression | None = None
    """How many values an element has; None: one, without an index."""
    type: Type | None = None
    symbol: Symbol | None = None
    is_set: bool = False
    """Of the typed tree: an input of flags that is a `vertex set` of the caller's."""
    least: int = 0
    """Of a set: the fewest members it may have."""


@dataclass(frozen=True, slots=True)
class TypeDeclaration(Node):
    """`type name : class = default;`, a type parameter, or `type name = target;`, another name for a type,
    which `widened` turns into the type of a sum of its values."""

    name: str
    name_span: Span
    target: TypeName
    """The default of a type parameter, else what the name means."""
    class_name: str | None = None
    class_span: Span | None = None
    widened: bool = False
    type: Type | None = None
    """Of the typed tree: what the name means in this instance of the program."""

    @property
    def is_parameter(self) -> bool:
        """Whether the type is the caller's."""
        return self.class_name is not None


@dataclass(frozen=True, slots=True)
class ParameterName(Node):
    """A functor's parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class FunctionParameter(Node):
    """A function's parameter."""

    name: str
    declared: TypeName
    type: Type | None = None
    symbol: Symbol | None = None


class FunctorForm(Enum):
    """The forms of functors: what each is called, and how it is written."""

    VERTEX = ("a vertex functor", "vertex functor f(v) { … }")
    EDGE = ("an edge functor", "edge functor f(src, dst, e) { … }")
    VALUE = ("an edge functor with a `value`", "edge functor f(src, dst, e) -> T { value …; }")
    BALLOT = ("an edge functor with a key and a weight", "edge functor f(src, dst, e) -> (K, W) { value (…, …); }")
    COMMON = ("a common functor", "common functor f(u, w, x) { … }")
    VOTE = ("a vote functor", "vote functor f(v, key, total) -> T { value …; }")

    @property
    def words(self) -> str:
        """What it is called."""
        return self.value[0]

    @property
    def text(self) -> str:
        """How it is written."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Functor(Node):
    """A functor of any form. The parameters are a vertex; source, destination, edge; of COMMON both ends and the common
    neighbor, and where there are six the edge and those from both ends; of VOTE a vertex, a key and its total.

    `condition` None: true. `body` holds the statements of `apply`. `value` and `result` belong to functors that have no
    `apply`. No functor has the form BALLOT: one of VALUE with a pair may be it.
    """

    name: str
    name_span: Span
    form: FunctorForm
    parameters: tuple[ParameterName, ...]
    condition: Expression | None
    body: tuple[Statement, ...]
    value: Expression | None = None
    declared_result: TypeName | None = None
    result: Type | None = None
    symbol: Symbol | None = None
    symbols: tuple[Symbol, ...] = ()
    """Those of the parameters, filled by the checker."""
    is_lambda: bool = False
    """Whether the checker built it from a `Lambda`: only the compiler uses its name."""

    @property
    def domain(self) -> Domain:
        """What it runs on."""
        return Domain.VERTEX if self.form in (FunctorForm.VERTEX, FunctorForm.VOTE) else Domain.EDGE

    @property
    def is_ballot(self) -> bool:
        """Whether it gives pairs, as ballots do; a result that is not a type was reported at its declaration."""
        declared = self.declared_result
        return self.result is not None and self.result.is_pair if declared is None else bool(declared.parts)


@dataclass(frozen=True, slots=True)
class Function(Node):
    """A pure function; with an `identity`, the value that changes nothing, an operator for reductions too."""

    name: str
    name_span: Span
    parameters: tuple[FunctionParameter, ...]
    declared_result: TypeName
    body: tuple[Statement, ...]
    identity: Expression | None = None
    result: Type | None = None
    symbol: Symbol | None = None


@dataclass(frozen=True, slots=True)
class Requirement(Node):
    """One word of `requires …;`."""

    name: str


@dataclass(frozen=True, slots=True)
class KnobArgument(Node):
    """`alpha=3` in `auto(alpha=3)`."""

    name: str
    value: int | float | str


@dataclass(frozen=True, slots=True)
class TuneEntry(Node):
    """`subject.knob = value;`. `subject` None: a knob of the whole program such as `bounds`."""

    subject: str | None
    knob: str
    value: int | float | str
    arguments: tuple[KnobArgument, ...] = ()


@dataclass(frozen=True, slots=True)
class Program(Node):
    """A whole program. The typed tree has no procedures and no imports: they are expanded."""

    doc: str
    name: str
    requires: tuple[Requirement, ...]
    declarations: tuple[Declaration, ...]
    functors: tuple[Functor, ...]
    functions: tuple[Function, ...]
    schedule: tuple[Statement, ...]
    tune: tuple[TuneEntry, ...]
    procedures: tuple[Procedure, ...] = ()
    imports: tuple[Import, ...] = ()
    types: tuple[TypeDeclaration, ...] = ()


# ---------------------------------------------------------------- functors without a name


@dataclass(frozen=True, slots=True)
class Lambda(Expression):
    """`v => …` and `(src, dst, e) => …`, where an operator takes a functor; the checker turns it into a `Functor`.

    Of `whole`, a single expression, the operator says whether it is the condition or the value. It has no parameters
    where these, or it, were no such thing.
    """

    parameters: tuple[ParameterName, ...]
    whole: Expression | None
    condition: Expression | None = None
    body: tuple[Statement, ...] = ()
    value: Expression | None = None

    @property
    def domain(self) -> Domain | None:
        """What it runs on, by the number of its parameters; None where no functor has so many."""
        return {1: Domain.VERTEX, 3: Domain.EDGE}.get(len(self.parameters))
