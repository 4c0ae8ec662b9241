"""What the rules and grades find out about a program, written into its IR."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from gdsl.diagnostics import GdslError
from gdsl.effects import ProgramEffects, program_effects
from gdsl.ir import nodes
from gdsl.ir.gathering import may_gather, whole_at_times
from gdsl.ir.traversal import rewrite, walk
from gdsl.ir.verifier import verify
from gdsl.operations import Direction, Domain, Grade
from gdsl.records import dataclass
from gdsl.rules import Findings, judge
from gdsl.rules.laws import Laws, laws
from gdsl.rules.tuning import check_tuning
from gdsl.source import Source
from gdsl.uniqueness import Grades, grade, tried_data
from gdsl.uniqueness.free_choices import check_free_choices
from gdsl.uniqueness.layout import check_layout
from gdsl.uniqueness.layout import obstacle as obstacle_to_other_ids
from gdsl.uniqueness.order import Obstacle, check_order, obstacle_to_near_far


@dataclass(frozen=True, slots=True)
class JudgedProgram:
    """What the rules and grades say about a program, independently of its knobs."""

    program: nodes.Program
    findings: Findings
    obstacles: Mapping[int, Obstacle | None]
    fixed_ids: Obstacle | None
    source: Source


def annotate(program: nodes.Program, source: Source, refuse: bool = True) -> nodes.Program:
    """A lowered program with `Store.rule`, `closing`, the direction that follows from it, the grades of all data and
    `While.monotone`, `Advance.loose` and `Program.any_ids` filled in.

    Raises GdslError (E03xx) for what the rules forbid, and (E0420) for knobs that do not fit; with `refuse` False, for
    tests that show what the rules prevent, a program passes all the same whatever the rules forbid.
    """
    return with_tuning(judge_program(program, source, refuse), program.tuning)


def judge_program(program: nodes.Program, source: Source, refuse: bool = True) -> JudgedProgram:
    """The part of `annotate` that depends on no knob. Raises GdslError (E03xx, E0427)."""
    check_size(program, source)
    operator_laws = laws(program)
    program = rewrite(program, lambda node: _with_laws(node, operator_laws)) if operator_laws.exact else program
    effects = program_effects(program)
    findings = judge(effects, source, refuse, operator_laws.diagnostics)
    grades = grade(effects, findings)
    tried = tried_data(program, operator_laws.proved)
    fixed_ids = obstacle_to_other_ids(program)

    def change(node: nodes.Node) -> nodes.Node:
        return _with_findings(node, findings, grades)

    annotated = dataclasses.replace(
        program,
        arrays=tuple(
            dataclasses.replace(array, **_grade(array.name, grades, tried), values=grades.small.get(array.name))
            for array in program.arrays
        ),
        scalars=tuple(dataclasses.replace(scalar, **_grade(scalar.name, grades, tried)) for scalar in program.scalars),
        vertex_functors=rewrite(program.vertex_functors, change),
        edge_functors=rewrite(program.edge_functors, change),
        schedule=rewrite(program.schedule, change),
        any_ids=fixed_ids is None,
    )
    if refuse:
        check_free_choices(effects, grades.levels, source)
    return JudgedProgram(annotated, findings, grades.obstacles, fixed_ids, source)


def with_tuning(whole: JudgedProgram, tuning: nodes.Tuning) -> nodes.Program:
    """The judged program with these knobs. Raises GdslError (E0420) for knobs that do not fit."""
    program = dataclasses.replace(whole.program, tuning=_with_directions(tuning, whole.program, whole.findings))
    verify(program, "the rules")
    check_tuning(program, whole.findings, whole.source)
    check_order(program, whole.obstacles, whole.source)
    check_layout(program, whole.fixed_ids, whole.source)
    return program


def judged_operators(program: nodes.Program, source: Source) -> tuple[ProgramEffects, Findings]:
    """The effects of each operator of an annotated program, and what the rules find there."""
    effects = program_effects(program)
    return effects, judge(effects, source, False, ())


def loop_orders(program: nodes.Program, source: Source) -> list[tuple[nodes.While, Obstacle | None]]:
    """Each `while` of an annotated program, with the obstacle to another order of its visits, if any."""
    effects, findings = judged_operators(program, source)
    known = grade(effects, findings).obstacles
    loops = [node for node in walk(program.schedule) if isinstance(node, nodes.While)]
    return [(loop, obstacle_to_near_far(loop, program, known)) for loop in loops]


def _with_laws(node: nodes.Node, operator_laws: Laws) -> nodes.Node:
    if isinstance(node, nodes.OwnOperation):
        return dataclasses.replace(node, exact=node.exact or node.function in operator_laws.exact)
    return node


def _with_directions(tuning: nodes.Tuning, program: nodes.Program, findings: Findings) -> nodes.Tuning:
    """A direction for every advance that has none yet: where the functor closes, a pull may stop early, and where it
    only combines, vertices may gather, which is worth it where most edges are the frontier's."""
    sites, whole = list(tuning.sites), whole_at_times(program)
    for node in walk(program.schedule):
        if isinstance(node, nodes.Advance) and sites[node.site].direction is None:
            either = (node.site in findings.closings and node.to is Domain.VERTEX) or (
                node.site in whole and may_gather(node, program)
            )
            direction = Direction.AUTO if either else Direction.PUSH
            sites[node.site] = dataclasses.replace(sites[node.site], direction=direction)
    return dataclasses.replace(tuning, sites=tuple(sites))


def _grade(name: str, grades: Grades, tried: frozenset[str]) -> dict[str, Any]:
    doubt, grade_of_it = grades.doubts.get(name), grades.of(name)
    if grade_of_it is Grade.EXACT and name in tried:
        grade_of_it = Grade.TRIED
    return {"grade": grade_of_it, "doubt": doubt}


def _with_findings(node: nodes.Node, findings: Findings, grades: Grades) -> nodes.Node:
    match node:
        case nodes.Store() if id(node) in findings.stores:
            return dataclasses.replace(node, rule=findings.stores[id(node)])
        case nodes.Advance():
            closing = findings.closings.get(node.site)
            return dataclasses.replace(node, closing=closing, loose=node.site in grades.loose)
        case nodes.Compute():
            return dataclasses.replace(node, closing=findings.closings.get(node.site))
        case nodes.While():
            return dataclasses.replace(node, monotone=grades.obstacles[node.loop] is None)
    return node


MOST_NODES = 400_000
"""Nodes of all functors, each as often as operators run it: some 50,000 statements, which take several seconds."""


def check_size(program: nodes.Program, source: Source) -> None:
    """Raise GdslError (E0244) where operators run functors that are too long for their number."""
    functors: tuple[nodes.VertexFunctor | nodes.EdgeFunctor | nodes.VoteFunctor, ...]
    functors = (*program.functors, *program.vote_functors)
    sizes = {functor.name: sum(1 for _ in walk(functor)) for functor in functors}
    total = 0
    for node in walk(program.schedule):
        if isinstance(node, nodes.Operator) and node.functor is not None:
            total += sizes.get(node.functor, 0)
            if total > MOST_NODES:
                limit = f"{MOST_NODES:,} names, numbers and operations"
                message = f"the functors of all operators up to this one have more than {limit}"
                note = "a functor counts as often as operators run it"
                fix = "call them in a loop, or do less in each functor"
                raise GdslError.single("E0244", message, node.span, source, notes=(note,), fix=fix)
