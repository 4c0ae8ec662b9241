"""The levels of what steps between sets and data make: a level of a history is as certain as the worst of all that
was pushed, and the order of the levels is that of the passes."""

from __future__ import annotations

from gdsl.ir import nodes
from gdsl.uniqueness.levels import EXACT, State, chosen, decided, worst


def follow(step: nodes.SetStep, state: State, elsewhere: bool) -> None:
    """Run one step on levels; `elsewhere`: on another graph than the given one, which may have fewer elements."""
    if isinstance(step, nodes.PushLevel):
        data = step.history.data
        level = worst((state.frontier(step.frontier), *(state.value(name) for name in data)))
        for name in data:
            state.forget(name)
            state.set(name, level, decided(level, step.span))
    elif isinstance(step, nodes.TakeLevel):
        level = worst(decided(state.value(name), step.span) for name in step.history.data)
        state.define(step.name, level, level)
    elif isinstance(step, nodes.NumberMembers):
        source = step.members.frontier
        level = decided(state.frontier(source), step.span) if source is not None else EXACT
        state.forget(step.array)
        if source is not None or elsewhere:
            level = worst((level, state.value(step.array)))
        state.set(step.array, level, decided(level, step.span))
    elif isinstance(step, nodes.ChooseBound):
        level = chosen(step.span, f"which vertices `{step.buckets}` gives is for the run to choose")
        state.forget(step.bound)
        state.set(step.bound, level, level)
    elif isinstance(step, nodes.CheckWidth | nodes.CheckPairs):
        pass  # changes nothing, and what stops a run leaves no results
    else:
        raise AssertionError(f"uniqueness: {type(step).__name__} in a schedule")
