"""The bytes of a file, decompressed where it is compressed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from gdsl.diagnostics import GdslError
from gdsl.extras import first_line
from gdsl.graph.compressed import LONGEST_MAGIC, decompressing
from gdsl.graph.memory import require_memory
from gdsl.graph.text import file_size, unreadable

_CHUNK = 1 << 20


def chunks_of(path: str) -> Iterator[bytes]:
    """The bytes of the file at `path`, some at a time. Raises GdslError E0701, E0710 or E0716."""
    file_size(path)
    try:
        with open(path, "rb") as raw:
            start = raw.read(LONGEST_MAGIC)
            raw.seek(0)
            text: Any = decompressing(raw, start) or raw
            with contextlib.closing(text):
                while chunk := text.read(_CHUNK):
                    yield chunk
    except GdslError:
        raise
    except OSError as error:
        if error.errno is not None:
            raise unreadable(path, error) from None
        raise _damaged(path, error) from None
    except Exception as error:  # of one of the three libraries
        raise _damaged(path, error) from None


def bytes_of(path: str, times: int) -> bytes:
    """All of them. Raises GdslError E0708 where `times` as much memory is more than there is."""
    parts, size = [], 0
    for chunk in chunks_of(path):
        size += len(chunk)
        require_memory(times * size, "the graph", path)
        parts.append(chunk)
    return b"".join(parts)


def _damaged(path: str, error: Exception) -> GdslError:
    return GdslError.single("E0710", f"the compressed data is damaged: {first_line(error)}", place=path)
