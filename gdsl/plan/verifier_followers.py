"""What must hold of followers of filters: with their calls as operators of their own again, right behind the filters,
the program is the one before the pass, but for the order of some steps, and for computations that a loop begins with.

Steps change their order where neither uses what the other one writes. A computation in the sweep of a filter uses
nothing that another call of that sweep writes. What a loop begins with is done before it, and at the end of each pass
for the next one, if nothing but its members tells whether there is a next one, and if nothing else sees what is done,
nor the loop when it begins again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from gdsl.effects.access import Accesses, Who, frontiers_of
from gdsl.ir import nodes as ir
from gdsl.ir.traversal import all_steps, blocks_of, contains, rewrite, walk, with_blocks
from gdsl.ir.verifier import expecting
from gdsl.plan.functor_facts import may_stop, member_names, own_arrays
from gdsl.records import equal_apart_from

_Block = tuple[ir.Step, ...]
_Body = tuple[ir.Statement, ...]
_MOVED = (ir.StoreScalar, ir.Compute, ir.Filter)
"""What may change its place."""
_USES = ("read", "written")


def verify_followers(before: ir.Program, after: ir.Program) -> None:
    """Raise `VerificationError` unless `after` does what `before` does."""
    _Followers(before, after).verify()


class _Followers:
    def __init__(self, before: ir.Program, after: ir.Program) -> None:
        self.before, self.after, self.accesses = before, after, Accesses(before)
        self.expect = expecting(f"followers in {before.name}")
        self.steps = all_steps(before.schedule)
        self.operators = {step.site: step for step in self.steps if isinstance(step, ir.Operator)}
        self.calls: dict[int, tuple[ir.Compute, ...]] = {}
        """By the site of each filter: the computations in its sweep."""

    def verify(self) -> None:
        before, after = self.before, self.after
        own = ("vertex_functors", "edge_functors", "schedule")
        self.expect(equal_apart_from(before, after, own), "another program")
        for part in own[:2]:
            first = getattr(after, part)[: len(getattr(before, part))]
            self.expect(first == getattr(before, part), f"other {part}")
        for step in all_steps(after.schedule):
            if isinstance(step, ir.Operator):
                wanted = self.operators.get(step.site)
                same = wanted is not None and equal_apart_from(step, wanted, ("functor",))
                self.expect(same, "another operator")
                assert wanted is not None
                self.expect(step.functor == wanted.functor or isinstance(step, ir.Filter), "another functor")
                if isinstance(step, ir.Filter):
                    self.calls[step.site] = self._calls(step)
        self._block(before.schedule, after.schedule)

    # What is done in the sweep of a filter

    def _calls(self, step: ir.Filter) -> tuple[ir.Compute, ...]:
        """The computations that a filter does for its result as well."""
        wanted = self.operators[step.site]
        assert isinstance(wanted, ir.Filter)
        own, found = self.accesses.functor(wanted), self._new_functor(step)
        if step.functor == wanted.functor:
            return ()
        self.expect(type(found) is type(own) and found.condition == own.condition, "other conditions of a filter")
        names = member_names(own)
        self.expect(member_names(found) == names, "other names of a filter's members")
        rest = self._behind(own, found)
        fitting = [
            each for each in self.steps if isinstance(each, ir.Compute) and each.frontier.frontier == step.result
        ]
        calls: list[ir.Compute] = []
        while rest:
            call, length = next(
                ((each, length) for each in fitting if (length := self._begins(rest, each, names))), (None, 0)
            )
            self.expect(call is not None, "a filter does something else")
            assert call is not None
            self._apart([wanted, *calls], call)
            calls.append(call)
            rest = rest[length:]
        return tuple(calls)

    def _new_functor(self, step: ir.Filter) -> ir.Functor:
        functors: dict[str, ir.Functor] = {each.name: each for each in self.after.functors}
        self.expect(step.functor in functors, "a filter without a functor")
        return functors[step.functor]

    def _behind(self, own: ir.Functor, found: ir.Functor) -> _Body:
        """What a functor does behind what the filter's own does, for the members that are accepted."""
        accepts = contains(own.body, ir.Accept)
        if not accepts:
            self.expect(found.body[: len(own.body)] == own.body, "a filter finds something else")
            rest = found.body[len(own.body) :]
            self.expect(not contains(rest, ir.Accept), "a filter finds something else")
            return rest
        self.expect(len(found.body) == len(own.body) + 3, "a filter finds something else")
        begin, *body, end, branch = found.body
        assert isinstance(begin, ir.Let) and isinstance(end, ir.Accept) and isinstance(branch, ir.Branch)
        name = begin.name
        yes = isinstance(begin.value, ir.Literal) and begin.value.value is True and begin.mutable
        used = {node.name for node in walk(own) if isinstance(node, ir.Local | ir.Let | ir.ForRange)}
        self.expect(yes and name not in used, "a filter finds something else")
        noted = rewrite(
            own.body, lambda node: ir.Assign(node.span, name, node.value) if isinstance(node, ir.Accept) else node
        )
        self.expect(tuple(body) == noted, "a filter finds something else")
        for value in (end.value, branch.condition):
            self.expect(isinstance(value, ir.Local) and value.name == name, "members that are not accepted are called")
        self.expect(not branch.otherwise, "members that are not accepted are called")
        changed = any(isinstance(node, ir.Accept | ir.Assign) for node in walk(branch.then) if _name(node) == name)
        self.expect(not changed, "a filter finds something else")
        return branch.then

    def _begins(self, rest: _Body, call: ir.Compute, names: tuple[str, ...]) -> int:
        """How many of these statements are what `call` does, which are the first ones; 0: they are not."""
        functor = self.accesses.functor(call)
        body = functor.body
        for conjunct in reversed(functor.condition):
            body = (ir.Branch(conjunct.span, conjunct, body, ()),)
        first = rest[: len(body)]
        same = _plain(first, names) == _plain(body, member_names(functor))
        return len(body) if same else 0

    def _apart(self, sweep: Sequence[ir.Operator], call: ir.Compute) -> None:
        """No call of a sweep sees what another one does, but for elements of its own member."""
        functor = self.accesses.functor(call)
        for each in sweep:
            alone = own_arrays(self.accesses.functor(each), self.before) & own_arrays(functor, self.before)
            for name in self._meeting(each, call):
                self.expect(name in alone, f"{name} is seen before all calls have written it")

    # The order of steps

    def _block(self, before: _Block, after: _Block) -> None:
        """`after` is `before` with followers, and with what its loops begin with before them."""
        found = tuple(self._expanded(after))
        pairs = self._pairs(tuple(self._begun(before, found)), found)
        self.expect(pairs is not None, "other steps, or steps in another order")
        for step, other in pairs or ():
            if isinstance(step, ir.While):
                assert isinstance(other, ir.While)
                turned = self._turned(step, other)
                self._block((*step.body[len(turned) :], *turned), other.body)
            else:
                for block, changed in zip(blocks_of(step), blocks_of(other), strict=True):
                    self._block(block, changed)

    def _expanded(self, steps: _Block) -> Iterator[ir.Step]:
        """A block with followers as operators of their own."""
        for step in steps:
            if isinstance(step, ir.Filter):
                yield self.operators[step.site]
                yield from self.calls[step.site]
            else:
                yield step

    def _begun(self, steps: _Block, found: _Block) -> Iterator[ir.Step]:
        """A block with what its loops begin with before them, if they end with it in the block `found`."""
        loops = {step.loop: step for step in found if isinstance(step, ir.While)}
        for step in steps:
            if isinstance(step, ir.While) and step.loop in loops:
                yield from self._turned(step, loops[step.loop])
            yield step

    def _turned(self, loop: ir.While, other: ir.While) -> _Block:
        """What `loop` begins with and `other` ends with."""
        body = tuple(self._expanded(other.body))
        for length in range(len(loop.body)):
            if length > 0 and not isinstance(loop.body[length - 1], (ir.StoreScalar, ir.Compute)):
                break
            steps = (*loop.body[length:], *loop.body[:length])
            if self._pairs(tuple(self._begun(steps, body)), body) is not None:
                if length > 0:
                    self._may_turn(loop, loop.body[:length])
                return loop.body[:length]
        return ()

    def _may_turn(self, loop: ir.While, head: _Block) -> None:
        condition = loop.condition
        self.expect(isinstance(condition, ir.FrontierNotEmpty) and not loop.monotone, "a loop of another condition")
        assert isinstance(condition, ir.FrontierNotEmpty)
        inside = {id(step) for step in all_steps(loop.body)}
        for place, step in enumerate(head):
            if isinstance(step, ir.Compute):
                self.expect(step.frontier.frontier == condition.frontier, "a computation on what is not empty")
                parts: tuple[ir.Node, ...] = (self.accesses.functor(step),)
            else:
                assert isinstance(step, ir.StoreScalar)
                (scalar,) = (each for each in self.before.scalars if each.name == step.scalar)
                outside = (each for each in self.steps if id(each) not in inside)
                seen = any(step.scalar in names for each in outside for names in self.accesses.names_of_step(each))
                self.expect(scalar.is_local and not seen, f"{step.scalar} is assigned where others see it")
                again = any(isinstance(each, ir.StoreScalar) and each.scalar == step.scalar for each in head[:place])
                earlier = self.accesses.of_expression(step.value, Who.LEADER)
                earlier = earlier.union(*map(self.accesses.of_step, head[:place]))
                ahead = not again and any(each.name == step.scalar for each in earlier)
                self.expect(not ahead, f"{step.scalar} is one pass ahead when the loop begins again")
                self.expect(not may_stop(step), "a pass that is not run stops the run")
                parts = (step,)
            self.expect(not contains(parts, ir.Iteration), "the number of another pass")

    def _pairs(self, wanted: Sequence[ir.Step], found: Sequence[ir.Step]) -> list[tuple[ir.Step, ir.Step]] | None:
        """The steps that are the same; None: not all are, or some must not be in another order."""
        places: list[int] = []
        for step in found:
            place = next((i for i, each in enumerate(wanted) if i not in places and _is_alike(each, step)), None)
            if place is None or any(each > place and self._meet(wanted[each], wanted[place]) for each in places):
                return None
            places.append(place)
        return list(zip([wanted[place] for place in places], found, strict=True)) if len(wanted) == len(found) else None

    def _meet(self, first: ir.Step, second: ir.Step) -> bool:
        """Whether the order of two steps matters."""
        if not isinstance(first, _MOVED) or not isinstance(second, _MOVED):
            return True
        read, written = ([set(getattr(frontiers_of(each), part)) for each in (first, second)] for part in _USES)
        sets = written[0] & (read[1] | written[1]) | written[1] & read[0]
        return bool(sets or self._meeting(first, second))

    def _meeting(self, first: ir.Step, second: ir.Step) -> set[str]:
        """The data that both use and one of them writes."""
        one, other = self.accesses.of_step(first), self.accesses.of_step(second)
        return {a.name for a in one for b in other if a.name == b.name and (a.writes or b.writes)}


def _is_alike(step: ir.Step, other: ir.Step) -> bool:
    """Whether two steps are the same but for the blocks in them."""
    if isinstance(step, ir.Compute) and isinstance(other, ir.Compute):
        return (step.frontier.frontier, step.functor) == (other.frontier.frontier, other.functor)
    return with_blocks(step, lambda block: ()) == with_blocks(other, lambda block: ())


def _name(node: ir.Node) -> str:
    return node.name if isinstance(node, ir.Assign) else ""


def _plain(body: _Body, members: tuple[str, ...]) -> _Body:
    """`body` with names that tell nothing: those of its members by their places, those of locals by their order."""
    numbers = {name: f"member {place}" for place, name in enumerate(members)}
    names: dict[str, str] = {}
    for node in walk(body):
        if isinstance(node, ir.Let | ir.ForRange):
            names[node.name] = f"local {len(names)}"

    def change(node: ir.Node) -> ir.Node:
        if isinstance(node, ir.Parameter):
            return dataclasses.replace(node, name=numbers.get(node.name, node.name))
        if isinstance(node, ir.Local | ir.Let | ir.Assign | ir.ForRange):
            return dataclasses.replace(node, name=names.get(node.name, node.name))
        return node

    return rewrite(body, change)
