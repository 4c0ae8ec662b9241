"""What the compiler understood of a program: the parts of an explanation, as text, HTML and JSON show them."""

from __future__ import annotations

from dataclasses import dataclass

SCHEMA = 1
"""The version of the JSON document."""


@dataclass(frozen=True, slots=True)
class Access:
    """A read or a write of data. `form` is the spelling of a write, and empty for a read; `reason`: why it has no race.
    `how` are by direction how the GPU does it (`plain`, `atomic`, …)."""

    place: str
    by: str
    form: str
    reason: str
    how: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class DataFact:
    """An array or scalar. `kind` is input, result or local; `grade` is empty for what is not computed, and `reasons`
    say why it has that grade."""

    name: str
    kind: str
    type: str
    extent: str
    initial: str
    grade: str
    reasons: tuple[str, ...]
    writes: tuple[Access, ...]
    reads: tuple[Access, ...]


@dataclass(frozen=True, slots=True)
class Moved:
    """What one form of an operator reads and writes for each edge or member, in bytes, and of which parts."""

    direction: str
    per: str
    read: int
    written: int
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OperatorFact:
    """One operator: what becomes of it on a GPU, in sentences, and what it moves."""

    place: str
    label: str
    call: str
    becomes: tuple[str, ...]
    costs: tuple[Moved, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """A program as the compiler understood it. `header` has (kind, sentences) about its call, arguments and results;
    `graph_class` and `ids` are what the plan and the bytes are for."""

    program: str
    call: str
    doc: str
    header: tuple[tuple[str, tuple[str, ...]], ...]
    data: tuple[DataFact, ...]
    operators: tuple[OperatorFact, ...]
    faster: tuple[str, ...]
    ids: int
