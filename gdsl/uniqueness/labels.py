"""Label arrays: pointers that only ever go down, hooked to each other and compressed.

An array `x` that holds vertices, begins as `id` and is written only by `x[…] min= …` of operators has `x[v] <= v`
throughout: it is a forest. What single passes leave depends on the order, but two kinds of loops do not:

- *compression*, `while (s) { s = false; compute(vertices, jump); }`, where `jump` does `x[v] min= x[x[v]]` and sets
  `s` on every change. Whatever a call reads are ancestors of v in the forest at the beginning, and roots never move;
  once nothing changes, `x[v]` is the label of its label, a root: that of the tree that v was in. The same by one
  operator, `compute(vertices, flatten)`, each call of which repeats this until its own label is a root:
  `while (changed(x[v] min= x[x[v]])) { }`.
- *hooking*, `while (s) { s = false; advance(f, hook); <compression> }` over a set f that stays, where `hook` lowers the
  label of either end's root to the label of the other (by `x[x[a]] min= x[b]` and `x[x[b]] min= x[a]`, or by
  `x[max(x[a], x[b])] min= min(x[a], x[b])`, since of these two the other would change nothing), and sets `s` on every
  change; the compression may be left out where `s` says that nothing has changed. Labels are compressed whenever it
  begins, so it reads and writes only labels of roots, and only roots get another label: no vertex loses the tree that
  it was in. It ends when a pass changes nothing: then the ends of every edge have one label, and the smallest vertex
  among those that edges and former labels link (its label can only be itself) is the label of all of them.
- *narrowing*, hooking over a set that shrinks to the members that have something left to link:
  `while (f) { advance(f, hook); <compression>; a = neighbor_reduce(f, differ, some); f = filter(f, v => a[v]); }`,
  where `differ` holds of every edge that `hook` links and whose ends have different labels: it is `x[src] != x[dst]`
  together with some of the conditions of `hook`. A vertex that leaves the set has no edge left with two labels, and
  what has one label is in one tree from then on. So the labels after the loop are those of hooking over the first set
  until nothing changes. The same over a set of edges, `while (e) { compute(e, hook); <compression>; e = filter(e,
  differ); }`: an edge leaves it once its ends have one label.
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Iterable, Mapping

from gdsl.effects import Effects, Write, each
from gdsl.effects.terms import ElementTerm, End, OfRead, Operation, Term
from gdsl.ir import nodes
from gdsl.ir.slots import same
from gdsl.ir.traversal import all_steps, conjuncts
from gdsl.operations import BinaryOperation, Builtin, NeighborOperation, Outcome, ReduceOperation
from gdsl.rules import JudgedOperator
from gdsl.types import Type
from gdsl.uniqueness.data import Data
from gdsl.uniqueness.moved_trees import moves_trees
from gdsl.uniqueness.relaxation import Loop, Origins, written_by, written_in


def label_arrays(program: nodes.Program, sites: Mapping[int, JudgedOperator]) -> frozenset[str]:
    """The arrays that are written as labels throughout the program."""
    falling = {
        array.name for array in program.arrays if array.type is Type.VERTEX and isinstance(array.initial, nodes.OwnId)
    }
    for step in all_steps(program.schedule):
        if isinstance(step, nodes.Operator) and step.site in sites:
            writes = sites[step.site].effects.writes
            falling -= {write.name for write in writes if write.operation is not ReduceOperation.MIN}
        if not isinstance(step, nodes.Operator) or step.stores is not None:
            falling -= set(written_by(step, sites)[0])
    return frozenset(falling)


def label_chain(array: str, term: Term) -> tuple[End, int] | None:
    """The end from which a term follows labels, and how many times; None for any other term."""
    steps = 0
    while isinstance(term, ElementTerm) and term.array == array:
        term, steps = term.index, steps + 1
    return (term, steps) if isinstance(term, End) and not term.role.is_edge else None


def _jump(name: str, effects: Effects) -> Write | None:
    """The one write of `name` of an operator that lowers the label of every vertex to a label on the way to its root;
    None for any other operator."""
    writes = effects.written(name)
    every_vertex = isinstance(effects.functor, nodes.VertexFunctor) and effects.frontier.everything
    if not every_vertex or effects.conjuncts or len(writes) != 1:
        return None
    (write,) = writes
    index, value = label_chain(name, write.index), label_chain(name, write.value)
    if index != (effects.far, 0) or value is None or value[0] is not effects.far or value[1] < 2:
        return None
    return write if write.guard is None and write.outcome is Outcome.CHANGED else None


def flattens(name: str, judged: JudgedOperator) -> bool:
    """Whether an operator leaves every label in `name` a root: each call lowers its own one until that changes nothing,
    and no other call writes it."""
    effects = judged.effects
    write = _jump(name, effects)
    if write is None or judged.closings:
        return False
    return any(loop.exits == (write.result,) and write.number in loop.numbers for loop in effects.loops)


class LabelLoop:
    """One `while` of the schedule, seen as a loop over labels."""

    def __init__(self, loop: nodes.While, sites: Mapping[int, JudgedOperator], data: Data) -> None:
        self.loop = Loop(loop, sites, data)
        self.sites = sites
        self.data = data
        self.whole = False

    def compresses(self, name: str) -> bool:
        """Whether the loop, once entered, runs until every label in `name` is a root."""
        steps = self.loop.writers_of(name)
        if len(steps) != 1 or self.loop.written.get(name) != 1 or not self.loop.resets():
            return False
        write = _jump(name, steps[0].effects)
        return write is not None and not steps[0].closings and self.loop.sets_flag(steps[0], write)

    def hooks(self, name: str, starts_compressed: bool, whole: bool) -> Origins | None:
        """What the labels after the loop depend on, if the order does not decide them; else None. `whole`: it hooks
        along all edges whose ends may differ (`whole_components`), so that trees may be moved in other ways, too."""
        self.whole = whole
        if not self.loop.resets() and self.loop.frontier is None:
            return None
        kinds: list[_Kind] = []
        data: set[str] = {name}
        frontiers: set[tuple[str, bool]] = set()
        body = self.loop.loop.body
        for place, step in enumerate(body):
            if not written_in((step,), self.sites)[0].get(name):
                continue
            if self._shortens(name, body, place):
                kinds.append(_Kind.SHORTENS_CHANGED if isinstance(step, nodes.If) else _Kind.SHORTENS)
            elif isinstance(step, nodes.Operator) and self._is_hook(name, step):
                kinds.append(_Kind.HOOKS)
                made_from = self.loop.origins(name, self.sites[step.site])
                data |= made_from[0]
                frontiers |= made_from[1]
            else:
                return None
        if self.loop.frontier is not None and kinds[-1:] != [
            _Kind.SHORTENS
        ]:  # a filter reads the labels, and must find them compressed
            return None
        hooked = _Kind.HOOKS in kinds and _from_roots(kinds, starts_compressed)
        return (frozenset(data), frozenset(frontiers)) if hooked else None

    def _shortens(self, name: str, body: tuple[nodes.Step, ...], place: int) -> bool:
        """Whether after a step all labels are roots, or as they were when the pass began: where it only runs if the
        loop's flag is set, and it is not."""
        step = body[place]
        if isinstance(step, nodes.While):
            return _sets_before(body, place, step) and LabelLoop(step, self.sites, self.data).compresses(name)
        if isinstance(step, nodes.If):
            by_flag = isinstance(step.condition, nodes.ScalarValue) and step.condition.name == self.loop.flag
            inner = [i for i, each in enumerate(step.then) if written_in((each,), self.sites)[0].get(name)]
            untouched = not written_in(step.otherwise, self.sites)[0].get(name)
            shorten = [self._shortens(name, step.then, i) for i in inner]
            moves = (self.whole and moves_trees(name, step.then[i], self.sites) for i in inner)
            return by_flag and untouched and all(map(operator.or_, shorten, moves)) and all(shorten[-1:])
        return isinstance(step, nodes.Operator) and flattens(name, self.sites[step.site])

    def _is_hook(self, name: str, step: nodes.Operator) -> bool:
        if step.stores is not None:
            return False
        judged = self.sites[step.site]
        writes = judged.effects.written(name)
        if not self.loop.is_fixed(name, judged):
            return False
        by_flag = self.loop.stays(judged) and all(self.loop.sets_flag(judged, write) for write in writes)
        if not by_flag and not self._narrows(name, step):
            return False
        free = not any(_reads_labels(name, judged.effects, term) for term in judged.effects.conjuncts)
        links = [link for write in writes for link in _links(name, judged.effects, write)]
        return free and all(link is not None and (link[1], link[0], link[2]) in links for link in links)

    def _narrows(self, name: str, step: nodes.Operator) -> bool:
        """Whether the loop continues as long as `step` has something left to link, over a set that contains all of
        it."""
        loop, frontier = self.loop, self.loop.frontier
        if frontier is None or loop.defined.get(frontier) != 1:
            return False
        if _narrows_edges(loop.loop.body, frontier, name, step, self.sites):
            return True
        by = narrows(loop.loop.body, frontier, name, step, self.sites)
        return by is not None and loop.written.get(by) == 1


class _Kind(enum.Enum):
    """What a step of a loop does to labels."""

    HOOKS = enum.auto()
    SHORTENS = enum.auto()
    SHORTENS_CHANGED = enum.auto()
    """It compresses them where the pass has changed any."""


def _from_roots(kinds: list[_Kind], starts_compressed: bool) -> bool:
    """Whether the steps of a loop that hook begin with compressed labels in every pass."""
    at_first = starts_compressed and kinds[-1] is not _Kind.HOOKS
    compressed = at_first
    for kind in kinds:
        if kind is _Kind.HOOKS and not compressed:
            return False
        compressed = kind is _Kind.SHORTENS or (kind is _Kind.SHORTENS_CHANGED and at_first)
    return True


def _sets_before(body: tuple[nodes.Step, ...], place: int, loop: nodes.While) -> bool:
    """Whether the step before a `while` sets its scalar to true, so that it is certainly entered."""
    before = body[place - 1] if place else None
    condition = loop.condition
    return (
        isinstance(before, nodes.StoreScalar)
        and isinstance(condition, nodes.ScalarValue)
        and before.scalar == condition.name
        and isinstance(before.value, nodes.Literal)
        and before.value.value is True
    )


def _reads_labels(name: str, effects: Effects, term: Term) -> bool:
    reads = (read.number for read in effects.reads.values() if read.name == name)
    depends = effects.depends(term)
    return any(depends & effects.terms.atoms.bit(OfRead(number)) for number in reads)


_Link = tuple[End, End, frozenset[tuple[Term, bool]]]
"""The ends that a hook links, first the one whose root is hooked, and the guards around it."""


def _links(name: str, effects: Effects, write: Write) -> list[_Link | None]:
    """What a write links; None if it is not a link."""
    guards = frozenset((guard.term, guard.expected) for guard in each(write.guard))
    if any(_reads_labels(name, effects, term) for term, _ in guards):
        return [None]
    ends = of_both(name, write)
    if ends is None:
        return [_link(name, write.index, write.value, guards)]
    return [(ends[0], ends[1], guards), (ends[1], ends[0], guards)]


def of_both(name: str, write: Write) -> tuple[End, End] | None:
    """The two ends whose labels are linked by a write of the form `x[max(x[a], x[b])] min= min(x[a], x[b])`."""
    larger, smaller = _of_two(Builtin.MAX, write.index), _of_two(Builtin.MIN, write.value)
    if larger is None or smaller is None:
        return None
    roots, labels = ([label_chain(name, term) for term in pair] for pair in (larger, smaller))
    ends = [None if chain is None or chain[1] == 0 else chain[0] for chain in (*roots, *labels)]
    one, other = ends[:2]
    if one is None or other is None or one is other or {*ends[2:]} != {one, other}:
        return None
    return one, other


def _of_two(operation: Builtin, term: Term) -> tuple[Term, Term] | None:
    is_one = isinstance(term, Operation) and term.operation is operation and len(term.arguments) == 2
    return (term.arguments[0], term.arguments[1]) if isinstance(term, Operation) and is_one else None


def _link(name: str, hooked: Term, value: Term, guards: frozenset[tuple[Term, bool]]) -> _Link | None:
    root, label = label_chain(name, hooked), label_chain(name, value)
    if root is None or label is None or root[1] == 0 or label[1] == 0 or root[0] is label[0]:
        return None
    return root[0], label[0], guards


def settled_labels(
    loop: LabelLoop,
    labels: frozenset[str],
    compressed: frozenset[str],
    entered: bool,
    over_all: frozenset[tuple[int, str]],
) -> tuple[dict[str, Origins], set[str]]:
    """The label arrays that a loop settles, with what they depend on, and those that it leaves compressed.
    `entered`: whether the loop is certainly entered; `over_all` has the loops that see every edge."""
    result: dict[str, Origins] = {}
    roots: set[str] = set()
    for name in sorted(labels):
        if not loop.loop.written.get(name):
            continue
        if loop.compresses(name):
            result[name] = (frozenset({name}), frozenset())
            roots |= {name} if entered else set()
            continue
        whole = entered and (loop.loop.loop.loop, name) in over_all
        origins = loop.hooks(name, name in compressed, whole)
        if origins is not None:
            result[name] = (frozenset(), frozenset()) if whole else origins
            roots |= {name} & compressed
    return result, roots


def narrows(
    body: tuple[nodes.Step, ...], frontier: str, labels: str, hook: nodes.Operator, sites: Mapping[int, JudgedOperator]
) -> str | None:
    """The array by which the end of `body` reduces `frontier` to its members that still have an edge of `hook` between
    two different `labels`; None if it does anything else."""
    if len(body) < 2 or hook.frontier.frontier != frontier:
        return None
    reduce, filtered = body[-2], body[-1]
    if not isinstance(reduce, nodes.NeighborReduce) or not isinstance(filtered, nodes.Filter):
        return None
    whole = reduce.frontier.frontier == filtered.frontier.frontier == filtered.result == frontier
    if not whole or reduce.operation is not NeighborOperation.SOME or reduce.over is not hook.visits:
        return None
    linking, differing = sites[hook.site].effects.functor, sites[reduce.site].effects.functor
    is_connected = _finds_links(differing, linking, labels) and _keeps(
        sites[filtered.site].effects.functor, reduce.array
    )
    return reduce.array if is_connected else None


def _narrows_edges(
    body: tuple[nodes.Step, ...], frontier: str, labels: str, hook: nodes.Operator, sites: Mapping[int, JudgedOperator]
) -> bool:
    """Whether the end of `body` reduces `frontier`, a set of edges on which `hook` runs, to those whose ends have two
    different `labels`."""
    filtered = body[-1] if body else None
    if not isinstance(hook, nodes.Compute) or not isinstance(filtered, nodes.Filter):
        return False
    whole = hook.frontier.frontier == filtered.frontier.frontier == filtered.result == frontier
    keeping = sites[filtered.site].effects.functor
    if not whole or not isinstance(keeping, nodes.EdgeFunctor) or keeping.body:
        return False
    return _asks_of_links(keeping.condition, sites[hook.site].effects.functor, labels)


def _finds_links(differing: nodes.VertexFunctor | nodes.EdgeFunctor, linking: object, labels: str) -> bool:
    """Whether the value of `differing` holds for every edge that `linking` links and whose ends have different
    labels."""
    if not isinstance(differing, nodes.EdgeFunctor) or differing.value is None:
        return False
    return _asks_of_links((*differing.condition, differing.value), linking, labels)


def _asks_of_links(conditions: Iterable[nodes.Expression], linking: object, labels: str) -> bool:
    """Whether the conditions hold for every edge that `linking` links and whose ends have different labels."""
    if not isinstance(linking, nodes.EdgeFunctor):
        return False
    asked = [part for each in conditions for part in conjuncts(each)]
    links = [part for each in linking.condition for part in conjuncts(each)]
    others = [part for part in asked if not _differ(part, labels)]
    return all(any(same(part, link) for link in links) for part in others)


def _differ(node: nodes.Expression, labels: str) -> bool:
    """Whether this is `labels[a] != labels[b]` of the two ends of an edge."""
    if not isinstance(node, nodes.Binary) or node.operation is not BinaryOperation.NOT_EQUAL:
        return False
    ends = {_end_of_label(side, labels) for side in (node.left, node.right)}
    return ends == {nodes.Role.SOURCE, nodes.Role.DESTINATION}


def _end_of_label(node: nodes.Expression, labels: str) -> nodes.Role | None:
    own = isinstance(node, nodes.Element) and node.array == labels
    index = node.index if isinstance(node, nodes.Element) and own else None
    return index.role if isinstance(index, nodes.Parameter) else None


def _keeps(functor: nodes.VertexFunctor | nodes.EdgeFunctor, array: str) -> bool:
    """Whether a filter keeps just the vertices that have `array` set."""
    if not isinstance(functor, nodes.VertexFunctor) or functor.body or len(functor.condition) != 1:
        return False
    (test,) = functor.condition
    return isinstance(test, nodes.Element) and test.array == array and isinstance(test.index, nodes.Parameter)
