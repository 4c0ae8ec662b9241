"""`gdslc run … --mpi` on the ranks that `mpiexec` has started: rank 0 is the command, the others follow it silently."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from gdsl.cli import INTERRUPTED, is_first_rank
from gdsl.cli.streams import message
from gdsl.diagnostics import GdslError

if TYPE_CHECKING:
    from gdsl.clusters.mpi_ranks import MpiRanks

_current: MpiRanks | None = None


def current() -> MpiRanks:
    """The ranks of this process. Raises E0907 without mpi4py or an MPI library."""
    global _current
    if _current is None:
        from gdsl.clusters.mpi_ranks import MpiRanks

        _current = MpiRanks()
    return _current


def on_ranks(command: Callable[[], int]) -> int:
    """On rank 0 `command`, whose exit status all ranks have; on the others what it lets them do.

    Where ranks have lost each other, as by an interrupt while they start, this process ends without ending MPI, which
    would wait for all of them; `mpiexec` ends the others then.
    """
    status, together = 1, False
    try:
        ranks = current()
        if ranks.rank:
            status = ranks.follow()
            together = ranks.close()
        else:
            try:
                status = command()
            finally:
                sys.stdout.flush()
                together = ranks.close(status)
    except GdslError as error:
        if is_first_rank():
            message(str(error))
    except KeyboardInterrupt:
        status, together = INTERRUPTED, False
        if is_first_rank():
            message("interrupted")
    if not together:
        sys.stderr.flush()
        os._exit(status or 1)
    return status
