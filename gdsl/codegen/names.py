"""How a program's own names are printed: as they are wherever C++ and CUDA allow it.

A name that means something in the generated text, or that ends in an underscore, gets one underscore more; so two
names never become one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from gdsl.codegen.reserved import DATA_MEMBERS, KEYWORDS, LIBRARY, MACROS, PRINTED
from gdsl.ir.nodes import Array, EdgeFunctor, Param, Program, Scalar, VertexFunctor
from gdsl.types import ScalarType

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|\{#.*?#\}", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_NOT_A_WORD = re.compile(r"\W")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_TYPE_NAME = re.compile(r"\b(?:struct|class|union|enum|using)\s+([A-Za-z_]\w*)|\btypedef\b[^;{}]*?([A-Za-z_]\w*)\s*;")


@cache
def identifiers_of(text: str) -> frozenset[str]:
    """Every identifier in C++ (or a template of it), outside comments and strings."""
    return frozenset(_IDENTIFIER.findall(_STRING.sub(" ", _COMMENT.sub(" ", text))))


@cache
def types_of(text: str) -> frozenset[str]:
    """The names of the types that C++ text declares."""
    found = _TYPE_NAME.findall(_COMMENT.sub(" ", text))
    return frozenset(first or second for first, second in found)


def _is_risky(name: str) -> bool:
    return name.startswith("_") or "__" in name or (len(name) > 1 and name.isupper())


def mangled(name: str, reserved: Iterable[frozenset[str]]) -> str:
    """`name`, with an underscore behind it where it is in `reserved`, risky in C++, or ends in an underscore."""
    if name.endswith("_") or _is_risky(name) or any(name in words for words in reserved):
        return f"{name}_"
    return name


class Names:
    """The printed names of one program.

    `runtime` is the text of the runtime headers that the generated text stands beside: functions and variables of
    the program keep clear of everything named there, members of the problem data only of its types.
    """

    def __init__(self, program: Program, runtime: str = "") -> None:
        self._words = KEYWORDS | MACROS
        self._types = types_of(runtime) | DATA_MEMBERS | frozenset(kind.value for kind in ScalarType)
        self._globals = PRINTED | LIBRARY | DATA_MEMBERS | identifiers_of(runtime)
        self._functions: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}
        """By name the first number behind it that `fresh` has not tried yet."""
        for function in program.functions:
            name = mangled(function.name, (self._words, self._globals))
            self._functions[function.name, ""] = name
            self._taken.add(name)
        self._function_names = frozenset(self._taken)
        data: list[Param | Array | Scalar] = [*program.params, *program.arrays, *program.scalars]
        functors: list[VertexFunctor | EdgeFunctor] = [*program.vertex_functors, *program.edge_functors]
        self._parts = tuple(f"{functor.name}_" for functor in functors)
        self._members = {self.member(part.name) for part in data}
        self._variables = {frontier: self._unused(self._variable(frontier)) for frontier in program.frontiers}

    def member(self, name: str) -> str:
        """A param, array or scalar, as a member of `data_slice` (without the `d.`)."""
        return mangled(name, (self._words, self._types))

    def local(self, name: str) -> str:
        """A local, or a parameter of a functor or function."""
        if name.startswith(self._parts):
            return f"{name}_"  # the functions of a functor are called so
        return mangled(name, (self._words, PRINTED, self._function_names))

    def function(self, name: str) -> str:
        """One of the program's own functions."""
        return self._functions[name, ""]

    def functor(self, name: str, part: str) -> str:
        """The function that is a `part` (`condition`, `apply`, …) of a functor, or a type that belongs to it."""
        if (name, part) not in self._functions:
            printed = f"{name}_{part}"
            self._functions[name, part] = self._unused(f"{printed}_" if printed in self._globals else printed)
        return self._functions[name, part]

    def frontier(self, name: str) -> str:
        """A frontier variable of the schedule."""
        return self._variables[name]

    def fresh(self, name: str) -> str:
        """A function or variable of the generated text: `name`, or with a number behind it where that is taken."""
        printed, number = self._global(name), self._numbers.get(name, 2)
        while printed in self._taken:
            printed = self._global(f"{name}_{number}")
            number += 1
        self._numbers[name] = number
        return self._unused(printed)

    def fresh_member(self, name: str) -> str:
        """A further member of `data_slice`."""
        printed = self.member(name)
        while printed in self._members:
            printed += "_"
        self._members.add(printed)
        return printed

    def _variable(self, name: str) -> str:
        """A variable of the schedule; a single letter is nothing that generated text speaks of, but for the data."""
        return self.local(name) if len(name) == 1 else self._global(name)

    def _global(self, name: str) -> str:
        return mangled(_NOT_A_WORD.sub("_", name), (self._words, self._globals))

    def _unused(self, name: str) -> str:
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name
