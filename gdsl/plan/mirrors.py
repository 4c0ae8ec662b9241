"""Pass `mirrors`: copies on each of several GPUs of what an operator reads at random.

A random read of the memory of another GPU takes three times as long as one of its own. A sweep over all vertices that
reads arrays at the far ends of edges has about as many reads as edges, so each GPU first copies these arrays, of one
value for each vertex, and reads its copy; so it does with the bitmap in which a pull looks for members. The operator
writes none of these arrays, and no read of them is `now`: until it ends, a copy has the values that the array has.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator

from gdsl.ir.nodes import Array, Element, Functor, Role, element_index, is_parameter
from gdsl.ir.traversal import walk
from gdsl.operations import Domain
from gdsl.passes.writers import far_roles, near_roles, written_arrays
from gdsl.plan.facts import Facts
from gdsl.plan.nodes import Choice, Convert, Directions, Form, Operation, Plan, Sweep
from gdsl.plan.phase_nodes import Barrier, Mirror, Phase
from gdsl.plan.sweep_nodes import Mirrors
from gdsl.plan.walking import map_operations, own_sweeps, sweeps_of, variants_of

FREE = Barrier("until nobody reads the copies of before")
FILLED = Barrier("until each GPU has its copies")


def run(plan: Plan, facts: Facts) -> Plan:
    """`plan` with copies where several GPUs run it. Graphs that are built have other vertices."""
    if not plan.target.several_gpus or plan.graphs:
        return plan
    functors = {functor.name: functor for functor in plan.program.functors}
    arrays = {array.name: array for array in plan.program.arrays}
    with_mirrors = dataclasses.replace(
        plan, schedule=map_operations(plan.schedule, lambda operation: _with_mirrors(operation, functors, arrays))
    )
    always_waits = all(operation.waits for operation in own_sweeps(with_mirrors) if reads_mirrors(operation))
    before = () if always_waits else (FREE,)
    return dataclasses.replace(
        with_mirrors, schedule=map_operations(with_mirrors.schedule, lambda operation: _with_phases(operation, before))
    )


def reads_mirrors(operation: Operation) -> bool:
    """Whether an operator, or what it shares its sweep with, reads copies."""
    return any(sweep.mirrors is not None for each in (operation, *operation.fused) for sweep in sweeps_of(each))


def _with_mirrors(operation: Operation, functors: dict[str, Functor], arrays: dict[str, Array]) -> Operation:
    """`operation` with what its sweeps copy."""
    together = [functors[name] for name in dict.fromkeys(_names(operation)) if name in functors]
    barred = {name for functor in together for name in written_arrays(functor)}
    barred |= {node.array for functor in together for node in walk(functor) if isinstance(node, Element) and node.now}
    for each in (operation, *operation.fused):
        for sweep in sweeps_of(each):
            results = (sweep.segment, sweep.vote)
            barred |= {
                name for result in results if result is not None for name in (result.array, result.staging or "")
            }

    def suits(name: str) -> bool:
        array = arrays[name]
        plain = array.domain is Domain.VERTEX and array.count is None and not array.type.is_pair
        return plain and not array.is_input and name not in barred

    def changed(sweep: Sweep) -> Sweep:
        if not _is_dense(sweep):
            return sweep
        names = tuple(name for name in dict.fromkeys(_gathered(sweep, functors)) if suits(name))
        members = sweep.selection is not None and sweep.members.form is Form.BITMAP
        return dataclasses.replace(sweep, mirrors=Mirrors(names, members)) if names or members else sweep

    does = operation.does
    if isinstance(does, Choice):
        return dataclasses.replace(operation, does=dataclasses.replace(does, yes=changed(does.yes)))
    operations = operation.fused
    if operations and isinstance(operations[0].does, Sweep) and operations[0].does.segment is not None:
        first = dataclasses.replace(operations[0], does=changed(operations[0].does))
        return dataclasses.replace(operation, fused=(first, *operations[1:]))
    return dataclasses.replace(operation, does=changed(does))


def _is_dense(sweep: Sweep) -> bool:
    """Whether the sweep walks the lists of all vertices."""
    if sweep.selection is not None:
        return True
    return sweep.segment is not None and sweep.members.frontier is None and sweep.members.domain is Domain.VERTEX


def _names(operation: Operation) -> Iterator[str]:
    """The functors that are run in the operator's sweep."""
    for each in (operation, *operation.fused):
        for sweep in sweeps_of(each):
            yield from (variant.functor for variant in variants_of(sweep))


def _gathered(sweep: Sweep, functors: dict[str, Functor]) -> Iterator[str]:
    """The arrays that are read elsewhere than at the vertex whose list is walked."""
    for each in sweep.walks:
        functor = functors.get(each.variant.functor)
        own = far_roles(each.over) if sweep.selection is not None else near_roles(each.over)
        for node in walk(functor) if functor is not None else ():
            if isinstance(node, Element) and not _is_at(node, own):
                yield node.array


def _is_at(node: Element, roles: frozenset[Role]) -> bool:
    index = element_index(node.index)
    return is_parameter(index, *roles)


def _with_phases(operation: Operation, before: tuple[Barrier, ...]) -> Operation:
    """`operation` with the phases that fill its copies."""
    if not reads_mirrors(operation):
        return operation
    filled: tuple[Phase, ...] = (*before, Mirror(), FILLED)
    (first, *rest) = operation.body
    if isinstance(first, Directions):
        pull = tuple(_after_conversions(first.pull, filled))
        return dataclasses.replace(operation, body=(dataclasses.replace(first, pull=pull), *rest))
    return dataclasses.replace(operation, body=tuple(_after_conversions(operation.body, filled)))


def _after_conversions(body: tuple[Phase, ...], added: Iterable[Phase]) -> Iterator[Phase]:
    first = 0
    while isinstance(each := body[first], Convert) and not each.result:
        first += 1
    yield from (*body[:first], *added, *body[first:])
