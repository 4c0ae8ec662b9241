"""E0912: what CuPy and the driver raise, in several classes, when there is no memory, and one message for all of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from gdsl.diagnostics import GdslError
from gdsl.numerals import readable_bytes

_OUT_OF_MEMORY = 2
"""What both interfaces of the driver answer if there is no memory: they load kernels, and pin memory of the host."""


def memory_error(cupy: Any, error: Exception, gpus: int = 0) -> GdslError | None:
    """E0912 for an error that says that there is no memory, itself if it is one; None for others. `gpus` as for
    `no_memory`."""
    if isinstance(error, GdslError):
        return error if error.code == "E0912" else None
    if not isinstance(error, cupy.cuda.memory.OutOfMemoryError) and getattr(error, "status", None) != _OUT_OF_MEMORY:
        return None
    free, total = cupy.cuda.runtime.memGetInfo()
    return no_memory(None, free, total, gpus)


@contextlib.contextmanager
def translated(cupy: Any) -> Iterator[None]:
    """Raise what `memory_error` makes of an error."""
    try:
        yield
    except Exception as error:
        missing = memory_error(cupy, error)
        if missing is None or missing is error:
            raise
        raise missing from None


def no_memory(needed: int | None, free: int, total: int, gpus: int = 0) -> GdslError:
    """E0912 for that many bytes, on so many `gpus` together or on one; None: for the driver, which says no number."""
    memory, instead = "the GPU's memory", "keep the edge lists in the host's memory with --memory host (from Python: "
    instead += "memory='host')"
    if gpus > 1:  # none of which uses the memory of the host
        memory, instead = f"the memory of {gpus} GPUs", "use more GPUs"
    what = "the GPU's driver needs memory for the run"
    if needed is not None:
        what = f"the run needs {readable_bytes(needed)} more of {memory}"
    apart = ", but not side by side" if needed is not None and needed <= free else ""
    return GdslError.single(
        "E0912",
        f"{what}, and {readable_bytes(free)} of its {readable_bytes(total)} are free{apart}",
        fix=f"{instead}, use a smaller graph, or free memory of other programs",
        notes=["gdslc run --dry-run lists what needs it (from Python: program.dry_run)"],
    )
