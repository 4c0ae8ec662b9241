"""How gdsl's own files look from outside, and how they looked when this process began to load them.

Taken by `gdsl` itself before it imports anything else: the code of gdsl that runs in this process is that of these
files, unless they look different by now. For that, this module imports nothing but what Python has imported by itself.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterable, Iterator
from operator import attrgetter

_ROOMS_APART = ("backends/reference", "binding", "cli", "export", "graph", "integrations", "profiling", "tools")
_TEMPLATES_APART = ("export", "graph", "profile", "project")
_APART = frozenset((*(f"gdsl/{room}" for room in _ROOMS_APART), *(f"templates/{name}" for name in _TEMPLATES_APART)))
"""What has no part in what is kept: from the text to the generated one nothing may import these rooms (the contracts
of `lint-imports` say so; a test asks these) or reads these templates, unless as a part of a key; and every file that
is looked at is time at every start."""
_stamps = attrgetter("st_mtime_ns", "st_ctime_ns", "st_size", "st_dev", "st_ino")
"""What tells a file from outside from one that was written again."""

Look = dict[str, bytes]
"""By the name of a directory (its place below one that was looked through, which has a name of its own here) its files,
sorted, each with its stamps. As bytes, which take less room and time than as many tuples."""


def package() -> str:
    """The directory of the package."""
    return os.path.dirname(os.path.abspath(__file__))


def look() -> Look:
    """All files as they are now. Raises OSError where they cannot be seen, as in an archive."""
    places = _places()
    waiting = [(place, room, ".py" if room == "gdsl" else "") for room, place in places.items()]
    linked: list[str] = []
    found: Look = {}
    for directory, room, ending in waiting:
        files = []
        for entry in _entries(directory, room in places):
            name = entry.name
            try:
                if entry.is_file():
                    if name.endswith(ending):
                        files.append((name, *_stamps(entry.stat())))
                elif name != "__pycache__" and f"{room}/{name}" not in _APART and entry.is_dir():
                    if entry.is_symlink():
                        if not _is_part(entry.path, ending, [*places.values(), *linked]):
                            continue
                        linked.append(entry.path)
                    waiting.append((entry.path, f"{room}/{name}", ending))
            except OSError:  # editors leave links that lead nowhere, and pipes never end: no part of gdsl
                continue
        if files:
            files.sort()
            found[room] = marshal.dumps(files, 2)
    return found


def _entries(directory: str, required: bool) -> list[os.DirEntry[str]]:
    """What is in a directory; nothing where it cannot be read, as Python can import nothing from it either."""
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except OSError:
        if required:
            raise
        return []


def _is_part(link: str, ending: str, seen: Iterable[str]) -> bool:
    """Whether a link leads to a part of gdsl that lies outside of what is looked through anyway."""
    target = os.path.join(os.path.realpath(link), "")
    return (not ending or os.path.exists(f"{target}__init__.py")) and not any(
        target.startswith(os.path.join(os.path.realpath(place), "")) for place in seen
    )


def stamps_in(look: Look) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """The name of every file, sorted, with its path and its stamps."""
    places = _places()
    for room in sorted(look):
        top, _, within = room.partition("/")
        for name, *stamps in marshal.loads(look[room]):
            yield f"{room}/{name}", os.path.join(places[top], within, name), tuple(stamps)


def _places() -> dict[str, str]:
    """What is looked through, by the name that it has here."""
    here = package()
    installed = os.path.join(here, "_data")
    data = installed if os.path.isdir(installed) else os.path.dirname(here)
    return {"gdsl": here, "grammar": os.path.join(data, "grammar"), "templates": os.path.join(data, "templates")}


def _at_loading() -> Look | None:
    try:
        return look()
    except OSError:  # nothing can be compiled then, which is said where somebody wants to
        return None


AT_LOADING = _at_loading()
"""None where nothing was to be seen."""
