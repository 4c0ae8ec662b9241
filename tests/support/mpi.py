"""Starts ranks of MPI for tests. As a program, it runs a task of `communicating` on the ranks that `mpiexec` starts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def environment() -> dict[str, str]:
    """The environment in which the MPI library of the package `mpich` is found, also next to another Python's."""
    import mpi4py

    prefix = Path(mpi4py.__file__).parents[4]
    path = os.pathsep.join([str(prefix / "bin"), os.environ.get("PATH", "")])
    libraries = os.pathsep.join([str(prefix / "lib"), os.environ.get("LD_LIBRARY_PATH", "")])
    return {**os.environ, "PATH": path, "LD_LIBRARY_PATH": libraries, "PYTHONPATH": str(ROOT)}


def start(ranks: int, *words: str, python: bool = True, **options: Any) -> subprocess.Popen[str]:
    """`mpiexec -n RANKS python WORDS`, with pipes."""
    found = environment()
    program = shutil.which("mpiexec", path=found["PATH"])
    assert program is not None, "mpiexec is missing: pip install mpich"
    command = [program, "-n", str(ranks), *([sys.executable] if python else []), *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    return subprocess.Popen(command, text=True, env=found, **{**pipes, **options})


def run(ranks: int, *words: str, timeout: float = 120, **options: Any) -> subprocess.CompletedProcess[str]:
    """The same, once it has ended."""
    process = start(ranks, *words, **options)
    try:
        output, errors = process.communicate(timeout=timeout)
    except BaseException:
        process.terminate()
        process.wait()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def _main(name: str, *arguments: str) -> int:
    import numpy as np

    from gdsl.clusters import mpi
    from gdsl.clusters.mpi_ranks import MpiRanks
    from gdsl.diagnostics import GdslError
    from tests.support import communicating

    if "small-chunks" in arguments:
        mpi.CHUNK = 1000
    ranks, status = MpiRanks(), 0
    if ranks.rank:
        status = ranks.follow()
        return status if ranks.close() else 99
    numbers = tuple(int(word) for word in arguments if word.isdigit())
    task = getattr(communicating, name)
    ranks.start(_report)
    for _ in range(2):  # also after an error
        try:
            results = ranks.run(task, lambda rank: numbers, _report)
            if name == "reduce":
                for values in results:
                    for value, wanted in zip(values, communicating.expected(ranks.size), strict=True):
                        assert value.dtype == wanted.dtype
                        assert np.array_equal(value, wanted, equal_nan=value.dtype.kind == "f")
            else:
                print("results:", results, flush=True)
        except GdslError as error:
            status = 1
            print(f"rank {ranks.rank}: {error}", flush=True)
    return status if ranks.close(status) else 99


def _report(member: object, event: str) -> None:
    print(member, event, flush=True)


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
