"""The types of a program's type parameters where each worker sees its own part of the graph's attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.api.program import Program
from gdsl.binding.type_parameters import chosen_types, inferred_types
from gdsl.communicator import Communicator
from gdsl.graph.shares import GraphShare
from gdsl.operations import ReduceOperation


def inferred(
    program: Program,
    share: GraphShare,
    values: Mapping[str, Any],
    chosen: Mapping[str, str],
    communicator: Communicator,
) -> dict[str, str]:
    """The type of each type parameter by name, the same on all workers: the `chosen` one, or the one that the values
    and the graph's attributes need. Raises E0620, E0621."""
    graph: Any = _Attributes(share, communicator)
    types = inferred_types(program.ir, graph, values, chosen_types(program.ir, chosen), program.text)
    return {parameter.name: type_.name for parameter, type_ in zip(program.ir.types, types, strict=True)}


class _Attributes:
    """What the inference of types asks of a graph."""

    _lazy_csr = None

    def __init__(self, share: GraphShare, communicator: Communicator) -> None:
        self.attributes = {name: _Values(each, communicator) for name, each in share.attributes.items()}
        self.vertex_attributes = {name: _Values(each, communicator) for name, each in share.vertex_attributes.items()}


class _Values:
    """The dtype and the range of an attribute of which each worker has a part. All workers ask for the range, or
    none."""

    def __init__(self, own: NDArray[Any], communicator: Communicator) -> None:
        self.dtype, self._own, self._communicator = own.dtype, own, communicator

    @property
    def size(self) -> int:
        """The number of values on all workers."""
        return int(self._communicator.all_reduce(np.array([self._own.size]), ReduceOperation.ADD)[0])

    def min(self) -> int:
        """The least of all values."""
        return self._end(np.iinfo(self.dtype).max, ReduceOperation.MIN)

    def max(self) -> int:
        """The largest of all values."""
        return self._end(np.iinfo(self.dtype).min, ReduceOperation.MAX)

    def _end(self, empty: int, operation: ReduceOperation) -> int:
        smaller = operation is ReduceOperation.MIN
        own = (self._own.min() if smaller else self._own.max()) if self._own.size else empty
        return int(self._communicator.all_reduce(np.array([own], self.dtype), operation)[0])
