"""Random reductions: over arrays in expressions of the schedule, and over the edges of vertices or of sets of edges."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from fuzz.programs.scopes import FLOATS, IDS, INTEGERS, NUMBERS, SIGNED, Data, Scope

_FLAGS = ("count", "any", "all")
_OPERATORS = {
    "bool": ("false", "a != b"),
    **dict.fromkeys(INTEGERS, ("0", "a ^ b")),
    **dict.fromkeys(FLOATS, ("-inf", "max(a, b)")),
    **dict.fromkeys(IDS, ("none", "min(a, b)")),
}
"""By type the identity and the value of an operator of the program."""


def over_arrays(
    data: Iterable[Data], frontiers: Sequence[str], edge_frontiers: Sequence[str]
) -> tuple[tuple[str, str], ...]:
    """All reductions that the schedule can name, each with its type."""
    found = []
    for each in data:
        if each.kind not in ("vertex", "edge") or each.count:
            continue
        sets = frontiers if each.kind == "vertex" else edge_frontiers
        for word in _words(each.type):
            texts = [f"{word}({each.name})", *(f"{word}({each.name}, {name})" for name in sets)]
            found += [(_type(word, each), text) for text in texts]
    return tuple(found)


def _words(type_: str) -> tuple[str, ...]:
    if type_ == "bool":
        return _FLAGS
    return (*(("sum",) if type_ in NUMBERS else ()), "min", "max", "argmin", "argmax")


def _type(word: str, array: Data) -> str:
    if word in ("argmin", "argmax"):
        return array.kind
    if word == "sum":
        return "float64" if array.type in FLOATS else "int64" if array.type in SIGNED else "uint64"
    return "int64" if word == "count" else "bool" if word in ("any", "all") else array.type


def over_neighbors(
    random: random.Random, scope: Scope, values: Sequence[tuple[str, str]], source: str, words: Sequence[str]
) -> tuple[str, str, str] | None:
    """A `neighbor_reduce` of one of the functors in `values`, each with its type, over `source` by one of the keywords
    in `words`: into which array of `scope`, the call, and the type of the program's operator that it uses, if any."""
    name, type_ = random.choice(values)
    operations: tuple[str, ...] = {"bool": ("some", "every", "count", "and", "or", "xor")}.get(type_, ("min", "max"))
    operations += ("sum", "product") if type_ in NUMBERS else ()
    operations += ("and", "or", "xor") if type_ in INTEGERS else ()
    operation = random.choice((*operations, f"joined_{type_}"))
    kinds = INTEGERS if operation == "count" else (type_,)
    arrays = [each for each in scope.data if each.kind == "vertex" and each.is_written and each.type in kinds]
    arrays = [each for each in arrays if not each.count]
    if not arrays:
        return None
    array, seen = random.choice(arrays), [each for each in scope.data if each.kind in ("scalar", "param")]
    inner = Scope(random, seen, functions=scope.functions, frontiers=scope.frontiers, sees_iteration=True)
    empty = f", empty={inner.expression(array.type)}" if random.random() < 0.3 else ""
    call = f"neighbor_reduce({source}, {name}, {operation}{random.choice(words)}{empty})"
    return array.name, call, type_ if operation.startswith("joined_") else ""


def best_edges(random: random.Random, values: Sequence[tuple[str, str]], source: str, over: str) -> str | None:
    """A `top` of one of the functors in `values` that have numbers, over what `source` is a set of."""
    numbers = [name for name, type_ in values if type_ in NUMBERS]
    return f"top({source}, {random.choice(numbers)}, {random.choice('0112')}{over})" if numbers else None


def operators(types: Iterable[str]) -> str:
    """The operators of the program for these types."""
    lines = []
    for type_ in sorted(types):
        identity, value = _OPERATORS[type_]
        head = f"operator joined_{type_}(a : {type_}, b : {type_}) -> {type_} identity {identity}"
        lines.append(f"{head} {{ return {value}; }}\n")
    return "".join(lines)
