"""Arrays of small numbers in 8 and 16 bits: which are stored so, and that the verifier finds those that must not be."""

from __future__ import annotations

import dataclasses

import pytest

from gdsl.backends.cuda import plan_of
from gdsl.ir.nodes import Program
from gdsl.ir.verifier import VerificationError
from gdsl.pipeline import load
from gdsl.plan.graph_class import class_of
from gdsl.plan.nodes import Plan
from gdsl.plan.verifier import verify
from gdsl.plan.walking import sweeps
from gdsl.source import Source
from gdsl.types import Type

TEXT = """program small;
problem {
    param seed : int64 = 0; vertex found : int32; scalar largest : int32;
    local vertex state : int32 = min(out_degree(id), 30) << 3 | int32(random_bits(seed, id) >> 61);
    local vertex other : int32;
}
edge functor visit(s, t, e) { apply { state[t] = 255; } }
vertex functor tell(v) { cond state[v] < 250; apply { found[v] = int32(state[v]); largest max= int32(state[v]); } }
schedule {
    advance(where(v => v == 3), visit, to=none);
    compute(vertices, tell);
}
"""
_LOOP = "frontier f = where(v => v == 3); while (f) { f = advance(f, visit); }"
NARROW = {
    "as it is": ("", "", "uint8"),
    "with a sign": ("state[t] = 255", "state[t] = -1", "int16"),
    "two bytes": ("state[t] = 255", "state[t] = 65535", "uint16"),
    "of 64 bits": ("state : int32 = min", "state : int64 = min", "uint8"),
    "filled": ("compute(vertices, tell);", "compute(vertices, tell); fill(state, 7);", "uint8"),
    "reduced": ("compute(vertices, tell);", "found = neighbor_reduce(vertices, (s, t, e) => state[s], max);", "uint8"),
    "of edges": ("compute(vertices, tell);", "compute(edges, (s, t, e) => { found[t] max= state[s]; });", "uint8"),
}
WIDE = {
    "a result": ("local vertex state", "vertex state", "narrow, which others have"),
    "too large": ("state[t] = 255", "state[t] = 65536", "do not fit"),
    "larger by its initial value": ("<< 3 |", "<< 12 |", "do not fit"),
    "larger where it is filled": (
        "compute(vertices, tell);",
        "fill(state, -70000); compute(vertices, tell);",
        "do not fit",
    ),
    "of any number": ("state[t] = 255", "state[t] = out_degree(t)", "do not fit"),
    "updated": ("state[t] = 255", "state[t] max= 255", "not just stored"),
    "of a reduction": (
        "compute(vertices, tell);",
        "state = neighbor_reduce(vertices, (s, t, e) => 3, min); compute(vertices, tell);",
        "do not fit",
    ),
    "swapped": (
        "compute(vertices, tell);",
        "compute(vertices, tell); swap(state, other);",
        "not just stored",
    ),
    "claimed": (
        "{ apply { state[t] = 255; } }",
        "{ cond state[t] == 7; apply { state[t] = 255; } }  # again",
        "where its type matters",
    ),
    "of real numbers": (
        "int32 = min(out_degree(id), 30) << 3 | int32(random_bits(seed, id) >> 61)",
        "float32 = 7",
        "which others have",
    ),
}


def program(former: str, now: str) -> Program:
    assert former in TEXT
    text = TEXT.replace(former, now, 1)
    if "again" in now:
        text = text.replace("advance(where(v => v == 3), visit, to=none);", _LOOP)
    return load(Source("small.gdsl", text))


def as_stored(plan: Plan, kind: Type) -> Plan:
    """The plan with `state` stored so, and nothing else."""
    buffers = (dataclasses.replace(each, element=kind) if each.name == "state" else each for each in plan.buffers)
    others = (each for each in plan.narrow if each[0] != "state")
    return dataclasses.replace(plan, narrow=(("state", kind), *others), buffers=tuple(buffers))


@pytest.mark.parametrize("name", NARROW)
def test_small_numbers_are_stored_in_fewer_bits(name: str) -> None:
    former, now, kind = NARROW[name]
    plan = plan_of(program(former, now))
    assert plan.narrow[:1] == (("state", next(each for each in KINDS if each.name == kind)),)
    assert [each.element.name for each in plan.buffers if each.name == "state"] == [kind]


KINDS = (Type.INT8, Type.UINT8, Type.INT16, Type.UINT16)


@pytest.mark.parametrize("name", WIDE)
def test_others_are_not(name: str) -> None:
    former, now, why = WIDE[name]
    if why is None:
        return
    plan = plan_of(program(former, now))
    assert "state" not in dict(plan.narrow)
    with pytest.raises(VerificationError, match=why):
        verify(as_stored(plan, Type.UINT8))


def test_a_buffer_of_another_type_is_found() -> None:
    plan = plan_of(program("", ""))
    verify(plan)
    for kind in (Type.INT8, Type.INT32):
        with pytest.raises(VerificationError):
            verify(as_stored(plan, kind))
    with pytest.raises(VerificationError, match="no buffer for state"):
        verify(dataclasses.replace(plan, narrow=()))


_LOOKS = "{ apply { state[t] = 255; } }", "{ cond state[t] != 255; apply { state[t] = 255; } }"
STORED_WITHOUT_A_LOOK = {
    "narrow": ((), "", True),
    "bools": (
        (
            ("state : int32 = min(out_degree(id), 30) << 3 | int32(random_bits(seed, id) >> 61)", "state : bool"),
            ("!= 255", "!= true"),
            ("= 255", "= true"),
            ("state[v] < 250", "state[v]"),
        ),
        "",
        True,
    ),
    "as wide as it was": ((), "without=narrow_arrays", False),
    "wide, since it is swapped": (
        (("compute(vertices, tell);", "compute(vertices, tell); swap(state, other);"),),
        "",
        False,
    ),
}


@pytest.mark.parametrize("name", STORED_WITHOUT_A_LOOK)
def test_a_push_stores_what_is_narrow_without_a_look(name: str) -> None:
    """On graphs without long lists; of an array that is stored in 32 bits it looks first."""
    changes, tune, without = STORED_WITHOUT_A_LOOK[name]
    text = TEXT
    for former, now in (_LOOKS, *changes):
        assert former in text
        text = text.replace(former, now)
    found = load(Source("small.gdsl", text), [tune] if tune else [])
    (push,) = (
        each for each in sweeps(plan_of(found, graph=class_of(["bounded"]))) if each.walks and each.selection is None
    )
    assert (push.walks[0].variant.tests == ()) is without
