"""What the templates of both backends print the nodes of a plan with: names, types, expressions and calls."""

from __future__ import annotations

from gdsl.codegen.checks import CheckTable
from gdsl.codegen.expressions import ExpressionPrinter
from gdsl.codegen.fixed_size_arrays import InitialGroup, all_values, count_text, initial_groups
from gdsl.codegen.function_text import Argument
from gdsl.codegen.functions import FunctionPrinter
from gdsl.codegen.functors import Arguments, Calls, FunctorTexts
from gdsl.codegen.literals import literal, memory_type_name, type_name
from gdsl.codegen.names import Names, Scope
from gdsl.codegen.reductions import ReductionPrinter
from gdsl.ir.nodes import Array, FarEnds, OwnId, OwnPart, StoreElement, StoreScalar
from gdsl.ir.traversal import walk
from gdsl.operations import Domain, Over
from gdsl.plan.buffers import ENDS
from gdsl.plan.nodes import Frontier, Initial, Initialize, Operation, Plan, Sweep, Variant, Vote
from gdsl.plan.walking import sweeps_of, variants_of


class TemplateHelpers:
    """Prints the nodes of one plan; the functions of functors are printed when a template first calls them."""

    def __init__(self, plan: Plan, expressions: type[ExpressionPrinter] = ExpressionPrinter) -> None:
        """`expressions` prints those of the schedule."""
        self.plan, self.names = plan, Names()
        self.checks = CheckTable(enabled=plan.program.tuning.bounds, has_built_graphs=bool(plan.graphs))
        self.printer = FunctionPrinter(plan.program, self.names, self.checks)
        self.functors = FunctorTexts(self.printer)
        self.expressions = expressions(self.names, self.checks)
        self.expressions.function_arguments = self.printer.function_arguments
        self.printer.narrow = self.expressions.narrow = dict(plan.narrow)
        self.reductions = ReductionPrinter(self.expressions)
        self.expression, self.operand_of_and = self.expressions.print, self.expressions.operand_of_and
        self.member, self.frontier, self.type, self.literal = self.names.member, self.names.frontier, type_name, literal
        self.memory_type = memory_type_name
        self._frontiers = {frontier.name: frontier for frontier in plan.frontiers}
        self._arrays = {array.name: array for array in plan.program.arrays}
        self._scalars = {scalar.name: scalar for scalar in plan.program.scalars}

    # Operators

    def operator(self, operation: Operation) -> str:
        """The function of an operation."""
        return self.names.derived(Scope.GLOBAL, operation.name, f"operator {operation.step.site}")

    def main_sweep(self, operation: Operation) -> Sweep:
        """The sweep whose members and result are those of the operation."""
        return sweeps_of(operation)[0]

    def totals(self, operation: Operation, sweep: Sweep) -> str:
        """The struct of the scalars that the sweep sums up, empty without any: that of its functor or, where it runs
        none, that of the operator. `functors.totals` has its members."""
        run = next(iter(variants_of(sweep)), None)
        if run is not None:
            own = tuple(total for total in sweep.totals if total.scalar != operation.step.adds_to)
            return self.functors.totals_of(run.functor, own)
        owner = f"operator {operation.step.site}"
        name = self.names.derived(Scope.GLOBAL, f"{operation.name}_totals", f"totals of {owner}")
        return self.functors.totals_called(name, sweep.totals)

    def score(self, vote: Vote) -> str:
        """The score of ``key`` and ``total`` at ``near``."""
        arguments = {Argument.VERTEX: "near", Argument.KEY: "key", Argument.TOTAL: "total"}
        return self.functors.score(vote.score, arguments) if vote.score is not None else "total"

    # Calls of functors

    def calls_on_edge(
        self,
        variant: Variant,
        over: Over = Over.OUT_EDGES,
        condition: str = "condition",
        apply: str = "apply",
        key_array: str | None = None,
    ) -> Calls:
        """What is called for an edge that is visited `over` the lists of ``near``."""
        return self.functors.calls(variant, on_an_edge(over), condition, apply, key_array)

    def calls_on_vertex(self, variant: Variant, apply: str = "apply") -> Calls:
        """What is called for the vertex ``v``."""
        return self.functors.calls(variant, {Argument.VERTEX: "v"}, apply=apply)

    def test_on_edge(self, variant: Variant, over: Over, part: str) -> str:
        """The test of an edge alone."""
        return self.functors.test(variant, on_an_edge(over), part)

    # Instances that run together

    def push_sweep(self, operation: Operation) -> Sweep:
        """The sweep from the members of an operation."""
        return sweeps_of(operation)[-1]

    def bit_test(self, number: int, vertex: str) -> str:
        """The test with this number, of a vertex in the instance whose data are ``d``."""
        assert self.plan.bits is not None
        variant = Variant(self.plan.bits.tests[number].functor, (0,), None, (), (), accepts=False)
        return self.functors.test(variant, {Argument.VERTEX: vertex}, "holds")

    # Sets and graphs

    def frontier_named(self, name: str) -> Frontier:
        """The frontier of that name."""
        return self._frontiers[name]

    def domain(self, frontier: str) -> Domain:
        """Of what the frontier of that name is a set."""
        return self._frontiers[frontier].domain

    def counted(self, frontier: str) -> Over | None:
        """Whose edges are counted where that frontier is filled."""
        return self._frontiers[frontier].counts

    def ends(self, step: FarEnds) -> str:
        """The part of the graph that has these ends of all edges."""
        return ENDS[step.end]

    # Data

    def array(self, name: str) -> Array:
        """The array of that name."""
        return self._arrays[name]

    def values(self, array: Array) -> str:
        """How many values an array has in all."""
        return all_values(array, self.names)

    def values_each(self, array: Array) -> str:
        """How many values each element of such an array has."""
        assert array.count is not None
        return count_text(array.count, self.names)

    def uses_id(self, *arrays: Initial) -> bool:
        """Whether an initial value of arrays depends on the element's id."""
        return any(isinstance(node, OwnId) for each in arrays for node in walk(each.value))

    def uses_part(self, *arrays: Initial) -> bool:
        """Whether it depends on which of the element's values it is."""
        return any(isinstance(node, OwnPart) for each in arrays for node in walk(each.value))

    def initial_groups(self, initial: Initialize) -> tuple[InitialGroup, ...]:
        """Arrays whose initial values one loop stores."""
        return tuple(initial_groups(initial, self.plan.program, self.names))

    def place(self, step: StoreScalar | StoreElement) -> str:
        """Where the schedule stores a value."""
        if isinstance(step, StoreScalar):
            return self.expressions.scalar(step.scalar)
        target = step.target
        return self.expressions.element(target.array, target.index, target.checked, target.domain)


def on_an_edge(over: Over, edge: str = "e", number: str = "") -> Arguments:
    """The arguments of functors for a visit `over` the edges of `near`; of one of several edges, its `number`."""
    near, far = f"near{number}", f"far{number}"
    source, destination = (near, far) if over is Over.OUT_EDGES else (far, near)
    return {
        Argument.SOURCE: source,
        Argument.DESTINATION: destination,
        Argument.EDGE: edge,
        Argument.NEAR: near,
        Argument.FAR: far,
    }
