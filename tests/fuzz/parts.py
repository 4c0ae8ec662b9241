"""The campaign of graph files that several workers read: the shares, notices and errors are those of one process."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

from fuzz.campaign import Finding
from fuzz.graphs import by_hand, damaged, draw, other_lines, other_word
from gdsl.graph.shares import GraphShare
from tests.graph.partitioned_cases import assert_same_share, graph_or_error, shares_or_error

_MACHINE = 64 << 20
"""What the machine seems to have left, so that a large id in a file asks for too much of it."""
_NAMES = ["a", "b", "é", "日本", "x y", "x,y", 'say "x"', "two\nlines", "7", "-1", "1.5", "nan", "#c", ""]
_OPTIONS: list[dict[str, Any]] = [
    {"undirected": True},
    {"weights": "random:7"},
    {"dedup": "sum"},
    {"dedup": "min"},
    {"loops": False},
    {"compact": True},
    {"reverse_arcs": True},
    {"one_based": True},
    {"num_vertices": 4},
    {"directed": False},
]


def case(rng: random.Random) -> str:
    """One file, read by one process and by a group. Returns `shares`, `memory`, or the error's code."""
    with (
        tempfile.TemporaryDirectory(prefix="gdsl-fuzz-") as directory,
        mock.patch("gdsl.graph.memory.available_memory", return_value=_MACHINE),
        # What is done with large files and many edges, with these.
        mock.patch("gdsl.graph.text._FIRST", rng.choice((16, 64, 1 << 12))),
        mock.patch("gdsl.graph.text_parts._LINE", rng.choice((1, 7, 1 << 13))),
        mock.patch("gdsl.graph.numbering._PIECE", rng.choice((2, 1 << 18))),
        mock.patch("gdsl.graph.numbering._FEW_WORKERS", rng.choice((1, 32))),
        mock.patch("gdsl.graph.partitioned.owners._PIECE", rng.choice((2, 1 << 20))),
    ):
        kind = rng.choice(["mtx", "gr", "csv", "tsv", "edges", "edges", "csv"])
        content = _of_names(rng) if kind == "csv" and rng.random() < 0.6 else by_hand(rng, kind, draw(rng, kind))
        encoded = content.encode()
        for _ in range(rng.choice([0, 0, 1, 2])):
            encoded = rng.choice([damaged, other_word, other_lines])(rng, encoded)
        path = Path(directory) / f"a.{kind}"
        path.write_bytes(encoded)
        options: dict[str, Any] = {}
        for each in rng.sample(_OPTIONS, rng.choice([0, 0, 0, 1, 2])):
            options.update(each)
        return _compare(path, encoded, rng.choice((1, 2, 3, 4, 7)), options)


def _of_names(rng: random.Random) -> str:
    """A list of names, some in quotes that they do not need."""
    end = rng.choice(["\n", "\n", "\r\n", "\r"])
    rows = [["from", "to", "weight"]]
    rows += [[rng.choice(_NAMES), rng.choice(_NAMES), str(rng.randint(-9, 9))] for _ in range(rng.randint(0, 9))]
    lines = [",".join(_quoted(rng, word) for word in row) for row in rows]
    for _ in range(rng.choice([0, 0, 1])):
        lines.insert(rng.randint(0, len(lines)), rng.choice(["", "# a, b, c", "% c", '"', "a,b"]))
    return end.join(lines) + rng.choice([end, ""])


def _quoted(rng: random.Random, word: str) -> str:
    needed = any(mark in word for mark in '",\n#') or not word
    return '"' + word.replace('"', '""') + '"' if needed or rng.random() < 0.1 else word


def _compare(path: Path, content: bytes, size: int, options: dict[str, Any]) -> str:
    expected, notices = graph_or_error(path, **options)
    if isinstance(expected, str) and "E0708" in expected:
        return "memory"  # of which each worker needs less
    shown = f"{size} workers, {options}\n{content!r}"
    try:
        found, heard = shares_or_error(path, size, **options)
    except BaseException as error:
        raise Finding(f"{type(error).__name__}: {error}; expected {expected}\n{shown}") from None
    if isinstance(expected, str) or isinstance(found, str):
        if found != expected:
            raise Finding(f"{found}\nexpected {expected}\n{shown}")
        return str(expected).partition("error[")[2][:5]
    if [each for each in heard if "not read in parts" not in each] != notices:
        raise Finding(f"notices {heard}\nexpected {notices}\n{shown}")
    try:
        for rank, share in enumerate(found):
            assert_same_share(share, GraphShare.of(expected, rank, size))
    except AssertionError as error:
        raise Finding(f"{error}\n{shown}") from None
    return "shares"
