"""Literals without a type of their own, and no parentheses but those that are needed: every result is what the
language's page says, which decides the types here by itself.

The campaign `expressions` writes `int32(5)` and parentheses everywhere; this one writes `5`, `1 << n` and `a - b << c`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy

from fuzz.campaign import Finding
from fuzz.expressions.programs import Data, random_data
from fuzz.expressions.running import apart, own_cache, runner
from fuzz.expressions.trees import FLOATS, INTEGERS, NUMBERS, SIGNED, Tree
from fuzz.expressions.values import Evaluation, cast, common, limits
from gdsl.api.summary import on_host
from gdsl.diagnostics import GdslError
from gdsl.pipeline import load

EXPRESSIONS, VERTICES = 30, 24
_WHOLE = ("0", "1", "2", "3", "7", "31", "32", "33", "63", "64", "255", "65536", "16777217", "0xff", "0x7fffffff")
_FRACTIONS = ("0.1", "0.5", "2.5", "1e-3", "1e10", "16777217.0", "3.0")
_TIGHTNESS = {"*": 9, "/": 9, "//": 9, "%": 9, "+": 8, "-": 8, "<<": 7, ">>": 7, "&": 4, "^": 3, "|": 2}
_COMPARED = ("<", "<=", ">", ">=", "==", "!=")
_SHIFTS = ("<<", ">>")
_OF_INTEGERS = ("//", "&", "|", "^", *_SHIFTS)
_WIDENS = {("int32", "int64"), ("uint32", "int64"), ("uint32", "uint64"), ("float32", "float64")}
_OPERATIONS = {
    "int": ("+", "-", "*", "//", "%", "&", "|", "^", "+", "-"),
    "float": ("+", "-", "*", "/", "%"),
    "any": ("+", "-", "*"),
}
_TYPES = {"int": INTEGERS, "float": FLOATS, "any": NUMBERS}


@dataclass(frozen=True, slots=True)
class Part:
    """An expression without types. `kind` is literal, element, minus, not, binary, choose, extreme or cast; `word` the
    digits, the operator, the function or the type."""

    kind: str
    word: str
    parts: tuple[Part, ...] = ()


class Refused(Exception):  # noqa: N818 (the language has no such expression)
    """Types that do not go together, or a literal that its type does not have."""


def case(generator: random.Random) -> str:
    """One program of many expressions, by the reference and where values are evaluated before a run. Raises
    `Finding` for the first value that is wrong."""
    wanted = [_typed(generator) for _ in range(EXPRESSIONS)]
    with own_cache(), numpy.errstate(all="ignore"):
        data, source = random_data(generator, VERTICES), _program(wanted)
        try:
            program = load(source)
        except GdslError as error:
            raise Finding(f"{error}\n{source}") from None
        for backend in ("reference", "binding"):
            results = runner(backend)(program, data)
            for place, (part, type_, tree) in enumerate(wanted):
                if backend == "reference" or place % 2:
                    _compare(part, type_, tree, data, results[f"x{place}"])
    return f"{EXPRESSIONS} expressions agree"


def _typed(generator: random.Random) -> tuple[Part, str, Tree]:
    """An expression that the language has, the type of its place, and the expression with types."""
    while True:
        kind = generator.choice(("int", "int", "float", "any"))
        part, type_ = _part(generator, generator.choice((2, 3, 3, 4)), kind), generator.choice(NUMBERS)
        try:
            tree = _inferred(part, type_)
            fits = _wider(tree.type, type_) == type_
        except Refused:
            continue
        if fits and not _is_literal(part):
            return part, type_, tree


def _program(wanted: list[tuple[Part, str, Tree]]) -> str:
    inputs = "".join(f"    input vertex a_{kind} : {kind};\n" for kind in NUMBERS)
    arrays, stores = "", ""
    for place, (part, type_, _) in enumerate(wanted):
        initial = f" = {_text(part, 'id')}" if place % 2 else ""
        arrays += f"    vertex x{place} : {type_}{initial};\n"
        stores += "" if place % 2 else f"    x{place}[v] = {_text(part, 'v')};\n"
    functor = f"vertex functor every(v) {{ apply {{\n{stores}}} }}"
    return f"program literals;\nproblem {{\n{inputs}{arrays}}}\n{functor}\nschedule {{ compute(vertices, every); }}\n"


def _compare(part: Part, type_: str, tree: Tree, data: Data, found: Any) -> None:
    values = numpy.atleast_1d(on_host(found))
    wanted = []
    for vertex in range(data.size):
        leaves = {f"a_{kind}": data.elements[kind][vertex] for kind in NUMBERS}
        wanted.append(cast(Evaluation(leaves, frozenset(), {}).value(tree), type_))
    expected = numpy.array(wanted, dtype=type_)
    for place in numpy.flatnonzero(apart(expected, values.astype(type_)) > 0)[:1]:
        read = {kind: data.elements[kind][place] for kind in NUMBERS if f"a_{kind}" in _text(part, "v")}
        message = f"as {type_} is {values[place]}, not {expected[place]}, where {read}"
        raise Finding(f"{_text(part, 'v')} {message}")


# ---------------------------------------------------------------- text


def _part(generator: random.Random, depth: int, kind: str) -> Part:
    choice, drawn = generator.choice, generator.random()
    if depth == 0 or drawn < 0.12:
        if generator.random() < 0.5:
            return Part("literal", choice(_FRACTIONS if kind == "float" and generator.random() < 0.6 else _WHOLE))
        return Part("element", choice(_TYPES[kind]))

    def below(of: str = kind, less: int = 1) -> Part:
        return _part(generator, max(0, depth - less), of)

    if drawn < 0.3 and kind == "int":
        return Part("binary", choice(_SHIFTS), (below(), below(less=2)))
    if drawn < 0.7:
        return Part("binary", choice(_OPERATIONS[kind]), (below(), below()))
    if drawn < 0.82:
        return Part("not" if kind == "int" and drawn < 0.75 else "minus", "", (below(),))
    if drawn < 0.9:
        compared = Part("binary", choice(_COMPARED), (below(), below()))
        return Part("choose", "", (compared, below(), below()))
    if drawn < 0.95:
        return Part("extreme", choice(("min", "max")), (below(), below()))
    return Part("cast", choice(INTEGERS if kind == "int" else FLOATS), (below(choice(("int", "float"))),))


def _text(part: Part, own: str, around: int = 0) -> str:
    """The text in a place where operators of at least the tightness `around` need no parentheses."""
    if part.kind in ("literal", "element"):
        return part.word if part.kind == "literal" else f"a_{part.word}[{own}]"
    if part.kind in ("extreme", "cast"):
        return f"{part.word}({', '.join(_text(each, own) for each in part.parts)})"
    if part.kind == "choose":
        condition, yes, no = (_text(each, own) for each in part.parts)
        return f"({condition} ? {yes} : {no})"
    if part.kind in ("minus", "not"):
        operand, sign = _text(part.parts[0], own, 10), "-" if part.kind == "minus" else "~"
        return f"{sign}({operand})" if operand.startswith("-") else f"{sign}{operand}"
    tightness = _TIGHTNESS.get(part.word, 5)
    compares = part.word in _COMPARED
    left, right = _text(part.parts[0], own, tightness + compares), _text(part.parts[1], own, tightness + 1)
    return f"{left} {part.word} {right}" if around <= tightness else f"({left} {part.word} {right})"


# ---------------------------------------------------------------- types, by the page


def _is_literal(part: Part) -> bool:
    if part.kind in ("minus", "not", "binary") and part.word not in _COMPARED:
        return all(_is_literal(each) for each in part.parts)
    return part.kind == "literal"


def _takes_its_place(part: Part) -> bool:
    """Literals, but for the counts of shifts."""
    if part.kind == "binary" and part.word in _SHIFTS:
        return _takes_its_place(part.parts[0])
    if part.kind in ("minus", "not", "binary") and part.word not in _COMPARED:
        return all(_takes_its_place(each) for each in part.parts)
    return part.kind == "literal"


def _has_fraction(part: Part) -> bool:
    return part.word in _FRACTIONS if part.kind == "literal" else any(_has_fraction(each) for each in part.parts)


def _wider(left: str, right: str) -> str:
    mixed = left in INTEGERS and right in INTEGERS and left != right
    if mixed and (left, right) not in _WIDENS and (right, left) not in _WIDENS:
        raise Refused
    return common(left, right)


def _literal(part: Part, type_: str) -> Tree:
    """A literal expression in a type."""
    if part.kind == "literal":
        if type_ in FLOATS:
            return Tree("literal", type_, part.word if _has_fraction(part) else str(int(part.word, 0)))
        if _has_fraction(part) or int(part.word, 0) > limits(type_)[1]:
            raise Refused
        return Tree("literal", type_, str(int(part.word, 0)))
    parts = tuple(_literal(each, type_) for each in part.parts)
    if part.kind == "binary":
        return _operation(part.word, type_, parts)
    [operand] = part.parts
    if part.kind == "not":
        if type_ in FLOATS:
            raise Refused
        return Tree("unary", type_, "~", parts)
    if operand.kind == "minus":  # a minus belongs to a number, and two of them to none
        raise Refused
    if operand.kind == "literal":
        if type_ in INTEGERS and type_ not in SIGNED and int(operand.word, 0):
            raise Refused
        parts = (Tree("bare", type_, parts[0].word),)
    return Tree("unary", type_, "-", parts)


def _operation(word: str, type_: str, parts: tuple[Tree, ...]) -> Tree:
    if word in _COMPARED:
        return Tree("binary", "bool", word, parts)
    if (type_ in FLOATS and word in _OF_INTEGERS) or (type_ in INTEGERS and word == "/"):
        raise Refused
    return Tree("binary", type_, word, parts)


def _of_its_own(*parts: Part) -> str:
    """The type of literals where nothing decides."""
    if any(_has_fraction(part) for part in parts):
        return "float32"
    return "int32"


def _inferred(part: Part, place: str | None) -> Tree:
    """The expression with types, in a place of this type."""
    if _is_literal(part):
        type_ = place or _of_its_own(part)
        return _literal(part, "float32" if type_ in INTEGERS and _has_fraction(part) else type_)
    if part.kind == "element":
        return Tree("element", part.word, f"a_{part.word}")
    if part.kind in ("minus", "not"):
        operand = _inferred(part.parts[0], place)
        if part.kind == "not" and operand.type in FLOATS:
            raise Refused
        return Tree("unary", operand.type, "-" if part.kind == "minus" else "~", (operand,))
    if part.kind == "cast":
        [operand_part] = part.parts
        fraction = _has_fraction(operand_part) and part.word in INTEGERS
        takes = _takes_its_place(operand_part) and not fraction
        return Tree("cast", part.word, part.word, (_inferred(operand_part, part.word if takes else None),))
    if part.kind == "binary" and part.word in _SHIFTS:
        return _shifted(part, place)
    compares = part.kind == "binary" and part.word in _COMPARED
    sides = _sides(part.parts[-2], part.parts[-1], None if compares else place)
    type_ = _wider(sides[0].type, sides[1].type)
    if part.kind == "extreme":
        return Tree("builtin", type_, part.word, sides)
    if part.kind == "choose":
        same = tuple(side if side.type == type_ else Tree("cast", type_, type_, (side,)) for side in sides)
        return Tree("choose", type_, "?:", (_inferred(part.parts[0], None), *same))
    return _operation(part.word, type_, sides)


def _shifted(part: Part, place: str | None) -> Tree:
    shifted, count_part = part.parts
    count = _inferred(count_part, None)
    own = _is_literal(shifted) and not _is_literal(count_part) and place not in INTEGERS
    value = _inferred(shifted, count.type if own else place)
    if value.type in FLOATS or count.type in FLOATS:
        raise Refused
    return Tree("binary", value.type, part.word, (value, count))


def _sides(left: Part, right: Part, place: str | None) -> tuple[Tree, Tree]:
    """Two operands, of which one without a type of its own takes that of the other."""
    if _is_literal(left) and _is_literal(right):
        type_ = place or _of_its_own(left, right)
        if type_ in INTEGERS and (_has_fraction(left) or _has_fraction(right)):
            raise Refused
        return _literal(left, type_), _literal(right, type_)
    waits = next((test for test in (_is_literal, _takes_its_place) if test(left) != test(right)), None)
    if waits is None:
        return _inferred(left, place), _inferred(right, place)
    first = waits(left)
    waiting, other = (left, right) if first else (right, left)
    decided = _inferred(other, place)
    type_ = decided.type
    if _is_literal(waiting) and _has_fraction(waiting) and type_ in INTEGERS:
        type_ = place if place in FLOATS else "float32"
    taken = _literal(waiting, type_) if _is_literal(waiting) else _inferred(waiting, type_)
    return (taken, decided) if first else (decided, taken)
