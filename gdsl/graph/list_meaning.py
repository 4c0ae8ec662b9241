"""The meaning of an edge list beyond its rows: statements of its comments, unless options override them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.diagnostics import printable as printable_path
from gdsl.graph.column_names import UNDIRECTED_ENDS
from gdsl.graph.edge_list_head import Head
from gdsl.graph.group import Group
from gdsl.graph.messages import notice
from gdsl.graph.text import printable
from gdsl.records import dataclass

_KEYS = 1000
"""Ids are probably keys of a database if the largest is so many times the number of edges."""
_TIMES = 500_000_000, 2_500_000_000
"""Whole numbers from here to there may be times: from 1985 to 2049."""
_ENOUGH = 8
"""So many consecutive numbers are no coincidence."""
_WITH_TIME, _WITH_ID = ("source", "target", "time"), ("id", "source", "target")
_FEW = 5
_KONECT = {"sym": "undirected", "asym": "directed", "bip": "bipartite"}


@dataclass(frozen=True, slots=True)
class Meaning:
    """How the rows of a list are read.

    num_vertices: at least so many, according to comments. sides: how many vertices the two sides of a bipartite list
    have at least.
    """

    directed: bool
    one_based: bool = False
    num_vertices: int | None = None
    bipartite: bool = False
    sides: tuple[int, int] = (0, 0)


def meaning_of(
    path: str,
    head: Head,
    type_statement: str | None,
    has_names: bool,
    one_based: bool | None,
    num_vertices: int | None,
    directed: bool | None,
) -> Meaning:
    """The meaning of the rows; comments replace options that are None, with a notice."""
    statements, place = head.statements, printable_path(path)
    both_ways = "every edge is stored both ways; --directed (directed=True) keeps one way"
    if statements.konect is not None and not has_names:
        return _of_konect(place, head, one_based, num_vertices, directed)
    columns = head.columns
    ends = None if columns is None else tuple(columns.header[end] for end in columns.ends)
    undirected = statements.ours or ends == UNDIRECTED_ENDS
    if directed is None and not undirected and statements.undirected is not None:
        undirected = True
        notice(f"{place}: a comment says `{printable(statements.undirected)}`: {both_ways}")
    if directed is None and not undirected and type_statement == "undirected":
        undirected = True
        notice(f"{place}: a column says that all edges are undirected: {both_ways}")
    directed = not undirected if directed is None else directed
    return Meaning(directed, bool(one_based), None if has_names else statements.nodes)


def notice_nodes(path: str, stated: int, count: int) -> None:
    """Report that comments state more vertices than have an edge."""
    notice(
        f"{printable_path(path)}: a comment says there are {stated:,} vertices: those from {count:,} on have no edge; "
        f"--num-vertices {count} (num_vertices={count}) leaves them out"
    )


def notice_keys(path: str, num_vertices: int, num_edges: int) -> None:
    """Report ids that are far larger than their number."""
    if num_edges and num_vertices - 1 >= _KEYS * num_edges:
        sizes = f"the largest id is {num_vertices - 1:,}, and the list has {num_edges:,} edge{'s' * (num_edges > 1)}"
        fix = "where ids are keys, --compact (compact=True) counts only the vertices that have an edge"
        notice(f"{printable_path(path)}: {sizes}: each id below it is a vertex; {fix}")


def notice_columns(path: str, head: Head, left: tuple[str, ...]) -> None:
    """Report which columns are left out, and which are taken as the ends without a known name."""
    columns = head.columns
    called = [f"`{printable(name)}`" for name in left[:_FEW]] + ["…"] * (len(left) > _FEW)
    text = [f"not every value of {', '.join(called)} is a number"] if left else []
    if columns is not None and columns.unnamed:
        text.append(f"{columns.unnamed} column{'s have' if columns.unnamed > 1 else ' has'} no name")
    if text:
        notice(f"{printable_path(path)}: {', '.join(text)}: left out")
    if columns is not None and not columns.known and len(columns.values) > 0:
        first, second = (printable(columns.header[end]) for end in columns.ends)
        override = "--source-column and --target-column (source_column=, target_column=) name others"
        notice(f"{printable_path(path)}: `{first}` and `{second}` are taken as the ends; {override}")


def notice_edges(path: str, head: Head, num_edges: int) -> None:
    """Report that comments state a different number of edges."""
    stated = head.statements.edges
    if stated is not None and num_edges not in (stated, 2 * stated, stated / 2):
        notice(f"{printable_path(path)}: a comment says there are {stated:,} edges, and the list has {num_edges:,}")


def notice_third_column(
    path: str, head: Head, sources: NDArray[Any], attributes: dict[str, NDArray[Any]], group: Group
) -> None:
    """Report that the third column of a list without a header seems to hold times, or the first to number the rows.
    The columns are those of the part that a worker of a group reads."""
    values = attributes.get("weight")
    if values is None or values.dtype.kind != "i":
        return
    lengths = group.gather(len(values))
    total, here = sum(lengths), sum(lengths[: group.rank])
    if total < 2:
        return
    mark = head.mark or " "
    first = group.first(int(sources[0]) if len(sources) else None)
    assert first is not None
    are_times = not len(values) or bool(values.min() >= _TIMES[0] and values.max() <= _TIMES[1])
    count = total >= _ENOUGH and first in (0, 1)
    count = count and (not len(sources) or (int(sources[0]) == first + here and bool((np.diff(sources) == 1).all())))
    columns = group.gather((are_times, count))
    if all(times for times, _ in columns):
        seems = "the third column seems to hold times, in seconds since 1970, and is read as the weight"
        notice(f"{printable_path(path)}: {seems}; a first line `# {mark.join(_WITH_TIME)}` calls it so")
    elif all(counts for _, counts in columns):
        seems = "the first column numbers the rows, and is read as the source"
        notice(f"{printable_path(path)}: {seems}; a first line `# {mark.join(_WITH_ID)}` calls the others so")


def _of_konect(
    place: str, head: Head, one_based: bool | None, num_vertices: int | None, directed: bool | None
) -> Meaning:
    kind, sizes = str(head.statements.konect), head.statements.sizes
    from_one = one_based is not False
    arcs = kind == "asym" if directed is None else directed
    if kind != "bip" or num_vertices is not None:
        meaning, override = f"ids count from {int(from_one)}", "--zero-based (one_based=False) overrides it"
        if not arcs and directed is None:
            meaning += ", every edge is stored both ways"
            override = "--zero-based, --directed (one_based=False, directed=True) override it"
        notice(f"{place}: the comment `% {kind}` is KONECT's for {_KONECT[kind]} graphs: {meaning}; {override}")
        count = max(sizes[1:], default=None)
        return Meaning(arcs, from_one, count)
    if len(sizes) == 2:  # of edges and of all vertices
        sizes = sizes[:1]
    notice(
        f"{place}: the comment `% bip` is KONECT's for bipartite graphs: ids count from {int(from_one)} on each side, "
        "those of the right follow the left, and every edge is stored both ways; "
        "--num-vertices N (num_vertices=N) takes both sides as one"
    )
    left, right = (*sizes[1:], 0, 0)[:2]
    return Meaning(arcs, from_one, None, True, (left, right))
