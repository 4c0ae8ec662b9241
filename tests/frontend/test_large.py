"""Programs that are long, wide or deep come through in a time that grows with their size."""

from __future__ import annotations

import time

import pytest
from mistake_programs import with_parts

from gdsl.ir.printer import print_program
from gdsl.pipeline import load

LARGE = {
    "a sum of many": {"apply": "let x = " + " + ".join(["level[v]"] * 90) + "; level[v] = x;"},
    "blocks in blocks": {"apply": "var x = 0; " + "if (level[v] > x) { x = x + 1; " * 85 + "}" * 85},
    "one branch after the other": {
        "apply": "var x = 0; " + "".join(f"if (level[v] > x) {{ x = x + {i}; }} " for i in range(60)) + "level[v] = x;"
    },
    "functions that call two": {
        "top": "function g0(x: int32) -> int32 { return x + x; }"
        + "".join(f"function g{i}(x: int32) -> int32 {{ return g{i - 1}(x) + g{i - 1}(x); }}" for i in range(1, 40)),
        "apply": "level[v] = g39(1);",
    },
    "a function of many branches": {
        "top": "function g(x: int32) -> int32 { var y = x; " + "if (y > 0) { y = y + 1; } " * 60 + "return y; }",
        "apply": "level[v] = g(1);",
    },
    "else if": {"apply": "".join(f"if (level[v] == {i}) {{ level[v] = {i}; }} else " for i in range(60)) + "{ }"},
    "conjuncts": {"cond": "true " + "&& level[v] != 3 " * 80},
    "locals": {"apply": "".join(f"let x{i} = level[v] + {i}; " for i in range(1000))},
    "arrays": {
        "data": "".join(f"vertex a{i} : int32; " for i in range(300)),
        "apply": "".join(f"a{i}[v] = {i}; " for i in range(300)),
    },
    "operators": {"schedule": "f = advance(f, visit); " * 200},
}


@pytest.mark.parametrize("name", LARGE)
def test_large_programs(name: str) -> None:
    start = time.monotonic()
    assert print_program(load(with_parts(**LARGE[name])))
    assert time.monotonic() - start < 60, "growing faster than the program"
