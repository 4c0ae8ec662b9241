"""A campaign of kills: programs run on workers, of which one is killed at a random moment.

``python -m tests.kills --count 100``, and the same with --mpi.

With Ray one session is used all the time: each kill must give E0807 with the name of the worker within ten seconds, all
processes of the run must end, and the next run, by new workers, must work. With --mpi each run is one `mpiexec`, which
must end with a failure within ten seconds, with all its processes. A run that ends before its moment must be right.
The summary counts what workers were doing when they were killed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import sys
import threading
import time
import warnings
from collections import Counter
from typing import Any

import numpy as np

import gdsl
from gdsl.clusters.failures import Member
from gdsl.clusters.session import Workers
from tests.conftest import ROOT
from tests.support import mpi

_WORDS: dict[str, dict[str, Any]] = {
    "pagerank": {"max_iterations": 30},
    "bfs": {"source": 0},
    "components_hook_and_jump": {},
    "k_core": {},
    "triangle_count": {},
}
_OPTIONS = {"undirected": True, "loops": False, "dedup": "first"}
_PATIENCE = 10.0
"""Seconds from the kill to the error, and from there to the end of all processes."""


class Watch:
    """What workers have reported of a run, and one that is killed at its moment."""

    def __init__(self, rank: int, delay: float, workers: Workers) -> None:
        """Worker `rank` is killed `delay` seconds after it has started."""
        self.rank, self.delay, self._workers = rank, delay, workers
        self.step = "starting"
        self.killed: tuple[Member, float, str] | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._kill, daemon=True)
        self._thread.start()

    def __call__(self, member: Member, event: str) -> None:
        if member.rank == self.rank and event in ("loading", "compiling", "running", "gathering results"):
            self.step = event

    def end(self) -> None:
        """No kill after this."""
        self._ended.set()
        self._thread.join()

    def _kill(self) -> None:
        members: tuple[Member, ...] = ()
        while not members and not self._ended.wait(0.01):
            members = self._workers._group.members  # type: ignore[attr-defined]
        if members and not self._ended.wait(self.delay):
            os.kill(members[self.rank].process, 9)
            self.killed = members[self.rank], time.monotonic(), self.step


def _still_there(processes: list[int]) -> list[int]:
    """Those of the processes that do not end within the time."""
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        processes = [process for process in processes if _runs(process)]
        if not processes:
            return []
        time.sleep(0.02)
    return processes


def _killed(process: int) -> bool:
    """Kill a process; whether it had not ended by itself, which nobody may have noticed yet."""
    runs = _runs(process)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, 9)
    return runs


def _runs(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _on_ray(count: int, size: int, scale: int, draw: random.Random) -> tuple[Counter[str], list[str]]:
    steps: Counter[str] = Counter()
    problems: list[str] = []
    expected: dict[str, Any] = {}
    with gdsl.cluster(workers=size) as workers:
        longest, compiling = _durations(workers, scale)
        print(f"runs take up to {longest:.1f} s, and {compiling:.1f} s to compile", flush=True)
        for number in range(count):
            name = draw.choice(list(_WORDS))
            word = f"rmat:{scale}:seed={number % 6}"
            program = _program(name, number if number % 4 == 3 else None)
            most = longest + (compiling if number % 4 == 3 else 0)
            watch = Watch(draw.randrange(size), draw.uniform(0, most), workers)
            problem = _one(workers, name, program, word, watch, expected)
            watch.end()
            step = "finished before" if watch.killed is None else watch.killed[2]
            steps[step] += 1
            if problem:
                problems.append(f"run {number}, {name} on {word}, worker {watch.rank}, {step}: {problem}")
                print(problems[-1], flush=True)
    return steps, problems


def _one(
    workers: Workers, name: str, program: gdsl.Program, word: str, watch: Watch, expected: dict[str, Any]
) -> str | None:
    """One run; what is wrong with it."""
    processes = [member.process for member in workers._group.members]  # type: ignore[attr-defined]
    try:
        parts = workers.load(word, _OPTIONS, report=watch)
        processes = [member.process for member in workers._group.members]  # type: ignore[attr-defined]
        result = workers.run(program, parts, _WORDS[name], report=watch)
    except gdsl.GdslError as error:
        watch.end()
        if watch.killed is None:
            return f"an error without a kill: {error}"
        member, when, _ = watch.killed
        seconds = time.monotonic() - when
        if error.code != "E0807" or str(member) not in str(error):
            return f"not E0807 with the name of {member}: {error}"
        left = _still_there(processes)
        return f"{seconds:.1f} s to the error" if seconds > _PATIENCE else f"left: {left}" if left else None
    own = {key: values for key, values in result.host_arrays().items() if result.grade.get(key) == "exact"}
    known = expected.setdefault(f"{name} {word}", own)
    return None if all(np.array_equal(own[key], known[key]) for key in known) else "other values"


def _program(name: str, number: int | None) -> gdsl.Program:
    """A sample, or, with a number, one that is not compiled yet."""
    if number is None:
        return getattr(gdsl.samples, name)  # type: ignore[no-any-return]
    text = (ROOT / "samples" / f"{name}.gdsl").read_text()
    return gdsl.compile(text.replace(f"program {name};", f"program {name}_{os.getpid()}_{number};"))


def _durations(workers: Workers, scale: int) -> tuple[float, float]:
    """The seconds of the slowest of the programs with reading the graph, and those that it takes to compile it."""
    slowest = compiling = 0.0
    for name, values in _WORDS.items():
        program = _program(name, 0)
        first = workers.run(program, workers.load(f"rmat:{scale}:seed=8", _OPTIONS), values)
        started = time.monotonic()
        workers.run(program, workers.load(f"rmat:{scale}:seed={len(name) + 10}", _OPTIONS), values)
        slowest, compiling = max(slowest, time.monotonic() - started), max(compiling, first.compile_ms / 1000)
    return slowest, compiling


def _on_mpi(count: int, size: int, scale: int, draw: random.Random) -> tuple[Counter[str], list[str]]:
    steps: Counter[str] = Counter()
    problems: list[str] = []
    for number in range(count):
        name = draw.choice(list(_WORDS))
        params = [word for key, value in _WORDS[name].items() for word in ("-p", f"{key}={value}")]
        graph = (f"rmat:{scale}:seed={number % 3}", "--undirected", "--no-loops", "--dedup", "first")
        process = mpi.start(size, "-m", "gdsl", "run", name, *graph, *params, "--mpi")
        assert process.stderr is not None
        lines: list[str] = []
        processes: list[int] = []
        while len(processes) < size and (line := process.stderr.readline()):
            lines.append(line)
            processes += [int(found) for found in re.findall(r"process (\d+): started", line)]
        time.sleep(draw.uniform(0, 3))
        finished = process.poll() is not None
        if not finished and processes:
            victim = draw.choice(processes)
            finished = not _killed(victim)
        when = time.monotonic()
        output, errors = process.communicate(timeout=60)
        seconds = time.monotonic() - when
        loaded = any("loaded" in line for line in (*lines, *errors.splitlines()))
        steps["finished before" if finished else "running" if loaded else "loading"] += 1
        left = _still_there(processes)
        if seconds > _PATIENCE or left or (finished != (process.returncode == 0)):
            problems.append(f"run {number}, {name}: status {process.returncode}, {seconds:.1f} s, left: {left}")
            print(problems[-1], output[-500:], errors[-500:], flush=True)
    return steps, problems


def main() -> int:
    """Run the campaign of the command line; the status is 1 if something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="runs")
    parser.add_argument("--size", type=int, default=3, help="workers")
    parser.add_argument("--scale", type=int, default=12, help="of the graphs, rmat:SCALE")
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    parser.add_argument("--mpi", action="store_true", help="ranks of MPI instead of workers of Ray")
    words = parser.parse_args()
    warnings.simplefilter("ignore", gdsl.NotConvergedWarning)
    started = time.monotonic()
    campaign = _on_mpi if words.mpi else _on_ray
    steps, problems = campaign(words.count, words.size, words.scale, random.Random(words.seed))
    killed = sum(steps.values()) - steps["finished before"]
    print(f"{words.count} runs in {time.monotonic() - started:.0f} s, {killed} kills: {dict(steps)}")
    print(*problems or ["every kill gave one error that names the worker, and everything ended"], sep="\n")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
