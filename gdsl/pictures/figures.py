"""Axes to draw on, and figures as files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from gdsl.extras import required

SUFFIXES = (".png", ".svg", ".pdf")
_UNDATED = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
"""What keeps the day out of a file: the same picture gives the same bytes."""
_PANEL = (6.0, 4.5)
"""Inches."""

Draw = Callable[[Any], object]
"""Draws on axes."""


def require_matplotlib() -> Any:
    """Matplotlib. Raises E0907 where it is not installed."""
    return required("matplotlib", "gdsl[plot]", "a picture")


def axes_of(ax: Any) -> Any:
    """`ax`, or new axes as pyplot makes them, which a notebook or `plt.show()` shows; without a display Matplotlib
    draws for files alone. Raises E0907."""
    require_matplotlib()
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=_PANEL, layout="constrained")[1]


def panels(draws: Sequence[Draw]) -> Any:
    """A figure with a panel for each of `draws`, of which no window knows. Raises E0907."""
    require_matplotlib()
    from matplotlib.figure import Figure

    columns = min(len(draws), 3)
    rows = -(-len(draws) // columns)
    figure = Figure(figsize=(_PANEL[0] * columns, _PANEL[1] * rows), layout="constrained")
    for place, draw in enumerate(draws):
        draw(figure.add_subplot(rows, columns, place + 1))
    return figure


def write_figure(figure: Any, path: Path, file: BinaryIO) -> None:
    """Write `figure` to `file` in the format that `path` ends in, one of `SUFFIXES`."""
    import matplotlib

    suffix = path.suffix.lower()
    with matplotlib.rc_context({"svg.hashsalt": "gdsl"}):
        figure.savefig(file, format=suffix[1:], dpi=150, metadata=_UNDATED[suffix])
