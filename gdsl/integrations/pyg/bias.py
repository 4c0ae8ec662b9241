"""Weights of edges by a functor of the user, computed once for all edges."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gdsl.api.compiling import compile as compiled
from gdsl.graph import Graph
from gdsl.integrations.pyg.lists import Ids, ids_of

if TYPE_CHECKING:
    from gdsl.integrations.pyg.edges import Edges

EXAMPLE = "(src, dst, e) => weight[e] / out_degree(src)"
_FUNCTOR = re.compile(r"\s*\(\s*(\w+)\s*,\s*(\w+)\s*,\s*(\w+)\s*\)\s*=>\s*([^{\s].*)", re.DOTALL)
_TEXT = """program bias;
problem {{
{inputs}    edge bias_of_edge : float64;
}}
schedule {{
    compute(edges, ({near}, {far}, {edge}) => {{ bias_of_edge[{edge}] = float64({value}); }});
}}
"""


def weights_by(
    functor: object, edges: Edges, of_nodes: Mapping[str, Any], num_nodes: int, backend: str
) -> NDArray[np.float64]:
    """The value of a functor such as `EXAMPLE` for each edge, float64[E] in the order of the data.

    It may read the data's attributes of numbers by name, those of nodes as `x[src]` (`x[src][i]` with several values).
    Raises ValueError for anything but such a functor, and GdslError for what the compiler finds in it.
    """
    matched = _FUNCTOR.fullmatch(functor.rstrip().removesuffix(";")) if isinstance(functor, str) else None
    if matched is None:
        raise ValueError(f"bias must be a functor of an edge with a value, such as {EXAMPLE!r}; it is {functor!r}")
    near, far, edge, value = matched.groups()
    words = set(re.findall(r"[A-Za-z_]\w*", value)) - {near, far, edge}
    of_edges = words & edges.of_edges.keys()
    of_edges -= {name for name in of_edges & of_nodes.keys() if not re.search(rf"\b{name}\s*\[\s*{edge}\b", value)}
    values: dict[str, NDArray[Any]] = {}
    inputs = ""
    for name in sorted(of_edges | words & of_nodes.keys()):
        kind, attributes = ("edge", edges.of_edges) if name in of_edges else ("vertex", of_nodes)
        column = _numbers(name, attributes)
        count = f"[{column.shape[1]}]" if column.ndim == 2 else ""
        inputs += f"    input {kind} {name}{count} : {'bool' if column.dtype.kind == 'b' else str(column.dtype)};\n"
        values[name] = column
    program = compiled(_TEXT.format(inputs=inputs, near=near, far=far, edge=edge, value=value))
    source, target = ids_of(edges.source), ids_of(edges.target)
    order = np.arange(len(source))
    graph = Graph.from_edges(source, target, num_vertices=num_nodes, attributes={"given_edge": order})
    edge_ids: Ids = np.asarray(graph.attributes["given_edge"])
    values |= {name: column[edge_ids] for name, column in values.items() if name in of_edges}
    biases = program.run(graph, values, backend=backend).host_arrays()["bias_of_edge"]
    weight = np.empty(len(order))
    weight[edge_ids] = biases
    return weight


def _numbers(name: str, attributes: Mapping[str, Any]) -> NDArray[Any]:
    column: NDArray[Any] = attributes[name].detach().cpu().numpy()
    if column.ndim == 2 and column.shape[1] == 1:
        column = column.reshape(-1)
    if column.ndim not in (1, 2) or column.dtype.kind not in "biuf":
        raise ValueError(f"a functor cannot read {name}, a tensor of {column.dtype} with {column.ndim} dimensions")
    return np.ascontiguousarray(column, _wide(column.dtype))


def _wide(dtype: np.dtype[Any]) -> Any:
    """The first type of gdsl with all its values."""
    if dtype.kind == "b" or dtype.itemsize >= 4:
        return dtype
    return np.float32 if dtype.kind == "f" else np.int32
