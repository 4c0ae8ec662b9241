"""Variants of a functor: which conjuncts are tested first, what is claimed, how each write is done."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping

from gdsl.ir import nodes as ir
from gdsl.ir.traversal import contains, walk
from gdsl.operations import Over
from gdsl.passes.writers import accumulated_scalars, far_roles, targets_in, written_arrays
from gdsl.plan.functor_facts import may_stop
from gdsl.plan.nodes import Claim, Mode, Reduction, Total, Variant, Write


def plain(functor: ir.Functor) -> Variant:
    """All tests, then the whole body, with every write shared by all calls."""
    return _variant(functor, _all_tests(functor), frozenset())


def with_own(variant: Variant, own: frozenset[str]) -> Variant:
    """`variant` where a call alone addresses what it writes of the arrays `own`."""
    return _in_mode(variant, own, Mode.PLAIN)


def with_kept(variant: Variant, kept: frozenset[str]) -> Variant:
    """`variant` where a call keeps its own elements of the arrays `kept` in registers."""
    return _in_mode(variant, kept, Mode.OWN)


def _in_mode(variant: Variant, names: frozenset[str], mode: Mode) -> Variant:
    writes = tuple(
        dataclasses.replace(write, mode=mode) if write.name in names and write.mode is Mode.SHARED else write
        for write in variant.writes
    )
    return dataclasses.replace(variant, writes=writes) if writes != variant.writes else variant


def claim_variant(functor: ir.EdgeFunctor, claim: Claim) -> Variant:
    """All tests, then the whole body, where a compare-and-swap replaces one conjunct and one store."""
    tests = tuple(i for i in _all_tests(functor) if i != claim.conjunct)
    return _variant(functor, tests, frozenset(), claim)


def by_one_thread(functor: ir.Functor) -> Variant:
    """For one thread that runs all calls of an operator, one after the other.

    Calls of an operator are in no order, so theirs is one of those that the program allows. No other thread looks at
    anything meanwhile: no other call changes in between what one call reads, changes and stores, so that every write is
    plain. Nor is there anything to claim: where one call has stored what closes the functor, the condition is false
    for those after it, as `rules/closing.py` has shown."""
    return _variant(functor, _all_tests(functor), frozenset(written_arrays(functor)))


def contends(
    functor: ir.Functor, together: Variant | None, by_one: Variant | None, walked: tuple[Over, ...] = ()
) -> bool:
    """Whether calls combine by atomics, other than where one thread runs all, at places that several threads come to:
    those that data says, and the far ends of the edges `walked`. Lines of the cache go from one thread to the other and
    back, and each is waited for before the next one is asked for."""
    if together is None or by_one is None:
        return False
    far = {role for over in walked for role in far_roles(over)}
    ends = any(ir.is_parameter(index, *far) for index in _combined(functor, together))
    return ends or combines_at_data(functor, together)


def combines_beside_ends(functor: ir.Functor, together: Variant | None) -> bool:
    """Whether calls side by side combine elements by atomics at places that are no end of the edge."""
    indexes = () if together is None else _combined(functor, together)
    return any(not isinstance(index, ir.Parameter) for index in indexes)


def combines_at_data(functor: ir.Functor, together: Variant) -> bool:
    """Whether calls side by side combine by atomics at places that data says."""
    constants = {node.name: node.value for node in walk(functor.body) if isinstance(node, ir.Let)}
    return any(_from_data(index, constants) for index in _combined(functor, together))


def _combined(functor: ir.Functor, together: Variant) -> list[ir.Expression]:
    """At which places calls side by side combine by atomics."""
    shared = {write.name for write in together.writes if write.mode is Mode.SHARED}
    updates = (node.target for node in walk(functor.body) if isinstance(node, (ir.Update, ir.CompareAndSwap)))
    targets = (each for each in updates if isinstance(each, ir.ElementTarget) and each.array in shared)
    return [ir.element_index(target.index) for target in targets]


def _from_data(index: ir.Expression, constants: Mapping[str, ir.Expression]) -> bool:
    """Whether an index comes from an array, by what locals begin with too."""
    for node in walk(index):
        local = constants.get(node.name) if isinstance(node, ir.Local) else None
        if isinstance(node, ir.Element) or (local is not None and _from_data(local, constants)):
            return True
    return False


def selection_variant(functor: ir.EdgeFunctor, over: Over) -> Variant:
    """How a pull selects vertices: the conjuncts that speak of the far end alone, and nothing else. They are asked of
    every vertex, and before all others: none of them may stop the run, nor any that comes before one in the text
    (`functor_facts.may_stop`)."""
    roles = far_roles(over)
    first = itertools.takewhile(lambda i: not may_stop(functor.condition[i]), _all_tests(functor))
    chosen = (i for i in first if speaks_only_of(functor.condition[i], roles))
    return Variant(functor.name, tuple(chosen), None, (), (), accepts=False)


def pull_variant(functor: ir.EdgeFunctor, selection: Variant) -> Variant:
    """How a pull runs the functor on edges: the conjuncts that `selection` leaves, and the body."""
    return _variant(functor, tuple(i for i in _all_tests(functor) if i not in selection.tests), frozenset())


def value_variant(functor: ir.EdgeFunctor) -> Variant:
    """How a reduction runs a functor, which has a value and no body."""
    return Variant(functor.name, _all_tests(functor), None, (), (), accepts=False)


def totals_of(functor: ir.Functor) -> tuple[Total, ...]:
    """The scalars that the functor sums up, in the order of the text."""
    accumulated = accumulated_scalars(functor)
    totals: dict[str, Total] = {}
    for node in walk(functor.body):
        target = node.target if isinstance(node, ir.Update) else None
        if isinstance(node, ir.Update) and isinstance(target, ir.ScalarTarget) and target.scalar in accumulated:
            totals[target.scalar] = Total(target.scalar, Reduction(node.operation, target.type))
    return tuple(totals.values())


def uses_edge_id(functor: ir.EdgeFunctor) -> bool:
    """Whether anything in the functor needs the id of the edge."""
    return any(_is_edge(node) for node in walk(functor))


def _is_edge(node: ir.Node) -> bool:
    return isinstance(node, ir.Place) or (isinstance(node, ir.Parameter) and node.role.is_edge)


def _all_tests(functor: ir.Functor) -> tuple[int, ...]:
    return tuple(range(len(functor.condition)))


def _variant(functor: ir.Functor, tests: tuple[int, ...], plain: frozenset[str], claim: Claim | None = None) -> Variant:
    body = tuple(i for i in range(len(functor.body)) if claim is None or i != claim.statement)
    statements = tuple(functor.body[i] for i in body)
    accumulated = accumulated_scalars(functor)
    modes: dict[str, Mode] = {}
    for target in targets_in(statements):
        if isinstance(target, ir.ElementTarget):
            modes[target.array] = Mode.PLAIN if target.array in plain else Mode.SHARED
        else:
            modes[target.scalar] = Mode.TOTAL if target.scalar in accumulated else Mode.SHARED
    accepts = contains(statements, ir.Accept)
    return Variant(functor.name, tests, claim, body, tuple(Write(*item) for item in modes.items()), accepts)


def speaks_only_of(conjunct: ir.Expression, roles: frozenset[ir.Role]) -> bool:
    """Whether a conjunct names an end of the edge, and these `roles` alone."""
    nodes = list(walk(conjunct))
    parameters = [node for node in nodes if isinstance(node, ir.Parameter)]
    return (
        bool(parameters)
        and all(parameter.role in roles for parameter in parameters)
        and not any(isinstance(node, ir.Place) for node in nodes)
    )
