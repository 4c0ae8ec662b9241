"""The id of this process, queried once and again after a fork, as each call needs it."""

from __future__ import annotations

import os

current = os.getpid()


def _forked() -> None:
    global current
    current = os.getpid()


os.register_at_fork(after_in_child=_forked)
