"""`python -m bench`: run the rows, check every result, print the table."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from bench import machine, passes, peers, report, summary, tuning
from bench.calls import measure_calls
from bench.compiling import measure_compilation
from bench.graphs import BenchmarkGraph, load, release
from bench.loading import measure_loading
from bench.maps import measure_map
from bench.measure import Measurement, measure
from bench.memory import measure_memory
from bench.passes import Ablation
from bench.rows import Row, chosen_rows
from bench.several_gpus import Gpus, barrier_line, measure_gpus
from gdsl.api.convergence import quiet
from gdsl.backends import registry
from gdsl.cli.options import checked_gpus
from gdsl.diagnostics import GdslError


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--list", "list_only", is_flag=True, help="Print the names of the rows and end.")
@click.option("--rows", default="", metavar="NAMES", help="Rows by name or pattern: bfs-rmat22,sssp-*,bfs-grid1000.")
@click.option(
    "--graphs",
    default="",
    metavar="NAMES",
    help="All programs on these graphs: any rmatSCALE, gridSIDE, directed_rmatSCALE, one_way_gridSIDE, classes (rgg, "
    "small_world, hubs, kmer, chain_of_cycles, mesh, communities, bipartite, uniform, random_tree, stars, "
    "hub_chain, layers), or files.",
)
@click.option("--classes", is_flag=True, help="Twelve algorithms on every class of graphs, with a summary.")
@click.option(
    "--peer-times",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help='Times of peers in ms, as JSON: {"bfs-rgg": {"GSWITCH": 9.1}}.',
)
@click.option("--backend", type=click.Choice(["cuda", "cpu"]), default="cuda", show_default=True)
@click.option("--repeat", type=click.IntRange(min=1), default=9, show_default=True, help="Counted runs a source.")
@click.option("--sources", type=click.IntRange(min=1), default=4, show_default=True, help="Sources a graph.")
@click.option("--threads", type=click.IntRange(min=1), help="Threads on the CPU, ours and the peers'. [default: all]")
@click.option("--peers/--no-peers", "with_peers", default=True, help="On cpu: run networkit, igraph and SciPy too.")
@click.option(
    "--tune", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
    help="Of each row: look so long for better knobs, and say by how much they beat auto.",
)  # fmt: skip
@click.option(
    "--memory", metavar="SIZE",
    help="What runs may use of the GPU's memory (2GB, host): with each time also the rates of the link and of managed "
    "memory.",
)  # fmt: skip
@click.option(
    "--gpus", callback=checked_gpus, metavar="N",
    help="Run on N GPUs of this machine together (2, all, or numbers as in 0,1), in turns with one of them.",
)  # fmt: skip
@click.option(
    "--passes", "by_pass", is_flag=True,
    help="Of each row: the time without each pass of the plan by the time with all; by default on some rows of every "
    "algorithm and kind of graph.",
)  # fmt: skip
@click.option("--json", "json_path", type=click.Path(path_type=Path, dir_okay=False), help="Write a JSON document.")
@quiet()  # iterations of a fixed number are not meant to converge
def main(
    list_only: bool,
    rows: str,
    graphs: str,
    classes: bool,
    peer_times: Path | None,
    backend: str,
    repeat: int,
    sources: int,
    threads: int | None,
    with_peers: bool,
    tune: float | None,
    memory: str | None,
    gpus: Gpus | None,
    by_pass: bool,
    json_path: Path | None,
) -> None:
    """Measure gdsl's programs; docs/lab/measured.md says what the columns are.

    The exit status is 1 where a result was wrong or a run failed; being slow is no failure.
    """
    if by_pass and (tune or memory or gpus or peer_times):
        raise click.UsageError("--passes goes without --tune, --memory, --gpus and --peer-times")
    try:
        chosen = chosen_rows(backend, _words(rows), tuple(_words(graphs)), classes or by_pass)
        if by_pass:
            chosen = passes.suited(chosen if rows or graphs else passes.usual_rows(backend))
        times = {} if peer_times is None else summary.read_peer_times(peer_times)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if memory is not None:
        _check_memory(memory, backend)
    if gpus is not None and (backend != "cuda" or memory is not None):
        raise click.UsageError("--gpus is for the cuda backend, without --memory")
    if list_only:
        click.echo("\n".join(row.name for row in chosen))
        return
    threads = threads or len(os.sched_getaffinity(0))
    os.environ["OMP_NUM_THREADS"] = str(threads)  # read when the first OpenMP library is loaded
    available = registry.get(backend).availability()
    if not available.ok:
        raise click.ClickException(f"--backend {backend}: {available.detail}; {available.fix}")
    if by_pass:
        _measure_passes(chosen, Ablation(backend, repeat, sources, threads, json_path))
        return
    run = Run(backend, repeat, sources, threads, backend == "cpu" and with_peers, tune, json_path, memory, gpus)
    if gpus is not None:
        click.echo(barrier_line(gpus))
    measurements = run.all(chosen)
    summary.add_peer_times(measurements, times)
    Console(width=None if Console().is_terminal else 140).print(report.table(measurements, backend))
    compared = summary.lines(measurements) if classes or times else []
    for line in (*compared, *tuning.lines(measurements)):
        click.echo(line)
    for measurement in measurements if memory is not None else ():
        click.echo("\n  ".join([f"{measurement.row.title}, --memory {memory}:", *measurement.notes]))
    for measurement in measurements:
        if measurement.problem is not None:
            click.echo(f"FAILED {measurement.row.title}: {measurement.problem}", err=True)
    if any(measurement.problem is not None for measurement in measurements):
        raise SystemExit(1)


def _measure_passes(rows: list[Row], ablation: Ablation) -> None:
    """Tables of what is worth how much; on a CPU also by processor time, which others on the machine disturb less."""
    outcomes = ablation.all(rows)
    for processor in (False, True)[: 1 + (ablation.backend == "cpu")]:
        Console(width=None if Console().is_terminal else 140).print(passes.table(outcomes, processor))
    if any(outcome.problems for outcome in outcomes):
        raise SystemExit(1)


def _check_memory(memory: str, backend: str) -> None:
    """Raise a usage error for a size that is none, and on the host."""
    from gdsl.memory_use import memory_use

    if backend != "cuda":
        raise click.UsageError("--memory is for the cuda backend")
    try:
        memory_use(memory)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--memory") from None


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


class Run:
    """One run of the benchmark: keeps the graph in hand, the peers on it, and what was measured so far."""

    def __init__(
        self,
        backend: str,
        repeat: int,
        sources: int,
        threads: int,
        with_peers: bool,
        tune: float | None,
        json_path: Path | None,
        memory: str | None = None,
        gpus: Gpus | None = None,
    ) -> None:
        self.memory, self.gpus = memory, gpus
        self.backend, self.repeat, self.sources, self.threads = backend, repeat, sources, threads
        self.tune, self.json_path = tune, json_path
        self.modules: dict[str, Any] = {}
        if with_peers:
            self.modules, missing = peers.installed()
            for name in missing:
                click.echo(f"{name} is not installed: no column for it (pip install {name})", err=True)
        self.machine = machine.describe(backend, threads)
        self.graph: BenchmarkGraph | None = None
        self.peers: list[peers.Peer] = []
        self.measurements: list[Measurement] = []

    def all(self, rows: list[Row]) -> list[Measurement]:
        """Measure `rows` in order; a row that fails does not keep the others from running."""
        for row in rows:
            started = time.perf_counter()
            try:
                measurement = self._one(row)
            except GdslError as error:
                measurement = Measurement(row, problem=str(error))
            except Exception as error:  # a mistake of ours, or the device's: the other rows can still be measured
                measurement = Measurement(row, problem=f"{type(error).__name__}: {error}")
            self.measurements.append(measurement)
            self._tell(measurement, time.perf_counter() - started)
        return self.measurements

    def _one(self, row: Row) -> Measurement:
        if row.is_compilation:
            return measure_compilation(row, self.backend, min(self.repeat, 3))
        if row.is_loading:
            self._let_go()
            return measure_loading(row, self.backend, min(self.repeat, 5))
        if row.is_map:
            return measure_map(row, self._graph(row.graph), self.backend, self.repeat)
        if row.is_call:
            return measure_calls(row, self._graph(row.graph), self.backend, self.repeat)
        if self.gpus is not None:
            return measure_gpus(row, self._graph(row.graph), self.repeat, self.gpus)
        if self.memory is not None:
            return measure_memory(row, self._graph(row.graph), self.repeat, self.memory)
        measurement = measure(row, self._graph(row.graph), self.backend, self.repeat, self.peers)
        if self.tune is not None and measurement.problem is None:
            measurement.tuned = tuning.tune_row(measurement, self._graph(row.graph), self.backend, self.tune)
        return measurement

    def _graph(self, name: str) -> BenchmarkGraph:
        if self.graph is None or self.graph.name != name:
            self._let_go()
            self.graph = load(name, self.backend, self.sources)
            self.peers = peers.peers_on(self.graph, self.modules, self.threads)
            sizes = f"{self.graph.num_vertices:,} vertices, {self.graph.num_edges:,} directed edges"
            click.echo(f"{name}: {sizes}, sources {self.graph.sources}", err=True)
        return self.graph

    def _let_go(self) -> None:
        """Free the graph in hand, and with it its memory on the device."""
        if self.graph is not None:
            module = self.graph.module
            self.graph, self.peers = None, []
            gc.collect()
            release(module)

    def _tell(self, measurement: Measurement, seconds: float) -> None:
        milliseconds = "" if measurement.ms is None else f"{measurement.ms:.3f} {measurement.unit}"
        state = "FAILED" if measurement.problem is not None else "right"
        told = ", ".join([milliseconds, state, *measurement.notes])
        click.echo(f"{measurement.row.title}: {told}, in {seconds:.1f} s", err=True)
        if self.json_path is not None:
            options = {"repeat": self.repeat, "sources": self.sources}
            report.write(self.json_path, report.document(self.measurements, self.backend, self.machine, options))


if __name__ == "__main__":
    main()
