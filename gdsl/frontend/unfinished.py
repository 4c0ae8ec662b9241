"""Forms of the language with something missing or something too much: what belongs there."""

from __future__ import annotations

import re
from collections.abc import Callable

from gdsl.diagnostics import Diagnostic
from gdsl.frontend.failures import Failure
from gdsl.frontend.vocabulary import TYPES
from gdsl.source import Source

_TYPE_OF_LOCAL = re.compile(r"\s*(let|var)\s+(\w+)\s*(?::\s*(\w+)\s*)?$")
_TYPE_OF_DATA = re.compile(r"\s*(?:(?:input|local)\s+)*(param|vertex|edge|scalar)\s+(\w+)\s*$")
_FUNCTOR = re.compile(r"\s*(vertex|edge)\s+functor\s+(\w+)\s*(\([^()]*)?$")
_FUNCTION = re.compile(r"\s*function\s+(\w+)\s*\((.*)$", re.DOTALL)
_BEGIN_STATEMENTS = ("NAME", "IF", "FOR", "WHILE", "LET", "VAR", "ACCEPT")
_ZEROS = {"bool": "false", "vertex": "none", "edge": "none"}


def unfinished_form(failure: Failure, source: Source) -> Diagnostic | None:
    """The message where a form lacks something or has something too much; None where nothing is known."""
    return next((found for form in _FORMS if (found := form(failure)) is not None), None)


def _unexpected(failure: Failure, message: str, fix: str) -> Diagnostic:
    return Diagnostic("E0101", message, failure.span, fix=fix)


def _local(failure: Failure) -> Diagnostic | None:
    """`let x;`, `var x : int32;`, `let x, y = 3;`."""
    local = _TYPE_OF_LOCAL.match(failure.line_before)
    if local is None:
        return None
    word, name, type_ = local.groups()
    if failure.text == ",":
        return _unexpected(failure, f"one `{word}` declares one name", f"write a `{word}` for each")
    if failure.text != ";" or (type_ is not None and type_ not in TYPES):
        return None
    typed = f" : {type_}" if type_ else ""
    zero = _ZEROS.get(type_ or "", "0.0" if (type_ or "").startswith("float") else "0")
    return _unexpected(failure, f"`{name}` has no value", f"write for example `{word} {name}{typed} = {zero};`")


def _data(failure: Failure) -> Diagnostic | None:
    """`vertex x;`, `vertex x = 3;`, `vertex x, y : int32;`, `vertex x : int32[3];`."""
    data = _TYPE_OF_DATA.match(failure.line_before)
    if data is None or "COLON" not in failure.expected:
        return None
    kind, name = data.groups()
    if failure.text == ",":
        return _unexpected(failure, "a declaration has one name", f"write a line for each: `{kind} {name} : …;`")
    if failure.text in (";", "="):
        return _unexpected(
            failure, f"`{name}` has no type", f"write for example `{kind} {name} : int32{_rest(failure)}`"
        )
    return None


def _rest(failure: Failure) -> str:
    return ";" if failure.text == ";" else " = …;"


def _functor_head(failure: Failure) -> Diagnostic | None:
    begun = re.match(r"\s*(vertex|edge)\s*$", failure.line_before)
    if failure.expected == {"FUNCTOR"} and begun is not None and failure.near_word() is None:
        return _unexpected(failure, "`functor` is missing", f"write `{begun[1]} functor {failure.text}`")
    head = _FUNCTOR.match(failure.line_before)
    if head is None or failure.kind == "NAME":
        return None
    kind, name, _ = head.groups()
    wanted = f"{kind} functor {name}({'v' if kind == 'vertex' else 'src, dst, e'}) {{ … }}"
    if failure.text == ":":
        return _unexpected(failure, "the parameters of a functor have no types", f"write `{wanted}`")
    if failure.text in (",", ")", "{"):
        count = "one parameter, the vertex" if kind == "vertex" else "three parameters, both ends and the edge"
        return _unexpected(
            failure, f"{'a' if kind == 'vertex' else 'an'} {kind} functor has {count}", f"write `{wanted}`"
        )
    return None


def _functor_body(failure: Failure) -> Diagnostic | None:
    """A statement where `cond` and `apply` stand, or these among statements."""
    if {"APPLY", "COND"} <= failure.expected and failure.kind in _BEGIN_STATEMENTS and failure.near_word() is None:
        fix = "put the statements into `apply { … }`"
        if failure.text in ("schedule", "problem", "tune"):
            return _unexpected(failure, "a block before this does not end", "close it with `}` before this")
        return _unexpected(failure, "a functor is made of `cond`, `apply` and `value`", fix)
    if failure.line_before.strip() == "cond" and "UPDATE" in failure.expected and failure.kind != "EQUAL":
        fix = "put it before `apply`, or decide here by `if (…) { … }`"
        return Diagnostic("E0101", "`cond` among the statements of a block", failure.before_span, fix=fix)
    if failure.before == "apply" and failure.text == "{" and "UPDATE" in failure.expected:
        return Diagnostic("E0101", "`apply` in a block", failure.before_span, fix="a functor has one `apply`")
    return None


def _function_head(failure: Failure) -> Diagnostic | None:
    head = _FUNCTION.match(failure.line_before)
    if head is None:
        return None
    name, given = head.groups()
    if failure.expected == {"COLON"}:
        return _unexpected(failure, f"`{failure.before}` has no type", f"write for example `{failure.before} : int32`")
    if failure.text in (":", "{") and given.rstrip().endswith(")"):
        fix = f"write for example `function {name}({given.rstrip()} -> int32`"
        return _unexpected(failure, "the type of the result stands behind `->`", fix)
    return None


def _too_much(failure: Failure) -> Diagnostic | None:
    """`;;`, a `)` or `]` that closes nothing, a comma behind the last."""
    if failure.text == ";" and not failure.line_before.strip():
        return _unexpected(failure, "a `;` that ends nothing", "leave it out")
    if failure.text in (")", "]") and "SEMICOLON" in failure.expected:
        return _unexpected(failure, f"a `{failure.text}` that closes nothing", "leave it out")
    if failure.before == "," and failure.text in (")", "}"):
        return Diagnostic("E0101", "a comma behind the last", failure.before_span, fix="leave it out")
    if failure.text in ("=", ";", ")") and "RSQB" in failure.expected:
        return _unexpected(failure, "a `]` is missing", "close the bracket before this")
    return None


def _too_few(failure: Failure) -> Diagnostic | None:
    """`a ? b;`, `accept;`, `return;`, `x = y = 1;`, `a, b = 1, 2;`."""
    if failure.text == ";" and failure.expected & {"COLON"} and "?" in failure.line_before:
        asked = failure.line_before.rsplit("\n", 1)[-1].strip()
        return _unexpected(failure, "a choice has two sides", f"write `{asked.removeprefix('= ')} : …`")
    if failure.text == ";" and failure.before in ("accept", "return"):
        fixes = {
            "accept": "write `accept true;`",
            "return": "in a function give its value; in a functor put what stands behind it under an `if`",
        }
        return _unexpected(failure, f"`{failure.before}` has a value", fixes[failure.before])
    assigned = re.search(r"(?<![=<>!])=(?!=)\s*(\S.*)$", failure.line_before)
    if failure.text == "=" and failure.kind == "EQUAL" and assigned:
        value = assigned[1].strip()
        return _unexpected(failure, "an assignment has one target", f"write two: `{value} = …; … = {value};`")
    if failure.text == "," and "UPDATE" in failure.expected:
        return _unexpected(failure, "a statement assigns to one thing", "write a statement for each")
    return None


_FORMS: tuple[Callable[[Failure], Diagnostic | None], ...] = (
    _local,
    _data,
    _functor_head,
    _functor_body,
    _function_head,
    _too_few,
    _too_much,
)
