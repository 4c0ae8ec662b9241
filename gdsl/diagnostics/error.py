"""The one exception that a user's mistake or a failing machine raises."""

from __future__ import annotations

from collections.abc import Iterable

from gdsl.diagnostics.diagnostic import Diagnostic, Label
from gdsl.diagnostics.render import render
from gdsl.source import Source, Span

MOST_SHOWN = 100
"""Messages that the text for the user has; of further ones it gives the number."""
TOO_MANY = "E0114"
"""The code of the last message where not all mistakes were looked for; it is shown however many there are."""


class GdslError(Exception):
    """Everything that gdsl refuses or cannot do, with its messages. `str()` of it is the text for the user."""

    def __init__(self, diagnostics: Iterable[Diagnostic], source: Source | None = None) -> None:
        """Keep `diagnostics` (at least one); `source` is the program text that their spans point into."""
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
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
