"""One message as data and as text, and the exception that carries messages."""

from __future__ import annotations

import contextlib
import math
import re
import shlex
import sys
import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from gdsl.foreign_objects import attribute, has
from gdsl.records import dataclass
from gdsl.source import NOWHERE, Source, Span


@dataclass(frozen=True, slots=True)
class Label:
    """A second place that a message speaks of, such as one of two calls that meet."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Text of the program that is replaced: what is at `span` (nothing, where that is empty) by `text`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One way to correct the program: its words, and what is to be replaced. Without `edits`, the first code in
    backticks of `words` replaces the text around the place of the message. One that is `beside` the one before
    it is shown after that, if both work. `message` says what is wrong where the parser only knows what it expected.
    One that is `guessed` is shown only where nothing at all is wrong at its place."""

    words: str
    edits: tuple[Edit, ...] = ()
    beside: bool = False
    message: str = ""
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake, with everything needed to find and mend it.

    `span` is a place in the program's text; `place` is used instead where the mistake is in another file
    (``graph.mtx:12``). `hint` follows the underline of `span`, `labels` are further places.

    `suggestions` are tried in their order before the message is shown. What remains of them are those that work, with
    their edits: `fix` is their words. Where none works, `fix` remains if it replaces no text. See `gdsl.suggestions`.
    """

    code: str
    message: str
    span: Span | None = None
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    fix: str | None = None
    hint: str = ""
    place: str | None = None
    suggestions: tuple[Suggestion, ...] = ()


def in_names_of(source: Source, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Messages about a program in which the compiler numbers what has one name in several blocks, `f` and `f_2`: code
    in them has the names of the text again."""
    words = {word for each in (source, *(source.imported or ())) for word in _WORD.findall(each.text)}

    def name(found: re.Match[str]) -> str:
        return found[1] if found[0] not in words and found[1] in words else found[0]

    def written(text: str) -> str:
        return _CODE.sub(lambda code: _NUMBERED.sub(name, code[0]), text)

    def of(one: Diagnostic) -> Diagnostic:
        if not any(map(_NUMBERED.search, (one.message, *one.notes, one.fix or "", one.hint))):
            return one
        fix = None if one.fix is None else written(one.fix)
        notes = tuple(map(written, one.notes))
        return replace(one, message=written(one.message), notes=notes, fix=fix, hint=written(one.hint))

    return tuple(map(of, diagnostics))


_WORD, _CODE, _NUMBERED = re.compile(r"\w+"), re.compile(r"`[^`]*`"), re.compile(r"\b([^\W\d]\w*?)_\d+\b")


_LONGEST = 60
_MOST_DIGITS = 40


def printable(name: str) -> str:
    """`name` (a path, mostly) with what cannot be printed as escapes: ``\\n``, ``\\x1b``, ``\\xff`` of a lone byte."""
    return name if name.isprintable() else "".join(map(_escaped, name))


def shell_word(word: str) -> str:
    """`word` as one of a shell, which reads what cannot be printed from escapes: ``$'a\\xff'``."""
    if word.isprintable():
        return shlex.quote(word)
    escaped = (f"\\{each}" if each in "\\'" else each if each.isprintable() else _bytes(each) for each in word)
    return f"$'{''.join(escaped)}'"


def _bytes(character: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))


def shown(value: object) -> str:
    """`value` as a message shows it; Python refuses to write out integers of thousands of digits, and so do we."""
    if isinstance(value, int) and not isinstance(value, bool) and int.__abs__(value) >= 10**_MOST_DIGITS:
        return f"an integer of about {math.ceil(int.bit_length(value) * math.log10(2))} digits"
    dtype = attribute(value, "dtype")
    if (
        dtype is not None
        and not isinstance(value, type)
        and (attribute(value, "shape", ()) != () or has(value, "mask"))
    ):
        return f"an array of {type_name(dtype)}"
    try:
        text = repr(str(value)) if isinstance(value, str) else repr(value)
    except Exception:  # of a class of the caller's, or of a container of such an integer
        text = f"<{type(value).__name__}>"
    text = printable(" ".join(text.split())).removeprefix("numpy.").removeprefix("np.")
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def type_name(dtype: Any) -> str:
    """A dtype of NumPy's; those of records list all their fields."""
    return "records" if attribute(dtype, "names") else printable(str(dtype))


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a path that is no UTF-8, as Python keeps it
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


_LONGEST_LINE = 160
_LONGEST_NAME = 1000
_MOST_CALLS = 4


def render(diagnostic: Diagnostic, source: Source | None) -> str:
    """`diagnostic` as text of several lines without a final line end: head, places underlined, notes, fix."""
    span = diagnostic.span if diagnostic.span != NOWHERE else None
    head = f"{_head(diagnostic, span, source)}{_severity(diagnostic)}[{diagnostic.code}]"
    lines = [f"{head}: {_safe(diagnostic.message)}"]
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
        f"  {'':>{width}} | {lead}{'^' * marks} {_safe(text)}".rstrip(),
    ]


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def _safe(text: str) -> str:
    """Words that may name anything a file holds: they move no cursor and change no color."""
    return text if text.isprintable() else "".join(c if c in "\n\t" else printable(c) for c in text)


def _indented(prefix: str, text: str) -> str:
    first, *others = _safe(text).split("\n")
    return "\n".join([f"  {prefix}{first}", *(f"  {'':{len(prefix)}}{line}" for line in others)])


MOST_SHOWN = 100
"""Messages that the text for the user has; of further ones it gives the number."""
TOO_MANY = "E0114"
"""The code of the last message where not all mistakes were looked for; it is shown however many there are."""


class GdslError(Exception):
    """Everything that gdsl refuses or cannot do, with its messages. `str()` of it is the text for the user."""

    def __init__(self, diagnostics: Iterable[Diagnostic], source: Source | None = None) -> None:
        """Keep `diagnostics` (at least one); `source` is the program text that their spans point into."""
        all_of_them: tuple[Diagnostic, ...] = tuple(diagnostics)
        self.diagnostics = all_of_them if source is None else in_names_of(source, all_of_them)
        self.source = source
        super().__init__(self.diagnostics, source)

    @staticmethod
    def single(
        code: str,
        message: str,
        span: Span | None = None,
        source: Source | None = None,
        notes: Iterable[str] = (),
        fix: str | None = None,
        *,
        labels: Iterable[Label] = (),
        hint: str = "",
        place: str | None = None,
    ) -> GdslError:
        """An error with one message; the arguments are those of `Diagnostic`."""
        diagnostic = Diagnostic(code, message, span, tuple(labels), tuple(notes), fix, hint, place)
        return GdslError((diagnostic,), source)

    @property
    def code(self) -> str:
        """The code of the first message."""
        return self.diagnostics[0].code

    def __str__(self) -> str:
        shown, rest = self.diagnostics[:MOST_SHOWN], self.diagnostics[MOST_SHOWN:]
        last = rest[-1:] if rest and rest[-1].code == TOO_MANY else ()
        parts = [render(diagnostic, self.source) for diagnostic in shown]
        more = len(rest) - len(last)
        if more:
            parts.append(f"and {more:,} more mistake{'s' if more > 1 else ''}")
        parts += [render(diagnostic, self.source) for diagnostic in last]
        return "\n\n".join(parts)


def caution(text: str) -> None:
    """Warn of a trouble that gdsl works around (RuntimeWarning).

    Who has Python make errors of warnings means those of their own program: there it is a line on standard error.
    """
    try:
        warnings.warn(text, RuntimeWarning, stacklevel=3)
    except RuntimeWarning:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            print(f"warning: {text}", file=sys.stderr)


def is_whole(words: str) -> bool:
    """Whether all code in `words` closes the brackets that it opens, and no others; signs alone may be anything."""
    for code in re.findall(r"`([^`\n]*)`", words):
        waiting: list[str] = []
        for sign in re.sub(r'"[^"]*"', "", code) if re.search(r"\w", code) else "":
            if sign in "([{":
                waiting.append(")]}"["([{".index(sign)])
            elif sign in ")]}" and (not waiting or waiting.pop() != sign):
                return False
        if waiting:
            return False
    return True


def enumerate_words(words: Iterable[str], last: str = "or") -> str:
    """The words of a list in a sentence: `a, b or c`, with `last` before the last one."""
    parts = list(words)
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"
