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
CODE = """
import sys
import gdsl
graph = gdsl.Graph.read("samples/graphs/lesmis.mtx")
for name in ("bfs", "sssp", "pagerank", "connected_components"):
    words = sys.argv[1:] + (["visit.direction=pull"] if name == "bfs" and "pull" in sys.argv else [])
    program = gdsl.compile(f"samples/{name}.gdsl", tune=[word for word in words if word != "pull"])
    source = {"source": 0} if "source" in program.params else {}
    bounded = {"tolerance": 0.01} if name == "pagerank" else {}
    result = program(graph, backend="cuda", **source, **bounded)
    print(name, "done", {key: value.size for key, value in result.host_arrays().items()}, flush=True)
"""


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


@pytest.mark.parametrize("words", [[], ["schedule.fuse=off"], ["pull"]], ids=["fused", "unfused", "pull"])
@pytest.mark.parametrize("tool", ["memcheck", "racecheck", "synccheck"])
def test_samples_are_clean(tool: str, words: list[str]) -> None:
    if tool == "racecheck" and words == ["schedule.fuse=off"]:
        words = ["schedule.fuse=off", "schedule.block=64"]  # this tool is slow
    options = ["--tool", tool, "--error-exitcode", "86"]
    if tool == "memcheck":
        options += ["--leak-check", "no", "--report-api-errors", "no"]
    done = subprocess.run(
        [sanitizer(), *options, sys.executable, "-c", CODE, *words],
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=280,
    )
    output = done.stdout[-6000:] + done.stderr[-3000:]
    assert done.returncode == 0, output
    assert output.count("done") >= 4, output
    clean = "0 hazards" if tool == "racecheck" else "ERROR SUMMARY: 0 errors"
    assert clean in output, output
