"""The command line, `gdslc`.

`process` and `main` begin, and import the file of the verb, which has its name. `options` has the options of several
verbs; those of `run` that belong together are in `params`, `changes`, `each` and `workers`. `execution` does what `run`
is to do, `report` and `results` print and write it; `checker` does what `check` is to do. Files and standard output:
`output`, `program_texts`, `streams`. What a shell completes: `completing`.
"""

from __future__ import annotations

import os

INTERRUPTED = 130
"""The exit status after Ctrl-C."""
_RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")
"""Where launchers of MPI programs say which rank a process is."""


def is_first_rank() -> bool:
    """Whether this process is rank 0 of an MPI program, or none of its ranks, as far as is known before MPI starts."""
    return next((os.environ[name] for name in _RANKS if name in os.environ), "0") == "0"
