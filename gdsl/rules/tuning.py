"""Knobs that make no sense beside each other, or that somebody could see: each is refused with the reason."""

from __future__ import annotations

from collections.abc import Iterator

from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.ir.nodes import Advance, OperatorKnobs, Program
from gdsl.ir.traversal import walk
from gdsl.knobs import clashes
from gdsl.operations import Domain, Duplicates, FrontierForm
from gdsl.rules import Findings
from gdsl.rules.duplicates import who_could_tell
from gdsl.source import Source


def check_tuning(program: Program, findings: Findings, source: Source) -> None:
    """Look at the knobs of every advance. Raises GdslError (E0420) with all that do not fit."""
    found: list[Diagnostic] = []
    told: dict[str, list[Advance]] = {}
    for step in (node for node in walk(program.schedule) if isinstance(node, Advance)):
        knobs = program.tuning.sites[step.site]
        for what, why, fix in _misfits(step, knobs):
            message = f"`{step.label}.{what}` does not fit here: {why}"
            found.append(Diagnostic("E0420", message, step.span, fix=fix))
        if knobs.dedup is Duplicates.NONE and step.result is not None and step.to is Domain.VERTEX:
            told.setdefault(step.label, []).append(step)
    for steps in told.values():
        for reason in who_could_tell(program, findings, steps)[:1]:
            message = f"`{steps[0].label}.dedup = none` could be seen: {reason.text}"
            fix = "choose `exact`, or tune another call by its `@label`"
            found.append(Diagnostic("E0420", message, steps[0].span, labels=reason.labels, fix=fix))
    if found:
        raise GdslError(found, source)


def _misfits(step: Advance, knobs: OperatorKnobs) -> Iterator[tuple[str, str, str]]:
    """What is set, why it makes no sense, and what to do."""
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
        yield "dedup = none", "only vertices may stand in a frontier twice", f"choose `exact`, {another}"
    elif "dedup" in clashing:
        yield "dedup = none", clashing["dedup"].why, clashing["dedup"].fix
