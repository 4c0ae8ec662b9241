"""E08xx: a run that was stopped."""

from __future__ import annotations

from gdsl.diagnostics.registry import Code

CODES: tuple[Code, ...] = (
    Code(
        "E0801",
        "index out of range",
        (
            "A computed index was `none` or not in the array, or the list of a vertex has no such place; the run "
            "stopped at the next barrier."
        ),
        "parent[parent[v]]                        # parent[v] may be none",
    ),
    Code(
        "E0802",
        "timeout",
        (
            "The run took longer than `--timeout`. That counts from the start of the command (from Python: from the "
            "call) to the result, and covers reading, the checks of the inputs, and compilation; the message says what "
            "was going on where it was not the run itself."
        ),
    ),
    Code(
        "E0803",
        "too many iterations",
        "A loop of the schedule would begin another pass after `--max-iterations` of them.",
    ),
    Code(
        "E0804",
        "a history holds more than all vertices",
        (
            "The frontiers that are pushed to a history are meant to be disjoint, as the levels of a search are: a "
            "history has room for each vertex once. The run stopped at the push that went beyond that."
        ),
        "history h; h.push(vertices); h.push({ source });",
    ),
    Code(
        "E0805",
        "a width of buckets that is not above 0",
        (
            "The width of a level of buckets is evaluated where they are declared, and was 0, negative or NaN there. "
            "The run stopped before anything was put into them."
        ),
        "buckets b(distance, delta) = { source };  # with delta = 0",
    ),
    Code(
        "E0806",
        "pairs of sets that are not of one size",
        (
            "`intersect(pairs=(f, g))` takes the k-th smallest vertex of the one set with the k-th smallest of the "
            "other, so that there must be as many in both. The run stopped before anything was done with them."
        ),
        "s = intersect(pairs=({ a, b }, { c }));",
    ),
)
