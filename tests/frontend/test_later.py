"""Every form of the language that is not built yet parses, and is answered with its place and 'not built yet'."""

from __future__ import annotations

import pytest
from mistake_programs import with_parts

from gdsl.diagnostics import GdslError
from gdsl.pipeline import load

LATER = [
    ("data", "vertex embedding[4] : float32;"),
    ("apply", "rank[v] = rank[v][2];"),
    ("top", "common functor triangle(u, w, x) { apply { } }"),
    ("top", "common functor triangle(u, w, x, e, eu, ew) { apply { count += 1; } }"),
    ("top", "vote functor score(v, key, total) -> float32 { value total; }"),
    ("schedule", "count = intersect(f, settle);"),
    ("schedule", "count = intersect(pairs=(rank, level), settle);"),
    ("schedule", "parent = neighbor_vote(vertices, visit, over=in_edges, keep=parent);"),
    ("schedule", "buckets b(level, 4) = { source }; while (b) { b.push(advance(b.pop(), visit)); }"),
    ("schedule", "buckets b(level, width=auto) = { source }; count = b.level;"),
    ("schedule", "graph h; on h { edge frontier few = { edge(1) }; }"),
    ("tune", "tune { visit.frontier = bitmap; }"),
    ("tune", "tune { visit.dedup = none; }"),
    ("tune", "tune { visit.balance = warp; received.balance = bins; }"),
]


@pytest.mark.parametrize(("place", "text"), LATER)
def test_later_forms(place: str, text: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(with_parts(**{place: text}))
    codes = {diagnostic.code for diagnostic in caught.value.diagnostics}
    assert codes - {"E0413"} <= {"E0501", "E0502"}, str(caught.value)
    assert all(diagnostic.span is not None for diagnostic in caught.value.diagnostics)
