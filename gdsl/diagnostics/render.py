"""Messages as plain text."""

from __future__ import annotations

from gdsl.diagnostics.diagnostic import Diagnostic
from gdsl.diagnostics.shown import printable
from gdsl.source import NOWHERE, Source, Span

_LONGEST_LINE = 160
_LONGEST_NAME = 1000
_MOST_CALLS = 4


def render(diagnostic: Diagnostic, source: Source | None) -> str:
    """`diagnostic` as text of several lines without a final line end: head, places underlined, notes, fix."""
    span = diagnostic.span if diagnostic.span != NOWHERE else None
    head = f"{_head(diagnostic, span, source)}{_severity(diagnostic)}[{diagnostic.code}]"
    lines = [f"{head}: {_told(diagnostic.message)}"]
    places = [(span, diagnostic.hint)] if span else []
    places += [(label.span, label.text) for label in diagnostic.labels if label.span != NOWHERE]
    places += [(call, "in this call") for call in _few(span.calls if span else ())]
    if source is not None and places:
        width = max(len(str(place.line)) for place, _ in places)
        file = span.file if span else ""
        for place, text in places:
            if place.file != file:
                lines.append(f"  in {_file(source.of(place).name)}:")
            file = place.file
            lines += _underlined(place, text, source.of(place), width)
    lines += [_indented("note: ", note) for note in diagnostic.notes]
    if diagnostic.fix is not None:
        lines.append(_indented("fix: ", diagnostic.fix))
    return "\n".join(lines)


def _severity(diagnostic: Diagnostic) -> str:
    return "warning" if diagnostic.code.startswith("W") else "error"


def _few(calls: tuple[Span, ...]) -> tuple[Span, ...]:
    """The innermost calls and the one in the schedule."""
    return calls if len(calls) <= _MOST_CALLS else (*calls[: _MOST_CALLS - 1], calls[-1])


def _head(diagnostic: Diagnostic, span: Span | None, source: Source | None) -> str:
    if diagnostic.place is not None:
        return f"{_file(diagnostic.place)}: "
    if source is None:
        return ""
    name = _file((source.of(span) if span else source).name)
    return f"{name}:{span.line}:{span.column}: " if span else f"{name}: "


def _file(name: str) -> str:
    return printable(name if len(name) <= _LONGEST_NAME else f"{name[:120]}...{name[-120:]}")


def _underlined(span: Span, text: str, source: Source, width: int) -> list[str]:
    line = source.line(span.line)
    first = max(span.column - 1, 0)
    last = min(span.end_column - 1, len(line)) if span.end_line == span.line else len(line.rstrip())
    start = max(0, first - _LONGEST_LINE // 2) if len(line) > _LONGEST_LINE else 0
    shown = line[start : start + _LONGEST_LINE]
    marks = min(max(last - first, 1), max(len(shown) - (first - start), 1))
    lead = "".join("\t" if character == "\t" else " " for character in shown[: first - start])
    return [
        f"  {span.line:>{width}} | {_printable(shown)}".rstrip(),
        f"  {'':>{width}} | {lead}{'^' * marks} {_told(text)}".rstrip(),
    ]


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _told(text: str) -> str:
    """Words that may name anything a file holds: they move no cursor and change no colour."""
    return text if text.isprintable() else "".join(c if c in "\n\t" else printable(c) for c in text)


def _indented(prefix: str, text: str) -> str:
    first, *others = _told(text).split("\n")
    return "\n".join([f"  {prefix}{first}", *(f"  {'':{len(prefix)}}{line}" for line in others)])
