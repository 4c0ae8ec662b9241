"""The calls among a program's own functions, which never lead back to where they began."""

from __future__ import annotations

from gdsl.ir.nodes import ForNeighbors, ForRange, Function, FunctionCall, Literal, Loop, Program
from gdsl.ir.traversal import depth, parts, walk

_MANY_CALLS = 1024
"""From here on a function asks whether the run is to stop: some microseconds of work for one thread."""
_PASSES = 32
"""Taken for a loop that ends when data says so; it asks itself now and then."""
_FRAMES_A_LEVEL, _FRAMES_A_CALL = 4, 12
"""More than the interpreters of functions take for a level of an expression and for a call."""


def function_order(program: Program) -> tuple[Function, ...]:
    """The program's functions, each behind those that it calls."""
    by_name = {function.name: function for function in program.functions}
    called = {function.name: callees(function) for function in program.functions}
    order: dict[str, Function] = {}
    entered: set[str] = set()
    stack = [function.name for function in reversed(program.functions)]
    while stack:
        name = stack[-1]
        if name in entered:
            order.setdefault(stack.pop(), by_name[name])
        else:
            entered.add(name)
            stack += [callee for callee in reversed(called[name]) if callee not in entered]
    return tuple(order.values())


def callees(function: Function) -> list[str]:
    """The names of the functions that `function` calls, in the order of the text."""
    return [node.function for node in walk(function.body) if isinstance(node, FunctionCall)]


def inlined_sizes(program: Program) -> dict[str, int]:
    """By function how many nodes it has once every call in it is replaced by what it calls."""
    sizes: dict[str, int] = {}
    for function in function_order(program):
        own = sum(1 for _ in walk(function.body))
        sizes[function.name] = own + sum(sizes[name] for name in callees(function))
    return sizes


def long_functions(program: Program) -> frozenset[str]:
    """The functions of which one call makes many others, up to no end where each calls the one before it twice."""
    calls: dict[str, int] = {}
    for function in function_order(program):
        calls[function.name] = _calls_made(function, calls)
    return frozenset(name for name, count in calls.items() if count >= _MANY_CALLS)


def _calls_made(function: Function, calls: dict[str, int]) -> int:
    """How many calls `function` makes, those that its callees make included, whichever way it takes."""
    total = 0
    rest: list[tuple[object, int]] = [(function, 1)]
    while rest:
        node, times = rest.pop()
        if isinstance(node, FunctionCall):
            total += times * (1 + calls[node.function])
        inside = times * _passes(node)
        rest += [(inner, inside) for inner in parts(node)]
    return total


def _passes(node: object) -> int:
    if isinstance(node, ForRange) and isinstance(node.first, Literal) and isinstance(node.last, Literal):
        return max(0, min(int(node.last.value) - int(node.first.value), _MANY_CALLS))
    return _PASSES if isinstance(node, Loop | ForNeighbors | ForRange) else 1


def frames_of_calls(program: Program) -> int:
    """How many Python frames lie above each other at most where one function calls the next by interpretation."""
    frames: dict[str, int] = {}
    for function in function_order(program):
        inner = max((frames[name] for name in callees(function)), default=0)
        frames[function.name] = inner + _FRAMES_A_CALL + _FRAMES_A_LEVEL * depth(function.body)
    return max(frames.values(), default=0)
