"""Workers that have an emulated GPU each: threads of this process, of which one at a time is at work, since all
have one emulator. They meet as workers on hosts do."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from support.fake_nccl import FakeNccl
from support.thread_group import ThreadCommunicator, run_group

from gdsl.backends.cuda import plan_of
from gdsl.backends.cuda.links import Links
from gdsl.backends.cuda.share_on_device import ShareOnDevice
from gdsl.backends.cuda.worker_enactor import WorkerEnactor
from gdsl.backends.interface import Limits, Outcome
from gdsl.backends.workers.outcomes import ShareOutcome
from gdsl.binding.shares import bind_share
from gdsl.clusters.failures import Member
from gdsl.clusters.members import introduction
from gdsl.codegen.cuda.generate import generate
from gdsl.codegen.generated import CudaText
from gdsl.graph import Graph
from gdsl.graph.shares import GraphShare
from gdsl.ir.nodes import Program
from gdsl.plan.nodes import Plan
from gdsl.plan.target import Sizes

from .driver import EmulatedModule
from .running import NARROW, SMALL, device_for, program_of

T = TypeVar("T")


@dataclass(frozen=True)
class BuiltForWorkers:
    """A program, compiled for workers with an emulated GPU each."""

    program: Program
    plan: Plan
    generated: CudaText
    module: EmulatedModule


@cache
def build_for_workers(name: str, shape: Sizes = SMALL) -> BuiltForWorkers:
    """A sample, a program of the tests, or a text."""
    program = program_of(name)
    plan = plan_of(program, shape, workers=True)
    return built(program, plan)


def built(program: Program, plan: Plan) -> BuiltForWorkers:
    """The text of a plan, compiled."""
    generated = generate(plan, NARROW)
    return BuiltForWorkers(program, plan, generated, EmulatedModule(generated.text, f"{program.name}.cu"))


class TakingTurns(ThreadCommunicator):
    """The communicator of a worker that works only while it has the emulator."""

    patience = 600.0
    """One launch of the emulator may take most of a minute on a busy machine, and the others wait for their turns."""

    def __init__(self, communicator: ThreadCommunicator, emulator: threading.Lock) -> None:
        super().__init__(communicator._group, communicator.rank)
        self._emulator = emulator

    def _meet(self, value: Any) -> list[Any]:
        self._emulator.release()
        try:
            return super()._meet(value)
        finally:
            self._emulator.acquire()


def run_on_workers(
    built: BuiltForWorkers,
    graph: Graph,
    given: Mapping[str, Any],
    size: int,
    seed: int = 0,
    limits: Limits | None = None,
    direct: int | None = None,
    nccl: Callable[[Introduced], FakeNccl] | None = None,
) -> tuple[list[ShareOutcome], Outcome]:
    """What each of `size` workers has of the result, and the whole result, gathered at worker 0. Anything that the
    emulator finds is raised. `direct`: data go from GPU to GPU, by a fake of NCCL, and arrays of up to so many bytes
    are small; `nccl`: the fake of each worker."""

    def work(mine: Introduced) -> tuple[ShareOutcome, Outcome | None]:
        share = GraphShare.of(graph, mine.rank, size)
        bindings = bind_share(built.program, share, given, mine)
        device = device_for(seed + 31 * mine.rank, blocks=1 + (seed + mine.rank) % 3)
        on_device = ShareOnDevice(device, share, NARROW, built.plan, mine)
        arguments = device, built.module.get_function, built.plan, built.generated, on_device
        enactor = WorkerEnactor(mine, *arguments, blocks=device.multiprocessors)
        if direct is not None:
            links = Links((nccl or FakeNccl)(mine), mine, device, b"identity")
            links.connect()
            enactor.meet(mine, links)
            enactor.exchanger.small, enactor.exchanger.shorter = direct, 1  # type: ignore[attr-defined]
            enactor.exchanger.one_round = direct  # type: ignore[attr-defined]
        found = enactor.run_share(bindings, limits or Limits())
        outcome = ShareOutcome(found, enactor.parts, enactor.exchanger.sent, enactor.exchanger.met, mine)
        return outcome, outcome.gathered()

    outcomes = in_turns(size, work)
    whole = outcomes[0][1]
    assert whole is not None
    return [found for found, _ in outcomes], whole


class Introduced(TakingTurns):
    """A worker that knows who the others are, as those of Ray and MPI do: all are on one host."""

    @property
    def members(self) -> tuple[Member, ...]:
        """By rank."""
        return tuple(introduction(rank) for rank in range(self.size))


def in_turns(size: int, work: Callable[[Introduced], T]) -> list[T]:
    """What `work` returns for each worker, of which one at a time is at work."""
    emulator = threading.Lock()

    def mine(communicator: ThreadCommunicator) -> T:
        with emulator:
            return work(Introduced(communicator, emulator))

    return run_group(size, mine)
