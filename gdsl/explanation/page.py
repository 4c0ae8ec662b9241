"""An explanation as text, as a page of HTML and as JSON."""

from __future__ import annotations

import dataclasses
import json
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from gdsl import html
from gdsl.diagnostics import printable
from gdsl.explanation.model import SCHEMA, Access, DataFact, Explanation, Moved, OperatorFact
from gdsl.version import __version__

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = "color-scheme:light dark;max-width:75em;margin:2em auto;padding:0 1em;font:15px/1.45 system-ui,sans-serif"
_NOTE = (
    "On a GPU, for graphs of any kind, with {}-bit ids. Bytes (B) are the most that a visit takes, a bit being one: "
    "tests that fail, and caches, save some."
)
_NOTHING = "nothing was found: no warnings, no wide types along edges, no pass was stopped"


# ---------------------------------------------------------------- text


def as_text(explanation: Explanation, width: int = 110) -> str:
    """Lines of at most `width` characters, where words allow it."""
    head = [explanation.call, *(["", *map(printable, explanation.doc.splitlines())] if explanation.doc else []), ""]
    return "\n".join((*head, *(_wrapped(line, width) for line in _text(explanation)))) + "\n"


def _wrapped(line: str, width: int) -> str:
    indent = len(line) - len(line.lstrip())
    further = " " * (indent + 2)
    return textwrap.fill(
        line, max(width, 40), subsequent_indent=further, break_long_words=False, break_on_hyphens=False
    )


def _text(explanation: Explanation) -> Iterator[str]:
    for kind, sentences in explanation.header:
        yield from (f"{kind} {sentence}" for sentence in sentences)
    yield from ("", "Data: who writes and reads it, and why that is no race")
    for data in explanation.data:
        yield from _data_text(data)
    yield from ("", f"Operators: what becomes of them, and what they cost. {_NOTE.format(explanation.ids)}")
    for operator in explanation.operators:
        yield from _operator_text(operator)
    yield from ("", "What would make it faster, or stops the compiler")
    yield from (f"  {sentence}" for sentence in explanation.faster or (_NOTHING,))


def _data_text(data: DataFact) -> Iterator[str]:
    yield f"  {_declared(data)}"
    if data.grade:
        yield f"    {data.grade}: {'; '.join(data.reasons)}" if data.reasons else f"    {data.grade}"
    yield from (f"    written {_access(each)}" for each in data.writes)
    yield from (f"    read {_access(each)}" for each in data.reads)


def _declared(data: DataFact) -> str:
    initial = f", at first {data.initial}" if data.initial else ""
    return f"{data.name}: {data.type}, {data.extent}, {data.kind}{initial}"


def _access(access: Access) -> str:
    form = f"`{access.form}`, " if access.form else ""
    how = _how(access)
    return f"in {access.place} by {access.by}: {form}{access.reason}{f'; {how}' if how else ''}"


def _how(access: Access) -> str:
    """How the GPU does it, in each direction if these differ."""
    modes = dict(access.how)
    if len(set(modes.values())) == 1:
        return next(iter(modes.values()))
    return ", ".join(f"{direction}: {mode}" for direction, mode in modes.items())


def _operator_text(operator: OperatorFact) -> Iterator[str]:
    yield f"  {operator.place}: {operator.call}  @{operator.label}"
    yield from (f"    {sentence}" for sentence in operator.becomes)
    for cost in operator.costs:
        yield f"    {_cost(cost)}: {', '.join(cost.parts)}"


def _cost(cost: Moved) -> str:
    before = f"{cost.direction}, " if cost.direction else ""
    return f"{before}for each {cost.per} reads {cost.read} B and writes {cost.written} B"


# ---------------------------------------------------------------- HTML


def as_html(explanation: Explanation) -> str:
    """One page that loads nothing and runs no script."""
    parts = "\n".join(_html(explanation))
    title = html.escaped(f"{explanation.program}: what the compiler understood")
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>'
    )
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body style="{_STYLE}">\n{parts}\n</body></html>\n'


def _html(explanation: Explanation) -> Iterator[str]:
    yield f"<h1>{html.escaped(explanation.program)}</h1>"
    yield from (f"<p>{html.escaped(line)}</p>" for line in (explanation.call, *explanation.doc.splitlines()))
    rows = [(kind, sentence) for kind, sentences in explanation.header for sentence in sentences]
    yield html.table((), rows, left=(0, 1))
    yield "<h2>Data</h2>"
    summary = [(d.name, d.type, d.extent, d.kind, d.initial, d.grade, "; ".join(d.reasons)) for d in explanation.data]
    head = ("name", "type", "extent", "kind", "at first", "grade", "why")
    yield html.table(head, summary, left=range(len(head)))
    yield "<h2>Writes and reads</h2>"
    yield html.table(("data", "what", "where", "by", "why it is no race", "how"), _accesses(explanation), left=range(6))
    yield f"<h2>Operators</h2><p>{html.escaped(_NOTE.format(explanation.ids))}</p>"
    for operator in explanation.operators:
        yield f"<h3><code>{html.escaped(operator.call)}</code></h3>"
        yield html.heading(f"@{operator.label}", operator.place)
        yield _list(operator.becomes)
        costs = [(c.direction, c.per, c.read, c.written, ", ".join(c.parts)) for c in operator.costs]
        if costs:
            yield html.table(("form", "for each", "bytes read", "bytes written", "of"), costs, left=(0, 1, 4))
    yield "<h2>What would make it faster, or stops the compiler</h2>"
    yield _list(explanation.faster or (_NOTHING,))
    yield f'<p style="opacity:.7">gdsl {html.escaped(__version__)}</p>'


def _accesses(explanation: Explanation) -> Iterator[tuple[str, ...]]:
    for data in explanation.data:
        for access in (*data.writes, *data.reads):
            yield data.name, access.form or "read", access.place, access.by, access.reason, _how(access)


def _list(sentences: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{html.escaped(sentence)}</li>' for sentence in sentences)}</ul>"


# ---------------------------------------------------------------- JSON


def as_json(explanation: Explanation) -> str:
    """The document of `gdslc explain PROGRAM --json`."""
    document: dict[str, Any] = {"schema": SCHEMA, "tool": {"name": "gdslc", "version": __version__}}
    document |= dataclasses.asdict(explanation)
    document["header"] = [{"kind": kind, "sentences": sentences} for kind, sentences in explanation.header]
    for data in document["data"]:
        for access in (*data["writes"], *data["reads"]):
            access["how"] = dict(access["how"])
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
