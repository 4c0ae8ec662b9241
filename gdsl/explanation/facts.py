"""What the compiler finds out about a sound program, by name and place: who writes what and how, in which direction
operators run, what grade results have and why."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gdsl.backends.cuda import plan_of
from gdsl.effects.programs import program_effects
from gdsl.effects.summary import Write
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps
from gdsl.operations import Grade, StoreRule
from gdsl.plan.followers import filters_of_followers
from gdsl.plan.nodes import Choice, Operation, Plan, Sweep
from gdsl.plan.sending import written_for
from gdsl.plan.sweep_nodes import Mode, Variant
from gdsl.plan.walking import operations as all_operations
from gdsl.source import Span

Place = tuple[int, int]
"""A line and a column, from 1."""

RULES = {
    StoreRule.SINGLE_WRITER: "single writer",
    StoreRule.SAME_VALUE: "all writers store the same value",
    StoreRule.UNDER_CAS: "one writer, by `cas`",
    StoreRule.ANY_WINNER: "any writer wins",
}
_MODES = {
    Mode.PLAIN: "plain",
    Mode.SHARED: "atomic",
    Mode.OWN: "kept in a register, stores are whole",
    Mode.TOTAL: "combined in each thread, then atomic",
    Mode.EVERYWHERE: "atomic on each GPU",
}


@dataclass(frozen=True, slots=True)
class WriteFact:
    """One write in the text of a functor, by one operator. `modes` are by direction how the GPU does it."""

    name: str
    functor: str
    label: str
    form: str
    rule: str
    span: Span
    modes: tuple[tuple[str, str], ...]

    @property
    def is_atomic(self) -> bool:
        """Whether it is atomic in some direction."""
        return any(mode not in (_MODES[Mode.PLAIN], _MODES[Mode.OWN]) for _, mode in self.modes)

    @property
    def how(self) -> str:
        """Who writes and how, in words."""
        kinds = dict.fromkeys(mode for _, mode in self.modes)
        if len(kinds) == 1:
            done = next(iter(kinds))
        else:
            done = "; ".join(f"in a {direction}: {mode}" for direction, mode in self.modes)
        parts = [part for part in (self.rule, done) if part]
        return "; ".join(dict.fromkeys(parts))


@dataclass(frozen=True, slots=True)
class OperatorFact:
    """One operator of the schedule: its text in the plan, its place, and the directions that it may run in. `sites` are
    its own and those of the operators that the plan adds to it; each time one of `ways` among them runs."""

    label: str
    functor: str
    call: str
    span: Span
    directions: tuple[str, ...]
    sites: tuple[int, ...]
    ways: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about one sound program."""

    program: ir.Program
    writes: dict[str, tuple[WriteFact, ...]]
    """By the name of what is written."""
    operators: tuple[OperatorFact, ...]

    def data(self, name: str) -> ir.Array | ir.Scalar | None:
        """The array or scalar of a name."""
        return next((each for each in self.program.data if each.name == name), None)

    def grade(self, name: str) -> tuple[Grade, str] | None:
        """The grade of a result, and the reason for it where it is not unique."""
        data = self.data(name)
        if data is None or data.is_input or data.is_local:
            return None
        return data.grade, f"{data.doubt.reason} ({data.doubt.span.words})" if data.doubt is not None else ""

    def at(self, span: Span) -> Iterator[WriteFact]:
        """The writes that begin at a place."""
        for group in self.writes.values():
            yield from (each for each in group if each.span.order == span.order)


def facts_of(program: ir.Program) -> Facts:
    """The facts about a program that has no mistakes."""
    plan = plan_of(program, verify=False)
    owners = written_for(program, plan.program)
    parts: dict[int, list[ir.Operator]] = defaultdict(list)
    for each in all_operations(plan):
        if each.step.site in owners:
            parts[owners[each.step.site]].append(each.step)
    operations = [each for each in all_operations(plan) if each.step.site not in owners]
    own = {step.site: step for step in all_steps(program.schedule) if isinstance(step, ir.Operator)}
    directions: dict[int, tuple[str, ...]] = {}
    for operation in operations:
        of_parts = any(other_way(part, operation.step) for part in parts[operation.step.site])
        named = filter(None, map(direction_of, _ways(operation)))
        directions[operation.step.site] = ways_of(operation.step) if of_parts else tuple(named)
    modes = _modes_of(program, plan, operations)
    writes: dict[str, list[WriteFact]] = defaultdict(list)
    for site, effects in program_effects(program).sites.items():
        for write in effects.writes:
            facts = tuple(modes.get((site, write.name), {}).items())
            label = effects.operator.label
            fact = WriteFact(write.name, effects.functor.name, label, write.form, _rule(write), write.span, facts)
            writes[write.name].append(fact)
    operators = tuple(
        _operator_fact(each, own.get(each.step.site, each.step), directions[each.step.site], parts[each.step.site])
        for each in sorted(operations, key=lambda each: each.step.span.order)
    )
    return Facts(program, {name: tuple(group) for name, group in writes.items()}, operators)


def _ways(operation: Operation) -> tuple[Sweep, ...]:
    """The sweeps that an operator may do, a push before a pull."""
    return (operation.does.no, operation.does.yes) if isinstance(operation.does, Choice) else (operation.does,)


def _modes_of(
    program: ir.Program, plan: Plan, operations: Sequence[Operation]
) -> dict[tuple[int, str], dict[str, str]]:
    """By site and name of what is written, how the GPU writes it in each direction."""
    modes: dict[tuple[int, str], dict[str, str]] = defaultdict(dict)
    for operation in operations:
        for sweep in _ways(operation):
            for written, mode in _modes(sweep).items():
                modes[operation.step.site, written][direction_of(sweep)] = mode
    for site, hosts in filters_of_followers(program, plan.target).items():
        for name in [name for host, name in modes if host == hosts[0]]:
            modes.setdefault((site, name), modes[hosts[0], name])
    return modes


def _operator_fact(
    operation: Operation, step: ir.Operator, directions: tuple[str, ...], parts: Sequence[ir.Operator]
) -> OperatorFact:
    """The operator `step` of the program with the `parts` that the plan adds to it, of which some run instead of it."""
    ways = [part.site for part in parts if part.label == step.label]
    ways += [part.site for part in parts if other_way(part, step)][:1]
    sites = (step.site, *(part.site for part in parts))
    return OperatorFact(
        step.label, step.functor or "", own_call(operation, step), step.span, directions, sites, (step.site, *ways)
    )


def own_call(operation: Operation, step: ir.Operator) -> str:
    """The call as the program has it, where the plan may have a functor instead of that of `step`."""
    planned, own = operation.step.functor, step.functor
    if planned is None or own is None or planned == own:
        return operation.call
    return re.sub(rf"\b{planned}\b", own, operation.call)


def other_way(part: ir.Operator, step: ir.Operator) -> bool:
    """Whether an operator that the plan adds walks the edges instead of `step`: a reduction whose neighbors send, or an
    advance that gathers (the first of such parts: what follows finds its result)."""
    kinds = (ir.Advance, ir.NeighborReduce)
    return isinstance(step, kinds) and isinstance(part, kinds) and type(part) is not type(step)


def ways_of(step: ir.Operator) -> tuple[str, str]:
    """What the program's own operator `step` is called beside that which may run instead, and that one."""
    return ("push", "gather") if isinstance(step, ir.Advance) else ("gather", "send")


_CLAIM = "compare-and-swap"


def direction_of(sweep: Sweep) -> str:
    """push, pull, or empty for a sweep that has no direction."""
    return "pull" if sweep.selection is not None else "push" if sweep.walks and sweep.segment is None else ""


def _modes(sweep: Sweep) -> dict[str, str]:
    """By name how a sweep writes it."""
    modes = dict(_written(sweep.own)) if sweep.own is not None else {}
    for walk in sweep.walks:
        modes.update(_written(walk.variant))
        for name, mode in _written(walk.shared) if walk.shared is not None else ():
            if mode != modes.setdefault(name, mode) and modes[name] == "plain":
                modes[name] = f"plain, {mode} in long lists"
    if sweep.intersection is not None and sweep.intersection.run is not None:
        modes.update(_written(sweep.intersection.run))
    return modes


def _written(variant: Variant) -> Iterator[tuple[str, str]]:
    yield from ((write.name, _MODES[write.mode]) for write in variant.writes)
    if variant.claim is not None:
        yield variant.claim.array, _CLAIM


def _rule(write: Write) -> str:
    rule = getattr(write.node, "rule", None)
    return RULES.get(rule, "") if isinstance(rule, StoreRule) else ""
