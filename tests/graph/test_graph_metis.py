"""METIS files, against plain Python."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from graph_cases import edge_lists, graph_of, stored
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, native_text, write
from gdsl.graph.columns import lists_of


def read(tmp_path, text, name="a.graph"):
    (tmp_path / name).write_text(text)
    return Graph.read(tmp_path / name)


@given(edge_lists(st.integers(1, 9)), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_graph(tmp_path, case, weighted):
    graph = graph_of(*case, directed=False)
    weights = graph.attributes["weight"] if case[1] else []
    lines = []
    for vertex in range(graph.num_vertices):
        edges = range(graph.offsets[vertex], graph.offsets[vertex + 1])
        lines.append(" ".join(f"{graph.columns[e] + 1}" + (f" {weights[e]}" if weighted else "") for e in edges))
    count = sum(u != v for u, v, _ in case[1]) + sum(u == v for u, v, _ in case[1])
    head = f"{graph.num_vertices} {count} {'1' if weighted else ''}".strip()
    again = read(tmp_path, "\n".join([head, *lines]) + "\n")
    assert not again.directed
    expected = stored(graph)
    assert stored(again) == (expected if weighted and case[1] else [edge[:2] for edge in expected])


def test_forms(tmp_path):
    plain = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 3), (3, 2)]
    text = "% c\n4 4\n2 3\n% c\n1 3\n1 2 4\n3\n"
    assert stored(read(tmp_path, text)) == plain
    assert stored(read(tmp_path, text, "a.metis")) == plain
    assert stored(Graph.read(tmp_path / "a.graph", format="metis")) == plain
    assert stored(read(tmp_path, "3 1\n\n3\n2\n\n\n")) == [(1, 2), (2, 1)]
    assert read(tmp_path, "3 0\n").num_vertices == 3
    assert read(tmp_path, "3 1\n2\n1").num_vertices == 3
    graph = read(tmp_path, "2 1 111 2\n9 5 6 2 7\n8 3 4 1 7\n")
    assert {name: values.tolist() for name, values in graph.vertex_attributes.items()} == {
        "size": [9, 8], "vertex_weight_0": [5, 3], "vertex_weight_1": [6, 4]}  # fmt: skip
    assert stored(graph) == [(0, 1, 7), (1, 0, 7)]
    assert read(tmp_path, "2 1 10\n5 2\n6 1\n").vertex_attributes["vertex_weight"].tolist() == [5, 6]


@pytest.mark.parametrize(
    ("code", "place", "text"),
    [
        ("E0716", "", ""),
        ("E0703", ":1", "4\n"),
        ("E0703", ":1", "x y\n"),
        ("E0703", ":1", "2 1 7\n2\n1\n"),
        ("E0703", ":1", "2 1 1 3\n2\n1\n"),
        ("E0703", ":1", "%%MatrixMarket\n"),
        ("E0705", ":2", "2 1\nx\n1\n"),
        ("E0705", ":2", "2 1\n-2\n1\n"),
        ("E0705", ":2", "2 1\n2.0\n1\n"),
        ("E0705", ":3", "2 1 1\n2 7\n1\n"),
        ("E0706", ":4", "2 1\n2\n1\n1\n"),
        ("E0706", "", "2 2\n2\n1\n"),
        ("E0706", ":1", "2 900000000000\n2\n1\n"),
        ("E0706", ":1", "90000000 1\n2\n1\n"),
        ("E0706", ":2", "3 1 10\n1 2\n"),
        ("E0707", ":2", "2 1\n3\n1\n"),
        ("E0707", ":2", "2 1\n0\n1\n"),
        ("E0704", "", "3 2\n2 3\n1\n2\n"),
        ("E0704", "", "2 1 1\n2 5\n1 6\n"),
        ("E0709", ":1", "9000000000 0\n"),
    ],
)
def test_files_that_are_refused(tmp_path, code, place, text):
    with pytest.raises(GdslError) as caught:
        read(tmp_path, text)
    assert caught.value.code == code, caught.value
    assert caught.value.diagnostics[0].place.removeprefix(str(tmp_path / "a.graph")) == place


@pytest.mark.parametrize("text", ["0 1\n1 2\n2 0\n", "1 2\n2 3\n3 1\n"])
def test_an_edge_list_that_is_called_like_metis(tmp_path, text):
    with pytest.raises(GdslError) as caught:
        read(tmp_path, text)
    assert "--format edges (format='edges')" in caught.value.diagnostics[0].fix
    assert Graph.read(tmp_path / "a.graph", format="edges").num_edges == 3


def test_ids_that_count_from_zero(tmp_path):
    with pytest.raises(GdslError, match=r"(?s):3.*E0707.*add 1 to each"):
        read(tmp_path, "4 3\n1\n0 2 3\n1\n1\n")


def test_metis_is_not_written(tmp_path):
    with pytest.raises(GdslError, match="E0702"):
        write(Graph.from_edges([0], [1]), tmp_path / "a.graph")
    assert not (tmp_path / "a.graph").exists()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["a.graph", "a.graph.gz"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_line_of_a_hub(tmp_path, name, weighted):
    """As long as it must be, wherever blocks end; a line that is longer than any of the graph is still none."""
    leaves = 120_000  # more than a block
    weight = " 9000000000000000000" if weighted else ""
    hub = " ".join(f"{leaf}{weight}" for leaf in range(2, leaves + 2))
    text = f"{leaves + 1} {leaves}{' 1' if weighted else ''}\n{hub}\n" + f"1{weight}\n" * leaves
    write = gzip.compress if name.endswith(".gz") else bytes
    (tmp_path / name).write_bytes(write(text.encode()))
    graph = Graph.read(tmp_path / name)
    assert graph.num_edges == 2 * leaves and graph.out_degrees[0] == leaves
    assert list(graph.columns[:leaves]) == list(range(1, leaves + 1))
    (tmp_path / name).write_bytes(write(f"{leaves} 2\n{'1' * 1_500_000}\n".encode()))
    with pytest.raises(GdslError, match=rf"{name}:2: error\[E0710\]: .* more than 65,536 bytes"):
        Graph.read(tmp_path / name)


def test_a_line_that_no_memory_holds(tmp_path, monkeypatch):
    monkeypatch.setattr("gdsl.graph.memory.available_memory", lambda: 64 * 2_000_000 + 200 * 3_000_000)
    (tmp_path / "a.graph.gz").write_bytes(gzip.compress(b"1000000 2000000\n" + b" " * 30_000_000 + b"\n"))
    with pytest.raises(GdslError, match=r"E0708.*a line of"):
        Graph.read(tmp_path / "a.graph.gz")


@pytest.mark.parametrize("behind", ["\n% c\n", "\n \n", "\n\n\n \n% c\n\n"])
def test_what_stands_behind_the_last_vertex(tmp_path, behind):
    """Blank lines and comments are no vertices any more."""
    assert stored(read(tmp_path, "2 1\n2\n1\n" + behind)) == [(0, 1), (1, 0)]


@pytest.mark.slow
def test_blocks_and_single_lines_come_to_the_same(tmp_path, monkeypatch):
    """Lines side by side, wherever blocks begin, and one by one: the same graphs and messages."""
    taken = {True: 0, False: 0}
    monkeypatch.setattr(native_text, "WORTH_COMPILING", 0)
    by_cpp = native_text.lists_reader(__file__)
    assert by_cpp is not None

    def noted(block):
        found, same = lists_of(block), by_cpp(block)
        assert (found is None) == (same is None)
        assert found is None or all(map(np.array_equal, found, same))
        taken[found is not None] += 1
        return found

    @given(st.randoms(), st.sampled_from((0, 0, 0.03, 0.2)))
    @settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
    def check(random, odd):
        text = metis_text(random, odd)
        (tmp_path / "a.graph").write_bytes(text.encode())
        found = []
        for first, chunk, lists in ((4096, 4096, noted), (8, 16, noted), (8, 4096, by_cpp), (8, 64, lambda _: None)):
            monkeypatch.setattr("gdsl.graph.text._FIRST", first)
            monkeypatch.setattr("gdsl.graph.text._CHUNK", chunk)
            monkeypatch.setattr("gdsl.graph.metis.lists_of", lists)
            found.append(outcome(tmp_path / "a.graph"))
        assert all(each == found[0] for each in found), text

    check()
    assert min(taken.values()) > 20


def metis_text(random, odd):
    """A graph in one of the forms, with something strange in it as often as `odd` says."""
    form = random.choice(("", " 1", " 10", " 11", " 100", " 111 2"))
    sizes = int(form in (" 100", " 111 2"))
    front = sizes + (2 if form == " 111 2" else int(form in (" 10", " 11")))
    count = random.choice((1, 3, 6))
    ends = [[] for _ in range(count)]
    for _ in range(random.choice((0, 2, 9))):
        first, second, weight = (random.randrange(count) for _ in range(3))
        behind = f" {weight}" if form in (" 1", " 11", " 111 2") else ""
        for one, other in {(first, second), (second, first)}:
            ends[one].append(f"{other + 1}{behind}")
    rows = [" ".join([*(str(random.randrange(9)) for _ in range(front)), *each]) for each in ends]
    named = sum(len(each) for each in ends)
    strange = ("", " ", "\t", "%", "% 1", "0", "1", "9" * 18, "9" * 20, "-1", "x", "1.0", "1 2 3", "+1", "\x0b")
    while random.random() < odd * 4:
        rows.insert(random.randrange(len(rows) + 1), random.choice(strange))
    if random.random() < odd:
        rows.pop()
    end = random.choice(("\n", " \n", "\r\n"))
    return f"{count} {named // 2}{form}\n" + end.join(rows) + random.choice(("\n", "\n", ""))


def outcome(path):
    """The graph in a form to compare, or what is said against it."""
    try:
        graph = Graph.read(path)
    except GdslError as error:
        return [(problem.code, problem.message, problem.place) for problem in error.diagnostics]
    values = {name: each.tolist() for name, each in graph.vertex_attributes.items()}
    weights = graph.attributes["weight"].tolist() if "weight" in graph.attributes else None
    return graph.offsets.tolist(), graph.columns.tolist(), weights, values
