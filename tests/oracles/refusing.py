"""Spoiling right answers, to see that an oracle notices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def spoiled(answers: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(the name of a result, the answers with one value of it changed), for every result that has a value."""
    for name, value in answers.items():
        array = np.array(value)
        if array.size == 0:
            continue
        flat = array.reshape(-1)
        at = array.size // 2
        flat[at] = changed(flat[at])
        yield name, {**answers, name: array if np.ndim(value) else array.item()}


def changed(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, np.bool_):
        return not value
    if isinstance(value, np.floating):
        return 3.0 if not np.isfinite(value) else value * 2 + 1
    return value - 1 if value > 0 else value + 1
