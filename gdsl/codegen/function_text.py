"""Functions of the generated text, and the parameters that they can have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from gdsl.codegen.lines import RESUME
from gdsl.ir.nodes import Element, Node
from gdsl.operations import ReduceOperation
from gdsl.plan.hints import ReadAhead
from gdsl.plan.nodes import LaneLoop
from gdsl.types import Type

KEPT = "kept"
"""The parameter that has the first values of an array, which a block caches."""
READ_AHEAD = "early"
"""The parameter that has the values that were read ahead."""
BOUNDS = "bounds"
"""The parameter that has bounds of values."""
SEEN = "seen"
"""The value that was read ahead of the element that is changed."""


class Argument(Enum):
    """The arguments that a generated function can have, in the order of its parameters."""

    DATA = "d"
    VERTEX = "vertex"
    SOURCE = "source"
    DESTINATION = "destination"
    EDGE = "edge"
    NEAR = "near"
    FAR = "far"
    COMMON = "common"
    SOURCE_EDGE = "source_edge"
    DESTINATION_EDGE = "destination_edge"
    KEY = "key"
    TOTAL = "total"
    FEW = "few"
    ITERATION = "iteration"
    TOTALS = "totals"
    READ_AHEAD = "early"
    OWN = "own"
    """A parameter of one of the program's own functions."""
    KEPT = "kept"
    """The array whose first values a block caches."""
    BOUNDS = "bounds"
    """Bounds of the values that are changed, which a block knows."""
    HANDED = "handed"
    """The call's own element of an array, which is in no memory."""


@dataclass(frozen=True, slots=True)
class Cached:
    """The first values of an array of `type`, which a block caches, and the places in a functor that read them."""

    type: Type
    places: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class BodyForm:
    """What the function of a functor's body does besides. What changes the array `key_array` says in `key` to which
    value; what changes the array `skip_array` says whether any call has changed the element since the last barrier.
    `read_ahead`: values that it is given. `bounds` of the new values are known to a block, if a value is seen before it
    is changed."""

    key_array: str | None = None
    skip_array: str | None = None
    read_ahead: ReadAhead | None = None
    bounds: ReduceOperation | None = None
    lanes: tuple[LaneLoop, ...] = ()
    """Where a whole warp runs it: the loops that its lanes share."""
    handed: str | None = None
    """The array of whose element it is given the value."""

    @property
    def bounds_type(self) -> str:
        """The type of the bounds that may be used instead of a read; empty where there are none."""
        if self.read_ahead is None or self.bounds is None or self.read_ahead.seen is None:
            return ""
        falls = "true" if self.bounds is ReduceOperation.MIN else "false"
        return f"hub_bounds<{falls}>"


@dataclass(frozen=True, slots=True)
class FunctionParameter:
    """A parameter of a generated function."""

    argument: Argument
    type: str
    name: str

    def __str__(self) -> str:
        return f"{self.type} {self.name}"


@dataclass(frozen=True, slots=True)
class PrintedFunction:
    """A function as it was printed, so that every call of it has its parameters: `body` is its lines, indented within
    the braces, `#line` directives among them."""

    name: str
    result: str
    parameters: tuple[FunctionParameter, ...]
    body: tuple[str, ...]

    @property
    def signature(self) -> str:
        """Result, name and parameters, without qualifiers and without a brace."""
        return f"{self.result} {self.name}({', '.join(map(str, self.parameters))})"

    def definition(self, qualifiers: str = "") -> str:
        """The whole function; where it has `#line` directives a `#line resume` follows."""
        head = f"{qualifiers} {self.signature} {{".lstrip()
        directed = any(line.startswith("#line") for line in self.body)
        return "\n".join([head, *self.body, "}", *([RESUME] if directed else [])])

    def with_parameters(self, *parameters: FunctionParameter) -> PrintedFunction:
        """This function with more parameters, after its own."""
        return replace(self, parameters=(*self.parameters, *parameters))

    def call(self, arguments: Mapping[Argument, str]) -> str:
        """A call with the texts of `arguments` that this function takes; the data is ``d`` if not said."""
        texts = (arguments.get(p.argument, p.argument.value) for p in self.parameters)
        return f"{self.name}({', '.join(texts)})"

    def takes(self, argument: Argument) -> bool:
        """Whether `argument` is among the parameters."""
        return any(parameter.argument is argument for parameter in self.parameters)


def places_ahead(read_ahead: ReadAhead | None) -> dict[Node, str]:
    """The places in the functor that were read ahead, and the members of the struct that replace them."""
    if read_ahead is None:
        return {}
    named = [(f"value_{number}", read) for number, read in enumerate(read_ahead.reads, start=1)]
    named += [("own", read_ahead.own)] if read_ahead.own is not None else []
    return {place: f"{READ_AHEAD}.{name}" for name, read in named for place in read.places}
