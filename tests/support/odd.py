"""Values of odd kinds, what they are handed to, and what a message about them must not hold."""

from __future__ import annotations

import numpy as np

import gdsl

TEXT = """program odd;
problem {
    param  source : vertex = 0;
    param  factor : float32 = 1.0;
    param  count : int32 = 1;
    param  really : bool = true;
    input  vertex amount : int32;
    input  vertex share : float64;
    input  vertex mark : bool;
    input  vertex next : vertex;
    vertex made : float64;
    vertex followed : int32;
    scalar total : vertex;
}
vertex functor f(v) {
    apply {
        if (mark[v] && really) { made[v] = share[v] * float64(factor) + float64(amount[v] * count); }
        if (next[v] != none) { followed[v] = amount[next[v]]; }
    }
}
schedule { compute(vertices, f); total = source; }
"""
BACKENDS = ["reference", "cpu"]
GOOD = {"amount": [1, 2, 3], "share": [0.5, 0.25, 0.0], "mark": [True, True, False], "next": [2, 0, -1]}
HUGE = 10**5000


class Broken:
    """Fails whatever is asked of it."""

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        raise RuntimeError("broken array")

    def __repr__(self) -> str:
        raise RuntimeError("broken repr")


def label(value: object) -> str:
    """Python does not write out `HUGE`."""
    return value if isinstance(value, str) and value.isidentifier() else type(value).__name__


GRAPH = gdsl.Graph.from_edges([0, 1], [1, 2])


def clear(error: BaseException) -> str:
    """The message, which is ours."""
    text = str(error)
    assert text.isprintable() or isinstance(error, gdsl.GdslError), text
    assert len(text) < 700
    for foreign in (
        "numpy.",
        "np.int",
        "ufunc",
        "Exceeds the limit",
        "Python int too large",
        "truth value",
        "NoneType object",
        "concatenate",
    ):
        assert foreign not in text, text
    return text
