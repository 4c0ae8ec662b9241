"""Random expressions with a type, and their text."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gdsl.operations import APPROXIMATE

SIGNED, UNSIGNED, FLOATS = ("int32", "int64"), ("uint32", "uint64"), ("float32", "float64")
INTEGERS = (*SIGNED, *UNSIGNED)
NUMBERS = (*INTEGERS, *FLOATS)
TYPES = ("bool", *NUMBERS)
BITS = {"int32": 32, "uint32": 32, "int64": 64, "uint64": 64}
TRIGONOMETRY = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh")
NEARLY = tuple(function.value for function in APPROXIMATE)
PLACES = ("default", "initial", "apply", "schedule")

_MIXED = {
    "int64": ("int32", "uint32"),
    "uint64": ("uint32",),
    "float32": INTEGERS,
    "float64": (*INTEGERS, "float32"),
}
"""What becomes a type by itself beside a value of it."""

_WHOLE = (0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 100, 255, 65535, 65536, 16777215, 16777216, 16777217, 2147483647)
_LONG = (2147483648, 4294967295, 4294967296, 9007199254740993, 9007199791611905, 4611686293305294849)
_FRACTIONS = (
    *("0.0", "0.1", "0.5", "1.0", "1.5", "2.5", "1e-6", "7.038531e-26", "1.1754942e-38", "1e-45", "1.4e-45"),
    *("3.4028234e38", "16777217.0", "2147483648.0", "4294967040.0", "9223372036854775808.0", "18446744073709551615.0"),
    *("0.333333333333333", "8388607.5", "123456.789"),
)
_WIDE_FRACTIONS = ("5e-324", "2.2250738585072011e-308", "1.7976931348623157e308", "1e300", "4503599627370497.5")


@dataclass(frozen=True, slots=True)
class Tree:
    """An expression. `kind` is literal, bare (a literal that takes its type from the other side), element, param,
    parameter (of a function), iteration, vertices, degree, unary, binary, choose, builtin, call, cast or wrap;
    `word` the operator, name or digits."""

    kind: str
    type: str
    word: str
    parts: tuple[Tree, ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a program: its parameters are called x0, x1, …"""

    name: str
    parameters: tuple[str, ...]
    body: Tree


def text(tree: Tree, own: str) -> str:
    """`tree` as the language writes it; `own` is the index of elements, such as ``v``."""
    parts = [text(part, own) for part in tree.parts]
    match tree.kind:
        case "literal":
            return tree.word if tree.type == "bool" else f"{tree.type}({tree.word})"
        case "bare":
            return f"({tree.word})" if tree.word.startswith("-") else tree.word
        case "element" | "degree":
            return f"{tree.word}[{own}]" if tree.kind == "element" else f"{tree.word}({own})"
        case "unary":
            return f"({tree.word}{parts[0]})"
        case "binary":
            return f"({parts[0]} {tree.word} {parts[1]})"
        case "choose":
            return f"({parts[0]} ? {parts[1]} : {parts[2]})"
        case "builtin" | "call" | "cast" | "wrap":
            return f"{tree.word}({', '.join(parts)})"
    return tree.word


@dataclass
class Maker:
    """Makes expressions for one place of a program. `inf_types` are the integer types whose `inf` may be written."""

    random: random.Random
    place: str
    inf_types: Sequence[str] = ()
    functions: Sequence[Function] = ()
    parameters: Sequence[str] = field(default_factory=tuple)

    def tree(self, type_: str, depth: int) -> Tree:
        """A random expression of `type_`, at most `depth` operations deep."""
        if depth == 0 or self.random.random() < 0.08:
            return self.leaf(type_)
        makers: list[Callable[[str, int], Tree]] = [self._choose, self._cast, self._call]
        if type_ == "bool":
            makers += [self._comparison] * 5 + [self._logic] * 2
        else:
            makers += [self._arithmetic] * 8 + [self._unary, self._builtin, self._builtin]
        if type_ in INTEGERS:
            makers += [self._shift, self._shift, self._bits, self._wrap]
        return self.random.choice(makers)(type_, depth - 1)

    def root(self, type_: str, depth: int) -> Tree:
        """As `tree`; now and then with a function that is only nearly equal everywhere around it. A default is a
        literal without a type of its own."""
        if self.place == "default":
            return self._default(type_)
        if type_ in FLOATS and self.random.random() < 0.15:
            function = self.random.choice(NEARLY)
            count = 2 if function in ("pow", "atan2") else 1
            return Tree("builtin", type_, function, tuple(self.tree(type_, min(depth, 2)) for _ in range(count)))
        return self.tree(type_, depth)

    def _default(self, type_: str) -> Tree:
        if type_ == "bool":
            return Tree("literal", type_, self.digits(type_))
        literal = Tree("bare", type_, self.digits(type_))
        if self.random.random() < 0.6 or literal.word.startswith("-"):
            return literal
        return Tree("unary", type_, "-" if type_ in FLOATS else "~", (literal,))

    # Leaves

    def leaf(self, type_: str) -> Tree:
        """Something to read, or a literal."""
        known = [Tree("parameter", kind, f"x{i}") for i, kind in enumerate(self.parameters) if kind == type_]
        if self.place in ("initial", "apply"):
            known += [Tree("element", type_, f"a_{type_}")] * 3
            known += [Tree("degree", type_, name) for name in ("out_degree", "in_degree") if type_ == "int32"]
        if self.place in ("initial", "apply", "schedule"):
            known += [Tree("param", type_, f"p_{type_}")] * 2
            known += [Tree("vertices", type_, "num_vertices")] * (type_ == "int64")
        if self.place in ("apply", "schedule") and type_ == "int32":
            known.append(Tree("iteration", type_, "iteration"))
        if known and self.random.random() < 0.7:
            return self.random.choice(known)
        return Tree("literal", type_, self.digits(type_))

    def digits(self, type_: str) -> str:
        """The text of a literal of `type_`, without the type."""
        choice = self.random.choice
        if type_ == "bool":
            return choice(("true", "false"))
        sign = "" if type_ in UNSIGNED else choice(("", "-"))
        if type_ in FLOATS:
            if self.random.random() < 0.12:
                return f"{sign}inf"
            if self.random.random() < 0.1:
                return f"{sign}{choice(_WHOLE + _LONG)}"
            return sign + choice(_FRACTIONS if type_ == "float32" else _FRACTIONS + _WIDE_FRACTIONS)
        if type_ in self.inf_types and self.random.random() < 0.3:
            return "inf"
        wide, signed = BITS[type_] == 64, type_ in SIGNED
        largest = 2 ** (BITS[type_] - signed) - 1
        whole = choice((*_WHOLE, *(_LONG if wide else ()), largest, largest - 1))
        if sign and whole == largest and self.random.random() < 0.5:
            whole = largest + 1
        return f"{sign}{whole}"

    # Operations

    def _sides(self, type_: str, depth: int) -> tuple[Tree, Tree]:
        """Two sides whose common type is `type_`."""
        other = type_
        if type_ in _MIXED and self.random.random() < 0.25:
            other = self.random.choice(_MIXED[type_])
        left, right = self.tree(type_, depth), self.tree(other, depth)
        if other == type_ and type_ != "bool" and self.random.random() < 0.2:
            right = Tree("bare", type_, self.digits(type_))
        return (left, right) if self.random.random() < 0.5 else (right, left)

    def _arithmetic(self, type_: str, depth: int) -> Tree:
        words = ("+", "-", "*", "%", "/") if type_ in FLOATS else ("+", "+", "-", "-", "*", "//", "%")
        return Tree("binary", type_, self.random.choice(words), self._sides(type_, depth))

    def _comparison(self, type_: str, depth: int) -> Tree:
        compared = self.random.choice(NUMBERS)
        word = self.random.choice(("==", "!=", "<", "<=", ">", ">="))
        return Tree("binary", type_, word, self._sides(compared, depth))

    def _logic(self, type_: str, depth: int) -> Tree:
        if self.random.random() < 0.25:
            return Tree("unary", type_, "!", (self.tree(type_, depth),))
        word = self.random.choice(("&&", "||", "&", "|", "^", "==", "!="))
        return Tree("binary", type_, word, self._sides(type_, depth))

    def _bits(self, type_: str, depth: int) -> Tree:
        return Tree("binary", type_, self.random.choice("&|^"), self._sides(type_, depth))

    def _shift(self, type_: str, depth: int) -> Tree:
        left = self.tree(type_, depth)
        count = self.tree(self.random.choice(INTEGERS), depth)
        return Tree("binary", type_, self.random.choice(("<<", ">>")), (left, count))

    def _unary(self, type_: str, depth: int) -> Tree:
        word = self.random.choice("-~") if type_ in INTEGERS else "-"
        return Tree("unary", type_, word, (self.tree(type_, depth),))

    def _choose(self, type_: str, depth: int) -> Tree:
        parts = (self.tree("bool", depth), self.tree(type_, depth), self.tree(type_, depth))
        return Tree("choose", type_, "?:", parts)

    def _cast(self, type_: str, depth: int) -> Tree:
        source = self.random.choice([other for other in TYPES if other != type_])
        operand = self.tree(source, depth)
        return Tree("cast", type_, type_, (operand,))

    def _builtin(self, type_: str, depth: int) -> Tree:
        of_floats = ("floor", "ceil", "trunc", "sqrt")
        word = self.random.choice(("min", "max", "abs", *(() if type_ in INTEGERS else of_floats)))
        if self.random.random() < 0.3:
            drawn = self._of_integers(type_, depth)
            if drawn is not None:
                return drawn
        if word in ("min", "max"):
            return Tree("builtin", type_, word, self._sides(type_, depth))
        source = type_
        if word in of_floats and type_ == "float64" and self.random.random() < 0.3:
            source = self.random.choice(INTEGERS)
        return Tree("builtin", type_, word, (self.tree(source, depth),))

    def _of_integers(self, type_: str, depth: int) -> Tree | None:
        """A random number or a count of bits of this type; None where there is none."""
        keys = [self.tree(self.random.choice((*INTEGERS, "bool")), depth) for _ in range(self.random.randint(1, 3))]
        if type_ == "int32" and self.random.random() < 0.6:
            operand = self.tree(self.random.choice(INTEGERS), depth)
            return Tree("builtin", type_, self.random.choice(("popcount", "ctz")), (operand,))
        if type_ in INTEGERS and not (type_ == "uint64" and self.random.random() < 0.5):
            return Tree("builtin", type_, "random_below", (self.tree(type_, depth), *keys))
        words = {"uint64": "random_bits", "float32": "random"}
        return Tree("builtin", type_, words[type_], tuple(keys)) if type_ in words else None

    def _wrap(self, type_: str, depth: int) -> Tree:
        return Tree("wrap", type_, "wrap", (self.tree(type_, depth),))

    def _call(self, type_: str, depth: int) -> Tree:
        fitting = [function for function in self.functions if function.body.type == type_]
        if not fitting:
            return self.leaf(type_)
        function = self.random.choice(fitting)
        return Tree("call", type_, function.name, tuple(self.tree(kind, depth) for kind in function.parameters))
