"""The names in a syntax tree."""

from __future__ import annotations

from gdsl.frontend.syntax.base import Node, walk
from gdsl.frontend.syntax.declarations import FunctionParameter, ParameterName, Program
from gdsl.frontend.syntax.kept_sets import BucketsDeclaration, HistoryDeclaration
from gdsl.frontend.syntax.procedures import ProcedureParameter
from gdsl.frontend.syntax.statements import For, FrontierDeclaration, Let, LoopName

_DECLARING = (
    Let,
    For,
    LoopName,
    FrontierDeclaration,
    HistoryDeclaration,
    BucketsDeclaration,
    ParameterName,
    FunctionParameter,
    ProcedureParameter,
)


def names_declared_in(node: Node) -> set[str]:
    """All names that parameters, locals and frontiers inside `node` have."""
    return {part.name for part in walk(node) if isinstance(part, _DECLARING)}


def words_of(program: Program) -> set[str]:
    """Every name in a program, whatever it means there, but those of labels."""
    nodes, slots = list(walk(program)), ("name", "array", "function")
    return {program.name}.union(*({getattr(node, slot, "") for node in nodes} for slot in slots))
