"""How far `auto` is behind the best knob, row by row: `python -m bench.knobs --rows 'sssp-*' --seconds 80`.

Of each row the first run on a graph counts, whose code another graph has loaded, and later runs; then every knob of the
program, one at a time, and every pass that `plan.alternatives` may leave out, in turns with the program as it is. Every
result is checked: that of `auto` by the row's own check, all others by comparison with it. `--settle` also lets runs
try other forms, as soon as possible and until none is left.

Code is compiled by half of the processors while rows are measured, the most promising words first:
what is not compiled in time is not tried, and the number of tries says so. Words with the same code are tried once.
"""

from __future__ import annotations

import fnmatch
import json
import multiprocessing
import os
import statistics
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import click
import numpy as np

import gdsl
from bench.graphs import DIRECTED, BenchmarkGraph, load, made_graph, release, split_name
from bench.more_classes import MORE_CLASSES
from bench.rows import TWELVE, Row
from bench.works import WORKS
from gdsl.api.convergence import quiet
from gdsl.api.schedules import code_of, differences, hash_of, knob_choices
from gdsl.api.summary import on_host
from gdsl.backends import registry
from gdsl.backends.cuda import observed_forms
from gdsl.backends.cuda.degree_order import ends_at_hubs
from gdsl.backends.cuda.memory import largest_degree_of
from gdsl.backends.measuring import measured
from gdsl.diagnostics import GdslError
from gdsl.graph import Graph
from gdsl.graph.csr import Csr
from gdsl.plan import heuristics, work_order
from gdsl.plan.graph_class import GENERAL, REVISITED, WIDE, GraphClass
from gdsl.plan.target import CUDA_FUSED
from gdsl.types import Widths

MORE_WORKS = (*TWELVE, "label_propagation")
PASSES = ("local_rounds", "narrow_arrays", "small_frontiers", "block_cache")
"""Passes that forms leave out."""
AUTO, ONE_BLOCK = "", "one block a multiprocessor"
"""Words that are none: the program as it is, and on a smaller grid."""
_COSTLY = ("betweenness", "strongly_connected_components", "louvain", "minimum_spanning_forest")
"""Works whose forms take seconds to compile: those of their operators' knobs that seldom matter are left out."""
_WIDTHS = Widths.both(32)
_PATIENCE = 10.0
"""Seconds that a word is waited for."""
_TURNS, _FEW_TURNS, _LONG_MS, _FAR = 7, 4, 10.0, 1.15
"""A word is run so many times in turns with the program as it is, fewer times where a run takes so long, unless its
first runs take so much longer."""

Counts = tuple[int, int, int, float]
"""The numbers of vertices and stored edges of a graph, its largest degree, and the part of edges that lead to hubs."""


def words_of(work: str) -> list[str]:
    """The words that are tried, the most promising first."""
    knobs = {choice.name: [word for word in choice.words if word] for choice in knob_choices(program(work).ir, [])}
    own = [f"schedule.{word}" for word in ("block=256", "block=512", "block=1024", "order=near_far", "order=as_given")]
    own += ["schedule.layout=by_degree", "schedule.layout=as_given"]
    own += [f"without={name}" for name in PASSES if work not in _COSTLY]
    usual = ("direction=push", "direction=pull", "balance=thread")
    inner = [word for name, words in knobs.items() if not name.startswith("schedule.") for word in words]
    first = [word for value in usual for word in inner if word.endswith(value)]
    rest = [word for word in inner if word not in first and not word.endswith(")")]
    more = [word for word in knobs.get("schedule.block", ()) if word not in own]
    return [*own, *first, *(() if work in _COSTLY else (*rest, *more))]


@cache
def program(work: str, word: str = AUTO) -> gdsl.Program:
    """The program of a work with a word. Raises GdslError where it does not accept it."""
    return gdsl.compile(WORKS[work].program, tune=[word] if word not in (AUTO, ONE_BLOCK) else [])


@cache
def is_accepted(work: str, word: str) -> bool:
    """Whether the program of a work has such a knob."""
    try:
        program(work, word)
    except GdslError:
        return False
    return True


@cache
def _instance(work: str, word: str) -> Any:
    """The IR for the types of the arguments that the rows have."""
    graph = made_graph("one_way_grid3", np, 1) if WORKS[work].directed else load("grid3", "cpu", 1)
    return program(work, word).instance(graph.graph, WORKS[work].values(graph, graph.sources[0])).ir


def _classes(ir: Any, counts: Counts) -> Iterator[GraphClass]:
    """Those that runs on such a graph may use."""
    suited = heuristics.class_for(ir, *counts[:3], at_hubs=lambda places: counts[3])
    yield suited
    if suited == GENERAL and work_order.observed_loop(ir) is not None:
        yield from (REVISITED, WIDE)


def make(work: str, word: str, graphs: Sequence[Counts], known: Mapping[Counts, str]) -> dict[Counts, str]:
    """Put the machine code that runs on these graphs may use into the cache; a hash of it by graph, without those whose
    code is `known`. Nothing if the word is refused."""
    try:
        ir = _instance(work, word)
        classes = {counts: tuple(_classes(ir, counts)) for counts in graphs}
        codes = {one: code_of(ir, "cuda", _WIDTHS, one) for each in classes.values() for one in each}
        hashes = {counts: hash_of(*(codes[one] for one in each)) for counts, each in classes.items()}
        new = [counts for counts in graphs if known.get(counts) != hashes[counts] or "layout" in word]
        for graph_class in dict.fromkeys(one for counts in new for one in classes[counts]):
            executable: Any = registry.get("cuda").build(ir, _WIDTHS, graph=graph_class)  # type: ignore[call-arg]
            layout = executable.plan.layout
            if layout is not None and layout.apart:
                executable._with_other_ids()
    except GdslError:
        return {}
    return {counts: hashes[counts] for counts in new}


def _matching(words: Sequence[str], patterns: Sequence[str]) -> list[str]:
    return [word for word in words if any(fnmatch.fnmatchcase(word, each) for each in patterns)]


class Codes:
    """What is compiled, by work and word, in the background."""

    def __init__(self, backend: str, works: Sequence[str], tried: Sequence[str], most: int) -> None:
        self._on_gpu, self._made = backend == "cuda", dict[tuple[str, str], Future[dict[Counts, str]]]()
        self.words = {work: _matching(words_of(work), tried)[: most or None] for work in works}
        if not self._on_gpu:
            return
        self._pool = ProcessPoolExecutor(
            max(len(os.sched_getaffinity(0)) // 2, 1), multiprocessing.get_context("spawn")
        )
        for work in works:  # processes begin while graphs are made
            self._pool.submit(make, work, AUTO, (), {})

    def begin(self, rows: Sequence[Row], graphs: Mapping[str, BenchmarkGraph]) -> None:
        """Compile for these rows, from now on."""
        if self._on_gpu:
            threading.Thread(target=self._submit_all, args=(rows, graphs), daemon=True).start()

    def _submit_all(self, rows: Sequence[Row], graphs: Mapping[str, BenchmarkGraph]) -> None:
        works = list(self.words)
        counts = {work: [counts_of(graphs[row.graph]) for row in rows if row.work == work] for work in works}
        for work in works:
            self._made[work, AUTO] = self._pool.submit(make, work, AUTO, counts[work], {})
        for work in works:
            try:
                known = self._made[work, AUTO].result()
            except Exception as error:  # its rows say what is wrong
                print(f"{work}: {type(error).__name__}: {error}", flush=True)
                known = {}
            for word in self.words[work]:
                self._made[work, word] = self._pool.submit(make, work, word, counts[work], known)

    def ready(self, work: str, counts: Counts, until: float) -> Iterator[str]:
        """The words whose code is another one on such a graph, once each, if it is compiled by then."""
        if not self._on_gpu:
            yield from (word for word in self.words[work] if is_accepted(work, word))
            return
        yield ONE_BLOCK
        known = set[str]()
        for word in self.words[work]:
            try:
                limit = min(until, time.monotonic() + _PATIENCE)
                while (work, word) not in self._made and time.monotonic() < limit:
                    time.sleep(0.01)
                if (work, word) not in self._made:
                    raise TimeoutError
                code = self._made[work, word].result(max(limit - time.monotonic(), 0)).get(counts)
            except TimeoutError:
                self.missing += 1
                continue
            except Exception as error:  # the driver's, say: the other words can still be tried
                print(f"{work}, {word}: {type(error).__name__}: {error}", flush=True)
                continue
            if code is not None and code not in known:
                known.add(code)
                yield word

    missing = 0
    """Words that were not compiled in time."""

    def close(self) -> None:
        """Compile nothing more."""
        if self._on_gpu:
            self._pool.shutdown(wait=False, cancel_futures=True)


def counts_of(graph: BenchmarkGraph) -> Counts:
    """What the class of a graph depends on."""
    at_hubs = round(ends_at_hubs(graph.graph, 1 << CUDA_FUSED.sizes.bound_bits), 3)
    return graph.num_vertices, graph.num_edges, largest_degree_of(graph.graph), at_hubs


class Search:
    """The words of one row."""

    def __init__(self, row: Row, graph: BenchmarkGraph, twin: Graph, backend: str, codes: Codes, until: float) -> None:
        self.row, self.graph, self.backend, self.codes, self.until = row, graph, backend, codes, until
        self.work = WORKS[row.work]
        self.source = graph.sources[0] if self.work.takes_source else None
        self.values = self.work.values(graph, self.source)
        self.found: dict[str, Any] = {"row": row.name}
        self._twin, self.checks = twin, True

    def _run(self, program: gdsl.Program, graph: Graph | None = None, timeout: float = 60.0) -> gdsl.Result:
        with measured(), quiet():
            return program.run(graph or self.graph.graph, self.values, backend=self.backend, timeout=timeout)

    def auto(self) -> str | None:
        """Run the program as it is; what is wrong with its results."""
        own = program(self.row.work)
        self._run(own, self._twin)
        result = self._run(own)
        self.expected = {name: on_host(value) for name, value in result.items()}
        self.ir = own.instance(self.graph.graph, self.values).ir
        self.turns = range(_TURNS if result.time_ms < _LONG_MS else _FEW_TURNS)
        times = [self._run(own).time_ms for _ in self.turns]
        self.ms = min(times)
        self.found |= {"first": result.time_ms, "auto": statistics.median(times), "order": result.order_line}
        walked = sum(record.edges for record in result.trace)
        self.found |= {"passes": result.iterations, "edges_a_pass": round(walked / max(result.iterations, 1))}
        began = time.monotonic()
        problem = self.work.check(self.graph, result, self.source) if self.checks else None
        self.found["check_s"] = time.monotonic() - began
        return problem

    def words(self) -> None:
        """Try them in turns."""
        words, missing = {}, self.codes.missing
        for word in self.codes.ready(self.row.work, counts_of(self.graph), self.until):
            if time.monotonic() > self.until:
                self.codes.missing += 1
                break
            words[word] = self._compared(word)
        self.found |= {"words": words, "left": self.codes.missing - missing}

    def _compared(self, word: str) -> float | str | None:
        """The time with a word by that without, by the least of both; None where it is far behind; else what is
        wrong."""
        other = gdsl.compile(self.work.program) if word == ONE_BLOCK else program(self.row.work, word)
        try:
            return self._in_turns(other, word)
        except GdslError as error:
            return None if error.code == "E0802" else error.code
        finally:
            _forget(other, self.graph.graph)

    def _in_turns(self, other: gdsl.Program, word: str) -> float | str | None:
        own, limit = program(self.row.work), max(20 * self.ms / 1000, 0.5)
        result = self._run(other, timeout=limit + 10)
        if word == ONE_BLOCK:
            _on_one_block(other, self.graph.graph)
            result = self._run(other)
        wrong = next(differences(self.ir, self.expected, result), None)
        if wrong is not None:
            return f"wrong: {wrong}"
        if result.time_ms > 3 * self.ms + 1:
            return None
        least = min(self._run(other, timeout=limit).time_ms for _ in range(2))
        if least > _FAR * self.ms:
            return round(least / self.ms, 3) if least < 2 * self.ms else None
        ours, theirs = [], []
        for _ in self.turns:
            ours.append(self._run(own).time_ms)
            theirs.append(self._run(other).time_ms)
        return round(min(theirs) / min(ours), 3)

    def settle(self) -> None:
        """Let runs try other forms as soon as possible, and compare what is left with the program as it is."""
        own, other = program(self.row.work), gdsl.compile(self.work.program)
        former, observed_forms.TIMES = observed_forms.TIMES, 0
        try:
            for _ in range(400):
                result = other.run(self.graph.graph, self.values, backend=self.backend, timeout=60.0)
                if time.monotonic() > self.until or _is_settled(other, self.graph.graph):
                    break
        finally:
            observed_forms.TIMES = former
        wrong = next(differences(self.ir, self.expected, result), None)
        pairs = [(self._run(own).time_ms, self._run(other).time_ms) for _ in self.turns]
        ours, theirs = ([pair[place] for pair in pairs] for place in (0, 1))
        self.found |= {"settled": min(theirs) / min(ours), "form": wrong or result.form_line}


def _executables(program: gdsl.Program) -> Iterator[Any]:
    for instance in (program, *program._instances.values()):
        yield from instance._executables.values()


def _forget(program: gdsl.Program, *graphs: Graph) -> None:
    """Free what its runs on these graphs have on a GPU."""
    for executable in _executables(program):
        for graph in graphs if hasattr(executable, "_forget") else ():
            executable._forget(graph)


def _on_one_block(program: gdsl.Program, graph: Graph) -> None:
    """Run on one block of each multiprocessor from now on."""
    for executable in _executables(program):
        for each in (executable, *executable._others.values(), executable._renamed):
            if each is not None:
                each.blocks_each = 1
                each._forget(graph)


def _is_settled(program: gdsl.Program, graph: Graph) -> bool:
    forms = [each._on(graph).forms for each in _executables(program)]
    return all(each is None or each.is_settled for each in forms)


def line_of(found: Mapping[str, Any]) -> str:
    """A row for people."""
    if found["problem"] is not None:
        return f"{found['row']}: {found['problem']}"
    words = {word: each for word, each in found.get("words", {}).items() if isinstance(each, float)}
    wrong = {word: each for word, each in found.get("words", {}).items() if isinstance(each, str)}
    text = f"{found['row']}: first {found['first']:.4g}, auto {found['auto']:.4g}"
    text += f" ({found['passes']} passes of {found['edges_a_pass']} edges)"
    if "settled" in found:
        text += f", settled {found['settled'] * found['auto']:.4g} ({found['form']})"
    if words:
        best = min(words, key=lambda word: words[word])
        ms = words[best] * found["auto"]
        behind = found["first"] / ms - 1
        text += f", best {ms:.4g} ({best}), first run {100 * behind:+.0f} %"
    rest = " ".join(f"{word} {ratio:.3g}" for word, ratio in sorted(words.items(), key=lambda item: item[1]))
    left = f", {found['left']} left" if found.get("left") else ""
    said = f"{text}; {len(found.get('words', ()))} tries{left}: {rest}" if rest else text
    said += f"; check {found['check_s']:.1f} s" if found["check_s"] > 0.5 else ""
    return f"{said} WRONG {wrong}" if wrong else said


@click.command()
@click.option("--rows", default="", metavar="ROWS", help="Patterns of WORK-GRAPH; default: all works on --graphs.")
@click.option("--graphs", default=",".join(MORE_CLASSES), metavar="GRAPHS", show_default=True)
@click.option("--seconds", default=80.0, show_default=True, help="After which no row is begun.")
@click.option("--words", "tried", default="*", metavar="WORDS", help="Patterns of the words that are tried.")
@click.option("--check/--no-check", default=True, help="Whether first results are checked, too.")
@click.option("--most", default=0, help="Words of each program at most; 0: all.")
@click.option("--backend", default="cuda", show_default=True)
@click.option("--settle", is_flag=True, help="Also let runs try other forms.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Write all that was found.")
def main(
    rows: str,
    graphs: str,
    seconds: float,
    tried: str,
    check: bool,
    most: int,
    backend: str,
    settle: bool,
    json_path: Path | None,
) -> None:
    """Search for the best knob of each row."""
    until, began, found = time.monotonic() + seconds, time.monotonic(), []
    names, words = (tuple(filter(None, text.split(","))) for text in (graphs, rows))
    known = {row.name: row for row in (Row(work, name) for work in MORE_WORKS for name in names if _suits(work, name))}
    patterns = [name for word in words or ["*"] for name in fnmatch.filter(known, word)]
    chosen = [known[name] for name in dict.fromkeys(patterns)]
    codes = Codes(backend, list(dict.fromkeys(row.work for row in chosen)), tried.split(","), most)
    made = {}
    for name in dict.fromkeys(row.graph for row in chosen):
        made[name] = load(name, backend, 1)
        print(f"{time.monotonic() - began:5.1f} {name}: {counts_of(made[name])}", flush=True)
    twins = {name: Graph._of_csr(Csr(each.graph.offsets, each.graph.columns, each.graph.directed, {}, {}))
             for name, each in made.items()}  # fmt: skip
    codes.begin(chosen, made)
    for row in chosen:
        if time.monotonic() > until:
            print(f"{row.name}: no time", flush=True)
            continue
        search = Search(row, made[row.graph], twins[row.graph], backend, codes, until)
        search.checks = check
        found.append(_searched(search, settle))
        print(f"{time.monotonic() - began:5.1f} {line_of(found[-1])}", flush=True)
        if json_path is not None:
            json_path.write_text(json.dumps(found, indent=1))
    codes.close()
    for process in multiprocessing.active_children():
        process.kill()


def _searched(search: Search, settle: bool) -> dict[str, Any]:
    try:
        search.found["problem"] = search.auto()
        if search.found["problem"] is None:
            search.words()
            if settle:
                search.settle()
    except GdslError as error:
        search.found["problem"] = f"{error.code}: {error.diagnostics[0].message}"
    finally:
        _forget(program(search.row.work), search.graph.graph, search._twin)
        release(search.graph.module)
    return search.found


def _suits(work: str, graph: str) -> bool:
    return WORKS[work].directed == (split_name(graph)[0] in DIRECTED)


if __name__ == "__main__":
    main()
