"""The workers of a group: they introduce themselves, are checked before they begin, and share processors."""

from __future__ import annotations

import hashlib
import os
import socket
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

from gdsl import resources
from gdsl.clusters.failures import Member
from gdsl.diagnostics import GdslError, printable
from gdsl.graph.threads import processors
from gdsl.version import __version__

Report = Callable[[Member, str], object]
"""Called with a worker and what it has begun or done."""


class Group(Protocol):
    """Processes that run the same function together, on Ray or MPI."""

    @property
    def size(self) -> int:
        """The number of workers."""
        ...

    @property
    def generation(self) -> int:
        """Changes when workers have started anew, and have no part of a graph any more."""
        ...

    def start(self, report: Report | None = None) -> None:
        """Start the workers that are not there yet."""
        ...

    def run(
        self, task: Callable[..., Any], arguments: Callable[[int], tuple[Any, ...]], report: Report | None = None
    ) -> list[Any]:
        """What ``task(communicator, report, *arguments(rank))`` returns on each worker, by rank."""
        ...

    @property
    def members(self) -> tuple[Member, ...]:
        """Who the workers are, by rank, once they have started."""
        ...

    def close(self) -> object:
        """End the workers."""
        ...


def introduction(rank: int) -> Member:
    """Who this process is, as worker `rank`."""
    return Member(rank, socket.gethostname(), os.getpid(), processors(), __version__, code_hash())


@cache
def code_hash() -> str:
    """A hash of the content of gdsl's files; the same on every host that has the same gdsl, wherever it is there."""
    digest = hashlib.sha256()
    files = sorted(resources.PACKAGE.rglob("*.py"))
    for directory in ("templates", "grammar"):
        files += sorted(path for path in resources.resource_directory(directory).rglob("*") if path.is_file())
    for file in files:
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def check_members(members: Sequence[Member], driver: Member | None = None) -> None:
    """Raise E0808 where workers have different versions of gdsl, or different code of the same version, or others than
    the `driver`, which is a process of its own."""
    first = members[0] if driver is None else driver
    named = str(first) if driver is None else "the process that starts the run"
    for member in members:
        for what, own, other in (
            ("gdsl", first.version, member.version),
            (f"other code of gdsl {member.version}:", first.code, member.code),
        ):
            if own != other:
                raise GdslError.single(
                    "E0808",
                    f"{member} has {what} {other}, and {named} has {own}",
                    fix=f"install the same gdsl on {printable(member.host)}: pip install gdsl=={first.version}",
                )


def threads_of(members: Sequence[Member]) -> list[int]:
    """How many threads each worker may use: the workers of a host share its processors."""
    there = Counter(member.host for member in members)
    return [max(member.processors // there[member.host], 1) for member in members]


def use_threads(members: Sequence[Member], rank: int) -> None:
    """Let native code of this process use its share of the processors, unless the user has chosen."""
    os.environ.setdefault("OMP_NUM_THREADS", str(threads_of(members)[rank]))
