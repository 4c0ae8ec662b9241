"""Files of GraphML and GML: names, characters, values, mistakes, and how much memory and time they take."""

from __future__ import annotations

import gzip
import re
import tracemalloc

import numpy as np
import pytest
from support.graphs import assert_same

import gdsl
from gdsl import Graph
from gdsl.cli.main import main
from gdsl.graph import memory, write
from gdsl.graph.messages import collecting

networkx = pytest.importorskip("networkx")


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
        ("a.gml", "hello world", "there is no graph in it"),
        ("a.gml", "graph [ a b ]", "syntax error"),
        ("a.gml", 'graph [ a "b ]', "a quotation mark without its end"),
        ("a.gml", "", "E0716"),
        ("a.gml", 'graph [ node [ id 1 ] edge [ source 1 target 1 weight "x" ] ]', "is not a number"),
        ("a.gml", "graph [ node [ id 1 ] ]\ngraph [ node [ id 1 ] ]", "a.gml:2: error[E0705]: this GML file has"),
        ("a.gml", "graph [ a [ graph [ ] ] ] graph\n[ ]", "a second graph"),
        ("a.graphml", "<graphml>\n<graph>\n</grph></graphml>", "a.graphml:3"),
        ("a.graphml", "<html></html>", "this is a web page, not a graph"),
        ("a.graphml", "<svg></svg>", "a GraphML file with a mistake: there is no graph in it"),
        ("a.graphml", "junk", "a.graphml:1"),
        ("a.graphml", "", "E0716"),
        ("a.parquet", "junk", "E0710"),
        ("a.parquet", "", "E0716"),
        ("a.feather", "ARROW1junkARROW1", "E0710"),
        ("a.arrow", "junk", "E0710"),
    ],
)
def test_files_with_mistakes(tmp_path, capfd, name, text, said):
    if text and name.endswith((".parquet", ".feather", ".arrow")):
        pytest.importorskip("pyarrow")
    (tmp_path / name).write_text(text)
    assert main(["graph", "info", str(tmp_path / name)]) == 1
    captured = capfd.readouterr()
    assert said in captured.err and name in captured.err and "error[E07" in captured.err
    assert "Traceback" not in captured.err and "src/io" not in captured.err and not captured.out


def test_gml_is_utf8(tmp_path):
    """A label in another encoding is refused at its line."""
    nodes = 'node [ id 0\nlabel "Müller" ] node [ id 1 label "[graph [" graph [ ] ]'
    text = f"graph [ {nodes} edge [ source 0 target 1 ] ]\n"
    (tmp_path / "a.gml").write_text(text, encoding="utf-8")
    assert Graph.read(tmp_path / "a.gml").names == ("Müller", "[graph [")
    (tmp_path / "a.gml").write_text(text, encoding="latin-1")
    with pytest.raises(gdsl.GdslError, match=r"a.gml:2: error\[E0710\].*UTF-8"):
        Graph.read(tmp_path / "a.gml")


def test_gml_of_networkx(tmp_path):
    """Characters by their numbers, and reals without digits behind the point."""
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
    made = networkx.DiGraph([("d&e", "&amp;"), ("&amp;", "&#38;")])
    networkx.write_graphml(made, tmp_path / "a.graphml")
    assert Graph.read(tmp_path / "a.graphml").names == ("d&e", "&amp;", "&#38;")
    values = {"a&b": [1, 2]}
    graph = Graph.from_edges([0, 1], [1, 2], attributes=values, vertex_attributes={"v&&": [3, 4, 5]})
    write(graph, tmp_path / "a.graphml")
    assert_same(Graph.read(tmp_path / "a.graphml"), graph)


NODES = '<node id="a"/><node id="b">{}</node>'


@pytest.mark.parametrize(
    ("kind", "more", "said"),
    [
        ("directed", "</graph>\n<graph edgedefault='directed'>", ":2.*a second graph"),
        ("directed", "<node id='c'>\n<graph edgedefault='directed'/></node>", ":2.*a second graph"),
        ("directed", "\n<hyperedge><endpoint node='a'/></hyperedge>", ":2.*a hyperedge"),
        ("directed", "\n\n<edge source='a' target='b' directed='false'/>", ":3.*from a to b is undirected"),
        ("undirected", "<edge source='a' target='b' directed='true'/>", "is directed, .* are undirected"),
    ],
)
@pytest.mark.parametrize("prefix", ["", "g:"])
def test_what_no_graph_here_has(tmp_path, kind, more, said, prefix):
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
    try:
        assert len(Graph.read(tmp_path / name)) <= 1
    except gdsl.GdslError as error:
        assert "E07" in str(error)


@pytest.mark.parametrize(
    ("keys", "node", "edge", "said"),
    [
        ("", "", "zz", ":3.*an edge with data of the key `zz`, which is not declared.*"),
        ("", "zz", "", ":2.*a node with data of the key `zz`, which is not declared"),
        ("<key id='zz' for='node' attr.name='x' attr.type='int'/>", "", "zz", ":3.*which is declared for 'node'"),
        ("<key id='zz' attr.name='x' attr.type='double'/>", "", "zz", None),
        ("<key id='zz' for='all' attr.name='x' attr.type='string'/>", "zz", "zz", None),
        ("<key id='zz' for='edge' attr.name='x' attr.type='int'/>", "", "zz", None),
    ],
)
def test_data_of_keys_that_are_not_declared(tmp_path, keys, node, edge, said):
    """Text is no attribute of a graph here in any case."""
    data = {key: f"<data key='{key}'>3</data>" if key else "" for key in (node, edge)}
    (tmp_path / "a.graphml").write_text(
        f"<graphml xmlns='http://graphml.graphdrawing.org/xmlns'>{keys}<graph edgedefault='undirected'>\n"
        f"<node id='a'>{data[node]}</node><node id='b'/>\n<edge source='a' target='b'>{data[edge]}</edge>"
        "<!-- <data key='no'/> --></graph></graphml>"
    )
    if said is None:
        assert list(Graph.read(tmp_path / "a.graphml").attributes) == ["x"] * ("edge" in keys or "double" in keys)
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


HEAD = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'


def graphml_of(keys, values, kind="directed"):
    """Two nodes and an edge for each of `values`, which are data elements."""
    edges = "".join(f'<edge source="a" target="b">{value}</edge>\n' for value in values)
    return f'{HEAD}{keys}<graph edgedefault="{kind}"><node id="a"/><node id="b"/>\n{edges}</graph></graphml>'


def weights_of(keys, values, tmp_path):
    (tmp_path / "a.graphml").write_text(graphml_of(keys, values))
    return Graph.read(tmp_path / "a.graphml").attributes["weight"]


KEY = '<key id="{0}" for="edge" attr.name="weight" attr.type="{1}">{2}</key>'
DATA = '<data key="{}">{}</data>'


@pytest.mark.parametrize(
    ("kind", "default", "texts", "values"),
    [
        ("double", "", ["NaN", "2", " INF ", "-inf", "1e-310"], [None, 2.0, np.inf, -np.inf, 1e-310]),
        ("long", "", ["9007199254740993", "-9223372036854775808", "0"], [2**53 + 1, -(2**63), 0]),
        ("long", "", ["18446744073709551615", "0"], [2**64 - 1, 0]),
        ("double", "", ["9007199254740993", "4"], [2**53 + 1, 4]),
        ("int", "", ["3", "4.0", ""], [3, 4, 1]),
        ("double", "<default>7.5</default>", ["3", None, "NaN"], [3, 7.5, None]),
        ("double", "", ["3", None, "NaN"], [3, 1, None]),
        ("boolean", "", ["true", "False", "1"], [True, False, True]),
        ("string", "", ["2.5", "3"], [2.5, 3]),
        ("float", "", ["1e3", ".5"], [1000, 0.5]),
    ],
)
def test_values_of_graphml(tmp_path, kind, default, texts, values):
    data = [DATA.format("w", text) if text is not None else "" for text in texts]
    with collecting() as notices:
        found = weights_of(KEY.format("w", kind, default), data, tmp_path).tolist()
    assert len(notices) == (not default and (None in texts or "" in texts))
    assert [value if value == value else None for value in found] == values


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("int", "1.5", 'declare the key with attr.type="double"'),
        ("long", "NaN", "double"),
        ("boolean", "2", "long"),
        ("double", "x", "correct it, or give the attribute another name"),
        ("double", "1,5", "a point in place of the comma"),
        ("double", "1e400", "too large"),
        ("long", "9" * 30, "does not fit"),
        ("long", "18446744073709551616", "64 bits"),
        ("string", "x", "not a number"),
    ],
)
def test_values_that_are_refused(tmp_path, kind, text, said):
    with pytest.raises(gdsl.GdslError, match=rf"(?s)a.graphml.*E07(05|11).*{said}"):
        weights_of(KEY.format("w", kind, ""), [DATA.format("w", text)], tmp_path)


def test_an_int_and_a_float_attribute_of_the_same_name(tmp_path):
    """As networkx.write_graphml writes them."""
    made = networkx.Graph()
    made.add_edge("x", "y", weight=2)
    made.add_edge("y", "z", weight=3.5)
    made.add_edge("z", "x", weight=float("nan"))
    networkx.write_graphml(made, tmp_path / "a.graphml")
    found = Graph.read(tmp_path / "a.graphml").changed(compact=True)
    values = dict(zip(zip(*(each.tolist() for each in found.edges), strict=True), found.attributes["weight"].tolist(),
                      strict=True))  # fmt: skip
    assert values[0, 1] == 2 and values[1, 2] == 3.5 and np.isnan(values[0, 2])
    keys = KEY.format("i", "long", "") + KEY.format("f", "double", "")
    with pytest.raises(gdsl.GdslError, match=r"E0711.*fit no single type"):
        weights_of(keys, [DATA.format("i", 2**53 + 1), DATA.format("f", 0.5)], tmp_path)


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1", "2"], "long"),
        (["1", "2.5"], "double"),
        (["true"], "boolean"),
        (["NaN"], "double"),
        (["x", "1"], "string"),
        ([""], "string"),
    ],
)
def test_the_fix_for_data_that_is_not_declared_fits_it(tmp_path, texts, kind):
    text = graphml_of("", [DATA.format("weight", each) for each in texts])
    (tmp_path / "a.graphml").write_text(text)
    with pytest.raises(gdsl.GdslError, match="E0705") as caught:
        Graph.read(tmp_path / "a.graphml")
    declared = re.search("<key .*/>", caught.value.diagnostics[0].fix)[0]
    assert f'attr.type="{kind}"' in declared
    (tmp_path / "a.graphml").write_text(text.replace(HEAD, HEAD + declared))
    if kind == "string":
        with pytest.raises(gdsl.GdslError, match="not a number"):
            Graph.read(tmp_path / "a.graphml")
    else:
        assert "weight" in Graph.read(tmp_path / "a.graphml").attributes


@pytest.mark.parametrize("second", ["Santa Maria", "", None])
def test_names_that_are_not_each_ones_own(tmp_path, second):
    """The vertices are called by their ids then, as where labels of GML are repeated, and a notice says so."""
    data = "" if second is None else f'<data key="n">{second}</data>'
    key = '<key id="n" for="node" attr.name="name" attr.type="string"/>'
    nodes = f'<node id="SMA"><data key="n">Santa Maria</data></node><node id="RIA">{data}</node>'
    edge = '<edge source="SMA" target="RIA"/>'
    (tmp_path / "a.graphml").write_text(f'{HEAD}{key}<graph edgedefault="undirected">{nodes}{edge}</graph></graphml>')
    with pytest.warns(gdsl.GraphNotice, match="called by their ids"):
        assert Graph.read(tmp_path / "a.graphml").names == ("SMA", "RIA")
    (tmp_path / "a.gml").write_text(
        'graph [ node [ id 3 name "A" ] node [ id 5 name "A" ] edge [ source 3 target 5 ] ]'
    )
    with pytest.warns(gdsl.GraphNotice, match="repeated"):
        assert Graph.read(tmp_path / "a.gml").names == (3, 5)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('<graph edgedefault="sideways"/>', "edgedefault"),
        ("<graph><node/></graph>", "has no id"),
        ('<graph><node id="a"/>\n<node id="a"/></graph>', ":2.*two nodes have the id"),
        ('<graph><node id="a"/>\n<edge source="a"/></graph>', ":2.*no target"),
        ('<graph><node id="a"/>\n<edge source="a" target="x"/></graph>', ":2.*no such node"),
        ('<key id="d"><default>', "no element found"),
        ('<?xml version="1.0" encoding="utf-9"?><default>', "unknown encoding.*save the file as UTF-8"),
        ('<?xml version="1.0" encoding="big5"?><default>', "save the file as UTF-8"),
    ],
)
def test_mistakes_of_graphml(tmp_path, body, said):
    (tmp_path / "a.graphml").write_text(f"<graphml>{body}</graphml>" if not body.endswith("<default>") else body)
    with pytest.raises(gdsl.GdslError, match=rf"(?s)a.graphml.*{said}|a.graphml{said}"):
        Graph.read(tmp_path / "a.graphml")


def test_what_is_passed_over(tmp_path):
    """Ports, pictures of nodes, edges before their nodes, keys without a name, and graphs without a direction."""
    keys = '<key id="d" for="node" yfiles.type="nodegraphics"/><key id="k" for="edge" attr.type="int"/>'
    node = '<node id="b"><port name="p"/><data key="d"><y:Shape xmlns:y="y">5</y:Shape></data></node>'
    edge = '<edge source="a" target="b" sourceport="p"><data key="k">4</data></edge>'
    (tmp_path / "a.graphml").write_text(f'{HEAD}{keys}<graph id="G">{edge}<node id="a"/>{node}</graph></graphml>')
    graph = Graph.read(tmp_path / "a.graphml")
    assert graph.names == ("b", "a")[::-1] and not graph.directed and graph.attributes["k"].tolist() == [4, 4]
    entities = '<!DOCTYPE g [<!ENTITY a "b">]>' + f"{HEAD}<graph><node id='&a;'/></graph></graphml>"
    (tmp_path / "a.graphml").write_text(entities)
    with pytest.raises(gdsl.GdslError, match=r"E0705.*entities of its own"):
        Graph.read(tmp_path / "a.graphml")


@pytest.mark.parametrize(
    ("texts", "values"),
    [
        (["NAN", "2", "+INF", "-inf"], [None, 2.0, np.inf, -np.inf]),
        (["9007199254740993", "-4"], [2**53 + 1, -4]),
        (['"9007199254740993"', "4"], [2**53 + 1, 4]),
        (['"2.5"', '"3"'], [2.5, 3]),
        (["1.E5", None], [1e5, 1]),
    ],
)
def test_values_of_gml(tmp_path, texts, values):
    edges = " ".join(f"edge [ source 1 target 0 {f'weight {text}' if text else ''} ]" for text in texts)
    (tmp_path / "a.gml").write_text(f"Version 1 graph [ directed 1 node [ id 0 g [ x 1 ] ] {edges} node [ id 1 ] ]")
    with collecting() as notices:
        found = Graph.read(tmp_path / "a.gml").attributes["weight"].tolist()
    assert notices == ([f"{tmp_path / 'a.gml'}: 1 of 2 edges have no weight, and get 1"] if None in texts else [])
    assert [value if value == value else None for value in found] == values


def test_attributes_that_are_missing_or_repeated(tmp_path):
    text = 'graph [ node [ id 0 x 1 l 1 l 2 ] node [ id 1 y 2 t "é&auml;" ] edge [ source 0 target 1 k 3 ] ]'
    (tmp_path / "a.gml").write_text(text)
    with pytest.warns(gdsl.GraphNotice, match="several values on one node is skipped: l"):
        graph = Graph.read(tmp_path / "a.gml")
    assert set(graph.vertex_attributes) == {"x", "y"} and graph.attributes["k"].tolist() == [3, 3]
    assert graph.vertex_attributes["x"][0] == 1 and np.isnan(graph.vertex_attributes["x"][1])


@pytest.mark.parametrize("kind", ["gml", "graphml"])
@pytest.mark.parametrize("default", ["", "<default>1</default>"])
def test_an_attribute_of_its_own_for_each_node(tmp_path, monkeypatch, kind, default):
    """n attributes of n nodes are n² values: they take no such memory, or are refused before they do."""
    count = 3000
    if kind == "gml":
        text = "graph [ " + " ".join(f"node [ id {each} a{each} 1 ]" for each in range(count)) + " ]"
    else:
        keys = (f'<key id="k{n}" for="node" attr.name="a{n}" attr.type="int">{default}</key>' for n in range(count))
        nodes = (f'<node id="n{n}"><data key="k{n}">1</data></node>' for n in range(count))
        text = f'{HEAD}{"".join(keys)}<graph edgedefault="directed">{"".join(nodes)}</graph></graphml>'
    (tmp_path / f"a.{kind}").write_text(text)
    tracemalloc.start()
    try:
        with collecting() as notices:
            graph = Graph.read(tmp_path / f"a.{kind}")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert graph.num_vertices == count and peak < 40_000_000
    assert "attributes that few of the 3,000 nodes have are skipped" in notices[0]
    monkeypatch.setattr(memory, "available_memory", lambda: 5_000_000)
    with collecting(), pytest.raises(gdsl.GdslError, match="E0708"):
        Graph.read(tmp_path / f"a.{kind}")


@pytest.mark.parametrize("name", ["a.graphml", "a.gml"])
def test_numbers_there_and_back(tmp_path, name):
    attributes = {"weight": [float("nan"), 1e-310, 2.0], "k": [2**63, 2**53 + 1, 0], "n": [-(2**63), 1, 2**63 - 1]}
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], attributes=attributes)
    write(graph, tmp_path / name)
    again = Graph.read(tmp_path / name)
    for key, values in graph.attributes.items():
        assert np.array_equal(again.attributes[key], values, equal_nan=values.dtype.kind == "f")
    assert again.attributes["weight"].dtype.kind == "f" or name == "a.gml"
