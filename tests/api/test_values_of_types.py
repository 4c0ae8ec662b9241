"""Values that the declared type does not have are rejected, by name and with a way out; `round` takes the nearest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gdsl
from gdsl import GdslError
from gdsl.binding.representation import first_changed, has_float32
from gdsl.cli.main import main

EDGES = ([0, 1, 2], [1, 2, 3])
LARGE = 2**25 + 1


def graph_of(values: Any) -> gdsl.Graph:
    return gdsl.Graph.from_edges(*EDGES, attributes={"weight": np.asarray(values)})


def program_of(kind: str, what: str = "input edge weight") -> gdsl.Program:
    body = "x[e] = weight;" if what == "param weight" else "x[e] = weight[e];"
    text = f"problem {{ {what} : {kind}; edge x : {kind}; }}"
    return gdsl.compile(f"program p; {text} schedule {{ compute(edges, (u, v, e) => {{ {body} }}); }}")


FINE = [
    ("float32", [0.1, 0.7, 1e-7]),
    ("float32", [2.0**24, 2.0**25, -(2.0**30)]),
    ("float32", np.array([2**24, 2**25, -(2**62)])),
    ("float32", [np.nan, np.inf, -0.0]),
    ("float32", np.float32([0.1, 1 / 3, 1e-45]).astype(float)),
    ("float32", [0.37454012, 0.95071429, 5.8e-11]),
    ("float64", np.array([2**53, 2**60, -(2**63)])),
    ("int32", np.array([1, 2, 3], np.uint64)),
]
WRONG = [
    (
        "float32",
        [1, LARGE, 2.5],
        "has 33554433, which float32 cannot hold; the nearest is 33554432",
        "`weight : float64`",
    ),
    ("float32", np.array([1, LARGE, 2]), "edge 1 (1 -> 2) has 33554433", "`weight : int64`"),
    ("float32", np.array([1, LARGE, 2], np.uint32), "edge 1 (1 -> 2) has 33554433", "`weight : float64`"),
    ("float32", np.array([1, 2**60 + 1, 2]), "edge 1 (1 -> 2) has 1152921504606846977", "`weight : int64`"),
    (
        "float32",
        [1, 123456790.0, 1],
        "edge 1 (1 -> 2) has 123456790, which float32 cannot hold",
        "`weight : float64`",
    ),
    (
        "float32",
        [1, 0.1 + 0.2, 1],
        "has 0.30000000000000004, which float32 cannot hold; the nearest is 0.3",
        "float64",
    ),
    ("float32", [1, 0.123456789, 1], "the nearest is 0.12345679", "--round weight (from Python: round='weight')"),
    ("float32", [1, 1e-50, 1], "edge 1 (1 -> 2) has 1e-50, which float32 cannot hold", "float64"),
    (
        "float64",
        np.array([1, 2**53 + 1, 1]),
        "has 9007199254740993, which float64 cannot hold",
        "`weight : int64`",
    ),
    ("float64", np.array([1, 2**64 - 1, 1], np.uint64), "has 18446744073709551615", "`weight : uint64`"),
]


@pytest.mark.parametrize(("kind", "values"), FINE)
def test_values_that_the_type_has(kind: str, values: Any) -> None:
    found = program_of(kind)(graph_of(values), backend="reference").x
    np.testing.assert_array_equal(found, np.asarray(values).astype(kind))


@pytest.mark.parametrize(("kind", "values", "message", "fix"), WRONG)
def test_the_first_value_that_it_does_not_have_is_named(kind: str, values: Any, message: str, fix: str) -> None:
    program, values = program_of(kind), np.asarray(values)
    for given, graph in (({}, graph_of(values)), ({"weight": values}, gdsl.Graph.from_edges(*EDGES))):
        with pytest.raises(GdslError) as caught:
            program(graph, backend="reference", **given)
        [found] = caught.value.diagnostics
        assert found.code == "E0607" and message in found.message and fix in (found.fix or "")
        rounded = program(graph, backend="reference", round="weight", **given).x
        np.testing.assert_array_equal(rounded, values.astype(kind))


PARAMS = [
    ("float32", 0.85, 2 / 3),
    ("float32", 1e-8, 1 - 1e-9),
    ("float32", 1e-45, 1.5e-45),
    ("float32", 2**24, 2**24 + 1),
    ("float64", 2**53, 2**53 + 1),
    ("float64", 1e300, 2**80 + 1),
]


@pytest.mark.parametrize(("kind", "fine", "wrong"), PARAMS)
def test_params(kind: str, fine: float, wrong: float) -> None:
    program, graph = program_of(kind, "param weight"), gdsl.Graph.from_edges(*EDGES)
    assert program(graph, weight=fine, backend="reference").x[0] == np.dtype(kind).type(fine)
    with pytest.raises(GdslError, match=f"E0603.*{kind} cannot hold .*; the nearest is (.|\n)*--round weight"):
        program(graph, weight=wrong, backend="reference")
    if isinstance(wrong, int) and wrong < 2**63:
        with pytest.raises(GdslError, match=f"E0603.*{kind} cannot hold"):
            program(graph, weight=np.longdouble(wrong), backend="reference")
    assert program(graph, weight=wrong, round=["weight"], backend="reference").x[0] == np.dtype(kind).type(wrong)


def test_rounding_to_integers() -> None:
    program = program_of("int32")
    with pytest.raises(
        GdslError, match=r"E0607.*edge 1 .* has 0.5, which int32 cannot hold(.|\n)*declare `weight : float64`, or "
    ):
        program(graph_of([1.0, 0.5, 1]), backend="reference")  # .astype would silently make it 0
    found = program(graph_of([0.4, 2.6, -1.5]), round="weight", backend="reference").x
    assert found.tolist() == [0, 3, -2]
    for wrong in (np.nan, 3e9, -np.inf):
        with pytest.raises(GdslError, match=r"E0607.*which int32 cannot hold(.|\n)*declare `weight : float64`"):
            program(graph_of([0, wrong, 1]), round="weight", backend="reference")
    assert program_of("int32", "param weight")(graph_of([1, 1, 1]), weight=2.6, round="weight").x[0] == 3


def test_every_way_to_run_takes_it() -> None:
    program, graph = program_of("float32"), graph_of([1, LARGE, 1])
    wanted, options = float(LARGE - 1), {"round": "weight", "backend": "reference"}
    assert program.run(graph, {}, **options).x[1] == wanted
    assert program.submit(graph, **options).result().x[1] == wanted
    assert program.dry_run(graph, **options).fits
    assert gdsl.profile(program, graph, **options).text()
    of_param = program_of("float32", "param weight")
    assert of_param.map(graph, weight=[1, LARGE], **options).x[1, 0] == wanted
    with pytest.raises(GdslError, match=r"E0603.*\n(.|\n)*number 1 of the 2 values"):
        of_param.map(graph, weight=[1, LARGE], backend="reference")


def test_names_to_round_are_known() -> None:
    program, graph = program_of("float32"), graph_of([1, 2, 3])
    with pytest.raises(GdslError, match=r"E0602.*no input 'wieght'(.|\n)*did you mean 'weight'"):
        program(graph, round="wieght")
    for wrong in (True, 1, [1], {"weight": 1}, b"weight"):
        with pytest.raises(TypeError, match="round"):
            program(graph, round=wrong)


def test_the_command_takes_it(tmp_path: Any, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "g.csv").write_text(f"source,target,weight\n0,1,1\n1,2,{LARGE}\n")
    (tmp_path / "p.gdsl").write_text(program_of("float32").text.text)
    words = [str(tmp_path / "p.gdsl"), str(tmp_path / "g.csv"), "--backend", "reference"]
    assert main(["run", *words]) == 1
    assert "has 33554433, which float32 cannot hold; the nearest is 33554432" in capfd.readouterr().err
    for verb in (["run"], ["run", "--dry-run"], ["profile"], ["check", "--schedules", "1"]):
        assert main([*verb, *words, "--round", "weight"]) == 0, capfd.readouterr().err
    assert main(["run", *words, "--round", "w"]) == 1
    assert "no param and no input 'w'" in capfd.readouterr().err


def test_digits_are_compared_as_they_are_printed() -> None:
    random = np.random.default_rng(1)
    size = 10.0 ** random.integers(-20, 20, 300)
    values = np.concatenate(
        [random.random(300), np.round(random.random(300), 5), (random.random(300) * size).astype(np.float32)]
    )
    values[600:] = [float(str(each)) for each in values[600:].astype(np.float32)]
    denormals = [float(str(each)) for each in np.arange(1, 4000, 37, np.uint32).view(np.float32)]
    values = np.concatenate([values, denormals, [1e-45, 1.4e-45, 1.5e-45, 2e-45, 1e-40, 1.23e-40, 1.17549e-38, 7e-46]])
    for value in map(float, values):
        narrow = np.float32(value)
        printed = {float(f"{narrow:.{digits}g}") for digits in range(1, 10)}
        wanted = float(narrow) == value or (value % 1 != 0 and value in printed)
        one = np.array([value])
        assert has_float32(value) is wanted, value
        assert (first_changed(one, one.astype(np.float32), np) is None) is wanted, value
