"""Prepares the parser's tables and the templates as Python while gdsl is built; see `gdsl.prepared`.

They take three times as long to build as all else that is needed to print a program's CUDA, and depend on the versions
of Lark and Jinja that build them: with other versions, or none of them, gdsl builds them when it runs.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PreparedHook(BuildHookInterface[Any]):
    """Runs `python -m gdsl.tools.prepare` in the source tree, in a process of its own."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel is built, also for an editable installation."""
        root = Path(self.root)
        subprocess.run([sys.executable, "-m", "gdsl.tools.prepare"], cwd=root, check=True)
        if version != "editable":
            files = sorted((root / "prepared").glob("*.json.gz"))
            build_data["force_include"].update({str(path): f"gdsl/_data/prepared/{path.name}" for path in files})
