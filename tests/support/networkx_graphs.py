"""Graphs of NetworkX with nodes and weights of many kinds, and what its functions give with `backend="gdsl"` and
without."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import networkx as nx
import pytest

Call = Callable[..., Any]


def named(number: int) -> Any:
    """Nodes of many kinds: ints that are no ids, strings, tuples, frozensets, floats."""
    return (number + 7, f"node {number}", (number, "x"), frozenset([number]), number + 0.5)[number % 5]


def random_graph(seed: int, directed: bool, multigraph: bool = False) -> Any:
    """A graph with self-loops, nodes without edges, edges without weights and ints among floats."""
    rng = random.Random(seed)
    kinds = {(False, False): nx.Graph, (True, False): nx.DiGraph, (False, True): nx.MultiGraph}
    made = kinds.get((directed, multigraph), nx.MultiDiGraph)()
    size = rng.randrange(2, 30)
    nodes = [named(number) for number in rng.sample(range(size), size)]
    made.add_nodes_from(nodes)
    for _ in range(rng.randrange(3 * size)):
        data = {"weight": rng.choice([1, 2, 3.5, 0.25]), "whole": rng.randrange(9), "capacity": rng.randrange(5)}
        data["length"] = rng.choice([1, 2, 3, 1.5])
        for name in rng.sample(sorted(data), rng.randrange(2)):
            del data[name]
        made.add_edge(rng.choice(nodes), rng.choice(nodes), **data)
    return made


def taken(call: Call, graph: Any, **options: Any) -> Any:
    """What a call gives, a generator worked off; an error as its type and text."""
    try:
        found = call(graph, **options)
        return list(found) if isinstance(found, Iterator) else found
    except NotImplementedError:
        raise
    except Exception as error:
        return type(error), str(error)


def same(found: Any, wanted: Any, mixed: bool = False) -> None:
    """Equal in types and values, floats to rounding; dicts and sets in any order. With `mixed` weights ints may be
    floats."""
    if type(wanted) is float or (mixed and type(wanted) is int):
        assert type(found) in (float, int)
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12, nan_ok=True)
    elif isinstance(wanted, Mapping):
        assert type(found) is dict and found.keys() == wanted.keys()
        for key in wanted:
            same(found[key], wanted[key], mixed)
    elif isinstance(wanted, list | tuple) and not isinstance(wanted, str):
        assert type(found) is type(wanted) and len(found) == len(wanted), (found, wanted)
        for one, other in zip(found, wanted, strict=True):
            same(one, other, mixed)
    else:
        assert type(found) is type(wanted) and found == wanted, (found, wanted)


def some(graph: Any) -> list[Any]:
    return list(graph)[: 1 + len(graph) // 2]


def compared(call: Call, graph: Any, mixed: bool = False) -> None:
    same(taken(call, graph, backend="gdsl"), taken(call, graph), mixed)
