"""Which results the checker marks as not unique, and that each mark has a reason."""

from __future__ import annotations

import pytest
from orders import answers, program_of
from unique_texts import (
    BY_HAND,
    CLIMB,
    COMPRESS,
    DATA,
    FLATTEN,
    HOOK,
    HOOK_AND_FLATTEN,
    HOOK_BY_ROOTS,
    LINK,
    OF_BUCKETS,
    RELAX,
    SAMPLE,
    SAMPLED,
    SPLIT,
    SWEEP,
)

CASES = {
    "worklist": (RELAX + "schedule { frontier f = { 0, 3 }; while (f) { f = advance(f, relax); } }", set()),
    "worklist_counts_passes": (
        RELAX + "schedule { frontier f = vertices; while (f) { f = advance(f, relax); count += 1; } }",
        {"count"},
    ),
    "bounded_worklist": (RELAX + "schedule { frontier f = vertices; repeat (1) { f = advance(f, relax); } }", {"d"}),
    "worklist_of_a_falling_operand": (
        RELAX.replace("d[src] + w[e]", "w[e] - d[src]")
        + "schedule { frontier f = vertices; repeat (4) { f = advance(f, relax); } }",
        {"d"},
    ),
    "sweeps": (
        SWEEP + "schedule { while (moved) { moved = false; advance(vertices, relax, to=none); } }",
        set(),
    ),
    "sweeps_without_the_flag": (
        SWEEP.replace("moved |= lower", "moved |= mass[src] > 7")
        + "schedule { while (moved) { moved = false; advance(vertices, relax, to=none); } }",
        {"d"},
    ),
    "hooking": (
        HOOK + "schedule { while (moved) { moved = false; advance(vertices, hook, to=none); " + COMPRESS + " } }",
        set(),
    ),
    "hooking_one_way": (
        HOOK.replace("forward || back", "forward").replace(
            "        let back = changed(label[label[src]] min= label[dst]);\n", ""
        )
        + "schedule { while (moved) { moved = false; advance(vertices, hook, to=none); "
        + COMPRESS
        + " } }",
        {"label"},
    ),
    "hooking_without_compression": (
        HOOK
        + "schedule { while (moved) { moved = false; advance(vertices, hook, to=none); compute(vertices, jump); } }",
        {"label", "jumped"},
    ),
    "hooking_and_flattening": (HOOK + FLATTEN + HOOK_AND_FLATTEN, set()),
    "hooking_the_larger_root": (
        HOOK_BY_ROOTS + FLATTEN + HOOK_AND_FLATTEN.replace("hook,", "hook_roots,"),
        set(),
    ),
    "hooking_the_larger_root_to_another_label": (
        HOOK_BY_ROOTS.replace("min(here, there)", "here") + FLATTEN + HOOK_AND_FLATTEN.replace("hook,", "hook_roots,"),
        {"label"},
    ),
    "flattening_what_a_pass_has_changed": (
        HOOK
        + FLATTEN
        + HOOK_AND_FLATTEN.replace("compute(vertices, flatten);", "if (moved) { compute(vertices, flatten); }"),
        set(),
    ),
    "flattening_by_another_flag": (
        HOOK
        + FLATTEN
        + HOOK_AND_FLATTEN.replace("compute(vertices, flatten);", "if (count > 0) { compute(vertices, flatten); }"),
        {"label"},
    ),
    "sampling_first": (HOOK + SAMPLE + FLATTEN + SAMPLED, set()),
    "sampling_first_for_all": (
        HOOK + SAMPLE + FLATTEN + SAMPLED.replace("advance(rest, hook, over=all_edges", "advance(vertices, hook"),
        set(),
    ),
    "linking_first": (HOOK + LINK + FLATTEN + SAMPLED, set()),
    "linking_first_behind_a_climb": (HOOK + CLIMB + FLATTEN + SAMPLED, set()),
    "linking_first_to_a_vertex_by_number": (
        HOOK + LINK.replace("low : before;", "low : vertex(int32(before) // 2);") + FLATTEN + SAMPLED,
        {"label"},
    ),
    "linking_first_to_what_another_array_had": (
        HOOK + CLIMB.replace("up = label[up]", "up = fetch(root[up] min= dst)") + FLATTEN + SAMPLED,
        {"label", "root"},
    ),
    "sampling_first_and_going_one_way": (
        HOOK + SAMPLE + FLATTEN + SAMPLED.replace(", over=all_edges", ""),
        {"label"},
    ),
    "sampling_first_and_leaving_out_others": (
        HOOK + SAMPLE + FLATTEN + SAMPLED.replace("label[v] != root[0]", "mass[v] != 1"),
        {"label"},
    ),
    "sampling_first_and_again_behind_the_test": (
        HOOK
        + SAMPLE
        + FLATTEN
        + SAMPLED.replace(
            "moved = true;", "moved = true; advance(vertices, sample, to=none); compute(vertices, flatten);"
        ),
        {"label"},
    ),
    "sampling_first_under_a_condition": (
        HOOK.replace("    apply", "    cond mass[dst] != 2;\n    apply", 1) + SAMPLE + FLATTEN + SAMPLED,
        {"label"},
    ),
    "flattening_some": (
        HOOK + "vertex functor flatten(v) {"
        " apply { if (mass[v] != 1) { while (changed(label[v] min= label[label[v]])) { } } } }\n" + HOOK_AND_FLATTEN,
        {"label"},
    ),
    "flattening_for_some_rounds": (
        HOOK + "vertex functor flatten(v) { apply { var n = 0; while (changed(label[v] min= label[label[v]])) {"
        " n += 1; if (n > mass[v]) { break; } } } }\n" + HOOK_AND_FLATTEN,
        {"label"},
    ),
    "a_loop_that_hangs_on_its_own_results": (
        HOOK + "vertex functor flatten(v) { apply { var up = label[label[v]];"
        " while (changed(label[v] min= up)) { up = label[up]; } } }\n" + HOOK_AND_FLATTEN,
        {"label"},
    ),
    "hooking_by_a_copy": (
        "edge functor hook(src, dst, e) {\n"
        "    cond root[src] != root[dst];\n"
        "    apply { label[max(root[src], root[dst])] min= min(root[src], root[dst]); }\n"
        "}\n"
        "vertex functor jump(v) { apply { while (changed(label[v] min= label[label[v]])) { jumped = true; } } }\n"
        "vertex functor settle(v) { apply { root[v] = label[v]; } }\n"
        "schedule { frontier f = vertices; while (f) { f = advance(f, hook); "
        + COMPRESS
        + " compute(vertices, settle); } }",
        set(),
    ),
    "count_of_visited_by_parent": (
        "edge functor visit(src, dst, e) { cond parent[dst] == none; apply { parent[dst] any= src; } }\n"
        "schedule { parent[0] = 0; frontier f = { 0 }; while (f) { f = advance(f, visit); count += int32(size(f)); } }",
        {"parent"},
    ),
    "count_of_winners": (
        "edge functor visit(src, dst, e) {\n"
        "    apply { if (cas(parent[dst], none, src)) { count += mass[dst]; } }\n"
        "}\nschedule { advance(vertices, visit, to=none); }",
        {"parent"},
    ),
    "count_by_winners": (
        "edge functor visit(src, dst, e) {\n"
        "    apply { if (cas(parent[dst], none, src)) { count += mass[src]; } }\n"
        "}\nschedule { advance(vertices, visit, to=none); }",
        {"parent", "count"},
    ),
    "count_of_changes": (
        "edge functor low(src, dst, e) { apply { if (changed(d[dst] min= mass[src] - 1)) { count += 1; } } }\n"
        "schedule { advance(vertices, low, to=none); }",
        {"count"},
    ),
    "some_change": (
        "edge functor low(src, dst, e) { apply { if (changed(d[dst] min= mass[src] - 1)) { moved = false; } } }\n"
        "schedule { advance(vertices, low, to=none); }",
        set(),
    ),
    "fetched": (
        "vertex functor take(v) { apply { d[v] = fetch(count += 1); } }\nschedule { compute(vertices, take); }",
        {"d"},
    ),
    "now": (
        "edge functor spread(src, dst, e) { apply { d[dst] += now d[src]; } }\n"
        "schedule { advance(vertices, spread, to=none); }",
        {"d"},
    ),
    "float_sums": (
        "vertex functor add(v) { apply { sum += heat[v]; heat[v] = heat[v] * 0.5; } }\n"
        "schedule { compute(vertices, add); }",
        set(),
    ),
    "decision_on_a_float_sum": (
        "vertex functor add(v) { apply { sum += heat[v]; } }\n"
        "schedule { compute(vertices, add); if (sum < 2.0) { count = 1; } }",
        {"count"},
    ),
    "filled_again": (
        "edge functor adopt(src, dst, e) { apply { parent[dst] any= src; } }\n"
        "schedule { advance(vertices, adopt, to=none); fill(parent, none); }",
        set(),
    ),
    "swapped": (
        "edge functor adopt(src, dst, e) { apply { parent[dst] any= src; } }\n"
        "schedule { advance(vertices, adopt, to=none); swap(parent, label); }",
        {"label"},
    ),
    "votes": (
        "edge functor ballot(src, dst, e) -> (vertex, int32) { value (label[dst], w[e]); }\n"
        "schedule { repeat (2) { label = neighbor_vote(vertices, ballot, keep=root); } }",
        set(),
    ),
    "votes_of_open_weights": (
        "edge functor adopt(src, dst, e) { apply { d[dst] any= 3 * int32(src); } }\n"
        "edge functor ballot(src, dst, e) -> (vertex, int32) { value (dst, d[dst]); }\n"
        "schedule { advance(vertices, adopt, to=none); label = neighbor_vote(vertices, ballot); }",
        {"d", "label"},
    ),
    "votes_with_an_open_score": (
        "edge functor adopt(src, dst, e) { apply { d[dst] any= 3 * int32(src); } }\n"
        "edge functor ballot(src, dst, e) -> (vertex, int32) { value (dst, 1); }\n"
        "vote functor low(v, key, total) -> int32 { value total - d[key]; }\n"
        "schedule { advance(vertices, adopt, to=none); label = neighbor_vote(vertices, ballot, low); }",
        {"d", "label"},
    ),
    "votes_that_keep_what_is_open": (
        "edge functor adopt(src, dst, e) { apply { parent[dst] any= src; } }\n"
        "edge functor ballot(src, dst, e) -> (vertex, int32) { value (src, 1); }\n"
        "schedule { advance(vertices, adopt, to=none);"
        " label = neighbor_vote(vertices, ballot, over=in_edges, keep=parent); }",
        {"parent", "label"},
    ),
    "votes_of_float_weights": (
        "edge functor ballot(src, dst, e) -> (vertex, float32) { value (dst, heat[dst]); }\n"
        "schedule { label = neighbor_vote(vertices, ballot); }",
        {"label"},
    ),
    "nobody_votes": (
        "edge functor adopt(src, dst, e) { apply { label[dst] any= src; } }\n"
        "edge functor ballot(src, dst, e) -> (vertex, int32) { cond mass[dst] > 1; value (dst, 1); }\n"
        "schedule { advance(vertices, adopt, to=none); label = neighbor_vote(vertices, ballot); }",
        {"label"},
    ),
    "counted_common_neighbors": (
        "common functor low(u, o, x) { apply { accept mass[x] < mass[u]; d[x] min= mass[o]; } }\n"
        "schedule { frontier f = intersect(edges, low, count=common_ones); found = size(f); }",
        set(),
    ),
    "counted_changes_at_common_neighbors": (
        "common functor low(u, o, x) { apply { accept changed(d[x] min= mass[u] - int32(o)); } }\n"
        "schedule { frontier f = intersect(edges, low, count=common_ones); found = size(f); }",
        {"common_ones"},
    ),
    "counted_closing_common_neighbors": (
        "common functor low(u, o, x) { cond d[x] != 9; apply { d[x] = 9; } }\n"
        "schedule { frontier f = intersect(edges, low, count=common_ones); found = size(f); }",
        {"common_ones"},
    ),
    "frontier_of_losers": (
        "edge functor lead(src, dst, e) { apply { accept mass[src] == 0; parent[dst] any= src; } }\n"
        "vertex functor near_even(v) { cond parent[v] != none; apply { accept int32(parent[v]) % 2 == 0; } }\n"
        "vertex functor mark(v) { apply { count += 1; } }\n"
        "schedule { frontier f = advance(vertices, lead); f = filter(f, near_even); compute(f, mark); }",
        {"parent", "count"},
    ),
    "best_edges": (
        "edge functor visit(src, dst, e) { cond root[dst] == 5; apply { root[dst] = 1; parent[dst] any= src; } }\n"
        "edge functor nearby(src, dst, e) -> int32 { value w[e]; }\n"
        "edge functor upward(src, dst, e) -> int32 { cond parent[dst] == src; value w[e]; }\n"
        "edge functor tally(src, dst, e) { apply { mass[dst] += 1; } }\n"
        "edge functor other(src, dst, e) { apply { count += 1; } }\n"
        "schedule { fill(root, 5); frontier f = { 0, 3 }; while (f) { f = advance(f, visit); }"
        " compute(top(vertices, nearby, 2), tally); compute(top(vertices, upward, 1), other); }",
        {
            "parent",
            "count",
            *("upward_bound", "upward_best", "upward_bound_edge", "upward_best_edge", "upward_rounds"),
        },
    ),
    "places_in_a_frontier": (
        "edge functor visit(src, dst, e) { cond root[dst] == 5; apply { root[dst] = 1; parent[dst] any= src; } }\n"
        "vertex functor tree(v) { cond parent[v] == 2; }\n"
        "schedule { fill(root, 5); frontier f = { 0, 3 }; while (f) { f = advance(f, visit); d = number(f); }"
        " mass = number(where(tree)); }",
        {"parent", "mass"},
    ),
    "levels_of_a_worklist": (
        RELAX
        + "vertex functor tally(v) { apply { mass[v] += 1; } }\n"
        + "schedule { frontier f = vertices; while (f) { history h; h.push(f); f = advance(f, relax);"
        + " for g in backward(h) { compute(g, tally); } } }",
        {"mass", "h_members", "h_ends", "h_levels"},
    ),
    "buckets": (
        RELAX + "schedule { buckets b(d, 100) = vertices; while (b) { b.push(advance(b.pop(), relax)); count += 1; } }",
        OF_BUCKETS | {"count"},
    ),
    "buckets_by_another_array": (
        RELAX + "schedule { buckets b(mass, 9) = { 0, 3, 4, 5 }; while (b) { frontier f = b.pop();"
        " frontier g = advance(f, relax); count += 1 + int32(b.level); b.push(g); } }",
        OF_BUCKETS | {"count"},
    ),
    "buckets_that_lose_some": (
        RELAX + "schedule { buckets b(d, 100) = vertices; while (b) {"
        " frontier f = advance(b.pop(), relax); b.push(f - { 1, 2, 3, 4, 5 }); } }",
        OF_BUCKETS | {"d"},
    ),
    "buckets_not_emptied": (
        RELAX + "schedule { buckets b(d, 100) = vertices; repeat (1) { b.push(advance(b.pop(), relax)); } }",
        OF_BUCKETS | {"d"},
    ),
    "buckets_of_what_is_exact": (
        "edge functor lower(src, dst, e) { cond root[dst] == 5; apply { d[dst] -= 1; } }\n"
        "vertex functor settle(v) { apply { root[v] = 1; mass[v] = count; } }\n"
        "schedule { fill(root, 5); buckets b(d, 1) = vertices; while (b) { frontier f = b.pop();"
        " count = int32(b.level); compute(f, settle); b.push(advance(f, lower)); } }",
        set(),
    ),
    "split_by_hand": (
        RELAX + SPLIT + "vertex functor others(v) { cond mass[v] != count; }\n" + BY_HAND,
        {"jumped"},
    ),
    "split_by_two_tests": (
        RELAX + SPLIT + "vertex functor others(v) { cond mass[v] > count; }\n" + BY_HAND,
        {"d", "jumped"},
    ),
    "levels_of_a_search": (
        "edge functor visit(src, dst, e) { cond root[dst] == 5; apply { root[dst] = 1; parent[dst] any= src; } }\n"
        "vertex functor tally(v) { apply { mass[v] = iteration; } }\n"
        "schedule { fill(root, 5); root[0] = 1; root[3] = 1; frontier f = { 0, 3 }; history h;"
        " while (f) { h.push(f); f = advance(f, visit); }"
        " for g in backward(h) { compute(g, tally); } count = int32(size(h)); }",
        {"parent"},
    ),
}

ROUNDED = ("decision_on_a_float_sum", "votes_of_float_weights")
"""The order shows in the last digits only, and no small graph turns a decision by them."""
HELD_BACK = (
    "linking_first_to_a_vertex_by_number",
    "split_by_two_tests",
    "flattening_for_some_rounds",
    "a_loop_that_hangs_on_its_own_results",
    "sampling_first_and_going_one_way",
    "sampling_first_and_leaving_out_others",
    "sampling_first_and_again_behind_the_test",
    "sampling_first_under_a_condition",
)
"""Not proved to be exact, and no small graph shows a difference."""


@pytest.mark.parametrize("name", CASES)
def test_marks(name: str) -> None:
    text, expected = CASES[name]
    program = program_of(DATA + text, name)
    assert {data.name for data in (*program.arrays, *program.scalars) if not data.unique} == expected
    assert len(answers(program, range(8))) == 1


@pytest.mark.parametrize(
    "name", [name for name, (_, marked) in CASES.items() if marked - {"jumped"} and name not in ROUNDED + HELD_BACK]
)
@pytest.mark.sampled(18)
def test_marks_have_a_reason(name: str) -> None:
    program = program_of(DATA + CASES[name][0], name)
    assert len(answers(program, range(80), everything=True, enough=2)) > 1


SEVERAL = """program p;
problem {
    local vertex d : int32 = int32(id) * 5 % 7; local scalar one : int32 = 1;
    vertex x[2] : int32 = 4; scalar up : bool; scalar down : bool;
}
edge functor spread(src, dst, e) { apply {
    up |= changed(x[dst][0] min= d[src]); down |= changed(x[src][1] min= d[dst]);
} }
schedule { advance(vertices, spread, to=none); }
"""
"""Two values of a vertex, and what notes that one of them has changed."""


@pytest.mark.parametrize(
    "former, now, marked",
    [
        ("", "", set()),
        ("x[src][1]", "x[src][0]", {"up", "down"}),
        ("x[src][1]", "x[src][one]", {"up", "down"}),
        ("down |= changed(x[src][1] min= d[dst])", "x[src][0] min= d[dst]", {"up"}),
        ("down |= changed(x[src][1]", "up |= changed(x[src][0]", set()),
        ("down |= changed(x[src][1] min= d[dst]);", "if (d[dst] > 3) { up |= changed(x[src][0] min= d[dst]); }", set()),
        (
            "down |= changed(x[src][1] min= d[dst]);",
            "let it = changed(x[src][0] min= d[dst]); if (d[dst] > 3) { up |= it; }",
            {"up"},
        ),
        (
            "down |= changed(x[src][1] min= d[dst])",
            "up |= changed(x[src][one] min= d[dst]); down |= changed(x[src][1] min= d[dst])",
            {"up", "down"},
        ),
    ],
    ids=[
        "each its own",
        "the same",
        "one by a number",
        "the same unnoticed",
        "the same in one scalar",
        "the same under a condition",
        "the same noticed under a condition",
        "by a number and in two scalars",
    ],
)
def test_changes_of_several_values(former: str, now: str, marked: set[str]) -> None:
    program = program_of(SEVERAL.replace(former, now), "several")
    assert {data.name for data in (*program.arrays, *program.scalars) if not data.unique} == marked
    assert len(answers(program, range(8))) == 1


SEARCHES = """program p;
problem {
    local vertex d : int32 = int32(id) * 5 % 7; local scalar one : int32 = 1; vertex x[3] : int32 = inf;
}
schedule {
    x[0][one] = 0; x[3][one] = 2;
    frontier f = { 0, 3 };
    while (f) { f = advance(f, (src, dst, e) => { accept changed(x[dst][one] min= x[src][one] + d[dst]); }); }
}
"""
"""A worklist of changes of elements with several values."""


@pytest.mark.parametrize(
    ("now", "marked"),
    [
        ("changed(x[dst][one] min= x[src][one] + d[dst])", set()),
        ("changed(x[dst][1] min= x[src][1] + d[dst])", set()),
        ("changed(x[dst][0] min= x[src][1] + d[dst])", set()),
        ("changed(x[dst][d[dst] % 3] min= x[src][d[src] % 3] + d[dst])", set()),
        ("changed(x[dst][1] min= max(x[src][0], x[src][1]) + d[dst])", set()),
        ("changed(x[dst][1] min= min(x[src][1], x[dst][0]) + d[dst])", {"x"}),
        ("changed(x[dst][1] min= x[dst][x[src][1] % 3] + d[src])", {"x"}),
        ("changed(x[src][1] min= x[dst][1] + d[dst])", {"x"}),
        ("x[dst][1] min= x[src][1] + d[dst]; accept d[dst] > 9", {"x"}),
    ],
)
def test_a_worklist_of_elements_with_several_values(now: str, marked: set[str]) -> None:
    former = "accept changed(x[dst][one] min= x[src][one] + d[dst])"
    text = SEARCHES.replace(former, now if "accept" in now else f"accept {now}")
    if "one]" not in now:
        text = text.replace("[one]", "[1]").replace(" local scalar one : int32 = 1;", "")
    program = program_of(text, "searches")
    assert {array.name for array in program.arrays if not array.unique} == marked
    if not marked:
        assert len(answers(program, range(16))) == 1
