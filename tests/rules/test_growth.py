"""Programs of a few kilobytes that would take minutes: the compiler's work grows with the text, or ends at a limit."""

from __future__ import annotations

import re
from itertools import count

import pytest

from gdsl import annotate
from gdsl.backends.cuda import plan_of
from gdsl.diagnostics import GdslError
from gdsl.effects.access import Access
from gdsl.frontend.check import procedures
from gdsl.ir import worklists
from gdsl.pipeline import load
from gdsl.plan import barriers, scalar_copies
from gdsl.plan.fusion import MOST_IN_ONE_SWEEP, flattened
from gdsl.plan.nodes import Launch, Operation, Plan
from gdsl.rules import laws, report
from gdsl.source import NOWHERE
from gdsl.uniqueness.levels import EXACT, State, rounding

HEAD = "program p; problem { vertex a : int32; vertex b : int32; scalar s : int32; }\n"


def refused(text: str) -> GdslError:
    with pytest.raises(GdslError) as caught:
        load(text)
    return caught.value


def test_functions_that_each_call_the_next_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "MOST_WORK", 20_000)
    chain = "".join(f"function f{i}(x: int32) -> int32 {{ return f{i - 1}(x) & f{i - 1}(x); }}\n" for i in range(1, 40))
    text = (
        f"{HEAD}function f0(x: int32) -> int32 {{ return x; }}\n{chain}"
        "operator o(x: int32, y: int32) -> int32 identity -1 { return f39(x) & y; }\n"
        "edge functor r(u, v, e) -> int32 { value 3; } schedule { a = neighbor_reduce(vertices, r, o); }"
    )
    assert load(text).arrays
    error = refused(re.sub(r"& f(\d+)\(x\)", r"& f\1(x + \1)", text))  # with another value each time
    assert error.code == "E0308" and "takes too long to be tried" in str(error)


def test_an_operator_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "MOST_WORK", 5_000)
    steps = "for i in 0..100000 { r = r & x; }"
    error = refused(
        f"{HEAD}operator o(x: int32, y: int32) -> int32 identity -1 {{ var r = x & y; {steps} return r; }}\n"
        "edge functor f(u, v, e) -> int32 { value 3; } schedule { a = neighbor_reduce(vertices, f, o); }"
    )
    assert error.code == "E0308" and "5,000 statements" in str(error)


def test_procedures_that_grow_by_statements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(procedures, "LARGEST_EXPANSION", 1_000)
    text = f"{HEAD}procedure q() {{ {'s = s + 1; ' * 20} }} schedule {{ q(); q(); q(); q(); q(); q(); q(); q(); }}"
    assert load(text)
    error = refused(text.replace("q(); }", "q(); q(); q(); }"))
    assert error.code == "E0242" and "1,000 names, numbers and operations" in str(error)


def test_mistakes_beyond_a_limit_are_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "MOST_PLACES", 5)
    functors = "".join(f"edge functor f{i}(u, v, e) {{ apply {{ a[v] = b[u] + {i}; }} }}\n" for i in range(9))
    calls = "".join(f"advance(vertices, f{i}, to=none); " for i in range(9))
    error = refused(f"{HEAD}{functors} schedule {{ {calls} }}")
    assert [each.code for each in error.diagnostics] == ["E0301"] * 5 + ["E0114"]
    assert "the first 5 mistakes, and further ones were not looked for" in str(error)


def test_exact_data_costs_a_loop_nothing() -> None:
    state = State()
    state.set("a", rounding(NOWHERE), EXACT)
    state.set("b", EXACT, EXACT)
    state.define("f", EXACT, EXACT)
    assert (state.values, state.marks, state.frontiers, state.far_ends) == ({"a": rounding(NOWHERE)}, {}, {}, {})
    state.join(State(marks={"b": rounding(NOWHERE)}))
    assert state.mark("b") == rounding(NOWHERE) and state.value("a") == rounding(NOWHERE) and state.value("b") == EXACT


def planned(text: str) -> Plan:
    return plan_of(load(text))


def test_a_sweep_has_at_most_some_operators() -> None:
    text = (
        f"{HEAD}vertex functor g(v) {{ apply {{ a[v] = a[v] + 1; }} }} schedule {{ {'compute(vertices, g); ' * 70} }}"
    )
    (launch,) = planned(text).schedule
    assert isinstance(launch, Launch)
    found = [len(flattened(step)) for step in launch.steps if isinstance(step, Operation)]
    assert found == [MOST_IN_ONE_SWEEP, MOST_IN_ONE_SWEEP, 70 - 2 * MOST_IN_ONE_SWEEP]


def test_barriers_of_many_scalars(monkeypatch: pytest.MonkeyPatch) -> None:
    """The placements do not grow with the number of scalars, nor the comparisons of one with its square."""
    placements, comparisons = count(), count()
    place, meets = barriers.place, Access.meets
    monkeypatch.setattr(barriers, "place", lambda *given: next(placements) + 1 and place(*given))
    monkeypatch.setattr(Access, "meets", lambda *given: next(comparisons) + 1 and meets(*given))
    for number in (40, 80):
        scalars = "".join(f"scalar a{i} : int32; " for i in range(number))
        stores = "".join(f"a{i} = a{i - 1} + 1; " for i in range(1, number))
        planned(f"program p; problem {{ {scalars} }} schedule {{ while (a0 < 5) {{ a0 = a0 + 1; {stores} }} }}")
    placed, compared = next(placements), next(comparisons)
    assert placed <= 2 * (scalar_copies.MOST_CANDIDATES + 4)
    assert compared < 4 * 80 * placed


def test_long_functors_of_many_operators(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotate, "MOST_NODES", 1_000)
    calls = "compute(vertices, g); "
    text = f"{HEAD}vertex functor g(v) {{ apply {{ {'a[v] = a[v] + 1; ' * 10} }} }} schedule {{ {calls * 5} }}"
    assert load(text)
    error = refused(text.replace(calls, calls * 5))
    assert error.code == "E0244" and "1,000 names, numbers and operations" in str(error)


def test_advances_of_many_worklists_are_listed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = count()
    copied = worklists.copied
    monkeypatch.setattr(worklists, "copied", lambda program: next(listed) + 1 and copied(program))
    relax = "edge functor r(u, v, e) { apply { accept changed(a[v] min= a[u] + 1); } }"
    loops = "".join(f"frontier f{i} = {{ 0 }}; while (f{i}) {{ f{i} = advance(f{i}, r); }}\n" for i in range(12))
    planned(f"{HEAD.replace('int32', 'int32 = inf', 1)}{relax} schedule {{ {loops} }}")
    assert next(listed) < 12
