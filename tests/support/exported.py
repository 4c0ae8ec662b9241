"""Exported programs: built, run, and what they print as arrays, beside what gdsl itself gives."""

from __future__ import annotations

import csv
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from gdsl.api.program import Program
from gdsl.api.result import Result
from gdsl.cli.results import write_result
from gdsl.export import export
from gdsl.graph import Graph
from tests.support.kept import kept_folder

_SCALAR = re.compile(r"([\w.]+) = (\S+)")
_BUILD = "# Without CMake: "
_MOST_SECONDS = 300


def build(
    program: Program, backend: str, directory: Path, options: Sequence[str] = (), leave: Sequence[str] = ()
) -> Path:
    """Export `program` and compile it as its CMakeLists.txt says, with `options` and without `leave`; the command. What
    was compiled is kept for other processes."""
    export(program.ir, program.text, backend, directory)
    lines = (directory / "CMakeLists.txt").read_text(encoding="utf-8").splitlines()
    line = next(each for each in lines if each.startswith(_BUILD)).removeprefix(_BUILD)
    command = [*(word for word in shlex.split(line) if word not in leave), *options]
    target = directory / command[command.index("-o") + 1]
    texts = [path.read_bytes() for path in sorted(directory.iterdir()) if path.is_file()]
    key = hashlib.sha256(b"\0".join([*(word.encode() for word in command), *texts])).hexdigest()[:16]
    kept = kept_folder("exported") / f"{target.name}-{key}"
    if kept.exists():
        shutil.copy(kept, target)
        return target
    made = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=_MOST_SECONDS, check=False)
    assert made.returncode == 0, made.stderr
    partial = kept.with_name(f"{kept.name}.{os.getpid()}.{threading.get_ident()}")
    shutil.copy(target, partial)
    os.replace(partial, kept)
    return target


def call(command: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run an exported command."""
    return subprocess.run([command, *words], capture_output=True, text=True, timeout=_MOST_SECONDS, check=False)


def run(
    command: Path, graph: Path, given: Mapping[str, str], tables: Sequence[str] = ("vertices",)
) -> dict[str, np.ndarray]:
    """All results by the names of their columns, as texts."""
    files = {table: command.parent / f"{table}.csv" for table in tables}
    options = [word for table, file in files.items() for word in (f"--{table}", str(file))]
    found = call(command, str(graph), *(f"{name}={value}" for name, value in given.items()), *options)
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    results = {match[1]: np.array([match[2]]) for match in map(_SCALAR.fullmatch, lines) if match}
    for file in files.values():
        with file.open(newline="") as table:
            head, *rows = list(csv.reader(table))
        results |= {name: np.array([row[place + 1] for row in rows]) for place, name in enumerate(head[1:])}
    return results


def agree(found: Mapping[str, np.ndarray], result: Result, tolerance: float = 1e-6) -> None:
    """The same names, and the same values in the same order, of those that every run gives."""
    expected: dict[str, np.ndarray] = {name: np.array([value]) for name, value in result.numbers().items()}
    for name, values in result.host_arrays().items():
        columns = {name: values} if values.ndim == 1 else {f"{name}.{k}": values[:, k] for k in range(values.shape[1])}
        expected |= columns
    assert set(found) == set(expected)
    for name, values in expected.items():
        assert found[name].shape == values.shape
        if not result.unique[name if name in result.unique else name.rpartition(".")[0]]:
            continue
        got = found[name] == "true" if values.dtype == bool else found[name].astype(values.dtype)
        if values.dtype.kind == "f":
            np.testing.assert_allclose(got, values, rtol=tolerance, atol=tolerance, err_msg=name)
        else:
            np.testing.assert_array_equal(got, values, err_msg=name)


def same_table(file: Path, program: Program, result: Result) -> None:
    """What an exported command wrote is what `gdslc run -o` writes, byte for byte."""
    other = file.with_name("other.csv")
    write_result(other, program.ir, result)
    assert file.read_bytes() == other.read_bytes()


def write_graph(
    path: Path, edges: Sequence[tuple[int, int]], vertices: int, *, directed: bool, weighted: bool
) -> Graph:
    """A Matrix Market file of `edges`, with weights if asked for, and the graph that gdsl reads there."""
    field, symmetry = "real" if weighted else "pattern", "general" if directed else "symmetric"
    lines = [
        f"%%MatrixMarket matrix coordinate {field} {symmetry}",
        "% a comment",
        f"{vertices} {vertices} {len(edges)}",
    ]
    for number, (source, destination) in enumerate(edges):
        weight = f" {(number * 7) % 5 + 0.5}" if weighted else ""
        lines.append(f"{source + 1} {destination + 1}{weight}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Graph.read(path)
