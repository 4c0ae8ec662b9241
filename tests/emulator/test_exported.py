"""The host code of exported CUDA, run over the emulator, gives what gdsl gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.exported import agree, run, write_graph

import gdsl

from . import exported

SAMPLES = Path(__file__).parents[2] / "samples"
EDGES = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2), (1, 5), (1, 6), (6, 7)]


@pytest.mark.parametrize(
    ("name", "given", "tune"),
    [
        ("sssp", {"source": "1"}, ("schedule.block=32",)),
        ("reachability", {"sources": "3"}, ("schedule.block=32", "schedule.fuse=off")),
    ],
)
@pytest.mark.slow
def test_exported_host_code(tmp_path: Path, name: str, given: dict[str, str], tune: tuple[str, ...]) -> None:
    program = gdsl.compile(SAMPLES / f"{name}.gdsl", tune=tune)
    command = exported.command(program, tmp_path / "made")
    graph = write_graph(tmp_path / "graph.mtx", EDGES, 9, directed=True, weighted=True)
    values = {key: [int(value)] if key.endswith("s") else int(value) for key, value in given.items()}
    agree(run(command, tmp_path / "graph.mtx", given), program.run(graph, values, backend="reference"))
