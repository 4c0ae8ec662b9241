"""Methods that other languages give their queues and stacks, and what histories and buckets have instead."""

from __future__ import annotations

from gdsl.frontend.syntax import Symbol, SymbolKind

_ADDED = ("add", "insert", "append", "push_back", "enqueue", "put", "emplace", "update", "extend", "push")
_SIZES = ("size", "len", "length", "count", "num")
_EMPTY = ("empty", "is_empty", "isEmpty", "isempty", "finished")
_TAKEN = ("pop", "dequeue", "top", "front", "back", "last", "get", "next", "pop_front", "pop_back", "popleft", "peek")
_LEVELS = ("level", "min", "key", "priority", "bucket", "get_current_priority", "current_priority")


def instead(symbol: Symbol, method: str, given: str) -> str | None:
    """What to write for `symbol.method(given)`; None where nobody can tell."""
    name = symbol.name
    if method in _SIZES:
        return f"write `size({name})`"
    if method in _EMPTY:
        return f"write `size({name}) == 0`"
    if method in _ADDED:
        return f"write `{name}.push({given or 'f'});`, a statement of the schedule"
    if symbol.kind is SymbolKind.BUCKETS:
        if method in _LEVELS:
            return f"write `{name}.level`"
        return f"write `{name}.pop()`" if method in _TAKEN or method.startswith("dequeue") else None
    return f"`for f in backward({name}) {{ … }}` goes through it, the last first" if method in _TAKEN else None
