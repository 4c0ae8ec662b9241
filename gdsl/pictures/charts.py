"""Values too many to draw one by one: how they are distributed, and the sizes of frontiers over a run."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_BARS = 40
"""Different whole numbers that get a bar each."""
_BINS = 60
_EXACT = 2**53
"""Smaller whole numbers are exact on an axis."""
_WIDE = 1000
"""The quotient of the largest and the smallest value from which an axis is logarithmic."""


def draw_values(ax: Any, values: NDArray[Any], apart: str, title: str) -> None:
    """How often each of the finite `values` occurs; `apart` describes the others."""
    ax.set_title(title)
    ax.set_ylabel("elements")
    if apart:
        ax.set_xlabel(apart)
    if not len(values):
        return
    low, high = values.min().item(), values.max().item()
    if values.dtype.kind in "iub" and high - low < _MOST_BARS and abs(low) < _EXACT:
        counts = np.bincount(values.astype(np.uint8) if values.dtype.kind == "b" else (values - values.min()))
        ax.bar(np.arange(len(counts)) + int(low), counts, color="C0")
    else:
        counts = _draw_ranges(ax, values.astype(np.float64), float(low), float(high))
    if counts.max() > _WIDE * max(int(np.min(counts[counts > 0])), 1):
        ax.set_yscale("log")


def _draw_ranges(ax: Any, values: NDArray[np.float64], low: float, high: float) -> NDArray[Any]:
    """Bars of equal width, or on a logarithmic axis; one bar where no number is between the values."""
    wide = low > 0 and high / low > _WIDE
    try:
        counts, bounds = np.histogram(values, bins=np.geomspace(low, high, _BINS + 1) if wide else _BINS)
    except ValueError:
        margin = max(abs(low), 1.0) * 1e-6
        counts, bounds = np.histogram(values, bins=np.array([low - margin, high + margin]))
    ax.stairs(counts, bounds, fill=True, color="C0")
    if wide:
        ax.set_xscale("log")
    return np.asarray(counts)


def draw_degrees(ax: Any, graph: Any, title: str) -> None:
    """How many vertices have each degree, on logarithmic axes; the legend counts those without an edge."""
    degree_arrays = {"out-degree": graph.out_degrees}
    if graph.directed:
        degree_arrays["in-degree"] = graph.in_degrees
    for name, degrees in degree_arrays.items():
        counts = np.bincount(degrees)
        degrees_present = np.flatnonzero(counts)
        degrees_present = degrees_present[degrees_present > 0]
        num_isolated = int(counts[0]) if len(counts) else 0
        label = f"{name}; {num_isolated:,} vertices have none" if num_isolated else name
        ax.scatter(degrees_present, counts[degrees_present], s=14, alpha=0.7, linewidths=0, label=label)
    scale = "log" if graph.num_edges else "linear"  # an empty logarithmic axis cannot be drawn
    ax.set(xscale=scale, yscale=scale, xlabel="degree", ylabel="vertices", title=title)
    ax.legend(loc="upper right")


_MARKS_UP_TO = 60


def draw_trace(ax: Any, trace: Any, title: str) -> None:
    """The elements that each operator ran on and their edges, in the order in which they ran; an operator that ran once
    is left out if there are others."""
    labels = list(dict.fromkeys(record.label for record in trace))
    degree_arrays = {label: [place for place, record in enumerate(trace) if record.label == label] for label in labels}
    shown = {label: places for label, places in degree_arrays.items() if len(places) > 1} or degree_arrays
    for color, (label, places) in enumerate(shown.items()):
        marker = "o" if len(places) <= _MARKS_UP_TO else None
        style = {"color": f"C{color % 10}", "marker": marker, "markersize": 4}
        passes = _passes([trace[place] for place in places])
        ax.plot(passes, [trace[place].frontier_size for place in places], label=f"{label}: frontier", **style)
        edges = [trace[place].edges for place in places]
        if any(edges):
            ax.plot(passes, edges, linestyle="--", label=f"{label}: its edges", **style)
    ax.set(xlabel="pass", ylabel="elements", title=title)
    ax.set_yscale("symlog", linthresh=1)
    ax.xaxis.get_major_locator().set_params(integer=True)
    if shown:
        ax.legend(loc="best", fontsize=8)


def _passes(records: Any) -> list[int]:
    """The passes of an operator, from 1; numbered consecutively where an enclosing loop starts again."""
    passes = [record.iteration + 1 for record in records]
    return passes if all(a < b for a, b in itertools.pairwise(passes)) else list(range(1, len(passes) + 1))
