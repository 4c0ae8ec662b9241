"""Reads a graph within a limit of memory, alone or as a rank of MPI: `python -m tests.support.limited alone|mpi BYTES
GRAPH`. Prints the numbers of all edges and of those that this process has, or the code of the error."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

from gdsl import Graph
from gdsl.clusters.mpi import MpiCommunicator
from gdsl.diagnostics import GdslError
from gdsl.graph.partitioned import read


def _limit(spare: int) -> None:
    """Let this process allocate so many bytes more than it has."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + spare
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _main(how: str, spare: int, path: str) -> None:
    communicator = MpiCommunicator() if how == "mpi" else None
    _limit(spare)
    try:
        if communicator is None:
            graph = Graph.read(path)
            print(f"[{graph.num_edges} edges, here {len(graph.columns)}]", flush=True)
        else:
            share = read(path, communicator)
            print(f"[{share.num_edges} edges, here {len(share.columns)}]", flush=True)
    except GdslError as error:
        print(error.code, flush=True)
    if communicator is not None:
        communicator.leave()


if __name__ == "__main__":
    _main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
