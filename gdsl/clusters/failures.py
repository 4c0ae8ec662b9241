"""What goes wrong with workers, in words: who it was, and where."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence
from dataclasses import replace

from gdsl.diagnostics import GdslError, printable
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Member:
    """A worker: its number, its host and process, the processors that it may use, and the version of gdsl, with a hash
    of its code, that it runs."""

    rank: int
    host: str
    process: int
    processors: int
    version: str
    code: str

    def __str__(self) -> str:
        return f"worker {self.rank} (process {self.process} on {printable(self.host)})"


def worker_ended(members: Sequence[Member], rank: int | None, why: str) -> GdslError:
    """E0807: worker `rank` is gone; None where it is not known which one."""
    who = "a worker" if rank is None else str(members[rank]) if rank < len(members) else f"worker {rank}"
    return GdslError.single(
        "E0807",
        f"{who} ended during the run: {why}",
        fix="run it again; with --checkpoint DIR --every N a run can be continued with --resume",
    )


def cluster_unusable(address: str | None, why: str) -> GdslError:
    """E0810: the cluster cannot be used, because of `why`."""
    which = "the cluster" if address is None else f"the cluster {printable(address)}"
    fix = (
        "start Ray on this host with `ray start --head`"
        if address == "auto"
        else "see `ray status` on its head node; a cluster with tokens needs RAY_AUTH_TOKEN here, too"
    )
    return GdslError.single("E0810", f"{which} cannot be used: {why}", fix=fix)


def on_worker(error: GdslError, member: Member) -> GdslError:
    """`error`, which depends on the host of a worker, with a note that says which one it was."""
    first, *others = error.diagnostics
    return GdslError((replace(first, notes=(*first.notes, f"on {member}")), *others), error.source)


def explained(error: BaseException, member: Member) -> GdslError:
    """What the user reads of an `error` that a worker raised."""
    if isinstance(error, GdslError):
        return error
    if isinstance(error, MemoryError):
        return GdslError.single("E0912", f"{member} has not enough memory", fix="use more workers, or larger hosts")
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        return GdslError.single("E0911", f"{member}: the system refuses: {printable(reason)}")
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else "a message to it"
    return GdslError.single(
        "E0807",
        f"{member} failed: internal error in {place}: {type(error).__name__}: {printable(str(error))}",
        notes=("this is a defect of gdsl; please report it with the program",),
    )
