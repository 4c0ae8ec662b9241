"""Triangles, against products of sparse matrices."""

from __future__ import annotations

import numpy as np

from gdsl.graph import Graph

from ..case import Answers, Case, Values, close, same
from ..intersections import common_neighbors, matrices, simple


def check_triangle_count(graph: Graph, values: Values, answers: Answers) -> None:
    same(answers, triangles=common_neighbors(graph)[0] // 6)


def check_clustering(graph: Graph, values: Values, answers: Answers) -> None:
    """Twice the triangles of each vertex, of its pairs of neighbors in either order."""
    linked = matrices(graph)[1].astype(float)
    closed = np.asarray(((linked @ linked) * linked).sum(axis=1)).reshape(-1)[: graph.num_vertices]
    degree = graph.out_degrees.astype(float)
    coefficient = closed / np.maximum(degree * (degree - 1), 1)
    close(answers, 1e-12, coefficient=coefficient, average=coefficient.mean() if len(degree) else 0.0)


COUNTING = (
    Case("triangle_count", check_triangle_count, suits=simple),
    Case("clustering_coefficient", check_clustering, suits=simple),
)
