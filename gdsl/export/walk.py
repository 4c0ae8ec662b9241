"""The schedule of a program as far as it is the host's: C++ that starts kernels, asks and loops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdsl.plan.nodes import Branch, Launch, Loop, On, Plan, Step, Swap
from gdsl.plan.walking import launches

_INDENT = "    "


def schedule_lines(plan: Plan, kernels: tuple[str, ...], members: Mapping[str, str]) -> list[str]:
    """The lines of the schedule, of which `launch`, `ask`, `problem` and `passes` stand around."""
    names = {id(launch): name for launch, name in zip(launches(plan), kernels, strict=True)}
    return list(_Walk(names, members).lines(plan.schedule, "0", 0))


class _Walk:
    def __init__(self, kernels: Mapping[int, str], members: Mapping[str, str]) -> None:
        self._kernels, self._members = kernels, members

    def lines(self, steps: tuple[Step, ...], iteration: str, depth: int) -> Iterator[str]:
        for step in steps:
            yield from (_INDENT * depth + line for line in self._step(step, iteration, depth))

    def _step(self, step: Step, iteration: str, depth: int) -> Iterator[str]:
        if isinstance(step, Launch):
            yield f"launch({self._kernel(step)}, {iteration});"
        elif isinstance(step, Swap):
            first, second = self._members[step.step.first], self._members[step.step.second]
            yield f"std::swap(problem.{first}, problem.{second});"
        elif isinstance(step, On):
            assert step.enter is not None
            yield f"launch({self._kernel(step.enter)}, {iteration});"
            yield from self.lines(step.body, iteration, 0)
        elif isinstance(step, Branch):
            yield f"if (ask({self._kernel(step.ask)}, {iteration}) != 0) {{"
            yield from self.lines(step.then, iteration, 1)
            if step.otherwise:
                yield "} else {"
                yield from self.lines(step.otherwise, iteration, 1)
            yield "}"
        else:
            assert isinstance(step, Loop)
            yield from self._loop(step, iteration)

    def _loop(self, step: Loop, iteration: str) -> Iterator[str]:
        own, ask = f"pass_{step.number}", self._kernel(step.ask)
        if step.counted:
            most = f"most_{step.number}"
            yield f"for (long long {own} = 0, {most} = ask({ask}, {iteration}); {own} < {most}; ++{own}) {{"
        else:
            yield f"for (long long {own} = 0; ask({ask}, ::int32({own})) != 0; ++{own}) {{"
        yield from self.lines(step.body, f"::int32({own})", 1)
        if step.outermost:
            yield f"{_INDENT}++passes;"
        yield "}"

    def _kernel(self, launch: Launch | None) -> str:
        assert launch is not None
        return f"reinterpret_cast<const void*>(&gdsl::{self._kernels[id(launch)]})"
