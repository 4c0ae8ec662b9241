"""Runs of a compiled program with many values of its params on a GPU."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gdsl.backends.batch import Bounds, Part
from gdsl.backends.cuda.executable_forms import ExecutableForms
from gdsl.backends.interface import Bindings, Limits
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.plan.graph_class import GraphClass
from gdsl.plan.teams import refusal

if TYPE_CHECKING:
    from gdsl.backends.cuda.memory import GraphOnDevice
    from gdsl.backends.cuda.teams import TeamRuns

_LIMITED = "since the graph does not fit in the GPU's memory, or its memory is limited"


class BatchRuns:
    """What an executable runs for many values of params: a form of the program for teams of blocks."""

    def __init__(self) -> None:
        self._forms: dict[tuple[int, GraphClass], tuple[Program, ExecutableForms]] = {}
        """By the program's identity and the class of graphs; the program is kept alive with it, as a graph may need
        another one."""
        self._runs: weakref.WeakKeyDictionary[Graph, TeamRuns] = weakref.WeakKeyDictionary()
        """Those of the last call on each graph."""

    def run(
        self,
        executable: ExecutableForms,
        graph: Graph,
        bound: Sequence[Bindings],
        limits: Limits,
        bounds: Bounds,
        one_by_one: Callable[[str], Iterator[Part]],
    ) -> Iterator[Part]:
        """Run with each of `bound`: by teams, or `one_by_one`, which takes the reason, if the program has no form for
        them."""
        why = refusal(executable.plan)
        if why is not None or not graph.num_vertices:
            return one_by_one(f"since {why}" if why else "")
        if executable._is_limited(graph, limits):
            return one_by_one(_LIMITED)
        started = limits.timeout and time.monotonic()
        try:
            chosen, on_device = _for_graph(executable, graph, bound[0], limits)
        except GdslError as error:
            if error.code != "E0912":
                raise
            return one_by_one(_LIMITED)
        form, device = self._form_of(executable, chosen), executable._device
        from gdsl.backends.cuda.teams import TeamRuns

        runs = self._runs.get(graph)
        if runs is None or runs.plan is not form.plan or runs.on_device is not on_device:
            free_unused = partial(executable._graphs.free_unused, device)
            runs = TeamRuns(device, form.kernels.get, form.plan, form.generated, on_device, free_unused)
            self._runs[graph] = runs
        return runs.run(bound, limits.since(started), bounds)

    def _form_of(self, executable: ExecutableForms, chosen: ExecutableForms) -> ExecutableForms:
        """The form of `chosen` for teams."""
        program, graph_class = chosen._program, chosen._graph_class
        key = id(program), graph_class
        if key not in self._forms:
            self._forms[key] = program, executable._build(program, executable.widths, True, graph_class)
        return self._forms[key][1]


def _for_graph(
    executable: ExecutableForms, graph: Graph, bindings: Bindings, limits: Limits
) -> tuple[ExecutableForms, GraphOnDevice]:
    """The executable for the graph, as for a single call, and the graph with the ids it has there. Raises E0802 if the
    device is not free in time."""
    suited = executable._in_order(graph)
    suited = executable._for_graph(graph) if suited is executable else suited
    if suited is not executable:
        return _for_graph(suited, graph, bindings, limits)
    if executable._uses_other_ids(graph, bindings):
        return _for_graph(executable._with_other_ids(), graph, bindings, limits)
    with executable._device.reserved(limits.timeout):
        try:
            return executable, executable._enactor(graph, bindings, limits).on_device
        except GdslError as error:
            if error.code != "E0912" or not executable._free_memory(graph):
                raise
            return executable, executable._enactor(graph, bindings, limits).on_device
