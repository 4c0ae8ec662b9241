"""Every mistake gets one message that names the place and the fix; the messages are pinned whole, in `golden/`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from mistake_programs import BFS, CHECKED, SYNTAX, with_parts

from gdsl.diagnostics import GdslError
from gdsl.pipeline import load
from gdsl.source import Source

GOLDEN = Path(__file__).parent / "golden"


def message(text: str) -> str:
    """What the user is told about a program."""
    with pytest.raises(GdslError) as caught:
        load(Source("p.gdsl", text))
    return str(caught.value)


def syntax_messages() -> Iterator[tuple[str, str]]:
    for name, (part, replacement) in SYNTAX.items():
        assert part in BFS, name
        yield name, message(BFS.replace(part, replacement, 1))


@cache
def checked_messages() -> tuple[tuple[str, str], ...]:
    return tuple((name, message(with_parts(**{place: content}))) for name, (place, content) in CHECKED.items())


def other_messages() -> Iterator[tuple[str, str]]:
    yield "empty", message("")
    yield "only comments", message("# nothing\n\n")
    yield "NUL", message("program p;\0")
    yield "no schedule", message("program p;\nproblem { }\n")
    yield "only a doc comment", message('"""Words."""\n')


@pytest.mark.parametrize("family", ["syntax", "checked", "other"])
def test_messages(family: str, request: pytest.FixtureRequest) -> None:
    cases: Iterable[tuple[str, str]] = {
        "syntax": syntax_messages,
        "checked": checked_messages,
        "other": other_messages,
    }[family]()
    actual = "".join(f"== {name}\n{text}\n\n" for name, text in cases)
    golden = GOLDEN / f"mistakes_{family}.txt"
    if request.config.getoption("--update-golden", default=False):
        golden.write_text(actual, encoding="utf-8")
    assert actual == golden.read_text(encoding="utf-8")


def test_messages_of_the_checker_name_one_place_each() -> None:
    """A mistake is reported once: the number of messages is that of the mistakes in the program."""
    several = {"several mistakes": 5, "recursion": 2, "later statements": 2}
    for name, text in checked_messages():
        assert len(re.findall(r"error\[E\d{4}\]", text)) == several.get(name, 1), (name, text)


def test_tuning_words_from_the_caller() -> None:
    with pytest.raises(GdslError) as caught:
        load(BFS, ["visit.direction=sideways"])
    assert str(caught.value) == (
        "--tune:1:1: error[E0412]: `direction` does not take `sideways`\n"
        "  1 | visit.direction=sideways\n"
        "    | ^^^^^^^^^^^^^^^^^^^^^^^^\n"
        "  fix: it takes `push`, `pull` or `auto`"
    )
    for word in ("visit.direction", "", "=", "visit.direction=pull;", "\0"):
        with pytest.raises(GdslError) as caught:
            load(BFS, [word])
        assert caught.value.code == "E0412"


def test_files_that_are_no_programs(tmp_path: Path) -> None:
    latin = tmp_path / "latin.gdsl"
    latin.write_bytes("program p; # caf\xe9\n".encode("latin-1"))
    for path, code in ((latin, "E0104"), (tmp_path / "missing.gdsl", "E0113"), (tmp_path, "E0113")):
        with pytest.raises(GdslError) as caught:
            load(path)
        assert caught.value.code == code
        assert path.name in str(caught.value)
