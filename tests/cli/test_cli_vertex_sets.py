"""Sets of vertices on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PROGRAM = "program p; problem { param sites : vertex set; scalar found : int64; } schedule { found = size(sites); }"


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ("1,3,1", "found: int64 = 2"),
        ("1 3", "found: int64 = 2"),
        ("", "found: int64 = 0"),
        ("@ids.txt", "found: int64 = 3"),
        ("9", "E0604"),
        ("-1", "E0604"),
        ("x", "E0603"),
        ("1.5", "E0603"),
        (" 1 , 3 ", "found: int64 = 2"),
        ("1,,3", "a member is missing next to a comma"),
        ("1,3,", "a member is missing next to a comma"),
        (",", "a member is missing next to a comma"),
    ],
)
def test_a_set_of_vertices(gdslc: Callable[..., Any], work: Path, word: str, answer: str) -> None:
    (work / "p.gdsl").write_text(PROGRAM, encoding="utf-8")
    (work / "g.txt").write_text("0 1\n1 2\n2 3\n", encoding="utf-8")
    (work / "ids.txt").write_text("3\n1, 0\n", encoding="utf-8")
    found = gdslc("run", "p.gdsl", "g.txt", "-p", f"sites={word}", "--backend", "reference")
    assert answer in found.out + found.err and (found.status == 0) is answer.startswith("found")
