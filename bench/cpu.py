"""`python -m bench.cpu`: gdsl's programs on a CPU beside the GAP Benchmark Suite, networkit and igraph.

Ours and each peer take turns, several rounds of them, and the least time of each counts: on a machine that others use,
too, that is what all of them would take alone. The same of processor time, which others on the machine disturb less.
"""

from __future__ import annotations

import gc
import json
import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import click

import gdsl
from bench import peers
from bench.gapbs import Gapbs
from bench.graphs import BenchmarkGraph, load
from bench.measure import TIMEOUT, disagreement
from bench.rows import Row, chosen_rows
from bench.summary import geometric_mean
from bench.works import ITERATIONS, WORKS
from gdsl.api.convergence import quiet
from gdsl.diagnostics import GdslError

GRAPHS = ("rmat18", "uniform", "grid1000", "rgg", "small_world")
PROGRAMS = ("bfs", "sssp", "pagerank", "components", "betweenness", "triangles", "k_core")
PEERS = ("gapbs", "networkit", "igraph")
_FAR_BEHIND = 3.0
"""A peer that takes this many times the best one has no further turns on that row."""


@dataclass
class Least:
    """The least of what was measured, in milliseconds; None where nothing was."""

    ms: float | None = None
    cpu_ms: float | None = None

    def note(self, ms: float, cpu_ms: float | None) -> None:
        """One more run, or the mean of several."""
        self.ms = ms if self.ms is None else min(self.ms, ms)
        if cpu_ms is not None:
            self.cpu_ms = cpu_ms if self.cpu_ms is None else min(self.cpu_ms, cpu_ms)


@dataclass
class Outcome:
    """A row: the least of ours and of each peer; first_ms: of our first call, which makes what is kept with the graph;
    problem: what is wrong with ours; unusable: peers whose own verifiers refuse their results."""

    row: Row
    ours: Least = field(default_factory=Least)
    peers: dict[str, Least] = field(default_factory=dict)
    first_ms: float = 0.0
    problem: str | None = None
    unusable: list[str] = field(default_factory=list)

    def ratio(self, of: Callable[[Least], float | None]) -> float | None:
        """The best peer's time by ours: above 1 ours is first. None where either is missing."""
        ours, known = of(self.ours), [value for least in self.peers.values() if (value := of(least)) is not None]
        return None if self.problem is not None or not ours or not known else min(known) / ours


def _ms(least: Least) -> float | None:
    return least.ms


Turn = Callable[[Least], None]


class Table:
    """Measures rows one by one. rounds: turns of everybody; turn_ms: how long a turn lasts, at least one run."""

    def __init__(
        self,
        threads: int,
        rounds: int,
        turn_ms: float,
        sources: int,
        gapbs: Path | None,
        names: Sequence[str] = PEERS,
    ) -> None:
        self.threads, self.rounds, self.turn_ms, self.sources = threads, rounds, turn_ms, sources
        self.gapbs = gapbs if "gapbs" in names else None
        self.modules, missing = peers.installed()
        self.modules = {name: module for name, module in self.modules.items() if name in names}
        for name in missing:
            if name in names:
                click.echo(f"{name} is not installed: it is left out (pip install {name})", err=True)
        if gapbs is None and "gapbs" in names:
            click.echo("gapbs is left out: --gapbs names the directory where its programs were built", err=True)

    def all(self, rows: Sequence[Row]) -> list[Outcome]:
        """Every row, graph by graph."""
        outcomes = []
        for name in dict.fromkeys(row.graph for row in rows):
            graph = load(name, "cpu", self.sources)
            click.echo(f"{name}: {graph.num_vertices:,} vertices, {graph.num_edges:,} directed edges", err=True)
            libraries = peers.peers_on(graph, self.modules, self.threads)
            gapbs = None if self.gapbs is None else Gapbs(self.gapbs, graph, self.threads)
            for row in (row for row in rows if row.graph == name):
                outcomes.append(self._row(row, graph, libraries, gapbs))
                click.echo(line(outcomes[-1]), err=True)
            if gapbs is not None:
                gapbs.close()
            del graph, libraries
            gc.collect()
        return outcomes

    def _row(self, row: Row, graph: BenchmarkGraph, libraries: list[peers.Peer], gapbs: Gapbs | None) -> Outcome:
        outcome = Outcome(row)
        try:
            for source in graph.sources if WORKS[row.work].takes_source else [None]:
                self._from(source, outcome, graph, libraries, gapbs)
        except GdslError as error:
            outcome.problem = str(error)
        return outcome

    def _from(
        self,
        source: int | None,
        outcome: Outcome,
        graph: BenchmarkGraph,
        libraries: list[peers.Peer],
        gapbs: Gapbs | None,
    ) -> None:
        """Run everybody from one source, check the results, and add the least times to those of the sources before."""
        work = WORKS[outcome.row.work]
        program, values = gdsl.compile(work.program), work.values(graph, source)
        parts = ITERATIONS if work.name == "pagerank" else 1

        def ours() -> Any:
            return program.run(graph.graph, values, backend="cpu", timeout=TIMEOUT)

        result = ours()
        outcome.first_ms += (result.time_ms + (result.layout_ms or 0.0)) / parts
        answers = {peer.name: peer.run(work.name, source) for peer in libraries if work.name in peer.works}
        outcome.problem = (
            outcome.problem or work.check(graph, result, source) or disagreement(work, graph, result, answers)
        )
        turns: dict[str, Turn] = {"": lambda least: self._turn(least, parts, lambda: ours().time_ms / parts)}
        for peer in libraries:
            if work.name in peer.works:
                turns[peer.name] = lambda least, peer=peer: self._turn(  # type: ignore[misc]
                    least, parts, lambda: peer.run(work.name, source).ms
                )
        if gapbs is not None and gapbs.has(work.name):
            if gapbs.verified(work.name, source) is False:
                outcome.unusable.append("gapbs")
            else:
                turns["gapbs"] = lambda least: self._trials(least, gapbs, work.name, source, parts)
        for name, least in self._rounds(turns).items():
            if name:
                outcome.peers[name] = added(outcome.peers.get(name), least)
            else:
                outcome.ours = added(outcome.ours if outcome.ours.ms else None, least)

    def _rounds(self, turns: dict[str, Turn]) -> dict[str, Least]:
        least = {name: Least() for name in turns}
        for done in range(self.rounds):
            best = min((each.ms for each in least.values() if each.ms is not None), default=math.inf)
            for name, turn in turns.items():
                known = least[name].ms
                if done == 0 or not name or known is None or known < _FAR_BEHIND * best:
                    turn(least[name])
        return least

    def _turn(self, least: Least, parts: int, run: Callable[[], float]) -> None:
        """Runs in this process for as long as a turn is, at least one."""
        until = time.perf_counter() + self.turn_ms / 1000
        while True:
            before = time.process_time()
            ms = run()
            least.note(ms, (time.process_time() - before) * 1000 / parts)
            if time.perf_counter() > until:
                return

    def _trials(self, least: Least, gapbs: Gapbs, work: str, source: int | None, parts: int) -> None:
        """Runs in a process of gapbs, about as many as a turn has."""
        count = 1 if least.ms is None else max(1, min(50, int(self.turn_ms / (least.ms * parts))))
        trials = gapbs.run(work, source, count)
        least.note(min(trials.ms), trials.cpu_ms)


def added(total: Least | None, more: Least) -> Least:
    """The sum over the sources so far and one more; unknown where a part of it is."""
    if total is None:
        return more
    known = total.cpu_ms is not None and more.cpu_ms is not None
    return Least((total.ms or 0.0) + (more.ms or 0.0), (total.cpu_ms or 0.0) + (more.cpu_ms or 0.0) if known else None)


def line(outcome: Outcome) -> str:
    """A row for people."""
    if outcome.problem is not None:
        return f"{outcome.row.title:24} FAILED: {outcome.problem}"
    ratio = outcome.ratio(_ms)
    said = [f"{outcome.row.title:24} {_number(outcome.ours)} ms", "    -" if ratio is None else f"{ratio:5.2f}x"]
    said += [
        f"{name} {_number(least)}" for name, least in sorted(outcome.peers.items(), key=lambda pair: pair[1].ms or 0)
    ]
    if outcome.ours.ms and outcome.first_ms > 1.5 * outcome.ours.ms:
        said.append(f"first call {outcome.first_ms:.3g}")
    return "  ".join([*said, *(f"{name}: refused by its own verifier" for name in outcome.unusable)])


def _number(least: Least) -> str:
    used = "" if not least.cpu_ms else f" ({least.cpu_ms:.3g})"
    return f"{least.ms:.3g}{used}" if least.ms is not None else "-"


def summary(outcomes: Sequence[Outcome]) -> list[str]:
    """The rows, the worst first, and the geometric means of the best peer's times by ours."""
    known = [(ratio, outcome) for outcome in outcomes if (ratio := outcome.ratio(_ms)) is not None]
    said = [line(outcome) for outcome in outcomes if outcome.ratio(_ms) is None]
    said += [line(outcome) for _, outcome in sorted(known, key=lambda pair: pair[0])]
    if not known:
        return [*said, "no row has a peer"]
    first = sum(ratio >= 1 for ratio, _ in known)
    said.append(
        f"{len(known)} rows: first on {first}, geometric mean {geometric_mean([ratio for ratio, _ in known]):.2f}x"
    )
    for title, key in (("by work", lambda row: row.work), ("by graph", lambda row: Path(row.graph).name)):
        groups: dict[str, list[float]] = {}
        for ratio, outcome in known:
            groups.setdefault(key(outcome.row), []).append(ratio)
        means = sorted((geometric_mean(ratios), name) for name, ratios in groups.items())
        said.append(f"{title}: {', '.join(f'{name} {mean:.2f}x' for mean, name in means)}")
    return said


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--graphs", default=",".join(GRAPHS), show_default=True, metavar="NAMES", help="As python -m bench takes."
)
@click.option("--rows", default="", metavar="NAMES", help="Rows by name or pattern: sssp-*,bfs-rgg.")
@click.option("--threads", type=click.IntRange(min=1), help="Threads of ours and the peers'. [default: all]")
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True, help="Turns of each.")
@click.option("--turn", type=click.FloatRange(min=0), default=100.0, show_default=True, help="Milliseconds of a turn.")
@click.option("--sources", type=click.IntRange(min=1), default=2, show_default=True, help="Sources a graph, summed.")
@click.option(
    "--gapbs",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIRECTORY",
    help="Where the programs of github.com/sbeamer/gapbs were built.",
)
@click.option("--peers", "names", default=",".join(PEERS), show_default=True, help="Those to run.")
@click.option("--json", "json_path", type=click.Path(path_type=Path, dir_okay=False), help="Write a JSON document.")
@quiet()  # iterations of a fixed number are not meant to converge
def main(
    graphs: str, rows: str, threads: int | None, rounds: int, turn: float, sources: int, gapbs: Path | None,
    names: str, json_path: Path | None,
) -> None:  # fmt: skip
    """Measure gdsl's programs on a CPU beside gapbs, networkit and igraph, taking turns; worst rows first.

    Times are the least of all turns, summed over the sources, in brackets the least processor time of all threads; a
    ratio above 1 says that ours is first. PageRank is timed by iteration. The exit status is 1 if a result was wrong.
    """
    try:
        chosen = chosen_rows("cpu", _words(rows) or [f"{work}-*" for work in PROGRAMS], tuple(_words(graphs)))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    threads = threads or len(os.sched_getaffinity(0))
    os.environ["OMP_NUM_THREADS"] = str(threads)  # read when the first OpenMP library is loaded
    outcomes = Table(threads, rounds, turn, sources, gapbs, _words(names)).all(chosen)
    click.echo("\n".join(summary(outcomes)))
    if json_path is not None:
        entries = [{**asdict(outcome), "row": outcome.row.name, "ratio": outcome.ratio(_ms)} for outcome in outcomes]
        json_path.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    if any(outcome.problem is not None for outcome in outcomes):
        raise SystemExit(1)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


if __name__ == "__main__":
    main()
