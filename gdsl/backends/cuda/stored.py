"""What the cache keeps of a program that was compiled for a GPU: what the host must know beside the plan, and the
machine code, in one entry."""

from __future__ import annotations

import dataclasses
import struct
from functools import cache as remember

from gdsl import cache, source
from gdsl.cache.codec import Codec
from gdsl.codegen import checks
from gdsl.codegen.cuda.generated import Generated

_KIND = "cuda"
_LENGTHS = struct.Struct("<QQ")
"""Bytes of the facts, and of the text behind them; the machine code is the rest. The text is kept as it is: most of it
would have to be spelt out in JSON, and read again sign by sign."""

Compiled = tuple[Generated, bytes]


def get(key: tuple[cache.KeyPart, ...]) -> Compiled | None:
    """What is kept under `key`; None if it is not all there and whole."""
    kept = cache.get(_KIND, key)
    return None if kept is None else decode(kept)


def put(key: tuple[cache.KeyPart, ...], compiled: Compiled) -> None:
    """Keep `compiled` under `key`."""
    data = encode(compiled)
    if data is not None:
        cache.put(_KIND, key, data)


def encode(compiled: Compiled) -> bytes | None:
    """`compiled` as bytes; None where it cannot be kept."""
    generated, cubin = compiled
    facts = codec().encode(dataclasses.replace(generated, text=""))
    if facts is None:
        return None
    text = generated.text.encode("utf-8", "surrogatepass")
    return _LENGTHS.pack(len(facts), len(text)) + facts + text + cubin


def decode(data: bytes) -> Compiled | None:
    """What `encode` made `data` of; None for any other data."""
    try:
        facts, text = _LENGTHS.unpack_from(data)
        begin = _LENGTHS.size + facts
        made, cubin = codec().decode(data[_LENGTHS.size : begin]), data[begin + text :]
        found = str(memoryview(data)[begin : begin + text], "utf-8", "surrogatepass")
    except (struct.error, ValueError):
        return None
    if made is None or made.text or not cubin:
        return None
    return dataclasses.replace(made, text=found), cubin


@remember
def codec() -> Codec[Generated]:
    """What the host must know, as data."""
    return Codec(Generated, {**vars(source), **vars(checks), "Generated": Generated})
