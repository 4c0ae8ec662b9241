"""The times of the last profile of a program, which an editor shows beside its operators.

A profile leaves them in the cache. They are found by what the program says: its words and those of the files that it
imports, without comments, spaces and line ends, and wherever the files are. So a text that is not saved has them, too,
a program with another word has none, and one that is changed back has those of its last profile again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from gdsl import cache
from gdsl.records import dataclass
from gdsl.source import Source

_KIND = "times"
_WORD = re.compile(r'"""(?:.|\n)*?(?:"""|\Z)|#[^\n]*|"[^"\n]*"?|\w+|[^\w\s]')


@dataclass(frozen=True, slots=True)
class OperatorTime:
    """All runs of the operator at `site` in a profiled run. `inside`: the site of the operator in whose sweep it runs,
    and whose time includes its own. `time_ms` is None where the backend does not measure it."""

    site: int
    runs: int
    time_ms: float | None
    inside: int | None


@dataclass(frozen=True, slots=True)
class LastTimes:
    """The times of a profiled run, and of what run they are."""

    graph: str
    backend: str
    device: str
    when: str
    params: dict[str, str]
    knobs: tuple[str, ...]
    time_ms: float
    operators: tuple[OperatorTime, ...]


def keep_times(source: Source, document: dict[str, Any]) -> None:
    """Keep the times of the profile `document` of the program `source`."""
    kept = {name: document[name] for name in ("backend", "device", "when", "params", "knobs")}
    kept |= {"graph": document["graph"]["name"], "time_ms": document["time_ms"]["run"]}
    rows = [{name: each[name] for name in OperatorTime.__slots__} for each in document["operators"]]
    cache.put(_KIND, key_of(source), json.dumps({**kept, "operators": rows}).encode())


def last_times(key: tuple[str, ...]) -> LastTimes | None:
    """The times of the last profile of the program with this key; None if there are none."""
    data = cache.get(_KIND, key)
    if data is None:
        return None
    fields = json.loads(data)
    rows = tuple(OperatorTime(**each) for each in fields.pop("operators"))
    return LastTimes(**{**fields, "knobs": tuple(fields["knobs"])}, operators=rows)


def key_of(source: Source) -> tuple[str, ...]:
    """What identifies a program with its imports, which have been read (`gdsl.imports.with_imports`)."""
    return _words(source.text), *sorted(_words(each.text) for each in source.imported or ())


def _words(text: str) -> str:
    return "\n".join(_significant(text))


def _significant(text: str) -> Iterator[str]:
    for match in _WORD.finditer(text):
        if not match[0].startswith(('"""', "#")):
            yield match[0]
