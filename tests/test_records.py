"""The dataclasses whose methods are shared behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field

import pytest

from gdsl.frontend import syntax
from gdsl.ir import nodes
from gdsl.plan import nodes as plan_nodes
from gdsl.records import dataclass
from gdsl.source import Span
from gdsl.types import Type


def pair(make):
    """The same classes, made by `make`."""

    @make(frozen=True, slots=True)
    class Base:
        """The first field."""

        first: int
        hidden: int = field(default=0, compare=False)

    @make(frozen=True, slots=True)
    class Made(Base):
        """More of them."""

        second: str = "b"
        quiet: int = field(default=1, repr=False)
        named: object = field(default=None, kw_only=True)

        @property
        def both(self) -> str:
            return f"{self.first}{self.second}"

    @make(frozen=True, slots=True)
    class Empty:
        """No field."""

    @make(frozen=True, slots=True)
    class Needed:
        """A field that must have a name."""

        first: int
        last: int = field(kw_only=True)

    return Base, Made, Empty, Needed


OURS, THEIRS = pair(dataclass), pair(dataclasses.dataclass)
CALLS = {
    "by place": lambda base, made, empty, needed: made(1, 2, "c", 3),
    "by name": lambda base, made, empty, needed: made(first=1, second="c", named=5),
    "both": lambda base, made, empty, needed: made(1, 2, quiet=4),
    "defaults": lambda base, made, empty, needed: made(1),
    "without fields": lambda base, made, empty, needed: empty(),
    "a name that must be": lambda base, made, empty, needed: needed(1, last=2),
    "replaced": lambda base, made, empty, needed: dataclasses.replace(made(1, named=7), second="x"),
    "one field": lambda base, made, empty, needed: base(3),
}
WRONG = {
    "too few": lambda base, made, empty, needed: made(),
    "too many": lambda base, made, empty, needed: made(1, 2, "c", 4, None),
    "an unknown name": lambda base, made, empty, needed: made(1, other=2),
    "twice": lambda base, made, empty, needed: made(1, first=2),
    "no name": lambda base, made, empty, needed: needed(1, 2),
    "a name too few": lambda base, made, empty, needed: needed(1),
    "something for nothing": lambda base, made, empty, needed: empty(1),
    "replaced by an unknown name": lambda base, made, empty, needed: dataclasses.replace(made(1), other=1),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_is_made(call):
    ours, theirs = call(*OURS), call(*THEIRS)
    assert repr(ours) == repr(theirs)
    assert dataclasses.astuple(ours) == dataclasses.astuple(theirs)
    assert hash(ours) == hash(theirs)
    assert type(ours).__match_args__ == type(theirs).__match_args__
    assert type(ours).__slots__ == type(theirs).__slots__
    assert ours == call(*OURS)
    assert not (ours != call(*OURS))  # noqa: SIM202


@pytest.mark.parametrize("call", WRONG.values(), ids=WRONG)
def test_what_cannot_be_made(call):
    with pytest.raises(TypeError):
        call(*THEIRS)
    with pytest.raises(TypeError, match=r"__init__\(\)"):
        call(*OURS)


def test_nothing_can_be_changed():
    _, made, *_ = OURS
    value = made(1)
    for change in (
        lambda: setattr(value, "first", 2),
        lambda: setattr(value, "new", 2),
        lambda: delattr(value, "first"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    assert value.first == 1


def test_comparing_leaves_out_what_it_must():
    base, made, *_ = OURS
    assert made(1, 2) == made(1, 3) and hash(made(1, 2)) == hash(made(1, 3))
    assert made(1) != made(2)
    assert base(1) != made(1)
    assert made(1) != 1


def test_copies_and_pickles():
    span = Span(1, 2, 3, 4)
    for node in (
        nodes.Literal(span, Type.INT32, 5),
        syntax.Name(span, "a", now=True),
        nodes.NoneId(span, Type.EDGE),
    ):
        assert copy.copy(node) == copy.deepcopy(node) == pickle.loads(pickle.dumps(node)) == node


def test_it_matches_by_place():
    match nodes.Literal(Span(1, 2, 3, 4), Type.INT32, 5):
        case nodes.Literal(_, kind, value):
            assert (kind, value) == (Type.INT32, 5)


@pytest.mark.parametrize("room", [nodes, plan_nodes, syntax], ids=lambda room: room.__name__)
def test_nodes_are_dataclasses(room):
    kinds = [kind for kind in vars(room).values() if isinstance(kind, type) and dataclasses.is_dataclass(kind)]
    assert len(kinds) > 20
    assert all(len(dataclasses.fields(kind)) == len(kind._shape.names) for kind in kinds if hasattr(kind, "_shape"))


def test_a_value_within_itself_has_a_text():
    _, made, *_ = OURS
    inside = []
    inside.append(made(1, named=inside))
    assert "..." in repr(inside[0])
