"""The operator IR: what a program means once names, types and conversions are resolved. This page has all of its
nodes; most are defined in the files `*_nodes.py`, by theme.

Every node is a frozen dataclass with the span of the text that it came from. Names of data, functors, frontiers and
locals are the program's own and unique within their kind, so a name identifies its declaration. Expressions are typed,
every conversion is explicit, and the operands of a `Binary` have one type. `gdsl.ir.verifier` checks this, and
`gdsl.ir.printer` prints it.
"""

# ruff: noqa: F403, F405 (whoever imports this page finds all nodes in it)

from __future__ import annotations

from gdsl.ir.declaration_nodes import *
from gdsl.ir.expression_nodes import *
from gdsl.ir.operator_nodes import *
from gdsl.ir.schedule_nodes import *
from gdsl.ir.set_nodes import *
from gdsl.ir.statement_nodes import *
from gdsl.operations import Balance, Direction, Duplicates, FrontierForm, Layout, Order
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class OperatorKnobs(Node):
    """The knobs of one operator; those that it does not have are as the table of knobs has them."""

    direction: Direction | None
    """None: no choice was made, and it is not known yet whether the functor closes; `gdsl.annotate` derives it."""
    alpha: int
    beta: int
    balance: Balance
    frontier: FrontierForm = FrontierForm.AUTO
    dedup: Duplicates = Duplicates.AUTO


@dataclass(frozen=True, slots=True)
class Tuning(Node):
    """All knobs of a program: its own, and by site number those of its operators."""

    sites: tuple[OperatorKnobs, ...] = ()
    fuse: bool = True
    block: int | None = None
    """Threads per block; None: the backend's choice."""
    ids: int | None = None
    """Bits of a vertex or edge id, 32 or 64; None: 32 while they fit."""
    bounds: bool = True
    order: Order = Order.AUTO
    layout: Layout = Layout.AUTO
    without: tuple[str, ...] = ()
    """Not a knob: the passes of the plan that are left out (`gdsl.plan.passes`), which changes no result."""


class _WithDigest(Node):
    """Room for a cached digest of the whole program, which is not part of its value: neither equality nor a copy knows
    it."""

    __slots__ = ("digest",)
    digest: str


@dataclass(frozen=True, slots=True)
class Program(_WithDigest):
    """A whole program. Frontier variables, named and temporary, are listed in `frontiers` in order of appearance."""

    name: str
    doc: str
    source_name: str
    requires: Requirements
    params: tuple[Param, ...]
    arrays: tuple[Array, ...]
    scalars: tuple[Scalar, ...]
    functions: tuple[Function, ...]
    vertex_functors: tuple[VertexFunctor, ...]
    edge_functors: tuple[EdgeFunctor, ...]
    frontiers: tuple[Frontier, ...]
    schedule: tuple[Step, ...]
    tuning: Tuning
    vote_functors: tuple[VoteFunctor, ...] = ()
    graphs: tuple[str, ...] = ()
    """The variables that hold graphs, at first the one that the program was given, in order of appearance. No frontier
    has one of their names."""
    any_ids: bool = False
    """Whether other ids, by descending degree and in the given order where degrees are equal, change no result except
    the ids in it, as `gdsl.uniqueness.layout` finds."""
    types: tuple[TypeParameter, ...] = ()
    """The type parameters, in the order of the text."""

    @property
    def data(self) -> tuple[Array | Scalar, ...]:
        """All arrays and scalars."""
        return (*self.arrays, *self.scalars)

    def array(self, name: str) -> Array:
        """The array of that name."""
        return next(array for array in self.arrays if array.name == name)

    @property
    def functors(self) -> tuple[Functor, ...]:
        """All functors of vertices and of edges."""
        return (*self.vertex_functors, *self.edge_functors)

    def vertex_functor(self, name: str) -> VertexFunctor:
        """The functor of vertices of that name."""
        return next(functor for functor in self.vertex_functors if functor.name == name)

    def edge_functor(self, name: str) -> EdgeFunctor:
        """The functor of edges of that name."""
        return next(functor for functor in self.edge_functors if functor.name == name)

    def functor(self, name: str) -> Functor:
        """The functor of that name."""
        return next(functor for functor in self.functors if functor.name == name)
