"""What a result was computed from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdsl.backends.interface import Bindings
from gdsl.ir import nodes as ir
from gdsl.records import dataclass
from gdsl.source import Source
from gdsl.types import Type


@dataclass(frozen=True, slots=True)
class Origin:
    """What a result was computed from, as far as going on from it needs it: the program's text and types, the identity
    of the graph, the params and sets, and the names of inputs that the caller passed as arrays."""

    source: Source
    types: Mapping[str, str]
    graph: object
    params: Mapping[str, Any]
    vertices: frozenset[str]
    """The params that are vertices."""
    passed: tuple[str, ...]
    rounded: frozenset[str]


class Origins:
    """Makes the origins of the runs of one program: what depends only on the program is computed once."""

    def __init__(self, program: ir.Program, source: Source) -> None:
        self._source = source
        self._types = {each.name: each.type.name for each in program.types}
        self._params = [param.name for param in program.params if not param.is_count]
        sets = [array.name for array in program.arrays if array.is_set]
        self._inputs = [*sets, *(scalar.name for scalar in program.scalars if scalar.is_input)]
        self._arrays = [array.name for array in program.arrays if array.is_input and not array.is_set]
        of_one: tuple[ir.Param | ir.Scalar, ...] = (*program.params, *program.scalars)
        self._vertices = frozenset(each.name for each in of_one if each.type is Type.VERTEX)

    def of(self, bindings: Bindings, graph: object, rounded: frozenset[str]) -> Origin:
        """The origin of a run with these arguments on the graph of this identity."""
        params, inputs = bindings.params, bindings.inputs
        values = {name: params[name] for name in self._params}
        for name in self._inputs:
            values[name] = inputs[name]
        passed = tuple([name for name in self._arrays if name not in bindings.own])
        return Origin(self._source, self._types, graph, values, self._vertices, passed, rounded)
