"""Random initial values: mostly such that vertices and edges differ."""

from __future__ import annotations

import random
from collections.abc import Iterable

from fuzz.programs.scopes import IDS, NUMBERS, Data, Scope


def initial(random: random.Random, data: Data, declared: Iterable[Data]) -> str:
    """The initial value of `data` (a param's default) with its sign, or nothing; `declared` are those before it."""
    chance = random.random
    if data.is_input or chance() < 0.3 or (data.kind == "param" and data.type in IDS):
        return ""
    if data.kind == "param":
        scope = Scope(random)
        return f" = {scope.literal(data.type)}".replace(f"{data.type}(", "(") if data.type not in IDS else ""
    params = [other for other in declared if other.kind == "param" and other.type == data.type]
    if params and chance() < 0.2:
        return f" = {params[0].name}"
    if data.count and data.type in NUMBERS and chance() < 0.5:
        return f" = {data.type}(int32(id) * {random.choice('123')} + part)"
    if data.kind in IDS and data.type == data.kind and chance() < 0.7:
        return " = id"
    if data.kind in IDS and data.type in NUMBERS and chance() < 0.6:
        return f" = {data.type}(int32(id) * {random.choice('1357')} % {random.choice('3457')})"
    if data.kind in IDS and data.type == "bool" and chance() < 0.6:
        return f" = int32(id) % {random.choice('23')} == 0"
    return f" = {Scope(random).literal(data.type)}"
