"""Random steps with what keeps sets beyond one frontier, histories and buckets, and with numbers, votes and rests."""

from __future__ import annotations

import random
from typing import Protocol

from fuzz.programs.scopes import INTEGERS, NUMBERS, Data, Scope

_WIDTHS = ("1", "1", "2", "3")
_WAYS = ("backward", "backward", "forward")
_OVERS = ("", "", ", over=in_edges", ", over=all_edges")


class Writer(Protocol):
    """What writes a program; see `fuzz.programs.free`."""

    random: random.Random
    data: list[Data]
    frontiers: list[str]
    edge_frontiers: list[tuple[str, str]]
    functors: dict[str, list[str]]

    def name(self, stem: str) -> str:
        """A name that nothing has."""
        ...

    def set(self, depth: int = 2) -> str:
        """A set of vertices."""
        ...

    def steps(self, count: int, depth: int) -> str:
        """Some steps."""
        ...

    def scope(self, kind: str) -> Scope:
        """What a functor on vertices or edges sees."""
        ...


def kept_sets(writer: Writer, depth: int) -> str:
    """A history that is filled and gone through, or buckets that are emptied."""
    arrays = [data for data in writer.data if data.kind == "vertex" and data.type in NUMBERS and not data.count]
    if arrays and writer.random.random() < 0.5:
        return _buckets(writer, writer.random.choice(arrays), depth)
    return _history(writer, depth)


def _history(writer: Writer, depth: int) -> str:
    random, name, level, copy = writer.random, writer.name("hi"), writer.name("f"), writer.name("f")
    pushed = f"{name}.push({writer.set(1)});"
    filled = random.choice((pushed, f"{pushed} {name}.push({writer.set(1)});", _each_pass(writer, name, depth)))
    writer.frontiers.append(copy)
    inside = writer.steps(random.choice((1, 2)), depth - 1)
    writer.frontiers.remove(copy)
    body = f"frontier {copy} = {level}; {inside}"
    return f"history {name}; {filled} for {level} in {random.choice(_WAYS)}({name}) {{ {body} }}"


def _each_pass(writer: Writer, history: str, depth: int) -> str:
    """A loop that pushes what a set is in each pass: mostly what has not been pushed before."""
    random, name, seen = writer.random, writer.name("f"), writer.name("f")
    start = writer.set(0)
    if not writer.functors["edge"] or random.random() < 0.3:
        return f"repeat ({random.choice('123')}) {{ {history}.push({start}); {writer.steps(1, depth - 1)} }}"
    grown = f"advance({name}, {random.choice(writer.functors['edge'])})"
    body = f"{history}.push({name}); {seen} = {seen} | {name}; {name} = {grown} - {seen};"
    return f"frontier {name} = {start}; frontier {seen} = {{ }}; while ({name}) {{ {body} }}"


def _buckets(writer: Writer, array: Data, depth: int) -> str:
    random, name, taken = writer.random, writer.name("bu"), writer.name("f")
    width = f"width={'auto' if random.random() < 0.15 else random.choice(_WIDTHS)}"
    if random.random() < 0.5:
        width = width.removeprefix("width=") if "auto" not in width else width
    begin = f"buckets {name}({array.name}, {width}) = {writer.set(1)};"
    if writer.functors["edge"] and random.random() < 0.4:
        functor = random.choice(writer.functors["edge"])
        return f"{begin} while ({name}) {{ {name}.push(advance({name}.pop(), {functor})); }}"
    level = [data for data in writer.data if (data.kind, data.type) == ("scalar", "int64") and data.is_written]
    told = [f"{random.choice(level).name} = {name}.level;"] if level and "auto" not in width else []
    told += [f"{random.choice(level).name} += size({name});"] if level else []
    writer.frontiers.append(taken)
    inside = writer.steps(random.choice((1, 2)), depth - 1)
    again = f"{name}.push({writer.set(1)});" if random.random() < 0.4 else ""
    writer.frontiers.remove(taken)
    said = random.choice(["", *told])
    head = random.choice((f"while ({name})", f"repeat ({random.choice('123')})", f"if (size({name}) > 0)"))
    return f"{begin} {head} {{ frontier {taken} = {name}.pop(); {said} {inside} {again} }}"


def rest_of_a_filter(writer: Writer, source: str) -> str:
    """What a filter takes of a set, and what it leaves, each in any frontier."""
    random = writer.random
    taken, rest = random.choice(writer.frontiers), random.choice(writer.frontiers)
    functor = random.choice(writer.functors["vertex"])
    return f"{taken} = filter({source}, {functor}); {rest} = {source} - {taken};"


def on_a_filter(writer: Writer, source: str) -> str:
    """Computations on what a filter has taken, right behind it, and at the top of a loop that it ends."""
    random = writer.random
    taken, functors = random.choice(writer.frontiers), writer.functors["vertex"]
    computes = "".join(f"compute({taken}, {random.choice(functors)}); " for _ in range(random.choice((1, 1, 2))))
    found = f"{taken} = filter({source}, {random.choice(functors)});"
    if random.random() < 0.5:
        return f"{found} {computes}"
    again = f"{taken} = filter({taken}, v => iteration < 2 && int64(v) % 3 != int64(iteration));"
    return f"{found} while ({taken}) {{ {computes}{again} }}"


def into_arrays(writer: Writer, source: str) -> list[str | None]:
    """Steps that give an array its values: the numbers of the members of a set, and a vote; None where none fits."""
    return [_numbered(writer, source), _voted(writer, source)]


def _numbered(writer: Writer, source: str) -> str | None:
    """The members of a set of vertices, or of one of the sets of edges, numbered."""
    random = writer.random
    arrays = [each for each in writer.data if each.is_written and each.type in INTEGERS and not each.count]
    kinds = {"vertex": [source], "edge": [*(name for name, _ in writer.edge_frontiers), "edges"]}
    fits = [each for each in arrays if each.kind in kinds]
    if not fits:
        return None
    array = random.choice(fits)
    return f"{array.name} = number({random.choice(kinds[array.kind])});"


def _voted(writer: Writer, source: str) -> str | None:
    """A vote of the edges of a set of vertices."""
    random = writer.random
    keys = (*INTEGERS, "vertex", "edge")
    arrays = [each for each in writer.data if each.kind == "vertex" and each.is_written and not each.count]
    fits = [each for each in arrays if each.type in keys]
    if not fits:
        return None
    array, weight = random.choice(fits), random.choice(("int32", "int32", "int64", "uint32", "float32"))
    scope = writer.scope("edge")
    ballot = f"({scope.expression(array.type, 1)}, {scope.expression(weight, 1)})"
    score = ""
    if random.random() < 0.3:
        key = f"int64({random.choice(('key', 'v'))}) % 3" if array.type not in ("uint64",) else "int64(v) % 3"
        score = f", (v, key, total) => {random.choice(('total', f'{key} - int64(total)', key))}"
    keep = f", keep={random.choice([each for each in fits if each.type == array.type]).name}"
    rest = f"{random.choice(_OVERS)}{keep if random.random() < 0.4 else ''}"
    return f"{array.name} = neighbor_vote({source}, (src, dst, e) => {ballot}{score}{rest});"
