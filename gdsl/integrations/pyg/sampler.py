"""`gdsl.pyg.Sampler`, a sampler of PyTorch Geometric whose draws are programs of gdsl."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np
import torch
from torch_geometric.sampler import (
    BaseSampler,
    EdgeSamplerInput,
    NegativeSampling,
    NodeSamplerInput,
    NumNeighbors,
    SamplerOutput,
)
from torch_geometric.sampler.base import SubgraphType
from torch_geometric.sampler.neighbor_sampler import edge_sample, node_sample

from gdsl.integrations.pyg.bias import weights_by
from gdsl.integrations.pyg.edges import edges_of
from gdsl.integrations.pyg.growing import Sample, grow
from gdsl.integrations.pyg.lists import Draws, Ids, NeighborLists


class Sampler(BaseSampler):
    """Samples neighborhoods of nodes and edges, for `NodeLoader`, `LinkLoader` and, as `neighbor_sampler=`,
    `NeighborLoader` and `LinkNeighborLoader` of PyTorch Geometric.

    data: a `Data` with an `edge_index`, or a `gdsl.Graph`. Edges in results are numbered as in `data`.
    num_neighbors: how many edges to draw for each node, by hop; -1: all.
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

    Raises NotImplementedError for heterogeneous graphs, TypeError or ValueError for other invalid arguments, GdslError
    for what gdsl finds in the edges, weights and functor.
    """

    def __init__(
        self,
        data: Any,
        num_neighbors: NumNeighbors | Sequence[int],
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
        self.num_neighbors = num_neighbors
        self.subgraph_type = SubgraphType(subgraph_type)
        self.replace = replace
        self.sample_direction = sample_direction
        self.temporal_strategy = temporal_strategy
        self.is_temporal = time_attr is not None
        self.disjoint = disjoint or self.is_temporal
        self.key = key
        edges = edges_of(data)
        near, far = edges.target, edges.source
        if sample_direction == "backward":
            near, far = far, near
        time = weight = self.node_time = None
        if time_attr is not None:
            time, node_time = edges.times(time_attr, far)
            self.node_time = None if node_time is None else torch.from_numpy(node_time)
        if bias is not None:
            weight = weights_by(bias, edges, backend)
        elif weight_attr is not None:
            weight = edges.weights(weight_attr)
        self._lists = NeighborLists.build(near, far, edges.num_nodes, backend, weight, time)
        self.num_nodes = edges.num_nodes

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
    def num_neighbors(self, value: NumNeighbors | Sequence[int]) -> None:
        wanted = value if isinstance(value, NumNeighbors) else NumNeighbors(value)
        if isinstance(wanted.values, dict):
            raise NotImplementedError("num_neighbors by edge type is for heterogeneous graphs")
        counts = [int(count) for count in wanted.values]
        if any(count < -1 for count in counts) or counts != list(wanted.values):
            raise ValueError(f"num_neighbors are integers from -1 (all), not {wanted.values!r}")
        self._num_neighbors, self._counts = wanted, counts

    @property
    def edge_permutation(self) -> None:
        """None: samples number the edges as the data does."""
        return

    def sample_from_nodes(self, index: NodeSamplerInput, **kwargs: Any) -> SamplerOutput:
        """The sample of these nodes. `metadata` is (input_id, time)."""
        _refuse_types(index.input_type)
        return self._finished(node_sample(index, self._sample))

    def sample_from_edges(self, index: EdgeSamplerInput, neg_sampling: NegativeSampling | None = None) -> SamplerOutput:
        """The sample of the ends of these edges, and of negative ones. `metadata` has what `LinkLoader` reads: the
        input_id, the places of the ends in `node`, label and time."""
        _refuse_types(index.input_type)
        if index.time is not None and not self.is_temporal:
            raise ValueError("the edges have times, and the sampler has no time_attr")
        with self._generator(index):
            out = edge_sample(index, self._sample, self.num_nodes, self.disjoint, self.node_time, neg_sampling)
        return self._finished(out)

    def _finished(self, out: SamplerOutput) -> SamplerOutput:
        return out.to_bidirectional() if self.subgraph_type is SubgraphType.bidirectional else out

    def _generator(self, index: EdgeSamplerInput) -> Any:
        """PyTorch's generator for negative samples: with a key, a function of it and of the edges."""
        if self.key is None:
            return nullcontext()
        seen = hashlib.blake2b(digest_size=8)
        for part in (np.array(self.key % 2**64, np.uint64), index.row.numpy(), index.col.numpy()):
            seen.update(np.ascontiguousarray(part, part.dtype.newbyteorder("<")).tobytes())
        return _seeded(int.from_bytes(seen.digest(), "little") >> 1)

    def _sample(self, seed: torch.Tensor, seed_time: torch.Tensor | None = None) -> SamplerOutput:
        seeds = seed.numpy().astype(np.int64)
        if len(seeds) and not (seeds.min() >= 0 and seeds.max() < self.num_nodes):
            raise IndexError(f"seeds are nodes from 0 to {self.num_nodes - 1}, not {seeds.min()} or {seeds.max()}")
        limit = self._limits(seeds, seed_time)
        key = int(torch.randint(2**62, ())) if self.key is None else self.key
        induced = self.subgraph_type is SubgraphType.induced
        how = Draws(0, self.replace, self.temporal_strategy == "last", _signed(key), 0)
        sample = grow(self._lists, seeds, limit, self._counts, how, disjoint=self.disjoint, induced=induced)
        return self._output(sample, has_counts=not induced)

    def _limits(self, seeds: Ids, seed_time: torch.Tensor | None) -> Ids | None:
        """The latest time for each seed's tree."""
        if not self.is_temporal:
            if seed_time is not None:
                raise ValueError("the seeds have times, and the sampler has no time_attr")
            return None
        times: Ids
        if seed_time is not None:
            if seed_time.is_floating_point():
                raise ValueError(f"the times of seeds are integers, not {seed_time.dtype}")
            times = seed_time.numpy().astype(np.int64)
        elif self.node_time is not None:
            times = self.node_time.numpy()[seeds]
        else:
            raise ValueError(
                "edges have times, so seeds need them too (`input_time` or `edge_label_time` of the loader)"
            )
        return times

    def _output(self, sample: Sample, *, has_counts: bool) -> SamplerOutput:
        row, col = sample.far, sample.near
        if self.sample_direction == "backward":
            row, col = col, row
        return SamplerOutput(
            node=torch.from_numpy(sample.node),
            row=torch.from_numpy(row),
            col=torch.from_numpy(col),
            edge=torch.from_numpy(sample.edge),
            batch=torch.from_numpy(sample.tree) if self.disjoint else None,
            num_sampled_nodes=sample.nodes if has_counts else None,
            num_sampled_edges=sample.edges if has_counts else None,
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


def _signed(key: int) -> int:
    """The int64 with these 64 bits."""
    return (key + 2**63) % 2**64 - 2**63


def _refuse_types(input_type: object) -> None:
    if input_type is not None:
        raise NotImplementedError(f"gdsl.pyg.Sampler samples graphs with one type of nodes, and not {input_type!r}")
