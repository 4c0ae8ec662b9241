"""What the templates of this backend print the nodes of a plan with: names, types, expressions and calls."""

from __future__ import annotations

import dataclasses

from gdsl.codegen.checks import CheckSite
from gdsl.codegen.expressions import ExpressionPrinter
from gdsl.codegen.fixed_size_arrays import InitialGroup
from gdsl.codegen.functors import ON_COMMON, Ballot, Calls, SelectedValues
from gdsl.codegen.literals import conversion, literal, memory_type_name
from gdsl.codegen.names import Scope
from gdsl.codegen.precedence import Text, call, postfix
from gdsl.codegen.template_helpers import TemplateHelpers, on_an_edge
from gdsl.extents import EDGES, VERTICES, Extent
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import contains
from gdsl.operations import NeighborOperation
from gdsl.plan import nodes
from gdsl.plan.buffer_nodes import Allocator, Buffer, Role
from gdsl.plan.hints import UnbranchedTests
from gdsl.plan.walking import blocks_of, operations
from gdsl.types import Type, Widths


class ScheduleExpressions(ExpressionPrinter):
    """Expressions that may use a frontier."""

    def frontier_size(self, name: str) -> Text:
        """`size(f)`: already an int64."""
        return postfix(f"{self.names.frontier(name)}.size")


class InstanceExpressions(ExpressionPrinter):
    """Expressions of the schedule for one of several instances that run together."""

    def frontier_size(self, name: str) -> Text:
        """`size(f)`: already an int64."""
        return postfix(f"{self.names.frontier(name)}.members_in(instance)")

    def frontier_not_empty(self, name: str) -> Text:
        """A frontier as a condition."""
        return call("bool", f"{self.names.frontier(name)}.any >> instance & 1")


class CppHelpers(TemplateHelpers):
    """Prints the nodes of one plan as C++."""

    def __init__(self, plan: nodes.Plan, widths: Widths) -> None:
        super().__init__(plan, ScheduleExpressions if plan.bits is None else InstanceExpressions)
        self.widths = widths
        self.printer.looks_at_totals = True
        self.own_functions = tuple(function.definition("inline") for function in self.printer.functions())
        self.operations = operations(plan)

    # Names

    def values_of(self, buffer: Buffer) -> str:
        """The vector that holds an array of the program's own."""
        return self.names.derived(Scope.LOCAL, f"{buffer.name}_values", "temporary")

    # Operators

    def functions(self) -> tuple[str, ...]:
        """The program's own functions, and those of functors that have been called so far."""
        return (*self.own_functions, *(function.definition("inline") for function in self.functors.functions()))

    def calls_by_one(
        self, sweep: nodes.Sweep, walk: nodes.Walk, apply: str = "apply_alone", key_array: str | None = None
    ) -> Calls:
        """What is called for an edge where one thread does all of the sweep."""
        assert walk.by_one is not None
        at_once = sweep.hint(UnbranchedTests, walk.over) is not None
        edge = on_an_edge(walk.over)
        return self.functors.calls(walk.by_one, edge, "condition_alone", apply, key_array, at_once=at_once)

    def claim_by_one(self, walk: nodes.Walk) -> str:
        """The claim of an edge where one thread does all of the sweep."""
        return self.functors.claim_alone(walk.variant, on_an_edge(walk.over))

    def body_of_claimed(self, walk: nodes.Walk) -> str:
        """What is called for an edge whose claim came first; empty where the claim is all."""
        calls = self.calls_on_edge(walk.variant, walk.over, apply="apply_claimed")
        return "" if calls.says else calls.apply

    def calls_on_common(self, variant: nodes.Variant) -> Calls:
        """What is called for the common neighbor ``x`` of ``u`` and ``w``."""
        return self.functors.calls(variant, ON_COMMON)

    def value(self, segment: nodes.Segment, walk: nodes.Walk, empty: str) -> str:
        """The value of an edge in a reduction, in its type: a count adds up bools."""
        counts = segment.operation is NeighborOperation.COUNT
        otherwise = "false" if counts else empty
        value = self.functors.value(walk.variant, on_an_edge(walk.over), otherwise)
        return conversion(Text(value, 1), Type.BOOL, segment.type).text if counts else value

    def selected_values(self, walk: nodes.Walk, empty: str) -> SelectedValues:
        """The same where it is one of two, apart from what says which."""
        return self.functors.selected_values(walk.variant, on_an_edge(walk.over), empty)

    def ballot(self, walk: nodes.Walk) -> Ballot:
        """The ballot of an edge."""
        return self.functors.ballot(walk.variant, on_an_edge(walk.over))

    # Steps

    def uses_iteration(self, steps: tuple[nodes.Step, ...]) -> bool:
        """Whether something outside the loops uses the iteration, which is 0 there."""
        for step in steps:
            if isinstance(step, (nodes.Operation, nodes.MakeOnce)):
                return True
            if isinstance(step, nodes.Branch) and self.uses_iteration((*step.then, *step.otherwise)):
                return True
            if isinstance(step, nodes.On) and self.uses_iteration(step.body):
                return True
            if isinstance(step, nodes.On) or (isinstance(step, nodes.Loop) and not step.counted):
                continue
            parts = step.condition if isinstance(step, (nodes.Loop, nodes.Branch)) else getattr(step, "step", None)
            if contains(parts, ir.Iteration):
                return True
        return False

    def member_of_set(self, define: nodes.Define, member: ir.Expression) -> str:
        """A member of a set literal, checked where it is computed."""
        step, checks = define.step, self.checks
        text = self.number(member)
        if isinstance(member, ir.ParamValue) and not self.plan.graphs:
            return text
        number = checks.number(CheckSite(step.subject, step.domain, member.type, member.span))
        checked = f"checked_index(d, {text}, {checks.bound(step.domain)}, {number})"
        return checks.existing_edge(checked, step.subject, member.span) if define.asks_lists else checked

    def number(self, value: ir.Expression) -> str:
        """An expression whose type does not matter where it is a literal."""
        return str(value.value) if isinstance(value, ir.Literal) else self.expression(value)

    def place(self, step: ir.StoreScalar | ir.StoreElement) -> str:
        """Where the schedule stores a value."""
        if isinstance(step, ir.StoreScalar):
            return self.expressions.scalar(step.scalar)
        target = step.target
        checked = target.checked or isinstance(target.index, ir.Literal)
        return self.expressions.element(target.array, target.index, checked, target.domain)

    # Data

    def elements(self, buffer: Buffer) -> str:
        """The number of elements of an array over vertices or edges."""
        counts: dict[Extent, str] = {VERTICES: "d.graph.num_vertices", EDGES: "d.graph.num_edges"}
        return counts[buffer.extent]

    @property
    def can_resume(self) -> bool:
        """Whether a run may go on in one of its outermost loops: where several workers run it."""
        return self.plan.target.workers

    def outermost_loops(self, steps: tuple[nodes.Step, ...]) -> list[int]:
        """The numbers of the loops among these steps that no other loop contains."""
        numbers: list[int] = []
        for step in steps:
            if isinstance(step, nodes.Loop):
                numbers.append(step.number)
            else:
                numbers += (number for block in blocks_of(step) for number in self.outermost_loops(block))
        return numbers

    def in_parts(self, array: str) -> bool:
        """Whether each of several workers has its own elements alone."""
        distribution = self.plan.distribution
        return distribution is not None and distribution.of_array(array) is nodes.Held.OWN

    def own_place(self, array: ir.Array, end: str) -> str:
        """Where the values of a worker's own vertices or edges begin (``first``) or end (``last``)."""
        place = f"d.run->{end}_{array.domain.value}"
        return place if array.count is None else f"value_index({place}, {self.values_each(array)}, 0)"

    def own_places(self, group: InitialGroup) -> str:
        """The first and the last place of a worker's own elements of arrays whose initial values one loop stores; empty
        where it stores all."""
        array = self.array(group.arrays[0].name)
        if not self.in_parts(array.name):
            return ""
        return f"{self.own_place(array, 'first')}, {self.own_place(array, 'last')}"

    def initial_groups(self, initial: nodes.Initialize) -> tuple[InitialGroup, ...]:
        """Arrays whose initial values one loop stores: those that workers have in parts apart from others."""
        groups: tuple[InitialGroup, ...] = ()
        for in_parts in (False, True):
            of_vertices, of_edges = (
                tuple(each for each in arrays if self.in_parts(each.name) is in_parts)
                for arrays in (initial.vertex_arrays, initial.edge_arrays)
            )
            chosen = dataclasses.replace(initial, vertex_arrays=of_vertices, edge_arrays=of_edges)
            groups += super().initial_groups(chosen)
        return groups

    def host_type(self, buffer: Buffer) -> str:
        """The type of the elements of an array or scalar of the host."""
        assert isinstance(buffer.element, Type)
        constant = "const " if buffer.role is Role.INPUT and buffer.allocator is Allocator.CALLER else ""
        return f"{constant}{memory_type_name(buffer.element)}"

    def bytes_of(self, group: InitialGroup) -> int:
        """The size of an element of all of these arrays."""
        return sum(self.widths.of(self._stored(each.name)) for each in group.arrays) // 8

    def stored_type(self, array: str) -> str:
        """The type of an array's elements in memory."""
        return memory_type_name(self._stored(array))

    def _stored(self, array: str) -> Type:
        return self.printer.narrow.get(array, self._arrays[array].type)

    def initial(self, initial: nodes.Initial) -> str:
        """The initial value of an array, at the element ``id``, or of a scalar."""
        if initial.value is None:
            kind = next(scalar.type for scalar in self.plan.program.scalars if scalar.name == initial.name)
            return {Type.VERTEX: "NO_VERTEX", Type.EDGE: "NO_EDGE"}.get(kind) or literal(0, kind)
        expressions = ExpressionPrinter(self.names, self.checks, own_id="id")
        expressions.function_arguments = self.printer.function_arguments
        return expressions.print(initial.value)
