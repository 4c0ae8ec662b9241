"""A program by several workers, and its runs with several values together: by teams of blocks, or in the bits of words.

What is compared is the run with the values of a place; those of the runs beside it are others.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any

from support.share_runs import shared_run

from fuzz.programs.graphs import given_to, random_pools
from fuzz.programs.running import Answer, Place, Runner, answered, bits_of, emulator, keep_file
from gdsl.backends.batch import Bounds, FailedAtError, Part
from gdsl.backends.cpu.backend import CpuBackend
from gdsl.backends.cpu.batch import Packing, run_batch
from gdsl.backends.cuda import plan_of as cuda_plan
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.cuda.teams import TeamRuns
from gdsl.backends.interface import Bindings, Limits, Outcome, Pair
from gdsl.binding import bind
from gdsl.codegen.cuda.generate import generate
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes as ir
from gdsl.plan import teams
from gdsl.plan.target import CPU, Sizes
from gdsl.types import Widths

_SIZES = (CPU.sizes, Sizes(small_work=0), Sizes(small_work=0, hub_degree=3, hub_chunk=2, own_votes=0, own_ends=0))
_MOST = 6
"""Values beside each other."""
_TOGETHER = 40
"""The most of them in words, which have 64 bits."""
_SLOWER = 20
"""How much longer the emulator takes than what others do."""


def on_workers(program: ir.Program, random: Random) -> tuple[Runner, str]:
    """Two or three workers, threads of this process, in the order that they happen to have."""
    sizes, size = random.choice(_SIZES), random.choice((2, 3))

    def run(place: Place, seed: int, patience: float) -> Answer:
        given = given_to(program, place.graph, place.pools)
        return answered(
            lambda limits: shared_run(program, place.graph, given, size, limits=limits, sizes=sizes)[1], patience
        )

    return run, f"{size} workers, {sizes}"


def in_words(program: ir.Program, random: Random) -> tuple[Runner, str] | None:
    """Up to 64 runs together on a CPU; None where the program's effects do not allow that."""
    sizes = Sizes(shared_visits=0, small_work=random.choice((0, CPU.sizes.small_work)))
    widths = Widths.both(bits_of(program))
    backend = CpuBackend(sizes)
    ready = backend.build_instances(program, widths)
    if ready is None:
        return None
    alone = backend.build(program, widths)  # for runs that fail together

    def parts(place: Place, bound: Sequence[Bindings], limits: Limits) -> Iterable[Part]:
        found = run_batch(alone, place.graph, bound, limits, Bounds(whole=True), Packing(lambda: ready, 0, 0, 64))
        assert found is not None
        return found

    return _among_others(program, parts, _TOGETHER, widths.vertex), f"in words, {sizes}"


def in_teams(program: ir.Program, random: Random) -> tuple[Runner, str] | None:
    """Teams of blocks on the emulator, each with one value after the other; None where there is no such form."""
    running, driver = emulator("running"), emulator("driver")
    if bits_of(program) == 64:  # teams of both widths have the same text
        return None
    shape = random.choice((running.SMALL, running.TINY, running.WIDER))
    if not program.tuning.fuse or teams.refusal(cuda_plan(program, shape, verify=False)) is not None:
        return None
    plan = cuda_plan(program, shape, teams=True)
    generated = generate(plan, running.NARROW)
    module = driver.EmulatedModule(generated.text, "program.cu")
    keep_file(module.path)

    def parts_in(seed: int) -> Callable[[Place, Sequence[Bindings], Limits], Iterable[Part]]:
        def parts(place: Place, bound: Sequence[Bindings], limits: Limits) -> Iterable[Part]:
            device = running.device_for(seed, 1 + seed % 4)
            on_device = GraphOnDevice(device, place.graph, running.NARROW)
            return TeamRuns(device, module.get_function, plan, generated, on_device).run(bound, limits, Bounds())

        return parts

    def run(place: Place, seed: int, patience: float) -> Answer:
        patience *= _SLOWER if patience >= 1 else 1
        return _among_others(program, parts_in(seed), _MOST, 32)(place, seed, patience)

    return run, f"in teams, {shape}"


def _among_others(
    program: ir.Program,
    parts: Callable[[Place, Sequence[Bindings], Limits], Iterable[Part]],
    most: int,
    id_bits: int,
) -> Runner:
    """The run with the values of a place, among up to `most` with other params and the same inputs; by itself beside
    one like it where another fails."""

    def run(place: Place, seed: int, patience: float) -> Answer:
        random = Random(seed)
        own, bound = place.bindings(program, id_bits), []
        for _ in range(random.randrange(most)):
            given = given_to(program, place.graph, place.pools)
            other = given_to(program, place.graph, random_pools(random, program))
            given |= {param.name: other[param.name] for param in program.params if param.name in other}
            with contextlib.suppress(GdslError):  # of a value that the program's conditions refuse
                bound.append(bind(program, place.graph, given, id_bits=id_bits))
        at = random.randint(0, len(bound))
        bound.insert(at, own)
        try:
            return answered(lambda limits: _numbered(own, parts(place, bound, limits), at), patience)
        except FailedAtError as error:
            if error.index == at:
                return error.error.code
        try:
            return answered(lambda limits: _numbered(own, parts(place, [own, own], limits), 1), patience)
        except FailedAtError as error:
            return error.error.code

    return run


RUNNERS: Mapping[str, Callable[[ir.Program, Random], tuple[Runner, str] | None]] = {
    "workers": on_workers, "words": in_words, "teams": in_teams,
}  # fmt: skip
"""By what `--backends` calls them."""


def _numbered(own: Bindings, parts: Iterable[Part], number: int) -> Outcome:
    """The outcome with this number, once all are there, with its inputs, as a run by itself has it."""

    def row(values: Any, at: int) -> Any:
        return Pair(*(each[at] for each in values)) if isinstance(values, Pair) else values[at]

    outcomes = [
        Outcome(
            own.inputs | {name: row(values, at) for name, values in part.arrays.items()},
            own.inputs | {name: values[at] for name, values in part.scalars.items()},
            part.iterations[at],
            part.time_ms,
        )
        for part in parts
        for at in range(len(part.iterations))
    ]
    return outcomes[number]
