"""Loops over labels that look like those whose end no order decides, and are others."""

from __future__ import annotations

import pytest
from orders import answers, program_of

_TEXT = """program p;
problem { vertex label: vertex = id; local scalar moved: bool = true; local scalar seen: vertex; }
edge functor weave(src, dst, e) { apply { label[label[dst]] min= label[src]; } }
edge functor hook(src, dst, e) {
    apply {
        let forward = changed(label[label[dst]] min= label[src]);
        let back = changed(label[label[src]] min= label[dst]);
        moved |= forward || back;
    }
}
edge functor walk(src, dst, e) {
    apply {
        var one = now label[src]; var other = now label[dst];
        for step in 0..2 {
            if (one == other) { break; }
            let high = max(one, other); let low = min(one, other);
            let before = fetch(label[high] min= now label[low]);
            one = before; other = low;
        }
    }
}
edge functor drag(src, dst, e) { apply { let former = fetch(label[max(src, dst)] min= now label[min(src, dst)]); } }
vertex functor flatten(v) { apply { while (changed(label[v] min= label[label[v]])) { } } }
schedule {
    %s
}
"""
_FLATTEN = "compute(vertices, flatten);"
_FIRST = "advance(vertices, weave, to=none); compute(vertices, flatten); "
_LOOP = "while (moved) { moved = false; %s }"
_OVER_REST = "advance(rest, hook, over=all_edges, to=none); compute(vertices, flatten);"
_REST = "frontier few = {0}; frontier rest = where(v => label[v] != seen); "
EXACT = {
    "what the pass has changed": _LOOP % f"advance(vertices, hook, to=none); if (moved) {{ {_FLATTEN} }}",
    "twice in a pass": _LOOP % (f"if (moved) {{ {_FLATTEN} }} advance(vertices, hook, to=none);" + _FLATTEN),
    "all but one component": _FIRST + _REST + _LOOP % _OVER_REST,
}
_WALK = "advance(rest, walk, to=none); "
_BEHIND = _LOOP % _OVER_REST
_OVER_HOOKS = "advance(rest, hook, over=all_edges, to=none); if (moved) { %s }"
EXACT |= {
    "trees of the rest are moved before": _FIRST + _REST + _WALK + _FLATTEN + _BEHIND,
    "twice": _FIRST + _REST + (_WALK + _FLATTEN) * 2 + _BEHIND,
    "trees are moved, perhaps": _FIRST + _REST + f"if (moved) {{ {_WALK} }}" + _FLATTEN + _BEHIND,
    "behind the hooks": _FIRST + _REST + _LOOP % (_OVER_HOOKS % (_WALK + _FLATTEN)),
    "behind the hooks of later passes": _FIRST
    + _REST
    + _LOOP % (_OVER_HOOKS % (f"if (iteration > 0) {{ {_WALK} }}" + _FLATTEN)),
    "labels are compressed once more": _FIRST + _REST + _FLATTEN + _WALK + _FLATTEN + _BEHIND,
}
PARTED = {
    "vertices are moved, not trees": _FIRST + _REST + "advance(rest, drag, to=none);" + _FLATTEN + _BEHIND,
    "trees are moved from vertices": "advance(vertices, weave, to=none);" + _REST + _WALK + _FLATTEN + _BEHIND,
    "trees are moved twice": _FIRST + _REST + _WALK * 2 + _FLATTEN + _BEHIND,
    "vertices are moved behind the hooks": _FIRST
    + _REST
    + _LOOP % (_OVER_HOOKS % ("advance(rest, drag, to=none);" + _FLATTEN)),
    "vertices are moved, perhaps": _FIRST + _REST + "if (moved) { advance(rest, drag, to=none); }" + _FLATTEN + _BEHIND,
    "trees are moved behind the hooks, and left so": _FIRST + _REST + _LOOP % (_OVER_HOOKS % (_FLATTEN + _WALK)),
    "behind hooks along some edges": "frontier rest = {0, 1}; " + _LOOP % (_OVER_HOOKS % (_WALK + _FLATTEN)),
}
OTHERS = {
    "what the pass before has changed": _LOOP % f"if (moved) {{ {_FLATTEN} }} advance(vertices, hook, to=none);",
    "never before the first": "advance(vertices, weave, to=none); "
    + _LOOP % f"if (moved) {{ {_FLATTEN} }} advance(vertices, hook, to=none); if (moved) {{ {_FLATTEN} }}",
    "other vertices in the loop": _FIRST + _REST + _LOOP % ("rest = few; " + _OVER_REST),
}


@pytest.mark.parametrize("name", EXACT)
def test_no_order_decides(name: str) -> None:
    program = program_of(_TEXT % EXACT[name], "labels")
    assert [data.unique for data in program.arrays] == [True]
    assert len(answers(program, range(12))) == 1


@pytest.mark.parametrize("name", OTHERS)
def test_an_order_decides(name: str) -> None:
    program = program_of(_TEXT % OTHERS[name], "labels")
    assert [data.unique for data in program.arrays] == [False]
    assert len(answers(program, range(200), everything=True, enough=2)) > 1


@pytest.mark.parametrize("name", PARTED)
def test_what_may_part_vertices_of_one_label_is_no_proof(name: str) -> None:
    program = program_of(_TEXT % PARTED[name], "labels")
    assert [data.unique for data in program.arrays] == [False]
