"""Runs the statements of a functor on terms: both sides of a branch, the body of a loop once for all its rounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from gdsl.effects.expressions import Expressions
from gdsl.effects.functions import Functions
from gdsl.effects.summary import Effects, Guard, Waiting
from gdsl.effects.terms import DEEPEST_PROOF, OfRoots, OfRound, Operation, Origin, Term, Unknown
from gdsl.ir import nodes
from gdsl.operations import BinaryOperation, Forest, ForestWord, UnaryOperation
from gdsl.types import Type

_Locals = dict[str | None, Term]


@dataclass
class _Loop:
    """A loop during the analysis of its body. `heads` has, for each local that it changes, the value before the loop
    and the value at the beginning of an iteration."""

    number: int
    outside: Guard | None
    direct: frozenset[int]
    """The identities of the statements directly in its body."""
    heads: dict[str | None, tuple[Term, Unknown]] = field(default_factory=dict)
    breaks: list[tuple[tuple[Term, ...], _Locals]] = field(default_factory=list)
    """The guard of each `break`, and the locals at that moment."""
    stays: list[Term] = field(default_factory=list)
    """Bools that are true at the end of every iteration that no `break` ended."""


class Statements(Expressions):
    """Records what statements do. A block's changes of locals are undone after it, and merged by the caller."""

    def __init__(self, effects: Effects, functions: Functions, written: frozenset[str]) -> None:
        super().__init__(effects, functions, written)
        self._changes: list[_Locals] = [{}]
        self._loops: list[_Loop] = []

    def body(self, statements: tuple[nodes.Statement, ...]) -> None:
        """The functor's own statements."""
        for place, statement in enumerate(statements):
            self.statement = place if isinstance(statement, nodes.Store | nodes.Update) else None
            self._run(statement)
            self.statement = None

    def _set(self, name: str | None, term: Term) -> None:
        former = self._changes[-1]
        if name in self.environment and name not in former:
            former[name] = self.environment[name]
        self.environment[name] = term

    def _run(self, node: nodes.Statement) -> None:
        match node:
            case nodes.Let() | nodes.Assign():
                self._set(node.name, self.value(node.value))
            case nodes.Store():
                self.store(node)
            case nodes.Update():
                self.update(node)
            case nodes.Evaluate():
                self.value(node.value)
            case nodes.Accept():
                self._set(None, self.value(node.value))
                self.effects.accepts.append(node.span)
            case nodes.Branch():
                self._branch(node)
            case nodes.ForRange():
                self._for(node)
            case nodes.ForNeighbors():
                self._for_neighbors(node)
            case nodes.Loop():
                self._while(node)
            case nodes.Break():
                self._break()
            case _:
                raise AssertionError(f"effects: {type(node).__name__} in a functor")

    def _break(self) -> None:
        loop = self._loops[-1]
        under = []
        guard = self.guard
        while guard is not None and guard is not loop.outside:
            under.append(guard.term)
            guard = guard.outer
        loop.breaks.append((tuple(under), {name: self.environment[name] for name in loop.heads}))

    def _block(self, statements: tuple[nodes.Statement, ...], guard: Guard | None) -> _Locals:
        """Run statements under a guard; gives the locals that they changed, and undoes the changes."""
        outer, self.guard = self.guard, guard
        self._changes.append({})
        for statement in statements:
            self._run(statement)
        former = self._changes.pop()
        after = {name: self.environment[name] for name in former}
        self.environment.update(former)
        self.guard = outer
        return after

    def _branch(self, node: nodes.Branch) -> None:
        condition = self.value(node.condition)
        if self._loops and id(node) in self._loops[-1].direct:
            if any(isinstance(inner, nodes.Break) for inner in node.then):
                self._loops[-1].stays.append(self.terms.operation(Type.BOOL, UnaryOperation.NOT, condition))
            elif any(isinstance(inner, nodes.Break) for inner in node.otherwise):
                self._loops[-1].stays.append(condition)
        breaks = len(self._loops[-1].breaks) if self._loops else 0
        stored = dict(self.stored)
        then = self._block(node.then, self.add_guard(self.guard, condition, True))
        after, self.stored = self.stored, stored
        otherwise = self._block(node.otherwise, self.add_guard(self.guard, condition, False))
        self.stored = {name: own for name, own in self.stored.items() if after.get(name) == own}
        for name in then | otherwise:
            before = self.environment[name]
            self._set(name, self.terms.choice(condition, then.get(name, before), otherwise.get(name, before)))
        if self._loops and len(self._loops[-1].breaks) > breaks:
            self.guard = self._still_running(self._loops[-1], self.guard)

    # ------------------------------------------------------------ loops

    def _for(self, node: nodes.ForRange) -> None:
        bounds = (self.value(node.first), self.value(node.last))
        self._bounded(((node.name, node.type),), bounds, node.body)

    def _for_neighbors(self, node: nodes.ForNeighbors) -> None:
        self._bounded(node.variables, (self.value(node.vertex),), node.body)

    def _bounded(
        self, variables: tuple[tuple[str, Type], ...], bounds: tuple[Term, ...], body: tuple[nodes.Statement, ...]
    ) -> None:
        """A loop whose iterations, and the values of its variables, depend on `bounds`."""
        loop = self._enter(body)
        for name, kind in variables:
            self._set(name, self.terms.loop_variable(kind, name, loop.number, bounds))
        depends = self.effects.depends(*bounds)
        any_round = self.terms.unknown(Type.BOOL, Origin.RUNNING, variables[0][0], depends)
        last = self._rounds(loop, body, any_round)
        self._leave(loop, last, any_round)

    def _while(self, node: nodes.Loop) -> None:
        loop = self._enter(node.body)
        first = self.terms.number()
        condition = self.value(node.condition)
        last = self._rounds(loop, node.body, condition)
        self._leave(loop, last, condition)
        if node.forest is not None and self._follows(node, node.forest, loop):
            return
        exits = (condition, *(term for under, _ in loop.breaks for term in under))
        goes_on = (*self._next_round(condition, loop, last), *loop.stays)
        self.effects.exits.extend(exits)
        numbers, heads = range(first, self.terms.number()), tuple(head for _, head in loop.heads.values())
        self.effects.loops.append(Waiting(node, exits, goes_on, numbers, heads, loop.outside))

    def _follows(self, node: nodes.Loop, forest: Forest, loop: _Loop) -> bool:
        """Whether a loop finds the root of a vertex by labels that the operator does not write: then the local has that
        root, whatever the labels on the way, and the loop ends."""
        if forest.word is not ForestWord.ROOT or forest.array in self.written:
            return False
        condition = node.condition
        assert isinstance(condition, nodes.Binary) and isinstance(condition.right, nodes.Local)
        name = condition.right.name
        left = self.environment[name]
        depends = loop.heads[name][0].depends | self.terms.atoms.bit(OfRoots(forest.array))
        root = self.terms.unknown(left.type, Origin.LEFT, f"root({forest.array}, …)", depends)
        self.effects.carried[root] = self.effects.carried[left]
        self._set(name, root)
        return True

    def _enter(self, body: tuple[nodes.Statement, ...]) -> _Loop:
        """Make unknown what the loop changes."""
        loop = _Loop(self.terms.number(), self.guard, frozenset(map(id, body)))
        for name in _assigned(body):
            if name in self.environment:
                before = self.environment[name]
                number = self.terms.number()
                depends = self.terms.atoms.carried(number)
                head = self.terms.unknown(before.type, Origin.CARRIED, name or "accept", depends)
                loop.heads[name] = (before, head)
                self._set(name, head)
        return loop

    def _rounds(self, loop: _Loop, body: tuple[nodes.Statement, ...], condition: Term) -> _Locals:
        """The body, for any one round; gives what the locals of `heads` hold at its end."""
        self.stored = {}  # a later round may have stored something else
        guard = self.add_guard(self.guard, condition, True)
        if _breaks(body):
            guard = self._still_running(loop, guard)
        outer_rounds, self.rounds = self.rounds, True
        statement, self.statement = self.statement, None
        self._loops.append(loop)
        after = self._block(body, guard)
        self._loops.pop()
        self.stored = {}
        self.rounds, self.statement = outer_rounds, statement
        return {name: after.get(name, head) for name, (_, head) in loop.heads.items()}

    def _still_running(self, loop: _Loop, guard: Guard | None) -> Guard | None:
        """`guard`, and that no `break` has left the loop so far; it changes after each place that may leave the
        loop."""
        depends = self.terms.atoms.carried(loop.number)
        return self.add_guard(guard, self.terms.unknown(Type.BOOL, Origin.RUNNING, "break", depends), True)

    def _leave(self, loop: _Loop, last: _Locals, condition: Term) -> None:
        """Settle the meaning of the heads, and set the values of the locals after the loop."""
        atoms = self.terms.atoms
        rounds = atoms.bit(OfRound(loop.number))
        exits = condition.depends
        for under, _ in loop.breaks:
            for term in under:
                exits |= term.depends
        own = atoms.carried(loop.number)
        meanings = {own: exits | rounds}
        for name, (before, head) in loop.heads.items():
            meaning = before.depends | last[name].depends | own
            for _, locals_then in loop.breaks:
                meaning |= locals_then[name].depends
            meanings[head.depends] = meaning
        atoms.settle(meanings)
        for name, (before, head) in loop.heads.items():
            depends = atoms.closure(head.depends) & ~rounds
            left = self.terms.unknown(before.type, Origin.LEFT, name or "accept", depends)
            self.effects.carried[head] = (before, last[name])
            self.effects.carried[left] = (head, *(locals_then[name] for _, locals_then in loop.breaks))
            self._set(name, left)

    def _next_round(self, condition: Term, loop: _Loop, last: _Locals) -> Iterator[Term]:
        """Bools that are true whenever another round follows, as the condition says."""
        ends = {head: last[name] for name, (_, head) in loop.heads.items()}
        for part in both_true(condition):
            yield part
            if part in ends:
                yield from both_true(ends[part])


def both_true(term: Term) -> Iterator[Term]:
    """The operands of the `&&`s at the top of a bool."""
    if isinstance(term, Operation) and term.operation is BinaryOperation.AND and term.depth <= DEEPEST_PROOF:
        for part in term.arguments:
            yield from both_true(part)
    else:
        yield term


def _assigned(root: object) -> list[str | None]:
    """The locals that statements give new values, and None where they say `accept`."""
    names: dict[str | None, None] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend(node)
        elif isinstance(node, nodes.Assign):
            names[node.name] = None
        elif isinstance(node, nodes.Accept):
            names[None] = None
        elif isinstance(node, nodes.Branch):
            waiting.extend((node.then, node.otherwise))
        elif isinstance(node, nodes.ForRange | nodes.ForNeighbors | nodes.Loop):
            waiting.append(node.body)
    return list(names)


def _breaks(body: tuple[nodes.Statement, ...]) -> bool:
    """Whether a `break` in `body` leaves the loop that it is the body of."""
    waiting: list[nodes.Statement] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, nodes.Break):
            return True
        if isinstance(node, nodes.Branch):
            waiting.extend((*node.then, *node.otherwise))
    return False
