"""Which pushes accept each far end by a ticket, so that no mark is needed."""

from __future__ import annotations

import dataclasses

import pytest

from gdsl.ir.verifier import VerificationError
from gdsl.plan import target
from gdsl.plan.nodes import Collect, Dedup, Plan
from gdsl.plan.verifier import verify
from gdsl.plan.walking import map_sweeps, sweeps

from .planning import plan_of


def text(body: str, cond: str = "true", over: str = "out_edges", data: str = "") -> str:
    return f"""program p;
problem {{ vertex waits : int32 = 3; vertex other : int32; scalar level : int32; {data} }}
edge functor peel(src, dst, e) {{ cond {cond}; apply {{ {body} }} }}
schedule {{
    frontier f = vertices;
    while (f) {{ level += 1; f = advance(f, peel, over={over}); }}
}}
"""


TICKET = "let before = fetch(waits[dst] -= 1);"
BY_TICKET = {
    "a literal": text(f"{TICKET} accept before == 1;"),
    "turned round": text(f"{TICKET} accept 1 == before;"),
    "a scalar": text(f"{TICKET} accept before == level + 1;"),
    "upwards": text("let before = fetch(waits[dst] += 1); accept before == 5;"),
    "with a condition": text(f"{TICKET} accept before == 1 && other[dst] == 0;", "other[dst] == 0"),
    "a degree": text(f"{TICKET} accept before == out_degree(dst);"),
    "in-edges": text("let before = fetch(waits[src] -= 1); accept before == 1;", over="in_edges"),
}
BY_MARK = {
    "no equality": text(f"{TICKET} accept before <= 1;"),
    "one of two": text(f"{TICKET} accept before == 1 || other[dst] == 0;"),
    "the near end's": text("let before = fetch(waits[src] -= 1); accept before == 1;"),
    "steps of two": text("let before = fetch(waits[dst] -= 2); accept before == 1;"),
    "a minimum": text("let before = fetch(waits[dst] min= level); accept before == 1;"),
    "both directions": text("let before = fetch(waits[far] -= 1); accept before == 1;", over="all_edges"),
    "another value for each edge": text(f"{TICKET} accept before == int32(src);"),
    "accepted otherwise": text(f"{TICKET} if (before == 2) {{ accept false; }}"),
    "floats": text("let before = fetch(sum[dst] += 1.0); accept before == 1;", data="vertex sum : float32;"),
}


def dedup(plan: Plan) -> Dedup:
    (found,) = {sweep.collect.dedup for sweep in sweeps(plan) if sweep.collect is not None and sweep.walks}
    return found


@pytest.mark.parametrize("name", BY_TICKET)
def test_one_call_gets_the_value(name: str) -> None:
    plan = plan_of(BY_TICKET[name])
    assert dedup(plan) is Dedup.TICKET
    assert not any(buffer.name == "marks" for buffer in plan.buffers)


@pytest.mark.parametrize("name", BY_MARK)
def test_several_calls_may_accept(name: str) -> None:
    plan = plan_of(BY_MARK[name])
    assert dedup(plan) is Dedup.MARK

    def changed(_: object, sweep: object) -> object:
        collect = Collect("f", sweep.collect.domain, sweep.collect.form, Dedup.TICKET)  # type: ignore[attr-defined]
        return dataclasses.replace(sweep, collect=collect)  # type: ignore[type-var]

    with pytest.raises(VerificationError):
        verify(map_sweeps(plan, changed))  # type: ignore[arg-type]


def test_elsewhere_it_is_a_mark() -> None:
    assert dedup(plan_of(BY_TICKET["a literal"], on=target.CPU)) is Dedup.MARK
    assert dedup(plan_of(BY_TICKET["a literal"], "without=deduplication")) is Dedup.MARK
    assert dedup(plan_of(BY_TICKET["a literal"], on=target.CUDA_UNFUSED)) is Dedup.TICKET
