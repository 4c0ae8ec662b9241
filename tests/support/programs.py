"""The programs that tests go through. The first samples run in every mode and form there is; the rest of the library
and the programs of the tests in fewer, so that a program more costs little."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
FIRST = ("bfs", "connected_components", "pagerank", "sssp")
_ALL = sorted((ROOT / "samples").glob("*.gdsl"))
SAMPLES = [path for path in _ALL if path.stem in FIRST]
LIBRARY = [path for path in _ALL if path.stem not in FIRST]
PROGRAMS = sorted((ROOT / "tests" / "programs").glob("*.gdsl"))
