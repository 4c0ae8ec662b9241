"""Data prepared when gdsl is built: the parser's tables, and the templates as Python.

Creating them takes longer than compiling a program. `python -m gdsl.tools.prepare` writes a file for each into the
directory `prepared`. What is missing or outdated (another grammar, template or version of the library that created it)
is not used; the caller creates it again.
"""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

from gdsl.resources import resource_directory


def read(name: str, state: str) -> Any:
    """The content prepared under `name`; None if it is missing, damaged or of another state."""
    try:
        stored = json.loads(gzip.decompress(path_of(name).read_bytes()))
        return stored["content"] if stored["state"] == state else None
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
        return None


def write(name: str, state: str, content: Any) -> None:
    """Write `content`, which JSON can represent. Raises OSError."""
    data = json.dumps({"state": state, "content": content}, separators=(",", ":"))
    path_of(name).parent.mkdir(exist_ok=True)
    path_of(name).write_bytes(gzip.compress(data.encode(), mtime=0))


def path_of(name: str) -> Path:
    """The file for `name`, next to the grammar."""
    return resource_directory("grammar").parent / "prepared" / f"{name}.json.gz"
