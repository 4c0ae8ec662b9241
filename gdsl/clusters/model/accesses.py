"""What one sweep of a plan for several GPUs accesses, for a number of members and edges: what it reads in order, which
elements it reads and changes at random, and where each of them is.

A plan says that: the functor's own text, the copies of `mirrors` and `merges`, and who takes which members. An array
that calls index by the vertex whose list is walked is accessed in the order of members; by the far end of an edge or by
a computed number, at random. Of arrays without copies the other GPUs have (N - 1) / N. A GPU takes the vertices whose
values it has where a sweep runs on all or pulls; members of other sets are taken in turns, wherever their values are.
With `proposals` far ends are visited by the GPU that has them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from enum import Enum

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import walk
from gdsl.operations import IDEMPOTENT, Domain, Outcome, ReduceOperation
from gdsl.passes.writers import far_roles, near_roles
from gdsl.plan.hints import BlindClaim
from gdsl.plan.nodes import Form, Plan, Sweep
from gdsl.plan.sweep_nodes import Variant
from gdsl.records import dataclass
from gdsl.types import Type, Widths

_FEW = 1 << 12
"""Up to so many members, claims are tried without a look first."""


class Kind(Enum):
    """How an element is accessed."""

    READ = "read"
    WRITE = "write"
    CHANGE = "change"
    RETURN = "change that returns the former value"
    CLAIM = "compare-and-swap"


class Where(Enum):
    """Which element it is."""

    OWN = "the member's own"
    FAR = "that of the far end of an edge"
    EDGE = "that of the edge"
    COMPUTED = "any"
    LABEL = "any, and a label leads there"


@dataclass(frozen=True, slots=True)
class Access:
    """`count` accesses of elements of `bytes` bytes in `array`. is_local: each GPU has a copy, or all of what it
    accesses."""

    kind: Kind
    where: Where
    array: str
    bytes: int
    count: float
    is_local: bool


@dataclass(frozen=True, slots=True)
class Amounts:
    """Of one pass of a sweep: how many members it has, how many edges it walks, how many elements it finds, and at how
    many different far ends, about."""

    members: float
    edges: float
    found: float
    ends: float = 0.0


def accesses_of(sweep: Sweep, plan: Plan, widths: Widths, amounts: Amounts) -> Iterator[Access]:
    """All accesses of a pass of `sweep`, beside those of lists and sets."""
    reader = _Reader(sweep, plan, widths)
    for way in sweep.walks:
        pulls = sweep.selection is not None
        own = far_roles(way.over) if pulls else near_roles(way.over)
        yield from reader.of_variant(way.variant, own, amounts, amounts.edges)
    for variant in (sweep.own, sweep.selection.test if sweep.selection is not None else None):
        if variant is not None:
            yield from reader.of_variant(variant, frozenset(ir.Role), amounts, amounts.members)
    for stored in (sweep.segment, sweep.vote):
        if stored is not None:
            yield reader.access(Kind.WRITE, Where.OWN, stored.array, amounts.members)


class _Reader:
    def __init__(self, sweep: Sweep, plan: Plan, widths: Widths) -> None:
        self.sweep, self.widths = sweep, widths
        self.arrays = {each.name: each for each in plan.program.arrays}
        self.functors = {each.name: each for each in plan.program.functors}
        copied = sweep.mirrors.arrays if sweep.mirrors is not None else ()
        merged = (sweep.merge.array,) if sweep.merge is not None else ()
        lowered = (sweep.labels.array,) if sweep.labels is not None else ()
        whole = (each.array for each in plan.replicas)
        self.copied = frozenset((*copied, *merged, *lowered, *whole))
        self.labels = labels_of(plan)

    def access(self, kind: Kind, where: Where, array: str, count: float) -> Access:
        declared = self.arrays[array]
        local = array in self.copied and where is not Where.OWN
        local = local or declared.is_input or (where is Where.OWN and self.takes_own)
        local = local or (where is Where.FAR and self.sweep.proposals is not None)
        width = max(self.widths.of(declared.type) // 8, 1)
        return Access(kind, where, array, width, count, local)

    def where(self, array: str, index: ir.Expression, own: frozenset[ir.Role]) -> Where:
        """Which element of `array` an index in a functor chooses."""
        where = _where(index, own)
        return Where.LABEL if where is Where.COMPUTED and array in self.labels else where

    @property
    def takes_own(self) -> bool:
        """Whether each GPU takes the members whose values it has."""
        sweep = self.sweep
        return sweep.members.frontier is None or sweep.selection is not None

    def of_variant(self, variant: Variant, own: frozenset[ir.Role], amounts: Amounts, calls: float) -> Iterator[Access]:
        """The accesses of so many calls of a functor."""
        functor = self.functors[variant.functor]
        yield from self.of_code([functor.condition[each] for each in variant.tests], own, amounts, calls)
        body: list[object] = [functor.body[each] for each in variant.body]
        if isinstance(functor, ir.EdgeFunctor):
            body += [each for each in (functor.value, functor.key) if each is not None]
        pulls, walks = self.sweep.selection is not None, calls == amounts.edges
        claim = variant.claim
        if claim is not None:
            if self.sweep.proposals is not None:
                yield from self.of_proposals(claim.array, amounts)
                calls = min(calls, amounts.ends)
            blind = any(isinstance(each, BlindClaim) for each in self.sweep.hints) and amounts.members <= _FEW
            if blind:
                yield self.access(Kind.CLAIM, Where.FAR, claim.array, calls)
            else:
                yield self.access(Kind.READ, Where.FAR, claim.array, calls)
                yield self.access(Kind.CLAIM, Where.FAR, claim.array, amounts.found)
        finds = claim is not None or (pulls and walks)
        yield from self.of_code(body, own, amounts, amounts.found if finds else calls)

    def of_proposals(self, array: str, amounts: Amounts) -> Iterator[Access]:
        """What a GPU notes in its own memory: each edge looks for a mark, each far end is marked, with an edge that is
        read again when it is visited."""
        yield self.access(Kind.READ, Where.FAR, array, amounts.edges + amounts.ends)
        yield self.access(Kind.CHANGE, Where.FAR, array, amounts.ends)
        yield self.access(Kind.WRITE, Where.FAR, array, amounts.ends)

    def of_code(
        self, code: Iterable[object], own: frozenset[ir.Role], amounts: Amounts, calls: float
    ) -> Iterator[Access]:
        nodes = list(walk(tuple(code)))
        returning = {id(each.update): each for each in nodes if isinstance(each, ir.UpdateValue)}
        for node in nodes:
            if isinstance(node, ir.Element):
                where = self.where(node.array, node.index, own)
                count = min(amounts.members, calls) if where is Where.OWN else calls  # once for the whole list
                yield self.access(Kind.READ, where, node.array, count)
            elif isinstance(node, ir.Store) and isinstance(node.target, ir.ElementTarget):
                where = self.where(node.target.array, node.target.index, own)
                yield self.access(Kind.WRITE, where, node.target.array, calls)
            elif isinstance(node, ir.CompareAndSwap) and isinstance(node.target, ir.ElementTarget):
                where = self.where(node.target.array, node.target.index, own)
                yield self.access(Kind.CLAIM, where, node.target.array, calls)
            elif isinstance(node, ir.Update) and isinstance(node.target, ir.ElementTarget):
                yield from self.of_update(node, node.target, returning.get(id(node)), own, amounts, calls)

    def of_update(
        self, node: ir.Update, target: ir.ElementTarget, value: ir.UpdateValue | None, own: frozenset[ir.Role],
        amounts: Amounts, calls: float,
    ) -> Iterator[Access]:  # fmt: skip
        where = self.where(target.array, target.index, own)
        if value is not None and value.outcome is Outcome.FETCH:
            yield self.access(Kind.RETURN, where, target.array, calls)
        elif node.operation in IDEMPOTENT:
            yield self.access(Kind.READ, where, target.array, calls)
            kind = Kind.CHANGE if value is None else Kind.RETURN
            yield self.access(kind, where, target.array, min(amounts.found, calls))
        else:
            yield self.access(Kind.CHANGE if value is None else Kind.RETURN, where, target.array, calls)


def twice(access: Access) -> Access:
    """As many again."""
    return dataclasses.replace(access, count=2 * access.count)


def labels_of(plan: Plan) -> frozenset[str]:
    """Arrays of vertices that only fall: all that is written to them is a minimum."""
    program = plan.program
    falls: set[str] = set()
    others = {each.name for each in program.arrays if each.type is not Type.VERTEX}
    for functor in program.functors:
        for node in walk(functor):
            if isinstance(node, (ir.Store, ir.Update, ir.CompareAndSwap)) and isinstance(node.target, ir.ElementTarget):
                is_minimum = isinstance(node, ir.Update) and node.operation is ReduceOperation.MIN
                (falls if is_minimum else others).add(node.target.array)
    return frozenset(falls - others)


def follows_labels(sweep: Sweep, plan: Plan) -> bool:
    """Whether a sweep goes from label to label, until it finds one that is its own."""
    names = {each.variant.functor for each in sweep.walks} | ({sweep.own.functor} if sweep.own is not None else set())
    functors = (each for each in plan.program.vertex_functors if each.name in names)
    return any(isinstance(node, ir.Loop) for functor in functors for node in walk(functor))


def _where(index: ir.Expression, own: frozenset[ir.Role]) -> Where:
    element = ir.element_index(index)
    if not isinstance(element, ir.Parameter):
        return Where.COMPUTED
    if element.role.is_edge:
        return Where.EDGE
    return Where.OWN if element.role in own else Where.FAR


def entry_bytes(sweep: Sweep, widths: Widths) -> int:
    """The bytes of a member in the queue that a sweep reads; 0 where it reads none."""
    if sweep.members.frontier is None or sweep.members.form is not Form.QUEUE:
        return 0
    return widths.of(Type.EDGE if sweep.members.domain is Domain.EDGE else Type.VERTEX) // 8
