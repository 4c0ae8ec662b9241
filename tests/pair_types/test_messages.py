"""What is no pair, or asks of pairs what they do not have: one clear error each, with the fix."""

from __future__ import annotations

import pytest

from gdsl.backends.cuda import plan_of, planning
from gdsl.diagnostics import GdslError
from gdsl.pipeline import load
from gdsl.types import Type, Widths

_DATA = [
    ("vertex a : ((int32, int32), int32);", "E0225", "store the third value"),
    ("vertex a : (int32, (bool, bool)) = (1, (true, true));", "E0225", "store the third value"),
    ("vertex a : (int32, int32, int32);", "E0101", ""),
    ("vertex a : (int32);", "E0101", ""),
    ("param a : (int32, int32);", "E0224", "give two params"),
    ("param a : (int32, int32) = (1, 2);", "E0224", "give two params"),
    ("input vertex a : (int32, int32);", "E0224", "give two inputs"),
    ("input scalar a : (int32, int32);", "E0224", "give two inputs"),
    ("vertex a : (int32, number);", "E0225", ""),
    ("vertex a : (int32, vertex) = (1.5, none);", "E0205", "make its first part int32"),
    ("vertex a : (int32, vertex) = 3;", "E0205", "write a pair"),
    ("vertex a : int32 = (1, 2);", "E0205", "take a part of it: `.0`"),
    ("vertex a : (int32, uint32) = (0, -1);", "E0208", ""),
]
_STATEMENTS = [
    ("b[v].0 = 1.0;", "E0214", "`b[v] = (…, b[v].1)`"),
    ("b[v].1 any= v;", "E0214", "`b[v] = (b[v].0, …)`"),
    ("b[v].0 min= 1.0;", "E0214", "`b[v] = (…, b[v].1)`"),
    ("s.1 = v;", "E0214", "`s = (s.0, …)`"),
    ("var p = (1, v); p.0 = 2;", "E0214", "`p = (…, p.1)`"),
    ("let x = changed(b[v].0 min= 1.0);", "E0214", "`b[v] = (…, b[v].1)`"),
    ("let x = cas(b[v].0, 1.0, 2.0);", "E0214", "`b[v] = (…, b[v].1)`"),
    ("b[v] += (1.0, v);", "E0206", "`min=` and `max=`"),
    ("b[v] |= (1.0, v);", "E0206", "`min=` and `max=`"),
    ("let x = b[v] + (1.0, v);", "E0206", "`(p.0 + …, p.1)`"),
    ("let x = b[v] * 2;", "E0206", "`(p.0 * …, p.1)`"),
    ("let x = b[v] & b[v];", "E0206", "`(p.0 & …, p.1)`"),
    ("let x = b[v] << 1;", "E0206", ""),
    ("let x = -b[v];", "E0206", ""),
    ("let x = b[v] + b[v] + b[v];", "E0206", ""),
    ("let x = b[v] < 3;", "E0206", ""),
    ("let x = b[v] == (v, 1.0);", "E0206", "types of their parts"),
    ("let x = b[v].2;", "E0204", "`.0` and `.1`"),
    ("let x = b[v].99999999999999999999999;", "E0204", "`.0` and `.1`"),
    ("let x = c[v].0;", "E0204", "leave it out"),
    ("let x = b[v].0.1;", "E0204", "leave it out"),
    ("let x = (inf, 1);", "E0226", "float32(inf)"),
    ("let x = (1, (2, 3));", "E0225", ""),
    ("let x = float32(b[v]);", "E0212", "take a part of it"),
    ("let x = (1, 2, 3);", "E0101", ""),
    ("let x = abs(b[v]);", "E0206", ""),
    ("let x = sqrt((1.0, 2.0));", "E0206", ""),
    ("let x = min(b[v], 3);", "E0205", ""),
    ("let x = c[b[v]];", "E0213", "use a vertex"),
    ("let x = out_degree(b[v]);", "E0213", ""),
    ("b[v] = (v, 1.0);", "E0205", "first part float32"),
    ("b[v] = (float64(1), v);", "E0205", "first part float32"),
    ("let x : vertex = b[v];", "E0205", "`.1`"),
    ("b[v] = c[v] == 0 ? (1.0, v) : 2.0;", "E0205", ""),
    ("if (b[v]) { c[v] = 1; }", "E0210", ""),
    ("accept b[v];", "E0210", ""),
    ("for i in 0..b[v] { c[v] = i; }", "E0205", ""),
    ("let x = (fetch(c[v] += 1), v);", "E0216", "let before"),
]
_SCHEDULES = [
    ("b = neighbor_reduce(vertices, give, count);", "E0407"),
    ("b = neighbor_reduce(vertices, give, sum);", "E0407"),
    ("b = neighbor_reduce(vertices, give, or);", "E0407"),
    ("c = neighbor_reduce(vertices, give, min);", "E0205"),
    ("b = neighbor_reduce(vertices, offer, min);", "E0205"),
    ("s = s + 1;", "E0206"),
    ("s.0 = 1.0;", "E0214"),
    ("s += (1.0, 2);", "E0206"),
    ("fill(b, 3);", "E0205"),
    ("fill(c, (1, 2));", "E0205"),
    ("swap(b, c);", "E0405"),
    ("while (s) { s = (1.0, 2); }", "E0210"),
    ("repeat (s) { s = (1.0, 2); }", "E0205"),
    ("frontier g = { s };", "E0205"),
    ("s = b[g];", "E0201"),
    ("s = sum(b);", "E0407"),
    ("b[s] = s;", "E0213"),
]
_PROGRAM = """program p;
problem {{ vertex b : (float32, vertex); vertex c : int32; scalar s : (float32, vertex); {data} }}
vertex functor f(v) {{ apply {{ {statement} }} }}
edge functor give(src, dst, e) -> (float32, vertex) {{ value (1.0, dst); }}
edge functor offer(src, dst, e) -> (float64, vertex) {{ value (1.0, dst); }}
schedule {{ compute(vertices, f); {schedule} }}
"""


def refusal(data: str = "", statement: str = "", schedule: str = "") -> tuple[set[str], str]:
    """The codes, and all that is said."""
    with pytest.raises(GdslError) as caught:
        load(_PROGRAM.format(data=data, statement=statement, schedule=schedule))
    assert all(each.span is not None for each in caught.value.diagnostics)
    return {each.code for each in caught.value.diagnostics}, str(caught.value)


@pytest.mark.parametrize(("data", "code", "fix"), _DATA)
def test_data(data: str, code: str, fix: str) -> None:
    codes, text = refusal(data=data)
    assert codes == {code}, text
    assert fix in text


@pytest.mark.parametrize(("statement", "code", "fix"), _STATEMENTS)
def test_statements(statement: str, code: str, fix: str) -> None:
    codes, text = refusal(statement=statement)
    assert codes == {code}, text
    assert fix in text


@pytest.mark.parametrize(("schedule", "code"), _SCHEDULES)
def test_schedules(schedule: str, code: str) -> None:
    codes, text = refusal(schedule=schedule)
    assert codes == {code}, text


def test_operators_of_the_program() -> None:
    text = _PROGRAM.format(data="", statement="", schedule="b = neighbor_reduce(vertices, give, first);")
    kind = "(float32, vertex)"
    own = f"operator first(a : {kind}, b : {kind}) -> {kind} identity (0, 0) {{ return a; }}\n"
    with pytest.raises(GdslError) as caught:
        load(text.replace("vertex functor", own + "vertex functor", 1))
    assert {each.code for each in caught.value.diagnostics} == {"E0206"}


def test_types() -> None:
    pair = Type.pair(Type.FLOAT32, Type.EDGE)
    assert pair is Type.named("(float32, edge)") and pair.is_pair and pair.holds_float
    assert not (pair.is_numeric or pair.is_id or pair.is_float or pair.is_integer)
    widths = {kind: Widths(32, 64).of(Type.pair(Type.FLOAT32, kind)) for kind in Type.all()}
    assert [kind.name for kind, bits in widths.items() if bits == 128] == ["int64", "uint64", "float64", "edge"]


@pytest.mark.parametrize(
    ("update", "needs"),
    [
        ("a[dst] min= (1, src);", True),
        ("a[dst] any= (1, src);", False),
        ("let x = cas(a[dst], (1, src), (2, dst));", True),
        ("s max= (1, src);", True),
        ("narrow[dst] max= (1, src);", False),
    ],
)
def test_old_gpus(update: str, needs: bool) -> None:
    data = "vertex a : (int64, vertex); vertex narrow : (int32, vertex); scalar s : (int64, vertex);"
    text = f"program p; problem {{ {data} }} edge functor f(src, dst, e) {{ apply {{ {update} }} }}"
    text += " schedule { advance(vertices, f, to=none); }"
    refused_for_old(text, needs)
    if "narrow" in update:
        with pytest.raises(GdslError):
            planning.check_wide_pairs(plan_of(load(text)), Widths.both(64), "sm_80")


@pytest.mark.parametrize(("kind", "needs"), [("int64", True), ("int32", False)])
def test_old_gpus_and_common_neighbors(kind: str, needs: bool) -> None:
    text = f"program p; problem {{ vertex a : ({kind}, vertex); }}"
    refused_for_old(f"{text} schedule {{ intersect(edges, (u, w, x) => {{ a[x] max= (1, u); }}); }}", needs)


def refused_for_old(text: str, needs: bool) -> None:
    """Checks that old GPUs, and they alone, are refused where a program `needs` an exchange of 128 bits."""
    plan = plan_of(load(text))
    planning.check_wide_pairs(plan, Widths.both(32), "sm_90")
    planning.check_wide_pairs(plan, Widths.both(32), "sm_120")
    for architecture in ("sm_75", "sm_89"):
        if not needs:
            planning.check_wide_pairs(plan, Widths.both(32), architecture)
            continue
        with pytest.raises(GdslError) as caught:
            planning.check_wide_pairs(plan, Widths.both(32), architecture)
        assert "E0908" in str(caught.value)
