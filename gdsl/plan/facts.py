"""Facts about a program that several passes of the plan need, each computed once."""

from __future__ import annotations

from gdsl.effects.access import Accesses
from gdsl.ir.nodes import Array, DefineFrontier, EdgeFunctor, Operator, Param, Program, Scalar, Subgraph, VertexFunctor
from gdsl.ir.traversal import Remembered, contains
from gdsl.operations import Domain
from gdsl.plan.graph_class import GENERAL, GraphClass
from gdsl.plan.target import Sizes, Target


class Facts:
    """The facts about one program."""

    def __init__(
        self, program: Program, target: Target, sizes: Sizes | None = None, graph: GraphClass = GENERAL
    ) -> None:
        """`sizes`: those that the caller sets; None: the pass `occupancy` chooses. `graph`: the graphs that
        the plan is built for."""
        self.program = program
        self.target = target
        self.sizes = sizes
        self.graph = graph
        self.accesses = Accesses(program)
        self.remember = Remembered()
        self.functions: dict[str, object] = {function.name: function.body for function in program.functions}
        self.vote_functors = {functor.name: functor for functor in program.vote_functors}
        data: tuple[Param | Array | Scalar, ...] = (*program.params, *program.arrays, *program.scalars)
        self._names = {each.name for each in data}

    def functor(self, step: Operator) -> VertexFunctor | EdgeFunctor:
        """The functor of `step`, which has one."""
        return self.accesses.functor(step)

    def edge_functor(self, step: Operator) -> EdgeFunctor:
        """The edge functor of `step`, which has one."""
        functor = self.accesses.functor_of(step)
        assert isinstance(functor, EdgeFunctor)
        return functor

    def unused(self, name: str) -> str:
        """`name`, with underscores added until no data of the program has that name."""
        while name in self._names:
            name += "_"
        return name


def may_be_left_out(step: DefineFrontier, program: Program) -> bool:
    """Whether a member may be the id of an edge that the graph around does not have: an edge of a subgraph keeps its
    id, so an id below the bound may be that of an edge that was left out."""
    if step.domain is not Domain.EDGE or not step.members:
        return False
    return contains(program.schedule, Subgraph)
