"""How much memory a process can still have: the machine's, within its own limit and those of its control groups."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gdsl.diagnostics import GdslError
from gdsl.graph import memory
from gdsl.graph.immutable import allocate_immutable, immutable


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """A function that makes control groups with (limit, used, reclaimable), of which the process is in the last."""
    memory._limited_groups.cache_clear()
    monkeypatch.setattr(memory, "_CGROUPS", tmp_path)

    def make(names, of):
        folder = tmp_path / "memory" if names is memory._V1 else tmp_path
        path = ""
        for number, (limit, used, reclaimable) in enumerate(of):
            path += f"/g{number}"
            group = folder / path[1:]
            group.mkdir(parents=True)
            (group / names[0]).write_text(f"{limit}\n")
            (group / names[1]).write_text(f"{used}\n")
            (group / "memory.stat").write_text(f"anon 5\n{names[2]} {reclaimable}\n")
        controllers = "memory,cpu" if names is memory._V1 else ""
        text = f"7:{controllers}:{path}\n" if controllers else f"0::{path}\n"
        read = Path.read_text
        monkeypatch.setattr(Path, "read_text", lambda self, **_: text if self.name == "cgroup" else read(self))

    yield make
    memory._limited_groups.cache_clear()


@pytest.mark.parametrize("names", [memory._V1, memory._V2])
@pytest.mark.parametrize(
    ("of", "left"),
    [
        ([(1_000_000, 400_000, 100_000)], 700_000),
        ([(900_000, 500_000, 0), ("max", 5, 0)], 400_000),
        ([(2**40, 0, 0), (800_000, 900_000, 0)], 0),
    ],
)
def test_control_groups(groups, names, of, left):
    groups(names, of)
    assert memory.available_memory() == left
    with pytest.raises(GdslError, match="E0708"):
        memory.require_memory(left + 1, "a graph")
    memory.require_memory(left, "a graph")


def test_no_limits(groups):
    groups(memory._V2, [("max", 5, 0)])
    assert 1 << 20 < memory.available_memory() <= memory.whole_memory()


def test_a_limit_of_the_process():
    """As `ulimit -v` sets it."""
    code = "from gdsl.graph import memory; print(memory.available_memory())"
    limit = 3 << 30
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert 1 << 20 < int(ran.stdout) < limit


@pytest.mark.parametrize("nbytes", [0, 1, 4096, (1 << 22) - 8, 1 << 22, (1 << 22) + 24])
def test_large_arrays_begin_at_a_line_and_stay_immutable(nbytes: int) -> None:
    writable, values = allocate_immutable(nbytes // 8, np.dtype(np.int64))
    writable[:] = np.arange(len(writable))
    assert values.nbytes == nbytes // 8 * 8 and np.array_equal(values, np.arange(nbytes // 8))
    assert nbytes < 1 << 22 or values.ctypes.data % 128 == 0
    assert immutable(values) is values
    with pytest.raises(ValueError, match="read-only"):
        values[:1] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        values.flags.writeable = True
