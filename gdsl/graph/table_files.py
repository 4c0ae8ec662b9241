"""Parquet and Arrow files, read and written; sizes are checked before pyarrow allocates anything."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

from numpy.typing import NDArray

from gdsl.diagnostics import GdslError
from gdsl.extras import first_line, required
from gdsl.graph.arrow_sizes import MAGIC, decompressed_size
from gdsl.graph.column_names import ENDS, UNDIRECTED_ENDS, Columns
from gdsl.graph.edge_list import EdgeList
from gdsl.graph.file_bytes import file_size, unreadable
from gdsl.graph.group import Group, NotInPartsError
from gdsl.graph.list_meaning import notice_keys
from gdsl.graph.memory import require_memory
from gdsl.graph.numbering import NumberedNames
from gdsl.graph.table_columns import EXTRA
from gdsl.graph.tables import edges_of_part
from gdsl.graph.vertices import LARGEST_NUM_VERTICES, Names, id_dtype

_BATCH, _BUFFER = 1 << 16, 1 << 20
"""Rows and bytes that are read at a time."""
_FILE_KINDS = {"parquet": "a Parquet file", "arrow": "an Arrow file"}
"""The formats, and their names in messages."""
_WITH_ITS_KEYS = "read it with pyarrow and its keys, and give the table to gdsl.Graph.from_table"

_METADATA_KEY = b"gdsl"
"""The key of metadata in tables that gdsl writes: the number of vertices, and whether numbers are names."""


def read_table_file(
    path: str,
    kind: str,
    columns: Columns,
    one_based: bool,
    num_vertices: int | None,
    compact: bool,
    directed: bool | None,
    group: Group,
) -> tuple[EdgeList, Names | NumberedNames | None]:
    """The edges in the rows that this worker of a group reads, in the order of the file, and the names of vertices; the
    arguments are those of `Graph.read`.

    Raises GdslError E0710 for a damaged file, E0711 for columns that are not edges, E0907 without pyarrow;
    NotInPartsError for a stream of Arrow, on all workers.
    """
    with group.agreement():
        file_size(path)
        required("pyarrow", EXTRA, _FILE_KINDS[kind])
    rows = _rows_of_batches(path, group) if kind == "arrow" and not group.alone else []
    with group.agreement():
        table = _table(path, kind, rows, group)
    metadata = _metadata_of(table.schema.metadata)
    if num_vertices is None and not metadata.get("named"):
        num_vertices = metadata.get("num_vertices")
    compact = compact or bool(metadata.get("named"))
    edges, names = edges_of_part(table, columns, directed, num_vertices, compact, one_based, group)
    if not group.alone:
        del table
        _release_memory(edges)
    if names is None and num_vertices is None:
        notice_keys(path, edges.num_vertices, group.sum(len(edges.sources)))
    return edges, names


def _release_memory(edges: EdgeList) -> None:
    """Narrow the ids, and return to the system the memory that pyarrow keeps for further tables."""
    import pyarrow

    dtype = id_dtype(edges.num_vertices)
    edges.sources, edges.destinations = edges.sources.astype(dtype), edges.destinations.astype(dtype)
    pyarrow.default_memory_pool().release_unused()


def _table(path: str, kind: str, rows: list[int], group: Group) -> Any:
    """The rows of the table that a worker of a group reads; `rows` has the rows of each batch of an Arrow file."""
    with _reporting(path, kind):
        if group.alone:
            table = _of_parquet(path) if kind == "parquet" else _of_arrow(path)
        else:
            table = _part_of_parquet(path, group) if kind == "parquet" else _part_of_arrow(path, rows, group)
        table.validate(full=True)  # a damaged file may give any place for its values
        return _require_texts(table, path)


@contextlib.contextmanager
def _reporting(path: str, kind: str) -> Iterator[None]:
    """Raise gdsl's errors for those of pyarrow."""
    import pyarrow

    try:
        yield
    except pyarrow.ArrowMemoryError:
        raise MemoryError from None
    except (pyarrow.ArrowException, OSError, ValueError, KeyError, NotImplementedError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise unreadable(path, error) from None
        if "decrypt" in str(error):
            message = f"this is {_FILE_KINDS[kind]} that is encrypted"
            raise GdslError.single("E0710", message, fix=_WITH_ITS_KEYS, place=path) from None
        raise GdslError.single(
            "E0710", f"this is not {_FILE_KINDS[kind]} that can be read: {first_line(error)}", place=path
        ) from None


def _of_parquet(path: str) -> Any:
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        metadata = file.metadata
        unpacked = _unpacked_size(file, range(metadata.num_row_groups))
        require_memory(2 * (unpacked + 8 * metadata.num_rows * metadata.num_columns), "the table", path)
        texts = _columns_of_texts(file.schema)
    with parquet.ParquetFile(path, read_dictionary=texts) as file:
        return file.read()


def _unpacked_size(file: Any, groups: Iterable[int]) -> int:
    """Bytes that these row groups may take in memory: a repeated value takes no room in the file.

    A column's part of a row group is asked for only if it may have more than a value in each row, and after a row was
    read: pyarrow ends the process when the description of such a part is damaged or encrypted."""
    metadata = file.metadata
    columns = [file.schema.column(place) for place in range(metadata.num_columns)]
    lists = [place for place, column in enumerate(columns) if column.max_repetition_level > 0]
    unpacked = 0
    for place in groups:
        group = metadata.row_group(place)
        unpacked += max(group.total_byte_size, 0) + 8 * max(group.num_rows, 0) * (len(columns) - len(lists))
        if lists:
            paths = [columns[column].path for column in lists]
            next(file.iter_batches(1, row_groups=[place], columns=paths, use_threads=False), None)
            unpacked += 8 * sum(max(group.column(column).num_values, 0) for column in lists)
    return unpacked


def _columns_of_texts(schema: Any) -> list[str]:
    columns = (schema.column(place) for place in range(len(schema.names)))
    return [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]


def _part_of_parquet(path: str, group: Group) -> Any:
    """An equal part of the rows, whatever the row groups: those before and after it are skipped in small batches."""
    import pyarrow
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        metadata = file.metadata
        first, last = group.part(metadata.num_rows)
        starts = [0]
        for place in range(metadata.num_row_groups):
            starts.append(starts[-1] + metadata.row_group(place).num_rows)
        groups = [place for place in range(len(starts) - 1) if starts[place] < last and starts[place + 1] > first]
        rows = sum(starts[place + 1] - starts[place] for place in groups)
        unpacked = _unpacked_size(file, groups) * (last - first) // max(rows, 1)
        require_memory(2 * (unpacked + 8 * (last - first) * metadata.num_columns), "the table", path)
        texts = _columns_of_texts(file.schema)
    # Without a prefetch of whole columns, a buffered stream holds a few pages of each.
    with parquet.ParquetFile(path, read_dictionary=texts, buffer_size=_BUFFER, pre_buffer=False) as file:
        at, batches = starts[groups[0]] if groups else 0, []
        for batch in file.iter_batches(_BATCH, row_groups=groups):
            begin, end = max(first - at, 0), min(last - at, batch.num_rows)
            if begin < end:
                batches.append(batch.slice(begin, end - begin))
            at += batch.num_rows
            if at >= last:
                break
        return pyarrow.Table.from_batches(batches, file.schema_arrow)


def _rows_of_batches(path: str, group: Group) -> list[int]:
    """The rows of each batch of an Arrow file, of which each worker examines a part. Raises NotInPartsError for a
    stream, E0708 for a batch that does not fit in memory."""
    import pyarrow

    rows: list[int] = []
    with group.agreement(), _reporting(path, "arrow"), open(path, "rb") as source:
        if source.read(len(MAGIC)) != MAGIC:
            raise NotInPartsError("streams of Arrow")
        size = file_size(path) // group.size + decompressed_size(source, True, group)
        require_memory(2 * size, "the table", path)
        source.seek(0)
        with pyarrow.ipc.open_file(source) as reader:
            for place in range(*group.part(reader.num_record_batches)):
                rows.append(reader.get_batch(place).num_rows)
    return [each for part in group.gather(rows) for each in part]


def _part_of_arrow(path: str, rows: list[int], group: Group) -> Any:
    """An equal part of the rows. What is not compressed is mapped, not read."""
    import pyarrow

    first, last = group.part(sum(rows))
    with pyarrow.memory_map(path) as source, pyarrow.ipc.open_file(source) as reader:
        at, batches = 0, []
        for place, count in enumerate(rows):
            begin, end = max(first - at, 0), min(last - at, count)
            if begin < end:
                batches.append(reader.get_batch(place).slice(begin, end - begin))
                require_memory(2 * sum(batch.nbytes for batch in batches), "the table", path)
            at += count
        return pyarrow.Table.from_batches(batches, reader.schema)


def _require_texts(table: Any, path: str) -> Any:
    """`table` with the texts of its columns instead of dictionary indices, if they fit in memory."""
    import pyarrow

    for place, field in enumerate(table.schema):
        if not pyarrow.types.is_dictionary(field.type):
            continue
        kind = field.type.value_type
        if not (pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)):
            continue
        chunks = table.column(place).chunks
        require_memory(2 * sum(map(_length_of_texts, chunks)), "the table", path)
        plain = [chunk.dictionary_decode() for chunk in chunks]
        table = table.set_column(place, field.with_type(kind), pyarrow.chunked_array(plain, kind))
    return table


def _length_of_texts(chunk: Any) -> int:
    """Bytes of the texts that a dictionary array refers to."""
    from pyarrow import compute

    lengths = compute.binary_length(chunk.dictionary)
    return int(compute.sum(compute.cast(lengths.take(chunk.indices), "int64")).as_py() or 0)


def _of_arrow(path: str) -> Any:
    """The table in a file, or in a stream, which some programs write under the same suffix."""
    import pyarrow

    with open(path, "rb") as source:
        is_file = source.read(len(MAGIC)) == MAGIC
        size = file_size(path) + decompressed_size(source, is_file)
        require_memory(2 * size, "the table", path)
        source.seek(0)
        with pyarrow.ipc.open_file(source) if is_file else pyarrow.ipc.open_stream(source) as reader:
            batches = []
            for batch in map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader:
                batches.append(batch)
                # Batches may refer to the same part of the file.
                require_memory(2 * batch.nbytes, "the table", path)
            return pyarrow.Table.from_batches(batches, reader.schema)


def _metadata_of(metadata: Any) -> dict[str, Any]:
    """The metadata that gdsl wrote; empty for other tables."""
    try:
        content = json.loads((metadata or {}).get(_METADATA_KEY, b"{}"))
        count = content.get("num_vertices")
    except (ValueError, AttributeError, RecursionError):
        return {}
    if count is not None and not (type(count) is int and 0 <= count <= LARGEST_NUM_VERTICES):
        return {}
    return {"num_vertices": count, "named": content.get("named") is True}


def write_table_file(stream: IO[bytes], kind: str, edges: EdgeList) -> None:
    """A table with a row for each of `edges`, undirected ones once, and all their attributes. Raises E0907."""
    pyarrow = required("pyarrow", EXTRA, _FILE_KINDS[kind])
    ends = ENDS[0] if edges.directed else UNDIRECTED_ENDS
    pairs = zip(ends, (edges.sources, edges.destinations), strict=True)
    columns = {name: _names_column(ids, edges.names, pyarrow) for name, ids in pairs}
    columns.update((name, pyarrow.array(values)) for name, values in edges.attributes.items())
    named = edges.names is not None and columns[ends[0]].type != pyarrow.string()
    metadata: dict[str, Any] = {"named": True} if named else {}
    if edges.names is None:  # otherwise only vertices with an edge exist
        metadata["num_vertices"] = edges.num_vertices
    table = pyarrow.table(columns).replace_schema_metadata({_METADATA_KEY: json.dumps(metadata).encode()})
    write_table(stream, kind, table)


def write_table(stream: IO[bytes], kind: str, table: Any) -> None:
    """Write a table of Arrow. Raises E0907."""
    if kind == "parquet":
        required("pyarrow.parquet", EXTRA, _FILE_KINDS[kind]).write_table(table, stream)
        return
    pyarrow = required("pyarrow", EXTRA, _FILE_KINDS[kind])
    with pyarrow.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table)


def _names_column(ids: NDArray[Any], names: Names | None, pyarrow: Any) -> Any:
    if names is None:
        return pyarrow.array(ids)
    whole = all(type(name) is int and -(2**63) <= name < 2**63 for name in names)
    texts = pyarrow.array(list(names), pyarrow.int64()) if whole else pyarrow.array([str(name) for name in names])
    return texts.cast(pyarrow.int64() if whole else pyarrow.string()).take(pyarrow.array(ids))


def refuse_names_of_ends(directed: bool, names: Iterable[str], path: str) -> None:
    """Raise E0715 for an attribute whose name is that of an end in such a table."""
    conflict = next((name for name in names if name in (ENDS[0] if directed else UNDIRECTED_ENDS)), None)
    if conflict is not None:
        message = f"the columns `{conflict}` are two: an end of the edges, and an attribute"
        raise GdslError.single("E0715", message, fix="give the attribute another name", place=path)
