"""Says what may stop a run where it stands: an index that is computed and may be out of range.

Such an index is looked at in the order of the text, and where what comes before it says so. A correct program has its
indices in range there, and perhaps nowhere else: `cond parent[dst] == none && key[label[dst]] > 0`. So whoever tests a
condition's parts in another order, or of more or fewer elements, leaves these where they are.
"""

from __future__ import annotations

from gdsl.ir.nodes import GraphRead
from gdsl.ir.traversal import walk


def may_stop(part: object) -> bool:
    """Whether evaluating `part` may find an index out of range."""
    return any(
        getattr(node, "checked", False)
        or getattr(node, "place_checked", False)
        or (isinstance(node, GraphRead) and node.query.in_list)
        for node in walk(part)
    )
