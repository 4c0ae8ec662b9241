"""Programs and generated code come out of the cache as they were stored."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from functools import cache as remember

import pytest

from gdsl import cache
from gdsl.backends.cpu import plan_of as cpu_plan_of
from gdsl.backends.cuda import plan_of
from gdsl.cache import program_key
from gdsl.codegen.cpu.generate import generate as generate_cpp
from gdsl.codegen.cuda.generate import generate as generate_cuda
from gdsl.ir import nodes
from gdsl.ir.traversal import walk
from gdsl.pipeline import load
from gdsl.source import Source
from gdsl.types import Type, Widths
from tests.support import programs

PROGRAMS = sorted([*programs.SAMPLES, *programs.PROGRAMS])
FORMS = [(), ("schedule.fuse=off",), ("schedule.ids=64", "schedule.block=128")]
EACH = [*((path, tune) for tune in FORMS for path in PROGRAMS), *((path, ()) for path in programs.LIBRARY)]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path / "cache"))


@remember
def lowered(path, tune=()):
    return load(str(path), tune)


def stored(value):
    """`value` through the cache."""
    cache.store("front", ("a",), value)
    return cache.load("front", ("a",))


@pytest.mark.parametrize(("path", "tune"), EACH, ids=lambda part: getattr(part, "stem", str(part)))
@pytest.mark.sampled(35)
def test_every_program_comes_back_as_it_was(path, tune):
    program = lowered(path, tune)
    found = stored(program)
    assert found == program
    assert repr(found) == repr(program)  # tells 0 from 0.0 and from False
    types = [node.type for node in walk(found) if isinstance(node, nodes.Expression)]
    assert all(type_ is Type.named(type_.name) for type_ in types), "types are compared by identity"


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.sampled(5)
def test_a_program_comes_back_with_its_key(path, monkeypatch):
    program = lowered(path)
    key = program_key(program)
    cache.store_program(("a",), program)
    found = cache.load_program(("a",))
    others = [dataclasses.replace(program, doc="another"), dataclasses.replace(found, doc="another")]
    assert program_key(others[0]) == program_key(others[1]) != key
    assert {program_key(each) for each in (copy.copy(found), pickle.loads(pickle.dumps(found)))} == {key}
    monkeypatch.setattr(nodes.Program, "__repr__", None)
    assert program_key(found) == key, "it was not computed again"


@pytest.mark.parametrize("tune", FORMS, ids=str)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.sampled(35)
def test_what_backends_store_comes_back_as_it_was(path, tune):
    program = lowered(path, tune)
    for_gpu = (generate_cuda(plan_of(program), Widths.both(32)), b"\0machine code")
    assert stored(for_gpu) == for_gpu
    for_cpu = generate_cpp(cpu_plan_of(program), Widths.both(32))
    assert stored(for_cpu) == for_cpu


def with_value(value, kind="float64"):
    start, then = ("true", "false") if kind == "bool" else (1, 2)
    text = (
        f"program p; problem {{ vertex a : {kind} = {start}; }}\nvertex functor f(v) {{ apply {{ a[v] = {then}; }} }}"
    )
    program = load(Source("<text>", f"{text}\nschedule {{ compute(vertices, f); }}\n"))
    [array] = program.arrays
    literal = dataclasses.replace(array.initial, value=value)
    return dataclasses.replace(program, arrays=(dataclasses.replace(array, initial=literal),))


FLOATS = [0.0, -0.0, 1.5, math.inf, -math.inf, 5e-324, 1.7976931348623157e308]


@pytest.mark.parametrize(
    ("kind", "value"),
    [*(("float64", value) for value in FLOATS), ("int32", 0), ("uint64", 2**64 - 1), ("bool", True)],
)
def test_values_keep_every_bit_and_their_type(kind, value):
    [array] = stored(with_value(value, kind)).arrays
    assert type(array.initial.value) is type(value)
    assert repr(array.initial.value) == repr(value)


def test_texts_keep_every_sign():
    program = dataclasses.replace(lowered(PROGRAMS[0]), doc='é\u2028"\\\n\ud800', source_name="/a b/\udcff.gdsl")
    assert stored(program) == program


@pytest.mark.parametrize("data", [b"", b"{", b"no pickle", pickle.dumps(1)[:-1], b"cgdsl.ir.nodes\nNowhere\n."])
def test_data_that_is_no_object_counts_as_missing(data):
    cache.put("front", ("a",), data)
    assert cache.load("front", ("a",)) is None


def test_what_is_nested_too_deeply_is_not_stored():
    value = None
    for _ in range(100_000):
        value = (value,)
    assert stored(value) is None
    while value is not None:  # so that it is not taken apart by recursion
        [value] = value
