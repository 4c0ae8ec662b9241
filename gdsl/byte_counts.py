"""Numbers of bytes, as people write them and as they are shown to people."""

from __future__ import annotations

import re

_BYTES = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,15})?) *((?:[KMGT]i?)?B?)", re.IGNORECASE | re.ASCII)
_UNITS = {
    f"{prefix}{between}{unit}".lower(): (1024 if between else 1000) ** power
    for power, prefix in enumerate(("", "k", "M", "G", "T"))
    for between in ("", "i")
    for unit in ("", "B")
}


def byte_count(text: str) -> int:
    """The number of bytes that `text` is, which may have a unit: ``80000000000``, ``80GB``, ``64GiB``. Raises
    ValueError."""
    found = _BYTES.fullmatch(text.strip())
    if found is None:
        raise ValueError("expected a number of bytes, such as 80000000000, 80GB or 64GiB")
    from decimal import Decimal

    return int(Decimal(found[1]) * _UNITS[found[2].lower()])


def readable_bytes(count: int) -> str:
    """`count` bytes as people say it: 1.2 GB."""
    amount, units = float(count), ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"]
    while amount >= 1000 and len(units) > 1:
        amount, units = amount / 1000, units[1:]
    return f"{amount:.0f} {units[0]}" if units[0] == "bytes" else f"{amount:.1f} {units[0]}"
