"""The calls among a program's own functions, which never lead back to where they began."""

from __future__ import annotations

from gdsl.ir.nodes import Function, FunctionCall, Program
from gdsl.ir.traversal import depth, walk

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


def frames_of_calls(program: Program) -> int:
    """How many Python frames lie above each other at most where one function calls the next by interpretation."""
    frames: dict[str, int] = {}
    for function in function_order(program):
        inner = max((frames[name] for name in callees(function)), default=0)
        frames[function.name] = inner + _FRAMES_A_CALL + _FRAMES_A_LEVEL * depth(function.body)
    return max(frames.values(), default=0)
