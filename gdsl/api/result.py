"""The result of a run."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gdsl.api.convergence import Watch
from gdsl.api.conversions import Conversions
from gdsl.api.description import Data, parts_of_data, results_of
from gdsl.api.summary import Summary, finite, on_host, summarize
from gdsl.backends.interface import Outcome, Pair, Scalar, TraceRecord, parts_of, shaped
from gdsl.binding import values_of
from gdsl.diagnostics import shown
from gdsl.ir import nodes as ir
from gdsl.operations import Domain

if TYPE_CHECKING:
    from gdsl.api.origin import Origin
    from gdsl.api.tuned import Tuned
    from gdsl.backends.gpu_lanes import GpuLanes
    from gdsl.backends.workers.lanes import Lanes
    from gdsl.graph import Graph
    from gdsl.pictures.plots import Values

FRONTIER = "frontier"
"""The name for the trace in `Result.plot`, unless a result has it."""
_MOST_PANELS = 6


class Results:
    """The declared results of a program."""

    def __init__(self, program: ir.Program) -> None:
        results = results_of(program)
        self.declared = {data.name: data for data in results}
        self.arrays = [data for data in results if isinstance(data, ir.Array)]
        self.names = [array.name for array in self.arrays]
        self.scalars = [data.name for data in results if isinstance(data, ir.Scalar)]
        self.has_several = any(array.count is not None for array in self.arrays)
        self._program = program

    @cached_property
    def watch(self) -> Watch:
        """The checks for convergence."""
        return Watch(self._program)


class Result(Conversions, Mapping[str, Any]):
    """The results of a run: arrays (NumPy or, from the cuda backend, CuPy) and scalars (Python numbers).

    They are attributes and items under their declared names (``result.distance``, ``result["distance"]``); ids are
    signed, `none` is -1. An array with n values per element has the shape [V, n] or [E, n], others [V] or [E]. A pair
    is a `Pair`, ``first, second = result.best``, of two arrays or two numbers. A result whose name is also one of the
    attributes below is only available as an item.

    iterations: finished passes of the schedule's outermost loops.
    time_ms: milliseconds of the run, without compilation and transfer of the graph.
    compile_ms: milliseconds that this call spent on compiling.
    layout_ms: milliseconds that this call spent on numbering the vertices by degree, which `time_ms` leaves out: 0
    if an earlier call has done so; None if the run used the ids of the graph.
    trace: one `TraceRecord` for each operator that ran, in order.
    grade: by name how the values may differ from run to run: "exact" (not at all), "rounding" (float
    sums are added in another order: usually only the last digits, more where values cancel, overflow or are amplified),
    "converged" (as rounding, and a loop that ends by a float sum may make one pass more or fewer),
    "not unique" (after `any=`, `now`, tickets of `fetch` and decisions on float sums).
    unique: by name whether the grade is not "not unique".
    backend: the name of the backend, and `backend_line`, why `auto` chose it.
    memory_line: one line about edge lists that were in the memory of the host during a run on a GPU; else empty.
    order_line: one line about the order of work that `auto` chose from what runs on a GPU observed, and why; else
    empty.
    form_line: one line about the knobs that runs on a GPU have shown to be faster than those of `auto`; else empty.
    lanes: of a run by several workers, what each did when (`gdsl.backends.workers.lanes.Lanes`), and of a profiled run
    on several GPUs what each of them did (`gdsl.backends.gpu_lanes.GpuLanes`); else None.
    tuned: for a program with a tune file, what the run took from it (`gdsl.api.tuned.Tuned`); else None.
    """

    _origin: Origin | None = None
    """What it was computed from, for `Program.resume`."""

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
        """`params` are those of the run, which may decide how many values an element of an array has."""
        # Not the graph itself, which keeps memory of a GPU.
        self._csr, self._names = (graph._csr, graph.names) if graph is not None else (None, None)
        results = program if isinstance(program, Results) else Results(program)
        self.iterations: int = outcome.iterations
        self.time_ms: float = outcome.time_ms
        self.compile_ms: float = compile_ms
        self.layout_ms: float | None = outcome.layout_ms
        self.backend: str = backend
        self.backend_line: str = backend_line
        self.tuned: Tuned | None = None
        self.lanes: Lanes | GpuLanes | None = outcome.lanes
        self.memory_line: str = outcome.memory_line
        self.order_line: str = outcome.order_line
        self.form_line: str = outcome.form_line
        self._traced = outcome.traced
        self._declared = results.declared
        arrays = outcome.arrays  # mostly these and no others
        self._arrays = arrays if [*arrays] == results.names else {name: arrays[name] for name in results.names}
        if results.has_several and isinstance(arrays, dict):  # others have shapes when they are read
            counts = {array.name: values_of(array, params or {}) for array in results.arrays}
            self._arrays = {name: shaped(values, counts[name]) for name, values in self._arrays.items()}
        self._scalars = {name: outcome.scalars[name] for name in results.scalars} if results.scalars else {}

    @cached_property
    def unique(self) -> dict[str, bool]:
        """By name whether the grade is not "not unique"."""
        return {name: data.unique for name, data in self._declared.items()}

    @cached_property
    def grade(self) -> dict[str, str]:
        """By name how the values may differ from run to run."""
        return {name: data.grade.value for name, data in self._declared.items()}

    @property
    def trace(self) -> tuple[TraceRecord, ...]:
        """One `TraceRecord` for each operator that ran, in order."""
        traced = self._traced  # read once: another thread may replace it by the records
        if callable(traced):
            traced = self._traced = traced()
        return traced

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles have the decoded trace, and only the names of the graph."""
        return {**self.__dict__, "_traced": self.trace, "_csr": None, "_origin": None}

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
        if name in self._arrays:
            return self._arrays[name]
        if name not in self._scalars:
            raise KeyError(f"{name}: the result has {', '.join(self)}")
        return self._scalars[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self._arrays or name in self._scalars)

    def __iter__(self) -> Iterator[str]:  # without reading arrays that workers have written
        return itertools.chain(self._arrays, self._scalars)

    def __len__(self) -> int:
        return len(self._arrays) + len(self._scalars)

    def __getattr__(self, name: str) -> Any:
        """The array or scalar called `name`."""
        # Python looks up names of its own, also in a copy that has no attributes yet.
        if not (name.startswith("__") or name in ("_arrays", "_scalars", "_traced", "_origin")) and name in self:
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

        passes = f"{self.iterations:,} iteration{'' if self.iterations == 1 else 's'}"
        facts = f"{passes} on {self.backend} in {self.time_ms:.3f} ms"
        if self.compile_ms >= 1:
            facts += f", compiled in {self.compile_ms:.0f} ms"
        if self.memory_line:
            facts += f"; {self.memory_line}"
        known = self._summaries or parts_of(self._arrays)
        sizes = {name: each.size for name, each in known.items()}
        return result_page(facts, sizes, parts_of(self._scalars), self.summary, self._declared)

    def host_arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """The result arrays as NumPy arrays, wherever they are stored; a pair `best` as `best.0` and `best.1`."""
        return {name: on_host(values) for name, values in parts_of(self._arrays).items()}

    def numbers(self) -> dict[str, Scalar]:
        """The result scalars; a pair `best` as `best.0` and `best.1`."""
        return parts_of(self._scalars)

    def plot(self, name: str | None = None, ax: Any = None, *, kind: str | None = None) -> Any:
        """A picture of the result `name` (the first one; "frontier": `plot_trace`) by Matplotlib, on `ax` or new axes,
        which it returns. A small graph is drawn with the values as colors (``kind="drawing"``); for a larger one their
        distribution is drawn. Raises ValueError for unknown names and kinds, `gdsl.GdslError` E0907 without
        Matplotlib."""
        return _plot(self, name, ax, kind)

    def plot_trace(self, ax: Any = None) -> Any:
        """The size of the frontier and its edges, pass by pass, on `ax` or new axes, which it returns. Raises
        `gdsl.GdslError` E0907 without Matplotlib."""
        return _plot_trace(self, ax)

    @property
    def _summaries(self) -> Mapping[str, Summary]:
        """Those of arrays that workers have written, which are known without reading them."""
        known: Mapping[str, Summary] = getattr(self._arrays, "summaries", {})
        return known

    def summary(self) -> list[Summary]:
        """Type, size, minimum, maximum, mean, sum and grade of every result, and how many values are not finite; for
        a pair `best` those of `best.0` and of `best.1`."""
        parts = (part for name in self for part in parts_of_data(self._declared[name]))
        known = self._summaries
        values = {**({} if known else parts_of(self._arrays)), **parts_of(self._scalars)}
        return [known[part.name] if part.name in known else summarize(part, values[part.name]) for part in parts]


def _plot(result: Result, name: str | None, ax: Any, kind: str | None) -> Any:
    """`Result.plot`."""
    from gdsl.pictures.plots import plot_values

    if name is not None and not isinstance(name, str):
        raise TypeError(f"the name of a result is a str, not {shown(name)}")
    names = _names_of(result)
    if name is None:
        name = next(iter(names), FRONTIER)
    if name in names:
        return plot_values(_values(result, name, names[name]), ax, kind)
    if name != FRONTIER:
        what = "is a scalar" if name in result.scalars else "is not a result with a value for each vertex or edge"
        raise ValueError(f"{shown(name)} {what}; what can be drawn is {', '.join([*names, FRONTIER])}")
    return _plot_trace(result, ax)


def _plot_trace(result: Result, ax: Any) -> Any:
    """`Result.plot_trace`."""
    from gdsl.pictures import plots

    return plots.plot_trace(result.trace, f"{result.iterations:,} iterations on {result.backend}", ax)


def all_pictures(result: Result) -> list[Callable[[Any], object]]:
    """Functions that draw each result, as far as a page has room, and the frontier if there is more than one."""

    def drawing(name: str) -> Callable[[Any], object]:
        return lambda ax: _plot(result, name, ax, None)

    names = list(_names_of(result))[: _MOST_PANELS - 1]
    draws = [drawing(name) for name in names]
    if len(result.trace) > 1 or not draws:
        draws.append(lambda ax: _plot_trace(result, ax))
    return draws


def _names_of(result: Result) -> dict[str, tuple[Data, int | None]]:
    """What can be drawn, with its declaration and, where an element has several values, the index of one of them. A
    pair `best` is `best.0` and `best.1`."""
    arrays, owners = parts_of(result.arrays), dict[str, tuple[Data, int | None]]()
    for declared in result._declared.values():
        for part in parts_of_data(declared) if isinstance(declared, ir.Array) else ():
            shape = arrays[part.name].shape
            elements: dict[str, tuple[Data, int | None]] = {}
            if len(shape) > 1:
                elements = {f"{part.name}.{place}": (part, place) for place in range(shape[1])}
            owners.update(elements or {part.name: (part, None)})
    return owners


def _values(result: Result, name: str, which: tuple[Data, int | None]) -> Values:
    from gdsl.pictures.plots import Values

    declared, place = which
    values: NDArray[Any] = on_host(parts_of(result.arrays)[declared.name])
    values = values if place is None else values[:, place]
    is_finite = finite(declared, values)
    count = len(values) - int(np.count_nonzero(is_finite))
    apart = f"{count:,} {'none' if declared.type.is_id else 'not finite'}" if count else ""
    of_edges = isinstance(declared, ir.Array) and declared.domain is Domain.EDGE
    return Values(name, values, is_finite, apart, of_edges, result._graph)
