"""Edge lists, CSV and TSV as other programs and public repositories have them: what is read, noted and refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph

UUIDS = ("550e8400-e29b-41d4-a716-446655440000", "6ba7b810-9dad-11d1-80b4-00c04fd430c8")


def read(tmp_path, name, content, **options):
    """The graph, and what was noted."""
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        graph = Graph.read(path, **options)
    assert all(issubclass(each.category, gdsl.GraphNotice) for each in caught)
    return graph, [str(each.message).removeprefix(f"{path}: ") for each in caught]


def edges(graph):
    """The edges by the names of their ends, undirected ones once, with their attributes."""
    called = range(graph.num_vertices) if graph.names is None else graph.names
    columns = [values.tolist() for values in graph.attributes.values()]
    rows = zip(graph.edge_sources.tolist(), graph.columns.tolist(), *columns, strict=True)
    return [(called[u], called[v], *values) for u, v, *values in rows if graph.directed or u <= v]


PLAIN = [(0, 1), (1, 2)]
NAMED = [("a", "b"), ("b", "c")]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        # Comments are lines, and quotes follow RFC 4180.
        ("source,target\nJava,C#\nJava,C\n", [("Java", "C#"), ("Java", "C")]),
        ("source,target\nC#,Java\nJava,C++\n", [("C#", "Java"), ("Java", "C++")]),
        ("source,target\nx.org/a,x.org/b#1\nx.org/a,x.org/b#2\n", [("x.org/a", "x.org/b#1"), ("x.org/a", "x.org/b#2")]),
        ("source,target\na,b%\na,b\n", [("a", "b%"), ("a", "b")]),
        ('source,target\n"A ",B\nA,B\n', [("A ", "B"), ("A", "B")]),
        ('source,target\n"a,""b""",5" pipe\n', [('a,"b"', '5" pipe')]),
        ('source,target\nann,#peace\n"#war",#peace\n', [("ann", "#peace"), ("#war", "#peace")]),
        ("# c\n0 1\n% c\n // c\n1 2 # after numbers\n", PLAIN),
        ("source,target\n0,1 # after numbers\n1,2\n", PLAIN),
        # Names or ids: whole columns decide.
        (f"src,dst\n{UUIDS[0]},{UUIDS[1]}\n{UUIDS[1]},a0\n", [UUIDS, (UUIDS[1], "a0")]),
        ("src,dst\n10.0.0.1,10.0.0.2\n10.0.0.2,8.8.8.8\n", [("10.0.0.1", "10.0.0.2"), ("10.0.0.2", "8.8.8.8")]),
        ("from,to\n2020-01-01,2020-01-02\n", [("2020-01-01", "2020-01-02")]),
        ("source,target\n7-Eleven,Walmart\n3M,7-Eleven\n", [("7-Eleven", "Walmart"), ("3M", "7-Eleven")]),
        ("source,target\n24-HOUR MAN,AA2 35\n", [("24-HOUR MAN", "AA2 35")]),
        ("gene1,gene2\nBRCA1,TP53\n", [("BRCA1", "TP53")]),
        ("origin,destination\nBerlin,Bonn\n", [("Berlin", "Bonn")]),
        ("from station,to station\nMain station,Park station\n", [("Main station", "Park station")]),
        ("source,target\nsource,a\n", [("source", "a")]),
        ("u,v,weight\nu,x,1\n", [("u", "x", 1)]),
        ("protein1 protein2 combined_score\n9606.ENSP1 9606.ENSP2 490\n", [("9606.ENSP1", "9606.ENSP2", 490)]),
        ('"source","target","weight"\n"0","1","2"\n"1","2","3.5"\n', [(0, 1, 2), (1, 2, 3.5)]),
        ("source,target\n007,1\n", [(7, 1)]),
        # Headers.
        ("#node1\tnode2\tcombined_score\na\tb\t0.9\nb\tc\t0.5\n", [("a", "b", 0.9), ("b", "c", 0.5)]),
        ("~source\ttarget\na\tb\nb\tc\n", NAMED),
        ("#ID(s) interactor A\tID(s) interactor B\na\tb\nb\tc\n", NAMED),
        ("Source airport,Destination airport\na,b\nb,c\n", NAMED),
        ("#node1\tnode2\na\tb\nb\tc\n", NAMED),
        ("source,target,capacity\n0,1,3\n1,2,4\n", [(0, 1, 3), (1, 2, 4)]),
        ("edge_id,start_node,end_node\n7,0,1\n8,1,2\n", [(0, 1, 7), (1, 2, 8)]),
        (":START_ID(Person),:END_ID(Person),since:int\na,b,1999\n", [("a", "b", 1999)]),
        ("Source,Target,Type,Weight\na,b,Directed,3\n", [("a", "b", 3)]),
        ("source|target|w\n0|1|2\n", [(0, 1, 2)]),
        ("source\ttarget\nNew York\tSan Jose\n", [("New York", "San Jose")]),
        # NetworkX.
        ("0 1 {}\n1 2 {}\n", PLAIN),
        ("a b {'weight': 2}\nb c {'weight': 3.5}\n", [("a", "b", 2), ("b", "c", 3.5)]),
        ("a,b,{'weight': np.float64(2.5)}\nb,c,{'weight': inf}\n", [("a", "b", 2.5), ("b", "c", np.inf)]),
        # Line ends, blanks, empty values at the end.
        (b"\xef\xbb\xbfsource,target\r\n0,1\r\n1,2\r\n", PLAIN),
        (b"source,target\r0,1\r1,2", PLAIN),
        ("source , target , weight\n0 , 1 , 2\n", [(0, 1, 2)]),
        ("0,1,\n1,2,\n", PLAIN),
        ("source,target\n0,1,\n1,2,\n", PLAIN),
        ("source,target\n\n0,1\n\n1,2\n\n", PLAIN),
        ("0 1\n1\t2\n", PLAIN),
        ("source target\n0\t1\n1\t2\n", PLAIN),
        ("source\ttarget\n0 1\n1 2\n", PLAIN),
        ("source target\na\tb\nb\tc\n", NAMED),
    ],
)
def test_read_without_a_word(tmp_path, content, expected):
    graph, notes = read(tmp_path, "a.txt", content)
    assert sorted(edges(graph)) == sorted(expected)
    assert notes == []


@pytest.mark.parametrize(
    ("content", "expected", "note"),
    [
        (
            "Source,Target,Type,Label,Weight\na,b,Undirected,,3\n",
            [("a", "b", 3)], "a column says that all edges are undirected",
        ),
        ("node1,node2,directed\n0,1,false\n1,2,false\n", PLAIN, "a column says that all edges are undirected"),
        (
            "".join(f"{row} 3 {row % 5}\n" for row in range(9)),
            [(row, 3, row % 5) for row in range(9)],
            "numbers the rows",
        ),
        ("source,target,date\n0,1,2020-01-01\n1,2,2020-01-02\n", PLAIN, "`date`"),
        ("source,target,w,n\n0,1,5,\n1,2,6,7\n", [(0, 1, 5), (1, 2, 6)], "`n`"),
        (",source,target\n0,0,1\n1,1,2\n", PLAIN, "1 column has no name: left out"),
        ("Unnamed: 0,source,target,w\n0,a,b,5\n", [("a", "b", 5)], "1 column has no name"),
        (",source,target,weight\n0,0,1,1.0\n1,1,2,2.0\n", [(0, 1, 1.0), (1, 2, 2.0)], "1 column has no name"),
        ('"from" "to" "w"\n"1" "a" "b" 5\n"2" "b" "c" 6\n', [("a", "b", 5), ("b", "c", 6)], "1 column has no name"),
        ("source,target,w,\na,b,5,\n", [("a", "b", 5)], "1 column has no name"),
        ("from,to\na,b\nb,NA\n", [("a", "b"), ("b", "NA")], "`NA` is read as the name of a vertex"),
        ("1st,2nd,w\n0,1,5\n", [(0, 1, 5)], "`1st` and `2nd` are taken as the ends; --source-column"),
        ("source,target\n7,ann\nann,8\n", [("7", "ann"), ("ann", "8")], "`7` among them, as `ann` in line 2"),
        ("source,target\n1000001,1000002\n", [(1000001, 1000002)], "--compact (compact=True)"),
        ("0 1 1082040961\n1 2 1082155839\n", [(0, 1, 1082040961), (1, 2, 1082155839)], "seems to hold times"),
        ("0 1 {'weight': 2, 'color': 'red'}\n", [(0, 1, 2)], "`color`"),
        # Comments that say what the graph is.
        (
            "# Undirected graph (each unordered pair …): x\n# Nodes: 3 Edges: 2\n0\t1\n1\t2\n",
            PLAIN, "--directed (directed=True)",
        ),
        ("# Undirected graph\n0 1\n1 0\n", [(0, 1), (0, 1)], "1 edge is there in both directions, (0, 1) and (1, 0)"),
        ("end,other_end\na,b\nb,a\n", [("a", "b"), ("a", "b")], "(a, b) and (b, a)"),
        ("# UNDIRECTED\n0 1\n1 2\n", PLAIN, "every edge is stored both ways"),
        ("% directed: false\n0 1\n1 2\n", PLAIN, "every edge is stored both ways"),
        ("% sym unweighted\n% 2 3 3\n1 2\n2 3\n", PLAIN, "ids count from 1, every edge is stored both ways"),
        (
            "% asym positive\n1 2 5 108\n2 3 1 109\n",
            [(0, 1, 5, 108), (1, 2, 1, 109)], "directed graphs: ids count from 1",
        ),
        (
            "% bip unweighted\n% 4 2 3\n1 1\n1 2\n2 2\n2 3\n",
            [(0, 2), (0, 3), (1, 3), (1, 4)], "those of the right follow the left",
        ),
        ("# Nodes: 3 Edges: 5\n0 1\n1 2\n", PLAIN, "5 edges, and the list has 2"),
    ],
)  # fmt: skip
def test_read_with_a_notice(tmp_path, content, expected, note):
    graph, notes = read(tmp_path, "a.txt", content)
    assert sorted(edges(graph)) == sorted(expected)
    assert any(note in each for each in notes), notes
    assert all(each.count("\n") == 0 for each in notes)
    assert graph.directed == (not any("both ways" in each or "both directions" in each for each in notes))


def test_comments_say_how_many_vertices_there_are(tmp_path):
    snap = (
        "# Undirected graph (each unordered pair of nodes is saved once): made.txt\n# Nodes: 4 Edges: 2\n0\t1\n1\t2\n"
    )
    graph, notes = read(tmp_path, "a.txt", snap)
    assert (graph.num_vertices, graph.directed) == (4, False) and len(notes) == 2
    graph, notes = read(tmp_path, "a.txt", snap, directed=True, num_vertices=3)
    assert (graph.num_vertices, graph.directed, notes) == (3, True, [])
    for content, sizes in (
        ("% bip unweighted\n% 1 3 4\n1 1\n", 7),
        ("% bip unweighted\n2 3\n", 5),
        ("% Bip\n2 3\n", 5),
    ):
        assert read(tmp_path, "a.txt", content)[0].num_vertices == sizes
    konect = "% sym unweighted\n% 2 5 5\n1 2\n2 3\n"
    assert read(tmp_path, "a.txt", konect)[0].num_vertices == 5
    graph, _ = read(tmp_path, "a.txt", konect, one_based=False, directed=True, num_vertices=4)
    assert edges(graph) == [(1, 2), (2, 3)] and graph.directed
    # Both sides as one.
    graph, _ = read(tmp_path, "a.txt", "% bip unweighted\n1 1\n1 2\n", num_vertices=2)
    assert edges(graph) == [(0, 0), (0, 1)]


@pytest.mark.parametrize(
    ("content", "place", "said", "fix"),
    [
        ('source,target\n"ann,bob\nbob,cy\n', 2, "a quote is not closed", "close it"),
        ('source,target\n"' + "a\nb\n" * 3000, 2, "a quote is not closed", "close it"),
        ('source,target\n"' + 'a""\n' * 3000, 2, "a quote is not closed", "close it"),
        ("source target\n#love #peace\n#war #love\n", 2, "a row whose first name starts with `#`", '"#love"'),
        ("source,target\n#1,#2\na,b\n", 2, "a row whose first name starts with `#`: `#1,#2`", '"#1"'),
        ("source,target\n#5 m,é\na,b\n", 2, "a row whose first name starts with `#`: `#5 m,é`", '"#5 m"'),
        ('source,target\n"ann"x,bob\n', 2, "after a closing quote", "twice"),
        ("source,target\n#love,#peace\n#war,#love\n", 2, "a row whose first name starts with `#`", '"#love"'),
        (
            "source,target\nAnn\tBob\nBob\tCy\n",
            1, "commas between its values, and the next one tabs", r"sed -i '1s/,/\t/g'",
        ),
        ("source target\nAnn,Bob\n", 1, "blanks between its values, and the next one commas", "sed -i '1s/ /,/g'"),
        ("source;target;weight\na;b;1,5\n", 2, "`1,5` is not a number", "decimal=','"),
        ("0;1;1,5\n1;2;2,5\n", 1, "`1,5` is not a number", "decimal=','"),
        ('source,target,weight\n0,1,"1,234"\n', 2, "`1,234` is not a number", "thousands=','"),
        ("3 2\n1 2\n2 3\n", 1, "`3 2` seems to be the numbers of vertices and edges", "--num-vertices 3 --one-based"),
        ("3 3 2\n1 2\n2 3\n", 2, "2 values", "sed -i 1d"),
        ("3 2\n1 2 0.5\n2 3 1.5\n", 2, "3 values", "sed -i 1d"),
        ("3 3 2\n0 1 5\n1 2 6\n", 1, "seems to be the numbers", "--num-vertices 3 (num_vertices=3)"),
        ("3 3 2\n0 1 5\n1 2 6\n", 1, "seems to be the numbers", "put `# source target weight` above"),
        ("3,2\n0,1\n1,2\n", 1, "seems to be the numbers", "put `# source,target` above"),
        ("3\n0 1\n1 2\n", 1, "`3` is not an edge", "sed -i 1d"),
        ("0,0\n1,1\n2,2\n\n0,1\n1,2\n", 4, "an empty line, above which each id is once", "sed -i 1,4d"),
        ("0,Ann\n1,Bob\n\n0,1\n", 1, "`Ann` is not a whole number", "sed -i 1,3d"),
        ("0 1 2 3 4\n1 2\n2\n", 1, "different numbers of values", "--format adjlist"),
        ("0 1\n1 2 3\n2\n", 2, "3 values", "--format adjlist"),
        (
            "id,a,b\n7,0,1\n",
            1, "the first column, `id`, seems to number the rows", "--source-column a --target-column b",
        ),
        (
            "#Interaction ID\tGene A\tGene B\tx\n1\ta\tb\t2\n",
            1, "may be the ends", "--source-column 'Gene A' --target-column 'Gene B'",
        ),
        ("page_id_from,title_from,page_id_to\n1,A,2\n", 1, "may be the ends", "--source-column page_id_from"),
        ("a\tknows\tb\nc\tlikes\td\n", 2, "`c` is not a whole number", r"1i source\ttarget\tkind"),
        ("5 0 1 2.5\n6 0 2 1.5\n", 1, "4 values", "1i source target weight value4"),
        ("0 0 1 2.5\n1 0 2 1.5\n", 1, "4 values", "1i id source target weight"),
        ("from to w\n1 a b 5\n", 2, "4 values", "sed -i '1s/^/row /'"),
        ("Source,Target\n1,2\n\nId,Label\n1,Ann\n", 4, "a second list begins", "sed -i '3,$d'"),
        ("Source,Target\nann,bob\n \nId,Label\nann,Ann\n", 4, "a second list begins", "sed -i '3,$d'"),
        ("Source,Target\n1,2\n\n1,Ann\n", 4, "names follow ids", "sed -i '3,$d'"),
        ("from,to\n1,2\n2,NA\n", 3, "the destination is missing: `NA`", "both ends"),
        ("sep=;\nsource;target\n0;1\n", 1, "names the separator", "sed -i 1d"),
        ("*Vertices 2\n1 2\n", 1, "a Pajek file", "--format pajek"),
        ("graph [\n", 1, "a GML file", "--format gml"),
        ("digraph G {\na -> b\n}\n", 1, "a DOT file", "--format dot"),
        ('{"nodes": []}\n', 1, "a JSON file", "--format json"),
        ("'0','1'\n'1','2'\n", 1, "in single quotes, which quote nothing", """sed -i "s/'/\\"/g" """),
        ("source,target\n'0','1'\n", 1, "in single quotes, which quote nothing", "double quotes"),
        ("0\u00a01\n1\u00a02\n", 1, "separated by no-break spaces", r"sed -i 's/\xc2\xa0/ /g'"),
        ("0\u30001\n", 1, "separated by the blank U+3000", r"sed -i 's/\xe3\x80\x80/ /g'"),
        ("source,target,w\n0,1,18446744073709551616\n", 2, "too large for uint64", "decimal point"),
        ("0 1 18446744073709551616\n", 1, "is too large for", "decimal point"),
        ("Id;Label\n0;Ann\n", 1, "seem to be a list of vertices", "--source-column Id"),
        (",A,B\nA,0,1\nB,1,0\n", 1, "adjacency matrix", "from_pandas_adjacency"),
        ("0,1,0,0\n1,0,1,0\n0,1,0,1\n0,0,1,0\n", 1, "adjacency matrix", "numpy.loadtxt(FILE, delimiter=',')"),
        ("1.0000e+00 2.0000e+00\n", 1, "is not a whole number", "fmt='%d'"),
        ("source,target\n1.0,2.0\n", 2, "`1.0` is not a whole number", "fmt='%d'"),
        ("0 -1\n", 1, "-1 is not a vertex", "--compact"),
        ("0 9223372036854775808\n", 1, "too large for int64", "--compact"),
        ("0 1 2 3\n", 1, "4 values", "sed -i '1i source target weight value4'"),
        ("ann bob\nbob cy\n", 2, "`bob` is not a whole number", "--source-column ann --target-column bob"),
        ("ann,bob,3\nbob,cy,4\n", 1, "`ann` is not a whole number", "sed -i '1i source,target,weight'"),
        ("ann\tbob\t3\n", 1, "`ann` is not a whole number", r"sed -i '1i source\ttarget\tweight'"),
        ("4 3 1\n1 2 5\n2 3 6\n3 4 7\n", 1, "`4 3 1` seems to be the numbers", "--num-vertices 4 --one-based"),
        ("3 3 2\n0 1 5.5\n1 2 6\n", 1, "`3 3 2` seems to be the numbers", "if the first line is the numbers"),
        ("3\n2\n0 1\n1 2\n", 1, "`3` is not an edge", "sed -i 1,2d"),
        ("n:1 n:2\nn:2 n:3\n", 2, "`n:2` is not a whole number", "sed -i '1i source target'"),
        ("Nodes: 4\n0 1\n", 1, "`Nodes: 4` says how large the graph is", "sed -i '1s/^/# /'"),
        ("0 1 0\n1 0 1\n0 1 0\n", 1, "adjacency matrix", "put `# source target weight` above"),
        ("1 1\n2 2\n#\n1 2\n", 3, "those lines seem to name the vertices", "sed -i 1,3d"),
        ("1 a\n2 b\n#\n1 2 rel\n", 4, "3 values", "sed -i 1,3d"),
        ("dl n = 3\nformat = edgelist1\ndata:\n1 2\n", 1, "a DL file of UCINET", "sed -i '1,/^data:/Id'"),
        ("stop_id,stop_name,lat\nS1,Main,5\n", 1, "seem to be a list of vertices", "--source-column stop_id"),
        # A first line that may be an edge.
        ("R-1\tR-2\nR-2\tR-3\n", 2, "`R-2` is not a whole number", r"1i source\ttarget"),
        ("gene1 gene2\ngene3 gene4\n", 2, "`gene3` is not a whole number", "--source-column gene1"),
        ("u v\nv w\n", 2, "`v` is the name of a column, and of a vertex", "sed -i '1i source target'"),
        # Which columns are likely the ends.
        ("A pp B\nB pp C\n", 2, "`B` is not a whole number", "sed -i '1i source kind target'"),
        ("P_X\t216\tP_Y\t15\t0.7\n", 1, "5 values", r"1i source\tvalue2\ttarget\tvalue4\tvalue5"),
        ("B,1,AER,7,KZN,9\nB,1,KZN,9,AER,7\n", 1, "6 values", "1i kind,value2,source,value4,target,value6"),
        ("e 1 2\ne 2 3\n", 1, "`e` is not a whole number", "1i kind source target"),
        ("id,label,class\n0,Ann,1\n", 1, "seem to be a list of vertices", "--source-column id"),
        pytest.param(
            ",".join("1" * 20_000) + "\n" + ",".join("a" * 20_000),
            1, "20000 values", "with `source` and `target`", id="wide",
        ),
        # Marks that are no values.
        ("0 -> 1\n1 -> 2\n", 1, "the mark `->`, which is not a vertex", "sed -i 's/ *-> */ /'"),
        ("0--1\n1--2\n", 1, "the mark `--`", "--undirected"),
        ("0-1\n1-2\n", 1, "the mark `-`", "sed -i 's/ *- */ /'"),
        ("(0, 1)\n(1, 2)\n", 1, "each line is in brackets", "sed -i 's/[][(){}]//g; s/[,;] *$//'"),
        ("0 1;\n1 2;\n", 1, "each line ends with `;`", "sed -i 's/ *; *$//'"),
        ("0,1;\n1,2;\n", 1, "each line ends with `;`", "sed -i 's/ *; *$//'"),
        ("0 1 7 ,\n1 2 8 ,\n", 1, "each line ends with `,`", "sed -i 's/ *, *$//'"),
        ("[[0, 1], [1, 2]]\n", 1, "each line is in brackets", "a line of its own"),
        ("0: 1 2\n1: 2\n", 1, "the mark `:`", "--format adjlist"),
        ("source,target,weight\n0,1,heavy\n", 2, "weight: `heavy` is not a number", "correct it"),
        ("source,target,weight\n0,1,\n1,2,3\n", 2, "weight: the value is missing", "fill the empty cells"),
        ("source,target,n,m\n0,1,1,2\n1,2,2,x\n2,3,3,3\n3,4,4,4\n", 3, "m: `x` is not a number", "correct it"),
        (
            "source,target,Type\n0,1,Directed\n1,2,Undirected\n",
            3, "some edges are directed and others are not", "--undirected",
        ),
        (
            "source,target,Type\n0,1,Mixed\n1,2,undirected\n",
            3, "some edges are undirected, and not what others are", "--undirected",
        ),
        ("source,target,directed\n0,1,a\n0,2,b\n0,3,c\n1,2,false\n", 5, "some edges are undirected", "--directed"),
        ("source,target\na,b\n,c\n", 3, "the source is missing", "both ends"),
        ("source,target\na,b,c\n", 2, "3 values", "Smith, John"),
        ("source target\na b # c\n", 2, "4 values", "a comment is a line of its own"),
        ("a b {'x': open('f')}\n", 1, "not a dictionary of plain values", "data=False"),
        ("0 1 {}\n1 2\n", 2, "not two nodes and a dictionary", "write_weighted_edgelist"),
        # Whole numbers are never rounded.
        ("source,target,w\n0,1,9007199254740993\n1,2,.5\n", 2, "float64 rounds `9007199254740993`", "whole numbers"),
        (
            "source,target,w,l\n0,1,.5,x\n1,2,9007199254740993,y\n",
            3, "float64 rounds `9007199254740993`", "whole numbers",
        ),
    ],
)  # fmt: skip
def test_refused_with_a_fix(tmp_path, content, place, said, fix):
    path = tmp_path / "a.txt"
    path.write_text(content)
    with pytest.raises(GdslError) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        Graph.read(path)
    [problem] = caught.value.diagnostics
    assert problem.place == f"{path}:{place}" and said in problem.message and fix in (problem.fix or "")


@pytest.mark.parametrize(
    ("content", "change", "options", "expected"),
    [
        ("ann bob\nbob cy\n", ["1i source target"], {}, [("ann", "bob"), ("bob", "cy")]),
        ("ann bob\nbob cy\n", [], {"source_column": "ann", "target_column": "bob"}, [("bob", "cy")]),
        ("ann\tb c\t3\n", [r"1i source\ttarget\tweight"], {}, [("ann", "b c", 3)]),
        ("source,target\na\tb c\n", [r"1s/,/\t/g"], {}, [("a", "b c")]),
        ("3 2\n1 2\n2 3\n", ["1d"], {"num_vertices": 3, "one_based": True}, PLAIN),
        ("3 2\n1 2\n2 3\n", ["1i # source target"], {}, [(3, 2), (1, 2), (2, 3)]),
        ("3,2\n1,2\n2,3\n", ["1i # source,target"], {}, [(3, 2), (1, 2), (2, 3)]),
        ("3 3 2\n1 2 5\n2 3 6\n", ["1i # source target weight"], {}, [(3, 3, 2), (1, 2, 5), (2, 3, 6)]),
        ("0,1,1082040961\n1,2,1082155839\n", ["1i # source,target,time"], {}, [(0, 1, 1082040961), (1, 2, 1082155839)]),
        ("0 5 7\n1 6 8\n", ["1i # id source target"], {}, [(5, 7, 0), (6, 8, 1)]),
        ("0,0\n1,1\n2,2\n\n0,1\n1,2\n", ["1,4d"], {}, PLAIN),
        ("0,0\n1,1\n\n0,1\n", ["3d"], {}, [(0, 0), (1, 1), (0, 1)]),
        ("0 1 2 3\n", ["1i source target weight value4"], {}, [(0, 1, 2, 3)]),
        ("id,a,b\n7,0,1\n", [], {"source_column": "a", "target_column": "b"}, [(0, 1, 7)]),
        (
            "#id\tGene A\tGene B\tx\n1\ta\tb\t2\n",
            [], {"source_column": "Gene A", "target_column": "Gene B"}, [("a", "b", 1, 2)],
        ),
        ("#node1\tnode2\nA\tB\n", [], {"source_column": "#node1", "target_column": "node2"}, [("A", "B")]),
        ("R-1\tR-2\nR-2\tR-3\n", [r"1i source\ttarget"], {}, [("R-1", "R-2"), ("R-2", "R-3")]),
        ("v1 v2\nv2 v3\n", [], {"source_column": "v1", "target_column": "v2"}, [("v2", "v3")]),
        ("0 1 0\n1 0 1\n0 1 0\n", ["1i # source target weight"], {}, [(0, 1, 0), (0, 1, 0), (1, 0, 1)]),
        ("dl n=3\nlabels:\na,b,c\nData:\n1 2\n2 3\n", ["1,/^data:/Id"], {"one_based": True}, PLAIN),
        ("[0, 1],\n[1, 2],\n", ["s/[][(){}]//g; s/[,;] *$//"], {}, PLAIN),
        ("3\n2\n0 1\n1 2\n", ["1,2d"], {"num_vertices": 3}, PLAIN),
        ("n=3 m=2\n0 1\n1 2\n", ["1s/^/# /"], {}, PLAIN),
        ("A pp B\nB pp C\n", ["1i source kind target"], {}, [("A", "B"), ("B", "C")]),
        ("0 -> 1\n1 -> 2\n", ["s/ *-> */ /"], {}, PLAIN),
        ("0: 1\n1: 2\n", ["s/:/ /"], {"format": "adjlist", "directed": True}, PLAIN),
        ("0 -1\n", [], {"compact": True}, [(0, -1)]),
        ("0 92233720368547758080\n", [], {"compact": True}, [(0, 92233720368547758080)]),
        ("1 2\n2 3\n3 92233720368547758080\n", [], {"compact": True}, [(1, 2), (2, 3), (3, 92233720368547758080)]),
        ("source,target\n5,92233720368547758080\n", [], {"compact": True}, [(5, 92233720368547758080)]),
        ("source,target,Type\n0,1,Directed\n1,2,Undirected\n", [], {"directed": True}, PLAIN),
        ("source,target,Type\n0,1,\n1,2,Undirected\n", [], {"directed": True}, PLAIN),
        ("source,target,Type\n0,1,Directed\n1,2,Undirected\n", [], {"undirected": True}, PLAIN),
        ("0 1 1082040961\n1 2 1082155839\n", ["1i # source target time"], {}, [(0, 1, 1082040961), (1, 2, 1082155839)]),
    ],
)  # fmt: skip
def test_fixes_work_as_they_are_typed_in(tmp_path, content, change, options, expected):
    import subprocess

    path = tmp_path / "a.txt"
    path.write_text(content)
    for script in change:
        subprocess.run(["sed", "-i", script, str(path)], check=True)
    graph, _ = read(tmp_path, "a.txt", path.read_bytes(), **options)
    assert sorted(edges(graph)) == sorted(expected)


def test_columns_by_name(tmp_path):
    content = "source,target,capacity,cost\n0,1,3,.5\n1,2,4,.25\n"
    assert read(tmp_path, "a.csv", content, weight_column="cost")[0].attributes.keys() == {"weight", "capacity"}
    one = "source,target,capacity\n0,1,3\n1,2,4\n"
    assert list(read(tmp_path, "a.csv", one)[0].attributes) == ["capacity"]
    assert list(read(tmp_path, "a.csv", one, weight_column="capacity")[0].attributes) == ["weight"]
    assert list(read(tmp_path, "a.csv", one.replace("capacity", "WEIGHT"))[0].attributes) == ["weight"]
    with pytest.raises(GdslError, match=r"kind: `x` is not a number|weight: `x` is not a number"):
        read(tmp_path, "a.csv", "source,target,kind\n0,1,x\n", weight_column="kind")
    graph, _ = read(tmp_path, "a.csv", "source,target,kind,w\n0,1,x,18446744073709551615\n1,2,y,1\n")
    assert graph.attributes["w"].dtype == np.uint64 and graph.attributes["w"].tolist() == [2**64 - 1, 1]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_other_encodings_are_refused_with_a_command(tmp_path, encoding):
    with pytest.raises(GdslError, match=r"E0710[\s\S]*iconv -f (utf-16|latin1)"):
        read(tmp_path, "a.csv", "source,target\nMüller,Bob\nBob,Cy\n".encode(encoding))


@pytest.mark.parametrize("weights", [[1, 0, 0], [0.0, 1.0, 0.0], [True, False, False]])
def test_what_gdsl_writes_is_not_taken_for_a_matrix(tmp_path, weights):
    graph = Graph.from_edges([0, 0, 1], [0, 1, 0], attributes={"weight": np.array(weights)})
    gdsl.graph.write(graph, tmp_path / "a.txt")
    assert edges(Graph.read(tmp_path / "a.txt")) == edges(graph)
