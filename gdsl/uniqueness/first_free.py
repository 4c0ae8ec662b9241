"""Whether numbers come out the same, however old what is read of a neighbor is: each the first that is free.

Greedy colors, the values of games and first-fit slots are such numbers: each vertex gets the smallest one that no
neighbor before it has. A loop finds them where a reduction looks at neighbors, and a filter takes from what it found:

    while (rest) { seen = neighbor_reduce(rest, look, or); rest = filter(rest, take); }

An element x of the array is a number where x >= 0; otherwise it *waits*, and ~x is its bound, below which no number
is free for it. `take` gives a vertex that waits a number, or a bound that is not lower, and keeps it in the set while
it waits; vertices that do not wait it leaves alone, and out of the set.

**What is asked** of the two functors, for a vertex with the bound b, whatever bits its neighbors have set together:

1. *Bounds pass over taken numbers alone.* If `take` gives the number or the bound b + t, then for each i below t a bit
   is set that, of the neighbors that fit the bits that are not set, only one with the number b + i sets.
2. *Numbers are free, and stay so.* If it gives the number b + t, then the bits that are not set show of each neighbor
   that it does not have that number, and if it waits, that its bound is larger.
3. *Who gets nowhere waits for someone.* If it gives the bound b again, then no neighbor has the number b, and in the
   same way a bit is set that only a waiting neighbor sets whose bound is at most b; or a bit that only a waiting
   neighbor sets, if no vertex ever gets on while one of its neighbors waits.

**Why this is enough.** Let g be the numbers after the loop as it is written, where each pass reads what the one before
has left; of other vertices, their elements. In any other run, let all that has been read so far *agree* with g: numbers
are those of g, and bounds at most those. What a vertex v with the bound b gets then agrees, too. By 1 and 2, as v got
its number in the first run: every number below g(v) is that of a neighbor in g, and g(v) is not. If v gets the bound or
number b + t, numbers from b on up to it are those of neighbors, now and so in g, hence it is not above g(v); a number
is not below either, or it would be a neighbor's in g: of one that had it, or waited with a bound not above it, against
2. So all numbers that are ever given are those of g, whatever a vertex reads of its neighbors, as long as it was there
at some time since the loop began.

It also ends. Bounds only rise, and never above g, so after some pass nothing changes any more. Say that some vertices
wait then, and let v be the one of them that was the first in the first run to get a number, or a bound above the one
that it is left with, b. What its neighbors were then agrees with what they are now: those that wait now waited, with
bounds not larger than now, and those that had numbers have them now. So if vertices get on only where no neighbor
waits, none waits for v now, against 3. If v rose above b, by 1 a neighbor had the number b, and has it now, against 3.
If v got a number, it is not below b, and by 2 all neighbors that wait now have larger bounds, against 3.

All of this holds of sums of what calls add to scalars as well if only numbers count: a maximum of the number that a
call gives and a constant, which is larger than what any waiting vertex gives.

**How it is proved.** `look` is evaluated for a bound b, which stays a symbol, and a neighbor whose number or bound is
b + d, for each d as far away as there are bits, and at once for all that are farther: what it returns must be the same
for each b. `take` is evaluated for b and a word of unknown bits; a bit that decides something is tried as 0 and as 1.
No number wraps: bounds pass over numbers of neighbors, so that they are not above the degree, unless they were so
before the loop, and what else the program stores in the array is small.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gdsl.effects.access import Accesses
from gdsl.effects.ranges import limits
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, contains, walk
from gdsl.operations import BinaryOperation, Domain, NeighborOperation, Over, UnaryOperation
from gdsl.uniqueness.partial_evaluation import FAR, Bits, Evaluation, NotProvedError, Number, SplitError, Value, bits_of
from gdsl.uniqueness.unfinished import Unfinished, ends_with

_MOST_LEAVES = 200
_SMALL = 1 << 30


@dataclass(frozen=True)
class _Neighbor:
    """Neighbors with a number (or waiting, with a bound) of b + [low, high], and the bits that they set."""

    waits: bool
    low: int
    high: int
    bits: int


@dataclass(frozen=True)
class _Leaf:
    """What `take` gives where the bits `ones` are set and the bits `zeros` are not: the number or the bound b + t."""

    ones: int
    zeros: int
    waits: bool
    t: int


_Loop = tuple[ir.While, ir.NeighborReduce, ir.Filter]


class FirstFree(NamedTuple):
    """`pairs`: the reduction and the filter of each loop that may read neighbors' values of any age. `unfinished`: by
    number, the sets of loops that may leave something else in each run, and so give up."""

    pairs: tuple[tuple[ir.NeighborReduce, ir.Filter], ...]
    unfinished: Mapping[int, str]


def first_free(program: ir.Program) -> FirstFree:
    """The loops of a program after which results do not depend on how old the values are that calls read of
    neighbors."""
    pairs, unfinished = list[tuple[ir.NeighborReduce, ir.Filter]](), dict[int, str]()
    by_functors: dict[tuple[str, str], list[_Loop]] = {}
    for loop in all_steps(program.schedule):
        match loop:
            case ir.While(
                body=(
                    ir.NeighborReduce(frontier=ir.Elements(frontier=walked)) as reduction,
                    ir.Filter(frontier=ir.Elements(frontier=filtered), result=result) as taking,
                ),
            ) if walked == filtered == result:
                by_functors.setdefault((reduction.functor, taking.functor), []).append((loop, reduction, taking))
    for loops in by_functors.values():
        name = _first_free_array(program, *loops[0][1:])
        if name is not None:
            allowed, leave = _any_age(program, loops, name)
            unfinished |= leave
            pairs += ((reduction, taking) for _, reduction, taking in allowed)
    return FirstFree(tuple(pairs), unfinished)


def _any_age(program: ir.Program, loops: list[_Loop], name: str) -> tuple[list[_Loop], dict[int, str]]:
    """Of the loops that give the numbers `name`, those that may read values of any age, and which of these give up:
    all, if those that end early are finished by later ones, else those that end when nobody is left."""
    numbering = frozenset(loop.loop for loop, *_ in loops)
    written = frozenset(target.data for _, target in _targets(program.vertex_functor(loops[0][2].functor).body))
    try:
        return loops, Unfinished(
            program, numbering, written, lambda step, over: _takes_all(program, name, step, over)
        ).loops
    except NotProvedError:
        return [each for each in loops if ends_with(each[0], each[2].result)], {}


def _takes_all(program: ir.Program, name: str, step: ir.Filter, over: ir.Expression | None) -> bool:
    """Whether a filter, behind a loop whose condition `over` no longer holds, accepts every vertex that waits, and only
    looks."""
    everything = step.frontier.everything and step.frontier.domain is Domain.VERTEX
    if not everything or contains(program.schedule, ir.Contract):
        return False
    functor = program.vertex_functor(step.functor)
    waiting = Number(-1, -1, -1, -int(limits(program.array(name).type).high) - 1, -1)
    scalars: dict[str, Value] = {}
    match over:
        case ir.Binary(
            operation=BinaryOperation.GREATER,
            left=ir.ScalarValue(name=scalar, type=kind),
            right=ir.Literal(value=int(most)),
        ) if kind.is_integer:
            low = int(limits(kind).low)
            scalars = {scalar: Number(0, low, most, low, most)}
    evaluation = Evaluation(program, {(name, ir.Role.VERTEX): waiting}, scalars=scalars)
    try:
        if not all(evaluation.of(each) is True for each in functor.condition):
            return False
        evaluation.run(functor.body)
    except (NotProvedError, SplitError):
        return False
    return evaluation.accepted is not False


def _first_free_array(program: ir.Program, reduction: ir.NeighborReduce, filtered: ir.Filter) -> str | None:
    """The array of such numbers that a reduction and a filter give; None: they do not."""
    look, take = program.edge_functor(reduction.functor), program.vertex_functor(filtered.functor)
    written = {target.data for _, target in _targets(take.body) if isinstance(target, ir.ElementTarget)}
    if len(written) != 1 or reduction.operation is not NeighborOperation.OR or reduction.stores is None:
        return None
    (name,) = written
    if not _is_apart(program, name, reduction, filtered):
        return None
    try:
        neighbors = list(_neighbors(program, look, name, _NEAR_ENDS.get(reduction.over, ir.Role.NEAR)))
        leaves = list(_leaves(program, take, name, reduction.stores))
    except NotProvedError:
        return None
    return name if all(_fits(leaf, neighbors, leaves) for leaf in leaves) else None


def _targets(body: object) -> Iterator[tuple[ir.Node, ir.Target]]:
    """All that writes, and what it writes."""
    for node in walk(body):
        if isinstance(node, ir.Store | ir.Update | ir.CompareAndSwap):
            yield node, node.target


def _is_apart(program: ir.Program, name: str, reduction: ir.NeighborReduce, taking: ir.Filter) -> bool:
    """Whether nothing else has to do with the results of the reduction, and whatever else is stored in the array is a
    small constant."""
    accesses, numbers, seen = Accesses(program), program.array(name), program.array(reduction.stores or "")
    small = numbers.initial is not None and _is_small(numbers.initial)
    alone = seen.is_local and seen.count is None and numbers.count is None and seen.name != name
    alike = [step for loop in all_steps(program.schedule) for step in _same_two(loop, reduction, taking)]
    for step in all_steps(program.schedule):
        if any(step is each for each in alike):
            continue
        touched, written = accesses.names_of_step(step)
        alone = alone and seen.name not in touched | written
        if name in written:
            functor = accesses.functor_of(step) if isinstance(step, ir.Operator) and step.stores != name else None
            small = small and functor is not None and all(map(_stores_little, _stores(functor, name)))
    return small and alone


def _same_two(loop: ir.Step, reduction: ir.NeighborReduce, taking: ir.Filter) -> tuple[ir.Step, ...]:
    """The steps of a loop that has no more than a reduction and a filter by these functors, on one set."""
    match loop:
        case ir.While(body=(ir.NeighborReduce() as first, ir.Filter() as second)):
            same = (first.functor, first.stores, first.over) == (reduction.functor, reduction.stores, reduction.over)
            same = same and first.operation is reduction.operation and second.functor == taking.functor
            return loop.body if same and first.frontier.frontier == second.frontier.frontier else ()
    return ()


def _stores(functor: ir.Functor, name: str) -> list[ir.Node]:
    return [node for node, target in _targets(functor) if target.data == name]


def _stores_little(node: ir.Node) -> bool:
    return isinstance(node, ir.Store) and _is_small(node.value)


def _is_small(value: ir.Expression) -> bool:
    if isinstance(value, ir.Unary):
        return value.operation in (UnaryOperation.NEGATE, UnaryOperation.INVERT) and _is_small(value.operand)
    return isinstance(value, ir.Literal) and value.type.is_integer and abs(value.value) < _SMALL


# ---------------------------------------------------------------- what is asked


def _fits(leaf: _Leaf, neighbors: list[_Neighbor], leaves: list[_Leaf]) -> bool:
    possible = [each for each in neighbors if each.bits & leaf.zeros == 0]
    setting = [[each for each in possible if each.bits >> bit & 1] for bit in _set_in(leaf.ones)]
    if not all(setting):
        return True  # there are no such neighbors
    taken = {each[0].low for each in setting if len(each) == 1 and not each[0].waits and each[0].low == each[0].high}
    if not taken.issuperset(range(leaf.t)):
        return False
    if not leaf.waits:
        return all(each.low > leaf.t if each.waits else not each.low <= leaf.t <= each.high for each in possible)
    if leaf.t > 0:
        return True
    getting_on = [other for other in leaves if other.t > 0 or not other.waits]
    patient = all(each.bits & other.zeros for each in neighbors if each.waits for other in getting_on)
    if not patient and any(not each.waits and each.low <= 0 <= each.high for each in possible):
        return False
    return any(all(each.waits and (patient or each.high <= 0) for each in group) for group in setting)


def _set_in(word: int) -> Iterator[int]:
    return (bit for bit in range(word.bit_length()) if word >> bit & 1)


# ---------------------------------------------------------------- the two functors


_NEAR_ENDS = {Over.OUT_EDGES: ir.Role.SOURCE, Over.IN_EDGES: ir.Role.DESTINATION}


def _neighbors(program: ir.Program, look: ir.EdgeFunctor, name: str, near: ir.Role) -> Iterator[_Neighbor]:
    """All neighbors, and the bits that they set. What a call reads of its neighbor it must read once."""
    ends = {ir.Role.SOURCE, ir.Role.DESTINATION} - {near}
    array = program.array(name)
    most = int(limits(array.type).high)
    reads = [node for node in walk(look.value) if isinstance(node, ir.Element)]
    far = [node for node in reads if not ir.is_parameter(node.index, near, ir.Role.NEAR)]
    given = look.value
    if given is None or look.condition or look.body or len(far) != 1:
        raise NotProvedError
    reach = bits_of(given.type) + 1
    own = Number(-1, -1, -1, -most - 1, -1)

    def found(waits: bool, low: int, high: int) -> Iterator[_Neighbor]:
        """Those between two distances, all at once if they set the same bits."""
        other = Number(-1, -1 - high, -1 - low, -most - 1, -1) if waits else Number(1, low, high, 0, most)
        seen: dict[tuple[str, ir.Role], Value] = {(name, near): own, (name, ir.Role.NEAR): own}
        seen |= {(name, role): other for role in (ir.Role.FAR, *(ends if len(ends) == 1 else ()))}
        try:
            value = Evaluation(program, seen).of(given)
            bits = value.constant if isinstance(value, Number) else None
            if bits is None:
                raise NotProvedError
        except NotProvedError:
            if low == high or high - low > 2 * reach:
                raise
            middle = (low + high) // 2
            yield from found(waits, low, middle)
            yield from found(waits, middle + 1, high)
        else:
            yield _Neighbor(waits, low, high, bits)

    for waits in (False, True):
        for low, high in ((-FAR, -reach - 1), (-reach, -1), (0, reach), (reach + 1, FAR)):
            yield from found(waits, low, high)


def _leaves(program: ir.Program, take: ir.VertexFunctor, name: str, seen: str) -> Iterator[_Leaf]:
    """What `take` gives, by the bits that decide. One that does not wait must be left alone."""
    most, bits = int(limits(program.array(name).type).high), bits_of(program.array(seen).type)
    known: list[tuple[int, int]] = [(0, 0)]
    number = Number(0, 0, most, 0, most)
    unknown = Bits(tuple((bit, False) for bit in range(bits)))
    resting = Evaluation(program, {(name, ir.Role.VERTEX): number, (seen, ir.Role.VERTEX): unknown})
    if not any(resting.refuses(each) for each in take.condition):
        raise NotProvedError
    constants, waiting_maxima = set[int](), [-FAR]
    for count in range(_MOST_LEAVES):
        if not known:
            break
        if count + 1 == _MOST_LEAVES:
            raise NotProvedError
        ones, zeros = known.pop()
        word = Bits(tuple(1 if ones >> bit & 1 else 0 if zeros >> bit & 1 else (bit, False) for bit in range(bits)))
        waiting = Number(-1, -1, -1, -most - 1, -1)
        evaluation = Evaluation(program, {(name, ir.Role.VERTEX): waiting, (seen, ir.Role.VERTEX): word}, name)
        try:
            if not all(evaluation.of(each) is True for each in take.condition):
                raise NotProvedError
            evaluation.run(take.body)
        except SplitError as split:
            known += [(ones | 1 << split.bit, zeros), (ones, zeros | 1 << split.bit)]
            continue
        yield (leaf := _leaf(evaluation, name, ones, zeros))
        for operand in evaluation.maxima:
            if leaf.waits:
                waiting_maxima.append(operand.most)
            elif operand.times == 1 and operand.low == operand.high:
                constants.add(operand.low - leaf.t)
            else:
                raise NotProvedError
    if len(constants) > 1 or (constants and max(waiting_maxima) >= min(constants)):
        raise NotProvedError  # a maximum of more than numbers


def _leaf(evaluation: Evaluation, name: str, ones: int, zeros: int) -> _Leaf:
    new = evaluation.seen[name, ir.Role.VERTEX]
    if not isinstance(new, Number) or not evaluation.stored or abs(new.times) != 1 or new.low != new.high:
        raise NotProvedError
    waits = new.times < 0
    leaf = _Leaf(ones, zeros, waits, -1 - new.low if waits else new.low)
    if leaf.t < 0 or evaluation.accepted is not waits:
        raise NotProvedError
    return leaf
