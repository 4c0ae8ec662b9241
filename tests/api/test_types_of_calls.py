"""The types of a program's type parameters in calls: inferred, chosen, compiled once each, on every backend."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest

import gdsl
from gdsl.diagnostics import GdslError
from gdsl.types import TYPE_CLASSES

SCALED = """
program scaled;
problem {{
    type   t : {kind} = {default};
    param  factor : t = 1;
    input  vertex x : t;
    input  vertex z : t;
    vertex y : t = x[id] * factor + z[id];
}}
schedule {{ }}
"""
PATH = gdsl.Graph.from_edges([0, 1], [1, 2])
TEXT = SCALED.format(kind="number", default="float32")


@pytest.fixture(scope="module")
def scaled(one_cache) -> gdsl.Program:
    return gdsl.compile(TEXT)


def type_of(program: gdsl.Program, x: np.ndarray, z: np.ndarray | None = None, **values: object) -> str:
    values = {"x": x, "z": x if z is None else z, **values}
    return program.instance(PATH, values).types["t"]


@pytest.mark.parametrize(
    ("dtype", "type_"),
    [
        ("bool", "int32"), ("int8", "int32"), ("uint8", "int32"), ("int16", "int32"), ("uint16", "int32"),
        ("int32", "int32"), ("uint32", "uint32"), ("int64", "int64"), ("uint64", "uint64"), (">i8", "int64"),
        ("float16", "float32"), ("float32", "float32"), ("float64", "float64"),
    ],
)  # fmt: skip
def test_an_array_decides_by_its_dtype(scaled, dtype, type_):
    x = np.array([1, 0, 1]).astype(dtype)
    assert type_of(scaled, x) == type_
    result = scaled(PATH, x=x, z=x, backend="reference")
    assert result.y.dtype == np.dtype(type_) and result.y.tolist() == [2, 0, 2]
    assert type_of(scaled, gdsl.unchecked(x), z=x) == type_


@pytest.mark.parametrize(
    ("x", "z", "type_"),
    [
        ("int32", "uint32", "int64"), ("int32", "float32", "float64"), ("float32", "float64", "float64"),
        ("uint8", "float16", "float32"), ("int32", "int64", "int64"), ("uint32", "uint64", "uint64"),
        ("int64", "float64", "float64"), ("int64", "uint64", "int64"), ("int64", "float32", "float64"),
    ],
)  # fmt: skip
def test_several_arrays_have_a_type_that_represents_all(scaled, x, z, type_):
    """By their dtypes, or where no type does that by their values."""
    assert type_of(scaled, np.array([1, 2, 3], x), np.array([4, 5, 6], z)) == type_


@pytest.mark.parametrize(
    ("x", "z"),
    [
        (np.array([2**53 + 1, 0, 0]), np.array([0.5, 0, 0])),
        (np.array([-1, 0, 0]), np.array([2**63, 0, 0], np.uint64)),
    ],
)
def test_where_no_type_represents_all_the_call_is_refused_with_a_way_out(scaled, x, z):
    with pytest.raises(
        GdslError, match="no type for `t` represents all that was given exactly: `x` is int64"
    ) as caught:
        scaled(PATH, x=x, z=z)
    assert caught.value.code == "E0620" and '{"t": "float64"}' in str(caught.value)
    for way in (scaled.map, scaled.submit):
        with pytest.raises(GdslError, match="E0620"):
            way(PATH, x=x, z=z, factor=[1] if way == scaled.map else 1)


@pytest.mark.parametrize(
    ("factor", "x", "type_"),
    [
        (2, "int32", "int32"), (2**40, "int32", "int64"), (-1, "uint32", "int64"), (0.5, "float32", "float32"),
        (1e300, "float32", "float64"), (0.5, "int32", "float64"), (2, "float32", "float32"),
    ],
)  # fmt: skip
def test_one_number_widens_only_where_it_is_none_of_the_values(scaled, factor, x, type_):
    assert type_of(scaled, np.array([1, 2, 3], x), factor=factor) == type_


def test_a_param_decides_where_there_are_no_arrays(one_cache):
    program = gdsl.compile(
        "program p; problem { type t : number = float32; param a : t = 1; scalar b : t = a; } schedule { }"
    )
    for given, type_ in ((1, "float32"), (2**25 + 1, "int64"), (2**63, "uint64"), (2**63 + 1, "uint64")):
        assert program.instance(PATH, {"a": given}).types == {"t": type_}
        assert program(PATH, a=given, backend="reference").b == given
    assert program.instance(PATH, {"a": np.float64(0.5)}).types == {"t": "float32"}
    for fraction in (1 / 3, 1e-50, 0.1234567891):  # none of them is a float32
        assert program(PATH, a=fraction, backend="reference").b == fraction
    assert program(PATH, backend="reference").b == 1
    assert program.map(PATH, a=[1, 2**25 + 1], backend="reference").b.tolist() == [1, 2**25 + 1]


def test_a_class_without_integers_takes_those_that_floats_represent(one_cache):
    real = gdsl.compile(SCALED.format(kind="real", default="float32"))
    assert type_of(real, np.array([1, 2, 3], np.int8)) == "float32"
    assert type_of(real, np.array([1, 2, 3])) == "float64"
    with pytest.raises(GdslError, match="E0620"):
        type_of(real, np.array([2**53 + 1, 2, 3]))
    whole = gdsl.compile(SCALED.format(kind="integer", default="int64"))
    assert type_of(whole, np.array([1, 2, 3], np.float32)) == "int64"  # whole numbers, or binding rejects them
    with pytest.raises(GdslError, match=r"(?s)`x` is uint64.*astype\('int64'\)"):
        type_of(whole, np.array([2**63, 2, 3], np.uint64), np.array([-1, 2, 3]))
    assert type_of(whole, np.array([1, 2, 3], np.uint64)) == "uint64"


def test_what_is_no_array_of_numbers_gets_the_message_that_it_always_got(scaled):
    for x in (np.array([None] * 3), "abc", [1, "b", 3], {"a": 1}):
        with pytest.raises(GdslError, match="input `x`"):
            scaled(PATH, x=x, z=[1, 2, 3], backend="reference")
    with pytest.raises(GdslError, match="E0605"):
        scaled(PATH, backend="reference")
    with pytest.raises(GdslError, match="E0602"):
        scaled(PATH, w=1, backend="reference")


@pytest.mark.parametrize(
    ("x", "said"),
    [
        ([-1, 2**63 + 1, 0], "has 9223372036854775809 among values that make all of them float64"),
        ([2**53 + 1, 0.5, 0], "has 9007199254740993 among values that make all of them float64"),
        ([2**53 + 2, 0.5, 0], None),
        ([2**63 + 1, 0, 0], None),
    ],
)
def test_lists_whose_integers_numpy_would_round(scaled, x, said):
    if said is None:
        found = scaled(PATH, x=x, z=[0, 0, 0], backend="reference").y
        assert [int(value) for value in found] == [int(each) for each in x]
        return
    with pytest.raises(GdslError, match=said) as caught:
        scaled(PATH, x=x, z=[0, 0, 0], backend="reference")
    assert caught.value.code == "E0607"
    with pytest.raises((ValueError, GdslError), match=said):
        gdsl.Graph.from_edges([0, 1, 2], [1, 2, 0], weights=x)


@pytest.mark.parametrize("said", ["int64", np.int64, np.dtype("int64"), "  int64 ", int, np.dtype(">i8")], ids=str)
def test_a_choice_wins(scaled, said):
    x = np.array([1, 2, 3], np.float32)
    assert scaled.instance(PATH, {"x": x, "z": x}, {"t": said}).types == {"t": "int64"}
    chosen = gdsl.compile(TEXT, types={"t": said})
    assert (chosen.types == {"t": "int64"} and "long" in chosen.source("cpp")) or "int64_t" in chosen.source("cpp")
    ints = np.array([1, 2, 3], np.int8)
    assert chosen(PATH, x=ints, z=ints, backend="reference").y.dtype == np.int64
    assert chosen(PATH, x=ints, z=ints, backend="reference", types={"t": "uint64"}).y.dtype == np.uint64
    assert scaled.submit(PATH, x=ints, z=ints, types={"t": said}, backend="reference").result().y.dtype == np.int64
    many = {"backend": "reference", "types": {"t": said}}
    assert scaled.map(PATH, factor=[1, 2], x=ints, z=ints, **many).y.tolist() == [[2, 4, 6], [3, 6, 9]]
    assert scaled.run(PATH, {"x": ints, "z": ints}, backend="reference", types={"t": said}).y.dtype == np.int64
    assert scaled.dry_run(PATH, {"x": ints, "z": ints}, backend="reference", types={"t": said}).needed >= 0


@pytest.mark.parametrize(
    ("types", "said"),
    [
        ({"tt": "int64"}, "no type parameter `tt`\n  fix: did you mean `t`?"),
        ({5: "int64"}, "no type parameter 5"),
        ({"t": "int"}, "not 'int'"),
        ({"t": "vertex"}, "`t` is one of int32, uint32, int64, uint64, float32, float64, not 'vertex'"),
        ({"t": np.complex128}, "not <class 'numpy.complex128'>"),
        ({"t": None}, "not None"),
    ],
)
def test_a_choice_that_cannot_be(scaled, types, said):
    for refused in (
        lambda: scaled(PATH, x=[1, 2, 3], z=[1, 2, 3], types=types),
        lambda: gdsl.compile(TEXT, types=types),
    ):
        with pytest.raises(GdslError, match="E0621") as caught:
            refused()
        assert said in str(caught.value)


def test_a_chosen_type_takes_the_nearest_values_where_the_caller_says_so(scaled):
    values, many = {"x": [2**24 + 1, 1, 1], "z": [0, 0, 0]}, {"backend": "reference", "types": {"t": "float32"}}
    ways = {
        "run": lambda **options: scaled.run(PATH, values, **many, **options).y[0],
        "map": lambda **options: scaled.map(PATH, factor=[1], **values, **many, **options).y[0, 0],
        "submit": lambda **options: scaled.submit(PATH, **values, **many, **options).result().y[0],
        "dry_run": lambda **options: scaled.dry_run(PATH, values, **many, **options) and 2**24,
    }
    for name, way in ways.items():
        with pytest.raises(GdslError, match="E0607"):
            way()
        assert way(round="x") == 2**24, name


def test_types_of_a_program_without_type_parameters():
    with pytest.raises(GdslError, match="program bfs has no type parameter `t`"):
        gdsl.samples.bfs(PATH, source=0, types={"t": "int64"})
    with pytest.raises(TypeError, match="types is a mapping"):
        gdsl.samples.bfs(PATH, source=0, types=["int64"])
    assert gdsl.samples.bfs(PATH, source=0, types={}, backend="reference").distance.tolist() == [0, 1, 2]
    assert gdsl.samples.bfs.types == {} and "types" not in str(gdsl.samples.bfs.__signature__)


def test_a_param_called_types_is_the_programs(one_cache):
    program = gdsl.compile(
        "program p; problem { type t : number = int32; param types : t = 1; scalar b : t = types; } schedule { }"
    )
    assert program(PATH, types=7, backend="reference").b == 7
    assert program.run(PATH, {"types": 7}, backend="reference", types={"t": "float64"}).b == 7.0


def test_each_instance_has_keys_of_its_own_and_is_made_once(tmp_path, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path))
    program = gdsl.compile(TEXT)
    assert len(list((tmp_path / "checked").iterdir())) == len(list((tmp_path / "front").iterdir())) == 1
    made = {program.instance(PATH, {"x": np.zeros(3, each.name), "z": np.zeros(3, each.name)}) for each in
            TYPE_CLASSES["number"]}  # fmt: skip
    assert len(made) == 6 and program in made
    assert len(list((tmp_path / "front").iterdir())) == 6 and len(list((tmp_path / "checked").iterdir())) == 1
    from gdsl.cache import program_key

    assert len({program_key(each.ir) for each in made}) == 6
    assert len({each.source("cpp") for each in made}) == 6
    again = gdsl.compile(TEXT, types={"t": "int64"})
    assert len(list((tmp_path / "front").iterdir())) == 6 and again.ir.types[0].type.name == "int64"


def test_a_sound_program_is_checked_for_other_types_once(tmp_path, monkeypatch):
    from gdsl import pipeline

    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path))
    asked = []
    load = pipeline.load_source
    monkeypatch.setattr(pipeline, "load_source", lambda *args, every: asked.append(every) or load(*args, every=every))
    gdsl.compile(TEXT)
    gdsl.compile(TEXT)
    gdsl.compile(TEXT, types={"t": "int64"})
    assert asked == [True, False]


def test_a_program_that_is_wrong_for_one_type_does_not_compile_in_others(one_cache):
    text = TEXT.replace("x[id] * factor", "(x[id] & 1) * factor")
    for types in (None, {"t": "int64"}):
        with pytest.raises(GdslError, match="only where `t` is float32 or float64"):
            gdsl.compile(text, types=types)


def test_threads_that_ask_for_one_instance_get_the_same(one_cache):
    program = gdsl.compile(TEXT)
    barrier, found = threading.Barrier(8), []

    def ask(number: int) -> None:
        x = np.array([number, 2**53 + 1, 3], (np.int64, np.uint64)[number % 2])
        barrier.wait()
        result = program(PATH, x=x, z=x * 0, backend="reference")
        found.append((result.y.tolist() == x.tolist(), program.instance(PATH, {"x": x, "z": x})))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all(right for right, _ in found) and len({id(each) for _, each in found}) == 2


def test_copies_and_pickles_have_instances_of_their_own(scaled):
    x = np.array([2**53 + 1, 0, 0])
    for made in (copy.copy(scaled), pickle.loads(pickle.dumps(gdsl.compile(TEXT, types={"t": "int64"})))):
        assert made(PATH, x=x, z=x * 0, backend="reference").y.tolist() == x.tolist()


def test_a_program_says_what_its_types_are(scaled):
    for type_ in (None, "int64"):
        program = gdsl.compile(TEXT, types=None if type_ is None else {"t": type_})
        text = program.__doc__
        assert "t: int32, uint32, int64, uint64, float32 or float64" in text and "factor, x and z" in text
        assert f"x: {'a float32' if type_ is None else 'an int64'} (t) for each vertex" in text
        assert "types=None" in text
    assert "types" in scaled.__signature__.parameters
