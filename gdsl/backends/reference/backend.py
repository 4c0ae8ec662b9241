"""The reference backend."""

from __future__ import annotations

from gdsl.backends.interface import Availability, Bindings, Limits, Outcome
from gdsl.backends.reference.interpreter import interpret
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Program


class ReferenceExecutable:
    """A program to be interpreted."""

    def __init__(self, program: Program, id_bits: int, seed: int) -> None:
        """Keep `program` as it is; a run compiles its expressions."""
        self.program = program
        self.id_bits = id_bits
        self.seed = seed

    def run(self, graph: Graph, bindings: Bindings, limits: Limits) -> Outcome:
        """Run to the end; raises GdslError (E0801, E0802, E0803) where the run is stopped."""
        return interpret(self.program, graph, bindings, limits, id_bits=self.id_bits, seed=self.seed)


class ReferenceBackend:
    """Interprets the IR element by element, in an order that `seed` shuffles: slow, obvious, runs everywhere."""

    name = "reference"

    def __init__(self, seed: int = 0) -> None:
        """The same `seed` takes elements and edges in the same order in every run."""
        self.seed = seed

    def availability(self) -> Availability:
        """Always there."""
        return Availability(True, "interpreter in Python")

    def place(self, graph: Graph) -> None:
        """Left to the host."""

    def build(self, program: Program, id_bits: int) -> ReferenceExecutable:
        """Make `program` ready for graphs whose ids fit in `id_bits` (32 or 64) bits."""
        return ReferenceExecutable(program, id_bits, self.seed)
