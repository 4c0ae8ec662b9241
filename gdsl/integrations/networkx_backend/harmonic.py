"""Harmonic centrality: sums of inverse distances."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from gdsl.integrations.networkx_backend.graphs import BackendGraph
from gdsl.integrations.networkx_backend.lengths import exact_floats
from gdsl.integrations.networkx_backend.running import run, with_options


@with_options
def harmonic_centrality(
    G: BackendGraph,
    nbunch: Any = None,
    distance: Hashable | None = None,
    sources: Any = None,
) -> dict[Any, float]:
    """As networkx.harmonic_centrality, by a search from each source, or to each node of `nbunch` if they are fewer."""
    targets, starts = G.chosen(nbunch), G.chosen(sources)
    if not len(targets) or not len(starts):
        return dict.fromkeys(G.nodes_of(targets), 0)
    graph, name = G, "received"
    given: dict[str, Any] = {"sources": starts, "targets": targets}
    if len(targets) < len(starts):
        graph, name = G.reverse, "sent"
        given = {"sources": targets, "targets": starts}
    if distance is None:
        found = run("harmonic", graph, **given)[name]
    else:
        found = run("harmonic_lengths", graph, weight=exact_floats(graph, distance), **given)[name]
    values = np.asarray(found)[targets].tolist()
    return {node: value or 0 for node, value in zip(G.nodes_of(targets), values, strict=True)}
