"""The README says what is true: the program, and exactly two commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def blocks() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for language, body in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        found.setdefault(language, []).append(body)
    return found


def test_program_is_the_sample(blocks):
    assert blocks["gdsl"][0] == (ROOT / "samples" / "bfs.gdsl").read_text(encoding="utf-8")


def test_it_fits_on_a_screen():
    assert (ROOT / "README.md").read_text(encoding="utf-8").count("\n") <= 90


def test_there_are_exactly_two_commands(blocks):
    assert [block.count("\n") for block in blocks["sh"]] == [1, 1]
    install_and_run, install_and_test = blocks["sh"]
    assert "gdslc run samples/bfs.gdsl samples/graphs/karate.mtx" in install_and_run
    assert install_and_test.rstrip().endswith("pytest")


def test_documents_that_are_named_are_there():
    for document in (
        "README.md",
        "ARCHITECTURE.md",
        "samples/README.md",
        *sorted(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md")),
    ):
        text = re.sub(r"```.*?```", "", (ROOT / document).read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#:]+)\)", text):
            assert ((ROOT / document).parent / target).exists(), f"{document} names {target}"


def anchors(page: Path) -> set[str]:
    """What a link into `page` may name: its headings, as they are called in the address of a section."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_sections_that_are_named_are_there():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "samples" / "README.md"]
    named = [
        (page, target, (page.parent / target if target else page), section)
        for page in pages
        for target, section in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text(encoding="utf-8"))
    ]
    assert named
    for page, target, file, section in named:
        assert section in anchors(file), f"{page} names {target}#{section}"
