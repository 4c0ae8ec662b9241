"""Results as files: .npz, .csv and .json."""

from __future__ import annotations

import json
import math
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import click
import numpy as np

from gdsl.api.result import Result
from gdsl.backends.interface import part_names
from gdsl.binding import problem_data
from gdsl.cli.output import check_writable, write_output
from gdsl.diagnostics import GdslError
from gdsl.ir import nodes as ir
from gdsl.operations import Domain

SUFFIXES = (".npz", ".csv", ".json")


def check_result_path(path: Path, program: ir.Program) -> None:
    """Raise a usage error for a suffix that names no format, and E0911 for results that the format cannot hold, or a
    file that cannot be written."""
    if path.suffix.lower() not in SUFFIXES:
        raise click.UsageError(f"-o: '{path.name}' must end in {', '.join(SUFFIXES)}, which names the format")
    if path.suffix.lower() == ".csv" and len(_result_domains(program)) > 1:
        raise GdslError.single(
            "E0911",
            f"cannot write {path}: a CSV file has one table, and the program has results over vertices and over edges",
            fix="use a .npz or .json file",
        )
    check_writable(path)


def write_result(path: Path, program: ir.Program, result: Result) -> None:
    """Write all results to `path` in the format that its suffix names. Raises E0911."""
    writer = {".npz": _write_npz, ".csv": _write_csv, ".json": _write_json}[path.suffix.lower()]
    write_output(path, lambda file: writer(file, program, result))


def plain_number(value: Any) -> Any:
    """A number as JSON can hold it: those that are not finite become "inf", "-inf" and "nan"."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def _result_domains(program: ir.Program) -> set[Domain]:
    return {d.domain for d in problem_data(program) if isinstance(d, ir.Array) and not d.is_local and not d.is_input}


def _write_npz(file: BinaryIO, program: ir.Program, result: Result) -> None:
    """One array for each result, scalars without dimension. `numpy.savez` cannot hold an array called `file`."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, values in {**result.host_arrays(), **_scalar_arrays(program, result)}.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(values), allow_pickle=False)


def _scalar_arrays(program: ir.Program, result: Result) -> dict[str, Any]:
    types = {scalar.name: scalar.type for scalar in program.scalars if not scalar.type.is_pair}
    pairs = (scalar for scalar in program.scalars if scalar.type.is_pair)
    types |= {name: part for each in pairs for name, part in zip(part_names(each.name), each.type.parts, strict=True)}
    numbers = result.numbers()
    dtypes = {name: "int64" if types[name].is_id else types[name].name for name in numbers}
    return {name: np.asarray(value, dtype=dtypes[name]) for name, value in numbers.items()}


def _write_csv(file: BinaryIO, program: ir.Program, result: Result) -> None:
    """One line for each vertex (or edge): its id and the results, under a line of names. Scalars have no place here."""
    arrays = result.host_arrays()
    edges = _result_domains(program) == {Domain.EDGE}
    columns = [np.arange(len(next(iter(arrays.values()), ()))), *arrays.values()]
    file.write((",".join(["edge" if edges else "vertex", *arrays]) + "\n").encode())
    step = 1 << 16
    for first in range(0, len(columns[0]), step):
        texts = [_texts(column[first : first + step]) for column in columns]
        file.write(("\n".join(map(",".join, zip(*texts, strict=True))) + "\n").encode())


def _texts(values: np.ndarray[Any, Any]) -> list[str]:
    if values.dtype.kind == "b":
        return ["true" if value else "false" for value in values.tolist()]
    if values.dtype == np.float32:
        return [str(value) for value in values]
    return [str(value) for value in values.tolist()]


def _write_json(file: BinaryIO, program: ir.Program, result: Result) -> None:
    document: dict[str, Any] = {name: plain_number(value) for name, value in result.numbers().items()}
    for name, values in result.host_arrays().items():
        document[name] = [plain_number(value) for value in values.tolist()]
    file.write(json.dumps(document, allow_nan=False).encode() + b"\n")
