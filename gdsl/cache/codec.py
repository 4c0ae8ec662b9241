"""Frozen dataclasses as data: what is read back is of known classes and of the declared types, or it is refused.

A `Codec` knows the classes that it is given. A dataclass becomes a list: the name of its class, where its place could
also hold another one, and its fields in order; an enumeration becomes the name of its member, and what its class knows
by name that name. The rest is JSON. Nothing that is read is ever executed or imported.
"""

from __future__ import annotations

import itertools
import json
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Generic, TypeVar

from gdsl import records

Root = TypeVar("Root")
Convert = Callable[[Any], Any]
Kinds = Callable[[], frozenset[type]]

_SCALARS = (bool, int, float, str, type(None))
_BY_NAME = {kind.__name__: kind for kind in _SCALARS}
_SEQUENCES: dict[str, type] = {"tuple": tuple, "list": list, "frozenset": frozenset}
_FIXED = re.compile(r"tuple\[\w+(, \w+)*\]")
_DATACLASS = "__dataclass_fields__"
_REFUSALS = (ValueError, TypeError, KeyError, RecursionError)


class _Pair(typing.NamedTuple):  # of which there are many, and which is the quickest to make
    """Both ways of the values of one type; and what gives the kinds of JSON that they become and the values' classes,
    which must be known in a union."""

    write: Convert
    read: Convert
    json: Kinds
    values: Kinds


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
        if isinstance(known, type):
            return self._of_class(known)
        if isinstance(known, types.UnionType):
            return self._made(known)
        but_none = annotation.removesuffix(" | None")
        if but_none != annotation and "|" not in but_none:
            return self._or_none(but_none)
        outer, _, inner = annotation.partition("[")
        if outer in _SEQUENCES and inner.endswith("]"):
            element, is_long = inner[:-1].removesuffix(", ..."), outer != "tuple" or inner.endswith(", ...]")
            if is_long and (element.isidentifier() or _FIXED.fullmatch(element)):
                return self._sequence(_SEQUENCES[outer], element)
            if _FIXED.fullmatch(annotation):
                return self._fixed(tuple(element.split(", ")))
        words = annotation.split(" | ")
        if all(word in _BY_NAME for word in words):
            return self._union(tuple([_BY_NAME[word] for word in words]))
        holder = types.SimpleNamespace(__annotations__={"it": annotation})
        return self._pair(typing.get_type_hints(holder, globalns=self._namespace)["it"])

    def _made(self, hint: Any) -> _Pair:
        if isinstance(hint, type) and not isinstance(hint, types.GenericAlias):  # nearly all, and asked the quickest
            return self._of_class(hint)
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
        raise AssertionError(f"no data for {hint}")

    def _of_class(self, kind: Any) -> _Pair:
        if kind is str and self._names is not None:
            return _matching(self._names)
        if kind in _SCALARS:
            return _scalar(kind)
        if issubclass(kind, Enum):
            return _enumeration(kind)
        if hasattr(kind, "named"):
            return _known_by_name(kind)
        if hasattr(kind, _DATACLASS):
            return self._one_of((kind,))
        raise AssertionError(f"no data for {kind}")

    def _or_none(self, hint: str) -> _Pair:
        """What is not looked at before there is another value than None."""

        def write(value: Any) -> Any:
            return None if value is None else self._pair(hint).write(value)

        def read(value: Any) -> Any:
            return None if value is None else self._pair(hint).read(value)

        none = _kinds(type(None))
        return _Pair(write, read, lambda: self._pair(hint).json() | none(), lambda: self._pair(hint).values() | none())

    def _sequence(self, kind: Any, element: Any) -> _Pair:
        """What is not looked at before there is an element."""

        def write(value: Any) -> Any:
            _require(type(value) is kind)
            if not value:
                return []
            inner = self._pair(element).write
            return [inner(each) for each in (sorted(value) if kind is frozenset else value)]

        def read(value: Any) -> Any:
            if type(value) is not list:
                raise ValueError
            if not value:
                return kind()
            inner = self._pair(element).read
            return kind([inner(each) for each in value])

        return _Pair(write, read, _kinds(list), _kinds(kind))

    def _fixed(self, elements: tuple[Any, ...]) -> _Pair:
        inner = [self._pair(element) for element in elements]

        def write(value: Any) -> Any:
            _require(type(value) is tuple)
            return [pair.write(each) for pair, each in zip(inner, value, strict=True)]

        def read(value: Any) -> Any:
            if type(value) is not list:
                raise ValueError
            return tuple([pair.read(each) for pair, each in zip(inner, value, strict=True)])

        return _Pair(write, read, _kinds(list), _kinds(tuple))

    def _dictionary(self, element: Any) -> _Pair:
        inner, text = self._pair(element), self._pair(str)

        def write(value: Any) -> Any:
            _require(type(value) is dict)
            return {text.write(name): inner.write(each) for name, each in value.items()}

        def read(value: Any) -> Any:
            if type(value) is not dict:
                raise ValueError
            return {text.read(name): inner.read(each) for name, each in value.items()}

        return _Pair(write, read, _kinds(dict), _kinds(dict))

    def _union(self, arguments: tuple[Any, ...]) -> _Pair:
        nodes = tuple(each for each in arguments if hasattr(each, _DATACLASS) and not hasattr(each, "named"))
        pairs = [self._pair(argument) for argument in arguments if argument not in nodes]
        if nodes:
            pairs.append(self._one_of(nodes))
        readers = {kind: pair.read for pair in pairs for kind in pair.json()}
        assert len(readers) == sum(len(pair.json()) for pair in pairs), arguments
        writers: dict[type, Convert] = {}

        def write(value: Any) -> Any:
            if not writers:
                writers.update((kind, pair.write) for pair in pairs for kind in pair.values())
            return writers[type(value)](value)

        return _Pair(
            write,
            lambda value: readers[type(value)](value),
            lambda: frozenset(readers),
            lambda: frozenset().union(*[pair.values() for pair in pairs]),
        )

    def _one_of(self, parents: tuple[Any, ...]) -> _Pair:
        """Dataclasses: `parents` and those made from them. These are found by their names when they are read: to find
        all that there could be takes longer than to read those that there are."""
        family = parents if self._is_last(parents[0]) else tuple(itertools.islice(self._family(parents), 2))
        if len(family) == 1:
            return self._record(family[0])
        readers: dict[str, Convert] = {}

        def write(value: Any) -> Any:
            kind = type(value)
            _require(issubclass(kind, parents) and self._is_last(kind))
            return [kind.__name__, *self._writer(kind)(value)]

        def read(value: Any) -> Any:
            if type(value) is not list or not value:
                raise ValueError
            found = readers.get(value[0])
            if found is None:
                found = readers[value[0]] = self._reader(self._called(value[0], parents))
            return found(value[1:])

        return _Pair(write, read, _kinds(list), lambda: frozenset(self._family(parents)))

    def _record(self, kind: Any) -> _Pair:
        """One dataclass."""

        def write(value: Any) -> Any:
            return self._writer(kind)(value)

        def read(value: Any) -> Any:
            return (self._readers.get(kind) or self._reader(kind))(value)

        return _Pair(write, read, _kinds(list), _kinds(kind))

    def _called(self, name: str, parents: tuple[Any, ...]) -> Any:
        """The dataclass of that name in a family. Raises ValueError or KeyError where there is none."""
        kind: Any = self._namespace[name]
        _require(isinstance(kind, type) and kind.__name__ == name)
        _require(issubclass(kind, parents) and self._is_last(kind))
        return kind

    def _family(self, parents: Iterable[Any]) -> Iterator[Any]:
        """The dataclasses made from these from which no other is made: a program holds no others."""
        for kind in parents:
            if self._is_last(kind):
                yield kind
            else:
                yield from self._family(self._made_from(kind))

    def _made_from(self, kind: Any) -> Iterator[Any]:
        return (each for each in kind.__subclasses__() if self._namespace.get(each.__name__) is each)

    def _is_last(self, kind: Any) -> bool:
        """Whether it is a dataclass that is known, from which no other is made."""
        known = self._namespace.get(kind.__name__) is kind
        return known and hasattr(kind, _DATACLASS) and next(self._made_from(kind), None) is None

    def _fields(self, kind: Any) -> list[tuple[str, _Pair]]:
        free, fields = self._free.get(kind.__name__, ()), getattr(kind, _DATACLASS)
        return [(name, _scalar(str) if name in free else self._pair(fields[name].type)) for name in kind.__match_args__]

    def _writer(self, kind: Any) -> Convert:
        if kind not in self._writers:
            writers = [(name, pair.write) for name, pair in self._fields(kind)]

            def write(value: Any) -> Any:
                _require(type(value) is kind)
                return [convert(getattr(value, name)) for name, convert in writers]

            self._writers[kind] = write
        return self._writers[kind]

    def _reader(self, kind: Any) -> Convert:
        if kind not in self._readers:
            fields = self._fields(kind)
            readers, puts = [pair.read for _, pair in fields], _puts(kind)

            def read(value: Any) -> Any:
                if type(value) is not list:
                    raise ValueError
                return kind(*[convert(each) for convert, each in zip(readers, value, strict=True)])

            def put_into_slots(value: Any) -> Any:
                if type(value) is not list:
                    raise ValueError
                made = new(kind)
                for put, convert, each in zip(puts, readers, value, strict=True):
                    put(made, convert(each))
                return made

            new = object.__new__
            self._readers[kind] = put_into_slots if puts else read
        return self._readers[kind]


def _puts(kind: Any) -> Sequence[Callable[[Any, Any], None]]:
    """What sets the slots of a class that has nothing else, as its own `__init__` would, which takes longer."""
    if (known := records.slots_of(kind)) is not None:
        return known
    found = [] if hasattr(kind, "__post_init__") else [getattr(kind, name, None) for name in kind.__match_args__]
    slots = [each for each in found if isinstance(each, types.MemberDescriptorType)]
    return [each.__set__ for each in slots] if len(slots) == len(found) else []


def _by_class(fields: Iterable[str]) -> dict[str, frozenset[str]]:
    """The names of fields ("Class.field") by their classes."""
    found: dict[str, frozenset[str]] = {}
    for field in fields:
        kind, _, name = field.partition(".")
        found[kind] = found.get(kind, frozenset()) | {name}
    return found


def _kinds(kind: type) -> Kinds:
    return lambda: frozenset((kind,))


def _scalar(kind: type) -> _Pair:
    def same(value: Any) -> Any:
        if type(value) is not kind:
            raise ValueError
        return value

    return _Pair(same, same, _kinds(kind), _kinds(kind))


def _known_by_name(hint: Any) -> _Pair:
    """A class with one object for each name, which `named` gives."""
    return _Pair(lambda value: value.name, hint.named, _kinds(str), _kinds(hint))


def _enumeration(kind: type[Enum]) -> _Pair:
    def write(value: Any) -> Any:
        _require(type(value) is kind)
        return value.name

    return _Pair(write, kind.__members__.__getitem__, _kinds(str), _kinds(kind))


def _matching(names: re.Pattern[str]) -> _Pair:
    matches = names.fullmatch

    def same(value: Any) -> Any:
        if type(value) is not str or matches(value) is None:
            raise ValueError
        return value

    return _Pair(same, same, _kinds(str), _kinds(str))


def _require(holds: bool) -> None:
    if not holds:
        raise ValueError
