"""Identifies the processor of this machine."""

from __future__ import annotations

import hashlib
import os
import platform
from functools import cache
from pathlib import Path

_TELLING = ("model name", "flags", "Features", "CPU part", "isa")


@cache
def identity() -> str:
    """What `-march=native` depends on, as a hash: code compiled for one kind of machine is never run on another."""
    telling = sorted({line for line in _lines() if line.startswith(_TELLING)})
    machine = os.uname().machine, os.uname().sysname  # not by `platform`, which may start a process to find out
    return hashlib.sha256("\n".join([*machine, *telling]).encode()).hexdigest()


@cache
def name() -> str:
    """The model name of this machine's processor, or its kind."""
    names = (line.split(":", 1)[1].strip() for line in _lines() if line.startswith("model name") and ":" in line)
    return next(names, "") or platform.processor() or platform.machine()


def _lines() -> list[str]:
    """The description by Linux."""
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
