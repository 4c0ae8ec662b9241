"""A schedule that the host walks, a kernel a step."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from gdsl.backends import failures
from gdsl.diagnostics import GdslError
from gdsl.plan.nodes import Branch, Launch, Loop, On, Step, Swap

if TYPE_CHECKING:
    from gdsl.backends.cuda.enactor import Enactor


def signed(word: int) -> int:
    """A word of 64 bits as what it is with a sign."""
    return word - (1 << 64) if word >> 63 else word


class Walk:
    """The schedule of the plan as far as it is the host's: all of it between launches."""

    def __init__(self, enactor: Enactor) -> None:
        self.enactor = enactor
        self.passes = 0
        """Finished passes of the outermost loops."""

    def run(self) -> None:
        """Everything from the start."""
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
        """The iterations of a loop, as long as it goes on."""
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
        """The answer of a condition (of `loop`, if that is given) or a count, unless something has failed by now."""
        assert launch is not None
        self.enactor.launch(launch, iteration)
        self.enactor.device.stop_clock()
        self.enactor.memory.receive()
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
