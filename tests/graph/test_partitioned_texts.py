"""Text files that several workers read: the shares, errors and notices are those of one process."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.graph.graph_cases import edge_lists
from tests.graph.partitioned_cases import SIZES, assert_as_alone, write

_LISTS = {
    "plain": "0 1\n1 2\n2 0\n0 1\n3 3\n",
    "weights": "0 1 5\n1 2 7\n2 0 -3\n0 1 2\n",
    "reals come late": "0 1 5\n1 2 7\n2 0 3\n0 1 2.5\n4 1 9\n",
    "large whole numbers come late": "0 1 5\n1 2 7\n2 0 18446744073709551615\n0 1 2\n",
    "too large after negative": "0 1 -5\n1 2 7\n2 0 18446744073709551615\n0 1 2.5\n",
    "comments": "# a\n% b\n0 1\n# c\n\n1 2 # d\n// e\n2 0\n",
    "long comments first": "# a comment\n" * 30 + "0 1\n1 2\n2 3\n",
    "header": "source,target,weight\n0,1,2\n1,2,3\n2,5,4\n",
    "header after comments": "# a\n# b\n# c\nsource,target,weight\n0,1,2\n1,2,3\n",
    "names": "from,to,km\nBerlin,Paris,1\nParis,Rome,2\nRome,Berlin,3\nBerlin,Zürich,4\nZürich,Oslo,5\n",
    "quotes": 'from,to\n"a, b",c\nc,"a, b"\nd,"e ""f"""\ng,h\n',
    "values over lines": 'source,target,note,w\na,b,"1\n2\n3",1\nb,c,"x",2\nc,d,"y\n\nz",3\nd,e,"",4\ne,f,"k\nl",5\n',
    "an open quote": 'source,target\na,b\nc,"d\ne,f\ng,h\n',
    "something after a quote": 'source,target\na,b\nc,"d"x\ne,f\n',
    "text column": "source,target,kind,weight\n0,1,a,1\n1,2,b,2\n2,3,c,3\n3,4,d,4\n",
    "a few texts in a column": "source,target,weight\n0,1,1\n1,2,2\n2,3,x\n3,4,4\n4,5,5\n",
    "missing weights": "source,target,weight\n0,1,1\n1,2,\n2,3,3\n3,4,4\n",
    "missing values": "source,target,weight,other\n0,1,1,1\n1,2,2,\n2,3,3,3\n3,4,4,4\n",
    "types": "source,target,Type\na,b,Undirected\nb,c,Undirected\nc,d,Undirected\n",
    "types differ": "source,target,Type\na,b,Undirected\nb,c,Directed\nc,d,Undirected\n",
    "types unknown": "source,target,Type\na,b,Mixed\nb,c,x\nc,d,y\nd,e,Undirected\n",
    "a word too many": "0 1\n1 2\n2 3 4\n3 4\n",
    "two bad lines": "0 1\n1 x\n2 3\n3 y\n4 5\n",
    "bad first, bad last": "source,target\n0,1,2\n1,2\n2,3\n3,4,5\n",
    "negative": "0 1\n1 2\n2 -3\n-4 4\n5 6\n",
    "ids too large": "0 1\n1 2\n2 99999999999\n3 4\n",
    "ids beyond int64": "source,target\n0,1\n1,2\n2,99999999999999999999999\n3,4\n",
    "real ids": "0 1\n1 2\n2 3.5\n3 4\n",
    "counts": "5 4\n0 1\n1 2\n2 3\n3 4\n",
    "three counts": "5 5 4\n0 1 1\n1 2 1\n2 3 1\n3 4 1\n",
    "an empty line": "0 1\n1 2\n\n2 3\n3 4\n",
    "sections": "0 5\n1 6\n2 7\n\n0 1\n1 2\n2 0\n",
    "a second list": "source,target\na,b\nb,c\n\nid,name\n1,x\n2,y\n",
    "names after a gap": "source,target\n1,2\n2,3\n\na,b\n1,3\n",
    "comment that may be a row": "source,target\na,b\nb,c\n#d,e\nc,d\n",
    "SNAP": "# Nodes: 9 Edges: 4\n0 1\n1 2\n2 3\n3 4\n",
    "undirected": "# undirected\n0 1\n1 2\n2 1\n3 4\n4 3\n0 1\n",
    "KONECT": "% sym unweighted\n% 4 5 5\n1 2\n2 3\n3 4\n4 5\n",
    "KONECT, bipartite": "% bip\n% 4 3 5\n1 2\n2 3\n3 4\n1 5\n",
    "KONECT, times": "% asym weighted\n1 2 1 1100000000\n2 3 1 1100000001\n3 1 2 1100000002\n",
    "times": "0 1 1100000000\n1 2 1100000001\n2 3 1100000002\n",
    "row numbers": "".join(f"{at} {at % 3} {at % 5}\n" for at in range(12)),
    "CRLF": "source,target,weight\r\n0,1,2\r\n1,2,3\r\n\r\n2,5,4\r\n",
    "CR": "0 1\r1 2\r2 3\r3 4\r",
    "mixed line ends": "0 1\r\n1 2\n2 3\r3 4\n\r5 6\r\n",
    "no final newline": "0 1\n1 2\n2 3",
    "a mark of UTF-8": "\ufeff0 1\n1 2\n2 3\n",
    "one line": "0 1",
    "empty": "",
    "comments only": "# a\n# b\n",
    "a header only": "source,target\n",
    "dictionaries": "0 1 {'weight': 3}\n1 2 {'weight': 4}\n",
    "R's row names": '"from" "to"\n"1" "a" "b"\n"2" "b" "c"\n"3" "c" "d"\n',
    "trailing commas": "0,1,\n1,2,\n2,3,\n",
    "wide rows": "source,target\na,b,,\nb,c\n#x\nc,d,,\nd,e\n",
    "inexact next to reals": "source,target,weight,x\na,b,1.5,1\nb,c,9007199254740993,2\nc,d,2,3\n",
    "adjacency": "a b c\nb c\nc a b d e\nd a\n",
}


@pytest.mark.sampled(25)
@pytest.mark.parametrize("text", _LISTS.values(), ids=_LISTS)
@pytest.mark.parametrize("options", [{}, {"compact": True}, {"undirected": True}], ids=str)
def test_lists(tmp_path: Path, text: str, options: dict[str, Any]) -> None:
    assert_as_alone(write(tmp_path, text, "csv" if "," in text else "edges"), **options)


_SIZES = st.sampled_from(SIZES)
_WORDS = st.sampled_from(
    ["0", "1", "2", "7", "12", "a", "b", "é", "日本", "-1", "1.5", "", "nan", "x y", '"q"', '"', "#c"]
)
_ROWS = st.lists(st.lists(_WORDS, min_size=1, max_size=4), max_size=12)
_NUMBERS = st.lists(
    st.lists(st.sampled_from(["0", "1", "2", "30", "-4", "2.5", "9" * 19]), min_size=2, max_size=3), max_size=15
)
_OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "one_based": st.booleans(),
        "num_vertices": st.sampled_from([3, 40]),
        "directed": st.booleans(),
        "undirected": st.just(True),
        "weights": st.just("random:7"),
        "dedup": st.sampled_from(["first", "sum", "min", "max"]),
        "loops": st.just(False),
        "compact": st.booleans(),
    },
)


def _compare(text: bytes, suffix: str, options: dict[str, Any], size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert_as_alone(write(folder, text, suffix), size, **options)


@given(
    _ROWS,
    st.sampled_from([" ", ",", "\t", ";"]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
    _OPTIONS,
    _SIZES,
)
def test_random_lists(
    rows: list[list[str]], mark: str, end: str, whole: bool, options: dict[str, Any], size: int
) -> None:
    lines = [mark.join(row) for row in rows]
    _compare((end.join(lines) + end * whole).encode(), "csv" if mark == "," else "edges", options, size)


@given(
    _NUMBERS,
    st.booleans(),
    st.sampled_from(["", "# c\n", "% sym\n", "# undirected\n", "source target weight\n"]),
    _OPTIONS,
    _SIZES,
)
def test_random_lists_of_numbers(
    rows: list[list[str]], even: bool, head: str, options: dict[str, Any], size: int
) -> None:
    width = len(rows[0]) if rows else 0
    lines = [" ".join((row * 2)[:width] if even else row) for row in rows]
    _compare((head + "".join(line + "\n" for line in lines)).encode(), "edges", options, size)


_NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=5)


@given(st.lists(st.tuples(_NAMES, _NAMES, st.integers(-9, 9)), max_size=12), _OPTIONS, _SIZES)
def test_random_names(rows: list[tuple[str, str, int]], options: dict[str, Any], size: int) -> None:
    def quoted(name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    lines = (f"{quoted(source)},{quoted(target)},{weight}" for source, target, weight in rows)
    _compare("\n".join(["source,target,weight", *lines]).encode(), "csv", options, size)


@given(st.binary(max_size=60), st.sampled_from(["edges", "csv", "mtx", "gr"]), _SIZES)
def test_random_bytes(text: bytes, suffix: str, size: int) -> None:
    _compare(text, suffix, {}, size)


_ENTRIES = st.lists(
    st.tuples(st.integers(1, 5), st.integers(1, 5), st.sampled_from(["1", "-2", "2.5", "1e3", "x"])), max_size=12
)


@given(
    _ENTRIES,
    st.sampled_from(["pattern", "integer", "real"]),
    st.sampled_from(["general", "symmetric"]),
    st.integers(-1, 1),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from([{}, {"dedup": "sum"}, {"undirected": True}, {"compact": True}, {"reverse_arcs": True}]),
    _SIZES,
)
def test_random_matrices(
    entries: list[tuple[int, int, str]],
    field: str,
    symmetry: str,
    more: int,
    end: str,
    whole: bool,
    options: dict[str, Any],
    size: int,
) -> None:
    rows = [f"{row} {column}" + (f" {value}" if field != "pattern" else "") for row, column, value in entries]
    head = [f"%%MatrixMarket matrix coordinate {field} {symmetry}", "% c", f"5 5 {max(len(rows) + more, 0)}"]
    _compare((end.join([*head, *rows]) + end * whole).encode(), "mtx", options, size)


@given(
    _ENTRIES,
    st.sampled_from(["sp", "max", "min", "edge", "tw"]),
    st.integers(-1, 1),
    st.lists(st.sampled_from(["c x", "n 1 s", "n 2 t", "n 1 4", "", "q"]), max_size=3),
    st.sampled_from([{}, {"dedup": "min"}, {"loops": False}, {"compact": True}, {"reverse_arcs": True}]),
    _SIZES,
)
def test_random_networks(
    entries: list[tuple[int, int, str]], kind: str, more: int, others: list[str], options: dict[str, Any], size: int
) -> None:
    values = {"sp": 1, "max": 1, "min": 3}.get(kind, 0)
    mark = {"tw": "", "edge": "e "}.get(kind, "a ")
    rows = [f"{mark}{row} {column}{f' {value}' * values}" for row, column, value in entries]
    text = "\n".join([f"p {kind} 5 {max(len(rows) + more, 0)}", *others[:2], *rows, *others[2:]]) + "\n"
    _compare(text.encode(), "gr", options, size)


@given(
    edge_lists(st.integers(1, 3)),
    st.sampled_from(["", "1", "10", "11", "100", "111"]),
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["% c", "", "7", "1 2 3", "x", " "])), max_size=2),
    st.integers(-1, 1),
    st.booleans(),
    st.sampled_from([{}, {"dedup": "first"}, {"compact": True}, {"loops": False}]),
    _SIZES,
)
def test_random_lists_of_neighbors(
    case: tuple[int, list[Any]],
    form: str,
    others: list[tuple[int, str]],
    more: int,
    whole: bool,
    options: dict[str, Any],
    size: int,
) -> None:
    count, edges = case
    weighted, front = form.endswith("1"), "4 " * form.count("1", 0, -1)
    lists: list[list[str]] = [[] for _ in range(count)]
    for source, target, weight in edges:
        for one, other in {(source, target), (target, source)}:
            lists[one] += [str(other + 1)] + [str(weight)] * weighted
    lines = [f"{count} {max(len(edges) + more * (not edges), 0)} {form}", *(front + " ".join(each) for each in lists)]
    for at, other in others:
        lines.insert(at + 1, other)
    _compare(("\n".join(lines) + "\n" * whole).encode(), "graph", options, size)


@pytest.mark.parametrize("size", SIZES)
def test_a_long_line_at_a_cut(tmp_path: Path, size: int) -> None:
    rows = "".join(f"{at} {at + 1}\n" for at in range(300))
    assert_as_alone(write(tmp_path, f"{rows}# {'x' * 60_000}\n{rows}"), size)
    name = "n" * 60_000
    assert_as_alone(write(tmp_path, f"source,target\na,b\nb,{name}\n{name},d\nd,e\n", "csv"), size)


def test_a_quoted_value_of_many_lines_over_several_cuts(tmp_path: Path) -> None:
    text = "\n".join("a line in a quote" for _ in range(200))
    assert_as_alone(write(tmp_path, f'source,target,note\na,b,"{text}"\nb,c,x\nc,"d",y\n', "csv"))
    assert_as_alone(write(tmp_path, f'source,target,note\na,b,"{text}\nb,c,x\nc,d,y\n', "csv"))


def test_a_file_that_is_missing_or_a_directory(tmp_path: Path) -> None:
    assert "E0701" in str(assert_as_alone(tmp_path / "missing.mtx"))
    assert "E0701" in str(assert_as_alone(tmp_path, format="edges"))
    assert "unknown format" in str(assert_as_alone(tmp_path, format="x"))
    assert "must be True or False" in str(assert_as_alone(tmp_path, loops=3))
