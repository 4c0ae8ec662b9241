"""Lowers what keeps sets beyond one frontier: to data that the program does not see, and the steps that use them."""

from __future__ import annotations

from gdsl.frontend import syntax
from gdsl.ir import nodes
from gdsl.ir.lowering.hidden import Hidden
from gdsl.operations import Domain
from gdsl.source import Span
from gdsl.types import Type


def new_history(hidden: Hidden, name: str, span: Span) -> nodes.History:
    """What the history `name` needs."""
    members = hidden.array(f"{name}_members", Domain.VERTEX, Type.VERTEX, span)
    ends = hidden.array(f"{name}_ends", Domain.VERTEX, Type.INT64, span)
    return nodes.History(span, name, members, ends, hidden.scalar(f"{name}_levels", Type.INT64, span).scalar)


def emptied(history: nodes.History, span: Span) -> nodes.Step:
    """The step that leaves a history without levels."""
    return nodes.StoreScalar(span, history.levels, nodes.Literal(span, Type.INT64, 0))


def through_levels(
    statement: syntax.LevelLoop, loop: int, history: nodes.History, name: str, body: tuple[nodes.Step, ...]
) -> nodes.Step:
    """The loop over the levels of a history, whose frontier is `name`."""
    span = statement.over.span
    count = nodes.ScalarValue(span, Type.INT64, history.levels, False)
    taken = nodes.TakeLevel(statement.name_span, name, history, statement.backward)
    return nodes.Repeat(statement.span, loop, count, (taken, *body))
