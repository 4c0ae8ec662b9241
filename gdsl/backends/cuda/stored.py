"""What the cache keeps of a program that was compiled for a GPU: what the host must know beside the plan, and the
machine code."""

from __future__ import annotations

from functools import cache as remember

from gdsl import cache, source
from gdsl.cache.codec import Codec
from gdsl.codegen import checks
from gdsl.codegen.cuda.generated import Generated

_KIND = "cuda"

Compiled = tuple[Generated, bytes]


def get(key: tuple[cache.KeyPart, ...]) -> Compiled | None:
    """What is kept under `key`; None if it is not all there and whole."""
    generated, cubin = (cache.get(_KIND, (*key, part)) for part in ("generated", "cubin"))
    if generated is None or cubin is None:
        return None
    made = codec().decode(generated)
    return None if made is None else (made, cubin)


def put(key: tuple[cache.KeyPart, ...], compiled: Compiled) -> None:
    """Keep `compiled` under `key`."""
    generated, cubin = compiled
    made = codec().encode(generated)
    if made is not None:
        for part, data in (("generated", made), ("cubin", cubin)):
            cache.put(_KIND, (*key, part), data)


@remember
def codec() -> Codec[Generated]:
    """What the host must know, as data."""
    return Codec(Generated, {**vars(source), **vars(checks), "Generated": Generated})
