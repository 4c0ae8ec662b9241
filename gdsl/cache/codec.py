"""Frozen dataclasses as data: what is read back is of known classes and of the declared types, or it is refused.

A `Codec` knows the classes that it is given. A dataclass becomes a list: the name of its class, where its place could
also hold another one, and its fields in order; an enumeration becomes the name of its member, and what its class knows
by name that name. The rest is JSON. Nothing that is read is ever executed or imported.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Generic, TypeVar

Root = TypeVar("Root")
Convert = Callable[[Any], Any]

_SCALARS = (bool, int, float, str, type(None))
_BY_NAME = {kind.__name__: kind for kind in _SCALARS}
_LIST, _TUPLE = frozenset((list,)), frozenset((tuple,))
_REFUSALS = (ValueError, TypeError, KeyError, RecursionError)


class _Pair(typing.NamedTuple):  # of which there are many, and which is the quickest to make
    """Both ways of the values of one type, and the kind of JSON that they become."""

    write: Convert
    read: Convert
    json: frozenset[type]
    values: frozenset[type]


class Codec(Generic[Root]):
    """Values of `root` to bytes and back; `classes` are all dataclasses and other names that annotations may hold.

    Where `names` is given, every string of the data must match it, but for the fields in `free` ("Class.field").
    """

    def __init__(
        self,
        root: type[Root],
        classes: Mapping[str, object],
        names: re.Pattern[str] | None = None,
        free: Iterable[str] = (),
    ) -> None:
        """Nothing is looked at before it is first needed."""
        self._root = root
        self._namespace = dict(classes)
        self._names, self._free = names, _by_class(free)
        self._pairs: dict[Any, _Pair] = {}
        """By what stands for a type: itself, or an annotation."""
        self._writers: dict[type, Convert] = {}
        self._readers: dict[type, Convert] = {}

    def encode(self, value: Root) -> bytes | None:
        """`value` as bytes; None where it holds what no declaration allows, or is nested too deeply."""
        try:
            return json.dumps(self._pair(self._root).write(value), separators=(",", ":")).encode()
        except _REFUSALS:
            return None

    def decode(self, data: bytes) -> Root | None:
        """What `encode` made `data` of; None for any other data."""
        try:
            return typing.cast(Root, self._pair(self._root).read(json.loads(data)))
        except _REFUSALS:
            return None

    def _pair(self, hint: Any) -> _Pair:
        found = self._pairs.get(hint)
        if found is None:
            found = self._pairs[hint] = self._annotated(hint) if isinstance(hint, str) else self._made(hint)
        return found

    def _annotated(self, annotation: str) -> _Pair:
        """What an annotation means. To have Python find that out takes longer than reading a program, and nearly all
        are of a few forms that need not be asked for."""
        known = self._namespace.get(annotation) or _BY_NAME.get(annotation)
        if isinstance(known, type | types.UnionType):
            return self._pair(known)
        but_none = annotation.removesuffix(" | None")
        if but_none != annotation and "|" not in but_none:
            return _or_none(self._pair(but_none))
        words = annotation.split(" | ")
        if all(word in _BY_NAME for word in words):
            return self._union(tuple([_BY_NAME[word] for word in words]))
        element = annotation.removeprefix("tuple[").removesuffix(", ...]")
        if element.isidentifier() and annotation == f"tuple[{element}, ...]":
            return self._sequence(tuple, element)
        holder = types.SimpleNamespace(__annotations__={"it": annotation})
        return self._pair(typing.get_type_hints(holder, globalns=self._namespace)["it"])

    def _made(self, hint: Any) -> _Pair:
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in (typing.Union, types.UnionType):
            return self._union(arguments)
        if origin is tuple and arguments[-1] is Ellipsis:
            return self._sequence(tuple, arguments[0])
        if origin is tuple:
            return self._fixed(arguments)
        if origin in (list, frozenset):
            return self._sequence(origin, arguments[0])
        if origin is dict and arguments[0] is str:
            return self._dictionary(arguments[1])
        if hint is str and self._names is not None:
            return _matching(self._names)
        if hint in _SCALARS:
            return _scalar(hint)
        if isinstance(hint, type) and issubclass(hint, Enum):
            return _enumeration(hint)
        if hasattr(hint, "named"):
            return _known_by_name(hint)
        if dataclasses.is_dataclass(hint):
            return self._one_of((hint,))
        raise AssertionError(f"no data for {hint}")

    def _sequence(self, kind: Any, element: Any) -> _Pair:
        inner = self._pair(element)

        def write(value: Any) -> Any:
            _require(type(value) is kind)
            return [inner.write(each) for each in (sorted(value) if kind is frozenset else value)]

        def read(value: Any) -> Any:
            if type(value) is not list:
                raise ValueError
            return kind([inner.read(each) for each in value])

        return _Pair(write, read, _LIST, frozenset((kind,)))

    def _fixed(self, elements: tuple[Any, ...]) -> _Pair:
        inner = [self._pair(element) for element in elements]

        def write(value: Any) -> Any:
            _require(type(value) is tuple)
            return [pair.write(each) for pair, each in zip(inner, value, strict=True)]

        def read(value: Any) -> Any:
            if type(value) is not list:
                raise ValueError
            return tuple([pair.read(each) for pair, each in zip(inner, value, strict=True)])

        return _Pair(write, read, _LIST, _TUPLE)

    def _dictionary(self, element: Any) -> _Pair:
        inner, text = self._pair(element), self._pair(str)

        def write(value: Any) -> Any:
            _require(type(value) is dict)
            return {text.write(name): inner.write(each) for name, each in value.items()}

        def read(value: Any) -> Any:
            if type(value) is not dict:
                raise ValueError
            return {text.read(name): inner.read(each) for name, each in value.items()}

        return _Pair(write, read, frozenset((dict,)), frozenset((dict,)))

    def _union(self, arguments: tuple[Any, ...]) -> _Pair:
        nodes = tuple(each for each in arguments if dataclasses.is_dataclass(each) and not hasattr(each, "named"))
        pairs = [self._pair(argument) for argument in arguments if argument not in nodes]
        if nodes:
            pairs.append(self._one_of(nodes))
        writers = {kind: pair.write for pair in pairs for kind in pair.values}
        readers = {kind: pair.read for pair in pairs for kind in pair.json}
        assert len(readers) == sum(len(pair.json) for pair in pairs), arguments
        return _Pair(
            lambda value: writers[type(value)](value),
            lambda value: readers[type(value)](value),
            frozenset(readers),
            frozenset(writers),
        )

    def _one_of(self, parents: tuple[Any, ...]) -> _Pair:
        """Dataclasses: `parents` and those made from them."""
        family, readers = self._family(parents), self._readers
        kinds, only = frozenset(family.values()), next(iter(family))
        tagged = len(family) > 1

        def write(value: Any) -> Any:
            kind = type(value)
            _require(kind in kinds)
            fields = self._writer(kind)(value)
            return [kind.__name__, *fields] if tagged else fields

        def read(value: Any) -> Any:
            if type(value) is not list or not value:
                raise ValueError
            kind = family[value[0] if tagged else only]
            return (readers.get(kind) or self._reader(kind))(value[1:] if tagged else value)

        return _Pair(write, read, _LIST, kinds)

    def _family(self, parents: tuple[Any, ...]) -> dict[str, type]:
        """The dataclasses made from these from which no other is made, by name: a program holds no others."""
        family: dict[str, type] = {}
        waiting: list[Any] = list(parents)
        while waiting:
            kind = waiting.pop()
            made = [each for each in kind.__subclasses__() if each in self._known]
            if not made and kind in self._known and hasattr(kind, "__dataclass_fields__"):
                family[kind.__name__] = kind
            waiting += made
        return family

    @functools.cached_property
    def _known(self) -> frozenset[type]:
        return frozenset([kind for kind in self._namespace.values() if isinstance(kind, type)])

    def _fields(self, kind: Any) -> list[tuple[str, _Pair]]:
        free = self._free.get(kind.__name__, ())
        return [
            (field.name, _scalar(str) if field.name in free else self._pair(field.type))
            for field in dataclasses.fields(kind)
        ]

    def _writer(self, kind: Any) -> Convert:
        if kind not in self._writers:
            writers = [(name, pair.write) for name, pair in self._fields(kind)]

            def write(value: Any) -> Any:
                _require(type(value) is kind)
                return [convert(getattr(value, name)) for name, convert in writers]

            self._writers[kind] = write
        return self._writers[kind]

    def _reader(self, kind: Any) -> Convert:
        readers = [pair.read for _, pair in self._fields(kind)]

        def read(value: Any) -> Any:
            if type(value) is not list:
                raise ValueError
            return kind(*[convert(each) for convert, each in zip(readers, value, strict=True)])

        self._readers[kind] = read
        return read


def _by_class(fields: Iterable[str]) -> dict[str, frozenset[str]]:
    """The names of fields ("Class.field") by their classes."""
    found: dict[str, frozenset[str]] = {}
    for field in fields:
        kind, _, name = field.partition(".")
        found[kind] = found.get(kind, frozenset()) | {name}
    return found


def _or_none(pair: _Pair) -> _Pair:
    none = type(None)
    assert none not in pair.json

    def write(value: Any) -> Any:
        return None if value is None else pair.write(value)

    def read(value: Any) -> Any:
        return None if value is None else pair.read(value)

    return _Pair(write, read, pair.json | {none}, pair.values | {none})


def _scalar(kind: type) -> _Pair:
    def same(value: Any) -> Any:
        if type(value) is not kind:
            raise ValueError
        return value

    return _Pair(same, same, frozenset((kind,)), frozenset((kind,)))


def _known_by_name(hint: Any) -> _Pair:
    """A class with one object for each name, which `named` gives."""
    return _Pair(lambda value: value.name, hint.named, frozenset((str,)), frozenset((hint,)))


def _enumeration(kind: type[Enum]) -> _Pair:
    members = dict(kind.__members__)

    def write(value: Any) -> Any:
        _require(type(value) is kind)
        return value.name

    return _Pair(write, members.__getitem__, frozenset((str,)), frozenset((kind,)))


def _matching(names: re.Pattern[str]) -> _Pair:
    matches = names.fullmatch

    def same(value: Any) -> Any:
        if type(value) is not str or matches(value) is None:
            raise ValueError
        return value

    return _Pair(same, same, frozenset((str,)), frozenset((str,)))


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError
