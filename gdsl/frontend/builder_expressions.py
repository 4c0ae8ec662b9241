"""Builds the expressions of the syntax tree, and lambdas, from Lark's parse tree: by tables, or by the method that is
called like the grammar rule."""

# ruff: noqa: D102 - each method is called like the grammar rule it is for

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from lark import Token, v_args
from lark.visitors import Transformer_NonRecursive

from gdsl.diagnostics import Diagnostic, Label
from gdsl.frontend import syntax
from gdsl.operations import BinaryOperation, Outcome, ReduceOperation, UnaryOperation
from gdsl.source import Span

LONGEST_RUN = 40
"""Up to this many operators in a row become nested nodes, which are easier to analyze than a chain."""
_LONGEST_NUMBER = 60
_LONGEST_NUMBER_SHOWN = 12


def span_of(place: Any) -> Span:
    """The span of a token or of a tree's position."""
    return Span(place.line, place.column, place.end_line, place.end_column)


def _whole_pair_fix(part: syntax.PairPart) -> str | None:
    """How to write the whole pair instead of one part of it; None where that is unclear."""
    pair, index = part.pair, ""
    if isinstance(pair, syntax.Index):
        indices = (pair.index, pair.place) if pair.place is not None else (pair.index,)
        index = "".join(f"[{each.name}]" if isinstance(each, syntax.Name) else "[…]" for each in indices)
    elif not isinstance(pair, syntax.Name):
        return None
    name = f"{pair.name}{index}"
    parts = ("…", f"{name}.1") if part.place == 0 else (f"{name}.0", "…")
    several = f"; one of several values is `{name}[{part.place}]`" if index.count("[") == 1 else ""
    return f"write the whole pair: `{name} = ({', '.join(parts)})`{several}"


_NODES: dict[str, Any] = {
    "accept": syntax.Accept,
    "argument": syntax.Argument,
    "break_loop": syntax.Break,
    "conditional": syntax.Conditional,
    "expression_statement": syntax.ExpressionStatement,
    "infinity": syntax.Infinity,
    "none": syntax.NoneLiteral,
    "pair": syntax.Pair,
    "repeat": syntax.Repeat,
    "return_value": syntax.Return,
    "while_loop": syntax.While,
}
"""The rules whose node has their parts, in the same order."""
_NAMED_NODES: dict[str, Any] = {
    "buckets": syntax.BucketsDeclaration,
    "for_range": syntax.For,
    "frontier": syntax.FrontierDeclaration,
    "graph": syntax.GraphDeclaration,
    "history": syntax.HistoryDeclaration,
}
"""Those whose first part is a name, which the node has with its place."""
_PARTS = {"apply": "apply", "condition": "cond", "extent": "extent", "schedule": "schedule", "value": "value"}
"""The rules of parts, and the keyword of each."""
_SEQUENCES = frozenset({"arguments", "block", "tune_value"})


@v_args(meta=True)
class ExpressionBuilder(Transformer_NonRecursive[Token, Any]):
    """The rules of expressions. Mistakes that the grammar lets through are collected in `diagnostics`."""

    def __init__(self, longest_run: int = LONGEST_RUN, broken: syntax.Broken | None = None) -> None:
        """`longest_run` operators of one level in a row become nested `Binary`s, more of them a `Chain`; `broken` says
        what the parser passed over."""
        super().__init__()
        self.broken = broken or syntax.Broken()
        self.diagnostics: list[Diagnostic] = []
        self._longest_run = longest_run
        self._rules: dict[str, Any] = {}
        self._parenthesized: dict[int, tuple[syntax.Expression, Span]] = {}
        """By identity: expressions that were written in parentheses, with the place of those."""

    def _call_userfunc(self, tree: Any, new_children: Any = None) -> Any:
        """As Lark does, which would bind and wrap the method of the rule at each call."""
        rule = self._rules.get(tree.data)
        if rule is None:
            rule = self._rules[tree.data] = self._rule(tree.data)
        return rule(tree.meta, tree.children if new_children is None else new_children)

    def _rule(self, name: str) -> Callable[[Any, list[Any]], Any]:
        """What builds the node of a rule: as a table says, or else the method of that name."""
        if (node := _NODES.get(name)) is not None:
            return lambda meta, children: node(span_of(meta), *children)
        if (named := _NAMED_NODES.get(name)) is not None:
            return lambda meta, children: named(span_of(meta), str(children[0]), span_of(children[0]), *children[1:])
        if (keyword := _PARTS.get(name)) is not None:
            return lambda meta, children: Part(keyword, span_of(meta), children[0])
        if name in _SEQUENCES:
            return lambda meta, children: tuple(child for child in children if child is not None)
        method: Callable[[Any, list[Any]], Any] = getattr(self, name)
        return method

    def _target(self, node: syntax.Expression) -> syntax.Name | syntax.Index:
        if isinstance(node, syntax.Name | syntax.Index) and not node.now:
            return node
        message, fix = "only a name or an element such as `a[v]` can be written", _element_fix(node)
        if isinstance(node, syntax.PairPart):
            message, fix = "one part of a pair cannot be assigned on its own", _whole_pair_fix(node)
        self.diagnostics.append(Diagnostic("E0214", message, node.span, fix=fix))
        return syntax.Name(node.span, "")

    def type_name(self, meta: Any, children: list[Any]) -> syntax.TypeName:
        return syntax.TypeName(span_of(meta), str(children[0]))

    def vertex_set(self, meta: Any, children: list[Any]) -> syntax.TypeName:
        return syntax.TypeName(span_of(meta), "vertex set")

    def pair_type(self, meta: Any, children: list[Any]) -> syntax.TypeName:
        first, second = children
        return syntax.TypeName(span_of(meta), f"({first.name}, {second.name})", (first, second))

    def binary(self, meta: Any, children: list[Any]) -> syntax.Expression:
        whole = span_of(meta)
        links = [
            syntax.Link(self._up_to(whole, operand), BinaryOperation(str(operation)), operand)
            for operation, operand in zip(children[1::2], children[2::2], strict=True)
        ]
        if len(links) > self._longest_run:
            return syntax.Chain(whole, children[0], tuple(links))
        left: syntax.Expression = children[0]
        for link in links:
            left = syntax.Binary(link.span, link.operation, left, link.operand)
        return left

    def _up_to(self, whole: Span, last: syntax.Expression) -> Span:
        """From the start of `whole` to the end of `last`, the parentheses around it included."""
        _, end = self._parenthesized.get(id(last), (last, last.span))
        return Span(whole.line, whole.column, end.end_line, end.end_column)

    def unary(self, meta: Any, children: list[Any]) -> syntax.Expression:
        operation, operand = children
        if operation == "-" and isinstance(operand, syntax.Number):
            return syntax.Number(span_of(meta), -operand.value)
        return syntax.Unary(span_of(meta), UnaryOperation(str(operation)), operand)

    def now(self, meta: Any, children: list[Any]) -> syntax.Expression:
        operand = children[0]
        if isinstance(operand, syntax.Name):
            return syntax.Name(span_of(meta), operand.name, now=True)
        if isinstance(operand, syntax.Index):
            return dataclasses.replace(operand, span=span_of(meta), now=True)
        if isinstance(operand, syntax.PairPart):  # `now a[v].0` is the part of `now a[v]`
            return syntax.PairPart(span_of(meta), self.now(meta, [operand.pair]), operand.place)
        message = "`now` is followed by an element such as `now a[v]`, or by a scalar"
        self.diagnostics.append(Diagnostic("E0101", message, operand.span))
        return operand  # type: ignore[no-any-return]

    def index(self, meta: Any, children: list[Any]) -> syntax.Expression:
        array, index = children
        if isinstance(array, syntax.Name):
            return syntax.Index(span_of(meta), array.name, array.span, index)
        if isinstance(array, syntax.Index) and array.place is None and not array.now:
            return dataclasses.replace(array, span=span_of(meta), place=index)
        message = "only an array can be indexed, by an element and where it has several values by one of them"
        self.diagnostics.append(Diagnostic("E0204", message, array.span))
        wrong: syntax.Expression = array if isinstance(array, syntax.Index) else index
        return wrong

    def pair_part(self, meta: Any, children: list[Any]) -> syntax.PairPart:
        pair, place = children
        number = self._number(meta, str(place), 10)
        return syntax.PairPart(span_of(meta), pair, int(number.value))

    def member(self, meta: Any, children: list[Any]) -> syntax.Member:
        owner, name = children
        return syntax.Member(span_of(meta), owner, str(name))

    def method(self, meta: Any, children: list[Any]) -> syntax.Method:
        owner, name, arguments = children
        return syntax.Method(span_of(meta), owner, str(name), span_of(name), arguments)

    def call(self, meta: Any, children: list[Any]) -> syntax.Call:
        function, arguments, label = children
        name = None if label is None else str(label)
        return syntax.Call(span_of(meta), str(function), span_of(function), arguments, name)

    def keyword_argument(self, meta: Any, children: list[Any]) -> syntax.Argument:
        return syntax.Argument(span_of(meta), children[1], str(children[0]))

    def update_value(self, meta: Any, children: list[Any]) -> syntax.UpdateValue:
        outcome, target, operation, value = children
        start, end = target.span, value.span
        span = Span(start.line, start.column, end.end_line, end.end_column)
        update = syntax.Update(span, self._target(target), ReduceOperation(str(operation)), value)
        return syntax.UpdateValue(span_of(meta), Outcome(str(outcome)), update)

    def compare_and_swap(self, meta: Any, children: list[Any]) -> syntax.CompareAndSwap:
        return syntax.CompareAndSwap(span_of(meta), self._target(children[0]), children[1], children[2])

    def name(self, meta: Any, children: list[Any]) -> syntax.Name:
        return syntax.Name(span_of(meta), str(children[0]))

    def _number(self, meta: Any, token: str, base: int) -> syntax.Number:
        if len(token) > _LONGEST_NUMBER:
            shown = token[:_LONGEST_NUMBER_SHOWN] + "…"
            self.diagnostics.append(Diagnostic("E0109", f"the number {shown} has too many digits", span_of(meta)))
            return syntax.Number(span_of(meta), 0)
        if base == 10 and len(token) > 1 and token.startswith("0"):
            message = f"{token} begins with 0, which some languages read as octal"
            fix = f"write {int(token)}"
            self.diagnostics.append(Diagnostic("E0109", message, span_of(meta), fix=fix))
        return syntax.Number(span_of(meta), int(token, base))

    def integer(self, meta: Any, children: list[Any]) -> syntax.Number:
        return self._number(meta, str(children[0]), 10)

    def hexadecimal(self, meta: Any, children: list[Any]) -> syntax.Number:
        return self._number(meta, str(children[0]), 16)

    def float(self, meta: Any, children: list[Any]) -> syntax.Number:
        token = str(children[0])
        value = float(token)
        if math.isinf(value):
            shown = token if len(token) <= _LONGEST_NUMBER else token[:_LONGEST_NUMBER_SHOWN] + "…"
            message = f"the number {shown} is larger than any float"
            self.diagnostics.append(Diagnostic("E0109", message, span_of(meta), fix="write `inf` for infinity"))
            return syntax.Number(span_of(meta), 0.0)
        return syntax.Number(span_of(meta), value)

    def boolean(self, meta: Any, children: list[Any]) -> syntax.Boolean:
        return syntax.Boolean(span_of(meta), children[0] == "true")

    def parenthesized(self, meta: Any, children: list[Any]) -> syntax.Expression:
        inner: syntax.Expression = children[0]
        self._parenthesized[id(inner)] = (inner, span_of(meta))
        return inner

    def set_literal(self, meta: Any, children: list[Any]) -> syntax.SetLiteral:
        return syntax.SetLiteral(span_of(meta), tuple(child for child in children if child is not None))


def _element_fix(node: syntax.Expression) -> str | None:
    """What `v.level` and `level(v)` are called here, where they are written."""
    if isinstance(node, syntax.Member) and isinstance(node.owner, syntax.Name):
        return f"write `{node.name}[{node.owner.name}]`"
    if isinstance(node, syntax.Call) and len(node.arguments) == 1:
        (argument,) = node.arguments
        return f"write `{node.function}[{argument.value.name}]`" if isinstance(argument.value, syntax.Name) else None
    return None


class Part(NamedTuple):
    """One `problem`, `schedule`, `tune` or `requires` of the program, or a `cond`, `apply` or `value` of a functor."""

    keyword: str
    span: Span
    content: Any


class _Block(NamedTuple):
    """The content of the braces after `=>`."""

    items: list[Any]


@v_args(meta=True)
class LambdaBuilder(ExpressionBuilder):
    """The rules of functors without a name, and of the items that all functors have."""

    def parts_by_keyword(self, parts: list[Part], where: str) -> dict[str, Part]:
        """The parts by their keyword; reports a part that is repeated."""
        named_parts: dict[str, Part] = {}
        for part in parts:
            if part.keyword in named_parts:
                message = f"{where} has two `{part.keyword}` parts"
                first = Label(named_parts[part.keyword].span, "the first")
                fix = "join the two by `&&`" if part.keyword == "cond" else "write all of it into one"
                self.diagnostics.append(Diagnostic("E0110", message, part.span, (first,), fix=fix))
            else:
                named_parts[part.keyword] = part
        return named_parts

    def refuse_apply_with_value(self, parts: dict[str, Part], where: str) -> None:
        """Refuse `apply` and `value` in one functor."""
        if "value" in parts and "apply" in parts:
            message = f"{where} has `apply` and `value`"
            fix = "make two functors: one with `apply`, one with `value` for `neighbor_reduce`"
            self.diagnostics.append(Diagnostic("E0110", message, parts["value"].span, fix=fix))

    def lambda_body(self, meta: Any, children: list[Any]) -> syntax.Expression:
        return children[0]  # type: ignore[no-any-return]

    def lambda_block(self, meta: Any, children: list[Any]) -> _Block:
        return _Block(children)

    def lambda_argument(self, meta: Any, children: list[Any]) -> syntax.Argument:
        *before, _, body = children
        parameters = tuple(parameter for each in before for parameter in self._parameter(each))
        span = span_of(meta)
        if isinstance(body, _Block):
            return syntax.Argument(span, self._of_block(span, parameters, body.items))
        if isinstance(body, syntax.SetLiteral):
            if self.broken.touches(span):
                return syntax.Argument(span, syntax.Lambda(span, (), body))
            message = "braces contain statements, or `cond`, `apply` and `value`, each with its `;`"
            fix = "write `=> condition`, or `=> { statement; }`"
            self.diagnostics.append(Diagnostic("E0110", message, body.span, fix=fix))
            parameters = ()
        return syntax.Argument(span, syntax.Lambda(span, parameters, body))

    def _parameter(self, node: Any) -> tuple[syntax.ParameterName, ...]:
        if isinstance(node, Token):
            return (syntax.ParameterName(span_of(node), str(node)),)
        if isinstance(node, syntax.Name) and not node.now:
            return (syntax.ParameterName(node.span, node.name),)
        message = "a name is expected here: the parameters of a functor are written before `=>`"
        fix = "write `v => …` or `(src, dst, e) => …`; at least as large is `>=`"
        self.diagnostics.append(Diagnostic("E0101", message, node.span, fix=fix))
        return ()

    def _of_block(self, span: Span, parameters: tuple[syntax.ParameterName, ...], items: list[Any]) -> syntax.Lambda:
        parts = self.parts_by_keyword([item for item in items if isinstance(item, Part)], "this functor")
        self.refuse_apply_with_value(parts, "this functor")
        statements = tuple(item for item in items if isinstance(item, syntax.Statement))
        if parts and statements:
            message = "statements next to the `cond`, `apply` or `value` of a functor"
            fix = "put them into its `apply { … }`"
            self.diagnostics.append(Diagnostic("E0110", message, statements[0].span, fix=fix))
        condition, body, value = (parts[word].content if word in parts else None for word in ("cond", "apply", "value"))
        return syntax.Lambda(span, parameters, None, condition, body or statements, value)
