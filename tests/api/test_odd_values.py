"""Values of odd kinds wherever Python hands one over: the same clear word on every backend, and none of NumPy's."""

from __future__ import annotations

import fractions
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import gdsl
from gdsl.backends import registry

TEXT = """program odd;
problem {
    param  source : vertex = 0;
    param  factor : float32 = 1.0;
    param  count : int32 = 1;
    param  really : bool = true;
    input  vertex amount : int32;
    input  vertex share : float64;
    input  vertex mark : bool;
    input  vertex next : vertex;
    vertex made : float64;
    vertex followed : int32;
    scalar total : vertex;
}
vertex functor f(v) {
    apply {
        if (mark[v] && really) { made[v] = share[v] * float64(factor) + float64(amount[v] * count); }
        if (next[v] != none) { followed[v] = amount[next[v]]; }
    }
}
schedule { compute(vertices, f); total = source; }
"""
BACKENDS = ["reference", "cpu"]
GOOD = {"amount": [1, 2, 3], "share": [0.5, 0.25, 0.0], "mark": [True, True, False], "next": [2, 0, -1]}
HUGE = 10**5000


class Broken:
    """Fails whatever is asked of it."""

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        raise RuntimeError("broken array")

    def __repr__(self) -> str:
        raise RuntimeError("broken repr")


@pytest.fixture(autouse=True, scope="module")
def one_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GDSL_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def program() -> gdsl.Program:
    return gdsl.compile(TEXT)


def label(value: object) -> str:
    """Python does not write out `HUGE`."""
    return value if isinstance(value, str) and value.isidentifier() else type(value).__name__


GRAPH = gdsl.Graph.from_edges([0, 1], [1, 2])


def clear(error: BaseException) -> str:
    """The message, which is ours."""
    text = str(error)
    assert text.isprintable() or isinstance(error, gdsl.GdslError), text
    assert len(text) < 700
    for foreign in (
        "numpy.",
        "np.int",
        "ufunc",
        "Exceeds the limit",
        "Python int too large",
        "truth value",
        "NoneType object",
        "concatenate",
    ):
        assert foreign not in text, text
    return text


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
    for wrong in (None, "karate.mtx", sparse.eye(3), np.eye(3), Broken(), gdsl.Graph):
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


MASKED = np.ma.array([1, 2, 3], mask=[False, True, False])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("source", HUGE, "E0604"), ("source", -HUGE, "E0604"), ("source", 3, "E0604"), ("source", -1, "E0604"),
        ("source", 1.0, "E0603"), ("source", np.float64(1), "E0603"), ("source", "1", "E0603"),
        ("source", np.str_("1"), "E0603"), ("source", None, "E0603"), ("source", True, "E0603"),
        ("source", np.True_, "E0603"), ("source", [1], "E0603"), ("source", np.array([1]), "E0603"),
        ("source", np.ma.masked, "E0603"), ("source", np.ma.array(1, mask=True), "E0603"),
        ("source", np.timedelta64(1, "ns"), "E0603"), ("source", np.datetime64(1, "ns"), "E0603"),
        ("source", 1 + 0j, "E0603"), ("source", Decimal(1), "E0603"), ("source", b"1", "E0603"),
        ("source", "１", "E0603"), ("source", Broken(), "E0603"), ("source", np.uint64(2**64 - 1), "E0604"),
        ("source", 2**32, "E0604"), ("count", HUGE, "E0603"), ("count", 2**31, "E0603"),
        ("count", np.array(2.0), "E0603"), ("count", float("nan"), "E0603"), ("factor", HUGE, "E0603"),
        ("factor", 1e39, "E0603"), ("factor", True, "E0603"), ("factor", "1", "E0603"), ("factor", 1j, "E0603"),
        ("factor", np.ma.masked, "E0603"), ("factor", fractions.Fraction(1, 2), "E0603"), ("really", 1, "E0603"),
        ("really", "true", "E0603"), ("really", np.ma.masked, "E0603"), ("amount", MASKED, "E0607"),
        ("amount", [np.ma.masked, 1, 2], "E0607"), ("amount", [1, MASKED[1:2].reshape(()), 3], "E0607"),
        ("amount", (1, 2, np.ma.masked), "E0607"), ("share", np.ma.masked_invalid([1.0, np.nan, 2.0]), "E0607"),
        ("mark", np.ma.array([True, True, True], mask=True), "E0607"),
        ("next", np.ma.masked_equal([0, -1, 2], -1), "E0607"), ("amount", [1, 2, HUGE], "E0607"),
        ("amount", [1, 2, 2**63], "E0607"), ("amount", [1, 2, 2**31], "E0607"), ("amount", [1.0, 2.0, 3.0], "E0607"),
        ("amount", ["1", "2", "3"], "E0607"), ("amount", [1, None, 3], "E0607"), ("amount", [[1], [2, 3]], "E0607"),
        ("amount", 5, "E0606"), ("amount", None, "E0607"), ("amount", {1: 2}, "E0607"), ("amount", "123", "E0607"),
        ("amount", np.zeros((3, 1), int), "E0606"), ("amount", np.zeros(3, complex), "E0607"),
        ("amount", np.zeros(3, "M8[s]"), "E0607"), ("amount", np.zeros(3, "m8[s]"), "E0607"),
        ("amount", np.zeros(3, [("a", "i4")]), "E0607"), ("amount", np.array([1, 2, 3], object), "E0607"),
        ("amount", np.zeros(3, bool), "E0607"), ("amount", np.array(["a", "b", "c"]), "E0607"),
        ("amount", np.zeros(3, "V4"), "E0607"), ("amount", Broken(), "E0607"), ("amount", [], "E0606"),
        ("amount", sparse.eye(3), "E0607"), ("amount", range(10**15), "E0708"),
        ("amount", np.broadcast_to(np.int32(1), 10**15), "E0708"), ("share", [HUGE, 1, 1], "E0607"),
        ("share", [1j, 0, 0], "E0607"), ("share", np.full(3, np.longdouble("1e400")), "E0607"),
        ("mark", [1, 0, 1], "E0607"), ("next", [0, 3, 0], "E0604"), ("next", [0, -2, 0], "E0604"),
        ("next", np.array([0, 2**64 - 1, 0], np.uint64), "E0604"), ("next", [0.0, 1.0, 2.0], "E0607"),
    ],
    ids=label,
)  # fmt: skip
def test_values_that_are_refused(program, backend, name, value, code) -> None:
    with pytest.raises(gdsl.GdslError) as caught:
        program(GRAPH, **{**GOOD, name: value}, backend=backend)
    assert caught.value.code == code
    assert name in clear(caught.value) or code == "E0708"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("source", np.int8(2)), ("source", np.array(2)), ("source", np.uint64(2)), ("count", np.array(1, ">i8")),
        ("factor", np.float16(1)), ("factor", np.longdouble(1)), ("factor", 1), ("factor", np.int64(1)),
        ("really", np.True_), ("really", np.array(True)), ("count", np.ma.array(7)[()]),
        ("amount", np.array([1, 2, 3], ">i4")), ("amount", np.array([1, 2, 3], ">u8")),
        ("amount", np.array([3, 2, 1])[::-1]), ("amount", range(1, 4)),
        ("amount", np.array([1, 9, 2, 9, 3, 9], np.int32)[::2]),
        ("amount", np.frombuffer(b"x" + np.array([1, 2, 3], np.int32).tobytes(), np.int32, offset=1)),
        ("amount", memoryview(np.array([1, 2, 3], np.int16))), ("amount", bytearray),
        ("amount", np.ma.array([1, 2, 3])), ("amount", (np.int8(1), 2, np.array(3))),
        ("amount", np.matrix([1, 2, 3]).A1), ("amount", np.asfortranarray([1, 2, 3])),
        ("amount", np.broadcast_to(np.int32([[1], [2], [3]]), (3, 1))[:, 0]),
        ("share", np.array([0.5, 0.25, 0], np.float16)), ("share", np.array([0.5, 0.25, 0], ">f4")),
        ("share", np.array([0.5, 0.25, 0], np.longdouble)), ("mark", np.frombuffer(bytes([1, 2, 0]), np.bool_)),
        ("mark", np.array([False, True, True])[::-1]), ("next", np.array([2, 0, -1], np.int8)),
        ("next", np.array([2, 0, -1], ">i8")),
        ("share", np.rec.array([(0.5,), (0.25,), (0.0,)], dtype=[("x", "f8")]).x),
    ],
)  # fmt: skip
def test_values_that_are_converted(program, backend, name, value) -> None:
    """All of these are the same numbers as `GOOD`'s, but for `count`, which may be anything."""
    if value is bytearray:
        value = __import__("array").array("i", [1, 2, 3])
    result = program(GRAPH, **{**GOOD, name: value}, backend=backend)
    count = int(value) if name == "count" else 1
    assert result.made.tolist() == [0.5 + count, 0.25 + 2 * count, 0.0]
    assert result.followed.tolist() == [3, 1, 0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([0], [1], "3"), "num_vertices must be a whole number"), (([0], [1], 3.0), "num_vertices"),
        (([0], [1], True), "num_vertices"), (([0], [1], float("nan")), "num_vertices"),
        (([0], [1], [3]), "num_vertices"), (([0], [1], np.array([3])), "num_vertices"),
    ],
)  # fmt: skip
def test_graphs_of_odd_kinds(arguments, words) -> None:
    with pytest.raises(TypeError, match=words) as caught:
        gdsl.Graph.from_edges(*arguments)
    clear(caught.value)


@pytest.mark.parametrize(
    "keywords",
    [
        {"directed": "no"}, {"directed": 0}, {"directed": None}, {"directed": np.array([True, False])},
        {"attributes": [1]}, {"attributes": 5}, {"attributes": {1: [1]}}, {"vertex_attributes": "x"},
        {"vertex_attributes": {None: [1, 1]}}, {"attributes": np.zeros(2)},
    ],
)  # fmt: skip
def test_keywords_of_odd_kinds(keywords) -> None:
    with pytest.raises(TypeError) as caught:
        gdsl.Graph.from_edges([0], [1], **keywords)
    clear(caught.value)


@pytest.mark.parametrize(
    ("sources", "keywords", "code"),
    [
        (np.ma.array([0, 1], mask=[0, 1]), {}, "E0711"), ([0, np.ma.masked], {}, "E0711"), ([0, HUGE], {}, "E0711"),
        ([0, 2**63], {}, "E0707"), (np.array([0, 1], complex), {}, "E0711"), (np.array([0, 1], object), {}, "E0711"),
        (np.zeros(2, "M8[s]"), {}, "E0711"), ([True, False], {}, "E0711"), ([0.0, 1.0], {}, "E0711"),
        ("01", {}, "E0711"), (None, {}, "E0711"), (5, {}, "E0711"), ({0: 1, 1: 2}, {}, "E0711"),
        ([[0], [1]], {}, "E0711"), (Broken(), {}, "E0711"), (range(10**15), {}, "E0708"),
        (np.broadcast_to(0, 10**15), {}, "E0708"), ([0, -1], {}, "E0707"), ([0, 1], {"num_vertices": HUGE}, "E0709"),
        ([0, 1], {"num_vertices": -HUGE}, "E0711"), ([0, 1], {"num_vertices": 1}, "E0707"),
        ([0, 1], {"weights": np.ma.array([1.0, 2.0], mask=[1, 0])}, "E0711"),
        ([0, 1], {"weights": [1.0, np.ma.masked]}, "E0711"), ([0, 1], {"weights": [1, HUGE]}, "E0711"),
        ([0, 1], {"weights": np.ones(2, "longdouble")}, "E0711"), ([0, 1], {"weights": [1j, 2]}, "E0711"),
        ([0, 1], {"weights": ["a", "b"]}, "E0711"), ([0, 1], {"weights": 5.0}, "E0711"),
        ([0, 1], {"vertex_attributes": {"x": np.ma.masked_all(2)}}, "E0711"), ([0, 2**40], {}, "E0709"),
    ],
)  # fmt: skip
def test_edges_that_are_refused(sources, keywords, code) -> None:
    with pytest.raises(gdsl.GdslError) as caught:
        gdsl.Graph.from_edges(sources, [0, 0], **keywords)
    assert caught.value.code == code
    clear(caught.value)


@pytest.mark.parametrize("dtype", ["i1", "u1", ">i2", "u2", "i4", ">u4", "i8", ">i8", "u8", ">u8"])
@pytest.mark.parametrize("directed", [True, False])
def test_ids_of_any_integer_type(dtype, directed) -> None:
    graph = gdsl.Graph.from_edges(np.array([9, 2, 9, 0], dtype)[1::2][::-1], [1, 2], directed=directed)
    assert graph.edge_sources.tolist() == ([0, 2] if directed else [0, 1, 2])
    assert graph.columns.tolist() == ([1, 2] if directed else [1, 0, 2])


@pytest.mark.parametrize("dtype", ["?", "i1", ">i2", "u4", ">i8", "u8", "f2", ">f4", ">f8"])
def test_weights_of_any_type(dtype) -> None:
    weights = np.array([1, 0, 1], dtype)
    graph = gdsl.Graph.from_edges([0, 1, 2], [1, 2, 0], weights=weights[::-1], vertex_attributes={"x": weights})
    assert graph.attributes["weight"].tolist() == graph.vertex_attributes["x"].tolist() == [1, 0, 1]
    assert graph.attributes["weight"].dtype.isnative
    assert graph.attributes["weight"].dtype.itemsize <= 8


@pytest.mark.parametrize("path", [b"x.mtx", 3, None, ["x.mtx"], True, np.zeros(2)])
def test_paths_of_odd_kinds(path) -> None:
    from gdsl.graph import write

    for call in (lambda: gdsl.Graph.read(path), lambda: write(GRAPH, path)):
        with pytest.raises(TypeError, match="a graph's path is a str or a path-like object, not") as caught:
            call()
        clear(caught.value)


@pytest.mark.parametrize(
    "path", ["x" * 5000 + ".mtx", "nul\0.mtx", "", ".", Path("nul\0"), Path("/no/such.mtx"), "a\nb.mtx", "\udcff.mtx"]
)
def test_paths_to_nothing(path) -> None:
    with pytest.raises(gdsl.GdslError) as caught:
        gdsl.Graph.read(path)
    assert caught.value.code.startswith("E07")
    assert len(str(caught.value)) < 1500
    assert "\n" not in str(caught.value).splitlines()[0]


def test_reading_with_odd_options(tmp_path) -> None:
    file = tmp_path / "edges.txt"
    file.write_text("0 1\n1 2\n")
    assert gdsl.Graph.read(file, num_vertices=np.int64(7)).num_vertices == 7
    for keywords in (
        {"undirected": "no"},
        {"one_based": 1},
        {"num_vertices": "7"},
        {"num_vertices": 7.0},
        {"format": 3},
        {"format": b"edges"},
    ):
        with pytest.raises(TypeError) as caught:
            gdsl.Graph.read(file, **keywords)
        clear(caught.value)
    for keywords in (
        {"weights": 5},
        {"weights": "random:" + "9" * 5000},
        {"dedup": ["min"]},
        {"dedup": HUGE},
        {"format": "x" * 5000},
        {"num_vertices": HUGE},
    ):
        with pytest.raises(gdsl.GdslError) as caught:
            gdsl.Graph.read(file, **keywords)
        assert len(str(caught.value).splitlines()[0]) < 6000
