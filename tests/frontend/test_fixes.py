"""The fixes for what is written from habit: each names the form that is meant, and that form is accepted."""

from __future__ import annotations

import pytest
from mistake_programs import with_parts

from gdsl.diagnostics import GdslError
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
    assert fix in fixes(schedule="f = where(level == 3);")


def test_a_knob_of_functors_on_its_own() -> None:
    with pytest.raises(GdslError) as caught:
        load(with_parts(), ["direction=pull"])
    assert caught.value.diagnostics[0].fix == "it is of a functor or a label: write `visit.direction = …`"


def test_nothing_far_off_is_suggested() -> None:
    assert fixes(schedule="plant(f);") == [""]
