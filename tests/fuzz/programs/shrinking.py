"""From a finding to a small one: less of the program, of the graph and of the values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from fuzz.programs.edits import smaller_texts
from fuzz.programs.graphs import Shape
from fuzz.programs.trials import Trial
from gdsl.diagnostics import GdslError

Check = Callable[[Trial], str | None]
"""What is wrong with a trial, in words; None where nothing is. May raise GdslError for what is no program."""

_BLANK = re.compile(r"^\s*\n", re.MULTILINE)


def shrunk(trial: Trial, check: Check, most: int) -> Trial:
    """A trial with which `check` still finds something; at most `most` trials are made."""
    left = most
    found: Trial | None = trial
    while found is not None:
        trial, found = found, None
        for candidate in _smaller(trial):
            if left == 0:
                break
            left -= 1
            if _still(candidate, check):
                found = candidate
                break
    return replace(trial, text=_BLANK.sub("", trial.text))


def _still(trial: Trial, check: Check) -> bool:
    try:
        return check(trial) is not None
    except (GdslError, ValueError):
        return False


def _smaller(trial: Trial) -> Iterator[Trial]:
    for shape in _smaller_shapes(trial.shape):
        yield replace(trial, shape=shape)
    try:
        for text in smaller_texts(trial.text):
            if len(text) < len(trial.text):
                yield replace(trial, text=text)
    except GdslError:
        return


def _smaller_shapes(shape: Shape) -> Iterator[Shape]:
    size = len(shape.edges)
    step = size // 2
    while step > 1:
        for start in range(0, size, step):
            yield replace(shape, edges=shape.edges[:start] + shape.edges[start + step :])
        step //= 2
    for place in range(size if size <= 40 else 0):
        yield replace(shape, edges=shape.edges[:place] + shape.edges[place + 1 :])
    used = max((max(edge) for edge in shape.edges), default=-1)
    for count in {used + 1, shape.vertices // 2, shape.vertices - 1}:
        if used < count < shape.vertices:
            yield replace(shape, vertices=count)
    if not shape.directed:
        yield replace(shape, directed=True)
