"""How large the columns of an Arrow file are once they are decompressed, as its messages say."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from gdsl.graph.group import ALONE, Group

MAGIC = b"ARROW1"
_CONTINUES = b"\xff\xff\xff\xff"
_DICTIONARIES, _RECORD_BATCHES = 2, 3
"""Places of fields in the table Footer."""
_RECORD_BATCH, _DICTIONARY_BATCH = 3, 2
_HEADER_TYPE, _HEADER = 1, 2
_DATA, _BUFFERS, _COMPRESSION = 1, 2, 3
"""Places of fields in the tables Message, DictionaryBatch and RecordBatch of Arrow's format (flatbuffers)."""


class _OverlapError(Exception):
    """The parts of a file are larger than the file."""


def decompressed_size(source: Any, is_file: bool, group: Group = ALONE) -> int:
    """Bytes of all compressed buffers of the Arrow file, or stream, that is open as `source`; of a file, in the batches
    that a worker of a group examines.

    Damaged parts count as far as they can be read; their reader reports the damage. Raises ArrowInvalid for a file that
    lists its parts more than once, which would be read repeatedly.
    """
    import pyarrow

    total = 0
    try:
        for metadata, body in _messages_of_file(source, group) if is_file else _messages_of_stream(source):
            total += _size_of(metadata, body)
    except _OverlapError:
        raise pyarrow.ArrowInvalid("parts of the file overlap") from None
    except (pyarrow.ArrowException, OSError, ValueError, struct.error, IndexError):
        pass
    return total


def _messages_of_stream(source: Any) -> Iterator[tuple[bytes, Any]]:
    import pyarrow

    source.seek(0)
    for message in pyarrow.ipc.MessageReader.open_stream(source):
        yield message.metadata.to_pybytes(), message.body


def _messages_of_file(source: Any, group: Group) -> Iterator[tuple[bytes, Any]]:
    """The messages that the footer lists, possibly more than once: the dictionaries, and a worker's batches."""
    end = source.seek(0, 2) - len(MAGIC) - 4
    source.seek(end)
    [length] = struct.unpack("<i", source.read(4))
    source.seek(end - length)
    footer = source.read(length)
    table, left = _offset(footer, 0), end
    for number in (_DICTIONARIES, _RECORD_BATCHES):
        field = _field(footer, table, number)
        if field is None:
            continue
        first = _offset(footer, field)
        [count] = struct.unpack_from("<I", footer, first)
        examined = range(*group.part(count)) if number == _RECORD_BATCHES else range(count)
        for place in range(count):
            at, size, body = struct.unpack_from("<qi4xq", footer, first + 4 + 24 * place)
            left -= size + body
            if left < 0 or size < 0 or body < 0:
                raise _OverlapError
            if place not in examined:
                continue
            source.seek(at)
            metadata = source.read(size)
            start = 8 if metadata[:4] == _CONTINUES else 4
            yield metadata[start:], source.read(body)


def _size_of(metadata: bytes, body: Any) -> int:
    """The decompressed size of one message."""
    table = _offset(metadata, 0)
    kind = _field(metadata, table, _HEADER_TYPE)
    header = _field(metadata, table, _HEADER)
    if kind is None or header is None or not body:
        return 0
    batch = _offset(metadata, header)
    if metadata[kind] == _DICTIONARY_BATCH:
        data = _field(metadata, batch, _DATA)
        if data is None:
            return 0
        batch = _offset(metadata, data)
    elif metadata[kind] != _RECORD_BATCH:
        return 0
    buffers = _field(metadata, batch, _BUFFERS)
    if buffers is None or _field(metadata, batch, _COMPRESSION) is None:
        return 0
    first, content, total = _offset(metadata, buffers), memoryview(body), 0
    [count] = struct.unpack_from("<I", metadata, first)
    for place in range(count):
        start, length = struct.unpack_from("<qq", metadata, first + 4 + 16 * place)
        if length >= 8 and 0 <= start <= len(content) - 8:
            total += max(struct.unpack_from("<q", content, start)[0], 0)
    return total


def _offset(metadata: bytes, at: int) -> int:
    """The target of the offset at `at`."""
    return at + int(struct.unpack_from("<I", metadata, at)[0])


def _field(metadata: bytes, table: int, number: int) -> int | None:
    """The place of a field of a table; None if it is absent."""
    fields = table - struct.unpack_from("<i", metadata, table)[0]
    [size] = struct.unpack_from("<H", metadata, fields)
    place = 4 + 2 * number
    if fields < 0 or place + 2 > size:
        return None
    [offset] = struct.unpack_from("<H", metadata, fields + place)
    return table + offset if offset else None
