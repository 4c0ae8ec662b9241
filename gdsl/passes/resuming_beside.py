"""The program that goes on from an old result on the base of an updated graph, with the inserted edges beside it.

An update leaves the arrays of its base alone until they are merged with the changes, which takes one pass over all
edges: far more than what a few insertions change in a result. So the loop goes on without merging:

    swap(first, a); a = former; again = true;
    while (again) {
        again = false;
        compute(inserted, relax_inserted);          # each inserted edge; what changes is touched, and sets `again`
        f = filter(ends, is_touched); …             # and no longer touched
        while (f) { f = advance(f, relax); }        # the program's own loop
    }

Together the visits are those that `gdsl.uniqueness.resuming` requires: every change is followed by a visit of all edges
of its vertex, of those in the base by the inner loop and of the inserted ones by the next pass of the outer one, which
ends when they change nothing. An inserted edge passes a value on only where its near end was in the first worklist or
has changed: where it differs from the first value, which is kept for that.

This is possible where no other part of the program depends on edges.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gdsl.ir import nodes
from gdsl.ir.traversal import all_steps, expand_buckets, rewrite, walk
from gdsl.operations import BinaryOperation, Domain, Over
from gdsl.passes.written_steps import WrittenSteps
from gdsl.source import Span
from gdsl.types import Type
from gdsl.uniqueness.resuming import Resumable, uses_edges


@dataclass(frozen=True, slots=True)
class BesideProgram:
    """The program, and the names of its inputs: `former` has the old values of the result `array`. Inserted edge number
    i has its ends in element i of `source` and `destination`, int32, and its value of each input of edges in
    `values[input]`, where the `where` of that input is not tested; `members` is the set of these i, and `ends` that of
    all ends."""

    program: nodes.Program
    array: str
    former: str
    source: str
    destination: str
    values: Mapping[str, str]
    members: str
    ends: str


def beside(program: nodes.Program, resumable: Resumable) -> BesideProgram | None:
    """`program`, whose loop `resumable` may continue; None where another part of it depends on edges."""
    (step,) = resumable.loop.body
    functor = next(
        each for each in program.edge_functors if isinstance(step, nodes.Advance) and each.name == step.functor
    )
    accepts = [node for node in walk(functor.body) if isinstance(node, nodes.Accept)]
    if len(accepts) > 1 or not all(each in functor.body for each in accepts) or program.graphs:
        return None
    if program.requires.simple or program.requires.symmetric or _depends_on_edges(program, resumable):
        return None
    return _Beside(program, resumable, step, functor).written()


def _depends_on_edges(program: nodes.Program, resumable: Resumable) -> bool:
    """Whether anything but the loop depends on edges."""
    for array in program.arrays:
        of_edges = array.domain is Domain.EDGE
        if (of_edges and not array.is_input) or array.count is not None:
            return True
        if of_edges and array.where is not None and not _is_of_own_edge(array):
            return True
        if not of_edges and any(uses_edges(part, program) for part in (array.initial, array.where)):
            return True
    others: Iterator[object] = (part for each in program.scalars for part in (each.initial, each.where))
    params = (part for each in program.params for part in (each.default, each.where))
    schedule = (*program.schedule[: resumable.place], *program.schedule[resumable.place + 1 :])
    return any(uses_edges(part, program) for part in (*others, *params, *all_steps(schedule)))


def _is_of_own_edge(array: nodes.Array) -> bool:
    """Whether the `where` of an input of edges reads the value of one edge, and no other data."""
    allowed = (
        nodes.Literal,
        nodes.Binary,
        nodes.Unary,
        nodes.Select,
        nodes.Convert,
        nodes.BuiltinCall,
        nodes.ParamValue,
    )
    for node in walk(array.where):
        own = isinstance(node, nodes.Element) and node.array == array.name and isinstance(node.index, nodes.OwnId)
        if not own and not isinstance(node, (*allowed, nodes.OwnId)):
            return False
    ids = sum(isinstance(node, nodes.OwnId) for node in walk(array.where))
    return ids == sum(isinstance(node, nodes.Element) for node in walk(array.where))


class _Beside:
    """Writes the program."""

    def __init__(
        self, program: nodes.Program, resumable: Resumable, step: nodes.Step, functor: nodes.EdgeFunctor
    ) -> None:
        assert isinstance(step, nodes.Advance)
        self.program, self.resumable, self.over, self.functor = program, resumable, step.over, functor
        self.array = program.array(resumable.array)
        self.writer = writer = WrittenSteps(program, resumable.loop.span)
        self.former = writer.input(f"former_{resumable.array}", self.array.type, resumable.array)
        self.source, self.destination = (
            writer.input(f"inserted_{end}", Type.INT32) for end in ("source", "destination")
        )
        of_edges = (each for each in program.arrays if each.domain is Domain.EDGE)
        self.values = {each.name: writer.input(f"inserted_{each.name}", each.type, each.name) for each in of_edges}
        self.members, self.ends = writer.vertex_set("inserted"), writer.vertex_set("inserted_ends")
        assert self.array.initial is not None
        self.first = writer.array(f"first_{resumable.array}", self.array.type, self.array.initial)
        self.begun = writer.array("begun", Type.BOOL, writer.literal(False))
        self.touched = writer.array("touched", Type.BOOL, writer.literal(False))
        self.again = writer.flag("again", True)

    def written(self) -> BesideProgram:
        """The program."""
        program, resumable = self.program, self.resumable
        number = resumable.loop.loop

        def counted(node: nodes.Node) -> nodes.Node:
            if isinstance(node, nodes.While | nodes.Repeat) and node.loop >= number:
                return dataclasses.replace(node, loop=node.loop + 1)
            return node

        inner, after = rewrite((resumable.loop, program.schedule[resumable.place + 1 :]), counted)
        schedule = (*expand_buckets(program.schedule[: resumable.place]), *self._steps(number, inner), *after)
        result = self.writer.with_schedule(schedule)
        names = (self.array.name, self.former, self.source, self.destination, self.values, self.members, self.ends)
        return BesideProgram(result, *names)

    def _steps(self, number: int, inner: nodes.While) -> tuple[nodes.Step, ...]:
        writer, resumable, kind = self.writer, self.resumable, self.array.type
        added, at_ends = writer.frontier("added"), writer.frontier("at_ends")
        take = writer.store(resumable.array, writer.element(self.former, kind))
        touched = writer.element(self.touched, Type.BOOL)
        span = writer.span
        body = (
            nodes.StoreScalar(span, self.again, writer.literal(False)),
            *(self._relax(added, *ends) for ends in self._walks()),
            writer.filter(at_ends, "is_touched", touched, resumable.worklist),
            writer.compute(resumable.worklist, "clear", (writer.store(self.touched, writer.literal(False)),)),
            inner,
        )
        return (
            writer.compute(resumable.worklist, "begin", (writer.store(self.begun, writer.literal(True)),)),
            nodes.Swap(span, self.first, resumable.array, False),
            writer.compute(None, "take_former", (take,)),
            writer.filter(None, "is_added", writer.element(self.members, Type.BOOL), added),
            writer.filter(None, "is_end", writer.element(self.ends, Type.BOOL), at_ends),
            nodes.While(span, number, nodes.ScalarValue(span, Type.BOOL, self.again), body),
        )

    def _walks(self) -> list[tuple[str, str]]:
        """The near and the far ends of each visit of an edge."""
        forward, backward = (self.source, self.destination), (self.destination, self.source)
        walks = {Over.OUT_EDGES: [forward], Over.IN_EDGES: [backward]}
        return walks.get(self.over, [forward, backward])

    def _relax(self, added: str, near: str, far: str) -> nodes.Compute:
        """The functor of the loop, on the inserted edges."""
        writer, kind = self.writer, self.array.type
        ends = {nodes.Role.SOURCE: self.source, nodes.Role.DESTINATION: self.destination}
        ends |= {nodes.Role.NEAR: near, nodes.Role.FAR: far}

        def end(of: str, span: Span = writer.span) -> nodes.Convert:
            element = dataclasses.replace(writer.element(of, Type.INT32), span=span)
            return nodes.Convert(span, Type.VERTEX, element)

        notes = (writer.store(self.touched, writer.literal(True), end(far)), writer.raise_flag(self.again))

        def change(node: nodes.Node) -> nodes.Node:
            if isinstance(node, nodes.Parameter):
                # Reads of the functor keep their places in the text, by which the plan tells them apart.
                return writer.vertex if node.role is nodes.Role.EDGE else end(ends[node.role], node.span)
            if isinstance(node, nodes.Element) and node.domain is Domain.EDGE:
                return dataclasses.replace(node, array=self.values[node.array], domain=Domain.VERTEX)
            if isinstance(node, nodes.Accept):
                return nodes.Branch(node.span, node.value, notes, ())
            return node

        condition, body = rewrite((self.functor.condition, self.functor.body), change)
        if not any(isinstance(node, nodes.Accept) for node in self.functor.body):
            body = (*body, *notes)
        now, first = writer.element(self.array.name, kind, end(near)), writer.element(self.first, kind, end(near))
        begun = writer.element(self.begun, Type.BOOL, end(near))
        active = nodes.Binary(writer.span, Type.BOOL, BinaryOperation.OR, begun, writer.differs(now, first))
        condition, body = rewrite(((active, *condition), body), _checked)
        return writer.compute(added, "relax_inserted", body, condition)


def _checked(node: nodes.Node) -> nodes.Node:
    """An element whose index is the end of an inserted edge, which no type says is a vertex, with its check."""
    if isinstance(node, nodes.Element | nodes.ElementTarget) and isinstance(node.index, nodes.Convert):
        return dataclasses.replace(node, checked=True)
    return node
