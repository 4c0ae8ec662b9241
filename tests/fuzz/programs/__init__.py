"""Random whole programs: what the checker calls exact has one answer, in every order and on every backend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from fuzz.campaign import Finding
from fuzz.expressions.running import own_cache, require
from fuzz.programs import many_runs
from fuzz.programs.checks import check_backend, check_orders, check_other_ids
from fuzz.programs.groups import Group, Options
from fuzz.programs.trials import trial_of

NAMES = ("reference", "cpu", "emulator", "cuda", *many_runs.RUNNERS)
GROUP = 16
"""Programs of a case: the C++ compiler takes them all at once."""

options = Options()


def choose_backends(names: Sequence[str]) -> None:
    """Compare these backends from now on; the reference is always there. Raises ValueError for one that cannot run
    here."""
    require(names, NAMES)
    options.backends = tuple(dict.fromkeys(("reference", *names)))


def case(random: Random) -> Counter[str]:
    """Some programs, each on a graph in many orders, and then on all chosen backends. Raises `Finding`."""
    group = Group(random, options)
    with own_cache():
        for _ in range(GROUP):
            group.draw()
        group.on_backends()
    if group.findings:
        raise Finding("\n\n".join(group.findings), group.answers)
    return group.answers


def repeat(text: str) -> list[str]:
    """What is wrong with the trial that a finding's text holds, on all chosen backends. Raises GdslError."""
    trial = trial_of(text)
    with own_cache():
        found = [check_orders(trial), check_other_ids(trial)]
        found += [check_backend(name, seed)(trial) for name in options.backends[1:] for seed in range(3)]
    return [words for words in found if words is not None]
