"""The code of works without each pass of the plan: which passes change it, compiled before anything is measured."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

import gdsl
from bench.graphs import BenchmarkGraph, load, made_graph
from bench.works import WORKS
from gdsl.api.schedules import code_of, hash_of
from gdsl.backends import registry
from gdsl.backends.cuda.planning import class_on, plan_of
from gdsl.diagnostics import GdslError
from gdsl.knobs import OPTIONAL_PASSES as OPTIONAL
from gdsl.plan import heuristics
from gdsl.plan.graph_class import FACTS, GENERAL, REVISITED, WIDE, class_of
from gdsl.plan.renumbering import looking_up
from gdsl.types import Widths

NOTHING = "(nothing)"
"""What a program leaves out that has all passes."""
_WIDTHS = Widths.both(32)
_COSTLY = ("betweenness", "strongly_connected_components", "louvain", "minimum_spanning_forest")
"""What takes longest to compile is begun first."""


class Form(NamedTuple):
    """The code of a work without a pass (`NOTHING`: with all) for graphs of which these facts hold."""

    work: str
    left_out: str
    facts: tuple[str, ...]


def program_without(work: str, left_out: str) -> gdsl.Program:
    """The program of a work without a pass."""
    return gdsl.compile(WORKS[work].program, tune=[] if left_out == NOTHING else [f"without={left_out}"])


@cache
def _instance(work: str, left_out: str) -> Any:
    """The IR for the types of the arguments that the rows have."""
    directed = WORKS[work].directed
    graph = made_graph("one_way_grid3", np, 1) if directed else load("grid3", "cpu", 1)
    return program_without(work, left_out).instance(graph.graph, WORKS[work].values(graph, graph.sources[0])).ir


def _forms(backend: str, works: Sequence[str]) -> Iterator[Form]:
    """Every code that a graph of some class may have; on a CPU there is one class."""
    for work in works:
        classes = {GENERAL}
        if backend == "cuda":
            program = _instance(work, NOTHING)
            some = (facts for count in range(1, 3) for facts in combinations(FACTS, count) if "host-lists" not in facts)
            classes |= {heuristics.relevant(program, class_of(facts)) for facts in some}
        for each in sorted(classes, key=str):
            yield from (Form(work, left_out, each.facts) for left_out in (NOTHING, *OPTIONAL))


def _programs(backend: str, form: Form) -> Iterator[Any]:
    """What a run of that form may use: the program, and the one for other ids if that is another."""
    program = _instance(form.work, form.left_out)
    yield program
    if backend == "cuda":
        layout = plan_of(program, graph=class_of(form.facts), verify=False).layout
        if layout is not None and layout.apart:
            yield looking_up(program)


def _code(backend: str, form: Form) -> str:
    """A hash of the form's code."""
    graph = class_of(form.facts)
    return hash_of(*(code_of(program, backend, _WIDTHS, graph) for program in _programs(backend, form)))


def _compile(backend: str, form: Form) -> None:
    """Put the form's machine code into the cache."""
    build: Callable[..., object] = registry.get(backend).build
    options = {"graph": class_of(form.facts)} if backend == "cuda" else {}
    with contextlib.suppress(GdslError):  # the run says what is wrong
        for program in _programs(backend, form):
            build(program, _WIDTHS, **options)


class Codes:
    """The code of every form of these works, compiled in as many processes as there are processors."""

    def __init__(self, backend: str, works: Sequence[str]) -> None:
        self._backend, processors = backend, len(os.sched_getaffinity(0))
        with ProcessPoolExecutor(processors, multiprocessing.get_context("spawn")) as pool:
            forms = list(_forms(backend, works))
            self._codes = dict(zip(forms, pool.map(partial(_code, backend), forms), strict=True))
            classes = {(form.work, form.facts) for form in forms}
            needed = {
                Form(work, left_out, facts)
                for form in forms
                if self._differs(form)
                for work, left_out, facts in (form, form._replace(left_out=NOTHING), form._replace(facts=()))
                if (work, facts) in classes
            }
            list(pool.map(partial(_compile, backend), sorted(needed, key=lambda form: form.work not in _COSTLY)))

    def changed_by(self, work: str, graph: BenchmarkGraph) -> list[str]:
        """The passes without which the code for a graph is another one."""
        facts: set[tuple[str, ...]] = {()}
        if self._backend == "cuda":
            program = _instance(work, NOTHING)
            own = class_on(program, graph.graph)
            begins_again = own == GENERAL and "revisited" in heuristics.effects_of_graph(program)
            facts = {own.facts, REVISITED.facts, WIDE.facts} if begins_again else {own.facts}
        return [name for name in OPTIONAL if any(self._differs(Form(work, name, each)) for each in facts)]

    def _differs(self, form: Form) -> bool:
        return self._codes[form] != self._codes[form._replace(left_out=NOTHING)]
