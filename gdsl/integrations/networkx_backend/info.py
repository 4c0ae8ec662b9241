"""What NetworkX reads of its backends at `import networkx`: this file imports nothing that takes time."""

from __future__ import annotations

import os
from typing import Any

OPTIONS = {
    "gdsl_backend : str": 'Where the program runs: "auto", "cuda", "cpu" or "reference".',
    "timeout : float": "Seconds after which a run is stopped by an error.",
}

_UNSIGNED = (
    "No callable weights; weights are finite ints or floats and not negative; of parallel edges the least counts."
)
_SIGNED = "No callable weights; weights are finite ints or floats; of parallel edges the least counts."
_HOPS = "Parallel edges count once, as in NetworkX."
_ITERATED = "The same iteration in float64, with the same bound of error; no multigraphs."
_TRIANGLES = "Undirected graphs without weights; no multigraphs."

FUNCTIONS = {
    "pagerank": "The same iteration in float64, with the same bound of error; weights of parallel edges are added.",
    "hits": "Power iteration to a change of `tol`; weights are not negative, and there are edges.",
    "katz_centrality": _ITERATED,
    "eigenvector_centrality": _ITERATED,
    "betweenness_centrality": _UNSIGNED + " No weights of 0.",
    "closeness_centrality": _UNSIGNED,
    "harmonic_centrality": _UNSIGNED,
    "degree_centrality": "",
    "in_degree_centrality": "",
    "out_degree_centrality": "",
    "average_shortest_path_length": _UNSIGNED + " Not the methods of Floyd and Warshall.",
    "eccentricity": _UNSIGNED + " No `sp`.",
    "diameter": _UNSIGNED + " No `e`.",
    "radius": _UNSIGNED + " No `e`.",
    "center": _UNSIGNED + " No `e`.",
    "periphery": _UNSIGNED + " No `e`.",
    "single_source_shortest_path_length": _HOPS,
    "single_target_shortest_path_length": _HOPS,
    "all_pairs_shortest_path_length": _HOPS,
    "bfs_edges": "In NetworkX's order; no `sort_neighbors`, and of directed graphs no `reverse`.",
    "shortest_path": "By a search from each source. Of several shortest paths it may be another one than NetworkX's.",
    "shortest_path_length": "By the functions for hops, for Dijkstra's and for Bellman and Ford's algorithm.",
    "has_path": _HOPS,
    "descendants": _HOPS,
    "ancestors": _HOPS,
    "dijkstra_path_length": _UNSIGNED,
    "single_source_dijkstra_path_length": _UNSIGNED,
    "multi_source_dijkstra_path_length": _UNSIGNED,
    "all_pairs_dijkstra_path_length": _UNSIGNED,
    "bellman_ford_path_length": _SIGNED,
    "single_source_bellman_ford_path_length": _SIGNED,
    "all_pairs_bellman_ford_path_length": _SIGNED,
    "negative_edge_cycle": _SIGNED,
    "connected_components": "",
    "number_connected_components": "",
    "is_connected": "",
    "node_connected_component": "",
    "weakly_connected_components": "",
    "number_weakly_connected_components": "",
    "is_weakly_connected": "",
    "strongly_connected_components": "Those that edges lead to before those that they come from.",
    "number_strongly_connected_components": "",
    "is_strongly_connected": "",
    "triangles": _TRIANGLES,
    "clustering": _TRIANGLES,
    "average_clustering": _TRIANGLES,
    "transitivity": _TRIANGLES,
    "core_number": "No self-loops.",
    "is_bipartite": "",
    "color": "Undirected graphs.",
    "topological_generations": "No multigraphs.",
    "topological_sort": "One of the orders that there are; no multigraphs.",
    "is_directed_acyclic_graph": "No multigraphs.",
    "maximal_independent_set": "Without `nodes` and `seed`.",
    "maximum_flow_value": "Whole capacities; no `flow_func`; no multigraphs.",
    "minimum_cut_value": "Whole capacities; no `flow_func`; no multigraphs.",
}
"""Every function of NetworkX that this backend has, by its name in NetworkX, and its restrictions."""


def default_config() -> dict[str, Any]:
    """The defaults of `networkx.config.backends.gdsl`: the backend of gdsl, the timeout of a run in seconds, and the
    number of nodes and edges from which on the backend takes graphs unasked (None: as measured)."""
    return {"backend": os.environ.get("GDSL_NETWORKX_BACKEND") or "auto", "timeout": None, "least_size": None}


def backend_info() -> dict[str, Any]:
    """The entry point `networkx.backend_info`."""
    functions = {name: {"additional_docs": note, "additional_parameters": OPTIONS} for name, note in FUNCTIONS.items()}
    return {
        "backend_name": "gdsl",
        "project": "gdsl",
        "package": "gdsl",
        "short_summary": "Graph algorithms compiled to CUDA or to C++ with OpenMP.",
        "functions": functions,
        "default_config": default_config(),
    }


def configured(name: str) -> Any:
    """The value in `networkx.config.backends.gdsl`, or the default if NetworkX does not know this backend."""
    import networkx

    settings = getattr(getattr(getattr(networkx, "config", None), "backends", None), "gdsl", None)
    return getattr(settings, name, default_config()[name])


def configured_backend() -> str:
    """The configured backend of gdsl. Raises ValueError for an unknown name, and says which settings may hold it."""
    from gdsl.backends.gpus import gpus_of
    from gdsl.backends.registry import NAMES
    from gdsl.diagnostics import shown

    backend = configured("backend")
    if backend not in ("auto", *NAMES) and not gpus_of(backend):
        settings = "GDSL_NETWORKX_BACKEND and networkx.config.backends.gdsl.backend"
        raise ValueError(f"{settings} name one of auto, {', '.join(NAMES)}, not {shown(backend)}")
    return str(backend)
