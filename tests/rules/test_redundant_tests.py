"""Reductions behind tests that they make too: the first fix drops the test, is typed in and right."""

from __future__ import annotations

import numpy as np
import pytest

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.pipeline import load, load_source
from gdsl.source import Source
from gdsl.suggestions.text import Places, apply

GRAPH = gdsl.Graph.from_edges([0, 0, 1, 2, 2, 3, 4], [1, 2, 3, 3, 4, 1, 0], num_vertices=6, directed=True)
LARGEST = """program p;
problem {{ vertex d : int32; edge w : int32 = int32(id) % 4; }}
edge functor f(src, dst, e) {{ {} }}
schedule {{ {}advance(vertices, f{}); }}"""
DISTANCES = """program p;
problem {{ vertex d : int32 = inf; edge w : int32 = int32(id) % 4; }}
edge functor f(src, dst, e) {{ {} }}
schedule {{ d[0] = 0; repeat (6) {{ advance(vertices, f, to=none); }} }}"""
RIGHT_LARGEST, RIGHT_DISTANCES = [2, 1, 1, 3, 0, 0], [0, 0, 1, 2, 1, 2**31 - 1]


def largest(functor: str, taken: bool = False) -> str:
    return LARGEST.format(functor, "frontier g = " if taken else "", "" if taken else ", to=none")


TEXTS = [
    largest("cond d[dst] < w[e]; apply { d[dst] max= w[e]; }"),
    largest("cond w[e] > d[dst]; apply { accept changed(d[dst] max= w[e]); }", True),
    largest("cond d[dst] <= w[e]; apply { d[dst] max= w[e]; }", True),
    largest("cond d[dst] < w[e]; apply { let x = w[e]; d[dst] max= x; }"),
    largest("cond w[e] >= 0 && d[dst] < w[e] && src != dst; apply { d[dst] max= w[e]; }"),
    largest("apply { if (d[dst] == 0 || d[dst] < w[e]) { d[dst] max= w[e]; } }"),
    largest("apply { let better = d[dst] < w[e]; if (better) { d[dst] max= w[e]; } }"),
    DISTANCES.format("cond d[src] != inf; apply { d[dst] min= d[src] + w[e]; }"),
    DISTANCES.format("cond d[src] < inf; apply { let n = d[src] + w[e]; d[dst] min= n; }"),
    DISTANCES.format("cond d[src] + w[e] < d[dst]; apply { d[dst] min= d[src] + w[e]; }"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_fix_drops_the_test(text: str) -> None:
    source = Source("p.gdsl", text)
    with pytest.raises(GdslError) as caught:
        load_source(source)
    first = caught.value.diagnostics[0]
    assert first.code == "E0302" and first.fix is not None and first.fix.startswith("drop the test")
    assert first.suggestions, first.fix
    fixed = apply(Places(text), first.suggestions[0].edits)
    assert fixed is not None
    result = gdsl.compile(fixed.text).run(GRAPH, backend="reference")
    wanted = RIGHT_LARGEST if "max=" in text else RIGHT_DISTANCES
    assert np.array_equal(result["d"], wanted)
    assert result.grade["d"] == ("exact" if "max=" in text else "not unique")  # passes of a relaxation are counted


@pytest.mark.parametrize(
    "functor",
    [
        "cond d[dst] > w[e]; apply { d[dst] max= w[e]; }",
        "cond d[dst] < w[e] + 1; apply { d[dst] max= w[e]; }",
        "cond d[dst] < w[e]; apply { d[dst] max= w[e]; w[e] = 0; }",
        "cond d[src] < w[e]; apply { d[dst] max= w[e]; }",
        "cond d[dst] != 0; apply { d[dst] max= w[e]; }",
        "apply { if (d[dst] == 0 && d[dst] < w[e]) { d[dst] max= w[e]; } }",
        "cond d[src] != inf; apply { d[dst] max= d[src] + w[e]; }",
        "cond d[src] != inf; apply { d[dst] min= d[src] * w[e]; }",
    ],
)
def test_tests_that_say_more_stay(functor: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(largest(functor))
    assert "drop the test" not in str(caught.value)
