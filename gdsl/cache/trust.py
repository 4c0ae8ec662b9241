"""Who may have written a file: tests of owners and modes, as ssh makes them of its own files.

Nothing here follows a link without looking at it: whoever may turn a directory or a link of the way elsewhere decides
what is read at its end.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

_LINKS = 40
"""As many links on one way as Linux follows."""
_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_SYSTEM = 0


def untrusted(place: Path, own: int = 1) -> str | None:
    """Why somebody else could decide what is in the directory `place`, in a few words; None if nobody could.

    Every directory on the way must belong to this user or the system and be writable by its owner alone (or be sticky,
    as /tmp is); the last `own` of them must belong to this user and not even be sticky. What does not exist yet is no
    reason. Raises OSError.
    """
    if not hasattr(os, "geteuid"):
        return None
    waiting, here, links = list(reversed(place.parts[1:])), place.anchor, 0
    reason = _directory_reason(here, os.lstat(here))
    while waiting and reason is None:
        name = waiting.pop()
        if name == "..":
            here = os.path.dirname(here)
            continue
        entry = os.path.join(here, name)  # to make paths of all of them takes longer than all else
        try:
            status = os.lstat(entry)
        except FileNotFoundError:
            return None
        if not stat.S_ISLNK(status.st_mode):
            reason, here = _directory_reason(entry, status, is_own=len(waiting) < own), entry
            continue
        links += 1
        if links > _LINKS:
            return f"{show(entry)} is a link without an end"
        if status.st_uid not in (os.geteuid(), _SYSTEM):
            return f"the link {show(entry)} belongs to another user"
        target = Path(os.readlink(entry))
        here = target.anchor if target.is_absolute() else here
        waiting += reversed(target.parts[1:] if target.is_absolute() else target.parts)
    return reason


def is_private(status: os.stat_result) -> bool:
    """Whether the file belongs to this user, who alone can write to it."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & _OTHERS


def read_private(path: Path, largest: int, apart: int) -> tuple[bytes, bytes] | None:
    """The content of a plain file that only this user can have written, and its last `apart` bytes by themselves; None
    for anything else, without waiting for a writer at a FIFO or following a link. Raises OSError."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    handle = os.open(path, flags | getattr(os, "O_BINARY", 0))
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or not is_private(status) or status.st_size > largest:
            return None
        return _read(handle, status.st_size - apart), _read(handle, apart)
    finally:
        os.close(handle)


def _read(handle: int, size: int) -> bytes:
    """The next `size` bytes, or as many as there are."""
    found = os.read(handle, max(size, 0))
    while len(found) < size and (more := os.read(handle, size - len(found))):
        found += more
    return found


def show(path: Path | str) -> str:
    """A path for a message: on one line, and not without an end."""
    text = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in str(path))
    return text if len(text) <= 200 else f"{text[:120]}…{text[-60:]}"


def _directory_reason(place: str, status: os.stat_result, is_own: bool = False) -> str | None:
    if not stat.S_ISDIR(status.st_mode):
        return None  # making it fails, which says more
    owners = (os.geteuid(),) if is_own else (os.geteuid(), _SYSTEM)
    if status.st_uid not in owners:
        return f"{show(place)} belongs to another user"
    if status.st_mode & _OTHERS and (is_own or not status.st_mode & stat.S_ISVTX):
        mode = stat.S_IMODE(status.st_mode)
        return f"others can write to {show(place)} (mode {mode:o}, which chmod go-w mends)"
    return None
