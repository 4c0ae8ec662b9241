"""The profile of a run and the comparison of two, with the forms in which they are written."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from collections.abc import Iterator
from typing import Any

from gdsl.diagnostics import GdslError, printable
from gdsl.files import whole_file
from gdsl.html import folded, heading
from gdsl.html import page as notebook_page
from gdsl.profiling.document import FORMAT, lanes_in
from gdsl.profiling.page import page
from gdsl.profiling.reading import read_document
from gdsl.profiling.table import comparison_table, table

KIND = "gdsl profile comparison"
_MOST_PAIRS = 4_000_000
"""The most pairs of lines for which two texts are compared line by line."""


class _Document:
    """What is written as JSON, and as a page."""

    def as_document(self) -> dict[str, Any]:
        """Everything, as JSON holds it; a copy."""
        copy: dict[str, Any] = json.loads(self.json())
        return copy

    def json(self) -> str:
        """The text of the document."""
        raise NotImplementedError

    def html(self) -> str:
        """The page as text: one document that loads nothing else."""
        raise NotImplementedError

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the document, completely or not at all. Raises OSError."""
        _write(path, self.json() + "\n")

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write the page, completely or not at all. Raises OSError."""
        _write(path, self.html())


class Profile(_Document):
    """Where the time of one run went, with everything known about the run.

    Built by `gdsl.profile`, or from a file by `Profile.read`. `as_document()` has everything; see docs/profile.md.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        """`document` has the form that `gdsl.profiling.reading` checks."""
        self._document = document

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Profile:
        """From a file that `to_json` or `to_html` has written. Raises GdslError E0616."""
        return cls(read_document(path))

    @property
    def time_ms(self) -> float:
        """Milliseconds of the run."""
        return float(self._document["time_ms"]["run"])

    def json(self) -> str:
        """The text of the document."""
        return json.dumps(self._document, allow_nan=False, ensure_ascii=True)

    def html(self) -> str:
        """The page as text: one document that loads nothing else."""
        return page([self._document], None)

    def to_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the lanes of a run on several GPUs as JSON that https://ui.perfetto.dev shows. Raises ValueError for
        other runs, and OSError."""
        lanes = lanes_in(self._document)
        if lanes is None:
            raise ValueError("only a run on several GPUs has lanes: gdsl.profile(program, graph, gpus=2)")
        _write(path, lanes.text() + "\n")

    def compare(self, other: Profile) -> Comparison:
        """This run beside `other`, a later one. Raises GdslError E0617 where they have no operator in common."""
        return Comparison(self._document, other._document)

    def text(self, *, width: int = 100) -> str:
        """A table for people, with a bar for each operator, at most `width` characters wide."""
        return table(self._document, width)

    def __repr__(self) -> str:
        document = self._document
        return f"<Profile: {document['program']['name']}, {self.time_ms:.3f} ms, {document['backend']}>"

    def _repr_html_(self) -> str | None:
        return _table_page(self)


class Comparison(_Document):
    """What differs between the runs `a` and `b`. Operators correspond if they have the same label, and the same place
    among those of that label."""

    def __init__(self, a: dict[str, Any], b: dict[str, Any]) -> None:
        """Documents of profiles. Raises GdslError E0617 where they have no operator in common."""
        self._a, self._b = a, b
        self._operators = list(_operators(a, b))
        if not any(each["a"] is not None and each["b"] is not None for each in self._operators):
            names = [printable(f"{each['program']['name']} ({each['program']['file']})") for each in (a, b)]
            raise GdslError.single(
                "E0617",
                f"{names[0]} and {names[1]} have no operator in common: there is nothing to compare",
                fix="compare runs of one program, or of two versions of it",
            )

    def json(self) -> str:
        """The text of the document."""
        document = {"kind": KIND, "format": FORMAT, **self._differences(), "a": self._a, "b": self._b}
        return json.dumps(document, allow_nan=False)

    def html(self) -> str:
        """The page as text."""
        return page([self._a, self._b], self._differences())

    def text(self, *, width: int = 100) -> str:
        """A table for people, at most `width` characters wide."""
        return comparison_table(self._differences(), self._a, self._b, width)

    def _differences(self) -> dict[str, Any]:
        a, b = self._a, self._b
        plans = [(each["plan"] or "").splitlines() for each in (a, b)]
        texts = [each["program"]["text"].splitlines() for each in (a, b)]
        return {
            "differences": [{"what": what, "a": first, "b": second} for what, first, second in _differences(a, b)],
            "operators": self._operators,
            "plan": _line_differences(*plans),
            "text": _line_differences(*texts) if texts[0] != texts[1] else [],
        }


@notebook_page
def _table_page(profile: Profile) -> str:
    """The table, for notebooks, which do not run the script of the page."""
    title = f"where the time of {profile._document['program']['name']} went"
    return f"<div>{folded(title, profile.text(), True)}{heading('', 'to_html(path) writes the whole page')}</div>"


def _write(path: str | os.PathLike[str], text: str) -> None:
    with whole_file(path) as file:
        file.write(text.encode("utf-8"))


def _differences(a: dict[str, Any], b: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The circumstances in which the two runs differ, in words."""
    sides = [dict(_circumstances(each)) for each in (a, b)]
    for what in dict.fromkeys((*sides[0], *sides[1])):
        first, second = (each.get(what, "—") for each in sides)
        if first != second:
            yield what, first, second


def _circumstances(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    graph, program = document["graph"], document["program"]
    yield "program", program["name"]
    yield "file", program["file"]
    yield "text of the program", f"{len(program['text'].splitlines())} lines, {_digest(program)}"
    yield "graph", graph["name"]
    kind = "directed" if graph["directed"] else "undirected"
    yield "size of the graph", f"{graph['vertices']:,} vertices, {graph['edges']:,} edges, {kind}"
    for name, value in document["params"].items():
        yield f"param {name}", value
    yield "knobs", " ".join(document["knobs"]) or "none"
    yield "backend", document["backend"]
    yield "device", document["device"]
    yield "gdsl", document["gdsl"]
    yield "iterations", f"{document['iterations']:,}"
    yield "plan", _shorthand(document["plan"])


def _digest(program: dict[str, Any]) -> str:
    """A word that distinguishes texts of equal length."""
    texts = [program["text"], *(each["text"] for each in program["imports"])]
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _shorthand(plan: str | None) -> str:
    if plan is None:
        return "none"
    return f"{len(plan.splitlines())} lines, {_digest({'text': plan, 'imports': []})}"


def _operators(a: dict[str, Any], b: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The operators of both, in the order of `b`, then those of `a` alone."""
    sides = [_by_place(each) for each in (a, b)]
    for key in dict.fromkeys((*sides[1], *sides[0])):
        first, second = (side.get(key) for side in sides)
        before, after = (each["time_ms"] if each is not None else None for each in (first, second))
        change = after - before if before is not None and after is not None else None
        yield {
            "operator": key[0],
            "a": _short(first),
            "b": _short(second),
            "ms": round(change, 6) if change is not None else None,
            "percent": round(100 * change / before, 2) if change is not None and before else None,
            "rule": first is not None and second is not None and first["rule"] != second["rule"],
        }


def _by_place(document: dict[str, Any]) -> dict[tuple[str, int], dict[str, Any]]:
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for each in document["operators"]:
        number = sum(label == each["operator"] for label, _ in rows)
        rows[each["operator"], number] = each
    return rows


def _short(operator: dict[str, Any] | None) -> dict[str, Any] | None:
    if operator is None:
        return None
    return {name: operator[name] for name in ("site", "lines", "runs", "time_ms", "before_ms", "edges")}


def _line_differences(a: list[str], b: list[str]) -> list[list[str]]:
    """The lines of both, each marked: " " in both, "-" only in the first, "+" only in the second."""
    if a == b:
        return [[" ", line] for line in b]
    if len(a) * len(b) > _MOST_PAIRS:
        return [["-", line] for line in a] + [["+", line] for line in b]
    rows: list[list[str]] = []
    for tag, first, last, begin, end in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [[" ", line] for line in b[begin:end]]
        else:
            rows += [["-", line] for line in a[first:last]] + [["+", line] for line in b[begin:end]]
    return rows
