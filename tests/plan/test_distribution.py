"""The plan of several workers: what is exchanged and what is held, and that the verifier refuses plans whose workers
would have different data."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache

import pytest
from click.testing import CliRunner

from gdsl.backends.cpu.planning import plan_of
from gdsl.cli.compile import command
from gdsl.ir.verifier import VerificationError
from gdsl.operations import ReduceOperation
from gdsl.pipeline import load
from gdsl.plan import combining
from gdsl.plan.distribution import pulls
from gdsl.plan.exchange_nodes import Exchange, Exchanged, Held, How, Reach, Snapshot
from gdsl.plan.nodes import Operation, Plan, Step
from gdsl.plan.printer import print_plan
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_blocks, operations, steps_in
from tests.oracles import BY_NAME
from tests.support.programs import LIBRARY, PROGRAMS, SAMPLES

HEAD = """program p;
problem {
    input edge weight : float32; vertex a : int32; vertex b : float32; vertex c : vertex = none; scalar s : int64;
    edge mark : bool; vertex at : vertex = none;
}
"""


@cache
def plan(name: str) -> Plan:
    """The plan of a sample or test program for several workers."""
    return plan_of(load(str(BY_NAME[name].path)), workers=True)


def planned(functor: str, call: str = "advance(f, visit)", *tune: str) -> Plan:
    """The plan of a functor on edges."""
    schedule = f"schedule {{ frontier f = {{0}}; f = {call}; a[0] = 1; }}"
    text = f"{HEAD}edge functor visit(src, dst, e) {{ apply {{ {functor} }} }}\n{schedule}"
    return plan_of(load(text, tune), workers=True)


def exchanged(found: Plan) -> dict[str, Exchanged]:
    """What the exchanges of a plan have, those between turns too."""
    steps = [step for step in steps_in(found.schedule) if isinstance(step, Exchange)]
    steps += [operation.turns.exchange for operation in operations(found) if operation.turns is not None]
    return {each.name: each for step in steps for each in step.data}


def test_writes_of_owners_are_published_and_others_merged() -> None:
    found = exchanged(planned("a[src] += 1; b[dst] += weight[e]; c[dst] any= src; s += 1;"))
    assert (found["a"].how, found["a"].reach) == (How.PUBLISH, Reach.OWN)
    assert (found["b"].how, found["b"].operation) == (How.MERGE, ReduceOperation.ADD)
    assert (found["c"].how, found["c"].operation) == (How.MERGE, None)
    assert found["s"].scalar and found["s"].operation is ReduceOperation.ADD


@pytest.mark.parametrize(
    ("functor", "reason"),
    [
        ("a[src] += fetch(a[dst] += 1);", "`fetch` tells"),
        ("if (cas(c[dst], none, src)) { b[dst] = weight[e]; }", "a `cas` tells"),
        ("if (changed(a[dst] min= 3)) { s += 1; }", "told that they changed"),
        ("accept changed(a[vertex(int64(dst))] max= 3);", "told that they changed"),
    ],
)
def test_workers_take_turns_where_a_call_asks_what_others_did(functor: str, reason: str) -> None:
    (operation,) = operations(planned(functor))
    assert operation.turns is not None and reason in operation.turns.reason
    assert operation.turns.line == "line 6"
    assert all(each.how is How.ADOPT for each in operation.turns.exchange.data)


BITS = "at[dst] |= int32(1) << int32(e);"


@pytest.mark.parametrize(
    "functor",
    [
        f"if (changed(seen[dst] |= true)) {{ {BITS} }}",
        "if (changed(seen[dst] |= true)) { c[dst] min= src; d[dst] max= e; }",
        "if (changed(seen[dst] |= true) && src < 7) { at[dst] |= 1; } else { at[dst] |= 2; }",
        "if (!changed(seen[dst] |= true)) { at[dst] |= 1; }",
        "if (changed(seen[dst] |= true) || changed(twice[dst] |= src < 7)) { at[dst] |= 1; }",
        "let first = changed(seen[dst] |= true); let second = !first; accept second;",
        "if (changed(seen[dst] |= true)) { accept false; }",
        "accept !changed(seen[dst] |= true);",
        "more &= changed(seen[dst] |= true);",
        "twice[dst] |= !changed(seen[dst] |= true);",
        "var x = dst; if (changed(seen[x] |= true)) { x = src; at[x] |= 1; }",
        "if (changed(more |= true)) { mask |= int32(1) << int32(e); }",
        "if (changed(slots[dst][0] |= true)) { slots[dst][place & 1] |= true; }",
        "if (changed(seen[dst] |= true)) { for i in 0..4 { if (i == place) { break; } at[dst] |= i; } }",
        # answers about what one worker writes, after another or beside it
        "if (changed(seen[dst] |= true) && changed(own[src] |= true)) { }",
        "if (changed(seen[dst] |= true)) { let also = changed(own[src] |= true); }",
        "if (changed(seen[dst] |= true)) { let also = cas(took[src], none, dst); }",
        "let one = fetch(own[src] |= true); if (changed(seen[dst] |= true)) { c[dst] min= src; } own[src] |= one;",
        # an answer that decides what another is about
        "let first = changed(seen[dst] |= true); let second = changed(at[dst] max= (first ? 1 : 2));",
        "let first = changed(seen[dst] |= true); let second = changed(at[first ? 1 : 2] |= 1);",
        "let again = !changed(seen[dst] |= true); let second = changed(twice[dst] |= again);",
        # effects that depend on who comes first, and are not alone
        "let first = changed(seen[dst] |= true); accept first; if (src < 7) { accept false; } "
        "if (first) { c[dst] any= src; }",
        "let first = changed(seen[dst] |= true); accept first; if (place < 2) { accept false; }",
        "let first = changed(seen[dst] |= true); accept false; if (src < 7) { if (first) { accept true; } } "
        "if (first) { c[dst] any= src; }",
        "let one = changed(seen[dst] |= src < 7); let two = changed(twice[dst] |= place < 2); "
        "if (one) { if (two) { more |= true; } }",
        "if (src < 7) { if (changed(seen[dst] |= true)) { c[dst] any= src; } } "
        "if (changed(seen[dst] |= true)) { more |= true; }",
        # what is written without an answer
        "if (src < 7) { seen[dst] |= true; } else { twice[dst] |= true; } more |= changed(seen[dst] |= true); "
        "more |= changed(twice[dst] |= true);",
        # calls on any element share a scalar
        "more |= changed(seen[dst] |= true); if (changed(met |= true)) { mask |= int32(1) << int32(dst); }",
        # elements that reads tie to each other
        "let by = now twice[src]; if (by) { if (changed(seen[dst] |= true)) { c[dst] min= src; twice[dst] |= true; } }",
        "if (changed(best[dst] min= best[src] + place)) { c[dst] min= src; }",
    ],
)
def test_workers_take_turns_where_two_calls_that_are_told_of_one_change_show(functor: str) -> None:
    (operation,) = operations(told(functor))
    assert operation.turns is not None and "may be told" in operation.turns.reason


@pytest.mark.parametrize(
    "functor",
    [
        "if (changed(seen[dst] |= true)) { at[dst] |= k; more |= true; }",
        "if (changed(seen[dst] |= true)) { c[dst] any= src; }",
        "let first = changed(best[dst] min= place); if (first) { c[dst] min= src; } accept first;",
        "accept changed(best[dst] min= place) && src < 7;",
        "let one = changed(best[dst] min= place); if (one || src < 7) { if (one) { c[dst] min= src; } }",
        "accept changed(best[dst] min= place) || place < 2;",
        "seen[dst] |= changed(best[dst] min= place);",
        "more &= !changed(best[dst] min= place); seen[dst] |= changed(twice[dst] |= true);",
        "let one = changed(best[dst] min= place); let two = changed(best[dst] min= k); more |= one || two;",
        "if (changed(best[dst] min= place)) { more |= true; } more |= changed(best[dst] min= k);",
        "at[dst] |= int32(1) << int32(e); accept changed(best[dst] min= place);",
        "if (changed(slots[dst][1] |= true)) { marks[dst][1] |= true; more |= true; }",
    ],
)
def test_workers_run_at_once_where_nobody_can_tell_who_was_told(functor: str) -> None:
    (operation,) = operations(told(functor))
    assert operation.turns is None


@pytest.mark.parametrize(
    ("functor", "why"),
    [
        (f"if (changed(seen[dst] |= true)) {{ {BITS} }}", "bits of calls"),
        ("if (changed(seen[dst] |= true)) { at[dst] |= 1; } else { at[dst] |= 1; }", "without a change"),
        ("let first = changed(seen[dst] |= true); let second = !first; accept second;", "without a change"),
        ("twice[dst] |= !changed(seen[dst] |= true);", "because a call is not told"),
        ("if (changed(seen[dst] |= true)) { let also = changed(own[src] |= true); }", "in one order"),
        ("let one = changed(seen[dst] |= true); let two = changed(at[one ? 1 : 2] |= 1);", "decides another"),
        ("if (src < 7) { seen[dst] |= true; } more |= changed(seen[dst] |= true);", "without an answer"),
        ("accept changed(seen[dst] |= true); if (place < 2) { accept false; }", "overrules"),
        ("if (changed(seen[dst] |= true)) { accept false; }", "left out"),
        ("if (changed(seen[dst] |= true)) { c[dst] min= src; d[dst] max= e; }", "two effects"),
        ("if (changed(seen[dst] |= true)) { twice[src] |= true; }", "other elements"),
        (
            "let a = changed(seen[dst] |= src < 7); if (changed(twice[dst] |= true)) { if (a) { more |= true; } }",
            "two ans",
        ),
        ("if (changed(best[dst] min= best[src] + place)) { c[dst] min= src; }", "tie"),
    ],
)
def test_the_verifier_refuses_them_without_turns(functor: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combining, "visible_duplicate", lambda *_: None)
    with pytest.raises(VerificationError, match=why):
        told(functor)


def told(functor: str) -> Plan:
    """The plan of a functor that asks what it changed."""
    data = """param k : int32; vertex seen : bool; vertex twice : bool; vertex at : int32; vertex best : int32 = inf;
    vertex c : vertex = none; vertex d : edge = none; vertex slots[2] : bool; vertex marks[2] : bool; vertex own : bool;
    vertex took : vertex = none; scalar more : bool; scalar met : bool; scalar mask : int32;"""
    text = f"program p; problem {{ {data} }} edge functor visit(src, dst, e) {{ apply {{ {functor} }} }}"
    return plan_of(load(f"{text} schedule {{ frontier f = {{0}}; f = advance(f, visit); }}"), workers=True)


@pytest.mark.parametrize(
    "functor",
    [
        "accept changed(a[dst] min= a[src]);",
        "a[src] += 1; accept b[src] > 1.0;",
        "let first = changed(a[dst] |= 1); accept first;",
        "let before = fetch(a[src] += 1); accept before == 3;",
    ],
)
def test_other_calls_run_at_once(functor: str) -> None:
    (operation,) = operations(planned(functor))
    assert operation.turns is None


def test_what_is_held_in_parts() -> None:
    found = planned("mark[e] = true; b[dst] += weight[e];").distribution
    assert found is not None and {found.of_array("mark"), found.of_array("weight")} == {Held.OWN}
    assert found.of_part("columns") is Held.OWN and found.of_part("offsets") is Held.MIRROR
    elsewhere = planned("b[dst] += weight[e];", "advance(f, visit, over=in_edges)").distribution
    assert elsewhere is not None and elsewhere.of_array("weight") is Held.MIRROR
    lists = plan("random_walk").distribution
    assert lists is not None and lists.of_part("columns") is Held.MIRROR
    assert next(each.reason for each in lists.graph if each.name == "columns") == "line 27"


@pytest.mark.parametrize(
    "text",
    [
        "b[dst] min= b[src]; mark[e] = true;",
        "b[dst] min= weight[e];",
        "a[src] = 1; b[dst] min= 1.0;",
        "for u, x in neighbors(src) { b[dst] min= 1.0; }",
    ],
)
def test_workers_do_not_pull_what_needs_the_owner_of_the_edge(text: str) -> None:
    found = planned(text, "advance(f, visit)", "visit.direction=pull")
    assert not any(map(pulls, operations(found)))


def test_workers_pull_what_needs_their_own_vertices_alone() -> None:
    found = planned("b[dst] min= float32(a[src]);", "advance(f, visit)", "visit.direction=pull")
    assert any(map(pulls, operations(found)))
    assert found.distribution is not None and found.distribution.of_part("in_sources") is Held.OWN
    verify(found)


def test_the_plan_prints_its_exchanges() -> None:
    text = print_plan(plan("bfs"))
    assert "note distance, parent at f and far ends over out_edges, or all where it pulls or they are many" in text
    assert "merge parent by any value" in text and "unite f" in text and "in parts: columns" in text
    assert "in turns: `fetch` tells" in print_plan(plan("k_core"))


def test_the_command_line_prints_the_form_of_several_workers() -> None:
    compiled = CliRunner().invoke(command, ["bfs", "--several-workers", "--emit", "plan"])
    assert "exchange:  # 0, what each worker found" in compiled.output
    assert "exchange_set(run, 0, f" in CliRunner().invoke(command, ["bfs", "--several-workers"]).output
    refused = CliRunner().invoke(command, ["bfs", "--several-workers", "--several-gpus"])
    assert refused.exit_code == 2 and "neither --teams nor --several-gpus" in refused.output


def test_one_worker_has_no_exchanges() -> None:
    found = plan_of(load(str(BY_NAME["bfs"].path)))
    assert found.distribution is None
    assert not any(isinstance(step, (Exchange, Snapshot)) for step in steps_in(found.schedule))


@pytest.mark.rare(16)
@pytest.mark.slow
@pytest.mark.parametrize("path", [*SAMPLES, *LIBRARY, *PROGRAMS], ids=lambda path: path.stem)
def test_every_plan_is_verified(path: object) -> None:
    verify(plan_of(load(str(path)), workers=True))


# Wrong plans


def without(kind: type[Step]) -> Callable[[tuple[Step, ...]], tuple[Step, ...]]:
    """A block without its steps of a kind."""
    return lambda block: tuple(step for step in block if not isinstance(step, kind))


def before_its_step(block: tuple[Step, ...]) -> tuple[Step, ...]:
    """A block whose exchanges come before what they belong to."""
    steps = list(block)
    for place in range(1, len(steps)):
        if isinstance(steps[place], Exchange) and isinstance(steps[place - 1], Operation):
            steps[place - 1], steps[place] = steps[place], steps[place - 1]
    return tuple(steps)


def with_data(change: Callable[[Exchanged], Exchanged | None]) -> Callable[[tuple[Step, ...]], tuple[Step, ...]]:
    """A block with other data in its exchanges."""

    def changed(step: Step) -> Step:
        if not isinstance(step, (Exchange, Snapshot)):
            return step
        found = (change(each) for each in step.data)
        return dataclasses.replace(step, data=tuple(each for each in found if each is not None))

    return lambda block: tuple(map(changed, block))


def published(each: Exchanged) -> Exchanged:
    """Published, whoever wrote it."""
    return dataclasses.replace(each, how=How.PUBLISH, operation=None)


def by_another(each: Exchanged) -> Exchanged:
    """Merged by another operation."""
    other = ReduceOperation.MAX if each.operation is not ReduceOperation.MAX else ReduceOperation.MIN
    return dataclasses.replace(each, operation=other) if each.how is How.MERGE else each


def with_exchanges(**fields: object) -> Callable[[tuple[Step, ...]], tuple[Step, ...]]:
    """A block whose exchanges have other fields."""

    def changed(step: Step) -> Step:
        return dataclasses.replace(step, **fields) if isinstance(step, Exchange) else step  # type: ignore[arg-type]

    return lambda block: tuple(map(changed, block))


def at_once(block: tuple[Step, ...]) -> tuple[Step, ...]:
    """A block without turns: what a turn takes is merged instead."""
    found: list[Step] = []
    for step in block:
        if isinstance(step, Operation) and step.turns is not None:
            merge = [dataclasses.replace(each, how=How.MERGE) for each in step.turns.exchange.data]
            data = tuple(dataclasses.replace(each, operation=ReduceOperation.ADD) for each in merge)
            found += [Snapshot(step.turns.exchange.number, data), dataclasses.replace(step, turns=None)]
        elif isinstance(step, Exchange) and isinstance(found[-1], Operation) and len(found) > 1:
            before = found[-2]
            data = before.data if isinstance(before, Snapshot) and not step.data else step.data
            number = before.number if isinstance(before, Snapshot) else step.number
            found.append(dataclasses.replace(step, data=data, number=number))
        else:
            found.append(step)
    return tuple(found)


def with_snapshots(**fields: object) -> Callable[[tuple[Step, ...]], tuple[Step, ...]]:
    """A block whose snapshots have other fields."""

    def changed(step: Step) -> Step:
        return dataclasses.replace(step, **fields) if isinstance(step, Snapshot) else step  # type: ignore[arg-type]

    return lambda block: tuple(map(changed, block))


WRONG = {
    "a merge left out": ("sssp", with_data(lambda each: None)),
    "an exchange left out": ("pagerank", without(Exchange)),
    "a snapshot left out": ("sssp", without(Snapshot)),
    "an exchange before its step": ("sssp", before_its_step),
    "publish instead of merge": ("sssp", with_data(published)),
    "another operation": ("sssp", with_data(by_another)),
    "a set that is not united": ("bfs", with_exchanges(frontier=None)),
    "edges that are not added up": ("bellman_ford", with_exchanges(counts_edges=False)),
    "fetch at once": ("k_core", at_once),
    "one number twice": ("hits", with_exchanges(number=7)),
    "a pull that publishes": ("bfs", with_data(published)),
    "a pull that is not expected": ("bfs", with_snapshots(pulled_from=None)),
    "a pull that is expected too late": ("bfs", with_snapshots(pulled_from=1)),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_plans_are_refused(what: str) -> None:
    name, change = WRONG[what]
    wrong = dataclasses.replace(plan(name), schedule=map_blocks(plan(name).schedule, change))
    assert wrong != plan(name)
    with pytest.raises(VerificationError):
        verify(wrong)


@pytest.mark.parametrize("walked", [(), (0, 1), (1, 2)])
def test_edges_are_added_up_once(walked: tuple[int, ...]) -> None:
    """After PageRank's sweep nothing is exchanged, so its edges are added up at the end, and no others."""
    found = plan("pagerank")
    assert found.distribution is not None and found.distribution.walked == (1,)
    assert all(step.data for step in steps_in(found.schedule) if isinstance(step, Exchange))
    wrong = dataclasses.replace(found, distribution=dataclasses.replace(found.distribution, walked=walked))
    with pytest.raises(VerificationError):
        verify(wrong)


@pytest.mark.parametrize(
    ("name", "held"), [("max_flow", "capacity"), ("random_walk", "columns"), ("jaccard", "columns")]
)
def test_parts_that_are_not_enough_are_refused(name: str, held: str) -> None:
    found = plan(name).distribution
    assert found is not None

    def smaller(placements: tuple[object, ...]) -> tuple[object, ...]:
        return tuple(
            dataclasses.replace(each, held=Held.OWN) if each.name == held else each  # type: ignore[attr-defined, type-var]
            for each in placements
        )

    changed = dataclasses.replace(found, arrays=smaller(found.arrays), graph=smaller(found.graph))  # type: ignore[arg-type]
    with pytest.raises(VerificationError):
        verify(dataclasses.replace(plan(name), distribution=changed))
