"""How many edges a thread that reduces a list looks at side by side: several, unless each is long to compute."""

from __future__ import annotations

import pytest

from gdsl.plan import target
from gdsl.plan.hints import EdgesSideBySide
from gdsl.plan.read_ahead import EDGES_AT_ONCE
from gdsl.plan.walking import sweeps

from .planning import plan_of

SUM = "neighbor_reduce(vertices, brought, sum)"
OWN = "operator own(a : float64, b : float64) -> float64 identity -inf { return %s; }"


@pytest.mark.parametrize(
    "value, own, several",
    [
        ("height[dst]", "", True),
        ("sqrt(height[src] * height[dst]) / max(height[dst], 1)", "", True),
        ("exp(height[dst])", "", True),
        ("exp(height[dst]) + exp(height[src])", "", False),
        ("twice(twice(height[dst]))", "", False),
        ("height[dst]", OWN % "max(a, b)", True),
        ("height[dst]", OWN % "max(a, b) + log(1 + exp(min(min(a, b) - max(a, b), 0)))", False),
    ],
)
def test_what_is_long_to_compute_is_written_once(value: str, own: str, several: bool) -> None:
    text = f"""program p;
        problem {{ vertex height : float64; vertex best : float64; }}
        {own}
        function twice(x : float64) -> float64 {{ return log(x + 1) * exp(x); }}
        edge functor brought(src, dst, e) -> float64 {{ value {value}; }}
        schedule {{ best = {SUM.replace("sum", "own") if own else SUM}; }}"""
    for on in (target.CUDA_FUSED, target.CUDA_UNFUSED, target.CPU):
        (sweep,) = sweeps(plan_of(text, "without=far_values", on=on))
        expected = EdgesSideBySide(EDGES_AT_ONCE) if several and on is not target.CPU else None
        assert sweep.hint(EdgesSideBySide) == expected
