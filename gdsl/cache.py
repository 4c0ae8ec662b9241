"""What was compiled once is kept: programs as the frontend leaves them, and the binaries of the backends.

The directory is `GDSL_CACHE_DIR`, else `gdsl` in the XDG cache directory. An entry is one file, written by rename, with
a checksum behind its data: a damaged one counts as missing. Entries are unpickled and executed, so a directory that
somebody else could have written to is not used at all. No trouble with the cache ever fails a run: it is said once.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
import warnings
from collections.abc import Sequence
from functools import cache as remember
from pathlib import Path

from gdsl.version import __version__

KeyPart = str | bytes | int | bool | None

_MAGIC = b"gdsl-cache-entry"
_TRAILER = len(_MAGIC) + hashlib.sha256().digest_size
_warned = False


def directory() -> Path:
    """The cache directory, whether or not it exists."""
    own = os.environ.get("GDSL_CACHE_DIR")
    if own:
        return Path(own).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return Path(base) / "gdsl"
    try:
        return Path.home() / ".cache" / "gdsl"
    except RuntimeError:  # a user without a home, as in some containers
        return Path(tempfile.gettempdir()) / f"gdsl-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"


def trouble() -> str | None:
    """Why the cache cannot be used as it is, in one sentence; None where it can be read and written."""
    place = directory()
    try:
        _make(place)
    except OSError as error:
        return f"the cache {place} cannot be used: {error.strerror or error}"
    refusal = _refusal(place)
    if refusal is None and not os.access(place, os.W_OK | os.X_OK):
        return f"the cache {place} cannot be written"
    return refusal


def get(kind: str, key: Sequence[KeyPart]) -> bytes | None:
    """The data kept under `key` among the entries of `kind`; None if there is none that can be trusted."""
    return _read(_path(kind, key, ""))


def put(kind: str, key: Sequence[KeyPart], data: bytes) -> None:
    """Keep `data` under `key`. Never raises: a cache that cannot be written is warned of once."""
    _write(_path(kind, key, ""), data)


def get_file(kind: str, key: Sequence[KeyPart], suffix: str = ".so") -> Path | None:
    """The entry as a file to load (a shared library with the checksum behind its end); None as in `get`."""
    path = _path(kind, key, suffix)
    return path if _read(path) is not None else None


def put_file(kind: str, key: Sequence[KeyPart], data: bytes, suffix: str = ".so") -> Path:
    """Keep `data` and return the file; where the cache cannot be written, one in a private temporary directory."""
    path = _path(kind, key, suffix)
    if _write(path, data):
        return path
    spare = _temporary_directory() / path.name
    spare.write_bytes(data)
    return spare


def clear() -> int:
    """Remove every entry; returns how many there were."""
    entries = [path for path in directory().glob("*/*") if path.is_file()]
    for path in entries:
        with contextlib.suppress(OSError):
            path.unlink()
    return len(entries)


def usage() -> tuple[int, int]:
    """How many entries there are and how many bytes they take."""
    sizes = []
    for path in directory().glob("*/*"):
        with contextlib.suppress(OSError):
            sizes.append(path.stat().st_size)
    return len(sizes), sum(sizes)


@remember
def fingerprint() -> str:
    """A hash over gdsl's own code, grammar and templates: entries of another state of gdsl are never found."""
    package = Path(__file__).parent
    installed = package / "_data"
    data = installed if installed.is_dir() else package.parent
    digest = hashlib.sha256(__version__.encode())
    for root, pattern in ((package, "*.py"), (data / "grammar", "*"), (data / "templates", "*")):
        for path in sorted(root.rglob(pattern)):
            if "__pycache__" not in path.parts and path.is_file():
                content = path.read_bytes()
                digest.update(f"{path.relative_to(root)}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def program_key(program: object) -> str:
    """A part of a key that stands for a whole program of the operator IR, places in its text included."""
    return hashlib.sha256(repr(program).encode()).hexdigest()


def _path(kind: str, key: Sequence[KeyPart], suffix: str) -> Path:
    digest = hashlib.sha256(fingerprint().encode())
    for part in key:
        content = part if isinstance(part, bytes) else repr(part).encode()
        digest.update(f"{type(part).__name__} {len(content)}\0".encode() + content)
    return directory() / kind / (digest.hexdigest() + suffix)


def _read(path: Path) -> bytes | None:
    if _refusal(path.parent.parent) is not None or _refusal(path.parent) is not None:
        return None
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or not _is_ours(status):
                return None
            content = file.read()
    except OSError:
        return None
    data, trailer = content[:-_TRAILER], content[-_TRAILER:]
    return data if trailer == _MAGIC + hashlib.sha256(data).digest() else None


def _write(path: Path, data: bytes) -> bool:
    """Write an entry by rename; whether that worked."""
    try:
        for place in (path.parent.parent, path.parent):
            _make(place)
            refusal = _refusal(place)
            if refusal is not None:
                _warn(refusal)
                return False
        handle, name = tempfile.mkstemp(prefix=".", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data + _MAGIC + hashlib.sha256(data).digest())
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        _warn(f"the cache {path.parent.parent} cannot be written: {error.strerror or error}")
        return False
    return True


def _make(place: Path) -> None:
    place.mkdir(mode=0o700, parents=True, exist_ok=True)


def _refusal(place: Path) -> str | None:
    """Why entries in `place` are not to be trusted; None if they are (or there are none yet)."""
    try:
        status = place.stat()
    except OSError:
        return None
    if not _is_ours(status):
        return f"the cache {place} is not used: it belongs to another user or everybody can write to it"
    return None


def _is_ours(status: os.stat_result) -> bool:
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & stat.S_IWOTH


@remember
def _temporary_directory() -> Path:
    place = Path(tempfile.mkdtemp(prefix="gdsl-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def _warn(text: str) -> None:
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(text, RuntimeWarning, stacklevel=2)
