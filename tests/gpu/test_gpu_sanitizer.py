"""NVIDIA's compute-sanitizer finds nothing in the samples."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.gpu
ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("sanitized.py")


def sanitizer() -> str:
    """The tool: on the path, of a toolkit, or of NVIDIA's wheel. Skips where there is none."""
    spec = find_spec("nvidia")
    wheels = [Path(place) for place in (spec.submodule_search_locations or ())] if spec else []
    homes = [Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    folders = [*homes, *sorted(Path("/usr/local").glob("cuda*"), reverse=True), *(w / "cu13" for w in wheels)]
    names = [str(folder / sub / "compute-sanitizer") for folder in folders for sub in ("bin", "compute-sanitizer")]
    names += [str(path) for wheel in wheels for path in wheel.rglob("compute-sanitizer") if path.is_file()]
    for name in ("compute-sanitizer", *names):
        found = shutil.which(name)
        if found:
            return found
    pytest.skip("compute-sanitizer is not installed (it is part of the CUDA toolkit)")


@pytest.mark.parametrize(
    "words", [[], ["schedule.fuse=off"], ["visit.direction=pull"]], ids=["fused", "unfused", "pull"]
)
@pytest.mark.parametrize("tool", ["memcheck", "racecheck", "synccheck"])
def test_samples_are_clean(tool: str, words: list[str]) -> None:
    options = ["--tool", tool, "--error-exitcode", "86"]
    if tool == "memcheck":
        options += ["--leak-check", "no", "--report-api-errors", "no"]
    done = subprocess.run(
        [sanitizer(), *options, sys.executable, str(SCRIPT), *words],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=280,
    )
    output = done.stdout[-6000:] + done.stderr[-3000:]
    assert done.returncode == 0, output
    assert output.count("is right") == 4, output
    assert ("0 hazards" if tool == "racecheck" else "ERROR SUMMARY: 0 errors") in output, output
