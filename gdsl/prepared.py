"""What is made of gdsl's own files beforehand, since to make it takes longer than to compile a program with it: the
parser's tables, and the templates as Python.

`python -m gdsl.tools.prepare` writes it into the directory `prepared`, a file each; building and installing gdsl do so.
What is missing, or of another state than the caller has (another grammar, template or version of the library that made
it), is not used: the caller makes it anew.
"""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

from gdsl.resources import resource_directory


def read(name: str, state: str) -> Any:
    """What is prepared under `name`, as JSON has it; None where that is missing, damaged or of another state."""
    try:
        kept = json.loads(gzip.decompress(path_of(name).read_bytes()))
        return kept["content"] if kept["state"] == state else None
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
        return None


def write(name: str, state: str, content: Any) -> None:
    """Prepare `content`, of numbers, texts, lists and dictionaries. Raises OSError."""
    data = json.dumps({"state": state, "content": content}, separators=(",", ":"))
    path_of(name).parent.mkdir(exist_ok=True)
    path_of(name).write_bytes(gzip.compress(data.encode(), mtime=0))


def path_of(name: str) -> Path:
    """The file of what is prepared under `name`, beside the grammar."""
    return resource_directory("grammar").parent / "prepared" / f"{name}.json.gz"
