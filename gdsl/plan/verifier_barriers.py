"""What must hold between the steps of a launch that the threads of a grid run together.

1. Of two accesses that conflict, the second one comes after a barrier on every path from the first one to it.
2. Every cycle contains a barrier: runs are stopped at barriers.
3. Edges that a reduction has walked are counted by a barrier before the next such reduction, and before the end.

The steps become a control-flow graph, in which a forward data-flow analysis (as of reaching definitions) finds the
accesses that may be unfinished at each point. Where barriers go is decided by `gdsl.plan.barriers`, with which this
shares only `gdsl.effects.access`: what a step touches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from gdsl.effects.access import Access, Accesses, Who, frontiers_of
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import Domain
from gdsl.plan import nodes
from gdsl.plan.walking import steps_in

Touch = tuple[bool, Who, str]
"""An access of some storage: whether it writes, who does it, and for members the frontier that they are in."""
Unfinished = Mapping[str, frozenset[Touch]]
"""By storage the accesses that no barrier has ended."""

_COUNT = "the number of edges walked"
_SHARED_COUNT = Access(_COUNT, True, Who.ANYBODY)


def missing_barrier(launch: nodes.Launch, accesses: Accesses) -> str | None:
    """Why `launch` needs another barrier; None if it does not."""
    flow = _Flow(launch, accesses)
    if flow.cycle_without_barrier():
        return "a pass of a loop without a barrier cannot be stopped"
    before, after = flow.unfinished()
    for point, unfinished in zip(flow.points, before, strict=True):
        for access in point.touches:
            for touch in unfinished.get(access.name, ()):
                if _conflict(touch, access):
                    return f"{access.name}: {_words(*touch)}, {_words(access.writes, access.who, access.frontier)}"
    return f"{_COUNT} is not final" if any(_COUNT in after[end] for end in flow.ends) else None


def _conflict(touch: Touch, access: Access) -> bool:
    """Whether the order matters, and no single thread does both."""
    writes, who, frontier = touch
    one_thread = who is access.who and frontier == access.frontier and who is not Who.ANYBODY
    return (writes or access.writes) and not one_thread


def _words(writes: bool, who: Who, frontier: str) -> str:
    return f"{'written' if writes else 'read'} by {who.value} {frontier}".rstrip()


@dataclass(slots=True)
class _Point:
    """A point of the control flow: `touches`, then a barrier (`waits`), then `after`."""

    before: list[int]
    touches: frozenset[Access] = frozenset()
    waits: bool = False
    after: frozenset[Access] = frozenset()
    renamed: Mapping[str, str] = field(default_factory=dict)
    """By former name of storage the name that it has from here on."""
    redefined: str | None = None
    """A frontier that has other members from here on."""

    def left(self, unfinished: Unfinished) -> Unfinished:
        """What is unfinished after this point."""
        if self.waits:
            return _added({}, self.after)
        left = _added(unfinished, self.touches)
        if self.redefined is not None:
            left = {name: frozenset(map(self._redefined, touches)) for name, touches in left.items()}
        if self.renamed:
            left = {self.renamed.get(name, name): touches for name, touches in left.items()}
        return left

    def _redefined(self, touch: Touch) -> Touch:
        """Threads that were those of former members are any threads."""
        writes, who, frontier = touch
        return (writes, Who.ANYBODY, "") if who is Who.MEMBER and frontier == self.redefined else touch


def _added(unfinished: Unfinished, touches: Iterable[Access]) -> Unfinished:
    together = dict(unfinished)
    for each in touches:
        together[each.name] = together.get(each.name, frozenset()) | {(each.writes, each.who, each.frontier)}
    return together


def _joined(states: list[Unfinished]) -> Unfinished:
    if len(states) == 1:
        return states[0]
    joined: dict[str, frozenset[Touch]] = {}
    for name, touches in (each for state in states for each in state.items()):
        joined[name] = joined.get(name, frozenset()) | touches
    return joined


class _Flow:
    """The control flow of a launch."""

    def __init__(self, launch: nodes.Launch, accesses: Accesses) -> None:
        self.accesses = accesses
        arrays = accesses.program.arrays
        self.vertex_values = {each.name for each in arrays if each.domain is Domain.VERTEX and each.count is None}
        levels = filter(None, map(_level_taken, steps_in(launch.steps)))
        self.stored_in = {level.name: level.history.members for level in levels}
        """By frontier that is a level of a history, where it is stored, the array of that history's members."""
        self.points: list[_Point] = []
        self.ends = self._block(launch.steps, [self._point([])])

    # ------------------------------------------------------------ analysis

    def unfinished(self) -> tuple[list[Unfinished], list[Unfinished]]:
        """For each point what may be unfinished before and after it: the least fixed point."""
        before: list[Unfinished] = [{} for _ in self.points]
        after = [point.left({}) for point in self.points]
        changed = True
        while changed:
            changed = False
            for number, point in enumerate(self.points):
                state = _joined([after[other] for other in point.before])
                if state != before[number]:
                    before[number], after[number], changed = state, point.left(state), True
        return before, after

    def cycle_without_barrier(self) -> bool:
        """Whether some cycle has no barrier: whether points remain if those are removed of which all predecessors
        are removed (Kahn's algorithm)."""
        remaining = {number for number, point in enumerate(self.points) if not point.waits}
        following: dict[int, list[int]] = {}
        for number in remaining:
            for other in self.points[number].before:
                following.setdefault(other, []).append(number)
        open_edges = {number: sum(other in remaining for other in self.points[number].before) for number in remaining}
        ready = [number for number, count in open_edges.items() if not count]
        while ready:
            number = ready.pop()
            remaining.discard(number)
            for other in following.get(number, ()):
                open_edges[other] -= 1
                if not open_edges[other]:
                    ready.append(other)
        return bool(remaining)

    # ------------------------------------------------------------ construction

    def _point(self, before: Iterable[int], **what: object) -> int:
        self.points.append(_Point(list(dict.fromkeys(before)), **what))  # type: ignore[arg-type]
        return len(self.points) - 1

    def _block(self, steps: tuple[nodes.Step, ...], ends: list[int]) -> list[int]:
        """Add the points of `steps`, which follow `ends`; returns the last ones."""
        for step in steps:
            ends = self._step(step, ends)
        return ends

    def _step(self, step: nodes.Step, ends: list[int]) -> list[int]:
        if isinstance(step, nodes.On):
            return self._block(step.body, ends)
        if isinstance(step, nodes.MakeOnce):
            return [*ends, *self._block(step.body, ends)]
        if isinstance(step, (nodes.Branch, nodes.Loop)):
            test = self._point(ends, touches=self._reads(step.condition))
            if isinstance(step, nodes.Branch):
                return [*self._block(step.then, [test]), *self._block(step.otherwise, [test])]
            again = self._point([test]) if step.counted else test  # a count is evaluated once
            self.points[again].before += self._block(step.body, [again])
            return [again]
        if isinstance(step, nodes.Operation):
            return [self._operator(step, ends)]
        return [self._simple(step, ends)]

    def _operator(self, step: nodes.Operation, ends: list[int]) -> int:
        together = (*step.fused, step)
        read = self._levels_read(step.step)
        whole = frozenset().union(*(self.accesses.of_step(each.step) for each in together))
        if step.waits:
            return self._point(ends, touches=whole | read, waits=True)
        if nodes.Work(nodes.Part.STAGED) in step.body:
            return self._staged(step, whole, read, ends)
        if any(isinstance(each.does, nodes.Sweep) and each.does.segment is not None for each in together):
            # A list is walked by threads that need not be its member's.
            return self._point(ends, touches=whole | {_SHARED_COUNT} | read)
        return self._point(ends, touches=read.union(*map(self._of_members, together)))

    def _staged(self, step: nodes.Operation, whole: frozenset[Access], read: frozenset[Access], ends: list[int]) -> int:
        """An operator that stores its results aside, and after a barrier of its own copies them, each member by its
        thread."""
        sweep, stored = step.does, step.step.stores
        assert isinstance(sweep, nodes.Sweep) and stored is not None and sweep.staging is not None
        first = whole - {Access(stored, True, Who.ANYBODY)} | {Access(sweep.staging, True, Who.ANYBODY)}
        copied = {self._by_member(stored, True, step), self._by_member(sweep.staging, False, step)}
        return self._point(ends, touches=first | read, waits=True, after=copied | read)

    def _simple(self, step: nodes.Step, ends: list[int]) -> int:
        if isinstance(step, (nodes.Barrier, nodes.Initialize)):
            return self._point(ends, waits=True)
        if isinstance(step, nodes.Swap):
            names = {step.step.first: step.step.second, step.step.second: step.step.first}
            return self._point(ends, renamed=names)
        if isinstance(step, nodes.Rotate):
            current, following, last = _places(step.step.scalar)
            touches = self._reads(step.step.value) | {Access(last, True, Who.LEADER)}
            return self._point(ends, touches=touches, renamed={current: last, following: current, last: following})
        if isinstance(step, nodes.WriteBack):
            return self._point(ends, touches=frozenset(_written_back(step)))
        if isinstance(step, nodes.Privatize):
            return self._point(ends, touches=frozenset(Access(each, False, Who.ANYBODY) for each in step.scalars))
        if isinstance(step, nodes.StorePrivate):
            return self._point(ends, touches=self._reads(step.step.value))
        if isinstance(step, (nodes.Leader, nodes.Fill)):
            return self._point(ends, touches=self.accesses.of_step(step.step))
        if isinstance(step, (nodes.Define, nodes.Copy, nodes.Combine, nodes.FarEnds, nodes.MakeGraph, nodes.OnSets)):
            touches = self.accesses.of_step(step.step) | self._levels_read(step.step)
            level = _level_taken(step)
            redefined = None if level is None else level.name
            return self._point(ends, touches=touches, waits=_waits_itself(step), redefined=redefined)
        return self._point(ends)

    # ------------------------------------------------------------ what is touched

    def _reads(self, expression: ir.Expression) -> frozenset[Access]:
        return self.accesses.of_expression(expression, Who.ANYBODY)

    def _levels_read(self, step: ir.Step) -> frozenset[Access]:
        """The histories that store the members of the sets that a step goes through."""
        names = (self.stored_in[name] for name in frontiers_of(step).read if name in self.stored_in)
        return frozenset(Access(name, False, Who.ANYBODY) for name in names)

    def _of_members(self, operation: nodes.Operation) -> frozenset[Access]:
        """What an operator without a barrier touches: elements of a member alone by the member's thread."""
        functor, touches = self.accesses.functor_of(operation.step), self.accesses.of_step(operation.step)
        by_thread = isinstance(operation.does, nodes.Sweep) and not operation.does.lanes
        own = self._own(functor) if by_thread and isinstance(functor, ir.VertexFunctor) else frozenset()
        return frozenset(
            self._by_member(each.name, each.writes, operation) if each.name in own else each for each in touches
        )

    def _own(self, functor: ir.VertexFunctor) -> frozenset[str]:
        """The arrays of which a call touches only the element of its own vertex."""
        own, others = set[str](), set[str]()
        for node in walk(functor):
            if isinstance(node, (ir.Element, ir.ElementTarget)):
                is_own = ir.is_parameter(node.index, ir.Role.VERTEX)
                (own if is_own and node.array in self.vertex_values else others).add(node.array)
            elif isinstance(node, ir.FunctionCall):
                others |= {access.name for access in self.accesses.of_expression(node, Who.ANYBODY)}
        return frozenset(own - others)

    def _by_member(self, name: str, writes: bool, operation: nodes.Operation) -> Access:
        frontier = operation.step.frontier.frontier
        return Access(name, writes, Who.OWNER) if frontier is None else Access(name, writes, Who.MEMBER, frontier)


def _places(scalar: str) -> tuple[str, str, str]:
    """Names of the three places of a rotating scalar: the current one, the next, and the last."""
    return scalar, f"{scalar} (next place)", f"{scalar} (last place)"


def _written_back(step: nodes.WriteBack) -> Iterator[Access]:
    for name in step.rotating:
        current, *others = _places(name)
        yield Access(current, False, Who.LEADER)
        yield from (Access(other, True, Who.LEADER) for other in others)
    yield from (Access(name, True, Who.LEADER) for name in step.private)


def _level_taken(step: nodes.Step) -> ir.TakeLevel | None:
    """The level of a history that a frontier becomes without being copied."""
    return (
        step.step if isinstance(step, nodes.OnSets) and isinstance(step.step, ir.TakeLevel) and not step.waits else None
    )


def _waits_itself(step: nodes.Step) -> bool:
    """Whether a step between sets ends with a barrier inside the runtime."""
    if isinstance(step, nodes.OnSets):
        return step.waits
    return not (isinstance(step, nodes.MakeGraph) and isinstance(step.step, ir.SameGraph))  # which only names a graph
