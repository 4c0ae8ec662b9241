"""`gdsl.pyg.Sampler`, a sampler of PyTorch Geometric whose draws are programs of gdsl."""

from __future__ import annotations

import hashlib
import operator
import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch_geometric.sampler import (
    BaseSampler,
    EdgeSamplerInput,
    HeteroSamplerOutput,
    NegativeSampling,
    NodeSamplerInput,
    NumNeighbors,
    SamplerOutput,
)
from torch_geometric.sampler.base import SubgraphType
from torch_geometric.sampler.neighbor_sampler import edge_sample, node_sample

from gdsl.api.compiling import compile as compiled
from gdsl.graph import Graph
from gdsl.integrations.pyg.edges import ONE, ONE_TO_ONE, TypedGraph, typed_graph
from gdsl.integrations.pyg.growing import Links, Nodes, Relation, grow
from gdsl.integrations.pyg.lists import Draws, Ids, NeighborLists, ids_of
from gdsl.integrations.pyg.stores import graph_of_stores

if TYPE_CHECKING:
    from gdsl.integrations.pyg.edges import Edges


class Sampler(BaseSampler):
    """Samples neighborhoods of nodes and edges, for `NodeLoader`, `LinkLoader` and, as `neighbor_sampler=`,
    `NeighborLoader` and `LinkNeighborLoader` of PyTorch Geometric.

    data: a `Data` or `HeteroData` with an `edge_index`, a `gdsl.Graph`, or a tuple of a `FeatureStore` and a
        `GraphStore`. Edges in results are numbered as in `data`; those of a graph store with several layouts as in CSC,
        if it has that ("backward": CSR), otherwise as in COO.
    num_neighbors: how many edges to draw for each node, by hop; -1: all. A dict has them by edge type.
    replace: whether an edge may be drawn several times.
    subgraph_type: "directional" (the drawn edges), "bidirectional" (and their opposites), "induced" (all edges between
        the nodes).
    disjoint: whether each seed has a tree of its own; always so with `time_attr`.
    time_attr: an attribute of integers, of nodes or of edges. Only edges that are (or lead to nodes that are) at most
        as late as their seed are drawn; seeds without a time have their node's.
    temporal_strategy: "uniform", or "last" for the latest ones.
    weight_attr: an attribute of edges. Draws are in proportion to it; edges of weight 0 are never drawn.
    bias: a functor with the weights instead, such as ``"(src, dst, e) => weight[e] / out_degree(src)"``, which reads
        the attributes of `data` by name. It is computed once, for all edges.
    sample_direction: "forward" (edges that lead to a node, the way of messages) or "backward" (edges from it).
    key: an integer: samples are a function of it and of the seeds, on every machine and backend; another key gives
        others. None: each call takes a key from PyTorch's generator, as `torch.manual_seed` and loaders set it.
    backend: "auto", "cuda", "cpu" or "reference".

    Raises TypeError or ValueError for invalid arguments and stores, NotImplementedError for a bias of edges with types,
    GdslError for what gdsl finds in the edges, weights and functor.
    """

    def __init__(
        self,
        data: Any,
        num_neighbors: NumNeighbors | Sequence[int] | Mapping[Any, Sequence[int]],
        *,
        subgraph_type: SubgraphType | str = "directional",
        replace: bool = False,
        disjoint: bool = False,
        temporal_strategy: str = "uniform",
        time_attr: str | None = None,
        weight_attr: str | None = None,
        bias: str | None = None,
        sample_direction: str = "forward",
        key: int | None = None,
        backend: str = "auto",
    ) -> None:
        if sample_direction not in ("forward", "backward"):
            raise ValueError(f"sample_direction is 'forward' or 'backward', not {sample_direction!r}")
        if temporal_strategy not in ("uniform", "last"):
            raise ValueError(f"temporal_strategy is 'uniform' or 'last', not {temporal_strategy!r}")
        if weight_attr is not None and bias is not None:
            raise ValueError("weight_attr and bias both give the weights; give one of them")
        if temporal_strategy == "last" and (time_attr is None or weight_attr is not None or bias is not None):
            raise ValueError("temporal_strategy='last' needs a time_attr, and takes no weights")
        self.subgraph_type = SubgraphType(subgraph_type)
        self.replace = replace
        self.sample_direction = sample_direction
        self.temporal_strategy = temporal_strategy
        self.is_temporal = time_attr is not None
        self.disjoint = disjoint or self.is_temporal
        self.key = key
        graph = graph_of_stores(tuple(data), sample_direction) if isinstance(data, (tuple, list)) else typed_graph(data)
        self._graph_of(graph, time_attr, weight_attr, bias, backend)
        self.num_neighbors = num_neighbors

    def _graph_of(
        self, graph: TypedGraph, time_attr: str | None, weight_attr: str | None, bias: str | None, backend: str
    ) -> None:
        """Build the lists of each type of edges."""
        if weight_attr is not None and not any(weight_attr in edges.of_edges for edges in graph.edges.values()):
            raise ValueError(f"weight_attr={weight_attr!r} is not an attribute of edges")
        if bias is not None and graph.has_types:
            raise NotImplementedError("a bias is for graphs with one type of nodes and edges; use weight_attr")
        node_times, edge_times = ({}, {}) if time_attr is None else graph.times(time_attr)
        self._sizes, self._has_types = dict(graph.sizes), graph.has_types
        self._lists: dict[Any, NeighborLists] = {}
        for kind, edges in graph.edges.items():
            near, far = edges.target, edges.source
            if self.sample_direction == "backward":
                near, far = far, near
            time, weight = edge_times.get(kind), None
            if (far_kind := self._ends(kind)[1]) in node_times:
                time = node_times[far_kind][ids_of(far)]
            if bias is not None:
                weight = weights_by(bias, edges, graph.of_nodes[ONE], self._sizes[ONE], backend)
            elif weight_attr is not None and weight_attr in edges.of_edges:
                weight = edges.weights(weight_attr)
            if weight is not None:
                edges.check_weights(weight, weight_attr or "bias")
            size = max(graph.sizes[kind[0]], graph.sizes[kind[2]])
            self._lists[kind] = NeighborLists.build(near, far, size, backend, weight, time)
        self._node_times = {kind: torch.from_numpy(times) for kind, times in node_times.items()}
        self.num_nodes = self._sizes if graph.has_types else self._sizes[ONE]
        self.node_time = None
        if node_times:
            self.node_time = self._node_times if graph.has_types else self._node_times[ONE]

    def _ends(self, kind: tuple[str, str, str]) -> tuple[str, str]:
        """The types of the nodes that edges of this type continue, and that they lead to."""
        return (kind[2], kind[0]) if self.sample_direction == "forward" else (kind[0], kind[2])

    @property
    def key(self) -> int | None:
        """What samples are a function of; None: each call takes a key from PyTorch's generator."""
        return self._key

    @key.setter
    def key(self, value: int | None) -> None:
        self._key = None if value is None else operator.index(value)

    @property
    def num_neighbors(self) -> NumNeighbors:
        """How many edges each hop draws for a node."""
        return self._num_neighbors

    @num_neighbors.setter
    def num_neighbors(self, value: NumNeighbors | Sequence[int] | Mapping[Any, Sequence[int]]) -> None:
        wanted = value if isinstance(value, NumNeighbors) else NumNeighbors(value)
        by_hop = wanted.values
        if isinstance(by_hop, str) or not isinstance(by_hop, Sequence | Mapping):
            raise ValueError(f"num_neighbors has an integer for each hop, such as [10, 5]; it is {by_hop!r}")
        if not self._has_types and isinstance(wanted.values, dict):
            raise ValueError("num_neighbors by edge type is for heterogeneous graphs")
        by_type = wanted.get_values(list(self._lists)) if self._has_types else {ONE_TO_ONE: wanted.values}
        counts = {}
        for kind, values in by_type.items():
            if not all(isinstance(count, int | np.integer) and count >= -1 for count in values):
                raise ValueError(f"num_neighbors are integers from -1 (all), not {values!r}")
            counts[kind] = [int(count) for count in values]
        self._num_neighbors, self._counts = wanted, counts

    @property
    def is_hetero(self) -> bool:
        """Whether the graph has types of nodes and edges."""
        return self._has_types

    @property
    def edge_permutation(self) -> None:
        """None: samples number the edges as the data does."""
        return

    def sample_from_nodes(self, index: NodeSamplerInput, **kwargs: Any) -> SamplerOutput | HeteroSamplerOutput:
        """The sample of these nodes. `metadata` is (input_id, time)."""
        self._check_types(index.input_type)
        return self._finished(node_sample(index, self._sample))

    def sample_from_edges(
        self, index: EdgeSamplerInput, neg_sampling: NegativeSampling | None = None
    ) -> SamplerOutput | HeteroSamplerOutput:
        """The sample of the ends of these edges, and of negative ones. `metadata` has what `LinkLoader` reads: the
        input_id, the places of the ends in `node`, label and time."""
        kind = index.input_type
        self._check_types(*([None] if kind is None else [kind[0], kind[2]]))
        if index.time is not None and not self.is_temporal:
            raise ValueError("the edges have times, and the sampler has no time_attr")
        with self._generator(index):
            out = edge_sample(index, self._sample, self.num_nodes, self.disjoint, self.node_time, neg_sampling)
        return self._finished(out)

    def _finished(self, out: SamplerOutput | HeteroSamplerOutput) -> SamplerOutput | HeteroSamplerOutput:
        return out.to_bidirectional() if self.subgraph_type is SubgraphType.bidirectional else out

    def _generator(self, index: EdgeSamplerInput) -> Any:
        """PyTorch's generator for negative samples: with a key, a function of it and of the edges."""
        if self.key is None:
            return nullcontext()
        seen = hashlib.blake2b(digest_size=8)
        for part in (np.array(self.key % 2**64, np.uint64), index.row.numpy(), index.col.numpy()):
            seen.update(np.ascontiguousarray(part, part.dtype.newbyteorder("<")).tobytes())
        return _seeded(int.from_bytes(seen.digest(), "little") >> 1)

    def _sample(self, seed: Any, seed_time: Any = None) -> SamplerOutput | HeteroSamplerOutput:
        by_type = seed if self._has_types else {ONE: seed}
        seeds = {kind: self._seeds(kind, nodes) for kind, nodes in by_type.items()}
        limit = self._limits(seeds, seed_time if self._has_types or seed_time is None else {ONE: seed_time})
        key = int(torch.randint(2**62, ())) if self.key is None else self.key
        induced = self.subgraph_type is SubgraphType.induced
        relations = {
            kind: Relation(lists, *self._ends(kind), self._counts[kind], _key_of(kind, key))
            for kind, lists in self._lists.items()
        }
        how = Draws(0, self.replace, self.temporal_strategy == "last", 0, 0)
        nodes, links = grow(relations, self._sizes, seeds, limit, how, disjoint=self.disjoint, induced=induced)
        return self._output(nodes, links, has_counts=not induced)

    def _seeds(self, kind: str, nodes: Any) -> Ids:
        """These nodes of a type, int64[S]. Raises ValueError or IndexError for what are none."""
        seeds: Ids = nodes.cpu().numpy()
        if seeds.ndim != 1 or (len(seeds) and seeds.dtype.kind not in "iu"):  # torch.tensor([]) has floats
            raise ValueError(f"seeds are integers in one dimension, not {nodes.dtype} in {seeds.ndim}")
        size = self._sizes[kind]
        if len(outside := seeds[(seeds < 0) | (seeds >= size)]):
            of_type = f" of type {kind!r}" if self._has_types else ""
            raise IndexError(f"the seed {outside[0]} is not one of the graph's {size} nodes{of_type}")
        return seeds.astype(np.int64)

    def _limits(self, seeds: dict[str, Ids], seed_time: Any) -> Ids | None:
        """The latest time for each seed's tree, one type of seeds after the other."""
        if not self.is_temporal:
            if seed_time is not None:
                raise ValueError("the seeds have times, and the sampler has no time_attr")
            return None
        limits = [np.zeros(0, np.int64)]
        for kind, nodes in seeds.items():
            if seed_time is not None and (times := seed_time[kind]) is not None:
                if times.is_floating_point():
                    raise ValueError(f"the times of seeds are integers, not {times.dtype}")
                if times.shape != nodes.shape:
                    raise ValueError(f"there are {len(nodes)} seeds, and times of the shape {tuple(times.shape)}")
                limits.append(times.cpu().numpy().astype(np.int64))
            elif kind in self._node_times:
                limits.append(self._node_times[kind].numpy()[nodes])
            else:
                raise ValueError(
                    "these seeds have no times of their own: give `input_time` or `edge_label_time` to the loader"
                )
        return np.concatenate(limits)

    def _output(
        self, nodes: dict[str, Nodes], links: dict[Any, Links], *, has_counts: bool
    ) -> SamplerOutput | HeteroSamplerOutput:
        tensor, forward = torch.from_numpy, self.sample_direction == "forward"
        output: dict[str, Any] = {
            "node": {kind: tensor(own.node) for kind, own in nodes.items()},
            "row": {kind: tensor(own.far if forward else own.near) for kind, own in links.items()},
            "col": {kind: tensor(own.near if forward else own.far) for kind, own in links.items()},
            "edge": {kind: tensor(own.edge) for kind, own in links.items()},
            "batch": {kind: tensor(own.tree) for kind, own in nodes.items()} if self.disjoint else None,
            "num_sampled_nodes": {kind: own.counts for kind, own in nodes.items()} if has_counts else None,
            "num_sampled_edges": {kind: own.counts for kind, own in links.items()} if has_counts else None,
        }
        if self._has_types:
            return HeteroSamplerOutput(**output)
        return SamplerOutput(**{name: values and next(iter(values.values())) for name, values in output.items()})

    def _check_types(self, *kinds: Any) -> None:
        """Raise ValueError for types of nodes that the graph does not have."""
        known = self._sizes if self._has_types else [None]
        if any(kind not in known for kind in kinds):
            raise ValueError(
                f"the graph has no nodes of the type {next(kind for kind in kinds if kind not in known)!r}"
            )


class _seeded:  # noqa: N801 - a context
    """PyTorch's generator of the host with this seed, and as it was afterwards."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __enter__(self) -> None:
        self._before = torch.get_rng_state()
        torch.manual_seed(self._seed)

    def __exit__(self, *_: object) -> None:
        torch.set_rng_state(self._before)


def _key_of(kind: tuple[str, str, str], key: int) -> int:
    """The key for the draws of edges of this type, an int64: types draw independently of each other."""
    bits = key % 2**64
    if kind != ONE_TO_ONE:
        digest = hashlib.blake2b("\0".join(kind).encode(), digest_size=8, key=bits.to_bytes(8, "little")).digest()
        bits = int.from_bytes(digest, "little")
    return bits - 2**64 if bits >= 2**63 else bits


# Weights of edges by a functor of the user, computed once for all edges.


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
