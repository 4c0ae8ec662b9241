"""What tests of forms that runs try have in common: how runs are timed, and what decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gdsl.backends.cuda.executable import CudaExecutable
from gdsl.backends.cuda.observed_forms import ObservedForms
from gdsl.backends.interface import Outcome
from gdsl.graph import Graph


def deciding(monkeypatch: pytest.MonkeyPatch, kept: bool) -> None:
    """The first run of each form decides."""

    def note_try(self: ObservedForms, ms: float) -> bool:
        if kept:
            assert self.trying is not None
            self.kept, self.trying = (*self.kept, self.trying), None
        else:
            self.lose("is slower here")
        return kept

    monkeypatch.setattr(ObservedForms, "note_try", note_try)


def words(program: Any, graph: Graph) -> ObservedForms:
    executable: CudaExecutable = program.last_run(graph, "cuda")[1]
    forms = executable._on(graph).forms
    assert forms is not None
    return forms


def timed(monkeypatch: pytest.MonkeyPatch, ms_of: Callable[[CudaExecutable], float]) -> None:
    """Runs take what an executable says."""
    run = CudaExecutable._run

    def timing(self: CudaExecutable, *given: Any) -> Outcome:
        outcome = run(self, *given)
        outcome.time_ms = ms_of(self)
        return outcome

    monkeypatch.setattr(CudaExecutable, "_run", timing)


def by_blocks(executable: CudaExecutable) -> float:
    return {512: 10.0, 256: 8.0, 1024: 12.0}[executable.plan.sizes.block_threads]
