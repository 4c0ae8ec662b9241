"""The host walks the schedule of a plan, and has each of its kernels launched: with `--fuse off`, and for workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol

from gdsl.backends import failures
from gdsl.backends.cuda.protocol import Device, signed
from gdsl.backends.cuda.run_memory import RunMemory
from gdsl.backends.interface import Limits
from gdsl.diagnostics import GdslError
from gdsl.plan.nodes import Branch, Launch, Loop, On, Plan, Step, Swap


class Launcher(Protocol):
    """What launches the kernels of one run (`Enactor`)."""

    plan: Plan
    device: Device
    limits: Limits

    @property
    def memory(self) -> RunMemory:
        """The memory of the run."""

    def launch(self, launch: Launch, iteration: int) -> None:
        """Launch one kernel."""

    def is_late(self) -> bool:
        """Whether the time is over."""

    def control(self) -> dict[str, int]:
        """The words of the control block, as the host has them."""

    def raise_failure(self, control: dict[str, int], late: Callable[[], GdslError] | None = None) -> None:
        """Raise what the kernels say has failed."""


class Walk:
    """The part of the plan's schedule that the host executes: everything between launches."""

    def __init__(self, enactor: Launcher) -> None:
        self.enactor = enactor
        self.passes = 0
        """Finished passes of the outermost loops."""

    def run(self) -> None:
        """Execute the whole schedule."""
        self._steps(self.enactor.plan.schedule, 0)

    def _steps(self, steps: tuple[Step, ...], iteration: int) -> None:
        for step in steps:
            if isinstance(step, Launch):
                self.enactor.launch(step, iteration)
            elif isinstance(step, Swap):
                self._swap(step)
            elif isinstance(step, On):
                assert step.enter is not None
                self.enactor.launch(step.enter, iteration)
                self._steps(step.body, iteration)
            elif isinstance(step, Branch):
                self._steps(step.then if self._ask(step.ask, iteration) else step.otherwise, iteration)
            else:
                assert isinstance(step, Loop)
                self._loop(step, self._passes(step, iteration))

    def _passes(self, step: Loop, iteration: int) -> Iterator[int]:
        """The iterations of a loop, as long as it continues."""
        if step.counted:
            yield from range(max(0, self._ask(step.ask, iteration)))
            return
        now = 0
        while self._ask(step.ask, now, step):
            yield now
            now += 1

    def _loop(self, step: Loop, passes: Iterator[int]) -> None:
        limit = self.enactor.limits.max_iterations
        for iteration in passes:
            if limit is not None and iteration >= limit:
                raise failures.iterations_error(self.enactor.plan.program, step.number, limit)
            self._steps(step.body, iteration)
            self.passes += step.outermost

    def _ask(self, launch: Launch | None, iteration: int, loop: Loop | None = None) -> int:
        """The answer of a condition (of `loop`, if it is given) or a count. Raises what has failed so far."""
        assert launch is not None
        self.enactor.launch(launch, iteration)
        self.enactor.device.stop_clock()
        self.enactor.memory.transfers.receive()
        self.enactor.device.end()
        self.enactor.device.wait(self.enactor.is_late)
        control = self.enactor.control()
        late = partial(self._late, loop, iteration)
        self.enactor.raise_failure(control, late)
        if self.enactor.is_late():
            raise late()
        return signed(control["answer"])

    def _late(self, loop: Loop | None, iteration: int) -> GdslError:
        number = loop.number if loop is not None else None
        return failures.late_in_loop(self.enactor.plan.program, self.enactor.limits.timeout, number, iteration)

    def _swap(self, swap: Swap) -> None:
        memory = self.enactor.memory
        first, second = swap.step.first, swap.step.second
        memory.rename({first: memory.names[second], second: memory.names[first]}, point=True)
