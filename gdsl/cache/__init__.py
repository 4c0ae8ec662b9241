"""What was compiled once is kept: programs as the frontend leaves them, and the binaries of the backends.

The directory is `GDSL_CACHE_DIR`, else `gdsl` in the XDG cache directory. An entry is one file, written by rename, with
a checksum over its name and its data behind them: a damaged one, or one that was moved, counts as missing. Entries are
data (`codec`) or binaries; a directory that somebody else could have written to is not used at all (`trust`). No
trouble with the cache ever fails a run: it is said once.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Sequence
from functools import cache as remember
from pathlib import Path

from gdsl import own_files
from gdsl.cache import state
from gdsl.cache.entries import STAGED, Entry, entries_in, mark_used, remove
from gdsl.cache.place import REMEDY, cannot, directory, is_noexec, made, private_file, refused, trouble
from gdsl.cache.trust import read_private
from gdsl.diagnostics import caution

__all__ = [
    "REMEDY",
    "clear",
    "directory",
    "fingerprint",
    "found",
    "get",
    "get_file",
    "holds",
    "nowhere_to_load",
    "program_key",
    "put",
    "put_file",
    "trouble",
    "usage",
]

KeyPart = str | bytes | int | bool | None

_MAGIC = b"gdsl-cache-entry"
_TRAILER = len(_MAGIC) + hashlib.sha256().digest_size
_LARGEST = 1 << 28
"""Bytes of an entry that is read; nothing that gdsl keeps comes near."""
_warned = False


def get(kind: str, key: Sequence[KeyPart]) -> bytes | None:
    """The data kept under `key` among the entries of `kind`; None if there is none that can be trusted."""
    return _read(kind, _name(kind, key, ""))


def put(kind: str, key: Sequence[KeyPart], data: bytes) -> None:
    """Keep `data` under `key`. Never raises: a cache that cannot be written is warned of once."""
    name = _name(kind, key, "")
    staged = _stage(kind, name, data)
    if staged is not None:
        _store(staged, name)


def get_file(kind: str, key: Sequence[KeyPart], suffix: str = ".so") -> Path | None:
    """The entry as a file to load (a shared library with the checksum behind its end); None as in `get`."""
    name = _name(kind, key, suffix)
    return directory() / kind / name if _read(kind, name) is not None else None


def put_file(
    kind: str,
    key: Sequence[KeyPart],
    data: bytes,
    suffix: str = ".so",
    accept: Callable[[Path], bool] = lambda path: True,
) -> Path | None:
    """Keep `data`, once `accept` has taken a file of it, and return the file to use.

    Where the cache cannot be written, or `accept` does not take the file there, that is one in a private temporary
    directory, which the caller may remove; None where neither is taken. Raises OSError where nothing can be written.
    """
    name = _name(kind, key, suffix)
    staged = _stage(kind, name, data)
    if staged is not None and accept(staged):
        return _store(staged, name) or private_file(suffix, data)
    try:
        spare = private_file(suffix, data)
        if accept(spare):
            if staged is not None:  # good, though not to be used from there, as on a file system mounted noexec
                _store(staged, name)
                staged = None
            return spare
        spare.unlink()
        return None
    finally:
        if staged is not None:
            _discard(staged)


def holds(path: Path) -> bool:
    """Whether `path` is an entry, rather than a file that stands in for one."""
    with contextlib.suppress(OSError):
        return path.parent.parent == directory()
    return False


def nowhere_to_load() -> bool:
    """Whether no library can be loaded, neither from the cache nor from the directory for temporary files."""
    with contextlib.suppress(OSError):
        return is_noexec(directory()) and is_noexec(Path(tempfile.gettempdir()))
    return False


def clear() -> int:
    """Remove every entry; returns how many there were."""
    return len(remove(found()))


def usage() -> tuple[int, int]:
    """How many entries there are and how many bytes they take."""
    sizes = [entry.size for entry in found()]
    return len(sizes), sum(sizes)


def found() -> list[Entry]:
    """Every entry; none where there is no cache."""
    with contextlib.suppress(OSError, ValueError):
        return list(entries_in(directory()))
    return []


@remember
def fingerprint() -> str | None:
    """A hash over gdsl's own code, grammar and templates: entries of another state of gdsl are never found. None where
    it cannot be told any more which state this process has loaded; nothing is found or kept then.

    Reading all of it takes longer than reading an entry, so the hash is noted in the cache for as long as the files
    look the same from outside.
    """
    files = state.loaded()
    if files is None:
        return None
    name, looked = f"state-{hashlib.sha256(os.fsencode(own_files.package())).hexdigest()}", state.outside(files)
    noted = (_read("", name) or b"").decode("ascii", "replace").split("\0")
    if noted[0] == looked and len(noted) == 2:
        return noted[1]
    settled, content = state.settled(files), state.content(files)
    if not state.unchanged(files):
        return None
    if settled:
        _note(name, f"{looked}\0{content}".encode())
    return content


def program_key(program: object) -> str:
    """A part of a key that stands for a whole program of the operator IR, places in its text included. Where the
    program has room for it, it is found out once."""
    found: str | None = getattr(program, "digest", None)
    if found is None:
        found = hashlib.sha256(repr(program).encode()).hexdigest()
        if hasattr(type(program), "digest"):
            object.__setattr__(program, "digest", found)
    return found


def _name(kind: str, key: Sequence[KeyPart], suffix: str) -> str:
    digest = hashlib.sha256(f"{fingerprint()} {kind}\0".encode())
    for part in key:
        content = part if isinstance(part, bytes) else repr(part).encode()
        digest.update(f"{type(part).__name__} {len(content)}\0".encode() + content)
    return digest.hexdigest() + suffix


def _trailer(name: str, data: bytes) -> bytes:
    """What stands behind the data of the entry `name`, and of no other."""
    digest = hashlib.sha256(name.encode() + b"\0")
    digest.update(data)
    return _MAGIC + digest.digest()


def _read(kind: str, name: str) -> bytes | None:
    if kind and fingerprint() is None:
        return None
    try:
        place = directory() / kind
        if refused(place) is not None:
            return None
        content = read_private(place / name, _LARGEST, _TRAILER)
    except (OSError, ValueError):
        return None
    if content is None or content[1] != _trailer(name, content[0]):
        return None
    if kind:
        mark_used(place / name)
    return content[0]


def _stage(kind: str, name: str, data: bytes) -> Path | None:
    """The whole entry as a file beside its place; None where gdsl's files are others than those that this process has
    loaded, which may have had a part in it, and, with a warning, where it cannot be written."""
    files = state.loaded()
    if files is None or not state.unchanged(files):
        return None
    try:
        place = directory() / kind
        refusal = made(place.parent) or made(place)
        if refusal is not None:
            _warn(refusal)
            return None
        return _written(place, name, data)
    except (OSError, ValueError) as error:
        _warn(cannot("written", error))
        return None


def _written(place: Path, name: str, data: bytes) -> Path:
    """A new file in `place` that holds the whole entry. Raises OSError."""
    handle, staged = tempfile.mkstemp(prefix=STAGED, dir=place)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data + _trailer(name, data))
    except BaseException:
        _discard(Path(staged))
        raise
    return Path(staged)


def _note(name: str, data: bytes) -> None:
    """Keep something beside the entries, where there is a cache by now; not worth a word where that fails."""
    with contextlib.suppress(OSError, ValueError):
        place = directory()
        if place.is_dir() and refused(place) is None:
            staged = _written(place, name, data)
            try:
                os.replace(staged, place / name)
            except OSError:
                _discard(staged)


def _store(staged: Path, name: str) -> Path | None:
    """Give a staged entry its name; None, and a warning, where that cannot be done."""
    path = staged.with_name(name)
    try:
        os.replace(staged, path)
    except OSError as error:
        _discard(staged)
        _warn(cannot("written", error))
        return None
    from gdsl.cache import limit

    limit.written(path.parents[1], path)
    return path


def _discard(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _warn(text: str) -> None:
    global _warned
    if not _warned:
        _warned = True
        caution(f"{text}; {REMEDY}")
