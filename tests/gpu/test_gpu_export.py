"""Kernels run by hand, and programs exported as CUDA: compiled by nvcc, they give what gdsl gives."""

from __future__ import annotations

import os
import random
import runpy
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from support.exported import agree, build, run, write_graph

import gdsl
from gdsl.graph import Graph

pytestmark = pytest.mark.gpu

PAIRS = """program pairs;
problem {
    input  edge weight : float32;
    vertex least : (float32, vertex) = (inf, none);
    scalar best  : (float32, vertex) = (inf, none);
    vertex turned : int32 = 1;
    vertex other  : int32 = 2;
}
edge functor closest(src, dst, e) { apply { least[dst] min= (weight[e], src); } }
vertex functor all(v) { apply { best min= least[v]; } }
schedule {
    advance(vertices, closest);
    compute(vertices, all);
    swap(turned, other);
}
"""
SAMPLES = {
    "bfs": ({"source": "1"}, ("schedule.ids=64",)),
    "sssp": ({"source": "1"}, ()),
    "pagerank": ({}, ("schedule.fuse=off",)),
    "connected_components": ({}, ()),
    "triangle_count": ({}, ()),
    "reachability": ({"sources": "1,5"}, ()),
    "betweenness": ({"sources": "1,5"}, ("schedule.fuse=off",)),
    "louvain": ({}, ()),
    "katz": ({}, ()),
    "jaccard": ({}, ()),
}
"""What is given, and the knobs."""


def nvcc() -> str | None:
    return shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")


def sample(name: str, tune: tuple[str, ...] = ()) -> gdsl.Program:
    return gdsl.compile(Path(__file__).parents[2] / "samples" / f"{name}.gdsl", tune=tune)


@pytest.fixture(scope="module")
def graph_file(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Graph]:
    rolls = random.Random(3)
    edges = [(rolls.randrange(2000), rolls.randrange(2000)) for _ in range(9000)]
    edges += [(0, vertex) for vertex in range(1, 1500)]
    path = tmp_path_factory.mktemp("graph") / "graph.mtx"
    simple = sorted({(max(edge), min(edge)) for edge in edges if edge[0] != edge[1]})
    return path, write_graph(path, simple, 2100, directed=False, weighted=True)


def test_bfs_by_hand() -> None:
    """What docs/export.md shows."""
    names = runpy.run_path(str(Path(__file__).with_name("bfs_by_hand.py")))
    expected = names["program"](names["graph"], source=3).host_arrays()["distance"]
    np.testing.assert_array_equal(names["distance"].get(), expected)


def test_kernels_of_an_unfused_program_are_those_of_its_launches() -> None:
    kernels = sample("bfs", ("schedule.fuse=off",)).kernels
    assert len(kernels) > 2
    assert all(kernel.raw().kernel is not None for kernel in kernels)
    assert kernels[0].cubin[:4] == b"\x7fELF"
    assert kernels[0].resources.registers > 0
    assert kernels[0].resources.shared > 0


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[gdsl.Program, Path]]:
    """All of them compiled side by side."""
    if nvcc() is None:
        pytest.skip("no nvcc")
    os.environ["PATH"] += os.pathsep + str(Path(str(nvcc())).parent)
    programs = {name: sample(name, tune) for name, (_, tune) in SAMPLES.items()} | {"pairs": gdsl.compile(PAIRS)}

    directories = {name: tmp_path_factory.mktemp(name) / "made" for name in programs}

    def made(name: str) -> tuple[gdsl.Program, Path]:
        return programs[name], build(programs[name], "cuda", directories[name], ["-w"])

    with ThreadPoolExecutor(12) as pool:
        return dict(zip(programs, pool.map(made, programs), strict=True))


@pytest.mark.parametrize("name", [*SAMPLES, "pairs"])
def test_an_exported_program_gives_what_gdsl_gives(
    name: str, commands: dict[str, tuple[gdsl.Program, Path]], graph_file: tuple[Path, Graph]
) -> None:
    (program, command), (path, graph) = commands[name], graph_file
    given = SAMPLES[name][0] if name in SAMPLES else {}
    values = {key: [int(word) for word in text.split(",")] if "," in text else int(text) for key, text in given.items()}
    result = program.run(graph, values, backend="cuda")
    arrays = result.host_arrays().values()
    tables = {"edges" if len(array) == graph.num_edges else "vertices" for array in arrays}
    agree(run(command, path, given, sorted(tables)), result, 1e-4)
