"""A program for ranks of MPI that have an emulated GPU each: runs samples on them against the reference."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import pytest

import gdsl
from tests.emulator.fake_cupy import install
from tests.support.graphs import random_graph


def main() -> None:
    """Print whether the results of each sample are those of the reference, and what stops a run."""
    install(pytest.MonkeyPatch(), gpus=2)
    graph = random_graph(60, 240, seed=5, directed=False)
    with gdsl.cluster(mpi=True) as workers:
        for name, result, values in (("bfs", "distance", {"source": 3}), ("k_core", "core", {})):
            program = gdsl.compile(name)
            expected = program.run(graph, values, backend="reference")
            found = workers.run(program, graph, values, backend="cuda")
            same = np.array_equal(np.asarray(found.arrays[result]), np.asarray(expected.arrays[result]))
            print(name, found.backend, same and found.iterations == expected.iterations, flush=True)
        try:
            workers.run(gdsl.compile("bfs"), graph, {"source": 3}, backend="cuda", max_iterations=1)
        except gdsl.GdslError as error:
            print(error.code, flush=True)


if __name__ == "__main__":
    main()
