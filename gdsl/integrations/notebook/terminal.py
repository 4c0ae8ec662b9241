"""Colors of ``%%gdsl`` cells in the terminal."""

from __future__ import annotations

from typing import Any


def color_cells() -> None:
    """Have prompts of IPython color the cells of ``%%gdsl`` as programs. Without effect where IPython has no lexers by
    magic."""
    from IPython.terminal import interactiveshell
    from prompt_toolkit.lexers import PygmentsLexer

    from gdsl.highlighting import GdslLexer

    known: Any = interactiveshell.IPythonPTLexer
    if getattr(known, "colors_gdsl", False) or not hasattr(known(), "magic_lexers"):
        return

    class WithPrograms(known):
        """IPython's lexer, which also knows programs."""

        colors_gdsl = True
        magic_lexers: dict[str, Any]

        def __init__(self) -> None:
            super().__init__()
            self.magic_lexers = {"gdsl": PygmentsLexer(GdslLexer), **self.magic_lexers}

    interactiveshell.IPythonPTLexer = WithPrograms
