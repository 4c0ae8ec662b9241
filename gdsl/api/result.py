"""What a run gives back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gdsl.api.convergence import Watch
from gdsl.api.description import parts_of_data, results_of
from gdsl.api.result_tables import Tables
from gdsl.api.summary import Summary, on_host, summarize
from gdsl.backends.interface import Outcome, Pair, Scalar, TraceRecord, parts_of, shaped
from gdsl.binding import values_of
from gdsl.diagnostics import shown
from gdsl.ir import nodes as ir

if TYPE_CHECKING:
    from gdsl.api.tuned import Tuned
    from gdsl.graph import Graph


class Results:
    """What every run of a program gives back."""

    def __init__(self, program: ir.Program) -> None:
        found = results_of(program)
        self.declared = {data.name: data for data in found}
        self.arrays = [data for data in found if isinstance(data, ir.Array)]
        self.names = [array.name for array in self.arrays]
        self.scalars = [data.name for data in found if isinstance(data, ir.Scalar)]
        self.has_several = any(array.count is not None for array in self.arrays)
        self._program = program

    @cached_property
    def watch(self) -> Watch:
        """What is looked at in the results of each run."""
        return Watch(self._program)


class Result(Tables, Mapping[str, Any]):
    """The results of a run: arrays (NumPy or, from the cuda backend, CuPy) and scalars (Python numbers).

    They are attributes and items under their declared names (``result.distance``, ``result["distance"]``); ids are
    signed, `none` is -1. An array of n values an element has the shape [V, n] or [E, n], others [V] or [E]. A pair is
    a `Pair`, ``first, second = result.best``, of two arrays or two numbers. A result whose name is also one of the
    attributes below is reached as an item only.

    iterations: finished passes of the schedule's outermost loops.
    time_ms: milliseconds of the run, without compilation and transfer of the graph.
    compile_ms: milliseconds that this call spent on compiling.
    layout_ms: milliseconds that this call spent on numbering the vertices by degree, which `time_ms` leaves out: 0
    where that is kept from an earlier one; None where the run was on the ids of the graph.
    trace: one `TraceRecord` for each operator that ran, in order.
    grade: by name what the values may differ in from run to run: "exact" (nothing), "rounding" (float
    sums are added in another order: mostly the last digits, more where values cancel, overflow or are amplified),
    "converged" (as rounding, and a loop that a float sum ends may make one pass more or less),
    "not unique" (after `any=`, `now`, tickets of `fetch` and decisions on float sums).
    unique: by name whether the grade is another than "not unique".
    backend: the name of the backend, and `backend_line`, why `auto` took it.
    tuned: of a program with a tune file what the run took from it (`gdsl.api.tuned.Tuned`); else None.
    """

    def __init__(
        self,
        program: ir.Program | Results,
        outcome: Outcome,
        backend: str,
        backend_line: str = "",
        compile_ms: float = 0.0,
        params: Mapping[str, object] | None = None,
        graph: Graph | None = None,
    ) -> None:
        """`params` are those of the run, which may say how many values an element of an array has."""
        # Not the graph itself, with which memory of a GPU would stay.
        self._csr, self._names = (graph._csr, graph.names) if graph is not None else (None, None)
        results = program if isinstance(program, Results) else Results(program)
        self.iterations: int = outcome.iterations
        self.time_ms: float = outcome.time_ms
        self.compile_ms: float = compile_ms
        self.layout_ms: float | None = outcome.layout_ms
        self.backend: str = backend
        self.backend_line: str = backend_line
        self.tuned: Tuned | None = None
        self._traced = outcome.traced
        self._declared = results.declared
        found = outcome.arrays  # all of them and no others most often
        self._arrays = found if [*found] == results.names else {name: found[name] for name in results.names}
        if results.has_several:
            counts = {array.name: values_of(array, params or {}) for array in results.arrays}
            self._arrays = {name: shaped(values, counts[name]) for name, values in self._arrays.items()}
        self._scalars = {name: outcome.scalars[name] for name in results.scalars} if results.scalars else {}

    @cached_property
    def unique(self) -> dict[str, bool]:
        """By name whether the grade is another than "not unique"."""
        return {name: data.unique for name, data in self._declared.items()}

    @cached_property
    def grade(self) -> dict[str, str]:
        """By name what the values may differ in from run to run."""
        return {name: data.grade.value for name, data in self._declared.items()}

    @property
    def trace(self) -> tuple[TraceRecord, ...]:
        """One `TraceRecord` for each operator that ran, in order."""
        traced = self._traced  # once: another thread may put the records there
        if callable(traced):
            traced = self._traced = traced()
        return traced

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles have the trace, and not what it is decoded from; of the graph they have the names."""
        return {**self.__dict__, "_traced": self.trace, "_csr": None}

    @property
    def arrays(self) -> dict[str, Any]:
        """The result arrays by name."""
        return self._arrays

    @property
    def scalars(self) -> dict[str, Scalar | Pair]:
        """The result scalars by name."""
        return self._scalars

    def __getitem__(self, name: str) -> Any:
        """The array or scalar called `name`."""
        if not isinstance(name, str):
            raise KeyError(shown(name))
        return self._arrays[name] if name in self._arrays else self._scalars[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._arrays, **self._scalars})

    def __len__(self) -> int:
        return len(self._arrays) + len(self._scalars)

    def __getattr__(self, name: str) -> Any:
        """The array or scalar called `name`."""
        # Python asks for names of its own (and in a copy that is being made, nothing is there yet).
        if not (name.startswith("__") or name in ("_arrays", "_scalars", "_traced")) and name in self:
            return self[name]
        have = "" if name.startswith("_") else f"; it has {', '.join(self)}"
        raise AttributeError(f"the result has no {name!r}{have}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self})

    def __repr__(self) -> str:
        names = ", ".join(self)
        return f"<Result: {names}; {self.iterations} iterations, {self.time_ms:.3f} ms, {self.backend}>"

    def _repr_html_(self) -> str | None:
        from gdsl.api.display import result_page

        return result_page(self)

    def host_arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """The result arrays as NumPy arrays, wherever they lie; a pair `best` as `best.0` and `best.1`."""
        return {name: on_host(values) for name, values in parts_of(self._arrays).items()}

    def numbers(self) -> dict[str, Scalar]:
        """The result scalars; a pair `best` as `best.0` and `best.1`."""
        return parts_of(self._scalars)

    def plot(self, name: str | None = None, ax: Any = None, *, kind: str | None = None) -> Any:
        """A picture of the result `name` (the first one; "frontier": `plot_trace`) by Matplotlib, on `ax` or new axes,
        which it returns. A small graph is drawn with the values as colours (``kind="drawing"``), of a larger one it is
        their distribution. Raises ValueError for names and kinds that there are not, `gdsl.GdslError` E0907 without
        Matplotlib."""
        from gdsl.api.plotting import plot

        return plot(self, name, ax, kind)

    def plot_trace(self, ax: Any = None) -> Any:
        """The size of the frontier and its edges, pass by pass, on `ax` or new axes, which it returns. Raises
        `gdsl.GdslError` E0907 without Matplotlib."""
        from gdsl.api.plotting import plot_trace

        return plot_trace(self, ax)

    def summary(self) -> list[Summary]:
        """Type, size, minimum, maximum, mean, sum and grade of every result, and how many values are not finite; of a
        pair `best` those of `best.0` and of `best.1`."""
        found = {**parts_of(self._arrays), **parts_of(self._scalars)}
        parts = (part for name in self for part in parts_of_data(self._declared[name]))
        return [summarize(part, found[part.name]) for part in parts]
