"""Campaigns under the sanitizers of g++: a wrong access is a finding, and generated C++ has none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from fuzz import sanitizing

from gdsl.native.compiler import find_compiler

pytestmark = pytest.mark.slow
WRONG = """
import ctypes, sys
from collections import Counter
from random import Random

sys.path[:0] = [".", "tests"]
from fuzz import sanitizing
from fuzz.campaign import run
from gdsl.native import compiler

sanitizing.begin()
text = "#include <cstdlib>\\nextern \\"C\\" int f(int i) { " + sys.argv[2] + " }"
open(sys.argv[1] + "/f.so", "wb").write(compiler.compile_library(text, "f.cpp", compiler.required_compiler()))
f = ctypes.CDLL(sys.argv[1] + "/f.so").f
campaign = run("", sanitizing.watched(lambda random: str(f(40) != 7)), seed=0, count=1)
print(campaign.findings[0][1])
"""


@pytest.fixture(autouse=True)
def compiler() -> None:
    found = find_compiler()
    if found is None or "clang" in str(found):
        pytest.skip("no g++")


@pytest.mark.parametrize(
    ("body", "report"),
    [
        ("int* p = (int*)std::malloc(4 * i); int x = p[i]; std::free(p); return x;", "heap-buffer-overflow"),
        ("return 1 << i;", "shift exponent 40 is too large"),
    ],
)
def test_a_mistake_is_found(body: str, report: str, tmp_path: Path) -> None:
    done = sanitizing.run_command(["-c", WRONG, str(tmp_path), body], str(tmp_path), subprocess.PIPE)
    assert done.returncode == 0 and report in done.stdout


def test_nothing_is_found_in_programs() -> None:
    """Among them is one whose loops never end, and whose steps after them must not run."""
    assert sanitizing.run_again(["--programs", "--seed", "786", "--count", "1"]) == 0


def test_what_keeps_campaigns_from_running_is_printed(tmp_path: Path) -> None:
    words = (
        "import sys; sys.path[:0] = ['.', 'tests']; from fuzz import sanitizing; sanitizing.begin(); import missing_one"
    )
    done = sanitizing.run_command(["-c", words], str(tmp_path), subprocess.PIPE)
    assert done.returncode == 1 and "No module named 'missing_one'" in done.stdout
