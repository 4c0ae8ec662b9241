"""What the words of the magics may be completed to."""

from __future__ import annotations

from typing import Any

from gdsl.cli.program_words import knobs

_OPTIONS = ("--tune", "--fuse", "--tune-file", "--type")


def complete(shell: Any, event: Any) -> list[str]:
    """IPython's hook: `event` has the line so far and the word at its end."""
    words = event.line.split()
    word = event.symbol
    before = words[-2] if word and len(words) > 1 else words[-1]
    if before == "--fuse":
        return ["on", "off"]
    if before == "--tune":
        return [f"{name}=" for name in knobs("")]
    if event.command == "%%gdsl":
        return list(_OPTIONS)
    from gdsl.program_files import samples

    return [*_programs(shell), *samples()]


def _programs(shell: Any) -> list[str]:
    from gdsl.api.program import Program

    return [name for name, value in shell.user_ns.items() if isinstance(value, Program) and not name.startswith("_")]
