"""Texts read by blocks, and edges put in order in one way or another: the same graphs and the same messages."""

from __future__ import annotations

import gzip
import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gdsl.diagnostics import GdslError
from gdsl.graph import (
    Graph,
    GraphOptions,
    columns,
    csr,
    lazy_csr,
    native_text,
    number_text,
    ordering,
    text,
    threads,
)
from gdsl.graph.edge_list import EdgeList

USUAL = ("1", "2", "7", "3", "8", "9", "4", "007")
REALS = ("0.5", "-.5", "5.", "1e5", "1E-5", "-1.25e+1", "0.1", "123.456", "-3", "0.30000000000000004")
WORDS = (
    *(
        "0",
        "1",
        "2",
        "7",
        "3",
        "12",
        "007",
        "1234",
        "99999",
        "123456789",
        "2147483647",
        "2147483648",
        "999999999999999999",
    ),
    *("9223372036854775807", "9223372036854775808", "18446744073709551615", "1" * 25, "0" * 25 + "1"),
    *("-1", "-0", "+1", "--1", "1-", "1-2", "-", "+", "1_0", "0x1", "\u0663", "1\0"),
    *(
        "0.5",
        ".5",
        "5.",
        ".",
        "-.5",
        "-0.0",
        "1..2",
        "1.2.3",
        "1e5",
        "1E-5",
        "1e+5",
        "1e",
        "e1",
        "1e5e5",
        "1e5.5",
        "1.e5",
        "-e5",
    ),
    *("0.1", "123.456", "1e22", "1e23", "1e-22", "9007199254740993", "9007199254740993.0", "1e308", "1e309", "-1e999"),
    *(
        "4.35",
        "0.30000000000000004",
        "0.00012345678901234567",
        "2.2250738585072014e-308",
        "5e-324",
        "1e00022",
        "1e12345",
    ),
    *("nan", "inf", "-inf", "Infinity", "1\x0b2", "1\xa02", "1\x852", "\x0e5", "1#2", "%", "a", "1d5", "1,5"),
)
BLANKS = (" ", " ", " ", "\t", "  ", " \t", ",", ", ", " ,", ";", "\x0c", "")
ENDS = ("\n", "\n", "\n", "\n", "\r\n", "\r", " \n", "\t\n", ",\n", "\n\n", " # c\n", "\n# c\n", "\n \n", "\0\n", "")


def read(path, **options):
    """The graph in a form to compare, or what is said against it."""
    try:
        graph = Graph.read(path, **options)
    except GdslError as error:
        return [(problem.code, problem.message, problem.place, problem.fix) for problem in error.diagnostics]
    values = {name: (found.dtype.str, found.tobytes()) for name, found in graph.attributes.items()}
    return graph.num_vertices, graph.directed, graph.offsets.tolist(), graph.columns.tolist(), values


@pytest.fixture
def both_ways(monkeypatch):
    """Reads a file by blocks: by C++, by NumPy, by NumPy as old as 1.26, and line by line; the same is found."""
    seen = {True: 0, False: 0}
    monkeypatch.setattr(native_text, "WORTH_COMPILING", 0)
    columns_of, fast_reader = columns.columns_of, columns._fast_reader

    def noted(*arguments):
        found = columns_of(*arguments)
        seen[found is not None] += 1
        return found

    def reading(path, head, **options):
        monkeypatch.setattr(text, "_FIRST", head)
        monkeypatch.setattr(columns, "columns_of", noted)
        monkeypatch.setattr(columns, "_fast_reader", lambda _: None)
        whole_blocks = read(path, **options)
        with monkeypatch.context() as old:
            old.setattr(columns, "_ROUNDS_REALS", True)
            assert read(path, **options) == whole_blocks
        monkeypatch.setattr(columns, "columns_of", lambda *_: None)
        exact = read(path, **options)
        assert whole_blocks == exact
        with monkeypatch.context() as large:
            large.setattr(columns, "_FEW_BLOCKS", 1)
            large.setattr(columns, "_fast_reader", fast_reader)
            assert read(path, **options) == exact
        return exact

    return reading, seen


@pytest.mark.slow
def test_hostile_texts(tmp_path, both_ways):
    reading, seen = both_ways
    heads = {"a.txt": "0 1\n", "b.txt": "0 1 5\n", "c.csv": "s,t,weight\n0,1,0.5\n", "d.txt": "0 1 0.5\n"}
    for field, symmetry in itertools.product(("pattern", "integer", "real"), ("general", "symmetric")):
        heads[f"{field}-{symmetry}.mtx"] = f"%%MatrixMarket matrix coordinate {field} {symmetry}\n9 9 4\n"
    heads["e.gr"] = "p sp 9 4\n"
    widths = {name: 2 + (not name.startswith(("a.", "pattern"))) for name in heads}

    @given(st.sampled_from(sorted(heads)), st.randoms(), st.sampled_from((0, 0, 0.02, 0.1, 0.5)), st.booleans())
    @settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    def check(name, random, odd, compressed):
        def one(usual, odd_ones):
            return random.choice(odd_ones if random.random() < odd else usual)

        blanks = [","] if name.endswith("csv") else [random.choice((" ", "\t", "  "))]
        values = random.choice((USUAL, USUAL[:4], REALS))
        body = heads[name]
        for _ in range(random.choice((1, 3, 4, 4, 4, 9))):
            width = widths[name] + (random.randint(-1, 1) if random.random() < odd / 4 else 0)
            ends, rest = (one(USUAL, WORDS) for _ in range(2)), (one(values, WORDS) for _ in range(width - 2))
            body += one(["a "], ("", "a\t", "aa ", "c ", " a ", "p ")) if name.endswith("gr") else ""
            body += one(blanks, BLANKS).join((*ends, *rest)) + one(["\n"], ENDS)
        content = body.encode("utf-8" if "\u0663" in body else "latin-1")
        path = tmp_path / (name + ".gz" * compressed)
        path.write_bytes(gzip.compress(content, 1) if compressed else content)
        reading(path, len(heads[name]))

    check()
    assert min(seen.values()) > 20


@pytest.mark.slow
def test_many_blocks_by_several_threads(tmp_path, both_ways, monkeypatch):
    """What is unusual in the middle is read exactly, and blamed at its line; so is the end of damaged data."""
    reading, seen = both_ways
    monkeypatch.setattr(text, "_CHUNK", 1 << 12)
    monkeypatch.setattr(columns, "processors", lambda: 3)
    rng = np.random.default_rng(3)
    rows = [f"{a} {b}\n" for a, b in rng.integers(0, 5000, (20_000, 2)).tolist()]
    path = tmp_path / "a.txt"
    for place, line in (
        (None, ""),
        (9_000, "# c\n"),
        (12_345, "1 2 # c\n"),
        (15_000, "\n1 2\n"),
        (7_777, "1 x\n"),
        (19_999, "1 -2\n"),
        (3_000, "1 99999999999\n"),
        (5_000, "1 2\0\n"),
        (6_000, "1" * 70_000 + "\n"),
    ):
        made = [line if at == place else row for at, row in enumerate(rows)]
        path.write_text("".join(made))
        found = reading(path, 64)
        assert isinstance(found, list) == (line[:3] in ("1 x", "1 -", "1 9", "111") or "\0" in line)
        if line in ("1 x\n", "1 -2\n"):
            assert found[0][2] == f"{path}:{place + 1}"
    assert min(seen.values()) > 3
    whole = gzip.compress("".join(rows).encode())
    path.write_bytes(whole[: len(whole) // 2])
    assert reading(path, 64)[0][0] == "E0710"
    header = "%%MatrixMarket matrix coordinate pattern general\n6000 6000 "
    path = tmp_path / "a.mtx"
    body = "".join(f"{int(a) + 1} {int(b) + 1}\n" for a, b in map(str.split, rows))
    for count in (20_000, 19_990, 10_000, 20_001):
        path.write_text(f"{header}{count}\n{body}")
        found = reading(path, 64)
        assert isinstance(found, list) == (count != 20_000)
        if count < 20_000:
            assert found[0][2] == f"{path}:{count + 3}"


def in_order(edges):
    """Sources, destinations and values."""
    columns = [edges.sources, edges.destinations, *edges.attributes.values()]
    if not edges.directed:
        keep = np.ones(2 * len(columns[0]), bool)
        keep[1::2] = columns[0] != columns[1]
        ends = [np.stack(pair, axis=1).reshape(-1) for pair in (columns[:2], columns[1::-1])]
        columns = [each[keep] for each in (*ends, *(np.repeat(values, 2) for values in columns[2:]))]
    order = np.lexsort(columns[1::-1])
    return [each[order].tolist() for each in columns]


@pytest.mark.parametrize("directed", [True, False])
def test_orders_of_edges(monkeypatch, directed):
    """In order already, by destination, or neither; with values or without: as `lexsort` has it."""
    rng = np.random.default_rng(7)
    for count, edges in ((1, 5), (6, 60), (40, 400), (40, 0)):
        ends = rng.integers(0, count, (2, edges)).astype(np.int32)
        for order in (slice(None), np.lexsort(ends[::-1]), np.lexsort(ends)):
            sources, destinations = ends[:, order]
            several = {str(kind): np.arange(edges).astype(kind) for kind in ("f8", "f4", "i2", "i1", "?")}
            for values in ({}, {"weight": np.arange(edges)}, several):
                given_edges = EdgeList(sources, destinations, count, directed, values)
                expected = in_order(given_edges)
                small = {"_PIECE": 32, "_BLOCK": 16}
                for pieces, by_cpp in itertools.product(({}, small, {**small, "_WORD_BITS": 9}), (False, True)):
                    if by_cpp:
                        monkeypatch.setattr(ordering, "_WORTH_A_LOOK", 0)
                        monkeypatch.setattr(ordering, "_WORTH_COMPILING", 0)
                    monkeypatch.setattr(csr, "_FEW", 0 if pieces else 1 << 14)
                    monkeypatch.setattr(threads, "processors", lambda pieces=pieces: 3 if pieces else 1)
                    for name, size in pieces.items():
                        monkeypatch.setattr(ordering, name, size)
                    made = csr.csr_of(given_edges)
                    monkeypatch.undo()
                    found = np.repeat(np.arange(count), np.diff(made.offsets)), made.columns
                    found = [*found, *made.attributes.values()]
                    assert [each.tolist() for each in found] == expected
                    assert not any(each.flags.writeable for each in found[1:])


CHANGES = [
    {},
    {"loops": False},
    {"dedup": "first"},
    {"dedup": "sum", "loops": False},
    {"undirected": True, "dedup": "min"},
    {"undirected": True, "dedup": "max", "loops": False},
]


def same(found, expected):
    parts = ("num_vertices", "num_edges", "directed", "id_bits", "offsets", "columns", "out_degrees", "in_degrees")
    for name in (*parts, "in_offsets", "in_sources", "in_edge_ids"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name
    assert {name: values.tolist() for name, values in found.attributes.items()} == {
        name: values.tolist() for name, values in expected.attributes.items()
    }


@pytest.mark.parametrize("directed", [True, False])
def test_postponed_graphs_are_the_same(monkeypatch, directed):
    """Whatever is asked of them first, and whoever puts their edges in order, the host or a GPU."""
    rng = np.random.default_rng(9)
    for (first, then), (count, edges) in itertools.product(itertools.product(CHANGES, CHANGES), ((1, 4), (9, 70))):
        sources, destinations = rng.integers(0, count, (2, edges))
        expected = Graph.from_edges(sources, destinations, count, directed=directed).changed(**first).changed(**then)
        monkeypatch.setattr(lazy_csr, "LARGE", 1)
        theirs = sources.astype(np.int32)
        made = Graph.from_edges(theirs, destinations, count, directed=directed)
        theirs[:] = 0
        made = made.changed(**first).changed(**then)
        later, options = made._lazy_csr, GraphOptions(**first)
        assert later is not None or (then.get("undirected") and options.dedup is None and directed)
        if later is not None:
            keys = csr.edge_keys(later.edges.sources, later.edges.destinations, not later.directed)
            keys = keys[(keys >> 32 != keys & 0xFFFFFFFF) | later.options.loops]
            keys.sort()
            keys = keys[csr.first_of_equals(np, keys)] if later.unique else keys
            offsets, neighbors = csr.lists_by(np, keys, count)
            assert np.array_equal(offsets, expected.offsets)
            assert np.array_equal(neighbors, expected.columns)
            for part, name in zip(
                csr.transposed_by(np, offsets, neighbors), ("in_offsets", "in_sources", "in_edge_ids"), strict=True
            ):
                assert np.array_equal(part, getattr(expected, name))
        same(made, expected)
        assert made._lazy_csr is None
        monkeypatch.undo()


@pytest.mark.parametrize("directed", [True, False])
def test_postponed_graphs_with_values_are_the_same(monkeypatch, directed):
    rng = np.random.default_rng(10)
    for first, then in itertools.product(CHANGES, CHANGES):
        sources, destinations = rng.integers(0, 9, (2, 70))
        given_values = {"weight": rng.integers(0, 9, 70), "odd": rng.random(70) < 0.5}
        expected, made = None, None
        for large in (lazy_csr.LARGE, 1):
            monkeypatch.setattr(lazy_csr, "LARGE", large)
            graph = Graph.from_edges(sources, destinations, 9, directed=directed, attributes=given_values)
            expected, made = made, graph.changed(**first).changed(**then)
        monkeypatch.undo()
        assert (expected._lazy_csr, made._lazy_csr is None) == (None, False)
        made.attributes  # noqa: B018 - which puts the edges in order
        assert made._lazy_csr is None
        same(made, expected)


def test_what_is_not_postponed(monkeypatch, tmp_path):
    monkeypatch.setattr(lazy_csr, "LARGE", 1)
    plain = Graph.from_edges([0, 1, 1], [1, 2, 2])
    assert plain._lazy_csr is not None
    assert plain.changed() is plain
    assert Graph.from_edges([0], [1], weights=[2])._lazy_csr is not None
    assert plain.changed(weights="random:1")._lazy_csr is not None
    assert plain._lazy_csr is None  # whose edges got these weights in their order
    path = tmp_path / "a.txt"
    path.write_text("0 1\n1 2\n1 2\n")
    assert Graph.read(path)._lazy_csr is not None
    summed = Graph.read(path, weights="random:1", dedup="sum")._lazy_csr
    assert summed is not None and summed.options == GraphOptions()  # the change is made at once
    assert Graph.read(path, dedup="first").num_edges == 2
    monkeypatch.setattr("gdsl.graph.memory.available_memory", lambda: 100)
    with pytest.raises(GdslError, match="E0708"):
        Graph.from_edges([0], [1])


@pytest.mark.parametrize("nbytes", [None, 10, 10_000, 10**9])
def test_columns_that_grow(monkeypatch, nbytes):
    """Whatever the size of the file lets expect and types the blocks have: what `concatenate` makes of them."""
    monkeypatch.setattr(columns, "_FIRST_ROWS", 8)
    rng = np.random.default_rng(11)
    for wide in range(6):
        parts = []
        for number in range(5):
            count = int(rng.integers(0, 40))
            ends = rng.integers(0, 2**40 if number == wide else 99, count).astype(np.int64)
            parts.append((ends, rng.random(count), rng.integers(0, 9, count).astype(np.uint64)))
        made = columns._Growing(parts[0], nbytes)
        for part in parts[1:]:
            made.append(part, 25 * len(part[0]))
        for found, *given_parts in zip(made.columns, *parts, strict=True):
            expected = np.concatenate([number_text.narrowed(part) for part in given_parts])
            assert found.dtype == expected.dtype and found.tolist() == expected.tolist()


def test_opposites_by_cpp(monkeypatch):
    """Which edge is the first that has none is the same as without a compiler."""
    rng = np.random.default_rng(12)
    for count in (5, 40):
        sources, destinations = rng.integers(0, count, (2, 60)).astype(np.int32)
        both = Graph.from_edges(np.r_[sources, destinations], np.r_[destinations, sources], count)
        for graph in (both, Graph.from_edges(sources, destinations, count)):
            without = csr.first_without_opposite(graph._csr)
            with monkeypatch.context() as small:
                small.setattr(ordering, "_WORTH_A_LOOK", 0)
                small.setattr(ordering, "_WORTH_COMPILING", 0)
                assert ordering.library_for(1) is not None
                assert csr.first_without_opposite(graph._csr) == without
            assert (without is None) == (graph is both)
