"""What buckets may stand for, and what is said where they may not."""

from __future__ import annotations

import pytest
from support.refusing import mistake

from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.pipeline import load


def text_of(schedule: str, apply: str = "hops[v] += 1;") -> str:
    return f"""program p;
problem {{
    param w : int32 = 2; scalar s : int64; vertex b_levels : int32; vertex hops : int32; scalar flag : bool;
    vertex share : float32; edge weight : float32; vertex parent : vertex; vertex marked : bool;
}}
vertex functor tally(v) {{ apply {{ {apply} }} }}
edge functor visit(src, dst, e) {{ apply {{ hops[dst] += 1; }} }}
schedule {{ frontier f = vertices; edge frontier some = edges; {schedule} }}"""


def test_hidden_data_has_names_of_its_own() -> None:
    program = load(text_of("buckets b(hops, w) = f; while (b) { b.push(advance(b.pop(), visit)); } s = size(b);"))
    (check,) = (step for step in walk(program.schedule) if isinstance(step, nodes.CheckWidth))
    assert check.width in {scalar.name for scalar in program.scalars}
    known = {"b_levels", "hops", "share", "weight", "parent", "marked"}
    (levels,) = (array for array in program.arrays if array.name not in known)
    assert levels.name != "b_levels" and levels.is_local
    assert all(scalar.is_local for scalar in program.scalars if scalar.name not in ("s", "flag"))


@pytest.mark.parametrize(
    "schedule",
    [
        "buckets b(share, 0.5); while (b && flag) { f = b.pop() - f; b.push(f | { 1 }); } s = b.level + size(b);",
        "buckets b(hops, width=w + 1) = where(tally); repeat (2) { b.pop(); b.push(vertices); } if (!b) { f = { }; }",
        "if (flag) { buckets b(hops, 1); b.push(f); } buckets b(share, w) = f; compute(b.pop(), tally);",
        # Words of buckets are names like others, and one that is declared wins.
        "frontier pop = f; frontier level = pop; frontier push = level; buckets b(hops, 1) = push; level = b.pop();",
    ],
)
def test_accepted(schedule: str) -> None:
    assert load(text_of(schedule)).schedule


@pytest.mark.parametrize(
    ("schedule", "code", "words"),
    [
        ("buckets b(hops);", "E0402", "takes an array and a width, not 1 argument"),
        ("buckets b();", "E0402", "takes an array and a width, not 0 arguments"),
        ("buckets b(width=2);", "E0402", "takes an array and a width, not 1 argument"),
        ("buckets b(hops, 1, 2);", "E0402", "not 3 arguments"),
        ("buckets b(hops, wide=2);", "E0402", "takes no argument `wide=`"),
        ("buckets b(hops, width=2, width=2);", "E0402", "`width=` is given twice"),
        ("buckets b(1, 2);", "E0419", "buckets take the name of an array"),
        ("buckets b(hop, 2);", "E0201", "`hop` is not declared"),
        ("buckets b(s, 2);", "E0419", "`s` is a scalar"),
        ("buckets b(f, 2);", "E0419", "`f` is a frontier"),
        ("buckets b(weight, 2);", "E0419", "`weight` is an array of float32 over edges"),
        ("buckets b(parent, 2);", "E0419", "`parent` is an array of vertex over vertices"),
        ("buckets b(marked, 2);", "E0419", "`marked` is an array of bool over vertices"),
        ("buckets b(hops, 0);", "E0419", "the width of `b` is not above 0"),
        ("buckets b(hops, -1);", "E0419", "the width of `b` is not above 0"),
        ("buckets b(share, 0.0);", "E0419", "the width of `b` is not above 0"),
        ("buckets b(hops, 0.5);", "E0205", ""),
        ("buckets b(hops, 1) = some;", "E0416", "is a set of vertices"),
        ("buckets b(hops, 1) = 3;", "E0403", "this is not a set"),
        ("buckets b(hops, 1) = { }; b.push();", "E0402", "`push` takes one set, not 0"),
        ("buckets b(hops, 1); b.push(f, f);", "E0402", "`push` takes one set, not 2"),
        ("buckets b(hops, 1); b.push(set=f);", "E0402", "`push` takes no argument `set=`"),
        ("buckets b(hops, 1); b.push(some);", "E0416", "what is pushed to `b` is a set of vertices"),
        ("buckets b(hops, 1); b.push(b);", "E0403", "`b` is a set of buckets, not a frontier"),
        ("buckets b(hops, 1); f = b;", "E0403", "`b` is a set of buckets, not a frontier"),
        ("buckets b(hops, 1); f = b.pop(1);", "E0402", "`pop` takes no arguments"),
        ("buckets b(hops, 1); f = b.push(f);", "E0419", "gives no set"),
        ("buckets b(hops, 1); f = b.poop();", "E0419", "buckets have no `.poop(…)`"),
        ("buckets b(hops, 1); b.clear();", "E0419", "buckets have no `.clear(…)`"),
        ("buckets b(hops, 1); some = b.pop();", "E0416", "this is a set of vertices"),
        ("buckets b(hops, 1); s = b.pop();", "E0419", "this is a set, not a value"),
        ("buckets b(hops, 1); s = b.push(f);", "E0419", "gives no value"),
        ("buckets b(hops, 1); while (b.pop()) { }", "E0419", "this is a set, not a value"),
        ("buckets b(hops, 1); s = b;", "E0204", "`b` is a set of buckets, not a value"),
        ("buckets b(hops, 1); s = b.size;", "E0419", "buckets have no `.size`"),
        ("buckets b(hops, 1); f = b.pop;", "E0419", "buckets have no `.pop`"),
        ("buckets b(hops, 1); b = f;", "E0214", "`b` cannot be written"),
        ("buckets b(hops, 1); b |= f;", "E0214", "`b` cannot be written"),
        ("history h; h = f;", "E0214", "`h` cannot be written"),
        ("s = f.level;", "E0419", "`f` is a frontier, and only buckets have a `.level`"),
        ("buckets b(hops, 1); b.level = 3;", "E0214", "only a name or an element"),
        ("buckets b(hops, 1); for g in backward(b) { }", "E0418", "`b` is a set of buckets, not a history"),
        ("buckets b(hops, 1); buckets b(hops, 1);", "E0202", "`b` is declared twice"),
        ("buckets hops(hops, 1);", "E0202", "`hops` is declared twice"),
        ("if (flag) { buckets b(hops, 1); } b.push(f);", "E0201", "`b` is not declared"),
        ("buckets b(parent, width=auto);", "E0419", "`parent` is an array of vertex over vertices"),
        ("buckets b(weight, auto);", "E0419", "`weight` is an array of float32 over edges"),
        ("buckets b(hops, auto, width=auto);", "E0402", "takes an array and a width, not 3 arguments"),
        ("buckets b(hops, width=automatic);", "E0201", "`automatic` is not declared"),
        ("buckets b(hops, auto); s = b.level;", "E0419", "`b` has no levels: its width is chosen automatically"),
    ],
)
def test_refused(schedule: str, code: str, words: str) -> None:
    found = mistake(text_of(schedule))
    assert (found.code, words in found.message) == (code, True), found.message


def test_in_a_functor() -> None:
    found = mistake(text_of("", apply="buckets b(hops, 1);"))
    assert found.code == "E0221" and "`buckets` belongs to the schedule" in found.message
