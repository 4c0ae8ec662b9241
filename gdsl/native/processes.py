"""Runs another program, which may print without end, never end, or start others that outlive it."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence

_POLL_INTERVAL = 0.05
"""Seconds between checks whether a process has ended whose output another process keeps open."""
_READ_SIZE = 1 << 16


class EndlessError(Exception):
    """A process was stopped because it took too long or printed too much; the text continues a sentence about it."""


def run(
    command: Sequence[str], seconds: float, max_bytes: int, environment: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """The exit status of `command` (minus the signal that ended it) and what it printed, both streams in one.

    Raises `EndlessError` after `seconds` seconds or `max_bytes` bytes, OSError where it cannot be started. However this
    ends, everything that it started in its own session is ended.
    """
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env=environment,
    ) as process:
        try:
            deadline = time.monotonic() + seconds
            output = _output(process, deadline, max_bytes)
            status = process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            _kill(process)
            raise EndlessError(f"did not end within {seconds:g} seconds") from None
        except BaseException:
            _kill(process)
            raise
    return status, output.decode(errors="replace")


def signal_name(status: int) -> str | None:
    """The name of the signal that ended a process; None where it exited."""
    if status >= 0:
        return None
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"


def _output(process: subprocess.Popen[bytes], deadline: float, max_bytes: int) -> bytes:
    assert process.stdout is not None
    stream = process.stdout.fileno()
    output = bytearray()
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise subprocess.TimeoutExpired(process.args, 0)
            if selector.select(min(left, _POLL_INTERVAL)):
                piece = os.read(stream, _READ_SIZE)
                output += piece
                if not piece:
                    return bytes(output)
                if len(output) > max_bytes:
                    raise EndlessError(f"printed more than {max_bytes >> 10} KiB")
            elif process.poll() is not None:
                return bytes(output)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and its children, such as the compiler proper."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        process.kill()
