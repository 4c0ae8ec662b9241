"""Programs in their form for many values: made at the first call for many, and run on each graph."""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gdsl.backends.cuda.teams import TeamRuns
from gdsl.backends.interface import Bindings, Limits
from gdsl.backends.many import Bounds, Part, one_after_the_other
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.plan.teams import refusal

if TYPE_CHECKING:
    from gdsl.backends.cuda.executable import CudaExecutable
    from gdsl.backends.cuda.memory import GraphOnDevice


class Many:
    """What an executable runs for many values; it does not know that, which has it."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Program, CudaExecutable]] = {}
        """By the program's identity, which is kept alive beside it: a graph may ask for another one."""
        self._runs: weakref.WeakKeyDictionary[Graph, TeamRuns] = weakref.WeakKeyDictionary()
        """Those of the last call on each graph."""

    def run(
        self, executable: CudaExecutable, graph: Graph, bound: Sequence[Bindings], limits: Limits, bounds: Bounds
    ) -> Iterator[Part]:
        """With each of `bound`: by teams, or one after the other where the program has no form for them."""
        why = refusal(executable.plan)
        if why is not None or not graph.num_vertices:
            return one_after_the_other(executable, graph, bound, limits, bounds, f"since {why}" if why else "")
        asked = limits.timeout and time.monotonic()
        program, on_device = _suited(executable, graph, bound[0], limits)
        made, device = self._form_of(executable, program), executable.backend.device()
        runs = self._runs.get(graph)
        if runs is None or runs.plan is not made.plan or runs.on_device is not on_device:
            let_go = partial(executable.backend.let_go, device)
            runs = TeamRuns(device, made.kernels.get, made.plan, made.generated, on_device, let_go)
            self._runs[graph] = runs
        return runs.run(bound, limits.since(asked), bounds)

    def _form_of(self, executable: CudaExecutable, program: Program) -> CudaExecutable:
        if id(program) not in self._made:
            made = executable.backend.build_for(program, executable.widths, teams=True)
            self._made[id(program)] = program, made
        return self._made[id(program)][1]


def _suited(
    executable: CudaExecutable, graph: Graph, bindings: Bindings, limits: Limits
) -> tuple[Program, GraphOnDevice]:
    """The program that suits the graph, as for a call by itself, and the graph on the ids that it has there. Raises
    E0802 where it is not its turn in time."""
    suited = executable._suited(graph)
    if suited is not executable:
        return _suited(suited, graph, bindings, limits)
    if executable._looks_up(graph, bindings):
        return _suited(executable._looking_up(), graph, bindings, limits)
    with executable.backend.device().reserved(limits.timeout):
        try:
            return executable._program, executable._enactor(graph, bindings).on_device
        except GdslError as error:
            if error.code != "E0912" or not executable._lets_go(graph):
                raise
            return executable._program, executable._enactor(graph, bindings).on_device
