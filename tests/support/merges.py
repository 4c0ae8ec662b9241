"""Programs whose loops several GPUs run on copies that they merge, and others that look like them."""

from __future__ import annotations

from gdsl.plan.nodes import Plan
from gdsl.plan.sweep_nodes import Merge
from gdsl.plan.walking import sweeps

_RELAXING = """
program relaxing;
problem {{ param source : vertex; vertex x : {kind} = {first}; }}
edge functor relax(src, dst, e) {{ apply {{ accept changed(x[dst] {operation} {value}); }} }}
schedule {{ {begin} while (f) {{ f = advance(f, relax); }} }}
"""


def relaxing(kind: str, first: str, operation: str, value: str, begin: str = "") -> str:
    """A worklist over one reduction; without `begin` from the source, whose value is 1."""
    begin = begin or "x[source] = 1; frontier f = { source };"
    return _RELAXING.format(kind=kind, first=first, operation=operation, value=value, begin=begin)


_EVERYWHERE = "frontier f = vertices;"
_SPREADING = """
program spreading;
problem { param source : vertex; local vertex seen : uint32; vertex reached : uint32; }
edge functor spread(src, dst, e) { apply { accept changed(reached[dst] |= seen[src]); } }
vertex functor settle(v) { apply { seen[v] = reached[v]; } }
schedule {
    seen[source] = 5; reached[source] = 5; seen[0] = 8; reached[0] = 8;
    frontier f = vertices;
    while (f) { f = advance(f, spread); compute(f, settle); }
}
"""
_TWO_ARRAYS = """
program two_arrays;
problem { param source : vertex; vertex least : int32 = 1000000; vertex wide : int64; local vertex a : int32; }
edge functor lower(src, dst, e) { apply { accept changed(least[dst] min= a[src] + 1); } }
edge functor raise(src, dst, e) { apply { accept changed(wide[dst] max= int64(a[src]) * 3); } }
vertex functor step(v) { apply { a[v] += 1; } }
schedule {
    a[source] = -7;
    repeat (4) {
        frontier f = vertices;
        f = advance(f, lower) @low;
        f = advance(f, raise) @high;
        compute(f, step);
    }
}
"""
CUTTING = "vertex functor cut(v) { cond x[v] > 9; apply { x[v] = 9; } }\nschedule {"
MERGED = {
    "and cut afterwards": relaxing("int32", "100", "min=", "x[src] + 1")
    .replace("schedule {", CUTTING)
    .replace("relax); } }", "relax); } compute(vertices, cut); }"),
    "distances": relaxing("float64", "inf", "min=", "x[src] + 1.5"),
    "labels": relaxing("vertex", "id", "min=", "x[src]", _EVERYWHERE),
    "small labels": relaxing("int32", "int32(id) * 3 - 50", "min=", "x[src]", _EVERYWHERE),
    "widths": relaxing("uint32", "0", "max=", "min(x[src], 9)", "x[source] = 30; frontier f = { source };"),
    "falling": relaxing("int64", "0", "max=", "x[src] - 1", "x[source] = 12; frontier f = { source };"),
    "bits": _SPREADING,
    "bits that are taken": _SPREADING.replace("|=", "&=")
    .replace("reached : uint32;", "reached : uint32 = 15;")
    .replace("seen : uint32;", "seen : uint32 = 15;"),
    "backwards": relaxing("float32", "inf", "min=", "x[dst] + 0.5")
    .replace("x[dst] min=", "x[src] min=")
    .replace("relax);", "relax, over=in_edges);"),
    "two arrays": _TWO_ARRAYS,
    "one array in two loops": relaxing("int32", "100", "min=", "x[src] + 1").replace(
        "relax); } }", "relax); } x[0] = -3; f = { 0 }; while (f) { f = advance(f, relax) @again; } }"
    ),
}
"""By what they show."""

_OTHER = relaxing("int32", "100", "min=", "x[src] + 1")
NOT_MERGED = {
    "a sum": _SPREADING.replace("|=", "+=").replace("while (f)", "repeat (3)"),
    "another write in the loop": _SPREADING.replace("seen[v] = reached[v];", "seen[v] = reached[v]; reached[v] = 3;"),
    "the leader writes in the loop": _SPREADING.replace("compute(f, settle);", "compute(f, settle); reached[0] = 1;"),
    "in a loop in a loop": _OTHER.replace("while (f)", "repeat (2) { f = { source }; while (f)").replace(
        "relax); } }", "relax); } } }"
    ),
    "not in each pass": _SPREADING.replace(
        "f = advance(f, spread);", "if (iteration > 1) { f = advance(f, spread); } else { f = vertices; }"
    ),
    "without a loop": _SPREADING.replace("while (f)", "if (size(f) > 0)"),
    "something else is accepted": _SPREADING.replace(
        "accept changed(reached[dst] |= seen[src]);", "reached[dst] |= seen[src]; accept seen[src] > 1;"
    ).replace("while (f)", "repeat (3)"),
    "a flag beside it": _SPREADING.replace(
        "accept changed(reached[dst] |= seen[src]);",
        "let new = changed(reached[dst] |= seen[src]); if (new) { some |= true; } accept new;",
    ).replace("vertex reached : uint32;", "vertex reached : uint32; scalar some : bool;"),
    "at the near end": _SPREADING.replace("reached[dst] |= seen[src]", "reached[src] |= seen[dst]").replace(
        "while (f)", "repeat (3)"
    ),
    "a pair": relaxing("(int32, vertex)", "(100, none)", "min=", "(x[src].0 + 1, src)").replace("= 1;", "= (1, 0);"),
    "truth values": _SPREADING.replace("uint32", "bool").replace("= 5", "= true").replace("= 8", "= true"),
    "swapped": _SPREADING.replace("compute(f, settle);", "swap(seen, reached);").replace("while (f)", "repeat (3)"),
    "from near to far": _OTHER + "tune { schedule.order = near_far; }\n",
}


def merged(plan: Plan) -> list[Merge]:
    """What is merged, in the order of the plan."""
    return [sweep.merge for sweep in sweeps(plan) if sweep.merge is not None]
