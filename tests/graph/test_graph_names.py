"""Names of vertices: from files, NetworkX and tables, through every change of a graph, and into files."""

from __future__ import annotations

import copy
import itertools
import pickle

import networkx
import numpy as np
import pytest
from graph_cases import assert_same, edge_lists, graph_of, stored
from hypothesis import given

import gdsl
from gdsl.binding import Text
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, describe, write
from gdsl.graph.vertices import Names


class Table(dict):
    """What gdsl asks of a DataFrame."""

    @property
    def columns(self):
        return list(self)


def read(tmp_path, name, text, **options):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return Graph.read(tmp_path / name, **options)


@pytest.mark.parametrize("mark", [",", ";", "\t", " "])
@pytest.mark.parametrize("ends", [("source", "target"), ("from", "to"), ("Source", "Target")])
def test_ends_of_a_list_may_be_names(tmp_path, mark, ends):
    columns = {ends[0]: ["ann", "bob", "ann"], ends[1]: ["bob", "c3po", "ann"], "cost": ["1", "2.5", "3"]}
    for width in (2, 3):
        for order in itertools.permutations(list(columns)[:width]):
            rows = [order, *zip(*(columns[name] for name in order), strict=True)]
            graph = read(tmp_path, "a.csv", "".join(mark.join(row) + "\n" for row in rows))
            ends = zip(*(side.tolist() for side in graph.edges), strict=True)
            named = {(graph.names[u], graph.names[v]) for u, v in ends}
            assert named == {("ann", "bob"), ("bob", "c3po"), ("ann", "ann")}
            assert graph.num_vertices == 3
            assert set(graph.attributes) == ({"cost"} if width == 3 else set())


def test_names_are_read_as_they_are(tmp_path):
    text = 'source,target\nMr Hi,"Smith, John"\n"Smith, John", Béa \nMr Hi,7\n日本,Mr Hi\n'
    graph = read(tmp_path, "a.csv", text)
    assert list(graph.names) == ["Mr Hi", "Smith, John", "Béa", "7", "日本"]
    assert graph.vertex("Béa") == 2
    assert read(tmp_path, "b.csv", text, undirected=True, dedup="first").names == graph.names


@pytest.mark.parametrize(
    ("code", "said", "text", "options"),
    [
        ("E0705", "`1.5`", "source,target\n1,2\n1.5,2\n", {}),
        ("E0705", "1i source,target", "a,b\nx,y\n", {}),
        ("E0705", "1i source,target", "ann,bob\nbob,carl\n", {}),
        ("E0705", "--source-column", "start,stop\nann,bob\n", {}),
        ("E0705", "2 values", "source,target,w\nann,bob,1\nann,bob\n", {}),
        ("E0705", "the destination is missing", "source,target\nann,bob\nann,\n", {}),
        ("E0705", "w: `x`", "source,target,w\nann,bob,1\nann,bob,x\n", {}),
        ("E0712", "names", "source,target\nann,bob\n", {"num_vertices": 3}),
        ("E0712", "names", "source,target\nann,bob\n", {"one_based": True}),
    ],
)
def test_lists_of_names_that_are_refused(tmp_path, code, said, text, options):
    with pytest.raises(GdslError) as caught:
        read(tmp_path, "a.csv", text, **options)
    assert caught.value.code == code
    assert said in str(caught.value)
    if code == "E0705":
        assert caught.value.diagnostics[0].place.endswith(f":{text.count(chr(10))}")


def test_names_of_networkx_stay():
    made = networkx.DiGraph([("Mr Hi", "Ann"), ("Ann", (1, 2))])
    graph = Graph.from_networkx(made)
    assert list(graph.names) == ["Mr Hi", "Ann", (1, 2)]
    assert networkx.utils.graphs_equal(graph.to_networkx(), made)
    assert Graph.from_networkx(networkx.path_graph(4)).names is None
    assert Graph.from_networkx(networkx.Graph([(2, 0), (0, 1)])).names is None
    assert list(Graph.from_networkx(networkx.Graph([(1, 2), (2, 3)])).names) == [1, 2, 3]
    assert Graph.from_networkx(networkx.Graph()).names is None


@given(edge_lists())
def test_networkx_of_names_there_and_back(case):
    made = networkx.relabel_nodes(graph_of(*case).to_networkx(), lambda vertex: f"v{vertex}")
    again = Graph.from_networkx(made)
    assert_same(again, graph_of(*case))
    assert list(again.names) == [f"v{vertex}" for vertex in range(case[0])]


def test_tables():
    table = Table(source=["b", "a"], target=["a", "c"], weight=[1.5, 2], lanes=[1, 2], kind=["x", "y"])
    graph = Graph.from_pandas(table)
    assert list(graph.names) == ["b", "a", "c"]
    assert stored(graph) == [(0, 1, 1.5), (1, 2, 2.0)]
    assert graph.attributes["lanes"].tolist() == [1, 2]
    assert set(graph.attributes) == {"weight", "lanes"}
    ids = Graph.from_pandas(Table(u=[0, 1], v=[2, 0], toll=[3, 4]), "u", "v", "toll", directed=False, num_vertices=5)
    assert ids.names is None
    assert (ids.num_vertices, ids.num_edges, ids.attributes["weight"].tolist()) == (5, 4, [4, 3, 4, 3])
    assert stored(Graph.from_pandas(Table(dst=[1], x=[0], src=[0]))) == [(0, 1)]
    assert Graph.from_pandas(Table(source=[], target=[])).num_vertices == 0
    mixed = Graph.from_pandas(Table(source=np.array(["a", 3], dtype=object), target=np.array([3, 4], dtype=object)))
    assert list(mixed.names) == ["a", 3, 4]


@pytest.mark.parametrize(
    ("table", "arguments", "said"),
    [
        (Table(source=[0], target=[1.5]), {}, "whole numbers or names"),
        (Table(source=["a", None], target=["b", "c"]), {}, "row 1 of the column `source` is empty"),
        (
            Table(source=np.array(["a", np.nan], dtype=object), target=["b", "c"]),
            {},
            "row 1 of the column `source` is empty",
        ),
        (Table(source=[0], target=[1]), {"source": "source"}, "both ends"),
        (Table(source=[0], target=[1]), {"source": "from"}, "no column 'from'"),
        (Table(source=[0], target=[1]), {"source": "from", "target": "target"}, "no column 'from'"),
        (Table(source=[0], target=[1]), {"weight": "cost"}, "no column 'cost'"),
        (Table(source=[0], target=[1], weight=["heavy"]), {}, "weights are numbers"),
        (Table(source=["a"], target=["b"]), {"num_vertices": 7}, "ends are names"),
        (Table(only=[0]), {}, "no two columns"),
        ([(0, 1)], {}, "is not a table"),
        (Table, {}, "is not a table"),
        (Table(source=[0, 1], target=[1]), {}, "one source and one destination"),
        (Table(source=[-1], target=[1]), {}, "-1"),
    ],
)
def test_tables_that_are_refused(table, arguments, said):
    with pytest.raises(GdslError, match="E07") as caught:
        Graph.from_pandas(table, **arguments)
    assert said in str(caught.value)


def test_pandas_itself():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [1, 2]})
    assert list(Graph.from_pandas(frame).names) == ["a", "b", "c"]
    assert list(Graph.from_pandas(frame.astype({"source": "category"})).names) == ["a", "b", "c"]


def test_names_go_through_every_change():
    graph = Graph.from_networkx(networkx.MultiDiGraph([("a", "b"), ("b", "a"), ("a", "b"), ("c", "c")]))
    for options in ({"undirected": True}, {"dedup": "max"}, {"loops": False}, {"weights": "random:1"}):
        assert graph.changed(**options).names == ("a", "b", "c")
    assert graph.changed(loops=False, compact=True).names == ("a", "b")
    for other in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert other.names == graph.names
    assert describe(graph).named
    assert not describe(Graph.from_edges([0], [1])).named


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz"])
@pytest.mark.parametrize("directed", [True, False])
def test_names_there_and_back_through_files(tmp_path, name, directed):
    kind = networkx.DiGraph if directed else networkx.Graph
    graph = Graph.from_networkx(kind([("Mr Hi", "Smith, J"), ("Smith, J", "a;b"), ("Béa", "Mr Hi")]))
    write(graph, tmp_path / name)
    again = Graph.read(tmp_path / name)
    assert again.directed == directed
    assert networkx.utils.graphs_equal(again.to_networkx(), graph.to_networkx())


@pytest.mark.parametrize("name", ["new\nline", "", "a\u00a0b", "\t"])
def test_names_that_a_list_cannot_hold(tmp_path, name):
    graph = Graph.from_networkx(networkx.Graph([(name, "b")]))
    with pytest.raises(GdslError, match="E0715"):
        write(graph, tmp_path / "a.csv")
    write(graph, tmp_path / "a.mtx")
    assert Graph.read(tmp_path / "a.mtx").names is None


def test_looking_up():
    names = Names(["a", 3, (1, 2), "4"])
    assert [names.id_of(name) for name in ("a", 3, "3", (1, 2), "4", 4, "x", [1], None)] == [
        0, 1, 1, 2, 3, None, None, None, None]  # fmt: skip
    assert Names(["1", 1]).id_of("1") == 0
    with pytest.raises(ValueError, match="same name"):
        Names(["a", "a"])
    with pytest.raises(KeyError):
        Graph.from_edges([0], [1]).vertex("a")


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ([2**63 + 1, 1], [2**63 + 1, 1]),
        ([2**53 + 2, 0.5], [2**53 + 2, 0.5]),
        ([2**53 + 1, 0.5], None),
        ([2**63 + 1, -1], None),
        ([2**64, 1], None),
        ([2**64, 0.5], None),
    ],
)
def test_attributes_are_the_numbers_that_were_given(values, kept):
    """NumPy makes floats of numbers of several types, which are not always the same numbers."""
    made = networkx.DiGraph([(0, 1, {"key": values[0]}), (1, 2, {"key": values[1]})])
    if kept is None:
        with pytest.raises(GdslError, match=r"E0711.*a value of `key` does not fit in 64 bits"):
            Graph.from_networkx(made)
    else:
        assert Graph.from_networkx(made).attributes["key"].tolist() == kept


def test_only_edges_without_a_weight_have_one():
    made = networkx.DiGraph([(0, 1, {"weight": 3}), (1, 2)])
    made.nodes[0].update(weight=5, size=1)
    made.nodes[1].update(weight="heavy", size=2)
    made.nodes[2]["size"] = 3
    graph = Graph.from_networkx(made)
    assert graph.attributes["weight"].tolist() == [3, 1]
    assert {name: values.tolist() for name, values in graph.vertex_attributes.items()} == {"size": [1, 2, 3]}


def test_names_of_attributes_change_no_terminal(tmp_path):
    """A file may call an attribute anything; what is told of it is text."""
    name = "\x1b[31mred\x07\nline"
    graph = Graph.from_edges([0], [1], attributes={name: [1.0]})
    told = [repr(graph), str(describe(graph))]
    sssp = gdsl.samples.sssp
    with pytest.raises(GdslError, match=r"attribute `weight`[\s\S]*note: .*\\x1b\[31mred\\x07") as error:
        sssp(graph, source=0, backend="reference")
    told.append(str(error.value))
    with pytest.raises(GdslError, match=r"E0715.*\\x1b\[31mred") as error:
        write(graph, tmp_path / "a.mtx")
    told.append(str(error.value))
    assert all(text.replace("\n", "").isprintable() for text in told)
    assert all("\\x1b[31mred\\x07" in text for text in told)


@pytest.mark.parametrize(
    ("code", "said", "content"),
    [
        # Read with marks for what is not known, these two would be one vertex.
        ("E0710", "is not UTF-8", "source,target\nMüller,Bob\nMöller,Ann\n".encode("latin-1")),
        ("E0710", "is not UTF-8", "source target\nAnn Bob\nMüller Bob\n".encode("latin-1")),
        # Behind the names values are between blanks, where none and two are one each.
        ("E0705", "weight: the value is missing", b"source\ttarget\tweight\tb\nAnn\tBob\t1\t2\nCy\tDee\t\t3 4\n"),
        ("E0705", "w: `3 4` is not", b"source\ttarget\tw\nAnn\tBob\t1\nCy\tDee\t3 4\n"),
        ("E0710", "200,004 bytes", b"source,target\nAnn,Bob\n" + b"a" * 200_000 + b",Bob\n"),
    ],
)
def test_lists_whose_names_would_be_others(tmp_path, code, said, content):
    (tmp_path / "a.tsv").write_bytes(content)
    with pytest.raises(GdslError) as caught:
        Graph.read(tmp_path / "a.tsv")
    assert caught.value.code == code and said in str(caught.value)
    line = 2 if content.startswith(b"source,target\nM") else 3
    assert caught.value.diagnostics[0].place == f"{tmp_path / 'a.tsv'}:{line}"
    assert "--source-column" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message", "fix"),
    [
        ("source,target\nAnn,\n", ":2: error[E0705]: the destination is missing", "give each edge both ends"),
        ('source,target\nAnn,"Bob\nCy,Dee\n', ":2: error[E0705]: a quote is not closed", "close it"),
        ('source,target\nAnn,"Bob"by\n', ":2: error[E0705]: after a closing quote", "twice"),
    ],
)
def test_lists_as_other_programs_write_them(tmp_path, text, message, fix):
    path = tmp_path / "list.csv"
    path.write_text(text)
    with pytest.raises(gdsl.GdslError) as caught:
        gdsl.Graph.read(path)
    assert message in str(caught.value) and fix in str(caught.value)


def test_a_number_that_is_an_id_and_a_name(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("source,target\nAnn,Bob\n7,Ann\n0,Bob\n3,2\n")
    graph = gdsl.Graph.read(path)  # 7 has the id 2, 0 the id 3, 3 the id 4, 2 the id 5

    def source(word):
        return gdsl.samples.bfs(graph, source=Text(word), backend="reference").distance.tolist().index(0)

    assert (source("1"), source('"0"'), source('"7"'), source("Ann")) == (1, 3, 2, 0)
    assert gdsl.samples.bfs(graph, source=0, backend="reference").distance[0] == 0
    with pytest.raises(gdsl.GdslError, match="0 is the name of a vertex, and the id of the vertex 'Ann'") as caught:
        source("0")
    assert caught.value.code == "E0603" and """-p 'source="0"'""" in str(caught.value)
    with pytest.raises(gdsl.GdslError, match="7 is the name of a vertex, and no id"):
        source("7")
