"""The program that goes on from an old result after edges were inserted: `gdsl.uniqueness.resuming` proves that it may.

It is the program itself, with two more inputs and five more steps right before the loop: of the ends of the inserted
edges, those that were in the first worklist, or have changed in the old run, become the worklist, and the array gets
its old values. All steps before the loop stay: they say what the first worklist and the first values were. All steps
after it stay as well, so every other result is computed as in a full run. Every backend runs it like any other program.
"""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.annotate import judged_operators
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes
from gdsl.ir.traversal import expand_buckets
from gdsl.operations import SetOperation
from gdsl.passes.resuming_beside import BesideProgram, beside
from gdsl.passes.written_steps import WrittenSteps
from gdsl.source import Source
from gdsl.types import Type
from gdsl.uniqueness import grade
from gdsl.uniqueness.order import Obstacle
from gdsl.uniqueness.resuming import Resumable, resumable


@dataclass(frozen=True, slots=True)
class ResumedProgram:
    """A program that goes on: `former` is its input for the old values of the result `array`, `ends` its set of the
    ends of inserted edges."""

    program: nodes.Program
    array: str
    former: str
    ends: str


@dataclass(frozen=True, slots=True)
class Resumed:
    """A program that goes on, on an updated graph, or, if possible, on its base with the inserted edges beside it."""

    merged: ResumedProgram
    beside: BesideProgram | None


def find(program: nodes.Program, source: Source) -> Resumable | Obstacle:
    """The loop of an annotated program that may go on from its old result, or what hinders that."""
    effects, findings = judged_operators(program, source)
    return resumable(effects, findings.sites, grade(effects, findings).obstacles)


def resumed(program: nodes.Program, source: Source) -> Resumed:
    """`program`, annotated, as one that goes on from an old result. Raises GdslError E0430 with the reason and its
    place where no loop may do so."""
    candidate = find(program, source)
    if isinstance(candidate, Obstacle):
        message = f"program {program.name} cannot be resumed from a result: {candidate.why}"
        fix = "run it on the updated graph as usual"
        raise GdslError.single("E0430", message, candidate.span, source, fix=fix)
    return Resumed(_on_merged(program, candidate), beside(program, candidate))


def _on_merged(program: nodes.Program, candidate: Resumable) -> ResumedProgram:
    """The program for the updated graph."""
    writer = WrittenSteps(program, candidate.loop.span)
    kind = program.array(candidate.array).type
    former = writer.input(f"former_{candidate.array}", kind, candidate.array)
    ends = writer.vertex_set("changed_ends")
    changed, moved = writer.frontier("at_changes"), writer.frontier("moved")
    values = writer.element(former, kind), writer.element(candidate.array, kind)
    has_moved = writer.differs(*values)
    worklist, span = candidate.worklist, writer.span
    steps = (
        writer.filter(None, "is_end", writer.element(ends, Type.BOOL), changed),
        writer.filter(changed, "has_moved", has_moved, moved),
        nodes.CombineFrontiers(
            span, worklist, SetOperation.INTERSECTION, writer.members(worklist), writer.members(changed)
        ),
        nodes.CombineFrontiers(span, worklist, SetOperation.UNION, writer.members(worklist), writer.members(moved)),
        writer.compute(None, "take_former", (writer.store(candidate.array, writer.element(former, kind)),)),
    )
    before, after = program.schedule[: candidate.place], program.schedule[candidate.place + 1 :]
    schedule = (*expand_buckets(before), *steps, candidate.loop, *after)
    return ResumedProgram(writer.with_schedule(schedule), candidate.array, former, ends)
