"""Lowers buckets of either kind: those with levels of a width, and those whose width finds itself."""

from __future__ import annotations

from gdsl.ir import nodes
from gdsl.ir.lowering import buckets, free_buckets
from gdsl.ir.lowering.bucket_data import Buckets, FreeBuckets
from gdsl.ir.lowering.hidden import Hidden
from gdsl.source import Span
from gdsl.types import Type

Steps = tuple[nodes.Step, ...]


class BucketsLowering:
    """The steps of what a schedule does with buckets; `known` has those that it declared, by their unique names."""

    def __init__(self, hidden: Hidden, known: dict[str, Buckets | FreeBuckets]) -> None:
        self.hidden, self.known = hidden, known

    def begin(
        self, name: str, shown: str, array: tuple[str, Type], width: nodes.Expression | None, waiting: str, span: Span
    ) -> Steps:
        """A declaration by `array`; without a `width` that finds itself. `waiting` is a new frontier."""
        if width is None:
            free = self.known[name] = free_buckets.new_free_buckets(self.hidden, name, *array, waiting, span)
            return free_buckets.begun(free, span)
        made = self.known[name] = buckets.new_buckets(self.hidden, name, *array, waiting, span)
        return buckets.begun(made, shown, width, span)

    def push(self, name: str, members: nodes.Elements, span: Span) -> Steps:
        """`name.push(members)`."""
        made = self.known[name]
        if isinstance(made, FreeBuckets):
            return free_buckets.pushed(made, members, span)
        return buckets.pushed(self.hidden, made, members, span)

    def pop(self, name: str, result: str, span: Span) -> Steps:
        """`result = name.pop()`."""
        made = self.known[name]
        if isinstance(made, FreeBuckets):
            return free_buckets.popped(self.hidden, made, result, span)
        return buckets.popped(self.hidden, made, result, span)
