"""Warnings on the command line: on standard error, once, and no reason to fail but with `check --strict`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TEXT = "program p;\nproblem { param a : int32 = 1; scalar s : int32; }\nschedule { s = 2; }\n"


@pytest.fixture(autouse=True)
def program(work: Path) -> None:
    (work / "p.gdsl").write_text(TEXT)


def test_check(gdslc):
    answer = gdslc("check", "p.gdsl")
    assert answer.status == 0
    assert answer.out.startswith("p.gdsl: ok\n")
    assert answer.err.startswith("p.gdsl:2:17: warning[W03]: nothing reads the param `a`\n")
    assert "^" in answer.err and "fix: " in answer.err


def test_check_strict(gdslc):
    gdslc("check", "--strict", "p.gdsl").fails(1, "warning[W03]")
    assert "ok" not in gdslc("check", "--strict", "p.gdsl").out
    answer = gdslc("check", "--strict", "hops.gdsl", "p.gdsl")
    assert answer.status == 1 and "hops.gdsl: ok" in answer.out
    assert gdslc("check", "--strict", "hops.gdsl", "bfs").err == ""


def test_run_and_compile_say_it_once(gdslc):
    for _ in range(2):  # the second time from the cache
        answer = gdslc("run", "p.gdsl", "path.mtx", "--backend", "reference", "--json")
        assert answer.status == 0 and json.loads(answer.out)["results"]["s"]["minimum"] == 2
        assert answer.err.count("warning[W03]") == 1
    answer = gdslc("compile", "p.gdsl")
    assert answer.status == 0 and "gdsl_p" in answer.out
    assert answer.err.count("warning[W03]") == 1
    assert gdslc("run", "hops.gdsl", "path.mtx", "-p", "source=0", "--backend", "reference").err == ""


def test_no_warnings_beside_mistakes(gdslc):
    Path("p.gdsl").write_text(TEXT.replace("s = 2", "s = 2.5"))
    gdslc("check", "p.gdsl").fails(1, "error[E0205]")
    assert "warning" not in gdslc("check", "p.gdsl").err


def test_explain(gdslc):
    for word in ("W03", "w3"):
        answer = gdslc("explain", word)
        assert answer.status == 0 and answer.out.startswith("W03: declared and not used")
