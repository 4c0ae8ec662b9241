"""Pushes of few members, which lie in a list of their own, in words."""

from __future__ import annotations

from gdsl.codegen.cuda.texts import Listed, Push
from gdsl.codegen.cuda.visits import fetched_lists
from gdsl.codegen.cuda.words import LISTS
from gdsl.codegen.names import Names
from gdsl.codegen.switches import SwitchText
from gdsl.plan.nodes import Sweep

_FITS = "fits_listed(size, d.graph)"
_NEED_QUEUE = "if (!listed.holds) { need_queue(run, input, d.graph.num_vertices); }"


def listed_text(push: Sweep, text: Push, counted: str, choice: SwitchText | None, names: Names) -> Listed | None:
    """How `push`, of which `text` is what it does else, visits the edges of few members; None where these lie in no
    list. `counted` counts the edges of a queue; where `choice` says whether to pull, few members never do."""
    if not push.listed:
        return None
    (walk,), collect = push.walks, push.collect
    assert collect is not None
    end: tuple[str, ...] = ()
    if choice is not None:
        end = ("direction.pull = false;", "follow_edges(direction, edges, iteration, d.graph);")
    elif push.order is not None:
        end = ("order.peak = maximum(order.peak, result.size);",)
    ordered = push.order is not None
    return Listed(
        fits=_FITS if choice is None else f"{_FITS} && !({choice.stay})",
        queues=_NEED_QUEUE if choice is not None else "",
        lists=LISTS[walk.lists],
        visit=text.sides[0].visit,
        order="order" if ordered else "in_no_order{}",
        fetch=fetched_lists(collect, walk.lists, names),
        end=end,
        unlist="unlist_entries(run, listed, input, order);" if ordered else f"unlist(run, listed, input, {counted});",
    )
