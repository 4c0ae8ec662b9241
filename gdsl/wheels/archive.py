"""The file of a wheel: the same bytes for the same content, with the record that installers check."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Mapping

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time of a file in a ZIP archive."""
_MODE = 0o100644 << 16


def packed(files: Mapping[str, bytes], dist_info: str) -> bytes:
    """A wheel with these files, by path, of which those of `dist_info` come last; with its RECORD (PEP 427)."""
    names = sorted(files, key=lambda name: (name.startswith(dist_info), name))
    record = f"{dist_info}/RECORD"
    rows = [f"{name},{_digest(files[name])},{len(files[name])}" for name in names]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in names:
            _write(archive, name, files[name])
        _write(archive, record, "".join(f"{row}\n" for row in [*rows, f"{record},,"]).encode())
    return buffer.getvalue()


def _write(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.external_attr, info.compress_type = _MODE, zipfile.ZIP_DEFLATED
    info.create_system = 3
    archive.writestr(info, data)


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"
