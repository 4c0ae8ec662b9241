"""The reason of a result that is not unique names the operation in which a float sum may jump."""

from __future__ import annotations

import pytest

from gdsl.operations import Grade
from gdsl.pipeline import load

_TEXT = """program p;
problem {{
    input edge weight : float32;
    scalar total : float32;
    scalar answer : {type};
}}
schedule {{
    compute(edges, (a, b, e) => {{ total += weight[e]; }});
    answer = {value};
}}
"""
_QUOTIENT = "a float sum is in a quotient whose divisor may be 0"
_DECISION = "a decision depends on a float sum"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("1 / total", _QUOTIENT),
        ("2 + 3 * total / (total - 1)", _QUOTIENT),
        ("total % 3", "the remainder of a float sum may jump"),
        ("floor(total)", "`floor` of a float sum may jump"),
        ("trunc(total) + 1", "`trunc` of a float sum may jump"),
        ("log(total)", "`log` of a float sum may jump, or be no number"),
        ("sqrt(total)", "`sqrt` of a float sum may jump, or be no number"),
        ("total > 1 ? 1.0 : 0.0", _DECISION),
        ("1 / total > 2 ? 1.0 : 0.0", _QUOTIENT),
        ("float32(int32(total))", _DECISION),
    ],
)
def test_reason(value: str, reason: str) -> None:
    [answer] = [found for found in load(_TEXT.format(type="float32", value=value)).scalars if found.name == "answer"]
    assert answer.grade is Grade.NOT_UNIQUE and answer.doubt is not None
    assert (answer.doubt.reason, answer.doubt.span.line) == (reason, 9)


@pytest.mark.parametrize(
    ("value", "grade"),
    [
        ("n > 0 ? total / n : 0.0", Grade.ROUNDING),
        ("n == 0 ? 0.0 : total / float32(n)", Grade.ROUNDING),
        ("0 != n ? total / n : total", Grade.ROUNDING),
        ("n == 0 ? total / n : 0.0", Grade.NOT_UNIQUE),
        ("n > 0 ? 0.0 : total / n", Grade.NOT_UNIQUE),
        ("n > 1 ? total / m : 0.0", Grade.NOT_UNIQUE),
        ("n > 0 ? total / (n - 1) : 0.0", Grade.NOT_UNIQUE),
        ("total > 0 ? 1 / total : 0.0", Grade.NOT_UNIQUE),
    ],
)
def test_a_divisor_that_the_choice_tests(value: str, grade: Grade) -> None:
    text = _TEXT.format(type="float32", value=value).replace(
        "scalar total", "param n : int32; param m : int32; scalar total"
    )
    [answer] = [found for found in load(text).scalars if found.name == "answer"]
    assert answer.grade is grade


@pytest.mark.parametrize("value", ["total / 3", "total + 1", "abs(total)", "exp(total)", "total / max(num_edges, 1)"])
def test_what_cannot_jump_is_rounding(value: str) -> None:
    [answer] = [found for found in load(_TEXT.format(type="float32", value=value)).scalars if found.name == "answer"]
    assert answer.grade is Grade.ROUNDING and answer.doubt is not None
    assert answer.doubt.reason == "floats are added in any order"
