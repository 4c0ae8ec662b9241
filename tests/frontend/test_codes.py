"""Every code that the package uses is registered, and every registered code is complete."""

from __future__ import annotations

import re
from pathlib import Path

import gdsl.diagnostics
from gdsl.diagnostics import all_codes, explain, find_code

PACKAGE = Path(gdsl.diagnostics.__file__).resolve().parents[1]


def test_every_code_in_the_package_is_registered() -> None:
    used = {
        code
        for file in PACKAGE.rglob("*.py")
        if "codes" not in file.name
        for code in re.findall(r"[\"'](E0\d{3})[\"']", file.read_text(encoding="utf-8"))
    }
    assert used - {code.code for code in all_codes()} == set()


def test_codes_are_unique_and_described() -> None:
    names = [code.code for code in all_codes()]
    assert len(names) == len(set(names))
    for code in all_codes():
        assert re.fullmatch(r"E0[1-9]\d\d|W0\d", code.code)
        assert code.title and code.explanation
        assert code.code in explain(code)


def test_codes_are_found_as_people_write_them() -> None:
    for name in ("E0201", "e0201", "0201", "201"):
        code = find_code(name)
        assert code is not None and code.code == "E0201"
    assert find_code("E9999") is None
