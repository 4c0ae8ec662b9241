"""What the CUDA templates print the nodes of a plan with: names, types, expressions and calls."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterator

from gdsl.codegen.checks import CheckSite
from gdsl.codegen.cuda.functor_calls import FunctorCalls
from gdsl.codegen.expressions import ExpressionPrinter
from gdsl.codegen.fixed_size_arrays import InitialGroup, all_values
from gdsl.codegen.function_text import Argument, PrintedFunction
from gdsl.codegen.literals import literal, type_name
from gdsl.codegen.names import Scope
from gdsl.codegen.precedence import Text, call, postfix
from gdsl.ir import nodes as ir
from gdsl.ir.calls import function_order, inlined_sizes
from gdsl.operations import Domain, Over
from gdsl.plan import buffers, late_chunks, nodes, scalar_copies
from gdsl.plan.hints import NextLevel
from gdsl.plan.small_frontiers import is_listed, push_in
from gdsl.plan.solo_rounds import solo_loops
from gdsl.plan.walking import deepest_on, launches, operations, own_sweeps, steps_in, sweeps_of
from gdsl.types import Type

_MOST_INLINED = 10_000
"""Nodes that a function may have with all that it calls in place."""


class InstanceExpressions(ExpressionPrinter):
    """Expressions of the schedule for one of several instances that run together."""

    def frontier_size(self, name: str) -> Text:
        """`size(f)`: already an int64."""
        return call("members_in_instance", "run", self.names.frontier(name), "instance")

    def frontier_not_empty(self, name: str) -> Text:
        """A frontier as a condition."""
        return postfix(f"{self.names.frontier(name)}.any_in(instance)")


class CudaHelpers(FunctorCalls):
    """Prints the nodes of one plan as CUDA."""

    def __init__(self, plan: nodes.Plan) -> None:
        super().__init__(plan, ExpressionPrinter if plan.bits is None else InstanceExpressions)
        self.is_listed, self.push_in, self.domains = is_listed, push_in, tuple(Domain)
        self.printer.replicas = {each.array: each.copy for each in plan.replicas}
        steps = steps_in(plan.schedule)
        self.combinations = any(isinstance(step, nodes.Combine) for step in steps)
        histories = (_history(step) for step in steps)
        self.histories = tuple(dict.fromkeys(history for history in histories if history is not None))
        """Of the schedule, in its order."""
        self.has_solo_rounds = any(solo_loops(plan))
        self.most_gpus = buffers.MOST_GPUS
        self.next_levels = tuple(dict.fromkeys(_next_levels(plan)))
        """The histories whose next levels have their lists prefetched, each with these lists."""
        self.graphs_around = deepest_on(plan.schedule)
        resident = plan.resident_threads
        self.resident_blocks = max(1, resident // plan.sizes.block_threads) if resident is not None else 0
        """The blocks that registers are left for; 0 where that is the compiler's choice."""
        self.changes_data = bool(plan.swapped or plan.rotations or plan.private_scalars or plan.replicas)
        """Whether the problem data change but for the graph."""
        self.shares_data = plan.target.fused and bool(plan.graphs) and not self.changes_data
        """Whether all threads of a block have one copy of the data."""
        self.outlined_data = self._outlined_data()
        self.instance_sets = plan.slots(Domain.VERTEX)
        """The sets of instances that run together, with the spare one."""
        self.own_operations, self.launches = own_sweeps(plan), launches(plan)
        (self.initialize,) = (step for step in steps_in(plan.schedule) if isinstance(step, nodes.Initialize))
        self.looks_late = any(map(late_chunks.looks_late, self.own_operations))
        """Whether operators look for chunks of long lists behind what may be their end."""
        self._own_functions: tuple[tuple[str, PrintedFunction], ...] | None = None
        self._inlined_sizes = inlined_sizes(plan.program)

    def _outlined_data(self) -> str:
        """Where functions that are called, not inlined, find the problem data. What they are handed is in memory, and
        so is whatever it points to: in a kernel that runs a whole schedule they get copies, and data in the block's
        memory. An address of the parameters would do as well, but is computed once for all threads of a warp, which
        NVIDIA's assembler (CUDA 13) did where the warp had diverged, from what a part of it had left. Empty where they
        are handed the kernel's own variables: a kernel for each step has registers left, a team's data are in memory,
        and graphs with arrays that change places are each thread's own."""
        plan = self.plan
        if not plan.target.fused or plan.teams is not None or (plan.graphs and not self.shares_data):
            return ""
        return "d" if plan.graphs else "block_data"

    # Operators

    def direction(self, operation: nodes.Operation) -> str:
        """The variable of the persistent kernel that remembers in which direction an operation walked last."""
        name = f"direction_of_{operation.name}"
        return self.names.derived(Scope.VARIABLE, name, f"operator {operation.step.site}")

    def fused(self, operation: nodes.Operation) -> tuple[nodes.Operation, tuple[nodes.Operation, ...]]:
        """The operation whose sweep an operation shares, and what is done in that sweep as well. A reduction lends its
        sweep, and what it fills, to what follows; all else is done before the operation's own work on a member."""
        alone = dataclasses.replace(operation, fused=())
        first, *others = (*operation.fused, alone)
        if others and isinstance(first.does, nodes.Sweep) and first.does.segment is not None:
            collects = operation.does.collect if isinstance(operation.does, nodes.Sweep) else None
            does = dataclasses.replace(first.does, collect=collects)
            return dataclasses.replace(first, body=operation.body, does=does), tuple(others)
        return alone, operation.fused

    @staticmethod
    def copies_arrays(operation: nodes.Operation) -> bool:
        """Whether each GPU reads arrays of its own in an operator."""
        return any(
            bool(sweep.mirrors is not None and sweep.mirrors.arrays)
            or (sweep.merge is not None and not sweep.merge.stays)
            or (sweep.labels is not None and not sweep.labels.stays)
            for sweep in sweeps_of(operation)
        )

    def operation_at(self, site: int) -> nodes.Operation:
        """The operation of that number."""
        return next(each for each in operations(self.plan) if each.step.site == site)

    # Data

    def scalar(self, name: str) -> ir.Scalar:
        """The scalar of that name."""
        return self._scalars[name]

    def resume_state(self, loop: nodes.Loop, spare: str) -> list[str]:
        """What other GPUs resume with after passes of a loop that the first one has run alone, and `spare`, the
        frontier that is in no use: of what threads know, all that is used later, since it takes registers."""
        solo, owners = loop.solo, self.plan.owners()
        assert solo is not None
        parts: tuple[str, ...] = ("queue", "bitmap") if buffers.needs_bitmaps(self.plan) else ("queue",)
        if self.histories or loop.order is not None or push_in(loop) is not None:
            parts += ("room",)
        known = {each.name: ("size", "edges") if each.counts is not None else ("size",) for each in self.plan.frontiers}
        found: list[str] = []
        for name in dict.fromkeys(owners[name] for name in solo.frontiers):
            sharing = [each for each, owner in owners.items() if owner == name]
            values = dict.fromkeys(part for each in sharing for part in known[each])
            forms = ("queued", "mapped") if buffers.needs_bitmaps(self.plan) else ()
            found += (f"{self.frontier(name)}.{part}" for part in (*parts, *values, *forms))
        found += (f"{spare}.{part}" for part in parts)
        found += (self.direction(self.operation_at(site)) for site in solo.directions)
        found += map(self.own_copy, solo.private)
        found += (f"d.{self.member(name)}" for name in solo.rotating)
        found += ["small"] if push_in(loop) is not None else []
        if loop.order is not None:
            found += ["order.keys", "order.next_keys", "order.peak", "order.state"]
        return found

    def own_copy(self, scalar: str) -> str:
        """A thread's own copy of a scalar."""
        return self.names.derived(Scope.VARIABLE, f"kept_{scalar}", f"scalar {scalar}")

    def history_state(self, history: ir.History) -> str:
        """The variable that has what every thread knows of a history."""
        return self.names.derived(Scope.VARIABLE, f"state_of_{history.name}", f"history {history.levels}")

    def next_lists(self, history: ir.History, over: Over) -> str:
        """The variable that has what a warp knows of these lists of the next level of a history."""
        name = f"next_{'in_' if over is Over.IN_EDGES else ''}lists_of_{history.name}"
        return self.names.derived(Scope.VARIABLE, name, f"history {history.members} {over.value}")

    def swapped_by_length(self) -> tuple[tuple[str, list[str]], ...]:
        """The arrays and scalars that change places, by their lengths."""
        groups: dict[str, list[str]] = {}
        for name in self.plan.swapped:
            length = all_values(self._arrays[name], self.names) if name in self._arrays else "1"
            groups.setdefault(length, []).append(name)
        return tuple(groups.items())

    def initial_groups(self, initial: nodes.Initialize) -> tuple[InitialGroup, ...]:
        """Arrays whose initial values one loop stores, those that each GPU has apart."""
        whole = {each.array for each in self.plan.replicas}
        groups: list[InitialGroup] = []
        for group in super().initial_groups(initial):
            for is_whole in (False, True):
                arrays = tuple(each for each in group.arrays if (each.name in whole) is is_whole)
                if arrays:
                    groups.append(dataclasses.replace(group, arrays=arrays, on_each_gpu=is_whole))
        return tuple(groups)

    def initial(self, initial: nodes.Initial) -> str:
        """What an array or a scalar is at first."""
        if initial.value is not None:
            return self.expression(initial.value)
        kind, span = self._scalars[initial.name].type, self.plan.program.span
        if kind.is_id:
            return self.expression(ir.NoneId(span, kind))
        return literal(False if kind is Type.BOOL else 0.0 if kind.is_float else 0, kind)

    def next_place(self, scalar: str) -> int:
        """The index of the second place of a scalar that has several."""
        return scalar_copies.stride(self._scalars[scalar].type)

    def own_queue(self, frontier: str | None) -> int | None:
        """The number of the copy in which each of several GPUs keeps its members of a frontier; None: it does not."""
        return next((each.copy for each in self.plan.own_queues if each.frontier == frontier), None)

    def stores_everywhere(self, step: ir.StoreScalar | ir.StoreElement) -> bool:
        """Whether a thread of each GPU stores an element, as each of them has the array whole."""
        return isinstance(step, ir.StoreElement) and any(each.array == step.target.array for each in self.plan.replicas)

    def is_result(self, array: str) -> bool:
        """Whether the caller gets an array."""
        return not self._arrays[array].is_local

    def replica(self, array: str) -> int:
        """The number of the copy of an array that each GPU has whole."""
        return next(each.copy for each in self.plan.replicas if each.array == array)

    def array_type(self, name: str) -> str:
        """The type of an array's values."""
        return type_name(self._arrays[name].type)

    # Functions

    def own_functions(self) -> tuple[tuple[str, PrintedFunction], ...]:
        """The program's own functions, by name, each after those that it calls."""
        if self._own_functions is None:
            names = (function.name for function in function_order(self.plan.program))
            self._own_functions = tuple(zip(names, self.printer.functions(), strict=True))
        return self._own_functions

    def is_inlined(self, function: str) -> bool:
        """Whether one of the program's own functions is inlined; where each calls the next twice there is no end."""
        return self._inlined_sizes[function] <= _MOST_INLINED

    # Steps

    def member_of_set(self, define: nodes.Define, member: ir.Expression) -> str:
        """A member of a set that is written out: params were checked by the host, all else is checked here."""
        step, checks = define.step, self.checks
        text = self.expression(member)
        if (isinstance(member, ir.ParamValue) and not self.plan.graphs) or not checks.enabled:
            return text
        number = checks.number(CheckSite(step.subject, step.domain, member.type, member.span))
        index = f"checked_index(d, {text}, {checks.bound(step.domain)}, {number})"
        index = checks.existing_edge(index, step.subject, member.span) if define.asks_lists else index
        return f"{step.domain.value}({index})"

    def tests(self, variant: nodes.Variant) -> tuple[str, ...]:
        """What is tested of the vertex ``v``."""
        return self.functors.calls(variant, {Argument.VERTEX: "v"}).tests

    # Launches

    def kernel_names(self) -> tuple[str, ...]:
        """The kernel of each launch. No namespace keeps these names from others, hence the prefix."""
        names: dict[str, None] = {}
        numbers: dict[str, Iterator[int]] = {}
        for launch in launches(self.plan):
            name = stem = re.sub(r"[\W_]+", "_", f"gdsl_{self.plan.program.name}_{launch.name}")
            while name in names:
                name = f"{stem}_{next(numbers.setdefault(stem, itertools.count(2)))}"
            names[name] = None
        return tuple(names)

    def reduces(self, launch: nodes.Launch) -> bool:
        """Whether a launch has reductions."""
        operations_ = (step for step in steps_in(launch.steps) if isinstance(step, nodes.Operation))
        return any(sweep.segment is not None for operation in operations_ for sweep in sweeps_of(operation))

    def has_barriers(self, launch: nodes.Launch) -> bool:
        """Whether a launch must hand on how many barriers there have been."""
        return any(
            not isinstance(step.step, ir.SameGraph)
            if isinstance(step, nodes.MakeGraph)
            else isinstance(step, (nodes.Operation, nodes.OnSets))
            for step in launch.steps
        )

    def first_of_slots(self, launch: nodes.Launch) -> dict[str, str]:
        """By each frontier that a launch takes over, the first of them that has the same slot."""
        first: dict[str, str] = {}
        owners = self.plan.owners()
        return {name: first.setdefault(owners[name], name) for name in (*launch.reads, *launch.writes)}

    def written_slots(self, launch: nodes.Launch) -> tuple[str, ...]:
        """The first frontiers of all slots that a launch writes."""
        first = self.first_of_slots(launch)
        return tuple(dict.fromkeys(first[name] for name in launch.writes))

    def spares(self, launch: nodes.Launch) -> list[Domain]:
        """The domains into whose spare frontiers a launch puts something."""
        used = {self._spare_domain(step) for step in launch.steps}
        return [domain for domain in Domain if domain in used]

    def _spare_domain(self, step: nodes.Step) -> Domain | None:
        if isinstance(step, nodes.Operation):
            collects = (sweep.collect for sweep in sweeps_of(step) if sweep.collect is not None)
            return next((collect.domain for collect in collects), None)
        if isinstance(step, nodes.OnSets):
            result = step.step.use.result
            return None if result is None or not step.waits else self.domain(result)
        return (
            self.domain(step.step.name)
            if isinstance(step, (nodes.Define, nodes.Copy, nodes.Combine, nodes.FarEnds))
            else None
        )


def _history(step: nodes.Step) -> ir.History | None:
    """The history that a step adds to or takes from."""
    step_on_sets = step.step if isinstance(step, nodes.OnSets) else None
    return step_on_sets.history if isinstance(step_on_sets, (ir.PushLevel, ir.TakeLevel)) else None


def _next_levels(plan: nodes.Plan) -> Iterator[tuple[ir.History, Over]]:
    for step in steps_in(plan.schedule):
        for sweep in sweeps_of(step) if isinstance(step, nodes.Operation) else ():
            level = sweep.hint(NextLevel)
            if level is not None:
                yield level.history, sweep.walks[0].lists
