"""Of what a schedule makes graphs."""

from __future__ import annotations

import random
from collections.abc import Sequence

from fuzz.programs.scopes import INTEGERS, NUMBERS, Data
from gdsl.operations import JOINING_FLOATS, JOINING_INTEGERS


def made_graph(random: random.Random, data: Sequence[Data], edges: str) -> str:
    """A subgraph of `edges`, or a contraction by one of the program's arrays where one can be the label."""
    written = [each for each in data if each.is_written and not each.count]
    labels = [each.name for each in written if each.kind == "vertex" and each.type in (*INTEGERS, "vertex")]
    weights = [each for each in written if each.kind == "edge" and each.type in NUMBERS]
    if not labels or random.random() < 0.5:
        return f"subgraph({edges})"
    if not weights or random.random() < 0.4:
        return f"contract({random.choice(labels)})"
    weight = random.choice(weights)
    words = JOINING_INTEGERS if weight.type in INTEGERS else JOINING_FLOATS
    operation = f", {random.choice(words).value}" if random.random() < 0.5 else ""
    return f"contract({random.choice(labels)}, {weight.name}{operation})"
