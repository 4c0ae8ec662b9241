"""What exchanges are called in traces: by the operator whose values are exchanged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from gdsl.ir.nodes import Program
from gdsl.plan.exchange_nodes import Exchange
from gdsl.plan.nodes import Operation, Plan
from gdsl.plan.walking import blocks_in, step_of_launch


class ExchangeLabels(Mapping[int, str]):
    """By number of an exchange the label of the operator before it. The plan is built once a label is asked for."""

    def __init__(self, program: Program, backend: str) -> None:
        self._program, self._backend = program, backend

    def __getitem__(self, number: int) -> str:
        return self._labels[number]

    def __iter__(self) -> Iterator[int]:
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)

    @cached_property
    def _labels(self) -> dict[int, str]:
        if self._backend == "cuda":
            from gdsl.backends.cuda import plan_of as plan_on_gpu

            return labels_of(plan_on_gpu(self._program, workers=True))
        from gdsl.backends.cpu import plan_of

        return labels_of(plan_of(self._program, verify=False, workers=True))


def labels_of(plan: Plan) -> dict[int, str]:
    """By the number of each exchange of `plan` the label of the operator that it follows."""
    labels: dict[int, str] = {}
    for block in blocks_in(plan.schedule):
        last: Operation | None = None
        for step in map(step_of_launch, block):
            if isinstance(step, Operation):
                last = step
                if step.turns is not None:
                    labels[step.turns.exchange.number] = step.step.label
            elif isinstance(step, Exchange) and last is not None:
                labels[step.number] = last.step.label
    return labels
