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
class Diagnostic:
    """One mistake, with everything needed to find and mend it.

    `span` is a place in the program's text; `place` is used instead where the mistake is in another file
    (``graph.mtx:12``). `hint` stands behind the underline of `span`, `labels` are further places.
    """

    code: str
    message: str
    span: Span | None = None
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    fix: str | None = None
    hint: str = ""
    place: str | None = None
