"""Decides of which array a block keeps the first values in its own memory where lists are reduced (cuda).

Where vertices are numbered by falling degree, most edges lead to the first of them: on graphs of hubs more than half to
some ten thousand. What is gathered along edges then comes from a table that every block fills before it begins: not
from the multiprocessor's cache, through which the lists stream, nor from L2, whose sectors are what such sweeps wait
for (PageRank on rmat22: 0.57 ms an iteration for 0.74). The table has the memory that a multiprocessor lends, so that
there is one block on each, as large as blocks are.

So it is for programs that do nothing but go over all vertices and reduce lists, on ids by degree for certain: `layouts`
makes those a kernel of their own. Nothing but speed hangs on how many values there is room for.
"""

from __future__ import annotations

from gdsl.ir.nodes import (
    Compute,
    EdgeFunctor,
    Element,
    NeighborReduce,
    Operator,
    Parameter,
    Program,
    Repeat,
    Role,
    While,
)
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Domain, Layout, NeighborOperation, Over
from gdsl.plan.target import Target

BLOCK = 1024
"""Threads, where a multiprocessor has one block."""
_FAR = {Over.IN_EDGES: Role.SOURCE, Over.OUT_EDGES: Role.DESTINATION}
_LEAVING = (NeighborOperation.SOME, NeighborOperation.EVERY)
_WORDS = (32, 64)


def keeps_first(program: Program, target: Target) -> dict[int, str]:
    """By the site of a reduction the array of which blocks keep the first values."""
    return could_keep(program, target) if program.tuning.layout is Layout.BY_DEGREE else {}


def could_keep(program: Program, target: Target) -> dict[int, str]:
    """The same if the vertices were numbered by degree."""
    tuning = program.tuning
    if not (target.grid and target.fused) or target.teams or tuning.block is not None or not _only_reduces(program):
        return {}
    loops = [node for node in walk(program.schedule) if isinstance(node, (While, Repeat))]
    found = {}
    for step in (node for loop in loops for node in walk(loop.body) if isinstance(node, NeighborReduce)):
        array = _gathered(step, program)
        if array is not None and tuning.sites[step.site].balance is Balance.AUTO:
            found[step.site] = array
    return found


def _only_reduces(program: Program) -> bool:
    """Whether all operators go over all vertices, and make no set."""
    if program.frontiers or program.graphs:
        return False
    operators = [node for node in walk(program.schedule) if isinstance(node, Operator)]
    return all(isinstance(each, (Compute, NeighborReduce)) and each.frontier.everything for each in operators)


def _gathered(step: NeighborReduce, program: Program) -> str | None:
    """The one array whose value at the far end is all that is asked of it, if it is a word."""
    functor = next(each for each in program.edge_functors if each.name == step.functor)
    names = {node.array for node in gathers(functor, step.over)}
    if len(names) != 1 or functor.condition or step.operation in _LEAVING:
        return None
    array = next(each for each in program.arrays if each.name in names)
    single = array.count is None and not array.type.is_pair
    return array.name if single and not array.type.is_id and array.type.bits in _WORDS else None


def gathers(functor: EdgeFunctor, over: Over) -> list[Element]:
    """Where `functor` reads something of the vertex at the far end of an edge."""
    far = _FAR.get(over)
    elements = (node for node in walk(functor) if isinstance(node, Element) and node.domain is Domain.VERTEX)
    return [each for each in elements if isinstance(each.index, Parameter) and each.index.role is far and not each.now]
