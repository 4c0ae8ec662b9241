"""Times in the trace of a GPU's run, and its profile; the emulator takes CuPy's place and counts its own steps."""

from __future__ import annotations

import pytest

import gdsl
from gdsl.plan import heuristics
from tests.support.graphs import make_graph, path

from .build import compiler
from .fake_cupy import FakeCupy

pytestmark = pytest.mark.skipif(compiler() is None, reason="no g++ on this machine")

SMALL = ["schedule.block=32"]


@pytest.mark.parametrize("fuse", ["on", "off"])
def test_records_have_times_and_what_was_spent_at_barriers(cupy: FakeCupy, fuse: str) -> None:
    graph = make_graph(path(12), 12, directed=False)
    program = gdsl.compile("bfs", tune=[*SMALL, f"schedule.fuse={fuse}"])
    trace = program(graph, source=0, backend="cuda").trace
    assert len(trace) == 12
    for record in trace:
        assert record.time_ms is not None and record.before_ms is not None and record.waiting_ms is not None
        assert record.time_ms > 0 and record.before_ms >= 0
        assert 0 <= record.waiting_ms <= record.time_ms + record.before_ms
    assert any(record.waiting_ms for record in trace)


def test_a_profile_has_plan_text_and_kernels(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heuristics, "depends_on_graph", lambda program: False)
    graph = make_graph(path(12), 12, directed=False)
    document = gdsl.profile(gdsl.compile("pagerank", tune=SMALL), graph, backend="cuda").as_document()
    labels = {each["site"]: each["operator"] for each in document["operators"]}
    inside = {each["operator"]: labels[each["inside"]] for each in document["operators"] if each["inside"] is not None}
    assert inside == {"received": "settle"}, "an operator of PageRank runs in the sweep of another one"
    times = {each["operator"]: each["time_ms"] for each in document["operators"]}
    assert times["received"] == 0 < times["settle"], "whose sweep it is has the time"
    assert document["plan"].startswith("plan of pagerank for cuda, one launch")
    assert document["source"]["language"] == "cuda" and "gdsl_pagerank_enactor" in document["source"]["text"]
    (kernel,) = document["kernels"]
    assert (kernel["registers"], kernel["local"], kernel["shared"]) == (4, 3, 1), "as the driver of these tests says"
    assert (kernel["threads"], kernel["resident"]) == (32, 1)
    assert dict(document["facts"])["grid"] == "2 blocks of 32 threads, 1 a multiprocessor"
    assert sum(each["runs"] for each in document["operators"]) == document["records"]
