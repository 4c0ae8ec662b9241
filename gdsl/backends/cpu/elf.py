"""Whether a file of the format of Linux's libraries is all there: the loader looks at parts of it only."""

from __future__ import annotations

import struct
from pathlib import Path

_MAGIC = b"\x7fELF"
_WIDTHS = {1: ("IIIIHHHHHH", 16, 4), 2: ("QQQIHHHHHH", 32, 8)}
"""By class (32 or 64 bits): the header from `e_entry` on, and where a segment has its size in the file."""
_ORDERS = {1: "<", 2: ">"}


def cut_off(path: Path) -> bool:
    """Whether what the headers of a library speak of goes beyond the end of the file; False for other formats.

    Where the rest of a page is missing, the loader finds zeros there instead. Raises OSError.
    """
    data = path.read_bytes()
    if data[:4] != _MAGIC:
        return False
    try:
        form, size_at, word = _WIDTHS[data[4]]
        order = _ORDERS[data[5]]
        header = struct.unpack_from(f"{order}{form}", data, 24)
        _, segments, sections, _, _, segment_size, segment_count, section_size, section_count, _ = header
        ends = [segments + segment_size * segment_count, sections + section_size * section_count]
        for number in range(segment_count):
            start = segments + number * segment_size
            offset_at = start + word  # behind the type (and, of 64 bits, the flags)
            length = "I" if word == 4 else "Q"
            [offset] = struct.unpack_from(f"{order}{length}", data, offset_at)
            [size] = struct.unpack_from(f"{order}{length}", data, start + size_at)
            ends.append(offset + size)
    except (struct.error, KeyError, IndexError):
        return True
    return bool(max(ends) > len(data))
