"""Sets that shrink to what has work left, in a loop that hooks labels (`labels`).

`while (f) { advance(f, hook); <compression>; a = neighbor_reduce(f, differ, some); f = filter(f, v => a[v]); }`,
where `differ` holds of every edge that `hook` links and whose ends have different labels: it is `x[src] != x[dst]`
together with some of the conditions of `hook`. Who leaves the set has no edge left with two labels, and what has one
label is in one tree from then on. So the labels behind the loop are those that hooking over the first set until nothing
changes would leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdsl.ir import nodes
from gdsl.ir.slots import same
from gdsl.operations import BinaryOperation, NeighborOperation
from gdsl.rules import Judged


def narrows(
    body: tuple[nodes.Step, ...], frontier: str, labels: str, hook: nodes.Operator, sites: Mapping[int, Judged]
) -> str | None:
    """The array by which `body` ends with `frontier` made those of its members that have an edge of `hook` left between
    two different `labels`; None where it is made anything else, or on another way."""
    if len(body) < 2 or hook.frontier.frontier != frontier:
        return None
    reduce, kept = body[-2], body[-1]
    if not isinstance(reduce, nodes.NeighborReduce) or not isinstance(kept, nodes.Filter):
        return None
    whole = reduce.frontier.frontier == kept.frontier.frontier == kept.result == frontier
    if not whole or reduce.operation is not NeighborOperation.SOME or reduce.over is not hook.visits:
        return None
    linking, differing = sites[hook.site].effects.functor, sites[reduce.site].effects.functor
    found = _finds_links(differing, linking, labels) and _keeps(sites[kept.site].effects.functor, reduce.array)
    return reduce.array if found else None


def _finds_links(differing: nodes.VertexFunctor | nodes.EdgeFunctor, linking: object, labels: str) -> bool:
    """Whether the value of `differing` holds of every edge that `linking` links and whose ends have other labels."""
    if not isinstance(differing, nodes.EdgeFunctor) or not isinstance(linking, nodes.EdgeFunctor):
        return False
    if differing.value is None:
        return False
    asked = [part for each in (*differing.condition, differing.value) for part in _conjuncts(each)]
    links = [part for each in linking.condition for part in _conjuncts(each)]
    others = [part for part in asked if not _differ(part, labels)]
    return all(any(same(part, link) for link in links) for part in others)


def _conjuncts(node: nodes.Expression) -> Iterator[nodes.Expression]:
    if isinstance(node, nodes.Binary) and node.operation is BinaryOperation.AND:
        yield from _conjuncts(node.left)
        yield from _conjuncts(node.right)
    else:
        yield node


def _differ(node: nodes.Expression, labels: str) -> bool:
    """Whether this is `labels[a] != labels[b]` of the two ends of an edge."""
    if not isinstance(node, nodes.Binary) or node.operation is not BinaryOperation.NOT_EQUAL:
        return False
    ends = {_end_of_label(side, labels) for side in (node.left, node.right)}
    return ends == {nodes.Role.SOURCE, nodes.Role.DESTINATION}


def _end_of_label(node: nodes.Expression, labels: str) -> nodes.Role | None:
    own = isinstance(node, nodes.Element) and node.array == labels
    index = node.index if isinstance(node, nodes.Element) and own else None
    return index.role if isinstance(index, nodes.Parameter) else None


def _keeps(functor: nodes.VertexFunctor | nodes.EdgeFunctor, array: str) -> bool:
    """Whether a filter keeps just the vertices that have `array` set."""
    if not isinstance(functor, nodes.VertexFunctor) or functor.body or len(functor.condition) != 1:
        return False
    (test,) = functor.condition
    return isinstance(test, nodes.Element) and test.array == array and isinstance(test.index, nodes.Parameter)
