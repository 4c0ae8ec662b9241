"""How values are distributed, where there are too many to draw each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_BARS = 40
"""Different whole numbers that get a bar each."""
_BINS = 60
_WIDE = 1000
"""The quotient of the largest and the smallest value from which an axis is logarithmic."""


def draw_values(ax: Any, values: NDArray[Any], apart: str, title: str) -> None:
    """How often each of `values`, which are finite, comes; `apart` tells of the others."""
    ax.set_title(title)
    ax.set_ylabel("elements")
    if apart:
        ax.set_xlabel(apart)
    if not len(values):
        return
    if values.dtype.kind in "iub" and int(values.max()) - int(values.min()) < _MOST_BARS:
        counts = np.bincount(values.astype(np.int64) - int(values.min()))
        ax.bar(np.arange(len(counts)) + int(values.min()), counts, color="C0")
    else:
        low, high = float(values.min()), float(values.max())
        wide = low > 0 and high / low > _WIDE
        edges = np.geomspace(low, high, _BINS + 1) if wide else _BINS
        counts, bounds = np.histogram(values.astype(np.float64), bins=edges)
        ax.stairs(counts, bounds, fill=True, color="C0")
        if wide:
            ax.set_xscale("log")
    if counts.max() > _WIDE * max(int(np.min(counts[counts > 0])), 1):
        ax.set_yscale("log")


def draw_degrees(ax: Any, graph: Any, title: str) -> None:
    """How many vertices have each degree, on logarithmic axes; those without an edge are told."""
    several = {"out-degree": graph.out_degrees}
    if graph.directed:
        several["in-degree"] = graph.in_degrees
    for name, degrees in several.items():
        counts = np.bincount(degrees)
        found = np.flatnonzero(counts)
        found = found[found > 0]
        alone = int(counts[0]) if len(counts) else 0
        label = f"{name}; {alone:,} vertices have none" if alone else name
        ax.scatter(found, counts[found], s=14, alpha=0.7, linewidths=0, label=label)
    ax.set(xscale="log", yscale="log", xlabel="degree", ylabel="vertices", title=title)
    ax.legend(loc="upper right")
