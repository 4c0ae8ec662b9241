"""Facts about loops over neighbors, for the pass `lane_loops`, its rule and the text that is made of it."""

from __future__ import annotations

from collections.abc import Iterable

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import parts, walk


def neighbor_loops(functor: ir.VertexFunctor) -> list[ir.ForNeighbors]:
    """The loops over neighbors in a functor, in the order of the text."""
    return [node for node in walk(functor.body) if isinstance(node, ir.ForNeighbors)]


def depends(part: object, carried: Iterable[str]) -> bool:
    """Whether evaluating `part` needs one of the locals `carried`."""
    names = frozenset(carried)
    return any(isinstance(node, ir.Local) and node.name in names for node in walk(part))


def following(part: object, carried: Iterable[str]) -> list[ir.Expression]:
    """The expressions in `part` whose values need one of the locals `carried`."""
    names, found = frozenset(carried), list[ir.Expression]()

    def needs(item: object) -> bool:
        inside = [needs(each) for each in parts(item)]
        follows = any(inside) or (isinstance(item, ir.Local) and item.name in names)
        if follows and isinstance(item, ir.Expression):
            found.append(item)
        return follows

    needs(part)
    return found
