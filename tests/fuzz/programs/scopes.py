"""What expressions may name in one place of a program, and random expressions of a type made from it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fuzz.programs.lists import asked_of_graph

SIGNED, FLOATS = ("int32", "int64"), ("float32", "float64")
INTEGERS = (*SIGNED, "uint32", "uint64")
NUMBERS = (*INTEGERS, *FLOATS)
IDS = ("vertex", "edge")
TYPES = ("bool", *NUMBERS, *IDS)
COMMON = ("int32", "int32", "int32", "bool", "bool", "vertex", "vertex", "float32", *TYPES)

_ORDERINGS = ("<", "<=", ">", ">=", "==", "!=")
_EXACT_FRACTIONS = ("0.0", "0.5", "1.0", "1.5", "2.0", "0.25")
_FRACTIONS = (*_EXACT_FRACTIONS, *_EXACT_FRACTIONS, "0.1", "0.3", "0.2", "inf")


@dataclass(frozen=True, slots=True)
class Data:
    """A declaration: `kind` is vertex, edge, scalar or param; `count` says, in words, how many values an element of an
    array has that is declared with several, of which the first two are always there."""

    name: str
    kind: str
    type: str
    is_input: bool = False
    count: str = ""

    @property
    def is_written(self) -> bool:
        """Whether a program may write it."""
        return self.kind != "param" and not self.is_input


@dataclass(frozen=True, slots=True)
class Local:
    """A `let`, `var` or loop variable."""

    name: str
    type: str
    is_mutable: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the program."""

    name: str
    parameters: tuple[str, ...]
    result: str


@dataclass(frozen=True)
class Scope:
    """One place. `vertices` and `edges` are the indices that are there without computing; `frontiers` can be measured
    and what `reduced` has, (type, text), be read (in the schedule)."""

    random: random.Random
    data: Sequence[Data] = ()
    vertices: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()
    locals: tuple[Local, ...] = ()
    functions: tuple[Function, ...] = ()
    frontiers: tuple[str, ...] = ()
    in_functor: bool = False
    sees_iteration: bool = False
    reduced: tuple[tuple[str, str], ...] = ()

    def with_local(self, local: Local) -> Scope:
        """The same with one more name."""
        return replace(self, locals=(*self.locals, local))

    def chance(self, probability: float) -> bool:
        """Whether it happens this time."""
        return self.random.random() < probability

    # ------------------------------------------------------------ leaves

    def vertex_index(self, depth: int = 1) -> str:
        """A vertex: mostly one that the functor has, sometimes one that was computed."""
        computed = [each for each in self.data if (each.kind, each.type, each.count) == ("vertex", "vertex", "")]
        if depth and computed and self.chance(0.15):
            return f"{self.random.choice(computed).name}[{self.vertex_index(depth - 1)}]"
        if depth and self.chance(0.02):
            return self.expression("vertex", 1)
        return self.random.choice(self.vertices)

    def element(self, data: Data) -> str:
        """The text of one piece of data, with an index where it needs one."""
        if data.kind == "vertex":
            return f"{data.name}[{self.vertex_index()}]{self.place(data)}"
        return f"{data.name}[{self.random.choice(self.edges)}]{self.place(data)}" if data.kind == "edge" else data.name

    def place(self, data: Data) -> str:
        """Which of several values of an element: mostly one that is there; nothing where there is but one."""
        if not data.count:
            return ""
        rounds = [local.name for local in self.locals if local.type == "int32"]
        if rounds and self.chance(0.4):
            return f"[uint32({self.random.choice(rounds)}) % 2]"
        if rounds and self.chance(0.1):
            return f"[{self.random.choice(rounds)}]"
        return f"[{self.random.choice('01')}]"

    def reachable(self, type_: str | None = None, *, written: bool = False) -> list[Data]:
        """The data that can be named here."""
        kinds = {"scalar", "param"} | ({"vertex"} if self.vertices else set()) | ({"edge"} if self.edges else set())
        return [
            data
            for data in self.data
            if data.kind in kinds and type_ in (None, data.type) and (data.is_written or not written)
        ]

    def leaf(self, type_: str) -> str:
        """A literal or something to read."""
        choices = [self.literal(type_)]
        if type_ in IDS and (self.vertices if type_ == "vertex" else self.edges) and not self.chance(0.1):
            choices = []
        readable = self.reachable(type_)
        if readable:
            now = "now " if self.in_functor and self.chance(0.04) else ""
            data = self.random.choice(readable)
            read = self.element(data)
            choices += [read if data.kind == "param" else now + read] * 4
        choices += [local.name for local in self.locals if local.type == type_] * 3
        if type_ == "vertex" and self.vertices:
            choices += [*self.vertices] * 2
        if type_ == "edge":
            choices += [*self.edges]
        if type_ == "int32":
            choices += ["iteration"] * self.sees_iteration + ["place"] * ("e" in self.edges)
            choices += [f"{name}({self.vertex_index()})" for name in ("out_degree", "in_degree") if self.vertices]
        if type_ == "int64":
            choices += ["num_vertices", "num_edges"] * self.sees_iteration
            choices += [f"size({name})" for name in self.frontiers]
        reduced = [text for kind, text in self.reduced if kind == type_]
        if reduced and self.chance(0.3):
            return self.random.choice(reduced)
        return self.random.choice(choices)

    def literal(self, type_: str) -> str:
        """A small one, since values should meet."""
        if type_ == "bool":
            return self.random.choice(("true", "false"))
        if type_ in IDS:
            return f"{type_}(none)"
        if type_ in FLOATS:
            return f"{type_}({self.random.choice(_FRACTIONS)})"
        if type_ in SIGNED and self.chance(0.1):
            return f"{type_}(-1)"
        return f"{type_}({self.random.choice('01123457')})"

    # ------------------------------------------------------------ expressions

    def expression(self, type_: str, depth: int = 2) -> str:
        """A random expression of `type_`, at most `depth` operations deep."""
        if depth == 0 or self.chance(0.25):
            return self.leaf(type_)
        if self.chance(0.1):
            parts = (self.expression("bool", depth - 1), *(self.expression(type_, depth - 1) for _ in range(2)))
            return f"({parts[0]} ? {parts[1]} : {parts[2]})"
        asked = asked_of_graph(self, type_) if self.chance(0.1) else None
        if asked is not None:
            return asked
        if self.chance(0.12):
            called = [function for function in self.functions if function.result == type_]
            if called:
                function = self.random.choice(called)
                arguments = ", ".join(self.expression(kind, depth - 1) for kind in function.parameters)
                return f"{function.name}({arguments})"
        if type_ == "bool":
            return self._truth(depth - 1)
        return self._id(type_, depth - 1) if type_ in IDS else self._number(type_, depth - 1)

    def _truth(self, depth: int) -> str:
        if self.chance(0.25):
            operator = self.random.choice(("&&", "||", "&", "|", "^", "=="))
            return f"({self.expression('bool', depth)} {operator} {self.expression('bool', depth)})"
        if self.chance(0.15):
            return f"(!{self.expression('bool', depth)})"
        compared = [data.type for data in self.reachable() if data.type != "bool"]
        type_ = self.random.choice([*compared, *compared, "int32", "vertex" if self.vertices else "int32"])
        operator = self.random.choice(_ORDERINGS)
        return f"({self.expression(type_, depth)} {operator} {self.expression(type_, 0)})"

    def _id(self, type_: str, depth: int) -> str:
        if type_ == "vertex" and self.vertices and self.chance(0.3):
            function = self.random.choice(("min", "max"))
            return f"{function}({self.expression(type_, depth)}, {self.expression(type_, depth)})"
        if type_ == "vertex" and self.vertices and self.chance(0.1):
            return f"vertex({self.random.choice(self.vertices)})"
        return self.leaf(type_)

    def _number(self, type_: str, depth: int) -> str:
        def part() -> str:
            return self.expression(type_, depth)

        forms = [lambda: f"({part()} {self.random.choice('+-*')} {part()})"] * 3
        forms.append(lambda: f"{self.random.choice(('min', 'max'))}({part()}, {part()})")
        forms.append(lambda: self._cast(type_, depth))
        forms.append(lambda: self._drawn(type_, part()))
        if type_ in FLOATS:
            forms.append(lambda: f"({part()} / {part()})")
            forms.append(lambda: f"{self.random.choice(('floor', 'ceil', 'trunc', 'sqrt', 'abs'))}({part()})")
            forms.append(lambda: f"(-{part()})")
        else:
            forms.append(lambda: f"({part()} {self.random.choice(('//', '%', '&', '|', '^', '<<', '>>'))} {part()})")
        if type_ in SIGNED:
            forms.append(lambda: f"(-{part()})")
        return self.random.choice(forms)()

    def short_writes(self, type_: str) -> tuple[str, ...]:
        """The signs of `x op= y` that is no reduction."""
        if type_ in FLOATS:
            return "/=", "%="
        return ("//=", "%=", "<<=", ">>=") if type_ in INTEGERS else ()

    def _drawn(self, type_: str, limit: str) -> str:
        """A random number of one key or two."""
        kinds = ("int32", *(("vertex",) if self.vertices else ()))
        keys = ", ".join(self.expression(self.random.choice(kinds), 0) for _ in range(self.random.choice((1, 1, 2))))
        if type_ in FLOATS:
            return f"{type_}(random({keys}))"
        return f"{type_}({self.random.choice((f'random_below({limit}, {keys})', f'popcount({limit})'))})"

    def _cast(self, type_: str, depth: int) -> str:
        sources = [local.type for local in self.locals] + [data.type for data in self.reachable()]
        sources += ["vertex"] if self.vertices else []
        other = self.random.choice([*sources, "int32"])
        if other in IDS and type_ in FLOATS:
            return f"{type_}(int32({self.expression(other, 0)}))"
        return f"{type_}({self.expression(other, 0 if other in IDS else depth)})"
