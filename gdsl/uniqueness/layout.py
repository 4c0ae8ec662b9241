"""Which programs may run on renumbered vertices without any visible effect (*Layout* of the language).

A run on a graph whose vertices are renumbered, by descending degree and those of equal degree in the order of their
ids, is the run on the given graph with each id replaced by its new one, as long as every operation of the program
commutes with this replacement. Then its results are those of the given graph once they are put back in the given order,
and the ids in them are replaced back; what may differ from run to run may differ here, and nothing else. This is shown
for each operation, with any permutation except for ties:

- Indexing by an id, storing it, comparing two for equality, choosing one of two, walking a list, testing for an edge,
  adding it to a set, and all set operations only depend on which vertex an id refers to. `none` refers to no vertex and
  stays the same.
- The order of calls, of visits of edges and of sums is open in the language, or a grade says so: sums of floats differ
  in rounding.
- Ties: two vertices of equal degree are in the same order by their new ids as by their old ones. So it makes no
  difference to `(out_degree(a), a) < (out_degree(b), b)`, nor to `a < b` after `out_degree(a) == out_degree(b) &&`
  (`gdsl.ir.ids` finds both).
- A subgraph has the same edges.
- A vertex that certainly exists may be turned into a number or ordered, since its given id can be looked up
  (`gdsl.ir.ids`).
- Everything else that depends on the order of ids does not commute: `<`, `min`, `max`, and ties that the smallest id
  wins; ids stored as numbers and numbers used as ids (conversions, literals); places in a list, and lists in their
  order; numbers of members; and graphs whose vertices are labels in their order.

Edges get other ids as well, since these are places in the lists, and may be used like those of vertices inside a run.
Parallel edges keep their order among themselves, so each has one new place and keeps its pair: the k-th edge from u to
v becomes the k-th from the new u to the new v. So an input of edges is reordered value by value. Results of edges are
not translated, nor are ids of edges, or ids as values of edges.

Conditions on inputs and defaults of params are evaluated by the host, on the caller's values, before anything is
renumbered. Every form that is not known here is an obstacle.
"""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.ir import nodes
from gdsl.ir.ids import is_lookup, with_given_ids, without_ties
from gdsl.ir.traversal import walk
from gdsl.operations import BinaryOperation, Domain, Layout, NeighborOperation
from gdsl.source import Source
from gdsl.types import Type
from gdsl.uniqueness.order import Obstacle

_FIX = "write `as_given` or `auto`"
_EQUALITY = (BinaryOperation.EQUAL, BinaryOperation.NOT_EQUAL)
_OF_BOOLS = (NeighborOperation.SOME, NeighborOperation.EVERY, NeighborOperation.COUNT)
_COMMUTING = (
    nodes.Accept,
    nodes.Advance,
    nodes.Assign,
    nodes.Branch,
    nodes.Break,
    nodes.Buckets,
    nodes.CheckWidth,
    nodes.ChooseBound,
    nodes.Closing,
    nodes.CombineFrontiers,
    nodes.CommonNames,
    nodes.CompareAndSwap,
    nodes.Compute,
    nodes.CopyFrontier,
    nodes.Count,
    nodes.DefineFrontier,
    nodes.DegreeOf,
    nodes.EdgeFunctor,
    nodes.Elements,
    nodes.Evaluate,
    nodes.FarEnds,
    nodes.Fill,
    nodes.Filter,
    nodes.ForRange,
    nodes.FrontierNotEmpty,
    nodes.FrontierSize,
    nodes.Function,
    nodes.FunctionCall,
    nodes.History,
    nodes.If,
    nodes.Intersect,
    nodes.Iteration,
    nodes.Let,
    nodes.ListVariable,
    nodes.Local,
    nodes.Loop,
    nodes.MakePair,
    nodes.NoneId,
    nodes.On,
    nodes.OwnId,
    nodes.OwnOperation,
    nodes.OwnPart,
    nodes.PairPart,
    nodes.Parameter,
    nodes.ParamValue,
    nodes.PopBuckets,
    nodes.PushBuckets,
    nodes.PushLevel,
    nodes.Repeat,
    nodes.Return,
    nodes.SameGraph,
    nodes.ScalarTarget,
    nodes.ScalarValue,
    nodes.Select,
    nodes.Slot,
    nodes.Store,
    nodes.StoreElement,
    nodes.StoreScalar,
    nodes.Subgraph,
    nodes.Swap,
    nodes.TakeLevel,
    nodes.Unary,
    nodes.UpdateValue,
    nodes.VertexFunctor,
    nodes.VoteFunctor,
    nodes.While,
)
"""Nodes that only depend on which vertex or edge an id refers to."""


def obstacle(program: nodes.Program) -> Obstacle | None:
    """The first obstacle to renumbering in the text; None without any."""
    reasons = [*_at_the_border(program), *inside(program)]
    return min(reasons, key=lambda each: each.span.order, default=None)


def check_layout(program: nodes.Program, reason: Obstacle | None, source: Source) -> None:
    """Raise GdslError (E0420) where the program sets `schedule.layout = by_degree` and `reason` is an obstacle."""
    if program.tuning.layout is Layout.BY_DEGREE and reason is not None:
        message = f"`schedule.layout = by_degree` does not fit here: {reason.why}"
        raise GdslError([Diagnostic("E0420", message, reason.span, fix=_FIX)], source)


def _at_the_border(program: nodes.Program) -> Iterator[Obstacle]:
    """Data from or for the caller that is not translated."""
    for array in program.arrays:
        if array.is_local:
            continue
        if array.domain is Domain.EDGE and not array.is_input:
            yield Obstacle(f"`{array.name}` is a result of edges, which would have other places", array.span)
        elif array.domain is Domain.EDGE and _holds_id(array.type):
            yield Obstacle(f"`{array.name}` has ids as values of edges", array.span)
        elif array.type is not Type.VERTEX and _holds_id(array.type):
            yield Obstacle(f"`{array.name}` has ids of edges, or ids in pairs", array.span)
    scalars = (scalar for scalar in program.scalars if not scalar.is_local)
    values: tuple[nodes.Param | nodes.Scalar, ...] = (*program.params, *scalars)
    for each in values:
        if each.type is not Type.VERTEX and _holds_id(each.type):
            yield Obstacle(f"`{each.name}` is the id of an edge, or an id in a pair", each.span)


def inside(program: nodes.Program) -> Iterator[Obstacle]:
    """The parts of a run that do not commute with a replacement of ids."""
    program = with_given_ids(without_ties(program))
    initial = tuple(each.initial for each in program.data if each.initial is not None)
    functors = (program.vertex_functors, program.edge_functors, program.vote_functors)
    for node in walk((program.functions, *functors, program.schedule, initial)):
        why = _hindrance(node)
        if why is not None:
            yield Obstacle(why, node.span)
        if isinstance(node, nodes.DefineFrontier) and program.graphs and node.domain is Domain.EDGE and node.members:
            yield Obstacle("an edge that a graph lacks is named by its number", node.span)


def _hindrance(node: nodes.Node) -> str | None:
    """Why a node, apart from its parts, does not commute."""
    if isinstance(node, _COMMUTING):
        return None
    match node:
        case nodes.Literal():
            return f"an id is named by its number, {node.value}" if node.type.is_id else None
        case nodes.Convert(operand=operand):
            return None if is_lookup(operand) else _converted(operand.type, node.type)
        case nodes.Binary():
            ordered = _holds_id(node.left.type) and node.operation not in _EQUALITY
            ordered = ordered and not (is_lookup(node.left) and is_lookup(node.right))
            return f"ids are compared by `{node.operation.value}`" if ordered else None
        case nodes.Chain():
            return "ids are used in arithmetic" if _holds_id(node.type) else None
        case nodes.BuiltinCall():
            holds = any(_holds_id(each.type) for each in (node, *node.arguments))
            return f"`{node.function.value}` orders ids" if holds else None
        case nodes.Update():
            return f"`{node.operation.value}` orders ids" if _holds_id(node.target.type) else None
        case nodes.Element() | nodes.ElementTarget():
            return None if nodes.element_index(node.index).type.is_id else "an element is named by its number"
        case nodes.NeighborReduce():
            ordered = node.operation is not None and node.operation not in _OF_BOOLS and _holds_id(node.array_type)
            return f"`{node.combines_by}` orders ids" if ordered else None
        case nodes.NeighborVote():
            return "of equal votes the smallest id wins" if _holds_id(node.array_type) else None
        case nodes.GraphRead():
            return f"`{node.query.value}` takes a place in a list" if node.query.in_list else None
    return _of_lists(node)


def _of_lists(node: nodes.Node) -> str:
    match node:
        case nodes.Place():
            return "`place` is a place in a list"
        case nodes.ForNeighbors():
            return "the loop visits a list in its order"
        case nodes.NumberMembers():
            return "members are numbered by their ids"
        case nodes.CheckPairs():
            return "members are paired by their ids"
        case nodes.Contract() | nodes.Weights():
            return "vertices are merged in the order of their labels"
    return "this is not known to be the same under other ids"


def _converted(before: Type, after: Type) -> str | None:
    if before.is_id and not after.is_id:
        return "an id becomes a number"
    return "a number becomes an id" if after.is_id and not before.is_id else None


def _holds_id(kind: Type) -> bool:
    return kind.is_id or any(part.is_id for part in kind.parts)
