"""Exported C++, compiled by a plain compiler, gives what gdsl gives."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from support.exported import agree, run, same_table, write_graph
from support.rich import EDGES, RICH, graph_text

import gdsl
from gdsl.export import export
from gdsl.graph import Graph

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "export.md"
pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")


@pytest.mark.optimised  # with options that are the user's
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc")
def test_nvcc_takes_the_cuda(tmp_path: Path) -> None:
    """Both sides of the file, up to the assembler, which the tests of GPUs try; without a warning."""
    program = gdsl.compile(RICH)
    export(program.ir, program.text, "cuda", tmp_path / "made")
    told = (tmp_path / "made" / "CMakeLists.txt").read_text(encoding="utf-8").partition("Without CMake: ")[2]
    kinds = ("-diag", "-ftz", "-fmad", "-Xcompiler")
    options = [word for word in told.splitlines()[0].split() if word.startswith(kinds)]
    command = ["nvcc", "-std=c++17", "-O0", "-arch=compute_90", "-c", *options, "rich.cu", "-o", "rich.o"]
    made = subprocess.run(command, cwd=tmp_path / "made", capture_output=True, text=True, timeout=300, check=False)
    assert made.returncode == 0, made.stderr
    assert "warning" not in made.stderr + made.stdout


@pytest.mark.parametrize("directed", [True, False])
def test_bfs(commands: dict[str, tuple[gdsl.Program, Path]], tmp_path: Path, directed: bool) -> None:
    program, command = commands["bfs"]
    path = tmp_path / "graph.mtx"
    graph = write_graph(
        path, [(max(e), min(e)) if not directed else e for e in EDGES], 8, directed=directed, weighted=True
    )
    result = program.run(graph, {"source": 1}, backend="cpu")
    agree(run(command, path, {"source": "1"}), result)
    if directed:  # each vertex is reached over one edge alone
        same_table(command.parent / "vertices.csv", program, result)


def test_a_graph_without_edges(commands: dict[str, tuple[gdsl.Program, Path]], tmp_path: Path) -> None:
    program, command = commands["bfs"]
    graph = write_graph(tmp_path / "graph.mtx", [], 3, directed=True, weighted=False)
    agree(run(command, tmp_path / "graph.mtx", {"source": "1"}), program.run(graph, {"source": 1}, backend="reference"))


def test_everything_that_the_host_prepares(
    commands: dict[str, tuple[gdsl.Program, Path]],
    rich_values: tuple[Path, Graph, dict[str, str], dict[str, object]],
    tmp_path: Path,
) -> None:
    program, command = commands["rich"]
    path, graph, words, values = rich_values
    for more in ({}, {"scale": 0.1}, {"offset": -3, "double": False}):
        given = words | {name: str(value).lower() for name, value in more.items()}
        expected = program.run(graph, values | more, backend="reference")
        agree(run(command, path, given, ["vertices", "edges"]), expected)
    path = tmp_path / "symmetric.mtx"
    text = graph_text("symmetric").splitlines()
    lines = [f"{max(int(u), int(v))} {min(int(u), int(v))} {w}" for u, v, w in (line.split() for line in text[3:])]
    path.write_text("\n".join([*text[:3], *lines]) + "\n", encoding="utf-8")
    expected = program.run(Graph.read(path), values, backend="reference")
    agree(run(command, path, words, ["vertices", "edges"]), expected)


def test_the_page(commands: dict[str, tuple[gdsl.Program, Path]], tmp_path: Path) -> None:
    """docs/export.md: the header that it shows is the one that is made, and the program in C runs."""
    directory = commands["bfs"][1].parent
    shown_header, caller = re.findall(r"```c\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    header = (directory / "bfs.h").read_text(encoding="utf-8")
    shown = header[header.index("// What the program takes") : header.index("#ifdef __cplusplus\n}")]
    assert shown_header.strip() == shown.strip()
    (tmp_path / "call.c").write_text(caller, encoding="utf-8")
    made = [
        ["gcc", "-std=c99", "-Wall", "-Werror", "-pedantic", f"-I{directory}", "-c", "call.c", "-o", "call.o"],
        [
            "g++",
            "-std=c++17",
            "-O1",
            "-fopenmp",
            f"-I{directory}",
            "call.o",
            *map(str, directory.glob("bfs*.cpp")),
            "-o",
            "call",
        ],
    ]
    for command in made:
        subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    found = subprocess.run([tmp_path / "call"], capture_output=True, text=True, timeout=60, check=False)
    assert (found.returncode, found.stdout) == (
        0,
        "0 1 2 -1\n604: error E0604: param `source` is 4, which is no vertex of the graph (vertices 0 to 3)\n",
    )
