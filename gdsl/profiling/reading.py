"""Reads profiles from files. Files may contain anything, so every field is checked first."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from typing import Any

from gdsl.diagnostics import GdslError, printable
from gdsl.profiling.document import FORMAT, KIND
from gdsl.profiling.page import DATA

_LARGEST = 1 << 28
"""The largest file that is read, in bytes."""
_IN_PAGE = re.compile(rf'<script type="application/json" id="{DATA}">(.*?)</script>', re.DOTALL)

_OTHER_PAGE = "it is a page, but not one that gdslc profile writes"

Check = Callable[[Any], bool]


def read_document(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The document in a file of JSON or in a page, checked. Raises GdslError E0616."""
    name = printable(os.fspath(path))
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise _refused(f"the profile {name} cannot be read: {reason}") from None
    if len(data) > _LARGEST:
        raise _refused(f"{name} is not a profile: it has more than {_LARGEST >> 20} MiB")
    try:
        text = data.decode("utf-8")
        content = json.loads(_out_of_page(text, name), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        reason = "its values are nested too deeply" if isinstance(error, RecursionError) else str(error)
        reason = "it is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else reason
        raise _refused(f"{name} is not a profile: {printable(reason)}") from None
    problem = _problem_of(content)
    if problem is not None:
        raise _refused(f"{name} is not a profile{problem}")
    document: dict[str, Any] = content
    return document


def _out_of_page(text: str, name: str) -> str:
    """The document, extracted from a page if the text is one."""
    if not text.lstrip().startswith("<"):
        return text
    element = _IN_PAGE.search(text)
    if element is None:
        raise ValueError(_OTHER_PAGE)
    profiles = json.loads(element[1])
    if not isinstance(profiles, dict) or not isinstance(profiles.get("profiles"), list):
        raise ValueError(_OTHER_PAGE)
    if len(profiles["profiles"]) != 1:
        raise _refused(f"{name} is a page that compares two profiles", "name the file of one of them")
    return json.dumps(profiles["profiles"][0])


def _refused(message: str, fix: str = "write one with: gdslc profile PROGRAM GRAPH --json FILE") -> GdslError:
    return GdslError.single("E0616", message, fix=fix)


def _no_constant(word: str) -> float:
    raise ValueError(f"JSON has no number {word}")


def _problem_of(document: Any) -> str | None:
    """Why the document is not a profile; None if it is one."""
    if not isinstance(document, dict) or document.get("kind") != KIND:
        return ": it is JSON, but was not written by gdslc profile"
    if document.get("format") != FORMAT:
        return f" of this version: it was written by gdsl {printable(str(document.get('gdsl')))[:40]}"
    for name, check in _FIELDS.items():
        if name not in document or not check(document[name]):
            return f": `{name}` is missing or invalid"
    if not _LANES(document.get("lanes")):
        return ": `lanes` is invalid"
    return _problem_of_trace(document) or _problem_of_lines(document)


def _problem_of_trace(document: dict[str, Any]) -> str | None:
    columns = {name: document["trace"][name] for name in (*_COLUMNS, *_WORDS, *_TIMES)}
    sites = {each["site"] for each in document["operators"]}
    of_lanes = [column for lane in document.get("lanes") or () for column in lane["columns"].values()]
    if len({len(column) for column in (*columns.values(), *of_lanes)}) > 1:
        return ": the columns of `trace` differ in length"
    if not sites.issuperset(columns["site"]):
        return ": `trace` refers to operators that are not in `operators`"
    steps = zip([0, *columns["pass"]], columns["pass"], strict=False)
    if not all(after - before in (0, 1) for before, after in steps) or columns["pass"][:1] not in ([], [1]):
        return ": the passes in `trace` are out of order"
    return None


def _problem_of_lines(document: dict[str, Any]) -> str | None:
    program, operators = document["program"], document["operators"]
    sites = [each["site"] for each in operators]
    if len({*sites}) < len(sites) or not {each["inside"] for each in operators} <= {*sites, None}:
        return ": `operators` has a duplicate or unknown site"
    texts = {"": program["text"], **{each["file"]: each["text"] for each in program["imports"]}}
    counts = {file: len(text.split("\n")) for file, text in texts.items()}
    for place in (*operators, *(each["functor"] for each in operators if each["functor"] is not None)):
        first, last = place["lines"]
        if not 0 <= first <= last <= counts.get(place["file"], -1):
            return ": `operators` refers to lines that the program does not have"
    return None


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _maybe(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _each(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _values(check: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def _with(**checks: Check) -> Check:
    return lambda value: (
        isinstance(value, dict) and all(name in value and check(value[name]) for name, check in checks.items())
    )


def _lines(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_whole, value))


_TIMES = {"time_ms": _maybe(_number), "before_ms": _maybe(_number), "waiting_ms": _maybe(_number)}
_PLACE = _with(file=_text, lines=_lines)
_COLUMNS = {"pass": _whole, "iteration": _whole, "site": _whole, "frontier": _whole, "edges": _whole}
_WORDS = {name: _maybe(_text) for name in ("direction", "balance", "order", "why")}
_LANES = _maybe(
    _each(
        _with(
            name=_text,
            compute_ms=_number,
            waiting_ms=_number,
            members=_maybe(_whole),
            columns=_with(compute_ms=_each(_number), waiting_ms=_each(_number), members=_each(_maybe(_whole))),
        )
    )
)
"""Files of versions before have none."""
_FIELDS: dict[str, Check] = {
    "gdsl": _text,
    "when": _text,
    "program": _with(name=_text, file=_text, text=_text, imports=_each(_with(file=_text, text=_text))),
    "graph": _with(name=_text, vertices=_whole, edges=_whole, directed=_flag),
    "params": _values(_text),
    "knobs": _each(_text),
    "tuned": _maybe(_with(file=_text, knobs=_each(_text), used=_flag, reason=_text)),
    "backend": _text,
    "backend_reason": _maybe(_text),
    "device": _text,
    "time_ms": _with(
        load=_maybe(_number),
        compile=_number,
        layout=_maybe(_number),
        run=_number,
        start=_maybe(_number),
        runs=_each(_number),
    ),
    "iterations": _whole,
    "operators": _each(
        _with(
            site=_whole,
            operator=_text,
            does=_text,
            call=_text,
            file=_text,
            lines=_lines,
            functor=_maybe(_PLACE),
            inside=_maybe(_whole),
            rule=_each(_text),
            runs=_whole,
            frontier=_whole,
            edges=_whole,
            **_TIMES,
        )
    ),
    "records": _whole,
    "trace": _with(**{name: _each(check) for name, check in {**_COLUMNS, **_WORDS, **_TIMES}.items()}),
    "plan": _maybe(_text),
    "source": _with(language=_text, text=_text),
    "facts": _each(_each(_text)),
    "kernels": _each(
        _with(name=_text, registers=_whole, local=_whole, shared=_whole, resident=_whole, threads=_whole, most=_whole)
    ),
    "memory": _maybe(
        _with(device=_text, needed=_whole, buffers=_each(_with(name=_text, what=_text, elements=_text, bytes=_whole)))
    ),
    "results": _each(
        _with(name=_text, type=_text, grade=_text, size=_whole, reason=_maybe(_text), apart=_values(_whole))
    ),
}
