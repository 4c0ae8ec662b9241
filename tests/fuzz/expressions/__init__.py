"""Random expressions in all places of a program: every backend gives, bit for bit, what the language's page says."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy

from fuzz.campaign import Finding
from fuzz.expressions.programs import random_data, random_program
from fuzz.expressions.running import NAMES, differences, require
from fuzz.expressions.shrinking import Shrinker
from gdsl.diagnostics import GdslError

EXPRESSIONS = 40
VERTICES = 48

_chosen: tuple[str, ...] = ("reference", "binding", "cpu")


def choose_backends(names: Sequence[str]) -> None:
    """Compare these backends from now on (`binding` goes with the reference). Raises ValueError for one that cannot
    run here."""
    global _chosen
    require(names, NAMES)
    with_binding = ("binding",) if "reference" in names else ()
    _chosen = tuple(dict.fromkeys((*names, *with_binding)))


def case(generator: random.Random) -> str:
    """One program of many expressions on all chosen backends. Raises `Finding` for the first value that is wrong."""
    program = random_program(generator, EXPRESSIONS)
    with numpy.errstate(all="ignore"):
        data = random_data(generator, VERTICES)
    try:
        found = next(differences(program, data, _chosen), None)
    except GdslError as error:
        raise Finding(f"{error}\n{program.text()}") from None
    if found is None:
        return f"{len(program.targets)} expressions agree"
    shrinker = Shrinker(program, data, found)
    shrinker.shrink()
    raise Finding(shrinker.report())
