"""What the user reads where compiled code stopped a run."""

from __future__ import annotations

from gdsl.codegen.expressions import CheckSite
from gdsl.deadline import timeout_error
from gdsl.diagnostics import GdslError
from gdsl.ir.nodes import Program, Repeat, While
from gdsl.ir.traversal import walk

__all__ = ["index_error", "iterations_error", "memory_error", "timeout_error"]


def index_error(program: Program, site: CheckSite, value: int, length: int) -> GdslError:
    """E0801: the index `value` (-1: `none`) where there are `length` elements."""
    shown = "none" if value == -1 else str(value)
    has = "there is 1 element" if length == 1 else f"there are {length or 'no'} elements"
    counted = ", counted from 0" if length else ""
    message = f"index {shown} of `{site.subject}` is out of range: {has}{counted}"
    place = f"{program.source_name}:{site.span.line}:{site.span.column}" if program.source_name else None
    return GdslError.single("E0801", message, site.span, place=place)


def iterations_error(program: Program, loop: int, limit: int) -> GdslError:
    """E0803: loop number `loop` has had `limit` passes."""
    loops = [node for node in walk(program.schedule) if isinstance(node, (While, Repeat)) and node.loop == loop]
    passes = "1 pass" if limit == 1 else f"{limit} passes"
    return GdslError.single("E0803", f"this loop was stopped after {passes}, the most allowed", loops[0].span)


def memory_error() -> GdslError:
    """E0912 where the arrays or frontiers of a run do not fit."""
    return GdslError.single("E0912", "there is not enough free memory for the arrays and frontiers of this run")
