"""The folder to which each worker writes the results of its own vertices and edges: no process collects all of them.

`DIR/result.json` says what there is: the scalars, the type of each result, and which worker wrote which file. A result
called `distance` is in `distance-0.npy`, `distance-1.npy` and so on, to be joined in this order; a folder whose name
ends in .parquet has tables instead, `vertices/part-00000.parquet` and `edges/part-00000.parquet`. Workers write into a
hidden folder next to DIR, which gets its name when all parts are there: DIR is complete or does not exist.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gdsl.api.summary import Summary
from gdsl.backends.interface import Pair, part_names
from gdsl.diagnostics import GdslError, printable, shown
from gdsl.extras import required
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class PartsOptions:
    """The folder of the results, an absolute path, and a word that tells this run's hidden folder from others."""

    directory: str
    word: str

    @property
    def in_tables(self) -> bool:
        """Whether the parts are Parquet files."""
        return self.directory.endswith(".parquet")

    @property
    def temporary(self) -> Path:
        """Where workers write until all parts are there."""
        path = Path(self.directory)
        return path.with_name(f".{path.name}.{self.word}")


def parts_options(directory: object) -> PartsOptions | None:
    """The options of a run that a caller passes; None without a folder. Raises TypeError, ValueError."""
    if directory is None:
        return None
    if not isinstance(directory, (str, os.PathLike)):
        raise TypeError(f"parts is a folder, a str or a path-like object, not {shown(directory)}")
    path = os.fspath(directory)
    if not isinstance(path, str) or not path:
        raise ValueError(f"parts is the name of a folder, not {shown(path)}")
    return PartsOptions(os.path.abspath(path), secrets.token_hex(4))


def remove_parts(options: PartsOptions) -> None:
    """Remove what workers that were killed have left, as far as this process sees it."""
    shutil.rmtree(options.temporary, ignore_errors=True)


class PartFiles(Mapping[str, Any]):
    """The arrays of a result that workers have written, by name. Each is read when it is asked for, which needs the
    folder here. Raises E0701 where it cannot be read."""

    def __init__(self, directory: str, manifest: Mapping[str, Any], summaries: Sequence[Mapping[str, Summary]]) -> None:
        """`summaries`: those of each worker's part, by name."""
        self.directory, self.manifest = directory, manifest
        self.summaries = {name: _joined([each[name] for each in summaries]) for name in summaries[0]}
        self._arrays = {name: about for name, about in manifest["results"].items() if about["over"] is not None}

    def __getitem__(self, name: str) -> Any:
        about = self._arrays[name]
        try:
            parts = part_names(name) if about["type"].startswith("(") else (name,)
            arrays = [self._whole(part, about) for part in parts]
        except OSError as error:
            raise self._unreadable(
                name, error.strerror or str(error), "read it where workers have written it"
            ) from None
        except ValueError as error:
            raise self._unreadable(name, str(error), "run the program again, with another folder") from None
        return Pair(*arrays) if len(arrays) == 2 else arrays[0]

    def _unreadable(self, name: str, reason: str, fix: str) -> GdslError:
        message = f"cannot read `{name}` from {printable(self.directory)}: {printable(reason)}"
        return GdslError.single("E0701", message, fix=fix)

    def _whole(self, name: str, about: Mapping[str, Any]) -> NDArray[Any]:
        """All parts of an array. Raises OSError, and ValueError if one is not what its worker has written."""
        read = self._from_table if self.directory.endswith(".parquet") else self._from_array
        found: list[NDArray[Any]] = []
        for rank, part in enumerate(self.manifest["parts"]):
            shape = (part[about["over"]], *(() if about["values"] is None else (about["values"],)))
            try:
                values = read(name, rank, about)
            except (ValueError, KeyError, EOFError):
                values = None
            if values is None or values.shape != shape or (found and values.dtype != found[0].dtype):
                raise ValueError(f"the part of worker {rank} has been changed since it was written")
            found.append(values)
        return np.concatenate(found)

    def _from_array(self, name: str, rank: int, about: Mapping[str, Any]) -> NDArray[Any]:
        values: NDArray[Any] = np.load(Path(self.directory) / f"{name}-{rank}.npy", allow_pickle=False)
        return values

    def _from_table(self, name: str, rank: int, about: Mapping[str, Any]) -> NDArray[Any]:
        tables = required("pyarrow.parquet", "gdsl[tables]", "a folder of Parquet files")
        names = [name] if about["values"] is None else [f"{name}.{place}" for place in range(about["values"])]
        path = Path(self.directory) / about["over"] / f"part-{rank:05}.parquet"
        table = tables.ParquetFile(path).read(columns=names)
        columns = [table.column(each).to_numpy() for each in names]
        return columns[0] if about["values"] is None else np.stack(columns, axis=1)

    def __contains__(self, name: object) -> bool:
        return name in self._arrays

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)


def _joined(parts: Sequence[Summary]) -> Summary:
    """The summary of all parts of an array."""
    lows = [part.minimum for part in parts if part.minimum is not None]
    highs = [part.maximum for part in parts if part.maximum is not None]
    sums = [part.sum for part in parts if part.sum is not None]
    counts = {
        name: sum(getattr(part, name) for part in parts) for name in ("size", "infinite", "lowest", "nans", "nones")
    }
    together: dict[str, Any] = {
        "minimum": min(lows, default=None),
        "maximum": max(highs, default=None),
        "sum": sum(sums) if sums else None,
    }
    return replace(parts[0], **counts, **together)
