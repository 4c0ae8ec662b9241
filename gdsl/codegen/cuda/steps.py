"""The steps of a plan that are no loops, branches or launches, as CUDA statements."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.codegen.checks import CheckSite
from gdsl.codegen.combinations import Words, combination_lines
from gdsl.codegen.cuda.operators import COUNTED
from gdsl.codegen.cuda.texts import OperatorText
from gdsl.codegen.expressions import ExpressionPrinter
from gdsl.ir.nodes import Expression, ParamValue, StoreScalar
from gdsl.operations import Domain
from gdsl.plan.nodes import Barrier, Combine, Copy, Define, Fill, Initialise, Leader, Operation, Plan, Step, Swap
from gdsl.plan.walking import sweeps_of

SPARE = "spare"
"""The frontier into which the next result goes; it then changes places with the one that is assigned."""


@dataclass
class StepPrinter:
    """Prints the steps of one plan; `operators` are the texts of its operations by site."""

    plan: Plan
    expressions: ExpressionPrinter
    operators: dict[int, OperatorText]

    def __post_init__(self) -> None:
        self._counts = {frontier.name: frontier.counts for frontier in self.plan.frontiers}

    def lines(self, step: Step) -> list[str]:
        """The statements of `step`."""
        match step:
            case Initialise():
                return ["initialise(run, d);"]
            case Operation():
                return self._operation(step)
            case Define():
                return self._define(step)
            case Copy():
                copied = f"copy_frontier(run, {SPARE}, {self._frontier(step.step.other)}, d.graph.num_vertices);"
                return [copied, self._exchange(step.step.name)]
            case Combine():
                return self._combine(step)
            case Barrier():
                return ["synchronize(run);"]
            case Swap():
                return [f"exchange(d.{self._member(step.step.first)}, d.{self._member(step.step.second)});"]
            case Fill():
                count = "d.graph.num_vertices" if step.step.domain is Domain.VERTEX else "d.graph.num_edges"
                value = self.expressions.print(step.step.value)
                return [f"each_id({count}, [&](uint64 i) {{ d.{self._member(step.step.array)}[i] = {value}; }});"]
            case Leader():
                return [f"if (leader()) {{ {self._store(step)}; }}"]
        raise AssertionError(f"no step of one statement: {type(step).__name__}")

    def uses_spare(self, step: Step) -> bool:
        """Whether `step` puts something into the spare frontier."""
        if isinstance(step, Operation):
            return any(sweep.collect is not None for sweep in sweeps_of(step))
        return isinstance(step, (Define, Copy, Combine))

    def direction(self, site: int) -> str:
        """The variable that remembers the direction of an operation."""
        return self.operators[site].direction if self.plan.target.fused else "direction"

    def _operation(self, step: Operation) -> list[str]:
        text, sweep = self.operators[step.step.site], sweeps_of(step)[0]
        named = {"result": SPARE, "direction": self.direction(step.step.site)}
        if sweep.members.frontier is not None:
            named["input"] = self._frontier(sweep.members.frontier)
        arguments = ["run", "d", *(named.get(argument, argument) for argument in text.arguments)]
        lines = [f"{text.function}({', '.join(arguments)});"]
        return lines if sweep.collect is None else [*lines, self._exchange(sweep.collect.frontier)]

    def _define(self, step: Define) -> list[str]:
        name, members = step.step.name, step.step.members
        counted = COUNTED[self._counts[name]]
        if step.step.everything:
            return [f"define_everything(run, {SPARE}, d.graph.num_vertices, {counted});", self._exchange(name)]
        rest = f"{len(members)}, d.graph.num_vertices, {counted}"
        if not members:
            return [f"define_frontier(run, {SPARE}, nullptr, {rest});", self._exchange(name)]
        return [
            "{",
            f"    const vertex members[] = {{{', '.join(self._vertex(name, member) for member in members)}}};",
            f"    define_frontier(run, {SPARE}, members, {rest});",
            f"    {self._exchange(name)}",
            "}",
        ]

    def _combine(self, step: Combine) -> list[str]:
        name, walked, asked = step.step.name, step.walked.frontier, step.asked.frontier
        assert asked is not None
        first, second = self._frontier(walked) if walked is not None else "", self._frontier(asked)
        wait = ("synchronize(run);  // until its marks are taken out",) if step.waits else ()
        words = Words(
            result=SPARE,
            walked=first,
            asked=second,
            everything="all_members{uint64(d.graph.num_vertices)}",
            grows=f"grows_in_place(run, {first}, {second}, d.graph.num_vertices)",
            growing="run, ",
            size="d.graph.num_vertices, ",
            counted=COUNTED[self._counts[name]],
            exchange=(*wait, self._exchange(name)),
        )
        return combination_lines(step, words)

    def _exchange(self, name: str) -> str:
        return f"exchange({self._frontier(name)}, {SPARE});"

    def _vertex(self, frontier: str, member: Expression) -> str:
        """A member of a set: params were checked by the host, all else is checked here."""
        text = self.expressions.print(member)
        if isinstance(member, ParamValue) or not self.expressions.checks.enabled:
            return text
        number = self.expressions.checks.number(CheckSite(frontier, Domain.VERTEX, member.type, member.span))
        return f"vertex(checked_index(d, {text}, d.graph.num_vertices, {number}))"

    def _store(self, leader: Leader) -> str:
        step = leader.step
        if isinstance(step, StoreScalar):
            return f"{self.expressions.scalar(step.scalar)} = {self.expressions.print(step.value)}"
        target = step.target
        place = self.expressions.element(target.array, target.index, target.checked, target.domain)
        return f"{place} = {self.expressions.print(step.value)}"

    def _frontier(self, name: str) -> str:
        return self.expressions.names.frontier(name)

    def _member(self, name: str) -> str:
        return self.expressions.names.member(name)
