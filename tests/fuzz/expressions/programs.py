"""Programs that are made of many expressions, each with a result of its own, and what each result must be."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy

from fuzz.expressions.trees import INTEGERS, NEARLY, NUMBERS, TYPES, Function, Maker, Tree, text
from fuzz.expressions.values import FLOAT, Evaluation, highest, limits, lowest
from gdsl.graph import Graph
from gdsl.ir import nodes as ir

Value = Any

PASSES = 3
REDUCED = ("low", "high", "nearest_low", "nearest_high", "lowest", "highest")
"""The results of a reduced expression: by plain and atomic updates, by lists of edges, in scalars."""


@dataclass(frozen=True, slots=True)
class Target:
    """A result: an expression and the place where it is evaluated (``reduced``: by every form of minimum, maximum)."""

    name: str
    place: str
    tree: Tree

    @property
    def is_nearly(self) -> bool:
        """Whether backends may differ in the last places."""
        return self.tree.word in NEARLY


@dataclass(frozen=True)
class Data:
    """What a program runs on: params and arrays over vertices by type, and the ends of edges."""

    params: Mapping[str, Value]
    elements: Mapping[str, list[Value]]
    edges: tuple[tuple[int, int], ...]

    @property
    def size(self) -> int:
        """The number of vertices."""
        return len(self.elements["bool"])

    @cached_property
    def graph(self) -> Graph:
        """The edges as a graph."""
        sources, destinations = [edge[0] for edge in self.edges], [edge[1] for edge in self.edges]
        return Graph.from_edges(sources, destinations, num_vertices=self.size)

    @cached_property
    def given(self) -> dict[str, Any]:
        """Params and inputs, as a run takes them."""
        params = {f"p_{kind}": value for kind, value in self.params.items()}
        return params | {f"a_{kind}": numpy.array(values, dtype=kind) for kind, values in self.elements.items()}

    def given_to(self, program: ir.Program) -> dict[str, Any]:
        """Those of them that `program` declares."""
        declared = {param.name for param in program.params} | {array.name for array in program.arrays}
        return {name: value for name, value in self.given.items() if name in declared}

    def of_vertex(self, vertex: int) -> Data:
        """A graph of nothing but `vertex`, with its values."""
        return Data(self.params, {kind: [values[vertex]] for kind, values in self.elements.items()}, ())


@dataclass(frozen=True)
class Program:
    """Expressions in all places; `inf_types` are the integer types whose `inf` it writes."""

    functions: tuple[Function, ...]
    targets: tuple[Target, ...]
    inf_types: tuple[str, ...]

    def of(self, *targets: Target) -> Program:
        """The same with no results but `targets`, and without functions that nothing calls."""
        called: set[str] = set()
        for target in targets:
            called |= _called(target.tree)
        for function in reversed(self.functions):
            called |= _called(function.body) if function.name in called else set()
        functions = tuple(function for function in self.functions if function.name in called)
        return replace(self, targets=targets, functions=functions)

    def in_place(self, place: str) -> list[Target]:
        """The results whose expressions stand in `place`."""
        return [target for target in self.targets if target.place == place]

    # Text

    def text(self) -> str:
        """The program."""
        functions = "\n".join(_function_text(function) for function in self.functions)
        data = "\n".join(f"    {line}" for line in self._data())
        parts = [functions, *(_reduction_text(target) for target in self.in_place("reduced")), self._functor()]
        body = "\n".join(part for part in parts if part)
        return f"program expressions;\n\nproblem {{\n{data}\n}}\n{body}\nschedule {{\n{self._schedule()}\n}}\n"

    def _data(self) -> list[str]:
        used = {part.word for tree in self._trees() for part in _inside(tree)}
        params = [f"param p_{kind} : {kind};" for kind in TYPES if f"p_{kind}" in used]
        inputs = [f"input vertex a_{kind} : {kind};" for kind in TYPES if f"a_{kind}" in used]
        infinite = [f"vertex inf_{kind} : {kind} = inf;" for kind in self.inf_types]
        lines = [*params, *inputs, *infinite]
        for target in self.targets:
            kind, value = target.tree.type, text(target.tree, "id")
            match target.place:
                case "default":
                    lines += [f"param d_{target.name} : {kind} = {value};"]
                    lines += [f"vertex {target.name} : {kind} = d_{target.name};"]
                case "initial":
                    lines.append(f"vertex {target.name} : {kind} = {value};")
                case "apply":
                    lines.append(f"vertex {target.name} : {kind};")
                case "schedule":
                    lines.append(f"scalar {target.name} : {kind};")
                case "reduced":
                    first = f"a_{kind}[id]"
                    lines += [f"vertex {name} : {kind} = {first};" for name in REDUCED[:2]]
                    lines += [f"vertex {name} : {kind};" for name in REDUCED[2:4]]
                    lines += [f"scalar {name} : {kind} = p_{kind};" for name in REDUCED[4:]]
        return lines

    def _trees(self) -> list[Tree]:
        reduced = [target.tree.type for target in self.in_place("reduced")]
        own = [Tree(kind, type_, f"{kind[0] if kind == 'param' else 'a'}_{type_}")
               for type_ in reduced for kind in ("param", "element")]  # fmt: skip
        return [*(target.tree for target in self.targets), *own]

    def _functor(self) -> str:
        stores = [f"        {target.name}[v] = {text(target.tree, 'v')};" for target in self.in_place("apply")]
        return "\n".join(("vertex functor every(v) {", "    apply {", *stores, "    }", "}")) if stores else ""

    def _schedule(self) -> str:
        stores = [f"        {target.name} = {text(target.tree, 'v')};" for target in self.in_place("schedule")]
        calls = ["        compute(vertices, every);"] if self.in_place("apply") else []
        lines = [f"    repeat ({PASSES}) {{", *stores, *calls, "    }"] if stores or calls else []
        for _ in self.in_place("reduced"):
            lines += [
                "    compute(edges, lower);",
                "    compute(vertices, ends);",
                "    nearest_low = neighbor_reduce(vertices, told, min, over=in_edges);",
                "    nearest_high = neighbor_reduce(vertices, told, max, over=in_edges);",
            ]
        return "\n".join(lines)

    # Values

    def expected(self, data: Data) -> dict[str, list[Value]]:
        """The values of every result, by its name; of one value where it is a scalar."""
        functions = {function.name: function for function in self.functions}
        out, into = [0] * data.size, [0] * data.size
        for source, destination in data.edges:
            out[source] += 1
            into[destination] += 1
        results: dict[str, list[Value]] = {}

        def evaluation(vertex: int) -> Evaluation:
            leaves = {f"p_{kind}": value for kind, value in data.params.items()}
            leaves |= {f"a_{kind}": values[vertex] for kind, values in data.elements.items()} if data.size else {}
            leaves |= {"num_vertices": data.size, "iteration": PASSES - 1}
            leaves |= {"out_degree": out[vertex], "in_degree": into[vertex]}
            return Evaluation(leaves, frozenset(self.inf_types), functions)

        evaluations = [evaluation(vertex) for vertex in range(data.size)]
        for target in self.targets:
            if target.place == "reduced":
                values = [each.value(target.tree) for each in evaluations]
                results |= _reduced(target.tree.type, values, data)
            else:
                wanted = evaluations[:1] if target.place == "schedule" else evaluations
                results[target.name] = [each.value(target.tree) for each in wanted]
        return results


def _inside(tree: Tree) -> list[Tree]:
    return [tree, *(inner for part in tree.parts for inner in _inside(part))]


def _called(tree: Tree) -> set[str]:
    return {part.word for part in _inside(tree) if part.kind == "call"}


def _function_text(function: Function) -> str:
    parameters = ", ".join(f"x{i} : {kind}" for i, kind in enumerate(function.parameters))
    return f"function {function.name}({parameters}) -> {function.body.type} {{ return {text(function.body, '')}; }}"


def _reduction_text(target: Target) -> str:
    value, at_source, kind = text(target.tree, "v"), text(target.tree, "src"), target.tree.type
    return "\n".join((
        f"edge functor lower(src, dst, e) {{ apply {{ low[dst] min= {at_source}; high[dst] max= {at_source}; }} }}",
        f"vertex functor ends(v) {{ apply {{ lowest min= {value}; highest max= {value}; }} }}",
        f"edge functor told(src, dst, e) -> {kind} {{ value {at_source}; }}",
    ))  # fmt: skip


def _reduced(type_: str, values: list[Value], data: Data) -> dict[str, list[Value]]:
    told: list[list[Value]] = [[] for _ in range(data.size)]
    for source, destination in data.edges:
        told[destination].append(values[source])
    low, high = limits(type_) if type_ in INTEGERS else (FLOAT[type_](-numpy.inf), FLOAT[type_](numpy.inf))
    own, first = data.elements[type_], data.params[type_]
    return {
        "low": [lowest(type_, *pair) for pair in zip(told, own, strict=True)],
        "high": [highest(type_, *pair) for pair in zip(told, own, strict=True)],
        "nearest_low": [lowest(type_, each, high) for each in told],
        "nearest_high": [highest(type_, each, low) for each in told],
        "lowest": [lowest(type_, values, first)],
        "highest": [highest(type_, values, first)],
    }


# Random programs and data


def random_program(generator: random.Random, size: int) -> Program:
    """A program of `size` expressions and one that is reduced."""
    inf_types = tuple(kind for kind in INTEGERS if generator.random() < 0.4)
    functions: tuple[Function, ...] = ()
    for number in range(3):
        parameters = tuple(generator.choice(TYPES) for _ in range(generator.randint(1, 3)))
        maker = Maker(generator, "function", inf_types, functions, parameters)
        functions += (Function(f"f{number}", parameters, maker.tree(generator.choice(TYPES), 3)),)
    targets = []
    for number in range(size):
        place = generator.choice(("default", "initial", "initial", "apply", "apply", "apply", "apply", "schedule"))
        maker = Maker(generator, place, inf_types, functions)
        tree = maker.root(generator.choice(TYPES), generator.randint(1, 4))
        targets.append(Target(f"r{number}", place, tree))
    maker = Maker(generator, "initial", inf_types, functions)
    targets.append(Target("reduced", "reduced", maker.tree(generator.choice(NUMBERS), 2)))
    return Program(functions, tuple(targets), inf_types)


def random_data(generator: random.Random, size: int) -> Data:
    """A graph of `size` vertices, params, and elements with every awkward value among them."""

    def value(kind: str) -> Value:
        if kind == "bool":
            return generator.random() < 0.5
        return _number(generator, kind)

    params = {kind: value(kind) for kind in TYPES}
    elements = {kind: [value(kind) for _ in range(size)] for kind in TYPES}
    edges = tuple((generator.randrange(size), generator.randrange(size)) for _ in range(3 * size))
    return Data(params, elements, edges)


def _number(generator: random.Random, kind: str) -> Value:
    if kind in INTEGERS:
        low, high = limits(kind)
        near = (low, high, 0, 1 << 24, 1 << 31, 1 << 53, 1 << 62)
        chosen = generator.choice((*near, generator.randint(low, high), generator.randint(-5, 70)))
        return max(low, min(high, chosen + generator.choice((0, 0, 1, -1))))
    if generator.random() < 0.4:
        word = generator.choice(("nan", "inf", "-inf", "0.0", "-0.0", "1.0", "-1.0", "0.5", "5e-324", "1e-45", "1e308"))
        return FLOAT[kind](word)
    if generator.random() < 0.5:
        exponents = 127 if kind == "float32" else 1023
        scale = numpy.ldexp(1.0, generator.randint(-exponents, exponents))
        return FLOAT[kind](generator.uniform(-1, 1) * scale)
    whole = generator.choice((0, 1, 2, 31, 32, 2**24, 2**31, 2**32, 2**53, 2**63, 2**64))
    return FLOAT[kind](generator.choice((-1, 1)) * (whole + generator.choice((0.0, 0.5, 1.0, -0.5))))
