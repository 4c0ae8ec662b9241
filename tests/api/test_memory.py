"""What one program needed goes with it."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

import gdsl

TEXT = '''"""One of many."""
program p;
problem { param source : vertex; vertex distance_NUMBER : int32 = -1; }
edge functor visit(src, dst, e) {
    cond distance_NUMBER[dst] == -1;
    apply { distance_NUMBER[dst] = iteration + NUMBER; }
}
schedule { distance_NUMBER[source] = 0; frontier f = { source }; while (f) { f = advance(f, visit); } }
'''


def compiled(number, language):
    gdsl.compile(TEXT.replace("NUMBER", str(number))).source(language)


@pytest.mark.parametrize("language", ["cpp", "cuda"])
@pytest.mark.long
@pytest.mark.slow
@pytest.mark.rare(2)
def test_memory_does_not_grow_with_the_programs_that_were_compiled(tmp_path, monkeypatch, language):
    monkeypatch.setenv("GDSL_CACHE_DIR", str(tmp_path))
    for number in range(100, 120):
        compiled(number, language)
    gc.collect()
    tracemalloc.start()
    try:
        compiled(120, language)
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for number in range(200, 230):
            compiled(number, language)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    # Caches of a fixed size are full by now but for what was made before the counting began; a program has 50 KB.
    assert grown < 750_000, grown
