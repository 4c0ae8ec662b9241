"""Programs of any well-typed parts: every operator, type, statement and knob. The rules refuse most of them."""

from __future__ import annotations

import random
from dataclasses import replace

from fuzz.programs.functions import random_function
from fuzz.programs.initial import initial
from fuzz.programs.intersections import common_neighbors, number_of_them
from fuzz.programs.keeping import into_arrays, kept_sets, on_a_filter, rest_of_a_filter
from fuzz.programs.lists import looping_over_neighbors
from fuzz.programs.made_graphs import made_graph
from fuzz.programs.procedures import Procedure, random_procedure
from fuzz.programs.reductions import best_edges, operators, over_arrays, over_neighbors
from fuzz.programs.scopes import COMMON, IDS, Data, Function, Local, Scope
from fuzz.programs.tuning import knobs
from fuzz.programs.updates import REDUCTIONS

_OVERS = ("", "", "", ", over=in_edges", ", over=all_edges", ", over=out_edges")
_WALKED = {"out": ("", ", over=out_edges"), "in": (", over=in_edges",), "all": (", over=all_edges",)}
"""How the edges of an edge frontier may be walked, which stays the same for each."""


def free_program(random: random.Random) -> str:
    """The text of one; the same state of `random` gives the same one."""
    return _Writer(random).program()


class _Writer:
    def __init__(self, random: random.Random) -> None:
        self.random = random
        self.data: list[Data] = []
        self.functions: tuple[Function, ...] = ()
        self.names = 0
        self.frontiers: list[str] = []
        self.edge_frontiers: list[tuple[str, str]] = []
        """Each with the way in which its edges were walked."""
        self.functors: dict[str, list[str]] = {"vertex": [], "edge": []}
        self.values: list[tuple[str, str]] = []
        self.operators: set[str] = set()  # the types for which the program declares one
        self.on_graphs = 0  # around this place
        self.procedures: list[Procedure] = []
        self.locals: tuple[Local, ...] = ()  # values that the schedule, or the procedure being written, can name

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    # ------------------------------------------------------------ declarations

    def program(self) -> str:
        problem = self.problem()
        functions = self.function() if self.chance(0.4) else ""
        parts = [self.functor("edge") for _ in range(self.random.choice((0, 1, 1, 2)))]
        parts += [self.functor("vertex") for _ in range(self.random.choice((0, 1, 1, 2)))]
        parts += [self.value_functor() for _ in range(self.random.choice((0, 0, 1, 1, 2)))]
        called = self.procedure() if self.chance(0.25) else ""
        schedule = self.schedule() + called
        parts = [operators(self.operators), functions, *parts, schedule, knobs(self.random, schedule)]
        return "\n".join(("program free;", problem, *parts))

    def problem(self) -> str:
        lines = ["scalar go : bool = true;"]
        self.data.append(Data("go", "scalar", "bool"))
        counts = {"param": (0, 1), "vertex": (2, 3, 3, 4), "edge": (0, 1), "scalar": (0, 1, 2)}
        for kind, choices in counts.items():
            for _ in range(self.random.choice(choices)):
                is_input = kind in ("vertex", "edge", "scalar") and self.chance(0.15)
                count = self.random.choice(("2", "3", "wide")) if kind in IDS and self.chance(0.15) else ""
                data = Data(self.name(kind[0]), kind, self.random.choice(COMMON), is_input and not count, count)
                value = initial(self.random, data, self.data)
                local = "local " if data.is_written and self.chance(0.08) else ""
                several = f"[{count}]" if count else ""
                lines.append(f"{'input ' * data.is_input}{local}{kind} {data.name}{several} : {data.type}{value};")
                self.data.append(data)
        if self.chance(0.35):
            self.data.append(Data("found", "scalar", "int64"))
            lines.append(f"scalar found : int64{initial(self.random, self.data[-1], self.data)};")
        if any(data.count == "wide" for data in self.data):
            lines.insert(0, f"param wide : int32 = {self.random.choice('24')};")
        return "problem {\n    " + "\n    ".join(lines) + "\n}"

    def function(self) -> str:
        made, text = random_function(self.random)
        self.functions = (made,)
        return text

    # ------------------------------------------------------------ functors

    def scope(self, kind: str) -> Scope:
        ends = ("src", "dst", "src", "dst", "near", "far") if kind == "edge" else ("v",)
        edges = ("e",) if kind == "edge" else ()
        return Scope(self.random, self.data, ends, edges, (), self.functions, (), True, True)

    def functor(self, kind: str) -> str:
        name = self.name(kind[0] + "f")
        self.functors[kind].append(name)
        scope = self.scope(kind)
        condition = f"cond {scope.expression('bool')}; " if self.chance(0.45) else ""
        body = self.block(scope, self.random.choice((1, 1, 2, 2, 3)), 2) if self.chance(0.93) else ""
        head = f"edge functor {name}(src, dst, e)" if kind == "edge" else f"vertex functor {name}(v)"
        return f"{head} {{ {condition}{f'apply {{ {body} }}' if body else ''} }}"

    def value_functor(self) -> str:
        name, type_ = self.name("val"), self.random.choice(COMMON)
        self.values.append((name, type_))
        scope = self.scope("edge")
        condition = f"cond {scope.expression('bool')}; " if self.chance(0.3) else ""
        return f"edge functor {name}(src, dst, e) -> {type_} {{ {condition}value {scope.expression(type_)}; }}"

    def block(self, scope: Scope, count: int, depth: int, in_loop: bool = False) -> str:
        texts = []
        for _ in range(count):
            text, scope = self.statement(scope, depth, in_loop)
            texts.append(text)
        return " ".join(texts)

    def statement(self, scope: Scope, depth: int, in_loop: bool) -> tuple[str, Scope]:
        if self.chance(0.15):
            kind, mutable = self.random.choice(COMMON), self.chance(0.5)
            local = Local(self.name("t"), kind, mutable)
            text = f"{'var' if mutable else 'let'} {local.name}: {kind} = {self.rooted(scope, kind)};"
            return text, scope.with_local(local)
        mutable_locals = [local for local in scope.locals if local.is_mutable]
        if mutable_locals and self.chance(0.2):
            local = self.random.choice(mutable_locals)
            return f"{local.name} = {self.rooted(scope, local.type)};", scope
        if depth and self.chance(0.3):
            condition = self.rooted(scope, "bool")
            then = self.block(scope, self.random.choice((1, 1, 2)), depth - 1, in_loop)
            otherwise = f" else {{ {self.block(scope, 1, depth - 1, in_loop)} }}" if self.chance(0.3) else ""
            return f"if ({condition}) {{ {then} }}{otherwise}", scope
        if depth and self.chance(0.1):
            return self.loop(scope, depth), scope
        if in_loop and self.chance(0.2):
            return f"if ({scope.expression('bool', 1)}) {{ break; }}", scope
        if self.chance(0.15):
            return f"accept {self.rooted(scope, 'bool')};", scope
        if self.chance(0.1):
            effect = self.effect(scope, "")
            return (f"{effect};" if effect else "accept true;"), scope
        return self.write(scope), scope

    def loop(self, scope: Scope, depth: int) -> str:
        name = self.name("i")
        if self.chance(0.4):
            head, inner = looping_over_neighbors(scope, name, self.name("x"))
            return f"{head} {{ {self.block(inner, 1, depth - 1, True)} }}"
        if self.chance(0.6):
            inner = scope.with_local(Local(name, "int32"))
            return f"for {name} in 0..{self.random.choice('123')} {{ {self.block(inner, 1, depth - 1, True)} }}"
        inner = scope.with_local(Local(name, "int32"))
        body = self.block(inner, 1, depth - 1, True)
        test = scope.expression("bool", 1)
        return f"var {name}: int32 = 0; while ({name} < 3 && {test}) {{ {name} = {name} + 1; {body} }}"

    def rooted(self, scope: Scope, type_: str, depth: int = 2) -> str:
        """An expression in a place that allows side effects at its top and under `&&`, `||` and `!`."""
        if type_ == "bool" and depth and self.chance(0.2):
            sides = [self.rooted(scope, "bool", depth - 1) for _ in range(2)]
            return f"({sides[0]} {self.random.choice(('&&', '||'))} {sides[1]})"
        if self.chance(0.3):
            effect = self.effect(scope, type_)
            if effect is not None:
                return f"!{effect}" if type_ == "bool" and self.chance(0.15) else effect
        return scope.expression(type_, depth)

    def target(self, scope: Scope, type_: str | None = None) -> Data | None:
        found = [
            data for data in scope.reachable(type_, written=True) if not (data.kind == "edge" and self.chance(0.5))
        ]
        return self.random.choice(found) if found else None

    def write(self, scope: Scope) -> str:
        data = self.target(scope)
        if data is None:
            return "accept true;"
        place, value = scope.element(data), scope.expression(data.type)
        if self.chance(0.4):
            return f"{place} {self.random.choice(REDUCTIONS[data.type])} {self.rooted(scope, data.type)};"
        return f"{place} {self.random.choice(('=', '=', 'any=', *scope.short_writes(data.type)))} {value};"

    def effect(self, scope: Scope, type_: str) -> str | None:
        """`changed`, `fetch` or `cas` of a type; any of them for no type."""
        data = self.target(scope, None if type_ in ("", "bool") else type_)
        if data is None:
            return None
        place = scope.element(data)
        update = f"{place} {self.random.choice(REDUCTIONS[data.type])} {scope.expression(data.type, 1)}"
        if (type_ == "bool" and not (data.type == "bool" and self.chance(0.1))) or (type_ == "" and self.chance(0.6)):
            if self.chance(0.4):
                return f"cas({place}, {scope.literal(data.type)}, {scope.expression(data.type, 1)})"
            return f"changed({update})"
        return f"fetch({update})" if type_ in ("", data.type) else None

    # ------------------------------------------------------------ schedule

    def procedure(self) -> str:
        """One, which stands behind the schedule that calls it."""
        made = random_procedure(self.random, self.name("pr"), self.data)
        before = self.data
        self.data = [*before, made.array] if made.array is not None else before
        self.frontiers, self.locals = [made.frontier], (made.value,) if made.value is not None else ()
        text = f" {made.head()} {{ {self.steps(self.random.choice((1, 2, 2)), 1)} }}"
        self.data, self.frontiers, self.locals = before, [], ()
        self.procedures.append(made)
        return text

    def schedule(self) -> str:
        first = self.name("f")
        self.frontiers.append(first)
        text = f"frontier {first} = {self.members()}; " + self.steps(self.random.choice((2, 3, 3, 4)), 2)
        if self.procedures and f"{self.procedures[0].name}(" not in text:  # knobs are for what runs
            scope = Scope(self.random, [data for data in self.data if data.kind in ("scalar", "param")])
            text += f" {self.procedures[0].call(scope, self.data, [first])}"
        return f"schedule {{ {text} }}"

    def members(self) -> str:
        named = [data.name for data in self.data if data.kind in ("param", "scalar") and data.type == "vertex"]
        listed = self.random.choice(("{ 0 }", "{ 1 }", "{ 0, 2 }", "{ 1, 0, 1 }", "{ }"))
        return self.random.choice((*(f"{{ {name} }}" for name in named), listed, "vertices", "vertices"))

    def steps(self, count: int, depth: int) -> str:
        known, known_of_edges = len(self.frontiers), len(self.edge_frontiers)
        texts = [self.step(depth) for _ in range(count)]
        del self.frontiers[known:]
        del self.edge_frontiers[known_of_edges:]
        return " ".join(texts)

    def step(self, depth: int) -> str:
        scope = Scope(self.random, [d for d in self.data if d.kind in ("scalar", "param")], sees_iteration=True)
        reduced = over_arrays(self.data, self.frontiers, [name for name, _ in self.edge_frontiers])
        scope = replace(scope, frontiers=tuple(self.all_frontiers()), functions=self.functions, reduced=reduced)
        scope = replace(scope, locals=self.locals)
        if self.procedures and not self.on_graphs and self.chance(0.3):
            sets = (*self.frontiers, *self.frontiers, "vertices", self.members())
            called = self.random.choice(self.procedures).call(scope, self.data, sets)
            if called is not None:
                return called
        if depth and self.chance(0.3):
            return self.control(scope, depth)
        if depth and self.chance(0.12):
            return self.on_graph(depth) if self.chance(0.5) else kept_sets(self, depth)
        if self.chance(0.2):
            return self.assignment(scope)
        if self.chance(0.15):
            name = self.name("f")
            text = f"frontier {name} = {self.set()};"
            self.frontiers.append(name)
            return text
        if self.functors["edge"] and self.chance(0.15):
            name, walked = self.name("ef"), self.random.choice(("out", "out", "in", "all"))
            text = f"edge frontier {name} = {self.edge_set(walked)};"
            self.edge_frontiers.append((name, walked))
            return text
        return self.operator()

    def elements(self, type_: str) -> list[str]:
        """Elements of arrays of `type_` that the schedule reads, outside of `&&`, `||` and `?`: of ids that are there,
        and of any."""
        ids = [data.name for data in self.data if data.kind in ("param", "scalar") and data.type == "vertex"]
        arrays = [data for data in self.data if (data.kind, data.type) == ("vertex", type_)]
        return [
            f"{each.name}[{self.random.choice(('0', '0', '1', *ids))}]{'[0]' * bool(each.count)}" for each in arrays
        ]

    def all_frontiers(self) -> list[str]:
        return [*self.frontiers, *(name for name, _ in self.edge_frontiers)]

    def edge_set(self, walked: str, depth: int = 2) -> str:
        """A set of edges that were walked so."""
        if depth and self.chance(0.35):
            return self.joined([self.edge_set(walked, depth - 1) for _ in range(self.random.choice((2, 2, 3)))])
        functor = self.random.choice(self.functors["edge"])
        source = self.random.choice((*self.frontiers, "vertices", *self.reaching()))
        forms = [f"advance({source}, {functor}, to=edges{self.random.choice(_WALKED[walked])})"] * 3
        sources = (*self.frontiers, "vertices")
        best = best_edges(self.random, self.values, self.random.choice(sources), self.random.choice(_WALKED[walked]))
        forms += [best] * 2 if best is not None else []
        named = [name for name, other in self.edge_frontiers if other == walked]
        if walked == "out":
            members = [data.name for data in self.data if data.kind == "scalar" and data.type == "edge"]
            listed = self.random.choice(("{ }", "{ 0 }", "{ 1, 0, 1 }", *(f"{{ {name} }}" for name in members)))
            forms += ["edges", listed]
            named.append("edges")
        if named:
            filtered = self.edge_set(walked, depth - 1) if depth and self.chance(0.2) else self.random.choice(named)
            forms += [f"filter({filtered}, {functor})"] * 2 + [self.random.choice(named)]
        return self.random.choice(forms)

    def reaching(self) -> list[str]:
        """The edge frontiers that have a far end to go on from."""
        return [name for name, walked in self.edge_frontiers if walked != "all"]

    def control(self, scope: Scope, depth: int) -> str:
        body = self.steps(self.random.choice((1, 2, 2)), depth - 1)
        form = self.random.choice(("while", "while", "flag", "repeat", "repeat", "if"))
        if form == "while":
            return f"while ({self.random.choice(self.all_frontiers())}) {{ {body} }}"
        if form == "flag":
            return f"go = true; while (go) {{ go = false; {body} }}"
        if form == "repeat":
            return f"repeat ({self.random.choice('123')}) {{ {body} }}"
        otherwise = f" else {{ {self.steps(1, depth - 1)} }}" if self.chance(0.4) else ""
        conditions = (self.random.choice(self.all_frontiers()), scope.expression("bool"), *self.elements("bool"))
        condition = self.random.choice(conditions)
        return f"if ({condition}) {{ {body} }}{otherwise}"

    def on_graph(self, depth: int) -> str:
        """A graph and steps on it, which see the sets of vertices around where it has these, and none of edges."""
        name, first, around = self.name("h"), self.name("f"), (self.frontiers, self.edge_frontiers)
        made = made_graph(self.random, self.data, self.edge_set("out", 1) if self.functors["edge"] else "edges")
        self.frontiers = [first, *(self.frontiers if made.startswith("subgraph") else ())]
        self.edge_frontiers, self.on_graphs = [], self.on_graphs + 1
        inside = self.steps(self.random.choice((1, 2, 2)), depth - 1)
        (self.frontiers, self.edge_frontiers), self.on_graphs = around, self.on_graphs - 1
        return f"graph {name} = {made}; on {name} {{ frontier {first} = {self.members()}; {inside} }}"

    def assignment(self, scope: Scope) -> str:
        written = [data for data in self.data if data.is_written]
        data = self.random.choice(written)
        alike = (data.kind, data.type, data.count)
        twins = [other for other in written if (other.kind, other.type, other.count) == alike and other != data]
        if twins and self.chance(0.4):
            return f"swap({data.name}, {self.random.choice(twins).name});"
        value = scope.expression(data.type)
        elements = self.elements(data.type)
        if elements and self.chance(0.4):
            value = self.random.choice(elements)
        if data.kind == "scalar" and data.type == "int64" and self.chance(0.4):
            return number_of_them(self.random, data.name, self.to_intersect())
        if data.kind == "scalar":
            signs = REDUCTIONS[data.type] + scope.short_writes(data.type) if self.chance(0.3) else ("=",)
            operation = self.random.choice(signs)
            return f"{data.name} {operation} {value};"
        if data.kind == "vertex" and self.chance(0.5):
            return f"{data.name}[{self.random.choice('01')}]{replace(scope, locals=()).place(data)} = {value};"
        return f"fill({data.name}, {value});"

    def to_intersect(self) -> str:
        """A set of edges, or two of vertices: of one size, now and then of any."""
        if self.chance(0.7):
            return self.edges_to_intersect()
        one = self.random.choice((*self.frontiers, "vertices"))
        other = self.random.choice((one, one, *self.frontiers)) if self.chance(0.9) else self.members()
        return f"pairs=({one}, {other})"

    def edges_to_intersect(self) -> str:
        """Any set of edges."""
        named = [*(name for name, _ in self.edge_frontiers), "edges"]
        made = self.edge_set(self.random.choice(tuple(_WALKED))) if self.functors["edge"] and self.chance(0.3) else ""
        return made or self.random.choice(named)

    def set(self, depth: int = 2) -> str:
        if self.chance(0.1):
            return common_neighbors(self.random, self.data, self.to_intersect())
        if depth and self.chance(0.25):
            return self.combined(depth - 1)
        edge, vertex = self.functors["edge"], self.functors["vertex"]
        forms = [self.members(), self.random.choice(self.frontiers)]
        source = self.random.choice((self.random.choice(self.frontiers), "vertices", *self.frontiers))
        if edge:
            forms += [self.advance(self.random.choice((source, source, *self.reaching())), "")] * 3
        if vertex:
            forms += [f"filter({source}, {self.random.choice(vertex)})", f"where({self.random.choice(vertex)})"]
        return self.random.choice(forms)

    def combined(self, depth: int) -> str:
        """Some sets in a row, in parentheses where they are operands themselves."""
        return self.joined([self.set(depth) for _ in range(self.random.choice((2, 2, 2, 3)))])

    def joined(self, sets: list[str]) -> str:
        """They, with an operator between each two."""
        return "(" + "".join(f"{each} {self.random.choice('|&-')} " for each in sets[:-1]) + f"{sets[-1]})"

    def advance(self, source: str, to: str) -> str:
        functor = self.random.choice(self.functors["edge"])
        return f"advance({source}, {functor}{to}{self.random.choice(_OVERS)})"

    def operator(self) -> str:
        edge, vertex = self.functors["edge"], self.functors["vertex"]
        source = self.random.choice((*self.frontiers, "vertices"))
        source = self.combined(0) if self.chance(0.1) else source
        forms = [f"{self.random.choice(self.frontiers)} = {self.set()};"]
        if self.edge_frontiers:
            name, walked = self.random.choice(self.edge_frontiers)
            grown = self.joined([name, *[self.edge_set(walked, 0)] * self.chance(0.5)])
            forms += [f"{name} = {self.edge_set(walked)};", f"compute({grown}, {self.random.choice(edge)});"]
        if edge:
            reached = self.random.choice((source, source, *self.reaching()))
            forms += [self.advance(reached, ", to=none") + ";", f"compute(edges, {self.random.choice(edge)});"]
        if vertex:
            forms += [f"compute({source}, {self.random.choice(vertex)});"] * 2
            forms += [rest_of_a_filter(self, source), on_a_filter(self, source)]
        stored = [each for each in (self.reduction(source), *into_arrays(self, source)) if each]
        return self.random.choice(stored if stored and self.chance(0.35) else forms)

    def reduction(self, source: str) -> str | None:
        if not self.values:
            return None
        words: tuple[str, ...] = _OVERS
        if self.reaching() and self.chance(0.3):
            source, words = self.random.choice(self.reaching()), ("", "", ", by=far", ", by=near")
        scope = Scope(self.random, self.data, functions=self.functions, frontiers=tuple(self.all_frontiers()))
        found = over_neighbors(self.random, scope, self.values, source, words)
        if found is None:
            return None
        array, call, own = found
        self.operators |= {own} if own else set()
        return f"{array} = {call};"
