"""The texts of a package for Python: its module, the types of its program for editors and checkers, and its test."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

from gdsl.api.description import first_sentence, parts_of_data, results_of
from gdsl.api.program import Program
from gdsl.api.result import Result
from gdsl.api.signature import doc_of, signature_of
from gdsl.diagnostics import printable
from gdsl.ir import nodes as ir
from gdsl.resources import filled_text
from gdsl.types import Type

_PYTHON = {"collections.abc.Collection": "Collection[Any]", "numpy.ndarray": "Any"}
"""Annotations as they are written in a stub; inputs may be arrays of any library."""
_KNOWN = ("str", "int", "float", "bool", "None", "list", "dict", "Collection", "Any", "|")
_IN_TYPES = ("numpy", "NDArray", "Any", "tuple", "int", "float", "bool")
"""The names in the types of results, which an attribute of such a name would hide from the others."""
_LONGEST_SUMMARY = 300
"""Characters: PyPI accepts 512."""
_SCALARS = {Type.BOOL: "bool", Type.FLOAT32: "float", Type.FLOAT64: "float"}


def summary_of(program: Program) -> str:
    """One line about the program."""
    sentence = first_sentence(program.ir.doc.strip())[:_LONGEST_SUMMARY] or f"The graph program {program.name}."
    return printable(sentence).replace("\\", "/").replace('"', "'")


def module(program: Program, package: str, version: str) -> str:
    """`__init__.py`."""
    names = [name for name, each in list(signature_of(program.ir).parameters.items())[1:] if _must_be_given(each)]
    call = f"{program.name}({', '.join(['graph', *(f'{name}=…' for name in names)])})"
    words = {"package": package, "program": program.name, "version": version, "call": call}
    return filled_text("templates", "package", "init.py.in", summary=summary_of(program), **words)


def test(program: Program, package: str) -> str:
    """The module with the test."""
    return filled_text("templates", "package", "test_program.py.in", package=package, program=program.name)


def stub(program: Program) -> str:
    """`__init__.pyi`."""
    parameters = list(signature_of(program.ir).parameters.values())[1:]
    doc = doc_of(program.ir, program.text).replace("\\", "\\\\").replace('"""', "'''")
    return filled_text(
        "templates",
        "package",
        "stub.pyi.in",
        program=program.name,
        class_name="".join(part[:1].upper() + part[1:] for part in program.name.split("_")),
        results="\n".join(_results(program.ir)) or "    ...",
        parameters=textwrap.indent("\n".join(_parameters(parameters)), " " * 8),
        doc=textwrap.indent(doc, " " * 8),
    )


def _must_be_given(parameter: inspect.Parameter) -> bool:
    is_named = parameter.kind is inspect.Parameter.KEYWORD_ONLY
    return is_named and parameter.default is inspect.Parameter.empty


def _parameters(parameters: list[inspect.Parameter]) -> Iterator[str]:
    if any(each.kind is inspect.Parameter.KEYWORD_ONLY for each in parameters):
        yield "*,"
    for each in parameters:
        star = "**" if each.kind is inspect.Parameter.VAR_KEYWORD else ""
        default = "" if star or each.default is inspect.Parameter.empty else " = ..."
        yield f"{star}{each.name}: {_annotation(each.annotation)}{default},"


def _annotation(annotation: Any) -> str:
    """An annotation without names that the stub does not import."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = _PYTHON.get(text, text).replace("Collection[str]", "Collection[Any]")
    words = text.replace("[", " ").replace("]", " ").replace(",", " ").split()
    return text if all(word in _KNOWN for word in words) else "Any"


def _results(program: ir.Program) -> Iterator[str]:
    """The results as typed attributes, with what they are."""
    for data in results_of(program):
        if hasattr(Result, data.name) or data.name in _IN_TYPES:
            continue  # only available as an item, or without a type
        yield f"    {data.name}: {_result(data)}"
        count = f"several {data.type.name}" if isinstance(data, ir.Array) and data.count is not None else data.type.name
        per = f" for each {data.domain.value}" if isinstance(data, ir.Array) else ""
        yield f'    """{count}{per}: {data.grade.value}."""'


def _result(data: ir.Array | ir.Scalar) -> str:
    if data.type.is_pair:
        return f"tuple[{', '.join(_element(data, part.type) for part in parts_of_data(data))}]"
    return _element(data, data.type)


def _element(data: ir.Array | ir.Scalar, type_: Type) -> str:
    if isinstance(data, ir.Scalar):
        return _SCALARS.get(type_, "int")
    name = "signedinteger[Any]" if type_.is_id else "bool_" if type_ is Type.BOOL else type_.name
    return f"NDArray[numpy.{name}]"
