"""Text files that nobody wrote in good faith: numbers that are none, endless lines, files that are no files."""

from __future__ import annotations

import bz2
import gzip
import os
import subprocess
import sys
import tracemalloc
import warnings

import numpy as np
import pytest
from graph_cases import stored

import gdsl
from gdsl.cli.main import main
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, columns, native_text, write
from gdsl.graph import text as text_module

BANNER = "%%MatrixMarket matrix coordinate {} general\n"
NO_WHOLE = ["１２", "1_000", "0x1", "1.5", "1e0", "1.0", "٣", "²", "Ⅷ", "--1", "+-1", "+", "1,5", "nan", "inf", "one"]
NO_REAL = ["１２", "1_000.5", "0x1p3", "1d5", "1e", "e5", ".", "٣", "--1", "nan(1)", "infin", "1.5.5", "½", "1e5_0"]
OVERFLOWS = ["1e400", "-1e309", "1" + "0" * 400 + ".0", "1e99999999999999999999"]


def refused(path, content, **options):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(GdslError) as caught:
            Graph.read(path, **options)
    assert len(caught.value.diagnostics) == 1
    return caught.value.code, caught.value.diagnostics[0].place.removeprefix(str(path)), str(caught.value)


@pytest.mark.parametrize("word", NO_WHOLE)
def test_whole_numbers_are_decimal_ascii_digits(word, tmp_path):
    files = {
        "id.txt": (2, f"0 1\n{word} 1\n"),
        "first.txt": (1, f"{word} 1\n"),
        "destination.txt": (2, f"0 1\n1 {word}\n"),
        "row.mtx": (4, f"{BANNER.format('pattern')}9 9 2\n1 1\n{word} 1\n"),
        "value.mtx": (3, f"{BANNER.format('integer')}9 9 1\n1 1 {word}\n"),
        "arc.gr": (2, f"p sp 9 1\na 1 {word} 1\n"),
        "weight.gr": (2, f"p sp 9 1\na 1 1 {word}\n"),
    }
    if word in ("1.5", "1e0", "1.0"):  # weights of DIMACS files may be real numbers
        del files["weight.gr"]
    for name, (line, content) in files.items():
        code, place, text = refused(tmp_path / name, content)
        assert (code, place) == ("E0705", f":{line}"), (name, text)
        assert word.split(",")[0] in text or name == "first.txt", (name, text)
    for name, content in {"a.mtx": f"{BANNER.format('pattern')}{word} {word} 0\n", "a.gr": f"p sp 9 {word}\n"}.items():
        assert refused(tmp_path / name, content)[0] == "E0703"


@pytest.mark.parametrize("word", NO_REAL)
def test_real_numbers_are_decimal_ascii_digits(word, tmp_path):
    files = {
        "a.txt": (2, f"0 1 .5\n0 1 {word}\n"),
        "b.txt": (2, f"0 1 1\n0 1 {word}\n"),
        "a.mtx": (3, f"{BANNER.format('real')}9 9 1\n1 1 {word}\n"),
    }
    for name, (line, content) in files.items():
        code, place, text = refused(tmp_path / name, content)
        assert (code, place, word in text) == ("E0705", f":{line}", True), (name, text)


@pytest.mark.parametrize("word", OVERFLOWS)
def test_no_number_becomes_an_infinity(word, tmp_path):
    files = {
        "a.txt": (3, f"0 1 inf\n# c\n0 1 {word}\n"),
        "b.txt": (2, f"0 1 1\n0 1 {word}\n"),
        "c.csv": (2, f"u,v,weight,n\n0,1,{word},1\n0,1,1,1\n"),
        "a.mtx": (5, f"{BANNER.format('real')}9 9 2\n1 1 -inf\n\n1 1 {word}\n"),
    }
    if word in ("1.5", "1e0", "1.0"):  # weights of DIMACS files may be real numbers
        del files["weight.gr"]
    for name, (line, content) in files.items():
        code, place, text = refused(tmp_path / name, content)
        assert (code, place) == ("E0705", f":{line}"), (name, text)
        assert "is too large for a float64" in text


@pytest.mark.parametrize("word", ["1e-400", "-2e-324", "0." + "0" * 400 + "1", "00.10E-0999", "1e-99999999999999"])
def test_no_number_becomes_zero(word, tmp_path):
    files = {
        "a.txt": (3, f"0 1 0.0\n# c\n0 1 {word}\n"),
        "b.txt": (2, f"0 1 1\n0 1 {word}\n"),
        "c.csv": (2, f"u,v,weight,n\n0,1,{word},1\n0,1,1,1\n"),
        "d.csv": (3, f"u,v,weight\nA,B,1\nA,C,{word}\n"),
        "a.mtx": (5, f"{BANNER.format('real')}9 9 2\n1 1 0\n\n1 1 {word}\n"),
    }
    for name, (line, content) in files.items():
        code, place, text = refused(tmp_path / name, content)
        assert (code, place) == ("E0705", f":{line}"), (name, text)
        assert "is too close to 0 for a float64" in text and "write 0 where zero is meant" in text


@pytest.mark.parametrize("fast", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_no_number_of_a_large_file_becomes_zero(fast, tmp_path, monkeypatch):
    """By the reader in C++, which reads such numbers as Python does, and by NumPy."""
    monkeypatch.setattr(columns, "_FEW_BLOCKS", 1)
    monkeypatch.setattr(native_text, "WORTH_COMPILING", 0 if fast else 1 << 40)
    if not fast:
        monkeypatch.setattr(columns, "_fast_reader", lambda path: None)
    lines = [f"{row} {row + 1} 0.0\n" for row in range(300_000)]
    (tmp_path / "a.txt").write_text("".join(lines))
    assert not Graph.read(tmp_path / "a.txt").attributes["weight"].any()
    lines[290_000] = "1 2 3e-324\n2 3 7e-400\n"
    code, place, text = refused(tmp_path / "a.txt", "".join(lines))
    assert (code, place) == ("E0705", ":290002") and "`7e-400` is too close to 0 for a float64" in text


def test_values_are_kept_as_they_are_written(tmp_path):
    def weights(text):
        (tmp_path / "a.txt").write_text(text)
        return Graph.read(tmp_path / "a.txt").attributes["weight"]

    assert weights("0 1 1\n0 2 18446744073709551615\n").tolist() == [1, 2**64 - 1]
    assert weights("0 1 9223372036854775808\n").dtype == np.uint64
    assert weights("0 1 -9223372036854775808\n").tolist() == [-(2**63)]
    assert weights("0 1 1\n0 2 18446744073709551616.0\n0 3 .5\n").dtype == np.float64
    assert np.signbit(weights("0 1 -0.0\n")).all()
    assert weights("0 1 0e-400\n0 1 -0.0e-999\n").tolist() == [0.0, 0.0]
    assert weights("0 1 INF\n0 2 -Infinity\n0 3 +nan\n")[:2].tolist() == [np.inf, -np.inf]
    for text in (
        "0 1 1\n0 1 18446744073709551616\n",
        "0 1 -1\n0 1 18446744073709551615\n",
        f"0 1 1\n0 1 {'9' * 5000}\n",
        "0 1 1\n0 2 18446744073709551615\n0 3 .5\n",
        "0 1 .5\n0 2 9007199254740993\n",
    ):
        assert refused(tmp_path / "a.txt", text)[0] == "E0705"
    # One column that turns out to be real leaves the others whole.
    (tmp_path / "a.csv").write_text("u,v,weight,n\n0,1,1,9007199254740993\n0,1,.5,1\n")
    graph = Graph.read(tmp_path / "a.csv")
    assert [graph.attributes[name].tolist() for name in ("weight", "n")] == [[1, 0.5], [9007199254740993, 1]]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_ends_of_lines(end, tmp_path, monkeypatch):
    edges = [(0, 1), (1, 2), (2, 3)]
    for size in (1, 2, 3, 5, 1 << 20):
        monkeypatch.setattr(text_module, "_CHUNK", size)
        (tmp_path / "a.txt").write_bytes(end.join(["0 1", "", "1 2", "2 3", ""]).encode())
        assert stored(Graph.read(tmp_path / "a.txt")) == edges
        (tmp_path / "a.mtx").write_bytes(
            end.join([BANNER.format("pattern")[:-1], "4 4 3", "1 2", "2 3", "3 4", ""]).encode()
        )
        assert stored(Graph.read(tmp_path / "a.mtx")) == edges
        (tmp_path / "a.gr").write_bytes(
            end.join(["c x", "p sp 4 3", "a 1 2 1", "a 2 3 1", "a\t3 4\t1", "c"]).encode() + end.encode()
        )
        assert [edge[:2] for edge in stored(Graph.read(tmp_path / "a.gr"))] == edges
        assert refused(tmp_path / "b.txt", end.join(["0 1", "", "x 2", ""]))[1] == ":3"
    (tmp_path / "a.txt").write_bytes(b"0 1\r1 2\r\n2 3\n")
    assert stored(Graph.read(tmp_path / "a.txt")) == edges


def test_marks_at_the_start(tmp_path):
    for name, text in {
        "a.txt": "0 1\n",
        "a.mtx": f"{BANNER.format('pattern')}2 2 1\n1 2\n",
        "a.gr": "p sp 2 0\n",
    }.items():
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + text.encode())
        assert Graph.read(tmp_path / name).num_vertices == 2
        for encoding in ("utf-16-le", "utf-16-be", "utf-32"):
            code, place, message = refused(tmp_path / name, ("\ufeff" + text).encode(encoding))
            assert (code, place, "UTF-16" in message or encoding == "utf-32") == ("E0710", "", True)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.mtx", "a.gr"])
def test_long_lines_cost_no_memory(name, tmp_path):
    for start, line in ((b"", ":1"), (b"# c\n", ":2"), (b"0 1\n1 ", ":2")):
        path = tmp_path / name
        path.write_bytes(start + b"1" * 100_000_000)
        tracemalloc.start()
        with pytest.raises(GdslError) as caught:
            Graph.read(path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        # A file that begins with something else is refused for that.
        known = name in ("a.txt", "a.csv")
        assert caught.value.code == "E0710" or not known
        assert caught.value.diagnostics[0].place == f"{path}{line}" or not known
        assert peak < 10e6


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress])
@pytest.mark.parametrize("line", ["# c\n", "% c\n", " \n", "\n", "\r", "\t\r\n"])
def test_files_of_nothing_end(line, compress, tmp_path, monkeypatch):
    monkeypatch.setattr(text_module, "MOST_BLANK_LINES", 1000)
    content = compress(line.encode() * 3000)
    assert refused(tmp_path / "a.txt", content)[0] == "E0710"
    heads = {
        "a.mtx": BANNER.format("pattern"),
        "b.mtx": f"{BANNER.format('pattern')}9 9 9\n1 1\n",
        "a.gr": "p sp 9 9\n",
    }
    for name, head in heads.items():
        filler = line.replace("%", "c").replace("#", "c") if name == "a.gr" else line.replace("#", "%")
        code = refused(tmp_path / name, compress((head + filler * 3000).encode()))[0]
        assert code == "E0710" or (name == "b.mtx" and "%" in filler)


def test_what_is_no_file_is_said(tmp_path):
    (tmp_path / "loop.mtx").symlink_to("loop.mtx")
    (tmp_path / "gone.mtx").symlink_to("nowhere")
    (tmp_path / "d.npz").mkdir()
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "zero.txt").symlink_to("/dev/zero")
    (tmp_path / "a.txt").write_text("0 1\n")
    reasons = {
        "loop.mtx": "symbolic links",
        "gone.mtx": "No such file",
        "d.npz": "directory",
        "pipe.txt": "regular",
        "zero.txt": "regular",
        "a.txt/b.txt": "Not a directory",
        "x" * 300 + ".mtx": "too long",
        "none": "No such file",
    }
    for name, reason in reasons.items():
        for options in ({}, {"format": "edges"}, {"format": "npz"}):
            with pytest.raises(GdslError, match="E0701") as caught:
                Graph.read(tmp_path / name, **options)
            assert reason in str(caught.value)
            assert caught.value.diagnostics[0].place == str(tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_of_others(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.txt").write_text("0 1\n")
    for target, mode in ((tmp_path / "d" / "a.txt", 0o644), (tmp_path / "d", 0o755)):
        target.chmod(0)
        with pytest.raises(GdslError, match="Permission denied"):
            Graph.read(tmp_path / "d" / "a.txt")
        target.chmod(mode)


def test_messages_print_nothing_that_moves_the_cursor(tmp_path):
    evil = "\x1b[2J\x07\u202e"
    for name, content in {
        "a.txt": f"0 {evil}\n",
        "a.csv": f"u,v,w,{evil}\n",
        "a.gr": f"{evil}\n",
        "b.gr": f"p sp 1 0\n{evil}\n",
        "a.mtx": f"%%MatrixMarket matrix coordinate {evil} general\n",
        "b.mtx": f"%%MatrixMarket matrix coordinate real {evil}\n",
        "c.mtx": f"%%MatrixMarket matrix {evil} real general\n",
        "d.mtx": f"{BANNER.format('real')}{evil}\n",
    }.items():
        text = refused(tmp_path / name, content)[2]
        assert not set(evil[:1] + evil[4:]) & set(text), (name, text)


LIMITED = """
import sys
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
try:
    Graph.read(sys.argv[1])
except GdslError as error:
    # Not `getrusage`, which begins with what the parent had.
    print(error.code, open("/proc/self/status").read().partition("VmHWM:")[2].split()[0])
"""


def test_a_file_of_holes_is_not_read_into_memory(tmp_path):
    """A terabyte that takes no room on the disk."""
    for name, head in {"a.txt": b"0 1\n", "a.mtx": BANNER.format("pattern").encode(), "a.npz": b"PK\x03\x04"}.items():
        (tmp_path / name).write_bytes(head)
        os.truncate(tmp_path / name, 10**12)
        command = [sys.executable, "-c", LIMITED, str(tmp_path / name)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        code, kilobytes = done.stdout.split()
        assert code == "E0710"
        assert int(kilobytes) < 400_000


@pytest.mark.parametrize("content", ["0 1\n1 x\n", "0 1 1e999\n", "0 1\n1\n", "", "\0"])
def test_a_conversion_that_fails_leaves_nothing(content, tmp_path, capfd):
    (tmp_path / "a.txt").write_text(content)
    for target in ("b.mtx", "b.npz", "b.csv.gz"):
        assert main(["graph", "convert", str(tmp_path / "a.txt"), str(tmp_path / target)]) != 0
        message = capfd.readouterr().err
        assert f"{tmp_path / 'a.txt'}" in message
        assert "Traceback" not in message
        assert "internal" not in message
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("name", ["a b", "a,b", "a;b", "#a", "%a", '"a', "1", "1e5", "", "nan", "a\nb", "a\x1b"])
def test_names_that_a_first_line_cannot_hold(name, tmp_path):
    graph = Graph.from_edges([0], [1], 2, [1], attributes={name: [2]})
    for suffix in ("csv", "tsv"):
        with pytest.raises(GdslError, match="E0715"):
            write(graph, tmp_path / f"a.{suffix}")
    assert os.listdir(tmp_path) == []
    write(Graph.from_edges([0], [1], 2, [1], attributes={"län_1": [2]}), tmp_path / "a.csv")
    assert list(Graph.read(tmp_path / "a.csv").attributes) == ["weight", "län_1"]


@pytest.mark.parametrize(
    "call",
    [
        lambda huge: gdsl.Graph.from_table({"a": [huge], "b": [1]}),
        lambda huge: gdsl.Graph.generate(f"grid:1{'0' * 5000}"),
        lambda huge: gdsl.samples.bfs(gdsl.Graph.from_edges([0], [1]), source=0, gpus=huge),
        gdsl.cluster,
    ],
    ids=["table", "generator", "gpus", "workers"],
)
def test_numbers_that_python_refuses_to_write_are_one_short_message(call):
    with pytest.raises(gdsl.GdslError) as found:
        call(10**5000)
    assert len(str(found.value)) < 400
