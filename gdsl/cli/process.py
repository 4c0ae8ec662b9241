"""`gdslc` as a process of its own: Ctrl-C while it is still loading, or already ending, is no traceback either."""

from __future__ import annotations

import contextlib
import os
import signal

from gdsl.cli import INTERRUPTED


def run() -> int:
    """Load `gdslc` and run it with the words of the process; returns the exit status. Next to nothing is imported
    before, as nobody could answer an interrupt then."""
    try:
        from gdsl.cli.main import main

        status = main()
    except KeyboardInterrupt:
        _die_quietly()
        with contextlib.suppress(OSError):  # nobody may be there to be told
            os.write(2, b"interrupted\n")
        return INTERRUPTED
    _die_quietly()
    return status


def _die_quietly() -> None:
    """Leave a further interrupt to the system, since Python would tell of it while it clears up."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where the caller has it ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
