"""One program with every operation on every type, and data with every awkward value on both sides."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
from fuzz.expressions.programs import Data, Program, Target
from fuzz.expressions.trees import FLOATS, INTEGERS, NUMBERS, TRIGONOMETRY, TYPES, Tree
from fuzz.expressions.values import FLOAT, Value, limits

_WHOLE = (0, 1, 2, 7, 31, 32, 33, 63, 64, (1 << 24) + 1, 1 << 31, (1 << 32) - 1, (1 << 53) + (1 << 29) + 1)
_FRACTIONS = (
    *("nan", "inf", "-inf", "0.0", "-0.0", "0.5", "-1.0", "2.0", "3.0", "-2.5", "1e-45", "5e-324", "3.4028234e38"),
    *("16777217", "2147483648", "-2147483649", "4294967296", "9223372036854775808", "18446744073709551616", "1e300"),
)
_MIXED = (("int32", "int64"), ("uint32", "uint64"), ("uint32", "int64"), ("float32", "float64"))


def awkward(kind: str) -> list[Value]:
    """The values of a type that are worth a test."""
    if kind == "bool":
        return [False, True]
    if kind in FLOATS:
        with np.errstate(all="ignore"):
            return [FLOAT[kind](np.float64(word)) for word in _FRACTIONS]
    low, high = limits(kind)
    return sorted(v for v in {low, high, low + 1, high - 1, *_WHOLE, *(-v for v in _WHOLE)} if low <= v <= high)


def data_sets() -> Iterator[Data]:
    """Elements with all awkward values of their type, against one awkward value after the other in the params."""
    values = {kind: awkward(kind) for kind in TYPES}
    size = max(len(own) for own in values.values())
    elements = {kind: [own[i % len(own)] for i in range(size)] for kind, own in values.items()}
    edges = tuple((i, (i * 7 + k) % size) for i in range(size) for k in range(3))
    for number in range(size):
        yield Data({kind: own[(number * 5 + 3) % len(own)] for kind, own in values.items()}, elements, edges)


def _element(kind: str) -> Tree:
    return Tree("element", kind, f"a_{kind}")


def _param(kind: str) -> Tree:
    return Tree("param", kind, f"p_{kind}")


def _trees() -> Iterator[Tree]:
    pairs = [(kind, kind) for kind in TYPES] + [*_MIXED, *((kind, wide) for kind in INTEGERS for wide in FLOATS)]
    for narrow, kind in pairs:
        sides = ((_element(narrow), _param(kind)), (_param(kind), _element(narrow)))
        arithmetic = "+-*/%" if kind in FLOATS else ("+", "-", "*", "//", "%", "&", "|", "^")
        for word in "&|^" if kind == "bool" else arithmetic:
            yield from (Tree("binary", kind, word, both) for both in sides)
        for word in ("==", "!=") if kind == "bool" else ("==", "!=", "<", "<=", ">", ">="):
            yield Tree("binary", "bool", word, sides[0])
        for word in () if kind == "bool" else ("min", "max"):
            yield from (Tree("builtin", kind, word, both) for both in sides)
    for kind in TYPES:
        yield from (Tree("cast", kind, kind, (_element(other),)) for other in TYPES if other != kind)
    for kind in INTEGERS:
        yield from (Tree("unary", kind, word, (_element(kind),)) for word in "-~")
        for count in INTEGERS:
            yield from (Tree("binary", kind, word, (_element(kind), _param(count))) for word in ("<<", ">>"))
        sums = (Tree("binary", kind, word, (_element(kind), _param(kind))) for word in "+-")
        yield from (Tree("wrap", kind, "wrap", (each,)) for each in sums)
    for kind in FLOATS:
        yield Tree("unary", kind, "-", (_element(kind),))
        yield from (
            Tree("builtin", kind, word, (_element(kind),)) for word in ("floor", "ceil", "trunc", "sqrt", "exp", "log")
        )
        yield from (Tree("builtin", kind, word, (_element(kind),)) for word in TRIGONOMETRY)
        yield from (Tree("builtin", kind, word, (_element(kind), _param(kind))) for word in ("pow", "atan2"))
        zero = Tree("literal", kind, "0.0")
        yield from (Tree("binary", kind, "-", (zero, Tree("cast", kind, kind, (_element(n),)))) for n in INTEGERS)
        yield from (Tree("binary", kind, word, (_element(kind), Tree("bare", kind, "0.0"))) for word in "+-*")
        yield from (Tree("binary", kind, word, (_element(kind), _element(kind))) for word in "-/")
    yield from (Tree("builtin", kind, "abs", (_element(kind),)) for kind in NUMBERS)
    yield from (Tree("builtin", "float64", word, (_element(kind),)) for kind in INTEGERS for word in ("sqrt", "sin"))
    yield from _of_integers()


def _of_integers() -> Iterator[Tree]:
    for kind in INTEGERS:
        yield from (Tree("builtin", "int32", word, (_element(kind),)) for word in ("popcount", "ctz"))
        for limit in (_element(kind), _param(kind)):
            yield Tree("builtin", kind, "random_below", (limit, _element("int64")))
        yield Tree("builtin", kind, "random_below", (_element(kind), _param("bool"), _element(kind), _element("int64")))
    for kind in ("bool", *INTEGERS):
        for word, type_ in (("random", "float32"), ("random_bits", "uint64")):
            yield Tree("builtin", type_, word, (_element(kind),))
            yield Tree("builtin", type_, word, (_element("int32"), _element(kind), _param(kind)))


def _of_params(tree: Tree) -> Tree:
    """Its parts, where elements are those of functors."""
    if tree.kind == "element":
        return _param(tree.type)
    return dataclasses.replace(tree, parts=tuple(_of_params(part) for part in tree.parts))


def program(place: str, inf_types: tuple[str, ...] = (), every: int = 1) -> Program:
    """All operations in one place; `every`: only each so many-th of them."""
    trees = list(_trees())[::every]
    if place == "schedule":
        trees = [_of_params(tree) for tree in trees]
    targets = tuple(Target(f"r{number}", place, tree) for number, tree in enumerate(trees))
    return Program((), targets, inf_types)


def reductions(kind: str) -> Program:
    """The minimum and maximum of the awkward values of a type, in every form that the language has."""
    return Program((), (Target("reduced", "reduced", _element(kind)),), ())
