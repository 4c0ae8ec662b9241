"""Ids of vertices in a program's data, where the device may number vertices by degree."""

from __future__ import annotations

from typing import Any

from gdsl.backends.cuda.numbering import Numbering
from gdsl.plan.nodes import Plan


class RunIds:
    """Values between the ids of the caller and those of the device, which are the same without a `numbering`."""

    def __init__(self, plan: Plan, numbering: Numbering | None) -> None:
        self._names = frozenset(plan.layout.ids) if plan.layout is not None else frozenset()
        self._numbering = numbering

    def are_in(self, name: str) -> bool:
        """Whether the values of this name are ids of vertices."""
        return name in self._names

    def differ(self, name: str) -> bool:
        """Whether a value of this name changes with the ids."""
        return self._numbering is not None and name in self._names

    def inside(self, name: str, value: Any) -> Any:
        """The value of a param or a scalar in the device's ids."""
        return self._numbering.inside(value) if self._numbering is not None and name in self._names else value

    def all_inside(self, name: str, values: Any) -> Any:
        """An array of values of the data `name` in the device's ids."""
        return values if self._numbering is None or name not in self._names else self._numbering.all_inside(values)

    def outside(self, name: str, value: Any) -> Any:
        """The value of a scalar in the caller's ids."""
        return value if self._numbering is None or name not in self._names else self._numbering.outside(value)
