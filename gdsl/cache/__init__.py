"""Keeps what was compiled: checked programs, and the binaries of the backends.

The cache is the directory `GDSL_CACHE_DIR`, else `gdsl` in the XDG cache directory. An entry is one file. Its name is a
hash of its key and of gdsl's own code, and its content ends with a checksum over name and content, so a damaged entry
counts as missing. Entries are pickles and libraries, which are loaded without further checks: a directory that anybody
but the user could write to is not used at all (`gdsl.cache.location`). A cache that cannot be used never fails a run;
one warning says why.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import stat
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from gdsl.cache.code_fingerprint import fingerprint
from gdsl.cache.entries import STAGED, Entry, entries_in, mark_used, remove
from gdsl.cache.location import (
    LIBRARY,
    REMEDY,
    create,
    directory,
    is_noexec,
    is_private,
    private_library,
    problem,
    refusal,
    unusable,
)
from gdsl.diagnostics import caution

__all__ = [
    "REMEDY",
    "can_load_libraries",
    "clear",
    "contains",
    "directory",
    "list_entries",
    "lock",
    "fingerprint",
    "get",
    "get_file",
    "load",
    "load_program",
    "problem",
    "program_key",
    "put",
    "put_file",
    "store",
    "store_program",
    "usage",
]

KeyPart = str | bytes | int | bool | None

_MAGIC = b"gdsl-cache-entry"
_TRAILER = len(_MAGIC) + hashlib.sha256().digest_size
_warned = False


def load(kind: str, key: Sequence[KeyPart]) -> object:
    """The object stored under `key`; None if there is none."""
    data = get(kind, key)
    if data is None:
        return None
    try:
        return pickle.loads(data)
    except Exception:  # written by other code under the same fingerprint
        return None


def store(kind: str, key: Sequence[KeyPart], value: object) -> None:
    """Store an object of gdsl's own classes under `key`. Never raises; what is nested too deeply is not stored."""
    with contextlib.suppress(RecursionError):
        put(kind, key, pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))


def load_program(key: Sequence[KeyPart]) -> object:
    """The program of the IR that was stored under `key`; None if there is none."""
    entry = load("front", key)
    if not isinstance(entry, tuple):
        return None
    digest, program = entry
    object.__setattr__(program, "digest", digest)
    return program


def store_program(key: Sequence[KeyPart], program: object) -> None:
    """Store a program of the IR with its `program_key`, which takes longer to compute than a program to load."""
    store("front", key, (program_key(program), program))


def get(kind: str, key: Sequence[KeyPart]) -> bytes | None:
    """The data stored under `key` among the entries of `kind`; None if there is none."""
    return _read(kind, _name(kind, key, ""))


def put(kind: str, key: Sequence[KeyPart], data: bytes) -> None:
    """Store `data` under `key`. Never raises: a cache that cannot be written causes one warning."""
    name = _name(kind, key, "")
    staged = _stage(kind, name, data)
    if staged is not None:
        _publish(staged, name)


def get_file(kind: str, key: Sequence[KeyPart]) -> Path | None:
    """The entry as a file to load (a shared library, followed by the checksum); None as in `get`."""
    name = _name(kind, key, LIBRARY)
    return directory() / kind / name if _read(kind, name) is not None else None


def put_file(
    kind: str, key: Sequence[KeyPart], data: bytes, accept: Callable[[Path], bool] = lambda path: True
) -> Path | None:
    """Store `data`, provided that `accept` takes a file of it, and return the file to use.

    Where the cache cannot be written, or `accept` refuses the file there, that is one in a private temporary directory,
    which the caller may remove; None where both are refused. Raises OSError where nothing can be written.
    """
    name = _name(kind, key, LIBRARY)
    staged = _stage(kind, name, data)
    if staged is not None and accept(staged):
        return _publish(staged, name) or private_library(data)
    try:
        copy = private_library(data)
        if accept(copy):
            if staged is not None:  # a good file in a place to load nothing from, such as a file system mounted noexec
                _publish(staged, name)
                staged = None
            return copy
        copy.unlink()
        return None
    finally:
        if staged is not None:
            _discard(staged)


def lock(kind: str, key: Sequence[KeyPart]) -> contextlib.AbstractContextManager[None]:
    """Make the entry under `key` alone, while other threads and processes that want to make it wait: who does looks for
    it once more inside. Never raises; where there is no cache nobody waits."""
    from gdsl.cache.locks import lock

    with contextlib.suppress(OSError, ValueError):
        place = directory() / kind
        if not (create(place.parent) or create(place)):
            return lock(place / f"{STAGED}{_name(kind, key, '')}")
    return contextlib.nullcontext()


def contains(path: Path) -> bool:
    """Whether `path` is an entry, rather than a temporary file in place of one."""
    with contextlib.suppress(OSError):
        return path.parent.parent == directory()
    return False


def can_load_libraries() -> bool:
    """Whether libraries can be loaded from the cache or from the directory for temporary files."""
    with contextlib.suppress(OSError):
        return not (is_noexec(directory()) and is_noexec(Path(tempfile.gettempdir())))
    return True


def clear() -> int:
    """Remove every entry; returns how many there were."""
    return len(remove(list_entries()))


def usage() -> tuple[int, int]:
    """How many entries there are and how many bytes they take."""
    sizes = [entry.size for entry in list_entries()]
    return len(sizes), sum(sizes)


def list_entries() -> list[Entry]:
    """Every entry; empty if there is no cache."""
    with contextlib.suppress(OSError, ValueError):
        return list(entries_in(directory()))
    return []


def program_key(program: object) -> str:
    """A part of a key that identifies a program of the operator IR, including the places in its text. It is computed
    once for programs with an attribute `digest`."""
    known: str | None = getattr(program, "digest", None)
    if known is None:
        known = hashlib.sha256(repr(program).encode()).hexdigest()
        if hasattr(type(program), "digest"):
            object.__setattr__(program, "digest", known)
    return known


def _name(kind: str, key: Sequence[KeyPart], suffix: str) -> str:
    digest = hashlib.sha256(f"{fingerprint()} {kind}\0".encode())
    for part in key:
        content = part if isinstance(part, bytes) else repr(part).encode()
        digest.update(f"{type(part).__name__} {len(content)}\0".encode() + content)
    return digest.hexdigest() + suffix


def _trailer(name: str, data: bytes) -> bytes:
    """The end of the entry `name`, and of no other."""
    digest = hashlib.sha256(name.encode() + b"\0")
    digest.update(data)
    return _MAGIC + digest.digest()


def _read(kind: str, name: str) -> bytes | None:
    try:
        place = directory() / kind
        if refusal(place) is not None:
            return None
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe is not waited for
        with open(os.open(place / name, flags), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or not is_private(status):
                return None
            content = file.read()
    except (OSError, ValueError):
        return None
    data = content[:-_TRAILER]
    if content[-_TRAILER:] != _trailer(name, data):
        return None
    mark_used(place / name)
    return data


def _stage(kind: str, name: str, data: bytes) -> Path | None:
    """The whole entry as a temporary file in its directory; None, and a warning, where it cannot be written."""
    try:
        place = directory() / kind
        reason = create(place.parent) or create(place)
        if reason is not None:
            _warn(reason)
            return None
        handle, staged = tempfile.mkstemp(prefix=STAGED, dir=place)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.write(_trailer(name, data))
        except BaseException:
            _discard(Path(staged))
            raise
        return Path(staged)
    except (OSError, ValueError) as error:
        _warn(unusable("written", error))
        return None


def _publish(staged: Path, name: str) -> Path | None:
    """Give a staged entry its name; None, and a warning, where that fails."""
    path = staged.with_name(name)
    try:
        os.replace(staged, path)
    except OSError as error:
        _discard(staged)
        _warn(unusable("written", error))
        return None
    from gdsl.cache import limit

    limit.record_write(path.parents[1], path)
    return path


def _discard(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _warn(text: str) -> None:
    global _warned
    if not _warned:
        _warned = True
        caution(f"{text}; {REMEDY}")
