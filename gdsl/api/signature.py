"""How a program is called, for Python's tools: `inspect.signature`, `help` and completion."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Collection
from keyword import iskeyword
from typing import Any

import numpy as np

from gdsl.api.description import plain_default, sections
from gdsl.api.on_workers import OF_WORKERS
from gdsl.binding import declared_inputs, declared_params
from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_expression
from gdsl.operations import Domain
from gdsl.source import Source
from gdsl.types import Type

_OPTIONS: dict[str, tuple[Any, Any]] = {
    "backend": (str, "auto"),
    "timeout": ("float | None", None),
    "max_iterations": ("int | None", None),
    "types": ("dict[str, str] | None", None),
    "gpus": ("int | str | list[int] | None", None),
    "round": ("str | Collection[str] | None", None),
    "memory": ("int | str | None", None),
}
"""The options of a run that a call also takes: annotation and default by name."""
_NUMBERS: dict[Type, Any] = {Type.BOOL: bool, Type.FLOAT32: float, Type.FLOAT64: float}
_NAMED = inspect.Parameter.KEYWORD_ONLY
OPTIONS = tuple(_OPTIONS)
CALL_OPTIONS = (*OPTIONS, *OF_WORKERS)
"""The options of a single run, which is not one of many."""


class DefaultValue:
    """A default in a signature that Python has no value for; passing it is the same as passing nothing."""

    def __init__(self, shown: str) -> None:
        """`shown` says what the value is then."""
        self._shown = shown

    def __repr__(self) -> str:
        return self._shown


class OfInstance:
    """An attribute that instances have and their class does not, as Python expects of callable objects."""

    def __init__(self, make: Callable[[Any], object]) -> None:
        """`make` returns the value for an instance."""
        self._make = make
        self.__doc__ = make.__doc__

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is None:
            raise AttributeError("only instances have this")
        return self._make(instance)


class DocOfInstance:
    """`__doc__` of instances, created when it is accessed, next to that of their class."""

    def __init__(self, own: str | None, make: Callable[[Any], str]) -> None:
        """`own` is the text of the class, `make` returns that of an instance."""
        self._own, self._make = own, make

    def __get__(self, instance: object, owner: type) -> str | None:
        return self._own if instance is None else self._make(instance)


def signature_of(program: ir.Program) -> inspect.Signature:
    """The graph, then params, inputs and the options of a run, all by keyword. Names that are keywords of Python are
    passed in `**values`."""
    from gdsl.api.result import Result
    from gdsl.graph import Graph

    parameters = [_param(param) for param in declared_params(program) if not iskeyword(param.name)]
    parameters += [_input(data) for data in declared_inputs(program) if not iskeyword(data.name)]
    taken = {declared.name for declared in (*declared_params(program), *declared_inputs(program))}
    for name, (annotation, default) in {**_OPTIONS, **OF_WORKERS}.items():
        if name not in taken and (name != "types" or program.types):
            parameters.append(inspect.Parameter(name, _NAMED, default=default, annotation=annotation))
    if any(map(iskeyword, taken)):
        parameters.append(inspect.Parameter("values", inspect.Parameter.VAR_KEYWORD, annotation=Any))
    graph = inspect.Parameter("graph", inspect.Parameter.POSITIONAL_ONLY, annotation=Graph)
    return inspect.Signature([graph, *parameters], return_annotation=Result)


def doc_of(program: ir.Program, source: Source) -> str:
    """The call, the program's doc comment, its arguments and its results."""
    parts = [call_of(program), program.doc.strip()]
    titles = {"type": "Types", "param": "Params", "input": "Inputs", "result": "Results", "graph": "Graph"}
    for name, sentences in sections(program, source):
        parts.append(f"{titles[name]}:\n" + textwrap.indent("\n".join(sentences), "    "))
    parts.append(_options_sentence(program))
    return "\n\n".join(part for part in parts if part)


def _options_sentence(program: ir.Program) -> str:
    """A sentence about the options of a call, without names that the program declares itself."""
    taken = signature_of(program).parameters
    words = {"backend": "backend", "timeout": "timeout (seconds)", "max_iterations": "max_iterations (of a loop)"}
    words |= {"types": "types (by type parameter)", "round": "round (to values of the declared type)"}
    own = {declared.name for declared in (*declared_params(program), *declared_inputs(program))}
    options = [word for name, word in words.items() if name in taken and name not in own]
    words_listed = " and ".join(part for part in (", ".join(options[:-1]), *options[-1:]) if part)
    return f"{words_listed} {'is that' if len(options) == 1 else 'are those'} of `Program.run`." if options else ""


def call_of(program: ir.Program) -> str:
    """How the program is called, in a line: ``bfs(graph, source=…, backend='auto', …)``."""
    words = ["graph"]
    for parameter in list(signature_of(program).parameters.values())[1:]:
        required = parameter.default is inspect.Parameter.empty
        if parameter.kind is not _NAMED:
            continue
        words.append(f"{parameter.name}=…" if required else f"{parameter.name}={parameter.default!r}")
    return f"{program.name}({', '.join(words)})"


def _param(param: ir.Param | ir.Array) -> inspect.Parameter:
    if isinstance(param, ir.Array):
        return inspect.Parameter(param.name, _NAMED, annotation=Collection)
    default: Any = inspect.Parameter.empty
    if param.default is not None:
        value = plain_default(param.default)
        default = DefaultValue(print_expression(param.default)) if value is None else value
    return inspect.Parameter(param.name, _NAMED, default=default, annotation=_python_type(param.type))


def _input(data: ir.Array | ir.Scalar) -> inspect.Parameter:
    if isinstance(data, ir.Scalar):
        return inspect.Parameter(data.name, _NAMED, annotation=_python_type(data.type))
    attributes = "attributes" if data.domain is Domain.EDGE else "vertex_attributes"
    default: Any = DefaultValue(f"graph.{attributes}[{data.name!r}]")
    if data.count is not None:
        default = inspect.Parameter.empty
    return inspect.Parameter(data.name, _NAMED, default=default, annotation=np.ndarray)


def _python_type(type_: Type) -> Any:
    return int | str if type_ is Type.VERTEX else _NUMBERS.get(type_, int)
