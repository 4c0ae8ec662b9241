"""Checks that frontiers with one slot are never needed at the same time: whatever is asked for is what lies there.

The plan is followed from its beginning on, with the frontiers that may have been the last to be made in each slot; so
this knows nothing of how slots are chosen, and no part is followed more than twice, however deep loops are nested.
"""

from __future__ import annotations

from gdsl.effects.access import asked_frontiers, frontiers_of
from gdsl.ir.verifier import VerificationError
from gdsl.operations import Domain
from gdsl.plan.nodes import (
    Barrier,
    Branch,
    Combine,
    EnterGraph,
    HandBack,
    Initialise,
    Keep,
    Launch,
    Loop,
    On,
    Plan,
    Step,
    Swap,
)

_Slot = tuple[Domain, int]
_Names = frozenset[str]
_Ends = dict[_Slot, tuple[_Names, bool]]
"""What some steps leave in slots: the frontiers made last, and whether on some path none is made there."""
_NOTHING: tuple[_Names, bool] = (frozenset(), True)


def verify_slots(plan: Plan) -> None:
    """Raise `VerificationError` where a frontier is asked for and another may lie in its slot."""
    _Following(plan).block(plan.schedule, {})


class _Following:
    def __init__(self, plan: Plan) -> None:
        self.name = plan.program.name
        self.slots = {frontier.name: (frontier.domain, frontier.slot) for frontier in plan.frontiers}
        self._passes: dict[int, _Ends] = {}
        """What each loop's body leaves, by the loop's identity."""

    def block(self, steps: tuple[Step, ...], lying: dict[_Slot, _Names]) -> None:
        """Follow steps, which change what is `lying` in slots; where nothing is, it is an empty set for all."""
        for step in steps:
            if isinstance(step, (Barrier, Initialise, Keep, HandBack, Swap, EnterGraph)):
                continue
            if isinstance(step, On):
                self.block(step.body, lying)
                continue
            if isinstance(step, Launch):
                self.block(step.steps, lying)
                self._asked(asked_frontiers(step.answer), lying)
            elif isinstance(step, Loop):
                if step.counted:
                    self._asked(asked_frontiers(step.condition), lying)
                for slot, (names, _) in self._pass(step).items():
                    lying[slot] = lying.get(slot, frozenset()) | names
                if not step.counted:
                    self._asked(asked_frontiers(step.condition), lying)
                self.block(step.body, dict(lying))
            elif isinstance(step, Branch):
                self._asked(asked_frontiers(step.condition), lying)
                otherwise = dict(lying)
                self.block(step.then, lying)
                self.block(step.otherwise, otherwise)
                for slot, names in otherwise.items():
                    lying[slot] = lying.get(slot, frozenset()) | names
            else:
                use = frontiers_of(step.step)
                self._asked(use.read, lying)
                lying.update({self.slots[name]: frozenset([name]) for name in use.written})
                if isinstance(step, Combine) and step.marks:
                    self._marked(step)

    def _asked(self, names: tuple[str, ...], lying: dict[_Slot, _Names]) -> None:
        for name in names:
            others = lying.get(self.slots[name], frozenset()) - {name}
            if others:
                raise VerificationError(f"plan of {self.name}: {sorted(others)[0]} lies where {name} is needed")

    def _marked(self, step: Combine) -> None:
        asked, made = step.asked.frontier, step.step.name
        if asked is not None and asked != made and self.slots[asked] == self.slots[made]:
            raise VerificationError(f"plan of {self.name}: {made} lies where marks of {asked} are to be taken out")

    def _pass(self, loop: Loop) -> _Ends:
        if id(loop) not in self._passes:
            self._passes[id(loop)] = self._left(loop.body)
        return self._passes[id(loop)]

    def _left(self, steps: tuple[Step, ...]) -> _Ends:
        """What steps leave behind."""
        left: _Ends = {}
        for step in steps:
            for slot, (names, passed) in self._left_by(step).items():
                before, none = left.get(slot, _NOTHING)
                left[slot] = (names | before, none) if passed else (names, False)
        return left

    def _left_by(self, step: Step) -> _Ends:
        if isinstance(step, (Launch, On)):
            return self._left(step.body if isinstance(step, On) else step.steps)
        if isinstance(step, Loop):
            return {slot: (names, True) for slot, (names, _) in self._pass(step).items()}
        if isinstance(step, Branch):
            first, second = self._left(step.then), self._left(step.otherwise)
            both = {slot: (first.get(slot, _NOTHING), second.get(slot, _NOTHING)) for slot in {**first, **second}}
            return {slot: (one | other, none or also) for slot, ((one, none), (other, also)) in both.items()}
        if isinstance(step, (Barrier, Initialise, Keep, HandBack, Swap, EnterGraph)):
            return {}
        return {self.slots[name]: (frozenset([name]), False) for name in frontiers_of(step.step).written}
