"""Exported C++, compiled by a plain compiler, gives what gdsl gives."""

from __future__ import annotations

import os
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


@pytest.mark.slow
@pytest.mark.optimized  # with options that are the user's
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


WAYS = [("g++", "-fopenmp"), ("g++", "-O0"), ("clang++", "-O0")]
"""A compiler, and whether its OpenMP is used."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "compiler", "option"),
    [(path.stem, *WAYS[0]) for path in sorted((ROOT / "samples").glob("*.gdsl"))]
    + [(name, *way) for name in ("louvain", "betweenness", "sssp") for way in WAYS[1:]],
)
@pytest.mark.rare(48)
def test_compilers_have_no_warnings(tmp_path: Path, name: str, compiler: str, option: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    program = gdsl.compile(ROOT / "samples" / f"{name}.gdsl")
    export(program.ir, program.text, "cpu", tmp_path / "made")
    files = sorted(path.name for path in (tmp_path / "made").glob("*.cpp"))
    command = [compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", option, *files]
    made = subprocess.run(command, cwd=tmp_path / "made", capture_output=True, text=True, timeout=300, check=False)
    assert made.returncode == 0, made.stderr


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


@pytest.mark.slow
def test_the_page(commands: dict[str, tuple[gdsl.Program, Path]], tmp_path: Path) -> None:
    """docs/export.md: the header that it shows is the one that is made, and the program in C runs."""
    directory = commands["bfs"][1].parent
    shown_header, caller = re.findall(r"```c\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    header = (directory / "bfs.h").read_text(encoding="utf-8")
    shown = header[header.index("// The arguments of the program") : header.index("#ifdef __cplusplus\n}")]
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
        "0 1 2 -1\n604: error E0604: param `source` is 4, which is not a vertex of the graph (vertices 0 to 3)\n",
    )


NESTED = r"""
#include "bfs.h"
#include <dirent.h>
#include <omp.h>
#include <sched.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

// On how many processors each thread of this process may run, at least.
static int allowed() {
    int least = 1 << 20;
    DIR* const tasks = opendir("/proc/self/task");
    while (const dirent* const task = readdir(tasks)) {
        const int id = std::atoi(task->d_name);
        cpu_set_t set;
        if (id == 0 || sched_getaffinity(id, sizeof(set), &set) != 0) { continue; }
        const int count = CPU_COUNT(&set);
        least = count < least ? count : least;
    }
    closedir(tasks);
    return least;
}

int main() {
    omp_set_max_active_levels(2);
    const int before = allowed();
    const int n = 20000;
    std::vector<int64_t> offsets{0};
    std::vector<int32_t> columns;
    for (int v = 0; v < n; ++v) {
        std::vector<int32_t> list;
        for (int k = 0; k < 8; ++k) { list.push_back((v * 7 + k * k * 131 + 1) % n); }
        std::sort(list.begin(), list.end());
        columns.insert(columns.end(), list.begin(), list.end());
        offsets.push_back(int64_t(columns.size()));
    }
    const gdsl_graph graph{n, int64_t(columns.size()), true, offsets.data(), columns.data()};
    const auto depths = [&](int source) {
        bfs_params params{};
        params.source = source;
        bfs_results results{};
        long sum = bfs_run(&graph, &params, &results);
        for (int v = 0; v < n; ++v) { sum += results.distance[v]; }
        bfs_free(&results);
        return sum;
    };
    std::vector<long> expected;
    for (int source = 0; source < 8; ++source) { expected.push_back(depths(source)); }
    int wrong = 0;
    for (int round = 0; round < 15; ++round) {
#pragma omp parallel for num_threads(4) reduction(+ : wrong)
        for (int source = 0; source < 8; ++source) { wrong += depths(source) != expected[source]; }
    }
    std::printf("%d wrong, %s\n", wrong, allowed() == before ? "all as before" : "some keep off");
}
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux says which processors a thread may use")
def test_calls_by_threads_of_the_caller(commands: dict[str, tuple[gdsl.Program, Path]], tmp_path: Path) -> None:
    """Threads of a region within a region end with it, so that nobody moves them afterwards."""
    directory = commands["bfs"][1].parent
    (tmp_path / "nested.cpp").write_text(NESTED, encoding="utf-8")
    made = ["g++", "-std=c++17", "-O1", "-fopenmp", f"-I{directory}", "nested.cpp"]
    sources = [str(path) for path in directory.glob("bfs*.cpp")]
    subprocess.run([*made, *sources, "-o", "nested"], cwd=tmp_path, check=True, timeout=120)
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    found = subprocess.run(
        [tmp_path / "nested"], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (found.returncode, found.stdout) == (0, "0 wrong, all as before\n")
