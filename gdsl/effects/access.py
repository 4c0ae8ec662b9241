"""What a step of the schedule reads and writes, and which of the device's threads do so.

The source for barriers (a step waits for what it would meet) and for everything else that asks when data are alive.
Arrays, edge and vertex alike, and scalars are named as the program names them, each name being one piece of storage;
a swap changes which storage a name has and touches none.
"""

from __future__ import annotations

from enum import Enum

from gdsl.ir import nodes as ir
from gdsl.ir.calls import function_order
from gdsl.ir.traversal import Remembered, walk
from gdsl.operations import Domain
from gdsl.records import dataclass


class Who(Enum):
    """Which threads touch an element."""

    LEADER = "the leader"
    """One thread, always the same."""
    OWNER = "its own thread"
    """Each element a thread, the same in all steps that say so."""
    MEMBER = "the thread of its place in the frontier"
    """Each member of a frontier a thread, the same for as long as the frontier has these members."""
    ANYBODY = "any thread"


@dataclass(frozen=True, slots=True)
class Access:
    """A read or a write of an array's elements or of a scalar."""

    name: str
    writes: bool
    who: Who
    frontier: str = ""
    """For members: the frontier that they are in."""

    def meets(self, other: Access) -> bool:
        """Whether the order of the two matters and no thread's own order sees to it."""
        same_thread = (self.who, self.frontier) == (other.who, other.frontier) and self.who is not Who.ANYBODY
        return self.name == other.name and (self.writes or other.writes) and not same_thread


@dataclass(frozen=True, slots=True)
class FrontierUse:
    """The frontiers whose members or size a step reads, and those that it redefines."""

    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()


class Accesses:
    """The accesses of the steps of one program."""

    def __init__(self, program: ir.Program) -> None:
        self.program = program
        self._functions: dict[str, frozenset[tuple[str, bool]]] = {}
        """By function what it touches with all that it calls: (name, whether it is written)."""
        self._remembered = Remembered()
        self._vertex = {functor.name: functor for functor in program.vertex_functors}
        self._edge = {functor.name: functor for functor in program.edge_functors}
        self._votes = {functor.name: functor for functor in program.vote_functors}
        self._known: dict[int, tuple[ir.Step, frozenset[Access]]] = {}
        """By the identity of a step, which lives as long as this cache."""
        self._read: dict[tuple[int, Who], tuple[ir.Expression, frozenset[Access]]] = {}
        """By the identity of an expression, as with steps."""

    def of_step(self, step: ir.Step) -> frozenset[Access]:
        """What `step` touches: of a loop or a branch, what its condition or count reads."""
        if id(step) not in self._known:
            self._known[id(step)] = (step, self._of_step(step))
        return self._known[id(step)][1]

    def names_of_step(self, step: ir.Step) -> tuple[frozenset[str], frozenset[str]]:
        """The names of the data and sets that `step` reads, and of those that it writes; a swap does both."""
        touched, use = self.with_swaps(step), frontiers_of(step)
        read = frozenset(use.read).union(each.name for each in touched)
        return read, frozenset(use.written).union(each.name for each in touched if each.writes)

    def with_swaps(self, step: ir.Step) -> frozenset[Access]:
        """As `of_step`; a swap, which touches no element, writes both names."""
        if isinstance(step, ir.Swap):
            return frozenset(Access(name, True, Who.ANYBODY) for name in (step.first, step.second))
        return self.of_step(step)

    def _of_step(self, step: ir.Step) -> frozenset[Access]:
        if isinstance(step, ir.Operator):
            own = self._remembered(self._in, self.functor_of(step), Who.ANYBODY)
            if isinstance(step, ir.NeighborVote) and step.score is not None:
                own |= self._remembered(self._in, self._votes[step.score], Who.ANYBODY)
            if step.array_read is not None:
                own |= {Access(step.array_read, False, Who.ANYBODY)}
            itself = (name for name in (step.stores, step.adds_to) if name is not None)
            return own.union(Access(name, True, Who.ANYBODY) for name in itself)
        if isinstance(step, ir.StoreScalar):
            return self.of_expression(step.value, Who.LEADER) | {Access(step.scalar, True, Who.LEADER)}
        if isinstance(step, ir.StoreElement):
            return self._in((step.target, step.value), Who.LEADER)
        if isinstance(step, ir.Fill):
            return self.of_expression(step.value, Who.ANYBODY) | {Access(step.array, True, Who.OWNER)}
        if isinstance(step, ir.DefineFrontier):
            return self._in(step.members, Who.ANYBODY)
        if isinstance(step, ir.Contract):
            return frozenset(Access(name, writes, Who.ANYBODY) for name in step.arrays for writes in (False, True))
        if isinstance(step, ir.SetStep):
            led = dict.fromkeys(step.use.by_leader, Who.LEADER)
            written = frozenset(Access(name, True, led.get(name, Who.ANYBODY)) for name in step.use.writes)
            read = (Access(name, False, Who.ANYBODY) for name in step.use.reads)
            return self._in(step, Who.ANYBODY).union(written, read)
        if isinstance(step, (ir.While, ir.If)):
            return self.of_expression(step.condition, Who.ANYBODY)
        if isinstance(step, ir.Repeat):
            return self.of_expression(step.count, Who.ANYBODY)
        return frozenset()

    def of_expression(self, expression: ir.Expression, who: Who) -> frozenset[Access]:
        """What evaluating `expression` reads."""
        key = (id(expression), who)
        if key not in self._read:
            self._read[key] = (expression, self._in(expression, who))
        return self._read[key][1]

    def functor_of(self, step: ir.Operator) -> ir.Functor | None:
        """The functor that an operator runs; None where it runs none."""
        if step.functor is None:
            return None
        return self._edge[step.functor] if step.functor_domain is Domain.EDGE else self._vertex[step.functor]

    def functor(self, step: ir.Operator) -> ir.Functor:
        """The functor of an operator that runs one."""
        functor = self.functor_of(step)
        assert functor is not None
        return functor

    def _in(self, part: object, who: Who) -> frozenset[Access]:
        return frozenset(Access(name, writes, who) for name, writes in self._touched(part))

    def _touched(self, part: object) -> frozenset[tuple[str, bool]]:
        accesses: set[tuple[str, bool]] = set()
        called: set[str] = set()
        for node in walk(part):
            if isinstance(node, ir.Element):
                accesses.add((node.array, False))
            elif isinstance(node, ir.ScalarValue):
                accesses.add((node.name, False))
            elif isinstance(node, ir.ElementTarget):
                accesses.add((node.array, True))
            elif isinstance(node, ir.ScalarTarget):
                accesses.add((node.scalar, True))
            elif isinstance(node, ir.FunctionCall):
                called.add(node.function)
        return frozenset(accesses.union(*map(self._in_function, called)))

    def _in_function(self, name: str) -> frozenset[tuple[str, bool]]:
        if name not in self._functions:
            for function in function_order(self.program):
                self._functions[function.name] = self._touched(function.body)
        return self._functions[name]


def frontiers_of(step: ir.Node) -> FrontierUse:
    """The frontiers that a step reads and writes itself (of a loop or a branch: its condition or count)."""
    if isinstance(step, ir.DefineFrontier):
        return FrontierUse(measured_frontiers(step.members), (step.name,))
    if isinstance(step, (ir.CopyFrontier, ir.FarEnds)):
        return FrontierUse((step.other,), (step.name,))
    if isinstance(step, ir.Subgraph):
        return FrontierUse((step.edges,))
    if isinstance(step, (ir.On, ir.PushBuckets, ir.PopBuckets)):
        return FrontierUse()
    if isinstance(step, ir.SetStep):
        result = step.use.result
        return FrontierUse((*step.use.frontiers, *measured_frontiers(step)), () if result is None else (result,))
    if isinstance(step, ir.CombineFrontiers):
        operands = (step.first.frontier, step.second.frontier)
        return FrontierUse(tuple(name for name in operands if name is not None), (step.name,))
    if isinstance(step, ir.Operator):
        read = () if step.frontier.frontier is None else (step.frontier.frontier,)
        return FrontierUse(read, () if step.result is None else (step.result,))
    if isinstance(step, (ir.While, ir.If)):
        return FrontierUse(measured_frontiers(step.condition))
    if isinstance(step, ir.Repeat):
        return FrontierUse(measured_frontiers(step.count))
    return FrontierUse(measured_frontiers(step))


def measured_frontiers(part: object) -> tuple[str, ...]:
    """The frontiers whose size one or more expressions read."""
    asking = (node for node in walk(part) if isinstance(node, (ir.FrontierSize, ir.FrontierNotEmpty)))
    return tuple(dict.fromkeys(node.frontier for node in asking))
