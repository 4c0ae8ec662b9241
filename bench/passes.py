"""What each pass of the plan is worth: rows without it, in turns with the program as it is.

A pass without which a row has the same code needs no run there. Times are the least of all turns, summed over the
sources. One more program in the same turns leaves out nothing: how far it is from 1 says what the machine alone does.
"""

from __future__ import annotations

import gc
import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click
from rich.table import Table

import gdsl
from bench import machine, report
from bench.cpu import Least, added
from bench.graphs import BenchmarkGraph, load, release, split_name
from bench.measure import TIMEOUT
from bench.pass_codes import NOTHING, Codes, program_without
from bench.rows import Row, class_rows
from bench.summary import geometric_mean
from bench.works import WORKS
from gdsl.api.schedules import differences, uncompared
from gdsl.api.summary import on_host
from gdsl.diagnostics import GdslError
from gdsl.knobs import OPTIONAL_PASSES as OPTIONAL

KINDS = {
    "bfs": ("rmat", "grid", "uniform"),
    "sssp": ("rmat", "kmer", "rgg"),
    "pagerank": ("rmat", "bipartite", "mesh", "stars"),
    "components": ("kmer", "communities"),
    "triangles": ("hubs", "small_world"),
    "betweenness": ("uniform", "random_tree", "hub_chain"),
    "k_core": ("rmat", "small_world"),
    "maximal_independent_set": ("hubs", "grid"),
    "coloring": ("rgg", "bipartite"),
    "minimum_spanning_forest": ("communities", "mesh"),
    "strongly_connected_components": ("directed_rmat", "one_way_grid", "chain_of_cycles", "layers"),
    "louvain": ("grid", "communities"),
}
"""The kinds of graphs on which each work is measured: each of them somewhere, and for each work those on which its code
differs most."""
MARGIN = 1.03
"""By so much a pass helps or hurts a row, or does neither."""
_FAR_BEHIND = 3.0
"""A program that takes this many times as long as the one as it is has no further turns."""
_LEAST, _SITTING = 3, 3.0
"""A source has at least so many turns, and no more once they have taken so many seconds."""
_SHORTEST, _HOPELESS = 5.0, 20.0
"""A run without a pass is stopped after so many seconds, or so many times what the program as it is takes."""


def usual_rows(backend: str) -> list[Row]:
    """The rows that are measured where none are named: of `class_rows` those of `KINDS`."""
    return [row for row in class_rows(backend) if split_name(row.graph)[0] in KINDS[row.work]]


def suited(rows: Sequence[Row]) -> list[Row]:
    """The rows, graph by graph. Raises ValueError for one that is no run of a work."""
    for row in rows:
        if row.work not in WORKS:
            raise ValueError(f"{row.name} is no run of a program, as --passes measures")
    graphs = list(dict.fromkeys(row.graph for row in rows))
    return sorted(rows, key=lambda row: graphs.index(row.graph))


@dataclass
class Outcome:
    """A row. `least`: of the program as it is (""), of one more like it (`NOTHING`), and without each pass that changes
    its code. `stopped`: those that took too long. `problems`: what was wrong, by the pass that was left out."""

    row: Row
    least: dict[str, Least] = field(default_factory=dict)
    stopped: list[str] = field(default_factory=list)
    problems: dict[str, str] = field(default_factory=dict)

    def ratio(self, name: str, processor: bool = False) -> float | None:
        """The time without a pass by the time with all; None where it is not known."""
        if name not in self.least or name in self.problems or "" in self.problems:
            return None
        other, own = ((each.cpu_ms if processor else each.ms) for each in (self.least[name], self.least[""]))
        return other / own if other and own else None


def measured_without(row: Row, graph: BenchmarkGraph, backend: str, repeat: int, names: Sequence[str]) -> Outcome:
    """Run `row` without each of the passes `names` in turns with the program as it is, `repeat` times from every
    source, and check the results."""
    outcome = Outcome(row)
    programs = {
        "": program_without(row.work, NOTHING),
        **{name: program_without(row.work, name) for name in (NOTHING, *names)},
    }
    for source in graph.sources if WORKS[row.work].takes_source else [None]:
        least = _from(source, outcome, graph, backend, repeat, programs)
        outcome.least = {name: added(outcome.least.get(name), each) for name, each in least.items()}
    return outcome


def _from(
    source: int | None,
    outcome: Outcome,
    graph: BenchmarkGraph,
    backend: str,
    repeat: int,
    programs: dict[str, gdsl.Program],
) -> dict[str, Least]:
    """The least times from one source of the programs that come to their end."""
    work = WORKS[outcome.row.work]
    values, least = work.values(graph, source), {name: Least() for name in programs}

    def run(name: str, timeout: float = TIMEOUT) -> gdsl.Result:
        before = time.process_time()
        result = programs[name].run(graph.graph, values, backend=backend, timeout=timeout)
        least[name].note(result.time_ms, (time.process_time() - before) * 1000)
        return result

    expected, limit = None, TIMEOUT
    for name in list(programs):
        if name in outcome.stopped or name in outcome.problems:
            continue
        try:
            result = run(name, limit)
        except GdslError as error:
            if error.code == "E0802":
                outcome.stopped.append(name)
                least[name].ms = limit * 1000
            else:
                outcome.problems[name] = str(error)
            continue
        if expected is None:
            expected = {each: on_host(value) for each, value in result.items()}
            limit = max(_SHORTEST, _HOPELESS * result.time_ms / 1000)
        program = programs[name].instance(graph.graph, values).ir
        wrong = next(differences(program, expected, result), None)
        if name == "" or uncompared(program):
            wrong = wrong or work.check(graph, result, source)
        if wrong is not None:
            outcome.problems[name] = wrong
    if "" in outcome.problems:
        return least
    _turns(run, least, [name for name in programs if name not in (*outcome.stopped, *outcome.problems)], repeat)
    return least


def _turns(run: Callable[[str], object], least: dict[str, Least], names: Sequence[str], repeat: int) -> None:
    """Turns of all, each beginning with another program. What is made with a graph was made in the first run."""
    for name in names:
        least[name].ms = least[name].cpu_ms = None
        run(name)
    started = time.monotonic()
    for done in range(repeat):
        if done >= _LEAST and time.monotonic() - started > _SITTING:
            return
        first = done % len(names)
        for name in (*names[first:], *names[:first]):
            if not done or (least[name].ms or 0.0) < _FAR_BEHIND * (least[""].ms or math.inf):
                run(name)


class Ablation:
    """The rows that have been measured. `json_path`: a document that is written again after each row."""

    def __init__(self, backend: str, repeat: int, sources: int, threads: int, json_path: Path | None) -> None:
        self.backend, self.repeat, self.sources = backend, repeat, sources
        self.machine, self.json_path = machine.describe(backend, threads), json_path
        self.outcomes: list[Outcome] = []

    def all(self, rows: Sequence[Row]) -> list[Outcome]:
        """Every row, graph by graph."""
        started = time.monotonic()
        codes = Codes(self.backend, list(dict.fromkeys(row.work for row in rows)))
        click.echo(f"compiled in {time.monotonic() - started:.0f} s", err=True)
        for name in dict.fromkeys(row.graph for row in rows):
            graph = load(name, self.backend, self.sources)
            for row in (row for row in rows if row.graph == name):
                started = time.monotonic()
                self.outcomes.append(self._measured(row, graph, codes))
                click.echo(f"{line(self.outcomes[-1])} ({time.monotonic() - started:.0f} s)", err=True)
                if self.json_path is not None:
                    report.write(self.json_path, self._document())
            module = graph.module
            del graph
            gc.collect()
            release(module)
        return self.outcomes

    def _measured(self, row: Row, graph: BenchmarkGraph, codes: Codes) -> Outcome:
        """A row; one that fails does not keep the others from running."""
        try:
            return measured_without(row, graph, self.backend, self.repeat, codes.changed_by(row.work, graph))
        except Exception as error:  # a mistake of ours, or the device's
            return Outcome(row, problems={"": f"{type(error).__name__}: {error}"})

    def _document(self) -> str:
        rows = [
            {
                "row": each.row.name,
                "ms": each.least[""].ms if "" in each.least else None,
                "without": {
                    name: {**asdict(least), "ratio": each.ratio(name), "stopped": name in each.stopped}
                    for name, least in each.least.items()
                    if name
                },
                "problems": each.problems,
            }
            for each in self.outcomes
        ]
        options = {"repeat": self.repeat, "sources": self.sources}
        document = {"backend": self.backend, "options": options, "machine": self.machine, "rows": rows}
        return json.dumps(document, indent=1) + "\n"


def line(outcome: Outcome) -> str:
    """A row for people: what is worth most to it comes first."""
    title, own = outcome.row.title, outcome.least.get("", Least()).ms
    wrong = [f"FAILED {title} without {name or 'any change'}: {said}" for name, said in outcome.problems.items()]
    ratios = {name: ratio for name in outcome.least if name and (ratio := outcome.ratio(name)) is not None}
    said = ", ".join(f"{name} {ratios[name]:.3f}" for name in sorted(ratios, key=lambda name: -ratios[name]))
    return "\n".join([f"{title}: {own or 0.0:.3f} ms; {said}", *wrong])


def table(outcomes: Sequence[Outcome], processor: bool = False) -> Table:
    """A line for each pass that changes the code of a row. `processor`: by processor time instead."""
    grid = Table(box=None, pad_edge=False, header_style="bold")
    grid.add_column("without" + (", processor time" if processor else ""))
    for header in ("rows", "time", "helped", "hurt"):
        grid.add_column(header, justify="right")
        if header in ("helped", "hurt"):
            grid.add_column("most")
    for name in (NOTHING, *OPTIONAL):
        ratios = {
            each.row.title: ratio for each in outcomes if (ratio := each.ratio(name, processor=processor)) is not None
        }
        if not ratios:
            continue
        order = sorted(ratios, key=lambda row: ratios[row])
        helped, hurt = (
            [row for row in order if ratios[row] > MARGIN],
            [row for row in order if ratios[row] < 1 / MARGIN],
        )
        best, worst = (f"{row} {ratios[row]:.2f}" if row else "" for row in ((helped or [""])[-1], (hurt or [""])[0]))
        mean = f"{geometric_mean(list(ratios.values())):.3f}"
        grid.add_row(name, str(len(ratios)), mean, str(len(helped)), best, str(len(hurt)), worst)
    return grid
