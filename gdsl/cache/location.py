"""Where the cache is, whether it can be trusted, and the private directory that replaces it where it cannot be used.

Entries are trusted because nobody but the user can write to the directory: owners and modes of the whole path are
checked as ssh checks those of its own files.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import shutil
import stat
import tempfile
from functools import cache
from pathlib import Path

LIBRARY = ".so"
REMEDY = "set GDSL_CACHE_DIR to a directory of your own"
_MOST_LINKS = 40
"""As many links as Linux follows on one path."""
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_SYSTEM = 0


def directory() -> Path:
    """The cache directory, whether or not it exists. Raises OSError if it cannot be named."""
    chosen = os.environ.get("GDSL_CACHE_DIR")
    if chosen:
        try:
            return Path(chosen).expanduser().absolute()
        except RuntimeError:
            what = f"GDSL_CACHE_DIR={show(chosen)} begins with the home directory of an unknown user"
            raise OSError(what) from None
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return Path(base) / "gdsl"
    try:
        return Path.home().absolute() / ".cache" / "gdsl"
    except RuntimeError:  # a user without a home, as in some containers
        return Path(tempfile.gettempdir()) / f"gdsl-{os.getuid()}"


def problem() -> str | None:
    """Why the cache cannot be used as it is, in one sentence; None where it can be read, written and loaded from."""
    try:
        place = directory()
        reason = create(place)
        if reason is not None:
            return reason
        with tempfile.NamedTemporaryFile(prefix=".", dir=place) as file:
            file.write(bytes(1 << 16))
            file.flush()
    except (OSError, ValueError) as error:
        return unusable("used", error)
    if is_noexec(place):
        return (
            f"the cache {show(place)} is on a file system mounted noexec: libraries are loaded from "
            f"{show(tempfile.gettempdir())} instead"
        )
    return None


def create(place: Path) -> str | None:
    """Create a directory of the cache, for this user alone, and say why it is not trusted; None if it is.

    Raises OSError.
    """
    reason = refusal(place)
    if reason is None and not place.is_dir():
        for missing in reversed([place, *place.parents]):
            if not missing.exists():
                missing.mkdir(mode=0o700, exist_ok=True)
        if not place.is_dir():  # looked at again: another process may have created it meanwhile
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(place))
        reason = refusal(place)
    return reason


def refusal(place: Path) -> str | None:
    """Why nothing in `place`, the cache or a directory in it, is trusted; None if it is, or does not exist yet.

    Raises OSError.
    """
    reason = _untrusted(place, own=1 if place == directory() else 2)
    return None if reason is None else f"the cache {show(place)} is not used: {reason}"


def is_private(status: os.stat_result) -> bool:
    """Whether a file is the user's own, and only the user can write to it."""
    return status.st_uid == os.geteuid() and not status.st_mode & _WRITABLE_BY_OTHERS


def unusable(verb: str, error: Exception) -> str:
    """One sentence about a cache that cannot be `verb` because of `error`."""
    try:
        name = f"the cache {show(directory())}"
    except OSError:
        name = "the cache"
    return f"{name} cannot be {verb}: {getattr(error, 'strerror', None) or show(str(error))}"


def is_noexec(place: Path) -> bool:
    """Whether the file system of `place` does not let libraries be loaded from it."""
    with contextlib.suppress(OSError, AttributeError):  # no such flag on this system
        return bool(os.statvfs(place).f_flag & os.ST_NOEXEC)
    return False


def private_library(data: bytes) -> Path:
    """A new library with `data` in a directory of this process, which is removed when it ends. Raises OSError."""
    handle, name = tempfile.mkstemp(suffix=LIBRARY, dir=_private_directory())
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except BaseException:
        os.unlink(name)
        raise
    return Path(name)


def show(path: Path | str) -> str:
    """A path for a message: on one line, and not too long."""
    text = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in str(path))
    return text if len(text) <= 200 else f"{text[:120]}…{text[-60:]}"


@cache
def _private_directory() -> Path:
    place = Path(tempfile.mkdtemp(prefix="gdsl-"))
    atexit.register(_remove, place, os.getpid())
    return place


def _remove(place: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked child leaves its parent's files alone
        shutil.rmtree(place, ignore_errors=True)


def _untrusted(place: Path, own: int) -> str | None:
    """Why somebody else could decide what is in the directory `place`, in a few words; None if nobody could.

    Every directory of the path must belong to this user or the system and be writable by its owner alone (or be sticky,
    as /tmp is); the last `own` of them must belong to this user and must not be sticky. Whoever can change a link
    decides what is read, so links are checked too. Missing directories are no reason. Raises OSError.
    """
    waiting, here, links = list(reversed(place.parts[1:])), place.anchor, 0
    reason = _directory_reason(here, os.lstat(here))
    while waiting and reason is None:
        name = waiting.pop()
        if name == "..":
            here = os.path.dirname(here)
            continue
        entry = os.path.join(here, name)  # creating a Path for each takes longer than all the rest
        try:
            status = os.lstat(entry)
        except FileNotFoundError:
            return None
        if not stat.S_ISLNK(status.st_mode):
            reason, here = _directory_reason(entry, status, is_own=len(waiting) < own), entry
            continue
        links += 1
        if links > _MOST_LINKS:
            return f"{show(entry)} is an endless link"
        if status.st_uid not in (os.geteuid(), _SYSTEM):
            return f"the link {show(entry)} belongs to another user"
        target = Path(os.readlink(entry))
        here = target.anchor if target.is_absolute() else here
        waiting += reversed(target.parts[1:] if target.is_absolute() else target.parts)
    return reason


def _directory_reason(place: str, status: os.stat_result, is_own: bool = False) -> str | None:
    if not stat.S_ISDIR(status.st_mode):
        return None  # creating it fails with a clearer message
    owners = (os.geteuid(),) if is_own else (os.geteuid(), _SYSTEM)
    if status.st_uid not in owners:
        return f"{show(place)} belongs to another user"
    if status.st_mode & _WRITABLE_BY_OTHERS and (is_own or not status.st_mode & stat.S_ISVTX):
        return f"others can write to {show(place)} (mode {stat.S_IMODE(status.st_mode):o}; fix it with chmod go-w)"
    return None
