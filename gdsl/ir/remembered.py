"""Answers about parts of a program, each worked out once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Result = TypeVar("Result")


class Remembered:
    """What is asked about the functors of one program: many operators run the same functor, which may be long."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[object, Any]] = {}

    def __call__(self, ask: Callable[..., Result], part: object, *rest: Hashable) -> Result:
        """`ask(part, *rest)`. Parts are told apart by identity: to compare them takes as long as to ask."""
        key = (ask, id(part), *rest)
        if key not in self._known:
            self._known[key] = (part, ask(part, *rest))  # the part is held, so that no other gets its identity
        answer: Result = self._known[key][1]
        return answer
