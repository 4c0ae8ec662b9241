"""Which loops over first free numbers may leave something else in each run, because a later one finishes their work.

    while (size(rest) > few) { seen = neighbor_reduce(rest, look, or); rest = filter(rest, take); }
    …
    rest = filter(vertices, v => color[v] < 0);
    while (rest) { seen = neighbor_reduce(rest, look, or); rest = filter(rest, take); }

How far the first loop comes, and who is left then, depends on how old what it reads is. But the proof in
`gdsl.uniqueness.first_free` does not ask who is looked at when: all numbers that are ever given are those of the
program as it is written, if all these loops give them in one graph, by the same two functors, and nothing else changes
them meanwhile. So once a loop has taken everybody who waits, and nobody is left, all numbers are the same again.

That this last loop ends follows as there, from all passes that the first run made since the first of the loops. The
others might not end, though they do as written: another run may have left others waiting before, for whom somebody now
waits in vain. So a loop that may leave something else *gives up* after many passes that leave its set as large as it
was. That changes no number either.

**What may differ until then must not be seen**: from the first of these loops to the last one, the numbers, what is
summed up of them, the sets that are left, and what is computed from any of these. None of it decides an `if` or how
often another loop runs, makes a graph, stops a run, is passed to a loop of a functor, or becomes a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gdsl.effects.access import Accesses, frontiers_of
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.uniqueness.partial_evaluation import NotProvedError


class Unfinished:
    """Follows what may differ through a schedule. Raises `NotProvedError` where that may be seen."""

    def __init__(
        self,
        program: ir.Program,
        numbering: frozenset[int],
        written: frozenset[str],
        takes_all: Callable[[ir.Filter, ir.Expression | None], bool],
    ) -> None:
        """`numbering`: the loops that give numbers, by number. `written`: what `take` writes. `takes_all`: whether a
        filter accepts every vertex that waits, also if it is the last step of a loop with this condition."""
        self.accesses = Accesses(program)
        self.numbering, self.written, self.takes_all = numbering, written, takes_all
        self.unsure = frozenset[str]()
        """The data and sets that may differ."""
        self.graphs = set[str | None]()
        """Those in which numbers are given that may differ."""
        self.loops = dict[int, str]()
        """By number, the sets of the loops that may leave something else."""
        self.same_before = dict[int, bool]()
        """By number, whether nothing differs yet when a loop begins."""
        self._block(program.schedule, None)
        results = {each.name for each in program.arrays if not each.is_local}
        results |= {each.name for each in program.scalars if not each.is_local}
        self._expect(not results & self.unsure and len(self.graphs) <= 1)

    def _expect(self, holds: bool) -> None:
        if not holds:
            raise NotProvedError

    def _block(self, steps: tuple[ir.Step, ...], graph: str | None, before: ir.Step | None = None) -> None:
        """`before`: what runs just before these."""
        for step in steps:
            if isinstance(step, ir.While) and step.loop in self.numbering:
                self._numbers(before, step, graph)
            elif isinstance(step, ir.On):
                self._block(step.body, step.graph, before)
            else:
                self._step(step, graph)
            before = step.body[-1] if isinstance(step, ir.On) and step.body else step

    def _numbers(self, before: ir.Step | None, loop: ir.While, graph: str | None) -> None:
        _, taking = loop.body
        assert isinstance(taking, ir.Filter)
        rest = taking.result
        nobody = ends_with(loop, rest)
        if not nobody or self.unsure & {rest, *self.written}:
            self.graphs.add(graph)
            if nobody and self._takes_everybody(before, rest):
                self.unsure -= {rest, *self.written}
            else:
                self.unsure |= {rest, *self.written}
                self.loops[loop.loop] = rest

    def _takes_everybody(self, before: ir.Step | None, rest: str) -> bool:
        """Whether a step, or the last one of a loop that leaves nothing else where it makes no pass, takes all who wait
        into a set."""
        last, over = before, None
        if isinstance(before, ir.While) and before.body and self.same_before.get(before.loop, False):
            last, over = before.body[-1], before.condition
        return isinstance(last, ir.Filter) and last.result == rest and self.takes_all(last, over)

    def _step(self, step: ir.Step, graph: str | None) -> None:
        match step:
            case ir.While() | ir.Repeat():
                self._expect(not self._read(step) & self.unsure)
                self.same_before[step.loop] = self.same_before.get(step.loop, True) and not self.unsure
                before = None
                while before != self.unsure:
                    before = self.unsure
                    self._block(step.body, graph)
                    self.unsure |= before
                    self._expect(isinstance(step, ir.Repeat) or not self._read(step) & self.unsure)
            case ir.If():
                self._expect(not self._read(step) & self.unsure)
                before = self.unsure
                self._block(step.then, graph)
                after, self.unsure = self.unsure, before
                self._block(step.otherwise, graph)
                self.unsure |= after
            case ir.PushBuckets() | ir.PopBuckets():
                self._block(step.body, graph)
            case _:
                self._simple(step)

    def _simple(self, step: ir.Step) -> None:
        """A step without a block."""
        written = self.accesses.names_of_step(step)[1]
        self._expect(not (written & self.written and self.unsure & self.written))
        makes_graph = isinstance(step, ir.SameGraph | ir.Subgraph | ir.Contract)
        self._expect(not makes_graph or not self.unsure & self.written)
        if self._read(step) & self.unsure:
            self._expect(not written & self.written and _is_harmless(step, self.accesses))
            self.unsure |= written
        else:
            self.unsure -= {*frontiers_of(step).written, *([step.scalar] if isinstance(step, ir.StoreScalar) else [])}

    def _read(self, step: ir.Step) -> frozenset[str]:
        """What a step reads, and what it changes in part."""
        read, written = self.accesses.names_of_step(step)
        whole = {step.scalar} if isinstance(step, ir.StoreScalar) and not _names(step.value, step.scalar) else set()
        return read - whole if not isinstance(step, ir.Operator) else read | (written - {step.result})


def ends_with(loop: ir.While, rest: str) -> bool:
    """Whether a loop ends when its set is empty, and not before."""
    return isinstance(loop.condition, ir.FrontierNotEmpty) and loop.condition.frontier == rest


def _names(expression: ir.Expression, scalar: str) -> bool:
    return any(isinstance(node, ir.ScalarValue) and node.name == scalar for node in walk(expression))


_HARMLESS = (ir.Filter, ir.StoreScalar, ir.CopyFrontier, ir.CombineFrontiers)
_ENDLESS = (ir.Loop, ir.FunctionCall, ir.GraphRead, ir.CompareAndSwap, ir.UpdateValue)


def _is_harmless(step: ir.Step, accesses: Accesses) -> bool:
    """Whether a step ends whatever it reads, and stops no run."""
    functor = accesses.functor_of(step) if isinstance(step, ir.Operator) else None
    parts: Iterable[ir.Node] = walk((step, functor))
    return isinstance(step, _HARMLESS) and not any(
        isinstance(node, _ENDLESS) or getattr(node, "checked", False) for node in parts
    )
