"""Which scalars threads of several GPUs read once, and that the verifier sees what changes meanwhile."""

from __future__ import annotations

import dataclasses

import pytest

from gdsl.ir.verifier import VerificationError
from gdsl.plan.hints import ScalarReads
from gdsl.plan.nodes import Plan, Sweep
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_sweeps, operations, sweeps_of

from .several_gpus import plan

TEXT = """
program reading;
problem {
    vertex x : int32 = 1; vertex y : int32; vertex z : int32;
    local scalar least : int32 = 3; local scalar sum : int32; local scalar both : (int32, int32);
    local scalar rounds : int32;
}
vertex functor add(v) { apply { sum += x[v] + least; } }
vertex functor ask(v) { cond x[v] < least; apply { y[v] = least + sum; } }
vertex functor pair(v) { apply { z[v] = both.0; } }
edge functor far_sum(src, dst, e) -> int32 { value x[dst] + sum; }
schedule {
    compute(vertices, add);
    frontier f = filter(vertices, ask);
    compute(f, v => { z[v] = sum; }) @few;
    compute(vertices, pair);
    x = neighbor_reduce(vertices, far_sum, sum);
    while (rounds < 3) { rounds += 1; compute(vertices, v => { y[v] = rounds; }) @stored; }
}
"""


def once(found: Plan) -> dict[str, tuple[str, ...]]:
    hints = ((each.step.label, sweep.hint(ScalarReads)) for each in operations(found) for sweep in sweeps_of(each))
    return {name: hint.scalars for name, hint in hints if hint is not None}


def test_which_are_read_once() -> None:
    found = once(plan(TEXT))
    assert found["add"] == ("least",), "the operator adds to the sum"
    assert found["ask"] == ("least", "sum")
    assert found["far_sum"] == ("sum",)
    assert not {"few", "pair"} & found.keys()


def test_one_gpu_reads_them_from_its_cache() -> None:
    assert not once(plan(TEXT, several_gpus=False))


@pytest.mark.parametrize("name", ["sum", "rounds", "x", ""])
def test_mistakes_are_seen(name: str) -> None:
    def changed(_: object, sweep: Sweep) -> Sweep:
        hint = sweep.hint(ScalarReads)
        if hint is None or hint.scalars != ("least",):
            return sweep
        others = tuple(each for each in sweep.hints if each is not hint)
        return dataclasses.replace(sweep, hints=(*others, ScalarReads((name,) if name else ())))

    found = plan(TEXT)
    verify(found)
    with pytest.raises(VerificationError, match="read once"):
        verify(map_sweeps(found, changed))
