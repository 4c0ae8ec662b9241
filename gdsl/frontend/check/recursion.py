"""Functions and procedures that lead to themselves."""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.diagnostics import Label
from gdsl.frontend.check.environment import Environment
from gdsl.source import Span

Calls = dict[str, list[tuple[str, Span]]]
"""By name those that it calls, each with the place of the call."""


def refuse_recursion(
    what: str, names: Mapping[str, Span], calls: Calls, environment: Environment, *, once: bool = False
) -> None:
    """Report those of `names` (each with its place) that call themselves, directly or through others; `once` a circle
    where that is enough."""
    suspects, said = names_on_cycles(calls), set[str]()
    for name, span in names.items():
        way = _way_back(name, calls) if name in suspects - said else None
        if way is not None:
            labels = (Label(way[0][1], "this call leads back"),)
            said |= {name, *(callee for callee, _ in way)} if once else set()
            through = " → ".join([name, *(callee for callee, _ in way)])
            message = f"the {what} `{name}` calls itself ({through})"
            environment.report("E0218", message, span, labels=labels, fix="use a `while` loop")


def _way_back(start: str, calls: Calls) -> list[tuple[str, Span]] | None:
    """A shortest chain of calls from `start` to itself; None if there is none."""
    reached: dict[str, tuple[str, tuple[str, Span]]] = {}
    waiting = [start]
    for caller in waiting:
        for call in calls.get(caller, []):
            if call[0] in reached:
                continue
            reached[call[0]] = (caller, call)
            waiting.append(call[0])
            if call[0] == start:
                return _way(start, reached)
    return None


def _way(start: str, reached: dict[str, tuple[str, tuple[str, Span]]]) -> list[tuple[str, Span]]:
    caller, call = reached[start]
    way = [call]
    while caller != start:
        caller, call = reached[caller]
        way.append(call)
    return way[::-1]


def names_on_cycles(calls: Calls) -> set[str]:
    """Those that lead to themselves or to one that does: what is left when all others are removed, first
    those that call nothing."""
    callers: dict[str, list[str]] = {}
    open_calls = {name: len(called) for name, called in calls.items()}
    for name, called in calls.items():
        for callee, _ in called:
            callers.setdefault(callee, []).append(name)
    done = [name for name, count in open_calls.items() if not count]
    for name in done:
        for caller in callers.get(name, []):
            open_calls[caller] -= 1
            if not open_calls[caller]:
                done.append(caller)
    return calls.keys() - set(done)
