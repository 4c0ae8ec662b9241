"""Exchanges, and what workers hold, as text: in printed plans and for `gdslc explain distribution`."""

from __future__ import annotations

from gdsl.plan.exchange_nodes import Distribution, Exchange, Exchanged, Held, How, Snapshot, Turns


def print_exchange(step: Exchange | Snapshot) -> list[str]:
    """The lines of an exchange, or of the snapshot before it."""
    if isinstance(step, Snapshot):
        lists = [f"far ends over {over.value}" for over in step.over]
        pulled = " where it pulls or they are many" if step.pulled_from is not None else ""
        ends = [] if step.frontier is None else [step.frontier, *lists]
        where = f" at {' and '.join(ends)}, or all{pulled}" if ends else ""
        return [f"note {', '.join(each.name for each in step.data)}{where}  # for exchange {step.number}"]
    lines = [f"exchange:  # {step.number}, {step.reason}"]
    lines += [f"    {exchanged_text(each)}" for each in step.data]
    lines += [f"    unite {step.frontier}"] if step.frontier is not None else []
    return lines + (["    add up the edges that were walked"] if step.counts_edges else [])


def print_turns(turns: Turns) -> list[str]:
    """How workers run an operator one after the other."""
    names = ", ".join(each.name for each in turns.exchange.data)
    return [
        f"in turns: {turns.reason} ({turns.line})",
        f"    after each: adopt {names}, exchange {turns.exchange.number}",
    ]


def print_distribution(distribution: Distribution, parts: tuple[str, ...]) -> list[str]:
    """What workers hold, where there are several; `parts` of the graph are in use."""
    lines = ["workers hold:"]
    for held in Held:
        arrays = [each.name for each in distribution.arrays if each.held is held]
        graph = [each.name for each in distribution.graph if each.held is held and each.name in parts]
        lines += [f"    {held.value}: {', '.join((*arrays, *graph))}"] if arrays or graph else []
    sites = ", ".join(map(str, distribution.walked))
    return lines + ([f"added up at the end: edges that operators walked, of sites {sites}"] if sites else [])


def exchanged_text(each: Exchanged) -> str:
    """How one array or scalar is exchanged."""
    if each.how is How.PUBLISH:
        return f"publish {each.name}, {each.reach.value}"
    if each.how is How.ADOPT:
        return f"adopt {each.name}"
    return f"merge {each.name} by {each.operation.value if each.operation is not None else 'any value'}"
