"""What the templates of this backend print the nodes of a plan with: names, types, expressions and calls."""

from __future__ import annotations

from gdsl.codegen.checks import CheckSite, CheckTable
from gdsl.codegen.expressions import ExpressionPrinter
from gdsl.codegen.fixed_size_arrays import InitialGroup, all_values, count_text, initial_groups
from gdsl.codegen.functions import Argument, FunctionPrinter
from gdsl.codegen.functors import ON_COMMON, Arguments, Ballot, Calls, FunctorTexts, TotalsText
from gdsl.codegen.literals import conversion, literal, memory_type_name, type_name
from gdsl.codegen.names import Names, Scope
from gdsl.codegen.precedence import Text, postfix
from gdsl.codegen.reductions import SegmentText, combine, identity, of_segment
from gdsl.extents import EDGES, VERTICES, Extent
from gdsl.ir.nodes import (
    Array,
    Expression,
    FarEnds,
    Iteration,
    Literal,
    Node,
    OwnId,
    OwnPart,
    ParamValue,
    StoreElement,
    StoreScalar,
    Weights,
)
from gdsl.ir.traversal import walk
from gdsl.operations import Domain, NeighborOperation, Over
from gdsl.plan.buffers import ENDS
from gdsl.plan.nodes import (
    Branch,
    Define,
    Initial,
    Initialise,
    Loop,
    On,
    Operation,
    Plan,
    Reduction,
    Segment,
    Step,
    Sweep,
    Variant,
    Vote,
    Walk,
)
from gdsl.plan.storage import Buffer, Made, Role
from gdsl.plan.walking import operations, sweeps_of, variants_of
from gdsl.types import Type, Widths


class ScheduleExpressions(ExpressionPrinter):
    """Expressions that may use a frontier."""

    def frontier_size(self, name: str) -> Text:
        """`size(f)`: already an int64."""
        return postfix(f"{self.names.frontier(name)}.size")


class Filters:
    """Prints the nodes of one plan; the functions of functors are printed when a template first calls them."""

    def __init__(self, plan: Plan, widths: Widths) -> None:
        self.plan, self.widths = plan, widths
        self.names = Names()
        self.checks = CheckTable(enabled=plan.program.tuning.bounds, listed=bool(plan.graphs))
        self.printer = FunctionPrinter(plan.program, self.names, self.checks)
        self.printer.looks_at_totals = True
        self.functors = FunctorTexts(self.printer)
        self.own_functions = tuple(function.definition("inline") for function in self.printer.functions())
        self.operations = operations(plan)
        self.expressions = ScheduleExpressions(self.names, self.checks)
        self.expressions.function_arguments = self.printer.function_arguments
        self._frontiers = {frontier.name: frontier for frontier in plan.frontiers}
        self._arrays = {array.name: array for array in plan.program.arrays}
        self.frontier, self.member = self.names.frontier, self.names.member
        self.expression, self.operand_of_and = self.expressions.print, self.expressions.operand_of_and
        self.type, self.memory_type, self.literal = type_name, memory_type_name, literal

    # Names

    def operator(self, operation: Operation) -> str:
        """The function of an operation."""
        return self.names.derived(Scope.GLOBAL, operation.name, f"operator {operation.step.site}")

    def own_copy(self, scalar: str) -> str:
        """A thread's own copy of a scalar."""
        return self.names.derived(Scope.LOCAL, f"own_{scalar}", "copy")

    def values_of(self, buffer: Buffer) -> str:
        """The vector that holds an array which the program makes for itself."""
        return self.names.derived(Scope.LOCAL, f"{buffer.name}_values", "temporary")

    def array(self, name: str) -> Array:
        """The array of that name."""
        return self._arrays[name]

    def domain(self, frontier: str) -> Domain:
        """Of what the frontier of that name is a set."""
        return self._frontiers[frontier].domain

    def counted(self, frontier: str) -> Over | None:
        """Whose edges are counted where that frontier is made."""
        return self._frontiers[frontier].counts

    # Operators

    def main_sweep(self, operation: Operation) -> Sweep:
        """The sweep whose members and result are those of the operation."""
        return sweeps_of(operation)[0]

    def functions(self) -> tuple[str, ...]:
        """The program's own functions, and those of functors that have been called so far."""
        return (*self.own_functions, *(function.definition("inline") for function in self.functors.functions()))

    def totals(self, operation: Operation, sweep: Sweep) -> TotalsText | None:
        """What the sweep sums up: for its functor, or, where it runs none, for the operator itself."""
        run = next(iter(variants_of(sweep)), None)
        if run is not None:
            own = tuple(total for total in sweep.totals if total.scalar != operation.step.adds_to)
            return self.functors.totals_of(run.functor, own)
        owner = f"operator {operation.step.site}"
        name = self.names.derived(Scope.GLOBAL, f"{operation.name}_totals", f"totals of {owner}")
        return self.functors.totals_called(name, sweep.totals)

    def calls_on_edge(
        self,
        variant: Variant,
        over: Over = Over.OUT_EDGES,
        condition: str = "condition",
        apply: str = "apply",
        keyed: str | None = None,
    ) -> Calls:
        """What is called for an edge that is visited `over` the lists of ``near``."""
        return self.functors.calls(variant, _on_an_edge(over), condition, apply, keyed)

    def calls_on_vertex(self, variant: Variant, apply: str = "apply") -> Calls:
        """What is called for the vertex ``v``."""
        return self.functors.calls(variant, {Argument.VERTEX: "v"}, apply=apply)

    def calls_on_common(self, variant: Variant) -> Calls:
        """What is called for the common neighbor ``x`` of ``u`` and ``w``."""
        return self.functors.calls(variant, ON_COMMON)

    def test_on_edge(self, variant: Variant, over: Over, part: str) -> str:
        """The test alone."""
        return self.functors.test(variant, _on_an_edge(over), part)

    def reduction(self, segment: Segment) -> SegmentText:
        """How the values of a list become one."""
        return of_segment(segment, self.expressions)

    def value(self, segment: Segment, walk: Walk, empty: str) -> str:
        """What an edge gives to a reduction, in its type: a count adds up bools."""
        counts = segment.operation is NeighborOperation.COUNT
        otherwise = "false" if counts else empty
        value = self.functors.value(walk.variant, _on_an_edge(walk.over), otherwise, both_sides=segment.both_sides)
        return conversion(Text(value, 1), Type.BOOL, segment.type).text if counts else value

    def test_and_value(self, walk: Walk) -> tuple[str, str]:
        """The same in two parts."""
        return self.functors.test_and_value(walk.variant, _on_an_edge(walk.over))

    def ballot(self, walk: Walk) -> Ballot:
        """What an edge gives to a vote."""
        return self.functors.ballot(walk.variant, _on_an_edge(walk.over))

    def score(self, vote: Vote) -> str:
        """The score of ``key`` and ``total`` at ``near``."""
        arguments = {Argument.VERTEX: "near", Argument.KEY: "key", Argument.TOTAL: "total"}
        return self.functors.score(vote.score, arguments) if vote.score is not None else "total"

    # Steps

    def uses_iteration(self, steps: tuple[Step, ...]) -> bool:
        """Whether something outside the loops uses the iteration, which is 0 there."""
        for step in steps:
            if isinstance(step, Operation):
                return True
            if isinstance(step, Branch) and self.uses_iteration((*step.then, *step.otherwise)):
                return True
            if isinstance(step, On) and self.uses_iteration(step.body):
                return True
            if isinstance(step, On) or (isinstance(step, Loop) and not step.counted):
                continue
            parts = step.condition if isinstance(step, (Loop, Branch)) else getattr(step, "step", None)
            if any(isinstance(node, Iteration) for node in walk(parts)):
                return True
        return False

    def member_of_set(self, define: Define, member: Expression) -> str:
        """A member of a set that is written out, checked where it is computed."""
        step, checks = define.step, self.checks
        text = self.number(member)
        if isinstance(member, ParamValue) and not self.plan.graphs:
            return text
        number = checks.number(CheckSite(step.name, step.domain, member.type, member.span))
        checked = f"checked_index(d, {text}, {checks.bound(step.domain)}, {number})"
        return checks.kept_edge(checked, step.name, member.span) if define.asks_lists else checked

    def number(self, value: Expression) -> str:
        """An expression whose type does not matter where it is a literal."""
        return str(value.value) if isinstance(value, Literal) else self.expression(value)

    def ends(self, step: FarEnds) -> str:
        """The part of the graph that has these ends of all edges."""
        return ENDS[step.end]

    def reduction_of_weights(self, weights: Weights) -> SegmentText:
        """How the weights of edges that become one edge become one."""
        reduction = Reduction(weights.operation.as_update, weights.type)
        return SegmentText(identity(reduction.identity, weights.type), combine(reduction), "", "", "")

    def place(self, step: StoreScalar | StoreElement) -> str:
        """Where the schedule stores a value."""
        if isinstance(step, StoreScalar):
            return self.expressions.scalar(step.scalar)
        target = step.target
        checked = target.checked or isinstance(target.index, Literal)
        return self.expressions.element(target.array, target.index, checked, target.domain)

    # Data

    def values_each(self, array: Array) -> str:
        """How many values each element of such an array has."""
        assert array.count is not None
        return count_text(array.count, self.names)

    def values(self, array: Array) -> str:
        """How many values an array has in all."""
        return all_values(array, self.names)

    def elements(self, buffer: Buffer) -> str:
        """The number of elements of an array over vertices or edges."""
        counts: dict[Extent, str] = {VERTICES: "d.graph.num_vertices", EDGES: "d.graph.num_edges"}
        return counts[buffer.extent]

    def host_type(self, buffer: Buffer) -> str:
        """The type of the elements of an array or scalar of the host."""
        assert isinstance(buffer.element, Type)
        constant = "const " if buffer.role is Role.INPUT and buffer.made is Made.CALLER else ""
        return f"{constant}{memory_type_name(buffer.element)}"

    def initial_groups(self, initial: Initialise) -> tuple[InitialGroup, ...]:
        """Arrays whose initial values one loop makes."""
        return tuple(initial_groups(initial, self.plan.program, self.names))

    def bytes_of(self, group: InitialGroup) -> int:
        """The size of an element of all of these arrays."""
        return sum(self.widths.of(self._arrays[each.name].type) for each in group.arrays) // 8

    def uses_id(self, value: Expression | None) -> bool:
        """Whether an initial value depends on the element's id."""
        return _has(value, OwnId)

    def uses_part(self, value: Expression | None) -> bool:
        """Whether it depends on which of the element's values it is."""
        return _has(value, OwnPart)

    def initial(self, initial: Initial) -> str:
        """What an array or a scalar is at first, of the element ``id``."""
        if initial.value is None:
            kind = next(scalar.type for scalar in self.plan.program.scalars if scalar.name == initial.name)
            return {Type.VERTEX: "NO_VERTEX", Type.EDGE: "NO_EDGE"}.get(kind) or literal(0, kind)
        expressions = ExpressionPrinter(self.names, self.checks, own_id="id")
        expressions.function_arguments = self.printer.function_arguments
        return expressions.print(initial.value)


def _has(value: Expression | None, kind: type[Node]) -> bool:
    return any(isinstance(node, kind) for node in walk(value))


def _on_an_edge(over: Over) -> Arguments:
    """What functors are given in a visit `over` the edges of `near`."""
    source, destination = ("far", "near") if over is Over.IN_EDGES else ("near", "far")
    return {
        Argument.SOURCE: source,
        Argument.DESTINATION: destination,
        Argument.EDGE: "e",
        Argument.NEAR: "near",
        Argument.FAR: "far",
    }
