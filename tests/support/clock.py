"""Time that passes in tests, without waiting for it, and processes that have begun to compute."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest


class Clock:
    """Lets `time.monotonic` go on at once, by as much as a test wants."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._ahead, real = 0.0, time.monotonic
        monkeypatch.setattr(time, "monotonic", lambda: real() + self._ahead)

    def advance(self, seconds: float) -> None:
        """So many seconds have passed."""
        self._ahead += seconds


def wait_until_computing(process: subprocess.Popen[str], seconds: float = 3.0) -> None:
    """Wait until a process has used a processor for so long, which a start takes only a part of; on a busy machine that
    comes later."""
    ticks = os.sysconf("SC_CLK_TCK")
    while process.poll() is None:
        words = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        if (int(words[11]) + int(words[12])) / ticks > seconds:
            return
        time.sleep(0.05)
