"""What the cache keeps of a program that was compiled for a GPU: the program after its passes, what the host must know,
and the machine code."""

from __future__ import annotations

from functools import cache as remember

from gdsl import cache
from gdsl.cache.codec import Codec
from gdsl.codegen import expressions
from gdsl.codegen.cuda import generate, host
from gdsl.codegen.cuda.generate import Generated
from gdsl.ir import storage
from gdsl.ir.nodes import Program

_KIND = "cuda"

Compiled = tuple[Program, Generated, bytes]


def get(key: tuple[cache.KeyPart, ...]) -> Compiled | None:
    """What is kept under `key`; None if it is not all there and whole."""
    program, generated, cubin = (cache.get(_KIND, (*key, part)) for part in ("program", "generated", "cubin"))
    if program is None or generated is None or cubin is None:
        return None
    ready, made = storage.decode(program), codec().decode(generated)
    return None if ready is None or made is None else (ready, made, cubin)


def put(key: tuple[cache.KeyPart, ...], compiled: Compiled) -> None:
    """Keep `compiled` under `key`."""
    program, generated, cubin = compiled
    ready, made = storage.encode(program), codec().encode(generated)
    if ready is not None and made is not None:
        for part, data in (("program", ready), ("generated", made), ("cubin", cubin)):
            cache.put(_KIND, (*key, part), data)


@remember
def codec() -> Codec[Generated]:
    """What the host must know, as data."""
    return Codec(Generated, {**storage.CLASSES, **vars(expressions), **vars(host), **vars(generate)})
