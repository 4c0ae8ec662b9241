"""The steps of a schedule that are no loops and no branches, as CUDA statements."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.codegen.cuda.operators import COUNTED
from gdsl.codegen.cuda.plan import OperatorPlan
from gdsl.codegen.expressions import CheckSite, ExpressionPrinter
from gdsl.ir.nodes import (
    Barrier,
    CopyFrontier,
    DefineFrontier,
    Expression,
    Fill,
    FrontierRef,
    Operator,
    ParamValue,
    Step,
    StoreElement,
    StoreScalar,
    Swap,
)
from gdsl.ir.traversal import walk
from gdsl.operations import Domain

SPARE = "spare"
"""The frontier into which the next result goes; it then changes places with the one that is assigned."""


@dataclass
class StepPrinter:
    """Prints the steps of one program."""

    expressions: ExpressionPrinter
    operators: dict[int, OperatorPlan]
    fused: bool

    def lines(self, step: Step) -> list[str]:
        """The statements of `step`."""
        if isinstance(step, Operator):
            return self._operator(step)
        if isinstance(step, DefineFrontier):
            return self._define(step)
        if isinstance(step, CopyFrontier):
            target, other = self._frontier(step.name), self._frontier(step.other)
            copied = f"copy_frontier(run, {SPARE}, {other}, d.graph.num_vertices);"
            return [copied, f"exchange({target}, {SPARE});"]
        if isinstance(step, Barrier):
            return ["synchronize(run);"]
        if isinstance(step, Swap):
            return [f"exchange(d.{self._member(step.first)}, d.{self._member(step.second)});"]
        if isinstance(step, Fill):
            count = "d.graph.num_vertices" if step.domain is Domain.VERTEX else "d.graph.num_edges"
            value = self.expressions.print(step.value)
            return [f"each_id({count}, [&](uint64 i) {{ d.{self._member(step.array)}[i] = {value}; }});"]
        return [f"if (leader()) {{ {self._store(step)}; }}"]

    def frontiers(self, step: Step) -> list[str]:
        """The frontier variables that `step` reads or assigns."""
        if isinstance(step, DefineFrontier):
            return [step.name]
        if isinstance(step, CopyFrontier):
            return [step.name, step.other]
        found = [getattr(node, "frontier", None) for node in walk(step)] + [getattr(step, "result", None)]
        names = [node.name if isinstance(node, FrontierRef) else node for node in found]
        return list(dict.fromkeys(name for name in names if isinstance(name, str)))

    def assigns(self, step: Step) -> bool:
        """Whether `step` gives a frontier variable a new value."""
        return isinstance(step, (DefineFrontier, CopyFrontier)) or getattr(step, "result", None) is not None

    def _operator(self, step: Operator) -> list[str]:
        plan = self.operators[step.site]
        named = {"result": SPARE, **({"direction": plan.direction} if self.fused else {})}
        if isinstance(getattr(step, "frontier", None), FrontierRef):
            named["input"] = self._frontier(step.frontier.name)  # type: ignore[attr-defined]
        arguments = ["run", "d", *(named.get(argument, argument) for argument in plan.arguments)]
        lines = [f"{plan.function}({', '.join(arguments)});"]
        if plan.result:
            lines.append(f"exchange({self._frontier(step.result)}, {SPARE});")  # type: ignore[attr-defined]
        return lines

    def _define(self, step: DefineFrontier) -> list[str]:
        counted = COUNTED[step.counts]
        exchange = f"exchange({self._frontier(step.name)}, {SPARE});"
        if step.everything:
            return [f"define_everything(run, {SPARE}, d.graph.num_vertices, {counted});", exchange]
        members = ", ".join(self._vertex(member) for member in step.members)
        rest = f"{len(step.members)}, d.graph.num_vertices, {counted}"
        if not step.members:
            return [f"define_frontier(run, {SPARE}, nullptr, {rest});", exchange]
        return [
            "{",
            f"    const vertex members[] = {{{members}}};",
            f"    define_frontier(run, {SPARE}, members, {rest});",
            f"    {exchange}",
            "}",
        ]

    def _vertex(self, member: Expression) -> str:
        """A member of a set: params were checked by the host, all else is checked here."""
        text = self.expressions.print(member)
        if isinstance(member, ParamValue) or not self.expressions.checks.enabled:
            return text
        number = self.expressions.checks.number(CheckSite("the set", Domain.VERTEX, member.span))
        return f"vertex(checked_index(d, {text}, d.graph.num_vertices, {number}))"

    def _store(self, step: Step) -> str:
        if isinstance(step, StoreScalar):
            return f"{self.expressions.scalar(step.scalar)} = {self.expressions.print(step.value)}"
        assert isinstance(step, StoreElement)
        target = step.target
        place = self.expressions.element(target.array, target.index, target.checked, target.domain, target.span)
        return f"{place} = {self.expressions.print(step.value)}"

    def _frontier(self, name: str) -> str:
        return self.expressions.names.frontier(name)

    def _member(self, name: str) -> str:
        return self.expressions.names.member(name)
