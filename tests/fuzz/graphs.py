"""The campaign of graph files: made, damaged and read; a graph has to be the one that a slow reader finds."""

from __future__ import annotations

import bz2
import gzip
import lzma
import math
import random
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from fuzz.campaign import Finding
from fuzz.slow_readers import Edge, NoGraph, SlowGraph, read_arrays_slowly, read_slowly
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, GraphOptions, describe, write
from gdsl.graph.messages import collecting

_LONGEST_SECONDS = 5.0
_LARGEST_BYTES = 200 << 20
_MACHINE = 64 << 20
"""What the machine seems to have left, so that a large id in a file asks for too much of it."""

_COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": lambda content: gzip.compress(content, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}
_NUMBERS = "0 1 -1 2 3 007 +1 1.5 .5 5. 1e3 1E-3 1e400 -1e999 1e-999 nan NaN inf -Infinity 0x10 1_000 -0 -0.0 1.0 1d5"
_LARGE = "99999999999999999999999 2147483647 2147483648 4294967296 9223372036854775807 9223372036854775808"
_OTHERS = "18446744073709551615 18446744073709551616 ２ ² ٣ é Ⅷ x weight # % , ; | \" ' -- + . e5 1e nan(1) \x1b[2J"
_WORDS = " ".join((_NUMBERS, _LARGE, _OTHERS)).split()
_BYTES = b'0129 \n\r\t-.,;#%"eEnx_\0\xff\xa0\x85'


def case(rng: random.Random) -> str:
    """One file: written and read back exactly, or damaged and read. Returns `read`, `same`, or the error's code."""
    with (
        tempfile.TemporaryDirectory(prefix="gdsl-fuzz-") as directory,
        mock.patch("gdsl.graph.memory.available_memory", return_value=_MACHINE),
        # What is done with large files and graphs, with these.
        mock.patch("gdsl.graph.text._FIRST", rng.choice((16, 64, 1 << 12))),
        mock.patch("gdsl.graph.lazy_csr.LARGE", rng.choice((1, 1 << 22))),
        mock.patch("gdsl.graph.columns._FEW_BLOCKS", rng.choice((1, 4))),
        mock.patch("gdsl.graph.native_text.WORTH_COMPILING", 0),
    ):
        kind = rng.choice(["mtx", "gr", "npz", "csv", "tsv", "edges"])
        graph = draw(rng, kind)
        if kind == "npz" and rng.random() < 0.5:
            return _archive(rng, graph, Path(directory))
        if kind != "npz" and rng.random() < 0.6:
            return _text(rng, kind, by_hand(rng, kind, graph), Path(directory))
        return _our_own(rng, kind, graph, Path(directory))


def draw(rng: random.Random, kind: str) -> SlowGraph:
    """A few vertices, so that loops and parallel edges are common."""
    count = rng.randint(0, 6)
    number = rng.choice([0, 1, 2, 5, 12]) if count else 0
    values: dict[str, Callable[[], Any]] = {
        "small": lambda: rng.randint(-3, 99),
        "int64": lambda: rng.choice([0, -(2**63), 2**63 - 1, 2**53 + 1, 2**31]),
        "uint64": lambda: rng.choice([0, 2**64 - 1, 2**63]),
        "real": lambda: rng.choice([0.1, -0.0, 1e308, 5e-324, math.inf, -math.inf, math.nan, 3.0, rng.random()]),
    }
    kinds = ["small", "int64"] if kind == "gr" else ["none", "none", "small", "int64", "real"]
    kinds += [] if kind in ("gr", "mtx") else ["uint64"]
    value = values.get(rng.choice(kinds))
    ends = [(rng.randrange(count), rng.randrange(count)) for _ in range(number)]
    edges: list[Edge] = [(*pair, value()) if value else pair for pair in ends]
    directed = kind not in ("mtx", "npz") or rng.random() < 0.5
    return SlowGraph(count, directed, edges, ("weight",) if value else ())


def _our_own(rng: random.Random, kind: str, slow: SlowGraph, directory: Path) -> str:
    """What our writers write is read back as it was; cut off or changed it is that graph, another file or an error."""
    graph = _graph_of(slow)
    suffix = "" if kind == "npz" else rng.choice(list(_COMPRESS))
    path = directory / f"a.{kind}{suffix}"
    write(graph, path)
    content = path.read_bytes()
    again, _ = _read(rng, path)
    # An edge list with a header knows its vertices by their edges alone, as does one without edges.
    largest = max((max(edge[:2]) for edge in slow.edges), default=-1)
    listed = SlowGraph(largest + 1, slow.directed, slow.edges, slow.names)
    expected = listed if kind in ("csv", "tsv") or (kind == "edges" and not slow.edges) else slow
    _compare(path, content, again, expected)
    if rng.random() < 0.3:
        return "read"
    path.write_bytes(damaged(rng, content))
    try:
        found, noted = _read(rng, path)
    except GdslError as error:
        return _judge(path, error)
    if kind == "npz" or suffix:
        # Checksums: whatever is read is what was written, but for the mark of an undirected graph.
        same = SlowGraph(expected.num_vertices, True, expected.stored(), expected.names)
        _compare(path, path.read_bytes(), found, same, either=True)
        return "same"
    if _is_beyond(found, noted, path.read_bytes()):
        return "noted"
    _compare(path, path.read_bytes(), found, _slowly(path, kind, path.read_bytes()))
    return "read"


def _text(rng: random.Random, kind: str, content: str, directory: Path) -> str:
    """A text made by hand, perhaps with other words or lines: what a slow reader finds in it, or an error."""
    encoded = content.encode("utf-8")
    mutated = rng.random() < 0.75
    for _ in range(rng.randint(1, 3) if mutated else 0):
        encoded = rng.choice([damaged, other_word, other_lines])(rng, encoded)
    suffix = rng.choice(list(_COMPRESS))
    path = directory / f"a.{kind}{suffix}"
    path.write_bytes(_COMPRESS[suffix](encoded))
    try:
        found, noted = _read(rng, path)
    except GdslError as error:
        # The first row of few may look like the numbers of vertices and edges, and few rows like two lists.
        if not mutated and not ("seems to be" in str(error) or "seem to name" in str(error)):
            raise Finding(f"refused: {error}\n{encoded!r}") from None
        return _judge(path, error)
    if _is_beyond(found, noted, encoded):
        return "noted"
    _compare(path, encoded, found, _slowly(path, kind, encoded))
    return "read"


def _archive(rng: random.Random, slow: SlowGraph, directory: Path) -> str:
    """A matrix whose arrays were changed: the graph of the arrays as they are, or an error."""
    graph = _graph_of(SlowGraph(slow.num_vertices, True, slow.edges, slow.names))
    layout = rng.choice(["csr", "csc", "coo"])
    weights = graph.attributes.get("weight", np.ones(graph.num_edges, dtype=bool))
    arrays: dict[str, Any] = {"data": weights, "shape": np.array([graph.num_vertices] * 2)}
    if layout == "csr":
        arrays.update(indices=graph.columns, indptr=graph.offsets)
    elif layout == "csc":
        arrays.update(indices=graph.in_sources, indptr=graph.in_offsets, data=weights[graph.in_edge_ids])
    else:
        arrays.update(row=graph.edge_sources, col=graph.columns)
    for _ in range(rng.choice([0, 1, 1])):
        name = rng.choice([name for name in arrays if name != "data"])
        arrays[name] = _changed_array(rng, arrays[name])
    path = directory / "a.npz"
    np.savez(path, allow_pickle=True, format=np.array(layout.encode()), **arrays)
    try:
        found, _ = _read(rng, path)
    except GdslError as error:
        return _judge(path, error)
    lists = {name: values.tolist() for name, values in arrays.items()}
    try:
        expected = read_arrays_slowly({**lists, "format": layout}, weights.dtype != bool)
    except NoGraph:
        raise Finding(f"read as {found!r}, though it is no graph: {layout} {lists}") from None
    _compare(path, repr(lists).encode(), found, expected)
    return "read"


def _changed_array(rng: random.Random, values: Any) -> Any:
    changed = np.array(values)
    how = rng.randrange(5)
    if how == 0 and changed.size:
        changed[rng.randrange(len(changed))] = rng.choice([-1, 0, 1, 2, 5, 6, 7, 2**31 - 1])
        return changed
    if how == 1:
        return changed[:-1]
    if how == 2:
        return np.append(changed, changed[-1:])
    if how == 3:
        return changed.astype(rng.choice(["f8", "u1", "i8", "u8", ">i4", "c16"]))
    return changed.reshape(1, -1) if rng.random() < 0.3 else changed[::-1].copy()


def _graph_of(slow: SlowGraph) -> Graph:
    columns = list(zip(*slow.edges, strict=True)) if slow.edges else [()] * (2 + len(slow.names))
    weights = None
    if slow.names:
        is_real = any(isinstance(value, float) for value in columns[2])
        is_large = max(columns[2], default=0) >= 2**63
        weights = np.array(columns[2], dtype=np.float64 if is_real else np.uint64 if is_large else np.int64)
    return Graph.from_edges(columns[0], columns[1], slow.num_vertices, weights, directed=slow.directed)


def by_hand(rng: random.Random, kind: str, slow: SlowGraph) -> str:
    """A file of `slow` as people write them: other ends of lines, comments, blank lines, blanks, marks, cases."""
    end = rng.choice(["\n", "\n", "\r\n", "\r"])
    start = rng.choice(["", "", "\ufeff"])
    comment = {"mtx": "% c é", "gr": "c x"}.get(kind, rng.choice(["# c é", "% c"]))
    first = 0 if kind in ("csv", "tsv", "edges") else 1
    mark = rng.choice([",", ";", ", ", "\t", " ", "  "]) if first == 0 else rng.choice([" ", "\t", "   "])
    rows = [mark.join([str(edge[0] + first), str(edge[1] + first), *map(repr, edge[2:])]) for edge in slow.edges]
    lines: list[str] = []
    if kind == "mtx":
        field = "pattern"
        if slow.names:
            field = "real" if any(isinstance(edge[2], float) for edge in slow.edges) else "integer"
        symmetry = "general" if slow.directed else "symmetric"
        banner = f"%%MatrixMarket matrix coordinate {field} {symmetry}"
        lines += [rng.choice([banner, banner.lower(), banner.upper()]), comment]
        lines.append(mark.join(map(str, (slow.num_vertices, slow.num_vertices, len(rows)))))
    elif kind == "gr":
        lines += [comment, f"p sp {slow.num_vertices} {len(rows)}"]
        rows = [rng.choice(["a ", "a\t"]) + row for row in rows]
    else:
        lines.append(comment)
        if rng.random() < 0.5 or not rows:
            lines.append(mark.join(["from", "to", *slow.names]))
    for row in rows:
        lines += ["", row] if rng.random() < 0.1 else [row]
    return start + "".join(line + end for line in lines)


def damaged(rng: random.Random, content: bytes) -> bytes:
    """Some bytes other, gone, doubled, or the end cut off."""
    changed = bytearray(content)
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(changed) + 1)
        byte = rng.choice(_BYTES) if rng.random() < 0.7 else rng.randrange(256)
        changed[place : place + rng.choice([0, 1, 1, 4])] = bytes([byte]) * rng.choice([0, 1, 1, 1])
    return bytes(changed[: rng.randrange(len(changed) + 1)] if rng.random() < 0.15 else changed)


def other_word(rng: random.Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    place = rng.randrange(len(lines))
    words = lines[place].split(b" ")
    words[rng.randrange(len(words))] = rng.choice(_WORDS).encode()
    lines[place] = b" ".join(words)
    return b"\n".join(lines)


def other_lines(rng: random.Random, content: bytes) -> bytes:
    lines = content.split(b"\n")
    place = rng.randrange(len(lines))
    if rng.random() < 0.5:
        lines.insert(rng.randrange(len(lines) + 1), lines[place])
    else:
        del lines[place]
    return b"\n".join(lines)


def _is_beyond(graph: Graph, noted: bool, content: bytes) -> bool:
    """Whether a text says more than the slow readers know: names of vertices, quotes, and what is noted."""
    return graph.names is not None or noted or b'"' in content


def _read(rng: random.Random, path: Path) -> tuple[Graph, bool]:
    """`Graph.read`, and what else is done with a graph; neither may be slow, take much memory or warn. And whether the
    reader noted something."""
    # Every start of tracemalloc keeps some memory for good, so that not every case can be measured.
    measured = rng.random() < 0.1
    if measured:
        tracemalloc.start()
    began = time.monotonic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with collecting() as notices:
                graph = Graph.read(path)
            describe(graph)
            GraphOptions(undirected=True, dedup="first").apply(graph)
    finally:
        seconds = time.monotonic() - began
        peak = tracemalloc.get_traced_memory()[1] if measured else 0
        if measured:
            tracemalloc.stop()
        if peak > _LARGEST_BYTES or seconds > _LONGEST_SECONDS:
            raise Finding(f"{seconds:.1f} s and {peak:,} bytes for {path.read_bytes()[:1000]!r}")
    return graph, bool(notices)


def _judge(path: Path, error: GdslError) -> str:
    place = error.diagnostics[0].place or ""
    if not error.code.startswith("E07") or not place.startswith(str(path)):
        raise Finding(f"the error does not name the file: {error}\n{path.read_bytes()[:2000]!r}")
    if "\x1b" in str(error).replace(str(path), ""):
        raise Finding(f"the error holds a control character: {str(error)!r}")
    return error.code


def _slowly(path: Path, kind: str, content: bytes) -> SlowGraph:
    try:
        return read_slowly(kind, content)
    except NoGraph:
        raise Finding(f"{path.name} is no graph, and was read as one: {content!r}") from None


def _compare(path: Path, content: bytes, found: Graph, expected: SlowGraph, either: bool = False) -> None:
    """Raise Finding unless `found` is `expected`; `either`: directed or not is left open."""
    names = tuple(found.attributes)
    columns = [found.edge_sources, found.columns, *found.attributes.values()]
    edges = list(zip(*(column.tolist() for column in columns), strict=True))
    # repr tells -0.0 from 0.0 and 1 from 1.0, and NaN is NaN.
    same = repr(edges) == repr(expected.stored()) and names == expected.names
    if not same or found.num_vertices != expected.num_vertices or not (either or found.directed == expected.directed):
        raise Finding(
            f"{path.name} was read as\n{found!r} {names} {edges}\nand is\n{expected.num_vertices} vertices, "
            f"directed {expected.directed}, {expected.names} {expected.stored()}\n{content[:1000]!r}"
        )
