"""Two exported programs, compiled by a plain compiler once for all tests, and values for the richer one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from support.exported import build
from support.rich import RICH, graph_text

import gdsl
from gdsl.graph import Graph

ROOT = Path(__file__).parents[2]
STRICT = ["-Wall", "-Wextra", "-Werror"]


@pytest.fixture(scope="session")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[gdsl.Program, Path]]:
    """Both programs, compiled side by side."""
    programs = {"bfs": gdsl.compile(ROOT / "samples" / "bfs.gdsl"), "rich": gdsl.compile(RICH)}

    directories = {name: tmp_path_factory.mktemp(name) / "made" for name in programs}

    def made(name: str) -> tuple[gdsl.Program, Path]:
        return programs[name], build(programs[name], "cpu", directories[name], ["-O1", *STRICT], leave=["-O3"])

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(programs, pool.map(made, programs), strict=True))


@pytest.fixture(scope="session")
def rich_values(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Graph, dict[str, str], dict[str, object]]:
    """A graph, and values for it as words and as Python has them."""
    directory = tmp_path_factory.mktemp("values")
    path = directory / "graph.mtx"
    path.write_text(graph_text(), encoding="utf-8")
    values: dict[str, object] = {
        "first": 1,
        "sites": [2, 5],
        "mark": np.arange(7, dtype=np.uint32),
        "friend": np.array([-1, 0, 1, 2, 3, 4, 5]),
        "grid": np.arange(28, dtype=np.float32).reshape(7, 4) / 3,
        "rank": 3,
    }
    words = {"first": "1", "sites": "2,5", "rank": "3"}
    for name in ("mark", "friend", "grid"):
        file = directory / f"{name}.txt"
        file.write_text("\n".join(str(value) for value in np.ravel(values[name]).tolist()) + "\n", encoding="utf-8")
        words[name] = f"@{file}"
    return path, Graph.read(path), words, values
