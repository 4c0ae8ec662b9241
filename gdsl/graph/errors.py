"""The messages of everything that has to do with graphs (E07xx)."""

from __future__ import annotations

from dataclasses import replace

from gdsl.byte_counts import readable_bytes
from gdsl.diagnostics import GdslError


def bad_id(value: int, where: str, num_vertices: int | None, place: str | None = None) -> GdslError:
    """E0707: a vertex id in an array that is no vertex."""
    if num_vertices is None:
        return GdslError.single("E0707", f"{where} is {value}, which is no vertex id: ids count from 0", place=place)
    message = f"{where} is {value}, but there are {num_vertices:,} vertices"
    ids = f"ids count from 0: 0 … {num_vertices - 1:,}" if num_vertices else "so no edge can have an end"
    fix = "ids that count from 1 need 1 subtracted" if value == num_vertices and num_vertices else None
    return GdslError.single("E0707", message, notes=(ids,), fix=fix, place=place)


def bad_array(message: str, fix: str) -> GdslError:
    """E0711: an array of the caller that cannot be used."""
    return GdslError.single("E0711", message, fix=fix)


def too_large(message: str, place: str | None = None) -> GdslError:
    """E0709: a graph beyond what ids and degrees can count."""
    return GdslError.single("E0709", f"the graph is too large: {message}", place=place)


def no_memory(what: str, needed: int, available: int, place: str | None = None) -> GdslError:
    """E0708: more memory is needed than there is."""
    amounts = f"{readable_bytes(needed)} of memory, and {readable_bytes(available)} are available"
    return GdslError.single("E0708", f"{what} needs {amounts}", place=place)


def with_fix(error: GdslError, fix: str) -> GdslError:
    """`error` with `fix` as the fix of its first diagnostic."""
    first, *others = error.diagnostics
    return GdslError((replace(first, fix=fix), *others), error.source)


def refused_file(path: str, message: str, fix: str) -> GdslError:
    """E0705: a file that describes what is no graph here."""
    return GdslError.single("E0705", message, fix=fix, place=path)
