"""Programs with procedures, functors without a name, and sets that the caller gives."""

from __future__ import annotations

import numpy as np

from gdsl.graph import Graph

from .case import Answers, Case, Values, ends, levels, same


def check_site_hops(graph: Graph, values: Values, answers: Answers) -> None:
    count, (tails, heads) = graph.num_vertices, ends(graph)
    given = np.asarray(values["sites"])  # ids, or what is bound: a flag for each vertex
    sites = (np.flatnonzero(given) if given.dtype == np.bool_ else np.unique(given)).astype(np.int64).tolist()
    hops = np.asarray(levels(count, tails, heads, sites))
    near = np.where(hops <= values["limit"], hops, -1)
    level = np.bincount(tails[hops[tails] == hops[heads]], minlength=count)
    least = np.where(hops >= 0, 2**31 - 1, 0)
    for tail, head in zip(tails, heads, strict=True):
        if hops[tail] >= 0 and hops[head] > 0:
            least[tail] = min(least[tail], hops[head] + 1)
    tight = (hops[tails] >= 0) & (hops[heads] == hops[tails] + 1) & (near[tails] >= 0)
    same(answers, hops=hops, near_hops=near, level=level, least=least, tight=tight)
    same(answers, reached=int((hops >= 0).sum()) + 1000 * len(sites), tight_edges=int(tight.sum()))


def site_values(graph: Graph, seed: int) -> Values:
    random = np.random.default_rng(seed)
    count = int(random.integers(0, 4)) if graph.num_vertices else 0
    return {"sites": random.integers(0, max(graph.num_vertices, 1), count), "limit": seed % 4}


SHORT = (Case("site_hops", check_site_hops, site_values),)
