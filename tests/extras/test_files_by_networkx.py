"""Files that NetworkX reads, and Pajek's: what it writes is read with its names and values, and nothing is lost."""

from __future__ import annotations

import gzip
import json
import re
import sys

import numpy as np
import pytest

import gdsl
from gdsl import Graph
from gdsl.cli.main import main
from gdsl.graph import memory, write
from gdsl.graph.messages import collecting

networkx = pytest.importorskip("networkx")
pytestmark = pytest.mark.filterwarnings("error::gdsl.GraphNotice")


def named_edges(graph, attribute="weight"):
    """Edges by names with their values, undirected ones once."""
    edges = graph._edge_list()
    names = graph.names or range(graph.num_vertices)
    values = edges.attributes.get(attribute, np.zeros(len(edges.sources), int)).tolist()
    pairs = [(names[s], names[d]) for s, d in zip(edges.sources.tolist(), edges.destinations.tolist(), strict=True)]
    pairs = pairs if graph.directed else [tuple(sorted(pair, key=str)) for pair in pairs]
    return sorted(zip(pairs, values, strict=True), key=str)


def read(tmp_path, name, content, **options):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return Graph.read(tmp_path / name, **options)


def write_json(graph, path):
    path.write_text(json.dumps(networkx.node_link_data(graph, edges="edges")))


def write_links(graph, path):
    path.write_text(json.dumps(networkx.node_link_data(graph, edges="links")))


def write_json_adjacency(graph, path):
    path.write_text(json.dumps(networkx.adjacency_data(graph)))


def write_dot(graph, path):
    pytest.importorskip("pydot")
    networkx.nx_pydot.write_dot(graph, path)


VALUES = [
    ("a.gexf", networkx.write_gexf, True),
    ("a.json", write_json, True),
    ("b.json", write_links, True),
    ("c.json", write_json_adjacency, True),
    ("a.net", networkx.write_pajek, True),
    ("a.dot", write_dot, True),
    ("a.gv", write_dot, True),
    ("a.adjlist", networkx.write_adjlist, False),
    ("a.multiline-adjlist", networkx.write_multiline_adjlist, False),
]


@pytest.mark.parametrize(("name", "write_it", "directed"), VALUES)
@pytest.mark.parametrize("nodes", [("a", "b c", "d"), (0, 1, 2), (7, 5, 9)])
def test_what_networkx_writes(tmp_path, capfd, name, write_it, directed, nodes):
    if "adjlist" in name and nodes[0] == "a":
        nodes = ("a", "b#c", "d")
    for one_way in {directed, False}:
        made = (networkx.MultiDiGraph if one_way and "adj" not in name else networkx.Graph)()
        weights = (2.5, 3.0, 1e-300) if directed else (0, 0, 0)
        made.add_nodes_from(nodes)
        made.add_edge(nodes[0], nodes[1], **({"weight": weights[0]} if directed else {}))
        made.add_edge(nodes[2], nodes[1], **({"weight": weights[1]} if directed else {}))
        if one_way:
            made.add_edge(nodes[0], nodes[1], weight=weights[2])
        write_it(made, tmp_path / name)
        with collecting():
            graph = Graph.read(tmp_path / name)
        assert graph.directed == made.is_directed() and graph.num_vertices == 3
        wanted = [((u, v) if one_way else tuple(sorted((u, v), key=str)), data.get("weight", 0))
                  for u, v, data in made.edges(data=True)]  # fmt: skip
        found = named_edges(graph)
        assert [(tuple(map(str, pair)), value) for pair, value in found] == [
            (tuple(map(str, pair)), value) for pair, value in sorted(wanted, key=str)
        ]
    assert main(["graph", "info", str(tmp_path / name)]) == 0
    assert "vertices:    3" in capfd.readouterr().out


LABELED = '%c\n*Network x\n*vertices 3\n1 "a b" 0.5 0.5\n2 c\n3 d\n'
NODE_LINK = '{"nodes": [{"name": "x"}, {"name": "y"}], "links": [{"source": 0, "target": 1, "value": 4}]}'
CYTOSCAPE = json.dumps(
    {
        "elements": {
            "nodes": [{"data": {"id": name, "name": name, "value": name}} for name in "xy"],
            "edges": [{"data": {"source": "x", "target": "y"}}],
        }
    }
)


@pytest.mark.parametrize(
    ("name", "text", "edges"),
    [
        ("a.adjlist", "#c\n0 1 2 3 4\n1 2\n2\n", [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2)]),
        ("a.adjlist", "a,b,c\nb,c\n", [("a", "b"), ("a", "c"), ("b", "c")]),
        ("a.multiline-adjlist", "a 1\nb {'weight': -inf}\nb 0\n", [("a", "b")]),
        ("a.g6", ">>graph6<<" + "Bw\n", [(0, 1), (0, 2), (1, 2)]),
        ("a.s6", ":Fa@x^\n", [(0, 1), (0, 2), (1, 2), (5, 6)]),
        ("a.net", "*Vertices 3\n*Edges\n1 2\n3 2 4\n", [(0, 1), (1, 2)]),
        ("a.net", LABELED + "*Edgeslist\n1 2 3\n", [("a b", "c"), ("a b", "d")]),
        ("a.net", '*Vertices 2\n1 "1"\n2 "2"\n*Edges\n1 2\n', [(1, 2)]),
        ("a.lgr", "LEDA.GRAPH\nvoid\nint\n-2\n3\n|{}|\n|{}|\n|{}|\n2\n1 2 0 |{4}|\n2 3 0 |{3}|\n", [(1, 2), (2, 3)]),
        ("a.json", NODE_LINK, [("x", "y")]),
        ("a.json", CYTOSCAPE, [("x", "y")]),
    ],
)  # fmt: skip
def test_undirected_files_of_others(tmp_path, name, text, edges):
    with collecting():
        graph = read(tmp_path, name, text)
    assert not graph.directed
    assert [pair for pair, _ in named_edges(graph)] == sorted(edges, key=str)


def test_pajek(tmp_path):
    """Lists of arcs, edges beside arcs, a matrix, labels that are repeated, and mistakes."""
    text = '*Vertices 3\n1 "é"\n2 "b"\n3 "c"\n*Arcslist\n1 2 3\n*Edges\n2 3 2.5\n'
    graph = read(tmp_path, "a.net", text)
    assert graph.directed and graph.names == ("é", "b", "c")
    assert named_edges(graph) == [(("b", "c"), 2.5), (("c", "b"), 2.5), (("é", "b"), 1), (("é", "c"), 1)]
    graph = read(tmp_path, "a.net", "*Vertices 2\n*Matrix\n0 9007199254740993\n1 0\n")
    assert named_edges(graph) == [((0, 1), 2**53 + 1), ((1, 0), 1)]
    with pytest.warns(gdsl.GraphNotice, match="labels are repeated"):
        assert read(tmp_path, "a.net", '*Vertices 2\n1 "a"\n2 "a"\n*Arcs\n1 2\n').names == (1, 2)
    for text, said in [
        ("1 2\n", ":1.*E0703"), ("*Vertices 2\n*Arcs\n1 3\n", ":3.*1 … 2"), ("*Vertices x\n", "E0703"),
        ("*Vertices 2\n*Arcs\n1 2 x\n", ":3.*not a number"), ("*Vertices 2\n*Lines\n1 2\n", "not a section"),
        ("*Vertices 2\n*Matrix\n1\n", "2 rows"), ("*Vertices 99999999999\n", "E0709"),
        ("*Vertices 1\n*Vertices 1\n", "second network"), ("*Vertices 2\n1 a\n1 b\n", "two lines"),
        ("*Vertices 2\n*Arcs\n1 2 1e999\n", "too large"), ("*Vertices 2\n*Arcs\n1\n", "two ids"),
    ]:  # fmt: skip
        with pytest.raises(gdsl.GdslError, match=rf"(?s)a.net.*{said}|a.net{said}"):
            read(tmp_path, "a.net", text)


def test_dot(tmp_path):
    """Subgraphs, sets of nodes, ports and quotes; a default weight is refused, as it would not be applied."""
    pytest.importorskip("pydot")
    text = 'digraph G { a; subgraph s { b -> "c d":p [weight="2.5"]; } a:x -> {b "c d"} [weight=1] }'
    graph = read(tmp_path, "a.dot", text)
    assert named_edges(graph) == [(("a", "b"), 1.0), (("a", "c d"), 1.0), (("b", "c d"), 2.5)]
    text = 'graph { 0 [ name=a label="name = x" ]; 1 [ name="b c" ]; 0 -- 1 [name=e weight=3]; }'  # as igraph writes
    assert named_edges(read(tmp_path, "a.dot", text)) == [(("a", "b c"), 3)]
    with pytest.raises(gdsl.GdslError, match=r"E0705.*default `weight`"):
        read(tmp_path, "a.dot", "graph { edge [weight=2]; a -- b }")
    for text in ("digraph { a -> {b -> c} }", "digraph { a -> {b; {c d}} }", "digraph { a -> subgraph s }"):
        with pytest.raises(gdsl.GdslError, match=r"a.dot.*E0705.*more than a set of nodes"):
            read(tmp_path, "a.dot", text)
    for text in ("graph {", "hello", "graph { a -- }"):
        with pytest.raises(gdsl.GdslError, match=r"a.dot.*E0710"):
            read(tmp_path, "a.dot", text)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.s6", "\n:Fa @x^\n", ":2.*' ' is none"),
        ("a.s6", ":Fa@x^5", ":1.*'5' is none"),
        ("a.g6", "B5\n", ":1.*'5' is none"),
        ("a.s6", "&Fa", ":1.*'&' is none"),
    ],
)
def test_characters_of_no_six_bits(tmp_path, name, text, said):
    """NetworkX takes them for other bits, and so makes other edges of them."""
    with pytest.raises(gdsl.GdslError, match=rf"{name}{said}"):
        read(tmp_path, name, text)


def test_dot_with_subgraphs_in_subgraphs(tmp_path):
    """pydot's time grows several times with each level of them."""
    pytest.importorskip("pydot")
    deep = "subgraph { a -> b " * 30
    graph = read(tmp_path, "a.dot", f"digraph {{ {deep} {'}' * 30} {{c d}} -> e {{ e -> {{a}} }} }}")
    assert [pair for pair, _ in named_edges(graph)] == [("a", "b")] * 30 + [("c", "e"), ("d", "e"), ("e", "a")]
    text = 'digraph { subgraph "x {" { a; { b } } c } // {\n# {\n'
    assert set(read(tmp_path, "a.dot", text).names) == {"a", "b", "c"}
    with pytest.raises(gdsl.GdslError, match=r"a.dot:2: error\[E0710\]: this `{` is not closed"):
        read(tmp_path, "a.dot", f"digraph {{\n{deep}")
    with pytest.raises(gdsl.GdslError, match=r"a.dot:3: error\[E0710\]: this `\"` is not closed"):
        read(tmp_path, "a.dot", 'digraph {\n/* " */ a\n"' + '\\"' * 50_000)
    with pytest.raises(gdsl.GdslError, match=r"a.dot: error\[E0710\].*found '='"):
        read(tmp_path, "a.dot", f"digraph {{ {deep} =,= {'}' * 31}")


GEXF = """<gexf xmlns="http://gexf.net/1.3" version="1.3"><graph defaultedgetype="undirected">
<attributes class="node"><attribute id="m" title="Class" type="integer"><default>7</default></attribute></attributes>
<nodes><node id="0" label="Ann"><attvalues><attvalue for="m" value="1"/></attvalues></node>
<node id="1" label="Bob"/></nodes><edges><edge id="0" source="0" target="1" weight="2.5"/></edges></graph></gexf>"""


def test_gexf_of_gephi(tmp_path):
    """Labels are names, and a node without a value has the default."""
    graph = read(tmp_path, "a.gexf", GEXF)
    assert named_edges(graph) == [(("Ann", "Bob"), 2.5)] and graph.vertex_attributes["Class"].tolist() == [1, 7]


@pytest.mark.parametrize("namespace", ["http://www.gexf.net/1.3", "http://gexf.net/1.2", ""])
def test_versions_of_gexf(tmp_path, namespace):
    """Programs write other addresses of the same format, or none."""
    text = GEXF.replace(' xmlns="http://gexf.net/1.3"', f' xmlns="{namespace}"' if namespace else "")
    assert (namespace in text) and named_edges(read(tmp_path, "a.gexf", text)) == [(("Ann", "Bob"), 2.5)]


CYTOSCAPE = """{"directed": true, "elements": {
"nodes": [{"data": {"id": "1", "name": "a"}}, {"data": {"id": "2", "name": "b"}}],
"edges": [{"data": {"source": "1", "target": "2", "weight": 3}}]}}"""


def test_cytoscape_nodes_without_the_value_that_networkx_writes(tmp_path):
    assert named_edges(read(tmp_path, "a.json", CYTOSCAPE)) == [(("a", "b"), 3)]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.gexf", "<gexf/>", "E0710.*--format.*from_networkx.*read_gexf"),
        ("a.gexf", "junk", "E0710"),
        ("a.gexf", '<!DOCTYPE g [<!ENTITY a "b">]><gexf/>'.encode("utf-16"), "UTF-8"),
        ("a.gexf", '<!DOCTYPE g [<!ENTITY a "b">]><gexf/>', "entities"),
        ("a.json", "{", "E0710"),
        ("a.json", "[1]", "E0710"),
        ("a.json", "[" * 100_000, "E0710.*nested too deeply"),
        ("a.json", '{"nodes": []}', "no graph"),
        ("a.json", '{"nodes": [], "edges": null}', "no graph"),
        ("a.json", '{"nodes": ["a"], "edges": []}', "node number 0 is not an object, but 'a'"),
        ("a.json", '{"nodes": [{"id": true}, {"id": 1}], "edges": []}', "`id` of node number 0 is True"),
        ("a.json", '{"nodes": [{"id": {}}], "edges": []}', "`id` of node number 0 is {}"),
        ("a.json", '{"nodes": [{}], "edges": [[0, 0]]}', r"edge number 0 is not an object, but \[0, 0\]"),
        ("a.json", '{"nodes": [{}], "edges": [{"source": null, "target": 0}]}', "`source` of edge number 0 is None"),
        ("a.json", '{"nodes": [{}], "edges": [{"from": 0, "to": 0}]}', "no `source`.*sed -i"),
        ("a.json", '{"adjacency": 5}', "form that networkx.adjacency_data writes"),
        ("a.json", '{"elements": [{"data": {"id": "a"}}]}', "form that networkx.cytoscape_data writes"),
        ("a.json", '{"nodes": [' + "9" * 5000 + "]}", "thousands of digits"),
        ("a.json", '{"nodes": []\n x', ":2: error.*not JSON"),
        ("a.json", '{"nodes": [{"id": 1}, {"id": 1}], "links": []}', "same `id`"),
        ("a.json", '{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": 0, "target": 1}]}', "no node has this"),
        ("a.json", '{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 1, "weight": 1e999}]}', "too large"),
        ("a.json", '{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 1, "weight": "x"}]}', "not a number"),
        ("a.json", '{"elements": {"nodes": [{"data": {"id": "a"}}, {"data": {"id": "a"}}]}}', "same `id`"),
        ("a.json", CYTOSCAPE.replace('"target": "2"', '"target": "9"'), "no node has"),
        ("a.adjlist", "a: b\nb:\n", "`:` after its vertex.*sed -i 's/:/ /'"),
        ("a.g6", "Bw\nBw\n", "2 graphs"),
        ("a.g6", "B", "E0710"),
        ("a.s6", ":~~~~~~~~\n", "E0709"),
        ("a.lgr", "LEDA.GRAPH\nvoid\nint\n-1\n2\n|{a}|\n|{a}|\n0\n", "label of their own"),
        ("a.lgr", "LEDA.GRAPH\nvoid\nint\n-1\n2\n|{}|\n|{}|\n2\n1 2 0 |{4}|\n1 2 0 |{3}|\n", "parallel"),
        ("a.lgr", "LEDA.GRAPH\n", "E0710.*ends early"),
        ("a.json", '{"nodes": [{"id": 1}], "links": [{"source": 1}]}', "E0705.*edge number 0 has no `target`"),
        ("a.adjlist", b"\xff\xfe\x00", "E0710"),
        ("a.multiline-adjlist", "a 2\nb\n", "E0710"),
        ("a.multiline-adjlist", "a 1\nb {'weight': nan}\n", "plain values"),
        ("a.gexf", "<gexf><edge weight='9007199254740993'/></gexf>", "does not fit in float64.*write_graphml"),
        ("a.gexf", "<gexf><edge weight='1e999'/></gexf>", "does not fit in float64"),
        ("a.gexf", "", "E0716"),
    ],
)
def test_files_that_are_refused(tmp_path, capfd, name, text, said):
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(gdsl.GdslError, match=rf"(?s){name}.*{said}"):
        Graph.read(tmp_path / name)
    captured = capfd.readouterr()
    assert not captured.out and not captured.err


@pytest.mark.parametrize(
    ("name", "module", "extra"), [("a.gexf", "networkx", "gdsl[networkx]"), ("a.dot", "pydot", "pydot")]
)
def test_libraries_that_are_missing(tmp_path, monkeypatch, capsys, name, module, extra):
    (tmp_path / name).write_text("graph { }")
    monkeypatch.setitem(sys.modules, module, None)
    assert main(["graph", "info", str(tmp_path / name)]) == 1
    said = capsys.readouterr().err
    assert "E0907" in said and module in said and f"pip install '{extra}'" in said


@pytest.mark.parametrize("pack", [None, gzip.compress])
@pytest.mark.parametrize(
    "text",
    [
        '[{"source": "a", "target": "b"}, {"source": "b", "target": "c"}]',
        '{"source": "a", "target": "b"}\n{"source": "b", "target": "c"}\n',
        '[["a", "b"], ["b", "c"]]',
        '[["a", "b", 1.5], ["b", "c", 2]]',
        '{"a": ["b"], "b": ["c"]}',
        '{"a": {"b": {"weight": 2}}, "b": {"c": {"weight": 3}}}',
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_json_of_other_forms_names_the_call_that_reads_it(tmp_path, text, pack):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("narwhals")
    path = tmp_path / ("a.json" if pack is None else "a.json.gz")
    path.write_bytes(text.encode() if pack is None else pack(text.encode()))
    with pytest.raises(gdsl.GdslError) as caught:
        Graph.read(path)
    fix = caught.value.diagnostics[0].fix
    call = re.search(r"gdsl\.Graph\.\w+\(.*\)", fix)
    assert call is not None, fix
    modules = {"gdsl": gdsl, "pandas": pandas, "networkx": networkx, "json": json, "gzip": gzip}
    graph = eval(call[0], modules)  # noqa: S307
    assert [pair for pair, *_ in named_edges(graph)] == [("a", "b"), ("b", "c")]


def test_a_graph_for_networkx_without_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(gdsl.GdslError, match=r"(?s)E0907.*needs networkx.*gdsl\[networkx\]"):
        Graph.read("karate").to_networkx()


def test_a_format_that_the_name_does_not_say(tmp_path, capsys):
    """The message names --format and NetworkX; a list of neighbors is advised into the format that it has."""
    (tmp_path / "a.dat").write_text("0 1\n")
    assert main(["graph", "info", str(tmp_path / "a.dat")]) == 1
    said = capsys.readouterr().err
    assert "E0702" in said and "--format edges" in said
    (tmp_path / "a.unknown").write_text("what is it\n")
    assert main(["graph", "info", str(tmp_path / "a.unknown")]) == 1
    said = capsys.readouterr().err
    assert "E0702" in said and "--format" in said and "from_networkx" in said
    assert main(["graph", "info", str(tmp_path / "a.dat"), "--format", "edges"]) == 0
    (tmp_path / "a.txt").write_text("0 1 2 3 4\n1 2\n2\n")
    capsys.readouterr()
    assert main(["graph", "info", str(tmp_path / "a.txt")]) == 1
    assert "--format adjlist" in capsys.readouterr().err
    assert Graph.read(tmp_path / "a.txt", format="adjlist").num_edges == 10
    one_way = Graph.read(tmp_path / "a.txt", format="adjlist", directed=True)
    assert one_way.directed and one_way.num_edges == 5
    for text in ("0 1 2 3\n0 2 3 4\n", "0 1 x\n0 2\n"):
        with pytest.raises(gdsl.GdslError) as caught:
            read(tmp_path, "a.txt", text)
        assert "adjlist" not in str(caught.value)
    with pytest.raises(gdsl.GdslError, match=r"E0702.*read, not written"):
        write(Graph.from_edges([0], [1]), tmp_path / "a.gexf")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.s6", b":~?~?" + b"\n"),
        ("a.s6", b":~~???~??\n"),
        ("a.json", b'{"nodes": [' + b",".join(b'{"id": %d}' % n for n in range(20_000)) + b'], "links": []}'),
        ("a.adjlist", b"".join(b"%d\n" % n for n in range(20_000))),
        ("a.gexf.gz", gzip.compress(b"<gexf>" + b" " * 3_000_000 + b"</gexf>")),
        ("a.net", b"*Vertices 2000000\n"),
    ],
)
def test_files_larger_than_memory(tmp_path, monkeypatch, name, content):
    """They are refused before a library gets them."""
    monkeypatch.setattr(memory, "available_memory", lambda: 1_500_000)
    with pytest.raises(gdsl.GdslError, match="E0708"):
        read(tmp_path, name, content)


@pytest.mark.parametrize(("name", "write_it", "directed"), VALUES)
@pytest.mark.filterwarnings("ignore::gdsl.GraphNotice")
def test_damaged_files(tmp_path, name, write_it, directed):
    """Cut off or with other bytes: a graph, or one message with the file."""
    made = networkx.path_graph(["a", "b", "c", "d"], networkx.DiGraph if directed else None)
    write_it(made, tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    random = np.random.default_rng(1)
    for place in random.integers(1, len(whole), 12):
        changed = bytearray(whole)
        changed[place] ^= 0x55
        for content in (whole[:place], bytes(changed), whole[place:] + whole):
            (tmp_path / name).write_bytes(content)
            try:
                with collecting():
                    Graph.read(tmp_path / name)
            except gdsl.GdslError as error:
                assert name in str(error) and "E07" in str(error)
                assert str(error).replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("c\np sp 2 1\na 1 2 5\n", "gr"),
        ("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", "mtx"),
        ("<?xml version='1.0'?>\n<graphml><graph edgedefault='directed'><node id='a'/></graph></graphml>", "graphml"),
        (GEXF, "gexf"),
        ('Creator "x"\ngraph\n[ node [ id 1 ] ]', "gml"),
        ("*Vertices 2\n*Arcs\n1 2\n", "pajek"),
        ('{"nodes": [{"id": 1}], "links": []}', "json"),
        ("# c\n0 1 2.5\n", "edges"),
        ("strict digraph G { a -> b }", "dot"),
    ],
)
def test_the_format_that_the_beginning_of_a_file_suggests(tmp_path, text, kind):
    """The fix is followed."""
    with pytest.raises(gdsl.GdslError, match=rf"E0702(.|\n)*--format {kind} "):
        read(tmp_path, "a.unknown", text)
    if kind != "dot":
        assert Graph.read(tmp_path / "a.unknown", format=kind).num_vertices > 0


@pytest.mark.parametrize(("name", "fix"), [("a.lgl", "Read_Lgl"), ("a.hgr", "--format FORMAT")])
def test_numbers_that_are_no_edges_are_not_suggested_as_some(tmp_path, name, fix):
    with pytest.raises(gdsl.GdslError, match=rf"E0702(.|\n)*{fix}"):
        read(tmp_path, name, "# 0\n1 2\n2 3\n")


_NODES = '<nodes>\n<node id="a"/><node id="b"/></nodes>'


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.gexf", '<gexf><graph><nodes><node/></nodes></graph></gexf>', ":1.*a node has no id"),
        ("a.gexf", '<gexf><graph><nodes>\n<node id="a"/>\n<node id="a"/></nodes></graph></gexf>', ":3.*two nodes"),
        ("a.gexf", f'<gexf><graph>{_NODES}\n<edge source="a" target="z"/></graph></gexf>', ":3.*end 'z'"),
        ("a.gexf", f'<gexf><graph>{_NODES}<edge source="a"/></graph></gexf>', ":2.*no target"),
        ("a.gexf", f'<gexf><graph>{_NODES}<edge source="a" target="b" weight="x"/></graph></gexf>', ":2.*weight 'x'"),
        ("a.gexf", f'<gexf><graph>{_NODES}<edge source="a" target="b" type="directed"/></graph></gexf>', ":2.*directe"),
        ("a.gexf", f'<gexf><graph defaultedgetype="sideways">{_NODES}</graph></gexf>', ":1.*'sideways'"),
        ("a.gexf", f"<gexf>\n<graph>{_NODES}", ":3.*not XML: no element found"),
        ("a.gexf", f'<gexf><graph>\n<attributes class="x"/>{_NODES}</graph></gexf>', ":2.*`class` of attrib.* 'x'"),
        ("a.gexf", '<gexf><graph mode="dynamic"><nodes><node id="a" start="1"/></nodes></graph></gexf>', "timeformat"),
        ("a.lgr", "LEDA.GRAPH\nstring\nint\n-1\n-2\n", "'-2' is not a number of nodes"),
        ("a.lgr", "LEDA.GRAPH\nstring\nint\n-1\n2\n|{a}|\n|{b}|\n1\n1 5 0 |{4}|\n", "edge number 0 has the end '5'"),
        ("a.multiline-adjlist", "a 1\nb 3\n", "not a dictionary of its values"),
        ("a.dot", "digraph {\na -- b }", ":2.*no edges with --"),
        ("a.dot", 'strict graph "x" {\n# ->\n"->" -- b // ->\nb -> c }', ":4.*no edges with ->"),
        ("a.dot", "digraph { a -> b [weight=-1e-05] }", ":1.*`1e` begins a number with an exponent"),
    ],
)  # fmt: skip
def test_mistakes_that_networkx_reads_or_reports_as_python_does(tmp_path, name, text, said):
    if name == "a.dot":
        pytest.importorskip("pydot")
    with pytest.raises(gdsl.GdslError, match=rf"(?s){name}.*{said}|{name}{said}"):
        read(tmp_path, name, text)
