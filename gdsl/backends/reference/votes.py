"""Votes of a `neighbor_vote`: what the weights of each key sum up to, and which key wins."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gdsl.backends.reference.expressions import FIRST_LOCAL, NEAR, VERTEX, ExpressionCompiler, Frame
from gdsl.backends.reference.state import State
from gdsl.backends.reference.statements import CompiledFunctor
from gdsl.backends.reference.values import Value, neighbor_function
from gdsl.ir import nodes as ir
from gdsl.operations import NeighborOperation

Totals = dict[int, dict[Value, Value]]
"""By vertex and key the sum of the weights."""


class Votes:
    """Counts votes in one run."""

    def __init__(self, state: State) -> None:
        """Keep `state`."""
        self.state = state

    def totals(self, ready: CompiledFunctor, functor: ir.EdgeFunctor, calls: Iterable[tuple[int, ...]]) -> Totals:
        """The sums of the ballots of these calls."""
        assert functor.value is not None and ready.key is not None and ready.value is not None
        add = neighbor_function(NeighborOperation.SUM, functor.value.type)
        found: Totals = {}
        frame = ready.frame()
        for call in calls:
            self.state.clock.poll()
            frame[: len(call)] = call
            if ready.condition is None or ready.condition(frame):
                key, weight = ready.key(frame), ready.value(frame)
                of_vertex = found.setdefault(call[NEAR], {})
                of_vertex[key] = add(of_vertex[key], weight) if key in of_vertex else weight
        return found

    def winners(self, step: ir.NeighborVote, totals: Totals) -> dict[int, Value]:
        """The best key of each vertex that has any."""
        score = self._score(step)
        kept = self.state.arrays[step.keep].values if step.keep is not None else None
        won = {}
        for vertex, of_vertex in totals.items():
            self.state.clock.poll()
            own = kept[vertex] if kept is not None else None
            scores = {key: score(vertex, key, total) for key, total in of_vertex.items()}
            best = None
            for key in sorted(of_vertex, key=lambda key: (own is None or key != own, key)):
                if best is None or _beats(scores[key], scores[best]):
                    best = key
            won[vertex] = best
        return won

    def _score(self, step: ir.NeighborVote) -> Callable[[int, Value, Value], Value]:
        if step.score is None:
            return lambda vertex, key, total: total
        functor = {each.name: each for each in self.state.program.vote_functors}[step.score]
        compiler = ExpressionCompiler(self.state.environment)
        places = compiler.slot(functor.key), compiler.slot(functor.total)
        evaluate = compiler.compile(functor.value)
        frame: Frame = [None] * (FIRST_LOCAL + len(compiler.slots))

        def score(vertex: int, key: Value, total: Value) -> Value:
            frame[VERTEX], frame[places[0]], frame[places[1]] = vertex, key, total
            return evaluate(frame)

        return score


def _beats(score: Value, best: Value) -> bool:
    """Whether a score is larger; every number is larger than NaN."""
    return bool(score > best or (score == score and best != best))
