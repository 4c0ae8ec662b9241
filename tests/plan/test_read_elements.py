"""Which elements the schedule reads itself, beside those that an operator on a set of one vertex reads."""

from __future__ import annotations

import pytest

from gdsl.ir import nodes as ir
from gdsl.ir import verifier
from gdsl.ir.printer import print_program
from gdsl.ir.traversal import all_steps
from gdsl.passes import ir_passes
from gdsl.plan import read_elements, target
from gdsl.plan.printer import print_plan
from gdsl.plan.target import Target

from .planning import loaded, plan_of

HEAD = """program p;
problem {
    param goal : vertex; param edge_of : edge; scalar n : int32; scalar m : int32; scalar here : vertex;
    vertex a : int32 = int32(id); vertex b[3] : int32; edge x : int32;
}
"""


def text(steps: str) -> str:
    return f"{HEAD} schedule {{ {steps} }}"


def program(steps: str, *tune: str) -> ir.Program:
    return ir_passes.apply(loaded(text(steps), *tune))


def read(before: ir.Program, on: Target = target.CUDA_FUSED) -> ir.Program:
    after = read_elements.run(before, on)
    verifier.verify(after, after="read_elements", before=before)
    return after


@pytest.mark.parametrize(
    ("steps", "stores"),
    [
        ("n = a[goal];", ["n = a[goal]"]),
        ("here = vertex(2); n = a[here];", ["here = vertex(2)", "n = a[checked here]"]),
        (
            "n = a[vertex(3)] + a[goal];",
            ["at = vertex(3)", "element_of_a = a[checked at]", "n = element_of_a + a[goal]"],
        ),
        ("n = b[goal][1];", ["n = b[goal][1]"]),
        ("n = a[goal]; m = n;", ["n = a[goal]", "m = n"]),
        (
            "n = a[goal] * a[goal];",
            ["element_of_a = a[goal]", "element_of_a = a[goal]", "n = element_of_a * element_of_a"],
        ),
    ],
)
def test_a_store_reads_the_element(steps: str, stores: list[str]) -> None:
    after = read(program(steps))
    printed = print_program(after).split("schedule:\n")[1].split("\n\n")[0]
    lines = [line.strip() for line in printed.splitlines()]
    assert lines == stores
    assert after.frontiers == ()


def test_a_condition_reads_it_in_each_pass() -> None:
    steps = "while (a[goal] < 9) { compute(vertices, v => { a[v] += 1; }); } n = a[goal];"
    after = read(program(steps))
    operators = [step for step in all_steps(after.schedule) if isinstance(step, ir.Operator)]
    assert len(operators) == 1
    plan = plan_of(text(steps))
    assert plan.private_scalars == ("element_of_a",)
    assert "every thread: element_of_a = a[goal]" in print_plan(plan)


def test_an_element_in_an_operators_functor_needs_one_barrier() -> None:
    steps = "compute(vertices, v => { a[v] += 1; }); n = a[goal]; m = n; compute(vertices, v => { b[v][0] = n; }) @use;"
    local = text(steps).replace("scalar n : int32", "local scalar n : int32")
    printed = [print_plan(plan_of(local, *words)).count("barrier:") for words in ((), ("without=read_elements",))]
    assert printed[0] < printed[1]


@pytest.mark.parametrize(
    "steps", ["n = x[edge_of];", "frontier f = { goal }; compute(f, v => { n any= a[v]; });", "n = 1;"]
)
def test_others_stay(steps: str) -> None:
    before = program(steps)
    assert read(before).schedule == before.schedule


@pytest.mark.parametrize(
    "on",
    [
        *(target.CUDA_UNFUSED, target.CUDA_WORKERS, target.CPU_WORKERS, target.CPU_INSTANCES),
        *(target.in_teams(target.CUDA_FUSED), target.on_several_gpus(target.CUDA_FUSED)),
    ],
)
def test_where_an_element_may_be_elsewhere_an_operator_reads_it(on: Target) -> None:
    before = program("n = a[goal];")
    assert read(before, on) is before
