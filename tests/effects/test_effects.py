"""What the summary of effects says: dependence by data and by control, and that it stays small."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gdsl.effects import Effects, program_effects
from gdsl.frontend import check, parse
from gdsl.ir.lowering import lower
from gdsl.pipeline import load_source
from gdsl.source import Source

_DATA = """program p;
problem { vertex a: int32; vertex b: int32; vertex c: int32 = 5; edge w: int32 = int32(id) % 3; scalar s: int32; }
"""


def effects_of(body: str, functions: str = "") -> Effects:
    text = f"{_DATA}{functions}\nedge functor f(src, dst, e) {{ apply {{ {body} }} }}\n"
    source = Source("effects", text + "schedule { advance(vertices, f, to=none); }\n")
    return program_effects(lower(check(parse(source), source))).sites[0]


DETERMINED = {
    "a[dst] = b[dst] + iteration;": True,
    "a[dst] = b[src];": False,
    "a[dst] = w[e];": False,
    "a[dst] = place;": False,
    "a[dst] = out_degree(dst);": True,
    "a[dst] = out_degree(src);": False,
    "var x = 1; if (b[src] > 0) { x = 2; } a[dst] = x;": False,
    "var x = 1; if (b[dst] > 0) { x = 2; } a[dst] = x;": True,
    "var x = 0; for i in 0..3 { x = x + i; } a[dst] = x;": True,
    "var x = 0; for i in 0..b[src] { x = 7; } a[dst] = x;": False,
    "for i in 0..3 { a[dst] = i; }": False,
    "var x = 0; for i in 0..3 { if (b[src] > i) { break; } x = i; } a[dst] = x;": False,
    "var x = 0; var y = 0; for i in 0..3 { y = x; x = b[src]; } a[dst] = y;": False,
    "var x = 0; var y = 0; for i in 0..3 { y = x; x = b[dst]; } a[dst] = y;": True,
    "var x = 0; while (x < b[src]) { x = x + 4; } a[dst] = x;": False,
    "a[dst] = turned(b[dst]);": True,
    "a[dst] = turned(b[src]);": False,
    "a[dst] = counted(b[dst]);": True,
    "a[dst] = counted(b[src]);": False,
    "a[dst] = b[dst] > 0 ? 1 : b[dst] - b[dst];": True,
    "a[dst] = now s; s += 1;": False,
}
_FUNCTIONS = """
function turned(x: int32) -> int32 { if (x > 3) { return 1; } return 6 - x; }
function counted(x: int32) -> int32 { var n = 0; while (n < x) { n = n + 2; } return n; }
"""


@pytest.mark.parametrize("body", DETERMINED)
def test_one_value_for_all_calls_at_an_element(body: str) -> None:
    effects = effects_of(body, _FUNCTIONS)
    write = effects.written("a")[0]
    assert effects.determined(write.value, write.index) is DETERMINED[body]


def test_functions_are_looked_into() -> None:
    direct = effects_of("a[dst] = b[dst] > 3 ? 1 : 6 - b[dst];", _FUNCTIONS).written("a")[0]
    called = effects_of("a[dst] = turned(b[dst]);", _FUNCTIONS).written("a")[0]
    assert type(direct.value) is type(called.value)


def ifs(count: int) -> Iterator[str]:
    yield "vertex functor f(v) { apply { var x = 0; "
    yield from (f"if (b[v] > {i}) {{ x = x + {i}; }} " for i in range(count))
    yield "a[v] = x; } } schedule { compute(vertices, f); }"


def stores(count: int) -> Iterator[str]:
    yield "edge functor f(src, dst, e) { apply { "
    yield from (f"if (b[dst] == {i}) {{ a[dst] = 1; }} " for i in range(count))
    yield "} } schedule { advance(vertices, f, to=none); }"


def results(count: int) -> Iterator[str]:
    yield "edge functor f(src, dst, e) { apply { "
    yield from (f"if (changed(c[dst] min= c[src] + {i})) {{ s += {i}; }} " for i in range(count))
    yield "} } schedule { advance(vertices, f, to=none); }"


def chain(count: int) -> Iterator[str]:
    yield "function f0(x: int32) -> int32 { return x + 1; }\n"
    yield from (
        f"function f{i}(x: int32) -> int32 {{ return f{i - 1}(x) + f{i - 1}(x + 1); }}\n" for i in range(1, count)
    )
    yield f"vertex functor f(v) {{ apply {{ a[v] = f{count - 1}(b[v]); }} }} schedule {{ compute(vertices, f); }}"


def conditions(count: int) -> Iterator[str]:
    yield "vertex functor f(v) { apply { let x0 = b[v] > 0; "
    yield from (f"let x{i} = x{i - 1} && b[v] > {i}; " for i in range(1, count))
    yield f"if (x{count - 1}) {{ a[v] = 1; }} }} }} schedule {{ compute(vertices, f); }}"


def doubled(count: int) -> Iterator[str]:
    yield "edge functor f(src, dst, e) { apply { var x = c[src]; var m = b[src] > 0; "
    yield from ("x = max(x, x + 1 - 1); m = m || (m && x > 0); " for _ in range(count))
    yield "accept changed(c[dst] min= x) || m; } }\n"
    yield "schedule { frontier f1 = vertices; while (f1) { f1 = advance(f1, f); } }"


def loops(count: int) -> Iterator[str]:
    yield "vertex functor f(v) { apply { var x = 0; "
    yield from (f"for i{i} in 0..3 {{ x = x + i{i}; if (x > 5) {{ break; }} }} " for i in range(count))
    yield "a[v] = x; } } schedule { compute(vertices, f); }"


def nested(count: int) -> Iterator[str]:
    yield "edge functor f(src, dst, e) { apply { accept changed(c[dst] min= c[src]); } }\n"
    yield "schedule { frontier f1 = vertices; " + "while (f1) { " * count + "f1 = advance(f1, f); " + "} " * count + "}"


LONG = [
    (ifs, 2000),
    (stores, 2000),
    (results, 1000),
    (chain, 300),
    (conditions, 2000),
    (doubled, 300),
    (loops, 800),
    (nested, 24),
]


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("make", "count"), LONG)
@pytest.mark.sampled(8)
@pytest.mark.slow
def test_long_programs_are_judged(make: object, count: int) -> None:
    text = _DATA + "".join(make(count))  # type: ignore[operator]
    load_source(Source("long", text), refuse=False)
