"""Checkpoints of a run: what each worker needs to continue it, on a disk that all hosts share.

`DIR/checkpoint.json` names the pass after which the last complete checkpoint was written, and `DIR/pass-N` holds a file
for each worker. A file is written under a temporary name and renamed, and `checkpoint.json` last, when all workers have
written theirs: whatever happens meanwhile, the one before stays usable.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.backends.cpu.checkpoints import RunState
from gdsl.clusters.failures import Member
from gdsl.communicator import Communicator
from gdsl.diagnostics import GdslError, printable, shown
from gdsl.numerals import is_whole
from gdsl.records import dataclass

_MANIFEST = "checkpoint.json"
_FORMAT = 1


class Progress:
    """Tells of passes, and takes no state."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell

    def due(self, iterations: int) -> bool:
        """Never."""
        self._tell(f"pass {iterations}")
        return False

    def save(self, state: RunState) -> None:
        """Not called."""
        raise AssertionError(state)


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
    if not is_whole(every):
        raise TypeError(f"every must be a number of passes, not {shown(every)}")
    if int(every) < 1:
        raise ValueError(f"every must be at least 1, not {shown(every)}")
    return CheckpointOptions(os.path.abspath(directory), int(every), bool(resume))


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
        self._directory = Path(options.directory)
        self._key, self._communicator, self._members = key, communicator, members
        self._last: int | None = None
        """The pass of the last complete checkpoint."""
        if communicator.rank == 0:
            self._last = self._begin(options.resume)
        self._last = self._from_first(self._last)

    def due(self, iterations: int) -> bool:
        """Whether a checkpoint is written after so many passes."""
        self._tell(f"pass {iterations}")
        return iterations > 0 and iterations % self.every == 0 and iterations != self._last

    def save(self, state: RunState) -> None:
        """Write the state of this worker. Raises E0911 if it cannot; the checkpoint before stays."""
        passes = state.iterations
        folder = self._folder(passes)
        self._write_part(folder, state.arrays())
        self._communicator.barrier()  # now all parts are there
        if self._communicator.rank == 0:
            self._write_manifest(passes)
            if self._last is not None and self._last != passes:
                shutil.rmtree(self._folder(self._last), ignore_errors=True)
        self._last = passes

    def read(self) -> RunState | None:
        """The state of this worker with which the run continues; None if it begins. Raises E0809 where its part is
        missing or damaged."""
        if self._last is None:
            return None
        state = self._read_part(self._folder(self._last))
        self._communicator.barrier()
        if self._communicator.rank == 0:
            self._tell(f"note: the run continues after pass {self._last}")
        return state

    def remove(self) -> None:
        """Remove the checkpoint of a run that has ended."""
        self._communicator.barrier()
        if self._communicator.rank == 0 and self._last is not None:
            with contextlib.suppress(OSError):
                (self._directory / _MANIFEST).unlink()
            shutil.rmtree(self._folder(self._last), ignore_errors=True)

    def _folder(self, passes: int) -> Path:
        return self._directory / f"pass-{passes}"

    def _part(self, folder: Path) -> Path:
        return folder / f"worker-{self._communicator.rank}.npz"

    def _begin(self, resume: bool) -> int | None:
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._unwritable(error) from None
        manifest = self._manifest()
        if not resume:
            if manifest is not None:
                raise GdslError.single(
                    "E0809",
                    f"{self._shown} already has a checkpoint of {printable(str(manifest.get('program')))}",
                    fix="continue it with --resume (in Python resume=True), or use another folder",
                )
            return None
        if manifest is None:
            self._tell(f"note: {self._shown} has no checkpoint, so the run begins")
            return None
        self._check(manifest)
        passes = manifest["passes"]
        return passes if isinstance(passes, int) else None

    def _manifest(self) -> dict[str, Any] | None:
        try:
            text = (self._directory / _MANIFEST).read_text()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unwritable(error) from None
        try:
            manifest = json.loads(text)
            if manifest["format"] != _FORMAT or not isinstance(manifest["passes"], int):
                raise KeyError("format")
        except (ValueError, KeyError, TypeError):
            message = f"{self._shown}/{_MANIFEST} is not a checkpoint of this version of gdsl"
            raise GdslError.single("E0809", message, fix="use another folder, or remove this one") from None
        found: dict[str, Any] = manifest
        return found

    def _check(self, manifest: Mapping[str, Any]) -> None:
        """Raise E0809 for a checkpoint of another run."""
        key = self._key
        if manifest["program"] != key.program:
            self._refuse(f"of {printable(str(manifest['program']))}, and this is {key.program}")
        if manifest["program_key"] != key.program_key:
            self._refuse(
                f"of {key.program} with another text, other params, inputs, types or knobs, or of another gdsl"
            )
        if manifest["graph"] != key.graph:
            self._refuse("of another graph")
        if manifest["workers"] != key.workers:
            self._refuse(
                f"of {manifest['workers']} workers, and there are {key.workers} now",
                f"run it with {manifest['workers']} workers",
            )

    def _refuse(self, what: str, fix: str = "resume the same run, or use another folder without --resume") -> None:
        raise GdslError.single("E0809", f"the checkpoint in {self._shown} is {what}", fix=fix)

    @property
    def _shown(self) -> str:
        return printable(str(self._directory))

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
            raise self._unwritable(error) from None

    def _write_manifest(self, passes: int) -> None:
        key = self._key
        manifest = {
            "format": _FORMAT,
            "passes": passes,
            "program": key.program,
            "program_key": key.program_key,
            "graph": key.graph,
            "workers": key.workers,
        }
        temporary = self._directory / f"{_MANIFEST}.tmp"
        try:
            with open(temporary, "w") as file:
                json.dump(manifest, file)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self._directory / _MANIFEST)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink()
            raise self._unwritable(error) from None

    def _read_part(self, folder: Path) -> RunState:
        who = self._members[self._communicator.rank]
        try:
            with zipfile.ZipFile(self._part(folder)) as archive:
                arrays = {name.removesuffix(".npy"): _array(archive, name) for name in archive.namelist()}
            return RunState.from_arrays(arrays)
        except FileNotFoundError:
            message = f"{who} finds no part of the checkpoint in {self._shown}"
            fix = "use a folder that all hosts share"
        except (OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError) as error:
            message = f"{who} cannot read its part of the checkpoint in {self._shown}: {printable(str(error))}"
            fix = "begin the run again, in another folder"
        raise GdslError.single("E0809", message, fix=fix)

    def _unwritable(self, error: OSError) -> GdslError:
        who = self._members[self._communicator.rank]
        reason = error.strerror or str(error)
        message = f"{who} cannot write a checkpoint to {self._shown}: {printable(reason)}"
        return GdslError.single(
            "E0911", message, fix="use a folder on a disk with more space that all hosts can write to"
        )

    def _from_first(self, value: int | None) -> int | None:
        """What worker 0 has."""
        first = int(self._communicator.all_gather(np.array([-1 if value is None else value]))[0][0])
        return None if first < 0 else first


def _array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with archive.open(name) as entry:
        values: NDArray[Any] = np.lib.format.read_array(entry, allow_pickle=False)
        return values
