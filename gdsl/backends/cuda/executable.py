"""A compiled program on a GPU: its runs, one at a time, queued, or with many values."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from gdsl.backends.batch import Bounds, Part, one_after_the_other
from gdsl.backends.cuda.batch_runs import BatchRuns
from gdsl.backends.cuda.form_tries import FormTries
from gdsl.backends.cuda.memory_errors import memory_error
from gdsl.backends.cuda.observed_forms import Attempt
from gdsl.backends.cuda.observed_gpus import ObservedGpus
from gdsl.backends.cuda.observed_order import TooManyVisitsError
from gdsl.backends.interface import Bindings, Build, Limits, Outcome
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph
from gdsl.memory_use import MemoryUse, Place

if TYPE_CHECKING:
    from gdsl.backends.cuda.stream_queue import InFlightRun

_ON_GPU = MemoryUse(Place.DEVICE)


class CudaExecutable(FormTries):
    """A compiled program, on the GPU that was current when it was created; `generated.text` is its source."""

    @cached_property
    def _batches(self) -> BatchRuns:
        return BatchRuns()

    def run_batch(
        self, graph: Graph, bound: Sequence[Bindings], limits: Limits, bounds: Bounds
    ) -> Iterator[Part] | None:
        """By teams, if the program has that form."""
        one_by_one = partial(one_after_the_other, self, graph, bound, limits, bounds)
        return self._batches.run(self, graph, bound, limits, bounds, one_by_one)

    def build(self, graph: Graph) -> Build:
        """Of the executable that the graph uses, with the resources of its kernels."""
        ran = self._executable_of(graph)
        assert ran is not None
        enactor, record = ran._on(graph).latest, self._on(graph)
        assert enactor is not None
        build = enactor.build()
        facts = build.facts
        if record.order is not None and record.order.line:
            facts = (*facts, ("order", record.order.line.removeprefix("order: ")))
        if record.forms is not None and record.forms.lines:
            facts = (*facts, ("tried", "; ".join(record.forms.lines)))
        return dataclasses.replace(build, facts=facts)

    def run(self, graph: Graph, bindings: Bindings, limits: Limits) -> Outcome:
        """Run on the GPU; raises GdslError if the run fails or is stopped, KeyboardInterrupt on Ctrl-C."""
        observed = self._gpus_on(graph, limits)
        if observed is None:
            forms = self._forms_on(graph, limits)
            if forms is None:
                return self._run_in_order(graph, bindings, limits)
            return self._run_in_form(graph, bindings, limits, forms)
        started = limits.timeout and time.monotonic()
        outcome = self._run_alone(graph, bindings, limits, observed) if observed.is_alone else None
        if outcome is None:
            outcome = self._run_in_order(graph, bindings, limits.since(started))
            observed.note_together(outcome.time_ms, outcome.operators)
        return outcome

    def _run_alone(self, graph: Graph, bindings: Bindings, limits: Limits, observed: ObservedGpus) -> Outcome | None:
        """Run on the first of several GPUs, if there is room for the graph. It stays there if that is faster."""
        alone, outcome = self._on_first_gpu(), None
        try:
            outcome = alone.run(graph, bindings, dataclasses.replace(limits, memory=_ON_GPU))
            observed.note_alone(outcome.time_ms)
        except GdslError as error:
            if error.code != "E0912":
                raise
            observed.give_up()
        if not observed.is_alone:
            alone.leave(graph)
        return outcome

    def _run_in_order(self, graph: Graph, bindings: Bindings, limits: Limits) -> Outcome:
        """Run on all GPUs of the executable."""
        observed = self._order_on(graph)
        if observed is None or limits.max_iterations is not None:
            return self._run(graph, bindings, limits)
        started = limits.timeout and time.monotonic()
        if not observed.is_near_far:
            try:
                outcome = self._run(graph, bindings, limits, observed.most_visits)
            except TooManyVisitsError as stop:
                observed.note_stop(stop.visits, stop.ms, stop.passes, stop.usual)
                self._latest = None  # its memory is not needed any more
            else:
                observed.note_as_given(outcome.visits, outcome.kernel_ms)
                outcome.order_line = observed.line
                return outcome
        ordered, found = self._from_near_to_far(graph), None
        try:
            found = ordered._run(graph, bindings, limits.since(started))
            observed.note_near_far(found.kernel_ms)
        except GdslError as error:
            if error.code != "E0912":
                raise
            observed.give_up()
        if found is None:  # behind the handler, whose error holds memory of that run
            found = self._run(graph, bindings, limits.since(started))
        found.order_line = observed.line
        return found

    def _run(
        self,
        graph: Graph,
        bindings: Bindings,
        limits: Limits,
        most_visits: int = 0,
        attempt: Attempt | None = None,
    ) -> Outcome:
        """Run in one order of work; `most_visits` as in `Enactor.run`."""
        enactor = self._latest_enactor(graph, bindings.own, limits.memory)
        if enactor is None:
            if not self._on(graph).has_run:
                suited = self._for_graph(graph)
                if suited is not self:
                    outcome = suited._run(graph, bindings, limits, most_visits, attempt)
                    self._note_passes(graph, suited)
                    return outcome
            if not self._is_limited(graph, limits) and self._uses_other_ids(graph, bindings):
                try:
                    return self._with_other_ids()._run(graph, bindings, limits, most_visits, attempt)
                except GdslError as error:
                    if error.code != "E0912" or not self._use_own_ids(graph):
                        raise
        device, whole, missing = self._device, False, None
        started = time.monotonic() if attempt is not None else limits.timeout and time.monotonic()
        device.acquire(limits.timeout, spent=limits.spent)  # as `reserved` does, with fewer calls
        try:
            limits = limits if started is None else limits.since(started)
            limits = limits if attempt is None else attempt.begun(limits, started or 0.0)
            try:
                if enactor is None or enactor.on_device.is_replaced:  # while this thread waited for the device
                    enactor = self._enactor(graph, bindings, limits)
                outcome = enactor.run(bindings, limits, most_visits)
            except Exception as error:
                missing = self._missing(error)
                if missing is None:
                    raise
            if missing is not None:  # behind the handler, so that a later error is not shown with this one
                outcome = self._run_with_less_memory(graph, bindings, limits, most_visits, missing)
            whole = True
            return outcome
        finally:
            # If it is raised it refers to this frame, which would keep memory until garbage is collected.
            missing = None
            device.release(whole)

    def submit(self, graph: Graph, bindings: Bindings, limits: Limits) -> InFlightRun | None:
        """Queue a run without waiting for it; None if `run` has to be used."""
        if limits.max_iterations is None:
            order, best = self._order_on(graph), self._on(graph).best
            if order is not None and order.needs_run:
                return None
            other = self._in_order(graph) if best is None else best
            if other is not self:
                return other.submit(graph, bindings, limits)
        if self._is_limited(graph, limits):
            return None
        enactor = self._latest_enactor(graph, bindings.own)
        if enactor is None:
            if self._on(graph).enactor is None:
                suited = self._for_graph(graph)
                if suited is not self:
                    return suited.submit(graph, bindings, limits)
            if self._uses_other_ids(graph, bindings):
                return self._with_other_ids().submit(graph, bindings, limits)
        device, whole = self._device, False
        started = limits.timeout and time.monotonic()
        joins = enactor is not None or self._on(graph).enactor is not None
        device.acquire(limits.timeout, joins, limits.spent)
        try:
            limits = limits if started is None else limits.since(started)
            if enactor is None or enactor.on_device.is_replaced:  # while this thread waited for the device
                enactor = self._enactor(graph, bindings, limits)
            run = enactor.submit(device, graph, bindings, limits) if enactor.can_queue(bindings) else None
            whole = True
            return run
        except Exception as error:
            whole = isinstance(error, GdslError)  # nothing of it is in progress, and queued runs must not be stopped
            if memory_error(device.cupy, error) is None:
                raise
            return None
        finally:
            device.release(whole)

    def _run_with_less_memory(
        self, graph: Graph, bindings: Bindings, limits: Limits, most_visits: int, error: GdslError
    ) -> Outcome:
        """Run after freeing memory of others, on the graph's own ids, or with edge lists in the host's memory."""
        missing: GdslError | None = None
        steps: tuple[Callable[[Graph], bool], ...] = self._free_memory, self._place_again
        if not self._is_limited(graph, limits):
            steps = self._free_memory, self._use_own_ids
            if limits.memory is None and not self.on_several_gpus:
                steps = (*steps, self._use_host)
        for makes_room in steps:
            if not makes_room(graph):
                continue
            try:
                return self._enactor(graph, bindings, limits).run(bindings, limits, most_visits)
            except Exception as failure:
                missing = self._missing(failure)
                if missing is None:
                    raise
                error = missing
        try:
            raise error
        finally:
            del error, missing  # as above

    def _missing(self, error: Exception) -> GdslError | None:
        """E0912 if a run failed for lack of memory. Its frames hold what it had, which is released when nothing of it
        is in progress: kernels read lists of the host, and only CuPy's pool reuses memory in the order of the
        stream."""
        gpus = len(set(self._device.gpu_numbers))
        missing = memory_error(self._device.cupy, error, gpus)
        if missing is not None:
            self._device.halt()
            missing.__traceback__ = missing.__context__ = None
        return missing
