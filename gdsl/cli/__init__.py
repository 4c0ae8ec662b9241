"""The command line, `gdslc`."""

from __future__ import annotations

import os

INTERRUPTED = 130
"""The exit status after Ctrl-C."""
_RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")
"""Where launchers of MPI programs say which rank a process is."""


def is_first_rank() -> bool:
    """Whether this process is rank 0 of an MPI program, or none of its ranks, as far as is known before MPI starts."""
    return next((os.environ[name] for name in _RANKS if name in os.environ), "0") == "0"
