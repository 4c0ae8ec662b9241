"""Builds the syntax tree from Lark's parse tree: by the tables of `builder_expressions`, or the method of the rule."""

# ruff: noqa: D102 - each method is called like the grammar rule it is for
from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from lark import Token, v_args

from gdsl.diagnostics import Diagnostic
from gdsl.frontend import syntax
from gdsl.frontend.builder_expressions import LambdaBuilder, Part, span_of
from gdsl.operations import BinaryOperation, Domain, ReduceOperation
from gdsl.source import NOWHERE, Span


@v_args(meta=True)
class TreeBuilder(LambdaBuilder):
    """The rules of declarations and statements; the expressions are inherited."""

    # ------------------------------------------------------------ statements

    def let(self, meta: Any, children: list[Any]) -> syntax.Let:
        word, name, declared, value = children
        return syntax.Let(span_of(meta), str(name), span_of(name), declared, value, word == "var")

    def assign(self, meta: Any, children: list[Any]) -> syntax.Assign:
        any_winner = len(children) == 3
        return syntax.Assign(span_of(meta), self._target(children[0]), children[-1], any_winner)

    def update_statement(self, meta: Any, children: list[Any]) -> syntax.Update:
        target, operation, value = children
        return syntax.Update(span_of(meta), self._target(target), ReduceOperation(str(operation)), value)

    def short_assign(self, meta: Any, children: list[Any]) -> syntax.ShortAssign:
        target, sign, value = children
        operation = BinaryOperation(str(sign).removesuffix("="))
        return syntax.ShortAssign(span_of(meta), self._target(target), operation, value)

    def if_statement(self, meta: Any, children: list[Any]) -> syntax.If:
        condition, then, otherwise = children
        if isinstance(otherwise, syntax.If):
            otherwise = (otherwise,)
        return syntax.If(span_of(meta), condition, then, otherwise or ())

    def for_in(self, meta: Any, children: list[Any]) -> syntax.ForIn:
        first, second, value, body = children
        names = tuple(syntax.LoopName(span_of(name), str(name)) for name in (first, second) if name is not None)
        return syntax.ForIn(span_of(meta), names, value, body)

    def edge_frontier(self, meta: Any, children: list[Any]) -> syntax.FrontierDeclaration:
        *_, name, value = children
        return syntax.FrontierDeclaration(span_of(meta), str(name), span_of(name), value, domain=Domain.EDGE)

    def on(self, meta: Any, children: list[Any]) -> syntax.On:
        *_, name, body = children
        return syntax.On(span_of(meta), str(name), span_of(name), body)

    # ------------------------------------------------------------ problem data

    def declaration(self, meta: Any, children: list[Any]) -> syntax.Declaration:
        words = [str(child) for child in children if isinstance(child, Token) and child.type == "WORD"]
        kind, name, *others = children[len(words) :]
        count = others[0].content if isinstance(others[0], Part) else None
        declared, initial, where = others[-3:]
        self._check_words(words, str(kind), span_of(meta))
        return syntax.Declaration(
            span_of(meta),
            syntax.DeclarationKind(str(kind)),
            str(name),
            span_of(name),
            declared,
            initial,
            where,
            "input" in words,
            "local" in words,
            count,
        )

    def _check_words(self, words: list[str], kind: str, span: Span) -> None:
        for word in sorted(set(words)):
            if words.count(word) > 1:
                self.diagnostics.append(Diagnostic("E0224", f"`{word}` is written twice", span))
            if kind == "param":
                message = f"a param is not `{word}`"
                fix = "leave it out: a param is always read-only, from the caller, and no part of the result"
                self.diagnostics.append(Diagnostic("E0224", message, span, fix=fix))

    def problem(self, meta: Any, children: list[Any]) -> Part:
        return Part("problem", span_of(meta), tuple(children))

    def type_parameter(self, meta: Any, children: list[Any]) -> syntax.TypeDeclaration:
        _, name, class_name, default = children
        return syntax.TypeDeclaration(
            span_of(meta), str(name), span_of(name), default, str(class_name), span_of(class_name)
        )

    def type_alias(self, meta: Any, children: list[Any]) -> syntax.TypeDeclaration:
        _, name, target = children
        return syntax.TypeDeclaration(span_of(meta), str(name), span_of(name), target)

    def widened_type(self, meta: Any, children: list[Any]) -> syntax.TypeDeclaration:
        _, name, function, target = children
        if function != "wide":
            message = f"`{function}` gives no type"
            fix = f"write `type {name} = wide({target.name});` for the type of a sum of such values"
            self.diagnostics.append(Diagnostic("E0243", message, span_of(function), fix=fix))
        return syntax.TypeDeclaration(span_of(meta), str(name), span_of(name), target, widened=True)

    def requires(self, meta: Any, children: list[Any]) -> Part:
        words = tuple(syntax.Requirement(span_of(child), str(child)) for child in children if child is not None)
        return Part("requires", span_of(meta), words)

    # ------------------------------------------------------------ functors and functions

    def _functor(
        self, meta: Any, name: Token, parameters: Iterable[Token], others: list[Any], form: syntax.FunctorForm
    ) -> syntax.Functor:
        """A functor; `others` are its result, where one is written, and its parts."""
        result = next((other for other in others if isinstance(other, syntax.TypeName)), None)
        parts = self.parts_by_keyword([part for part in others if isinstance(part, Part)], f"the functor `{name}`")
        if form is syntax.FunctorForm.EDGE and result is not None:
            form = syntax.FunctorForm.VALUE
        self._check_parts(meta, name, parts, result, form)
        condition, body, value = (parts[word].content if word in parts else None for word in ("cond", "apply", "value"))
        return syntax.Functor(
            span_of(meta),
            str(name),
            span_of(name),
            form,
            tuple(syntax.ParameterName(span_of(token), str(token)) for token in parameters),
            condition,
            body or (),
            value,
            result,
        )

    def _check_parts(
        self,
        meta: Any,
        name: Token,
        parts: dict[str, Part],
        result: syntax.TypeName | None,
        form: syntax.FunctorForm,
    ) -> None:
        """Say which parts a functor of this form must not have, or lacks."""
        if form is syntax.FunctorForm.VOTE:
            for word in ("cond", "apply"):
                if word in parts:
                    message = f"the vote functor `{name}` has `{word}`"
                    fix = f"write `{form.text}`, with a condition in the value: `c ? x : y`"
                    self.diagnostics.append(Diagnostic("E0110", message, parts[word].span, fix=fix))
        else:
            self.refuse_apply_with_value(parts, f"the functor `{name}`")
        if ("value" in parts) != (result is not None) and not self.broken.touches(span_of(meta)):
            message = f"the functor `{name}` has " + ("`value` but no `-> type`" if result is None else "no `value`")
            fix = f"edge functor {name}(src, dst, e) -> type {{ value …; }}"
            if form is syntax.FunctorForm.COMMON:
                message, fix = f"the common functor `{name}` has a `value`", "write what it does in `apply { … }`"
            elif form is syntax.FunctorForm.VOTE:
                fix = form.text.replace(" f(", f" {name}(")
            self.diagnostics.append(Diagnostic("E0110", message, span_of(name), fix=fix))

    def functor_parameters(self, meta: Any, children: list[Any]) -> list[Token]:
        return children

    def vertex_functor(self, meta: Any, children: list[Any]) -> syntax.Functor:
        name, vertex, *others = children
        return self._functor(meta, name, (vertex,), others, syntax.FunctorForm.VERTEX)

    def edge_functor(self, meta: Any, children: list[Any]) -> syntax.Functor:
        name, source, destination, edge, *others = children
        return self._functor(meta, name, (source, destination, edge), others, syntax.FunctorForm.EDGE)

    def common_functor(self, meta: Any, children: list[Any]) -> syntax.Functor:
        _, name, parameters, *others = children
        if len(parameters) not in (3, 6):
            message = f"a common functor has the parameters `u, w, x` or `u, w, x, e, eu, ew`, not {len(parameters)}"
            fix = f"common functor {name}(u, w, x, e, eu, ew) {{ … }}"
            self.diagnostics.append(Diagnostic("E0110", message, span_of(name), fix=fix))
        return self._functor(meta, name, parameters, others, syntax.FunctorForm.COMMON)

    def vote_functor(self, meta: Any, children: list[Any]) -> syntax.Functor:
        _, name, parameters, *others = children
        if len(parameters) != 3:
            message = f"a vote functor has the parameters `v, key, total`, not {len(parameters)}"
            fix = f"vote functor {name}(v, key, total) -> T {{ value …; }}"
            self.diagnostics.append(Diagnostic("E0110", message, span_of(name), fix=fix))
        return self._functor(meta, name, parameters, others, syntax.FunctorForm.VOTE)

    def function_parameter(self, meta: Any, children: list[Any]) -> syntax.FunctionParameter:
        return syntax.FunctionParameter(span_of(meta), str(children[0]), children[1])

    def function(self, meta: Any, children: list[Any]) -> syntax.Function:
        name, *parameters, result, body = children
        names = tuple(parameter for parameter in parameters if parameter is not None)
        return syntax.Function(span_of(meta), str(name), span_of(name), names, result, body)

    def procedure_parameter(self, meta: Any, children: list[Any]) -> syntax.ProcedureParameter:
        name, kind, declared = children
        domain = Domain(str(kind)) if kind is not None else None
        return syntax.ProcedureParameter(span_of(name), str(name), declared, domain)

    def frontier_parameter(self, meta: Any, children: list[Any]) -> syntax.ProcedureParameter:
        name, *kind = children
        domain = Domain.EDGE if kind else Domain.VERTEX
        return syntax.ProcedureParameter(span_of(name), str(name), None, domain)

    def procedure(self, meta: Any, children: list[Any]) -> syntax.Procedure:
        name, *parameters, body = children
        named = tuple(parameter for parameter in parameters if parameter is not None)
        return syntax.Procedure(span_of(meta), str(name), span_of(name), named, body)

    def reduction_operator(self, meta: Any, children: list[Any]) -> syntax.Function:
        name, first, second, result, identity, body = children
        return syntax.Function(span_of(meta), str(name), span_of(name), (first, second), result, body, identity)

    # ------------------------------------------------------------ tuning

    def knob_word(self, meta: Any, children: list[Any]) -> str:
        return str(children[0])

    def knob_number(self, meta: Any, children: list[Any]) -> int | float:
        text = str(children[0])
        return int(text) if text.isdigit() and len(text) < 20 else float(text)

    def knob_argument(self, meta: Any, children: list[Any]) -> syntax.KnobArgument:
        return syntax.KnobArgument(span_of(meta), str(children[0]), children[1])

    def tune_subject(self, meta: Any, children: list[Any]) -> tuple[str | None, str]:
        first, second = children
        return (None, str(first)) if second is None else (str(first), str(second))

    def tune_entry(self, meta: Any, children: list[Any]) -> syntax.TuneEntry:
        (subject, knob), (value, *arguments) = children
        return syntax.TuneEntry(span_of(meta), subject, knob, value, tuple(arguments))

    def tune_switch(self, meta: Any, children: list[Any]) -> syntax.TuneEntry:
        return syntax.TuneEntry(span_of(meta), None, str(children[0]), str(children[1]))

    def tune(self, meta: Any, children: list[Any]) -> Part:
        return Part("tune", span_of(meta), tuple(children))

    # ------------------------------------------------------------ the program

    def import_part(self, meta: Any, children: list[Any]) -> syntax.Import:
        *names, path = children
        imported = tuple(syntax.ImportedName(span_of(name), str(name)) for name in names)
        return syntax.Import(span_of(meta), imported, str(path)[1:-1], span_of(path))

    def library(self, meta: Any, children: list[Any]) -> syntax.Program:
        return self._program(meta, children, is_library=True)

    def program(self, meta: Any, children: list[Any]) -> syntax.Program:
        return self._program(meta, children, is_library=False)

    def _program(self, meta: Any, children: list[Any], *, is_library: bool) -> syntax.Program:
        doc, name, *others = children
        parts = self.parts_by_keyword([part for part in others if isinstance(part, Part)], f"the program `{name}`")
        if "schedule" not in parts and not self.broken.parts and not is_library:
            message = f"the program `{name}` has no `schedule`"
            fix = "add `schedule { … }`, which says what runs in which order"
            self.diagnostics.append(Diagnostic("E0110", message, span_of(name), fix=fix))
        content = {keyword: part.content for keyword, part in parts.items()}
        data = content.get("problem", ())
        return syntax.Program(
            NOWHERE if meta.empty else span_of(meta),
            inspect.cleandoc(str(doc)[3:-3]) if doc is not None else "",
            str(name or ""),
            content.get("requires", ()),
            tuple(each for each in data if isinstance(each, syntax.Declaration)),
            tuple(part for part in others if isinstance(part, syntax.Functor)),
            tuple(part for part in others if isinstance(part, syntax.Function)),
            content.get("schedule", ()),
            content.get("tune", ()),
            tuple(part for part in others if isinstance(part, syntax.Procedure)),
            tuple(part for part in others if isinstance(part, syntax.Import)),
            tuple(each for each in (*others, *data) if isinstance(each, syntax.TypeDeclaration)),
        )
