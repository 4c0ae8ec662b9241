"""What must hold of arrays of several values an element in a program that comes from outside: no place is left
unchecked that may lie beyond an element's values."""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.ir import nodes
from gdsl.ir.slots import is_inside, same
from gdsl.ir.traversal import walk
from gdsl.types import Type

_LOOKED_AT = (nodes.Slot, nodes.OwnPart, nodes.ForRange)


def slots_are_sound(program: nodes.Program) -> bool:
    """Whether all of it holds of a verified program."""
    counts = {param.name: param.default for param in program.params if param.is_count}
    defaults = {name: default for name, default in counts.items() if default is not None}
    if not counts and not any(isinstance(node, _LOOKED_AT) for node in walk(program)):
        return True
    if len(defaults) < len(counts) or any(param.is_count and param.type is not Type.INT64 for param in program.params):
        return False
    if any(name in counts for default in defaults.values() for name in _params(default)):
        return False
    functors = (*program.vertex_functors, *program.edge_functors)
    return (
        all(_inside(part, defaults) for part in (*functors, *program.functions, program.schedule))
        and all(_data(array, defaults) for array in program.arrays)
        and not any(_has_part(part) for part in (program.scalars, *functors, program.schedule))
    )


def _params(part: nodes.Expression) -> list[str]:
    return [node.name for node in walk(part) if isinstance(node, nodes.ParamValue)]


def _has_part(part: object) -> bool:
    return any(isinstance(node, nodes.OwnPart) for node in walk(part))


def _inside(part: object, defaults: Mapping[str, nodes.Expression]) -> bool:
    """Whether the places in a functor or the schedule are checked or in range. No loop's variable is written there."""
    loops = {node.name: node for node in walk(part) if isinstance(node, nodes.ForRange)}
    if any(isinstance(node, nodes.Assign) and node.name in loops for node in walk(part)):
        return False
    found = [node for node in walk(part) if isinstance(node, nodes.Slot)]
    return all(node.place_checked or is_inside(node.place, node.count, loops, defaults) for node in found)


def _data(array: nodes.Array, defaults: Mapping[str, nodes.Expression]) -> bool:
    """The same of an initial value and a `where`, where `part` counts the values of `array`."""
    whole = (array.initial, array.where)
    if _has_part(whole) and array.count is None:
        return False
    for node in walk(whole):
        if isinstance(node, nodes.Slot) and _has_part(node.place) and not same(node.count, array.count):
            return False
    return _inside(whole, defaults)
