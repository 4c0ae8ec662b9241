"""Programs that are long, wide or deep come through in a time that grows with their size."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

import numpy as np
import pytest
from mistake_programs import with_parts

import gdsl
from gdsl import Graph, cache
from gdsl.backends import cpu, cuda
from gdsl.cache import program_key
from gdsl.diagnostics import GdslError
from gdsl.explanation import explain
from gdsl.formatting import format_text
from gdsl.ir.printer import print_program
from gdsl.pipeline import load
from gdsl.source import Source

INTEGER = "function g(x: int32) -> int32 { return x; }"
CHAIN = "function h0(x: int32) -> int32 { return x + 1; }\n" + "".join(
    f"function h{i}(x: int32) -> int32 {{ return h{i - 1}(x); }}\n" for i in range(1, 1200)
)
TWICE = "function g0(x: int32) -> int32 { return x + x; }" + "".join(
    f"function g{i}(x: int32) -> int32 {{ return g{i - 1}(x) + g{i - 1}(x); }}" for i in range(1, 40)
)


def each(count: int, unit: str) -> str:
    return "".join(unit.replace("#", str(i)) for i in range(count))


LARGE = {
    "branches": {"apply": "var x = 0; " + each(800, "if (level[v] > #) { x = x + #; }\n") + "level[v] = x;"},
    "branches of a function": {
        "top": "function k(x: int32) -> int32 { var y = x; " + each(600, "if (y > #) { y = y + #; }\n") + "return y; }",
        "apply": "level[v] = k(1);",
    },
    "loops": {"apply": "var x = 0; " + each(400, "for i in 0..# { x = x + i; }\n") + "level[v] = x;"},
    "calls": {"top": INTEGER, "apply": "var x = 0; " + each(1600, "x = g(x);\n") + "level[v] = x;"},
    "functions": {
        "top": each(600, "function h#(x: int32) -> int32 { return x + #; }\n"),
        "apply": "level[v] = h9(1);",
    },
    "a chain of functions": {"top": CHAIN, "apply": "level[v] = h1199(1);"},
    "functions that call two": {"top": TWICE, "apply": "level[v] = g39(1);"},
    "functors": {
        "top": each(240, "vertex functor k#(v) { cond level[v] == #; apply { level[v] = #; } }\n"),
        "schedule": each(240, "compute(vertices, k#);\n"),
    },
    "arrays": {"data": each(400, "vertex a# : int32; "), "apply": each(400, "a#[v] = #;\n")},
    "operators": {"schedule": "f = advance(f, visit);\n" * 600},
    "operators in loops": {"schedule": "while (f) { f = advance(f, visit); }\n" * 320},
    "frontiers": {"schedule": "frontier g0 = f;" + each(600, "frontier k# = g0;\n")},
    "labels": {
        "schedule": each(320, "f = advance(f, visit) @l#;\n"),
        "tune": "tune { " + each(320, "@l#.direction = push;\n") + "}",
    },
    "fills": {"data": each(400, "vertex a# : int32; "), "schedule": each(400, "fill(a#, 1);\n")},
    "swaps in a loop": {
        "data": each(400, "vertex a# : int32; "),
        "schedule": "repeat (5) { fill(a0, 1); "
        + "".join(f"swap(a{i}, a{i + 1});\n" for i in reversed(range(399)))
        + "}",
    },
    "operators of a long functor": {
        "apply": each(200, "level[v] = #;\n"),
        "schedule": "compute(f, settle);\n" * 300,
    },
    "members": {"schedule": "f = { " + ", ".join(["0"] * 3200) + " };"},
    "locals": {"apply": each(800, "let x# = level[v] + #;\n")},
    "a var": {"apply": "var x = level[v];" + each(1200, "x = x + #;\n") + "level[v] = x;"},
    "steps": {"data": "scalar c : int32;", "schedule": each(800, "if (c > #) { c = c + 1; }\n")},
    "words": {"top": "# " + "word " * 8000 + "\n" * 8000},
}
ROWS = {
    "sum": {"apply": "level[v] = " + " + ".join(["level[v]"] * 2000) + ";"},
    "sum of literals": {"apply": "level[v] = " + " + ".join(["1"] * 8000) + ";"},
    "sum of floats": {"apply": "rank[v] = " + " - ".join(["rank[v] * 2"] * 1600) + ";"},
    "sum of several types": {"apply": "rank[v] = 1 + 2 + level[v] + level[v] + 0.5" + " + 1" * 100 + ";"},
    "sum of 64 bits": {"apply": "big[v] = level[v]" + " + 1" * 60 + " + big[v]" * 60 + ";"},
    "products": {"apply": "words[v] = words[v]" + " * 3 // 2 % 7" * 400 + ";"},
    "bits": {"apply": "words[v] = words[v]" + " << 1" * 200 + " ^ 5" * 200 + " | 3" * 200 + " & 7" * 200 + ";"},
    "all": {"apply": "if (" + " && ".join(["level[v] == 3"] * 1200) + ") { level[v] = 1; }"},
    "any": {"apply": "if (" + " || ".join(["level[v] == 3"] * 1200) + ") { level[v] = 1; }"},
    "conjuncts": {"cond": " && ".join(["level[v] != 3"] * 1200), "apply": "level[v] = 5;"},
    "comparisons": {"apply": "if (level[v] == 1" + " == true" * 1200 + ") { level[v] = 1; }"},
    "schedule": {"data": "scalar c : int32 = 1;", "schedule": "c = c" + " + c" * 4000 + ";"},
    "initial value": {"data": "vertex c : int32 = 1" + " ^ 2" * 4000 + ";"},
    "function": {
        "top": "function k(x: int32) -> int32 { return x" + " + x" * 2000 + "; }",
        "apply": "level[v] = k(1);",
    },
    "calls": {"top": INTEGER, "apply": "level[v] = 0" + " + g(1)" * 1600 + ";"},
    "rows in a row": {"apply": "level[v] = " + "(1" + " + 1" * 30 + " + " * 1 + "(2" * 1 + " + 2" * 30 + "))" + ";"},
}


def nested(depth: int) -> dict[str, dict[str, str]]:
    return {
        "blocks": {"apply": "var x = 0; " + "if (level[v] > x) { x = x + 1; " * depth + "}" * depth},
        "else if": {"apply": each(depth, "if (level[v] == #) { level[v] = #; } else ") + "{ }"},
        "loops": {"apply": "var x = 0; " + each(depth, "for i# in 0..1 { x = x + 1; ") + "}" * depth},
        "loops that change each other's names": {
            "apply": "var x = 0; var y = 1; var z = 2; "
            + each(depth // 4, "while (x < z) { for i# in 0..y { x = x + y; y = z - x; ")
            + "z = x;"
            + "} }" * (depth // 4)
            + "level[v] = x + y + z;"
        },
        "conditionals": {"apply": "level[v] = " + each(depth, "level[v] == # ? # : ") + "0;"},
        "not": {"apply": "if (" + "!" * depth + "(level[v] == 1)) { level[v] = 2; }"},
        "minus": {"apply": "level[v] = " + "-" * depth + "level[v];"},
        "calls": {"top": INTEGER, "apply": "level[v] = " + "g(" * depth + "1" + ")" * depth + ";"},
        "minima": {"apply": "level[v] = " + "min(1, " * depth + "1" + ")" * depth + ";"},
        "sums": {"apply": "level[v] = " + "(level[v] + " * depth + "1" + ")" * depth + ";"},
        "sums where there is an inf": {
            "data": "scalar c : int32 = inf;",
            "apply": "level[v] = " + "(1 + " * depth + "1" + ")" * depth + ";",
        },
        "sums that may be inf": {
            "data": "scalar c : int32 = inf;",
            "apply": "level[v] = " + "(out_degree(v) - (iteration + " * (depth // 2) + "c" + "))" * (depth // 2) + ";",
        },
        "products": {"apply": "level[v] = " + "(iteration * " * depth + "1" + ")" * depth + ";"},
        "rows": {"apply": "level[v] = " + "(level[v] + 1 + " * depth + "1" + ")" * depth + ";"},
        "schedule": {"schedule": "if (count > 1) { " * depth + "f = advance(f, visit);" + "}" * depth},
        "repeat": {"schedule": "repeat (1) { " * depth + "f = advance(f, visit);" + "}" * depth},
        "while": {"schedule": "while (f) { " * (depth // 3) + "f = advance(f, visit);" + "}" * (depth // 3)},
        "advances": {"schedule": "f = " + "advance(" * depth + "f" + ", visit)" * depth + ";"},
    }


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path))


def come_through(parts: dict[str, str]) -> None:
    text = with_parts(**parts)
    assert len(text) < 200_000
    start = time.process_time()
    program = load(text)
    assert print_program(program) and program_key(program)
    cache.store_program([text], program)
    assert cache.load_program([text]) == program
    assert cuda.source_text(program, 32) and cpu.source_text(program, 32)
    unfused = dataclasses.replace(program, tuning=dataclasses.replace(program.tuning, fuse=False))
    assert cuda.source_text(unfused, 32)
    assert time.process_time() - start < 60, "growing faster than the program"


QUICK = ("functions", "functions that call two", "locals", "members", "words")
"""These are compiled in every run of the tests, the others with the slow ones."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in LARGE]
)
@pytest.mark.sampled(10)
def test_large_programs(name: str) -> None:
    come_through(LARGE[name])


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.sampled(18)
def test_operators_in_a_row(name: str) -> None:
    come_through(ROWS[name])


@pytest.mark.parametrize(
    "name", ["functions that call two", pytest.param("a chain of functions", marks=pytest.mark.slow)]
)
def test_large_programs_are_explained(name: str) -> None:
    """Each function is looked at once, and however many call each other."""
    text = with_parts(**LARGE[name])
    found = explain(load(text), Source("large.gdsl", text), "large.gdsl")
    assert any(each.name == "level" for each in found.data)


@pytest.mark.parametrize("name", ["sum", *(pytest.param(name, marks=pytest.mark.slow) for name in ("schedule", "all"))])
def test_rows_are_formatted(name: str) -> None:
    """In time that grows with their length, as each line is looked at once."""
    text = with_parts(**ROWS[name])
    formatted = format_text(Source("large.gdsl", text))
    assert max(map(len, formatted.splitlines())) <= 120 and "".join(formatted.split()) == "".join(text.split())


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", nested(0))
def test_deep_programs(name: str) -> None:
    come_through(nested(140)[name])


@pytest.mark.parametrize("name", [name for name in nested(0) if name != "rows"])
@pytest.mark.sampled(48)
def test_programs_that_are_too_deep(name: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(with_parts(**nested(1500)[name]))
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["E0105"]
    assert caught.value.diagnostics[0].span is not None


@pytest.mark.slow
def test_parentheses_are_no_nesting() -> None:
    come_through({"apply": "level[v] = " + "(" * 20_000 + "1" + ")" * 20_000 + ";"})


RUN = {
    "a chain of functions": ({"top": CHAIN, "apply": "level[v] = h1199(1);"}, 2),
    "a sum": ({"apply": "level[v] = 1" + " + 1" * 4999 + ";"}, 5000),
    "a difference of floats": ({"apply": "level[v] = int32(rank[v]" + " + 1.5 - 0.5" * 1000 + ");"}, 1000),
    "a saturating sum": ({"apply": "level[v] = inf" + " + 1" * 300 + ";"}, 2**31 - 1),
    "a wrapping sum": ({"apply": "level[v] = " + " + ".join(["2147483647"] * 50) + ";"}, -50),
    "a logical row": ({"apply": "if (true" + " && v == v" * 300 + ") { level[v] = 7; }"}, 7),
    "a row that ends early": (
        {
            "data": "vertex other : int32;",
            "apply": "if (true" + " || other[int32(v) + 9] == 1" * 300 + ") { level[v] = 7; }",
        },
        7,
    ),
    "conjuncts": ({"cond": "true" + " && v == v" * 300, "apply": "level[v] = 8;"}, 8),
    "comparisons": ({"apply": "level[v] = int32(v == v" + " == false" * 301 + ");"}, 0),
    "shifts": ({"apply": "level[v] = 1" + " << 1 >> 1" * 200 + ";"}, 1),
    "shifts by counts of other types": (
        {"apply": "let wide = uint64(1); var x = 5; level[v] = x" + " << wide >> int64(1) << 1 >> wide" * 30 + ";"},
        5,
    ),
    "shifts of a literal of its count's type": (
        {"apply": "let zero = int64(0); level[v] = int32((1 << 40 << zero >> 40" + " >> 0" * 50 + ") == 1);"},
        1,
    ),
    "a saturating difference": ({"apply": "let most : int32 = inf; level[v] = most" + " - 1" * 300 + ";"}, 2**31 - 1),
    "a saturating row that is a part": (
        {"apply": "let most : int32 = inf; level[v] = min(most, 5 + (most" + " + 1 - 1" * 100 + "));"},
        2**31 - 1,
    ),
    "a wrapping row beside inf": (
        {"apply": "let most : int32 = inf; level[v] = wrap(most" + " + 1" * 300 + ");"},
        -(2**31) + 299,
    ),
    "a row that saturates as int64 alone": (
        {"apply": "let most : int64 = inf; big[v] = most" + " + 1" * 100 + "; level[v] = int32(big[v] == most);"},
        1,
    ),
    "a quotient": ({"apply": "level[v] = 2147483647" + " // 1" * 100 + " % 1000;"}, 647),
}


@pytest.mark.parametrize("backend", ["reference", "cpu"])
@pytest.mark.parametrize("name", RUN)
@pytest.mark.sampled(60)
def test_long_programs_run(name: str, backend: str) -> None:
    from gdsl.backends import registry

    if not registry.availability(backend).ok:
        pytest.skip("no C++ compiler")
    parts, expected = RUN[name]
    graph = Graph.from_edges([0, 1], [1, 0])
    values = {"source": 0, "weight": np.ones(2, np.float32)}
    result = gdsl.compile(with_parts(**parts)).run(graph, values, backend=backend, timeout=300)
    assert list(result["level"]) == [expected] * 2


@pytest.mark.slow
def test_a_row_in_a_where_and_a_chain_of_functions_there() -> None:
    graph = Graph.from_edges([0, 1], [1, 0])
    text = with_parts(data="input vertex w : int32 where h1199(w)" + " + w" * 2000 + " > 0;", top=CHAIN)
    values = {"source": 0, "weight": np.ones(2, np.float32)}
    program = gdsl.compile(text)
    assert program.run(graph, {**values, "w": [1, 1]}, backend="reference")
    with pytest.raises(GdslError, match="vertex 1 has -5"):
        program.run(graph, {**values, "w": [1, -5]}, backend="reference")


MISTAKES = {
    "names": {"apply": each(3000, "level[v] = nothing#;\n")},
    "functions": {"apply": each(3000, "level[v] = nothing#(1);\n")},
    "types": {"apply": each(3000, "level[v] = 1.5 + #;\n")},
    "doubles": {"data": "vertex same : int32;\n" * 2000},
    "functors": {"schedule": each(2000, "f = advance(f, vist#);\n")},
    "knobs": {"tune": "tune { " + each(2000, "visit.nothing# = pull;\n") + "}"},
    "numbers": {"apply": each(3000, "level[v] = 0#;\n")},
    "names beside many": {"data": each(1000, "vertex array# : int32;\n"), "apply": each(1000, "level[v] = aray#;\n")},
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "doubles" else pytest.mark.slow) for name in MISTAKES]
)
@pytest.mark.sampled(4)
def test_thousands_of_mistakes(name: str) -> None:
    start = time.process_time()
    with pytest.raises(GdslError) as caught:
        load(with_parts(**MISTAKES[name]))
    text = str(caught.value)
    count = len(caught.value.diagnostics)
    assert count >= 1000
    assert text.count("error[E") == 100
    assert text.endswith(f"and {count - 100:,} more mistakes")
    assert time.process_time() - start < 60, "growing faster than the program"


def test_text_has_the_limit_of_a_file() -> None:
    text = with_parts()
    assert gdsl.compile(text + "#" * ((1 << 20) - len(text))).name == "p"
    with pytest.raises(GdslError) as caught:
        gdsl.compile(text + "#" * ((1 << 20) - len(text) + 1))
    assert caught.value.code == "E0113"
