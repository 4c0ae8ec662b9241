"""The host code of an exported program: what the backends do for a run, written out as C++ by the same plan."""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.backends import cpu, cuda
from gdsl.codegen.cpu.generate import generate
from gdsl.codegen.cuda.generate import generate_for_both_sides
from gdsl.codegen.generated import CppText, CudaText, data_buffers
from gdsl.codegen.literals import memory_type_name
from gdsl.codegen.templates import render
from gdsl.export.checks import ChecksPrinter
from gdsl.export.interface import Argument, Result, c_type, fixed_type
from gdsl.extents import EDGES, VERTICES, Extent, Fixed, Parts, Sum, Times, Values
from gdsl.ir import nodes as ir
from gdsl.operations import Domain
from gdsl.plan import graph_class, occupancy, structs_cpu
from gdsl.plan.buffer_nodes import GRAPH, PROBLEM, RUN, Allocator, Buffer, Cleared, Pointer, Role
from gdsl.plan.buffers import exchanged_pairs
from gdsl.plan.nodes import Launch, Plan
from gdsl.plan.walking import launches
from gdsl.plan.work_order import most_visits
from gdsl.types import Type, Widths

COUNTS, GIVEN = "counts", "given"
"""What the host code calls the lengths that the program computes, and the caller's params."""


def program_text(program: ir.Program, checks: ChecksPrinter, backend: str) -> tuple[CppText | CudaText, str]:
    """The generated text of `program`, and the host code that runs it."""
    return (_cuda_text if backend == "cuda" else _cpu_text)(program, checks)


def architectures(program: ir.Program, widths: Widths) -> str:
    """The GPUs for which a build is by default: those that have what the program needs."""
    has_wide = any(True for _ in exchanged_pairs(cuda.plan_of(program), widths))
    return "90" if has_wide else "80;90"


class _HostHelpers:
    """What the templates print buffers, params and results with."""

    def __init__(self, plan: Plan, checks: ChecksPrinter) -> None:
        self.checks, self.widths = checks, checks.widths
        self._graph_types = {
            field.name: field.type.to.removeprefix("const ")
            for field in structs_cpu.GRAPH_SLICE.fields
            if isinstance(field.type, Pointer)
        }
        self._counts = checks.counts(COUNTS, GIVEN)
        self._launches = {id(launch): place for place, launch in enumerate(launches(plan))}

    def value(self, param: ir.Param) -> str:
        """The value of a param, the caller's or the one that was computed."""
        return self._counts[param.name]

    def kernel(self, launch: Launch) -> int:
        """The number of the kernel of a launch."""
        return self._launches[id(launch)]

    def graph_type(self, part: str) -> str:
        """The type of the elements of a part of the graph."""
        return self._graph_types[part]

    def type(self, buffer: Buffer) -> str:
        """The type of the elements of a buffer."""
        return memory_type_name(buffer.element) if isinstance(buffer.element, Type) else buffer.element.name

    def argument(self, buffer: Buffer) -> Argument | None:
        """The caller's member that has the first values of a buffer; None: it has none."""
        is_given = buffer.allocator is Allocator.CALLER or buffer.cleared is Cleared.GIVEN
        return self.checks.arguments[buffer.name] if is_given else None

    def members(self, buffer: Buffer) -> list[str]:
        """A buffer's members of the struct that holds it."""
        return [f"{buffer.name}[{place}]" for place in range(buffer.copies)] or [buffer.name]

    def is_cleared(self, buffer: Buffer) -> bool:
        """Whether it holds zeros at first."""
        return buffer.cleared is Cleared.ZERO

    def size(self, buffer: Buffer) -> str:
        """The number of elements of a buffer."""
        return _size_text(buffer.extent, self._counts)

    # Results

    def each(self, result: Result) -> str:
        """How many values an element of a result has; empty where it has one."""
        return self.checks.each_text(result.count, COUNTS, GIVEN)

    def length(self, result: Result) -> str:
        """How many values a result has."""
        elements = {None: "1", Domain.VERTEX: "lists.num_vertices", Domain.EDGE: "lists.num_edges"}[result.domain]
        each = self.each(result)
        return f"{elements} * (long long)({each})" if each else elements

    def words(self, result: Result) -> int:
        """How many words of 64 bits a pair takes, which are ranks of its parts; 0 for other results."""
        return self.widths.of(result.kind) // 64 if result.kind.is_pair else 0

    def memory(self, result: Result) -> str:
        """The type of the words or values of a result in the memory of the run."""
        return "std::uint64_t" if result.kind.is_pair else fixed_type(result.kind, self.widths)

    def ranked(self, kind: Type) -> str:
        """The type by which a part of a pair is ranked: ids without a sign, `none` after all others."""
        return self.word(kind) if kind.is_id else c_type(kind)

    def word(self, kind: Type) -> str:
        """The type of its rank."""
        return f"std::uint{self.widths.of(kind)}_t"


def _cpu_text(program: ir.Program, checks: ChecksPrinter) -> tuple[CppText, str]:
    plan = cpu.plan_of(program)
    generated = generate(plan, checks.widths, linkage="static")
    buffers = data_buffers(plan)
    host = render(
        "export",
        "host_cpu.cpp.j2",
        program=program,
        interface=checks.interface,
        host=_HostHelpers(plan, checks),
        graph_type="host_graph" if plan.graphs else "graph_slice",
        parts=generated.parts,
        data=buffers,
        places={buffer.name: place for place, buffer in enumerate(buffers)},
        hoisted=len(generated.hoisted),
    )
    return generated, host


def _cuda_text(program: ir.Program, checks: ChecksPrinter) -> tuple[CudaText, str]:
    plan = cuda.plan_of(program)
    generated, members = generate_for_both_sides(plan, checks.widths)
    by_group = {group: [b for b in plan.buffers if b.group == group] for group in (GRAPH, PROBLEM, RUN)}
    host = render(
        "export",
        "host_cuda.cu.j2",
        program=program,
        interface=checks.interface,
        host=_HostHelpers(plan, checks),
        plan=plan,
        members=members,
        kernels=generated.kernels,
        occupancy=occupancy,
        graph_class=graph_class,
        may_be_stopped=most_visits(plan) is not None,
        is_narrow=plan.target.fused and occupancy.searches(plan.program),
        parts=by_group[GRAPH],
        data=by_group[PROBLEM],
        work=[buffer for buffer in by_group[RUN] if buffer.role is not Role.TRACE],
    )
    return generated, host


def _size_text(extent: Extent, counts: Mapping[str, str]) -> str:
    """The number of elements that `extent` is, in `long long`; `counts` are the texts of the params in it."""
    if isinstance(extent, Fixed):
        return f"{extent.number}ll"
    if extent == VERTICES:
        return "lists.num_vertices"
    if extent == EDGES:
        return "lists.num_edges"
    if isinstance(extent, Sum):
        return "(" + " + ".join(_size_text(term, counts) for term in extent.terms) + ")"
    if isinstance(extent, Times):
        return f"{extent.factor} * {_size_text(extent.of, counts)}"
    if isinstance(extent, Values):
        return f"(long long)({counts[extent.count]}) * {_size_text(extent.of, counts)}"
    assert isinstance(extent, Parts)
    more = f" + {extent.part - 1}" if extent.started else ""
    return f"(({_size_text(extent.of, counts)}{more}) / {extent.part})"
