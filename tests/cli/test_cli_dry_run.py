"""`gdslc run --dry-run`: what a run would allocate, and nothing is run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Answer


def test_the_command(gdslc: Callable[..., Answer], work: Path) -> None:
    words = ["run", "bfs", "karate", "-p", "source=0", "--dry-run", "--backend", "cuda", "-o", "a.npz"]
    shown = gdslc(*words, "--memory", "3MB")
    assert shown.status == 0 and not (work / "a.npz").exists()
    assert "bfs on karate: V = 34, E = 156; cuda, 32-bit ids; nothing was run" in shown.out
    assert "graph.columns" in shown.out and "3,000,000 bytes are free" in shown.out and "more than needed" in shown.out
    small = gdslc(*words, "--memory", "2000 KiB", "--json")
    document = json.loads(small.out)["memory"]
    assert small.status == 1 and document["fits"] is False and document["free"] == 2000 * 1024
    assert document["needed"] == sum(buffer["bytes"] for buffer in document["buffers"]) > document["free"]
    assert "too few: it would not run" in gdslc(*words, "--memory", "1").out
    assert gdslc("run", "bfs", "karate", "-p", "source=99", "--dry-run").status == 1
    for wrong in (["--memory", "80 apples"], ["--memory", "-1"], ["--memory", "1e9"]):
        assert "is not a number of bytes" in gdslc(*words, *wrong).err
    assert "--memory is for --dry-run" in gdslc("run", "bfs", "karate", "-p", "source=0", "--memory", "1GB").err
