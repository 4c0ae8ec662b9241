"""The fixes for what is written from habit: each names the form that is meant, and that form is accepted."""

from __future__ import annotations

import pytest
from mistake_programs import with_parts

from gdsl.diagnostics import GdslError, is_whole
from gdsl.pipeline import load


def fixes(**parts: str) -> list[str]:
    with pytest.raises(GdslError) as caught:
        load(with_parts(**parts))
    return [diagnostic.fix or "" for diagnostic in caught.value.diagnostics]


@pytest.mark.parametrize(
    ("statement", "form"),
    [
        ("count = count + words[v];", "count += words[v];"),
        ("count = 1 + words[v] + count;", "count += 1 + words[v];"),
        ("count = count + words[v] - 2;", "count += words[v] - 2;"),
        ("count = count - words[v] - 2;", "count -= …"),
        ("count = count * level[v];", "count *= level[v];"),
        ("count = max(level[v], count);", "count max= level[v];"),
        ("count = min(count, level[v]);", "count min= level[v];"),
        ("count = count | level[v];", "count |= level[v];"),
        ("count = count ^ level[v];", "count ^= level[v];"),
    ],
)
def test_a_value_made_of_what_it_replaces_is_an_update(statement: str, form: str) -> None:
    said = fixes(apply=statement)
    assert said and all(f"`{form}" in fix for fix in said)
    [typed_in] = {fix.split("`")[1] for fix in said}
    if "…" not in typed_in:
        load(with_parts(apply=typed_in))


@pytest.mark.parametrize("statement", ["count = words[v] - count;", "count = count // 2 + level[v];"])
def test_no_update_is_offered_where_none_means_it(statement: str) -> None:
    assert not any(f"`count {form} …`" in fix for fix in fixes(apply=statement) for form in ("+=", "-="))


def test_a_long_sum_is_looked_through() -> None:
    assert all("count += …" in fix for fix in fixes(apply=f"count = count{' + words[v]' * 3000};"))


_RELAX = "edge functor relax(src, dst, e) {{ {} apply {{ big[dst] min= {}; }} }}"
_RELAXED = "advance(vertices, relax, to=none);"


def test_a_condition_on_what_a_reduction_writes_moves_into_its_operand() -> None:
    [fix] = fixes(top=_RELAX.format("cond big[src] < 7;", "big[src] + 1"), schedule=_RELAXED)
    assert "`big[dst] min= big[src] < 7 ? big[src] + 1 : big[dst];`" in fix
    load(with_parts(top=_RELAX.format("", "big[src] < 7 ? big[src] + 1 : big[dst]"), schedule=_RELAXED))


def test_an_expression_in_the_place_of_a_functor() -> None:
    fix = "declare `vertex functor f(v) { … }` and write its name here, or write `v => …`"
    assert fix in fixes(schedule="f = where(3);")
    assert "write `v => level[v] == 3`" in fixes(schedule="f = where(level == 3);")


def test_a_knob_of_functors_on_its_own() -> None:
    with pytest.raises(GdslError) as caught:
        load(with_parts(), ["direction=pull"])
    assert caught.value.diagnostics[0].fix == "it belongs to a functor or a label: write `visit.direction = …`"


def test_nothing_far_off_is_suggested() -> None:
    assert fixes(schedule="plant(f);") == [""]


MEANT = {
    "words": ("if (parent[v]) { rank[v] = 1; }", "compare it: `parent[v] != none`"),
    "opposite of an id": ("if (!parent[v]) { rank[v] = 1; }", "compare it: `parent[v] == none`"),
    "opposite of a number": ("if (!level[v]) { rank[v] = 1; }", "compare it: `level[v] == 0`"),
    "float of its place": ("rank[v] = float(level[v]);", "write `float32(level[v])`"),
    "a step in a value": ("let k = count++; big[v] = k;", "write `fetch(count += 1)`, which is the value before"),
    "an atomic in a value": ("let k = atomicAdd(count, 1); big[v] = k;", "write `let k = fetch(count += 1);`"),
    "an atomic by address": ("let k = atomicAdd(&count, 1); big[v] = k;", "write `let k = fetch(count += 1);`"),
    "the last return": ("rank[v] = 1; return;", "leave it out"),
}


@pytest.mark.parametrize("name", MEANT)
def test_fixes_keep_what_is_meant(name: str) -> None:
    statement, fix = MEANT[name]
    assert fixes(apply=statement) == [fix]


@pytest.mark.parametrize("statement", ["return;", "return true;"])
def test_a_return_before_other_statements_is_no_accept(statement: str) -> None:
    [fix] = fixes(apply=f"if (level[v] > 3) {{ {statement} }} rank[v] = 1;")
    assert "`if`" in fix and "accept" not in fix


def test_whole_arrays_are_copied_and_declared() -> None:
    assert fixes(data="vertex z : int32;", schedule="z = level;") == [
        "write `compute(vertices, v => { z[v] = level[v]; });`"
    ]
    assert fixes(data="vertex z = 0;") == ["write `vertex z : int32 = 0;`"]


@pytest.mark.parametrize(("test", "sign"), [("big[dst] < words[src]", "max="), ("words[src] < big[dst]", "min=")])
def test_a_store_behind_a_test_is_a_reduction(test: str, sign: str) -> None:
    top = "edge functor relax(src, dst, e) {{ {} apply {{ big[dst] {} words[src]; }} }}"
    said = fixes(top=top.format(f"cond {test};", "="), schedule=_RELAXED)
    assert said and set(said) == {f"drop the test: `big[dst] {sign} words[src];` makes `{test}` itself"}
    load(with_parts(top=top.format("", sign), schedule=_RELAXED))


def test_a_logical_value_made_of_what_it_replaces() -> None:
    top = "edge functor spread(src, dst, e) { apply { seen[dst] = seen[dst] || level[src] > 3; } }"
    said = fixes(data="vertex seen : bool;", top=top, schedule="advance(vertices, spread, to=none);")
    assert said and all("`seen[dst] |= level[src] > 3;`" in fix for fix in said)


@pytest.mark.parametrize(
    "parts",
    [
        {"apply": "let low = changed(words[v] = words[words[v]]);"},
        {"apply": "let x = fetch(words[v] = 1);"},
        {"apply": "let x = min(level[v], words[v] = 2);"},
        {"schedule": "frontier f = (edges, count=words);"},
        {"schedule": "while (any(f)) { compute(:, visit); }"},
        {"top": "edge [ upwards(src, dst, e) { cond src < dst; }"},
    ],
)
def test_the_code_of_a_fix_is_whole(parts: dict[str, str]) -> None:
    """A pattern of a mistake may end in the middle of an expression, or run over the end of a statement."""
    assert all(is_whole(fix) for fix in fixes(**parts)), fixes(**parts)


def test_code_is_whole() -> None:
    assert all(map(is_whole, ("close it with `}`", "write `f(x);` or `g(y)`", 'write `a["("]`', "no code (")))
    assert not any(map(is_whole, ("write `f(x`", "write `x);`", "write `{ (x }`")))


@pytest.mark.parametrize(
    ("statement", "declared"),
    [
        ("vertex hops = 0;", "`vertex hops : int64;`"),
        ("vertex hops[3] = 0;", "`vertex hops[3] : int64;`"),
        ("local vertex hops[hops] = 0;", None),
        ("local scalar local = 1;", None),
        ("vertex hops[level + 1];", None),
    ],
)
def test_data_of_the_schedule_moves_to_the_problem(statement: str, declared: str | None) -> None:
    said = fixes(schedule=statement)
    assert declared is None or any(declared in fix for fix in said), said
