"""Makes functors without a name from Lark's parse tree; each method is called like the rule it is for."""

# ruff: noqa: D102 - each method is called like the grammar rule it is for
from __future__ import annotations

from typing import Any, NamedTuple

from lark import Token, v_args

from gdsl.diagnostics import Diagnostic, Label
from gdsl.frontend import syntax
from gdsl.frontend.builder_expressions import ExpressionBuilder, span_of
from gdsl.source import Span


class Part(NamedTuple):
    """One `problem`, `schedule`, `tune` or `requires` of the program, or a `cond`, `apply` or `value` of a functor."""

    keyword: str
    span: Span
    content: Any


class _Block(NamedTuple):
    """What stands in the braces behind `=>`."""

    items: list[Any]


@v_args(meta=True)
class NamelessBuilder(ExpressionBuilder):
    """The rules of functors without a name, and of the items that all functors have."""

    def condition(self, meta: Any, children: list[Any]) -> Part:
        return Part("cond", span_of(meta), children[0])

    def apply(self, meta: Any, children: list[Any]) -> Part:
        return Part("apply", span_of(meta), children[0])

    def value(self, meta: Any, children: list[Any]) -> Part:
        return Part("value", span_of(meta), children[0])

    def once(self, parts: list[Part], where: str) -> dict[str, Part]:
        """The parts by their keyword; says so where there are two of one."""
        found: dict[str, Part] = {}
        for part in parts:
            if part.keyword in found:
                message = f"{where} has two `{part.keyword}` parts"
                first = Label(found[part.keyword].span, "the first")
                self.diagnostics.append(Diagnostic("E0110", message, part.span, (first,)))
            else:
                found[part.keyword] = part
        return found

    def one_task(self, parts: dict[str, Part], where: str) -> None:
        """Refuse `apply` and `value` in one functor."""
        if "value" in parts and "apply" in parts:
            message = f"{where} has `apply` and `value`"
            fix = "make two functors: one with `apply`, one with `value` for `neighbor_reduce`"
            self.diagnostics.append(Diagnostic("E0110", message, parts["value"].span, fix=fix))

    def nameless_body(self, meta: Any, children: list[Any]) -> syntax.Expression:
        return children[0]  # type: ignore[no-any-return]

    def nameless_block(self, meta: Any, children: list[Any]) -> _Block:
        return _Block(children)

    def nameless_argument(self, meta: Any, children: list[Any]) -> syntax.Argument:
        *before, _, body = children
        parameters = tuple(parameter for each in before for parameter in self._parameter(each))
        span = span_of(meta)
        if isinstance(body, _Block):
            return syntax.Argument(span, self._of_block(span, parameters, body.items))
        if isinstance(body, syntax.SetLiteral):
            if self.broken.touches(span):
                return syntax.Argument(span, syntax.Nameless(span, (), body))
            message = "in braces stand statements, or `cond`, `apply` and `value`, each with its `;`"
            fix = "write `=> condition`, or `=> { statement; }`"
            self.diagnostics.append(Diagnostic("E0110", message, body.span, fix=fix))
            parameters = ()
        return syntax.Argument(span, syntax.Nameless(span, parameters, body))

    def _parameter(self, given: Any) -> tuple[syntax.ParameterName, ...]:
        if isinstance(given, Token):
            return (syntax.ParameterName(span_of(given), str(given)),)
        if isinstance(given, syntax.Name) and not given.now:
            return (syntax.ParameterName(given.span, given.name),)
        message = "a name is expected here: what stands before `=>` are the parameters of a functor"
        fix = "write `v => …` or `(src, dst, e) => …`; at least as large is `>=`"
        self.diagnostics.append(Diagnostic("E0101", message, given.span, fix=fix))
        return ()

    def _of_block(self, span: Span, parameters: tuple[syntax.ParameterName, ...], items: list[Any]) -> syntax.Nameless:
        parts = self.once([item for item in items if isinstance(item, Part)], "this functor")
        self.one_task(parts, "this functor")
        statements = tuple(item for item in items if isinstance(item, syntax.Statement))
        if parts and statements:
            message = "statements beside the `cond`, `apply` or `value` of a functor"
            fix = "put them into its `apply { … }`"
            self.diagnostics.append(Diagnostic("E0110", message, statements[0].span, fix=fix))
        condition, body, value = (parts[word].content if word in parts else None for word in ("cond", "apply", "value"))
        return syntax.Nameless(span, parameters, None, condition, body or statements, value)
