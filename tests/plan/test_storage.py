"""Which frontiers share storage: those of one domain of which never two are needed at once."""

from __future__ import annotations

import dataclasses
import itertools
import random

import pytest

from gdsl.effects.access import frontiers_of, measured_frontiers
from gdsl.ir import nodes as ir
from gdsl.ir.verifier import VerificationError
from gdsl.operations import Domain
from gdsl.plan import target
from gdsl.plan.nodes import Plan
from gdsl.plan.printer import print_plan
from gdsl.plan.verifier import verify
from gdsl.plan.verifier_storage import verify_slots

from .planning import plan_of

TARGETS = (target.CUDA_FUSED, target.CUDA_UNFUSED, target.CPU)
HEAD = """program p;
problem { param source : vertex; scalar last : int64; }
edge functor step(src, dst, e) { }
vertex functor odd(v) { cond int32(v) % 2 == 1; }
vertex functor look(v) { apply { last += 1; } }
schedule {
"""


def shared(schedule: str, on: target.Target = target.CUDA_FUSED) -> set[str]:
    """The frontiers that lie in one slot, as words."""
    groups: dict[tuple[Domain, int], list[str]] = {}
    for frontier in plan_of(f"{HEAD}{schedule}\n}}\n", on=on).frontiers:
        groups.setdefault((frontier.domain, frontier.slot), []).append(frontier.name)
    return {" ".join(names) for names in groups.values()}


DECISIONS = {
    "one after the other": (
        "frontier f = { source }; last = size(f); frontier g = where(odd); last = size(g);",
        {"f g"},
    ),
    "both at the end": ("frontier f = { source }; frontier g = where(odd); last = size(f) + size(g);", {"f", "g"}),
    "a result in the place of what it is made from": (
        "frontier f = { source }; frontier g = advance(f, step); compute(g, look);",
        {"f g"},
    ),
    "a copy": ("frontier f = { source }; frontier g = f; compute(g, look);", {"f g"}),
    "a copy beside what it is of": (
        "frontier f = { source }; frontier g = f; f = advance(f, step); last = size(f) + size(g);",
        {"f", "g"},
    ),
    "never asked for, but made while another is needed": (
        "frontier f = { source }; frontier g = where(odd); last = size(f);",
        {"f", "g"},
    ),
    "never needed at all": ("frontier f = { source }; frontier g = where(odd);", {"f g"}),
    "made anew after a pause": (
        "frontier f = { source }; last = size(f); frontier g = where(odd); last = size(g); f = { 1 }; last = size(f);",
        {"f g"},
    ),
    "needed in the next pass": (
        "frontier f = { source }; repeat (3) { last += size(f); frontier g = where(odd); f = filter(g, odd); }",
        {"f g"},
    ),
    "needed behind the loop": (
        "frontier f = { source }; repeat (3) { frontier g = where(odd); last += size(g); } last += size(f);",
        {"f", "g"},
    ),
    "asked for at the head of the loop alone": (
        "frontier f = { source }; while (f) { frontier g = where(odd); last += size(g); f = g; }",
        {"f g"},
    ),
    "by its condition across the loop": (
        "frontier f = { source }; frontier g; while (f && last < 9) { g = where(odd); last += size(g); }",
        {"f", "g"},
    ),
    "by its count once": (
        "frontier f = { source }; repeat (size(f)) { frontier g = where(odd); last += size(g); }",
        {"f g"},
    ),
    "by the condition of a branch": (
        "frontier f = { source }; frontier g = where(odd); if (f) { last = size(g); }",
        {"f", "g"},
    ),
    "in one block each": (
        "if (last > 0) { frontier f = where(odd); compute(f, look); } else { frontier g = { 1 }; compute(g, look); }",
        {"f g"},
    ),
    "made on one path, needed behind both": (
        "frontier f; if (last > 0) { f = { 1 }; } frontier g = where(odd); last = size(g); last = size(f);",
        {"f", "g"},
    ),
    "made on both paths": (
        """frontier f = { 3 }; last = size(f); frontier g = where(odd); last += size(g);
        if (last > 0) { f = { 1 }; } else { f = { 2 }; } last = size(f);""",
        {"f g"},
    ),
    "made on one of the paths only": (
        """frontier f = { 3 }; last = size(f); frontier g = where(odd); last += size(g);
        if (last > 0) { f = { 1 }; } last = size(f);""",
        {"f", "g"},
    ),
    "made in a loop that may have no pass": (
        """frontier f = { 3 }; frontier g = where(odd); last += size(g);
        repeat (last) { f = { 1 }; } last = size(f);""",
        {"f", "g"},
    ),
    "across the inner loop for the outer one": (
        """frontier f = { source }; repeat (3) { f = advance(f, step);
        repeat (2) { frontier g = where(odd); repeat (2) { frontier h = advance(g, step); g = h; } last += size(g); }
        }""",
        {"f", "g h"},
    ),
    "made early, needed late": (
        """frontier f = { source }; frontier g = where(odd); last = size(g); frontier h = where(odd); last = size(h);
        last = size(f);""",
        {"f", "g h"},
    ),
    "by the members of a set": (
        "frontier f = where(odd); frontier g = { vertex(size(f)) }; last = size(g);",
        {"f g"},
    ),
    "each domain its own": (
        """frontier f = { source }; edge frontier a = advance(f, step, to=edges); edge frontier b = filter(a, step);
        frontier g = advance(b, step); last = size(g);""",
        {"f far_ends_1 g", "a b"},
    ),
    # The queue of what was asked by marks is still read for these to be taken out.
    "what was taken away": (
        "frontier f = where(odd); frontier g = { source }; frontier h = f - g; compute(h, look);",
        {"f h", "g"},
    ),
    "what was united": (
        "frontier f = where(odd); frontier g = { source }; g = f - g; frontier h = f | g; compute(h, look);",
        {"f h", "g"},
    ),
}


@pytest.mark.parametrize("case", DECISIONS)
def test_decisions(case: str) -> None:
    schedule, groups = DECISIONS[case]
    assert shared(schedule) == groups
    assert shared(schedule, target.CUDA_UNFUSED) == groups


def test_where_no_marks_are_taken_out_a_result_may_lie_where_they_were() -> None:
    schedule = "frontier f = where(odd); frontier g = { source }; frontier h = f - g; last = size(h) + size(f);"
    assert shared(schedule) == {"f", "g", "h"}
    assert shared(schedule, target.CPU) == {"f", "g h"}


def test_who_shares_with_whom_is_printed() -> None:
    text = HEAD + "frontier f = { source }; frontier g = advance(f, step); frontier h = g; last = size(h); }"
    printed = print_plan(plan_of(text))
    assert "    f: vertices, slot 0, shared by g, h\n" in printed
    assert "    g: vertices, slot 0, that of f\n" in printed
    assert "    a spare one, slot 1\n" in printed


def test_deep_nests_take_no_time_of_their_own() -> None:
    """Each loop within another doubles nothing; what the parser allows is decided at once."""
    depth = 24
    head = "".join(f"frontier f{i} = {{ {i} }}; while (f{i}) {{ " for i in range(depth))
    tail = "".join(f"f{i} = filter(f{i}, odd); }} " for i in reversed(range(depth)))
    plan = plan_of(f"{HEAD}{head} last += 1; {tail} }}")
    assert plan.slots(Domain.VERTEX) == depth + 1


# ---------------------------------------------------------------- the verifier


def moved(plan: Plan, name: str, slot: int) -> Plan:
    changed = (dataclasses.replace(each, slot=slot) if each.name == name else each for each in plan.frontiers)
    return dataclasses.replace(plan, frontiers=tuple(changed))


def lies_wrongly(plan: Plan) -> bool:
    """Whether a frontier is found in the place of one that is needed."""
    try:
        verify_slots(plan)
    except VerificationError:
        return True
    return False


@pytest.mark.parametrize("case", DECISIONS)
def test_a_slot_that_there_is_not_is_refused(case: str) -> None:
    for on in TARGETS:
        plan = plan_of(f"{HEAD}{DECISIONS[case][0]}\n}}\n", on=on)
        for frontier in plan.frontiers:
            beyond = () if on.allocates_itself else (plan.slots(frontier.domain) + 1,)
            for slot in (-1, *beyond):
                with pytest.raises(VerificationError):
                    verify(moved(plan, frontier.name, slot))


NAMES = ("f", "g", "h", "k")


def random_steps(source: random.Random, depth: int) -> str:
    return " ".join(random_step(source, depth) for _ in range(source.randint(1, 5)))


def random_step(source: random.Random, depth: int) -> str:
    a, b, c = (source.choice(NAMES) for _ in range(3))
    if depth and source.random() < 0.4:
        inner = random_steps(source, depth - 1)
        heads = (f"while ({a})", f"repeat (size({a}))", "repeat (2)", f"if ({a})")
        other = f" else {{ {random_steps(source, depth - 1)} }}" if source.random() < 0.5 else ""
        head = source.choice(heads)
        return f"{head} {{ {inner} }}{other if head.startswith('if') else ''}"
    choices = (
        f"{a} = {{ {source.randint(0, 9)} }};",
        f"{a} = {b};",
        f"{a} = advance({b}, step);",
        f"{a} = {b} {source.choice('|&-')} {c};",
        f"last += size({a});",
    )
    return source.choice(choices)


class SingleSteps:
    """The graph of the single steps of a schedule, which sets each of them asks for, makes and holds beside these."""

    def __init__(self) -> None:
        self.asked: list[set[str]] = []
        self.made: list[set[str]] = []
        self.held: list[set[str]] = []
        self.follow: list[set[int]] = []
        """The steps that may come next."""

    def add(self, asks: tuple[str, ...], makes: tuple[str, ...], ends: set[int], marks: str | None = None) -> set[int]:
        """A step behind any of `ends`; gives the end that it is."""
        for end in ends:
            self.follow[end].add(len(self.asked))
        self.asked.append(set(asks))
        self.made.append(set(makes))
        self.held.append({marks} if marks else set())
        self.follow.append(set())
        return {len(self.asked) - 1}

    def block(self, steps: tuple[ir.Step, ...], ends: set[int]) -> set[int]:
        """Steps behind any of `ends`; gives their ends."""
        for step in steps:
            if isinstance(step, ir.If):
                head = self.add(measured_frontiers(step.condition), (), ends)
                ends = self.block(step.then, head) | self.block(step.otherwise, head)
            elif isinstance(step, ir.While):
                ends = self.loop(step.body, self.add(measured_frontiers(step.condition), (), ends))
            elif isinstance(step, ir.Repeat):
                ends = self.loop(step.body, self.add((), (), self.add(measured_frontiers(step.count), (), ends)))
            else:
                use = frontiers_of(step)
                marks = step.second.frontier if isinstance(step, ir.CombineFrontiers) else None
                ends = self.add(use.read, use.written, ends, marks)
        return ends

    def loop(self, body: tuple[ir.Step, ...], head: set[int]) -> set[int]:
        """A loop that begins and ends at `head`."""
        for end in self.block(body, head):
            self.follow[end] |= head
        return head


def needed_together(plan: Plan) -> set[frozenset[str]]:
    """Pairs that must not share, by the textbook: a graph of single steps, and sets that grow until nothing changes."""
    graph = SingleSteps()
    graph.block(plan.program.schedule, graph.add((), (), set()))
    places = range(len(graph.asked))
    before: list[set[str]] = [set() for _ in places]
    while True:
        after = [set().union(*(before[other] for other in graph.follow[place])) for place in places]
        now = [graph.asked[place] | (after[place] - graph.made[place]) for place in places]
        if now == before:
            break
        before = now
    pairs = {frozenset(pair) for pair in itertools.combinations(before[0], 2)}
    for place in places:
        beside = after[place] | (graph.held[place] if plan.target.marks_apart else set())
        pairs |= {frozenset((name, other)) for name in graph.made[place] for other in beside - {name}}
    return pairs


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.sampled(15)
def test_random_schedules(seed: int) -> None:
    """The slots are the first free ones by the textbook's rule, and the verifier's walk says the same of every pair."""
    source = random.Random(seed)
    schedule = "".join(f"frontier {name}; " for name in NAMES) + random_steps(source, 3)
    for on in TARGETS:
        plan = plan_of(f"{HEAD}{schedule} }}", on=on)
        pairs = needed_together(plan)
        slots: dict[str, int] = {}
        for frontier in plan.frontiers:
            taken = {slots[name] for name in slots if frozenset((name, frontier.name)) in pairs}
            slots[frontier.name] = next(slot for slot in itertools.count() if slot not in taken)
        assert {frontier.name: frontier.slot for frontier in plan.frontiers} == slots, schedule
        apart = dataclasses.replace(
            plan, frontiers=tuple(dataclasses.replace(each, slot=place) for place, each in enumerate(plan.frontiers))
        )
        for first, second in itertools.combinations(apart.frontiers, 2):
            wrong = lies_wrongly(moved(apart, second.name, first.slot))
            together = frozenset((first.name, second.name)) in pairs
            assert together == wrong, (schedule, first.name, second.name)
