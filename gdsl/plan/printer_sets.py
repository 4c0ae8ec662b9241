"""The steps between sets and data as text."""

from __future__ import annotations

from gdsl.ir.nodes import CheckPairs, CheckWidth, ChooseBound, NumberMembers, PushLevel, TakeLevel
from gdsl.operations import Domain
from gdsl.plan.nodes import OnSets


def on_sets(step: OnSets) -> str:
    """One line."""
    node = step.step
    match node:
        case PushLevel():
            history = node.history
            waits = "" if step.waits else ", no barrier behind"
            return f"push: the queue of {node.frontier} into {history.members}, its end into {history.ends}{waits}"
        case TakeLevel():
            order = "the last first" if node.backward else "the first first"
            form = "as a queue" if step.waits else "where it lies"
            return f"take: {node.name} = a level of {node.history.members} {form}, {order}"
        case CheckWidth():
            return f"check: {node.width} is above 0"
        case ChooseBound():
            return f"bound: {node.bound} from {node.nearest} and {node.farthest}, by the size of {node.waiting}"
        case CheckPairs():
            return f"check: {node.more} is 0"
        case NumberMembers(members=members):
            if members.everything:
                return f"number: {node.array} = the ids of all"
            form = "bitmap" if members.domain is Domain.VERTEX else "marks"
            return f"number: {node.array} = the places of {members.frontier}, by sums over its {form}"
    raise AssertionError(f"printer: {type(node).__name__}")
