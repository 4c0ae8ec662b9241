"""Random functors that ask what they changed: their text, what workers that run side by side make of them, and all that
orders of calls give, step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Any

VERTICES = 4
_BITS, _NUMBERS = ("a", "b", "c"), {"m": "min=", "q": "max="}
_FIRST: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys((*_BITS, "own", "joined"), (False,) * VERTICES),
    "m": (100,) * VERTICES,
    "q": (-1,) * VERTICES,
    "p": (0,) * VERTICES,
    "bits": (0,) * VERTICES,
    "d": (False,),
    "s": (False,),
}
"""What arrays and scalars begin with."""
_TEXT = """program t;
problem {{
    input vertex x : bool; input edge rank : int32;
    vertex a : bool; vertex b : bool; vertex c : bool; vertex own : bool; vertex joined : bool;
    vertex m : int32 = 100; vertex q : int32 = -1; vertex p : vertex = 0; vertex bits : int32;
    scalar d : bool; scalar s : bool;
}}
edge functor visit(src, dst, e) {{ apply {{
{body}}} }}
schedule {{ frontier f = advance(vertices, visit, over={over}_edges); compute(f, v => {{ joined[v] = true; }}); }}
"""
Step = tuple[Any, ...]
State = tuple[tuple[Any, ...], ...]


@dataclass
class Functor:
    """A functor in words and in steps, each of which reads or writes at most one element."""

    random: Random
    over: str
    lines: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    locals: int = 0

    @property
    def text(self) -> str:
        """A program with it."""
        return _TEXT.format(body="".join(self.lines), over=self.over)

    def place(self) -> str:
        """The far end mostly."""
        return "far" if self.random.random() < 0.9 else "near"

    def local(self) -> str:
        """A new name."""
        self.locals += 1
        return f"t{self.locals}"

    def truth(self, into: str, known: Sequence[str]) -> str:
        """A bool, often of what a call was told."""
        kind = self.random.choice(["x", "true", *known, *known])
        self.steps.append(("take", into, kind))
        return "x[near]" if kind == "x" else kind

    def condition(self, into: str, known: Sequence[str]) -> str:
        """One or two of them."""
        text = self.truth(into, known)
        if self.random.random() < 0.2:
            self.steps.append(("not", into))
            text = f"!{text}"
        if self.random.random() < 0.3:
            both = self.random.random() < 0.5
            jump = len(self.steps)
            self.steps.append(())
            text += f" {'&&' if both else '||'} {self.truth(into, known)}"
            self.steps[jump] = ("jump", into, not both, len(self.steps))
        return text

    def number(self, into: str) -> str:
        """An int32."""
        words = {"rank": "rank[e]", "near": "int32(near)", "far": "int32(far)", "2": "2", "m": "now m[near]"}
        kind = self.random.choice(list(words))
        self.steps.append(("take", into, kind) if kind != "m" else ("load", into, "m", "near"))
        return words[kind]

    def question(self, into: str) -> str:
        """A `changed(…)`."""
        kind, at, value = self.random.random(), self.place(), self.local()
        if kind < 0.7:
            name, operation = self.random.choice(_BITS), "|="
            text = self.truth(value, ())
        elif kind < 0.85:
            name, operation = self.random.choice(list(_NUMBERS.items()))
            text = self.number(value)
        else:
            name, at = self.random.choice([("d", ""), ("own", "near")])
            operation, text = "|=", "true"
            self.steps.append(("take", value, "true"))
        self.steps.append(("write", into, name, at, operation, value))
        return f"changed({name}{f'[{at}]' if at else ''} {operation} {text})"

    def effect(self, known: Sequence[str]) -> str:
        """A write or an `accept`."""
        value, at = self.local(), self.place()
        kind = self.random.randrange(6)
        if kind == 0:
            text = self.condition(value, known)
            self.steps.append(("take", "accepted", value))
            return f"accept {text};"
        if kind == 1:
            name, operation = self.random.choice(list(_NUMBERS.items()))
            text = self.number(value)
        elif kind == 2:
            name, operation, text = "p", "any=", "near"
            self.steps.append(("take", value, "near"))
        elif kind == 3:
            name, operation, text = "bits", "|=", self.random.choice(["1", "int32(1) << int32(e)"])
            self.steps.append(("take", value, "1" if text == "1" else "bit"))
        else:
            name, operation = self.random.choice(["s", *_BITS]), "|="
            at = "" if name == "s" else at
            text = self.condition(value, known)
        self.steps.append(("write", None, name, at, operation, value))
        return f"{name}{f'[{at}]' if at else ''} {operation} {text};"

    def block(self, known: Sequence[str], depth: int, count: int) -> None:
        """Some statements."""
        known, indent = list(known), "    " * (depth + 1)
        for _ in range(count):
            kind, value = self.random.random(), self.local()
            if kind < 0.35:
                self.lines.append(f"{indent}let {value} = {self.question(value)};\n")
                known.append(value)
            elif kind < 0.6 and depth < 2:
                asks = self.random.random() < 0.4
                text = self.question(value) if asks else self.condition(value, known)
                self.lines.append(f"{indent}if ({text}) {{\n")
                jump = len(self.steps)
                self.steps.append(())
                self.block(known, depth + 1, self.random.randint(1, 2))
                self.steps[jump] = ("jump", value, False, len(self.steps))
                self.lines.append(f"{indent}}}\n")
            else:
                self.lines.append(f"{indent}{self.effect(known)}\n")


def functor(seed: int) -> Functor:
    """The functor of a seed."""
    random = Random(seed)
    made = Functor(random, random.choice(["out", "in", "all"]))
    made.block((), 0, random.randint(2, 4))
    return made


# ---------------------------------------------------------------- runs


@dataclass(frozen=True)
class Call:
    """The ends of an edge as a call sees them, and the values of the input."""

    near: int
    far: int
    edge: int
    given: bool
    rank: int


_NAMES = {name: number for number, name in enumerate(_FIRST)}
START: State = tuple(_FIRST.values())
_Place = tuple[int, tuple[tuple[str, Any], ...]]
_ENDED = -1


def _applied(operation: str, old: Any, new: Any) -> Any:
    if operation == "|=":
        return old | new
    return {"min=": min, "max=": max}[operation](old, new) if operation != "any=" else new


@dataclass(frozen=True)
class Runs:
    """What calls of a functor do."""

    steps: Sequence[Step]
    calls: Sequence[Call]

    def advance(self, call: Call, at: int, held: dict[str, Any], state: State, *, before: bool) -> tuple[int, State]:
        """One call up to its next access. `before`: a read with `now` finds the value from before the operator."""
        simple = {"x": call.given, "true": True, "1": 1, "2": 2, "rank": call.rank, "bit": 1 << call.edge}
        simple |= {"near": call.near, "far": call.far}
        while at < len(self.steps):
            step = self.steps[at]
            at += 1
            if step[0] == "take":
                held[step[1]] = simple[step[2]] if step[2] in simple else held[step[2]]
            elif step[0] == "not":
                held[step[1]] = not held[step[1]]
            elif step[0] == "jump":
                at = step[3] if held[step[1]] == step[2] else at
            elif step[0] == "load":
                held[step[1]] = (START if before else state)[_NAMES[step[2]]][simple[step[3]]]
                return at, state
            else:
                _, into, name, place, operation, value = step
                index = simple[place] if place else 0
                old = state[_NAMES[name]][index]
                new = _applied(operation, old, held[value])
                held[into or ""] = new != old
                return at, _stored(state, name, index, new)
        return _ENDED, _stored(state, "joined", call.far, True) if held.get("accepted", True) else state

    def one_by_one(self, order: Sequence[Call]) -> State:
        """Whole calls after each other."""
        state = START
        for call in order:
            at, held = 0, dict[str, Any]()
            while at != _ENDED:
                at, state = self.advance(call, at, held, state, before=False)
        return state

    def everything(self, most: int = 100_000) -> set[State] | None:
        """All that mixed calls may leave; None where there are too many ways."""
        first: tuple[tuple[_Place, ...], State] = (tuple((0, ()) for _ in self.calls), START)
        seen, waiting, found = {first}, [first], set[State]()
        while waiting:
            places, state = waiting.pop()
            if all(at == _ENDED for at, _ in places):
                found.add(state)
            for number, (at, held) in enumerate(places):
                if at == _ENDED:
                    continue
                for before in (False, True):
                    now = dict(held)
                    to, after = self.advance(self.calls[number], at, now, state, before=before)
                    place = (to, tuple(sorted(now.items())) if to != _ENDED else ())
                    reached = ((*places[:number], place, *places[number + 1 :]), after)
                    if reached not in seen:
                        seen.add(reached)
                        waiting.append(reached)
            if len(seen) > most:
                return None
        return found

    def side_by_side(self, random: Random) -> State:
        """What two or three workers leave, each of which runs the calls of its own vertices from the first values."""
        cuts = [0, *sorted(random.sample(range(1, VERTICES), random.choice([1, 2]))), VERTICES]
        ends = []
        for first, last in pairwise(cuts):
            own = [call for call in self.calls if first <= call.near < last]
            ends.append(self.one_by_one(random.sample(own, len(own))))
        return tuple(
            tuple(_merged(name, before, [end[number][place] for end in ends]) for place, before in enumerate(values))
            for number, (name, values) in enumerate(_FIRST.items())
        )


def _merged(name: str, before: Any, values: Sequence[Any]) -> Any:
    changed = [value for value in values if value != before]
    if name == "p":
        return changed[0] if changed else before
    for value in changed:
        before = _applied(_NUMBERS.get(name, "|="), before, value)
    return before


def _stored(state: State, name: str, index: int, value: Any) -> State:
    number = _NAMES[name]
    values = state[number]
    if values[index] == value:
        return state
    return (*state[:number], (*values[:index], value, *values[index + 1 :]), *state[number + 1 :])


def runs(made: Functor, count: int) -> Iterator[Runs]:
    """Some small graphs with their values."""
    random = made.random
    for _ in range(count):
        edges = [(random.randrange(VERTICES), random.choice([0, 0, 1, 3])) for _ in range(random.choice([2, 3]))]
        given = [random.random() < 0.5 for _ in range(VERTICES)]
        ranks = [random.randrange(120) for _ in edges]
        ends = [(u, v, e) for e, (u, v) in enumerate(edges) if made.over != "in"]
        ends += [(v, u, e) for e, (u, v) in enumerate(edges) if made.over != "out"]
        yield Runs(made.steps, [Call(near, far, e, given[near], ranks[e]) for near, far, e in ends])
