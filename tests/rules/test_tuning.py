"""Which knobs fit where: pairs of programs, one accepted, one a token away refused with the reason."""

from __future__ import annotations

import pytest

from gdsl.diagnostics import GdslError
from gdsl.pipeline import load

TEXT = """program p;
problem {{
    param source : vertex;
    input edge weight : int32;
    vertex level : int32 = -1;
    vertex cost : int32 = inf;
    vertex parent : vertex;
    vertex total : int32;
    scalar count : int64;
    scalar found : bool;
}}
edge functor visit(src, dst, e) {{ cond level[dst] == -1; apply {{ level[dst] = iteration + 1; {extra} }} }}
edge functor relax(src, dst, e) {{ apply {{ accept changed(cost[dst] min= cost[src] + weight[e]); }} }}
edge functor reach(src, dst, e) {{ apply {{ {reach} }} }}
vertex functor note(v) {{ apply {{ {note} }} }}
edge functor given(src, dst, e) -> int32 {{ value 1; }}
schedule {{
    frontier f = {{ source }};
    frontier g = {{ source }};
    {schedule}
}}
tune {{ {tune} }}
"""
LOOP = "repeat (3) { f = advance(f, reach); %s }"


def refused(**parts: str) -> str | None:
    """The message of E0420, or None where the program is accepted; any other mistake is raised."""
    text = TEXT.format(**{"extra": "", "reach": "found |= true;", "note": "level[v] = 3;", "tune": "", **parts})
    try:
        load(text)
    except GdslError as error:
        if {each.code for each in error.diagnostics} != {"E0420"}:
            raise
        return str(error)
    return None


WITHOUT_DUPLICATES = [
    # reductions and stores in what makes the set
    ("found |= true;", "count += 1;", "`+=` on `count`"),
    ("parent[dst] any= src;", "total[dst] ^= 5;", "`^=` on `total`"),
    ("cost[dst] min= weight[e];", "total[dst] += weight[e];", "`+=` on `total`"),
    ("let c = changed(cost[dst] min= 3); accept c;", "let c = fetch(cost[dst] min= 3); accept c < 5;", "fetch"),
    # what `changed` says
    ("accept changed(cost[dst] min= 3);", "accept !changed(cost[dst] min= 3);", "`changed`"),
    (
        "if (changed(cost[dst] min= 3)) { found |= true; }",
        "if (!changed(cost[dst] min= 3)) { found |= true; }",
        "`changed`",
    ),
    (
        "if (changed(cost[dst] min= 3)) { found |= true; }",
        "if (changed(cost[dst] min= 3)) { } else { found |= true; }",
        "`changed`",
    ),
    (
        "let c = changed(cost[dst] min= 3); accept c || weight[e] > 2;",
        "let c = changed(cost[dst] min= 3); accept c == (weight[e] > 2);",
        "`changed`",
    ),
    (
        "let c = changed(cost[dst] min= 3); total[dst] |= 4;",
        "let c = changed(cost[dst] min= 3); total[dst] |= int32(c);",
        "`changed`",
    ),
    ("cost[dst] max= 4;", "accept cas(level[dst], -1, 2);", "`cas` on `level`"),
    ("total[dst] |= weight[e];", "cost[dst] min= cost[src] + 1;", "`cost` is read"),
]


@pytest.mark.parametrize(("fits", "not_so", "why"), WITHOUT_DUPLICATES)
def test_what_makes_a_set_with_duplicates_is_idempotent(fits: str, not_so: str, why: str) -> None:
    parts = {"schedule": LOOP % "", "tune": "reach.dedup = none;"}
    assert refused(reach=fits, **parts) is None
    assert refused(reach=not_so, **{**parts, "tune": "reach.dedup = exact;"}) is None
    said = refused(reach=not_so, **parts)
    assert said is not None and why in said


CONSUMERS = [
    ("compute(f, note);", "count = size(f);", "the size of `f`"),
    ("g = f;", "g = f | g;", "takes each member once"),
    ("g = advance(f, visit);", "g = filter(f, note);", "`filter`"),
    ("if (f) { count = 1; }", "total = neighbor_reduce(f, given, sum);", "`neighbor_reduce`"),
    ("g = advance(f, visit);", "edge frontier h = advance(f, visit, to=edges);", "the edges of a vertex"),
    ("g = f; compute(g, note);", "g = f; count = size(g);", "the size of `g`"),
    ("count = size(g);", "g = f; frontier h = g; count = size(h);", "the size of `h`"),
    ("compute(vertices, note);", "count = sum(total, f);", "has an effect"),
    ("history h; h.push(g);", "history h; h.push(f);", "takes each member once"),
]


@pytest.mark.parametrize(("fits", "not_so", "why"), CONSUMERS)
def test_who_walks_a_set_with_duplicates_is_idempotent(fits: str, not_so: str, why: str) -> None:
    assert refused(schedule=LOOP % fits, tune="reach.dedup = none;") is None
    said = refused(schedule=LOOP % not_so, tune="reach.dedup = none;")
    assert said is not None and why in said
    assert refused(schedule=LOOP % not_so, tune="reach.dedup = exact;") is None


@pytest.mark.parametrize(
    ("note", "accepted"),
    [("level[v] = 3;", True), ("level[v] max= iteration;", True), ("total[v] += 1;", False), ("count += 1;", False)],
)
def test_a_functor_of_vertices_is_looked_at_as_well(note: str, accepted: bool) -> None:
    found = refused(schedule=LOOP % "compute(f, note);", note=note, tune="reach.dedup = none;")
    assert (found is None) == accepted


def test_a_functor_that_closes_may_read_its_test_and_write_on() -> None:
    loop = "while (f) { f = advance(f, visit); }"
    assert refused(schedule=loop, tune="visit.dedup = none;") is None
    assert refused(schedule=loop, extra="parent[dst] any= src; found |= true;", tune="visit.dedup = none;") is None
    said = refused(schedule=loop + " count = size(f);", tune="visit.dedup = none;")
    assert said is not None and "the size of `f`" in said


def test_reads_of_what_is_written_need_a_monotone_loop() -> None:
    assert refused(schedule="while (f) { f = advance(f, relax); }", tune="relax.dedup = none;") is None
    said = refused(schedule="repeat (3) { f = advance(f, relax); }", tune="relax.dedup = none;")
    assert said is not None and "`cost` is read where the same operator writes it" in said


COMBINATIONS = [
    (
        "visit.direction = auto; visit.balance = merge;",
        "visit.direction = pull; visit.balance = merge;",
        "a pull shares",
    ),
    ("visit.frontier = queue; visit.dedup = none;", "visit.frontier = bitmap; visit.dedup = none;", "nothing twice"),
    ("visit.direction = push; visit.dedup = none;", "visit.direction = pull; visit.dedup = none;", "every vertex once"),
    ("visit.direction = pull; visit.frontier = queue;", "visit.direction = pull; visit.balance = edges;", "a pull"),
]


@pytest.mark.parametrize(("fits", "not_so", "why"), COMBINATIONS)
def test_knobs_that_do_not_go_together(fits: str, not_so: str, why: str) -> None:
    schedule = "while (f) { f = advance(f, visit); }"
    assert refused(schedule=schedule, tune=fits) is None
    said = refused(schedule=schedule, tune=not_so)
    assert said is not None and why in said


@pytest.mark.parametrize("tune", ["frontier = bitmap", "frontier = queue", "dedup = none"])
def test_what_leaves_no_set_has_no_form(tune: str) -> None:
    said = refused(schedule="advance(f, visit);", tune=f"visit.{tune};")
    assert said is not None and "leaves no frontier" in said
    assert refused(schedule="f = advance(f, visit);", tune=f"visit.{tune};") is None


def test_sets_of_edges_are_queues_without_duplicates() -> None:
    schedule = "edge frontier h = advance(f, visit, to=edges); compute(h, reach);"
    assert refused(schedule=schedule, tune="visit.frontier = queue;") is None
    for tune, why in (("frontier = bitmap", "a frontier of edges is a queue"), ("dedup = none", "only vertices")):
        said = refused(schedule=schedule, tune=f"visit.{tune};")
        assert said is not None and why in said


def test_a_label_has_what_its_functor_must_not_have() -> None:
    schedule = "f = advance(f, visit) @near; count = size(f); g = advance(g, visit) @beside; compute(g, note);"
    assert refused(schedule=schedule, tune="@beside.dedup = none;") is None
    assert refused(schedule=schedule, tune="@near.dedup = none;") is not None
    assert refused(schedule=schedule, tune="visit.dedup = none;") is not None
    assert refused(schedule=schedule, tune="visit.dedup = none; @near.dedup = exact;") is None
