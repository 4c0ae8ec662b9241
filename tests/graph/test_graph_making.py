"""Making, changing and handing on graphs from Python: generators, simple and compact graphs, other libraries."""

from __future__ import annotations

from collections import Counter

import networkx
import numpy as np
import pytest
from graph_cases import assert_same, edge_lists, graph_of, stored
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, generate, grid, rmat, uniform, write


def test_generate_is_the_generators():
    assert_same(Graph.generate("rmat", scale=5, edge_factor=4, seed=3), rmat(5, 4, 3))
    assert_same(Graph.generate("grid", rows=4, columns=5, keep=0.5), grid(4, 5, 0.5))
    assert_same(Graph.generate("uniform", vertices=20, edges=30), uniform(20, 30))
    for spec in ("rmat:5:4:seed=3", "grid:4x5", "uniform:20:30"):
        assert_same(Graph.generate(spec), generate(spec))
        assert_same(Graph.read(spec), generate(spec))
    assert Graph.read("rmat:5", weights="random:1", dedup="min").attributes.keys() == {"weight"}


@pytest.mark.parametrize(
    ("spec", "options", "error", "said"),
    [
        ("rmta", {"scale": 5}, GdslError, "rmat"),
        ("clique", {}, GdslError, "one of rmat, grid, uniform"),
        ("rmat", {}, TypeError, "'scale' is missing"),
        ("rmat", {"scael": 5}, TypeError, "not 'scael'"),
        ("rmat", {"scale": 5.5}, GdslError, "scale is 5.5"),
        ("rmat:5", {"seed": 1}, TypeError, "contains all options"),
        ("rmat:x", {}, GdslError, "E0713"),
        (5, {}, TypeError, "named by a str"),
    ],
)
def test_generate_refuses(spec, options, error, said):
    with pytest.raises(error, match=said):
        Graph.generate(spec, **options)


def test_graphs_that_come_along(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Graph.read("karate").num_vertices == 34
    assert Graph.read("lesmis").num_vertices == 77
    (tmp_path / "karate").write_text("0 1\n")
    assert Graph.read("karate", format="edges").num_vertices == 2
    with pytest.raises(GdslError, match="E0702"):
        Graph.read("karate")
    with pytest.raises(GdslError, match="E0701"):
        Graph.read("karat")


@given(edge_lists(st.integers(1, 9)), st.booleans())
def test_no_loops_and_dedup_make_a_graph_simple(case, directed):
    graph = graph_of(*case, directed=directed).changed(loops=False, dedup="first")
    assert graph.first_duplicate_or_loop() is None
    assert not graph.has_loops() and not graph.has_parallel_edges()
    key = (lambda u, v: (u, v)) if directed else (lambda u, v: (min(u, v), max(u, v)))
    given_edges = {key(u, v) for u, v, _ in case[1] if u != v}
    assert {key(edge[0], edge[1]) for edge in stored(graph)} == given_edges


@given(edge_lists(st.integers(-5, 5)), st.booleans())
def test_dedup_max(case, directed):
    best: dict[tuple[int, int], int] = {}
    for u, v, w in case[1]:
        key = (u, v) if directed else (min(u, v), max(u, v))
        best[key] = max(best.get(key, -9), w)
    edges = [(*ends, w) for ends, w in best.items()]
    if edges:
        assert_same(graph_of(*case, directed=directed).changed(dedup="max"), graph_of(case[0], edges, directed))


def test_max_passes_over_nan_and_takes_every_type():
    for dtype in (np.uint64, np.int64, np.float32, bool):
        weights = np.array([0, 1, 0], dtype)
        assert Graph.from_edges([0] * 3, [1] * 3, 2, weights).changed(dedup="max").attributes["weight"].tolist() == [1]
    low = np.array([-(2**63), 5], np.int64)
    assert Graph.from_edges([0] * 2, [1] * 2, 2, low).changed(dedup="max").attributes["weight"].tolist() == [5]
    nan = Graph.from_edges([0] * 3, [1] * 3, 2, [np.nan, 1, -np.inf], attributes={"n": [1, 2, 3]}).changed(dedup="max")
    assert nan.attributes["weight"].tolist() == [1]
    assert nan.attributes["n"].tolist() == [2]


@given(edge_lists())
def test_compact(case):
    graph = graph_of(*case)
    compact = graph.changed(compact=True)
    used = sorted({end for edge in case[1] for end in edge})
    names = list(compact.names) if compact.names is not None else list(range(compact.num_vertices))
    assert names == used
    assert Counter((names[u], names[v]) for u, v in stored(compact)) == Counter(case[1])


def test_compact_files_with_any_ids(tmp_path):
    (tmp_path / "a.txt").write_text("7 900000000000000000\n900000000000000000 12 \n")
    graph = Graph.read(tmp_path / "a.txt", compact=True)
    assert list(graph.names) == [7, 12, 900000000000000000]
    assert stored(graph) == [(0, 2), (2, 1)]
    with pytest.raises(GdslError, match=r"--compact \(compact=True\)"):
        Graph.read(tmp_path / "a.txt")
    with pytest.raises(GdslError, match="E0712"):
        Graph.read(tmp_path / "a.txt", compact=True, num_vertices=9)
    (tmp_path / "b.txt").write_text("7 -1\n")
    assert list(Graph.read(tmp_path / "b.txt", compact=True).names) == [-1, 7]
    with pytest.raises(GdslError, match=r"E0707[\s\S]*--compact"):
        Graph.read(tmp_path / "b.txt")


@pytest.mark.parametrize("option", ["loops", "compact"])
@pytest.mark.parametrize("value", [None, 1, "no", []])
def test_flags_are_flags(option, value):
    with pytest.raises(TypeError, match=option):
        Graph.from_edges([0], [1]).changed(**{option: value})
    with pytest.raises(TypeError, match=option):
        Graph.read("karate", **{option: value})


@given(edge_lists(st.integers(1, 9)), st.booleans())
def test_edges_len_and_other_libraries(case, directed):
    graph = graph_of(*case, directed=directed)
    assert len(graph) == graph.num_vertices
    sources, destinations = graph.edges
    assert [graph.ends(edge) for edge in range(graph.num_edges)] == list(
        zip(sources.tolist(), destinations.tolist(), strict=True)
    )
    assert_same(Graph.from_networkx(graph.to_networkx()), graph)
    if case[1]:
        assert_same(Graph.from_scipy(graph.to_scipy(), directed=directed), graph)


def test_a_graph_without_vertices_is_a_graph():
    empty = Graph.from_edges([], [])
    assert len(empty) == 0
    assert empty


@given(edge_lists())
@pytest.mark.slow
def test_undirected_lists_stay_undirected(tmp_path_factory, case):
    graph = graph_of(*case, directed=False)
    tmp_path = tmp_path_factory.getbasetemp()
    for name in ("a.csv", "a.tsv", "a.txt", "a.el.gz"):
        write(graph, tmp_path / name)
        assert_same(Graph.read(tmp_path / name, num_vertices=graph.num_vertices), graph)


def test_attributes_that_are_called_like_the_ends_of_undirected_edges(tmp_path):
    values = {"end": [5], "other_end": [6], "source": [7], "destination": [8]}
    graph = Graph.from_edges([0], [1], attributes=values, directed=False)
    for made in (graph, Graph.from_edges([0], [1], attributes=values)):
        write(made, tmp_path / "a.csv")
        assert_same(Graph.read(tmp_path / "a.csv"), made)


def test_comments_that_are_no_marks(tmp_path):
    for text in ("0 1\n# undirected\n", "0 1 # undirected\n", "# undirected edges are left out\n0 1\n"):
        (tmp_path / "a.txt").write_text(text)
        assert Graph.read(tmp_path / "a.txt").directed, text


HOPS = """program hops;
problem { param source : vertex; input scalar target : vertex; vertex distance : int32 = -1; scalar found : int32; }
edge functor visit(src, dst, e) { cond distance[dst] == -1; apply { distance[dst] = iteration + 1; } }
vertex functor hit(v) { cond v == target; apply { found max= distance[v]; } }
schedule {
    distance[source] = 0;
    frontier f = { source };
    while (f) { f = advance(f, visit); }
    compute(vertices, hit);
}
"""


@pytest.fixture
def hops(tmp_path, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))
    program = gdsl.compile(HOPS)
    return lambda graph, **values: program(graph, backend="reference", **values)


def test_programs_take_graphs_of_other_libraries(hops):
    made = networkx.Graph([("Mr Hi", "Ann"), ("Ann", "Bob"), ("Zoe", "Yan")])
    assert hops(made, source="Mr Hi", target="Bob").found == 2
    assert hops(networkx.path_graph(4), source=0, target=3).found == 3
    matrix = sparse.coo_array(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]]))
    for form in ("coo", "csr", "csc", "lil", "dok"):
        assert hops(matrix.asformat(form), source=0, target=2).found == 2
    assert hops(sparse.csr_matrix(matrix), source=0, target=2).found == 2


@pytest.mark.parametrize("wrong", [np.eye(3), "karate", None, {}, [(0, 1)], networkx.Graph, Graph])
def test_programs_take_nothing_else(hops, wrong):
    with pytest.raises(TypeError, match=r"must be a gdsl\.Graph"):
        hops(wrong, source=0, target=0)


def test_vertices_by_name(hops):
    graph = Graph.from_networkx(networkx.path_graph(["a", "b", "c", (1, 2)]))
    assert hops(graph, source="a", target=(1, 2)).found == 3
    assert hops(graph, source=1, target=3).found == 2  # numbers are ids where no name is one
    numbers = Graph.from_networkx(networkx.path_graph([10, 20, 1]))
    assert hops(numbers, source=10, target=1).found == 2
    assert hops(numbers, source=np.int64(20), target="1").found == 1
    for wrong in (0, 2, "30"):
        with pytest.raises(GdslError, match="no vertex of this name"):
            hops(numbers, source=wrong, target=1)
    with pytest.raises(GdslError, match="did you mean"):
        hops(Graph.from_networkx(networkx.path_graph(["alice", "bob"])), source="alcie", target="bob")
    for wrong in (None, 1.5, True, ["a"]):
        with pytest.raises(GdslError, match="E0603"):
            hops(graph, source=wrong, target="a")
    with pytest.raises(GdslError, match="E0603"):
        hops(Graph.from_edges([0], [1]), source="0", target=1)


@pytest.mark.parametrize(
    ("edges", "said", "not_said"),
    [
        ([(0, 1), (1, 1)], ("--no-loops", "loops=False"), ("--dedup",)),
        ([(0, 1), (0, 1)], ("--dedup first|sum|min|max", "dedup='first'"), ("--no-loops",)),
        ([(0, 1), (0, 1), (1, 1)], ("--no-loops --dedup first|sum", "changed(loops=False, dedup='first')"), ()),
    ],
)  # fmt: skip
def test_requires_simple_names_what_mends_it(edges, said, not_said):
    program = gdsl.compile("program p; requires simple; problem { vertex x : int32; } schedule { }")
    graph = Graph.from_edges(*zip(*edges, strict=True))
    with pytest.raises(GdslError, match="E0609") as caught:
        program(graph, backend="reference")
    assert all(word in str(caught.value) for word in said)
    assert not any(word in str(caught.value) for word in not_said)
    assert program(graph.changed(loops=False, dedup="first"), backend="reference").x.tolist() == [0, 0]


def test_an_id_beyond_int64_is_told(tmp_path):
    (tmp_path / "edges.txt").write_text("0 1\n5 9223372036854775807\n")
    assert list(Graph.read(tmp_path / "edges.txt", compact=True).names) == [0, 1, 5, 2**63 - 1]
    with pytest.raises(GdslError, match=r"edges.txt:2: error\[E0709\].*too large: at most"):
        Graph.read(tmp_path / "edges.txt")


def test_directed_and_undirected_are_the_same_words_everywhere(tmp_path):
    """`directed` says what the given edges are; `undirected` makes the graph undirected."""
    ends, matrix = ([0, 1, 2], [1, 0, 1]), sparse.coo_array(([1, 1, 1], ([0, 1, 2], [1, 0, 1])), shape=(3, 3))
    file = tmp_path / "edges.csv"
    file.write_text("0,1\n1,0\n2,1\n", encoding="utf-8")
    table = {"source": ends[0], "target": ends[1]}
    makers = [
        lambda **how: Graph.from_edges(*ends, **how),
        lambda **how: Graph.from_table(table, **how),
        lambda **how: Graph.from_scipy(matrix, **how),
        lambda **how: Graph.read(file, **how),
    ]
    for make in makers:
        assert make().directed and make(directed=True).num_edges == 3
        made = make(undirected=True)
        assert not made.directed and made.num_edges == 4  # 0-1 and 1-2, both ways
        assert np.array_equal(make(undirected=True, directed=None).columns, made.columns)
        assert np.array_equal(make(directed=True).changed(undirected=True).columns, made.columns)
        with pytest.raises(GdslError, match=r"E0712.*directed and undirected are given together"):
            make(directed=True, undirected=True)
        for wrong in ({"directed": 1}, {"undirected": None}, {"undirected": "yes"}):
            with pytest.raises(TypeError):
                make(**wrong)
    assert Graph.from_edges(*ends, directed=False).num_edges == 6
    assert Graph.from_edges(*ends, directed=False, undirected=True).num_edges == 6


def test_a_weight_in_a_column_of_the_ends(tmp_path):
    """It was an end alone, and the graph had no weights."""
    table = {"a": [0, 1], "b": [1, 2], "c": [5, 6]}
    with pytest.raises(GdslError, match=r"E0711(.|\n)*the column 'a' is one of the ends, and the weight needs its own"):
        Graph.from_table(table, source="a", target="b", weight="a")
    path = tmp_path / "a.csv"
    path.write_text("w,a,b\n5,0,1\n6,1,2\n")
    with pytest.raises(GdslError, match=r"E0711(.|\n)*the column 'w' is one of the ends(.|\n)*--weight-column"):
        Graph.read(path, weight_column="w")  # the first two columns are taken for the ends
    graph = Graph.read(path, source_column="a", target_column="b", weight_column="w")
    assert graph.attributes["weight"].tolist() == [5, 6]


def test_a_column_that_is_not_there_is_reported_before_one_that_is_not_named():
    with pytest.raises(GdslError, match=r"the table has no column 'source'(.|\n)*did you mean 'sorce'"):
        Graph.from_table({"sorce": [0], "target": [1]}, source="source")
