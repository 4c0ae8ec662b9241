"""Which knobs a run takes from a tune file: those found for graphs like its own on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from gdsl.api.tune_files import TuneFile, kind_of
from gdsl.backends import registry
from gdsl.diagnostics import GdslError, printable
from gdsl.diagnostics.diagnostic import caution
from gdsl.graph import Graph
from gdsl.native import processor

Program = TypeVar("Program")
Words = tuple[str, ...]


class Tuned(NamedTuple):
    """Which tune file a run had, the `knobs` that it took from it (none where nothing better was found), and the
    `reason` why it was not used; empty where it was. `stale`: the file does not fit the program, which a warning said.
    """

    file: str
    knobs: tuple[str, ...]
    reason: str = ""
    stale: bool = False

    @property
    def used(self) -> bool:
        """Whether the file had something for the program and the graph."""
        return not self.reason


class Picker:
    """A program's tune file, and the program tuned by it; the choice for each graph is kept."""

    def __init__(self, file: TuneFile, own: Words = ()) -> None:
        """Warn of a stale file. `own` are the caller's tuning words, which take precedence wherever they set the same
        knob: a label in the file would otherwise win over the caller's functor."""
        self.file, self._own = file, frozenset(map(_knob, own))
        if file.stale is not None:
            caution(f"the tune file {printable(file.path)} is not used: {file.stale}; gdslc tune makes a new one")
        self._programs: dict[Words, Any] = {(): None}
        self._picked: WeakKeyDictionary[Graph, dict[str, tuple[Any, Tuned]]] = WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles have the file alone."""
        return {"file": self.file, "_own": self._own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _programs={(): None}, _picked=WeakKeyDictionary())

    def pick(
        self, graph: Graph, requested: str, chosen: Callable[[], str], tune: Callable[[Words], Program]
    ) -> tuple[Program | None, Tuned]:
        """The program for `graph`, None for the caller's own, and what `Result.tuned` says. `requested` is the option
        `backend`, `chosen` returns the backend's name, and `tune` creates the program with some words."""
        choices = self._picked.setdefault(graph, {})
        choice = choices.get(requested)
        if choice is None:
            choice = choices.setdefault(requested, self._choose(graph, chosen(), tune))
        return choice

    def _choose(self, graph: Graph, backend: str, tune: Callable[[Words], Program]) -> tuple[Program | None, Tuned]:
        if self.file.stale is not None:
            return None, Tuned(self.file.path, (), self.file.stale, True)
        entry = self.file.entry_for(backend, device_of(backend), kind_of(graph))
        if isinstance(entry, str):
            return None, Tuned(self.file.path, (), entry)
        knobs = tuple(word for word in entry.knobs if _knob(word) not in self._own)
        if knobs not in self._programs:
            try:
                self._programs[knobs] = tune(knobs)
            except GdslError as error:
                why = f"the program does not take {' '.join(knobs)}: {error.diagnostics[0].message}"
                caution(f"the tune file {printable(self.file.path)} is not used: {why}")
                return None, Tuned(self.file.path, (), why, True)
        return self._programs[knobs], Tuned(self.file.path, knobs)


def _knob(word: str) -> str:
    """The name of the knob that a word sets."""
    return word.partition("=")[0].strip().rpartition(".")[2]


def device_of(backend: str) -> str:
    """The name of the device that `backend` runs on: the GPU, or the processor."""
    return registry.availability(backend).detail if backend == "cuda" else processor.name()
