"""Label arrays: pointers that only ever go down, hooked to each other and compressed.

An array `x` that holds vertices, begins as `id` and is written by `x[…] min= …` of operators alone has `x[v] <= v`
throughout: it is a forest. What single passes leave depends on the order, but two kinds of loops do not:

- *compression*, `while (s) { s = false; compute(vertices, jump); }`, where `jump` does `x[v] min= x[x[v]]` and sets
  `s` on every change. Whatever a call reads are ancestors of v in the forest at the beginning, and roots never move;
  where nothing changes any more, `x[v]` is the label of its label, a root: that of the tree that v was in.
- *hooking*, `while (s) { s = false; advance(f, hook); <compression> }` over a set f that stays, where `hook` lowers the
  label of either end's root to the label of the other, and sets `s` on every change. Labels are compressed whenever it
  begins, so that all that it reads and writes are labels of roots, and only roots get another label: no vertex loses
  the tree that it was in. It ends when a pass changes nothing: then the ends of every edge have one label, and the
  smallest vertex among those that edges and former labels link (its label can only be itself) is that of all of them.
  The same over a set that shrinks to those of its members that have something left to link (`narrowing`).
"""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.effects import Effects, Write, each
from gdsl.effects.atoms import OfRead
from gdsl.effects.terms import ElementTerm, End, Term
from gdsl.ir import nodes
from gdsl.operations import ReduceOperation
from gdsl.rules import Judged
from gdsl.types import Type
from gdsl.uniqueness.data import Data, all_steps
from gdsl.uniqueness.narrowing import narrows
from gdsl.uniqueness.relaxation import Loop, Origins, written_by, written_in


def label_arrays(program: nodes.Program, sites: Mapping[int, Judged]) -> frozenset[str]:
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


def _chain(array: str, term: Term) -> tuple[End, int] | None:
    """The end from which a term follows labels, and how many times; None for any other term."""
    steps = 0
    while isinstance(term, ElementTerm) and term.array == array:
        term, steps = term.index, steps + 1
    return (term, steps) if isinstance(term, End) and not term.role.is_edge else None


class LabelLoop:
    """One `while` of the schedule, seen as a loop over labels."""

    def __init__(self, loop: nodes.While, sites: Mapping[int, Judged], data: Data) -> None:
        self.loop = Loop(loop, sites, data)
        self.sites = sites
        self.data = data

    def compresses(self, name: str) -> bool:
        """Whether the loop, once entered, runs until every label in `name` is a root."""
        steps = self.loop.writers_of(name)
        if len(steps) != 1 or self.loop.written.get(name) != 1 or not self.loop.resets():
            return False
        effects = steps[0].effects
        (write,) = effects.written(name)
        index, value = _chain(name, write.index), _chain(name, write.value)
        every_vertex = isinstance(effects.functor, nodes.VertexFunctor) and effects.frontier.everything
        if not every_vertex or effects.conjuncts or steps[0].closings or index is None or value is None:
            return False
        plain = write.guard is None and value[0] is effects.far and value[1] >= 2 and index == (effects.far, 0)
        return plain and self.loop.sets_flag(steps[0], write)

    def hooks(self, name: str, starts_compressed: bool) -> Origins | None:
        """What the labels after the loop are made from, where no order decides them; None where one may."""
        if not self.loop.resets() and self.loop.frontier is None:
            return None
        kinds: list[bool] = []  # for each step that writes labels: whether it compresses, else it hooks
        data: set[str] = {name}
        frontiers: set[tuple[str, bool]] = set()
        body = self.loop.loop.body
        for place, step in enumerate(body):
            if not written_in((step,), self.sites)[0].get(name):
                continue
            if isinstance(step, nodes.While) and _sets_before(body, place, step):
                if not LabelLoop(step, self.sites, self.data).compresses(name):
                    return None
                kinds.append(True)
            elif isinstance(step, nodes.Operator) and self._is_hook(name, step):
                kinds.append(False)
                made_from = self.loop.origins(name, self.sites[step.site])
                data |= made_from[0]
                frontiers |= made_from[1]
            else:
                return None
        compressed = all(
            kind or (kinds[place - 1] and (place > 0 or starts_compressed)) for place, kind in enumerate(kinds)
        )
        return (frozenset(data), frozenset(frontiers)) if compressed and False in kinds else None

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
        links = [_link(name, judged.effects, write) for write in writes]
        return free and all(link is not None and (link[1], link[0], link[2]) in links for link in links)

    def _narrows(self, name: str, step: nodes.Operator) -> bool:
        """Whether the loop goes on for as long as `step` has something left to link, and over a set that has it all."""
        loop, frontier = self.loop, self.loop.frontier
        if frontier is None or loop.defined.get(frontier) != 1:
            return False
        by = narrows(loop.loop.body, frontier, name, step, self.sites)
        return by is not None and loop.written.get(by) == 1


def _sets_before(body: tuple[nodes.Step, ...], place: int, loop: nodes.While) -> bool:
    """Whether the step before a `while` makes its scalar true, so that it is entered for certain."""
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


def _link(name: str, effects: Effects, write: Write) -> tuple[Term, Term, frozenset[tuple[Term, bool]]] | None:
    """The ends that a hook links, from the one whose root is hooked to the other, and the guards around it."""
    index, value = _chain(name, write.index), _chain(name, write.value)
    if index is None or value is None or index[1] == 0 or value[1] == 0 or index[0] is value[0]:
        return None
    guards = frozenset((guard.term, guard.expected) for guard in each(write.guard))
    if any(_reads_labels(name, effects, term) for term, _ in guards):
        return None
    return index[0], value[0], guards


def settled_labels(
    loop: LabelLoop, labels: frozenset[str], compressed: frozenset[str]
) -> tuple[dict[str, Origins], set[str]]:
    """The label arrays that a loop settles, with what they are made from, and those that it leaves compressed where it
    is entered."""
    found: dict[str, Origins] = {}
    roots: set[str] = set()
    for name in sorted(labels):
        if not loop.loop.written.get(name):
            continue
        if loop.compresses(name):
            found[name] = (frozenset({name}), frozenset())
            roots.add(name)
        else:
            origins = loop.hooks(name, name in compressed)
            if origins is not None:
                found[name] = origins
    return found, roots
