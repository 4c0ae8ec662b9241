"""Which calls of NetworkX the backend takes, why it refuses others, and running programs for them."""

from __future__ import annotations

import functools
import inspect
import random
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from gdsl.integrations.networkx_backend.conversion import is_kept, wrap
from gdsl.integrations.networkx_backend.graphs import BackendGraph, Options
from gdsl.integrations.networkx_backend.info import configured, configured_backend
from gdsl.integrations.networkx_backend.weights import ARGUMENTS, reason_of_weights

if TYPE_CHECKING:
    from gdsl.api.program import Program

_functions: dict[str, Callable[..., Any]] = {}
"""The functions of the backend by name, as `with_options` registers them."""

PROGRAMS = Path(__file__).parent / "programs"


def run(name: str, graph: BackendGraph, **values: Any) -> dict[str, Any]:
    """The results of the program `name` by name, as NumPy arrays and Python numbers. Raises `gdsl.GdslError`."""
    options = graph.options or Options(configured_backend(), configured("timeout"))
    from gdsl.api.convergence import quiet

    with quiet():  # NetworkX reports what does not converge as an error
        result = program(name).run(graph.vertices, values, backend=options.backend, timeout=options.timeout)
    return {**result.host_arrays(), **result.numbers()}


@cache
def program(name: str) -> Program:
    """The backend's own program called `name`, or the sample."""
    import gdsl

    path = PROGRAMS / f"{name}.gdsl"
    if not path.exists():
        sample: Program = getattr(gdsl.samples, name)
        return sample
    return gdsl.compile(path.read_text(encoding="utf-8"))


def with_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with the keywords `gdsl_backend` and `timeout`, which become options of its graph.

    NotImplementedError says why it does not take its arguments: NetworkX 3.2 does not call `can_run` if a call names
    the backend.
    """
    first = next(iter(inspect.signature(function).parameters))

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        answer = answer_of(function.__name__, args, kwargs)
        if isinstance(answer, str):
            raise NotImplementedError(answer)
        graph, *others = args if args else (kwargs.pop(first),)
        graph = wrap(graph)
        if "gdsl_backend" in kwargs or "timeout" in kwargs:
            backend = kwargs.pop("gdsl_backend", None) or configured_backend()
            graph = graph.with_options(Options(backend, kwargs.pop("timeout", configured("timeout"))))
        return function(graph, *others, **kwargs)

    _functions[function.__name__] = wrapped
    return wrapped


def registered_functions() -> dict[str, Callable[..., Any]]:
    """The functions of the modules that have been imported, by name."""
    return dict(_functions)


# ------------------------------------------------------------ which calls are taken


_WITHOUT_PARALLEL_EDGES = {
    "katz_centrality", "eigenvector_centrality", "core_number", "triangles", "clustering",
    "average_clustering", "transitivity", "topological_generations", "topological_sort", "is_directed_acyclic_graph",
    "maximum_flow_value", "minimum_cut_value",
}  # fmt: skip
_UNWEIGHTED = {"clustering", "average_clustering"}
_UNDIRECTED = {
    "clustering", "average_clustering", "transitivity", "color", "triangles", "maximal_independent_set",
    "connected_components", "number_connected_components", "is_connected", "node_connected_component",
}  # fmt: skip
_DIRECTED = {
    "weakly_connected_components", "number_weakly_connected_components", "is_weakly_connected",
    "strongly_connected_components", "number_strongly_connected_components", "is_strongly_connected",
    "in_degree_centrality", "out_degree_centrality",
}  # fmt: skip
_NOT_GIVEN = {
    "sp": "distances that are given already (`sp`) leave nothing to run",
    "e": "eccentricities that are given already (`e`) leave nothing to run",
    "flow_func": "only NetworkX can call a flow_func",
    "sort_neighbors": "`sort_neighbors` is a function that runs in Python, for each node",
}
_SEARCHES = {
    "betweenness_centrality", "closeness_centrality", "average_shortest_path_length", "eccentricity", "diameter",
    "radius", "center", "periphery", "all_pairs_shortest_path_length", "all_pairs_dijkstra_path_length",
    "all_pairs_bellman_ford_path_length", "harmonic_centrality",
}  # fmt: skip
"""Functions that search from every node, for which small graphs are worthwhile."""
_PASSES = {
    "single_source_shortest_path_length", "single_target_shortest_path_length", "shortest_path_length", "descendants",
    "ancestors", "has_path", "is_bipartite", "color", "topological_generations", "topological_sort",
    "is_directed_acyclic_graph", "connected_components", "number_connected_components", "is_connected",
    "node_connected_component", "weakly_connected_components", "number_weakly_connected_components",
    "is_weakly_connected", "shortest_path", "bfs_edges", "degree_centrality", "in_degree_centrality",
    "out_degree_centrality",
}  # fmt: skip
"""Functions that walk each edge at most once, also in Python: converting the graph takes longer."""
LEAST_SIZE_OF_SEARCHES, LEAST_SIZE = 300, 20_000
"""Nodes plus edges from which on a call is faster here, including the conversion (docs/networkx.md)."""


_DISPATCH = "networkx.utils.backends"


def can_run(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
    """NetworkX's hook: whether the backend has the function with these arguments; True, or why not.

    Raises NotImplementedError with the reason if NetworkX calls this for a call with ``backend="gdsl"``, as its own
    error would only say that the backend cannot run with the given arguments.
    """
    answer = answer_of(name, args, kwargs)
    if _is_named_in_the_call():
        reason = answer if isinstance(answer, str) else _of_values(name, args, kwargs)
        if reason is not None:
            raise NotImplementedError(
                f"'{name}' is not implemented by 'gdsl' backend for the given arguments: {reason}. "
                "Without backend='gdsl' NetworkX runs it."
            )
    return answer


def _is_named_in_the_call() -> bool:
    """Whether NetworkX calls `can_run` for a call that names this backend; it does not pass that on, but a frame of its
    dispatch has the keyword `backend`."""
    asking: FrameType | None = sys._getframe(2)
    while asking is not None and asking.f_globals.get("__name__") == _DISPATCH:
        if asking.f_locals.get("backend") == "gdsl":
            return True
        asking = asking.f_back
    return False


def answer_of(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
    """The answer of `can_run` for any caller."""
    function = _functions.get(name)
    if function is None:
        return f"gdsl has no program for {name}"
    try:
        arguments = _arguments(function, args, kwargs)
    except TypeError as error:
        return f"gdsl's {name} does not take these arguments: {error}"
    graph = next(iter(arguments.values()))
    if isinstance(graph, BackendGraph) and graph.refused is not None:
        return graph.refused
    return _of_weights(name, graph, arguments) or _of_graph(name, graph) or _of_others(name, arguments) or True


def _of_values(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str | None:
    """Why the weights are refused. Calls that fall back to NetworkX learn this from the function itself."""
    arguments = _arguments(_functions[name], args, kwargs)
    return reason_of_weights(name, next(iter(arguments.values())), arguments)


def _arguments(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a call by name, including defaults. Raises TypeError."""
    keywords = {key: value for key, value in kwargs.items() if key not in ("gdsl_backend", "timeout")}
    bound = _signature(function).bind(*args, **keywords)
    bound.apply_defaults()
    return bound.arguments


@cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _of_weights(name: str, graph: Any, arguments: Mapping[str, Any]) -> str | None:
    for key in ARGUMENTS:
        weight = arguments.get(key)
        if weight is None:
            continue
        if callable(weight):
            return f"a function as `{key}` runs in Python, for each edge"
        if name in _UNWEIGHTED:
            return f"gdsl's {name} counts edges, not their `{key}`"
    return None


def _of_graph(name: str, graph: Any) -> str | None:
    if name in _WITHOUT_PARALLEL_EDGES and graph.is_multigraph():
        return f"gdsl's {name} counts parallel edges of a multigraph once, NetworkX counts each"
    if name in _UNDIRECTED and graph.is_directed():
        return f"gdsl's {name} is of undirected graphs"
    if name in _DIRECTED and not graph.is_directed():
        return f"gdsl's {name} is of directed graphs"
    return None


def _of_others(name: str, arguments: Mapping[str, Any]) -> str | None:
    for key, reason in _NOT_GIVEN.items():
        if arguments.get(key) is not None:
            return reason
    if name == "average_shortest_path_length" and str(arguments["method"]).startswith("floyd"):
        return "gdsl has a search from each node, not the method of Floyd and Warshall"
    if name in ("diameter", "radius", "center", "periphery") and arguments["usebounds"] and arguments["weight"]:
        return "with bounds NetworkX sums weighted lengths in another order"
    if name == "betweenness_centrality" and arguments["k"] is not None and _release() < (3, 5):
        return "before 3.5 NetworkX scaled a sample of sources otherwise"
    if name == "single_target_shortest_path_length" and _release() < (3, 5):
        return "before 3.5 NetworkX gave an iterator"
    if name == "bfs_edges" and arguments["reverse"] and next(iter(arguments.values())).is_directed():
        return "gdsl does not keep the order of a node's predecessors, in which NetworkX goes back"
    if name == "maximal_independent_set":
        return _of_independent_set(arguments)
    return None


@cache
def _release() -> tuple[int, int]:
    import networkx

    major, minor = networkx.__version__.split(".")[:2]
    return int(major), int("".join(filter(str.isdigit, minor)))


def _of_independent_set(arguments: Mapping[str, Any]) -> str | None:
    if arguments["nodes"]:
        return "gdsl's maximal_independent_set contains no nodes that are given"
    seed = arguments["seed"]
    if seed is not None and seed is not getattr(random, "_inst", None):  # what NetworkX makes of None
        return "of a seed NetworkX makes another set than gdsl"
    if not len(arguments["G"]):
        return "of an empty graph NetworkX can draw no node"
    return None


def should_run(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool | str:
    """NetworkX's hook: whether a call that does not name a backend is faster here; True, or why not."""
    keywords = {key: value for key, value in kwargs.items() if key not in ("gdsl_backend", "timeout")}
    graph = next(iter(_signature(_functions[name]).bind_partial(*args, **keywords).arguments.values()))
    if isinstance(graph, BackendGraph):
        return True
    least = configured("least_size")
    if least is None:
        least = LEAST_SIZE_OF_SEARCHES if name in _SEARCHES else LEAST_SIZE
        if name in _PASSES and not is_kept(graph):
            return "to convert the graph takes longer than NetworkX's answer"
    if graph.number_of_nodes() < least and graph.number_of_nodes() + graph.number_of_edges() < least:
        return f"NetworkX is quicker on graphs of less than {least:,} nodes and edges"
    return (_of_machine() if configured("backend") == "auto" else None) or True


@cache
def _of_machine() -> str | None:
    from gdsl.backends import registry

    if registry.choose("auto").backend.name != "reference":
        return None
    return "there is neither a GPU nor a C++ compiler here, only gdsl's interpreter"
