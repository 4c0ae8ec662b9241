"""Options, names and tuning of odd kinds: the same clear word on every backend, and none of NumPy's."""

from __future__ import annotations

import fractions
from decimal import Decimal

import numpy as np
import pytest
from scipy import sparse
from support.odd import BACKENDS, GOOD, GRAPH, HUGE, TEXT, Broken, clear, label

import gdsl
from gdsl.backends import registry

pytestmark = pytest.mark.usefixtures("one_cache")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"max_iterations": 1e6}, TypeError, "max_iterations must be a whole number, not 1000000.0"),
        ({"max_iterations": 2**63}, ValueError, "max_iterations must be from 0 to 2^63 - 1"),
        ({"max_iterations": HUGE}, ValueError, "5001 digits"),
        ({"max_iterations": -1}, ValueError, "max_iterations"),
        ({"max_iterations": True}, TypeError, "whole number, not True"),
        ({"max_iterations": np.True_}, TypeError, "whole number"),
        ({"max_iterations": "3"}, TypeError, "whole number, not '3'"),
        ({"max_iterations": float("nan")}, TypeError, "whole number, not nan"),
        ({"max_iterations": np.array(3)}, TypeError, "whole number"),
        ({"max_iterations": np.array([3])}, TypeError, "whole number"),
        ({"max_iterations": Decimal(3)}, TypeError, "whole number"),
        ({"max_iterations": Broken()}, TypeError, "<Broken>"),
        ({"timeout": float("nan")}, ValueError, "positive number of seconds, not nan"),
        ({"timeout": np.float32("nan")}, ValueError, "positive number of seconds"),
        ({"timeout": "1"}, TypeError, "number of seconds, not '1'"),
        ({"timeout": True}, TypeError, "number of seconds, not True"),
        ({"timeout": 0}, ValueError, "positive"),
        ({"timeout": -HUGE}, ValueError, "positive"),
        ({"timeout": float("-inf")}, ValueError, "positive"),
        ({"timeout": 1 + 2j}, TypeError, "number of seconds"),
        ({"timeout": np.array([1.0])}, TypeError, "number of seconds"),
        ({"timeout": [1]}, TypeError, "number of seconds"),
        ({"fuse": "off"}, gdsl.GdslError, "no param and no input `fuse`"),
        ({"nonsense": 1}, gdsl.GdslError, "no param and no input `nonsense`"),
    ],
)
def test_options_that_are_none(program, backend, options, kind, words) -> None:
    with pytest.raises(kind) as caught:
        program(GRAPH, **GOOD, backend=backend, **options)
    assert words in clear(caught.value)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "options",
    [
        {"timeout": float("inf")}, {"timeout": 1e308}, {"timeout": HUGE}, {"timeout": np.float32(60)},
        {"timeout": 60}, {"timeout": fractions.Fraction(120, 2)}, {"max_iterations": np.int64(3)},
        {"max_iterations": 2**63 - 1}, {"max_iterations": np.uint8(0)},
    ],
)  # fmt: skip
def test_options_that_are_some(program, backend, options) -> None:
    assert program(GRAPH, **GOOD, backend=backend, **options).made.tolist() == [1.5, 2.25, 0.0]


@pytest.mark.parametrize("backend", ["gpu", "", "CPU", " cpu", "cpu\0", "x" * 5000])
def test_backends_that_are_none(program, backend) -> None:
    for call in (lambda: program(GRAPH, **GOOD, backend=backend), lambda: program.prepare(backend)):
        with pytest.raises(ValueError, match="backend must be one of auto") as caught:
            call()
        clear(caught.value)


@pytest.mark.parametrize("backend", [None, 3, b"cpu", ["cpu"], np.array(["cpu", "auto"]), Broken(), registry])
def test_backends_of_odd_kinds(program, backend) -> None:
    for call in (lambda: program(GRAPH, **GOOD, backend=backend), lambda: program.prepare(backend)):
        with pytest.raises(TypeError, match="backend must be a str") as caught:
            call()
        clear(caught.value)


def test_arguments_of_odd_kinds(program) -> None:
    for wrong in (None, "karate.mtx", sparse.csr_array, np.eye(3), Broken(), gdsl.Graph):
        with pytest.raises(TypeError, match=r"must be a gdsl\.Graph"):
            program(wrong)
    for wrong in (3, [("source", 0)], "source=0", np.zeros(3), True):
        with pytest.raises(TypeError, match="a mapping of names"):
            program.run(GRAPH, wrong)
    for wrong in ({1: 2}, {None: 1}, {b"source": 1}, {("a",): 1}):
        with pytest.raises(TypeError, match="is a str"):
            program.run(GRAPH, wrong)
    for wrong in (16, 0, "32", None, HUGE, 32.0, [32], np.array([32, 64])):
        for call in (
            lambda ids=wrong: program.prepare("reference", ids=ids),
            lambda ids=wrong: program.source("cpp", ids=ids),
        ):
            with pytest.raises(ValueError, match="ids must be 32 or 64") as caught:
                call()
            clear(caught.value)
    for wrong in ("fortran", None, ["cuda"], np.array(["cuda", "cpp"])):
        with pytest.raises(ValueError, match="language must be"):
            program.source(wrong)


@pytest.mark.parametrize("fuse", ["off", "on", "", 0, 1, [], np.array([True, False]), HUGE], ids=label)
def test_fuse(fuse) -> None:
    with pytest.raises(TypeError, match="fuse must be True, False or None") as caught:
        gdsl.compile(TEXT, fuse=fuse)
    clear(caught.value)


@pytest.mark.parametrize(
    "tune",
    [
        None,
        5,
        True,
        1.5,
        [1],
        [None],
        [b"f.x=1"],
        b"f.x=1",
        {1: 2},
        {"bounds": None},
        {"bounds": [1]},
        {"schedule.ids": HUGE},
        {"schedule.ids": 64.0},
        object(),
    ],
)
def test_tune_of_odd_kinds(tune) -> None:
    with pytest.raises(TypeError, match="tun") as caught:
        gdsl.compile(TEXT, tune=tune)
    clear(caught.value)


@pytest.mark.parametrize(
    "tune",
    [
        "",
        "x",
        "f.x=1",
        ["schedule.ids=7"],
        {"schedule.ids": -1},
        {"a b": 1},
        {"": ""},
        ["\udcff=1"],
        "schedule.ids=64;\n",
    ],
)
def test_tune_words_that_are_none(tune) -> None:
    with pytest.raises(gdsl.GdslError) as caught:
        gdsl.compile(TEXT, tune=tune)
    clear(caught.value)


def test_tune_words_of_any_iterable() -> None:
    words = ["schedule.ids=64", "bounds=off"]
    expected = gdsl.compile(TEXT, tune=words).ir
    for tune in (
        tuple(words),
        iter(words),
        dict(w.split("=") for w in words),
        np.array(words),
        {"schedule.ids": 64, "bounds": False},
    ):
        assert gdsl.compile(TEXT, tune=tune).ir == expected
    assert gdsl.compile(TEXT, tune="schedule.ids=64").ir.tuning.ids == 64


@pytest.mark.parametrize("value", [0, 0.0, False, np.int64(0), np.array([0]), np.array([0, 1]), "", []], ids=label)
def test_what_looks_like_no_workers_is_none_of_them(program, value) -> None:
    """A comparison with False would take 0 for an option that was not given."""
    with pytest.raises(TypeError, match=r"workers is what gdsl\.cluster returns"):
        program(GRAPH, **GOOD, backend="reference", workers=value)
    for option in ("checkpoint", "every", "parts"):
        with pytest.raises(TypeError, match=rf"{option} is for runs with workers=gdsl\.cluster"):
            program(GRAPH, **GOOD, backend="reference", **{option: value})


def test_params_by_keyword_where_a_mapping_holds_them() -> None:
    bfs, graph = gdsl.samples.bfs, gdsl.Graph.read("karate")
    with pytest.raises(TypeError) as caught:
        bfs.run(graph, source=0)
    assert (
        str(caught.value) == "run has no option 'source': write bfs.run(graph, {'source': …}), or bfs(graph, source=…)"
    )
    with pytest.raises(TypeError) as caught:
        bfs.dry_run(graph, source=0)
    assert str(caught.value) == "dry_run has no option 'source': write bfs.dry_run(graph, {'source': …})"
    with pytest.raises(TypeError, match="run has no option 'bakend'"):
        bfs.run(graph, {"source": 0}, bakend="cpu")
