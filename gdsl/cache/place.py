"""Where the cache is, whether it can be used, and the private directory that stands in for it where it cannot."""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from gdsl.cache.trust import show, untrusted

REMEDY = "set GDSL_CACHE_DIR to a directory of your own"


def directory() -> Path:
    """The cache directory, whether or not it exists. Raises OSError where none can be named."""
    own = os.environ.get("GDSL_CACHE_DIR")
    if own:
        try:
            return Path(own).expanduser().absolute()
        except RuntimeError:
            raise OSError(f"GDSL_CACHE_DIR={show(own)} begins with the home directory of an unknown user") from None
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return Path(base) / "gdsl"
    try:
        return Path.home().absolute() / ".cache" / "gdsl"
    except RuntimeError:  # a user without a home, as in some containers
        return Path(tempfile.gettempdir()) / f"gdsl-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"


def trouble() -> str | None:
    """Why the cache cannot be used as it is, in one sentence; None where it can be read, written and loaded from."""
    try:
        place = directory()
        refusal = made(place)
        if refusal is not None:
            return refusal
        with tempfile.NamedTemporaryFile(prefix=".", dir=place) as file:
            file.write(bytes(1 << 16))
            file.flush()
    except (OSError, ValueError) as error:
        return cannot("used", error)
    if is_noexec(place):
        return (
            f"the cache {show(place)} is on a file system mounted noexec: libraries are loaded from "
            f"{show(tempfile.gettempdir())} instead"
        )
    return None


def made(place: Path) -> str | None:
    """Make a directory of the cache, for this user alone, and say why it is not to be trusted; None if it is.

    Raises OSError.
    """
    refusal = refused(place)
    if refusal is None and not place.is_dir():
        if place.exists():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(place))
        for missing in reversed([place, *place.parents]):
            if not missing.exists():
                missing.mkdir(mode=0o700, exist_ok=True)
        place.mkdir(mode=0o700, exist_ok=True)
        refusal = refused(place)
    return refusal


def refused(place: Path) -> str | None:
    """Why nothing in `place`, the cache or a directory in it, is to be trusted; None if it is, or is not there yet.

    Raises OSError.
    """
    reason = untrusted(place, own=1 if place == directory() else 2)
    return None if reason is None else f"the cache {show(place)} is not used: {reason}"


def cannot(verb: str, error: Exception) -> str:
    """One sentence about a cache that cannot be `verb` because of `error`."""
    try:
        named = f"the cache {show(directory())}"
    except OSError:
        named = "the cache"
    return f"{named} cannot be {verb}: {getattr(error, 'strerror', None) or show(str(error))}"


def is_noexec(place: Path) -> bool:
    """Whether the file system of `place` does not let libraries be loaded from it."""
    with contextlib.suppress(OSError, AttributeError):  # no such flag on this system
        return bool(os.statvfs(place).f_flag & os.ST_NOEXEC)
    return False


def private_file(suffix: str, data: bytes) -> Path:
    """A new file with `data` in a directory that only this process uses, and that goes with it. Raises OSError."""
    handle, name = tempfile.mkstemp(suffix=suffix, dir=_private_directory())
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except BaseException:
        os.unlink(name)
        raise
    return Path(name)


@cache
def _private_directory() -> Path:
    place = Path(tempfile.mkdtemp(prefix="gdsl-"))
    atexit.register(_remove, place, os.getpid())
    return place


def _remove(place: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked child leaves its parent's files alone
        shutil.rmtree(place, ignore_errors=True)
