"""Options of `gdslc run` for runs by several workers, and those runs."""

from __future__ import annotations

import contextlib
import functools
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gdsl import interrupts
from gdsl.cli import completing
from gdsl.cli.options import checked_limit, with_options
from gdsl.cli.output import Command, file_name
from gdsl.cli.streams import message
from gdsl.diagnostics import printable
from gdsl.records import dataclass

if TYPE_CHECKING:
    from gdsl.clusters.failures import Member
    from gdsl.clusters.session import Workers

_PASS = re.compile(r"pass \d+")
_STEPS = ("loading", "compiling", "running", "gathering results", "writing results")
"""Events that get no line."""
_RARELY = 1.0
"""Seconds between two lines about passes."""


@dataclass(frozen=True, slots=True)
class WorkerWords:
    """The options that say which workers run a program, and what is kept of the run."""

    workers: int | None = None
    cluster: str | None = None
    mpi: bool = False
    checkpoint: Path | None = None
    every: int | None = None
    resume: bool = False
    parts: str | None = None
    trace: Path | None = None

    @property
    def requested(self) -> bool:
        """Whether workers are to run the program."""
        return self.workers is not None or self.cluster is not None or self.mpi

    def check(self, refused: Mapping[str, bool]) -> None:
        """Raise a usage error for options that cannot be combined; `refused` are those that a run by workers cannot
        have, and whether they are there."""
        if self.mpi and (self.workers is not None or self.cluster is not None):
            other = "--workers" if self.workers is not None else "--cluster"
            fix = "with --mpi the workers are the ranks: mpiexec -n N gdslc run …"
            raise click.UsageError(f"{other} is for Ray; {fix}")
        if self.workers == 0:
            raise click.UsageError("--workers: there must be at least 1")
        if self.every == 0:
            raise click.UsageError("--every: N must be at least 1")
        if not self.requested:
            for option, is_set in (
                ("--checkpoint", self.checkpoint is not None),
                ("--every", self.every is not None),
                ("--resume", self.resume),
                ("--parts", self.parts is not None),
            ):
                if is_set:
                    raise click.UsageError(f"{option} is for runs with --workers, --cluster or --mpi")
            return
        if self.checkpoint is None and (self.every is not None or self.resume):
            raise click.UsageError(f"{'--resume' if self.resume else '--every'} needs --checkpoint DIR")
        if self.checkpoint is not None and self.every is None:
            raise click.UsageError("--checkpoint needs --every N: after how many passes one is written")
        for option, is_set in refused.items():
            if is_set:
                instead = ": with --backend cuda each worker uses one GPU" if option == "--gpus" else ""
                raise click.UsageError(f"{option} is not available with --workers, --cluster or --mpi{instead}")

    def check_parts(self, refused: Mapping[str, bool]) -> None:
        """Raise a usage error for options that a run that writes its results in parts cannot have."""
        for option, is_set in refused.items():
            if is_set and self.parts is not None:
                raise click.UsageError(f"{option} is not available with --parts, which collects no results")


def worker_options(command: Command) -> Command:
    """Add the options of `WorkerWords`; the command gets them as `on`."""

    @functools.wraps(command)
    def wrapped(
        *,
        workers: int | None,
        cluster: str | None,
        mpi: bool,
        checkpoint: str | None,
        every: int | None,
        resume: bool,
        parts: str | None,
        trace: Path | None,
        **others: Any,
    ) -> Any:
        for option, name in (("--checkpoint", checkpoint), ("--parts", parts)):
            if name == "":
                raise click.UsageError(f"{option}: the name of the folder is empty")
        folder = None if checkpoint is None else Path(checkpoint)
        return command(on=WorkerWords(workers, cluster, mpi, folder, every, resume, parts, trace), **others)

    return with_options(wrapped, _OPTIONS)  # type: ignore[no-any-return]


_OPTIONS = (
    click.option(
        "--workers", metavar="N", callback=checked_limit,
        help="Run on N workers, each with its part of the graph: processes of this host, which Ray starts, or with "
        "--cluster of that cluster.",
    ),
    click.option(
        "--cluster", metavar="ADDRESS",
        help="Run on the Ray cluster at ray://HOST:PORT, HOST:PORT or auto; by default one worker for each host.",
    ),
    click.option("--mpi", is_flag=True, help="Run on the ranks of MPI: mpiexec -n N gdslc run PROGRAM GRAPH --mpi."),
    click.option(
        "--checkpoint", metavar="DIR", shell_complete=completing.files(),
        help="With workers: write checkpoints to this folder, which all hosts share.",
    ),
    click.option("--every", metavar="N", callback=checked_limit, help="Write one after every N passes of a loop."),
    click.option("--resume", is_flag=True, help="Continue with the checkpoint that is there."),
    click.option(
        "--parts", metavar="DIR", shell_complete=completing.files(),
        help="With workers: each writes its part of the results to this new folder, as .npy files, or as tables where "
        "its name ends in .parquet. No process collects them.",
    ),
    click.option(
        "--trace", metavar="FILE", callback=file_name, shell_complete=completing.files(".json"),
        help="With workers or --gpus: write what each of them did when to FILE, as JSON that Perfetto shows.",
    ),
)  # fmt: skip


@contextlib.contextmanager
def connected(on: WorkerWords, backend: str) -> Iterator[Workers]:
    """The workers, which end with the block."""
    from gdsl.clusters.session import check_backend, cluster

    check_backend(backend)
    if on.mpi:
        from gdsl.cli.ranks import current
        from gdsl.clusters.session import Workers

        yield Workers(current())
        return
    with interrupts.ending(), cluster(on.workers, address=on.cluster, gpus=backend == "cuda") as workers:
        yield workers


class Lines:
    """Prints a line on standard error for what workers begin and do; passes rarely, and of the first worker only."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, member: Member, event: str) -> None:
        """Print one, if it is time."""
        if event.startswith("note: "):
            message(event)
            return
        if event in _STEPS:
            return
        if _PASS.match(event):
            if member.rank or time.monotonic() - self._last < _RARELY:
                return
            self._last = time.monotonic()
        message(f"worker {member.rank} on {printable(member.host)}, process {member.process}: {event}")
