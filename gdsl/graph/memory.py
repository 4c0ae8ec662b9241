"""How much memory this process can still allocate, checked before large allocations."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from gdsl.graph.messages import no_memory

_CGROUPS = Path("/sys/fs/cgroup")
_V2 = ("memory.max", "memory.current", "inactive_file")
_V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
"""Files of a control group: its limit, what it uses, and how much of that the system can reclaim at any time."""


def available_memory() -> int | None:
    """Bytes that can be allocated without swapping, within the limits of the process (`ulimit -v`) and of its control
    groups (containers); None where the system does not report it."""
    limits = [each for each in (_of_machine(), _within_limit(), *_within_groups()) if each is not None]
    return min(limits, default=None)


def _of_machine() -> int | None:
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return whole_memory()


def whole_memory() -> int | None:
    """Bytes that the machine has; None where the system does not report it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _within_limit() -> int | None:
    """What is left of the address space that the process may use; None without a limit."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit == resource.RLIM_INFINITY:
            return None
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return max(limit - pages * os.sysconf("SC_PAGE_SIZE"), 0)
    except (ImportError, AttributeError, OSError, ValueError, IndexError):
        return None


def _within_groups() -> list[int]:
    """What is left in each control group of the process that has a limit."""
    result = (_left_in(*group) for group in _limited_groups())
    return [remaining for remaining in result if remaining is not None]


@cache
def _limited_groups() -> list[tuple[Path, str, str, str]]:
    """The control groups of the process, from its own up to the root, whose limit is below the machine's memory.

    They are looked up once, since available memory is queried often.
    """
    machine = whole_memory() or 0
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return []
    result = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        root, names = (_CGROUPS / "memory", _V1) if controllers else (_CGROUPS, _V2)
        folder = Path(path.lstrip("/"))
        for group in (folder, *folder.parents):
            remaining = _left_in(root / group, *names)
            if remaining is not None and remaining <= machine:
                result.append((root / group, *names))
    return result


def _left_in(group: Path, limit_name: str, used_name: str, reclaimable: str) -> int | None:
    try:
        limit = int((group / limit_name).read_text(encoding="ascii"))
        used = int((group / used_name).read_text(encoding="ascii"))
        numbers = dict(line.split() for line in (group / "memory.stat").read_text(encoding="ascii").splitlines())
        return max(limit - used + int(numbers.get(reclaimable, 0)), 0)
    except (OSError, ValueError):  # there is no such group, or no limit (`max`)
        return None


def require_memory(needed: int, what: str, place: str | None = None) -> None:
    """Raise GdslError E0708 if `needed` bytes for `what` are more than the process can allocate."""
    available = available_memory()
    if available is not None and needed > available:
        raise no_memory(what, needed, available, place)
