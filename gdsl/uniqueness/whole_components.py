"""Label arrays whose last loop has seen every edge, however they were initialized.

Let the index and value of every write of a label array be an end of the edge (or the vertex), a label of such a vertex,
the former value from an update of one, the smaller or larger of these or a local that holds one: whatever the order, a
label is a vertex of its own component (of edges in both directions). Let the last loop over it hook, from compressed
labels, along all edges of a set f, where the vertices outside f had one and the same label when f was defined: `f =
where(v => x[v] != s)`, and nothing has parted them since. An edge with an end in f has equal labels at its ends after
the loop; any other edge had equal labels before, and from compressed labels no hook moves a vertex out of its tree. So
each component has one label, which is its smallest vertex, since that one can have no other. It does not matter which
edges were sampled before, or which component was skipped.

What moves whole trees parts no vertices: an operator on compressed labels whose every index and value is a label that
it has read. All of these were roots when it began, so that any other vertex keeps its label, and when labels are
compressed again, all vertices that had one have one. It need not link all that it could. The same holds of one in the
loop, behind the hooks, where labels are compressed before the next pass.

The same holds after one operator that joins the ends of all edges, or of those with an end in f (`join(x, src, dst)`),
since the sets of two vertices that are joined are one set when it ends.

So an operator before such a loop is *loose*: if it writes nothing but the labels, these are not unique after it, and
all results are, then no result depends on which labels it leaves, as long as each is a vertex of the component and not
above the former one. For what is not unique raises the grade of all that is made from it, but for labels in such loops.
Labels that come from calls that do not see each other's changes, and the smaller one of two such labels, are as good.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gdsl.effects import Effects, Waiting, Write
from gdsl.effects.terms import ElementTerm, End, Operation, Term
from gdsl.ir import nodes
from gdsl.ir.traversal import all_steps, blocks_of
from gdsl.operations import BinaryOperation, Builtin, Domain, Over
from gdsl.rules import JudgedOperator
from gdsl.uniqueness.labels import flattens
from gdsl.uniqueness.moved_trees import made_of, moves_trees
from gdsl.uniqueness.relaxation import written_in

Sites = Mapping[int, JudgedOperator]


def loops_over_all(steps: tuple[nodes.Step, ...], sites: Sites, labels: frozenset[str]) -> frozenset[tuple[int, str]]:
    """The loops of a schedule, by number, that visit every edge whose ends may differ in a label array."""
    within = [name for name in sorted(labels) if _stays_within(steps, sites, name)]
    blocks = [steps, *(block for step in all_steps(steps) for block in blocks_of(step))] if within else []
    return frozenset(
        (step.loop, name)
        for name in within
        for block in blocks
        for place, step in enumerate(block)
        if isinstance(step, nodes.While) and _goes_over_all(step, block[:place], sites, name)
    )


def joins_over_all(steps: tuple[nodes.Step, ...], sites: Sites, labels: frozenset[str]) -> frozenset[tuple[int, str]]:
    """The operators of a schedule, by site, that `join` the ends of every edge whose ends may be apart."""
    joined = [name for name in sorted(labels) if any(each.effects.joins(name) for each in sites.values())]
    within = [name for name in joined if _stays_within(steps, sites, name)]
    blocks = [steps, *(block for step in all_steps(steps) for block in blocks_of(step))] if within else []
    found = {
        (step.site, name)
        for name in within
        for block in blocks
        for step, before in _with_former(block, ())
        if isinstance(step, nodes.Operator) and step.site in sites and _joins_all(step, before, sites, name)
    }
    return frozenset(found)


def joined_either_way(step: nodes.If, sites: Sites, joins: frozenset[tuple[int, str]]) -> set[str]:
    """The labels that have every component as one set after `if (f) { … }`, which begins with such an operator on f: if
    f is empty, all vertices are in one."""
    condition = step.condition
    if not isinstance(condition, nodes.FrontierNotEmpty):
        return set()
    found = set()
    for site, name in joins:
        writers = _writers(step.then, sites, name)
        first = writers[0] if writers and not _writers(step.otherwise, sites, name) else None
        own = isinstance(first, nodes.Advance) and first.site == site
        if own and isinstance(first, nodes.Advance) and first.frontier.frontier == condition.frontier:
            found |= set() if written_in(step.then, sites)[1].get(condition.frontier) else {name}
    return found


def asks_for_vertices(condition: nodes.Expression) -> bool:
    """Whether a condition is `num_vertices > 0`."""
    if not isinstance(condition, nodes.Binary) or condition.operation is not BinaryOperation.GREATER:
        return False
    left, right = condition.left, condition.right
    of_vertices = isinstance(left, nodes.Count) and left.domain is Domain.VERTEX
    return of_vertices and isinstance(right, nodes.Literal) and right.value == 0


def _with_former(
    steps: tuple[nodes.Step, ...], before: tuple[nodes.Step, ...]
) -> Iterator[tuple[nodes.Step, tuple[nodes.Step, ...]]]:
    """The steps of a block, and those of `if`s in it, with all that has run before in the block."""
    for place, step in enumerate(steps):
        former = (*before, *steps[:place])
        yield step, former
        if isinstance(step, nodes.If):
            yield from _with_former(step.then, former)
            yield from _with_former(step.otherwise, former)


def _joins_all(step: nodes.Operator, before: tuple[nodes.Step, ...], sites: Sites, name: str) -> bool:
    """Whether an operator joins the ends of all edges, but those between vertices that had one label before."""
    judged = sites[step.site]
    effects = judged.effects
    every = any(loop.guard is None and _of_both_ends(effects, loop) for loop in effects.joins(name))
    if not every or not effects.on_edges or effects.on_common or effects.conjuncts or judged.closings:
        return False
    if step.frontier.everything:
        return True
    outside = isinstance(step, nodes.Advance) and step.over is Over.ALL_EDGES
    return outside and _is_outside(step.frontier.frontier or "", before, sites, name)


def _of_both_ends(effects: Effects, loop: Waiting) -> bool:
    """Whether a loop begins at the two ends of the call's edge."""
    larger, smaller = (_ends(term) for term in effects.first_values(loop))
    return larger == smaller and len(larger) == 2


def _ends(term: Term) -> set[Term]:
    """The ends of an edge of which a term is the smaller or the larger one."""
    of_two = isinstance(term, Operation) and term.operation in (Builtin.MIN, Builtin.MAX)
    parts = term.arguments if isinstance(term, Operation) and of_two else ()
    return {each for each in parts if isinstance(each, End) and not each.role.is_edge and not each.other}


def loose_sites(steps: tuple[nodes.Step, ...], not_unique: frozenset[int], results_unique: bool) -> frozenset[int]:
    """The advances that are loose, of those after which the only array that they write, of labels that such loops
    settle, is `not_unique`. They are in no loop, so that each leaves its labels once."""
    found = {each.site for each in _once(steps) if isinstance(each, nodes.Advance) and each.site in not_unique}
    return frozenset(found) if results_unique else frozenset()


def _once(steps: tuple[nodes.Step, ...]) -> Iterator[nodes.Step]:
    """The steps that run once at most."""
    for step in steps:
        yield step
        if isinstance(step, nodes.If):
            yield from _once((*step.then, *step.otherwise))


def _stays_within(steps: tuple[nodes.Step, ...], sites: Sites, name: str) -> bool:
    """Whether every operator that writes labels takes them from the same component."""
    judged = [sites[step.site] for step in all_steps(steps) if isinstance(step, nodes.Operator) and step.site in sites]
    return all(_links(name, each.effects, write) for each in judged for write in each.effects.written(name))


def _links(name: str, effects: Effects, write: Write) -> bool:
    """Whether a write brings together vertices of one component."""
    if effects.on_common:
        return False
    waiting: list[Term] = [write.index, write.value]
    seen = set[Term]()
    while waiting:
        term = waiting.pop()
        if term not in seen:
            seen.add(term)
            within = made_of(name, effects, term)
            if within is None:
                return False
            waiting.extend(within)
    return True


def _goes_over_all(loop: nodes.While, before: tuple[nodes.Step, ...], sites: Sites, name: str) -> bool:
    """Whether each pass hooks along every edge of a set outside which all labels were the same."""
    hooks = [step for step in loop.body if isinstance(step, nodes.Advance) and sites[step.site].effects.written(name)]
    defined = written_in(loop.body, sites)[1]
    return any(_whole(step, before, sites, name) for step in hooks if step.frontier.frontier not in defined)


def _whole(step: nodes.Advance, before: tuple[nodes.Step, ...], sites: Sites, name: str) -> bool:
    effects = sites[step.site].effects
    if effects.conjuncts or sites[step.site].closings or any(write.guard for write in effects.written(name)):
        return False
    return step.frontier.everything or (
        step.over is Over.ALL_EDGES and _is_outside(step.frontier.frontier or "", before, sites, name)
    )


def _is_outside(frontier: str, before: tuple[nodes.Step, ...], sites: Sites, name: str) -> bool:
    """Whether a set has all vertices except those that had one label, and have one now: whether since then nothing has
    written labels, or only trees were moved, as a whole, from compressed labels that were compressed again."""
    made = [i for i, step in enumerate(before) if written_in((step,), sites)[1].get(frontier)]
    if not made:
        return False
    step, since = before[made[-1]], _writers(before[made[-1] + 1 :], sites, name)
    if not isinstance(step, nodes.Filter) or not step.frontier.everything or not _is_test(name, sites[step.site]):
        return False
    compressed = any(_flattens(each, sites, name) for each in _writers(before[: made[-1]], sites, name)[-1:])
    for each in since:
        if not _flattens(each, sites, name) and not (compressed and moves_trees(name, each, sites)):
            return False
        compressed = _flattens(each, sites, name)
    return compressed or not since


def _writers(steps: tuple[nodes.Step, ...], sites: Sites, name: str) -> list[nodes.Step]:
    return [step for step in steps if written_in((step,), sites)[0].get(name)]


def _flattens(step: nodes.Step, sites: Sites, name: str) -> bool:
    return isinstance(step, nodes.Operator) and flattens(name, sites[step.site])


def _is_test(name: str, judged: JudgedOperator) -> bool:
    """Whether a filter accepts exactly the vertices whose label differs from a value that all calls share."""
    effects = judged.effects
    accepts = effects.accept is None or effects.accept is effects.terms.true
    if effects.writes or not accepts or len(effects.conjuncts) != 1:
        return False
    (test,) = effects.conjuncts
    if not isinstance(test, Operation) or test.operation is not BinaryOperation.NOT_EQUAL:
        return False
    return any(_is_label(name, effects, own) and effects.uniform(other) for own, other in _both_ways(test.arguments))


def _both_ways(pair: tuple[Term, ...]) -> tuple[tuple[Term, Term], tuple[Term, Term]]:
    return (pair[0], pair[1]), (pair[1], pair[0])


def _is_label(name: str, effects: Effects, term: Term) -> bool:
    return isinstance(term, ElementTerm) and term.array == name and term.index is effects.far
