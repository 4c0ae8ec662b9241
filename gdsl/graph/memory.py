"""How much memory the machine has left, asked before something large is made."""

from __future__ import annotations

import os

from gdsl.graph.errors import no_memory


def available_memory() -> int | None:
    """Bytes that can still be had without swapping; None where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return whole_memory()


def whole_memory() -> int | None:
    """Bytes that the machine has; None where the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def require_memory(needed: int, what: str, place: str | None = None) -> None:
    """Raise GdslError E0708 if `needed` bytes for `what` are more than the machine has left."""
    available = available_memory()
    if available is not None and needed > available:
        raise no_memory(what, needed, available, place)
