"""What tests make once, and the tests of other processes and later runs find."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def kept_folder(name: str) -> Path:
    """A folder of this user's in the system's temporary one; a new one where somebody else has that name."""
    folder = Path(tempfile.gettempdir(), f"gdsl-{name}-{os.getuid()}")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid != os.getuid():  # what lies there would be run or loaded
        return Path(tempfile.mkdtemp(prefix=f"gdsl-{name}-"))
    return folder
