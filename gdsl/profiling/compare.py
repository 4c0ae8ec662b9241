"""Two profiles side by side."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterator
from typing import Any

from gdsl.diagnostics import GdslError, printable
from gdsl.profiling.gathering import FORMAT

KIND = "gdsl profile comparison"


class Comparison:
    """What differs between a run `a` and another one `b`. Operators are the same where they have the same label, and
    are as far from the first of that label."""

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

    def as_document(self) -> dict[str, Any]:
        """Everything as JSON has it: both profiles, and what differs."""
        document: dict[str, Any] = json.loads(self.json())
        return document

    def json(self) -> str:
        """The text of the document."""
        found = {"kind": KIND, "format": FORMAT, **self._found(), "a": self._a, "b": self._b}
        return json.dumps(found, allow_nan=False)

    def html(self) -> str:
        """The page as text."""
        from gdsl.profiling.page import page

        return page([self._a, self._b], self._found())

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write the document. Raises OSError."""
        from gdsl.profiling.report import _write

        _write(path, self.json() + "\n")

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write the page. Raises OSError."""
        from gdsl.profiling.report import _write

        _write(path, self.html())

    def text(self, *, width: int = 100) -> str:
        """A table for people, at most `width` characters wide."""
        from gdsl.profiling.table import comparison_table

        return comparison_table(self._found(), self._a, self._b, width)

    def _found(self) -> dict[str, Any]:
        a, b = self._a, self._b
        plans = [(each["plan"] or "").splitlines() for each in (a, b)]
        texts = [each["program"]["text"].splitlines() for each in (a, b)]
        return {
            "differences": [{"what": what, "a": first, "b": second} for what, first, second in _differences(a, b)],
            "operators": self._operators,
            "plan": _marked(*plans),
            "text": _marked(*texts) if texts[0] != texts[1] else [],
        }


def _differences(a: dict[str, Any], b: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """What the two runs were of, in words, where that is not the same."""
    told = [dict(_told(each)) for each in (a, b)]
    for what in dict.fromkeys((*told[0], *told[1])):
        first, second = (each.get(what, "—") for each in told)
        if first != second:
            yield what, first, second


def _told(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
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
    """A word that tells texts of one length apart."""
    import hashlib

    texts = [program["text"], *(each["text"] for each in program["imports"])]
    return hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _shorthand(plan: str | None) -> str:
    if plan is None:
        return "none"
    return f"{len(plan.splitlines())} lines, {_digest({'text': plan, 'imports': []})}"


def _operators(a: dict[str, Any], b: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The operators of both, in the order of `b`, those that are gone behind."""
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
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for each in document["operators"]:
        number = sum(label == each["operator"] for label, _ in found)
        found[each["operator"], number] = each
    return found


def _short(operator: dict[str, Any] | None) -> dict[str, Any] | None:
    if operator is None:
        return None
    return {name: operator[name] for name in ("site", "lines", "runs", "time_ms", "before_ms", "edges")}


def _marked(a: list[str], b: list[str]) -> list[list[str]]:
    """The lines of both, each with a mark: " " in both, "-" in the first alone, "+" in the second alone."""
    if a == b:
        return [[" ", line] for line in b]
    found: list[list[str]] = []
    for tag, first, last, begin, end in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            found += [[" ", line] for line in b[begin:end]]
        else:
            found += [["-", line] for line in a[first:last]] + [["+", line] for line in b[begin:end]]
    return found
