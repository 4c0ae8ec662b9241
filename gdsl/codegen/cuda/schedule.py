"""The launches of a plan as kernels."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from gdsl.codegen.cuda import teams
from gdsl.codegen.cuda.problem_data import data_lines, shares_data
from gdsl.codegen.cuda.steps import ORDER, SPARES, StepPrinter
from gdsl.codegen.cuda.texts import Kernel
from gdsl.codegen.cuda.words import LISTED
from gdsl.codegen.lines import Lines
from gdsl.codegen.operators import STRUCTS, order_type, shared
from gdsl.ir.nodes import Expression, SameGraph
from gdsl.operations import Domain
from gdsl.plan import grids
from gdsl.plan.nodes import (
    Branch,
    Combine,
    EnterGraph,
    Initialise,
    Launch,
    Loop,
    MakeGraph,
    NearFar,
    On,
    OnSets,
    Operation,
    Plan,
    Step,
)
from gdsl.plan.small_frontiers import push_in
from gdsl.plan.walking import deepest_on, launches, operations, steps_in, sweeps_of

_AROUND = "graph_around"
"""What a graph is called while another one is, with its depth behind."""
_PARAMETER = "const data_slice problem"
_LISTED_SET = f"listed_set {LISTED} = listed_set_of(run);"


@dataclass(frozen=True, slots=True)
class Variable:
    """A frontier variable of a kernel: its struct, its name, and its place among those of its domain, or the variable
    (`shares`) that has the place already."""

    struct: str
    name: str
    slot: int
    shares: str | None


@dataclass
class KernelPrinter:
    """Prints the kernels of one plan."""

    plan: Plan
    steps: StepPrinter

    def __post_init__(self) -> None:
        self._by_name = {frontier.name: frontier for frontier in self.plan.frontiers}
        self._switches = {site: number for number, site in enumerate(self.plan.switches)}
        self._owners = self.plan.owners()
        self._variables = tuple(variable for domain in Domain for variable in self._of_domain(domain))
        """The frontier variables with their places, the spare one of each domain last."""
        self._taken = ["d.graph", *(self._frontier(name) for name in self.plan.graphs)]
        """The graphs that may still be read, by what they are called where one is made."""

    def _of_domain(self, domain: Domain) -> Iterator[Variable]:
        struct, slots = STRUCTS[domain], self.plan.slots(domain)
        for each in self.plan.frontiers:
            if each.domain is domain:
                owner = self._owners[each.name]
                shares = self._frontier(owner) if owner != each.name else None
                yield Variable(struct, self._frontier(each.name), each.slot, shares)
        if slots:
            yield Variable(struct, SPARES[domain], slots - 1, None)

    def kernels(self) -> tuple[Kernel, ...]:
        """One for each launch, in the order of the plan."""
        print_launch = self._everything if self.plan.target.fused else self._part
        names = self.names()
        return tuple(print_launch(launch, names[i]) for i, launch in enumerate(launches(self.plan)))

    def names(self) -> tuple[str, ...]:
        """What the host asks for, for each launch. No namespace keeps these names from others, hence the prefix."""
        names: dict[str, None] = {}
        numbers: dict[str, Iterator[int]] = {}
        for launch in launches(self.plan):
            name = stem = re.sub(r"[\W_]+", "_", f"gdsl_{self.plan.program.name}_{launch.name}")
            while name in names:
                name = f"{stem}_{next(numbers.setdefault(stem, itertools.count(2)))}"
            names[name] = None
        return tuple(names)

    # One persistent kernel

    def _everything(self, launch: Launch, name: str) -> Kernel:
        """A launch that keeps all state to itself."""
        plan, lines = self.plan, Lines()
        if plan.graphs:
            self._share_graphs(lines)
        calls = any(isinstance(step, Combine) for step in steps_in(launch.steps))
        for line in data_lines(plan, calls):
            lines.add(line)
        lines.add(teams.ENACTOR)
        for variable in self._variables:
            if variable.shares is not None:
                lines.add(shared(variable.struct, variable.name, variable.shares))
            else:
                lines.add(f"{variable.struct} {variable.name} = {variable.struct}_at(d.run, {variable.slot});")
        for line in self.steps.history_variables():
            lines.add(line)
        for site in plan.switches:
            operation = next(each for each in operations(plan) if each.step.site == site)
            lines.add(f"direction_state {self.steps.direction(operation)} = {{}};")
        self._block(launch.steps[:1], lines)
        lines.add("constexpr int32 iteration = 0;")
        self._block(launch.steps[1:], lines)
        self._end_walks(launch, lines)
        for line in teams.lines_home(plan, self.steps.expressions.names) if plan.teams is not None else ():
            lines.add(line)
        lines.open("if (leader()) {")
        lines.add("run.control->iterations = run.shared.passes;")
        lines.add("end_clock(run);")
        for number, swapped in enumerate(plan.swapped):
            lines.add(f"d.run.outputs[{number}] = uint64(d.{self.steps.expressions.names.member(swapped)});")
        lines.close()
        if plan.teams is not None:
            lines.add(teams.NEXT)
            functions = (teams.slice_text(plan, self.steps.expressions.names), teams.value_text(lines.plain()))
            return Kernel(name, launch.comment, teams.PARAMETERS, self._bounds(), functions, teams.KERNEL_LINES)
        return Kernel(name, launch.comment, _PARAMETER, self._bounds(), (), lines.plain())

    def _enter(self, graph: str) -> str:
        """The statement that makes `graph` the one that steps run on."""
        return f"share(d.graph, {graph});" if shares_data(self.plan) else f"d.graph = {graph};"

    def _share_graphs(self, lines: Lines) -> None:
        """Graphs take two registers for each of their arrays, which are the same in all threads."""
        if shares_data(self.plan):
            lines.add("__shared__ data_slice d;")
        around = [f"{_AROUND}_{depth}" for depth in range(deepest_on(self.plan.schedule))]
        graphs = [self._frontier(graph) for graph in self.plan.graphs]
        for graph in (*graphs, *around):
            lines.add(f"__shared__ graph_slice {graph};")
        for graph in graphs:
            lines.add(f"share({graph}, problem.graph);")

    def _block(self, steps: tuple[Step, ...], lines: Lines) -> None:
        for step in steps:
            if isinstance(step, Loop):
                self._loop(step, lines)
            elif isinstance(step, Branch):
                self._branch(step, lines)
            elif isinstance(step, On):
                self._on(step, lines)
            else:
                for line in self.steps.lines(step, self._taken):
                    lines.add(line)

    def _on(self, step: On, lines: Lines) -> None:
        around = f"{_AROUND}_{step.depth}"
        lines.open("{")
        lines.add(f"share({around}, d.graph);")
        lines.add(self._enter(self._frontier(step.graph)))
        self._taken.append(around)
        self._block(step.body, lines)
        self._taken.pop()
        lines.add(self._enter(around))
        lines.close()

    def _loop(self, step: Loop, lines: Lines) -> None:
        condition = "iteration < times" if step.counted else self.steps.expressions.operand_of_and(step.condition)
        if step.counted:
            lines.open("{")
            lines.add(f"const int64 times = {self._print(step.condition)};")
        if step.order is not None:
            self._begin_order(step, step.order, lines)
            condition = f"find_near(run, {ORDER}, {LISTED}, {self.steps.worklist(step)}, d.graph.num_vertices)"
        elif push_in(step) is not None:
            lines.open("{")
            lines.add(_LISTED_SET)
        after = "++iteration, count_pass(run)" if step.outermost else "++iteration"
        goes_on = f"{condition} && begin_pass(run, {step.number}, iteration)"
        lines.open(f"for (int32 iteration = 0; {goes_on}; {after}) {{")
        self._block(step.body, lines)
        lines.close()
        if step.outermost:
            lines.add(f"if (run.stopped) {{ {teams.LEAVE if self.plan.teams is not None else 'return;'} }}")
        if step.counted:
            lines.close()
        if step.order is not None or push_in(step) is not None:
            lines.close()

    def _begin_order(self, step: Loop, order: NearFar, lines: Lines) -> None:
        values = f"d.{self.steps.expressions.names.member(order.array)}"
        lines.open("{")
        lines.add(f"{order_type(order)} {ORDER}(run, {values}, d.graph);")
        lines.add(f"put_off_all(run, {ORDER}, {self.steps.worklist(step)}, d.graph.num_vertices);")
        lines.add(_LISTED_SET if push_in(step) is not None else f"unlisted {LISTED};")

    def _branch(self, step: Branch, lines: Lines) -> None:
        lines.open(f"if ({self._print(step.condition)}) {{")
        self._block(step.then, lines)
        if step.otherwise:
            lines.depth -= 1
            lines.open("} else {")
            self._block(step.otherwise, lines)
        lines.close()

    # A kernel a step

    def _part(self, launch: Launch, name: str) -> Kernel:
        """A launch between others: it takes over what it needs of the state, and hands it on."""
        lines = Lines()
        lines.add("data_slice d = problem;" if self.plan.graphs else "const data_slice& d = problem;")
        lines.add("enactor run(d.run, shared);")
        if any(isinstance(step, Initialise) for step in launch.steps):
            self._start(launch, lines)
        else:
            self._take_over(launch, lines)
            self._part_steps(launch.steps, lines)
            if launch.answer is not None:
                lines.add(f"if (leader()) {{ run.control->answer = int64({self._print(launch.answer)}); }}")
            if launch.writes or any(map(_has_barriers, launch.steps)):
                self._hand_on(launch, lines)
        return Kernel(name, launch.comment, f"{_PARAMETER}, const int32 iteration", self._bounds(), (), lines.plain())

    def _part_steps(self, steps: tuple[Step, ...], lines: Lines) -> None:
        """The steps of such a launch; graphs are handed on by all that have to do with them."""
        for step in steps:
            if isinstance(step, EnterGraph):
                lines.add(f"if (leader()) {{ saved.around[{step.depth}] = {self._saved_graph(step.graph)}; }}")
            elif isinstance(step, MakeGraph):
                name = self._frontier(step.step.name)
                lines.add(f"graph_slice {name};")
                for line in self.steps.lines(step, self._taken):
                    lines.add(line)
                lines.add(f"if (leader()) {{ {self._saved_graph(step.step.name)} = {name}; }}")
            else:
                self._block((step,), lines)

    def _saved_graph(self, name: str) -> str:
        return f"saved.graphs[{self.plan.graphs.index(name)}]"

    def _bounds(self) -> str:
        """Threads a block, and the blocks that registers are left for."""
        resident = grids.resident_threads(self.plan)
        if resident is None:
            return "BLOCK_THREADS"
        return f"BLOCK_THREADS, {max(1, resident // self.plan.sizes.block_threads)}"

    def _start(self, launch: Launch, lines: Lines) -> None:
        self._block(launch.steps, lines)
        lines.open("if (leader()) {")
        lines.add("saved_state& saved = *d.run.saved;")
        lines.add("saved.operators = 0;")
        for variable in (each for each in self._variables if each.shares is None):
            lines.add(f"saved.{variable.struct}s[{variable.slot}] = {variable.struct}_at(d.run, {variable.slot});")
        for number in range(len(self.plan.graphs)):
            lines.add(f"saved.graphs[{number}] = d.graph;")
        lines.close()
        lines.add("end_kernel(run);")

    def _take_over(self, launch: Launch, lines: Lines) -> None:
        lines.add("saved_state& saved = *d.run.saved;")
        lines.add("run.operators = saved.operators;")
        if launch.around:
            lines.add(f"d.graph = saved.around[{launch.around - 1}];")
        if not self.plan.target.fused:
            saved = [self._saved_graph(name) for name in self.plan.graphs]
            self._taken = ["d.graph", *saved, *(f"saved.around[{depth}]" for depth in range(launch.around))]
        first = self._first_of_slots(launch)
        written = {first[name] for name in launch.writes}
        for name, owner in first.items():
            struct, own = self._struct(name), self._frontier(name)
            if name != owner:
                lines.add(f"{struct}& {own} = {self._frontier(owner)};  // which is not needed any more")
            else:
                constant = "" if name in written else "const "
                lines.add(f"{constant}{struct} {own} = {self._saved(name)};")
        for domain in self._spares(launch):
            lines.add(f"{STRUCTS[domain]} {SPARES[domain]} = {self._saved_spare(domain)};")
        for site in launch.directions:
            lines.add(f"direction_state direction = saved.directions[{self._switches[site]}];")

    def _end_walks(self, launch: Launch, lines: Lines) -> None:
        """What reductions have counted is told by then."""
        operations = (step for step in steps_in(launch.steps) if isinstance(step, Operation))
        if any(sweep.segment is not None for step in operations for sweep in sweeps_of(step)):
            lines.add("end_walks(run);")

    def _hand_on(self, launch: Launch, lines: Lines) -> None:
        self._end_walks(launch, lines)
        lines.open("if (leader()) {")
        lines.add("saved.operators = run.operators;")
        first = self._first_of_slots(launch)
        for name in dict.fromkeys(first[name] for name in launch.writes):
            lines.add(f"{self._saved(name)} = {self._frontier(name)};")
        for domain in self._spares(launch):
            lines.add(f"{self._saved_spare(domain)} = {SPARES[domain]};")
        for site in launch.directions:
            lines.add(f"saved.directions[{self._switches[site]}] = direction;")
        lines.close()
        lines.add("end_kernel(run);")

    # Names

    def _first_of_slots(self, launch: Launch) -> dict[str, str]:
        """By each frontier that a launch takes over, the first of them that has the same slot."""
        first: dict[str, str] = {}
        return {name: first.setdefault(self._owners[name], name) for name in (*launch.reads, *launch.writes)}

    def _spares(self, launch: Launch) -> list[Domain]:
        """The domains into whose spare frontiers a launch puts something."""
        used = {self.steps.uses_spare(step) for step in launch.steps}
        return [domain for domain in Domain if domain in used]

    def _struct(self, name: str) -> str:
        return STRUCTS[self._by_name[name].domain]

    def _saved(self, name: str) -> str:
        return f"saved.{self._struct(name)}s[{self._by_name[name].slot}]"

    def _saved_spare(self, domain: Domain) -> str:
        return f"saved.{STRUCTS[domain]}s[{self.plan.slots(domain) - 1}]"

    def _frontier(self, name: str) -> str:
        return self.steps.expressions.names.frontier(name)

    def _print(self, expression: Expression) -> str:
        return self.steps.expressions.print(expression)


def _has_barriers(step: Step) -> bool:
    """Whether a launch of this step alone must hand on how many barriers there have been."""
    if isinstance(step, MakeGraph):
        return not isinstance(step.step, SameGraph)
    return isinstance(step, (Operation, OnSets))
