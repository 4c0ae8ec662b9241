"""What `intersect` may stand for, and what is said where it may not."""

from __future__ import annotations

import pytest
from support.refusing import mistakes

from gdsl.diagnostics import GdslError
from gdsl.ir import nodes
from gdsl.ir.nodes import Elements, Intersect, Literal, StoreScalar
from gdsl.operations import Domain
from gdsl.pipeline import load
from gdsl.types import Type

DATA = """
    scalar s : int64; scalar t : int64; scalar small : int32; scalar wide : uint64; scalar part : float64;
    param limit : int64 = 3; input scalar given : int64; input vertex order : int32;
    vertex a : int64; vertex hops : int32;
"""


def text_of(schedule: str, data: str = DATA) -> str:
    return f"""program p; problem {{ {data} }}
vertex functor tally(v) {{ apply {{ hops[v] += 1; }} }}
edge functor step(src, dst, e) {{ apply {{ hops[dst] += 1; }} }}
schedule {{ frontier f = vertices; {schedule} }}"""


def steps_of(schedule: str) -> list[nodes.Step]:
    """The steps of a schedule behind the definition of `f`."""
    return list(load(text_of(schedule)).schedule[1:])


# ---------------------------------------------------------------- forms


@pytest.mark.parametrize(
    ("schedule", "result", "count"),
    [
        ("s = intersect(edges);", None, "s"),
        ("intersect(edges, count=s);", None, "s"),
        ("s = intersect((edges));", None, "s"),
        ("frontier c = intersect(edges, count=s);", "c", "s"),
        ("f = intersect(edges, count=s);", "f", "s"),
        ("s = intersect(edges) @walk;", None, "s"),
        ("f = intersect(edges, count=s) @walk;", "f", "s"),
    ],
)
def test_the_scalar_begins_at_zero(schedule: str, result: str | None, count: str) -> None:
    zero, found = steps_of(schedule)
    assert isinstance(zero, StoreScalar) and zero.scalar == count
    assert isinstance(zero.value, Literal) and zero.value.value == 0
    assert isinstance(found, Intersect)
    assert (found.result, found.count, found.functor) == (result, count, None)
    assert found.frontier == Elements(found.frontier.span, Domain.EDGE, None)
    assert found.label == ("walk" if "@walk" in schedule else "intersect")


@pytest.mark.parametrize("schedule", ["frontier c = intersect(edges);", "f = intersect(edges);"])
def test_only_a_set(schedule: str) -> None:
    (found,) = steps_of(schedule)
    assert isinstance(found, Intersect) and found.count is None and found.result in ("c", "f")


@pytest.mark.parametrize(
    ("schedule", "source"),
    [
        ("edge frontier g = edges; s = intersect(g);", "g"),
        ("edge frontier g = { }; frontier c = intersect(g, count=s);", "g"),
        ("s = intersect(advance(f, step, to=edges));", "advanced_1"),
        ("f = intersect(filter(edges, step));", "filtered_1"),
        ("edge frontier g = { 0, 2 }; f = intersect(filter(g, step), count=s) @walk;", "filtered_1"),
        ("s += intersect({ 0, 1 });", "members_1"),
    ],
)
def test_sets_of_edges(schedule: str, source: str) -> None:
    found = steps_of(schedule)[-1]
    assert isinstance(found, Intersect)
    assert (found.frontier.domain, found.frontier.frontier) == (Domain.EDGE, source)


def test_an_addition_keeps_what_is_there() -> None:
    (found,) = steps_of("s += intersect(edges);")
    assert isinstance(found, Intersect) and (found.count, found.result) == ("s", None)


@pytest.mark.parametrize(
    "value",
    [
        "intersect(edges) // 6",
        "intersect(edges) - 1",
        "2 * intersect(edges) + t",
        "max(intersect(edges), t)",
        "size(f) > 3 ? intersect(edges) : -1",
        "-intersect(edges)",
        "int64(intersect(edges))",
        "(intersect(edges) @walk) % limit",
    ],
)
def test_a_total_inside_an_expression(value: str) -> None:
    """The total goes into the scalar, then the expression is evaluated with the scalar in its place."""
    zero, found, stored = steps_of(f"s = {value};")
    assert isinstance(zero, StoreScalar) and isinstance(found, Intersect) and isinstance(stored, StoreScalar)
    assert zero.scalar == found.count == stored.scalar == "s"
    assert stored.value.type is Type.INT64


@pytest.mark.parametrize("value", ["f | intersect(edges)", "intersect(edges, count=s) - f", "intersect({ 0 }) & f"])
def test_its_set_in_operations_on_sets(value: str) -> None:
    steps = steps_of(f"f = {value};")
    (found,) = (step for step in steps if isinstance(step, Intersect))
    assert found.result == "common_1" and found.count == ("s" if "count" in value else None)
    assert isinstance(steps[-1], nodes.CombineFrontiers) and steps[-1].name == "f"


def test_its_set_is_the_input_of_others() -> None:
    first, second, third = steps_of("f = advance(intersect(edges), step); compute(f, tally);")
    assert isinstance(first, Intersect) and first.result == "common_1"
    assert isinstance(second, nodes.Advance) and second.frontier.frontier == "common_1"
    assert isinstance(third, nodes.Compute)


def test_what_the_input_is_made_from_sees_the_old_scalar() -> None:
    (size, zero, found) = steps_of("t = s + size(f); s = intersect(edges);")
    assert [type(step) for step in (size, zero, found)] == [StoreScalar, StoreScalar, Intersect]


def test_names_that_it_uses_are_still_free() -> None:
    text = """program p; problem { scalar count : int64; scalar pairs : int64; vertex total : int32; }
        schedule { frontier counts = intersect(edges, count=count); pairs = intersect(edges) + size(counts); }"""
    assert {node.count for node in load(text).schedule if isinstance(node, Intersect)} == {"count", "pairs"}


# ---------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("schedule", "code", "words", "fix"),
    [
        ("small = intersect(edges);", "E0205", "gives an int64, and `small` is int32", "int64"),
        ("wide = intersect(edges);", "E0205", "gives an int64, and `wide` is uint64", "int64"),
        ("part = intersect(edges);", "E0205", "gives an int64, and `part` is float64", "int64"),
        ("f = intersect(edges, count=small);", "E0205", "gives an int64, and `small` is int32", "int64"),
        ("small += intersect(edges);", "E0205", "gives an int64, and `small` is int32", "int64"),
        ("limit = intersect(edges);", "E0214", "`limit` cannot be written: it is a param", "copy"),
        ("given = intersect(edges);", "E0214", "`given` cannot be written: it is an input", "copy"),
        ("f = intersect(edges, count=limit);", "E0214", "`limit` cannot be written", "copy"),
        ("f = intersect(edges, count=a);", "E0204", "`a` is an array", None),
        ("f = intersect(edges, count=a[0]);", "E0402", "is stored in a scalar", "scalar s : int64"),
        ("f = intersect(edges, count=3);", "E0402", "is stored in a scalar", "scalar s : int64"),
        ("f = intersect(edges, count=f);", "E0402", "`f` is a frontier", "scalar s : int64"),
        ("f = intersect(edges, count=tally);", "E0214", "`tally` cannot be written: it is a functor", None),
        ("f = intersect(edges, count=nothing);", "E0201", "`nothing` is not declared", None),
        ("f = intersect(edges, count=s, count=t);", "E0402", "`count=` is given twice", "leave one"),
        ("f = intersect(edges, over=in_edges);", "E0402", "takes no argument `over=`", "intersect(edges)"),
        ("f = intersect();", "E0402", "takes one frontier of edges", "intersect(edges)"),
        ("f = intersect(count=s);", "E0402", "takes one frontier of edges", "intersect(edges)"),
        ("f = intersect(edges, f, f);", "E0402", "takes one frontier of edges", "intersect(edges)"),
        ("s = intersect(f);", "E0416", "a set of vertices, and the input of `intersect` is a set of edges", "to=edges"),
        ("f = intersect(f);", "E0416", "a set of vertices, and the input of `intersect` is a set of edges", "to=edges"),
        (
            "f = intersect(vertices);",
            "E0416",
            "a set of vertices, and the input of `intersect` is a set of edges",
            "to=edges",
        ),
        ("edge frontier g = intersect(edges);", "E0416", "a set of vertices, and `g` is a set of edges", None),
        ("edge frontier g; f = intersect(advance(g, step));", "E0416", "is a set of edges", "to=edges"),
        ("f = intersect(a);", "E0403", "not a frontier", None),
        (
            "f = intersect(intersect(edges));",
            "E0416",
            "a set of vertices, and the input of `intersect` is a set of edges",
            "to=edges",
        ),
        ("f = intersect(nothing);", "E0201", "`nothing` is not declared", None),
        ("f = intersect(edges, count=s) @tally;", "E0414", "also the name of a functor", "another label"),
        ("s = intersect(edges) @w; t = intersect(edges) @w;", "E0414", "used twice", "another label"),
        ("intersect(edges);", "E0227", "is not used", "s = intersect"),
        ("s = intersect(edges, count=t);", "E0402", "is already stored in `s`", "without it"),
        ("a = intersect(edges);", "E0415", "no values for the array `a`", None),
        ("a[0] = intersect(edges);", "E0415", "no single value for `a`", "s = intersect"),
        ("fill(a, intersect(edges));", "E0404", "gives its total to an int64 scalar", "store it in a scalar first"),
        ("a[0] = intersect(edges) + 1;", "E0404", "gives its total to an int64 scalar", "store it in a scalar first"),
        ("while (intersect(edges) > 3) { s = s + 1; }", "E0404", "gives its total", "store it in a scalar first"),
        ("if (intersect(edges) > 3) { s = s + 1; }", "E0404", "gives its total", "store it in a scalar first"),
        ("repeat (intersect(edges)) { s = s + 1; }", "E0404", "gives its total", "store it in a scalar first"),
        ("s = s + intersect(edges);", "E0404", "gives its total", "store it in a scalar first"),
        ("s -= intersect(edges);", "E0404", "gives its total", "store it in a scalar first"),
        ("s += intersect(edges) // 2;", "E0404", "gives its total", "store it in a scalar first"),
        ("small = int32(intersect(edges));", "E0404", "gives its total", "store it in a scalar first"),
        ("part = float64(intersect(edges)) / 6;", "E0404", "gives its total", "store it in a scalar first"),
        ("s = intersect(edges) / 6;", "E0207", "/", "//"),
        ("s = intersect(edges) * 0.5;", "E0205", "`s` is int64", None),
        (
            "s = intersect(f) // 6;",
            "E0416",
            "a set of vertices, and the input of `intersect` is a set of edges",
            "to=edges",
        ),
        ("f = intersection(edges);", "E0201", "there is no operator `intersection`", "did you mean `intersect`?"),
    ],
)
def test_a_mistake_has_one_message(schedule: str, code: str, words: str, fix: str | None) -> None:
    (found,) = mistakes(text_of(schedule))
    assert (found.code, words in found.message) == (code, True), found.message
    assert found.span is not None and found.span.line == 8
    assert fix is None or (found.fix is not None and fix in found.fix), found.fix


def test_each_of_several_totals_is_named() -> None:
    found = mistakes(text_of("s = intersect(edges) + intersect(edges);"))
    assert [each.code for each in found] == ["E0404", "E0404"]


@pytest.mark.parametrize(
    "part",
    [
        "vertex functor g(v) { apply { s += intersect(edges); } }",
        "vertex functor g(v) { apply { let x = intersect(edges); } }",
        "vertex functor g(v) { apply { intersect(edges); } }",
        "vertex functor g(v) { cond intersect(edges) > 0; }",
        "function g(x: int64) -> int64 { return intersect(edges); }",
    ],
)
def test_it_belongs_to_the_schedule(part: str) -> None:
    found = mistakes(f"program p; problem {{ scalar s : int64; }} {part} schedule {{ }}")
    assert [each.code for each in found] == ["E0404"]
    assert "belongs to the schedule" in found[0].message


@pytest.mark.parametrize(
    "text",
    [
        "program p; problem { scalar intersect : int64; } schedule { }",
        "program p; problem { } function intersect(x: int32) -> int32 { return x; } schedule { }",
        "program p; problem { } schedule { frontier intersect = vertices; }",
    ],
)
def test_the_word_is_the_languages_own(text: str) -> None:
    assert [each.code for each in mistakes(text)] == ["E0203"]


def test_it_has_no_knobs() -> None:
    found = mistakes(text_of("s = intersect(edges) @walk;") + "\ntune { @walk.direction = push; }")
    assert [each.code for each in found] == ["E0413"]
    assert mistakes(text_of("s = intersect(edges);") + "\ntune { intersect.balance = block; }")[0].code == "E0411"


# ---------------------------------------------------------------- common functors

COMMON = "common functor corner(u, w, x) { apply { hops[x] += 1; accept u < w; } }\n"
EDGES = "common functor sides(u, w, x, e, eu, ew) { cond e != eu; apply { hops[u] += int32(ew == e); } }\n"


def with_common(schedule: str, functors: str = COMMON + EDGES) -> str:
    return text_of(schedule).replace("schedule {", functors + "schedule { edge frontier g;")


@pytest.mark.parametrize(
    ("schedule", "functor", "result", "count"),
    [
        ("intersect(edges, corner);", "corner", None, None),
        ("intersect(g, sides) @walk;", "sides", None, None),
        ("frontier c = intersect(edges, corner);", "corner", "c", None),
        ("f = intersect(g, sides, count=s);", "sides", "f", "s"),
        ("s = intersect(edges, corner);", "corner", None, "s"),
        ("s += intersect(g, corner);", "corner", None, "s"),
        ("f = f - intersect(edges, corner);", "corner", "common_1", None),
    ],
)
def test_common_functors(schedule: str, functor: str, result: str | None, count: str | None) -> None:
    program = load(with_common(schedule))
    (found,) = (step for step in program.schedule if isinstance(step, Intersect))
    assert (found.functor, found.result, found.count) == (functor, result, count)
    (declared,) = program.edge_functors
    assert declared.common is not None and declared.common.has_edges is (functor == "sides")


@pytest.mark.parametrize(
    ("schedule", "code", "said"),
    [
        ("intersect(edges, step);", "E0401", "a common functor"),
        ("intersect(edges, tally);", "E0401", "common functor f(u, w, x)"),
        ("intersect(edges, cornr);", "E0201", "`corner`"),
        ("intersect(edges, corner, sides);", "E0402", "a common functor"),
        ("intersect(f, corner);", "E0416", "set of vertices"),
        ("intersect(edges, corner, count=small);", "E0205", "int64"),
        ("intersect(edges, corner, count=s, count=s);", "E0402", "count="),
        ("advance(f, corner, to=none);", "E0401", "a common functor"),
        ("compute(edges, corner);", "E0401", "an edge functor"),
        ("a = intersect(edges, corner);", "E0415", "no values"),
    ],
)
def test_mistakes_of_calls_with_common_functors(schedule: str, code: str, said: str) -> None:
    (found,) = mistakes(with_common(schedule))
    assert found.code == code and said in f"{found.message} {found.fix}"


@pytest.mark.parametrize(
    ("functor", "code", "said"),
    [
        ("common functor c(u, w) { apply { } }", "E0110", "`u, w, x, e, eu, ew`, not 2"),
        ("common functor c(u, w, x, e) { apply { } }", "E0110", "not 4"),
        ("common functor c(u, w, x, e, eu, ew, o) { apply { } }", "E0110", "not 7"),
        ("common functor c(u, w, x) { value 1; }", "E0110", "apply"),
        ("common functor c(u, w, x) { apply { hops[near] += 1; } }", "E0215", "`near`"),
        ("common functor c(u, w, x) { cond place == 0; }", "E0215", "`place`"),
        ("common functor c(u, w, x) { apply { hops[e] += 1; } }", "E0201", "`e`"),
        ("common functor c(u, u, x) { apply { } }", "E0202", "`u`"),
    ],
)
def test_mistakes_of_common_functors(functor: str, code: str, said: str) -> None:
    found = mistakes(with_common("", functor + "\n"))
    assert any(one.code == code and said in f"{one.message} {one.fix}" for one in found)


def test_the_total_is_not_for_the_functor() -> None:
    functor = "common functor c(u, w, x) { apply { s += 1; } }\n"
    for schedule in ("intersect(edges, c, count=s);", "s = intersect(edges, c);", "s += intersect(edges, c);"):
        (found,) = mistakes(with_common(schedule, functor))
        assert found.code == "E0402" and "store the total in another scalar" in (found.fix or "")
    load(with_common("intersect(edges, c, count=t);", functor))


LAMBDAS = """program p; problem { edge support : int32; scalar s : int64; vertex seen : bool; edge weight : int32; }
schedule { CALL }
"""


@pytest.mark.parametrize(
    ("call", "has_edges"),
    [
        ("intersect(edges, (u, w, x) => { seen[x] = true; });", False),
        ("frontier f = intersect(edges, (u, w, x) => u < x && w < x, count=s);", False),
        ("s = intersect(edges, (u, w, x) => { cond u != x; apply { seen[x] = true; } }) @corner;", False),
        ("intersect(edges, (u, w, x, e, eu, ew) => { support[e] += 1; support[eu] += weight[ew]; });", True),
    ],
)
def test_common_functors_without_a_name(call: str, has_edges: bool) -> None:
    (functor,) = load(LAMBDAS.replace("CALL", call)).edge_functors
    assert functor.common is not None and functor.common.has_edges == has_edges


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("intersect(edges, (u, w) => { seen[w] = true; });", "not 2"),
        ("intersect(edges, x => { seen[x] = true; });", "not 1"),
        ("s = intersect(edges, (u, w, x) => { value 1; });", "no functor with a `value`"),
        ("s = intersect(edges, (u, w, x) => { s += 1; });", "receives the total"),
        ("advance(vertices, (u, w, x, e, eu, ew) => { seen[x] = true; }, to=none);", "has 6"),
    ],
)
def test_mistakes_of_common_functors_without_a_name(call: str, said: str) -> None:
    with pytest.raises(GdslError) as caught:
        load(LAMBDAS.replace("CALL", call))
    assert said in str(caught.value)
