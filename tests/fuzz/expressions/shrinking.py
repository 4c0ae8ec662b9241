"""From a program of many expressions with a wrong value to one of a single small expression."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from fuzz.expressions.programs import Data, Program, Target
from fuzz.expressions.running import Difference, differences
from fuzz.expressions.trees import FLOATS, Tree
from gdsl.diagnostics import GdslError

_MOST_TRIALS = 60


class Shrinker:
    """Makes the program of one difference smaller as long as its backend still differs."""

    def __init__(self, program: Program, data: Data, found: Difference) -> None:
        self.backend = found.backend
        self.program, self.data, self.found = program, data, found
        self.trials = 0

    def shrink(self) -> None:
        """Leave the one result, then the one element, then as little of the expression as shows the difference."""
        self._try(self.program.of(self.found.target), self.data)
        if self.found.target.place != "schedule":
            self._try(self.program, self.data.of_vertex(self.found.place))
        while self._simpler():
            pass

    def _simpler(self) -> bool:
        for tree in _smaller(self.found.target.tree):
            target: Target = replace(self.found.target, tree=tree)
            if self._try(self.program.of(target), self.data):
                return True
        return False

    def _try(self, program: Program, data: Data) -> bool:
        if self.trials >= _MOST_TRIALS:
            return False
        self.trials += 1
        try:
            found = next(differences(program, data, (self.backend,)), None)
        except GdslError:
            return False
        if found is None:
            return False
        self.program, self.data, self.found = program, data, found
        return True

    def report(self) -> str:
        """What a person needs to see it again."""
        found, data = self.found, self.data
        text = self.program.text()
        given = {name: value for name, value in data.given.items() if f"{name} :" in text}
        lines = ["from numpy import array, inf, nan", f"values = {{{_listed(given)}}}"]
        if data.size > 1:
            lines.append(f"graph edges = {data.edges}, {data.size} vertices")
        wrong = f"{found.target.name}[{found.place}] is {found.found!r}, the language says {found.expected!r}"
        return "\n".join((f"{found.backend}: {wrong}", text, *lines))


def _listed(given: dict[str, Any]) -> str:
    return ", ".join(f"{name!r}: {_shown(value)}" for name, value in given.items())


def _shown(value: Any) -> str:
    if getattr(value, "shape", ()):
        return f"array([{', '.join(_shown(each) for each in value)}], {str(value.dtype)!r})"
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, float) and math.isfinite(plain):
        return f"float.fromhex({plain.hex()!r})"
    return repr(plain)


def _smaller(tree: Tree) -> Iterator[Tree]:
    """Trees of the same type with less in them: a part instead of the whole, a literal, a smaller part."""
    for part in tree.parts:
        if part.type == tree.type and part.kind != "bare":
            yield part
    if tree.parts:
        yield Tree("literal", tree.type, "true" if tree.type == "bool" else ("1.0" if tree.type in FLOATS else "1"))
    for place, part in enumerate(tree.parts):
        if part.kind == "bare":
            continue
        for smaller in _smaller(part):
            yield replace(tree, parts=(*tree.parts[:place], smaller, *tree.parts[place + 1 :]))
