"""Random procedures: what their parameters are, and calls of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from fuzz.programs.scopes import COMMON, Data, Local, Scope


@dataclass(frozen=True)
class Procedure:
    """One of a program: parameters for a frontier and maybe for a value and an array over vertices."""

    name: str
    frontier: str
    value: Local | None
    array: Data | None

    def head(self) -> str:
        """What stands before its body."""
        parameters = [f"{self.frontier}: frontier"]
        parameters += [f"{self.value.name}: {self.value.type}"] if self.value is not None else []
        parameters += [f"{self.array.name}: vertex {self.array.type}"] if self.array is not None else []
        return f"procedure {self.name}({', '.join(parameters)})"

    def call(self, scope: Scope, data: Sequence[Data], sets: Sequence[str]) -> str | None:
        """A statement that calls it with one of `sets`; None where nothing fits its array."""
        arguments = [scope.random.choice(sets)]
        arguments += [scope.expression(self.value.type)] if self.value is not None else []
        if self.array is not None:
            fits = [each.name for each in data if is_argument(each) and each.type == self.array.type]
            if not fits:
                return None
            arguments.append(scope.random.choice(fits))
        return f"{self.name}({', '.join(arguments)});"


def is_argument(data: Data) -> bool:
    """Whether a procedure may take it as an array and write it."""
    return data.kind == "vertex" and data.is_written and not data.count


def random_procedure(random: random.Random, name: str, data: Sequence[Data]) -> Procedure:
    """One whose array, if it has any, has the type of one of `data`."""
    value = Local(f"{name}_value", random.choice(COMMON)) if random.random() < 0.5 else None
    types = [each.type for each in data if is_argument(each)]
    array = Data(f"{name}_array", "vertex", random.choice(types)) if types and random.random() < 0.6 else None
    return Procedure(name, f"{name}_set", value, array)
