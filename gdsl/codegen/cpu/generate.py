"""From a plan to C++ text."""

from __future__ import annotations

import dataclasses

from gdsl.codegen.checks import CheckTable
from gdsl.codegen.comments import comment_lines, title_line
from gdsl.codegen.cpu.generated import Generated, data_buffers, graph_parts
from gdsl.codegen.cpu.operators import OperatorPrinter
from gdsl.codegen.cpu.schedule import ScheduleExpressions, SchedulePrinter
from gdsl.codegen.cpu.texts import InitialArray, InitialLoop, Member, ProgramText, Temporary
from gdsl.codegen.expressions import ExpressionPrinter
from gdsl.codegen.functions import FunctionPrinter
from gdsl.codegen.functors import FunctorTexts
from gdsl.codegen.library import IN_ORDER, LISTED, Library
from gdsl.codegen.lines import number_lines
from gdsl.codegen.literals import literal, memory_type_name
from gdsl.codegen.names import UNDEFINED, Names, Scope
from gdsl.codegen.several import initial_groups
from gdsl.codegen.structs import checked_struct_text
from gdsl.codegen.templates import render
from gdsl.extents import EDGES, VERTICES, Extent
from gdsl.ir.nodes import OwnId, OwnPart
from gdsl.ir.traversal import walk
from gdsl.plan import structs_cpu
from gdsl.plan.nodes import Initial, Initialise, Launch, Plan
from gdsl.plan.storage import Buffer, Made, Role
from gdsl.plan.target import Sizes
from gdsl.plan.walking import counts_in_tables, leaves_edges_out, operations
from gdsl.plan.work_order import orders
from gdsl.types import Type, Widths
from gdsl.version import __version__

LIBRARY = Library(
    "cpu",
    (
        "platform",
        "arithmetic",
        "random",
        "memory",
        "plain",
        "pairs",
        "several",
        "graph",
        "lists",
        "frontier",
        "run",
        "ahead",
        "loops",
        "vote",
        "intersect",
        "sets",
        "edge_frontier",
        "edge_sets",
        "histories",
        "buckets",
        "numbers",
        "near_far",
    ),
    ".hpp",
    "inline",
)


LISTED_LIBRARY = dataclasses.replace(
    LIBRARY, files=(*LIBRARY.files, LISTED, "kept_memory", "made_graphs", "contraction")
)
"""The same for programs that make graphs."""
CONTRACTED_LIBRARY = dataclasses.replace(LISTED_LIBRARY, files=(*LISTED_LIBRARY.files, IN_ORDER))
"""The same for those that leave no edges out of them."""


_SHARED = (structs_cpu.GRAPH_SLICE, structs_cpu.TRACE_RECORD, structs_cpu.CONTROL)
"""The structs of the runtime that the host fills or reads."""


def generate(plan: Plan, widths: Widths, *, linkage: str = 'extern "C"') -> Generated:
    """The C++ of `plan` for ids of these widths. `linkage` is ``static`` where what calls it stands behind it in one
    file."""
    return _Generator(plan, widths, linkage).generate()


class _Generator:
    def __init__(self, plan: Plan, widths: Widths, linkage: str) -> None:
        self.plan, self.program = plan, plan.program
        self.widths, self.linkage = widths, linkage
        self.names = Names()
        self.checks = CheckTable(enabled=self.program.tuning.bounds, listed=bool(plan.graphs))
        self.printer = FunctionPrinter(self.program, self.names, self.checks)
        self.printer.looks_at_totals = True
        self.texts = FunctorTexts(self.printer)
        self.scalars = {scalar.name: scalar.type for scalar in self.program.scalars}

    def generate(self) -> Generated:
        """Everything in words, then laid out, then numbered."""
        own = tuple(function.definition("inline") for function in self.printer.functions())
        printer = OperatorPrinter(self.plan, self.names, self.texts)
        operators = tuple(printer.print(operation) for operation in operations(self.plan))
        (launch,) = self.plan.schedule
        assert isinstance(launch, Launch)
        initial, *steps = launch.steps
        assert isinstance(initial, Initialise)
        expressions = ScheduleExpressions(self.names, self.checks)
        expressions.function_arguments = self.printer.expressions().function_arguments
        by_site = {operator.site: operator for operator in operators}
        schedule = SchedulePrinter(self.plan, expressions, by_site).print(tuple(steps))
        text = ProgramText(
            head=self._head(),
            vertex_type=f"uint{self.widths.vertex}",
            edge_type=f"uint{self.widths.edge}",
            constants=self._constants(),
            totals=tuple(self.texts.totals.values()),
            functions=(*own, *(function.definition("inline") for function in self.texts.functions())),
            operators=operators,
            initial_loops=self._initial_loops(initial),
            initial_scalars=tuple(self._initial_scalar(each) for each in initial.scalars),
            schedule=schedule,
            members=self._members(),
            temporaries=self._temporaries(),
            swapped=self._swapped(),
            listed=bool(self.plan.graphs),
            linkage=self.linkage,
        )
        return Generated(self._laid_out(text), self.checks, data_buffers(self.plan), graph_parts(self.plan))

    def _laid_out(self, parts: ProgramText) -> str:
        """The program's own part first, since what it needs of the runtime stands before it."""
        listed = bool(self.plan.graphs)
        host_slice = structs_cpu.with_host_graph() if listed else structs_cpu.HOST_SLICE
        host = checked_struct_text(host_slice, self.widths)
        body = render("cpu", "program.cpp.j2", plan=parts, part="program", host_slice=host)
        data = render("cpu", "program.cpp.j2", plan=parts, part="data")
        shared = (structs_cpu.HOST_GRAPH, *_SHARED[1:]) if listed else _SHARED
        made = LISTED_LIBRARY if leaves_edges_out(self.plan) else CONTRACTED_LIBRARY
        library = made if listed else LIBRARY
        generated = {"data_slice": data, **{each.name: checked_struct_text(each, self.widths) for each in shared}}
        runtime = [piece.text for piece in library.link(body, generated)]
        front = render("cpu", "program.cpp.j2", plan=parts, part="front", undefined=UNDEFINED)
        text = "\n".join([front, "\n\n".join(runtime), "", body])
        structs = [data, render("cpu", "program.cpp.j2", plan=parts, part="totals")]
        self.names.settle(
            text,
            functions="\n".join(parts.functions),
            schedule=body.rpartition("void run_schedule(")[2],
            structs="\n".join(structs),
        )
        return number_lines(self.names.spell(text), f"{self.program.name}.cpp")

    def _head(self) -> tuple[str, ...]:
        doc = comment_lines(self.program.doc)
        title = f"{self.program.name}: {doc[0]}" if doc else self.program.name
        made = f"Generated by gdsl {__version__} from {self.program.source_name} as C++17 with OpenMP"
        bounds = "" if self.program.tuning.bounds else ", indices unchecked"
        return (*comment_lines(title), *doc[1:], title_line(f"{made}; {self.widths}{bounds}."))

    def _constants(self) -> tuple[tuple[str, int, str], ...]:
        sizes, counts = self.plan.sizes, counts_in_tables(self.plan)
        return (
            ("SMALL_WORK", sizes.small_work, "edges or elements up to which one thread does all the work"),
            ("HUB_DEGREE", sizes.hub_degree, "edges from which on a list is shared among threads"),
            ("HUB_CHUNK", sizes.hub_chunk, "edges of such a list that a thread takes at a time"),
            *((("OWN_VOTES", sizes.own_votes, "vertices up to which each has a place in a table of votes"),) * counts),
            *(_of_orders(sizes) if orders(self.plan) else ()),
        )

    # Data

    def _members(self) -> tuple[Member, ...]:
        members = [
            Member(param.type.name, self.names.member(param.name), False, "params", place)
            for place, param in enumerate(self.program.params)
        ]
        for place, buffer in enumerate(data_buffers(self.plan)):
            assert isinstance(buffer.element, Type)
            constant = "const " if buffer.role is Role.INPUT and buffer.made is Made.CALLER else ""
            kind = f"{constant}{memory_type_name(buffer.element)}"
            members.append(Member(kind, self.names.member(buffer.name), True, "data", place))
        return tuple(members)

    def _temporaries(self) -> tuple[Temporary, ...]:
        found = []
        for buffer in self.plan.buffers:
            if buffer.made is Made.PROGRAM and isinstance(buffer.element, Type):
                values = self.names.derived(Scope.LOCAL, f"{buffer.name}_values", "temporary")
                member = self.names.member(buffer.name)
                found.append(Temporary(memory_type_name(buffer.element), member, values, _count(buffer)))
        return tuple(found)

    def _swapped(self) -> tuple[tuple[int, str], ...]:
        swapped = frozenset(self.plan.swapped)
        return tuple(
            (place, self.names.member(buffer.name))
            for place, buffer in enumerate(data_buffers(self.plan))
            if buffer.name in swapped
        )

    # Initial values

    def _initial_loops(self, initial: Initialise) -> tuple[InitialLoop, ...]:
        loops = []
        bits = {array.name: self.widths.of(array.type) for array in self.program.arrays}
        for group in initial_groups(initial, self.program, self.names):
            arrays = tuple(self._initial_array(each) for each in group.arrays)
            written = sum(bits[each.name] for each in group.arrays) // 8
            loops.append(InitialLoop(group.length, group.kind, written, arrays, group.count))
        return tuple(loops)

    def _initial_array(self, initial: Initial) -> InitialArray:
        used = {type(node) for node in walk(initial.value)}
        return InitialArray(self.names.member(initial.name), self._initial(initial), OwnId in used, OwnPart in used)

    def _initial_scalar(self, initial: Initial) -> str:
        return f"*d.{self.names.member(initial.name)} = {self._initial(initial)};"

    def _initial(self, initial: Initial) -> str:
        if initial.value is None:
            return _zero(self.scalars[initial.name])
        expressions = ExpressionPrinter(self.names, self.checks, own_id="id")
        expressions.function_arguments = self.printer.expressions().function_arguments
        return expressions.print(initial.value)


def _of_orders(sizes: Sizes) -> tuple[tuple[str, int, str], ...]:
    return (
        ("ROUND_EDGES", sizes.round_edges, "edges that a round from near to far takes beside its own"),
        ("WIDE_ROUND", sizes.wide_round, "edges of a round from which on fewer are less work"),
        ("THIN_ROUND", sizes.thin_round, "of which part a round is few enough to look for more"),
    )


def _count(buffer: Buffer) -> str:
    """The number of elements of an array over vertices or edges."""
    counts: dict[Extent, str] = {VERTICES: "d.graph.num_vertices", EDGES: "d.graph.num_edges"}
    return counts[buffer.extent]


def _zero(kind: Type) -> str:
    if kind.is_id:
        return "NO_VERTEX" if kind is Type.VERTEX else "NO_EDGE"
    return literal(0, kind)
