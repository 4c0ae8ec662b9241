"""Walks over programs and rewrites them, for passes and code generation."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Hashable, Iterable
from enum import Enum
from typing import Any, TypeVar

from gdsl import operations, types
from gdsl.ir import nodes
from gdsl.ir.nodes import If, Node, On, PopBuckets, PushBuckets, Repeat, Step, While

Part = TypeVar("Part")


def _is_enum(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Enum)


_PLAIN = frozenset(
    {"Span", "str", "int", "bool", "str | None", "int | None"}
    | {name for module in (operations, types, nodes) for name, kind in vars(module).items() if _is_enum(kind)}
)
"""Annotations of slots that have no nodes inside; all others are visited."""
_SLOTS: dict[type[Node], tuple[str, ...]] = {}
_INSIDE: dict[type, Callable[[Any], tuple[object, ...]] | None] = {}
"""How to get the parts of a value of each type, the last one first; None for values without parts. Reading a program
from the cache walks over all of it several times, so this is fast."""


def _slots(kind: type[Node]) -> tuple[str, ...]:
    """The slots of a kind of node that may have nodes inside."""
    if kind not in _SLOTS:
        fields = kind.__dataclass_fields__
        _SLOTS[kind] = tuple([name for name in kind.__match_args__ if fields[name].type not in _PLAIN])
    return _SLOTS[kind]


def _last_first(kind: type[Node]) -> Callable[[Any], tuple[object, ...]]:
    """A function for the values of those slots, the last one first."""
    names = _slots(kind)[::-1]
    if not names:
        return lambda node: ()
    values = operator.attrgetter(*names)
    return values if len(names) > 1 else lambda node: (values(node),)


def walk(part: object) -> list[Node]:
    """Every node of `part` (a node, or tuples of nodes), each before its parts, in the order of the text."""
    walked: list[Node] = []
    stack, known = [part], _INSIDE
    while stack:
        current = stack.pop()
        kind = type(current)
        if kind is tuple:
            stack += current[::-1]  # type: ignore[index]
            continue
        if kind not in known:
            known[kind] = _last_first(kind) if issubclass(kind, Node) else None
        inside = known[kind]
        if inside is not None:
            walked.append(current)  # type: ignore[arg-type]
            stack += inside(current)
    return walked


def contains(part: object, *kinds: type[Node]) -> bool:
    """Whether `part` is a node of one of these kinds, or has one in it."""
    return any(isinstance(node, kinds) for node in walk(part))


def written_in(body: object) -> set[str]:
    """The arrays and scalars that statements or steps write."""
    return {node.data for node in walk(body) if isinstance(node, nodes.ElementTarget | nodes.ScalarTarget)}


def conjuncts(condition: nodes.Expression) -> list[nodes.Expression]:
    """The operands of `&&`, which must all hold for `condition` to hold."""
    both = operations.BinaryOperation.AND
    if isinstance(condition, nodes.Binary) and condition.operation is both:
        return [*conjuncts(condition.left), *conjuncts(condition.right)]
    if isinstance(condition, nodes.Chain) and all(operation is both for operation, _ in condition.links):
        operands = (condition.first, *(operand for _, operand in condition.links))
        return [part for operand in operands for part in conjuncts(operand)]
    return [condition]


def all_steps(steps: Iterable[Step]) -> list[Step]:
    """Every step of a schedule, each before those inside it, in the order of the text."""
    walked: list[Step] = []
    for step in steps:
        walked.append(step)
        for block in blocks_of(step):
            walked += all_steps(block)
    return walked


def blocks_of(step: Step) -> tuple[tuple[Step, ...], ...]:
    """The blocks of steps directly inside a step."""
    if isinstance(step, If):
        return step.then, step.otherwise
    return (step.body,) if isinstance(step, While | Repeat | On | PushBuckets | PopBuckets) else ()


def with_blocks(step: Step, change: Callable[[tuple[Step, ...]], tuple[Step, ...]]) -> Step:
    """`step` with each block directly inside it changed; the same object if it has none."""
    if isinstance(step, If):
        return dataclasses.replace(step, then=change(step.then), otherwise=change(step.otherwise))
    if isinstance(step, While | Repeat | On | PushBuckets | PopBuckets):
        return dataclasses.replace(step, body=change(step.body))
    return step


def expand_buckets(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """`steps` with the steps of each `PushBuckets` and `PopBuckets` in its place; unchanged steps are shared."""
    expanded: list[Step] = []
    for step in steps:
        if isinstance(step, PushBuckets | PopBuckets):
            expanded += step.body
            continue
        if isinstance(step, If):
            then, otherwise = expand_buckets(step.then), expand_buckets(step.otherwise)
            if then is not step.then or otherwise is not step.otherwise:
                step = dataclasses.replace(step, then=then, otherwise=otherwise)
        elif isinstance(step, While | Repeat | On):
            body = expand_buckets(step.body)
            step = step if body is step.body else dataclasses.replace(step, body=body)
        expanded.append(step)
    same = len(expanded) == len(steps) and all(new is old for new, old in zip(expanded, steps, strict=True))
    return steps if same else tuple(expanded)


def depth(part: object) -> int:
    """How deeply nodes are nested in `part`."""
    deepest, level = 0, [part]
    while level:
        level = [child for item in level for child in parts(item)]
        deepest += 1
    return deepest


def parts(item: object) -> list[object]:
    """The parts of a node or a tuple, including plain values."""
    if isinstance(item, Node):
        return [getattr(item, name) for name in _slots(type(item))]
    return list(item) if isinstance(item, tuple) else []


def rewrite(part: Part, change: Callable[[Any], Any]) -> Part:
    """`part` (a node, or tuples of nodes) with every node replaced by `change(node)`, the innermost first; unchanged
    parts are shared."""
    return _rewrite(part, change)  # type: ignore[return-value]


def _rewrite(part: object, change: Callable[[Any], Any]) -> object:
    if isinstance(part, Node):
        changed: dict[str, Any] = {}
        for name in _slots(type(part)):
            old = getattr(part, name)
            if isinstance(old, (Node, tuple)):
                new = _rewrite(old, change)
                if new is not old:
                    changed[name] = new
        return change(dataclasses.replace(part, **changed) if changed else part)
    if isinstance(part, tuple):
        items = tuple([_rewrite(item, change) for item in part])
        return part if all(new is old for new, old in zip(items, part, strict=True)) else items
    return part


Result = TypeVar("Result")


class Remembered:
    """A cache of answers about the functors of one program: many operators run the same functor, which may be long."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], tuple[object, Any]] = {}

    def __call__(self, ask: Callable[..., Result], part: object, *rest: Hashable) -> Result:
        """`ask(part, *rest)`. Parts are compared by identity: to compare their contents takes as long as to ask."""
        key = (ask, id(part), *rest)
        if key not in self._known:
            self._known[key] = (part, ask(part, *rest))  # holding the part keeps its identity from being reused
        answer: Result = self._known[key][1]
        return answer
