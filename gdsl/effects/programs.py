"""Gathers the effects of each operator of a program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gdsl.effects.functions import Functions
from gdsl.effects.statements import Statements
from gdsl.effects.summary import Effects
from gdsl.effects.term_factory import Terms
from gdsl.effects.terms import Origin
from gdsl.ir import nodes
from gdsl.ir.nodes import Functor
from gdsl.ir.traversal import all_steps, walk, written_in
from gdsl.operations import StoreRule


@dataclass(frozen=True)
class ProgramEffects:
    """The effects of every operator with a functor, by its site, in the order of the text; one set of terms for all."""

    program: nodes.Program
    terms: Terms
    functions: Functions
    sites: dict[int, Effects]

    @property
    def data(self) -> tuple[nodes.Array | nodes.Scalar, ...]:
        """Everything that the program keeps."""
        return (*self.program.arrays, *self.program.scalars)


def program_effects(program: nodes.Program) -> ProgramEffects:
    """What each operator of a lowered program does."""
    terms = Terms()
    functions = Functions(terms, program.functions)
    functors = {functor.name: functor for functor in program.functors}
    votes = {functor.name: functor for functor in program.vote_functors}
    written = {functor.name: written_data(functor) for functor in functors.values()}
    sites = {}
    elsewhere = sites_elsewhere(program)
    for operator in operators(program.schedule):
        if operator.functor is None:
            continue
        functor = functors[operator.functor]
        simple = program.requires.simple and operator.site not in elsewhere
        effects = Effects(operator, functor, terms, requires_simple=simple)
        _collect(effects, functions, written[functor.name])
        if isinstance(operator, nodes.NeighborVote) and operator.score is not None:
            score(effects, functions, votes[operator.score])
        sites[operator.site] = effects
    return ProgramEffects(program, terms, functions, sites)


def operators(steps: tuple[nodes.Step, ...]) -> Iterator[nodes.Operator]:
    """Every operator of a schedule, in the order of the text."""
    return (step for step in all_steps(steps) if isinstance(step, nodes.Operator))


def sites_elsewhere(program: nodes.Program) -> frozenset[int]:
    """The sites of operators on a graph other than the given one, about which less is known."""
    blocks = (node for node in walk(program.schedule) if isinstance(node, nodes.On))
    return frozenset(operator.site for node in blocks for operator in operators(node.body))


def _collect(effects: Effects, functions: Functions, written: frozenset[str]) -> None:
    functor = effects.functor
    walker = Statements(effects, functions, written)
    walker.only_stored = written - _otherwise_written(functor)
    walker.in_condition = True
    for conjunct in functor.condition:
        effects.conjuncts.append(walker.value(conjunct))
    walker.in_condition = False
    walker.body(functor.body)
    asked = effects.operator.result is not None or effects.operator.adds_to is not None
    effects.accept = walker.environment[None] if asked else None
    if isinstance(functor, nodes.EdgeFunctor) and functor.value is not None:
        effects.value = walker.value(functor.value)
    if isinstance(functor, nodes.EdgeFunctor) and functor.key is not None:
        effects.key = walker.value(functor.key)


def score(effects: Effects, functions: Functions, functor: nodes.VoteFunctor) -> None:
    """The score from the vote functor, where the key and the total may be anything that the ballots come from."""
    walker = Statements(effects, functions, frozenset())
    ballots = [term for term in (*effects.conjuncts, effects.key, effects.value) if term is not None]
    depends = effects.depends(*ballots)
    for name, kind in ((functor.key, functor.key_type), (functor.total, functor.total_type)):
        walker.environment[name] = effects.terms.unknown(kind, Origin.ARGUMENT, name, depends)
    effects.score = walker.value(functor.value)


def written_data(functor: Functor) -> frozenset[str]:
    """The arrays and scalars that a functor's text writes."""
    return frozenset(written_in(functor.body))


def _otherwise_written(functor: Functor) -> frozenset[str]:
    """The data that a functor writes by anything but `x = y`."""
    names: set[str] = set()
    for node in walk(functor.body):
        if not isinstance(node, nodes.Update | nodes.CompareAndSwap | nodes.Store):
            continue
        if not isinstance(node, nodes.Store) or node.rule is StoreRule.ANY_WINNER:
            names.add(node.target.data)
    return frozenset(names)
