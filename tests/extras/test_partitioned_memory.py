"""A graph that does not fit into the memory of one process is read by three, each with the same limit."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import mpi

pytest.importorskip("mpi4py")


def _assert_only_three_can_read(path: str, num_edges: int, megabytes: int) -> None:
    limit = str(megabytes << 20)
    words = ["-m", "tests.support.limited"]
    alone = subprocess.run(
        [sys.executable, *words, "alone", limit, path], capture_output=True, text=True, cwd=mpi.ROOT, check=False
    )
    assert alone.stdout == "E0708\n", alone.stdout + alone.stderr
    done = mpi.run(3, *words, "mpi", limit, path)
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.findall(r"\[(\d+) edges, here (\d+)\]", done.stdout)
    assert len(found) == 3 and {int(total) for total, _ in found} == {num_edges}, done.stdout + done.stderr
    assert sum(int(here) for _, here in found) == num_edges
    assert max(int(here) for _, here in found) < 0.35 * num_edges


@pytest.fixture(autouse=True)
def _one_arena(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads reserve address space for memory that they do not use, which the limit counts."""
    monkeypatch.setenv("MALLOC_ARENA_MAX", "1")


def test_a_generated_graph() -> None:
    _assert_only_three_can_read("rmat:18", 7_613_372, 150)


@pytest.mark.slow
def test_a_text_file(tmp_path: Path) -> None:
    numbers = random.Random(1)
    block = "".join(f"{numbers.randrange(300_000)} {numbers.randrange(300_000)}\n" for _ in range(100_000))
    path = tmp_path / "graph.edges"
    with open(path, "w", encoding="ascii") as stream:
        for _ in range(80):
            stream.write(block)
    _assert_only_three_can_read(str(path), 8_000_000, 280)


@pytest.mark.slow
def test_a_matrix(tmp_path: Path) -> None:
    numbers = random.Random(2)
    block = "".join(f"{numbers.randint(1, 200_000)} {numbers.randint(1, 200_000)}\n" for _ in range(100_000))
    path = tmp_path / "graph.mtx"
    with open(path, "w", encoding="ascii") as stream:
        stream.write("%%MatrixMarket matrix coordinate pattern general\n200000 200000 8000000\n")
        for _ in range(80):
            stream.write(block)
    _assert_only_three_can_read(str(path), 8_000_000, 280)
