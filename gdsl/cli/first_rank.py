"""Which process of an MPI program speaks to the user, as far as is known before MPI starts."""

from __future__ import annotations

import os

_RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")
"""Where launchers of MPI programs say which rank a process is."""


def is_first_rank() -> bool:
    """Whether this process is rank 0 of an MPI program, or none of its ranks."""
    return next((os.environ[name] for name in _RANKS if name in os.environ), "0") == "0"
