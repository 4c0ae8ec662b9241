"""What the CUDA templates print the nodes of a plan with: names, types, expressions and calls."""

from __future__ import annotations

import dataclasses

from gdsl.codegen.checks import CheckTable
from gdsl.codegen.functions import Argument, FunctionPrinter
from gdsl.codegen.functors import Arguments, Calls, FunctorTexts, TotalsText
from gdsl.codegen.literals import type_name
from gdsl.codegen.names import Names, Scope
from gdsl.ir.nodes import Expression
from gdsl.operations import Balance, Domain, Over
from gdsl.plan.load_balance import walks_short_lists_alone
from gdsl.plan.nodes import Choice, Operation, Plan, Sweep, Variant, Walk
from gdsl.plan.small_frontiers import is_listed
from gdsl.plan.walking import sweeps_of, variants_of


class Filters:
    """Prints the nodes of one plan; the functions of functors are printed when a template first calls them."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.names = plan, Names()
        self.checks = CheckTable(enabled=plan.program.tuning.bounds, listed=bool(plan.graphs))
        self.printer = FunctionPrinter(plan.program, self.names, self.checks)
        self.functors = FunctorTexts(self.printer)
        self.member, self.frontier, self.type = self.names.member, self.names.frontier, type_name
        self.is_listed = is_listed
        self._frontiers = {frontier.name: frontier for frontier in plan.frontiers}

    def expression(self, expression: Expression) -> str:
        """An expression outside of functors."""
        return self.printer.expressions().print(expression)

    # Operators

    def operator(self, operation: Operation) -> str:
        """The function of an operation."""
        return self.names.derived(Scope.GLOBAL, operation.name, f"operator {operation.step.site}")

    def direction(self, operation: Operation) -> str:
        """The variable of the persistent kernel that remembers in which direction an operation walked last."""
        name = f"direction_of_{operation.name}"
        return self.names.derived(Scope.VARIABLE, name, f"operator {operation.step.site}")

    def main_sweep(self, operation: Operation) -> Sweep:
        """The sweep whose members and result are those of the operation."""
        return sweeps_of(operation)[0]

    def fused(self, operation: Operation) -> tuple[Operation, tuple[Operation, ...]]:
        """The operation whose sweep an operation shares, and what is done in that sweep as well. A reduction lends its
        sweep to what follows; all else is done before the operation's own work on a member."""
        alone = dataclasses.replace(operation, ahead=())
        first, *others = (*operation.ahead, alone)
        if others and isinstance(first.does, Sweep) and first.does.segment is not None:
            return dataclasses.replace(first, body=operation.body), tuple(others)
        return alone, operation.ahead

    def arguments(self, operation: Operation) -> tuple[str, ...]:
        """What an operator's function takes between the data and the iteration."""
        sweep = self.main_sweep(operation)
        upcoming = sweep.segment is not None and sweep.segment.upcoming is not None
        found = {
            "input": sweep.members.frontier is not None,
            "result": sweep.collect is not None,
            "direction": isinstance(operation.does, Choice),
            "order": sweep.order is not None,
            "listed": is_listed(operation),
            "upcoming": upcoming,
            "history": upcoming,
        }
        return tuple(name for name, takes in found.items() if takes)

    def counted(self, frontier: str) -> Over | None:
        """Whose edges are counted where that frontier is filled."""
        return self._frontiers[frontier].counts

    def totals(self, operation: Operation, sweep: Sweep) -> TotalsText | None:
        """What the sweep sums up: for its functor, or, where it runs none, for the operator itself."""
        run = next(iter(variants_of(sweep)), None)
        if run is not None:
            own = tuple(total for total in sweep.totals if total.scalar != operation.step.adds_to)
            return self.functors.totals_of(run.functor, own)
        owner = f"operator {operation.step.site}"
        name = self.names.derived(Scope.GLOBAL, f"{operation.name}_totals", f"totals of {owner}")
        return self.functors.totals_called(name, sweep.totals)

    def walks_short_lists_alone(self, sweep: Sweep) -> bool:
        """Whether a push depends on the longest list of the graph."""
        return walks_short_lists_alone(sweep, self.plan.program)

    # Calls of functors

    def edge_id(self, sweep: Sweep, walk: Walk, number: str = "") -> str:
        """The id of the edge at a place of the lists of a walk; of several edges that of this number. The table of all
        edges has the order of the out-lists, where places are ids as long as no graph is built."""
        lists = Over.OUT_EDGES if sweep.balance is Balance.EDGES else walk.lists
        place = f"at{number}"
        if lists is Over.OUT_EDGES and not self.plan.graphs:
            return place
        return f"{'out' if lists is Over.OUT_EDGES else 'in'}_lists{{d.graph}}.id({place})"

    def visit(self, sweep: Sweep, walk: Walk) -> Calls:
        """What a push calls for an edge."""
        edge, variant = self._edge(sweep, walk), walk.variant
        late = sweep.skips.array if sweep.skips is not None else None
        if walk.early is not None:
            return self.functors.calls_behind(variant, walk.early, edge, self._edge(sweep, walk, "[k]"), late)
        if sweep.order is not None:
            return self.functors.calls(variant, edge, "condition", "apply_keyed", sweep.order.array)
        apply = "apply_late" if late is not None else "apply_claimed" if variant.claim else "apply"
        return self.functors.calls(variant, edge, "condition", apply, late=late)

    def meet(self, sweep: Sweep, walk: Walk, variant: Variant, apply: str) -> Calls:
        """What a pull calls for an edge."""
        part = "apply_claimed" if variant.claim else apply
        return self.functors.calls(variant, self._edge(sweep, walk), "meets", part)

    def selects(self, sweep: Sweep, walk: Walk) -> str:
        """What a pull asks of a vertex before it looks for edges."""
        assert sweep.selection is not None
        return self.functors.test(sweep.selection.test, self._edge(sweep, walk), "selects")

    def perform(self, sweep: Sweep, vertex: str = "v", totals: str = "totals") -> Calls:
        """What is called for a member itself, an edge or a `vertex`."""
        assert sweep.own is not None
        of_edges = sweep.members.domain is Domain.EDGE
        member: Arguments = on_an_edge(Over.OUT_EDGES, "at") if of_edges else {Argument.VERTEX: vertex}
        member[Argument.TOTALS] = totals
        if sweep.early is not None:
            return self.functors.calls_behind(sweep.own, sweep.early, member, {Argument.VERTEX: f"{vertex}[k]"})
        apply = "apply_claimed" if of_edges and sweep.own.claim else "apply"
        return self.functors.calls(sweep.own, member, apply=apply)

    def _edge(self, sweep: Sweep, walk: Walk, number: str = "") -> Arguments:
        return on_an_edge(walk.over, self.edge_id(sweep, walk, number), number)


def on_an_edge(over: Over, edge: str, number: str = "") -> Arguments:
    """What functors are given in a visit `over` the edges of `near`, of `edge`; of several that of this number."""
    near, far = f"near{number}", f"far{number}"
    source, destination = (near, far) if over is Over.OUT_EDGES else (far, near)
    return {
        Argument.SOURCE: source,
        Argument.DESTINATION: destination,
        Argument.EDGE: edge,
        Argument.NEAR: near,
        Argument.FAR: far,
    }
