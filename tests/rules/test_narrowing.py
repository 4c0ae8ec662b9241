"""Labels hooked over a set that shrinks: exact where nobody leaves it too early, and not unique in any other case."""

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
