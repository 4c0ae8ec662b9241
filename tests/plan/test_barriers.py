"""Where barriers stand, and that there is one wherever two steps would meet."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from gdsl.effects.access import Accesses, Who
from gdsl.plan import target
from gdsl.plan.nodes import Barrier, Branch, Copy, Define, Initialise, Loop, Operation, Plan, Step, Swap

from .planning import fused, kinds, plan_of

HEAD = "program p; problem { scalar n : int64; scalar m : int64; vertex a : int32; vertex b : int32; }"


def body_of(text: str) -> tuple[Step, ...]:
    loop = fused(plan_of(text))[-1]
    assert isinstance(loop, Loop)
    return loop.body


def test_pagerank() -> None:
    """`error` was read by the loop's condition, so it is stored only when all have read it; nobody asks for it before
    a reduction has ended, so that no barrier stands before that."""
    expected = ["Leader", "Barrier", "Leader", "Operation", "Operation", "Operation", "Swap"]
    assert kinds(body_of("pagerank")) == expected


def test_a_frontier_that_only_lives_in_registers_needs_no_barrier() -> None:
    plan = plan_of("bfs")
    assert kinds(fused(plan)) == ["Initialise", "Leader", "Define", "Loop"]
    assert kinds(body_of("bfs")) == ["Operation"]


def test_an_operator_waits_until_all_have_read_what_it_adds_to() -> None:
    text = f"""{HEAD} vertex functor f(v) {{ apply {{ n += 1; }} }}
        schedule {{ while (n < 100) {{ compute(vertices, f); }} }}"""
    assert kinds(body_of(text)) == ["Barrier", "Operation"]


def test_a_scalar_stored_at_the_end_of_a_pass_is_seen_by_the_next_test() -> None:
    assert kinds(body_of(f"{HEAD} schedule {{ while (n < 3) {{ n = n + 1; }} }}")) == ["Barrier", "Leader", "Barrier"]


def test_the_reason_is_said() -> None:
    (barrier, *_) = body_of(f"{HEAD} schedule {{ while (n < 3) {{ n = n + 1; }} }}")
    assert isinstance(barrier, Barrier)
    assert barrier.reason == "n: any thread may have read it, then the leader may write it"


def test_names_go_with_what_is_swapped() -> None:
    """After the swap `n` is what was written as `m`."""
    text = f"{HEAD} schedule {{ repeat (2) {{ m = 5; swap(n, m); if (n > 3) {{ fill(a, 1); }} }} }}"
    assert kinds(body_of(text))[:3] == ["Leader", "Swap", "Barrier"]
    other = f"{HEAD} schedule {{ repeat (2) {{ m = 5; swap(n, m); if (m > 3) {{ fill(a, 1); }} }} }}"
    assert kinds(body_of(other))[1:4] == ["Leader", "Swap", "Branch"]


def test_storage_wanders_through_a_row_of_swaps() -> None:
    names = [f"a{i}" for i in range(60)]
    data = "; ".join(f"vertex {name} : int32" for name in names)
    row = " ".join(f"swap({one}, {other});" for one, other in reversed(list(itertools.pairwise(names))))
    text = f"""program p; problem {{ {data}; }}
        vertex functor f(v) {{ apply {{ a59[v] += 1; }} }}
        schedule {{ repeat (99) {{ {row} fill(a0, 1); }} compute(vertices, f); }}"""
    loop, barrier, _ = plan_of(text).schedule[0].steps[-3:]  # type: ignore[union-attr]
    assert isinstance(loop, Loop) and isinstance(barrier, Barrier)
    assert barrier.reason.startswith("a59: its own thread wrote it")


def test_an_element_each_is_nobody_else_s() -> None:
    assert kinds(fused(plan_of(f"{HEAD} schedule {{ fill(a, 1); fill(a, 2); }}"))) == ["Initialise", "Fill", "Fill"]
    mixed = fused(plan_of(f"{HEAD} schedule {{ fill(a, 1); a[0] = 2; }}"))
    assert kinds(mixed) == ["Initialise", "Fill", "Barrier", "Leader"]


def test_loops_in_loops_without_end_are_placed_in_no_time() -> None:
    depth = 40
    text = f"{HEAD} schedule {{ {'repeat (1) { n = m; ' * depth} m = n; {'}' * depth} }}"
    assert plan_of(text).schedule


# The same by running: every way through a schedule, with everything that was done since the last barrier kept


def random_schedule(seed: int) -> str:
    chosen = random.Random(seed)

    def block(depth: int) -> Iterator[str]:
        for _ in range(chosen.randint(1, 4)):
            scalar, array, other = chosen.choice("nm"), chosen.choice("ab"), chosen.choice("nm")
            simple = [
                f"{scalar} = {other} + 1;",
                f"{array}[0] = 3;",
                f"fill({array}, int32({scalar}));",
                "swap(n, m);",
                "swap(a, b);",
                "compute(vertices, f);",
                "compute(vertices, g);",
                "w = { vertex(n) };",
            ]
            if depth > 0 and chosen.random() < 0.4:
                head = chosen.choice([f"while ({scalar} < 3)", f"repeat ({scalar})", f"if ({scalar} > 1)"])
                yield f"{head} {{ {' '.join(block(depth - 1))} }}"
            else:
                yield chosen.choice(simple)

    functors = """vertex functor f(v) { cond a[v] > 0; apply { n += 1; } }
        vertex functor g(v) { apply { b[v] = int32(m); } }"""
    return f"{HEAD} {functors} schedule {{ frontier w; {' '.join(block(3))} }}"


class Walker:
    """Goes one way through the steps of a launch, a random one, and sees what meets."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self.accesses, self.random = Accesses(plan.program), random.Random(seed)
        self.place = {name: name for name in "nmab"}
        self.since: list[tuple[str, bool, Who]] = []

    def touch(self, found: object) -> None:
        new = [(self.place[each.name], each.writes, each.who) for each in found]  # type: ignore[attr-defined]
        for name, writes, who in new:
            for other, wrote, by in self.since:
                apart = who is by and who is not Who.ANYBODY
                assert apart or name != other or not (writes or wrote), (name, who, by)
        self.since += new

    def go(self, steps: tuple[Step, ...]) -> None:
        for step in steps:
            if isinstance(step, Barrier):
                self.since = []
            elif isinstance(step, Swap):
                first, second = step.step.first, step.step.second
                self.place[first], self.place[second] = self.place[second], self.place[first]
            elif isinstance(step, Loop):
                self.touch(self.accesses.of_expression(step.condition, Who.ANYBODY))
                for _ in range(self.random.randrange(4)):
                    self.go(step.body)
                    if not step.counted:
                        self.touch(self.accesses.of_expression(step.condition, Who.ANYBODY))
            elif isinstance(step, Branch):
                self.touch(self.accesses.of_expression(step.condition, Who.ANYBODY))
                self.go(self.random.choice((step.then, step.otherwise)))
            elif not isinstance(step, Initialise):
                self.touch(self.accesses.of_step(step.step))  # type: ignore[union-attr]
                if isinstance(step, (Operation, Define, Copy)):
                    self.since = []


@pytest.mark.parametrize("seed", range(60))
def test_nothing_meets_on_any_way(seed: int) -> None:
    plan = plan_of(random_schedule(seed))
    for way in range(20):
        Walker(plan, way).go(fused(plan))


def test_launches_wait_for_each_other_anyway() -> None:
    plan = plan_of(random_schedule(1), on=target.CUDA_UNFUSED)
    assert "Barrier" not in repr(plan.schedule)
