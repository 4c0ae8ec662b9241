"""What runs in the sweep of the filter before it, and of which loop's last filter, beside twins that may not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from gdsl.ir import nodes as ir
from gdsl.ir import verifier
from gdsl.ir.traversal import all_steps, rewrite, walk
from gdsl.passes import ir_passes
from gdsl.plan import followers, target
from gdsl.plan.followers import MOST_FOLLOWERS, filters_of_followers
from gdsl.plan.verifier_followers import verify_followers

from .planning import loaded, operation, plan_of

HEAD = """program p; problem {
    scalar n : int64; scalar m : int64; local scalar least : int32; local scalar round : int32; scalar seen : int32;
    local scalar spot : vertex = none;
    vertex a : int32 = int32(id); vertex b : int32; vertex c : int32; vertex other : vertex = id; vertex two[2] : int32;
    edge x : int32; edge y : int32;
}
function twice(i : int32) -> int32 { return i + i; }
function slow(i : int32) -> int32 { var j = i; while (j > 9) { j -= 3; } return j; }
vertex functor many(v) { cond a[v] > 2; }
vertex functor odd(v) { cond a[v] > 2; apply { let k = a[v] % 2; b[v] = k; accept k == 1; n += 1; } }
vertex functor first(v) { cond a[0] > a[v]; }
vertex functor nothing(v) { apply { } }
vertex functor one(v) { apply { a[v] += 1; } }
vertex functor three(v) { cond a[v] > 3; apply { let k = a[v] * 2; c[v] = k; } }
vertex functor low(v) { apply { least min= a[v]; } }
vertex functor counts(v) { apply { n += 1; } }
vertex functor asks(v) { apply { c[v] = int32(n); } }
vertex functor asks_round(v) { apply { c[v] = round; } }
vertex functor asks_pass(v) { apply { c[v] = iteration; } }
vertex functor gives(v) { apply { b[other[v]] min= a[v]; } }
vertex functor gives_a(v) { apply { a[other[v]] min= b[v]; } }
vertex functor slots(v) { apply { two[v][0] += a[v]; } }
vertex functor around(v) { apply { for u in neighbors(v) { c[v] += a[u]; } } }
vertex functor ranges(v) { apply { for i in 0..a[v] { c[v] += i; } } }
vertex functor calls(v) { apply { c[v] = twice(a[v]); } }
vertex functor loops(v) { apply { c[v] = slow(a[v]); } }
vertex functor searches(v) { apply { if (has_edge(v, other[v])) { c[v] = 1; } } }
edge functor heavy(s, t, e) { cond x[e] > 2; }
edge functor ey(src, dst, e) { apply { let k = x[e]; y[e] = k; c[src] max= k; } }
edge functor ex(src, dst, e) { apply { x[e] = a[dst]; } }
edge functor visit(src, dst, e) { apply { accept changed(b[dst] max= a[src]); } }
"""


def schedule(steps: str) -> str:
    return f"{HEAD} schedule {{ frontier w = {{ 1, 2 }}; frontier u = {{ 3 }}; edge frontier g; {steps} }}"


def found(steps: str) -> dict[str, list[str]]:
    """By the label of each follower those of its filters; what the pass writes is verified."""
    before = ir_passes.apply(loaded(schedule(steps)))
    after = followers.run(before, target.CUDA_FUSED)
    verifier.verify(after, after="followers", before=before)
    verify_followers(before, after)
    labels = {step.site: step.label for step in all_steps(before.schedule) if isinstance(step, ir.Operator)}
    group = {
        labels[site]: sorted(labels[each] for each in filters)
        for site, filters in filters_of_followers(before, target.CUDA_FUSED).items()
    }
    assert (after is before) == (not group)
    return group


@pytest.mark.parametrize(
    ("steps", "group"),
    [
        ("w = filter(u, many); compute(w, low);", "low"),
        ("w = filter(w, many); compute(w, one);", "one"),
        ("w = where(v => a[v] > 2) @all; compute(w, three);", "three/all"),
        ("w = filter(u, odd); compute(w, three);", "three/odd"),
        ("w = filter(u, many); compute(w, gives);", "gives"),
        ("g = filter(edges, heavy); compute(g, ey);", "ey/heavy"),
        ("w = filter(u, many); compute(w, calls);", "calls"),
        ("w = filter(u, many); compute(w, low); compute(w, counts); compute(w, three);", "low counts three"),
        ("w = filter(u, many); compute(w, asks_round); compute(w, gives_a);", "asks_round"),
        ("if (n > 0) { w = filter(u, many); compute(w, low); }", "low"),
        # Other members, or something in between.
        ("w = filter(u, many); compute(u, low);", ""),
        ("w = filter(u, many); compute(vertices, low);", ""),
        ("w = filter(u, many); b = neighbor_reduce(w, (s, t, e) => a[t], sum); compute(w, low);", ""),
        ("w = filter(u, many); if (w) { compute(w, low); }", ""),
        ("w = advance(u, visit); compute(w, low);", ""),
        # What a call of the other one may see.
        ("w = filter(u, many); compute(w, gives_a);", ""),
        ("w = filter(u, first); compute(w, one);", ""),
        ("w = filter(u, first); compute(w, low);", "low/first"),
        ("w = filter(u, odd); compute(w, counts);", ""),
        ("w = filter(u, odd); compute(w, asks);", ""),
        ("w = filter(u, odd); compute(w, gives);", ""),
        ("w = filter(u, many); compute(w, counts); compute(w, asks);", "counts"),
        ("w = filter(u, many); compute(w, slots); compute(w, slots) @again;", "slots"),
        ("g = filter(edges, heavy); compute(g, ex);", "ex/heavy"),
        # Calls that are long.
        ("w = filter(u, many); compute(w, around);", ""),
        ("w = filter(u, many); compute(w, ranges);", ""),
        ("w = filter(u, many); compute(w, loops);", ""),
        ("w = filter(u, many); compute(w, searches);", ""),
        # Nothing to do, and what says whom it accepts.
        ("w = filter(u, many); compute(w, nothing);", ""),
        ("w = filter(u, many); compute(w, odd);", ""),
        # Assignments go before both or behind both.
        ("w = filter(u, many); least = 9; compute(w, low);", "low"),
        ("w = filter(u, many); m = size(w); compute(w, low);", "low"),
        ("w = filter(u, many); least = 9; m = size(w); compute(w, low);", ""),
        ("w = filter(u, many); least = 9; m = 2; compute(w, low); n = 3; compute(w, counts);", "low counts"),
        ("w = filter(u, odd); round = int32(n); compute(w, asks_round);", ""),
        ("w = filter(u, odd); m = n; compute(w, asks_round);", "asks_round/odd"),
    ],
)
def test_what_follows_a_filter(steps: str, group: str) -> None:
    names, _, filters = group.partition("/")
    assert found(steps) == {name: [filters or "many"] for name in names.split()}


@pytest.mark.parametrize(
    ("steps", "group"),
    [
        ("while (w) { compute(w, low); w = filter(w, many); }", "low"),
        ("while (w) { least = 9; compute(w, low); seen max= least; w = filter(w, many); }", "low"),
        ("while (w) { seen = min(a, w); w = filter(w, many); }", "reduce_min_of_a"),
        (
            "while (w) { compute(w, low); compute(w, counts); u = filter(w, many) @u; w = filter(w, many); }",
            "low counts",
        ),
        ("while (w) { compute(w, low); w = filter(w, many); m += 1; }", "low"),
        ("while (w) { compute(w, low); w = filter(w, many); m = size(w); round = 3; }", "low"),
        ("while (w) { least = 9; compute(w, low); w = filter(w, many); seen = least; }", "low"),
        ("repeat (2) { while (w) { least = 9; compute(w, low); w = filter(w, many); } w = vertices; }", "low"),
        ("while (u) { while (w) { compute(w, low); w = filter(w, many); } u = filter(u, many) @u; }", "low"),
        (
            "while (u) { compute(u, one); while (w) { compute(w, low); w = filter(w, many); } u = filter(u, many); }",
            "one low",
        ),
        # The loop asks for something else, or counts.
        ("while (w && n < 3) { compute(w, low); w = filter(w, many); }", ""),
        ("while (w || u) { compute(w, low); w = filter(w, many); }", ""),
        ("while (u) { compute(w, low); w = filter(w, many); u = u - w; }", ""),
        ("repeat (3) { compute(w, low); w = filter(w, many); }", ""),
        ("while (w) { compute(w, asks_pass); w = filter(w, many); }", ""),
        ("while (w) { round = iteration; compute(w, asks_round); w = filter(w, many); }", ""),
        # Not the last filter, or not the first computation.
        ("while (w) { compute(w, low); w = filter(w, many); u = w; }", ""),
        ("while (w) { compute(w, low); w = advance(w, visit); }", ""),
        ("while (w) { u = w; compute(w, low); w = filter(w, many); }", ""),
        ("while (w) { compute(u, low); w = filter(w, many); }", ""),
        # What is assigned is seen elsewhere.
        ("while (w) { n = 9; compute(w, low); w = filter(w, many); }", ""),
        ("while (w) { least = 9; compute(w, low); w = filter(w, many); } seen = least;", ""),
        ("least = 1; while (w) { least = 9; compute(w, low); w = filter(w, many); }", ""),
        ("while (w) { compute(w, gives_a); w = filter(w, many); }", ""),
        # When the loop runs again, it goes on with what was assigned last.
        ("repeat (2) { while (w) { round += 1; compute(w, asks_round); w = filter(w, many); } }", ""),
        ("while (w) { round = twice(least); least = 9; compute(w, low); w = filter(w, many); }", ""),
        ("while (w) { compute(w, asks_round) @a; round = 9; compute(w, low); w = filter(w, many); }", "a"),
        ("while (w) { round = 1; round += 1; compute(w, asks_round); w = filter(w, many); }", "asks_round"),
        # An assignment of a pass that is not run stops the run.
        ("while (w) { least = out_degree(spot); compute(w, low); w = filter(w, many); }", ""),
    ],
)
def test_what_a_loop_begins_with(steps: str, group: str) -> None:
    assert found(steps) == {name: ["many"] for name in group.split()}


def test_a_set_may_have_two_filters() -> None:
    steps = "w = filter(w, many) @before; while (w) { seen = max(a, w); w = filter(w, many) @last; }"
    assert found(steps) == {"reduce_max_of_a": ["before", "last"]}


def test_there_are_not_too_many_in_a_sweep() -> None:
    steps = "".join(f"compute(w, three) @t{number};" for number in range(MOST_FOLLOWERS + 2))
    assert len(found(f"w = filter(u, many); {steps}")) == MOST_FOLLOWERS


def test_locals_keep_apart() -> None:
    before = ir_passes.apply(loaded(schedule("w = filter(u, odd); compute(w, three); compute(w, three) @again;")))
    after = followers.run(before, target.CPU)
    functor = after.vertex_functors[-1]
    names = [node.name for node in walk(functor) if isinstance(node, ir.Let)]
    assert (functor.name, names) == ("odd_three_again", ["stays", "k", "k_2", "k_3"])


@pytest.mark.parametrize("on", [target.CUDA_FUSED, target.CUDA_UNFUSED, target.CPU, target.CUDA_WORKERS])
def test_a_sample_has_a_sweep_less(on: target.Target) -> None:
    """The least degree of the next level is found by the filter that keeps who stays."""
    with_it, plain = (operation(plan_of("k_core", *words, on=on), "left") for words in ((), ("without=followers",)))
    assert (with_it.step.functor, plain.step.functor) == ("left_reduce_min_of_degree", "left")


@pytest.mark.parametrize(
    ("steps", "labels"),
    [
        ("w = filter(u, many); compute(w, low);", ["low"]),
        ("w = filter(u, many); compute(w, asks_round);", []),
        ("w = filter(u, many); compute(w, low); compute(w, asks_round);", ["low", "asks_round"]),
        ("w = filter(u, odd); compute(w, asks_round);", ["asks_round"]),
        ("while (w) { compute(w, low); w = filter(w, many); }", ["low"]),
        ("while (w) { compute(w, asks_round); w = filter(w, many); }", []),
    ],
)
def test_on_a_cpu_they_read_what_the_filter_reads(steps: str, labels: list[str]) -> None:
    """Or the filter does something else, too: one that only tests has no branches there."""
    program = ir_passes.apply(loaded(schedule(steps)))
    names = {step.site: step.label for step in all_steps(program.schedule) if isinstance(step, ir.Operator)}
    assert [names[site] for site in filters_of_followers(program, target.CPU)] == labels


def test_instances_have_none() -> None:
    before = ir_passes.apply(loaded("k_core"))
    assert followers.run(before, dataclasses.replace(target.CUDA_FUSED, instances=True)) is before


# Mutants

STRAIGHT = "w = filter(u, odd); m = 4; compute(w, three); compute(w, asks_round);"
LOOP = "while (w) { least = 9; compute(w, low); seen = least; w = filter(w, many); m = 1; }"
Change = Callable[[ir.Program], ir.Program]


def in_functor(change: Callable[[tuple[ir.Statement, ...]], tuple[ir.Statement, ...]]) -> Change:
    """Another body of the functor that the pass has written."""

    def changed(program: ir.Program) -> ir.Program:
        *others, last = program.vertex_functors
        return dataclasses.replace(
            program, vertex_functors=(*others, dataclasses.replace(last, body=change(last.body)))
        )

    return changed


def in_schedule(change: Callable[[tuple[ir.Step, ...]], tuple[ir.Step, ...]]) -> Change:
    return lambda program: dataclasses.replace(program, schedule=change(program.schedule))


def in_loop(change: Callable[[tuple[ir.Step, ...]], tuple[ir.Step, ...]]) -> Change:
    def changed(steps: tuple[ir.Step, ...]) -> tuple[ir.Step, ...]:
        return tuple(
            dataclasses.replace(each, body=change(each.body)) if isinstance(each, ir.While) else each for each in steps
        )

    return in_schedule(changed)


def unguarded(body: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
    *before, last = body
    assert isinstance(last, ir.Branch)
    return (*before, *last.then)


def otherwise(body: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
    *before, last = body
    assert isinstance(last, ir.Branch)
    return (*before, dataclasses.replace(last, then=(), otherwise=last.then))


def calls(change: Callable[[tuple[ir.Statement, ...]], tuple[ir.Statement, ...]]) -> Change:
    def changed(body: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
        *before, last = body
        assert isinstance(last, ir.Branch)
        return (*before, dataclasses.replace(last, then=change(last.then)))

    return in_functor(changed)


def accepts_all(body: tuple[ir.Statement, ...]) -> tuple[ir.Statement, ...]:
    return rewrite(
        body, lambda node: dataclasses.replace(node, value=body[0].value) if isinstance(node, ir.Accept) else node
    )  # type: ignore[attr-defined]


STRAIGHT_MUTANTS: dict[str, Change] = {
    "calls of all members": in_functor(unguarded),
    "calls of members that are not accepted": in_functor(otherwise),
    "no calls": calls(lambda body: ()),
    "one follower less": calls(lambda body: body[:1]),
    "the other order of followers": calls(lambda body: body[::-1]),
    "a follower twice": calls(lambda body: (*body, *body[-1:])),
    "no condition": calls(lambda body: (*body[0].then, *body[1:])),  # type: ignore[attr-defined]
    "all are accepted": in_functor(accepts_all),
    "a statement less": in_functor(lambda body: (body[0], *body[2:])),
    "begins with no": in_functor(
        lambda body: (dataclasses.replace(body[0], value=dataclasses.replace(body[0].value, value=False)), *body[1:])  # type: ignore[attr-defined,call-arg]
    ),
    "the follower is left there": in_schedule(
        lambda steps: (
            *steps,
            dataclasses.replace(next(each for each in all_steps(steps) if isinstance(each, ir.Filter)), result="u"),
        )
    ),
    "an assignment less": in_schedule(
        lambda steps: tuple(each for each in steps if not isinstance(each, ir.StoreScalar))
    ),
    "another set": in_schedule(
        lambda steps: tuple(
            dataclasses.replace(each, result="u") if isinstance(each, ir.Filter) else each for each in steps
        )
    ),
}
LOOP_MUTANTS: dict[str, Change] = {
    "nothing before the loop": in_schedule(
        lambda steps: tuple(each for each in steps if not isinstance(each, ir.Compute))
    ),
    "nothing is assigned before the loop": in_schedule(
        lambda steps: tuple(each for each in steps if not isinstance(each, ir.StoreScalar))
    ),
    "nothing is assigned in the loop": in_loop(
        lambda body: tuple(e for e in body if getattr(e, "scalar", "") != "least")
    ),
    "assigned behind the filter": in_loop(
        lambda body: (
            *(each for each in body if getattr(each, "scalar", "") != "least"),
            *(each for each in body if getattr(each, "scalar", "") == "least"),
        )
    ),
    "read behind the filter": in_loop(lambda body: (*body[1:], body[0])),
    "not in the filter": lambda program: rewrite(
        program, lambda node: dataclasses.replace(node, functor="many") if isinstance(node, ir.Filter) else node
    ),
}


@pytest.mark.parametrize(
    ("steps", "what"), [(STRAIGHT, each) for each in STRAIGHT_MUTANTS] + [(LOOP, each) for each in LOOP_MUTANTS]
)
def test_the_verifier_notices_wrong_followers(steps: str, what: str) -> None:
    before = ir_passes.apply(loaded(schedule(steps)))
    after = followers.run(before, target.CUDA_FUSED)
    verify_followers(before, after)
    wrong = {**STRAIGHT_MUTANTS, **LOOP_MUTANTS}[what](after)
    assert wrong != after
    with pytest.raises(verifier.VerificationError):
        verify_followers(before, wrong)


@pytest.mark.parametrize(
    ("check", "steps"),
    [
        ("_are_apart", "w = filter(u, many); compute(w, gives_a);"),
        ("_are_apart", "w = filter(u, odd); compute(w, counts);"),
        ("_are_apart", "w = filter(u, many); compute(w, slots); compute(w, slots) @again;"),
        ("_meet", "w = filter(u, many); least = 9; m = size(w); compute(w, low);"),
        ("_meet", "w = filter(u, odd); round = int32(n); compute(w, asks_round);"),
        ("_is_used_outside", "while (w) { least = 9; compute(w, low); w = filter(w, many); } seen = least;"),
        ("_is_used_outside", "while (w) { n = 9; compute(w, low); w = filter(w, many); }"),
        ("_is_carried", "while (w) { round += 1; compute(w, asks_round); w = filter(w, many); }"),
        ("_is_carried", "while (w) { round = twice(least); least = 9; compute(w, low); w = filter(w, many); }"),
        ("_is_carried", "while (w) { compute(w, asks_round) @a; round = 9; compute(w, low); w = filter(w, many); }"),
    ],
)
def test_the_verifier_notices_followers_that_must_not_be(
    monkeypatch: pytest.MonkeyPatch, check: str, steps: str
) -> None:
    monkeypatch.setattr(followers._Writer, check, lambda *_: check == "_are_apart")
    before = ir_passes.apply(loaded(schedule(steps)))
    after = followers.run(before, target.CUDA_FUSED)
    assert after is not before
    with pytest.raises(verifier.VerificationError):
        verify_followers(before, after)


def test_the_verifier_notices_assignments_that_stop_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = "while (w) { least = out_degree(spot); compute(w, low); w = filter(w, many); }"
    before = ir_passes.apply(loaded(schedule(steps)))
    with monkeypatch.context() as patched:
        patched.setattr(followers, "may_stop", lambda _: False)
        after = followers.run(before, target.CUDA_FUSED)
    assert after is not before
    with pytest.raises(verifier.VerificationError):
        verify_followers(before, after)


def test_the_verifier_notices_the_number_of_another_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    before = ir_passes.apply(loaded(schedule("while (w) { compute(w, asks_pass); w = filter(w, many); }")))
    with monkeypatch.context() as patched:
        patched.setattr(followers.ir, "Iteration", ir.Break)
        after = followers.run(before, target.CUDA_FUSED)
    assert after is not before
    with pytest.raises(verifier.VerificationError):
        verify_followers(before, after)
