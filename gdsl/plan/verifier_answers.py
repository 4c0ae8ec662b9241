"""What must hold where workers run calls with `changed`, `fetch` or `cas` at the same time: no effect shows that two
workers got true for one change. Nothing here uses_answer `duplicate_changes`, which decides it."""

from __future__ import annotations

from collections.abc import Collection

from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_index
from gdsl.ir.traversal import contains, walk
from gdsl.ir.verifier import expecting
from gdsl.operations import BITWISE, IDEMPOTENT, BinaryOperation, Domain, Outcome, ReduceOperation, UnaryOperation

_CONSTANT = (
    *(ir.Literal, ir.NoneId, ir.ParamValue, ir.Iteration, ir.Count, ir.Parameter),
    *(ir.Unary, ir.Binary, ir.Chain, ir.Select, ir.Convert, ir.BuiltinCall, ir.MakePair, ir.PairPart),
)


def verify_answers(program: ir.Program, step: ir.Operator, functor: ir.Node, merged: Collection[str]) -> None:
    """Raise `VerificationError` unless `step`, run by all workers at the same time, has the same effects as by turns.
    `merged`: the data that several workers write."""
    _Answers(program, step, functor, merged).verify()


class _Answers:
    def __init__(self, program: ir.Program, step: ir.Operator, functor: ir.Node, merged: Collection[str]) -> None:
        self.expect = expecting(f"plan of {program.name}")
        self.step, self.functor, self.merged = step, functor, merged
        self._body = getattr(functor, "body", ())
        nodes = list(walk(self._body))
        self.cases = [node for node in nodes if isinstance(node, ir.CompareAndSwap)]
        self.writes = [node for node in nodes if isinstance(node, ir.Store | ir.Update | ir.CompareAndSwap)]
        self.answers = [node for node in nodes if isinstance(node, ir.UpdateValue)]
        self.changes = [each for each in self.answers if each.update.target.data in merged]
        self.named = self._names(nodes)
        self.nots: set[str] = set()
        self.nots = {node.name for node in nodes if isinstance(node, ir.Let) and self._is_negated(node.value)}
        self.varying = {node.name for node in nodes if isinstance(node, ir.Assign)}

    def _names(self, nodes: list[ir.Node]) -> set[str]:
        """The locals whose value depends on an answer."""
        named: set[str] = set()
        while True:
            more = {
                node.name
                for node in nodes
                if isinstance(node, ir.Let | ir.Assign)
                and self.uses_answer(node.value, named)
                and node.name not in named
            }
            if not more:
                return named
            named |= more

    def uses_answer(self, node: object, named: Collection[str] | None = None) -> bool:
        """Whether anything in `node` depends on an answer."""
        named = self.named if named is None else named
        ids = {id(each) for each in self.changes}
        return any(id(each) in ids or (isinstance(each, ir.Local) and each.name in named) for each in walk((node,)))

    def verify(self) -> None:
        """All of it."""
        for each in self.cases:
            self.expect(each.target.data not in self.merged, "a `cas` of what other workers write")
        for answer in self.changes:
            self.expect(answer.outcome is not Outcome.FETCH, "a `fetch` of what other workers write")
            self.expect(
                answer.update.operation in IDEMPOTENT, "a `changed` of what other workers write, not idempotent"
            )
            self.expect(not self.uses_answer((answer.update.value, answer.update.target)), "one answer decides another")
        if not self.changes:
            return
        step = self.step
        once = step.adds_to is None and (step.result is None or step.result_domain is Domain.VERTEX)
        updates = [each for each in self.writes if isinstance(each, ir.Update)]
        once = once and all(each.operation in IDEMPOTENT for each in updates)
        self.expect(once, "what depends on a change would be done by several workers")
        others = not self.cases and len(self.changes) == len(self.answers)
        self.expect(others, "calls of one worker are told of what no other writes, in one order")
        asked, names = {id(each.update) for each in self.changes}, {each.update.target.data for each in self.changes}
        spoiled = any(each.target.data in names and id(each) not in asked for each in self.writes)
        self.expect(not spoiled, "what calls are told of is written without an answer")
        self._negated()
        self._accepted()
        self._branches()

    def _negated(self) -> None:
        """Nothing happens because an answer is false."""
        for node in walk(self._body):
            if isinstance(node, ir.Update) and self.uses_answer(node.value):
                clears = node.operation is ReduceOperation.BIT_AND and self._is_negated(node.value)
                kept = clears or not any(map(self._is_negated, walk(node.value)))
                kept = kept and (clears or node.operation is ReduceOperation.BIT_OR)
                self.expect(kept, "an update because a call is not told")
            elif isinstance(node, ir.Branch | ir.Accept):
                value = node.condition if isinstance(node, ir.Branch) else node.value
                negated = any(map(self._is_negated, walk(value)))
                self.expect(not negated, "what happens without a change would be done by no worker")
            elif isinstance(node, ir.Binary) and node.operation is BinaryOperation.OR and self.uses_answer(node.left):
                acts = contains(node.right, ir.UpdateValue)
                self.expect(not acts, "a write without a change would be done by no worker")

    def _is_negated(self, value: ir.Node) -> bool:
        """Whether it says that an answer was false."""
        if isinstance(value, ir.Local):
            return value.name in self.nots
        return isinstance(value, ir.Unary) and value.operation is UnaryOperation.NOT and self.uses_answer(value)

    def _accepted(self) -> None:
        """No vertex is accepted in spite of, or left out because of, a true answer."""
        if self.step.result is None:
            return
        asked = False
        bodies = [
            node.then for node in walk(self._body) if isinstance(node, ir.Branch) and self.uses_answer(node.condition)
        ]
        inside = {id(node): node for node in walk(tuple(bodies)) if isinstance(node, ir.Accept)}
        for node in inside.values():
            yes = isinstance(node.value, ir.Literal) and node.value.value is True
            self.expect(yes, "what is left out after a change would be found by other workers")
        for each in (node for node in walk(self._body) if isinstance(node, ir.Accept)):
            uses_answer = id(each) in inside or self.uses_answer(each.value)
            self.expect(uses_answer or not asked, "an `accept` that overrules an answer")
            asked = asked or uses_answer

    def _branches(self) -> None:
        """What is done where an answer is true."""
        differing = set[int]()
        for node in walk(self._body):
            if not isinstance(node, ir.Branch) or not self.uses_answer(node.condition):
                continue
            self.expect(not node.otherwise, "what happens without a change would be done by no worker")
            inner = [
                each for each in walk(node.then) if isinstance(each, ir.Branch) and self.uses_answer(each.condition)
            ]
            together = any(isinstance(each, ir.Update) and _collects(each) for each in walk(tuple(inner)))
            self.expect(not together, "what follows two answers")
            for write in walk((_second(node.condition), node.then)):
                if isinstance(write, ir.Store | ir.Update):
                    self.expect(self._here(write.target), "other elements are written after a change")
                    alike = self._alike(write.value)
                    self.expect(alike or not _collects(write), "bits of calls of several workers")
                    if not alike and not _is_same(write):
                        differing.add(id(write))
        self.expect(len(differing) <= 1, "two effects, each of another worker's calls")
        self.expect(not differing or not self._ties(), "a winner for each element, which reads may tie to each other")

    def _ties(self) -> bool:
        """Whether anything reads what the operator writes, but elements that answers are about."""
        written = {each.target.data for each in self.writes}
        elements = [each for each in walk(self.functor) if isinstance(each, ir.Element) and each.array in written]
        scalars = any(isinstance(each, ir.ScalarValue) and each.name in written for each in walk(self.functor))
        return scalars or {print_index(each.index, False) for each in elements} - self._places() != set()

    def _here(self, target: ir.Target) -> bool:
        """Whether it is a scalar, or an element that answers are about."""
        if not isinstance(target, ir.ElementTarget):
            return True
        varies = any(isinstance(each, ir.Local) and each.name in self.varying for each in walk(target.index))
        return not varies and {print_index(target.index, False)} == self._places()

    def _places(self) -> set[str]:
        """The elements that answers are about, as they are written; nothing for scalars."""
        targets = [each.update.target for each in self.changes]
        return {print_index(each.index, False) if isinstance(each, ir.ElementTarget) else "" for each in targets}

    def _alike(self, value: ir.Expression) -> bool:
        """Whether a value is computed from what is equal in all calls with answers about one element."""
        targets = [each.update.target for each in self.changes]
        indices = [ir.element_index(each.index) for each in targets if isinstance(each, ir.ElementTarget)]
        roles = (
            {each.role for each in indices if isinstance(each, ir.Parameter)} if len(indices) == len(targets) else ()
        )
        leaves = list(walk(value))
        shared = all(isinstance(each, _CONSTANT) for each in leaves)
        return shared and all(each.role in roles for each in leaves if isinstance(each, ir.Parameter))


def _second(condition: ir.Expression) -> tuple[ir.Expression, ...]:
    """The parts of a condition that are evaluated only where others hold."""
    sides = (each for each in walk(condition) if isinstance(each, ir.Binary) and each.operation is BinaryOperation.AND)
    return tuple(each.right for each in sides)


def _is_same(write: ir.Store | ir.Update) -> bool:
    return isinstance(write, ir.Store) and write.rule is not None and write.rule.name == "SAME_VALUE"


def _collects(write: ir.Store | ir.Update) -> bool:
    """Whether it leaves what several calls give together."""
    return isinstance(write, ir.Update) and write.operation in BITWISE
