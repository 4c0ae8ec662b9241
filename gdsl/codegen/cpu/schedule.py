"""The one launch of a plan as the lines of one C++ function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gdsl.codegen.checks import CheckSite
from gdsl.codegen.combinations import Words, combination_lines, edge_lines
from gdsl.codegen.cpu.operators import SPARE_EDGES, counted
from gdsl.codegen.cpu.texts import OperatorText
from gdsl.codegen.cpu.variables import direction_of, tables_of, tables_type
from gdsl.codegen.expressions import ExpressionPrinter
from gdsl.codegen.lines import Lines
from gdsl.codegen.literals import memory_type_name
from gdsl.codegen.operators import STRUCTS, order_type, shared
from gdsl.codegen.precedence import Text, postfix
from gdsl.codegen.reductions import combine, identity
from gdsl.codegen.set_steps import SetWords, set_step_line
from gdsl.codegen.several import all_values, count_text
from gdsl.ir.nodes import (
    Expression,
    FrontierNotEmpty,
    Iteration,
    Literal,
    ParamValue,
    SameGraph,
    StoreElement,
    Subgraph,
)
from gdsl.ir.traversal import walk
from gdsl.operations import Domain
from gdsl.plan.buffers import ENDS
from gdsl.plan.nodes import (
    Branch,
    Combine,
    Copy,
    Define,
    FarEnds,
    Fill,
    Initialise,
    Leader,
    Loop,
    MakeGraph,
    NearFar,
    On,
    OnSets,
    Operation,
    Plan,
    Reduction,
    Step,
    Swap,
)
from gdsl.plan.walking import operations, sweeps_of

_COUNTS = {Domain.VERTEX: "d.graph.num_vertices", Domain.EDGE: "d.graph.num_edges"}


_AROUND = "graph_around"
"""What the graphs around are called, with their depth behind."""


class ScheduleExpressions(ExpressionPrinter):
    """Expressions that may ask for a frontier."""

    def frontier_size(self, name: str) -> Text:
        """`size(f)`: already an int64."""
        return postfix(f"{self.names.frontier(name)}.size")


class SchedulePrinter:
    """Prints the steps; `operators` are the texts of the operations by site."""

    def __init__(self, plan: Plan, expressions: ScheduleExpressions, operators: Mapping[int, OperatorText]) -> None:
        self.plan = plan
        self.expressions = expressions
        self.names = expressions.names
        self.operators = operators
        self.lines = Lines(depth=1)
        self._around = [f"{_AROUND}_0"]
        """The graphs around, innermost last."""
        self._counted = counted(plan)
        self._arrays = {array.name: array for array in plan.program.arrays}
        self._domains = {frontier.name: frontier.domain for frontier in plan.frontiers}
        self._printers: dict[type[Any], Callable[[Any], None]] = {
            Initialise: lambda step: None,
            Operation: self._operation,
            Define: self._define,
            Copy: self._copy,
            FarEnds: self._far_ends,
            Combine: self._combine,
            MakeGraph: self._make_graph,
            On: self._on,
            OnSets: self._on_sets,
            Leader: self._store,
            Fill: self._fill,
            Swap: self._swap,
            Loop: self._loop,
            Branch: self._branch,
        }

    def print(self, steps: tuple[Step, ...]) -> tuple[str, ...]:
        """The body of the function that runs the schedule, from what follows the initial values."""
        if _speaks_of_iteration(steps):
            self.lines.add("const int32 iteration = 0;")
        for name, owner in self.plan.owners().items():
            struct, own = STRUCTS[self._domains[name]], self.names.frontier(name)
            if name != owner:
                self.lines.add(shared(struct, own, self.names.frontier(owner)))
            else:
                self.lines.add(f"{struct} {own}({_COUNTS[self._domains[name]]});")
        if self.plan.graphs:
            self.lines.add(f"const made_graph {_AROUND}_0{{d.graph, nullptr}};")
        for name in self.plan.graphs:
            self.lines.add(f"made_graph {self.names.frontier(name)} = {_AROUND}_0;")
        if self.plan.slots(Domain.EDGE):
            self.lines.add(f"edge_frontier {SPARE_EDGES}(d.graph.num_edges);")
        for site in self.plan.switches:
            self.lines.add(f"direction_state {direction_of(site)} = {{0, false}};")
        for operation in operations(self.plan):
            for vote in (sweep.vote for sweep in sweeps_of(operation) if sweep.vote is not None):
                self.lines.add(f"{tables_type(vote)} {tables_of(operation.step.site)};")
        self._steps(steps)
        return self.lines.plain()

    def _steps(self, steps: tuple[Step, ...]) -> None:
        for step in steps:
            self._printers[type(step)](step)

    def _operation(self, step: Operation) -> None:
        operator = self.operators[step.step.site]
        self.lines.add(f"{operator.function}({operator.arguments});")

    # Frontiers

    def _define(self, define: Define) -> None:
        step = define.step
        name, of_edges = self.names.frontier(step.name), step.domain is Domain.EDGE
        counts = "" if of_edges else f", {self._counted[step.name]}"
        if step.everything:
            function = "define_all_edges" if of_edges else "define_everything"
            count = "d.graph" if of_edges and self.plan.graphs else _COUNTS[step.domain]
            self.lines.add(f"{function}({name}, {count}{counts});")
            return
        kind, function = ("edge", "define_edges") if of_edges else ("vertex", "define_frontier")
        members = ", ".join(f"{kind}({self._member(define, member)})" for member in step.members)
        self.lines.add(f"{function}({name}, {{{members}}}{counts});")

    def _member(self, define: Define, member: Expression) -> str:
        step, checks = define.step, self.expressions.checks
        text = str(member.value) if isinstance(member, Literal) else self._text(member)
        if isinstance(member, ParamValue) and not self.plan.graphs:
            return text
        number = checks.number(CheckSite(step.name, step.domain, member.type, member.span))
        found = f"checked_index(d, {text}, {checks.bound(step.domain)}, {number})"
        return checks.kept_edge(found, step.name, member.span) if define.asks_lists else found

    def _copy(self, copy: Copy) -> None:
        step = copy.step
        function = "copy_edges" if self._domains[step.name] is Domain.EDGE else "copy_frontier"
        self.lines.add(f"{function}({self.names.frontier(step.name)}, {self.names.frontier(step.other)});")

    def _far_ends(self, far_ends: FarEnds) -> None:
        step = far_ends.step
        frontiers = f"{self.names.frontier(step.name)}, {self.names.frontier(step.other)}"
        ends = f"d.graph.{ENDS[step.end]}"
        self.lines.add(f"collect_far_ends(run, {frontiers}, {ends}, {self._counted[step.name]});")

    def _combine(self, step: Combine) -> None:
        name, walked, asked = step.step.name, step.walked.frontier, step.asked.frontier
        assert asked is not None
        of_edges = self._domains[name] is Domain.EDGE
        first, second = self.names.frontier(walked) if walked is not None else "", self.names.frontier(asked)
        words = Words(
            result=self.names.frontier(name),
            walked=first,
            asked=second,
            everything=self._all_edges() if of_edges else "all_members{d.graph.num_vertices}",
            first=SPARE_EDGES if of_edges else "run",
            growing=f"run, {first}",
            last=f", {self._counted[name]}",
            exchange=(),
        )
        for line in edge_lines(step, words) if of_edges else combination_lines(step, words):
            self.lines.add(line)

    def _all_edges(self) -> str:
        return "all_edges{d.graph}" if self.plan.graphs else "all_edges{d.graph.num_edges}"

    # Graphs

    def _make_graph(self, made: MakeGraph) -> None:
        step, around = made.step, self._around[-1]
        name = self.names.frontier(step.name)
        if isinstance(step, SameGraph):
            self.lines.add(f"{name} = {around};")
        elif isinstance(step, Subgraph):
            self.lines.add(f"{name} = make_subgraph(d.graph, {around}.kept, {self.names.frontier(step.edges)});")
        else:
            sums = "no_sums{}"
            if step.weights is not None:
                kind, reduction = step.weights.type, Reduction(step.weights.operation.as_update, step.weights.type)
                join = f"[]({kind.name} a, {kind.name} b) {{ return {combine(reduction)}; }}"
                begins = identity(reduction.identity, kind)
                sums = f"join_weights<{kind.name}>(d.{self.names.member(step.weights.array)}, {begins}, {join})"
            self.lines.add(f"{name} = make_contraction(d.graph, d.{self.names.member(step.label)}, {sums});")

    def _on(self, step: On) -> None:
        here = f"{_AROUND}_{step.depth + 1}"
        self.lines.open("{")
        self.lines.add(f"const made_graph {here} = {self.names.frontier(step.graph)};")
        self.lines.add(f"d.graph = {here}.graph;")
        self._around.append(here)
        self._steps(step.body)
        self._around.pop()
        self.lines.add(f"d.graph = {self._around[-1]}.graph;")
        self.lines.close()

    def _on_sets(self, on_sets: OnSets) -> None:
        made, first = on_sets.step.makes, "run"
        result, counted = ("", "") if made is None else (self.names.frontier(made), self._counted[made])
        words = SetWords(first, result, counted, self.names, self.expressions.checks, self.plan.sizes.near_set)
        self.lines.add(set_step_line(on_sets.step, words))

    # Data

    def _store(self, leader: Leader) -> None:
        step = leader.step
        if not isinstance(step, StoreElement):
            self.lines.add(f"{self.expressions.scalar(step.scalar)} = {self._text(step.value)};")
            return
        target = step.target
        checked = target.checked or isinstance(target.index, Literal)
        place = self.expressions.element(target.array, target.index, checked, target.domain)
        self.lines.add(f"{place} = {self._text(step.value)};")

    def _fill(self, fill: Fill) -> None:
        step = fill.step
        declared, array = self._arrays[step.array], self.names.member(step.array)
        if step.domain is Domain.EDGE and self.plan.graphs:
            values = "1" if declared.count is None else count_text(declared.count, self.names)
            given = f"d.{array}, d.graph, {values}, {self._text(step.value)}"
            self.lines.add(f"fill_edges<{memory_type_name(step.type)}>({given});")
            return
        count = all_values(declared, self.names)
        self.lines.add(f"fill<{memory_type_name(step.type)}>(d.{array}, {count}, {self._text(step.value)});")

    def _swap(self, swap: Swap) -> None:
        first, second = self.names.member(swap.step.first), self.names.member(swap.step.second)
        self.lines.add(f"std::swap(d.{first}, d.{second});")

    # Control

    def _loop(self, step: Loop) -> None:
        condition = self.expressions.operand_of_and(step.condition)
        if step.counted:
            passes = f"passes_{step.number}"
            self.lines.add(f"const int64 {passes} = {self._repetitions(step.condition)};")
            condition = f"iteration < {passes}"
        if step.order is not None:
            condition = self._begin_order(step, step.order)
        goes_on = f"{condition} && begin_pass(run, {step.number}, iteration)"
        self.lines.open(f"for (int32 iteration = 0; {goes_on}; ++iteration) {{")
        self._steps(step.body)
        if step.outermost:
            self.lines.add("run.control.iterations += 1;")
        self.lines.close()
        if step.order is not None:
            self.lines.close()

    def _begin_order(self, step: Loop, order: NearFar) -> str:
        """What keeps the worklist in its order; returns the condition for another round."""
        assert isinstance(step.condition, FrontierNotEmpty)
        worklist, values = self.names.frontier(step.condition.frontier), self.names.member(order.array)
        self.lines.open("{")
        self.lines.add(f"{order_type(order)} order(d.{values}, {worklist}, d.graph.num_vertices);")
        return f"find_near(run, order, {worklist})"

    def _repetitions(self, count: Expression) -> str:
        return str(count.value) if isinstance(count, Literal) else self._text(count)

    def _branch(self, step: Branch) -> None:
        self.lines.open(f"if ({self._text(step.condition)}) {{")
        self._steps(step.then)
        if step.otherwise:
            self.lines.depth -= 1
            self.lines.open("} else {")
            self._steps(step.otherwise)
        self.lines.close()

    def _text(self, expression: Expression) -> str:
        return self.expressions.print(expression)


def _speaks_of_iteration(steps: tuple[Step, ...]) -> bool:
    """Whether something outside the loops needs the iteration, which is 0 there."""
    for step in steps:
        if isinstance(step, Operation):
            return True
        if isinstance(step, Branch) and _speaks_of_iteration((*step.then, *step.otherwise)):
            return True
        if isinstance(step, On) and _speaks_of_iteration(step.body):
            return True
        if isinstance(step, On) or (isinstance(step, Loop) and not step.counted):
            continue
        parts = step.condition if isinstance(step, (Loop, Branch)) else getattr(step, "step", None)
        if any(isinstance(node, Iteration) for node in walk(parts)):
            return True
    return False
