"""What each worker writes of the results: the values of its own vertices and edges. `result_folder` says where."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from gdsl.api.conversions import columns_of
from gdsl.api.description import parts_of_data, results_of
from gdsl.api.program import Program
from gdsl.api.summary import Summary, summarize
from gdsl.backends.interface import Outcome, Pair, Scalar, part_names, parts_of, shaped
from gdsl.backends.workers.outcomes import ShareOutcome
from gdsl.binding import values_of
from gdsl.clusters.failures import Member, on_worker
from gdsl.clusters.result_folder import PartsOptions
from gdsl.communicator import Communicator
from gdsl.diagnostics import GdslError, printable
from gdsl.extras import required
from gdsl.graph.shares import GraphShare
from gdsl.graph.table_files import write_table
from gdsl.ir import nodes as ir
from gdsl.operations import Domain
from gdsl.records import dataclass
from gdsl.version import __version__

_MANIFEST = "result.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Written:
    """What a worker has written: the outcome without arrays, what the whole folder has, and the summaries of its own
    part of each array."""

    outcome: Outcome
    manifest: Mapping[str, Any]
    summaries: Mapping[str, Summary]


def check_parts(options: PartsOptions, communicator: Communicator, members: Sequence[Member]) -> None:
    """Raise what can be known before the graph is read: E0911 where a worker could not write the folder, or where there
    is one; E0907 without pyarrow. All workers call it."""
    member = members[communicator.rank]
    if options.in_tables:
        try:
            required("pyarrow.parquet", "gdsl[tables]", "a folder of Parquet files")
        except GdslError as error:
            raise on_worker(error, member) from None
    path = Path(options.directory)
    try:
        is_there = os.path.lexists(path)
        if not path.parent.is_dir():
            raise OSError(0, f"there is no directory {path.parent}")
        if is_there and (path.is_symlink() or not path.is_dir() or any(path.iterdir())):
            raise OSError(0, "it is there already, and is not an empty folder")
        if not os.access(path.parent, os.W_OK | os.X_OK):
            raise OSError(0, f"the directory {path.parent} cannot be written")
        if path.is_mount():
            raise OSError(0, "a disk is mounted there, so it cannot be replaced; name a folder in it")
        with contextlib.suppress(FileNotFoundError):
            options.temporary.lstat()  # whose name may be too long
    except (OSError, ValueError) as error:
        raise _unwritable(options, member, error) from None
    communicator.barrier()


def write_parts(
    options: PartsOptions,
    communicator: Communicator,
    members: Sequence[Member],
    share: GraphShare,
    program: Program,
    done: ShareOutcome,
    params: Mapping[str, Scalar],
) -> Written:
    """Write the values of this worker's own elements. All workers call it. Raises E0911; what has been written is
    removed then."""
    member, folder = members[communicator.rank], options.temporary
    writer = _Writer(folder)
    try:
        own = {array.name: _own(array, done, share, params) for array in _arrays(program)}
        if options.in_tables:
            _write_tables(writer, program, parts_of(own), share)
        else:
            _write_arrays(writer, parts_of(own), share)
        names = np.frombuffer(json.dumps([*writer.files]).encode(), np.uint8)
        all_names = [json.loads(part.tobytes()) for part in communicator.all_gather(names)]
        manifest = _manifest(options, share, program, done.outcome, params, all_names)
        if communicator.rank == 0:
            _complete(writer, options, members, manifest, all_names)
        communicator.barrier()
    except OSError as error:
        writer.remove()
        raise _unwritable(options, member, error) from None
    except BaseException:
        writer.remove()
        raise
    declared = {part.name: part for array in _arrays(program) for part in parts_of_data(array)}
    summaries = {name: summarize(declared[name], values) for name, values in parts_of(own).items()}
    return Written(replace(done.outcome, arrays={}), manifest, summaries)


def _complete(
    writer: _Writer,
    options: PartsOptions,
    members: Sequence[Member],
    manifest: Mapping[str, Any],
    all_names: Sequence[Sequence[str]],
) -> None:
    """Give the folder its name, once all parts are in it. Raises E0911 where hosts do not share it, and OSError."""
    for rank, files in enumerate(all_names):
        if not all((writer.folder / file).is_file() for file in files):
            message = f"{members[0]} does not find what {members[rank]} has written to {printable(options.directory)}"
            raise GdslError.single("E0911", message, fix="use a folder that all hosts share")
    with writer.file(_MANIFEST) as file:
        file.write(json.dumps(manifest, indent=2, allow_nan=False).encode() + b"\n")
    os.rename(writer.folder, options.directory)


class _Writer:
    """Writes the files of one worker."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: list[str] = []

    @contextlib.contextmanager
    def file(self, name: str) -> Iterator[BinaryIO]:
        """A new file; `name` may have a folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self.files.append(name)
        with open(path, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())

    def remove(self) -> None:
        """Remove what this worker has written, and folders that are empty then."""
        for name in self.files:
            with contextlib.suppress(OSError):
                (self.folder / name).unlink()
        for path in (*(self.folder / domain.plural for domain in Domain), self.folder):
            with contextlib.suppress(OSError):
                path.rmdir()


def _arrays(program: Program) -> list[ir.Array]:
    return [data for data in results_of(program.ir) if isinstance(data, ir.Array)]


def _own(array: ir.Array, done: ShareOutcome, share: GraphShare, params: Mapping[str, Scalar]) -> Any:
    """The values of this worker's own elements."""
    count = values_of(array, params)
    values = done.outcome.arrays[array.name]
    if array.name not in done.parts:
        first, last = share.own(array.domain)
        own = slice(first * (count or 1), last * (count or 1))
        values = Pair(*(part[own] for part in values)) if isinstance(values, Pair) else values[own]
    return shaped(values, count)


def _write_arrays(writer: _Writer, own: Mapping[str, NDArray[Any]], share: GraphShare) -> None:
    for name, values in own.items():
        with writer.file(f"{name}-{share.rank}.npy") as file:
            _write_array(file, np.ascontiguousarray(values))
    if share.names is not None:
        with writer.file(f"names-{share.rank}.json") as file:
            file.write(json.dumps([*share.names], ensure_ascii=False).encode(errors="surrogatepass"))


def _write_array(file: BinaryIO, values: NDArray[Any]) -> None:
    """As `numpy.save` writes it, whose `tofile` does not say why a disk took only some of the bytes."""
    np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(values))
    file.write(values.reshape(-1).view(np.uint8).data)


def _write_tables(writer: _Writer, program: Program, own: Mapping[str, NDArray[Any]], share: GraphShare) -> None:
    pyarrow = required("pyarrow", "gdsl[tables]", "a folder of Parquet files")
    for domain in Domain:
        over = {array.name for array in _arrays(program) if array.domain is domain}
        over |= {part for name in over for part in part_names(name)}
        results: dict[str, Any] = {}
        for name, values in own.items():
            if name in over:
                results |= columns_of(name, values)
        if not results:
            continue
        columns = {_free(name, results): values for name, values in _elements(domain, share).items()} | results
        table = pyarrow.table({name: pyarrow.array(values) for name, values in columns.items()})
        with writer.file(f"{domain.plural}/part-{share.rank:05}.parquet") as file:
            write_table(file, "parquet", table)


def _elements(domain: Domain, share: GraphShare) -> dict[str, Any]:
    """The columns that identify the rows."""
    if domain is Domain.VERTEX:
        ids: dict[str, Any] = {"vertex": np.arange(share.first, share.last)}
        return ids if share.names is None else ids | {"name": [str(name) for name in share.names]}
    edges = np.arange(share.first_edge, share.last_edge)
    return {"edge": edges, "source": share.edge_sources, "target": share.columns}


def _free(name: str, taken: Mapping[str, object]) -> str:
    return name if name not in taken else _free(f"{name}_", taken)


def _manifest(
    options: PartsOptions,
    share: GraphShare,
    program: Program,
    outcome: Outcome,
    params: Mapping[str, Scalar],
    all_names: Sequence[Sequence[str]],
) -> dict[str, Any]:
    starts = zip(share.boundaries.tolist(), share.edge_boundaries.tolist(), strict=True)
    return {
        "format": _FORMAT,
        "gdsl": __version__,
        "program": program.name,
        "graph": {"vertices": share.num_vertices, "edges": share.num_edges, "directed": share.directed},
        "iterations": outcome.iterations,
        "scalars": {name: _number(value) for name, value in parts_of(outcome.scalars).items()},
        "results": {
            data.name: {
                "over": data.domain.plural if isinstance(data, ir.Array) else None,
                "type": data.type.name,
                "values": values_of(data, params) if isinstance(data, ir.Array) else None,
                "grade": data.grade.value,
            }
            for data in results_of(program.ir)
        },
        "parts": [
            {
                "worker": rank,
                "first_vertex": first[0], "vertices": last[0] - first[0],
                "first_edge": first[1], "edges": last[1] - first[1],
                "files": list(all_names[rank]),
            }
            for rank, (first, last) in enumerate(pairwise(starts))
        ],
    }  # fmt: skip


def _number(value: Any) -> Any:
    """A number that JSON can represent."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def _unwritable(options: PartsOptions, member: Member, error: Exception) -> GdslError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    message = f"{member} cannot write {printable(options.directory)}: {printable(reason)}"
    return GdslError.single("E0911", message, fix="use a new folder, on a disk that all hosts share and can write to")
