"""A run that is stopped names the loop that it was in, with what the trace or the host knows of it."""

from __future__ import annotations

import re

import pytest

from gdsl.binding import bind
from gdsl.diagnostics import GdslError

from .build import compiler
from .running import build, device_for
from .test_programs import graphs

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")
WORKLIST = """program p; problem { vertex d : int32 = inf; }
edge functor relax(src, dst, e) { apply { accept changed(d[dst] min= d[src] + 1); } }
schedule { d[0] = 0; frontier f = { 0 };
    while (f) { f = advance(f, relax); }
}"""
WORDS = {
    "on": r"in pass \d of the `while` loop in line 4, in which `relax` had run on \d+ vert",
    "off": r"after \d pass(es)? of the `while` loop in line 4",
}


@pytest.mark.parametrize("fuse", WORDS)
def test_a_stopped_run_names_its_loop(fuse: str) -> None:
    built, graph = build(WORKLIST, (f"schedule.fuse={fuse}",)), graphs()["several_blocks"]
    for seed in (1, 4):
        device = device_for(seed)
        device.schedule.stop_at = 1 + 1597 * seed
        with pytest.raises(GdslError) as caught:
            built.run(graph, bind(built.program, graph, {}), device)
        [one] = caught.value.diagnostics
        assert one.code == "E0802" and one.span is not None and one.span.line == 4
        assert re.search(WORDS[fuse], one.message)
