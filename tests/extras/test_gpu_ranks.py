"""Ranks of MPI that have an emulated GPU each."""

from __future__ import annotations

import pytest

from tests.support import mpi

pytest.importorskip("mpi4py")


def test_ranks_with_emulated_gpus() -> None:
    """Processes that share nothing exchange what their kernels wrote, and all stop where the run is stopped."""
    done = mpi.run(3, "-m", "tests.support.gpu_ranks", timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.split("\n")[:3] == ["bfs cuda True", "k_core cuda True", "E0803"], done.stdout + done.stderr
