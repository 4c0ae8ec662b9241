"""What is measured: the rows of the table, by name, with the numbers to reach of each."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from bench.classes import CLASSES
from bench.graphs import DIRECTED, split_name
from bench.works import WORKS

SAMPLES = ("bfs", "sssp", "pagerank", "connected_components")
DEFAULT_GRAPHS = {"cuda": ("rmat22", "grid3000"), "cpu": ("rmat18", "grid300")}
DIRECTED_GRAPHS = {
    "cuda": ("directed_rmat22", "one_way_grid2000"),
    "cpu": ("directed_rmat18", "one_way_grid700"),
}
"""Those of the works that directed graphs are for."""


TWELVE = (
    "bfs",
    "sssp",
    "pagerank",
    "components",
    "triangles",
    "betweenness",
    "k_core",
    "maximal_independent_set",
    "coloring",
    "minimum_spanning_forest",
    "strongly_connected_components",
    "louvain",
)
"""The works that `--classes` runs on every class of graphs."""


@dataclass(frozen=True)
class Row:
    """One line of the table: a work on a graph, or the compilation of a sample ("cold" or "cached")."""

    work: str
    graph: str

    @property
    def name(self) -> str:
        """As `--rows` takes it."""
        return f"{self.work}-{self.graph}"

    @property
    def title(self) -> str:
        """The same for people: of a file its name alone."""
        return f"{self.work}-{Path(self.graph).name}"

    @property
    def is_compilation(self) -> bool:
        return self.work in COMPILATIONS

    @property
    def is_loading(self) -> bool:
        return self.work in LOADINGS

    @property
    def is_map(self) -> bool:
        return self.work in MAPS

    @property
    def is_call(self) -> bool:
        return self.work in CALLS


COMPILATIONS = ("compile_cold", "compile_cached")
CALLS = ("call_bfs", "call_sssp", "call_sssp_unchecked")
"""What a call of these works takes beside its kernel; unchecked: whose caller vouches for the arrays."""
MAPS = ("map_bfs", "map_bfs_distances", "map_sssp")
"""Many runs by `Program.map`: the time of one."""
MAP_GRAPHS = {"cuda": ("rmat20", "rmat16"), "cpu": ("rmat12",)}
LOADS = ("load_mtx", "load_edges", "load_npz")
"""Reading a file of that kind on one core."""
LOADINGS = (*LOADS, "build")
"""build: putting given edges in order where the backend runs, both ways, without loops and parallel edges."""
LOADED = {"cuda": ("rmat18", "rmat24"), "cpu": ("rmat18", "rmat18")}
CALL_GRAPHS = {
    "cuda": (
        *((work, "rmat22") for work in CALLS),
        ("call_bfs", "grid3000"),
        ("call_bfs", "rmat16"),
    ),
    "cpu": (("call_bfs", "rmat10"), ("call_sssp", "rmat10")),
}
CALL_TARGET = 60.0
"""Microseconds."""
LARGE = ("bfs", "bfs_distances", "sssp", "pagerank", "components")
"""What is measured on a graph of half a billion edges; `--graphs rmat26` takes any work to two billions."""
BUILD_TARGET = 1500.0
"""Milliseconds, of rmat24."""
TO_REACH = {f"{work.name}-{graph}": ms for work in WORKS.values() for graph, ms in work.to_reach.items()}
TARGETS = {f"{work.name}-{graph}": ms for work in WORKS.values() for graph, ms in work.targets.items()}
COMPILE_TARGETS = {"compile_cold": 1000.0, "compile_cached": 50.0}


def to_reach(row: Row, backend: str) -> float | None:
    """Milliseconds of the best known, or None where nothing is known."""
    if backend != "cuda":
        return None
    return COMPILE_TARGETS[row.work] if row.is_compilation else TO_REACH.get(row.name)


def target(row: Row, backend: str) -> float | None:
    """Milliseconds not to fall behind, or None."""
    if backend != "cuda":
        return None
    if row.is_call:
        return CALL_TARGET
    if row.work == "build":
        return BUILD_TARGET if row.graph == "rmat24" else None
    return COMPILE_TARGETS[row.work] if row.is_compilation else TARGETS.get(row.name)


def default_rows(backend: str, graphs: tuple[str, ...] = ()) -> list[Row]:
    """Every work on `graphs`, graph by graph; without graphs the table of docs/performance.md."""
    rows = [Row(work, graph) for graph in graphs or DEFAULT_GRAPHS[backend] for work in WORKS if _suits(work, graph)]
    if not graphs:
        rows += [Row(name, graph) for graph in DIRECTED_GRAPHS[backend] for name in WORKS if WORKS[name].directed]
        if backend == "cuda":
            rows += [Row(work, "rmat24") for work in LARGE]
        rows += [Row(work, graph) for work, graph in CALL_GRAPHS[backend]]
        rows += [Row(work, graph) for work in ("map_bfs", "map_bfs_distances") for graph in MAP_GRAPHS[backend]]
        rows += [Row(work, LOADED[backend][work not in LOADS]) for work in LOADINGS]
        rows += [Row(work, sample) for sample in SAMPLES for work in COMPILATIONS]
    return rows


def class_rows(backend: str, graphs: tuple[str, ...] = ()) -> list[Row]:
    """The twelve algorithms on `graphs`; without graphs on those of the table and on every class."""
    names = graphs or (*DEFAULT_GRAPHS[backend], *DIRECTED_GRAPHS[backend], *CLASSES)
    return [Row(work, graph) for graph in names for work in TWELVE if _suits(work, graph)]


def _suits(work: str, graph: str) -> bool:
    """Whether a work is for graphs of this kind: directed ones for some, symmetric ones for all others; files are
    read as symmetric ones, and serve both."""
    kind = split_name(graph)[0]
    return kind == "file" or WORKS[work].directed == (kind in DIRECTED)


def chosen_rows(backend: str, words: list[str], graphs: tuple[str, ...], by_class: bool = False) -> list[Row]:
    """The rows that `words` name, by name or by pattern (`sssp-*`), ordered so that each graph is made once;
    `by_class`: of those that `class_rows` has.

    A name may have any graph of `split_name`. Raises ValueError for a word that names nothing.
    """
    for graph in graphs:
        split_name(graph)
    known = (class_rows if by_class else default_rows)(backend, graphs)
    if not words:
        return known
    chosen: list[Row] = []
    for word in words:
        try:
            matching = _matching(known, word) or [_named(word)]
        except ValueError:
            if not graphs or not _matching(default_rows(backend), word):
                raise
            told = f"{word!r} names rows that have graphs of their own: leave --graphs out for these"
            raise ValueError(told) from None
        chosen += [row for row in matching if row not in chosen]
    graph_order = list(dict.fromkeys(row.graph for row in chosen))
    return sorted(chosen, key=lambda row: graph_order.index(row.graph))


def _matching(rows: list[Row], word: str) -> list[Row]:
    return [row for row in rows if fnmatchcase(row.name, word)]


def _named(word: str) -> Row:
    work, _, graph = word.partition("-")
    if work in COMPILATIONS and graph in SAMPLES:
        return Row(work, graph)
    if work not in (*WORKS, *CALLS, *MAPS, *LOADINGS):
        names = ", ".join((*WORKS, *CALLS, *MAPS, *LOADINGS, *COMPILATIONS))
        raise ValueError(f"{word!r} is no row: WORK-GRAPH, where WORK is one of {names} (--list shows all)")
    kind, _ = split_name(graph)
    if kind in DIRECTED and not (work in WORKS and WORKS[work].directed):
        raise ValueError(f"{word!r} is no row: {work} is measured on symmetric graphs")
    if work in LOADINGS and kind != "rmat":
        raise ValueError(f"{word!r} is no row: {work} goes with rmatSCALE")
    return Row(work, graph)
