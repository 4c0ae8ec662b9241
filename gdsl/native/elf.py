"""How long a file in the format of Linux's libraries (and of machine code for GPUs) is by its own account."""

from __future__ import annotations

import struct

_MAGIC = b"\x7fELF"
_WIDTHS = {1: ("IIIIHHHHHH", 16, 4), 2: ("QQQIHHHHHH", 32, 8)}
"""By class (32 or 64 bits): the header from `e_entry` on, and where a segment has its size in the file."""
_ORDERS = {1: "<", 2: ">"}


def length(data: bytes) -> int | None:
    """Where the last of what the headers speak of ends, in bytes; None where `data` is of another format.

    Raises ValueError for headers that are not all there.
    """
    if data[:4] != _MAGIC:
        return None
    try:
        form, size_at, word = _WIDTHS[data[4]]
        order = _ORDERS[data[5]]
        header = struct.unpack_from(f"{order}{form}", data, 24)
        _, segments, sections, _, _, segment_size, segment_count, section_size, section_count, _ = header
        ends = [segments + segment_size * segment_count, sections + section_size * section_count]
        for number in range(segment_count):
            start = segments + number * segment_size
            offset_at = start + word  # behind the type (and, of 64 bits, the flags)
            width = "I" if word == 4 else "Q"
            [offset] = struct.unpack_from(f"{order}{width}", data, offset_at)
            [size] = struct.unpack_from(f"{order}{width}", data, start + size_at)
            ends.append(offset + size)
    except (struct.error, KeyError, IndexError):
        raise ValueError("the headers are cut off") from None
    return int(max(ends))
