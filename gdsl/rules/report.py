"""The messages of the E03 family."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from gdsl.diagnostics import Diagnostic, Label
from gdsl.effects.summary import Effects, Read, Write
from gdsl.effects.terms import ElementTerm, Term, inside, parts
from gdsl.ir import nodes
from gdsl.rules.fixes import fix_of_read, fix_of_store, holds
from gdsl.rules.rewrites import fix_in_closing, fix_of_accept, fix_of_mixture, fix_of_waiting, fix_under_cas
from gdsl.rules.suggestions import Suggested
from gdsl.rules.wording import meeting, text
from gdsl.source import Source, Span

MOST_PLACES = 100
"""The most places that are reported for one program: suggestions take time, and more would not be read."""


class Closed(Protocol):
    """What closes a functor: see `gdsl.rules.closing.Closes`."""

    @property
    def name(self) -> str:
        """The name of the array that closes."""
        ...

    @property
    def key(self) -> Term:
        """The index at which it closes."""
        ...


class Report:
    """Collects the diagnostics of a program; the same mistake at a second operator is said once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []
        self.in_loops: frozenset[int] = frozenset()
        """The sites of the operators that a loop of the schedule repeats."""
        self.initials: Mapping[str, object] = {}
        """The initial values of the program's data."""
        self._said: set[tuple[str, Span]] = set()
        self._conflicts: dict[tuple[tuple[Span, str], str], int] = {}
        self._words = frozenset(re.findall(r"\w+", source.text))

    @property
    def is_full(self) -> bool:
        """Whether no further place is reported."""
        return len(self._said) >= MOST_PLACES

    def add(self, diagnostic: Diagnostic, conflict: tuple[Span, str] | None = None) -> None:
        """Keep a message unless its place already has one with the same code. Messages about one `conflict` (the
        operator and the data) that one fix resolves are merged: the places of the others become further places of the
        first."""
        assert diagnostic.span is not None
        place = diagnostic.span.written
        if (diagnostic.code, place) in self._said:
            return
        self._said.add((diagnostic.code, place))
        if conflict is not None and diagnostic.fix is not None:
            key = ((conflict[0].written, conflict[1]), diagnostic.fix)
            if key in self._conflicts:
                self._join(self._conflicts[key], diagnostic)
                return
            self._conflicts[key] = len(self.diagnostics)
        self.diagnostics.append(diagnostic)

    def _join(self, number: int, other: Diagnostic) -> None:
        first = self.diagnostics[number]
        assert other.span is not None
        if first.code == other.code and first.span != other.span:
            label = Label(other.span, "and here")
            self.diagnostics[number] = replace(first, labels=(*first.labels, label))

    def refused(self, code: str, span: Span) -> bool:
        """Whether there is a message of this code at this place."""
        return (code, span) in self._said

    def words_at(self, span: Span) -> str:
        """The program's text at `span` on one line; `…` where it is too long to be repeated."""
        return self.source.excerpt(span) or "…"

    def suggested(self, effects: Effects) -> Suggested:
        """What can be written instead in the functor of `effects`."""
        return Suggested(effects, self.source, self.initials, effects.operator.site in self.in_loops)

    def free_name(self, word: str) -> str:
        """`word`, or what can be declared in its place where the program has it."""
        return word if word not in self._words else self.free_name(f"{word}_here")


def _site(effects: Effects) -> str:
    return f"in `{effects.operator.word}(…)` of {effects.operator.span.words}"


def _notes(*notes: str | None) -> tuple[str, ...]:
    return tuple(note for note in notes if note)


def differing_stores(report: Report, effects: Effects, first: Write, second: Write) -> None:
    """E0301: `x = y` where several calls can address the element with different values."""
    if report.is_full:
        return
    met = meeting(effects, first.index, second.index)
    reason = varying(effects, first)
    if reason is None and first is not second:
        reason = varying(effects, second)
    note = f"the value depends on {reason}" if reason else "the two statements store different values"
    labels = () if first is second else (Label(second.span, "the other store"),)
    report.add(
        Diagnostic(
            "E0301",
            f"{met.first} and {met.second} both store into {met.place(first.name)}, and the values may differ",
            first.span,
            labels,
            _notes(met.where, note, _site(effects)),
            fix_of_store(effects, first, report.words_at, report.free_name("taken")),
            "which one stays depends on the order",
            suggestions=report.suggested(effects).of_store(first, report.free_name("taken")),
        ),
        (effects.operator.span, first.name),
    )


def varying(effects: Effects, write: Write) -> str | None:
    """What in a stored value is not the same for all calls that store into the element, in words."""
    for part in inside(write.value):
        read = isinstance(part, ElementTerm) and part.read
        if (read or not parts(part)) and not effects.determined(part, write.index):
            return f"`{text(effects, part)}`"
    return None


def mixed_writes(report: Report, effects: Effects, first: Write, second: Write) -> None:
    """E0303: two kinds of writes to one array whose order matters."""
    if report.is_full:
        return
    met = meeting(effects, first.index, second.index)
    report.add(
        Diagnostic(
            "E0303",
            f"{met.first} writes {met.place(first.name)} by `{first.form}` and {met.second} writes it by "
            f"`{second.form}`: the result depends on which comes first",
            first.span,
            (Label(second.span, "the other write"),),
            _notes(met.where, _site(effects)),
            fix_of_mixture(effects, first, second, report.words_at),
            f"`{first.form}` here",
        )
    )


OTHER_INDEX = "the `cas` is on another index"


def not_single(report: Report, effects: Effects, write: Write, cas: Write, reason: str) -> None:
    """E0306: a store under a `cas` that does not guarantee a single store."""
    if report.is_full:
        return
    met = meeting(effects, write.index, write.index)
    report.add(
        Diagnostic(
            "E0306",
            f"{met.first} and {met.second} may both store into {met.place(write.name)}: {reason}",
            write.span,
            (Label(cas.span, "this `cas`"),),
            _notes(met.where, _site(effects)),
            fix_under_cas(effects, write, cas, reason == OTHER_INDEX, report.words_at, report.free_name("taken")),
            "not a single writer",
        )
    )


def forbidden_read(report: Report, effects: Effects, read: Read, write: Write) -> None:
    """E0302: a read of what another call of the same operator may write, except for `x /= y` whose store was
    refused."""
    if report.is_full:
        return
    if any(own.target == read.span and report.refused("E0301", own.span) for own in effects.written(read.name)):
        return
    if effects.joins(read.name):
        _read_of_joined(report, effects, read, write)
        return
    met = meeting(effects, write.index, read.index)
    scalar = effects.is_scalar(read)
    note = "all calls of the operator share the scalar" if scalar else "the two may come in any order"
    closing = "`cond` may test it only where the write certainly makes that test false" if read.in_condition else None
    report.add(
        Diagnostic(
            "E0302",
            f"{met.first} writes {met.place(write.name)}, which {met.second} reads",
            read.span,
            (Label(write.span, "the write"),),
            _notes(met.where, note, closing, _site(effects)),
            fix_of_read(effects, read, write, report.words_at),
            "before or after that write?",
            suggestions=report.suggested(effects).of_read(read),
        ),
        (effects.operator.span, read.name),
    )


def _read_of_joined(report: Report, effects: Effects, read: Read, write: Write) -> None:
    """E0302: a read of labels that calls of the same operator join."""
    words = report.words_at(read.span)
    report.add(
        Diagnostic(
            "E0302",
            f"`{words}` reads a label of sets that other calls of this operator join",
            read.span,
            () if holds(write.span, read.span) else (Label(write.span, "this joins them"),),
            (_site(effects),),
            f"`now {words}` is any label from before or after; or read it in the next operator",
            "before or after that?",
            suggestions=tuple(report.suggested(effects).of_joined(read)),
        )
    )


def in_closing_functor(
    report: Report, effects: Effects, closed: Closed, moving: Sequence[Write], write: Write, reason: str
) -> None:
    """E0304: a statement whose effect depends on how many edges still run `apply`; `moving` has all of these."""
    if report.is_full:
        return
    met = meeting(effects, closed.key, closed.key)
    looped = effects.operator.site in report.in_loops
    report.add(
        Diagnostic(
            "E0304",
            f"`{effects.functor.name}` closes: {met.first} may end the run of {met.second}, so {reason}",
            write.span,
            (),
            _notes(f"after the write to {met.place(closed.name)} its `cond` is false", _site(effects)),
            fix_in_closing(effects, closed.name, moving, looped, report.words_at),
            "may or may not run",
        ),
        (effects.operator.span, closed.name),
    )


def accept_in_closing(report: Report, effects: Effects, span: Span, closed: Closed, reason: str) -> None:
    """E0305: an `accept` that depends on which edges still run `apply`."""
    if report.is_full:
        return
    met = meeting(effects, closed.key, closed.key)
    report.add(
        Diagnostic(
            "E0305",
            f"`{effects.functor.name}` closes: {met.first} may end the run of {met.second}, and {reason}",
            span,
            (),
            _notes(f"after the write to {met.place(closed.name)} its `cond` is false", _site(effects)),
            fix_of_accept(effects, closed.key, report.words_at),
            "depends on the order",
        )
    )


def waits_for_others(report: Report, effects: Effects, loop: nodes.Loop, name: str) -> None:
    """E0307: a loop that may go on until another call does something."""
    if report.is_full:
        return
    report.add(
        Diagnostic(
            "E0307",
            f"this loop of `{effects.functor.name}` may wait for another call to write `{name}`, and calls need not "
            "run side by side",
            loop.condition.span,
            (),
            _notes("it ends when other calls say so, and changes nothing itself that would end it", _site(effects)),
            fix_of_waiting(effects, loop, report.words_at),
            "may never end",
        )
    )
