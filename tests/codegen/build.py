"""Small pieces of IR for the tests of the printer, built by hand."""

from __future__ import annotations

import dataclasses

from gdsl.ir import nodes as ir
from gdsl.operations import Balance, BinaryOperation, Direction, Domain, Over, StoreRule
from gdsl.source import NOWHERE, Span
from gdsl.types import Type

INT32, BOOL, VERTEX = Type.INT32, Type.BOOL, Type.VERTEX
SOURCE = ir.Parameter(NOWHERE, VERTEX, ir.Role.SOURCE, "src")
DESTINATION = ir.Parameter(NOWHERE, VERTEX, ir.Role.DESTINATION, "dst")
ITERATION = ir.Iteration(NOWHERE, INT32)


def line(number: int) -> Span:
    return Span(number, 1, number, 10)


def number(value: float, kind: Type = INT32) -> ir.Literal:
    return ir.Literal(NOWHERE, kind, value)


def local(name: str, kind: Type = INT32) -> ir.Local:
    return ir.Local(NOWHERE, kind, name)


def element(array: str, index: ir.Expression, kind: Type = INT32, checked: bool = False) -> ir.Element:
    return ir.Element(NOWHERE, kind, array, Domain.VERTEX, index, checked)


def target(array: str, index: ir.Expression, kind: Type = INT32, checked: bool = False) -> ir.ElementTarget:
    return ir.ElementTarget(NOWHERE, array, Domain.VERTEX, kind, index, checked)


def binary(left: ir.Expression, operation: str, right: ir.Expression) -> ir.Binary:
    kind = BinaryOperation(operation)
    result = BOOL if kind.is_comparison or kind.is_logical else left.type
    return ir.Binary(NOWHERE, result, kind, left, right)


def array(name: str, kind: Type, initial: ir.Expression | None) -> ir.Array:
    return ir.Array(NOWHERE, name, Domain.VERTEX, kind, initial, False, False, None, True)


EMPTY = ir.Program(
    NOWHERE, "empty", "", "empty.gdsl", ir.Requirements(NOWHERE, False, False),
    (), (), (), (), (), (), (), (), ir.Tuning(NOWHERE),
)  # fmt: skip

VISIT = ir.EdgeFunctor(
    line(12), "visit", "src", "dst", "e",
    (dataclasses.replace(binary(element("distance", DESTINATION), "==", number(-1)), span=line(13)),),
    (
        ir.Store(
            line(15), target("distance", DESTINATION), binary(ITERATION, "+", number(1)), StoreRule.SAME_VALUE
        ),
        ir.Store(line(16), target("parent", DESTINATION, VERTEX), SOURCE, StoreRule.ANY_WINNER),
    ),
    None,
)  # fmt: skip

_FRONTIER = ir.Elements(NOWHERE, Domain.VERTEX, "f")
_START = ir.ParamValue(NOWHERE, VERTEX, "source")
BFS = dataclasses.replace(
    EMPTY,
    name="bfs",
    doc="Hop distance and one parent of every vertex.",
    source_name="bfs.gdsl",
    params=(ir.Param(NOWHERE, "source", VERTEX, None),),
    arrays=(array("distance", INT32, number(-1)), array("parent", VERTEX, ir.NoneId(NOWHERE, VERTEX))),
    edge_functors=(VISIT,),
    frontiers=(ir.Frontier(NOWHERE, "f", Domain.VERTEX),),
    tuning=ir.Tuning(NOWHERE, (ir.OperatorKnobs(NOWHERE, Direction.AUTO, 15, 20, Balance.AUTO),)),
    schedule=(
        ir.StoreElement(NOWHERE, target("distance", _START), number(0)),
        ir.DefineFrontier(NOWHERE, "f", (_START,), False),
        ir.While(
            NOWHERE, 0, ir.FrontierNotEmpty(NOWHERE, BOOL, "f"),
            (
                ir.Advance(
                    NOWHERE, 0, "visit", _FRONTIER, "visit", "f", Over.OUT_EDGES,
                    ir.Closing(NOWHERE, ir.Role.FAR, "distance", 0, 0),
                ),
            ),
        ),
    ),
)  # fmt: skip
