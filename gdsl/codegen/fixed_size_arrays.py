"""Arrays with several values for each element, in C++ and CUDA: the values of an element are adjacent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gdsl.codegen.names import Names
from gdsl.ir.nodes import Array, Expression, Literal, ParamValue, Program
from gdsl.operations import Domain
from gdsl.plan.nodes import Initial, Initialize


def count_text(count: Expression, names: Names) -> str:
    """How many values an element has."""
    if isinstance(count, Literal):
        return str(count.value)
    assert isinstance(count, ParamValue)
    return f"d.{names.member(count.name)}"


@dataclass(frozen=True, slots=True)
class InitialGroup:
    """Arrays whose initial values one loop makes: all of one value a vertex, or an edge, or one of `count` values.

    `length` is the number of values of each, `kind` the type of `id`."""

    length: str
    kind: str
    count: str | None
    arrays: tuple[Initial, ...]
    on_each_gpu: bool = False
    """Whether each of several GPUs has these arrays, and so stores all of their values."""

    @property
    def place(self) -> str:
        """The type of places among the values: that of ids where each has one value, so that `id` is one, too."""
        return self.kind if self.count is None else "int64"


def initial_groups(initial: Initialize, program: Program, names: Names) -> Iterator[InitialGroup]:
    """The loops that make the initial values, those of single values first."""
    declared = {array.name: array for array in program.arrays}
    for arrays, kind in ((initial.vertex_arrays, "vertex"), (initial.edge_arrays, "edge")):
        single = tuple(each for each in arrays if declared[each.name].count is None)
        if single:
            yield InitialGroup(all_values(declared[single[0].name], names), kind, None, single)
        for each in arrays:
            count = declared[each.name].count
            if count is not None:
                length = all_values(declared[each.name], names)
                yield InitialGroup(length, kind, count_text(count, names), (each,))


def all_values(array: Array, names: Names) -> str:
    """How many values an array has in all."""
    elements = "d.graph.num_vertices" if array.domain is Domain.VERTEX else "d.graph.num_edges"
    return elements if array.count is None else f"value_index({elements}, {count_text(array.count, names)}, 0)"
