"""What a machine refuses to a process, as messages."""

from __future__ import annotations

import os
import traceback
from types import CodeType

import click

from gdsl.cache.location import show
from gdsl.cli import streams
from gdsl.diagnostics import GdslError

_ROOM = 256 << 20
"""Bytes of address space below which NumPy and SciPy do not load; some of their libraries then wait for ever."""


def check_room() -> None:
    """Raise E0912 where the address space is too small to begin (`ulimit -v`); where it is limited, spare it."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    except (ImportError, OSError):
        return
    if limit == resource.RLIM_INFINITY:
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each takes room, and gdsl has no work for them
    if limit < _ROOM:
        raise GdslError.single(
            "E0912",
            f"the address space of this process is limited to {limit >> 20} MiB, and NumPy and SciPy need "
            f"{_ROOM >> 20} MiB to load",
            fix="raise the limit (ulimit -v)",
        )


def import_failure(error: ImportError) -> GdslError:
    """E0912 or E0907: a part of gdsl, or of what it needs, that cannot be loaded; the innermost reason says why."""
    innermost: BaseException = error
    while (inner := innermost.__cause__ or innermost.__context__) is not None and isinstance(
        inner, (ImportError, OSError)
    ):
        innermost = inner
    lines = str(innermost).strip().splitlines() or [type(innermost).__name__]
    reason = lines[0]
    if "failed to map segment" in reason or "cannot allocate memory" in reason.lower():
        return GdslError.single("E0912", f"not enough memory to load a library: {reason}")
    return GdslError.single(
        "E0907",
        f"a part of gdsl or of what it needs cannot be loaded: {reason}",
        fix="install gdsl again; see gdslc doctor",
    )


def system_failure(error: OSError, writer: CodeType) -> str:
    """What the system refused: the output, where it was refused to `writer` itself or to click, else what it names."""
    reason = error.strerror or str(error)
    frames = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    if any(code in frames for code in (click.echo.__code__, *streams.WRITERS)) or frames[-1:] == [writer]:
        return f"error: cannot write the output: {streams.reason(error)}"
    named = f" ({show(os.fsdecode(error.filename))})" if isinstance(error.filename, (str, bytes)) else ""
    return f"error: the system refuses: {reason}{named}"
