"""`gdslc` as a process: Ctrl-C prints no traceback while it is loading, or ending, either."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

from gdsl.cli import INTERRUPTED, is_first_rank


def run() -> int:
    """Load `gdslc` and run it with the words of the process; returns the exit status. Almost nothing is imported
    before, as an interrupt could not be handled then."""
    try:
        from gdsl.cli.main import main

        status = main()
    except KeyboardInterrupt:
        _die_quietly()
        if "--mpi" not in sys.argv or is_first_rank():
            with contextlib.suppress(OSError):  # standard error may be closed
                os.write(2, b"interrupted\n")
        return INTERRUPTED
    _die_quietly()
    return status


def _die_quietly() -> None:
    """Leave further interrupts to the system, since Python would print a traceback during its cleanup."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not if the caller ignores it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
