"""Runs of a compiled program with many values of its params on a GPU."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from gdsl.backends.batch import Bounds, FailedAtError, Part, differ
from gdsl.backends.cuda import nvrtc
from gdsl.backends.cuda.executable_forms import ExecutableForms
from gdsl.backends.cuda.planning import plan_of
from gdsl.backends.cuda.team_memory import TeamLaunchMemory, TeamMemory
from gdsl.backends.cuda.teams import Call, Shape, TeamRuns
from gdsl.backends.interface import Bindings, Limits, Pair, Scalar
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph
from gdsl.ir.nodes import Program
from gdsl.plan import occupancy
from gdsl.plan.graph_class import GraphClass
from gdsl.plan.target import INSTANCES
from gdsl.plan.teams import refusal

if TYPE_CHECKING:
    from gdsl.backends.cuda.memory import GraphOnDevice
    from gdsl.backends.cuda.teams import TeamRuns


_LIMITED = "since the graph does not fit in the GPU's memory, or its memory is limited"


class BatchRuns:
    """What an executable runs for many values of params: forms of the program for teams of blocks, each of which has
    one value after the other, or one group of values."""

    def __init__(self) -> None:
        self._forms: dict[tuple[int, GraphClass, int], tuple[Program, ExecutableForms]] = {}
        """By the program's identity, the class of graphs, and the words of values at a time (0: one value); the program
        is kept alive with it, as a graph may need another one."""
        self._shared_params: dict[int, tuple[Program, tuple[str, ...] | None]] = {}
        """By the program's identity: what all values of a group must have the same; None: they do not run together."""
        self._runs: weakref.WeakKeyDictionary[Graph, dict[int, TeamRuns]] = weakref.WeakKeyDictionary()
        """Those of the last calls on each graph, by the words of values at a time."""
        self._apart: weakref.WeakSet[Graph] = weakref.WeakSet()
        """The graphs on which values have shared too few visits of edges."""

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
        began = time.monotonic()
        try:
            chosen, on_device = _for_graph(executable, graph, bound[0], limits)
        except GdslError as error:
            if error.code != "E0912":
                raise
            return one_by_one(_LIMITED)
        form = chosen, on_device, self._words(chosen, graph, bound, bounds)
        return self._parts(executable, form, bound, limits.since(began), bounds)

    def _parts(
        self,
        executable: ExecutableForms,
        form: tuple[ExecutableForms, GraphOnDevice, int],
        bound: Sequence[Bindings],
        limits: Limits,
        bounds: Bounds,
    ) -> Iterator[Part]:
        """All parts. If the memory of the graph was freed after one, it is put on the device again for the rest."""
        from gdsl.backends.cuda.teams import ReplacedGraphError

        graph, began, first = form[1].graph(), time.monotonic(), 0
        assert graph is not None
        while True:
            start, rest, left = first, bound[first:], limits.since(began)
            chosen, on_device, words = form
            try:
                if words:
                    parts = self._together(executable, form, rest, left, bounds)
                else:
                    parts = self._runs_of(executable, chosen, on_device, 0).run(rest, left, bounds)
                for part in parts:
                    yield part
                    first += len(part.iterations)
                return
            except FailedAtError as error:
                raise FailedAtError(start + error.index, error.error) from None
            except ReplacedGraphError:
                chosen, on_device = _for_graph(executable, graph, bound[first], limits.since(began))
            form = chosen, on_device, self._words(chosen, graph, bound[first:], bounds)

    def _words(self, chosen: ExecutableForms, graph: Graph, bound: Sequence[Bindings], bounds: Bounds) -> int:
        """In how many words of a vertex values have a bit each; 0: each runs by itself."""
        count = min(len(bound), bounds.at_once or len(bound))
        blocks = occupancy.side_by_side(chosen.plan, chosen._device.multiprocessors)
        words = occupancy.words_of_instances(count, graph.num_vertices + graph.num_edges, blocks)
        if not words or graph in self._apart or not nvrtc.is_there():
            return 0
        program = chosen._program
        if id(program) not in self._shared_params:
            bits = plan_of(program, verify=False, instances=1, graph=chosen._graph_class).bits
            self._shared_params[id(program)] = program, None if bits is None else bits.shared_params
        _, shared = self._shared_params[id(program)]
        return 0 if shared is None or any(differ(bound, name) for name in shared) else words

    def _together(
        self,
        executable: ExecutableForms,
        form: tuple[ExecutableForms, GraphOnDevice, int],
        bound: Sequence[Bindings],
        limits: Limits,
        bounds: Bounds,
    ) -> Iterator[Part]:
        """Groups of values; once a group is given up, the values that are left run by themselves."""

        chosen, on_device, words = form
        graph, began, first = on_device.graph(), time.monotonic(), 0
        try:
            for part in self._runs_of(executable, chosen, on_device, words).run(bound, limits, bounds):
                yield part
                first += len(part.iterations)
            return
        except ApartError as error:
            if graph is not None and error.is_lasting:
                self._apart.add(graph)
        try:
            runs = self._runs_of(executable, chosen, on_device, 0)
            yield from runs.run(bound[first:], limits.since(began), bounds)
        except FailedAtError as error:
            raise FailedAtError(first + error.index, error.error) from None

    def _runs_of(
        self, executable: ExecutableForms, chosen: ExecutableForms, on_device: GraphOnDevice, words: int
    ) -> TeamRuns:
        """Those of the form for so many words of values, on the graph."""
        from gdsl.backends.cuda.teams import TeamRuns

        form, device, graph = self._form_of(executable, chosen, words), executable._device, on_device.source
        kept = self._runs.setdefault(graph, {})
        runs = kept.get(words)
        if runs is None or runs.plan is not form.plan or runs.on_device is not on_device:
            free_unused = partial(executable._graphs.free_unused, device)
            kind = InstanceRuns if words else TeamRuns
            runs = kind(device, form.kernels.get, form.plan, form.generated, on_device, free_unused)
            kept[words] = runs
        return runs

    def _form_of(self, executable: ExecutableForms, chosen: ExecutableForms, words: int) -> ExecutableForms:
        """The form of `chosen` for teams."""
        program, graph_class = chosen._program, chosen._graph_class
        key = id(program), graph_class, words
        if key not in self._forms:
            form = executable._build(program, executable.widths, not words, graph_class, words)
            self._forms[key] = program, form
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


# The host's side of batches in which many values run together: launches in which teams of blocks take one group of


class ApartError(Exception):
    """Some group of values shares too few visits of edges, or one of its runs was stopped: nothing of the part is
    there. `is_lasting`: the former, which other values on the graph would do as well."""

    def __init__(self, is_lasting: bool) -> None:
        super().__init__()
        self.is_lasting = is_lasting


class InstanceRuns(TeamRuns):
    """Runs a program, in its form for many values at a time, on one graph and device. Raises `ApartError` where the
    values had better run by themselves."""

    reported = 0
    """None before all are done: the values of a part may run once more."""

    @property
    def at_once(self) -> int:
        """The values of a group."""
        return INSTANCES * self.plan.sizes.instance_words

    def _shape(self, left: int, bounds: Bounds, memory: TeamMemory) -> Shape:
        """How many of the remaining values fit in memory at a time, and by which teams; at least one."""
        resident = self._resident()
        count = min(left, bounds.at_once or left)
        free = self._free(bounds)
        fit = max((free - memory.of_a_team) // max(memory.of_a_value, 1), 1)
        why = "as requested" if count < left else ""
        if fit < count:
            count, why = fit, "the most that memory allows"
            count = max(count // self.at_once * self.at_once, min(count, self.at_once))
        groups = -(-count // self.at_once)
        blocks = self._blocks(groups, resident)
        room = free - count * memory.of_a_value
        teams = max(min(groups, resident // blocks, room // memory.of_a_team), 1)
        return Shape(count, teams, max(blocks, self._blocks(teams, resident)), why)

    def _blocks(self, values: int, resident: int) -> int:
        """Of each team: few teams share the blocks where the graph is work for them."""
        return super()._blocks(occupancy.teams_of_groups(values), resident)

    def _read_results(
        self, call: Call, first: int, launch_memory: TeamLaunchMemory
    ) -> tuple[list[int], dict[str, list[Scalar | Pair]]]:
        control = call.memory.controls(launch_memory)
        if call.is_late():
            self._raise_failure(call, first, control)
        if not control["done"][:: self.at_once].all():
            raise ApartError(is_lasting=not control["exhausted"].any())
        scalars = {scalar.name: call.memory.scalar(launch_memory, scalar) for scalar in self._scalars}
        return control["iterations"].tolist(), scalars

    def _how(self, total: int, shape: Shape) -> str:
        launches = f"{-(-total // shape.count):,} launches of {shape.count:,}" if shape.count < total else "one launch"
        why = f", {shape.why}" if shape.why and shape.count < total else ""
        together = f"{min(self.at_once, shape.count):,} values at a time"
        parallel = f" in each of {shape.teams:,} teams" if shape.teams > 1 else ""
        return f"{launches}{why}, {together}{parallel}, {shape.blocks:,} block{'s' if shape.blocks > 1 else ''} each"
