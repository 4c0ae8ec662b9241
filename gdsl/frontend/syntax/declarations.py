"""The declarations of the syntax tree: problem data, functors, functions, tuning, and the whole program."""

from __future__ import annotations

from enum import Enum

from gdsl.frontend.syntax.base import Node, Symbol
from gdsl.frontend.syntax.expressions import Expression
from gdsl.frontend.syntax.procedures import Import, Procedure
from gdsl.frontend.syntax.statements import Statement, TypeName
from gdsl.operations import Domain
from gdsl.records import dataclass
from gdsl.source import Span
from gdsl.types import Type


class DeclarationKind(Enum):
    """The kinds of problem data."""

    PARAM = "param"
    VERTEX_ARRAY = "vertex"
    EDGE_ARRAY = "edge"
    SCALAR = "scalar"


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
    """How many values an element has; None: one, which has no place of its own."""
    type: Type | None = None
    symbol: Symbol | None = None
    is_set: bool = False
    """Of the typed tree: an input of flags that is a `vertex set` of the caller's."""
    least: int = 0
    """Of a set: the fewest members it may have."""


@dataclass(frozen=True, slots=True)
class TypeDeclaration(Node):
    """`type name : class = default;`, a type parameter, or `type name = target;`, another name for a type, which
    `widened` makes that of a sum of its values."""

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
    neighbour, and where there are six the edge and those from both ends; of VOTE a vertex, a key and its total.

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
    nameless: bool = False
    """Whether the checker made it of a `Nameless`: only the compiler calls it by its name."""

    @property
    def domain(self) -> Domain:
        """What it runs on."""
        return Domain.VERTEX if self.form in (FunctorForm.VERTEX, FunctorForm.VOTE) else Domain.EDGE


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
    """`alpha=15` in `auto(alpha=15)`."""

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
    """A whole program. The typed tree has no procedures and no imports: it has what they stand for."""

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
