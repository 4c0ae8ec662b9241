"""Checks that no result depends on a free choice of the run: which vertices buckets of `width=auto` give first."""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.diagnostics import Diagnostic, GdslError, Label
from gdsl.effects import ProgramEffects
from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.source import Source, Span
from gdsl.uniqueness.levels import Level

_NOTE = (
    "of `while (b) { b.push(advance(b.pop(), f)); }` it is known where f does nothing but one monotone `min=` or `max=`"
    " and accepts by `changed`"
)


def check_free_choices(effects: ProgramEffects, levels: dict[str, Level], source: Source) -> None:
    """Raise GdslError (E0427) where a result depends on which vertices buckets give first, one for each of these."""
    seen: dict[Span, str] = {}
    for data in effects.data:
        level = levels[data.name]
        if level.by_choice and level.doubt is not None and not data.is_local:
            seen.setdefault(level.doubt.span, data.name)
    mistakes = [_mistake(effects.program, pop, name, effects) for pop, name in seen.items()]
    if mistakes:
        raise GdslError(mistakes, source)


def _mistake(program: nodes.Program, pop: Span, name: str, effects: ProgramEffects) -> Diagnostic:
    pops = (step for step in walk(program.schedule) if isinstance(step, nodes.PopBuckets) and step.span == pop)
    buckets = next(pops).buckets.name
    at = next(_writes(program, pop, name, effects), pop)
    message = f"`{name}` depends on which vertices `{buckets}` gives first, and its width is `auto`"
    fix = f"give `{buckets}` a width of its own, such as 1"
    return Diagnostic(
        "E0427", message, at, labels=(Label(pop, "the run chooses what this gives"),), notes=(_NOTE,), fix=fix
    )


def _writes(program: nodes.Program, pop: Span, name: str, effects: ProgramEffects) -> Iterator[Span]:
    """Where `name` is written: first the schedule's statement with the pop, then those after it."""
    for step in program.schedule:
        inner = list(walk(step))
        if pop not in [each.span for each in inner]:
            continue
        for each in (part for later in program.schedule[program.schedule.index(step) :] for part in walk(later)):
            yield from _writes_of(each, name, effects)


def _writes_of(node: object, name: str, effects: ProgramEffects) -> Iterator[Span]:
    match node:
        case nodes.StoreScalar(scalar=found) | nodes.Fill(array=found) if found == name:
            yield node.span
        case nodes.StoreElement() if node.target.array == name:
            yield node.span
        case nodes.Swap() if name in (node.first, node.second):
            yield node.span
        case nodes.SetStep() if name in node.use.writes:
            yield node.span
        case nodes.Operator():
            if name in (node.stores, node.adds_to):
                yield node.span
            if node.site in effects.sites:
                yield from (write.span for write in effects.sites[node.site].written(name))
