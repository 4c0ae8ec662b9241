"""The messages of an exported program whose checks stop it: those of `gdsl.backends.failures`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gdsl.backends import failures
from gdsl.codegen.checks import CheckSite, CheckTable, Stop
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes as ir

_VALUE, _LENGTH = 987_654_321_987, 876_543_210_876
"""Numbers that no message contains, as placeholders for those of a run."""


@dataclass(frozen=True, slots=True)
class StopText:
    """One check: the number of its code, its message, and the message for negative values (`none` as an id).
    `unsigned_bits`: the bits of an unsigned index; 0: it is signed. `turned`: negative values are printed without their
    sign."""

    code: int
    message: str
    of_negative: str
    unsigned_bits: int
    turned: bool = False


def stop_texts(program: ir.Program, checks: CheckTable) -> Iterator[StopText]:
    """The checks of a program, in the order of their numbers."""
    for site in checks.sites:
        yield _stop_text(program, site)


def literal_of(text: str) -> str:
    """`text` as a string literal of C++."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("?", "\\?")
    return f'"{plain}"'


def number_of(code: str) -> int:
    """608 of E0608."""
    return int(code[1:])


def message_of(error: GdslError, program: ir.Program) -> str:
    """The message of a diagnostic, with its place if it has one."""
    (diagnostic,) = error.diagnostics
    span = diagnostic.span
    if span is None or not span.line:
        return diagnostic.message
    return f"{diagnostic.message} ({span.place_in(program.source_name)})"


def _stop_text(program: ir.Program, site: CheckSite) -> StopText:
    name, span, subject = program.source_name, site.span, site.subject
    value, length = f"{_VALUE:,}", _LENGTH
    error = {
        Stop.HISTORY: lambda: failures.history_error(name, span, subject, _VALUE, _LENGTH),
        Stop.WIDTH: lambda: failures.width_error(name, span, subject),
        Stop.PAIRS: lambda: failures.pairs_error(name, span, _VALUE),
        Stop.LEFT_OUT: lambda: failures.left_out(name, span, subject, _VALUE),
        Stop.INDEX: lambda: _index_error(program, site, value),
    }[site.stop]()
    message = _with_marks(message_of(error, program))
    of_negative = message
    if site.stop is Stop.PAIRS:
        of_negative = _with_marks(message_of(failures.pairs_error(name, span, -_VALUE), program))
    elif site.stop is Stop.INDEX and site.kind.is_id:
        of_negative = _with_marks(message_of(failures.out_of_range(name, span, subject, "none", length), program))
    bits = site.kind.bits if site.kind.is_integer and not site.kind.is_signed else None
    code = number_of(error.diagnostics[0].code)
    return StopText(code, message, of_negative, bits or 0, site.stop is Stop.PAIRS)


def _index_error(program: ir.Program, site: CheckSite, shown: str) -> GdslError:
    name = program.source_name
    if site.is_value:
        return failures.no_such_value(name, site.span, site.subject, shown, _LENGTH)
    if site.domain is None:
        return failures.no_such_place(name, site.span, site.subject, shown)
    return failures.out_of_range(name, site.span, site.subject, shown, _LENGTH)


def _with_marks(text: str) -> str:
    """`text` with {value} and {length} for the placeholders."""
    for number, mark in ((_VALUE, "{value}"), (_LENGTH, "{length}")):
        text = text.replace(f"{number:,}", mark).replace(str(number), mark)
    return text
