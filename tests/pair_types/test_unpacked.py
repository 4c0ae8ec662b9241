"""Results that are pairs, as arrays of both parts: their values, and the memory that it takes to make them."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import gdsl
from gdsl.backends.pairs import bytes_of_parts, unpacked
from gdsl.types import Type, Widths

COUNT = 1 << 16
WIDTHS = Widths.both(32)
FIRST, SECOND = (Type.INT32, Type.FLOAT32, Type.BOOL, Type.UINT32), (Type.VERTEX, Type.FLOAT32)
KINDS = [(first, second) for first in FIRST for second in SECOND]
KINDS += [(Type.FLOAT64, Type.EDGE), (Type.INT64, Type.FLOAT64), (Type.FLOAT32, Type.INT64)]


def ranks_of(values: np.ndarray, kind: Type) -> np.ndarray:
    """Unsigned integers in the order of the values, as `rank_of` of the runtime has them."""
    if kind is Type.BOOL:
        return values.astype(np.uint64)
    words = values.view(f"u{values.itemsize}")
    sign = words.dtype.type(1 << (8 * values.itemsize - 1))
    if kind.is_float:
        return np.where(words & sign, ~words, words | sign).astype(np.uint64)
    return (words ^ sign if kind.is_signed else words).astype(np.uint64)


@pytest.mark.parametrize("kinds", KINDS, ids=lambda kinds: "-".join(kind.name for kind in kinds))
def test_parts_and_their_memory(kinds: tuple[Type, Type]) -> None:
    random, kind = np.random.default_rng(1), Type.pair(*kinds)
    parts = []
    for each in kinds:
        letter = "f" if each.is_float else "i" if each.is_signed or each.is_id else "u"
        values = random.integers(0, 256, COUNT * WIDTHS.of(each) // 8, np.uint8)
        values = values.view(f"{letter}{WIDTHS.of(each) // 8}")
        parts.append(values % 2 == 0 if each is Type.BOOL else values)
    first, second = (ranks_of(values, each) for values, each in zip(parts, kinds, strict=True))
    wide = WIDTHS.of(kind) == 128
    words = np.stack([first, second], axis=1).reshape(-1) if wide else first << np.uint64(32) | second
    before = words.copy()
    tracemalloc.start()
    found = unpacked(words, kind, WIDTHS)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    for values, expected in zip(found, parts, strict=True):
        assert values.dtype == expected.dtype and values.tobytes() == expected.tobytes()
    assert np.array_equal(words, before)
    assert most <= bytes_of_parts(kind, WIDTHS, COUNT) + 10_000


def test_parts_count_as_memory_of_a_run() -> None:
    program = gdsl.compile(
        "program two; problem { vertex best : (int32, vertex); local vertex other : (int32, vertex); }\nschedule { }"
    )
    graph = gdsl.Graph.generate("grid:8")
    for options in ({"backend": "cuda", "memory": "1GB"}, {"backend": "cpu"}):
        needs = {need.name: need for need in program.dry_run(graph, {}, **options).needs}
        assert needs["problem.best.parts"].nbytes == needs["problem.best"].nbytes == 8 * 64
        assert "problem.other.parts" not in needs
