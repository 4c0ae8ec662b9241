"""gdsl as a backend of NetworkX: ``networkx.pagerank(G, backend="gdsl")``; docs/networkx.md says what it takes.

`wrap` makes a `gdsl.Graph` a graph that NetworkX's functions take, `function` makes a program a function of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gdsl.integrations.networkx_backend.conversion import wrap
    from gdsl.integrations.networkx_backend.programs_as_functions import function

__all__ = ["function", "wrap"]


def __getattr__(name: str) -> object:
    """Imported when first used: NetworkX imports this package for what it says of itself."""
    if name == "wrap":
        from gdsl.integrations.networkx_backend.conversion import wrap

        return wrap
    if name == "function":
        from gdsl.integrations.networkx_backend.programs_as_functions import function

        return function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
