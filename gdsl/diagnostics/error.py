"""The one exception that a user's mistake or a failing machine raises."""

from __future__ import annotations

from collections.abc import Iterable

from gdsl.diagnostics.diagnostic import Diagnostic, Label
from gdsl.diagnostics.render import render
from gdsl.source import Source, Span


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
        return "\n\n".join(render(diagnostic, self.source) for diagnostic in self.diagnostics)
