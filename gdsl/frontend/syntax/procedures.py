"""Procedures and imports: what the checker replaces by what it stands for."""

from __future__ import annotations

from gdsl.frontend.syntax.base import Node
from gdsl.frontend.syntax.statements import Statement, TypeName
from gdsl.operations import Domain
from gdsl.records import dataclass
from gdsl.source import Span


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
