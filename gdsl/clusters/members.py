"""The workers of a group introduce themselves, and are checked before they begin."""

from __future__ import annotations

import hashlib
import os
import socket
from collections import Counter
from collections.abc import Sequence
from functools import cache

from gdsl import resources
from gdsl.clusters.failures import Member
from gdsl.diagnostics import GdslError, printable
from gdsl.version import __version__


def introduction(rank: int) -> Member:
    """Who this process is, as worker `rank`."""
    return Member(rank, socket.gethostname(), os.getpid(), processors(), __version__, code_hash())


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
