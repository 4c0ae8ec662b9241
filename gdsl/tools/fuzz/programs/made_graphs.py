"""Of what a schedule makes graphs."""

from __future__ import annotations

import random
from collections.abc import Sequence

from gdsl.tools.fuzz.programs.scopes import INTEGERS, NUMBERS, Data


def made_graph(random: random.Random, data: Sequence[Data], edges: str) -> str:
    """A subgraph of `edges`, or a contraction by one of the program's arrays where one can be the label."""
    written = [each for each in data if each.is_written and not each.count]
    labels = [each.name for each in written if each.kind == "vertex" and each.type in (*INTEGERS, "vertex")]
    weights = [each.name for each in written if each.kind == "edge" and each.type in NUMBERS]
    if not labels or random.random() < 0.5:
        return f"subgraph({edges})"
    weight = f", {random.choice(weights)}" if weights and random.random() < 0.6 else ""
    return f"contract({random.choice(labels)}{weight})"
