"""The machine, the versions and the commit that numbers belong to."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

import gdsl
from bench.works import ROOT
from gdsl import cache

_PACKAGES = ("numpy", "scipy", "networkit", "igraph", "cupy-cuda13x", "cupy-cuda12x", "cupy")


def describe(backend: str, threads: int) -> dict[str, Any]:
    """Machine, versions and commit, as they stand in the JSON document.

    commit is None outside a checkout; `code` is a hash over gdsl's own files, whatever their commit.
    """
    facts: dict[str, Any] = {
        "processor": _processor(),
        "processors": os.cpu_count(),
        "threads": threads,
        "system": platform.platform(),
        "python": platform.python_version(),
        "gdsl": gdsl.__version__,
        "commit": _git("rev-parse", "HEAD"),
        "changed": bool(_git("status", "--porcelain", "--untracked-files=no")),
        "code": str(cache.fingerprint()),
        "versions": _versions(),
    }
    if backend == "cuda":
        facts |= _gpu()
    else:
        from gdsl.native.compiler import find_compiler

        facts["compiler"] = str(find_compiler())
    return facts


def _gpu() -> dict[str, Any]:
    import cupy

    from gdsl.backends.cuda import nvrtc

    runtime = cupy.cuda.runtime
    properties = runtime.getDeviceProperties(cupy.cuda.Device().id)
    return {
        "gpu": properties["name"].decode(),
        "multiprocessors": properties["multiProcessorCount"],
        "driver": runtime.driverGetVersion(),
        "nvrtc": ".".join(str(part) for part in nvrtc.version()),
    }


def _versions() -> dict[str, str]:
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
