"""Programs of the IR as bytes for the cache, and back; what does not hold together is refused."""

from __future__ import annotations

import re

from gdsl import extents, source
from gdsl.cache import program_key
from gdsl.cache.codec import Codec
from gdsl.ir import expressions, graphs, operators, program, set_steps, statements, tuning
from gdsl.ir.nodes import Program
from gdsl.ir.soundness import is_sound
from gdsl.ir.verifier import VerificationError, verify

_ROOMS = (source, extents, expressions, statements, operators, graphs, set_steps, tuning, program)
CLASSES = {name: value for room in _ROOMS for name, value in vars(room).items()}
"""Every name that an annotation of the IR holds."""

_KEY = re.compile(rb"[0-9a-f]{64}")
_PROGRAMS = Codec(
    Program,
    CLASSES,
    names=re.compile(r"[^\W\d]\w*", re.ASCII),  # names go into generated text as they are
    free=("Program.doc", "Program.source_name", "Doubt.reason", "Origin.file"),
)


def encode(value: Program) -> bytes | None:
    """`value` as bytes; None where it cannot be kept (an expression that is nested too deeply)."""
    return _PROGRAMS.encode(value)


def encode_with_key(value: Program) -> bytes | None:
    """The same with what `program_key` says of it before it, which takes longer to find out than to read."""
    data = encode(value)
    return None if data is None else program_key(value).encode() + data


def decode_with_key(data: bytes) -> Program | None:
    """The program that `encode_with_key` made `data` of, for which `program_key` knows what to say."""
    key = _KEY.match(data)
    found = None if key is None else decode(data[key.end() :])
    if key is None or found is None:
        return None
    object.__setattr__(found, "digest", key[0].decode())
    return found


def decode(data: bytes) -> Program | None:
    """The program that `encode` made `data` of; None where `data` is anything else."""
    found = _PROGRAMS.decode(data)
    if found is None:
        return None
    try:
        verify(found, "reading the cache")
        return found if is_sound(found) else None
    except (VerificationError, RecursionError):
        return None
