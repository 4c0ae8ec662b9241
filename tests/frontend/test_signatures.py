"""The table of signatures: every entry is complete, and a call without arguments is reported by it."""

from __future__ import annotations

import pytest

from gdsl.frontend import analyze
from gdsl.frontend.signatures import REDUCTIONS, SIGNATURES, Group, Signature
from gdsl.source import Source

PROGRAM = """program p;
problem {{ vertex a : int32; scalar s : int64; }}
edge functor f(src, dst, e) {{ apply {{ {apply} }} }}
schedule {{ frontier g = vertices; history h; {schedule} }}
"""
IN_FUNCTORS = (Group.FUNCTION, Group.ADDITIONAL, Group.DEGREE, Group.GRAPH, Group.ADDITIONAL_GRAPH, Group.LABELS)
SCHEDULE = {
    "neighbor_reduce": "a = neighbor_reduce();",
    "neighbor_vote": "a = neighbor_vote();",
    "number": "a = number();",
    "size": "s = size();",
    "subgraph": "graph k = subgraph();",
    "contract": "graph k = contract();",
    "backward": "for k in backward() { }",
    "forward": "for k in forward() { }",
    "buckets": "buckets b();",
    "push": "h.push();",
}


def mistakes(apply: str = "", schedule: str = "") -> list[str]:
    text = PROGRAM.format(apply=apply, schedule=schedule)
    return [found.message for found in analyze(Source("p.gdsl", text)).diagnostics]


@pytest.mark.parametrize("signature", [*SIGNATURES.values(), *REDUCTIONS.values()], ids=lambda one: one.name)
def test_every_signature_is_complete(signature: Signature) -> None:
    least, most = signature.counts
    assert signature.help and signature.gives and signature.form
    assert most is None or least <= most
    assert len({each.name for each in (*signature.parameters, *signature.keywords)}) == len(
        signature.parameters + signature.keywords
    )


@pytest.mark.parametrize("name", [one.name for one in SIGNATURES.values() if one.group in IN_FUNCTORS])
def test_functions_without_arguments(name: str) -> None:
    (found,) = mistakes(apply=f"{name}();" if name == "join" else f"let x = {name}();")
    assert found.startswith(f"`{name}` takes" if name != "neighbors" else "`neighbors` gives a list")


@pytest.mark.parametrize(
    "name", [one.name for one in SIGNATURES.values() if one.group not in IN_FUNCTORS and one.name != "pop"]
)
def test_calls_of_the_schedule_without_arguments(name: str) -> None:
    (found,) = mistakes(schedule=SCHEDULE.get(name, f"{name}();"))
    assert found.startswith(f"`{name}` takes")


@pytest.mark.parametrize("name", sorted(REDUCTIONS.keys() - {"min", "max"}))
def test_reductions_without_arguments(name: str) -> None:
    (found,) = mistakes(schedule=f"s = int64({name}());")
    assert found.startswith(f"`{name}` takes an array")
