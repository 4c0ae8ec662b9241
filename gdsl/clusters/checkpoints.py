"""Checkpoints of a run: what each worker needs to continue it, on a disk that all hosts share.

`DIR/checkpoint.json` names the pass after which the last complete checkpoint was written, and `DIR/pass-N` holds a file
for each worker. A file is written under a temporary name and renamed, and `checkpoint.json` last, when all workers have
written theirs: whatever happens meanwhile, the one before stays usable.
"""

from __future__ import annotations

import contextlib
import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.backends.cpu.checkpoints import RunState
from gdsl.clusters.checkpoint_folder import CheckpointFolder, Manifest, RunKey
from gdsl.clusters.failures import Member
from gdsl.communicator import Communicator
from gdsl.diagnostics import printable, shown
from gdsl.numerals import is_whole
from gdsl.records import dataclass

_RUN = "run"
"""The array of a part that says which run it is of."""


class Progress:
    """Tells of passes, and takes no state."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell

    def due(self, iterations: int) -> bool:
        """Report the pass; False: nothing is saved."""
        self._tell(f"pass {iterations}")
        return False

    def save(self, state: RunState) -> None:
        """Never called, as `due` is False."""
        raise AssertionError(state)


@dataclass(frozen=True, slots=True)
class CheckpointOptions:
    """Where checkpoints are written, after every how many passes of the schedule's loops, and whether the run continues
    with the last one."""

    directory: str
    every: int
    resume: bool = False


def checkpoint_options(directory: object, every: Any, resume: bool) -> CheckpointOptions | None:
    """The options of a run that a caller passes; None without a directory. Raises TypeError, ValueError."""
    if directory is None:
        if every is not None or resume:
            raise ValueError(f"{'resume' if resume else 'every'} needs checkpoint=, the folder of the checkpoints")
        return None
    if not isinstance(directory, (str, os.PathLike)):
        raise TypeError(f"checkpoint is a folder, a str or a path-like object, not {shown(directory)}")
    if not os.fspath(directory):
        raise ValueError("checkpoint is the name of a folder, not ''")
    if not is_whole(every):
        raise TypeError(f"every must be a number of passes, not {shown(every)}")
    if int(every) < 1:
        raise ValueError(f"every must be at least 1, not {shown(every)}")
    return CheckpointOptions(os.path.abspath(directory), int(every), bool(resume))


def check_folder(options: CheckpointOptions, communicator: Communicator, members: Sequence[Member]) -> None:
    """Raise what can be known before the graph is read: E0911 where a worker cannot write to the folder, E0809 for a
    checkpoint that would be overwritten, that is damaged, or that another run writes. All workers call it."""
    folder = CheckpointFolder(options.directory, members[communicator.rank])
    folder.prepare()
    if communicator.rank == 0:
        try:
            folder.lock()
            folder.manifest(options.resume)
        finally:
            folder.unlock()
    communicator.barrier()


class Checkpoints:
    """The checkpoints of one run, as one of its workers writes and reads them. All workers call the same methods; where
    one raises, its run is aborted, so that the others raise too."""

    def __init__(
        self,
        options: CheckpointOptions,
        key: RunKey,
        communicator: Communicator,
        members: Sequence[Member],
        tell: Callable[[str], object],
    ) -> None:
        """`tell` is called with what has been done. Raises E0809 where the directory has a checkpoint that would be
        overwritten, or one of another program, graph or number of workers to continue with; E0911 for a directory that
        cannot be written to."""
        self.every = options.every
        self._tell = tell
        self._directory = CheckpointFolder(options.directory, members[communicator.rank])
        self._key, self._communicator = key, communicator
        self._last: int | None = None
        """The pass of the last complete checkpoint."""
        self._directory.prepare()
        try:
            if communicator.rank == 0:
                self._directory.lock()
                self._last = self._begin(options.resume)
            self._last = self._from_first(self._last)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let other runs use the folder."""
        self._directory.unlock()

    def due(self, iterations: int) -> bool:
        """Whether a checkpoint is written after so many passes."""
        self._tell(f"pass {iterations}")
        return iterations > 0 and iterations % self.every == 0 and iterations != self._last

    def save(self, state: RunState) -> None:
        """Write the state of this worker. Raises E0911 if it cannot; the checkpoint before stays."""
        passes = state.iterations
        folder = self._folder(passes)
        try:
            self._write_part(folder, {**state.arrays(), _RUN: np.array(repr(self._key))})
            self._communicator.barrier()  # now all parts are there
        except BaseException:
            if self._communicator.rank == 0:  # which then writes no manifest
                self._remove_parts(folder)
            raise
        if self._communicator.rank == 0:
            self._directory.write_manifest(Manifest(passes, self._key))
            if self._last is not None and self._last != passes:
                self._remove_parts(self._folder(self._last))
        self._last = passes

    def read(self) -> RunState | None:
        """The state of this worker with which the run continues; None if it begins. Raises E0809 where its part is
        missing or damaged."""
        if self._last is None:
            return None
        state = self._read_part(self._last)
        self._communicator.barrier()
        if self._communicator.rank == 0:
            self._tell(f"note: the run continues after pass {self._last}")
        return state

    def remove(self) -> None:
        """Remove the checkpoints of a run that has ended, also those that were not completed."""
        self._communicator.barrier()
        if self._communicator.rank == 0:
            self._directory.remove_manifest()
            for folder in self._directory.path.glob("pass-*"):
                self._remove_parts(folder)

    def _remove_parts(self, folder: Path) -> None:
        """Remove the parts of all workers, and their folder unless it has other files."""
        with contextlib.suppress(OSError):
            for rank in range(self._communicator.size):
                (folder / f"worker-{rank}.npz").unlink(missing_ok=True)
            folder.rmdir()

    def _folder(self, passes: int) -> Path:
        return self._directory.path / f"pass-{passes}"

    def _part(self, folder: Path) -> Path:
        return folder / f"worker-{self._communicator.rank}.npz"

    def _begin(self, resume: bool) -> int | None:
        manifest = self._directory.manifest(resume)
        if manifest is None:
            if resume:
                self._tell(f"note: {self._directory.shown} has no checkpoint, so the run begins")
            return None
        self._directory.check(manifest.key, self._key)
        return manifest.passes

    def _write_part(self, folder: Path, state: Mapping[str, NDArray[Any]]) -> None:
        temporary = self._part(folder).with_suffix(".tmp")
        try:
            folder.mkdir(exist_ok=True)
            with open(temporary, "wb") as file:
                with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
                    for name, values in state.items():
                        with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                            np.lib.format.write_array(entry, np.asarray(values), allow_pickle=False)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self._part(folder))
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            with contextlib.suppress(OSError):  # others have written their parts there
                folder.rmdir()
            raise self._directory.unwritable(error) from None

    def _read_part(self, passes: int) -> RunState:
        directory = self._directory
        try:
            with zipfile.ZipFile(self._part(self._folder(passes))) as archive:
                arrays = {name.removesuffix(".npy"): _array(archive, name) for name in archive.namelist()}
            state, run = RunState.from_arrays(arrays), str(arrays[_RUN])
        except FileNotFoundError:
            fix = "use a folder that all hosts share"
            raise directory.unusable("finds no part of the checkpoint", fix) from None
        except MemoryError:
            raise
        except Exception as error:  # NumPy, zipfile and zlib raise all kinds of errors for damaged bytes
            why = f"cannot read its part of the checkpoint ({printable(_reason(error))})"
            raise directory.unusable(why) from None
        if state.iterations != passes or state.rank != self._communicator.rank or run != repr(self._key):
            raise directory.unusable("finds the part of another checkpoint, or of another worker,")
        return state

    def _from_first(self, value: int | None) -> int | None:
        """What worker 0 has."""
        first = int(self._communicator.all_gather(np.array([-1 if value is None else value]))[0][0])
        return None if first < 0 else first


def _array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with archive.open(name) as entry:
        values: NDArray[Any] = np.lib.format.read_array(entry, allow_pickle=False)
        return values


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
