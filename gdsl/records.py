"""`dataclass` for the nodes of trees, of which there are some 250 kinds.

Python compiles six methods for every frozen dataclass, 0.3 ms in all, which was most of the time of importing gdsl.
Here all classes share these methods. Otherwise the classes are ordinary dataclasses for `fields`, `replace`, `match`,
`copy` and `pickle`; only factories of defaults are not supported.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, Literal


class _Shape:
    """What the shared methods know about a class."""

    __slots__ = ("compared", "defaults", "least", "most", "names", "put", "shown", "values")

    def __init__(self, kind: type) -> None:
        fields = sorted(dataclasses.fields(kind), key=lambda field: bool(field.kw_only))
        self.names = tuple(field.name for field in fields)
        self.most = sum(not field.kw_only for field in fields)
        """The number of positional parameters."""
        self.defaults = tuple(field.default for field in fields)
        assert all(field.default_factory is dataclasses.MISSING for field in fields), kind
        self.least = max((at for at, each in enumerate(self.defaults, 1) if each is dataclasses.MISSING), default=0)
        """The least number of positional arguments; more than `most` if some parameters are keyword-only."""
        self.put: tuple[Callable[[Any, Any], None], ...] = tuple(getattr(kind, name).__set__ for name in self.names)
        self.values = _values_of(self.names)
        self.shown = tuple(field.name for field in dataclasses.fields(kind) if field.repr)
        self.compared = _values_of(tuple(field.name for field in fields if field.compare))

    def arranged(self, kind: type, values: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        """The values of all fields in the order of `names`. Raises TypeError like a function with these parameters."""
        what = f"{kind.__qualname__}.__init__()"
        if len(values) > self.most:
            raise TypeError(f"{what} takes {self.most} positional arguments but {len(values)} were given")
        arguments = dict(zip(self.names, values, strict=False))
        for name in named:
            if name not in self.names:
                raise TypeError(f"{what} got an unexpected keyword argument {name!r}")
            if name in arguments:
                raise TypeError(f"{what} got multiple values for argument {name!r}")
        arguments.update(named)
        arranged = [arguments.get(name, default) for name, default in zip(self.names, self.defaults, strict=True)]
        for name, value in zip(self.names, arranged, strict=True):
            if value is dataclasses.MISSING:
                raise TypeError(f"{what} missing required argument {name!r}")
        return arranged


def _values_of(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if not names:
        return lambda record: ()
    values = attrgetter(*names)
    return values if len(names) > 1 else lambda record: (values(record),)


def _init(self: Any, *values: Any, **named: Any) -> None:
    shape: _Shape = self._shape
    if named or not shape.least <= len(values) <= shape.most:
        values = tuple(shape.arranged(type(self), values, named))
    else:
        values += shape.defaults[len(values) :]
    for put, value in zip(shape.put, values, strict=True):
        put(self, value)


@recursive_repr()
def _repr(self: Any) -> str:
    fields = [f"{name}={getattr(self, name)!r}" for name in self._shape.shown]
    return f"{type(self).__qualname__}({', '.join(fields)})"


def _eq(self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    compared = self._shape.compared
    return self is other or compared(self) == compared(other)


def _hash(self: Any) -> int:
    return hash(self._shape.compared(self))


def _setattr(self: Any, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> tuple[Any, ...]:
    values: tuple[Any, ...] = self._shape.values(self)
    return values


def _setstate(self: Any, state: tuple[Any, ...]) -> None:
    for put, value in zip(self._shape.put, state, strict=True):
        put(self, value)


_METHODS = {
    "__init__": _init,
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
    "__getstate__": _getstate,
    "__setstate__": _setstate,
}


def _dataclass(*, frozen: Literal[True], slots: Literal[True], eq: bool = True) -> Callable[[type], type]:
    def made(kind: Any) -> type:
        own = {*vars(kind), *(() if eq else ("__eq__", "__hash__"))}
        kind = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(kind)
        kind._shape = _Shape(kind)
        for name, method in _METHODS.items():
            if name not in own:
                setattr(kind, name, method)
        done: type = kind
        return done

    return made


def equal_apart_from(one: object, other: object, names: tuple[str, ...]) -> bool:
    """Whether two trees of nodes are equal, apart from the fields called `names` of any node."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(partial(equal_apart_from, names=names), one, other))
    shape = getattr(one, "_shape", None)
    if type(one) is not type(other) or shape is None:
        return type(one) is type(other) and one == other
    fields = (name for name in shape.names if name not in names)
    return all(equal_apart_from(getattr(one, name), getattr(other, name), names) for name in fields)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # which is what it is to whoever uses it
else:
    dataclass = _dataclass
