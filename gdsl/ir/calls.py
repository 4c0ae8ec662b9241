"""The calls among a program's own functions, which are never recursive."""

from __future__ import annotations

from gdsl.ir.nodes import ForNeighbors, ForRange, Function, FunctionCall, Literal, Loop, Program
from gdsl.ir.traversal import depth, parts, walk

_MANY_CALLS = 1024
"""From this many calls on, a function polls the stop flag: some microseconds of work for one thread."""
_PASSES = 32
"""Assumed for a loop whose end depends on data; it polls the stop flag itself."""
_FRAMES_A_LEVEL, _FRAMES_A_CALL = 4, 12
"""Upper bounds of what the interpreters of functions need for a level of an expression and for a call."""


def function_order(program: Program) -> tuple[Function, ...]:
    """The program's functions, each after those that it calls."""
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
    """The number of nodes of each function after inlining all calls."""
    sizes: dict[str, int] = {}
    for function in function_order(program):
        own = sum(1 for _ in walk(function.body))
        sizes[function.name] = own + sum(sizes[name] for name in callees(function))
    return sizes


def long_functions(program: Program) -> frozenset[str]:
    """The functions of which one call makes many others: exponentially many where each calls another one twice."""
    calls: dict[str, int] = {}
    for function in function_order(program):
        calls[function.name] = _call_count(function, calls)
    return frozenset(name for name, count in calls.items() if count >= _MANY_CALLS)


def _call_count(function: Function, calls: dict[str, int]) -> int:
    """How many calls `function` and its callees make at most."""
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
    """How deep the Python stack becomes at most where functions are interpreted."""
    frames: dict[str, int] = {}
    for function in function_order(program):
        inner = max((frames[name] for name in callees(function)), default=0)
        frames[function.name] = inner + _FRAMES_A_CALL + _FRAMES_A_LEVEL * depth(function.body)
    return max(frames.values(), default=0)
