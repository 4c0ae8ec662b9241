"""Exported commands refuse what gdsl refuses, with the same codes, and write nothing then."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from support.exported import call
from support.rich import graph_text

import gdsl
from gdsl.graph import Graph

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        ({"first": "6"}, "E0608", "param `first` must fulfill `out_degree(first) > 0`, but it is 6"),
        ({"first": "7"}, "E0604", "param `first` is 7, which is not a vertex of the graph (vertices 0 to 6)"),
        ({"first": "-1"}, "E0604", "is -1"),
        ({"first": "1.5"}, "E0603", "'1.5' is not a value of type vertex"),
        ({"first": "99999999999"}, "E0603", "is not a value of type vertex"),
        ({"scale": "0"}, "E0608", "param `scale` must fulfill `scale > 0.0`, but it is 0"),
        ({"scale": "nan"}, "E0608", "but it is nan"),
        ({"scale": "1e999"}, "E0603", "not a value of type float64"),
        ({"scale": "9007199254740993"}, "E0603", "'9007199254740993' is not a value of type float64"),
        ({"sites": "2,6"}, "E0608", "but vertex 6 is in it"),
        ({"sites": "2,-1"}, "E0604", "is -1, which is not a vertex"),
        ({"rank": "-1"}, "E0614", "an element of `grid` would have 0 values"),
        ({"rank": "2"}, "E0606", "input `grid` has 28 values, and must have 21"),
        ({"grid": "@negative"}, "E0608", "but value 1 of vertex 2 has -1"),
        ({"mark": "@large"}, "E0608", "but vertex 3 has 100"),
        ({"mark": "@negative_mark"}, "E0611", "'-1' is not a value of type uint32"),
        ({"mark": "@short"}, "E0606", "input `mark` has 2 values, but the graph has 7"),
        ({"mark": "3"}, "E0607", "takes an array, not one value"),
        ({"mark": "@nowhere"}, "E0611", "cannot read"),
        ({"friend": "@strange"}, "E0604", "is 7, which is not a vertex"),
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
        ("77", "E0608", "input `weight` must fulfill `fine(weight)`, but edge 4 (2 -> 0) has 77"),
        ("3000000000", "E0607", "edge 4 (2 -> 0) has 3000000000, which int32 cannot hold"),
    ):
        path = tmp_path / f"{value}.mtx"
        text = graph_text().replace("%%MatrixMarket", "%MatrixMarket", 1)  # as some public files have it
        path.write_text(text.replace("3 1 4\n", f"3 1 {value}\n"), encoding="utf-8")
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
        ("1 2\n", "E0703", ":1: this is not a Matrix Market file"),
        (graph_text().replace("coordinate", "array"), "E0704", "dense"),
        (graph_text().replace("integer", "complex"), "E0704", "complex"),
        (graph_text().replace("general", "hermitian"), "E0704", "hermitian"),
        (graph_text().replace("integer", "text"), "E0703", "unknown kind of values `text`"),
        (graph_text().replace("7 7 9", "7 8 9"), "E0704", ":3: the matrix is rectangular"),
        (graph_text().replace("7 7 9", "7 7"), "E0703", ":3: this is not `rows columns entries`"),
        (graph_text().replace("7 7 9", "7 7 10"), "E0706", "ends after 9 entries"),
        (graph_text().replace("7 7 9", "7 7 8"), "E0706", ":12: the file goes on after the 8 entries"),
        (graph_text().replace("3 1 4", "3 0 4"), "E0707", ":6: 0 is not a vertex: Matrix Market ids count from 1"),
        (graph_text().replace("3 1 4", "3 8 4"), "E0707", ":6: 8 is not a vertex"),
        (graph_text().replace("3 1 4", "3 1"), "E0705", ":6: this is not `row column value`"),
        (graph_text().replace("3 1 4", "3 1 4 5"), "E0705", ":6: this is not"),
        (graph_text().replace("3 1 4", "3 1 4.5"), "E0705", ":6: this is not"),
        (graph_text()[:-2], "E0705", ":12:"),
        (graph_text()[:-1], "E0706", "no line end"),
        (graph_text().replace("7 7 9", "2147483647 2147483647 9"), "E0610", "64 bits"),
        (graph_text().replace("7 7 9", "7 7 999999999999"), "E0706", "ends after 9 entries"),
        (graph_text().replace("\n", "\r\n").replace("3 1 4", "3 1 x"), "E0705", ":6: this is not"),
        (graph_text() + "x" * 2**20 + "\n", "E0705", ":13: the line has more than"),
        (graph_text().replace("3 1 4", "3 1 4\0"), "E0710", ":6: the line has a NUL byte"),
        (graph_text().replace("3 1 4", "3 1\x004"), "E0710", ":6: the line has a NUL byte"),
        ("\0" + graph_text(), "E0710", ":1: the line has a NUL byte"),
        (graph_text()[:-2] + "\0", "E0710", ":12: the line has a NUL byte"),
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


HEAD = "%%MatrixMarket matrix coordinate pattern general"


@pytest.mark.skipif(shutil.which("yes") is None, reason="no program writes without end here")
@pytest.mark.parametrize(
    ("input_", "words", "error"),
    [
        ("cat /dev/zero", "source=0", "E0710: /dev/stdin:1: the line has a NUL byte"),
        ("yes", "source=0", "E0703: /dev/stdin:1: this is not a Matrix Market file"),
        (f"echo '{HEAD}'; yes %%%%%%%%%%%%%%%%%%%%%%%%%%%%%%", "source=0", "of comments and blank lines"),
        (f"echo '{HEAD}'; echo 3 3 2; yes '                        '", "source=0", "of comments and blank lines"),
        (
            f"echo '{HEAD}'; echo 3 3 2; yes 1 1",
            "source=0",
            "E0706: /dev/stdin:5: the file goes on after the 2 entries",
        ),
        (
            f"echo '{HEAD}'; echo 3 3 {2**62}; yes 1 1",
            "source=0",
            "E0708: /dev/stdin:2: there is not enough free memory",
        ),
        (f"echo '{HEAD}'; yes 1 | tr -d '\\n'", "source=0", "E0705: /dev/stdin:2: the line has more than"),
    ],
)
def test_input_without_end(commands: dict[str, tuple[gdsl.Program, Path]], input_: str, words: str, error: str) -> None:
    line = f"({input_}) | {shlex.quote(str(commands['bfs'][1]))} /dev/stdin {words}"
    found = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60, check=False)
    assert found.returncode == 1 and found.stdout == ""
    assert error in found.stderr and found.stderr.count("\n") == 1


@pytest.mark.skipif(shutil.which("yes") is None, reason="no program writes without end here")
@pytest.mark.parametrize(
    ("input_", "name", "error"),
    [
        ("yes 1", "sites", "E0603: param `sites` has more than 1000112 values"),
        ("yes 1", "mark", "E0606: input `mark` has more than 1000007 values"),
        ("cat /dev/zero", "mark", "E0611: input `mark`: there is a NUL byte"),
        ("printf '1 2\\0 3'", "sites", "E0603: param `sites`: there is a NUL byte"),
        ("yes , | tr -d '\\n'", "sites", "too many blanks and commas"),
        ("yes 1 | tr -d '\\n'", "mark", "is not a value of type uint32"),
    ],
)
def test_values_without_end(
    commands: dict[str, tuple[gdsl.Program, Path]],
    rich_values: tuple[Path, Graph, dict[str, str], dict[str, object]],
    input_: str,
    name: str,
    error: str,
) -> None:
    path, _, given, _ = rich_values
    words = [f"{each}={'@/dev/stdin' if each == name else value}" for each, value in given.items()]
    line = f"({input_}) | {shlex.join([str(commands['rich'][1]), str(path), *words])}"
    found = subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60, check=False)
    assert found.returncode == 1 and error in found.stderr, found.stderr


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


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no /dev/full")
def test_outputs_that_take_nothing(commands: dict[str, tuple[gdsl.Program, Path]], tmp_path: Path) -> None:
    command, path = commands["bfs"][1], tmp_path / "graph.mtx"
    path.write_text(graph_text(), encoding="utf-8")
    with open("/dev/full", "w") as full:
        words = [str(command), str(path), "source=0"]
        found = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (found.returncode, found.stderr) == (1, "error E0911: cannot write the output\n")


def test_outputs_stay_what_they_are(commands: dict[str, tuple[gdsl.Program, Path]], tmp_path: Path) -> None:
    """A pipe is written and not replaced; of a link what it points to is."""
    command, path = commands["bfs"][1], tmp_path / "graph.mtx"
    path.write_text(graph_text(), encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "old.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "old.csv")
    with subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE, text=True) as reader:
        assert call(command, str(path), "source=0", "--vertices", str(tmp_path / "pipe")).returncode == 0
        piped = reader.communicate(timeout=30)[0]
    assert call(command, str(path), "source=0", "--vertices", str(tmp_path / "link.csv")).returncode == 0
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "old.csv").read_text() == piped
    assert piped.startswith("vertex,distance,parent\n0,0,-1\n")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["graph.mtx", "link.csv", "old.csv", "pipe"]
