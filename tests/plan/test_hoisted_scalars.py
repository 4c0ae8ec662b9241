"""Which scalars are kept with the graph, beside twins that each run computes, and what the verifier says of others."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import pytest

from gdsl.ir import nodes as ir
from gdsl.ir import verifier
from gdsl.ir.traversal import rewrite, with_blocks
from gdsl.ir.verifier import VerificationError
from gdsl.passes import ir_passes
from gdsl.plan import hoisted_scalars, target
from gdsl.plan.hoisted_scalars import hoisted_scalars as groups_of
from gdsl.plan.printer import print_plan
from gdsl.plan.target import Target
from gdsl.plan.verifier_hoisted_scalars import verify_hoisted_scalars
from gdsl.types import Type

from .planning import loaded, plan_of

HEAD = """program p;
problem {
    param limit : int32 = 3; scalar result : int64; vertex a : int32; vertex b : int32; edge x : int32;
    local scalar hub : vertex; local scalar most : int32; local scalar mean : float64; local scalar other : int32;
    local scalar best : (int32, vertex);
}
function twice(i : int32) -> int32 { return i + i; }
vertex functor measure(v) { apply { most max= out_degree(v); } }
vertex functor twofold(v) { apply { most max= twice(out_degree(v)); } }
vertex functor wide(v) { cond out_degree(v) > limit; apply { most += 1; } }
vertex functor above(v) { apply { most max= a[v]; } }
vertex functor parts(v) { apply { mean += 1 / (1 + float64(out_degree(v))); } }
vertex functor both(v) { apply { most max= out_degree(v); a[v] = 1; } }
vertex functor news(v) { apply { if (changed(most max= out_degree(v))) { other += 1; } } }
vertex functor use(v) { apply { a[v] = most; if (v == hub) { b[v] = int32(mean); } } }
"""
USED = "compute(vertices, use);"
KEPT = {
    "a position": (f"hub = argmax(v => out_degree(v)); {USED}", ("max_of_values", "argmax_of_values", "hub")),
    "a functor": (f"compute(vertices, measure); {USED}", ("most",)),
    "a function": (f"compute(vertices, twofold); {USED}", ("most",)),
    "a result": ("result = count(v => out_degree(v) > 2);", ("count_of_values",)),
    "of edges": (f"most = int32(count((s, d, e) => has_edge(d, s))); {USED}", ("count_of_values", "most")),
    "two": (
        "most = max(v => in_degree(v)); other = most + int32(num_vertices); result = other;",
        ("max_of_values", "most", "other"),
    ),
    "in a branch": (f"if (limit > 2) {{ compute(vertices, measure); {USED} }}", ("most",)),
    "read in a loop": (f"compute(vertices, measure); repeat (2) {{ {USED} }}", ("most",)),
    "after others": (f"compute(vertices, above) @first; hub = argmax(v => out_degree(v)); {USED}", (
        "max_of_values", "argmax_of_values", "hub",
    )),
}  # fmt: skip
COMPUTED = {
    "a param": f"compute(vertices, wide); {USED}",
    "an array": f"compute(vertices, above); {USED}",
    "an array that is written": f"compute(vertices, both); {USED}",
    "a sum of floats": f"compute(vertices, parts); {USED}",
    "an order": f"compute(vertices, news); {USED} result = other;",
    "some vertices": f"frontier f = {{ 1, 2 }}; compute(f, measure); {USED}",
    "read before": f"{USED} compute(vertices, measure) @again; compute(vertices, use) @then;",
    "changed later": f"compute(vertices, measure); {USED} most = 1; compute(vertices, use) @then;",
    "in a loop": f"repeat (2) {{ compute(vertices, measure); {USED} }}",
    "read outside its branch": f"if (limit > 2) {{ compute(vertices, measure); }} {USED}",
    "on another graph": f"graph h = subgraph(filter(edges, (s, d, e) => s < d)); on h {{ compute(vertices, measure); "
    f"{USED} }}",
    "a pass": "while (max(v => out_degree(v)) > iteration) { result += 1; }",
    "only stored": f"most = int32(num_vertices); {USED}",
}


def program(steps: str, *tune: str) -> ir.Program:
    return ir_passes.apply(loaded(f"{HEAD} schedule {{ {steps} }}", *tune))


def hoisted(before: ir.Program, on: Target = target.CUDA_FUSED) -> ir.Program:
    """What the pass writes, which is verified."""
    after = hoisted_scalars.run(before, on)
    verifier.verify(after, after="hoist_scalars", before=before)
    verify_hoisted_scalars(before, after)
    return after


@pytest.mark.parametrize("name", KEPT)
@pytest.mark.parametrize("on", [target.CUDA_FUSED, target.CPU])
def test_what_the_graph_alone_decides_is_kept(name: str, on: Target) -> None:
    steps, names = KEPT[name]
    (group,) = groups_of(hoisted(program(steps), on))
    assert tuple(each.scalar for each in group.scalars) == names


@pytest.mark.parametrize("name", COMPUTED)
def test_all_else_each_run_computes(name: str) -> None:
    before = program(COMPUTED[name])
    assert hoisted(before) is before


def test_equal_rows_have_equal_keys() -> None:
    one, other = (
        groups_of(hoisted(program(f"{first} hub = argmax(v => out_degree(v)); {USED}")))[0].key
        for first in ("", "compute(vertices, above) @before; ")
    )
    different = groups_of(hoisted(program(f"hub = argmax(v => in_degree(v)); {USED}")))[0].key
    assert one == other != different


def test_two_rows_are_kept_apart() -> None:
    steps = f"hub = argmax(v => out_degree(v)); compute(vertices, above) @between; other = 0; {USED}"
    assert len(groups_of(hoisted(program(f"{steps} result = max(v => in_degree(v));")))) == 2


@pytest.mark.parametrize(
    "on",
    [
        *(target.CUDA_UNFUSED, target.CUDA_WORKERS, target.CPU_WORKERS, target.CPU_INSTANCES),
        *(target.in_teams(target.CUDA_FUSED), target.in_instances(target.CUDA_FUSED, 1)),
    ],
)
def test_others_compute_them_in_each_run(on: Target) -> None:
    before = program(KEPT["a position"][0])
    assert hoisted(before, on) is before


def test_the_plan_says_so_unless_the_pass_is_left_out() -> None:
    text = f"{HEAD} schedule {{ {KEPT['a position'][0]} }}"
    printed = print_plan(plan_of(text))
    assert "if !there 0:" in printed and "hub = known hub" in printed
    assert "there 0" not in print_plan(plan_of(text, "without=hoist_scalars"))
    several = plan_of(text, on=target.on_several_gpus(target.CUDA_FUSED))
    assert len(groups_of(several.program)) == 1


def test_a_kept_scalar_that_steers_a_loop_is_told_to_the_host() -> None:
    steps = "most = max(v => out_degree(v)); while (other < most) { other += 1; compute(vertices, use); }"
    plan = plan_of(f"{HEAD} schedule {{ {steps} }}")
    assert "most" in plan.private_scalars
    assert "leader: write back most" in print_plan(plan)


def _schedule(change: Callable[[ir.Node], ir.Node]) -> Callable[[ir.Program], ir.Program]:
    return lambda program: dataclasses.replace(program, schedule=rewrite(program.schedule, change))


def _without_branch(node: ir.Node) -> ir.Node:
    return dataclasses.replace(node, otherwise=node.then[:1]) if isinstance(node, ir.If) else node


def _with_less(node: ir.Node) -> ir.Node:
    return dataclasses.replace(node, then=node.then[1:]) if isinstance(node, ir.If) else node


def _in_a_loop(after: ir.Program) -> ir.Program:
    count = ir.Literal(after.span, Type.INT64, 2)
    return dataclasses.replace(after, schedule=(ir.Repeat(after.span, 0, count, after.schedule),))


WRONG: dict[str, Callable[[ir.Program], ir.Program]] = {
    "a row in both branches": _schedule(_without_branch),
    "a step less": _schedule(_with_less),
    "another param": lambda after: dataclasses.replace(after, params=(*after.params, after.params[0])),
    "a first value": lambda after: dataclasses.replace(
        after, scalars=tuple(dataclasses.replace(each, initial=None) for each in after.scalars)
    ),
    "a scalar less": lambda after: dataclasses.replace(after, scalars=after.scalars[:-1]),
    "a loop": _in_a_loop,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_program_is_noticed(name: str) -> None:
    before = program(KEPT["a functor"][0])
    after = hoisted(before)
    with pytest.raises(VerificationError):
        verify_hoisted_scalars(before, WRONG[name](after))


@pytest.mark.parametrize("name", ["a param", "an array", "a sum of floats", "an order", "in a loop", "read before",
                                  "changed later", "read outside its branch", "on another graph"])  # fmt: skip
def test_the_verifier_refuses_what_the_pass_would_not_write(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the tests of the pass switched off, each of the twins is found wrong."""
    before = program(COMPUTED[name])
    writer = hoisted_scalars._Writer

    def finds(self: object, step: ir.Step, known: frozenset[str]) -> frozenset[str] | None:
        is_row = isinstance(step, ir.Compute) and step.functor not in ("use",)
        return self.accesses.names_of_step(step)[1] & self.may.keys() if is_row else None  # type: ignore[attr-defined]

    monkeypatch.setattr(writer, "_finds", finds)
    monkeypatch.setattr(writer, "_used_elsewhere", lambda *_: None)
    block = writer._block

    def everywhere(self: object, steps: tuple[ir.Step, ...]) -> tuple[ir.Step, ...]:
        def inside(step: ir.Step) -> ir.Step:
            return step if isinstance(step, ir.If) else with_blocks(step, lambda body: everywhere(self, body))

        return block(self, tuple(map(inside, steps)))  # type: ignore[arg-type]

    monkeypatch.setattr(writer, "_block", everywhere)
    after = hoisted_scalars.run(before, target.CUDA_FUSED)
    assert after is not before
    with pytest.raises(VerificationError):
        verify_hoisted_scalars(before, after)
