"""Type parameters: where the name of a type may stand, and what is refused, for each type that a program admits."""

from __future__ import annotations

import re

import pytest

from gdsl.diagnostics import GdslError
from gdsl.ir.printer import print_program
from gdsl.pipeline import analyze, load, load_checked
from gdsl.source import Source
from gdsl.types import TYPE_CLASSES, Type

EVERYWHERE = """
program everywhere;
type t : number = float32;
problem {
    type   pair_part = t;
    type   total_type = wide(t);
    param  p : t = 2 where p >= 0;
    input  edge weight : t where weight > 0;
    input  vertex x : t;
    input  scalar s : t;
    vertex best : (t, vertex) = (inf, none);
    vertex y : pair_part = max(x[id], t(3)) + p;
    edge   doubled : t;
    vertex first : (t, edge);
    vertex voted : int32;
    scalar total : total_type;
    local scalar lowest : t = inf;
}
function twice(a : t) -> t { let b : t = a; return b + a; }
operator least(a : t, b : t) -> t identity inf { return min(a, b); }
edge functor offer(src, dst, e) {
    apply {
        var w : t = twice(weight[e]);
        w = w + t(place) + t(x[dst]);
        doubled[e] = w;
        best[src] min= (w, dst);
        lowest min= w;
    }
}
edge functor lightest(src, dst, e) -> (t, edge) { value (weight[e], e); }
edge functor ballot(src, dst, e) -> (int32, t) { value (place, weight[e]); }
vote functor gain(v, key, sum_of) -> t { value sum_of; }
procedure spread(a : vertex t, by : t) { compute(vertices, v => { a[v] = a[v] + by; }); }
schedule {
    advance(vertices, offer, to=none);
    spread(y, lowest);
    y = neighbor_reduce(vertices, (src, dst, e) => y[dst], least);
    first = neighbor_reduce(vertices, lightest, min);
    voted = neighbor_vote(vertices, ballot, gain, keep=voted);
    total = total_type(sum(doubled));
}
"""
TEMPLATE = (
    "program p; problem {{ type t : {kind} = {default}; input vertex x : t; vertex y : t; {more} }} {rest} "
    "schedule {{ {schedule} }}"
)


def text_of(kind: str = "number", default: str = "float32", more: str = "", rest: str = "", schedule: str = "") -> str:
    return TEMPLATE.format(kind=kind, default=default, more=more, rest=rest, schedule=schedule)


def mistakes(text: str) -> str:
    with pytest.raises(GdslError) as caught:
        load(text, every=True)
    return str(caught.value)


@pytest.mark.parametrize("type_", TYPE_CLASSES["number"], ids=str)
def test_the_name_of_a_type_stands_wherever_a_type_may(type_):
    """An instance is the program with the type written out."""
    wide = {"int": "int64", "uint": "uint64", "float": "float64"}[re.sub(r"\d", "", type_.name)]
    plain = re.sub(r"\btype\b.*", "", EVERYWHERE)
    plain = re.sub(r"\btotal_type\b", wide, plain)
    plain = re.sub(r"\bpair_part\b|\bt\b", type_.name, plain)
    made = print_program(load(EVERYWHERE, types=(("t", type_),)))
    assert f"\ntype t: number = {type_.name}\n" in made
    assert re.sub(r"\ntype t.*", "", made) == print_program(load(plain))


def test_a_program_is_checked_for_every_type_and_its_default_comes_first():
    program = load(EVERYWHERE, every=True)
    [parameter] = program.types
    assert (parameter.type, parameter.default) == (Type.FLOAT32, Type.FLOAT32)
    assert parameter.users == ("p", "weight", "x", "s", "y", "doubled", "lowest")


@pytest.mark.parametrize(
    ("text", "code", "said", "fix"),
    [
        (text_of(rest="vertex functor f(v) { apply { y[v] = x[v] << 1; } }", schedule="compute(vertices, f);"),
         "E0206", "only where `t` is float32 or float64", "type t : integer = int32;"),
        (text_of(rest="vertex functor f(v) { apply { y[v] = x[v] / 2; } }", schedule="compute(vertices, f);"),
         "E02", "only where `t` is int32, uint32, int64 or uint64", ""),
        (text_of(rest="vertex functor f(v) { apply { y[v] = sqrt(x[v]); } }", schedule="compute(vertices, f);"),
         "E02", "only where `t` is", ""),
        (text_of(more="vertex z : t = -1;"), "E02", "only where `t` is uint32 or uint64", ""),
        (text_of(more="vertex z : int32;", rest="vertex functor f(v) { apply { z[v] = x[v]; } }",
                 schedule="compute(vertices, f);"), "E02", "uint32, int64, uint64, float32 or float64", ""),
    ],
)  # fmt: skip
def test_what_is_wrong_for_one_type_names_it_and_its_place(text, code, said, fix):
    found = mistakes(text)
    assert code in found and said in found and fix in found
    assert re.search(r":1:\d+: error", found)
    assert analyze(Source("p", text)).diagnostics, "an editor is told, too"


@pytest.mark.parametrize(
    ("more", "fix"),
    [
        ("vertex z : t = 0.5;", "admit fewer types: `type t : real = float32;`"),
        ("input vertex z : int64; vertex w : t = z[id];", "write `t(z[id])`"),
        ("input vertex z : float64; vertex w : t = z[id];", "write `t(z[id])`"),
        ("vertex w : int32 = x[id];", "declare it as `float64`, which holds fractions"),
    ],
)
def test_fixes_are_of_the_type_that_the_program_names(more, fix):
    found = mistakes(text_of(more=more))
    assert f"fix: {fix}\n" in f"{found}\n"
    if "write" in fix:
        wrong = fix.partition("`")[2].strip("`")
        load(text_of(more=more.replace(wrong[wrong.index("(") + 1 : -1] + ";", f"{wrong};")), every=True)


def test_what_is_wrong_for_all_types_is_said_once_without_types():
    found = mistakes(
        text_of(rest="vertex functor f(v) { apply { y[v] = missing; } }", schedule="compute(vertices, f);")
    )
    assert found.count("error[") == 1 and "only where" not in found


def test_an_instance_that_is_asked_for_is_refused_where_it_is_wrong():
    text = text_of(rest="vertex functor f(v) { apply { y[v] = x[v] & 1; } }", schedule="compute(vertices, f);")
    assert load(text_of("integer", "int64")).types[0].type is Type.INT64
    for types in ((), (("t", Type.INT32),)):
        if types:
            load(text, types=types)
            continue
        with pytest.raises(GdslError, match="where `t` is float32 or float64"):
            load(text, types=types)


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ("type t : numbers = float32;", "did you mean `number`?"),
        ("type t : float = float32;", "`number`, `integer` or `real`, not `float`"),
        ("type t : float32 = float32;", "for another name for a type write `type t = float32;`"),
        ("type t : integer = float32;", "the default of `t` is one of the types of `integer`: int32, uint32, int64 or"),
        ("type t : number = bool;", "the default of `t`"),
        ("type t : number = flaot32;", "did you mean `float32`?"),
        ("type t : number = (int32, int32);", "the default of `t`"),
        ("type t : number = float32; type t : real = float32;", "`t` is declared twice"),
        ("type float32 : number = float32;", "`float32` is a word of the language"),
        ("type t : number;", "write `type t : number = float32;`"),
        ("type t = integer;", "declare `type t : integer = "),
        ("vertex x : real;", "declare `type t : real = float32;`"),
        ("template t : number = float32;", "types are declared by `type`"),
        ("type t = wider(int32);", "type t = wide(int32);"),
        ("type t = wide(bool);", "`wide` is of types of numbers"),
        ("type t = u; type u = int32;", "there is no type `u`"),
        ("".join(f"type t{n} : real = float32;" for n in range(4)), "at most 3 type parameters"),
        ("type t : real = float32; param x : real;", "there is no type `real`"),
        ("type t : real = float32; input vertex x : (t, t);", "an input cannot be a pair"),
        ("type t : real = float32; vertex t : int32;", "`t` is declared twice"),
        ("type t : real = float32; vertex x : tt;", "did you mean `t`?"),
    ],
)
def test_declarations_that_cannot_be(declared, said):
    assert said in mistakes(f"program p; problem {{ {declared} }} schedule {{ }}")


def test_the_name_of_a_type_is_no_value():
    found = mistakes(text_of(rest="vertex functor f(v) { apply { y[v] = t; } }", schedule="compute(vertices, f);"))
    assert "`t` is a type, not a value" in found and "write `t(…)` for a cast" in found


def test_type_and_wide_are_words_only_there():
    program = load("program p; problem { param type : int32; vertex wide : int32; } "
                   "vertex functor f(v) { apply { wide[v] = type; } } schedule { compute(vertices, f); }")  # fmt: skip
    assert [param.name for param in program.params] == ["type"] and not program.types


def test_several_parameters_are_checked_together():
    text = (
        "program p; problem {{ type a : {0} = float32; type b : number = float32; input vertex x : a; vertex y : b; }} "
    )
    text += "vertex functor f(v) {{ apply {{ y[v] = {1}; }} }} schedule {{ compute(vertices, f); }}"
    assert len(load(text.format("number", "b(x[v])"), every=True).types) == 2
    found = mistakes(text.format("number", "b(x[v]) + x[v]"))
    assert "for some types only, such as where `a` is" in found and "and `b` is" in found and "ub(" not in found
    only = mistakes(text.format("number", "x[v] << 1 == 2 ? b(1) : b(0)"))
    assert "only where `a` is float32 or float64" in only and "`b`" not in only.partition("note:")[2]


def test_functions_of_other_files_use_the_importers_types(tmp_path):
    (tmp_path / "lib.gdsl").write_text("function capped(a : t, b : t) -> t { let c : t = min(a, b); return t(c); }")
    text = 'program p; import capped from "lib.gdsl"; type t : number = int64; '
    text += "problem { input vertex x : t; vertex y : t; } "
    text += "schedule { compute(vertices, v => { y[v] = capped(x[v], 5); }) @f; }"
    (tmp_path / "p.gdsl").write_text(text)
    assert "min(a, b)" in print_program(load(tmp_path / "p.gdsl", every=True))
    (tmp_path / "p.gdsl").write_text(text.replace("type t : number = int64;", "").replace(": t;", ": int64;"))
    with pytest.raises(GdslError, match=r"(?s)there is no type `t`.*declare `type t = …;` there"):
        load(tmp_path / "p.gdsl")


def test_sums_saturate_in_the_instances_that_write_inf():
    text = text_of(more="vertex z : t = inf;", rest="vertex functor f(v) { apply { y[v] = x[v] + z[v]; } }",
                   schedule="compute(vertices, f);")  # fmt: skip
    for type_ in TYPE_CLASSES["number"]:
        printed = print_program(load(text, types=(("t", type_),)))
        assert ("+|" in printed) == type_.is_integer


def test_a_choice_that_cannot_be():
    for types, said in (((("u", Type.INT32),), "no type parameter `u`"), ((("t", Type.BOOL),), "bool is not one")):
        with pytest.raises(GdslError, match=said) as caught:
            load_checked(Source("p", text_of()), (), types)
        assert caught.value.code == "E0621"
