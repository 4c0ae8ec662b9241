"""What `top` takes, and what is said where it may not stand."""

from __future__ import annotations

import pytest

from gdsl.diagnostics import GdslError
from gdsl.ir import nodes
from gdsl.operations import Domain
from gdsl.pipeline import load

DATA = """program p;
problem { scalar s : int64; scalar real : float32; param k : int32 = 2; vertex hops : int32; edge weight : float32; }
edge functor weighs(src, dst, e) -> float32 { value weight[e]; }
edge functor goes_to(src, dst, e) -> vertex { value dst; }
edge functor step(src, dst, e) { apply { hops[dst] += 1; } }
vertex functor tally(v) { apply { hops[v] += 1; } }
"""


def text_of(schedule: str) -> str:
    return f"{DATA}schedule {{ frontier f = vertices; edge frontier e; {schedule} }}"


@pytest.mark.parametrize(
    "schedule",
    [
        "e = top(f, weighs, 3);",
        "e = top(f, weighs, k);",
        "e = top(vertices, weighs, size(f) - s, over=in_edges) @best;",
        "f = advance(top(f, weighs, 1), step);",
        "compute(top({ 0, 1 }, weighs, k) & e, step);",
        "e = filter(top(f | { 2 }, weighs, iteration, over=out_edges), step);",
    ],
)
def test_forms(schedule: str) -> None:
    steps = load(text_of(schedule)).schedule
    kept = [step for step in steps if isinstance(step, nodes.Advance) and step.to is Domain.EDGE]
    assert len(kept) == 1 and kept[0].functor.startswith("weighs_kept")


@pytest.mark.parametrize(
    ("schedule", "code", "words"),
    [
        ("e = top(f, weighs);", "E0402", "`top` takes 3 arguments, not 2"),
        ("e = top(f, weighs, 1, 2);", "E0402", "`top` takes 3 arguments, not 4"),
        ("e = top(f, weighs, 1, to=edges);", "E0402", "`top` takes no argument `to=`"),
        ("e = top(f, step, 1);", "E0401", "`top` takes an edge functor with a `value`"),
        ("e = top(f, tally, 1);", "E0401", "`top` takes an edge functor with a `value`"),
        ("e = top(f, goes_to, 1);", "E0407", "`top` compares numbers, and `goes_to` gives vertex"),
        ("e = top(f, weighs, real);", "E0205", "the number of edges that `top` takes"),
        ("e = top(e, weighs, 1);", "E0416", "the input of `top` is a set of vertices"),
        ("f = top(f, weighs, 1);", "E0416", "this is a set of edges"),
        ("top(f, weighs, 1);", "E0227", "the edges that this gives are not used"),
        ("s = top(f, weighs, 1);", "E0415", "`top` gives no single value for `s`"),
        ("hops = top(f, weighs, 1);", "E0415", "`top` gives no values for the array `hops`"),
        ("e = top(f, weighs, 1, over=all_edges); f = advance(e, step);", "E0417", "no far end"),
    ],
)
def test_refused(schedule: str, code: str, words: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(text_of(schedule))
    (found,) = caught.value.diagnostics
    assert (found.code, words in found.message) == (code, True), found.message
