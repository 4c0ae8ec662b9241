"""What must hold of an `intersect`, for `verifier`."""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.ir.nodes import Array, EdgeFunctor, Intersect, Parameter, Place, Role, Scalar
from gdsl.ir.traversal import walk
from gdsl.operations import Domain
from gdsl.types import Type


def misfit_of_intersection(
    node: Intersect, functor: EdgeFunctor | None, arrays: Mapping[str, Array], scalars: Mapping[str, Scalar]
) -> str | None:
    """What is wrong with one; None where all fits."""
    if (node.frontier.domain is Domain.EDGE) != (node.partners is None):
        return "neither edges nor pairs"
    if node.result is None and node.count is None and node.functor is None:
        return "an intersection for nothing"
    scalar = None if node.count is None else scalars.get(node.count)
    if node.count is not None and (scalar is None or scalar.type is not Type.INT64):
        return f"no scalar {node.count} of int64"
    return None if node.partners is None else _misfit_of_pairs(node.partners, functor, arrays)


def _misfit_of_pairs(partners: str, functor: EdgeFunctor | None, arrays: Mapping[str, Array]) -> str | None:
    array = arrays.get(partners)
    if array is None or (array.domain, array.type, array.count) != (Domain.VERTEX, Type.VERTEX, None):
        return f"no array {partners} of partners"
    parts = walk((functor.condition, functor.body)) if functor is not None else ()
    asks = (isinstance(part, Place) or (isinstance(part, Parameter) and part.role is Role.EDGE) for part in parts)
    return "pairs have no edge" if any(asks) else None
