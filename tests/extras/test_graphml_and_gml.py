"""Files of GraphML and GML: names, characters, mistakes, and what igraph reads otherwise."""

from __future__ import annotations

import gzip
import re

import numpy as np
import pytest
from support.graphs import assert_same

import gdsl
from gdsl import Graph
from gdsl.cli.main import main
from gdsl.graph import write

networkx = pytest.importorskip("networkx")
igraph = pytest.importorskip("igraph")


def test_names_of_graphml_and_gml(tmp_path):
    """The attribute `name`, else labels where they differ, else ids, unless these only count."""
    nodes = 'node [ id 1 label "Ann" ] node [ id 5 label "{second}" ]'
    edge = "edge [ source 1 target 5 weight 3 ] edge [ source 5 target 1 ]"
    for second, names in (("Bob", ("Ann", "Bob")), ("Ann", (1, 5))):
        (tmp_path / "a.gml").write_text(f"graph [ directed 1 {nodes.format(second=second)} {edge} ]")
        graph = Graph.read(tmp_path / "a.gml")
        assert graph.names == names
        assert graph.attributes["weight"].tolist() == [3, 1] and graph.attributes["weight"].dtype == np.int64
    networkx.write_gml(networkx.path_graph(4), tmp_path / "b.gml")
    networkx.write_graphml(
        networkx.DiGraph([("x", "y", {"weight": 2}), ("y", "z", {"weight": 3})]), tmp_path / "b.graphml"
    )
    assert Graph.read(tmp_path / "b.gml").num_edges == 6
    graph = Graph.read(tmp_path / "b.graphml")
    assert graph.names == ("x", "y", "z") and graph.attributes["weight"].tolist() == [2, 3]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.gml", "graph [\n node [ id 1 ]\n edge [ source 1 target 2 ]\n]", "a.gml:3"),
        ("a.gml", "graph [\n node [ id 1 ]\n node [ id 1 ]\n]", "Duplicate node id"),
        ("a.gml", "graph [ node [ id 1 ", "syntax error"),
        ("a.gml", "hello world", "syntax error"),
        ("a.gml", "", "E0716"),
        ("a.gml", 'graph [ node [ id 1 ] edge [ source 1 target 1 weight "x" ] ]', "is no number"),
        ("a.gml", "graph [ node [ id 1 ] ]\ngraph [ node [ id 1 ] ]", "a.gml:2: error[E0705]: this GML file has"),
        ("a.gml", "graph [ a [ graph [ ] ] ] graph\n[ ]", "a second graph"),
        ("a.graphml", "<graphml>\n<graph>\n</grph></graphml>", "a.graphml:3"),
        ("a.graphml", "<html></html>", "a GraphML file with a mistake: there is no graph in it"),
        ("a.graphml", "junk", "Document is empty"),
        ("a.graphml", "", "E0716"),
        ("a.parquet", "junk", "E0710"),
        ("a.parquet", "", "E0716"),
        ("a.feather", "ARROW1junkARROW1", "E0710"),
        ("a.arrow", "junk", "E0710"),
    ],
)
def test_files_with_mistakes(tmp_path, capfd, name, text, said):
    (tmp_path / name).write_text(text)
    assert main(["graph", "info", str(tmp_path / name)]) == 1
    captured = capfd.readouterr()
    assert said in captured.err and name in captured.err and "error[E07" in captured.err
    assert "Traceback" not in captured.err and "src/io" not in captured.err and not captured.out


def test_gml_is_utf8(tmp_path):
    """igraph ends the process where a label is anything else."""
    nodes = 'node [ id 0\nlabel "Müller" ] node [ id 1 label "[graph [" graph [ ] ]'
    text = f"graph [ {nodes} edge [ source 0 target 1 ] ]\n"
    (tmp_path / "a.gml").write_text(text, encoding="utf-8")
    assert Graph.read(tmp_path / "a.gml").names == ("Müller", "[graph [")
    (tmp_path / "a.gml").write_text(text, encoding="latin-1")
    with pytest.raises(gdsl.GdslError, match=r"a.gml:2: error\[E0710\].*UTF-8"):
        Graph.read(tmp_path / "a.gml")


@pytest.mark.parametrize(("name", "reader"), [("a.graphml", "Read_GraphML"), ("a.gml", "Read_GML")])
def test_files_that_change_while_they_are_read(tmp_path, monkeypatch, name, reader):
    """What was looked through is what is read."""
    graph = Graph.from_edges([0, 1], [1, 2])
    write(graph, tmp_path / name)
    theirs = getattr(igraph.Graph, reader)

    def read_after_another_wrote(path):
        (tmp_path / name).write_text("")
        return theirs(path)

    monkeypatch.setattr(igraph.Graph, reader, read_after_another_wrote)
    assert_same(Graph.read(tmp_path / name), graph)


def test_gml_of_networkx(tmp_path):
    """Characters by their numbers, and reals without digits behind the point, of which igraph knows neither."""
    names = ["é", "d&e", '"q"', "&#233;", "1.E5", "日", "&amp;", "<x>", "a\nb"]
    made = networkx.path_graph(names, create_using=networkx.DiGraph)
    networkx.set_edge_attributes(made, 1e-05, "weight")
    networkx.write_gml(made, tmp_path / "a.gml")
    graph = Graph.read(tmp_path / "a.gml")
    assert list(graph.names) == names and set(graph.attributes["weight"]) == {1e-05}
    graph = Graph.from_networkx(made)
    write(graph, tmp_path / "b.gml")
    assert_same(Graph.read(tmp_path / "b.gml"), graph)


def test_ampersands_of_graphml(tmp_path):
    """igraph reads each in an attribute of XML as `&#38;`."""
    made = networkx.DiGraph([("d&e", "&amp;"), ("&amp;", "&#38;")])
    networkx.write_graphml(made, tmp_path / "a.graphml")
    assert Graph.read(tmp_path / "a.graphml").names == ("d&e", "&amp;", "&#38;")
    values = {"a&b": [1, 2]}
    graph = Graph.from_edges([0, 1], [1, 2], attributes=values, vertex_attributes={"v&&": [3, 4, 5]})
    write(graph, tmp_path / "a.graphml")
    assert_same(Graph.read(tmp_path / "a.graphml"), graph)


@pytest.mark.parametrize("name", ["a.graphml", "a.gml"])
def test_whole_numbers_that_igraph_rounds(tmp_path, name):
    """They are not taken for others that are near."""
    for value, kind in ((2**53 - 1, "i"), (2**53 + 1, "f")):
        graph = Graph.from_edges([0], [1], weights=[2**50])
        write(graph, tmp_path / name)
        (tmp_path / name).write_text((tmp_path / name).read_text().replace(str(2**50), str(value)))
        assert Graph.read(tmp_path / name).attributes["weight"].dtype.kind == kind


NODES = '<node id="a"/><node id="b">{}</node>'


@pytest.mark.parametrize(
    ("kind", "more", "said"),
    [
        ("directed", "</graph>\n<graph edgedefault='directed'>", ":2.*a second graph"),
        ("directed", NODES.format("\n<graph edgedefault='directed'/>"), ":2.*a second graph"),
        ("directed", "\n<hyperedge><endpoint node='a'/></hyperedge>", ":2.*a hyperedge"),
        ("directed", "\n\n<edge source='a' target='b' directed='false'/>", ":3.*from a to b is undirected"),
        ("undirected", "<edge source='a' target='b' directed='true'/>", "is directed, .* are undirected"),
    ],
)
@pytest.mark.parametrize("prefix", ["", "g:"])
def test_what_igraph_would_pass_over(tmp_path, kind, more, said, prefix):
    """Each file is read once it has nothing of the kind, also where a comment speaks of it."""
    space = "xmlns:g" if prefix else "xmlns"
    head = f'<graphml {space}="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="{kind}">' + NODES.format("")
    usual = f"<edge source='b' target='a' directed='{str(kind == 'directed').lower()}'/><!-- <graph > <hyperedge/> -->"

    def text(inside):
        return re.sub(r"<(/?)(?=\w)", rf"<\1{prefix}", head + inside + "</graph></graphml>")

    (tmp_path / "a.graphml").write_text(text(usual))
    graph = Graph.read(tmp_path / "a.graphml")
    assert (graph.num_vertices, graph.directed) == (2, kind == "directed")
    (tmp_path / "a.graphml").write_text(text(usual + more))
    with pytest.raises(gdsl.GdslError, match=rf"a.graphml{said if said[0] == ':' else '.*' + said}"):
        Graph.read(tmp_path / "a.graphml")


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.gml", "graph [" + " " * 3_000_000 + "]"),
        ("a.gml.gz", "\n" * 3_000_000 + "graph [ ]"),
        ("a.gml", "# a" + " comment" * 400_000 + "\ngraph [ ]"),
        ("a.gml", 'graph [ label "' + "a b " * 700_000 + '" ]'),
        ("a.gml", 'graph [ label "' + "a b " * 700_000),
        ("a.gml", "graph [ " + "k" * 3_000_000 + " 1 ]"),
        (
            "a.graphml",
            "<graphml><graph><node " + " ".join(f"a{n}='1'" for n in range(200_000)) + "/></graph></graphml>",
        ),
        ("a.graphml", "<graphml><!--" + "c" * 3_000_000 + "--></graphml>"),
    ],
    ids=["blanks", "lines", "comment", "string", "no end", "word", "attributes", "comment of XML"],
)
def test_files_made_to_take_long(tmp_path, name, text):
    content = text.encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    with pytest.raises(gdsl.GdslError, match=r"E0710.*this is no graph: a single word, tag or run of blanks"):
        Graph.read(tmp_path / name)


@pytest.mark.parametrize(
    ("keys", "node", "edge", "said"),
    [
        ("", "", "zz", ":3.*an edge with data of the key `zz`, which is not declared.*"),
        ("", "zz", "", ":2.*a node with data of the key `zz`, which is not declared"),
        ("<key id='zz' for='node' attr.name='x' attr.type='int'/>", "", "zz", ":3.*which is declared for 'node'"),
        ("<key id='zz' attr.name='x' attr.type='double'/>", "", "zz", ":3.*which is declared for 'all'"),
        ("<key id='zz' for='all' attr.name='x' attr.type='string'/>", "zz", "zz", None),
        ("<key id='zz' for='edge' attr.name='x' attr.type='int'/>", "", "zz", None),
    ],
)
def test_data_of_keys_that_are_not_declared(tmp_path, keys, node, edge, said):
    """igraph drops it with a warning; text is no attribute of a graph here in any case."""
    data = {key: f"<data key='{key}'>3</data>" if key else "" for key in (node, edge)}
    (tmp_path / "a.graphml").write_text(
        f"<graphml xmlns='http://graphml.graphdrawing.org/xmlns'>{keys}<graph edgedefault='undirected'>\n"
        f"<node id='a'>{data[node]}</node><node id='b'/>\n<edge source='a' target='b'>{data[edge]}</edge>"
        "<!-- <data key='no'/> --></graph></graphml>"
    )
    if said is None:
        assert list(Graph.read(tmp_path / "a.graphml").attributes) == ["x"] * ("edge" in keys)
    else:
        with pytest.raises(
            gdsl.GdslError, match=f'(?s)a.graphml{said}.*<key id="zz" for="{"node" if node else "edge"}"'
        ):
            Graph.read(tmp_path / "a.graphml")


def test_data_without_a_key(tmp_path):
    (tmp_path / "a.graphml").write_text(
        "<graphml xmlns='http://graphml.graphdrawing.org/xmlns'><graph edgedefault='undirected'>\n"
        "<node id='a'><data>3</data></node></graph></graphml>"
    )
    with pytest.raises(gdsl.GdslError, match=r"(?s)a.graphml:2.*a node with data without a key.*name its key"):
        Graph.read(tmp_path / "a.graphml")


def test_keys_within_the_graph_declare_nothing(tmp_path):
    (tmp_path / "a.graphml").write_text(
        "<graphml xmlns='http://graphml.graphdrawing.org/xmlns'><graph edgedefault='undirected'>\n"
        "<key id='w' for='node' attr.name='x' attr.type='int'/>\n"
        "<node id='a'><data key='w'>3</data></node></graph></graphml>"
    )
    with pytest.raises(
        gdsl.GdslError, match=r"(?s)a.graphml:3.*a node with data of the key `w`, which is not declared"
    ):
        Graph.read(tmp_path / "a.graphml")
