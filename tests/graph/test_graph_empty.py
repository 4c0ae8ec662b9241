"""Edge lists of nothing but a header are empty graphs, and everything takes an empty graph."""

from __future__ import annotations

import json

import numpy as np
import pytest
from graph_cases import assert_same

import gdsl
from gdsl.cli.main import main
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph, describe, write

DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "blank": " ", "comma and blank": ", "}
SUMS = """program sums;
problem {{ input edge weight : {type}; vertex total : {type} = 0; }}
edge functor add(src, dst, e) {{ apply {{ total[dst] += weight[e]; }} }}
schedule {{ advance(vertices, add, to=none); }}
"""


@pytest.mark.parametrize("delimiter", DELIMITERS.values(), ids=DELIMITERS)
@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\r", "\n\n# more\n  \n% more"])
@pytest.mark.parametrize("start", ["", "\ufeff", "# made by hand\n\n", "\ufeff% c\r\n"])
@pytest.mark.sampled(7)
def test_a_header_alone_is_an_empty_graph(delimiter, end, start, tmp_path):
    for names in (["source", "destination"], ["u", "v", "weight"], ["from", "to", "weight", "lanes", "toll"]):
        for name in ("a.csv", "a.tsv", "a.txt", "a.el"):
            (tmp_path / name).write_bytes(f"{start}{delimiter.join(names)}{end}".encode())
            graph = Graph.read(tmp_path / name)
            assert (graph.num_vertices, graph.num_edges) == (0, 0)
            assert list(graph.attributes) == names[2:]
            assert all(values.dtype == np.int64 for values in graph.attributes.values())


def test_a_header_leaves_the_columns_their_names_and_types(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('"source";"destination";"weight"\n')
    assert Graph.read(path, num_vertices=5).num_vertices == 5
    assert Graph.read(path, undirected=True, one_based=True, weights="random:1", dedup="sum").num_edges == 0
    # The same columns with an edge.
    path.write_text("source,destination,weight\n0,1,7\n")
    assert Graph.read(path).attributes["weight"].dtype == np.int64


@pytest.mark.parametrize(
    "text",
    [
        "a\n",
        "a,\n",
        ",a,b\n",
        "a,b,c,c\n",
        "1,a\n",
        "a,2\n",
        "a,b,3\n",
        "0x1,0x2\n",
        "１,２\n",
        "a,b\n1,2,3\n",
    ],
)
def test_what_is_no_header(text, tmp_path):
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(GdslError, match=r"a\.csv:[12]: error\[E0705\]"):
        Graph.read(tmp_path / "a.csv")


@pytest.mark.parametrize("weights", [None, np.zeros(0, dtype=np.int32)])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "wel", "txt.gz", "mtx", "mtx.xz", "npz", "gr"])
def test_an_empty_graph_there_and_back(suffix, directed, weights, tmp_path):
    if suffix == "gr" and weights is None:
        return
    graph = Graph.from_edges([], [], 0, weights, directed=directed)
    write(graph, tmp_path / f"a.{suffix}")
    again = Graph.read(tmp_path / f"a.{suffix}")
    assert_same(Graph.from_edges([], [], 0, weights, directed=again.directed), again)
    assert describe(again).vertices == 0


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize("type_", ["int32", "int64", "uint32", "uint64", "float32", "float64"])
@pytest.mark.sampled(5)
def test_programs_run_on_it(backend, type_, tmp_path):
    (tmp_path / "a.tsv").write_text("source\tdestination\tweight\n")
    result = gdsl.compile(SUMS.format(type=type_)).run(Graph.read(tmp_path / "a.tsv"), backend=backend)
    assert result["total"].shape == (0,)
    assert result["total"].dtype == type_


def test_the_command_line_takes_it(tmp_path, capfd):
    source = tmp_path / "a.tsv"
    source.write_text("source\tdestination\tweight")
    for suffix in ("mtx", "gr", "npz", "csv", "txt"):
        target = str(tmp_path / f"b.{suffix}")
        assert main(["graph", "convert", str(source), target]) == 0
        capfd.readouterr()
        assert main(["graph", "info", target, "--json"]) == 0
        found = json.loads(capfd.readouterr().out)
        assert (found["vertices"], found["edges"], found["weight_type"]) == (0, 0, "int64")
    assert main(["graph", "info", str(source)]) == 0
    assert "None" not in capfd.readouterr().out
