"""Programs that do everything with pairs of two types, and what they must give, worked out apart from the compiler."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gdsl.graph import Graph

_TEXT = """program pairs;
problem {{
    input vertex a : {A};    input vertex b : {B};
    input edge first : {A};  input edge second : {B};
    vertex start_low : ({A}, {B}) = (a[id], b[id]);
    vertex low : ({A}, {B}) = (a[id], b[id]);
    vertex high : ({A}, {B}) = (a[id], b[id]);
    vertex plain_low : ({A}, {B}) = (a[id], b[id]);
    vertex changes : int32;
    vertex lowest : ({A}, {B});
    vertex highest : ({A}, {B});
    vertex compared : int32;
    vertex smaller : ({A}, {B});
    vertex larger : ({A}, {B});
    vertex swapped : ({A}, {B}) = (a[id], b[id]);
    vertex won : bool;
    vertex taken : ({A}, {B}) = (a[id], b[id]);
    vertex winners : int32;
    local vertex other : ({A}, {B});
    scalar least : ({A}, {B}) = ({start});
    scalar most : ({A}, {B}) = ({start});
    scalar nothing : ({A}, {B});
}}
function both(p : ({A}, {B}), first : {A}) -> ({A}, {B}) {{ return (first, p.1); }}
edge functor meet(src, dst, e) {{
    apply {{
        low[dst] min= (first[e], second[e]);
        high[dst] max= (first[e], second[e]);
        least min= (first[e], second[e]);
        most max= (first[e], second[e]);
    }}
}}
edge functor give(src, dst, e) -> ({A}, {B}) {{ value (first[e], second[e]); }}
vertex functor copy(v) {{ apply {{ other[v] = both((a[v], b[v]), a[v]); }} }}
edge functor compare(src, dst, e) -> bool {{ value (first[e], second[e]) {sign} other[src]; }}
vertex functor alone(v) {{
    apply {{
        let before = start_low[v];
        if (changed(plain_low[v] min= {constant})) {{ changes[v] += 1; }}
        let former = fetch(plain_low[v] max= (a[v], b[v]));
        if (former <= before) {{ changes[v] += 2; }}
        smaller[v] = min({constant}, before);
        larger[v] = max(before, {constant});
        won[v] = cas(swapped[v], {constant}, (a[v], b[v]));
    }}
}}
edge functor take(src, dst, e) {{
    apply {{ if (cas(taken[dst], (a[dst], b[dst]), {constant})) {{ winners[dst] += 1; }} }}
}}
schedule {{
    advance(vertices, meet, to=none);
    lowest = neighbor_reduce(vertices, give, min);
    highest = neighbor_reduce(vertices, give, max);
    compute(vertices, copy);
    compared = neighbor_reduce(vertices, compare, count);
    compute(vertices, alone);
    advance(vertices, take, to=none);
}}
"""

TYPES = {
    ("float32", "vertex"): "(-0.0, 1)",
    ("int32", "float32"): "(-3, 0.0)",
    ("uint32", "bool"): "(7, true)",
    ("bool", "edge"): "(true, none)",
    ("float64", "vertex"): "(0.5, none)",
    ("int64", "int64"): "(-3, 4)",
    ("vertex", "uint64"): "(2, 9)",
    ("float32", "float64"): "(0.0, -0.0)",
}
"""Pairs of types, narrow ones and wide ones, each with a constant."""

_AWKWARD: dict[str, list[Any]] = {
    "float32": [math.nan, math.inf, -math.inf, 0.0, -0.0, 0.5, -1.5, 3e38, -1e-45],
    "float64": [math.nan, math.inf, -math.inf, 0.0, -0.0, 0.5, -1.5, 1e300, -5e-324],
    "int32": [-(2**31), 2**31 - 1, 0, -1, -3, 7],
    "uint32": [0, 7, 2**31, 2**32 - 1],
    "int64": [-(2**63), 2**63 - 1, 0, -1, -3, 2**32, -(2**32) - 1],
    "uint64": [0, 9, 2**63, 2**64 - 1, 2**32],
    "bool": [False, True],
    "vertex": [-1, 0, 1, 2],
    "edge": [-1, 0, 1, 2],
}
_LARGEST = {"int32": 2**31 - 1, "uint32": 2**32 - 1, "int64": 2**63 - 1, "uint64": 2**64 - 1, "bool": True}
_SMALLEST = {"int32": -(2**31), "uint32": 0, "int64": -(2**63), "uint64": 0, "bool": False, "vertex": 0, "edge": 0}

Value = tuple[Any, Any]


@dataclass(frozen=True)
class Example:
    """A program with a graph of at least three vertices and three edges, and inputs for it."""

    types: tuple[str, str]
    sign: str
    graph: Graph
    inputs: dict[str, Any]

    @property
    def text(self) -> str:
        """The program."""
        first, second = self.types
        constant = TYPES[self.types]
        return _TEXT.format(A=first, B=second, constant=constant, start=constant[1:-1], sign=self.sign)


def example(types: tuple[str, str], seed: int, sign: str) -> Example:
    """Awkward values on a random graph."""
    random = np.random.default_rng(seed)
    vertices, edges = 12, 90
    ends = random.integers(0, vertices, (2, edges)) % random.integers(1, vertices, edges)
    graph = Graph.from_edges(ends[0], ends[1], num_vertices=vertices)

    def values(kind: str, count: int) -> Any:
        dtype = "int32" if kind in ("vertex", "edge") else kind
        return np.array([_AWKWARD[kind][i] for i in random.integers(0, len(_AWKWARD[kind]), count)], dtype)

    sizes = {"a": vertices, "b": vertices, "first": edges, "second": edges}
    kinds = {"a": types[0], "b": types[1], "first": types[0], "second": types[1]}
    return Example(types, sign, graph, {name: values(kinds[name], size) for name, size in sizes.items()})


class Order:
    """The order of pairs as the language's page has it; ids are -1 for `none`, which orders last."""

    def __init__(self, types: tuple[str, str]) -> None:
        self.types = types

    def key(self, kind: str, value: Any) -> Any:
        """A value that Python orders rightly."""
        return math.inf if kind in ("vertex", "edge") and value == -1 else value

    def less(self, a: Value, b: Value) -> bool:
        """a < b."""
        (a0, b0), (a1, b1) = ((self.key(k, x), self.key(k, y)) for k, x, y in zip(self.types, a, b, strict=True))
        return bool(a0 < b0 or (a0 == b0 and a1 < b1))

    def same(self, a: Value, b: Value) -> bool:
        """a == b."""
        return bool(a[0] == b[0] and a[1] == b[1])

    def holds(self, sign: str, a: Value, b: Value) -> bool:
        """A comparison."""
        less, more, same = self.less(a, b), self.less(b, a), self.same(a, b)
        return {"<": less, ">": more, "<=": less or same, ">=": more or same, "==": same, "!=": not same}[sign]

    def wins(self, least: bool, former: Value, value: Value) -> bool:
        """Whether `value` takes the place of `former` in a minimum or maximum."""
        if _nan(value):
            return False
        return _nan(former) or (self.less(value, former) if least else self.less(former, value))


def _nan(value: Value) -> bool:
    return any(part != part for part in value)


def _positive(value: Value) -> Value:
    """Without negative zeros."""
    first, second = (0.0 if isinstance(part, float) and part == 0 else part for part in value)
    return first, second


def expected(given: Example) -> dict[str, list[Any]]:
    """Every result as a list of values, each pair a tuple."""
    order = Order(given.types)
    own = list(zip(given.inputs["a"].tolist(), given.inputs["b"].tolist(), strict=True))
    brought = list(zip(given.inputs["first"].tolist(), given.inputs["second"].tolist(), strict=True))
    sources, ends = given.graph.edge_sources.tolist(), given.graph.columns.tolist()
    constant = _constant(given.types)

    def reduced(least: bool, start: Value, values: list[Value]) -> Value:
        for value in values:
            if order.wins(least, start, value):
                start = _positive(value)
        return start

    into = [[brought[e] for e, end in enumerate(ends) if end == v] for v in range(len(own))]
    outof = [[brought[e] for e, end in enumerate(sources) if end == v] for v in range(len(own))]
    largest = tuple(_end(kind, largest=True) for kind in given.types)
    smallest = tuple(_end(kind, largest=False) for kind in given.types)
    return {
        "low": [reduced(True, own[v], into[v]) for v in range(len(own))],
        "high": [reduced(False, own[v], into[v]) for v in range(len(own))],
        "lowest": [reduced(True, largest, values) for values in outof],
        "highest": [reduced(False, smallest, values) for values in outof],
        "compared": [sum(order.holds(given.sign, x, own[v]) for x in outof[v]) for v in range(len(own))],
        "smaller": [value if order.wins(True, constant, value) else constant for value in own],
        "larger": [constant if order.wins(False, value, constant) else value for value in own],
        "won": [order.same(value, constant) for value in own],
        "swapped": own,
        "least": [reduced(True, constant, brought)],
        "most": [reduced(False, constant, brought)],
        "nothing": [tuple(_zero(kind) for kind in given.types)],
        "start_low": own,
        **_updated(order, own, constant),
        **_exchanged(order, own, constant, [len(values) for values in into]),
    }


def _updated(order: Order, own: list[Value], constant: Value) -> dict[str, list[Any]]:
    """What two updates of every value leave behind, and what they say."""
    found: dict[str, list[Any]] = {"plain_low": [], "changes": []}
    for value in own:
        won = order.wins(True, value, constant)
        former = _positive(constant) if won else value
        found["changes"].append(won + 2 * (order.less(former, value) or order.same(former, value)))
        found["plain_low"].append(_positive(value) if order.wins(False, former, value) else former)
    return found


def _exchanged(order: Order, own: list[Value], constant: Value, brought: list[int]) -> dict[str, list[Any]]:
    """What is left where each edge into a vertex, of which there are `brought`, tries to exchange its value."""
    meets = [order.same(value, value) and count > 0 for value, count in zip(own, brought, strict=True)]
    taken = [constant if met else value for value, met in zip(own, meets, strict=True)]
    again = [met and order.same(constant, value) for value, met in zip(own, meets, strict=True)]
    counted = zip(again, meets, brought, strict=True)
    return {"taken": taken, "winners": [count if same else int(met) for same, met, count in counted]}


def _constant(types: tuple[str, str]) -> Value:
    words = TYPES[types][1:-1].split(", ")
    parts = [{"true": True, "false": False, "none": -1}.get(word) for word in words]
    first, second = (
        part if part is not None else (float(word) if "." in word else int(word))
        for part, word in zip(parts, words, strict=True)
    )
    return first, second


def _end(kind: str, largest: bool) -> Any:
    if kind.startswith("float"):
        return math.inf if largest else -math.inf
    return (-1 if kind in ("vertex", "edge") else _LARGEST[kind]) if largest else _SMALLEST[kind]


def _zero(kind: str) -> Any:
    return {"bool": False, "vertex": -1, "edge": -1}.get(kind, 0)


def bits(types: tuple[str, str], values: list[Any]) -> list[Any]:
    """Values that compare bit for bit: floats as text, every NaN as one."""
    return [tuple(_bits(kind, part) for kind, part in zip(types, value, strict=True)) for value in values]


def _bits(kind: str, value: Any) -> Any:
    if not kind.startswith("float"):
        return int(value)
    return repr(float(np.dtype(kind).type(value)))


def found_bits(types: tuple[str, str], result: Any) -> list[Any]:
    """The same of a result."""
    first, second = (np.atleast_1d(np.asarray(part)) for part in result)
    return bits(types, list(zip(first.tolist(), second.tolist(), strict=True)))
