"""E03xx: what calls of one operator may write and read."""

from __future__ import annotations

from gdsl.diagnostics.registry import Code

CODES: tuple[Code, ...] = (
    Code(
        "E0301",
        "several calls store different values into one element",
        (
            "An operator calls its functor for many vertices or edges, in no order. `x = y` is allowed only where\n"
            "1. a single call can address the element: `[v]` in a vertex functor, `[e]` in an edge functor (not with\n"
            "   `over=all_edges`, which may visit an edge from both ends), or\n"
            "2. all writers store the same value, made from literals, params, `iteration`, the index itself, and\n"
            "   scalars and elements at that index that the operator does not write, or\n"
            "3. it stands under `if (cas(x[i], old, new))` for the same index.\n"
            "Otherwise say what shall happen: `any=` lets one of the writers win (the result is not unique), `min=` and\n"
            "`max=` pick by value, `cas` binds several stores to one winner."
        ),
        "edge functor visit(src, dst, e) {\n"
        "    apply { parent[dst] = src; }         # edges (a, c) and (b, c): which parent?\n"
        "}\n"
        "edge functor mended(src, dst, e) {\n"
        "    apply { parent[dst] any= src; }\n"
        "}",
    ),
    Code(
        "E0302",
        "a read of what another call of the operator may write",
        (
            "A call sees its own writes, but the other calls of the operator run before, after and beside it. An element\n"
            "or scalar that another call may write can be read only where\n"
            "(a) all writes to the array are the same one of `min= max= |= &=` and the read feeds only their operand or\n"
            "    index,\n"
            "(b) it is the test of a `cond` that every such write makes false (or leaves true) for certain, or\n"
            "(c) the read says `now a[i]`: any value from before or during the operator; the result is not unique.\n"
            "Else write into a second array, and read it in the next operator; `neighbor_reduce` may read the array that\n"
            "it is assigned to."
        ),
        "edge functor spread(src, dst, e) {\n"
        "    apply { heat[dst] += heat[src]; }    # heat[src] before or after what others add to it?\n"
        "}\n"
        "edge functor mended(src, dst, e) {\n"
        "    apply { next[dst] += heat[src]; }\n"
        "}",
    ),
    Code(
        "E0303",
        "two kinds of writes to one array",
        (
            "Writes of one kind to one array may come in any order (`+=` and `-=` count as one kind), but writes of\n"
            "different kinds by different calls give a result that depends on the order. Use one kind, or two operators."
        ),
        "edge functor pull_apart(src, dst, e) {\n"
        "    apply {\n"
        "        level[dst] min= 3;\n"
        "        level[src] max= 5;               # of edges (a, c) and (c, b): 3 or 5 at c?\n"
        "    }\n"
        "}",
    ),
    Code(
        "E0304",
        "a statement that a closing functor may run more or less often",
        (
            "A functor closes where its operator writes an element that `cond` reads and thereby makes `cond` false:\n"
            "`cond d[dst] == -1` under `d[dst] = iteration + 1`. How many edges of one `dst` then run `apply` is\n"
            "unspecified. Allowed are stores of the same value at `[dst]`, `any=`, and statements under `cas`. Counting\n"
            "and reductions need a second operator, or `if (cas(d[dst], -1, iteration + 1)) { … }`."
        ),
        "edge functor visit(src, dst, e) {\n"
        "    cond distance[dst] == -1;\n"
        "    apply {\n"
        "        distance[dst] = iteration + 1;\n"
        "        count += 1;                      # once, or once for each edge that came before the store?\n"
        "    }\n"
        "}",
    ),
    Code(
        "E0305",
        "an `accept` that depends on which edges a closing functor still ran",
        (
            "A functor closes where its writes make `cond` false (see E0304). Its `accept` must be true or depend on\n"
            "the far end and on what the operator does not write, since the edge that would have accepted may not run. A\n"
            "functor that closes at the near end can give no frontier at all: use `to=none`."
        ),
        "edge functor visit(src, dst, e) {\n"
        "    cond distance[dst] == -1;\n"
        "    apply {\n"
        "        distance[dst] = iteration + 1;\n"
        "        accept heavy[src];               # and if an edge from another src came first?\n"
        "    }\n"
        "}",
    ),
    Code(
        "E0306",
        "a store under a `cas` that may have several winners",
        (
            "Under `if (cas(x[i], old, new)) { a[i] = y; }` only one call stores into `a[i]`, provided that the index is\n"
            "the same, that nothing else in the operator writes `x`, that all calls expect the same `old`, and that `new`\n"
            "can be seen to differ from it."
        ),
        "edge functor claim(src, dst, e) {\n"
        "    apply {\n"
        "        if (cas(taken[src], false, true)) { owner[dst] = src; }   # cas(taken[dst], …)\n"
        "    }\n"
        "}",
    ),
)
