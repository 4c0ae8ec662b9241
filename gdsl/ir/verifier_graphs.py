"""What must hold of the steps that make graphs."""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.ir import nodes
from gdsl.operations import JOINING_FLOATS, JOINING_INTEGERS, Domain
from gdsl.types import Type


def wrong_with(
    node: nodes.GraphStep | nodes.On,
    graphs: frozenset[str],
    frontiers: Mapping[str, Domain],
    arrays: Mapping[str, nodes.Array],
) -> str:
    """What does not hold of `node`; empty where all does."""
    name = node.graph if isinstance(node, nodes.On) else node.name
    if name not in graphs:
        return f"no graph {name}"
    if isinstance(node, nodes.Subgraph) and frontiers.get(node.edges) is not Domain.EDGE:
        return f"no edge frontier {node.edges}"
    return _contraction(node, arrays) if isinstance(node, nodes.Contract) else ""


def _contraction(node: nodes.Contract, arrays: Mapping[str, nodes.Array]) -> str:
    label = arrays.get(node.label)
    fits = node.label_type.is_integer or node.label_type is Type.VERTEX
    if label is None or (label.domain, label.type) != (Domain.VERTEX, node.label_type) or not fits:
        return f"{node.label} is no label"
    given = node.weights
    weights = arrays.get(given.array) if given is not None else None
    if given is not None and (weights is None or (weights.domain, weights.type) != (Domain.EDGE, given.type)):
        return f"no array {given.array} over edges"
    if given is None:
        return ""
    joining = JOINING_FLOATS if given.type.is_float else JOINING_INTEGERS
    if given.type.is_numeric and given.operation in joining:
        return ""
    return f"the {given.operation.value} of {given.type.name}"
