"""Sets combined by `|`, `&` and `-`: where they may stand, what they become, and what is said of everything else."""

from __future__ import annotations

import pytest
from mistake_programs import with_parts

from gdsl.diagnostics import GdslError
from gdsl.ir import nodes
from gdsl.ir.printer import print_program
from gdsl.operations import Domain
from gdsl.pipeline import load
from gdsl.plan import target
from gdsl.plan.build import build

HEAD = """program p;
problem { param source : vertex; vertex level : int32 = -1; scalar count : int32; scalar big : int64; }
edge functor step(src, dst, e) { }
vertex functor odd(v) { cond int32(v) % 2 == 1; }
vertex functor bump(v) { apply { level[v] += 1; } }
schedule {
    frontier f = { source };
    frontier g = where(odd);
    frontier h;
"""


def steps(schedule: str) -> list[str]:
    """The lines of the IR behind those of the head."""
    text = print_program(load(f"{HEAD}{schedule}\n}}\n"))
    lines = [line.strip().split("  #")[0] for line in text.partition("schedule:\n")[2].splitlines()]
    return [line for line in lines[3:-1] if line]


LOWERED = {
    "h = f | g;": ["h = f | g"],
    "h = f & g;": ["h = f & g"],
    "h = f - g;": ["h = f - g"],
    "f = f | g;": ["f = f | g"],
    "f = g - f;": ["f = g - f"],
    "frontier k = vertices - f;": ["k = vertices - f"],
    # From left to right, and by the precedence of the operators.
    "h = f - g - h;": ["combined_1 = f - g", "h = combined_1 - h"],
    "h = f - g | { source };": ["h = f - g", "members_1 = {source}", "h = h | members_1"],
    "h = f | g & h;": ["combined_1 = g & h", "h = f | combined_1"],
    "h = f & g - f;": ["combined_1 = g - f", "h = f & combined_1"],
    "h = (f | g) & f;": ["h = f | g", "h = h & f"],
    "h = f | (g | f);": ["combined_1 = g | f", "h = f | combined_1"],
    # What has no name yet becomes the target where no later operand reads that.
    "h = { source } | g;": ["h = {source}", "h = h | g"],
    "f = { source } | f;": ["members_1 = {source}", "f = members_1 | f"],
    "f = advance(f, step) - g;": [
        "f = advance f by step, over out_edges, direction push, balance auto",
        "f = f - g",
    ],
    "f = g - advance(f, step);": [
        "advanced_1 = advance f by step, over out_edges, direction push, balance auto",
        "f = g - advanced_1",
    ],
    "compute(f | g, bump);": ["combined_1 = f | g", "compute combined_1 by bump"],
    "h = filter(f & where(odd), odd);": [
        "selected_1 = filter vertices by odd",
        "combined_1 = f & selected_1",
        "h = filter combined_1 by odd",
    ],
    # What everything, and a set with itself, gives.
    "h = f & vertices;": ["h = copy of f"],
    "h = vertices & f | g;": ["h = f | g"],
    "h = f | vertices;": ["h = vertices"],
    "h = vertices | vertices;": ["h = vertices"],
    "h = vertices - vertices;": ["h = {}"],
    "h = f - vertices;": ["h = {}"],
    "h = f - f;": ["h = {}"],
    "h = f | f;": ["h = copy of f"],
    "f = f & f;": [],
    "f = f - f;": ["f = {}"],
    "compute(f | f, bump);": ["compute f by bump"],
    "compute(f | vertices, bump);": ["compute vertices by bump"],
    "h = f - (g - g);": ["combined_1 = {}", "h = f - combined_1"],
}


@pytest.mark.parametrize("schedule", LOWERED)
def test_what_they_become(schedule: str) -> None:
    assert steps(schedule) == LOWERED[schedule]


MISTAKES = {
    "f = f + g;": ("E0206", "write `f | g`"),
    "f = f * g;": ("E0206", "write `f & g`"),
    "f = f ^ g;": ("E0206", "write `(f | g) - (f & g)`"),
    "f = f || g;": ("E0206", "write `f | g`"),
    "f = f && g;": ("E0206", "write `f & g`"),
    "f = f == g;": ("E0206", "frontiers are combined by"),
    "f = f < g;": ("E0206", "frontiers are combined by"),
    "f = f << 1;": ("E0206", "frontiers are combined by"),
    "f = f // g;": ("E0206", "frontiers are combined by"),
    "f = f + 1;": ("E0206", "frontiers are combined by"),
    "f = !f;": ("E0206", "write `vertices - f`"),
    "f = ~f;": ("E0206", "write `vertices - f`"),
    "f = -f;": ("E0206", "frontiers are combined by"),
    "f = f | !g;": ("E0206", "write `vertices - g`"),
    "f = f & (g + h);": ("E0206", "write `g | h`"),
    "compute(f + g, bump);": ("E0206", "write `f | g`"),
    "f |= g;": ("E0206", "write `f = f | g;`"),
    "f &= g | h;": ("E0206", "write `f = f & (g | h);`"),
    "f -= g;": ("E0206", "write `f = f - g;`"),
    "f ^= g;": ("E0206", None),
    "f = f | 3;": ("E0403", "a frontier is"),
    "f = 3 & f;": ("E0403", "a frontier is"),
    "f = f | count;": ("E0403", None),
    "f = f | size(g);": ("E0403", "a frontier is"),
    "f = f | (count & 1);": ("E0403", "a frontier is"),
    "f = f - source;": ("E0403", "write `{ source }`"),
    "f = f | level;": ("E0403", "write `where(v => level[v]"),
    "f = f | edges;": ("E0416", "edge frontier"),
    "f = f | k;": ("E0201", "frontier k = { "),
    "f = f | compute(g, bump);": ("E0415", None),
    "f = f | advance(g, step, to=none);": ("E0415", None),
    "f = f | neighbor_reduce(g, step, sum);": ("E0406", "write `a = neighbor_reduce(…);`"),
    "f = f | { 1.5 };": ("E0205", None),
    "f = count | 3;": ("E0403", "a frontier is"),
    "while (f & g) { }": ("E0403", "give it a name"),
    "if (f - g) { }": ("E0403", "give it a name"),
    "repeat (f | g) { }": ("E0403", "give it a name"),
    "big = size(f & g);": ("E0403", "give the set a name"),
    "count = f | g;": ("E0403", "give it a name"),
    "count = f | g | h | 3;": ("E0403", "give it a name"),
    "count = count | (f & g);": ("E0403", "give it a name"),
    "level[source] = f - { source };": ("E0403", "give it a name"),
    "f | g;": ("E0403", "give it a name"),
    "advance(f, step) | g;": ("E0403", "give it a name"),
    "big = big | f;": ("E0204", "size(f)"),
}


@pytest.mark.parametrize("schedule", MISTAKES)
def test_one_message_with_its_fix(schedule: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(f"{HEAD}    {schedule}\n}}\n")
    (found,) = caught.value.diagnostics
    code, fix = MISTAKES[schedule]
    assert found.code == code
    assert (found.fix is None) if fix is None else (found.fix is not None and fix in found.fix)
    assert found.span.line == HEAD.count("\n") + 1 and 5 <= found.span.column <= 4 + len(schedule)


FINE = ["count = count | 3 & ~count;", "count |= 1;", "count -= count - 1;", "while (!f && (g || h)) { f = g; }"]


@pytest.mark.parametrize("schedule", FINE)
def test_bits_and_conditions_are_what_they_were(schedule: str) -> None:
    load(f"{HEAD}    {schedule}\n}}\n")


BITS = {"count = count | 1.5;": "E0206", "count = source & count;": "E0209", "count = true | 1;": "E0206"}


@pytest.mark.parametrize("schedule", BITS)
def test_mistakes_in_bits_are_what_they_were(schedule: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(with_parts(schedule=schedule))
    assert {diagnostic.code for diagnostic in caught.value.diagnostics} == {BITS[schedule]}


ROWS = {
    "one operator": lambda count: " | ".join(["f", "g"] * (count // 2)),
    "two levels": lambda count: " | ".join(["f & g"] * (count // 2)),
    "three levels": lambda count: " | ".join(["f & g - h"] * (count // 3)),
    "literals": lambda count: " | ".join(["{ source }"] * count),
    "subtracted": lambda count: " - ".join(["f", *["g"] * count]),
    "in parentheses": lambda count: " | ".join(["(f | g)"] * (count // 2)),
}


@pytest.mark.parametrize(("row", "count"), [("one operator", 10_000), *((row, 3_000) for row in ROWS)])
@pytest.mark.sampled(9)
@pytest.mark.slow
def test_long_rows(row: str, count: int) -> None:
    """A row of thousands of sets is a row of steps, with storage for a few frontiers beside those that it names."""
    program = load(f"{HEAD}    h = {ROWS[row](count)};\n}}\n")
    made = [step for step in program.schedule if isinstance(step, nodes.CombineFrontiers)]
    assert len(made) >= 0.4 * count
    assert build(program, target.CUDA_FUSED).slots(Domain.VERTEX) <= 7


@pytest.mark.slow
def test_a_mistake_at_the_end_of_a_long_row() -> None:
    text = f"{HEAD}    h = {' | '.join(['f'] * 10_000)} | 3;\n}}\n"
    with pytest.raises(GdslError) as caught:
        load(text)
    (found,) = caught.value.diagnostics
    assert found.code == "E0403" and found.span.column == len(text.splitlines()[-2]) - 1


EDGES = """
    edge frontier a = advance(f, step, to=edges);
    edge frontier b = advance(f, step, over=in_edges, to=edges);
    edge frontier c;
"""
EDGE_SETS = {
    "c = a | c;": ["c = a | c"],
    "c = edges - a;": ["c = edges - a"],
    "c = a & { edge(1) };": ["members_1 = {edge(1)}", "c = a & members_1"],
    "c = a & edges;": ["c = copy of a"],
    "c = a - edges;": ["c = {}"],
    "compute(a - c, touch);": ["combined_1 = a - c", "compute combined_1 by touch"],
    "c = advance(f, step, to=edges) - a;": [
        "c = edges of advance f by step, over out_edges, direction push, balance auto",
        "c = c - a",
    ],
    "f = advance(a | c, step);": [
        "combined_1 = a | c",
        "far_ends_1 = destinations of combined_1",
        "f = advance far_ends_1 by step, over out_edges, direction push, balance auto",
    ],
    "c = b - c; f = advance(c & b, step);": [
        "c = b - c",
        "combined_1 = c & b",
        "far_ends_1 = sources of combined_1",
        "f = advance far_ends_1 by step, over out_edges, direction push, balance auto",
    ],
}
EDGE_HEAD = HEAD.replace("vertex functor odd", "edge functor touch(src, dst, e) { }\nvertex functor odd")


@pytest.mark.parametrize("schedule", EDGE_SETS)
def test_sets_of_edges(schedule: str) -> None:
    text = print_program(load(f"{EDGE_HEAD}{EDGES}{schedule}\n}}\n"))
    lines = [line.strip().split("  #")[0] for line in text.partition("schedule:\n")[2].splitlines()]
    made = [line for line in lines if line and not line.startswith("tuning")]
    assert made[made.index("c = {}") + 1 :] == EDGE_SETS[schedule]


EDGE_MISTAKES = {
    "c = a | f;": "E0416",
    "f = f | a;": "E0416",
    "c = vertices - a;": "E0416",
    "compute(a | f, touch);": "E0416",
    "c = a | b;": "E0417",
    "c = a & b;": "E0417",
    "a = a - b;": "E0417",
    "compute(a | b, touch);": "E0417",
    "f = advance(filter(a - b, touch), step);": "E0417",
    "c = c | (a & (c - b));": "E0417",
    "c = b & { edge(1) };": "E0417",
    "f = advance(advance(f, step, over=all_edges, to=edges) - c, step);": "E0417",
    "c = a | 3;": "E0403",
    "c = a | source;": "E0403",
    "c = a + c;": "E0206",
    "c = !a;": "E0206",
    "c |= a;": "E0206",
    "while (a - c) { }": "E0403",
}


@pytest.mark.parametrize("schedule", EDGE_MISTAKES)
def test_mistakes_with_sets_of_edges(schedule: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(f"{EDGE_HEAD}{EDGES}{schedule}\n}}\n")
    (found,) = caught.value.diagnostics
    assert found.code == EDGE_MISTAKES[schedule], str(caught.value)


NOW = ["f = now g;", "h = f | now g;", "compute(now vertices, bump);", "while (now f) { }", "if (!now f) { }"]


@pytest.mark.parametrize(
    "statement", [*NOW, "count = int32(size(now f));", "big = size(now edges);", "f = (now f) - g;"]
)
def test_now_says_nothing_of_a_set(statement: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(f"{HEAD}{statement}\n}}\n")
    (found,) = caught.value.diagnostics
    assert found.code == "E0215" and found.fix is not None and found.fix.startswith("write `"), found
