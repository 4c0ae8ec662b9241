"""What is wrong with one trial: the questions that a campaign asks, and a shrinker again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from fuzz.programs import many_runs, running
from fuzz.programs.graphs import random_pools
from fuzz.programs.other_ids import on_other_ids, without_numbers
from fuzz.programs.running import Place, Runner, compiled
from fuzz.programs.trials import Orders, Trial, compare, compare_stopped, under_orders
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes as ir

ORDERS = 10
"""In how many orders the reference runs a program."""
MANY_ORDERS = 60
_RENAMED = 3
"""Other ids on which a program is tried that should not tell."""


def judge(trial: Trial, seeds: range) -> tuple[ir.Program, Orders]:
    """What the reference answers, as far as the checker lets the program pass. Raises GdslError."""
    program = compiled(trial.text)
    return program, under_orders(program, trial, seeds)


def check_orders(trial: Trial) -> str | None:
    """What is wrong with a trial on the reference alone; a shrinker's question. Raises GdslError."""
    _, orders = judge(trial, range(MANY_ORDERS))
    return None if orders.conflict is None else f"order {orders.conflict[0]}: {orders.conflict[1]}"


def check_other_ids(trial: Trial) -> str | None:
    """What differs on other ids of the vertices where the checker says that nothing does. Raises GdslError."""
    program = without_numbers(trial.text)
    if program is None:
        return None
    trial = replace(trial, pools=random_pools(Random(len(trial.text)), program))
    orders = under_orders(program, trial, range(ORDERS))
    if orders.conflict is not None:
        return None
    place, run = Place(trial.shape.graph, trial.pools), on_other_ids(program)
    found = (compare(program, place, orders, run, seed) for seed in range(_RENAMED))
    return next((f"on other ids: {how}" for how in found if how is not None), None)


def check_backend(name: str, seed: int) -> Callable[[Trial], str | None]:
    """As `check_orders`, for another backend, whose mode follows from `seed`."""

    def check(trial: Trial) -> str | None:
        program, orders = judge(trial, range(ORDERS))
        if orders.conflict is not None:
            return None
        place = Place(trial.shape.graph, trial.pools)
        try:
            for run, how in runners(name, program, trial.text, Random(seed)):
                for own in range(4):
                    found = compared(program, place, orders, run, own)
                    if found is not None:
                        return f"{name} ({how}): {found}"
        except Exception as error:  # what cannot be made ready
            return f"{name}: {type(error).__name__}: {error}"
        return None

    return check


def runners(name: str, program: ir.Program, text: str, random: Random) -> Iterator[tuple[Runner, str]]:
    """The ways in which a backend runs a program, and what each is called."""
    if name == "cpu":
        program = running.without_some(program, random)
        for sizes in running.SMALL:
            for optimized in (False, True):
                made = running.cpu_executables([program], sizes, optimized=optimized)
                how = f"{sizes}, {'-O3' if optimized else '-O0'}, without {program.tuning.without}"
                yield running.on_executable(program, made[0]), how
    elif name == "emulator":
        run, words = running.on_emulator(text, random)
        yield run, " ".join(words)
    elif name in many_runs.RUNNERS:
        found = many_runs.RUNNERS[name](program, random)
        yield from () if found is None else (found,)
    else:
        yield running.on_device(program), ""


def compared(program: ir.Program, place: Place, orders: Orders, run: Runner, seed: int) -> str | None:
    """As `compare`, and for a run that is stopped early; what the emulator finds or a compiler says is wrong, too."""
    try:
        found = compare(program, place, orders, run, seed)
        return compare_stopped(program, place, orders, run, seed % 3) if found is None else found
    except GdslError:
        raise
    except Exception as error:  # such as the emulator's, of a module that only tests have
        return f"{type(error).__name__}: {error}"
