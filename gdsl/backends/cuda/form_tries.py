"""Runs in the form that earlier runs on a graph have shown to be the fastest, and in others, which are tried."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from gdsl.backends import measuring
from gdsl.backends.cuda import nvrtc
from gdsl.backends.cuda.executable_forms import ExecutableForms
from gdsl.backends.cuda.graph_record import Tried
from gdsl.backends.cuda.observed_forms import LOOK_MS, Attempt, NoTimeError, ObservedForms, seen_in
from gdsl.backends.cuda.observed_order import TooManyVisitsError
from gdsl.backends.interface import Bindings, Limits, Outcome
from gdsl.diagnostics import GdslError
from gdsl.graph.graph import Graph
from gdsl.memory_use import MemoryUse, Place
from gdsl.operations import Layout
from gdsl.plan import alternatives, work_order
from gdsl.plan.graph_class import GENERAL
from gdsl.plan.renumbering import looking_up

if TYPE_CHECKING:
    from typing import Self

_ON_GPU = MemoryUse(Place.DEVICE)
_ENDS = {"E0802": "was stopped", "E0912": "has no memory", "E0905": "does not fit"}
"""Errors that a run of another form may end with, although those of the best one do not, in words."""


class FormTries(ExecutableForms):
    """What `observed_forms` decides, done: a try must not change what a run returns, nor whether it does."""

    def _run(
        self,
        graph: Graph,
        bindings: Bindings,
        limits: Limits,
        most_visits: int = 0,
        attempt: Attempt | None = None,
    ) -> Outcome:
        """Run in one order of work; `most_visits` as in `Enactor.run`."""
        raise NotImplementedError

    def _run_in_order(self, graph: Graph, bindings: Bindings, limits: Limits) -> Outcome:
        """Run the program as it is, in the order of work that runs have shown to be the fastest."""
        raise NotImplementedError

    def _run_in_form(self, graph: Graph, bindings: Bindings, limits: Limits, forms: ObservedForms) -> Outcome:
        """Run in the form that runs on the graph have shown to be the fastest, or in one that is being tried."""
        started, former = limits.timeout and time.monotonic(), forms.kept
        if forms.tries_next and forms.can_pay and forms.fits(limits.left) and not measuring.is_on():
            outcome = self._take_turn(forms, lambda: self._run_other_form(graph, bindings, limits, forms))
            if outcome is not None:
                outcome.form_line = forms.line
                return outcome
        best, outcome = self._on(graph).best, None
        if best is not None:
            outcome = self._run_in_best(graph, bindings, limits.since(started), forms, best)
        if outcome is None:
            outcome = self._run_in_order(graph, bindings, limits.since(started))
        else:
            outcome.form_line = forms.line
        if forms.kept is not former:  # by another thread, which has freed the memory of this one
            if self._on(graph).best is not best:
                (best or self)._forget(graph)
            return outcome
        forms.note(outcome.time_ms, outcome.operators)
        if forms.is_outgrown:
            forms.begin_anew()
            self._leave_forms(graph)
        elif forms.may_begin and forms.look_fits(limits.since(started).left) and not measuring.is_on():
            self._take_turn(forms, lambda: self._choose_form(graph, forms, outcome))
        return outcome

    def _take_turn(self, forms: ObservedForms, does: Callable[[], Outcome | None]) -> Outcome | None:
        """What it does, unless another thread has the turn."""
        if not forms.turn.acquire(blocking=False):
            return None
        try:
            return does()
        finally:
            forms.turn.release()

    def _run_in_best(
        self, graph: Graph, bindings: Bindings, limits: Limits, forms: ObservedForms, best: FormTries
    ) -> Outcome | None:
        """Run in this form; None if it has no memory any more, or another order of work is better after all."""
        observed = self._on(graph).order
        most_visits = observed.most_visits if observed is not None and best._stops_at_visits else 0
        try:
            outcome = best._run(graph, bindings, limits, most_visits)
        except GdslError as error:
            if error.code != "E0912":
                raise
            why = "has no memory"
        except TooManyVisitsError as stop:
            assert observed is not None
            observed.note_stop(stop.visits, stop.ms, stop.passes, stop.usual)
            why = "visits too many edges"
        else:
            outcome.order_line = "" if observed is None else observed.line
            return outcome
        forms.drop(why)
        self._leave_forms(graph)
        return None

    def _leave_forms(self, graph: Graph) -> None:
        """Run the program as it is from now on."""
        record = self._on(graph)
        best, tried = record.best, record.tried
        record.best = record.tried = None
        for form in (best, None if tried is None else tried.form):
            if form is not None:
                form._forget(graph)
        self._free_by_degree(graph)

    @cached_property
    def _stops_at_visits(self) -> bool:
        """Whether a run can be stopped after so many visits of edges."""
        return work_order.most_visits(self.plan) is not None

    def _choose_form(self, graph: Graph, forms: ObservedForms, outcome: Outcome) -> None:
        """Decide what is tried next, after a run in the best form so far."""
        observed = self._on(graph).order
        if not forms.may_begin or (observed is not None and observed.needs_run):  # the order of work comes first
            return
        free, total = self._device.memory()
        if self._on(graph).too_large or 2 * free < total:
            forms.postpone()
            return
        began = time.monotonic()
        try:
            self._look(graph, forms, outcome)
        except Exception as error:  # the run has its results, and asked for nothing else
            forms.alternatives = []
            forms.lines = (*forms.lines, f"nothing, by {getattr(error, 'code', type(error).__name__)}")
        finally:
            forms.spend(1e3 * (time.monotonic() - began))

    def _look(self, graph: Graph, forms: ObservedForms, outcome: Outcome) -> None:
        """Find what may be tried, and whether runs have taken long enough for the first of these."""
        if forms.alternatives is None:
            ran, original = self._executable_of(graph), self._graphs.graph(graph, self.widths, self._device)
            if ran is None:  # another thread's run has put the graph elsewhere
                forms.postpone()
                return
            forms.looks_up = not ran._runs_on_own_ids
            enactor = ran._on(graph).enactor
            each = 0 if enactor is None else enactor.blocks // self._device.multiprocessors
            found = seen_in(outcome.trace, graph, original.largest_degree, outcome.layout_ms is not None, each)
            forms.alternatives = list(alternatives.alternatives(self._program, ran.plan, found))
        if not forms.alternatives:
            return
        assert self.is_built is not None
        program, graph_class = self._with(graph, (*forms.kept, forms.alternatives[0]))
        missing = int(not self.is_built(program, self.widths, graph_class))
        if forms.looks_up and program.tuning.layout is Layout.AUTO:
            missing += not self.is_built(looking_up(program), self.widths, GENERAL)
        if missing and not nvrtc.is_there():
            forms.alternatives = []
            return
        forms.compiles = missing > 0
        building = missing * max(1e3 * self.build_seconds, self._first_ms[True])
        forms.expected_ms = max(2 * self._first_ms[False] or LOOK_MS, building)
        if forms.may_begin:  # what looking has cost counts for the next one: it would put off each one for ever
            forms.begin(forms.alternatives.pop(0))

    def _run_other_form(self, graph: Graph, bindings: Bindings, limits: Limits, forms: ObservedForms) -> Outcome | None:
        """Run in the form that is being tried; None if that came to nothing."""
        trying, began = forms.trying, time.monotonic()
        if trying is None or not (forms.tries_next and forms.can_pay):  # another thread's run has decided
            return None
        record = self._on(graph)
        tried = record.tried
        is_first, outcome = tried is None or tried.alternative is not trying, None
        attempt, end = Attempt(forms.limit), ""
        try:
            if tried is None or tried.alternative is not trying:
                numbered = self._graphs.is_by_degree(graph, self.widths, self._device)
                other = self._built_form(graph, forms, trying)
                if other is None:
                    return None
                tried = record.tried = Tried(trying, other, numbered)
                forms.built()
                attempt = Attempt(forms.limit)
            left = limits.since(limits.timeout and began)
            if not forms.fits(left.left):
                return None
            outcome = tried.form._run(graph, bindings, dataclasses.replace(left, memory=_ON_GPU), 0, attempt)
        except NoTimeError:
            return None
        except Exception as error:  # what the program itself may end with, its best form ends with as well
            late = isinstance(error, GdslError) and error.code == "E0802"
            if late and limits.since(limits.timeout and began).left == 0:  # the caller's own timeout
                return None
            code = error.code if isinstance(error, GdslError) else type(error).__name__
            end = _ENDS.get(code, f"ended with {code}")
        finally:
            if is_first or outcome is None:  # or Ctrl-C
                spent = 1e3 * (time.monotonic() - began) - attempt.waited_ms
                spent -= 0.0 if outcome is None else outcome.time_ms
                forms.spend(spent)
                if outcome is not None:
                    self._first_ms[forms.compiles] = max(self._first_ms[forms.compiles], spent)
        assert tried is not None
        if end:
            forms.lose(end)
        self._note_try(graph, forms, outcome, tried)
        return outcome

    def _note_try(self, graph: Graph, forms: ObservedForms, outcome: Outcome | None, tried: Tried[Self]) -> None:
        """A run of the form has ended, or was stopped: it becomes the best one, or is given up, or goes on."""
        record = self._on(graph)
        if outcome is not None and forms.note_try(outcome.time_ms):
            former = record.best or self
            record.best, record.tried = tried.form, None
            former._forget(graph)
        elif forms.trying is None:
            record.tried = None
            tried.form._forget(graph)
            if not tried.by_degree:
                self._free_by_degree(graph)

    def _built_form(self, graph: Graph, forms: ObservedForms, trying: alternatives.Alternative) -> Self | None:
        """The form that is to be tried; None if it cannot be built: a run that asked for none must not end for it."""
        try:
            program, graph_class = self._with(graph, (*forms.kept, trying))
            other = self._build(program, self.widths, False, graph_class, 0)
        except Exception as error:
            if getattr(error, "code", "") != "E0802":  # not the caller's timeout
                forms.lose(f"could not be built ({getattr(error, 'code', type(error).__name__)})")
            return None
        other.is_alternative = True
        other.blocks_each = max(each.blocks_each for each in (*forms.kept, trying))
        return other

    def _free_by_degree(self, graph: Graph) -> None:
        """Free the graph with its vertices by degree, which a form has tried for nothing, unless another thread's run
        may use it: then it stays with the graph."""
        device = self._device
        if not device.try_acquire():
            return
        try:
            if not device.queue.runs:
                self._graphs.free_by_degree(graph, self.widths, device)
        finally:
            device.release(whole=True)
