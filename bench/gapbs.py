"""The GAP Benchmark Suite (Beamer, Asanović and Patterson 2015) as a peer: its programs, run on the same graph.

They are built by whoever measures (`make` in a clone of github.com/sbeamer/gapbs) and are given by their directory.
"""

from __future__ import annotations

import os
import re
import resource
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from bench.graphs import BenchmarkGraph
from bench.works import ITERATIONS

_TRIAL = re.compile(r"^Trial Time:\s+([0-9.]+)", re.MULTILINE)
_NAN = re.compile(r"^[0-9]+:-?nan", re.MULTILINE)
_DELTAS = (1, 4, 16, 64, 256, 1024, 4096)
"""Widths of a bucket that are tried for the shortest paths; the best one counts."""


@dataclass(frozen=True)
class Trials:
    """Trials of one process. ms: of each trial (for PageRank of one iteration); cpu_ms: processor time of all
    threads, the mean over the trials (None where that is below what can be measured)."""

    ms: list[float]
    cpu_ms: float | None


@dataclass
class Gapbs:
    """The programs in `directory` on one graph; its files stay until `close`."""

    works: ClassVar[dict[str, str]] = {
        "bfs": "bfs",
        "sssp": "sssp",
        "pagerank": "pr",
        "components": "cc",
        "triangles": "tc",
        "betweenness": "bc",
    }
    directory: Path
    graph: BenchmarkGraph
    threads: int
    _files: tempfile.TemporaryDirectory[str] = field(default_factory=tempfile.TemporaryDirectory)
    _reading_ms: dict[str, float] = field(default_factory=dict)
    _delta: dict[int | None, int] = field(default_factory=dict)

    def close(self) -> None:
        """Remove the graph's files."""
        self._files.cleanup()

    def has(self, work: str) -> bool:
        """Whether the program for `work` is there."""
        return work in self.works and (self.directory / self.works[work]).is_file()

    def verified(self, work: str, source: int | None) -> bool | None:
        """What the program's own verifier says of one result; None for PageRank, whose verifier wants a tolerance.
        NaN is refused, which that lets pass: numbers of paths beyond float64. For shortest paths this looks for the
        best width of a bucket, too."""
        if work == "pagerank":
            return None
        if work == "sssp":
            best = {delta: min(self._trials(work, source, 3, delta).ms) for delta in _DELTAS}
            self._delta[source] = min(best, key=lambda delta: best[delta])
        said, _ = self._output(work, source, 1, self._delta.get(source), "-v", "-a")
        if _NAN.search(said):
            return False
        return re.search(r"^Verification:\s+PASS", said, re.MULTILINE) is not None

    def run(self, work: str, source: int | None, trials: int) -> Trials:
        """So many trials in one process."""
        return self._trials(work, source, trials, self._delta.get(source))

    def _trials(self, work: str, source: int | None, trials: int, delta: int | None) -> Trials:
        said, used_ms = self._output(work, source, trials, delta)
        times = [float(seconds) * 1000 for seconds in _TRIAL.findall(said)]
        if len(times) != trials:
            raise RuntimeError(f"{self.works[work]} of gapbs told {len(times)} times for {trials} trials:\n{said}")
        if work not in self._reading_ms:
            self._reading_ms[work] = min(self._output(work, source, 0, delta)[1] for _ in range(3))
        each = (used_ms - self._reading_ms[work]) / trials
        parts = ITERATIONS if work == "pagerank" else 1
        return Trials([time / parts for time in times], each / parts if each > 1 else None)

    def _output(self, work: str, source: int | None, trials: int, delta: int | None, *more: str) -> tuple[str, float]:
        """What the program prints, and the processor time of its process in milliseconds."""
        command = [str(self.directory / self.works[work]), "-f", str(self._file(work == "sssp")), "-n", str(trials)]
        if source is not None:
            command += ["-r", str(source)]
        if work == "pagerank":
            command += ["-i", str(ITERATIONS), "-t", "0"]
        if work == "betweenness":
            command += ["-i", "1"]
        if delta is not None:
            command += ["-d", str(delta)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {**os.environ, "OMP_NUM_THREADS": str(self.threads)}
        ran = subprocess.run([*command, *more], env=environment, capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ran.stdout, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000

    def _file(self, weighted: bool) -> Path:
        """The graph as gapbs serializes a symmetric one, with 32-bit weights or without."""
        path = Path(self._files.name) / ("graph.wsg" if weighted else "graph.sg")
        if not path.exists():
            graph = self.graph
            columns = np.asarray(graph.columns, np.int32)
            lists = np.stack([columns, graph.weights.astype(np.int32)], axis=1) if weighted else columns
            with path.open("wb") as file:
                file.write(b"\0")  # not directed
                file.write(np.array([graph.num_edges, graph.num_vertices], np.int64).tobytes())
                file.write(np.asarray(graph.offsets, np.int64).tobytes())
                file.write(lists.tobytes())
        return path
