"""Calls of `intersect`: as a set, with or without its number in a scalar, and as that number alone."""

from __future__ import annotations

import random
from collections.abc import Sequence

from fuzz.programs.scopes import Data


def common_neighbors(random: random.Random, data: Sequence[Data], what: str) -> str:
    """The set of those common to the ends of `what`, edges or pairs."""
    totals = [each.name for each in data if (each.kind, each.type) == ("scalar", "int64") and each.is_written]
    count = f", count={random.choice(totals)}" if totals and random.random() < 0.6 else ""
    return f"intersect({what}{count})"


def number_of_them(random: random.Random, scalar: str, what: str) -> str:
    """A statement that puts their number into `scalar`."""
    found = f"intersect({what})"
    return f"{scalar}{random.choice((f' = {found};', f' += {found};', f' = {found} // 3 - num_vertices;'))}"
