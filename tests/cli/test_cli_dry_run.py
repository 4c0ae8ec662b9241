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
        assert "is not host, device, auto or a number of bytes, such as 2GB" in gdslc(*words, *wrong).err


def test_edge_lists_that_do_not_fit(gdslc: Callable[..., Answer]) -> None:
    words = ["run", "bfs", "rmat:14", "-p", "source=0", "--dry-run", "--backend", "cuda"]
    assert "in the host's memory" not in gdslc(*words, "--memory", "100MB").out
    shown = gdslc(*words, "--memory", "4MB")
    assert shown.status == 0 and "in the host's memory" in shown.out.splitlines()[2]
    assert "memory: 1.7 MB of edge lists (columns) are in the host's memory, since the run may use 4.0 MB" in shown.out
    document = json.loads(gdslc(*words, "--memory", "4MB", "--json").out)["memory"]
    columns = next(buffer for buffer in document["buffers"] if buffer["name"] == "graph.columns")
    assert document["fits"] and columns["bytes"] == 0 and document["needed_of_host"] == columns["host_bytes"] > 1e6
    assert gdslc(*words, "--memory", "1MB").status == 1


def test_memory_on_the_host(gdslc: Callable[..., Answer]) -> None:
    words = ["run", "bfs", "karate", "-p", "source=0", "--backend", "cpu"]
    assert "memory: host changes nothing on the cpu backend" in gdslc(*words, "--memory", "host").err
    assert "memory: host changes nothing on the cpu backend" in gdslc(*words, "--memory", "host", "--dry-run").out
    assert gdslc(*words, "--memory", "1GB").status == 0
    small = gdslc(*words, "--memory", "10")
    assert small.status == 1 and "E0914" in small.err
    least = small.err.partition("--memory ")[2].split()[0]
    assert gdslc(*words, "--memory", least).status == 0


def test_what_is_left_of_several_gpus_is_what_none_of_them_needs(gdslc: Callable[..., Answer]) -> None:
    words = ["run", "pagerank", "karate", "--dry-run", "--backend", "cuda", "--gpus", "2", "--memory", "1GB"]
    gpus = json.loads(gdslc(*words, "--json").out)["memory"]["gpus"]
    left = 2_000_000_000 - sum(each["needed"] for each in gpus)
    assert gdslc(*words).out.endswith(f"2,000,000,000 bytes are free, {left:,} more than needed\n")
