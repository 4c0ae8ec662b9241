"""Files that hold no graph, whatever their names say: what a failed download leaves, archives, and binary data.

Some readers would accept any text as a graph, and others would only say that the first line is wrong.
"""

from __future__ import annotations

import contextlib
import re
import zlib
from lzma import LZMAError

from gdsl.diagnostics import GdslError
from gdsl.graph.file_bytes import LONGEST_MAGIC, JunkBehindError, decompressing
from gdsl.graph.messages import filtered, in_shell
from gdsl.graph.other_files import meaning_of
from gdsl.graph_names import BY_NETWORKX

_BEGINNING = 1024
_AGAIN = "download the file itself"
_SERVER_WORDS = (
    rb"bad request|unauthorized|forbidden|not found|gone|too many requests|(internal )?server error|bad gateway"
    rb"|service unavailable|gateway time-?out"
)
_PAGES = tuple(
    (re.compile(pattern, re.IGNORECASE), what, fix)
    for pattern, what, fix in (
        (rb"\s*<(!doctype html|html)", "a web page", _AGAIN),
        (rb"\s*(<\?xml[^>]*\?>)?\s*<error>\s*<code>", "the message of a server", _AGAIN),
        (rb"\s*[45][0-9][0-9]:? (" + _SERVER_WORDS + rb")\W*\Z", "the message of a server", _AGAIN),
        (rb"version https://git-lfs", "a pointer of Git LFS", f"{_AGAIN}: `git lfs pull` in its repository"),
        (rb"\S*/annex/objects/\S+\s*\Z", "a pointer of git-annex", f"{_AGAIN}: `git annex get` in its repository"),
        (rb"%PDF-", "a PDF document", "save the table in it as an edge list"),
    )
)
"""How text begins that is no graph of any format, what it is, and how to get the graph."""
_ZIP, _TAR, _TAR_MAGIC_AT = b"PK\x03\x04", b"ustar", 257
_OF_BYTES = ("npz", "parquet", "arrow")
"""Formats that are binary."""
_OF_TEXT = (*(kind for kind in BY_NETWORKX if kind != "gexf"), "gml")
"""Formats of UTF-8 whose readers get the whole file, and do not look for other bytes."""
_LISTS_OF_ANYTHING = ("adjlist", "multiline-adjlist")
"""Formats whose nodes may have any names."""
_OTHERS = tuple(
    (re.compile(pattern), what, kind)
    for pattern, what, kind in (
        (rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?<(\w+:)?gexf\b", "a GEXF file", "gexf"),
        (rb"\s*<(\?xml|(\w+:)?graphml\b)", "an XML file", "graphml"),
        (rb"\s*[{\[]\s*[\"{\[]", "a JSON file", "json"),
    )
)
"""How files begin that such lists are not, what they are, and the format that reads them."""


def refuse_no_graph(path: str, kind: str) -> None:
    """Raise E0710 if the file at `path`, which is to be read as a `kind`, begins like something that is no graph."""
    start = _beginning(path)
    for pattern, what, fix in _PAGES:
        if pattern.match(start):
            raise _refused(path, f"this is {what}, not a graph", fix)
    if kind in _LISTS_OF_ANYTHING:
        for pattern, what, format_name in _OTHERS:
            if pattern.match(start):
                fix = f"--format {format_name} (format='{format_name}')"
                raise GdslError.single("E0712", f"this is {what}, not an adjacency list", fix=fix, place=path)
    if kind not in _OF_BYTES and (start.startswith(_ZIP) or start.startswith(_TAR, _TAR_MAGIC_AT)):
        command = "unzip" if start.startswith(_ZIP) else "tar -xf"
        raise _refused(path, "this is an archive of files", f"unpack it first: {command} {in_shell(path)}")
    other = meaning_of(start, path) if kind not in _OF_BYTES else None
    if other is not None:
        raise _refused(path, *other)
    if kind in _OF_TEXT and (start.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in start):
        encoding = utf16_of(start)
        if encoding is None:
            raise _refused(path, "this is a binary file, not the text of a graph", None)
        fix = f"save the file as UTF-8: {filtered(path, f'iconv -f {encoding} -t utf-8')}"
        raise _refused(path, "this is UTF-16 text", fix)


def utf16_of(start: bytes) -> str | None:
    """The UTF-16 that a file which begins with `start` and has zero bytes is in, as iconv calls it; None if it is
    binary."""
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    high, low = any(start[0:200:2]), any(start[1:200:2])
    return None if high == low else "utf-16le" if high else "utf-16be"


def _beginning(path: str) -> bytes:
    """The first bytes of a file, decompressed; none of a file that cannot be read, which its reader reports."""
    with contextlib.suppress(OSError, EOFError, zlib.error, LZMAError, JunkBehindError), open(path, "rb") as raw:
        magic = raw.read(LONGEST_MAGIC)
        raw.seek(0)
        stream = decompressing(raw, magic) or raw
        start: bytes = stream.read(_BEGINNING)
        return start
    return b""


def _refused(path: str, message: str, fix: str | None) -> GdslError:
    return GdslError.single("E0710", message, fix=fix, place=path)
