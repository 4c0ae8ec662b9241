"""The messages of the E03 family."""

from __future__ import annotations

from gdsl.diagnostics import Diagnostic, Label
from gdsl.frontend.races.calls import Calls, Read, Write
from gdsl.frontend.races.terms import UNIT, Element, End, Place, ScalarRead, Term, Unknown, inside
from gdsl.frontend.races.words import meeting, text
from gdsl.source import Source, Span
from gdsl.types import ScalarType


class Report:
    """Collects the diagnostics of one operator call; the same mistake at a second call is said once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []
        self._said: set[tuple[str, Span]] = set()

    def add(self, diagnostic: Diagnostic) -> None:
        """Keep a message unless its place has one of the same code already."""
        assert diagnostic.span is not None
        if (diagnostic.code, diagnostic.span) not in self._said:
            self._said.add((diagnostic.code, diagnostic.span))
            self.diagnostics.append(diagnostic)

    def words_at(self, span: Span) -> str:
        """The program's text at `span`, if it is on one line."""
        line = self.source.line(span.line)
        end = span.end_column - 1 if span.end_line == span.line else len(line)
        return line[span.column - 1 : end].strip().rstrip(";")


def _site(calls: Calls) -> str:
    return f"in `{calls.call.kind.value}(…)` of line {calls.call.span.line}"


def differing_stores(report: Report, calls: Calls, first: Write, second: Write) -> None:
    """E0301: `x = y` where several calls can address the element with different values."""
    met = meeting(calls, first.index, second.index)
    reason = varying(calls, first) if first is second else None
    note = f"the value depends on {reason}" if reason else "the two statements store different values"
    if first is not second:
        reason = varying(calls, first) or varying(calls, second)
        note = f"the value depends on {reason}" if reason else note
    labels = () if first is second else (Label(second.span, "the other store"),)
    report.add(
        Diagnostic(
            "E0301",
            f"{met.first} and {met.second} both store into {met.place(first.name)}, and the values may differ",
            first.span,
            labels,
            _notes(met.where, note, _site(calls)),
            _store_fix(first, report.words_at(first.target)),
            "which one stays depends on the order",
        )
    )


def varying(calls: Calls, write: Write) -> str | None:
    """What in a stored value is not the same for all calls that store into the element, in words."""
    for part in inside(write.value):
        simple = isinstance(part, End | Place | Unknown | ScalarRead) or (isinstance(part, Element) and part.read)
        if simple and not calls.determined(part, write.index):
            return f"`{text(calls, part)}`"
    return None


def _store_fix(write: Write, target: str) -> str:
    index = target[len(write.name) :] if target.startswith(write.name) else ""
    ordered = "" if write.type is ScalarType.BOOL else "`min=` or `max=` picks by value; "
    return (
        f"`{target} any= …` lets any of the writers win; {ordered}a store under `if (cas(x{index}, old, new))` has a "
        "single writer"
    )


def mixed_writes(report: Report, calls: Calls, first: Write, second: Write) -> None:
    """E0303: two kinds of writes to one array whose order matters."""
    met = meeting(calls, first.index, second.index)
    report.add(
        Diagnostic(
            "E0303",
            f"{met.first} writes {met.place(first.name)} by `{first.form}` and {met.second} writes it by "
            f"`{second.form}`: the result depends on which comes first",
            first.span,
            (Label(second.span, "the other write"),),
            _notes(met.where, _site(calls)),
            f"use one form for all writes to `{first.name}` in this functor, or move one of them to a second operator",
            f"`{first.form}` here",
        )
    )


def not_single(report: Report, calls: Calls, write: Write, cas: Write, reason: str) -> None:
    """E0306: a store under a `cas` that does not make it the only one."""
    met = meeting(calls, write.index, write.index)
    index = "" if write.is_scalar else report.words_at(write.target)[len(write.name) :]
    report.add(
        Diagnostic(
            "E0306",
            f"{met.first} and {met.second} may both store into {met.place(write.name)}: {reason}",
            write.span,
            (Label(cas.span, "this `cas`"),),
            _notes(met.where, _site(calls)),
            f"`if (cas(x{index}, old, new))` at the index of the store, with an `old` that is the same for all calls "
            f"and a `new` that differs from it; or `{report.words_at(write.target)} any= …`",
            "not a single writer",
        )
    )


def forbidden_read(report: Report, calls: Calls, read: Read, write: Write, in_closing: str | None) -> None:
    """E0302: a read of what another call of the same operator may write."""
    met = meeting(calls, write.index, read.index)
    words = report.words_at(read.span)
    what = f"`{read.name}` is a scalar" if read.index == UNIT else "the two"
    note = f"{what} may come in any order" if read.index != UNIT else "all calls of the operator share the scalar"
    report.add(
        Diagnostic(
            "E0302",
            f"{met.first} writes {met.place(write.name)}, which {met.second} reads",
            read.span,
            (Label(write.span, "the write"),),
            _notes(met.where, note, in_closing, _site(calls)),
            _read_fix(calls, read, write, words),
            "before or after that write?",
        )
    )


def _read_fix(calls: Calls, read: Read, write: Write, words: str) -> str:
    fixes = [f"write into a second {'scalar' if read.index == UNIT else 'array'} and use it in the next operator"]
    stores = all(found.form in ("=", "any=", "cas") and found.index == read.index for found in calls.written(read.name))
    if read.in_condition and stores:
        fixes.insert(0, "store what makes the test false for certain, such as a literal or `iteration + 1`")
    if not read.in_condition and write.form in ("min=", "max=", "|=", "&="):
        fixes.insert(0, f"use it only in the operand or index of `{write.name}[…] {write.form} …`")
    fixes.append(f"`now {words}` takes any value from before or during the operator (the result is then not unique)")
    return "; or ".join(fixes)


def in_closing_functor(report: Report, calls: Calls, write: Write, closed: str, key: Term, reason: str) -> None:
    """E0304: a statement whose effect depends on how many edges still run `apply`."""
    met = meeting(calls, key, key)
    fix = "move it to a second operator, or let one call do it: `if (cas(…)) { … }`"
    if reason.startswith("which"):
        fix += f", or say `{report.words_at(write.target)} any= …`"
    if write.form == "|=":
        fix = f"`{report.words_at(write.target)} = true` stores the same value for all; " + fix
    report.add(
        Diagnostic(
            "E0304",
            f"`{calls.functor.name}` closes: {met.first} may end the run of {met.second}, so {reason}",
            write.span,
            (),
            _notes(f"after the write to {met.place(closed)} its `cond` is false", _site(calls)),
            fix,
            "may or may not run",
        )
    )


def accept_in_closing(report: Report, calls: Calls, span: Span, closed: str, key: Term, reason: str) -> None:
    """E0305: an `accept` that depends on which edges still run `apply`."""
    met = meeting(calls, key, key)
    report.add(
        Diagnostic(
            "E0305",
            f"`{calls.functor.name}` closes: {met.first} may end the run of {met.second}, and {reason}",
            span,
            (),
            _notes(f"after the write to {met.place(closed)} its `cond` is false", _site(calls)),
            "accept what depends on that vertex alone (or nothing: `to=none`), and decide the rest in a `filter` "
            "behind it",
            "depends on the order",
        )
    )


def _notes(*notes: str | None) -> tuple[str, ...]:
    return tuple(note for note in notes if note)
