"""Decides which sweeps fetch what the vertices ask for that a thread takes after those it works on (cuda).

A sweep over all vertices takes them in their order, a row of 32 a warp. Where lists are short each row waits for where
its lists begin, for these, and for what is asked for at their ends and at the members themselves, one after the other,
with as many warps as there are registers for: half of what the memory could give. All but the ends is known a row
ahead, so a thread that takes a vertex has the list and the elements of the next one fetched into the L2 cache, and
where the list of the one behind that begins.

What the ends of lists are asked for, too, comes to a vertex with its neighbours, which are worked on before it; of that
only words are fetched, as the cache has no room for more.

Vertices with long lists keep the memory busy by themselves, and what is fetched for others comes to them out of turn:
so this is a form of its own for large graphs without any (`suiting`). Of sets it is done as long as they are whole.
"""

from __future__ import annotations

import dataclasses
from functools import partial

from gdsl.ir.nodes import (
    DegreeOf,
    EdgeFunctor,
    Element,
    Elements,
    ElementTarget,
    Filter,
    NeighborReduce,
    Parameter,
    Program,
    Role,
    Store,
    VertexFunctor,
)
from gdsl.ir.traversal import walk
from gdsl.operations import Balance, Degree, Domain, Over
from gdsl.passes.writers import far_roles, near_roles
from gdsl.plan.asked_arrays import arrays_at
from gdsl.plan.fusion import flattened
from gdsl.plan.grids import LARGE
from gdsl.plan.hints import NextLevel, PrefetchRows, WholeSet
from gdsl.plan.nodes import Choice, Operation, Step
from gdsl.plan.sweep_nodes import Form, Sweep
from gdsl.plan.target import Target
from gdsl.plan.walking import map_operations
from gdsl.plan.whole_sets import whole_sets

LONGEST = 32
"""Edges of a list, on graphs that have this form."""
_WORD = 32
_LISTS = {Degree.OUT: Over.OUT_EDGES, Degree.IN: Over.IN_EDGES}


def fetch_rows(schedule: tuple[Step, ...], program: Program, target: Target) -> tuple[Step, ...]:
    """`schedule` with what its sweeps fetch a row ahead, whatever they did before."""
    may = program.tuning.rows_ahead and target.fused and target.grid and not target.teams and not program.graphs
    return map_operations(schedule, partial(_fetching, program=program, may=may))


def could_have(program: Program) -> bool:
    """Whether a program has such sweeps, as far as its schedule says."""
    if not program.tuning.fuse or program.graphs:
        return False
    whole = whole_sets(program)
    steps = (step for step in walk(program.schedule) if isinstance(step, (NeighborReduce, Filter)))
    return any(_has_all(step.frontier, whole) for step in steps)


def _has_all(members: Elements, whole: frozenset[str]) -> bool:
    return members.domain is Domain.VERTEX and (members.frontier is None or members.frontier in whole)


def is_worth(num_vertices: int, largest_degree: int) -> bool:
    """Whether a graph has this form: one of many rows for each warp, without a long list."""
    return num_vertices >= LARGE and largest_degree <= LONGEST


def _fetching(operation: Operation, program: Program, may: bool) -> Operation:
    """An operation whose sweep is its own, or that of the reduction which it runs behind."""
    if isinstance(operation.does, Choice) or not may:
        return operation
    parts = flattened(operation)
    first = parts[0].does
    behind = bool(operation.ahead) and isinstance(first, Sweep) and first.segment is not None
    host = operation.ahead[0] if behind else operation
    rows = _rows(host, parts, program)
    if rows is None:
        return operation
    assert isinstance(host.does, Sweep)
    host = dataclasses.replace(host, does=host.does.with_hints(rows))
    return dataclasses.replace(operation, ahead=(host, *operation.ahead[1:])) if behind else host


def _rows(host: Operation, parts: tuple[Operation, ...], program: Program) -> PrefetchRows | None:
    sweep = host.does
    if not isinstance(sweep, Sweep) or not _in_rows(sweep):
        return None
    walked = tuple(each.lists for each in sweep.walks)
    given = {sweep.segment.array} if sweep.segment is not None else set[str]()
    given |= _wide_at_ends(host, program)
    asked: dict[str, None] = {}
    begins: dict[Over, None] = {}
    for part in parts:
        functor, roles = _functor(part, program), _roles(part)
        own = given | _stored_first(functor, roles)
        asked |= dict.fromkeys(name for name in arrays_at(functor, roles, program) if name not in own)
        begins |= dict.fromkeys(_LISTS[node.degree] for node in walk(functor) if isinstance(node, DegreeOf))
    rows = PrefetchRows(walked, tuple(lists for lists in begins if lists not in walked), tuple(asked))
    return rows if rows.lists or rows.begins or rows.arrays else None


def _in_rows(sweep: Sweep) -> bool:
    """Whether warps take vertices in their order, each once."""
    members, collect = sweep.members, sweep.collect
    if members.domain is not Domain.VERTEX or not (members.frontier is None or sweep.hint(WholeSet) is not None):
        return False
    if sweep.segment is not None:
        return sweep.balance is Balance.AUTO and len(sweep.walks) == 1 and sweep.hint(NextLevel) is None
    return sweep.own is not None and collect is not None and collect.form is Form.QUEUE


def _wide_at_ends(host: Operation, program: Program) -> set[str]:
    """The arrays of more than a word an element that are asked for at the ends of lists."""
    sweep, functor = host.does, _functor(host, program)
    assert isinstance(sweep, Sweep)
    wide = {array.name for array in program.arrays if not array.type.is_id and (array.type.bits or _WORD + 1) > _WORD}
    return {name for each in sweep.walks for name in arrays_at(functor, far_roles(each.over), program) if name in wide}


def _stored_first(functor: EdgeFunctor | VertexFunctor, roles: frozenset[Role]) -> set[str]:
    """The arrays of which a call stores its element in any case before it asks for it."""
    stored: set[str] = set()
    asked = {node.array for node in walk(functor.condition) if isinstance(node, Element)}
    for statement in functor.body:
        asked |= {node.array for node in walk(statement) if isinstance(node, Element)} - stored
        target = statement.target if isinstance(statement, Store) else None
        if isinstance(target, ElementTarget) and isinstance(target.index, Parameter) and target.index.role in roles:
            stored |= {target.array} - asked
    return stored


def _functor(operation: Operation, program: Program) -> EdgeFunctor | VertexFunctor:
    functors: tuple[EdgeFunctor | VertexFunctor, ...] = (*program.edge_functors, *program.vertex_functors)
    return next(each for each in functors if each.name == operation.step.functor)


def _roles(operation: Operation) -> frozenset[Role]:
    sweep = operation.does
    assert isinstance(sweep, Sweep)
    return near_roles(sweep.walks[0].over) if sweep.walks else frozenset({Role.VERTEX})
