"""How gdsl's own files look from outside, and how they looked when this process began to load them.

Taken by `gdsl` itself before it imports anything else: the code of gdsl that runs in this process is that of these
files, unless they look different by now. For that, this module imports nothing but what Python has imported by itself.
"""

from __future__ import annotations

import os
from operator import attrgetter

_ROOMS_APART = ("backends/reference", "binding", "cli", "export", "graph", "integrations", "profiling", "tools")
_TEMPLATES_APART = ("export", "graph", "profile", "project")
_APART = frozenset((*(f"gdsl/{room}" for room in _ROOMS_APART), *(f"templates/{name}" for name in _TEMPLATES_APART)))
"""What has no part in what is kept: from the text to the generated one nothing may import these rooms (the contracts
of `lint-imports` say so; a test asks these) or reads these templates, unless as a part of a key; and every file that
is looked at is time at every start."""
_stamps = attrgetter("st_mtime_ns", "st_ctime_ns", "st_size", "st_dev", "st_ino")
"""What tells a file from outside from one that was written again."""

Look = list[tuple[str, tuple[int, int, int, int, int]]]
"""The name of every file, sorted, and its stamps."""


def package() -> str:
    """The directory of the package."""
    return os.path.dirname(os.path.abspath(__file__))


def path_of(name: str) -> str:
    """Where the file `name` lies."""
    room, _, within = name.partition("/")
    return os.path.join(_places()[room], within)


def look() -> Look:
    """All files as they are now. Raises OSError where they cannot be seen, as in an archive."""
    waiting = [(place, room, ".py" if room == "gdsl" else "") for room, place in _places().items()]
    found: Look = []
    for directory, name, ending in waiting:
        with os.scandir(directory) as entries:
            for entry in entries:
                own = f"{name}/{entry.name}"
                try:
                    if entry.is_file():
                        if own.endswith(ending):
                            found.append((own, _stamps(entry.stat())))
                    elif entry.name != "__pycache__" and own not in _APART and entry.is_dir():
                        waiting.append((entry.path, own, ending))
                except OSError:  # editors leave links that lead nowhere, and pipes never end: no part of gdsl
                    continue
    return sorted(found)


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
