"""The steps between sets and data as text."""

from __future__ import annotations

from gdsl.ir.nodes import PushLevel, TakeLevel
from gdsl.plan.nodes import OnSets


def on_sets(step: OnSets) -> str:
    """One line."""
    node = step.step
    match node:
        case PushLevel():
            history = node.history
            return f"push: the queue of {node.frontier} into {history.members}, its end into {history.ends}"
        case TakeLevel():
            order = "the last first" if node.backward else "the first first"
            return f"take: {node.name} = a level of {node.history.members} as a queue, {order}"
    raise AssertionError(f"printer: {type(node).__name__}")
