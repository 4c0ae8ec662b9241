"""Which loops may go on from their old result after edges were inserted, instead of beginning again.

Let a run on a graph end with the values D of an array, and insert edges. If the ends of these edges that were in the
first worklist, or have changed since, are visited now, starting from D, then both runs together are one run on the new
graph: every other visit saw all edges that its vertex has; a visit of such an end, made before the insertion, was a
part of one; and each change and each membership of the first worklist is followed by a whole visit that sees the value
of that change or a later one. That is all that is needed where any order of the visits ends in the same values:

- for monotone loops that of `order`: `while (f) { f = advance(f, relax); }` with one `min=` or `max=`;
- for `while (f) { f = advance(f, visit); }` where `visit` closes by one store of a value that nothing in the loop
  changes: an element gets it exactly if its vertex can be reached from the first worklist by edges that pass.

So the final values are those of a full run, provided that everything else which decides them is the same in both
runs: params and inputs (the caller checks this), and what the steps before the loop compute, which therefore must not
depend on edges. Neither may the functor, except on its own edge: an inserted edge changes degrees, places and ids of
others. Whether a vertex has changed is visible in the end, as no change returns a value to the first one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gdsl.effects import ProgramEffects, WriteKind
from gdsl.effects.access import Accesses
from gdsl.effects.terms import OfData, OfEnd, OfPlace, OfRead
from gdsl.ir import nodes
from gdsl.ir.traversal import all_steps, blocks_of, walk
from gdsl.ir.worklists import without_buckets
from gdsl.operations import Domain, Grade
from gdsl.rules import JudgedOperator
from gdsl.types import Type
from gdsl.uniqueness.order import Obstacle
from gdsl.uniqueness.relaxation import written_by


@dataclass(frozen=True, slots=True)
class Resumable:
    """The loop of a program that may go on from its old result: its place in the schedule, the loop as a plain
    worklist, the worklist, and the array that it changes."""

    place: int
    loop: nodes.While
    worklist: str
    array: str


def resumable(
    effects: ProgramEffects, sites: dict[int, JudgedOperator], known: dict[int, Obstacle | None]
) -> Resumable | Obstacle:
    """The first loop of an annotated program, where it may go on from its old result after edges were inserted; else
    what hinders that. `known` are the obstacles to any other order of the loops."""
    schedule = effects.program.schedule
    first: Obstacle | None = None
    for place, step in enumerate(schedule):
        if isinstance(step, nodes.While):
            candidate = _of_loop(place, step, effects.program, sites, known[step.loop])
            if isinstance(candidate, Resumable):
                return candidate
            first = first or candidate
    return first or Obstacle("no `while` of the schedule works off a frontier", effects.program.span)


def _of_loop(
    place: int,
    loop: nodes.While,
    program: nodes.Program,
    sites: dict[int, JudgedOperator],
    obstacle: Obstacle | None,
) -> Resumable | Obstacle:
    plain = without_buckets(loop)
    if obstacle is not None and not _claims_once(plain, sites):
        return _closing_obstacle(plain, sites) or obstacle
    (step,) = plain.body
    assert isinstance(step, nodes.Operator) and isinstance(loop.condition, nodes.FrontierNotEmpty)
    candidate = Resumable(place, plain, loop.condition.frontier, sites[step.site].effects.writes[0].name)
    return _of_result(candidate, program, sites) or _before(candidate, program) or candidate


# ---------------------------------------------------------------- loops that reach


def _closing_step(loop: nodes.While, sites: dict[int, JudgedOperator]) -> JudgedOperator | None:
    """The advance of `while (f) { f = advance(f, visit); }`, if it closes."""
    condition = loop.condition
    if len(loop.body) != 1 or not isinstance(condition, nodes.FrontierNotEmpty):
        return None
    (step,) = loop.body
    if not isinstance(step, nodes.Advance) or step.to is not Domain.VERTEX:
        return None
    whole = step.frontier.frontier == step.result == condition.frontier
    return sites[step.site] if whole and sites[step.site].closings else None


def _claims_once(loop: nodes.While, sites: dict[int, JudgedOperator]) -> bool:
    """Whether each far end that passes gets one value, which is the same in every pass, and is accepted then."""
    judged = _closing_step(loop, sites)
    if judged is None or len(judged.effects.writes) != 1:
        return False
    effects = judged.effects
    write = effects.writes[0]
    if write.kind is not WriteKind.STORE or write.index is not effects.far or write.guard is not None:
        return False
    if effects.accept is not effects.terms.true or not _is_fixed(effects.depends(write.value), judged, False):
        return False
    reads_far = all(read.index is effects.far for read in effects.reads.values())
    return reads_far and _is_fixed(effects.depends(*effects.conjuncts), judged, True)


def _is_fixed(atoms: int, judged: JudgedOperator, of_edge: bool) -> bool:
    """Whether what these atoms decide is the same in every pass, but for own elements; with `of_edge` it may differ
    from edge to edge."""
    effects = judged.effects
    written = set(effects.written_names())
    for atom in effects.terms.atoms.members(atoms):
        is_data = isinstance(atom, OfData) and atom.name not in written
        if not is_data and not (of_edge and isinstance(atom, OfEnd | OfPlace | OfRead)):
            return False
    return True


def _closing_obstacle(loop: nodes.While, sites: dict[int, JudgedOperator]) -> Obstacle | None:
    """Why a loop that closes does not give each vertex one value."""
    judged = _closing_step(loop, sites)
    if judged is None:
        return None
    effects = judged.effects
    for write in effects.writes:
        if not _is_fixed(effects.depends(write.value), judged, False):
            why = (
                f"what is stored in `{write.name}` depends on the pass or the edge by which a vertex was first reached"
            )
            return Obstacle(f"{why}, which insertions change", write.span)
    return None


# ---------------------------------------------------------------- the rest of the schedule


def _of_result(candidate: Resumable, program: nodes.Program, sites: dict[int, JudgedOperator]) -> Obstacle | None:
    """What hinders that the old result is what the array was at the end of the loop."""
    name = candidate.array
    array = program.array(name)
    if array.is_local:
        return Obstacle(f"`{name}` is local, so results do not have its values", array.span)
    if array.count is not None or array.type.is_pair or array.domain is not Domain.VERTEX:
        return Obstacle(f"`{name}` does not have one number for each vertex", array.span)
    if array.grade is not Grade.EXACT:
        doubt = array.doubt
        why = doubt.reason if doubt is not None else "it depends on an operator that was only tried"
        return Obstacle(f"`{name}` may differ from run to run: {why}", doubt.span if doubt is not None else array.span)
    for step in all_steps(program.schedule[candidate.place + 1 :]):
        if name in written_by(step, sites)[0]:
            return Obstacle(f"`{name}` is changed again after the loop, so results have other values", step.span)
    return None


def _before(candidate: Resumable, program: nodes.Program) -> Obstacle | None:
    """A dependence on edges in what decides how the loop begins and what its functor does."""
    accesses = Accesses(program)
    prefix = list(_flat(program.schedule[: candidate.place], frozenset(), (), accesses))
    (step,) = candidate.loop.body
    relevant = {candidate.array, candidate.worklist} | {each.name for each in accesses.of_step(step)}
    grown = True
    while grown:
        before = len(relevant)
        for each in prefix:
            if each.written & relevant:
                relevant |= each.read
        grown = len(relevant) > before
    assert isinstance(step, nodes.Operator)
    obstacles = [_of_functor(step, program)]
    obstacles += [
        _in_part(each.initial, program, "the initial value") for each in program.data if each.name in relevant
    ]
    for each in prefix:
        if each.written & relevant:
            obstacles += [_in_step(part, program) for part in (each.step, *each.around)]
    return next((each for each in obstacles if each is not None), None)


@dataclass(frozen=True, slots=True)
class _Before:
    """A step before the loop, what it reads and writes, and the steps around it, which decide whether it runs."""

    step: nodes.Step
    read: frozenset[str]
    written: frozenset[str]
    around: tuple[nodes.Step, ...]


def _flat(
    steps: Iterable[nodes.Step], read_around: frozenset[str], around: tuple[nodes.Step, ...], accesses: Accesses
) -> Iterator[_Before]:
    for step in steps:
        touched, written = accesses.names_of_step(step)
        read = read_around | touched
        yield _Before(step, read, written, around)
        for block in blocks_of(step):
            yield from _flat(block, read, (*around, step), accesses)


_OF_EDGES = (
    nodes.Advance | nodes.NeighborReduce | nodes.NeighborVote | nodes.Intersect | nodes.Contract | nodes.Subgraph
) | (nodes.On | nodes.FarEnds)


def _in_step(step: nodes.Step, program: nodes.Program) -> Obstacle | None:
    """What of a step before the loop depends on edges."""
    if isinstance(step, _OF_EDGES):
        return Obstacle("what the loop begins with is computed from edges here", step.span)
    if isinstance(step, nodes.Operator):
        if step.frontier.domain is Domain.EDGE:
            return Obstacle("what the loop begins with is computed from edges here", step.span)
        return _of_functor(step, program)
    if isinstance(step, nodes.While | nodes.If):
        return _in_part(step.condition, program, "what the loop begins with")
    if isinstance(step, nodes.Repeat):
        return _in_part(step.count, program, "what the loop begins with")
    return None if isinstance(step, nodes.PushBuckets | nodes.PopBuckets) else _in_part(step, program, "this step")


def uses_edges(part: object, program: nodes.Program) -> bool:
    """Whether an expression, or a step without the steps inside it, depends on edges."""
    uses = _in_step(part, program) if isinstance(part, nodes.Step) else _in_part(part, program, "")
    return uses is not None


def _of_functor(step: nodes.Operator, program: nodes.Program) -> Obstacle | None:
    domain = nodes.EdgeFunctor if step.functor_domain is Domain.EDGE else nodes.VertexFunctor
    functor = next((each for each in program.functors if each.name == step.functor and isinstance(each, domain)), None)
    parts = (functor.condition, functor.body) if functor is not None else ()
    return _in_part(parts, program, f"`{step.functor}`")


def _in_part(part: object, program: nodes.Program, what: str) -> Obstacle | None:
    """A use of more of the graph than the vertices and the values of the own edge."""
    functions = {each.name: each for each in program.functions}
    inputs = {each.name for each in program.arrays if each.is_input}
    own = set[int]()
    called = set[str]()
    waiting = [part]
    while waiting:
        for node in walk(waiting.pop()):
            if isinstance(node, nodes.FunctionCall) and node.function not in called:
                called.add(node.function)
                waiting.append(functions[node.function].body)
            if isinstance(node, nodes.Element) and _is_own_value(node, inputs):
                own.add(id(node.index))
                continue
            words = None if id(node) in own else _edges_in(node)
            if words is not None:
                return Obstacle(f"{what} depends on {words}, which insertions change", node.span)
    return None


def _is_own_value(node: nodes.Element, inputs: set[str]) -> bool:
    """Whether this is an input of edges at the functor's own edge."""
    index = node.index
    is_own = nodes.is_parameter(index, nodes.Role.EDGE)
    return is_own and node.domain is Domain.EDGE and node.array in inputs


def _edges_in(node: nodes.Node) -> str | None:
    """What a node alone knows about edges."""
    match node:
        case nodes.DegreeOf():
            return "a degree"
        case nodes.GraphRead() | nodes.ForNeighbors():
            return "the lists of the graph"
        case nodes.Place():
            return "`place`"
        case nodes.Count(domain=Domain.EDGE):
            return "`num_edges`"
        case nodes.Element(domain=Domain.EDGE) | nodes.ElementTarget(domain=Domain.EDGE):
            return f"`{node.array}`, whose elements belong to edges"
        case nodes.Fill(domain=Domain.EDGE):
            return f"`{node.array}`, whose elements belong to edges"
        case nodes.DefineFrontier(domain=Domain.EDGE):
            return "a set of edges"
        case nodes.Expression() if node.type is Type.EDGE:
            return "the id of an edge"
    return None
