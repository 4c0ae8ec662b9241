"""Small changes to a program that works, so that what the rules accept and what they must not lie close together."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import lru_cache

from fuzz.programs.edits import Tree
from fuzz.programs.scopes import Data, Scope
from gdsl.diagnostics import GdslError
from gdsl.frontend import syntax
from gdsl.frontend.syntax import DeclarationKind
from gdsl.operations import Domain

_WORDS = {
    r"\b(min|max)=": ("min=", "max=", "+=", "=", "any="),
    r"(?<![=<>!])\+=": ("-=", "max=", "=", "min=", "+="),
    r"[|&]=": ("|=", "&=", "=", "any=", "^="),
    r"(?<=\S) = ": (" any= ", " min= ", " max= "),
    r" any= ": (" = ", " min= "),
    r"==|!=|<=|>=|(?<= )<(?= )|(?<= )>(?= )": ("==", "!=", "<", "<=", ">", ">="),
    r"&&|\|\|": ("&&", "||"),
    r"(?<=[\w)}] )[|&-](?= [\w({])": ("|", "&", "-"),
    r"\b(src|dst|near|far)\b(?!,|\)? \{)": ("src", "dst", "near", "far"),
    r"\biteration( \+ 1)?\b": ("iteration", "iteration + 1", "2", "place"),
    r"\b(true|false)\b": ("true", "false"),
    r"\b(out_edges|in_edges|all_edges)\b": ("out_edges", "in_edges", "all_edges"),
    r"\b(out|in)_degree\b": ("out_degree", "in_degree"),
    r"(?<= )[+*-](?= )": ("+", "-", "*"),
    r"\b[0-9]\b(?!\.)": ("0", "1", "2", "5"),
    r"\b(changed|fetch)\(": ("changed(", "fetch("),
    r", to=none": ("", ", over=in_edges", ", to=none, over=all_edges"),
    r"(?<=advance\()\w+": ("vertices", "f"),
    r"(?<=compute\()\w+": ("vertices", "f", "edges"),
    r"\bwhile \(\w+\)": ("repeat (1)", "repeat (3)", "repeat (7)"),
    r"\[(\w+)\](?= (min|max)=)": ("[src]", "[dst]", "[far]"),
}
_TRIES = 8


@lru_cache(maxsize=4)
def _typed(text: str) -> Tree:
    """A change that was tried is often the text of the next."""
    return Tree(text, typed=True)


def mutated(random: random.Random, text: str, count: int) -> str:
    """`text` with `count` changes, each of which leaves it well typed."""
    for _ in range(count):
        for _ in range(_TRIES):
            try:
                changed = random.choice(_CHANGES)(random, text)
                _typed(changed)
            except (GdslError, IndexError):
                continue
            text = changed
            break
    return text


def _word(random: random.Random, text: str) -> str:
    """Another word of its kind."""
    start = text.index("}") if random.random() < 0.9 else 0  # mostly behind the declarations
    pattern = random.choice([pattern for pattern in _WORDS if re.search(pattern, text[start:])])
    match = random.choice(list(re.finditer(pattern, text[start:])))
    choices = [word for word in _WORDS[pattern] if word != match[0]]
    return text[:start] + text[start:][: match.start()] + random.choice(choices) + text[start:][match.end() :]


def _parts(random: random.Random, text: str) -> tuple[Tree, syntax.Functor, list[syntax.Expression]]:
    """A functor, and its expressions that have a type."""
    tree = _typed(text)
    functor = random.choice(tree.program.functors)
    inside = [node for node in syntax.walk(functor) if isinstance(node, syntax.Expression) and node.type is not None]
    return tree, functor, inside


def _swapped(random: random.Random, text: str) -> str:
    """An expression that another place of the functor has."""
    tree, _, inside = _parts(random, text)
    chosen = random.choice(inside)
    others = [node for node in inside if node.type is chosen.type and tree.words(node) != tree.words(chosen)]
    return tree.with_text(chosen, tree.words(random.choice(others)))


def _scope(random: random.Random, tree: Tree, functor: syntax.Functor) -> Scope:
    kinds = {DeclarationKind.VERTEX_ARRAY: "vertex", DeclarationKind.EDGE_ARRAY: "edge"}
    kinds |= {DeclarationKind.SCALAR: "scalar", DeclarationKind.PARAM: "param"}
    data = [Data(d.name, kinds[d.kind], d.declared.name, d.is_input) for d in tree.program.declarations]
    names = [parameter.name for parameter in functor.parameters]
    on_edges = functor.domain is Domain.EDGE
    vertices = (*names[:2], "near", "far") if on_edges else tuple(names)
    edges = (names[2],) if on_edges else ()
    return Scope(random, data, vertices, edges, in_functor=True, sees_iteration=True)


def _invented(random: random.Random, text: str) -> str:
    """Any expression of the type instead of one."""
    tree, functor, inside = _parts(random, text)
    chosen = random.choice(inside)
    assert chosen.type is not None
    return tree.with_text(chosen, _scope(random, tree, functor).expression(chosen.type.name, random.choice((0, 1, 1))))


def _statement(random: random.Random, text: str) -> tuple[Tree, syntax.Functor | None, syntax.Statement]:
    tree = _typed(text)
    owners: list[syntax.Functor | None] = [None, *tree.program.functors]
    functor = random.choice(owners[1:] * 3 + owners)
    inner = set(map(id, tree.statements()))
    roots = functor.body if functor is not None else tree.program.schedule
    found = [node for root in roots for node in syntax.walk(root) if id(node) in inner]
    chosen = random.choice(found)
    assert isinstance(chosen, syntax.Statement)
    return tree, functor, chosen


def _guarded(random: random.Random, text: str) -> str:
    """A statement under a condition."""
    tree, functor, chosen = _statement(random, text)
    condition = "go" if functor is None else _scope(random, tree, functor).expression("bool", 2)
    otherwise = random.choice(("", "", " else { accept false; }")) if functor is not None else ""
    return tree.with_text(chosen, f"if ({condition}) {{ {tree.words(chosen)} }}{otherwise}")


def _without(random: random.Random, text: str) -> str:
    """A statement less."""
    tree, _, chosen = _statement(random, text)
    return tree.with_text(chosen, "")


def _twice(random: random.Random, text: str) -> str:
    """A statement once more, or under a loop."""
    tree, functor, chosen = _statement(random, text)
    words = tree.words(chosen)
    if random.random() < 0.4:
        return tree.with_text(chosen, f"for again in 0..2 {{ {words} }}" if functor else f"repeat (2) {{ {words} }}")
    return tree.with_text(chosen, f"{words} {words}")


def _more(random: random.Random, text: str) -> str:
    """One more write in a functor."""
    tree, functor, chosen = _statement(random, text)
    if functor is None:
        return _without(random, text)
    scope = _scope(random, tree, functor)
    data = random.choice(scope.reachable(written=True))
    update = random.choice(("=", "any=", "min=", "max=", "+=", "|="))
    added = f"{scope.element(data)} {update} {scope.expression(data.type, 1)};"
    if random.random() < 0.3:
        added = f"accept {scope.expression('bool', 1)};"
    first, second = (added, tree.words(chosen)) if random.random() < 0.5 else (tree.words(chosen), added)
    return tree.with_text(chosen, f"{first} {second}")


def _otherwise(random: random.Random, text: str) -> str:
    """A condition for the calls."""
    tree, functor, _ = _parts(random, text)
    condition = _scope(random, tree, functor).expression("bool", 1)
    if functor.condition is not None:
        operator = random.choice(("&&", "||"))
        return tree.with_text(functor.condition, f"({tree.words(functor.condition)}) {operator} {condition}")
    start, end = tree.bounds(functor.span)
    head = tree.text.index("{", start, end) + 1
    return f"{tree.text[:head]} cond {condition};{tree.text[head:]}"


_CHANGES: tuple[Callable[[random.Random, str], str], ...] = (
    *(_word,) * 6,
    *(_swapped, _swapped, _invented, _invented, _guarded, _without, _twice, _more, _otherwise),
)
