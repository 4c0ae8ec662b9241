"""Puts a deliberate mistake into the templates while a program is generated."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gdsl.codegen import templates
from gdsl.codegen.library import pieces_of

from .mutants import GENERATED, Mutant


def mutated(text: str, mutant: Mutant) -> str:
    """`text` with the mistake; fails the test where there is nothing to change any more."""
    if mutant.old not in text:
        pytest.fail(f"mutant {mutant.name!r}: its text is no longer in {mutant.file}; find its place anew")
    return text.replace(mutant.old, mutant.new)


@contextmanager
def templates_with(mutant: Mutant, folder: Path) -> Iterator[None]:
    """Generate code from templates with the mistake in them."""
    if mutant.file == GENERATED:
        yield
        return
    copy = folder / "templates"
    shutil.copytree(templates.resource_directory("templates"), copy)
    file = copy / "cuda" / mutant.file
    file.write_text(mutated(file.read_text(), mutant))
    with pytest.MonkeyPatch.context() as patch:

        def directory(name: str) -> Path:
            assert name == "templates"
            return copy

        def text(name: str, *parts: str) -> str:
            return directory(name).joinpath(*parts).read_text()

        patch.setattr(templates, "resource_directory", directory)
        patch.setattr(templates, "resource_text", text)
        _forget()
        try:
            yield
        finally:
            patch.undo()
            _forget()


def _forget() -> None:
    templates.environment.cache_clear()
    pieces_of.cache_clear()
