"""One message, as data."""

from __future__ import annotations

from gdsl.records import dataclass
from gdsl.source import Span


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
    backticks of `words` replaces what is around the place of the message. One that is `beside` the one before
    it is shown behind that, if both work. `message` says what is wrong where the parser only knows what it expected.
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
    (``graph.mtx:12``). `hint` stands behind the underline of `span`, `labels` are further places.

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
