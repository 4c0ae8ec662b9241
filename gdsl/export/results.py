"""How the host of an exported program finds each result in the memory of a run."""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.export.checks import ChecksPrinter
from gdsl.export.interface import Found, c_type, fixed_type
from gdsl.types import Type, Widths

COUNTS, GIVEN = "counts", "given"
"""What the host code calls the lengths that the program computes, and the caller's params."""


@dataclass(frozen=True, slots=True)
class ResultPart:
    """A member of the results, and of pairs its rank in the words of the run, which is that of a `ranked`."""

    member: str
    c_type: str
    ranked: str
    word: str
    rank: str


@dataclass(frozen=True, slots=True)
class ResultText:
    """A result: how many values of `memory` there are at `source`. `words`: each takes so many words of 64 bits, which
    are ranks of the parts of a pair; 0: it is as the caller gets it."""

    name: str
    size: str
    memory: str
    source: str
    member: str
    is_array: bool
    words: int
    each: str
    each_text: str
    parts: tuple[ResultPart, ...]


def result_text(found: Found, checks: ChecksPrinter, widths: Widths, source: str, member: str = "") -> ResultText:
    """What is done about `found`, which lies at `source`."""
    each = checks.each_text(found.count, COUNTS, GIVEN)
    elements = "1" if found.domain is None else f"lists.num_{'vertices' if found.domain.value == 'vertex' else 'edges'}"
    length = f"{elements} * (long long)({each})" if each else elements
    words = widths.of(found.kind) // 64 if found.kind.is_pair else 0
    parts = tuple(
        ResultPart(
            part.member,
            c_type(part.kind),
            _ranked(part.kind, widths),
            _word(part.kind, widths),
            _rank(words, part.place),
        )
        for part in found.parts
    )
    memory = "std::uint64_t" if words else fixed_type(found.kind, widths)
    return ResultText(
        found.name, length, memory, source, member, found.domain is not None, words, found.each, each, parts
    )


def _ranked(kind: Type, widths: Widths) -> str:
    """Ids order without a sign, `none` after all."""
    return _word(kind, widths) if kind.is_id else c_type(kind)


def _word(kind: Type, widths: Widths) -> str:
    return f"std::uint{widths.of(kind)}_t"


def _rank(words: int, place: int) -> str:
    if words == 2:
        return f"found[2 * i + {place}]"
    return "found[i] & 0xffffffffu" if place else "found[i] >> 32"
