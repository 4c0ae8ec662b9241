"""SciPy's `.npz` archives: sizes are checked before anything is read, and nothing in one is ever unpickled."""

from __future__ import annotations

import contextlib
import errno
import math
import zipfile
from collections.abc import Iterator
from typing import IO, Any, Literal

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.graph.csr import Csr, undirected_csr
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.file_bytes import file_size, unreadable
from gdsl.graph.group import NotInPartsError
from gdsl.graph.memory import require_memory
from gdsl.graph.messages import in_shell, quiet, with_fix
from gdsl.graph.sparse_matrices import ARRAYS_OF_LAYOUT, Header, edges_of_entries, require_fitting, require_starts
from gdsl.graph.text import printable
from gdsl.graph.vertices import require_countable
from gdsl.records import dataclass

DIRECTED_KEY = "gdsl_directed"
"""The part that gdsl adds to its own `.npz` files; SciPy ignores it."""

_LARGEST_DEFLATE_RATIO = 1100
_LARGEST_HEADER = 16_384
_LARGEST_SCALAR = 4096
_ENCRYPTED = 0x1
_PIECE = 1 << 17
"""Elements, or bytes, of an array that are read at a time."""


@dataclass(frozen=True, slots=True)
class SavedMatrix:
    """The contents of an archive, unchecked: a layout of `ARRAYS_OF_LAYOUT`, (rows, columns), and the arrays."""

    layout: str
    shape: tuple[int, int]
    arrays: dict[str, NDArray[Any]]
    directed: bool


def read_npz(path: str) -> EdgeList | Csr:
    """The edges of a matrix saved by `scipy.sparse.save_npz`; the CSR, if gdsl saved it as an undirected one.

    Raises GdslError E07xx.
    """
    saved = read_archive(path)
    edges = edges_of_entries(saved.layout, saved.shape, saved.arrays)
    if saved.directed:
        return edges
    fix = "the file says that it is undirected: without its part `gdsl_directed` it is directed"
    return undirected_csr(edges, "the matrix", fix)


def read_archive(path: str) -> SavedMatrix:
    """The matrix that `scipy.sparse.save_npz` wrote to `path`. Raises GdslError E07xx with the file."""
    with open_parts(path) as parts:
        matrix = matrix_of(parts)
        arrays = {}
        if "indptr" in matrix.headers:
            arrays["indptr"] = parts.array("indptr")
            require_starts(arrays["indptr"], matrix.headers["indices"].shape[0])
        arrays.update((name, parts.array(name)) for name in matrix.headers if name not in arrays)
        if "coords" in arrays:
            arrays["row"], arrays["col"] = arrays.pop("coords")
        return SavedMatrix(matrix.layout, (matrix.size, matrix.size), arrays, matrix.directed)


@contextlib.contextmanager
def open_parts(path: str) -> Iterator[Parts]:
    """The parts of the archive at `path`. Raises GdslError E07xx with the file, also for what the block raises."""
    size = file_size(path)
    try:
        with zipfile.ZipFile(path) as archive:
            yield Parts(archive, path, size)
    except (GdslError, MemoryError, NotInPartsError):
        raise
    except (zipfile.BadZipFile, EOFError, OSError) as error:
        # A damaged table of contents makes zipfile seek outside the file.
        if isinstance(error, OSError) and error.errno != errno.EINVAL:
            raise unreadable(path, error) from None
        message = "the .npz file is damaged or cut off"
        raise GdslError.single("E0710", message, notes=(printable(str(error)),), place=path) from None
    except Exception as error:  # NumPy and zipfile raise any exception for damaged bytes.
        message = "this is not a sparse matrix of SciPy (scipy.sparse.save_npz)"
        note = f"{type(error).__name__}: {printable(str(error))}"
        raise GdslError.single("E0710", message, notes=(note,), place=path) from None


@dataclass(frozen=True, slots=True)
class Matrix:
    """What an archive says about its matrix, before any large array is read: `size` rows and columns, and the shapes
    and types of the arrays, which fit together."""

    layout: str
    size: int
    headers: dict[str, ArrayHeader]
    directed: bool


def matrix_of(parts: Parts, workers: int = 1) -> Matrix:
    """The matrix in an archive, of which each of `workers` reads an equal part. Raises E07xx."""
    word = parts.scalar("format", "SU")
    layout = word.decode("ascii", "replace") if isinstance(word, bytes) else str(word)
    if layout not in ARRAYS_OF_LAYOUT:
        raise parts.error("E0710", f"the layout `{printable(layout)}` is not one of {', '.join(ARRAYS_OF_LAYOUT)}")
    directed = bool(parts.scalar(DIRECTED_KEY, "b")) if DIRECTED_KEY in parts else True
    names = ARRAYS_OF_LAYOUT[layout]
    if layout == "coo" and "row" not in parts and "coords" in parts:
        names = ("data", "coords")
    size = parts.size()
    headers = {name: parts.header(name) for name in names}
    total = sum(result.nbytes for result in headers.values())
    require_memory(total * 3 // workers, "the sparse matrix", parts.path)
    # All lengths are compared, and the smaller lists read, before any of the larger ones is unpacked.
    require_fitting(
        layout, size, {name: header for each, result in headers.items() for name, header in _of(each, result)}
    )
    require_memory((total * 3 + 24 * (size + 1)) // workers, "the sparse matrix", parts.path)
    return Matrix(layout, size, headers, directed)


def _of(name: str, result: ArrayHeader) -> Iterator[tuple[str, Header]]:
    """Shape and type of an array, or of the two that `coords` replaces. Raises E0704."""
    if name != "coords":
        yield name, (result.shape, result.dtype)
        return
    if len(result.shape) != 2 or result.shape[0] != 2:
        raise GdslError.single("E0704", f"`coords` has the shape {result.shape}; a graph's matrix is square")
    for each in ("row", "col"):
        yield each, (result.shape[1:], result.dtype)


@dataclass(frozen=True, slots=True)
class ArrayHeader:
    """Shape, order, type and size in bytes of an array."""

    shape: tuple[int, ...]
    order: Literal["C", "F"]
    dtype: np.dtype[Any]
    nbytes: int


class Parts:
    """The arrays in an archive, each read at most once and only after its size was found to be possible."""

    def __init__(self, archive: zipfile.ZipFile, path: str, size: int) -> None:
        self._archive, self.path, self._size = archive, path, size
        self._members = {member.filename: member for member in archive.infolist()}
        if len(self._members) != len(archive.infolist()):
            raise self.error("E0710", "two parts of the archive have the same name")

    def __contains__(self, name: str) -> bool:
        return f"{name}.npy" in self._members

    def error(self, code: str, message: str) -> GdslError:
        """A GdslError about the file."""
        return GdslError.single(code, message, place=self.path)

    def size(self) -> int:
        """The number of rows, which equals that of columns. Raises E0704 or E0709."""
        result = self.header("shape")
        if result.shape != (2,):
            raise self.error("E0704", f"`shape` has the shape {result.shape}; a graph's matrix has two sizes")
        if result.dtype.kind not in "iu":
            raise self.error("E0704", f"`shape` has the type {result.dtype}; sizes are integers")
        rows, columns = (int(each) for each in self.array("shape"))
        if rows < 0 or columns < 0:
            raise self.error("E0704", f"`shape` is {rows}, {columns}; a graph's matrix has two sizes")
        if rows != columns:
            raise self.error("E0704", f"the matrix is {rows:,} × {columns:,}; a graph's matrix is square")
        require_countable(rows, self.path)
        return rows

    def header(self, name: str) -> ArrayHeader:
        """The header of an array."""
        with self._open(name) as stream:
            return self._header(name, stream)

    def slice(self, name: str, first: int, last: int) -> NDArray[Any]:
        """The elements `first` to `last` of an array of one dimension, which is read up to there. Raises EOFError if it
        ends before; only the end of an array, where it is read, shows whether the file is damaged."""
        with self._open(name) as stream:
            header = self._header(name, stream)
            self._skip(stream, first * header.dtype.itemsize)
            content = stream.read((last - first) * header.dtype.itemsize)
        if len(content) < (last - first) * header.dtype.itemsize:
            raise EOFError(f"{name} ends early")
        return np.frombuffer(content, header.dtype)

    def pieces(self, name: str) -> Iterator[NDArray[Any]]:
        """All elements of an array in one dimension, some at a time. Raises EOFError if it ends early."""
        with self._open(name) as stream:
            header = self._header(name, stream)
            left = math.prod(header.shape)
            while left:
                count = min(left, _PIECE)
                content = stream.read(count * header.dtype.itemsize)
                if len(content) < count * header.dtype.itemsize:
                    raise EOFError(f"{name} ends early")
                yield np.frombuffer(content, header.dtype)
                left -= count

    @staticmethod
    def _skip(stream: IO[bytes], count: int) -> None:
        while count:
            count -= len(stream.read(min(count, _PIECE))) or count

    def array(self, name: str) -> NDArray[Any]:
        """A whole array, in its shape and dtype. Raises EOFError if it ends early."""
        with self._open(name) as stream:
            header = self._header(name, stream)
            content = stream.read(header.nbytes)
        if len(content) < header.nbytes:
            raise EOFError(f"{name} ends early")
        result: NDArray[Any] = np.ndarray(header.shape, header.dtype, content, order=header.order)
        return result

    def scalar(self, name: str, kinds: str) -> Any:
        """The one value of a small array whose type is one of `kinds`."""
        with self._open(name) as stream:
            if self._header(name, stream).nbytes > _LARGEST_SCALAR:
                raise self.error("E0710", f"`{name}` is not one value")
        value = self.array(name)
        if value.size != 1 or value.dtype.kind not in kinds:
            raise self.error("E0710", f"`{name}` is not one value of the right type")
        return value.reshape(-1)[0]

    def _other_arrays(self) -> str:
        """How to make a graph of an archive of other arrays."""
        arrays = [name.removesuffix(".npy") for name in self._members if name.endswith(".npy")]
        if not arrays:
            return f"it is an archive of other files: unpack it by unzip {in_shell(self.path)}"
        first = printable(arrays[0])
        return (
            f"if it has an array of pairs: gdsl.Graph.from_edges(*numpy.load({self.path!r})[{first!r}].T); "
            "if it has the parts of a matrix: gdsl.Graph.from_scipy(scipy.sparse.csr_array((data, indices, indptr)))"
        )

    def _open(self, name: str) -> IO[bytes]:
        member = self._members.get(f"{name}.npy")
        if member is None:
            message = f"this is not a sparse matrix of SciPy (scipy.sparse.save_npz): it has no part `{name}`"
            raise with_fix(self.error("E0710", message), self._other_arrays())
        if member.flag_bits & _ENCRYPTED or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self.error("E0710", f"`{name}` is encrypted, or compressed in a way that NumPy does not write")
        if member.file_size > self._size * _LARGEST_DEFLATE_RATIO:
            raise self._impossible(name, member.file_size)
        return self._archive.open(member)

    def _header(self, name: str, stream: IO[bytes]) -> ArrayHeader:
        """The header of the array in `stream`, whose part of the archive must hold all of it."""
        major, _ = npy.read_magic(stream)
        read_header = npy.read_array_header_1_0 if major == 1 else npy.read_array_header_2_0
        with quiet():  # NumPy warns of valid headers that Python 2 wrote
            shape, in_columns, dtype = read_header(stream, max_header_size=_LARGEST_HEADER)
        if dtype.hasobject:
            raise self.error("E0710", f"`{name}` holds Python objects, which are never loaded")
        lengths = [int(length) for length in shape]
        if any(length < 0 for length in lengths):
            raise self.error("E0710", f"`{name}` has a negative length")
        claimed = dtype.itemsize * math.prod(lengths)
        num_bytes = self._members[f"{name}.npy"].file_size - stream.tell()
        if claimed > num_bytes:
            raise self._impossible(name, claimed)
        if claimed < num_bytes:
            raise self.error("E0710", f"`{name}` claims {claimed:,} bytes, and the file holds {num_bytes:,}")
        return ArrayHeader(tuple(lengths), "F" if in_columns else "C", dtype, claimed)

    def _impossible(self, name: str, claimed: int) -> GdslError:
        return self.error("E0706", f"its part `{name}` claims {claimed:,} bytes, more than the file can hold")
