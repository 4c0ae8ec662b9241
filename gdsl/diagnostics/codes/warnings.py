"""W0x: what a program says and probably does not mean. Warnings never stop a run; `gdslc check --strict` fails."""

from __future__ import annotations

from gdsl.diagnostics.registry import Code

CODES: tuple[Code, ...] = (
    Code(
        "W01",
        "the frontier of an operator is thrown away in a loop that waits for it",
        "The loop goes on while a frontier has members, and nothing in it gives that frontier others: the set that "
        "`advance` makes is lost. Assign it, or say `to=none` where no set is wanted.",
        "while (f) { advance(f, visit); }         # f = advance(f, visit);",
    ),
    Code(
        "W02",
        "a loop whose condition nothing in it can change",
        "What the condition reads is not written in the loop: it runs not once, or until `--timeout` or "
        "`--max-iterations` stops it.",
        "while (moved) { compute(vertices, jump); }     # and jump says nothing of `moved`",
    ),
    Code(
        "W03",
        "declared and not used",
        "A functor that no operator runs, a function that nothing calls, a param, an array or a scalar that nothing "
        "reads or writes, or a label that `tune` does not name beside others that it does.",
        "param damping : float32 = 0.85;                # and no other line has `damping`",
    ),
    Code(
        "W04",
        "an integer sum that may hold `inf`",
        "Integers have no infinity: `inf` is the largest number of the type, and a sum of it wraps. Leave the elements "
        "that are `inf` out: by a `cond`, by `?:`, or by summing over a set. Floats have one, and their sums are fine.",
        "total += distance[v];                          # cond distance[v] != inf;",
    ),
    Code(
        "W05",
        "a `cond` that is always true or always false",
        "The values that the data of the program can have decide the condition, or a part of it between `&&`.",
        "cond out_degree(v) >= 0;",
    ),
    Code(
        "W06",
        "a worklist that accepts what did not change",
        "A loop waits for a frontier to become empty, and its operator accepts every vertex that it reaches, whether "
        "or not its value changed. On a graph with a cycle the frontier is never empty. Accept a vertex only where its "
        "value changed, or test in `cond` what `apply` stores.",
        "apply { distance[dst] min= distance[src] + 1; }     # accept changed(distance[dst] min= distance[src] + 1);",
    ),
    Code(
        "W07",
        "the largest id of no edges",
        "The `max` of no ids is 0, which is an id: `none` is the largest value of all. A program that tests the result "
        "for `none` gives `empty=none`, what a vertex receives of which no edge counts.",
        "best = neighbor_reduce(vertices, f, max);         # neighbor_reduce(vertices, f, max, empty=none)",
    ),
)
