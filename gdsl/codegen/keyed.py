"""Expressions of functors whose callers ask with which value an element was changed, or only whether any call has."""

from __future__ import annotations

from gdsl.codegen.expressions import REDUCTIONS, ExpressionPrinter
from gdsl.codegen.precedence import Text, call
from gdsl.ir.nodes import Element, ElementTarget, Update
from gdsl.operations import Outcome

KEY = "key"
"""What a functor's function calls that value."""


class KeyedPrinter(ExpressionPrinter):
    """Prints what changes the array `keyed` so that it says in ``key`` to which value: ``changed_min(&x, key = y)``."""

    keyed = ""

    def update(self, node: Update, outcome: Outcome) -> Text:
        """`changed(x op= y)` of that array."""
        target = node.target
        if not isinstance(target, ElementTarget) or target.array != self.keyed:
            return super().update(node, outcome)
        assert outcome is Outcome.CHANGED
        plain = "plain_" if self.is_plain(target) else ""
        value = f"{KEY} = {self.print(node.value)}"
        return call(f"{plain}changed_{REDUCTIONS[node.operation]}", self.address(target), value)


class LatePrinter(ExpressionPrinter):
    """Prints what changes the array `late` so that it says whether the element was changed since the last barrier, by
    this call or another one: ``late_changed_min(&x, y)``, behind that what was `seen` of it, if it has been looked at.
    Where that may have been one of the `bounds`: ``bounded_changed_min(bounds, v, &x, y, seen)``. Values of edges are
    read ``once``, as their lists are: the multiprocessor's cache is for the values that are compared."""

    late = ""
    seen = ""
    bounds = ""
    once: frozenset[str] = frozenset()

    def read(self, node: Element) -> Text:
        """`array[index]`, which others may write now or not."""
        if node.array not in self.once or node.now or node.array in self.shared_arrays:
            return super().read(node)
        return call("load_once", f"&{self.element(node.array, node.index, node.checked, node.domain)}")

    def update(self, node: Update, outcome: Outcome) -> Text:
        """`changed(x op= y)` of that array, whose elements others change too."""
        target = node.target
        if not isinstance(target, ElementTarget) or target.array != self.late:
            return super().update(node, outcome)
        assert outcome is Outcome.CHANGED and not self.is_plain(target)
        arguments = (self.address(target), self.print(node.value), *([self.seen] if self.seen else []))
        operation = REDUCTIONS[node.operation]
        if self.bounds:
            return call(f"bounded_changed_{operation}", self.bounds, self.print(target.index), *arguments)
        return call(f"late_changed_{operation}", *arguments)
