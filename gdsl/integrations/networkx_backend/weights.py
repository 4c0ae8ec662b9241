"""Whether the weights of a graph are those that a function takes, as far as it says so before it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdsl.integrations.networkx_backend.conversion import convert_from_nx
from gdsl.integrations.networkx_backend.graphs import BackendGraph
from gdsl.integrations.networkx_backend.snapshots import is_plain

ARGUMENTS = ("weight", "distance", "capacity")
"""What functions of NetworkX call the attribute that they weigh edges by."""
_SIGNED = {
    "bellman_ford_path_length", "single_source_bellman_ford_path_length", "all_pairs_bellman_ford_path_length",
    "negative_edge_cycle",
}  # fmt: skip
_CAPACITIES = {"maximum_flow_value", "minimum_cut_value"}


def reason_of_weights(name: str, graph: Any, arguments: Mapping[str, Any]) -> str | None:
    """Why the function `name` does not take the weights that `arguments` name; None where it does, where there are
    none, and for views, which would be converted twice."""
    attribute = next((arguments[key] for key in ARGUMENTS if arguments.get(key) is not None), None)
    if attribute is None or not is_plain(graph):
        return None
    held = convert_from_nx(graph, {attribute: 1})  # which is kept for the call
    try:
        _check(name, held, attribute, arguments.get("method"))
    except NotImplementedError as error:
        return str(error)
    return None


def _check(name: str, graph: BackendGraph, attribute: Any, method: Any) -> None:
    """Raises NotImplementedError as the function `name` itself does."""
    from gdsl.integrations.networkx_backend import all_pairs, flows, lengths, links

    if name == "pagerank":
        links.finite_sums(graph, attribute)
    elif name == "katz_centrality":
        graph.weight_sums(attribute)
    elif name == "eigenvector_centrality":
        links.squared_sums(graph, attribute)
    elif name in _CAPACITIES:
        flows.network(graph, attribute)
    elif name == "betweenness_centrality":
        all_pairs.lengthening_weights(graph, attribute)
    elif name == "harmonic_centrality":
        lengths.exact_floats(graph, attribute)
    elif name in _SIGNED or method == "bellman-ford":
        lengths.finite_weights(graph, attribute)
    else:
        lengths.checked_weights(graph, attribute)
