"""A random function of a program."""

from __future__ import annotations

import random

from fuzz.programs.scopes import COMMON, Function, Local, Scope


def random_function(random: random.Random) -> tuple[Function, str]:
    """One of the name `helper`, and its text."""
    parameters = tuple(random.choice(COMMON) for _ in range(random.choice((1, 1, 2))))
    result = random.choice((*parameters, "int32", "bool"))
    made = Function("helper", parameters, result)
    names = tuple(Local(f"x{place}", kind) for place, kind in enumerate(parameters))
    scope = Scope(random, locals=names)
    steps = (
        f"if ({scope.expression('bool')}) {{ return {scope.expression(result)}; }} " if random.random() < 0.5 else ""
    )
    listed = ", ".join(f"{local.name}: {local.type}" for local in names)
    text = f"function helper({listed}) -> {result} {{ {steps}return {scope.expression(result)}; }}"
    return made, text
