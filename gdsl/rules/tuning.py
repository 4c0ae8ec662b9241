"""Refuses knobs that contradict each other, and knobs whose effect the program could observe, with the reason.

`dedup = none` lets a frontier hold a vertex twice. A vertex that is in a queue twice is called twice. That
makes no difference where a functor is *idempotent*:

- It writes only by `=`, `any=`, `min=`, `max=`, `&=` and `|=`, each array and scalar by one of them, and reads no
  former value (`fetch`, `cas`).
- Whether, where and what it writes depends on no element that the same operator writes. So both calls write the same to
  the same places, and the second changes nothing: a reduction of this kind already includes the value, and a store
  stores the same value again. With `any=` the repeated call may win once more, where the single call might have won at
  that moment too.
- The result of `changed`, which is true for at most the first of two such calls, decides only that something happens
  and never that it does not: it is accepted, or done under `if`, and was so in the first call.
- Two kinds of reads may see what is written. The test of a closing condition: a repeated call either finds it false and
  does nothing, or runs at the same time as the first, as other calls of the same far end may in any case. And all reads
  in a loop for which `order` has proved that any order of the visits, each as often as it likes, ends in the same
  values.

So the result has the same members, except that one may be there again. This is invisible to whatever walks the members
with an idempotent functor, copies the set, or tests whether it is empty. Everything else is refused, whether or not it
is known here: `size`, `filter` and set operations (whose results would have duplicates, too), `neighbor_reduce`, whose
members store one result each, buckets, histories.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gdsl.diagnostics import Diagnostic, GdslError, Label
from gdsl.effects import Effects, WriteKind
from gdsl.effects.access import frontiers_of
from gdsl.effects.summary import each
from gdsl.effects.terms import OfResult, OfUnseen, Operation, Term, parts
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.knobs import clashes
from gdsl.operations import IDEMPOTENT, BinaryOperation, Domain, Duplicates, FrontierForm, Outcome
from gdsl.rules import Findings
from gdsl.source import Source, Span


def check_tuning(program: ir.Program, findings: Findings, source: Source) -> None:
    """Look at the knobs of every advance. Raises GdslError (E0420) with all that do not fit."""
    diagnostics: list[Diagnostic] = []
    by_label: dict[str, list[ir.Advance]] = {}
    for step in (node for node in walk(program.schedule) if isinstance(node, ir.Advance)):
        knobs = program.tuning.sites[step.site]
        for what, why, fix in _misfits(step, knobs):
            message = f"`{step.label}.{what}` does not fit here: {why}"
            diagnostics.append(Diagnostic("E0420", message, step.span, fix=fix))
        if knobs.dedup is Duplicates.NONE and step.result is not None and step.to is Domain.VERTEX:
            by_label.setdefault(step.label, []).append(step)
    for steps in by_label.values():
        for reason in duplicate_observers(program, findings, steps)[:1]:
            message = f"`{steps[0].label}.dedup = none` could be seen: {reason.text}"
            fix = "choose `exact`, or tune another call by its `@label`"
            diagnostics.append(Diagnostic("E0420", message, steps[0].span, labels=reason.labels, fix=fix))
    if diagnostics:
        raise GdslError(diagnostics, source)


def _misfits(step: ir.Advance, knobs: ir.OperatorKnobs) -> Iterator[tuple[str, str, str]]:
    """Which knob is set, why it makes no sense, and what to do."""
    another = "or tune another call by its `@label`"
    if knobs.frontier is FrontierForm.BITMAP and step.to is Domain.EDGE:
        yield "frontier = bitmap", "a frontier of edges is a queue", f"write `queue`, {another}"
    if knobs.frontier is not FrontierForm.AUTO and step.result is None:
        yield f"frontier = {knobs.frontier.value}", "this call leaves no frontier", f"leave it out, {another}"
    settings = {
        "direction": knobs.direction,
        "balance": knobs.balance,
        "frontier": knobs.frontier,
        "dedup": knobs.dedup,
    }
    clashing = {clash.knob: clash for clash in reversed(clashes(settings, step.over))}
    if "balance" in clashing:
        clash = clashing["balance"]
        yield f"balance = {knobs.balance.value}", clash.why, clash.fix
    if knobs.dedup is not Duplicates.NONE:
        return
    if step.result is None:
        yield "dedup = none", "this call leaves no frontier", f"leave it out, {another}"
    elif step.to is Domain.EDGE:
        yield "dedup = none", "only vertices may be in a frontier twice", f"choose `exact`, {another}"
    elif "dedup" in clashing:
        yield "dedup = none", clashing["dedup"].why, clashing["dedup"].fix


_ASKING = (
    ir.CopyFrontier,
    ir.DefineFrontier,
    ir.Fill,
    ir.If,
    ir.Operator,
    ir.Repeat,
    ir.StoreElement,
    ir.StoreScalar,
    ir.While,
)
"""Steps that copy a set, or only evaluate expressions. Operators are checked separately; any other step that takes a
set could observe duplicates."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Something that could observe duplicates, and the places that show it."""

    text: str
    labels: tuple[Label, ...]


def duplicate_observers(program: ir.Program, findings: Findings, advances: Sequence[ir.Advance]) -> list[Reason]:
    """Everything that could observe that the results of `advances` hold vertices twice."""
    held = _with_copies(program, {step.result for step in advances if step.result is not None})
    in_any_order = _sites_in_any_order(program)
    reasons: list[Reason] = []
    for node in walk(program.schedule):
        if isinstance(node, ir.FrontierSize) and node.frontier in held:
            reasons.append(Reason(f"the size of `{node.frontier}` is read", (Label(node.span, "here"),)))
        elif isinstance(node, ir.Operator) and (node in advances or node.frontier.frontier in held):
            effects = findings.sites[node.site].effects if node.site in findings.sites else None
            reasons += _by_operator(node, effects, findings, node.site in in_any_order)
        elif isinstance(node, ir.Step) and not isinstance(node, _ASKING) and held.intersection(frontiers_of(node).read):
            reasons.append(Reason("this step takes each member once", (Label(node.span, "here"),)))
    return reasons


def _by_operator(step: ir.Operator, effects: Effects | None, findings: Findings, any_order: bool) -> Iterator[Reason]:
    here = (Label(step.span, "here"),)
    if not isinstance(step, (ir.Advance, ir.Compute)) or effects is None:
        yield Reason(f"`{step.word}` takes each member once", here)
        return
    if isinstance(step, ir.Advance) and step.to is Domain.EDGE:
        yield Reason("the edges of a vertex that is there twice would be there twice", here)
    tests = {each.name for each in findings.sites[step.site].closings}
    for name in effects.written_names():
        forms = list(dict.fromkeys(write.form for write in effects.written(name)))
        if len(forms) > 1:
            places = tuple(Label(write.span, "here") for write in effects.written(name))
            yield Reason(f"`{name}` is written in two ways, by `{forms[0]}` and by `{forms[1]}`", places)
    for write in effects.writes:
        taken = write.kind in (WriteKind.STORE, WriteKind.ANY) or write.operation in IDEMPOTENT
        if not taken or write.outcome is Outcome.FETCH:
            word = f"`{write.form}` on `{write.name}`" if write.outcome is not Outcome.FETCH else "`fetch`"
            yield Reason(f"{word} has an effect each time", (Label(write.span, "here"),))
    for read in effects.reads.values():
        if not any_order and not (read.in_condition and not read.now and read.name in tests):
            text = f"`{read.name}` is read where the same operator writes it"
            yield Reason(f"{text}, so a second call may do something else", (Label(read.span, "here"),))
    hinders = _hinders(effects)
    if hinders is not None:
        text = "a false `changed` may prevent something there that a second call would do"
        yield Reason(text, (Label(hinders, "here"),))


def _hinders(effects: Effects) -> Span | None:
    """A `changed` (or something that is not understood) that decides more than that something happens; None if all is
    well."""
    doubtful = {bit: atom for atom, bit in effects.atoms if isinstance(atom, OfResult | OfUnseen)}
    every = sum(doubtful)

    def said(term: Term) -> bool:
        return bool(effects.depends(term) & every)

    def only_helps(term: Term) -> bool:
        write = effects.write_of(term)
        if not said(term) or (write is not None and write.outcome is Outcome.CHANGED):
            return True
        both = isinstance(term, Operation) and term.operation in (BinaryOperation.AND, BinaryOperation.OR)
        return both and all(map(only_helps, parts(term)))

    fixed = [
        *effects.conjuncts,
        *effects.exits,
        *(term for write in effects.writes for term in (write.index, write.value)),
    ]
    guards = [guard for write in effects.writes for guard in each(write.guard)]
    fits = (
        not any(map(said, fixed))
        and all(only_helps(guard.term) if guard.expected else not said(guard.term) for guard in guards)
        and (effects.accept is None or only_helps(effects.accept))
    )
    results = (write.span for write in effects.writes if write.outcome is not None)
    return None if fits else next(results, effects.operator.span)


def _sites_in_any_order(program: ir.Program) -> frozenset[int]:
    loops = (node for node in walk(program.schedule) if isinstance(node, ir.While) and node.monotone)
    return frozenset(node.site for loop in loops for node in walk(loop.body) if isinstance(node, ir.Advance))


def _with_copies(program: ir.Program, held: set[str]) -> frozenset[str]:
    copies: list[ir.Node] = [node for node in walk(program.schedule) if isinstance(node, ir.CopyFrontier)]
    before = -1
    while len(held) != before:
        before = len(held)
        held |= {node.name for node in copies if isinstance(node, ir.CopyFrontier) and node.other in held}
    return frozenset(held)
