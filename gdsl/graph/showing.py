"""How a graph is shown to people: what does that is imported when they look."""

from __future__ import annotations

from typing import Any


class Shown:
    """A graph that shows itself."""

    def plot(self, ax: Any = None, *, kind: str | None = None) -> Any:
        """A picture by Matplotlib, on `ax` or new axes, which it returns: a small graph is drawn (``kind="drawing"``),
        of a larger one it is how many vertices have each degree (``kind="distribution"``). Raises ValueError for other
        kinds, GdslError E0907 without Matplotlib."""
        from gdsl.pictures.choosing import plot_graph

        return plot_graph(self, ax, kind)

    def _repr_html_(self) -> str | None:
        from gdsl.graph.display import graph_page

        return graph_page(self)
