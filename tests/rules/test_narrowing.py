"""Labels hooked over a set of vertices or edges that shrinks: exact where none leaves it too early, and not unique in
any other case."""

from __future__ import annotations

import pytest
from orders import answers, program_of

_TEXT = """program p;
problem {
    vertex label: vertex = id;
    vertex mass: int32 = int32(id) % 3;
    local vertex apart: bool;  local vertex other: bool = int32(id) % 2 == 0;
    local scalar jumped: bool;  local scalar places: int32 = 2;
}
edge functor hook(src, dst, e) {
    cond place < places && mass[src] != 2;
    apply { label[label[dst]] min= label[src]; label[label[src]] min= label[dst]; }
}
edge functor differ(src, dst, e) -> bool { cond place < places; value label[src] != label[dst] && mass[src] != 2; }
vertex functor jump(v) { apply { let lower = changed(label[v] min= label[label[v]]); jumped |= lower; } }
schedule {
    frontier f = vertices;
    while (f) {
        advance(f, hook, to=none);
        jumped = true; while (jumped) { jumped = false; compute(vertices, jump); }
        apart = neighbor_reduce(f, differ, some);
        f = filter(f, v => apart[v]);
    }
}
"""
_OTHERS = {
    "another condition": ("cond place < places; value", "cond place < 1; value"),
    "a condition that hooking has not": ("value label[src]", "value mass[dst] == 1 && label[src]"),
    "other labels": ("value label[src] != label[dst]", "value mass[src] != mass[dst]"),
    "either of two": ("label[dst] && mass", "label[dst] || mass"),
    "by every edge": ("differ, some", "differ, every"),
    "along other edges": ("differ, some", "differ, some, over=in_edges"),
    "of other vertices": ("neighbor_reduce(f", "neighbor_reduce(vertices"),
    "by another array": ("=> apart[v]", "=> other[v] && apart[v]"),
    "who has none left": ("=> apart[v]", "=> !apart[v]"),
    "before labels are compressed": (
        "        jumped = true; while (jumped) { jumped = false; compute(vertices, jump); }\n"
        "        apart = neighbor_reduce(f, differ, some);\n",
        "        apart = neighbor_reduce(f, differ, some);\n"
        "        jumped = true; while (jumped) { jumped = false; compute(vertices, jump); }\n",
    ),
    "compressed before it is hooked": (
        "        advance(f, hook, to=none);\n"
        "        jumped = true; while (jumped) { jumped = false; compute(vertices, jump); }\n",
        "        jumped = true; while (jumped) { jumped = false; compute(vertices, jump); }\n"
        "        advance(f, hook, to=none);\n",
    ),
    "hooked one way": (" label[label[src]] min= label[dst];", ""),
    "hooked over others": ("advance(f, hook", "advance(vertices, hook"),
    "written elsewhere": (
        "        f = filter",
        "        compute(f, v => { apart[v] = other[v]; });\n        f = filter",
    ),
}
_EDGES = """program p;
problem {
    vertex label: vertex = id;
    vertex mass: int32 = int32(id) % 3;
    local scalar jumped: bool;
}
edge functor hook(src, dst, e) { cond mass[src] != 2; apply {
    label[max(label[src], label[dst])] min= min(label[src], label[dst]);
} }
edge functor differ(src, dst, e) { cond mass[src] != 2 && label[src] != label[dst]; }
vertex functor jump(v) { apply { let lower = changed(label[v] min= label[label[v]]); jumped |= lower; } }
schedule {
    edge frontier f = filter(edges, (src, dst, e) => src < dst);
    edge frontier g = f;
    while (f) {
        compute(f, hook);
        jumped = true; while (jumped) { jumped = false; compute(vertices, jump); }
        f = filter(f, differ);
    }
}
"""
_OTHER_EDGES = {
    "a condition that hooking has not": ("cond mass[src] != 2 && label", "cond mass[dst] != 1 && label"),
    "what is accepted": ("label[src] != label[dst]; }", "label[src] != label[dst]; apply { accept mass[dst] == 1; } }"),
    "other labels": ("&& label[src] != label[dst]", "&& mass[src] != mass[dst]"),
    "either of two": ("cond mass[src] != 2 && label", "cond mass[src] != 2 || label"),
    "those that have one label": ("label[src] != label[dst]; }", "label[src] == label[dst]; }"),
    "of other edges": ("f = filter(f, differ)", "f = filter(g, differ)"),
    "hooked over others": ("compute(f, hook)", "compute(g, hook)"),
    "another set beside": ("f = filter(f, differ);", "g = filter(f, differ); f = f & g;"),
    "before labels are compressed": (
        "        jumped = true; while (jumped) { jumped = false; compute(vertices, jump); }\n"
        "        f = filter(f, differ);\n",
        "        f = filter(f, differ);\n"
        "        jumped = true; while (jumped) { jumped = false; compute(vertices, jump); }\n",
    ),
    "hooked one way": (
        "label[max(label[src], label[dst])] min= min(label[src], label[dst])",
        "label[label[dst]] min= label[src]",
    ),
}


def test_nobody_leaves_too_early() -> None:
    program = program_of(_TEXT, "narrowed")
    assert all(data.unique for data in program.arrays if data.name == "label")
    assert len(answers(program, range(8))) == 1


@pytest.mark.parametrize("name", _OTHERS)
def test_another_way_is_not_proved(name: str) -> None:
    former, now = _OTHERS[name]
    assert former in _TEXT
    program = program_of(_TEXT.replace(former, now), "narrowed")
    assert [data.unique for data in program.arrays if data.name == "label"] == [False]


def test_no_edge_leaves_too_early() -> None:
    program = program_of(_EDGES, "narrowed")
    assert all(data.unique for data in program.arrays if data.name == "label")
    assert len(answers(program, range(8))) == 1


@pytest.mark.parametrize("name", _OTHER_EDGES)
def test_another_way_over_edges_is_not_proved(name: str) -> None:
    former, now = _OTHER_EDGES[name]
    assert former in _EDGES
    program = program_of(_EDGES.replace(former, now), "narrowed")
    assert [data.unique for data in program.arrays if data.name == "label"] == [False]
