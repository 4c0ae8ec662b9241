"""The texts of a package for Python: its module, the types of its program for editors and checkers, and its test."""

from __future__ import annotations

import inspect
import keyword
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from typing import Any

from gdsl.api.description import first_sentence, parts_of_data, results_of
from gdsl.api.program import Program
from gdsl.api.result import Result
from gdsl.api.signature import doc_of, signature_of
from gdsl.diagnostics import GdslError, printable
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


# Checks the names and versions of packages before anything is compiled.


_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_VERSION = re.compile(r"(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?", re.ASCII)
"""The public versions of Python packages, as written in the names of their files."""
_LONGEST = 100
_REQUIRED = re.compile(r"[A-Za-z0-9_.-]+")
_USED = ("cupy", "cupyx", "numpy", "nvidia", "pip", "pytest", "scipy", "setuptools", "wheel")
"""Packages that hardly any installation is without, whatever the metadata of gdsl says."""


def check_name(name: str) -> None:
    """Raise E0915 unless `name` can be that of a package which hides no other."""
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        suggestion = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_0123456789")
        fits = _NAME.fullmatch(suggestion) is not None and len(suggestion) <= _LONGEST and _hidden(suggestion) is None
        fix = f"write {suggestion}" if fits else "write, for example, my_graph_programs"
        rule = f"a name has up to {_LONGEST} of a-z, 0-9 and single _ between them, and begins with a letter"
        raise _refused(f"{printable(name)!r} is not the name of a package", rule, fix)
    hidden = _hidden(name)
    if hidden is not None:
        other = f"{name}_programs"
        other = other if _hidden(other) is None else "my_graph_programs"
        raise _refused(f"a package cannot be called {name}: {hidden}", None, f"write, for example, {other}")


def check_version(version: str) -> None:
    """Raise E0915 unless `version` is one of a Python package."""
    if not _VERSION.fullmatch(version):
        rule = "a version has numbers between dots, and may end in a1, b1, rc1, .post1 or .dev1"
        raise _refused(f"{printable(version)!r} is not the version of a package", rule, "write, for example, 0.1.0")


def check_program(name: str) -> None:
    """Raise E0915 for a program that Python could not call by its name."""
    if keyword.iskeyword(name) or name.startswith("__"):
        fix = f"rename it, for example to {name.strip('_') or 'search'}_program"
        raise _refused(f"the program {name} of a package could not be called from Python by its name", None, fix)


def _hidden(name: str) -> str | None:
    """What a package of this name would hide, or why it could not be imported."""
    if keyword.iskeyword(name):
        return "it is a keyword of Python"
    if name in sys.stdlib_module_names or name == "test":  # which is one that this set leaves out
        return "it would hide a module of Python"
    if name == "gdsl" or name.startswith("gdsl_data"):
        return "it would hide gdsl itself"
    if name in _used():
        return "it would hide a package that gdsl uses"
    return None


@cache
def _used() -> set[str]:
    """The names of the packages that gdsl requires, also through others, and of the modules that are in them."""
    required = _required()
    inside = {
        module
        for module, owners in packages_distributions().items()
        if any(_normal(each) in required for each in owners)
    }
    return required | inside | set(_USED)


def _required() -> set[str]:
    """What gdsl requires, with or without extras, and what that requires without any."""
    required, pending = {"gdsl"}, ["gdsl"]
    for name in pending:
        try:
            requirements = requires(name) or []
        except PackageNotFoundError:  # an extra, or a checkout that is not installed
            continue
        for each in requirements:
            match = _REQUIRED.match(each)
            if match is not None and _normal(match[0]) not in required and (name == "gdsl" or "extra ==" not in each):
                required.add(_normal(match[0]))
                pending.append(match[0])
    return required


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


def _refused(message: str, note: str | None, fix: str) -> GdslError:
    return GdslError.single("E0915", message, notes=(note,) if note else (), fix=fix)
