"""The schedule of a program as the lines of one C++ function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gdsl.codegen.cpu.operators import direction_of
from gdsl.codegen.cpu.plan import AdvancePlan, OperatorPlan
from gdsl.codegen.expressions import CheckSite, ExpressionPrinter
from gdsl.codegen.lines import Lines
from gdsl.codegen.precedence import Text, postfix
from gdsl.ir.nodes import (
    Barrier,
    CopyFrontier,
    DefineFrontier,
    Expression,
    Fill,
    If,
    Iteration,
    Literal,
    Operator,
    ParamValue,
    Program,
    Repeat,
    Step,
    StoreElement,
    StoreScalar,
    Swap,
    While,
)
from gdsl.ir.traversal import walk
from gdsl.operations import Domain, Over

_COUNTED = {
    None: "uncounted{}",
    Over.OUT_EDGES: "out_lists{d.graph}",
    Over.IN_EDGES: "in_neighbors{d.graph}",
    Over.ALL_EDGES: "all_lists{d.graph}",
}


class ScheduleExpressions(ExpressionPrinter):
    """Expressions that may ask for a frontier."""

    def frontier_size(self, name: str) -> Text:
        """`size(f)`: already an int64."""
        return postfix(f"{self.names.frontier(name)}.size")


class SchedulePrinter:
    """Prints the steps; `operators` are the plans by site."""

    def __init__(
        self, program: Program, expressions: ScheduleExpressions, operators: Mapping[int, OperatorPlan]
    ) -> None:
        self.program = program
        self.expressions = expressions
        self.names = expressions.names
        self.operators = operators
        self.lines = Lines(depth=1)
        self.depth = 0
        self._printers: dict[type[Any], Callable[[Any], None]] = {
            DefineFrontier: self._define,
            CopyFrontier: self._copy,
            StoreElement: self._store_element,
            StoreScalar: self._store_scalar,
            Fill: self._fill,
            Swap: self._swap,
            While: self._while,
            Repeat: self._repeat,
            If: self._if,
            Barrier: lambda step: None,
        }

    def print(self) -> tuple[str, ...]:
        """The body of the function that runs the schedule."""
        if _speaks_of_iteration(self.program.schedule):
            self.lines.add("const int32 iteration = 0;")
        for name in self.program.frontiers:
            self.lines.add(f"frontier {self.names.frontier(name)}(d.graph.num_vertices);")
        for node in walk(self.program.schedule):
            plan = self.operators.get(node.site) if isinstance(node, Operator) else None
            if isinstance(plan, AdvancePlan) and plan.push and plan.pull:
                self.lines.add(f"direction_state {direction_of(node)} = {{0, false}};")  # type: ignore[arg-type]
        self._steps(self.program.schedule)
        return self.lines.plain()

    def _steps(self, steps: tuple[Step, ...]) -> None:
        for step in steps:
            if isinstance(step, Operator):
                plan = self.operators[step.site]
                self.lines.add(f"{plan.function}({plan.arguments});")
            else:
                self._printers[type(step)](step)

    # Frontiers

    def _define(self, step: DefineFrontier) -> None:
        name, counted = self.names.frontier(step.name), _COUNTED[step.counts]
        if step.everything:
            self.lines.add(f"define_everything({name}, d.graph.num_vertices, {counted});")
            return
        members = ", ".join(f"vertex({self._member(step, member)})" for member in step.members)
        self.lines.add(f"define_frontier({name}, {{{members}}}, {counted});")

    def _member(self, step: DefineFrontier, member: Expression) -> str:
        text = str(member.value) if isinstance(member, Literal) else self._text(member)
        if isinstance(member, ParamValue):
            return text
        number = self.expressions.checks.number(CheckSite(step.name, Domain.VERTEX, member.span))
        return f"checked_index(d, {text}, d.graph.num_vertices, {number})"

    def _copy(self, step: CopyFrontier) -> None:
        self.lines.add(f"copy_frontier({self.names.frontier(step.name)}, {self.names.frontier(step.other)});")

    # Data

    def _store_element(self, step: StoreElement) -> None:
        target = step.target
        checked = target.checked or isinstance(target.index, Literal)
        place = self.expressions.element(target.array, target.index, checked, target.domain, target.span)
        self.lines.add(f"{place} = {self._text(step.value)};")

    def _store_scalar(self, step: StoreScalar) -> None:
        self.lines.add(f"{self.expressions.scalar(step.scalar)} = {self._text(step.value)};")

    def _fill(self, step: Fill) -> None:
        count = "d.graph.num_vertices" if step.domain is Domain.VERTEX else "d.graph.num_edges"
        kind, array = step.type.value, self.names.member(step.array)
        self.lines.add(f"fill<{kind}>(d.{array}, {count}, {self._text(step.value)});")

    def _swap(self, step: Swap) -> None:
        first, second = self.names.member(step.first), self.names.member(step.second)
        star = "*" if step.of_scalars else ""
        self.lines.add(f"std::swap({star}d.{first}, {star}d.{second});")

    # Control

    def _while(self, step: While) -> None:
        self._loop(step, self.expressions.operand_of_and(step.condition))

    def _repeat(self, step: Repeat) -> None:
        passes = f"passes_{step.loop}"
        self.lines.add(f"const int64 {passes} = {self._repetitions(step.count)};")
        self._loop(step, f"iteration < {passes}")

    def _repetitions(self, count: Expression) -> str:
        return str(count.value) if isinstance(count, Literal) else self._text(count)

    def _loop(self, step: While | Repeat, condition: str) -> None:
        goes_on = f"{condition} && begin_pass(run, {step.loop}, iteration)"
        self.lines.open(f"for (int32 iteration = 0; {goes_on}; ++iteration) {{")
        self.depth += 1
        self._steps(step.body)
        self.depth -= 1
        if self.depth == 0:
            self.lines.add("run.control.iterations += 1;")
        self.lines.close()

    def _if(self, step: If) -> None:
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
        if isinstance(step, If):
            if _speaks_of_iteration((*step.then, *step.otherwise)):
                return True
            parts: object = step.condition
        elif isinstance(step, While):
            continue
        else:
            parts = step.count if isinstance(step, Repeat) else step
        if isinstance(step, Operator) or any(isinstance(node, Iteration) for node in walk(parts)):
            return True
    return False
