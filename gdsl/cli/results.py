"""Writes results as .npz, .csv, .json, Parquet and Arrow files."""

from __future__ import annotations

import json
import math
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import click
import numpy as np

from gdsl.api.description import parts_of_data, results_of
from gdsl.api.result import Result
from gdsl.cli.output import check_writable, require_apart, write_output
from gdsl.cli.streams import message
from gdsl.diagnostics import GdslError, printable
from gdsl.extras import required
from gdsl.graph.vertices import Names
from gdsl.ir import nodes as ir
from gdsl.operations import Domain
from gdsl.types import Type

SUFFIXES = (".npz", ".csv", ".json", ".parquet", ".feather", ".arrow")
_TABLES = {".csv": "a CSV file", ".parquet": "a Parquet file", ".feather": "an Arrow file", ".arrow": "an Arrow file"}
"""Formats with a row for each vertex or edge, and no place for anything else."""


def check_result_path(path: Path, program: ir.Program, *read: str) -> None:
    """Raise a usage error for an unknown suffix, and E0911 for results that the format cannot hold, a file that cannot
    be written, or one that is also `read`."""
    if path.suffix.lower() not in SUFFIXES:
        raise click.UsageError(f"-o: '{path.name}' must end in {', '.join(SUFFIXES)}, which decides the format")
    suffix = path.suffix.lower()
    if suffix in _TABLES and not _result_domains(program):
        scalars = ", ".join(data.name for data in results_of(program))
        why = f"the program's results ({scalars}) are scalars" if scalars else "the program has no results"
        raise GdslError.single(
            "E0911",
            f"cannot write {path}: {_TABLES[suffix]} has a line for each vertex or edge, and {why}",
            fix="use a .npz or .json file",
        )
    if suffix in _TABLES and suffix != ".csv":
        required("pyarrow", "gdsl[tables]", _TABLES[suffix])
    for file in tables_of(path, program).values() if suffix in _TABLES else [path]:
        require_apart(file, *read)
        check_writable(file)


def tables_of(path: Path, program: ir.Program) -> dict[Domain, Path]:
    """The file of each table of a format with rows for vertices or for edges: `path`, or if the program has results
    over both, NAME.vertices.csv and NAME.edges.csv."""
    domains = [domain for domain in Domain if domain in _result_domains(program)]
    if len(domains) == 1:
        return {domains[0]: path}
    return {domain: path.with_name(f"{path.stem}.{domain.plural}{path.suffix}") for domain in domains}


def write_result(
    path: Path, program: ir.Program, result: Result, names: Names | None = None, comment: bytes = b""
) -> None:
    """Write all results to `path` in the format of its suffix; `names` replace vertices in a table, which has no place
    for scalars; a note says so. Two tables are two files, as `tables_of` says. An .npz file gets the `comment`. Raises
    E0911."""
    suffix = path.suffix.lower()
    if suffix == ".npz":
        arrays = {**result.host_arrays(), **_scalar_arrays(program, result)}
        write_output(path, lambda file: write_npz(file, arrays, comment))
        return
    if suffix == ".json":
        write_output(path, lambda file: _write_json(file, result))
        return
    tables = tables_of(path, program)
    for domain, file in tables.items():
        _write_table(file, domain, program, result, names)
    file_names = " and ".join(printable(str(file)) for file in tables.values())
    if len(tables) > 1:
        message(f"note: results over vertices and over edges are two tables: {file_names}")
    if result.scalars:
        message(
            f"note: {file_names} {'is' if len(tables) == 1 else 'are'} without the scalars {', '.join(result.scalars)}"
        )


def _write_table(path: Path, domain: Domain, program: ir.Program, result: Result, names: Names | None) -> None:
    suffix = path.suffix.lower()
    if suffix == ".csv":
        write_output(path, lambda file: _write_csv(file, domain, program, result, names))
        return
    from gdsl.graph.table_files import write_table

    table = result.to_arrow(domain.plural, names=names is not None)
    write_output(path, lambda file: write_table(file, "parquet" if suffix == ".parquet" else "arrow", table))


def shown_vertex(value: int, names: Names | None) -> str:
    """The name of a vertex, or its id if there are no names; -1 means none."""
    if names is None:
        return str(value)
    return str(names[value]) if value >= 0 else "none"


def plain_number(value: Any) -> Any:
    """A number that JSON can represent: non-finite ones become "inf", "-inf" and "nan"."""
    if isinstance(value, list):
        return [plain_number(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def _result_domains(program: ir.Program) -> set[Domain]:
    return {data.domain for data in results_of(program) if isinstance(data, ir.Array)}


def write_npz(file: BinaryIO, arrays: dict[str, Any], comment: bytes = b"") -> None:
    """Write arrays by name. `numpy.savez` cannot store an array called `file`."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        archive.comment = comment
        for name, values in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(values), allow_pickle=False)


def _types(program: ir.Program) -> dict[str, Type]:
    """The type of each result; for pairs those of their parts."""
    return {part.name: part.type for declared in results_of(program) for part in parts_of_data(declared)}


def _scalar_arrays(program: ir.Program, result: Result) -> dict[str, Any]:
    types, numbers = _types(program), result.numbers()
    dtypes = {name: "int64" if types[name].is_id else types[name].name for name in numbers}
    return {name: np.asarray(value, dtype=dtypes[name]) for name, value in numbers.items()}


def _write_csv(file: BinaryIO, domain: Domain, program: ir.Program, result: Result, names: Names | None) -> None:
    """One line for each vertex (or edge): its id, or name, and the results, after a line of column names."""
    arrays = _columns(result, domain)
    edges = domain is Domain.EDGE
    columns = [np.arange(len(next(iter(arrays.values()), ()))), *arrays.values()]
    file.write((",".join(["edge" if edges else "vertex", *arrays]) + "\n").encode())
    if names is not None:
        types = _types(program)
        called = [
            not edges,
            *(types[name.rpartition(".")[0] if name not in types else name] is Type.VERTEX for name in arrays),
        ]
        columns = [_called(column, names) if is_id else column for column, is_id in zip(columns, called, strict=True)]
    step = 1 << 16
    for first in range(0, len(columns[0]), step):
        texts = [_texts(column[first : first + step]) for column in columns]
        file.write(("\n".join(map(",".join, zip(*texts, strict=True))) + "\n").encode())


def _columns(result: Result, domain: Domain) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a table by column name; an array with several values per element has `a.0`, `a.1`, …"""
    columns: dict[str, np.ndarray[Any, Any]] = {}
    own = {part.name for array in result._over(domain) for part in parts_of_data(array)}
    for name, values in result.host_arrays().items():
        if name not in own:
            continue
        if values.ndim == 1:
            columns[name] = values
        else:
            columns.update((f"{name}.{place}", values[:, place]) for place in range(values.shape[1]))
    return columns


def _called(ids: np.ndarray[Any, Any], names: Names) -> np.ndarray[Any, Any]:
    """Ids as the cells of a table with names."""
    cells = [_cell(str(name)) for name in names]
    return np.array([cells[vertex] if vertex >= 0 else "" for vertex in ids.tolist()], dtype=object)


def _cell(text: str) -> str:
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if any(mark in text for mark in ',"\n\r') else text


def _texts(values: np.ndarray[Any, Any]) -> list[str]:
    if values.dtype.kind == "b":
        return ["true" if value else "false" for value in values.tolist()]
    if values.dtype == np.float32:
        return [str(value) for value in values]
    return [str(value) for value in values.tolist()]


def _write_json(file: BinaryIO, result: Result) -> None:
    document: dict[str, Any] = {name: plain_number(value) for name, value in result.numbers().items()}
    for name, values in result.host_arrays().items():
        document[name] = [plain_number(value) for value in values.tolist()]
    file.write(json.dumps(document, allow_nan=False).encode() + b"\n")
