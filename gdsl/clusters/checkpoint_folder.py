"""The folder of a run's checkpoints: which checkpoint is in it, and whether it can be used and written to."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gdsl.clusters.failures import Member
from gdsl.diagnostics import GdslError, printable
from gdsl.records import dataclass

_MANIFEST = "checkpoint.json"
_FORMAT = 1
_LONGEST = 100
"""Letters of a program's name that a message shows."""


@dataclass(frozen=True, slots=True)
class RunKey:
    """What a checkpoint belongs to: the program with its types and params, the graph, and the number of workers."""

    program: str
    """The program's name."""
    program_key: str
    """A hash of its text, types, knobs, params and inputs, and of gdsl's version."""
    graph: str
    """A hash of the graph."""
    workers: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What `checkpoint.json` says: which checkpoint is complete, the one after `passes` passes, and what it is of."""

    passes: int
    key: RunKey


class CheckpointFolder:
    """The folder, as the worker `member` sees it. Errors name the folder, and the worker where it matters."""

    def __init__(self, path: str, member: Member) -> None:
        self.path = Path(path)
        self._member = member
        self._lock: int | None = None

    def lock(self) -> None:
        """Keep other runs out, until `unlock` or the end of the process. Raises E0809 where another run is at work."""
        self._lock = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"another run writes its checkpoints to {self.shown}"
            raise GdslError.single(
                "E0809", message, fix="use another folder, or wait until that run has ended"
            ) from None
        except OSError:
            pass  # a file system without locks: what is read then says which run it is of

    def unlock(self) -> None:
        """Let other runs in; without a lock nothing."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def prepare(self) -> None:
        """Create it if it is not there, and write to it. Raises E0911."""
        trial = self.path / f"worker-{self._member.rank}.tmp"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            trial.write_bytes(b"")
            trial.unlink()
        except OSError as error:
            raise self.unwritable(error) from None

    def manifest(self, resume: bool) -> Manifest | None:
        """The checkpoint that is there, with which a run continues. Raises E0809 for one that would be overwritten, or
        that is not one of this version of gdsl."""
        manifest_ = self._read()
        if manifest_ is not None and not resume:
            raise GdslError.single(
                "E0809",
                f"{self.shown} already has a checkpoint of {_name(manifest_.key.program)}",
                fix="continue it with --resume (in Python resume=True), or use another folder",
            )
        return manifest_

    def _read(self) -> Manifest | None:
        try:
            words = json.loads((self.path / _MANIFEST).read_text())
            program, program_key, graph = (_of(words, name, str) for name in ("program", "program_key", "graph"))
            key = RunKey(program, program_key, graph, _of(words, "workers", int))
            manifest = Manifest(_of(words, "passes", int), key)
            possible = 1 <= manifest.passes < 1 << 63 and 1 <= key.workers < 1 << 63
            if _of(words, "format", int) != _FORMAT or not possible:
                raise ValueError(words)
        except FileNotFoundError:
            return None
        except OSError as error:
            message = f"{self._member} cannot read {self.shown}/{_MANIFEST}: {printable(error.strerror or str(error))}"
            raise GdslError.single("E0809", message, fix="use another folder, or remove this one") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            message = f"{self.shown}/{_MANIFEST} is not a checkpoint of this version of gdsl"
            raise GdslError.single("E0809", message, fix="use another folder, or remove this one") from None
        return manifest

    def check(self, stored: RunKey, key: RunKey) -> None:
        """Raise E0809 for a checkpoint of another run than `key`."""
        if stored.program != key.program:
            self._refuse(f"of {_name(stored.program)}, and this is {_name(key.program)}")
        if stored.workers != key.workers:  # whose parts of the graph are others, too
            now = f"there {'is' if key.workers == 1 else 'are'} {key.workers} now"
            self._refuse(f"of {_workers(stored.workers)}, and {now}", f"run it with {_workers(stored.workers)}")
        if stored.program_key != key.program_key:
            self._refuse(
                f"of {key.program} with another text, other params, inputs, types or knobs, or of another gdsl"
            )
        if stored.graph != key.graph:
            self._refuse("of another graph")

    def _refuse(self, what: str, fix: str = "resume the same run, or use another folder without --resume") -> None:
        raise GdslError.single("E0809", f"the checkpoint in {self.shown} is {what}", fix=fix)

    def write_manifest(self, manifest: Manifest) -> None:
        """From now on this checkpoint is the one to continue with. Raises E0911; the one before stays then."""
        key = manifest.key
        words = {
            "format": _FORMAT,
            "passes": manifest.passes,
            "program": key.program,
            "program_key": key.program_key,
            "graph": key.graph,
            "workers": key.workers,
        }
        temporary = self.path / f"{_MANIFEST}.tmp"
        try:
            with open(temporary, "w") as file:
                json.dump(words, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.path / _MANIFEST)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise self.unwritable(error) from None

    def remove_manifest(self) -> None:
        """There is no checkpoint any more."""
        with contextlib.suppress(OSError):
            (self.path / _MANIFEST).unlink()

    @property
    def shown(self) -> str:
        """The folder's name, for messages."""
        return printable(str(self.path))

    def unusable(self, why: str, fix: str = "begin the run again, in another folder") -> GdslError:
        """E0809: this worker cannot continue with what is there, because of `why`."""
        return GdslError.single("E0809", f"{self._member} {why} in {self.shown}", fix=fix)

    def unwritable(self, error: OSError) -> GdslError:
        """E0911: this worker cannot write here."""
        reason = error.strerror or str(error)
        message = f"{self._member} cannot write a checkpoint to {self.shown}: {printable(reason)}"
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        where = "a folder on a disk with more space" if full else "a folder"
        return GdslError.single("E0911", message, fix=f"use {where} that all hosts can write to")


def _of(words: Mapping[str, Any], name: str, kind: type) -> Any:
    value = words[name]
    if type(value) is not kind:
        raise TypeError(name)
    return value


def _name(program: str) -> str:
    shown = printable(program)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"


def _workers(count: int) -> str:
    return "1 worker" if count == 1 else f"{count} workers"
