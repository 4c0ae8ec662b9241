"""What tests of runs that are not waited for begin with."""

from __future__ import annotations

from typing import Any

from gdsl.backends import registry

GIVEN = """program given;
problem { input scalar shift : int32; vertex a : int32 = 1; scalar total : int64; }
vertex functor add(v) { apply { a[v] += shift; total += int64(a[v]); } }
schedule { compute(vertices, add); }
"""


def queued_runs() -> int:
    """How many runs stand in line."""
    device: Any = registry.get("cuda").device()  # type: ignore[attr-defined]
    return len(device.queue.runs)
