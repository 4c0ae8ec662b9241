"""Names of graph formats by suffix, of the graphs that come with gdsl, and of generators, without reading any file."""

from __future__ import annotations

from gdsl.resources import resource_path

SUFFIXES = {
    ".mtx": "mtx",
    ".mm": "mtx",
    ".gr": "gr",
    ".dimacs": "gr",
    ".max": "gr",
    ".min": "gr",
    ".col": "gr",
    ".clq": "gr",
    ".npz": "npz",
    ".csv": "csv",
    ".tsv": "tsv",
    ".txt": "edges",
    ".el": "edges",
    ".e": "edges",
    ".wel": "edges",
    ".edges": "edges",
    ".edgelist": "edges",
    ".graph": "metis",
    ".metis": "metis",
    ".parquet": "parquet",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".graphml": "graphml",
    ".gml": "gml",
    ".net": "pajek",
    ".paj": "pajek",
    ".gexf": "gexf",
    ".dot": "dot",
    ".gv": "dot",
    ".json": "json",
    ".adjlist": "adjlist",
    ".multiline-adjlist": "multiline-adjlist",
    ".g6": "graph6",
    ".graph6": "graph6",
    ".s6": "sparse6",
    ".sparse6": "sparse6",
    ".lgr": "leda",
    ".gw": "leda",
}
"""The format for each suffix of a file's name."""

COMPRESSED = (".gz", ".bz2", ".xz")
"""Suffixes that may follow, except for formats that are compressed themselves."""

GENERATED = ("rmat:16", "grid:300", "uniform:1000:5000")
"""An example of each generator."""


def come_along() -> dict[str, str]:
    """The paths of the graphs that come with gdsl, by their names."""
    try:
        return {path.stem: str(path) for path in sorted(resource_path("samples", "graphs").glob("*.mtx"))}
    except OSError:  # an incomplete installation
        return {}


BY_NETWORKX = ("gexf", "dot", "json", "adjlist", "multiline-adjlist", "graph6", "sparse6", "leda")
"""Formats that NetworkX reads."""
