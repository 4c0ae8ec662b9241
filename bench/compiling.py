"""Compile times: from the text to a callable, in a fresh process for every time, imports excluded."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile

from bench.measure import Measurement, Series
from bench.rows import Row
from bench.works import ROOT

_TIMEOUT = 300
# Everything is imported first and the device opened, as in a program that already works with CuPy.
_PROGRAM = r"""
import importlib, json, pathlib, pkgutil, sys, time
backend, path = sys.argv[1:]
text = pathlib.Path(path).read_text(encoding="utf-8")
import gdsl
for module in pkgutil.walk_packages(gdsl.__path__, "gdsl."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ImportError:
            pass
import jinja2, lark
if backend == "cuda":
    import cupy
    cupy.zeros(1)
started = time.perf_counter()
program = gdsl.compile(text)
front = time.perf_counter()
program.prepare(backend)
done = time.perf_counter()
print(json.dumps({"total_ms": (done - started) * 1000, "front_ms": (front - started) * 1000}))
"""


def measure_compilation(row: Row, backend: str, repeat: int) -> Measurement:
    """Compile the sample `row.graph` `repeat` times: each into an empty cache, or each from the same filled one."""
    measurement = Measurement(row)
    path = str(ROOT / "samples" / f"{row.graph}.gdsl")
    times, fronts = [], []
    with tempfile.TemporaryDirectory(prefix="gdsl-bench-") as directory:
        if row.work == "compile_cached":
            _compile(path, backend, directory)
        for number in range(repeat):
            cache = directory if row.work == "compile_cached" else os.path.join(directory, str(number))
            answer = _compile(path, backend, cache)
            times.append(answer["total_ms"])
            fronts.append(answer["front_ms"])
    measurement.series.append(Series(None, times, 0, 0))
    measurement.ms = statistics.median(times)
    measurement.notes.append(f"to the IR {statistics.median(fronts):.1f} ms")
    return measurement


def _compile(path: str, backend: str, cache: str) -> dict[str, float]:
    os.makedirs(cache, mode=0o700, exist_ok=True)
    environment = {**os.environ, "GDSL_CACHE_DIR": cache}
    # CuPy's own cache stays: it holds none of gdsl's programs.
    command = [sys.executable, "-c", _PROGRAM, backend, path]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=_TIMEOUT, check=False
    )
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no message"])[-1])
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer
