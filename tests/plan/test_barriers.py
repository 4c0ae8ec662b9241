"""Where barriers stand, and that there is one wherever two steps would meet."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from gdsl.effects.access import Access, Accesses, Who
from gdsl.plan import target
from gdsl.plan.functor_facts import touched_by
from gdsl.plan.fusion import flattened
from gdsl.plan.nodes import (
    Barrier,
    Branch,
    Copy,
    Define,
    Initialize,
    Loop,
    Operation,
    Plan,
    Privatize,
    Rotate,
    Step,
    StorePrivate,
    Swap,
    Sweep,
    WriteBack,
)
from gdsl.plan.walking import steps_in

from .planning import fused, kinds, plan_of

HEAD = "program p; problem { scalar n : int64; scalar m : int64; vertex a : int32; vertex b : int32; }"


def body_of(text: str) -> tuple[Step, ...]:
    *_, loop = (step for step in fused(plan_of(text)) if isinstance(step, Loop))
    return loop.body


def test_pagerank() -> None:
    """`error` was read by the loop's condition, and `dangling` by the last pass: both are elsewhere in this one. What
    comes behind the reduction runs in its sweep, which ends with a barrier, the only one of a pass."""
    body = body_of("pagerank")
    assert kinds(body) == ["Rotate", "Rotate", "Operation", "Swap", "Swap", "StorePrivate"]
    assert [step.waits for step in body if isinstance(step, Operation)] == [True]


LEVELS = """program p;
problem {{ param source : vertex; vertex a : int32; vertex b : int32; vertex depth : int32 = -1; }}
edge functor reach(src, dst, e) {{ cond depth[dst] == -1; apply {{ depth[dst] = iteration; }} }}
edge functor of_a(src, dst, e) -> int32 {{ value a[src]; }}
schedule {{ frontier f = {{ source }}; while (f) {{ {steps} }} }}"""
REDUCE = "b = neighbor_reduce(f, of_a, sum, over=in_edges);"


@pytest.mark.parametrize(
    ("steps", "open_ended", "between"),
    [
        (f"f = advance(f, reach); {REDUCE} swap(a, b);", [True], 0),
        (f"f = advance(f, reach); {REDUCE} compute(f, v => {{ a[v] = b[v]; }});", [False], 0),
        ("f = advance(f, reach); a = neighbor_reduce(f, of_a, sum, over=in_edges);", [False], 0),
        (f"f = advance(f, reach); {REDUCE} b = neighbor_reduce(f, of_a, max, over=in_edges);", [True, True], 1),
        (f"{REDUCE} swap(a, b); f = advance(f, reach) @other; {REDUCE} swap(a, b);", [True, True], 1),
    ],
    ids=["two arrays", "met by a sweep", "what it reads", "two counts", "the advance between"],
)
def test_a_reduction_waits_where_something_meets_it_before_the_next_barrier(
    steps: str, open_ended: list[bool], between: int
) -> None:
    """Where a barrier stands behind it in any case it is its own, and where its results stand aside it has one within.
    Between two there is a barrier, as the trace is told of one at a time."""
    body = body_of(LEVELS.format(steps=steps))
    reductions = [step for step in body if isinstance(step, Operation) and "reduce" in step.name]
    found = [not step.meets_barrier for step in reductions]
    assert (found, kinds(body).count("Barrier")) == (open_ended, between)


def test_what_steers_a_loop_each_thread_keeps() -> None:
    """Where a condition within a loop reads it, and nobody but the schedule stores it."""

    def kept(condition: str, functor: str = "b[v] = int32(m);") -> list[str]:
        text = f"""{HEAD} vertex functor f(v) {{ apply {{ {functor} }} }}
            schedule {{ m = 5; while (iteration < 9) {{ if ({condition}) {{ compute(vertices, f); }} }} }}"""
        return [name for step in fused(plan_of(text)) if isinstance(step, Privatize) for name in step.scalars]

    assert kept("iteration < m") == ["m"]
    assert kept("iteration < 4") == []
    assert kept("iteration < m", "m += 1;") == []


def test_a_frontier_that_only_lives_in_registers_needs_no_barrier() -> None:
    plan = plan_of("bfs")
    assert kinds(fused(plan)) == ["Initialize", "Leader", "Define", "Loop"]
    assert kinds(body_of("bfs")) == ["Operation"]


def test_an_operator_waits_until_all_have_read_what_it_adds_to() -> None:
    text = f"""{HEAD} vertex functor f(v) {{ apply {{ n += 1; }} }}
        schedule {{ while (n < 100) {{ compute(vertices, f); }} }}"""
    assert kinds(body_of(text)) == ["Barrier", "Operation", "Barrier"]


def test_a_scalar_stored_at_the_end_of_a_pass_is_seen_by_the_next_test() -> None:
    """By each thread, which has stored it itself, or, where operators write it, by way of a barrier."""
    stored = body_of(f"{HEAD} schedule {{ while (n < 3) {{ n = n + 1; }} }}")
    assert kinds(stored) == ["StorePrivate", "Barrier"] and "stopped" in repr(stored[-1])
    text = f"""{HEAD} vertex functor f(v) {{ apply {{ n += 1; }} }}
        schedule {{ while (n < 3) {{ compute(vertices, f); n = n + 1; }} }}"""
    assert kinds(body_of(text)) == ["Barrier", "Operation", "Barrier", "Leader", "Barrier"]


STARTED = (
    HEAD.replace("vertex b", "vertex depth")
    + """
edge functor reach(src, dst, e) { cond depth[dst] == -1; apply { depth[dst] = iteration; } }
schedule {
    frontier f = vertices;
    compute(vertices, v => { depth[v] = a[v] - 1; });
    while (f) { f = advance(f, reach); compute(f, v => { a[v] = 1; }); }
}"""
)


@pytest.mark.parametrize(("written", "kind"), [("a", "Operation"), ("depth", "Barrier")])
def test_what_only_the_first_pass_waits_for_is_waited_for_before_the_loop(written: str, kind: str) -> None:
    """What each pass leaves is waited for in each."""
    *_, before, loop = fused(plan_of(STARTED.replace("{ a[v] = 1; }", f"{{ {written}[v] = 1; }}")))
    assert isinstance(loop, Loop)
    assert isinstance(before, Barrier) == (kind == "Operation")
    assert kinds(loop.body[:1]) == [kind]


def test_the_reason_is_said() -> None:
    (_, barrier, *_) = body_of(f"{HEAD} schedule {{ while (m < 3) {{ swap(n, m); n = n + 1; }} }}")
    assert isinstance(barrier, Barrier)
    assert barrier.reason == "n: any thread may have read it, then the leader may write it"


def test_names_go_with_what_is_swapped() -> None:
    """After the swap `n` is what was written as `m`."""
    text = f"{HEAD} schedule {{ repeat (2) {{ m = 5; swap(n, m); if (n > 3) {{ fill(a, 1); }} }} }}"
    assert kinds(body_of(text))[:3] == ["Leader", "Swap", "Barrier"]
    other = f"{HEAD} schedule {{ repeat (2) {{ m = 5; swap(n, m); if (m > 3) {{ fill(a, 1); }} }} }}"
    assert kinds(body_of(other))[:3] == ["Leader", "Swap", "Branch"]


def test_storage_wanders_through_a_row_of_swaps() -> None:
    names = [f"a{i}" for i in range(60)]
    data = "; ".join(f"vertex {name} : int32" for name in names)
    row = " ".join(f"swap({one}, {other});" for one, other in itertools.pairwise(names))
    text = f"""program p; problem {{ {data}; }}
        vertex functor f(v) {{ apply {{ a59[0] min= 1; }} }}
        schedule {{ repeat (99) {{ fill(a0, 1); {row} compute(vertices, f); }} }}"""
    *_, barrier, operation = body_of(text)
    assert isinstance(barrier, Barrier) and isinstance(operation, Operation)
    assert barrier.reason.startswith("a59: its own thread wrote it")


def test_every_pass_meets_a_barrier() -> None:
    """Otherwise nothing could stop the run."""
    for body in ("fill(a, 1);", "if (n > 3) { w = { 1 }; }", "compute(vertices, own);", "repeat (n) { w = { 1 }; }"):
        text = f"""{HEAD} vertex functor own(v) {{ apply {{ a[v] += 1; }} }}
            schedule {{ frontier w; repeat (9) {{ {body} }} }}"""
        *_, last = body_of(text)
        assert isinstance(last, Barrier) and "stopped" in last.reason, body
    text = f"{HEAD} schedule {{ frontier w; repeat (9) {{ if (n > 3) {{ w = {{ 1 }}; }} else {{ w = {{ 2 }}; }} }} }}"
    assert kinds(body_of(text)) == ["Branch"]


OWN = f"""{HEAD} vertex functor one(v) {{ apply {{ a[v] += 1; }} }}
    vertex functor two(v) {{ apply {{ b[v] += a[v]; }} }}
    vertex functor first(v) {{ apply {{ b[v] = a[0]; }} }}
    vertex functor around(v) {{ apply {{ for u in neighbors(v) {{ b[v] += a[u]; }} }} }}
    edge functor given(src, dst, e) -> int32 {{ value a[dst]; }}
    edge functor id_of(src, dst, e) -> int32 {{ value int32(src); }}"""


@pytest.mark.parametrize(
    ("steps", "between"),
    [
        ("compute(w, one); fill(b, 3); compute(w, two);", True),
        ("compute(vertices, one); fill(b, 3); compute(vertices, two);", False),
        ("fill(a, 3); compute(vertices, two);", False),
        ("compute(vertices, one); fill(a, 3);", False),
        ("a = neighbor_reduce(w, given, sum); compute(w, two);", False),
        ("a = neighbor_reduce(vertices, given, sum); compute(vertices, two);", False),
        # Other threads have these vertices, or other elements are looked at.
        ("compute(w, one); compute(vertices, two);", True),
        ("compute(w, one); compute(x, two);", True),
        ("fill(a, 3); compute(w, two);", True),
        ("compute(w, one); compute(w, first);", True),
        ("compute(w, one); compute(w, around);", True),
        ("compute(w, first); compute(w, one);", True),
        ("a = neighbor_reduce(w, given, sum); compute(x, two);", True),
        ("a = neighbor_reduce(w, given, sum); a = neighbor_reduce(w, given, sum);", True),
        ("compute(w, one); b = neighbor_reduce(w, given, sum);", True),
        ("compute(w, one); a = neighbor_reduce(w, given, sum);", True),
        # What the first wrote nobody looks at.
        ("compute(w, one); b = neighbor_reduce(w, id_of, sum);", False),
    ],
)
def test_what_a_vertex_has_is_its_thread_s(steps: str, between: bool) -> None:
    found = kinds(fused(plan_of(f"{OWN} schedule {{ frontier w = {{ 1, 2 }}; frontier x = {{ 2, 1 }}; {steps} }}")))
    assert ("Barrier" in found[3:]) == between


def test_levels_are_not_written_over_while_they_are_gone_through() -> None:
    """Not even where the steps of a pass need no barrier among themselves."""
    text = f"""{HEAD} vertex functor one(v) {{ apply {{ a[v] += 1; }} }}
        schedule {{ frontier w = {{ 1, 2 }}; repeat (3) {{ history h; h.push(w); for g in forward(h) {{
            compute(g, one); }} }} }}"""
    assert kinds(body_of(text)) == ["Barrier", "Leader", "OnSets", "Barrier", "Loop"]


def test_a_push_waits_for_nobody() -> None:
    text = f"""{HEAD} vertex functor one(v) {{ apply {{ a[v] += 1; }} }}
        schedule {{ history h; frontier w = {{ 1, 2 }}; repeat (3) {{ h.push(w); w = filter(w, some); }} }}
        vertex functor some(v) {{ cond a[v] > 0; }}"""
    assert kinds(body_of(text)) == ["OnSets", "Operation"]


def test_an_element_each_is_nobody_else_s() -> None:
    assert kinds(fused(plan_of(f"{HEAD} schedule {{ fill(a, 1); fill(a, 2); }}"))) == ["Initialize", "Fill", "Fill"]
    mixed = fused(plan_of(f"{HEAD} schedule {{ fill(a, 1); a[0] = 2; }}"))
    assert kinds(mixed) == ["Initialize", "Fill", "Barrier", "Leader"]


def test_a_name_for_the_graph_around_is_no_barrier() -> None:
    """Each pass stores `n`, which slower threads may still read in the test that ended the inner loop."""
    text = f"""{HEAD} schedule {{ repeat (2) {{
        graph h; n = 1; m = 0; compute(vertices, v => {{ a[v] += 1; m += a[v]; }}) @one;
        while (n > 0) {{ on h {{ n = 0; compute(vertices, v => {{ if (a[v] % 3 > 0) {{ n += 1; }} }}) @two; }} }}
    }} }}"""
    assert kinds(body_of(text))[:4] == ["MakeGraph", "Barrier", "Leader", "Leader"]


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
                "compute(w, f);",
                "compute(w, g);",
                "compute(w, h);",
                "a = neighbor_reduce(w, given, sum);",
                "b = neighbor_reduce(vertices, given, sum);",
                "w = { vertex(n) };",
                "t = 3;",
                f"o = {chosen.choice(('o', 't', scalar))} + 1;",
                "compute(vertices, l);",
                "compute(vertices, k);",
                "compute(w, k);",
            ]
            if depth > 0 and chosen.random() < 0.4:
                asked = chosen.choice((scalar, "t", "o"))
                head = chosen.choice([f"while ({asked} < 3)", f"repeat ({asked})", f"if ({asked} > 1)"])
                yield f"{head} {{ {' '.join(block(depth - 1))} }}"
            else:
                yield chosen.choice(simple)

    functors = """vertex functor f(v) { cond a[v] > 0; apply { n += 1; } }
        vertex functor g(v) { apply { b[v] = int32(m); } }
        vertex functor h(v) { apply { a[v] = b[0]; } }
        vertex functor k(v) { cond a[v] > 0; apply { t += 1; } }
        vertex functor l(v) { apply { a[v] = int32(o); } }
        edge functor given(src, dst, e) -> int32 { value a[dst]; }"""
    return (
        f"{HEAD[:-1]} scalar t : int64; scalar o : int64; }} {functors} schedule {{ frontier w; {' '.join(block(3))} }}"
    )


class Walker:
    """Goes one way through the steps of a launch, a random one, and sees what meets."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self.accesses, self.random = Accesses(plan.program), random.Random(seed)
        self.place = {name: name for name in "nmab"} | {"t": "t0"}
        self.turned = 0
        """Where `t` lies, of three places."""
        self.members = itertools.count()
        self.of: dict[str, int] = {}
        """By frontier what it has now."""
        self.since: list[tuple[str, bool, Who, int]] = []

    def touch(self, found: object) -> None:
        new = [
            (self.place.get(each.name, each.name), each.writes, each.who, self.of.get(each.frontier, -1))
            for each in found  # type: ignore[attr-defined]
        ]
        for name, writes, *who in new:
            for other, wrote, *by in self.since:
                apart = who == by and who[0] is not Who.ANYBODY
                assert apart or name != other or not (writes or wrote), (name, who, by)
        self.since += new

    def operate(self, step: Operation) -> None:
        together = flattened(step)
        if step.waits:
            self.touch(frozenset().union(*(self.accesses.of_step(each.step) for each in together)))
            self.since = []
            return
        found = [touched_by(each.step, each.does, self.accesses) for each in together if isinstance(each.does, Sweep)]
        self.touch(frozenset().union(*(touched.first for touched in found)))
        if found[0].waits:
            assert len(found) == 1
            self.since = []
            self.touch(found[0].last)

    def turn(self) -> None:
        self.touch([Access(f"t{(self.turned + 2) % 3}", True, Who.LEADER)])
        self.turned = (self.turned + 1) % 3
        self.place["t"] = f"t{self.turned}"

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
            elif isinstance(step, Operation):
                self.operate(step)
            elif isinstance(step, Rotate):
                self.turn()
            elif isinstance(step, Privatize):
                self.touch(Access(name, False, Who.ANYBODY) for name in step.scalars)
            elif isinstance(step, StorePrivate):
                self.touch(self.accesses.of_expression(step.step.value, Who.ANYBODY))
            elif isinstance(step, WriteBack):
                self.touch([Access("t", False, Who.LEADER)] if step.rotating else [])
                self.touch([Access("t0", True, Who.LEADER)] if step.rotating and self.turned else [])
                self.touch(Access(name, True, Who.LEADER) for name in step.private)
            elif not isinstance(step, Initialize):
                self.touch(self.accesses.of_step(step.step))  # type: ignore[union-attr]
                if isinstance(step, (Define, Copy)):
                    self.since = []
                    self.of[step.step.name] = next(self.members)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.sampled(15)
def test_nothing_meets_on_any_way(seed: int) -> None:
    plan = plan_of(random_schedule(seed))
    for way in range(20):
        Walker(plan, way).go(fused(plan))


def test_launches_wait_for_each_other_anyway() -> None:
    plan = plan_of(random_schedule(1), on=target.CUDA_UNFUSED)
    assert not any(isinstance(step, Barrier) for step in steps_in(plan.schedule))
