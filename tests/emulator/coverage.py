"""Which lines of generated text were executed, by gcov."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path

from .driver import EmulatedModule


def gcov() -> str | None:
    """The path of gcov, or None."""
    return shutil.which("gcov")


def line_counts(module: EmulatedModule) -> dict[tuple[str, int], int]:
    """(file, line) -> how often it ran, for a module built with `coverage`; lines without code are left out."""
    module.dump_coverage()
    tool, folder = gcov(), module.path.parent
    assert tool is not None
    notes = next(folder.glob("*.gcno"))
    subprocess.run([tool, "--json-format", notes.name], cwd=folder, capture_output=True, check=True)
    counts: dict[tuple[str, int], int] = {}
    for report in folder.glob("*.gcov.json.gz"):
        for file in json.loads(gzip.decompress(report.read_bytes()))["files"]:
            name = Path(file["file"]).name
            for line in file["lines"]:
                key = (name, line["line_number"])
                counts[key] = counts.get(key, 0) + line["count"]
    shutil.rmtree(folder, ignore_errors=True)
    return counts
