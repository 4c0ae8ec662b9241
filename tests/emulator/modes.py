"""The ways to compile a program that the tests go through: forms, directions, balances, widths of ids, shapes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from gdsl.diagnostics import GdslError
from gdsl.ir.nodes import Advance, NeighborReduce
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Domain
from gdsl.plan.target import Sizes
from gdsl.types import Widths

from .running import NARROW, SMALL, TINY, WIDER, declared_functors, labels_in, program_of


@dataclass(frozen=True)
class Mode:
    """Tuning words and a shape, by a telling name."""

    name: str
    words: tuple[str, ...]
    shape: Sizes
    widths: Widths = NARROW


FUSED = Mode("fused", (), SMALL)
"""As a program stands."""


def subject(name: str, label: str) -> str:
    """What a tuning word calls an operator: the functor by name, a label behind an @."""
    return label if label in declared_functors(name) else f"@{label}"


@cache
def modes_of(name: str) -> tuple[Mode, ...]:
    """All modes that make a difference to a program."""
    steps = list(walk(program_of(name).schedule))
    own = declared_functors(name) | labels_in(name)
    steps = [step for step in steps if getattr(step, "label", "") in own]  # nobody can tune what lowering adds
    advances = [step for step in steps if isinstance(step, Advance)]
    advanced = sorted({subject(name, step.label) for step in advances})
    reduced = sorted({subject(name, step.label) for step in steps if isinstance(step, NeighborReduce)})
    modes = [
        FUSED,
        Mode("unfused", ("schedule.fuse=off",), SMALL),
        Mode("wide_ids", ("schedule.ids=64",), TINY, Widths.both(64)),
        Mode("wide_edges", (), SMALL, Widths(32, 64)),
    ]
    if advanced:
        push_only = {subject(name, step.label) for step in advances if step.to is Domain.EDGE}
        push, auto = (legal(name, (f"{f}.direction={way}" for f in advanced)) for way in ("push", "auto"))
        pull = legal(name, (f"{f}.direction=pull" for f in advanced if f not in push_only))
        modes += [
            Mode("push", push, WIDER),
            Mode("pull", pull, TINY),
            Mode("auto", auto, TINY),
            Mode("unfused_push", (*push, "schedule.fuse=off"), TINY),
            Mode("unfused_pull", (*pull, "schedule.fuse=off"), WIDER),
        ]
    for balance in (each.value for each in Balance if each is not Balance.AUTO):
        words = legal(name, (f"{f}.balance={balance}" for f in (*advanced, *reduced)))
        modes += [Mode(balance, words, SMALL)] if words else []
    bitmaps = legal(name, (f"{f}.frontier=bitmap" for f in advanced))
    queues = legal(name, (f"{f}.frontier=queue" for f in advanced))
    pulls = legal(name, (f"{f}.direction=pull" for f in advanced))
    duplicates = legal(name, (f"{f}.dedup=none" for f in advanced))
    modes += [Mode("bitmap", bitmaps, TINY)] if bitmaps else []
    modes += [Mode("pull_to_queue", (*pulls, *queues), SMALL)] if pulls and queues else []
    ordered = legal(name, ("schedule.order=near_far",))
    modes += [Mode("near_far", ordered, TINY)] if ordered else []
    modes += [Mode("duplicates", duplicates, TINY)] if duplicates else []
    return tuple(modes)


def legal(name: str, words: Iterable[str]) -> tuple[str, ...]:
    """Those words that a program takes."""
    found = []
    for word in words:
        try:
            program_of(name, (word,))
        except GdslError:
            continue
        found.append(word)
    return tuple(found)
