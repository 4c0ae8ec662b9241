"""Names of graph formats by suffix, of the graphs that come with gdsl, and of generators, without reading any file."""

from __future__ import annotations

from gdsl.resources import resource_path

_SUFFIXES_OF = {
    "mtx": ".mtx .mm",
    "gr": ".gr .dimacs .max .min .col .clq",
    "npz": ".npz",
    "csv": ".csv",
    "tsv": ".tsv",
    "edges": ".txt .el .e .wel .edges .edgelist",
    "metis": ".graph .metis",
    "parquet": ".parquet",
    "arrow": ".feather .arrow",
    "graphml": ".graphml",
    "gml": ".gml",
    "pajek": ".net .paj",
    "gexf": ".gexf",
    "json": ".json",
    "adjlist": ".adjlist",
}
SUFFIXES = {suffix: kind for kind, suffixes in _SUFFIXES_OF.items() for suffix in suffixes.split()}
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


BY_NETWORKX = ("gexf", "json", "adjlist")
"""Formats that NetworkX reads."""
