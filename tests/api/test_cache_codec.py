"""The data form of cached programs: what is written is read back, and everything else is refused."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import pickle
import random
import re
from enum import Enum
from functools import cache

import pytest

from gdsl import extents
from gdsl.backends.cpu import compiled
from gdsl.backends.cuda import plan_of, stored
from gdsl.cache import program_key
from gdsl.cache.codec import Codec
from gdsl.codegen.checks import CheckSite, CheckTable
from gdsl.codegen.cpu.generate import generate as generate_cpp
from gdsl.codegen.cuda.generate import Generated as GeneratedCuda
from gdsl.codegen.cuda.generate import generate as generate_cuda
from gdsl.ir import nodes, storage
from gdsl.ir.traversal import rewrite, walk
from gdsl.operations import Balance, GraphQuery, UnaryOperation
from gdsl.pipeline import load
from gdsl.source import Source, Span
from gdsl.types import Type, Widths
from tests.support import programs

PROGRAMS = sorted([*programs.SAMPLES, *programs.PROGRAMS])
FORMS = [(), ("schedule.fuse=off",), ("schedule.ids=64", "schedule.block=128")]
EACH = [*((path, tune) for tune in FORMS for path in PROGRAMS), *((path, ()) for path in programs.LIBRARY)]


@cache
def lowered(path, tune=()):
    return load(str(path), tune)


@pytest.mark.parametrize(("path", "tune"), EACH, ids=lambda part: getattr(part, "stem", str(part)))
@pytest.mark.sampled(7)
def test_every_program_comes_back_as_it_was(path, tune):
    program = lowered(path, tune)
    found = storage.decode(storage.encode(program))
    assert found == program
    assert repr(found) == repr(program)  # tells 0 from 0.0 and from False


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_comes_back_with_its_key(path, monkeypatch):
    program = lowered(path)
    data = storage.encode_with_key(program)
    found, key = storage.decode_with_key(data), program_key(program)
    others = [dataclasses.replace(program, doc="another"), dataclasses.replace(found, doc="another")]
    assert program_key(others[0]) == program_key(others[1]) != key
    assert {program_key(each) for each in (copy.copy(found), pickle.loads(pickle.dumps(found)))} == {key}
    monkeypatch.setattr(nodes.Program, "__repr__", None)
    assert program_key(found) == key, "it was not asked for what it holds"


def test_what_has_no_key_before_it_is_no_program_of_the_cache():
    data = storage.encode_with_key(lowered(PROGRAMS[0]))
    assert storage.decode_with_key(data) is not None
    for other in (data[1:], data[64:], b"", b"x" + data[1:], data[:63] + b"G" + data[64:], data[:-1]):
        assert storage.decode_with_key(other) is None


@pytest.mark.parametrize("tune", FORMS, ids=str)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.sampled(7)
def test_what_backends_keep_comes_back_as_it_was(path, tune):
    program = lowered(path, tune)
    made = generate_cuda(plan_of(program), Widths.both(32))
    kept = stored.encode((made, b"\0machine code"))
    assert stored.decode(kept) == (made, b"\0machine code")
    assert stored.decode(kept[:-13]) is None, "without machine code"
    assert [stored.decode(kept[:end]) for end in (0, 15, 16, len(kept) // 2)] == [None] * 4
    assert stored.decode(kept[:3] + b"\xff" + kept[4:]) is None, "lengths beyond the end"
    for_cpu = generate_cpp(compiled.plan_of(program), Widths.both(32))
    assert compiled._FACTS.decode(compiled._FACTS.encode(for_cpu)) == for_cpu
    assert for_cpu.fits(program)
    assert not dataclasses.replace(for_cpu, parts=("no part of a graph",)).fits(program)
    for place, buffer in enumerate(for_cpu.buffers[: len(program.arrays)]):  # as long as the program says it is
        other = dataclasses.replace(buffer, extent=extents.Fixed(1))
        changed = (*for_cpu.buffers[:place], other, *for_cpu.buffers[place + 1 :])
        assert not dataclasses.replace(for_cpu, buffers=changed).fits(program)


def test_every_class_of_the_ir_can_be_kept():
    """A field of a type that has no data form would be found out here, and not by a user."""
    kinds = [kind for kind in vars(nodes).values() if dataclasses.is_dataclass(kind)]
    assert len(kinds) > 50
    for codec, known in ((storage._PROGRAMS, kinds), (stored.codec(), (GeneratedCuda, CheckTable, CheckSite))):
        for kind in known:
            codec._reader(kind)
            for annotation in (field.type for field in dataclasses.fields(kind)):
                for word in set(re.findall(r"\w+", annotation)) - {"None", "tuple", "list", "frozenset", "dict"}:
                    assert codec._pair(word).json(), "what is within is not looked at before there is a value"


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
    [array] = storage.decode(storage.encode(with_value(value, kind))).arrays
    assert type(array.initial.value) is type(value)
    assert repr(array.initial.value) == repr(value)


def test_texts_keep_every_sign():
    program = dataclasses.replace(lowered(PROGRAMS[0]), doc='é\u2028"\\\n\ud800', source_name="/a b/\udcff.gdsl")
    assert storage.decode(storage.encode(program)) == program


def test_what_no_declaration_allows_is_not_written():
    assert storage.encode(with_value("text")) is None
    assert storage.encode(with_value(None)) is None
    assert storage.encode(dataclasses.replace(lowered(PROGRAMS[0]), name="p; system()")) is None
    assert storage.encode("no program") is None


class OpenedError(Exception):
    """Raised by what must not be executed."""


class Bomb:
    def __reduce__(self):
        return exec, ("raise OpenedError",)


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"null", b"[]", b"{}", b"1", b'"Program"', b"[" * 100_000, b"\xff\xfe", b"NaN", pickle.dumps(Bomb())],
    ids=range(11),
)
def test_other_data_is_refused(data):
    assert storage.decode(data) is None


def places(value, path=()):
    """The path of everything in JSON data."""
    yield path
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from places(each, (*path, number))


def changed(value, path, new):
    if not path:
        return new
    return [changed(each, path[1:], new) if number == path[0] else each for number, each in enumerate(value)]


NEW = [
    None,
    True,
    -1,
    10**30,
    1.5,
    "x",
    "x; y",
    "Program",
    "__class__",
    [],
    [[]],
    ["Literal"],
    ["Bomb", 1],
    {},
    {"a": 1},
]


@pytest.mark.parametrize("path", PROGRAMS[:6], ids=lambda path: path.stem)
@pytest.mark.sampled(3)
def test_changed_data_is_refused_or_a_sound_program(path):
    """Never an exception, and never an object of a class or a type that is not declared there."""
    data = json.loads(storage.encode(lowered(path)))
    chosen = random.Random(path.stem)
    everywhere = list(places(data))
    for _ in range(600):
        other = changed(data, chosen.choice(everywhere), chosen.choice(NEW))
        found = storage.decode(json.dumps(other).encode())
        if found is not None:
            assert_declared(found)


def assert_declared(value):
    if isinstance(value, tuple):
        for each in value:
            assert_declared(each)
    elif dataclasses.is_dataclass(value):
        assert type(value) in (*vars(nodes).values(), *vars(extents).values(), Span, Type)
        if isinstance(value, Type):
            assert value is Type.named(value.name)
            return
        for field in dataclasses.fields(value):
            found = getattr(value, field.name)
            if field.type == "str":
                assert type(found) is str
            if field.type == "str" and field.name not in ("doc", "source_name", "reason"):
                assert found.isidentifier()
            if field.type == "bool":
                assert type(found) is bool
            if field.type == "Expression":
                assert isinstance(found, nodes.Expression)
            assert_declared(found)
    else:
        assert value is None or isinstance(value, (bool, int, float, str, Enum))


def test_names_that_would_be_code_are_refused():
    data = storage.encode(lowered(PROGRAMS[0]))
    name = lowered(PROGRAMS[0]).arrays[0].name
    assert storage.decode(data) is not None
    for other in ("a; int b", "a b", "", "1a", "a\\n", "../a", "a\\u0000", "é"):
        assert storage.decode(data.replace(f'"{name}"'.encode(), f'"{other}"'.encode())) is None


def test_program_that_does_not_hold_together_is_refused():
    data = storage.encode(lowered(PROGRAMS[0]))
    name = lowered(PROGRAMS[0]).arrays[0].name
    assert storage.decode(data.replace(f'"{name}"'.encode(), b'"another"', 1)) is None


def test_nesting_without_end_is_refused_both_ways():
    @dataclasses.dataclass(frozen=True)
    class Deep:
        inner: Deep | None

    value = None
    for _ in range(100_000):
        value = Deep(value)
    codec = Codec(Deep, {"Deep": Deep})
    assert codec.encode(value) is None
    assert codec.decode(b"[" * 100_000 + b"null" + b"]" * 100_000) is None
    while value is not None:  # so that it is not taken apart by recursion
        value = value.inner


def replaced(program, kind, **changes):
    """`program` with the first node of a kind changed."""
    done = []

    def change(node):
        if type(node) is not kind or done or getattr(node, "checked", None) is False:
            return node
        done.append(node)
        return dataclasses.replace(node, **changes)

    changed_program = rewrite(program, change)
    assert done
    return changed_program


NOWHERE = Span(1, 1, 1, 2)
UNSOUND = {
    "an index that is not tested": ("lookups", nodes.Element, {"checked": False}),
    "a place far away": ("bfs", nodes.Literal, {"span": Span(10**30, 1, 1, 1)}),
    "a width of ids": ("bfs", nodes.Tuning, {"ids": -1}),
    "a size of blocks": ("bfs", nodes.Tuning, {"block": 0}),
    "a factor of nothing": ("bfs", nodes.OperatorKnobs, {"alpha": 0}),
    "a knob of another operator": ("pagerank", nodes.OperatorKnobs, {"balance": Balance.BLOCK}),
    "operators without knobs": ("bfs", nodes.Tuning, {"sites": ()}),
    "a condition that is not there": ("bfs", nodes.Closing, {"conjunct": 15}),
    "a condition that does not close": ("backward", nodes.Closing, {"conjunct": 1}),
    "data without a beginning": ("bfs", nodes.Array, {"initial": None}),
    "what the caller gives": ("bfs", nodes.Array, {"is_input": True}),
    "a number that does not fit": ("bfs", nodes.Literal, {"value": 10**30}),
    "a bool as a number": ("bfs", nodes.Literal, {"value": True}),
    "too many arguments": ("pagerank", nodes.BuiltinCall, {"arguments": ()}),
    "an operation on other types": ("pagerank", nodes.Unary, {"operation": UnaryOperation.INVERT}),
    "a loop that is left from outside": ("bfs", nodes.EdgeFunctor, {"body": (nodes.Break(NOWHERE),)}),
    "a vertex where there is none": ("bfs", nodes.While, {"condition": nodes.Place(NOWHERE, Type.BOOL)}),
}


@pytest.mark.parametrize("name", UNSOUND)
def test_verified_programs_that_no_text_becomes_are_refused(name):
    stem, kind, changes = UNSOUND[name]
    [path] = [path for path in PROGRAMS if path.stem == stem]
    program = lowered(path)
    if kind is nodes.Unary:
        minus = nodes.Literal(NOWHERE, Type.FLOAT32, 1.0)
        operand = nodes.Unary(NOWHERE, Type.FLOAT32, UnaryOperation.INVERT, minus)
        param = dataclasses.replace(program.params[0], default=operand)
        broken = dataclasses.replace(program, params=(param, *program.params[1:]))
    else:
        broken = replaced(program, kind, **changes)
    assert storage.decode(storage.encode(program)) == program
    data = storage.encode(broken)
    assert data is not None
    assert storage.decode(data) is None


def test_functions_without_end_are_refused():
    text = """program p; problem { vertex a : int32; } function g(x : int32) -> int32 { return x; }
function h(x : int32) -> int32 { return g(x); }
vertex functor f(v) { apply { a[v] = h(1); } } schedule { compute(vertices, f); }"""
    program = load(Source("<text>", text))
    assert storage.decode(storage.encode(program)) == program
    call = next(node for node in walk(program.functions) if isinstance(node, nodes.FunctionCall))
    circle = replaced(program, nodes.FunctionCall, function="h" if call.function == "g" else "g")
    assert storage.decode(storage.encode(circle)) is None


LISTS = """program p; problem { vertex a : int32; vertex b : vertex; edge w : int32; }
vertex functor f(v) { apply { for u, x in neighbors(v) { a[u] += w[x]; } let n = neighbor(b[v], 0); } }
schedule { compute(vertices, f); }
"""
OF_ANOTHER_LIST = nodes.ListVariable(NOWHERE, Type.VERTEX, "y")


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        (nodes.ListVariable, {"name": "y"}),
        (nodes.ListVariable, {"type": Type.EDGE}),
        (nodes.ForNeighbors, {"name": "y"}),
        (nodes.ForNeighbors, {"edge": None}),
        (nodes.ForNeighbors, {"edge": "u"}),
        (nodes.ForNeighbors, {"vertex": OF_ANOTHER_LIST}),
        (nodes.ForNeighbors, {"body": (nodes.Assign(NOWHERE, "u", nodes.NoneId(NOWHERE, Type.VERTEX)),)}),
        (nodes.GraphRead, {"checked": False}),
        (nodes.GraphRead, {"query": GraphQuery.SOURCE}),
        (nodes.GraphRead, {"query": GraphQuery.HAS_EDGE}),
        (nodes.GraphRead, {"arguments": ()}),
        (nodes.GraphRead, {"type": Type.EDGE}),
    ],
    ids=str,
)
def test_lists_that_no_text_walks_are_refused(kind, changes):
    program = load(Source("<text>", LISTS))
    assert storage.decode(storage.encode(program)) == program
    if kind is nodes.ForNeighbors:
        functor = program.vertex_functors[0]
        loop, *rest = functor.body
        body = (dataclasses.replace(loop, **changes), *rest)
        changed = dataclasses.replace(program, vertex_functors=(dataclasses.replace(functor, body=body),))
    else:
        changed = replaced(program, kind, **changes)
    assert changed != program
    assert storage.decode(storage.encode(changed)) is None


def test_functions_see_no_lists():
    function = "function g(v: vertex) -> int32 { return 1; }"
    text = LISTS.replace("let n", "a[v] += g(v); let n").replace("schedule", f"{function}\nschedule")
    program = load(Source("<text>", text))
    [loop, *_], [function] = program.vertex_functors[0].body, program.functions
    walks = dataclasses.replace(loop, vertex=nodes.Local(NOWHERE, Type.VERTEX, "v"), checked=True, body=())
    changed = dataclasses.replace(function, body=(walks, *function.body))
    assert storage.decode(storage.encode(dataclasses.replace(program, functions=(changed,)))) is None
