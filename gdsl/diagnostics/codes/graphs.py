"""E07xx: graph files and arrays."""

from __future__ import annotations

from gdsl.diagnostics.registry import Code

CODES: tuple[Code, ...] = (
    Code(
        "E0701",
        "the graph file cannot be read",
        "The file does not exist, is a directory, or the system does not let this user read it.",
        "gdslc run bfs.gdsl missing.mtx",
    ),
    Code(
        "E0702",
        "unknown graph format",
        (
            "The format is told from the file's name: `.mtx` (Matrix Market), `.gr`, `.max`, `.min`, "
            "`.col` (DIMACS), `.npz` (SciPy sparse matrix), `.graph` (METIS), `.csv` and `.tsv`, `.txt`, "
            "`.el`, `.e`, `.wel`, `.edges` (edge lists), "
            "`.parquet`, `.feather` and `.arrow` (tables), `.graphml`, `.gml`, `.net` (Pajek), "
            "by NetworkX `.gexf`, `.json`, `.dot`, `.adjlist`, `.g6` and `.s6`; those of text also with `.gz`, `.bz2` "
            "or `.xz` behind it. `--format` says it where the name does not. What "
            "else NetworkX reads comes in by `gdsl.Graph.from_networkx(networkx.read_…(path))`."
        ),
        "gdslc run bfs.gdsl graph.dat",
    ),
    Code(
        "E0703",
        "malformed header",
        (
            "A Matrix Market file begins with `%%MatrixMarket matrix coordinate …`, then comments, then one line "
            "`rows columns entries`. A DIMACS file has one line `p sp vertices arcs` before its arcs (or `p max`, "
            "`p min`, `p edge`, `p col`, `p tw`), a METIS file one of `vertices edges [format [weights]]`."
        ),
        "%%MatrixMarket matrix coordinate pattern symmetric\n34 34 78",
    ),
    Code(
        "E0704",
        "a matrix that is no graph",
        (
            "Graphs are square sparse matrices with pattern, integer or real entries, `general` (directed) or "
            "`symmetric` (undirected). Complex, skew-symmetric, hermitian, rectangular and dense matrices are refused."
        ),
        "%%MatrixMarket matrix array real general",
    ),
    Code(
        "E0705",
        "malformed line",
        (
            "A line of the file is not an edge: two ids and, where the format has them, a weight. Numbers are decimal, "
            "in ASCII digits, and fit their type: `1_000`, `0x10` and `1e400` are none. All lines have as many values "
            "as the first. The ends of an edge list may be names where its first line calls them `source,target`, or "
            "`--source-column` and `--target-column` name these columns."
        ),
        "12 x",
    ),
    Code(
        "E0706",
        "the file does not hold what its header says",
        "The header counts more or fewer entries than the file has; most often the file was cut off.",
        "34 34 78                                  # and then 77 entries",
    ),
    Code(
        "E0707",
        "vertex id out of range",
        (
            "Ids count from 0 in gdsl, in edge lists and in arrays, and from 1 in Matrix Market and DIMACS files. An "
            "edge list that counts from 1 is read with `one_based=True` (`--one-based`)."
        ),
        "Graph.from_edges([0, 1], [1, 2], num_vertices=2)",
    ),
    Code(
        "E0708",
        "not enough memory for the graph",
        "What the file's header or its entries ask for does not fit in the memory that is available: "
        "that of the machine, or what its container or `ulimit -v` leaves.",
    ),
    Code(
        "E0709",
        "graph too large",
        "Degrees are int32 numbers, and there can be at most 3,037,000,499 vertices. Where the ids of an edge list "
        "have gaps, `--compact` counts only the vertices that have an edge.",
    ),
    Code(
        "E0710",
        "damaged file",
        (
            "The file is binary where text should be, its compressed data is damaged or cut off, or it holds other "
            "things than a graph: an archive without a matrix, Python objects, lines without end."
        ),
        "gdslc graph info truncated.mtx.xz",
    ),
    Code(
        "E0711",
        "unusable arrays",
        (
            "Sources and destinations are integer arrays of one dimension and the same length; attributes are "
            "booleans, integers or real numbers of at most 64 bits, one for each edge (vertex). The arrays of a sparse "
            "matrix fit together: `indptr` begins with 0, never falls and ends with the number of indices. A table "
            "has a column for each end, none of whose rows is empty; names of vertices differ."
        ),
        "Graph.from_edges([0, 1], [1])",
    ),
    Code(
        "E0712",
        "unusable option for a graph",
        "`weights` is `random:SEED` or `random:SEED:LARGEST`, `dedup` is `first`, `sum`, `min` or `max`; "
        "`num_vertices` and `one_based` are for edge lists of ids, `directed` for edge lists and tables, "
        "`source_column` and the like for lists and tables "
        "whose columns have names.",
        "gdslc run sssp.gdsl karate.mtx --weights rand",
    ),
    Code(
        "E0713",
        "unusable generator",
        (
            "Graphs are generated by `rmat:SCALE[:EDGE_FACTOR]`, `grid:SIDE` or `grid:ROWSxCOLUMNS`, and "
            "`uniform:VERTICES:EDGES`, with `:seed=N` (and `:keep=0.9` for grids) behind it."
        ),
        "gdslc graph generate rmat:18:seed=1 -o rmat18.mtx",
    ),
    Code(
        "E0714",
        "the graph cannot be written",
        "The directory does not exist or is full or read-only. Nothing was left behind and no file was replaced.",
    ),
    Code(
        "E0715",
        "the format cannot hold the graph",
        "Matrix Market, DIMACS and `.npz` files keep one value an edge, its `weight`; `.csv` and `.parquet` keep every "
        "attribute of edges, `.graphml` also those of vertices.",
        "gdslc graph convert trips.csv trips.mtx",
    ),
    Code(
        "E0716",
        "empty graph file",
        (
            "The file has no content. A graph without edges still has a header (`source,destination` in an edge list), "
            "or comes from `Graph.from_edges`."
        ),
    ),
)
