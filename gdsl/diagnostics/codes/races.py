"""E03xx: what calls of one operator may write and read."""

from __future__ import annotations

from gdsl.diagnostics.registry import Code

CODES: tuple[Code, ...] = (
    Code(
        "E0301",
        "several calls store different values into one element",
        """
An operator calls its functor for many vertices or edges, in no order. `x = y` is allowed only where
1. a single call can address the element: `[v]` in a vertex functor, `[e]` in an edge functor (not with
   `over=all_edges`, which may visit an edge from both ends), or where `cond` leaves one call (`place == 0` for
   `[src]`; `owner[dst] == src` for `[dst]` with `requires simple`), or
2. all writers store the same value, made from literals, params, `iteration`, the index itself, and scalars and
   elements at that index that the operator does not write, and so are the branches that choose between stores of
   different values, or
3. it stands under `if (cas(x[i], old, new))` for the same index.
Otherwise say what shall happen: `any=` lets one of the writers win (the result is not unique), `min=` and
`max=` pick by value, `+=` and the like let every call count (`s += y` for `s = s + y`), `cas` binds
several stores to one winner.
""",
        """
edge functor visit(src, dst, e) {
    apply { parent[dst] = src; }         # edges (a, c) and (b, c): which parent?
}
edge functor mended(src, dst, e) {
    apply { parent[dst] any= src; }
}
""",
    ),
    Code(
        "E0302",
        "a read of what another call of the operator may write",
        """
A call sees its own writes, but the other calls of the operator run before, after and beside it. An element or
scalar that another call may write can be read only where
(a) all writes to the array are the same one of `min= max= |= &=` and the read feeds only their operand or
    index,
(b) it is the test of a `cond` that every such write makes false for certain, or
(c) the read says `now a[i]`: any value from before or during the operator; the result is not unique.
Else write into a second array, and read it in the next operator; `neighbor_reduce` may read the array that it
is assigned to.
""",
        """
edge functor spread(src, dst, e) {
    apply { heat[dst] += heat[src]; }    # heat[src] before or after what others add to it?
}
edge functor mended(src, dst, e) {
    apply { next[dst] += heat[src]; }
}
""",
    ),
    Code(
        "E0303",
        "two kinds of writes to one array",
        """
Writes of one kind to one array may come in any order (`+=` and `-=` count as one kind), but writes of different
kinds by different calls give a result that depends on the order. Use one kind, or two operators.
""",
        """
edge functor pull_apart(src, dst, e) {
    apply {
        level[dst] min= 3;
        level[src] max= 5;               # of edges (a, c) and (c, b): 3 or 5 at c?
    }
}
""",
    ),
    Code(
        "E0304",
        "a statement that a closing functor may run more or less often",
        """
A functor closes where its operator writes an element that `cond` reads and thereby makes `cond` false: `cond
d[dst] == -1` under `d[dst] = iteration + 1`. How many edges of one `dst` then run `apply` is unspecified.
Allowed are stores of the same value at `[dst]`, `min= max= |= &=` whose operand is one value for all calls on that
`dst`, `any=`, and statements under `cas`. Counting and other reductions need a second operator, or
`if (cas(d[dst], -1, iteration + 1)) { … }`.
""",
        """
edge functor visit(src, dst, e) {
    cond distance[dst] == -1;
    apply {
        distance[dst] = iteration + 1;
        count += 1;                      # once, or once for each edge that came before the store?
    }
}
""",
    ),
    Code(
        "E0305",
        "an `accept` that depends on which edges a closing functor still ran",
        """
A functor closes where its writes make `cond` false (see E0304). Its `accept` must be true or depend on the far
end and on what the operator does not write, since the edge that would have accepted may not run. A functor that
closes at the near end can give no frontier at all: use `to=none`.
""",
        """
edge functor visit(src, dst, e) {
    cond distance[dst] == -1;
    apply {
        distance[dst] = iteration + 1;
        accept heavy[src];               # and if an edge from another src came first?
    }
}
""",
    ),
    Code(
        "E0306",
        "a store under a `cas` that may have several winners",
        """
Under `if (cas(x[i], old, new)) { a[i] = y; }` only one call stores into `a[i]`, provided that the index is the
same, that nothing else in the operator writes `x`, that all calls expect the same `old`, and that `new` can be
seen to differ from it.
""",
        """
edge functor claim(src, dst, e) {
    apply {
        if (cas(taken[src], false, true)) { owner[dst] = src; }   # cas(taken[dst], …)
    }
}
""",
    ),
    Code(
        "E0307",
        "a loop that waits for another call",
        """
The calls of an operator need not run side by side: one may begin only after another has ended. A `while` inside a
functor that goes on until another call has written something (`now`, `cas`, `fetch`, also in an `if … break`) may
therefore never end. Such a loop must get on by itself: in each round that is followed by another, something changes
by a monotone reduction, `changed(x min= y)` (`max= |= &=`), which cannot happen forever. Else let the schedule wait.
""",
        """
vertex functor wait(v) {
    apply { while (!now go) { } done[v] = true; }
}
vertex functor shorten(v) {
    apply { while (changed(label[v] min= label[label[v]])) { } }      # allowed: each round lowers a label
}
""",
    ),
    Code(
        "E0308",
        "an operator that hangs on the order",
        """
`neighbor_reduce` combines the values of a list in any order, in pieces that threads begin with the identity. So an
operator must be associative and commutative, and its identity must change nothing. This is tried on all triples of
some values of the type, the extremes among them (floats up to rounding, NaN not at all); the message shows the first
values of which it does not hold. All of this may take 500,000 statements, rounds of loops and calls. What
passes is graded *tried*, and *exact* only where the law is proved (`gdslc explain tried`).
""",
        """
operator difference(a: int32, b: int32) -> int32 identity 0 { return a - b; }
operator smaller(a: int32, b: int32) -> int32 identity 0 { return min(a, b); }      # identity inf
""",
    ),
)
