"""The program that goes on from an old result after edges were inserted: `gdsl.uniqueness.resuming` proves that it may.

It is the program itself, with two more inputs and five more steps right before the loop: of the ends of the inserted
edges, those that were in the first worklist, or have changed in the old run, become the worklist, and the array gets
its old values. All steps before the loop stay: they say what the first worklist and the first values were. All steps
after it stay as well, so every other result is computed as in a full run. Every backend runs it like any other program.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from gdsl import extents
from gdsl.annotate import judged_operators
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes
from gdsl.ir.traversal import expand_buckets
from gdsl.ir.verifier import verify
from gdsl.ir.worklists import names_in
from gdsl.knobs import settled
from gdsl.operations import BinaryOperation, Domain, SetOperation, StoreRule
from gdsl.source import Source
from gdsl.types import Type
from gdsl.uniqueness import grade
from gdsl.uniqueness.layout import obstacle as obstacle_to_other_ids
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


def find(program: nodes.Program, source: Source) -> Resumable | Obstacle:
    """The loop of an annotated program that may go on from its old result, or what hinders that."""
    effects, findings = judged_operators(program, source)
    return resumable(effects, findings.sites, grade(effects, findings).obstacles)


def resumed(program: nodes.Program, source: Source) -> ResumedProgram:
    """`program`, annotated, as one that goes on from an old result. Raises GdslError E0430 with the reason and its
    place where no loop may do so."""
    found = find(program, source)
    if isinstance(found, Obstacle):
        message = f"program {program.name} cannot be resumed from a result: {found.why}"
        fix = "run it on the updated graph as usual"
        raise GdslError.single("E0430", message, found.span, source, fix=fix)
    return _Writer(program, found).written()


class _Writer:
    """Writes the steps before the loop."""

    def __init__(self, program: nodes.Program, found: Resumable) -> None:
        self.program, self.found = program, found
        self.span = found.loop.span
        self.array = next(each for each in program.arrays if each.name == found.array)
        self.taken = names_in(program)
        self.sites = list(program.tuning.sites)
        self.former, self.ends = self._name(f"former_{found.array}"), self._name("changed_ends")
        self.functors: list[nodes.VertexFunctor] = []

    def written(self) -> ResumedProgram:
        program, found, span = self.program, self.found, self.span
        changed, moved = self._name("at_changes"), self._name("moved")
        steps = (*expand_buckets(program.schedule[: found.place]), *self._steps(changed, moved), found.loop)
        frontiers = tuple(nodes.Frontier(span, name, Domain.VERTEX) for name in (changed, moved))
        result = dataclasses.replace(
            program,
            arrays=(*program.arrays, *self._inputs()),
            vertex_functors=(*program.vertex_functors, *self.functors),
            frontiers=(*program.frontiers, *frontiers),
            schedule=(*steps, *program.schedule[found.place + 1 :]),
            tuning=dataclasses.replace(program.tuning, sites=tuple(self.sites)),
            types=(),
        )
        result = dataclasses.replace(result, any_ids=program.any_ids and obstacle_to_other_ids(result) is None)
        verify(result, "resuming")
        return ResumedProgram(result, found.array, self.former, self.ends)

    def _inputs(self) -> tuple[nodes.Array, ...]:
        span, vertices = self.span, extents.of_domain(Domain.VERTEX)
        shared = {"initial": None, "is_input": True, "is_local": False, "where": None}
        former = nodes.Array(span, self.former, Domain.VERTEX, vertices, self.array.type, **shared)  # type: ignore[arg-type]
        ends = nodes.Array(span, self.ends, Domain.VERTEX, vertices, Type.BOOL, is_set=True, **shared)  # type: ignore[arg-type]
        return former, ends

    def _steps(self, changed: str, moved: str) -> tuple[nodes.Step, ...]:
        span, worklist = self.span, self.found.worklist
        kind = self.array.type
        is_end = self._element(self.ends, Type.BOOL)
        has_moved = nodes.Binary(
            span,
            Type.BOOL,
            BinaryOperation.NOT_EQUAL,
            self._element(self.former, kind),
            self._element(self.array.name, kind),
        )
        target = nodes.ElementTarget(span, self.array.name, Domain.VERTEX, kind, self._vertex(), False)
        take = nodes.Store(span, target, self._element(self.former, kind), StoreRule.SINGLE_WRITER)
        return (
            self._filter(None, self._functor("is_end", (is_end,), ()), changed),
            self._filter(changed, self._functor("has_moved", (has_moved,), ()), moved),
            nodes.CombineFrontiers(span, worklist, SetOperation.INTERSECTION, self._set(worklist), self._set(changed)),
            nodes.CombineFrontiers(span, worklist, SetOperation.UNION, self._set(worklist), self._set(moved)),
            self._compute(self._functor("take_former", (), (take,))),
        )

    def _name(self, stem: str) -> str:
        """A name that the program does not have."""
        name, number = stem, 2
        while name in self.taken:
            name, number = f"{stem}_{number}", number + 1
        self.taken.add(name)
        return name

    def _site(self, operator: str) -> int:
        self.sites.append(nodes.OperatorKnobs(self.span, **settled(operator, {})))  # type: ignore[arg-type]
        return len(self.sites) - 1

    def _vertex(self) -> nodes.Parameter:
        return nodes.Parameter(self.span, Type.VERTEX, nodes.Role.VERTEX, "v")

    def _element(self, array: str, kind: Type) -> nodes.Element:
        return nodes.Element(self.span, kind, array, Domain.VERTEX, self._vertex(), False)

    def _set(self, name: str | None) -> nodes.Elements:
        return nodes.Elements(self.span, Domain.VERTEX, name)

    def _functor(self, stem: str, condition: tuple[nodes.Expression, ...], body: tuple[nodes.Statement, ...]) -> str:
        name = self._name(stem)
        self.functors.append(nodes.VertexFunctor(self.span, name, "v", condition, body))
        return name

    def _filter(self, source: str | None, functor: str, result: str) -> nodes.Filter:
        site = self._site("where" if source is None else "filter")
        return nodes.Filter(self.span, site, functor, self._set(source), functor, result)

    def _compute(self, functor: str) -> nodes.Compute:
        return nodes.Compute(self.span, self._site("compute"), functor, self._set(None), functor, None, None)
