"""The names of a run's arguments: which the program declares, and which are missing."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace

from gdsl.diagnostics import Diagnostic, GdslError
from gdsl.ir import nodes as ir
from gdsl.source import Source
from gdsl.types import Type


def declared_params(program: ir.Program) -> list[ir.Param | ir.Array]:
    """The params, sets of vertices included, in the order in which they are declared."""
    own = (param for param in program.params if not param.is_count)
    params: list[ir.Param | ir.Array] = [*own, *(array for array in program.arrays if array.is_set)]
    return sorted(params, key=lambda param: param.span.order)


def declared_inputs(program: ir.Program) -> list[ir.Array | ir.Scalar]:
    """The inputs, arrays and scalars, without the sets."""
    sets = {array.name for array in program.arrays if array.is_set}
    return [data for data in problem_data(program) if data.is_input and data.name not in sets]


def problem_data(program: ir.Program) -> list[ir.Array | ir.Scalar]:
    """All arrays and scalars of a program, in the order in which each kind is declared."""
    return [*program.arrays, *program.scalars]


def check_names(program: ir.Program, arguments: Iterable[str], source: Source | None) -> None:
    """Raise E0601, E0602 and E0605 for what is missing and what is unknown; one of each is one mistake."""
    arguments = list(arguments)
    params = [param.name for param in declared_params(program)]
    inputs = [declared.name for declared in declared_inputs(program)]
    missing = _missing(program, arguments)
    unknown = [name for name in arguments if name not in params and name not in inputs]
    problems = [_unknown(program, name, params, inputs) for name in unknown]
    if len(unknown) == len(missing) == 1:
        [(name, about)] = missing.items()
        near = difflib.get_close_matches(unknown[0], params + inputs, n=1)
        if near in ([], [name]):
            [problem] = problems
            problems = [
                replace(problem, notes=(*problem.notes, f"`{name}` has no value"), fix=problem.fix or about.fix)
            ]
            missing = {}
    problems += missing.values()
    if problems:
        raise GdslError(problems, source)


def _missing(program: ir.Program, arguments: Iterable[str]) -> dict[str, Diagnostic]:
    """The required params and inputs that are missing, by name."""
    missing: dict[str, Diagnostic] = {}
    for param in program.params:
        if param.default is None and param.name not in arguments:
            example = f"{param.name}={_example(param.type)}"
            message = f"param `{param.name}` has no value, and no default"
            missing[param.name] = Diagnostic("E0601", message, param.span, fix=f"-p {example} (from Python: {example})")
    for array in program.arrays:
        if array.is_set and array.name not in arguments:
            fix = f"-p {array.name}=0,1 (from Python: {array.name}=[0, 1])"
            missing[array.name] = Diagnostic("E0601", f"param `{array.name}` has no value", array.span, fix=fix)
    for scalar in program.scalars:
        if scalar.is_input and scalar.name not in arguments:
            message = f"no value was given for the input `{scalar.name}`"
            fix = f"-p {scalar.name}={_example(scalar.type)}"
            missing[scalar.name] = Diagnostic("E0605", message, scalar.span, fix=fix)
    return missing


def _unknown(program: ir.Program, name: str, params: list[str], inputs: list[str]) -> Diagnostic:
    close = difflib.get_close_matches(name, params + inputs, n=1)
    message = f"program {program.name} has no param and no input `{name}`"
    if any(declared.name == name for declared in problem_data(program)):
        message = f"`{name}` is a result of program {program.name}, and cannot be passed"
    return Diagnostic(
        "E0602",
        message,
        notes=(*_listed("params", params), *_listed("inputs", inputs)),
        fix=f"did you mean `{close[0]}`?" if close else None if params or inputs else "leave it out: there are none",
    )


def _listed(kind: str, names: Iterable[str]) -> list[str]:
    text = ", ".join(names)
    return [f"{kind}: {text}"] if text else []


def _example(type_: Type) -> str:
    return {"bool": "true", "float32": "0.5", "float64": "0.5"}.get(type_.name, "0")
