"""Results in .npz files that `Program.resume` can go on from in another process.

A file says which run it is from in the comment of its ZIP archive, which NumPy ignores and drops when it writes the
arrays again: digests of the program's text, of the graph and of each array, the types, and the params. The comment
begins with a digest of the rest of it. So values that are from another run, or have been changed since, are not taken
for those of this one, and what is read has the form that was written.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from gdsl.api.compiled import CompiledProgram
from gdsl.api.origin import Origin
from gdsl.api.result import Result
from gdsl.backends.interface import Pair
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.passes.resuming import find
from gdsl.source import Source
from gdsl.uniqueness.order import Obstacle

_FORMAT = b"gdsl result 1 "
_LONGEST = 65_535
"""The most bytes of a comment in a ZIP archive."""


class SavedResult(Result):
    """The arrays of a file and where they are from: all that `Program.resume` needs of a result."""

    def __init__(self, arrays: dict[str, Any], origin: Origin) -> None:
        """No values besides `arrays`."""
        self._arrays, self._scalars, self._origin = arrays, {}, origin


def comment_of(program: CompiledProgram, result: Result, graph: Graph) -> bytes:
    """What a file with `result`, of a run on `graph`, says about that run; nothing where it cannot be gone on from, or
    has too many members of sets."""
    origin = result._origin
    if origin is None or origin.passed or isinstance(find(program.ir, program.text), Obstacle):
        return b""
    saved = {
        "program": _digest_of_text(origin.source),
        "graph": digest_of_graph(graph),
        "types": dict(origin.types),
        "params": {name: _plain(value) for name, value in origin.params.items()},
        "vertices": sorted(origin.vertices),
        "rounded": sorted(origin.rounded),
        "arrays": {name: _digest_of_array(values) for name, values in result.host_arrays().items()},
    }
    text = json.dumps(saved).encode()
    comment = _FORMAT + _digest(text).encode() + b" " + text
    return comment if len(comment) <= _LONGEST else b""


def read_result(path: Path, program: CompiledProgram, graph: Graph) -> SavedResult:
    """The result of a run of `program` on `graph` in a file. Raises GdslError E0430 where the program cannot go on
    from one, E0622 for results of other runs and for files that do not say what run they are from."""
    program._resumed_programs()
    try:
        with zipfile.ZipFile(path) as archive:
            comment = archive.comment
        with np.load(path, allow_pickle=False) as arrays:
            stored = {name: arrays[name] for name in arrays.files}
    except OSError as error:
        _refuse(path, f"the file cannot be read: {error.strerror or error}")
    except GdslError:  # the deadline
        raise
    except Exception:  # of many classes: what `zipfile` does not support, damaged headers, sizes beyond the memory
        _refuse(path, "this is not a whole .npz file")
    if not comment.startswith(_FORMAT):
        note = "gdslc run -o FILE.npz says so for programs that can go on, with inputs from the graph"
        _refuse(path, "the file does not say what run it is from", note)
    digest, _, text = comment.removeprefix(_FORMAT).partition(b" ")
    saved: Any = json.loads(text) if digest == _digest(text).encode() else None
    values = {} if saved is None else {name: stored[name] for name in saved["arrays"] if name in stored}
    if saved is None or saved["arrays"] != {name: _digest_of_array(array) for name, array in values.items()}:
        _refuse(path, "the file has been changed since it was written")
    if saved["program"] != _digest_of_text(program.text):
        _refuse(path, f"it is not from this text of program {program.name}")
    if saved["graph"] != digest_of_graph(graph):
        note = "GRAPH is the graph of that run, and --insert says what was inserted since"
        _refuse(path, "it is from a run on another graph", note)
    params = {name: _members(value, len(graph)) for name, value in saved["params"].items()}
    identity = graph._identity
    vertices, rounded = frozenset(saved["vertices"]), frozenset(saved["rounded"])
    return SavedResult(_paired(values), Origin(program.text, saved["types"], identity, params, vertices, (), rounded))


def digest_of_graph(graph: Graph) -> str:
    """A digest of everything that a run can read of a graph."""
    digest = hashlib.blake2b(digest_size=16)
    csr = graph._csr
    own = [("offsets", csr.offsets), ("columns", csr.columns)]
    for name, values in (*own, *csr.attributes.items(), *csr.vertex_attributes.items()):
        digest.update(f"{name} {values.dtype.str} {len(values)}\0".encode())
        digest.update(np.ascontiguousarray(values).data)
    names = None if csr.names is None else [*csr.names]
    digest.update(f"{csr.directed} {names!r}".encode())
    return digest.hexdigest()


def _digest_of_text(source: Source) -> str:
    texts = (source.text, *sorted(each.text for each in source.imported or ()))
    return _digest("\0".join(texts).encode())


def _digest_of_array(values: NDArray[Any]) -> str:
    return _digest(f"{values.dtype.str} {values.shape}\0".encode(), values.tobytes())


def _digest(*parts: Any) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()


def _plain(value: Any) -> Any:
    """A param as JSON holds it; a set by its members."""
    if isinstance(value, np.ndarray):
        return {"members": np.flatnonzero(value).tolist()}
    return value.item() if isinstance(value, np.generic) else value


def _members(value: Any, vertices: int) -> Any:
    if not isinstance(value, dict):
        return value
    flags: NDArray[np.bool_] = np.zeros(vertices, np.bool_)
    flags[value["members"]] = True
    return flags


def _paired(values: dict[str, Any]) -> dict[str, Any]:
    """The arrays by name, `best.0` and `best.1` as one pair."""
    paired = {name: array for name, array in values.items() if "." not in name}
    for name in {name.rpartition(".")[0] for name in values if "." in name}:
        paired[name] = Pair(values[f"{name}.0"], values[f"{name}.1"])
    return paired


def _refuse(path: Path, message: str, *notes: str) -> NoReturn:
    fix = "leave out --from-result for a full run"
    raise GdslError.single("E0622", f"this result cannot be resumed: {message}", notes=notes, fix=fix, place=str(path))
