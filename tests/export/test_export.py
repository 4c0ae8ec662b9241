"""Exported C++: compiled by a plain compiler it gives what gdsl gives, and refuses what gdsl refuses."""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from support.exported import agree, build, call, run, same_table, write_graph

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.export import export
from gdsl.export.exporting import files_of
from gdsl.graph import Graph

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "export.md"
pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")

RICH = """\"\"\"Something of everything that the host prepares, checks or hands back.\"\"\"
program rich;

problem {
    param  first  : vertex where out_degree(first) > 0;
    param  scale  : float64 = 2.0 where scale > 0.0;
    param  offset : int64 = 3;
    param  sites  : vertex set where out_degree(id) > 0;
    param  rank   : int32 = 2;
    param  double : bool = true;
    param  where_to : int64 = 1;
    input  edge   weight : int32 where fine(weight);
    input  vertex mark   : uint32 where mark < uint32(100);
    input  vertex friend : vertex;
    input  vertex grid[rank + 1] : float32 where grid >= 0.0 && part < rank + 1;
    vertex least  : (float64, vertex) = (inf, none);
    vertex linked : bool;
    vertex point[rank + 1] : float32 = grid[id][part];
    vertex near_site : bool;
    vertex known  : vertex = friend[id];
    edge   back   : edge;
    edge   cost   : int64;
    scalar best   : (float64, vertex) = (inf, none);
    scalar total  : int64;
    vertex in_sum : int64;
    vertex odd    : uint32 = mark[id];
    local vertex other : uint32 = 7;
}

function fine(x : int32) -> bool { return x >= 0 && x != 77; }

edge functor offer(src, dst, e) {
    apply {
        least[dst] min= (float64(weight[e]) * scale, src);
        cost[e] = int64(weight[e]) + offset;
        back[e] = reverse(e);
        total += int64(weight[e]);
    }
}
edge functor load(src, dst, e) -> int64 { value int64(weight[e]); }
vertex functor choose(v) { apply { best min= least[v]; } }
vertex functor site(v) { apply { near_site[v] = true; } }

schedule {
    advance(vertices, offer);
    compute(vertices, choose);
    compute(sites, site);
    linked[first] = double;
    linked[vertex(where_to)] = double;
    in_sum = neighbor_reduce(vertices, load, sum, over=in_edges);
    swap(odd, other);
}
"""
EDGES = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2), (1, 0), (1, 0), (5, 5)]
WEIGHTED = [3, 1, 4, 1, 5, 9, 2, 6, 5]


def graph_text(symmetry: str = "general", field: str = "integer", vertices: int = 7) -> str:
    lines = [f"%%MatrixMarket matrix coordinate {field} {symmetry}", "%", f"{vertices} {vertices} {len(EDGES)}"]
    lines += [f"{u + 1} {v + 1} {w}" for (u, v), w in zip(EDGES, WEIGHTED, strict=True)]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[gdsl.Program, Path]]:
    """Both programs, compiled side by side."""
    programs = {"bfs": gdsl.compile(ROOT / "samples" / "bfs.gdsl"), "rich": gdsl.compile(RICH)}

    directories = {name: tmp_path_factory.mktemp(name) / "made" for name in programs}

    def made(name: str) -> tuple[gdsl.Program, Path]:
        return programs[name], build(programs[name], "cpu", directories[name], ["-O1"], leave=["-O3"])

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(programs, pool.map(made, programs), strict=True))


@pytest.fixture(scope="module")
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


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        ({"first": "6"}, "E0608", "param `first` must fulfil `out_degree(first) > 0`, but it is 6"),
        ({"first": "7"}, "E0604", "param `first` is 7, which is no vertex of the graph (vertices 0 to 6)"),
        ({"first": "-1"}, "E0604", "is -1"),
        ({"first": "1.5"}, "E0603", "'1.5' is no value of type vertex"),
        ({"first": "99999999999"}, "E0603", "is no value of type vertex"),
        ({"scale": "0"}, "E0608", "param `scale` must fulfil `scale > 0.0`, but it is 0"),
        ({"scale": "nan"}, "E0608", "but it is nan"),
        ({"scale": "1e999"}, "E0603", "no value of type float64"),
        ({"sites": "2,6"}, "E0608", "but vertex 6 is in it"),
        ({"sites": "2,-1"}, "E0604", "is -1, which is no vertex"),
        ({"rank": "-1"}, "E0614", "an element of `grid` would have 0 values"),
        ({"rank": "2"}, "E0606", "input `grid` has 28 values, and must have 21"),
        ({"grid": "@negative"}, "E0608", "but value 1 of vertex 2 has -1"),
        ({"mark": "@large"}, "E0608", "but vertex 3 has 100"),
        ({"mark": "@negative_mark"}, "E0611", "'-1' is no value of type uint32"),
        ({"mark": "@short"}, "E0606", "input `mark` has 2 values, but the graph has 7"),
        ({"mark": "3"}, "E0607", "takes an array, not one value"),
        ({"mark": "@nowhere"}, "E0611", "cannot read"),
        ({"friend": "@strange"}, "E0604", "is 7, which is no vertex"),
        ({"where_to": "7"}, "E0801", "index none of `linked` is out of range: there are 7 elements"),
        ({"unknown": "1"}, "E0602", "has no param and no input `unknown`"),
        ({"first": None}, "E0601", "param `first` has no value"),
        ({"mark": None}, "E0605", "input `mark` has no values"),
    ],
)
def test_what_is_refused(
    commands: dict[str, tuple[gdsl.Program, Path]],
    rich_values: tuple[Path, Graph, dict[str, str], dict[str, object]],
    tmp_path: Path,
    more: dict[str, str | None],
    code: str,
    words: str,
) -> None:
    files = {
        "negative": ["1"] * 9 + ["-1"] + ["1"] * 18,
        "large": ["1", "2", "3", "100", "1", "2", "3"],
        "negative_mark": ["-1"] * 7,
        "short": ["1", "2"],
        "strange": ["7"] * 7,
    }
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    path, _, given, _ = rich_values
    changed = {name: value for name, value in {**given, **more}.items() if value is not None}
    texts = [
        f"{name}={value.replace('@', f'@{tmp_path}/') if name in more else value}" for name, value in changed.items()
    ]
    found = call(commands["rich"][1], str(path), *texts)
    assert found.returncode == 1
    assert found.stdout == ""
    assert found.stderr.startswith(f"error {code}: ")
    assert found.stderr.count("\n") == 1
    assert words in found.stderr


def test_weights_that_the_condition_refuses(
    commands: dict[str, tuple[gdsl.Program, Path]],
    rich_values: tuple[Path, Graph, dict[str, str], dict[str, object]],
    tmp_path: Path,
) -> None:
    _, _, given, _ = rich_values
    words = [f"{name}={value}" for name, value in given.items()]
    for value, code, said in (
        ("77", "E0608", "input `weight` must fulfil `fine(weight)`, but edge 4 (2 -> 0) has 77"),
        ("3000000000", "E0607", "a value that int32 cannot hold"),
    ):
        path = tmp_path / f"{value}.mtx"
        path.write_text(graph_text().replace("3 1 4\n", f"3 1 {value}\n"), encoding="utf-8")
        found = call(commands["rich"][1], str(path), *words)
        assert found.returncode == 1
        assert found.stderr.startswith(f"error {code}: ")
        assert said in found.stderr
    path.write_text(graph_text(field="real"), encoding="utf-8")
    assert "E0607: input `weight` is int32, but the values" in call(commands["rich"][1], str(path), *words).stderr


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("", "E0716", "is empty"),
        ("1 2\n", "E0703", ":1: this is no Matrix Market file"),
        (graph_text().replace("coordinate", "array"), "E0704", "dense"),
        (graph_text().replace("integer", "complex"), "E0704", "complex"),
        (graph_text().replace("general", "hermitian"), "E0704", "hermitian"),
        (graph_text().replace("integer", "text"), "E0703", "unknown kind of values `text`"),
        (graph_text().replace("7 7 9", "7 8 9"), "E0704", ":3: the matrix is rectangular"),
        (graph_text().replace("7 7 9", "7 7"), "E0703", ":3: this is not `rows columns entries`"),
        (graph_text().replace("7 7 9", "7 7 10"), "E0706", "ends after 9 entries"),
        (graph_text().replace("7 7 9", "7 7 8"), "E0706", ":12: the file goes on after the 8 entries"),
        (graph_text().replace("3 1 4", "3 0 4"), "E0707", ":6: 0 is no vertex: Matrix Market ids count from 1"),
        (graph_text().replace("3 1 4", "3 8 4"), "E0707", ":6: 8 is no vertex"),
        (graph_text().replace("3 1 4", "3 1"), "E0705", ":6: this is not `row column value`"),
        (graph_text().replace("3 1 4", "3 1 4 5"), "E0705", ":6: this is not"),
        (graph_text().replace("3 1 4", "3 1 4.5"), "E0705", ":6: this is not"),
        (graph_text()[:-2], "E0705", ":12:"),
        (graph_text()[:-1], "E0706", "no line end"),
        (graph_text().replace("7 7 9", "2147483647 2147483647 9"), "E0610", "64 bits"),
        (graph_text().replace("7 7 9", "7 7 999999999999"), "E0706", "ends after 9 entries"),
        (graph_text().replace("\n", "\r\n").replace("3 1 4", "3 1 x"), "E0705", ":6: this is not"),
        (None, "E0701", "cannot read"),
    ],
)
def test_bad_files(
    commands: dict[str, tuple[gdsl.Program, Path]], tmp_path: Path, text: str | None, code: str, words: str
) -> None:
    path = tmp_path / "graph.mtx"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    found = call(commands["bfs"][1], str(path), "source=0")
    assert found.returncode == 1
    assert found.stderr.startswith(f"error {code}: ")
    assert words in found.stderr


def test_wrong_use(commands: dict[str, tuple[gdsl.Program, Path]], tmp_path: Path) -> None:
    command, path = commands["bfs"][1], tmp_path / "graph.mtx"
    path.write_text(graph_text(), encoding="utf-8")
    for words in ((), (str(path), "more"), (str(path), "--vertices"), (str(path), "--none"), (str(path), "a=1", "a=2")):
        found = call(command, *words)
        assert found.returncode == 2
        assert "usage: bfs GRAPH.mtx source=VALUE" in found.stderr
    assert call(command, "--help").stdout == "usage: bfs GRAPH.mtx source=VALUE [--vertices FILE.csv]\n"
    found = call(command, str(path), "source=0", "--vertices", str(tmp_path / "none" / "x.csv"))
    assert (found.returncode, "E0911" in found.stderr) == (1, True)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["graph.mtx"]


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


def test_a_folder_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = gdsl.compile("bfs")

    def write(directory: Path, force: bool = False) -> None:
        export(program.ir, program.text, "cpu", directory, force=force)

    write(tmp_path / "new")
    (tmp_path / "empty").mkdir()
    write(tmp_path / "empty")
    names = sorted(each.name for each in (tmp_path / "new").iterdir())
    assert names == sorted(each.name for each in (tmp_path / "empty").iterdir())
    for directory, words in (
        (tmp_path / "new", "is not empty"),
        (tmp_path / "new" / "bfs.h", "there is a file of that name"),
        (tmp_path / "none" / "deeper", "there is no directory"),
    ):
        with pytest.raises(GdslError, match=words) as error:
            write(directory)
        assert error.value.code == "E0911"
    (tmp_path / "new" / "bfs.h").write_text("mine")
    (tmp_path / "new" / "notes").write_text("mine")
    write(tmp_path / "new", force=True)
    assert "bfs_run" in (tmp_path / "new" / "bfs.h").read_text()
    assert (tmp_path / "new" / "notes").read_text() == "mine"

    def broken(self: Path, *_: object, **__: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", broken)
    with pytest.raises(GdslError, match="No space left"):
        write(tmp_path / "third")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["empty", "new"]


@pytest.mark.parametrize("name", ["main", "math", "Limits", "test", "gdsl_graph", "x" * 300])
def test_names_of_files_are_no_others(name: str) -> None:
    """Neither headers of the system, nor other files of the folder, nor what CMake calls targets of its own."""
    program = gdsl.compile(f"program {name}; problem {{ vertex a : int32 = 1; }} schedule {{ fill(a, 2); }}")
    files = files_of(program.ir, program.text, "cpu")
    stem = f"{name}_program" if len(name) < 100 else name[:100]
    assert list(files)[:2] == [f"{stem}.h", f"{stem}.cpp"]
    assert f'#include "{stem}.h"' in files["main.cpp"]
    assert f"add_executable({stem} main.cpp)" in files["CMakeLists.txt"]


@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_names_of_any_kind(tmp_path: Path, backend: str) -> None:
    """What a program may call its data and itself stands in the files without harm."""
    text = textwrap.dedent(
        """
        program main;
        problem {
            param  int       : int32 = 1;
            param  NULL      : float64 = 0.5;
            vertex double    : int32 = 3;
            vertex errno     : float32;
            scalar iterations : int64 = 4;
            vertex iterations_ : bool;
        }
        schedule { fill(double, int); fill(errno, float32(NULL)); }
        """
    )
    program = gdsl.compile(text)
    names = export(program.ir, program.text, backend, tmp_path / "made")
    assert len(set(names)) == len(names)
    assert "main_program.h" in names
    caller = '#include "main_program.h"\nint main(void) { main_params p = {1, 0.5}; return p.int_ - 1; }\n'
    (tmp_path / "made" / "caller.c").write_text(caller)
    check = ["gcc", "-std=c99", "-Wall", "-Werror", "-fsyntax-only", "caller.c"]
    subprocess.run(check, cwd=tmp_path / "made", check=True, timeout=60)
    if backend == "cpu":
        check = ["g++", "-std=c++17", "-fsyntax-only", "main_program.cpp", "main_program_checks.cpp"]
        subprocess.run(check, cwd=tmp_path / "made", check=True, timeout=60)
