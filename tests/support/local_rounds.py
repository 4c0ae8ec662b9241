"""Programs whose blocks run rounds of their own, and such as only look like them."""

from __future__ import annotations

FOUND = """program found;
problem { param source : vertex; vertex seen : int32; vertex done : bool; }
edge functor reach(src, dst, e) { cond seen[dst] == 0; apply { seen[dst] = 1; } }
schedule {
    seen[source] = 1;
    frontier f = { source };
    while (f) {
        compute(f, v => { done[v] = true; });
        f = advance(f, reach);
    }
}
"""
"""A search that asks only who is reached."""
PEELED = """program peeled;
problem { param source : vertex; vertex left : int32 = in_degree(id); vertex gone : int32 = -1; scalar k : int32 = 2; }
edge functor lose(src, dst, e) {
    apply {
        let before = fetch(left[dst] -= 1);
        accept before == k + 1;
    }
}
schedule {
    k += int32(source) % 3;
    frontier f = where(v => left[v] <= k);
    while (f) {
        compute(f, v => { gone[v] = k; });
        f = advance(f, lose);
    }
}
"""
"""A peeling."""
LOCAL = {
    "a search": FOUND,
    "a search against edges": FOUND.replace("advance(f, reach)", "advance(f, reach, over=in_edges)")
    .replace("seen[dst] == 0", "seen[src] == 0")
    .replace("seen[dst] = 1", "seen[src] = 1"),
    "a search with a test of edges": FOUND.replace(
        "seen[dst] == 0", "seen[dst] == 0 && (int32(src) + int32(dst)) % 5 != 0"
    ),
    "a search that reaches its start": FOUND.replace("    seen[source] = 1;\n", ""),
    "a search alone": FOUND.replace("compute(f, v => { done[v] = true; });", ""),
    "a peeling": PEELED,
    "a peeling of some": PEELED.replace("apply", "cond int32(dst) % 7 != 3; apply"),
    "a peeling alone": PEELED.replace("compute(f, v => { gone[v] = k; });", ""),
}
"""By what they are."""
NOT_LOCAL = {
    "levels": FOUND.replace("seen[dst] = 1", "seen[dst] = iteration + 1"),
    "parents": FOUND.replace("seen : int32", "seen : vertex")
    .replace("seen[dst] == 0", "seen[dst] == none")
    .replace("seen[dst] = 1", "seen[dst] any= src")
    .replace("seen[source] = 1", "seen[source] = source"),
    "a test of what is computed": FOUND.replace("seen[dst] == 0", "seen[dst] == 0 && !done[src]"),
    "a computation of what is counted": PEELED.replace("gone[v] = k", "gone[v] = left[v]"),
    "a computation of the round": FOUND.replace("done : bool", "done : int32").replace("= true", "= iteration"),
    "a computation that adds": FOUND.replace("done : bool", "done : int32").replace("done[v] = true", "done[v] += 1"),
    "a total": FOUND.replace("done : bool;", "scalar done : int64;")
    .replace("done[v] = true", "done += 1")
    .replace("vertex scalar", "scalar"),
    "a test of who is gone": PEELED.replace("apply", "cond gone[dst] == -1; apply"),
    "a value that changes": PEELED.replace("gone[v] = k; });", "gone[v] = k; }); k += 1;"),
    "the round's value": PEELED.replace("== k + 1", "== iteration"),
    "a filter after it": PEELED.replace(
        "f = advance(f, lose);", "f = advance(f, lose); f = filter(f, v => gone[v] == -1);"
    ),
    "a limit": FOUND.replace("while (f)", "while (f && iteration < 3)"),
    "marks": FOUND.replace("seen : int32", "seen : bool")
    .replace("seen[dst] == 0", "!seen[dst]")
    .replace("seen[dst] = 1", "seen[dst] = true")
    .replace("seen[source] = 1", "seen[source] = true"),
}
"""By what hinders them."""
