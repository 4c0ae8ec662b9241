"""Values and names of the caller in messages: always one line of printable text, never long, and never an exception."""

from __future__ import annotations

import math
from typing import Any

from gdsl.foreign_objects import attribute, has

_LONGEST = 60
_MOST_DIGITS = 40


def printable(name: str) -> str:
    """`name` (a path, mostly) with what cannot be printed as escapes: ``\\n``, ``\\x1b``, ``\\xff`` of a lone byte."""
    return name if name.isprintable() else "".join(map(_escaped, name))


def shown(value: object) -> str:
    """`value` as a message shows it; Python refuses to write out integers of thousands of digits, and so do we."""
    if isinstance(value, int) and not isinstance(value, bool) and int.__abs__(value) >= 10**_MOST_DIGITS:
        return f"an integer of about {math.ceil(int.bit_length(value) * math.log10(2))} digits"
    dtype = attribute(value, "dtype")
    if (
        dtype is not None
        and not isinstance(value, type)
        and (attribute(value, "shape", ()) != () or has(value, "mask"))
    ):
        return f"an array of {type_name(dtype)}"
    try:
        text = repr(str(value)) if isinstance(value, str) else repr(value)
    except Exception:  # of a class of the caller's, or of a container of such an integer
        text = f"<{type(value).__name__}>"
    text = printable(" ".join(text.split())).removeprefix("numpy.").removeprefix("np.")
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def type_name(dtype: Any) -> str:
    """A dtype of NumPy's; those of records list all their fields."""
    return "records" if attribute(dtype, "names") else printable(str(dtype))


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a path that is no UTF-8, as Python keeps it
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")
