"""Long runs of operators as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gdsl.codegen.literals import type_name
from gdsl.codegen.precedence import Text, atom, postfix
from gdsl.types import Type

_MOST_STEPS = 50
_RUNNING = "chain_"
"""No name of a program is printed so: one underscore ends only those that mean something without it."""


def folded(kind: Type, first: Text, steps: Sequence[Callable[[Text], Text]]) -> Text:
    """`steps` one after the other, from `first` on. Many of them are cut into statements of a lambda called at once:
    compilers allow so many brackets inside each other and no more."""
    text, statements = first, list[str]()
    for place, step in enumerate(steps):
        if place and place % _MOST_STEPS == 0:
            declared = f"{type_name(kind)} " if not statements else ""
            statements.append(f"{declared}{_RUNNING} = {text.text};")
            text = atom(_RUNNING)
        text = step(text)
    return postfix(f"[&] {{ {' '.join(statements)} return {text.text}; }}()") if statements else text
