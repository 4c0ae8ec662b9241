"""Reads profiles from files, which may contain anything: a profile has a digest of all that it says, so one that is
damaged or has been changed is refused."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from gdsl.diagnostics import GdslError, printable
from gdsl.profiling.document import FORMAT, KIND, digest_of
from gdsl.profiling.page import DATA

_LARGEST = 1 << 28
"""The largest file that is read, in bytes."""
_IN_PAGE = re.compile(rf'<script type="application/json" id="{DATA}">(.*?)</script>', re.DOTALL)

_OTHER_PAGE = "it is a page, but not one that gdslc profile writes"


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
    return None if document.get("digest") == digest_of(document) else ": it has been changed since it was written"
