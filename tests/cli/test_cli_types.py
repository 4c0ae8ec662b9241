"""`-t NAME=TYPE`: the types of a program's type parameters on the command line, and those that files decide."""

from __future__ import annotations

import json

import numpy as np
import pytest

PROGRAM = '''"""The heaviest edge of every vertex."""
program heaviest;
problem {
    type t : number = float32;
    param least : t = 0;
    input edge weight : t;
    vertex heaviest : t;
    scalar total : t;
}
edge functor offer(src, dst, e) { cond weight[e] >= least; apply { heaviest[src] max= weight[e]; total += weight[e]; } }
schedule { advance(vertices, offer, to=none); }
'''


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "heaviest.gdsl").write_text(PROGRAM)
    (tmp_path / "a.gr").write_text("p sp 3 2\na 1 2 16777217\na 2 3 5\n")
    (tmp_path / "b.csv").write_text("source,target,weight\n0,1,0.1\n1,2,5\n")


def document(gdslc, *words):
    return json.loads(gdslc("run", "heaviest", *words, "--backend", "reference", "--json").out)


def test_a_file_decides_and_the_report_says_so(gdslc):
    found = document(gdslc, "a.gr")
    assert found["types"] == {"t": "int64"} and found["results"]["heaviest"]["maximum"] == 2**24 + 1
    assert document(gdslc, "b.csv")["types"] == {"t": "float64"}
    assert document(gdslc, "b.csv")["results"]["heaviest"]["minimum"] == 0
    assert "types: t = int64\n" in gdslc("run", "heaviest", "a.gr", "--backend", "reference").out
    chosen = document(gdslc, "b.csv", "-t", "t=float32")
    assert chosen["types"] == {"t": "float32"}
    assert "types:" not in gdslc("run", "heaviest", "b.csv", "-t", "t=float32", "--backend", "reference").out


def test_params_and_arrays_decide_with_it(gdslc, tmp_path):
    assert document(gdslc, "a.gr", "-p", "least=6")["results"]["total"]["value"] == 2**24 + 1
    assert document(gdslc, "a.gr", "-p", "least=5.5")["types"] == {"t": "float64"}
    np.save(tmp_path / "w.npy", np.array([2**63 + 1, 1], np.uint64))
    found = document(gdslc, "a.gr", "-p", "weight=@w.npy")
    assert found["types"] == {"t": "uint64"} and found["results"]["heaviest"]["maximum"] == 2**63 + 1
    np.save(tmp_path / "w.npy", np.array([2**53 + 1, 1]))
    refused = gdslc("run", "heaviest", "a.gr", "-p", "weight=@w.npy", "-p", "least=0.5")
    assert refused.status == 1 and "error[E0620]" in refused.err and "-t t=float64" in refused.err


def test_many_values(gdslc):
    found = gdslc("run", "heaviest", "a.gr", "--each", "least=0,6", "--backend", "reference", "--json")
    results = json.loads(found.out)["results"]
    assert results["heaviest"]["type"] == "int64" and json.loads(found.out)["types"] == {"t": "int64"}
    found = gdslc("run", "heaviest", "a.gr", "--each", "least=0,5.5", "-t", "t=float64", "--backend", "reference")
    assert "types: t = float64\n" in found.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-t", "u=int64"), "program heaviest has no type parameter `u`"),
        (("-t", "t=int46"), "did you mean int64?"),
        (("-t", "t"), "is not of the form name=type"),
        (("-t", "=int64"), "is not of the form name=type"),
        (("-t", "t=int64", "-t", "t=int32"), "the type of t is given twice"),
    ],
)
def test_a_choice_that_cannot_be(gdslc, words, said):
    for verb in (("run", "heaviest", "a.gr"), ("check", "heaviest"), ("compile", "heaviest")):
        refused = gdslc(*verb, *words)
        assert refused.status != 0 and said in refused.err


def test_verbs_that_take_no_graph_take_the_default(gdslc, tmp_path):
    assert "input edge weight: float32" in gdslc("compile", "heaviest", "--emit", "ir").out
    assert "input edge weight: uint64" in gdslc("compile", "heaviest", "--emit", "ir", "-t", "t=uint64").out
    assert "name='uint64'" in gdslc("compile", "heaviest", "--emit", "ast", "-t", "t=uint64").out
    assert "long long" in gdslc("compile", "heaviest", "--emit", "cuda", "-t", "t=int64").out
    told = gdslc("check", "heaviest").out
    assert "type t: int32, uint32, int64, uint64, float32 or float64; follows the dtype of least and weight" in told
    assert "input weight: a float32 (t) for each edge" in told and "result total: a float32 (t)" in told
    assert "input weight: an int64 (t) for each edge" in gdslc("check", "heaviest", "-t", "t=int64").out
    assert "type t:" in gdslc("explain", "heaviest.gdsl").out
    assert gdslc("export", "heaviest", "-o", "out", "--backend", "cpu", "-t", "t=int64").status == 0
    assert "int64_t" in (tmp_path / "out" / "heaviest.h").read_text()
    assert "float" not in (tmp_path / "out" / "heaviest.h").read_text()


def test_a_program_that_is_wrong_for_one_type_is_refused_by_every_verb(gdslc, tmp_path):
    (tmp_path / "heaviest.gdsl").write_text(PROGRAM.replace("max= weight[e]", "max= weight[e] & 1"))
    for verb in (("run", "heaviest", "a.gr"), ("check", "heaviest"), ("compile", "heaviest", "-t", "t=int64")):
        refused = gdslc(*verb)
        assert refused.status == 1 and "only where `t` is float32 or float64" in refused.err
        assert "heaviest.gdsl:10:" in refused.err and "type t : integer = int32;" in refused.err


@pytest.mark.slow
def test_profiles_schedules_and_dry_runs(gdslc):
    profile = gdslc("profile", "heaviest", "a.gr", "--backend", "reference", "-t", "t=float64", "--json", "p.json")
    assert profile.status == 0 and profile.out
    checked = gdslc("check", "--schedules", "3", "heaviest", "a.gr", "--backend", "cpu")
    assert checked.status == 0 and "0 differ" in checked.out
    assert gdslc("run", "heaviest", "a.gr", "--dry-run", "--backend", "reference").status == 0
    assert gdslc("tune", "heaviest", "a.gr", "--seconds", "20", "--backend", "reference", "-t", "t=int64").status == 0


def test_an_unused_type_is_warned_of(gdslc, tmp_path):
    (tmp_path / "p.gdsl").write_text(
        "program p; problem { type t : real = float32; vertex a : int32 = 1; } schedule { }"
    )
    assert "nothing has the type `t`" in gdslc("check", "p").err
