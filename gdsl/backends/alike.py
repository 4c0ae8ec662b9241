"""Bindings of many runs that differ in the values of params alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

from gdsl.backends.interface import Bindings


class Alike(Sequence[Bindings]):
    """Bindings that are those of the first but for values of some params; each is made when it is asked for."""

    def __init__(self, first: Bindings, varied: Mapping[str, Sequence[Any]]) -> None:
        """`varied`: by param the values of all, equally many, one at least."""
        self._first, self._varied = first, varied

    def __len__(self) -> int:
        return len(next(iter(self._varied.values())))

    @overload
    def __getitem__(self, index: int) -> Bindings: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Bindings]: ...
    def __getitem__(self, index: int | slice) -> Bindings | Sequence[Bindings]:
        if isinstance(index, slice):
            places = range(len(self))[index]
            varied = {name: values[index] for name, values in self._varied.items()}
            return Alike(self[places[0]], varied) if places else ()
        if index == 0:
            return self._first
        own = {name: values[index] for name, values in self._varied.items()}
        return Bindings({**self._first.params, **own}, self._first.inputs, self._first.own)

    def values(self, name: str) -> Sequence[Any]:
        """Of a param, all of them."""
        return self._varied.get(name) or [self._first.params[name]] * len(self)


def param_values(bound: Sequence[Bindings], name: str) -> Sequence[Any]:
    """What a param is in each of `bound`."""
    return bound.values(name) if isinstance(bound, Alike) else [bindings.params[name] for bindings in bound]


def settle(bound: Sequence[Bindings]) -> None:
    """Wait for the tests that a GPU is busy with, as `Bindings.open` says; of bindings that are alike only the first
    has any."""
    for bindings in bound[:1] if isinstance(bound, Alike) else bound:
        for test in bindings.open:
            test()
