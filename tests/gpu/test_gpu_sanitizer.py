"""compute-sanitizer finds nothing in the four samples, fused and unfused."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.gpu
SCRIPT = Path(__file__).with_name("sanitized.py")
FOUND = 86


def sanitizer() -> str | None:
    """compute-sanitizer, on the path or where toolkits put it."""
    homes = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"]
    places = [Path(home) / "bin" / "compute-sanitizer" for home in homes if home]
    return shutil.which("compute-sanitizer") or next((str(place) for place in places if place.exists()), None)


@pytest.mark.parametrize("words", [[], ["schedule.fuse=off"]], ids=["fused", "unfused"])
@pytest.mark.parametrize("tool", ["memcheck", "racecheck", "synccheck"])
@pytest.mark.parametrize("name", ["bfs", "sssp", "pagerank", "connected_components"])
def test_clean(name: str, tool: str, words: list[str]) -> None:
    program = sanitizer()
    if program is None:
        pytest.skip("compute-sanitizer is not installed (it comes with the CUDA toolkit)")
    command = [program, "--tool", tool, "--error-exitcode", str(FOUND), sys.executable, str(SCRIPT), name, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    assert "ERROR SUMMARY: 0 errors" in done.stdout + done.stderr or "0 hazards" in done.stdout + done.stderr
