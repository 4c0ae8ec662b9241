"""Describes what a program is, takes and returns, in sentences: for `gdslc check`, for `help` and for the report of a
run."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from math import isfinite

from gdsl.arithmetic.constants import shortest_float32
from gdsl.backends.interface import part_names
from gdsl.binding import declared_inputs, declared_params, problem_data
from gdsl.diagnostics import enumerate_words
from gdsl.ir import nodes as ir
from gdsl.ir.printer import print_expression
from gdsl.operations import Grade
from gdsl.source import Source
from gdsl.types import TYPE_CLASSES, Type

GRADES = {
    Grade.EXACT.value: "",
    Grade.TRIED.value: "tried: the same in every run if the program's `operator` is commutative and associative, which "
    "was tested on samples and is not proved",
    Grade.ROUNDING.value: "rounding: another run may add floats in another order, which usually changes only the last "
    "digits",
    Grade.CONVERGED.value: "converged: as rounding, and another run may make one pass more or fewer",
    Grade.NOT_UNIQUE.value: "not unique: another run may give other values",
}
"""What each grade means for a result; empty if the result is always the same."""

EXPLAINED = {
    Grade.EXACT.value: "The result is the same in every run, under all knobs and on every backend, unless the "
    "program uses `exp`, `log`, `pow` or trigonometry.",
    Grade.TRIED.value: "As exact, if an `operator` that the program declares is commutative and associative, as it "
    "must be. That was tested on all triples of some values, and held. It is proved, and the result exact, if the "
    "operator is one operation over both operands: `min`, `max`, `+`, `*`, `&`, `|` or `^` of integers, `min` or `max` "
    "of ids, `x < y ? x : y`, or any operator of bools.",
    Grade.ROUNDING.value: "The result is a sum of floats, or is computed from one without a decision. Another run may "
    "add the floats in another order, which rounds differently: usually only the last digits "
    "differ. The difference can be large where terms cancel (1e16 + 1 - 1e16), where a partial "
    "sum overflows, or where the sum is amplified: by `exp`, by a division by a small "
    "difference, by a loop that multiplies.",
    Grade.CONVERGED.value: "As rounding; in addition, a sum of floats decides when a loop ends, so another run may "
    "make one pass more or fewer. That changes a result by about the error at which the loop stops.",
    Grade.NOT_UNIQUE.value: "The program leaves the result open, and another run may give a different, equally correct "
    "one: after `any=`, `now`, a ticket of `fetch`, or any other decision on a sum of floats. `gdslc "
    "check PROGRAM` names the line.",
}
"""What `gdslc explain` says of each grade."""

Data = ir.Array | ir.Scalar


def doubt_of(data: Data) -> str:
    """Why a result is not unique, with the line that causes it; empty if unknown."""
    return f"{data.doubt.reason} ({data.doubt.span.words})" if data.doubt is not None else ""


def results_of(program: ir.Program) -> list[Data]:
    """The data that a run returns."""
    return [data for data in problem_data(program) if not data.is_local and not data.is_input]


def parts_of_data(data: Data) -> list[Data]:
    """`data` itself, or the two parts of a pair as if each had been declared."""
    if not data.type.is_pair:
        return [data]
    pair = data.initial if isinstance(data.initial, ir.MakePair) else None
    initials = (pair.first, pair.second) if pair is not None else (None, None)
    pair_parts = zip(part_names(data.name), data.type.parts, initials, strict=True)
    return [dataclasses.replace(data, name=name, type=type_, initial=initial) for name, type_, initial in pair_parts]


def sections(program: ir.Program, source: Source) -> Iterator[tuple[str, list[str]]]:
    """(type, param, input, result or graph, sentences) for each of these that the program has."""
    words = [word for word in ("symmetric", "simple") if getattr(program.requires, word)]
    parts = {
        "type": [_type(parameter, program) for parameter in program.types],
        "param": [_param(param, source, program) for param in declared_params(program)],
        "input": [_input(data, source, program) for data in declared_inputs(program)],
        "result": [_result(data, program) for data in results_of(program)],
        "graph": [f"must be {' and '.join(words)}"] if words else [],
    }
    yield from ((name, sentences) for name, sentences in parts.items() if sentences)


def _type(parameter: ir.TypeParameter, program: ir.Program) -> str:
    """How a type parameter gets its type."""
    admitted = enumerate_words(type_.name for type_ in TYPE_CLASSES[parameter.class_name])
    declared = {each.name for each in (*declared_params(program), *declared_inputs(program))}
    deciding = [name for name in parameter.users if name in declared]
    users = f"follows the dtype of {enumerate_words(deciding, 'and')}, " if deciding else ""
    now = f", here {parameter.type.name}" if parameter.type is not parameter.default else ""
    return f"{parameter.name}: {admitted}; {users}default {parameter.default.name}{now}"


def first_sentence(doc: str) -> str:
    """The beginning of a doc comment, on one line."""
    return re.split(r"(?<=[.!?]) ", " ".join(doc.split()), maxsplit=1)[0]


def plain_default(default: ir.Expression) -> bool | int | float | None:
    """The default of a param in Python's notation; None if Python has no such value (`none`)."""
    if not isinstance(default, ir.Literal):
        return None
    value = default.value
    if isinstance(value, float) and default.type is Type.FLOAT32 and isfinite(value):
        return float(shortest_float32(value))
    return value


def _param(param: ir.Param | ir.Array, source: Source, program: ir.Program) -> str:
    if isinstance(param, ir.Array):
        least = f" (at least {param.least})" if param.least else ""
        return f"{param.name}: a set of vertices{least}{_where(param, source)}, must be given"
    kind = f"{param.name}: {_one(param.type)}{_declared(param, program)}{_where(param, source)}"
    if param.default is None:
        return f"{kind}, must be given"
    return f"{kind}, {print_expression(param.default).partition(':')[0]} unless given"


def _input(data: Data, source: Source, program: ir.Program) -> str:
    where = _where(data, source)
    if isinstance(data, ir.Scalar):
        return f"{data.name}: {_one(data.type)}{_declared(data, program)}{where}, must be given"
    kind = f"{data.name}: {_values(data)}{_declared(data, program)} for each {data.domain.value}{where}"
    if data.count is not None:
        return f"{kind}, must be given"
    return f"{kind}; the graph's attribute `{data.name}` unless given"


def _result(data: Data, program: ir.Program) -> str:
    kind = f"{data.name}: {_values(data)}{_declared(data, program)}"
    if isinstance(data, ir.Array):
        kind += f" for each {data.domain.value}"
    doubt = doubt_of(data)
    if data.grade is Grade.NOT_UNIQUE and doubt:
        return f"{kind}, not unique: {doubt}"
    words = GRADES[data.grade.value]
    return f"{kind}, {words}" if words else kind


def _where(data: Data | ir.Param, source: Source) -> str:
    """The condition of a param or an input as written in the program, if it is on one line."""
    if data.where is None:
        return ""
    span = data.where.span
    text = source.of(span).line(span.line)[span.column - 1 : span.end_column - 1] if span.line == span.end_line else ""
    return f", with {text}" if text else ""


def _declared(data: Data | ir.Param, program: ir.Program) -> str:
    """The type parameter that a declaration names."""
    parameter = next((each.name for each in program.types if data.name in each.users), None)
    return f" ({parameter})" if parameter is not None else ""


def _values(data: Data) -> str:
    """The values of an element: one, or several."""
    count = data.count if isinstance(data, ir.Array) else None
    if count is None:
        return _one(data.type)
    pair_parts = count.value if isinstance(count, ir.Literal) else "several"
    return f"{pair_parts} {data.type.name}"


def _one(type_: Type) -> str:
    return f"{'an' if type_.name[0] in 'aeiou' else 'a'} {type_.name}"
