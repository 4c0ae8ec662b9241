"""The reference backend."""

from __future__ import annotations

from gdsl.backends.interface import Availability, Backend, Bindings, Build, Limits, Need, Outcome
from gdsl.backends.reference.interpreter import interpret
from gdsl.extents import of_graph
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Array, Program
from gdsl.memory_use import MemoryUse
from gdsl.types import Widths

_VALUE = 40
"""Approximate bytes of one value."""


class ReferenceExecutable:
    """A program to be interpreted."""

    def __init__(self, program: Program, id_bits: int, seed: int) -> None:
        """A run compiles the expressions of `program`."""
        self.program = program
        self.id_bits = id_bits
        self.seed = seed

    def build(self, graph: Graph) -> Build:
        """The IR: nothing is generated."""
        from gdsl.ir.printer import print_program

        return Build(None, "ir", print_program(self.program))

    def run(self, graph: Graph, bindings: Bindings, limits: Limits) -> Outcome:
        """Run to the end; raises GdslError (E0801, E0802, E0803) where the run is stopped."""
        return interpret(self.program, graph, bindings, limits, id_bits=self.id_bits, seed=self.seed)


class ReferenceBackend(Backend):
    """Interprets the IR element by element, in an order that `seed` shuffles: slow, obvious, runs everywhere."""

    name = "reference"

    def __init__(self, seed: int = 0) -> None:
        """Elements and edges are visited in an order that depends only on `seed`."""
        self.seed = seed

    def availability(self) -> Availability:
        """Always available."""
        return Availability(True, "interpreter in Python")

    def build(self, program: Program, widths: Widths | int) -> ReferenceExecutable:
        """Prepare `program` for ids of the wider of `widths`: here all ids have one width."""
        both = Widths.both(widths)
        return ReferenceExecutable(program, max(both.vertex, both.edge), self.seed)

    def needs(
        self,
        program: Program,
        widths: Widths,
        graph: Graph,
        bindings: Bindings,
        free: int | None,
        memory: MemoryUse | None = None,
    ) -> tuple[Need, ...]:
        """The values of arrays, each a Python object and a reference to it."""
        sizes = of_graph(graph.num_vertices, graph.num_edges, bindings.params)

        def need(array: Array) -> Need:
            what = "input" if array.is_input else "result"
            return Need(f"problem.{array.name}", what, f"value * {array.extent}", _VALUE * array.extent.value(sizes))

        return tuple(map(need, program.arrays))
