"""Which knobs a run takes from a tune file: those that were found for graphs like its own on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from gdsl.api.graph_kinds import kind_of
from gdsl.api.tune_files import TuneFile
from gdsl.backends import registry
from gdsl.diagnostics import GdslError, printable
from gdsl.diagnostics.diagnostic import caution
from gdsl.graph import Graph
from gdsl.native import processor

if TYPE_CHECKING:
    from gdsl.api.program import Program

Make = Callable[[tuple[str, ...]], "Program"]


class Tuned(NamedTuple):
    """Which tune file a run had, the `knobs` that it took from it (none where nothing better was found), and the
    `reason` why it was not used; empty where it was. `stale`: as it does not fit the program, which was warned of."""

    file: str
    knobs: tuple[str, ...]
    reason: str = ""
    stale: bool = False

    @property
    def used(self) -> bool:
        """Whether the file had something for the program and the graph."""
        return not self.reason


class Picker:
    """A program's tune file, and what becomes of the program by it; what was picked for a graph is kept."""

    def __init__(self, file: TuneFile, own: tuple[str, ...] = ()) -> None:
        """Warn of a file that is stale. `own` are the words that the caller tunes the program with, who wins over the
        file wherever he says something of the same knob: a label in the file would win over his functor else."""
        self.file, self._own = file, frozenset(map(_knob, own))
        if file.stale is not None:
            caution(f"the tune file {printable(file.path)} is not used: {file.stale}; gdslc tune makes a new one")
        self._programs: dict[tuple[str, ...], Program | None] = {(): None}
        self._picked: WeakKeyDictionary[Graph, dict[str, tuple[Program | None, Tuned]]] = WeakKeyDictionary()

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles have the file alone."""
        return {"file": self.file, "_own": self._own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _programs={(): None}, _picked=WeakKeyDictionary())

    def pick(self, graph: Graph, asked: str, chosen: Callable[[], str], tuned: Make) -> tuple[Program | None, Tuned]:
        """The program for `graph`, None for the one that the caller has, and what to say of it. `asked` is the backend
        as the caller calls it, `chosen` says which one that is, and `tuned` makes the program of words."""
        kept = self._picked.setdefault(graph, {})
        found = kept.get(asked)
        if found is None:
            found = kept.setdefault(asked, self._found(graph, chosen(), tuned))
        return found

    def _found(self, graph: Graph, backend: str, tuned: Make) -> tuple[Program | None, Tuned]:
        if self.file.stale is not None:
            return None, Tuned(self.file.path, (), self.file.stale, True)
        entry = self.file.found(backend, device_of(backend), kind_of(graph))
        if isinstance(entry, str):
            return None, Tuned(self.file.path, (), entry)
        knobs = tuple(word for word in entry.knobs if _knob(word) not in self._own)
        if knobs not in self._programs:
            try:
                self._programs[knobs] = tuned(knobs)
            except GdslError as error:
                why = f"the program does not take {' '.join(knobs)}: {error.diagnostics[0].message}"
                caution(f"the tune file {printable(self.file.path)} is not used: {why}")
                return None, Tuned(self.file.path, (), why, True)
        return self._programs[knobs], Tuned(self.file.path, knobs)


def _knob(word: str) -> str:
    """The knob that a word sets, by its name alone."""
    return word.partition("=")[0].strip().rpartition(".")[2]


def device_of(backend: str) -> str:
    """What `backend` runs on, by name: the GPU, else the processor."""
    return registry.availability(backend).detail if backend == "cuda" else processor.name()
