"""From a program after its passes to CUDA C++."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import PurePath

from gdsl.codegen.comments import comment_lines
from gdsl.codegen.cuda import runtime
from gdsl.codegen.cuda.functors import FunctorTexts
from gdsl.codegen.cuda.host import HostStep
from gdsl.codegen.cuda.layout import (
    Member,
    graph_members,
    problem_members,
    run_members,
    struct_text,
)
from gdsl.codegen.cuda.operators import OperatorPlanner
from gdsl.codegen.cuda.plan import Assignment, Constant, InitialLoop, Kernel, OperatorPlan, Totals
from gdsl.codegen.cuda.schedule import ScheduleWriter
from gdsl.codegen.cuda.steps import StepPrinter
from gdsl.codegen.expressions import CheckTable
from gdsl.codegen.functions import FunctionPrinter
from gdsl.codegen.lines import number_lines
from gdsl.codegen.names import Names, identifiers_of
from gdsl.codegen.templates import render
from gdsl.ir.calls import function_order, inlined_sizes
from gdsl.ir.nodes import Array, Expression, Literal, NoneId, Operator, OwnId, Param, Program, Scalar
from gdsl.ir.traversal import walk
from gdsl.operations import Domain
from gdsl.types import ScalarType
from gdsl.version import __version__

_INLINE = "__device__ __forceinline__"
_MOST_INLINED = 10_000
"""Nodes that a function may have with all that it calls in place; where each calls the next twice there is no end."""

_OWN_WORDS = """problem shared run d iteration times members spare seen directions direction saved input result out
visit visit_back value value_back combine reduced selects pulls size chunks total totals a b i id near at total"""
"""Names that the templates and the schedule's printer write, beside those of the runtime."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The numbers that a generated program is built for; results never depend on them."""

    block_threads: int = 512
    hub_degree: int = 512
    """Lists of this many edges and more are cut into chunks."""
    hub_chunk: int = 512
    """Edges a chunk."""
    pull_prefix: int = 32
    """Edges of a long list that a closing pull tries before it leaves the rest to others."""
    short_list: int = 8
    """Lists up to this long are reduced by a thread each."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated program: its text, and what the host must know to run it."""

    text: str
    entry: str
    """The kernel of the fused form, or the first of the unfused one."""
    schedule: tuple[HostStep, ...] | None
    """What the host walks; None in the fused form."""
    checks: CheckTable
    swapped: tuple[str, ...]
    """The arrays and scalars whose place at the end the fused kernel reports, in that order."""
    members: tuple[Member, ...]
    """The problem data, as in `data_slice`."""
    member_of: dict[str, str]
    """The member for each param, array and scalar of the program."""
    temporaries: tuple[tuple[str, str], ...]
    """(member, array) for each array that a `neighbor_reduce` computes into before it stores."""
    shape: Shape
    uses: frozenset[str]
    """Names of the runtime that are in the text: they decide what must be allocated."""


def generate(program: Program, id_bits: int, shape: Shape | None = None) -> Generated:
    """CUDA C++ of `program`, after the passes of its form, for ids of `id_bits` bits."""
    shape = shape or Shape(block_threads=program.tuning.block or Shape().block_threads)
    program = dataclasses.replace(program, source_name=PurePath(program.source_name).name)
    return _Generation(program, id_bits, shape).run()


class _Generation:
    def __init__(self, program: Program, id_bits: int, shape: Shape) -> None:
        self.program, self.id_bits, self.shape = program, id_bits, shape
        self.names = Names(program, runtime.reserved_text() + _OWN_WORDS)
        self.checks = CheckTable(enabled=program.tuning.bounds)
        self.printer = FunctionPrinter(program, self.names, self.checks)
        self.texts = FunctorTexts(program, self.printer, self.names)
        self.planner = OperatorPlanner(program, self.texts)

    def run(self) -> Generated:
        operators = self._operators()
        by_site = {plan.site: plan for plan in operators}
        steps = StepPrinter(self.printer.expressions(), by_site, self.program.tuning.fuse)
        writer = ScheduleWriter(self.program, steps)
        schedule: tuple[HostStep, ...] | None = None
        swapped: tuple[str, ...] = ()
        if self.program.tuning.fuse:
            swapped = writer.fused()
        else:
            schedule = writer.unfused()
        members = self._members()
        body = render(
            "cuda",
            "body.cu.j2",
            functions=self._functions(),
            operators=operators,
            initial_loops=self._initial_loops(),
            initial_scalars=self._initial_scalars(),
            kernels=writer.kernels,
        )
        text, uses = self._text(body, members, writer)
        return Generated(
            text,
            writer.kernels[0].name,
            schedule,
            self.checks,
            swapped,
            members,
            {part.name: self.names.member(part.name) for part in self._data()},
            tuple((member.removeprefix("d."), array) for array, member in self.planner.temporaries.items()),
            self.shape,
            uses,
        )

    def _text(self, body: str, members: tuple[Member, ...], writer: ScheduleWriter) -> tuple[str, frozenset[str]]:
        """The whole file around `body`, and the names of the runtime that are in it."""
        platform, pieces, uses = self._link(body, members, writer)
        text = render(
            "cuda",
            "program.cu.j2",
            head=self._head(),
            platform=platform,
            id_type=f"uint{self.id_bits}",
            constants=self._constants(uses),
            runtime=pieces,
            body=body,
        )
        return number_lines(text, f"{self.program.name}.cu"), uses

    def _data(self) -> tuple[Param | Array | Scalar, ...]:
        return (*self.program.params, *self.program.arrays, *self.program.scalars)

    def _operators(self) -> tuple[OperatorPlan, ...]:
        operators = [node for node in walk(self.program.schedule) if isinstance(node, Operator)]
        return tuple(self.planner.plan(op) for op in operators)

    def _functions(self) -> list[str]:
        totals = [_totals_text(totals) for totals in self.texts.all_totals.values()]
        sizes = inlined_sizes(self.program)
        own = [
            text.definition(_INLINE if sizes[function.name] <= _MOST_INLINED else "__device__ __noinline__")
            for function, text in zip(function_order(self.program), self.printer.functions(), strict=True)
        ]
        made = [text.definition(_INLINE) for text in self.texts.made.values() if text is not None]
        return [*totals, *own, *made]

    def _members(self) -> tuple[Member, ...]:
        members = problem_members(self.program, self.names, self.id_bits)
        arrays = {array.name: array for array in self.program.arrays}
        extra = tuple(
            Member(member.removeprefix("d."), f"{arrays[array].type.value}*", "u8", f"{array} before it is stored")
            for array, member in self.planner.temporaries.items()
        )
        return (*extra, *members)

    def _initial_loops(self) -> list[InitialLoop]:
        loops = []
        for domain, count in ((Domain.VERTEX, "d.graph.num_vertices"), (Domain.EDGE, "d.graph.num_edges")):
            arrays = [a for a in self.program.arrays if a.domain is domain and a.initial is not None and not a.is_input]
            values = tuple(
                Assignment(f"d.{self.names.member(a.name)}[i]", self.printer.expressions().print(a.initial))
                for a in arrays
                if a.initial is not None
            )
            uses_id = any(isinstance(node, OwnId) for a in arrays for node in walk(a.initial))
            if values:
                loops.append(InitialLoop(count, domain.value, uses_id, values))
        return loops

    def _initial_scalars(self) -> list[Assignment]:
        return [
            Assignment(self.printer.expressions().scalar(s.name), self._initial(s.initial, s.type))
            for s in self.program.scalars
            if not s.is_input
        ]

    def _initial(self, initial: Expression | None, type_: ScalarType) -> str:
        if initial is not None:
            return self.printer.expressions().print(initial)
        span = self.program.span
        return self.printer.expressions().print(
            NoneId(span, type_) if type_.is_id else Literal(span, type_, False if type_ is ScalarType.BOOL else 0)
        )

    def _link(
        self, body: str, members: tuple[Member, ...], writer: ScheduleWriter
    ) -> tuple[list[str], list[str], frozenset[str]]:
        """The runtime's pieces that `body` needs, around the structs of this program."""
        slots = len(self.program.frontiers) + 1
        structs = {
            "graph_slice": struct_text("graph_slice", graph_members()),
            "run_slice": struct_text("run_slice", run_members(slots)),
            "data_slice": struct_text("data_slice", members, "graph_slice graph;\n    run_slice run;"),
            "saved_state": "\n".join(
                ["struct saved_state {", *(f"    {member}" for member in writer.state_members()), "};"]
            ),
            "block_storage": _block_storage(frozenset({"collector", "block_reduce", "push_blocks"})),
        }
        _, pieces = runtime.link(body, structs)
        uses = identifiers_of("\n".join([body, *pieces]))
        structs["block_storage"] = _block_storage(identifiers_of(body) | _called(pieces))
        platform, pieces = runtime.link(body, structs)
        return platform, pieces, uses

    def _constants(self, uses: frozenset[str]) -> list[Constant]:
        shape = self.shape
        constants = [
            Constant("uint32", "BLOCK_THREADS", shape.block_threads, "threads a block"),
            Constant("uint32", "HUB_DEGREE", shape.hub_degree, "lists this long are cut into chunks"),
            Constant("uint32", "HUB_CHUNK", shape.hub_chunk, "edges a chunk"),
            Constant("uint32", "PULL_PREFIX", shape.pull_prefix, "edges of a long list that are tried first"),
            Constant("uint32", "SHORT_LIST", shape.short_list, "lists up to this long are reduced by a thread each"),
        ]
        return [constant for constant in constants if constant.name in uses or constant.name == "BLOCK_THREADS"]

    def _head(self) -> list[str]:
        program, tuning = self.program, self.program.tuning
        options = [
            f"{self.id_bits}-bit ids",
            "one persistent kernel" if tuning.fuse else "a kernel a step",
            f"{self.shape.block_threads} threads a block",
            "computed indices checked" if tuning.bounds else "computed indices not checked",
        ]
        doc = ["", *comment_lines(program.doc)] if program.doc.strip() else []
        title = f"{program.name}: generated by gdsl {__version__} from {comment_lines(program.source_name)[0]}"
        return [title, f"({', '.join(options)})", *doc]


def _called(pieces: list[str]) -> frozenset[str]:
    return identifiers_of("\n".join(piece for piece in pieces if not piece.startswith("struct block_storage")))


def _block_storage(uses: frozenset[str]) -> str:
    lines = [
        "struct block_storage {",
        "    uint64 polled_at;     // when the host's flag was last read; the leader's block only",
        "    bool stop_requested;  // seen by the leader, who decides at which barrier the run stops",
        "    bool stopped;",
    ]
    if "collector" in uses:
        lines.append("    vertex staged[BLOCK_THREADS / 32][64];  // a warp's accepted vertices")
    if "block_reduce" in uses:
        lines.append("    uint64 partials[32];  // a value a warp")
    if "push_blocks" in uses:
        lines.append("    block_tile tile;")
    return "\n".join([*lines, "};"])


def _totals_text(totals: Totals) -> str:
    members = [f"    {m.type} {m.name} = {m.identity};" for m in totals.members]
    return "\n".join([f"struct {totals.type} {{", *members, "};"])


__all__ = ["Generated", "Kernel", "Shape", "generate"]
