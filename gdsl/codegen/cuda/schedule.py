"""The schedule as one persistent kernel, or as a kernel a step with a tree for the host to walk."""

from __future__ import annotations

from dataclasses import dataclass, field

from gdsl.codegen.cuda.host import HostIf, HostKernel, HostRepeat, HostStep, HostSwap, HostWhile
from gdsl.codegen.cuda.plan import Kernel, OperatorPlan
from gdsl.codegen.cuda.steps import SPARE, StepPrinter
from gdsl.codegen.lines import Lines
from gdsl.ir.nodes import Binary, Expression, If, Operator, Program, Repeat, Select, Step, Swap, While
from gdsl.ir.traversal import walk
from gdsl.operations import BinaryOperation

_PARAMETER = "const data_slice problem"


@dataclass
class ScheduleWriter:
    """Writes the kernels of one program."""

    program: Program
    steps: StepPrinter
    kernels: list[Kernel] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._numbers = {name: number for number, name in enumerate(self.program.frontiers)}

    # One persistent kernel

    def fused(self) -> tuple[str, ...]:
        """The kernel that runs the whole schedule; returns what is swapped, in the order of its outputs."""
        swapped = self.swapped()
        lines = Lines()
        lines.add("data_slice d = problem;" if swapped else "const data_slice& d = problem;")
        lines.add("enactor run(d.run, shared);")
        for number, name in enumerate((*self.program.frontiers, None) if self.program.frontiers else ()):
            variable = self.steps.expressions.names.frontier(name) if name else SPARE
            lines.add(f"frontier {variable} = frontier_at(d.run, {number});")
        if self._uses_marks():
            lines.add("marks seen = {{d.run.marks[0], d.run.marks[1]}, 0, nullptr, 0};")
        for plan in self.steps.operators.values():
            if plan.directed:
                lines.add(f"direction_state {plan.direction} = {{}};")
        lines.add("initialise(run, d);")
        lines.add("constexpr int32 iteration = 0;")
        self._block(self.program.schedule, lines, outermost=True)
        lines.open("if (leader()) {")
        lines.add("run.control->iterations = run.passes;")
        for number, name in enumerate(swapped):
            lines.add(f"d.run.outputs[{number}] = uint64(d.{self.steps.expressions.names.member(name)});")
        lines.close()
        name = self._kernel_name("enactor")
        self.kernels.append(Kernel(name, "The whole schedule as one persistent kernel.", _PARAMETER, lines.plain()))
        return swapped

    def _block(self, steps: tuple[Step, ...], lines: Lines, outermost: bool = False) -> None:
        for step in steps:
            if isinstance(step, While):
                condition = _condition(self._print(step.condition), step.condition)
                self._loop(step.loop, condition, step.body, lines, outermost)
            elif isinstance(step, Repeat):
                lines.open("{")
                lines.add(f"const int64 times = {self._print(step.count)};")
                self._loop(step.loop, "iteration < times", step.body, lines, outermost)
                lines.close()
            elif isinstance(step, If):
                self._branch(step, lines)
            else:
                for line in self.steps.lines(step):
                    lines.add(line)

    def _loop(self, loop: int, condition: str, body: tuple[Step, ...], lines: Lines, outermost: bool) -> None:
        after = "++iteration, ++run.passes" if outermost else "++iteration"
        lines.open(f"for (int32 iteration = 0; {condition} && begin_pass(run, {loop}, iteration); {after}) {{")
        self._block(body, lines)
        lines.close()
        if outermost:
            lines.add("if (run.stopped) { return; }")

    def _branch(self, step: If, lines: Lines) -> None:
        lines.open(f"if ({self._print(step.condition)}) {{")
        self._block(step.then, lines)
        if step.otherwise:
            lines.depth -= 1
            lines.open("} else {")
            self._block(step.otherwise, lines)
        lines.close()

    # A kernel a step

    def unfused(self) -> tuple[HostStep, ...]:
        """A kernel for each step, condition and count, and what the host does with them."""
        lines = Lines()
        self._begin(lines, saved=False)
        lines.add("initialise(run, d);")
        lines.open("if (leader()) {")
        lines.add("saved_state& saved = *d.run.saved;")
        lines.add("saved.operators = 0;")
        for number in range(self._slots()):
            lines.add(f"saved.frontiers[{number}] = frontier_at(d.run, {number});")
        if self._uses_marks():
            lines.add("saved.seen = marks{{d.run.marks[0], d.run.marks[1]}, 0, nullptr, 0};")
        lines.close()
        lines.add("end_kernel(run);")
        self._add_kernel("start", "Before the schedule begins.", lines)
        return self._host_block(self.program.schedule)

    def _host_block(self, steps: tuple[Step, ...]) -> tuple[HostStep, ...]:
        return tuple(self._host_step(step) for step in steps)

    def _host_step(self, step: Step) -> HostStep:
        if isinstance(step, While):
            return HostWhile(step.loop, self._answer(step.condition), self._host_block(step.body))
        if isinstance(step, Repeat):
            return HostRepeat(step.loop, self._answer(step.count), self._host_block(step.body))
        if isinstance(step, If):
            then, otherwise = self._host_block(step.then), self._host_block(step.otherwise)
            return HostIf(self._answer(step.condition), then, otherwise)
        if isinstance(step, Swap):
            return HostSwap(step.first, step.second)
        lines = Lines()
        self._begin(lines, saved=True)
        changed = self.steps.frontiers(step)
        plan = self.steps.operators[step.site] if isinstance(step, Operator) else None
        self._load(lines, changed, plan)
        for line in self.steps.lines(step):
            lines.add(line)
        if self.steps.assigns(step) or plan is not None:
            self._save(lines, changed, plan)
            lines.add("end_kernel(run);")
        name = plan.function if plan is not None else "step"
        return HostKernel(self._add_kernel(name, f"line {step.span.line}.", lines))

    def _answer(self, expression: Expression) -> str:
        lines = Lines()
        self._begin(lines, saved=True)
        used = [node.frontier for node in walk(expression) if hasattr(node, "frontier")]
        for name in dict.fromkeys(used):
            lines.add(f"const frontier {self._frontier(name)} = saved.frontiers[{self._number(name)}];")
        lines.add(f"if (leader()) {{ run.control->answer = int64({self._print(expression)}); }}")
        return self._add_kernel("answer", f"line {expression.span.line}: asked by the host.", lines)

    def _begin(self, lines: Lines, saved: bool) -> None:
        lines.add("const data_slice& d = problem;")
        lines.add("enactor run(d.run, shared);")
        if saved:
            lines.add("saved_state& saved = *d.run.saved;")
            lines.add("run.operators = saved.operators;")

    def _load(self, lines: Lines, frontiers: list[str], plan: OperatorPlan | None) -> None:
        for name in frontiers:
            lines.add(f"frontier {self._frontier(name)} = saved.frontiers[{self._number(name)}];")
        if frontiers:
            lines.add(f"frontier {SPARE} = saved.frontiers[{self._slots() - 1}];")
        if plan is not None and plan.marks:
            lines.add("marks seen = saved.seen;")
        if plan is not None and plan.directed:
            lines.add(f"direction_state direction = saved.directions[{plan.site}];")

    def _save(self, lines: Lines, frontiers: list[str], plan: OperatorPlan | None) -> None:
        lines.open("if (leader()) {")
        lines.add("saved.operators = run.operators;")
        for name in frontiers:
            lines.add(f"saved.frontiers[{self._number(name)}] = {self._frontier(name)};")
        if frontiers:
            lines.add(f"saved.frontiers[{self._slots() - 1}] = {SPARE};")
        if plan is not None and plan.marks:
            lines.add("saved.seen = seen;")
        if plan is not None and plan.directed:
            lines.add(f"saved.directions[{plan.site}] = direction;")
        lines.close()

    def _add_kernel(self, part: str, comment: str, lines: Lines) -> str:
        name = self._kernel_name(part)
        parameters = f"{_PARAMETER}, const int32 iteration"
        self.kernels.append(Kernel(name, comment, parameters, lines.plain()))
        return name

    # Facts

    def swapped(self) -> tuple[str, ...]:
        """The arrays and scalars that the schedule swaps."""
        swaps = [node for node in walk(self.program.schedule) if isinstance(node, Swap)]
        return tuple(dict.fromkeys(name for swap in swaps for name in (swap.first, swap.second)))

    def state_members(self) -> tuple[str, ...]:
        """The members of `saved_state`, which keeps what the kernels of the unfused form hand on."""
        members = ["uint64 operators;"]
        if self.program.frontiers:
            members.append(f"frontier frontiers[{self._slots()}];")
        if self._uses_marks():
            members.append("marks seen;")
        if self._directions():
            members.append(f"direction_state directions[{self._directions()}];")
        return tuple(members)

    def _slots(self) -> int:
        return len(self.program.frontiers) + 1 if self.program.frontiers else 0

    def _number(self, frontier: str) -> int:
        return self._numbers[frontier]

    def _uses_marks(self) -> bool:
        return any(plan.marks for plan in self.steps.operators.values())

    def _directions(self) -> int:
        """One more than the highest site that remembers a direction."""
        return max((plan.site + 1 for plan in self.steps.operators.values() if plan.directed), default=0)

    def _kernel_name(self, part: str) -> str:
        return self.steps.expressions.names.fresh(f"{self.program.name}_{part}")

    def _frontier(self, name: str) -> str:
        return self.steps.expressions.names.frontier(name)

    def _print(self, expression: Expression) -> str:
        return self.steps.expressions.print(expression)


def _condition(text: str, expression: Expression) -> str:
    """`text` as an operand of &&."""
    loose = isinstance(expression, Select) or (
        isinstance(expression, Binary) and expression.operation is BinaryOperation.OR
    )
    return f"({text})" if loose else text
