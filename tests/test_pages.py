"""Every block of every page does what the page says: programs, Python and commands run, and print what is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from gdsl.backends import registry
from tests.support import pages

ALL = {str(page.relative_to(pages.ROOT)): page for page in pages.pages()}
FEW = 19
"""Blocks that are not run, of all pages."""


@pytest.fixture
def by_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty directory, and `auto` means the reference: pages are about what is said, and g++ takes a second each."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_first_available", lambda failed: registry.Choice(registry.get("reference")))


@pytest.mark.parametrize(
    "name", [name for name, page in ALL.items() if not pages.needs(page.read_text(encoding="utf-8"))]
)
@pytest.mark.usefixtures("by_reference")
def test_the_blocks_of_a_page_run(name: str) -> None:
    pages.run_page(ALL[name])


@pytest.mark.parametrize("name", ALL)
def test_every_block_has_a_language_that_says_what_becomes_of_it(name: str) -> None:
    languages = {"gdsl", "refused", *pages.RUNNABLE, *pages.SHOWN}
    found = pages.blocks(ALL[name].read_text(encoding="utf-8"))
    assert [(block.line, block.language) for block in found if block.language not in languages] == []


def test_few_blocks_are_not_run() -> None:
    found = {
        (name, block.line): block.reason
        for name, page in ALL.items()
        for block in pages.blocks(page.read_text(encoding="utf-8"))
        if block.reason
    }
    assert len(found) <= FEW, found


@pytest.mark.parametrize("name", ALL)
def test_pieces_of_programs_are_those_of_a_program(name: str) -> None:
    """A block of gdsl that is no program is a part of one of the same page, or of a sample."""
    found = pages.blocks(ALL[name].read_text(encoding="utf-8"))
    programs = [block.text for block in found if block.program]
    programs += [path.read_text(encoding="utf-8") for path in (pages.ROOT / "samples").glob("*.gdsl")]
    for block in found:
        if block.language == "gdsl" and not block.program:
            assert any(block.text in program for program in programs), f"{name}:{block.line}"


def test_shown_lines_are_compared() -> None:
    assert pages.matches("a\n…\nd", "a\nb\nc\nd\n")
    assert pages.matches("a … c", "a 1.5 c")
    assert pages.matches("a\n…", "a\n")
    assert not pages.matches("a\nd", "a\nb\nd\n")
    assert not pages.matches("a\n", "")
    assert not pages.matches("a\n…\nd", "a\nb\n")


def test_a_wrong_word_on_a_page_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in (
        "```python\n1 + 1  # → 3\n```\n",
        "```sh\ngdslc samples nothing\n```\n",
        "```sh\ngdslc samples bfs > x.gdsl\ncat x.gdsl | gdslc check -\n```\n\n```text\nno such line\n```\n",
        "```python\nprint('a')\n```\n\n```text\nb\n```\n",
    ):
        page = tmp_path / "page.md"
        page.write_text(text)
        with pytest.raises(AssertionError):
            pages.run_page(page)
