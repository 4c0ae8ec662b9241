"""Finds the params, types and knobs in a program's text without the compiler, for completion at every TAB.

The text may be wrong or incomplete: completions are only offers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gdsl.knobs import BY_NAME, OPERATOR_KNOBS, SCHEDULE_KNOBS, Knob, written
from gdsl.records import dataclass
from gdsl.types import TYPE_CLASSES

_SILENT = re.compile(r'"""(?:.|\n)*?"""|#[^\n]*')
_DATA = re.compile(r"[{;]\s*((?:\w+\s+)*?)(param|vertex|edge|scalar)\s+(\w+)\s*(?:\[[^\]]*\]\s*)?:\s*([^;=]*)")
_TYPES = re.compile(r"\btype\s+(\w+)\s*:\s*(\w+)\s*=")
_TUNED = re.compile(r"\bfunctor\s+(\w+)|@(\w+)")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A param or an input of a program, the type and condition it declares, and whether it may have many values."""

    name: str
    kind: str
    may_be_many: bool


def wanted(text: str) -> Iterator[Wanted]:
    """The arguments of a run."""
    problem = re.search(r"\bproblem\s*\{[^}]*", _SILENT.sub(" ", text))
    if problem is None:
        return
    for words, kind, name, values in _pieces(problem[0]):
        if kind == "param" or "input" in words.split():
            declared = " ".join(values.split())
            yield Wanted(name, declared, kind == "param" and declared.split()[-1:] != ["set"])


def _pieces(problem: str) -> Iterator[tuple[str, str, str, str]]:
    place = 0
    while (declaration := _DATA.search(problem, place)) is not None:
        yield declaration[1], declaration[2], declaration[3], declaration[4]
        place = declaration.end() - 1 if declaration[0].endswith(";") else declaration.end()


def type_parameters(text: str) -> dict[str, tuple[str, ...]]:
    """The type parameters, each with the names of the types that it admits."""
    types = _TYPES.findall(_SILENT.sub(" ", text))
    return {name: tuple(type_.name for type_ in TYPE_CLASSES.get(of, ())) for name, of in types}


def knobs(text: str) -> dict[str, Knob]:
    """Every knob by the word that `--tune` has for it: ``visit.direction``, ``schedule.block``."""
    silent = _SILENT.sub(" ", text)
    tuned = dict.fromkeys(functor or label for functor, label in _TUNED.findall(silent))
    of_operators = {f"{name}.{knob}": BY_NAME[knob] for name in tuned for knob in OPERATOR_KNOBS}
    return {**of_operators, **{written(BY_NAME[name]): BY_NAME[name] for name in SCHEDULE_KNOBS}}
