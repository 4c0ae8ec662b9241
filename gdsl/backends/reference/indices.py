"""What is said of an index that is out of range."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdsl.backends.failures import no_such_place, no_such_value, out_of_range
from gdsl.backends.reference.values import none_id
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes as ir

if TYPE_CHECKING:
    from gdsl.backends.reference.expressions import Environment


def index_error(environment: Environment, node: ir.Expression, name: str, index: int, length: int) -> GdslError:
    """E0801 for the index `index` of `name`, which has `length` elements."""
    is_none = node.type.is_id and not isinstance(node, ir.Literal) and index == none_id(environment.id_bits)
    value = "none" if is_none else str(index)
    return out_of_range(environment.source_name, node.span, name, value, length)


def value_error(environment: Environment, node: ir.Expression, name: str, place: int, count: int) -> GdslError:
    """E0801 for the value number `place` of an element of `name`, which has `count`."""
    return no_such_value(environment.source_name, node.span, name, str(place), count)


def place_error(environment: Environment, node: ir.Expression, name: str, place: int) -> GdslError:
    """E0801 for the place `place` in a list, of which `name` asks."""
    return no_such_place(environment.source_name, node.span, name, str(place))
