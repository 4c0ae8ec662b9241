"""E04xx: the schedule, its operators and the tuning."""

from __future__ import annotations

from gdsl.diagnostics.registry import Code
from gdsl.knobs import standing

CODES: tuple[Code, ...] = (
    Code(
        "E0401",
        "functor of another kind",
        (
            "`compute`, `filter` and `where` take a vertex functor (on sets of edges an edge functor), "
            "`advance` an edge functor, `neighbor_reduce` an edge functor with a `value`, `neighbor_vote` one with a "
            "key and a weight (`-> (K, W)`) and a vote functor, `intersect` a common functor."
        ),
        "vertex functor visit(v) { … }\n…\nf = advance(f, visit);",
    ),
    Code(
        "E0402",
        "wrong argument of an operator",
        "The operator does not take this argument, or not with this value; the message lists what it takes.",
        "f = advance(f, visit, over=edges);       # over=out_edges",
    ),
    Code(
        "E0403",
        "not a frontier",
        (
            "The operator works on a frontier, on `vertices` or on `edges`. Sets are combined by `|`, `&` "
            "and `-`, and are no values: only a frontier with a name is a condition, or has a `size`."
        ),
        "f = advance(distance, visit);\nwhile (f - g) { … }                     # frontier h = f - g; while (h) …",
    ),
    Code(
        "E0404",
        "operator at the wrong place",
        (
            "Operators stand as statements of the schedule, as the value of a frontier, or as the input of another "
            "operator; `intersect` also gives its total to a scalar: `s = intersect(edges);`."
        ),
        "scalar = size(f) + compute(f, g);",
    ),
    Code(
        "E0405",
        "`swap` of two unlike things",
        "`swap` takes two arrays over the same elements, or two scalars, of the same type; neither may be an input.",
        "swap(rank, distance);",
    ),
    Code(
        "E0406",
        "`neighbor_reduce` or `neighbor_vote` without its array",
        "The result is assigned to an array over vertices: `next = neighbor_reduce(…);`.",
        "neighbor_reduce(vertices, received, sum);",
    ),
    Code(
        "E0407",
        "reduction not defined for the type",
        (
            "`sum`, `product`, `min` and `max` take numbers (`min` and `max` also ids), `some`, `every` and "
            "`count` bool, `and`, `or` and `xor` integers and bool."
        ),
        "total = neighbor_reduce(vertices, flag, sum);   # flag gives a bool: count",
    ),
    Code(
        "E0408",
        "the schedule does not read arrays",
        (
            "Statements of the schedule read params, scalars, `size(f)`, `iteration` and counts. To use an "
            "element, copy it into a scalar by a functor."
        ),
        "while (distance[target] == -1) { … }",
    ),
    Code(
        "E0409",
        "wrong element in the schedule",
        "`a[x] = y` in the schedule takes a param, a scalar or a literal as its index.",
        "distance[out_degree(source)] = 0;",
    ),
    Code(
        "E0410",
        "unknown requirement",
        "`requires` knows `symmetric` and `simple`.",
        "requires sorted;",
    ),
    Code(
        "E0411",
        "nothing of this name to tune",
        "Tuning words begin with a functor, a `@label` of the schedule, `schedule` or `bounds`.",
        "tune { vist.direction = push; }          # visit",
    ),
    Code(
        "E0412",
        "unknown knob or value",
        (
            "The knob does not exist, does not take this value or is set twice; the message lists what there is, and "
            "`gdslc explain` says more of each: `gdslc explain direction`."
        ),
        "tune { visit.direction = sideways; }",
    ),
    Code(
        "E0413",
        "knob without effect",
        (
            f"The knob does not apply to the operators that use this functor: {standing()}. "
            "`gdslc explain knobs` lists all knobs."
        ),
        "tune { settle.direction = pull; }",
    ),
    Code(
        "E0414",
        "label used twice",
        "A `@label` names one operator of the schedule.",
        "f = advance(f, visit) @step; f = advance(f, visit) @step;",
    ),
    Code(
        "E0415",
        "result of an operator not used as what it is",
        (
            "`advance`, `filter` and `where` give a frontier, `neighbor_reduce` and `neighbor_vote` values of an "
            "array, `intersect` a frontier or a number for an int64 scalar, `compute` nothing."
        ),
        "rank = advance(f, visit);",
    ),
    Code(
        "E0416",
        "vertices where edges are wanted, or the reverse",
        "A frontier holds vertices, an edge frontier edges; `advance(…, to=edges)` gives edges, without it vertices.",
        "edge frontier e = advance(f, visit);     # to=edges",
    ),
    Code(
        "E0417",
        "edge frontier without one far end",
        (
            "An edge frontier stands for the far ends of its edges: the destinations where they were walked over "
            "out_edges, the sources over in_edges. One variable holds one kind, and edges walked over all_edges have "
            "no far end to advance from."
        ),
        "edge frontier e = advance(f, visit, to=edges, over=all_edges);\nf = advance(e, visit);",
    ),
    Code(
        "E0418",
        "no use of a history",
        (
            "Frontiers of vertices are pushed to a history, `h.push(f);`; `for f in backward(h) { … }` and "
            "`forward(h)` go through them, and `size(h)` is their number. Nothing is pushed to it in such a loop."
        ),
        "for f in backward(h) { h.push(advance(f, visit)); }",
    ),
    Code(
        "E0419",
        "no use of buckets",
        (
            "`buckets b(A, width) = { source };` keeps vertices by the level of their element of A, an array of "
            "numbers over vertices; the width of a level is above 0. `b.pop()` is a set: the vertices of the lowest "
            "level. `b.push(f);` puts vertices into them, `b.level` is the level last popped, `size(b)` the number of "
            "vertices in them."
        ),
        "buckets b(parent, 0) = { source };",
    ),
    Code(
        "E0420",
        "knob that does not fit here",
        (
            "A knob is refused where it makes no sense beside another (`balance` in a pull, a bitmap of edges) or "
            "could be seen: `dedup = none` lets a vertex stand in a frontier twice, so all that is done with the "
            "frontier must be idempotent, and nobody may ask for its size; "
            "`schedule.order = near_far` asks for a loop whose end does not depend on the order; `gdslc explain order "
            "PROGRAM` says what stands in the way; `schedule.layout = by_degree` for a program that cannot tell other "
            "ids of its vertices, as `gdslc explain layout PROGRAM` says. A word of the command line that has nothing "
            "to decide beside an entry of the text, or the reverse, is left out and no mistake."
        ),
        "relax.dedup = none;                      # and somewhere: count = size(f);",
    ),
    Code(
        "E0421",
        "a set of another graph",
        (
            "A frontier belongs to the graph on which it was declared. A subgraph has the vertices of the graph that "
            "it was made of, so that sets of vertices pass between the two; sets of edges, and whatever belongs to a "
            "contracted graph, stay inside their `on { … }`."
        ),
        "edge frontier e = edges;\ngraph h = subgraph(e);\non h { compute(e, visit); }",
    ),
    Code(
        "E0424",
        "several values an element where one is wanted",
        "`neighbor_reduce` and reductions over arrays take arrays of one value an element. Copy the values that are "
        "meant into such an array by a functor.",
        "s = sum(position);                       # vertex position[3]: float32",
    ),
    Code(
        "E0427",
        "a result that hangs on buckets whose width finds itself",
        (
            "With `width=auto` which of the waiting vertices `b.pop()` gives is for the run to choose, so that no "
            "result may hang on it. That is shown of `while (b) { b.push(advance(b.pop(), f)); }` where all that f "
            "does is one `min=` or `max=` on an element of the far end, whose operand never falls (rises) as the near "
            "end's element rises (falls), with `accept changed(…)` of just that. Anything else needs a width."
        ),
        "buckets b(distance, width=auto) = { source }; while (b) { passes += 1; b.push(advance(b.pop(), relax)); }",
    ),
)
