"""What each worker did when: lanes add up, are named by operators, and are JSON that Perfetto reads."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import gdsl
from gdsl.backends.workers import lanes
from gdsl.backends.workers.lanes import Clock, Lane, Lanes
from tests.support.graphs import random_graph
from tests.support.thread_workers import thread_workers


def test_a_clock_takes_the_times_of_meetings(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([100, 130, 150, 155, 200, 210, 300])
    monkeypatch.setattr(lanes.time, "perf_counter_ns", lambda: next(times))
    monkeypatch.setattr(lanes, "MOST_MEETINGS", 1)
    clock = Clock()
    clock.met(3, clock.now())
    clock.exchanged(40)
    clock.met(-1, clock.now())
    lane = clock.lane()
    assert lane.meetings.tolist() == [[3, 30, 50, 55, 40]]
    assert (lane.total_ns, lane.wait_ns, lane.exchange_ns, lane.compute_ns, lane.sent) == (200, 30, 5, 165, 40)


def test_lanes_of_hosts_with_other_clocks_are_aligned() -> None:
    def lane(came: int, there: int) -> Lane:
        return Lane(np.array([[0, came, there, there + 500, 8], [-1, 2000, 3000, 3000, 0]]), 4000, 0, 500, 8)

    both = Lanes(("worker 0", "worker 1"), (lane(100, 1000), lane(1300, 1500)), {0: "@relax"})
    events = [each for each in json.loads(both.text())["traceEvents"] if each["ph"] == "X"]
    exchanges = [each for each in events if each["cat"] == "exchange"]
    assert [each["ts"] for each in exchanges] == [1.5, 1.5] and exchanges[0]["args"] == {"bytes sent": 8}
    assert {each["name"] for each in exchanges} == {"exchange (@relax)"}
    for rank in (0, 1):
        spans = [(each["ts"], each["ts"] + each["dur"]) for each in events if each["tid"] == rank]
        assert all(one[1] == pytest.approx(other[0]) for one, other in pairwise(spans))


def test_a_run_has_a_lane_for_each_worker(tmp_path: Path) -> None:
    graph, workers = random_graph(60, 240, seed=1), thread_workers(3)
    result = gdsl.samples.bfs(graph, workers=workers, source=0)
    assert result.lanes is not None and len(result.lanes.lanes) == 3
    for lane in result.lanes.lanes:
        assert lane.compute_ns + lane.wait_ns + lane.exchange_ns == lane.total_ns
        assert lane.compute_ns > 0 and lane.wait_ns > 0 and lane.exchange_ns > 0
        numbers, came, there, ended, sent = lane.meetings.T
        assert (came <= there).all() and (there <= ended).all() and (ended[:-1] <= came[1:]).all()
        assert numbers[-1] == -1 and sent.sum() == lane.sent > 0
    assert len(result.lanes.summary()) == 3
    result.lanes.write(tmp_path / "lanes.json")
    events = json.loads((tmp_path / "lanes.json").read_text())["traceEvents"]
    names = {each["name"] for each in events if each["ph"] == "X"}
    labels = {record.label for record in result.trace}
    assert any(f"exchange ({label})" in names for label in labels), names
    assert gdsl.samples.bfs(graph, source=0, backend="reference").lanes is None
