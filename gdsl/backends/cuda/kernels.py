"""The kernels of a program for users who do the host's part by hand: `Program.kernels`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy

from gdsl.backends.cuda import nvrtc
from gdsl.backends.cuda.planning import check_wide_pairs, plan_of
from gdsl.backends.needs import bytes_of
from gdsl.codegen.cuda.generate import generate
from gdsl.codegen.cuda.layout import MOST_VISITS, layout_of
from gdsl.codegen.structs import element_dtype
from gdsl.diagnostics import shown
from gdsl.extents import of_graph
from gdsl.ir.nodes import Program
from gdsl.plan.buffer_nodes import GRAPH, PROBLEM, Allocator, Buffer, Cleared
from gdsl.plan.nodes import Plan
from gdsl.plan.occupancy import FEWEST_BLOCKS, MOST_BLOCKS, blocks_a_multiprocessor
from gdsl.plan.walking import launches
from gdsl.plan.work_order import most_visits
from gdsl.types import Widths

_BEFORE = {
    Cleared.GIVEN: "holds the caller's values",
    Cleared.INITIAL: "the kernel stores the initial values",
    Cleared.ZERO: "must be zeroed",
    Cleared.WRITTEN: "may hold anything",
}
_GRAPH_VALUES = ("num_vertices", "num_edges", "largest_degree")


@dataclass(frozen=True, eq=False)
class KernelBuffer:
    """An array in the GPU's memory that a kernel gets a pointer to.

    `data[group][field]` of the kernel's argument is the pointer, or if there are `copies` an array of as many, each to
    one of `nbytes` bytes. length: the number of elements in terms of V and E (and of params). before: what it must hold
    when the kernel starts. what: graph, input, result, or what the run itself needs it for.
    """

    group: str
    field: str
    dtype: numpy.dtype[Any]
    length: str
    copies: int
    before: str
    what: str
    _buffer: Buffer
    _widths: Widths

    def nbytes(self, num_vertices: int, num_edges: int, params: Mapping[str, object] | None = None) -> int:
        """The bytes of one copy for a graph with that many vertices and stored edges; `params` if the length depends on
        some."""
        sizes = of_graph(num_vertices, num_edges, params or {})
        return bytes_of(self._buffer, self._widths, sizes)

    def __repr__(self) -> str:
        copies = f"{self.copies} of " if self.copies else ""
        name = self.dtype.name if self.dtype.fields is None else f"{self.dtype.itemsize} bytes"
        return f"{self.group}.{self.field}: {copies}{name} * {self.length}, {self.what}, {self.before}"


@dataclass(frozen=True, slots=True, eq=False)
class KernelArgument:
    """An argument that a kernel gets by value, as a NumPy array of one `dtype`."""

    name: str
    dtype: numpy.dtype[Any]
    meaning: str


class Kernel:
    """One kernel, and what its launch requires.

    Every block waits for every other one, so it is launched cooperatively, with no more blocks than are resident at a
    time: `blocks`. All kernels of a run are launched with the same grid.

    name: in the source. source: CUDA C++ of the whole program. architecture: such as ``sm_90``. threads: per block.
    arguments: in order. buffers: what the pointers in the first argument refer to. values: its other fields, as (group,
    field, meaning). Fields that are neither stay 0.
    """

    cooperative = True

    def __init__(self, created: _Made, name: str, comment: str, number: int) -> None:
        """Created by `Program.kernels`."""
        self._made, self.name, self.comment, self.number = created, name, comment, number
        self.source, self.architecture = created.source, created.architecture
        self.threads = created.plan.sizes.block_threads
        self.arguments, self.buffers, self.values = created.arguments, created.buffers, created.values

    @property
    def cubin(self) -> bytes:
        """Machine code for `architecture`, with all kernels of the program. Raises E0903 without NVRTC."""
        return self._made.cubin

    @property
    def resources(self) -> nvrtc.KernelResources:
        """Registers per thread, bytes spilled, bytes of (static) shared memory per block. Raises E0903 without
        NVRTC."""
        return self._made.resources[self.name]

    @property
    def grid(self) -> str:
        """The rule for the number of blocks, in words."""
        rule = f"multiprocessors * min(blocks that fit on one, {MOST_BLOCKS})"
        if self._made.can_be_narrow:
            rule += f", or {FEWEST_BLOCKS} per multiprocessor on graphs with few edges per vertex and no long lists"
        return rule

    def blocks(self, num_vertices: int, num_edges: int, largest_degree: int) -> int:
        """The number of blocks of a run on such a graph on the current GPU."""
        import cupy
        from cupy_backends.cuda.api import driver

        runtime = cupy.cuda.runtime
        count = runtime.deviceGetAttribute(runtime.cudaDevAttrMultiProcessorCount, runtime.getDevice())
        fit = (
            driver.occupancyMaxActiveBlocksPerMultiprocessor(self._made.function(name).ptr, self.threads, 0)
            for name in self._made.names
        )
        worth = blocks_a_multiprocessor(self._made.plan, num_vertices, num_edges, largest_degree)
        return int(count) * min(int(min(fit)), worth)

    def raw(self) -> Any:
        """A `cupy.RawKernel` for the current GPU: ``raw((blocks,), (threads,), arguments)``, each argument an array of
        one `dtype`."""
        import cupy

        options = tuple(option for option in nvrtc.OPTIONS if option != "-default-device")
        return cupy.RawKernel(self.source, self.name, options, enable_cooperative_groups=True)

    def __repr__(self) -> str:
        lines = [
            f"<Kernel {self.name}, {self.architecture}: {self.comment}",
            f"  launch: cooperative, {self.threads} threads per block, static shared memory, blocks: {self.grid}",
            "  arguments:",
            *(f"    {each.name}: {each.dtype.itemsize} bytes, {each.meaning}" for each in self.arguments),
            "  values in the first:",
            *(f"    {group}.{name}: {meaning}" for group, name, meaning in self.values),
            "  pointers in the first:",
            *(f"    {buffer!r}" for buffer in self.buffers),
        ]
        return "\n".join(lines) + ">"


class Kernels(Sequence[Kernel]):
    """The kernels of a program in the order of its schedule: one if it is fused. ``kernels["name"]`` is the one of that
    name, ``kernels(arch="sm_80", ids=64)`` are those for another GPU or wider ids."""

    def __init__(
        self,
        program: Program,
        explaining: Callable[[], AbstractContextManager[None]],
        arch: str | None = None,
        ids: int = 32,
    ) -> None:
        """`explaining` adds the program's text to errors. Everything is created when it is accessed, which raises E0904
        for an unknown architecture, and E0908 if the program's pairs are too wide for it."""
        if ids not in (32, 64):
            raise ValueError(f"ids must be 32 or 64, not {ids!r}")
        self._program, self._explaining, self._ids = program, explaining, ids
        self._architecture = None if arch is None else nvrtc.normal_architecture(_word(arch))

    @cached_property
    def _kernels(self) -> list[Kernel]:
        with self._explaining():
            widths = Widths.both(self._program.tuning.ids or self._ids)
            created = _Made(self._program, widths, self._architecture or _architecture_here())
        return [
            Kernel(created, name, launch.comment, number)
            for number, (name, launch) in enumerate(zip(created.names, launches(created.plan), strict=True))
        ]

    def __call__(self, *, arch: str | None = None, ids: int = 32) -> Kernels:
        """The program's kernels for another GPU, or for graphs whose ids have `ids` bits."""
        return Kernels(self._program, self._explaining, arch, ids)

    @overload
    def __getitem__(self, which: int | str) -> Kernel: ...
    @overload
    def __getitem__(self, which: slice) -> list[Kernel]: ...
    def __getitem__(self, which: int | str | slice) -> Kernel | list[Kernel]:
        if not isinstance(which, str):
            return self._kernels[which]
        for kernel in self._kernels:
            if kernel.name == which:
                return kernel
        raise KeyError(f"{which!r}; there are {', '.join(kernel.name for kernel in self._kernels)}")

    def __len__(self) -> int:
        return len(self._kernels)

    def __iter__(self) -> Iterator[Kernel]:
        return iter(self._kernels)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._kernels))


class _Made:
    """What the kernels of a program have in common."""

    def __init__(self, program: Program, widths: Widths, architecture: str) -> None:
        self.plan, self.architecture, self._widths = plan_of(program), architecture, widths
        check_wide_pairs(self.plan, widths, architecture)
        generated = generate(self.plan, widths)
        self.source, self.names = generated.text, generated.kernels
        self._file = f"{program.name}.cu"
        dtype = layout_of(self.plan, widths).dtype(widths)
        first = KernelArgument("problem", dtype, "data_slice: the graph, the run and the program's data, by value")
        iteration = KernelArgument("iteration", numpy.dtype("i4"), "the pass of the loop around")
        self.arguments = (first,) if self.plan.target.fused else (first, iteration)
        self.buffers = tuple(
            _buffer(each, widths) for each in self.plan.buffers if each.allocator is not Allocator.PROGRAM
        )
        self.values = tuple(_values(self.plan))
        self._loaded: Any = None

    @property
    def can_be_narrow(self) -> bool:
        """Whether the number of blocks depends on the graph."""
        return blocks_a_multiprocessor(self.plan, 1 << 20, 1 << 20, 2) != MOST_BLOCKS

    @cached_property
    def cubin(self) -> bytes:
        """Compiled once."""
        return nvrtc.compile_to_cubin(self.source, self.architecture, self._file)

    @cached_property
    def resources(self) -> dict[str, nvrtc.KernelResources]:
        """By the name of the kernel."""
        return nvrtc.kernel_resources(self.source, self.architecture)

    def function(self, name: str) -> Any:
        """A kernel as the driver knows it."""
        from cupy.cuda.function import Module

        if self._loaded is None:
            self._loaded = Module()
            self._loaded.load(self.cubin)
        return self._loaded.get_function(name)


def _architecture_here() -> str:
    """That of the current GPU, or the oldest that gdsl compiles for by default."""
    try:
        import cupy

        return f"sm_{cupy.cuda.Device().compute_capability}"
    except Exception:  # CuPy is not installed, or no device answers, for which the driver has several classes of errors
        return "sm_75"


def _buffer(buffer: Buffer, widths: Widths) -> KernelBuffer:
    kind = element_dtype(buffer.element, widths)
    before, what = _BEFORE[buffer.cleared], buffer.role.value
    return KernelBuffer(
        buffer.group, buffer.name, kind, str(buffer.extent), buffer.copies, before, what, buffer, widths
    )


def _values(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """(group, field, meaning) of fields that are not pointers to buffers."""
    meanings = ("V", "E, stored edges", "the most edges of a vertex in either direction")
    yield from ((GRAPH, name, meaning) for name, meaning in zip(_GRAPH_VALUES, meanings, strict=True))
    if plan.graphs:
        yield GRAPH, "edge_bound", "E"
        yield from ((GRAPH, name, "-1") for name in ("room", "ends_room"))
    yield "run", "host_stop", "pointer to 4 bytes of the host's memory; other than 0 requests a stop"
    yield "run", "trace_capacity", "records that run.trace has room for; 0: none are recorded"
    yield "run", "max_iterations", "passes that one loop may have"
    if most_visits(plan) is not None:
        yield "run", MOST_VISITS.name, "edges that the first loop may visit before the run is stopped; 0: any number"
    yield from ((PROBLEM, param.name, f"param, {param.type.name}") for param in plan.program.params)


def _word(arch: object) -> str:
    if not isinstance(arch, str):
        raise TypeError(f"arch is a str such as 'sm_90', not {shown(arch)}")
    return arch
