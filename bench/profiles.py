"""What programs walk, for `bench.predictions`: stored in profiles.json, from runs on the CPU on a smaller rmat graph,
or on a GPU on graphs of the benchmarks."""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import gdsl
from bench.graphs import load
from gdsl.api.compiling import compile_file
from gdsl.backends.cuda import plan_of
from gdsl.clusters.model.profile import Pass, Profile, class_of, of_trace
from gdsl.plan.graph_class import GENERAL, GraphClass, measure
from gdsl.plan.nodes import Plan

PROFILES = Path(__file__).with_name("profiles.json")
_IN_SECTOR = 8
"""Values of 4 bytes."""


def plan_for(program: str, without: tuple[str, ...] = (), graph: GraphClass = GENERAL) -> Plan:
    """The plan for several GPUs of a sample, without these passes, for graphs of a class."""
    ir = compile_file(program).ir
    tuning = dataclasses.replace(ir.tuning, without=(*ir.tuning.without, *without))
    return plan_of(dataclasses.replace(ir, tuning=tuning), several_gpus=True, verify=False, graph=graph)


def stored_profile(program: str, graph: str = "") -> Profile | None:
    """What a sample walks on a graph of the benchmarks, or on the smaller one; None if it is not stored."""
    stored = json.loads(PROFILES.read_text()).get(f"{program}-{graph}" if graph else program)
    if stored is None:
        return None
    passes = tuple(Pass(*row) for row in stored.pop("passes"))
    return Profile(passes=passes, **stored)


def _values(source: int, weight: Any) -> dict[str, dict[str, Any]]:
    return {
        "pagerank": {"damping": 0.85, "tolerance": 0.0, "max_iterations": 20},
        "sssp": {"source": source, "weight": weight},
        "bellman_ford": {"source": source, "weight": weight},
        "bfs": {"source": source},
        "connected_components": {},
        "k_core": {},
        "triangle_count": {},
    }


def walk(scale: int, only: Sequence[str] = ()) -> None:
    """Run the programs on the CPU, or only those of these names, and store what they walk."""
    graph = gdsl.Graph.read(f"rmat:{scale}:seed=1", undirected=True, loops=False, dedup="first")
    degrees = graph.out_degrees
    draw = np.random.default_rng(5)
    source = int(draw.choice(np.flatnonzero(degrees)))
    weight = draw.integers(1, 65, graph.num_edges).astype(np.float32)
    _store(graph, _values(source, weight), "cpu", {"occupied": int((degrees > 0).sum())}, only)


def trace(name: str, only: Sequence[str] = ()) -> None:
    """The same on one GPU, on a graph of the benchmarks, from its first source."""
    graph = load(name, "cuda", 2)
    degrees = graph.module.diff(graph.offsets)
    facts: dict[str, Any] = {"occupied": int((degrees > 0).sum())}
    if not measure(graph.num_vertices, graph.num_edges, int(degrees.max())).hubs:
        facts.update(skewed=False, scatter=round(scatter_of(graph.module, graph.offsets, graph.columns), 3))
    _store(graph.graph, _values(graph.sources[0], graph.weights), "cuda", facts, only, f"-{name}")


def scatter_of(module: Any, offsets: Any, columns: Any) -> float:
    """`Profile.scatter` of a graph whose ids stay as given."""
    sectors = columns // _IN_SECTOR
    elsewhere = module.ones(len(columns), bool)
    elsewhere[1:] = sectors[1:] != sectors[:-1]
    elsewhere[offsets[:-1][module.diff(offsets) > 0]] = True
    return float(elsewhere.mean())


def _store(
    graph: gdsl.Graph, values: dict[str, dict[str, Any]], backend: str, facts: dict[str, Any], only: Sequence[str],
    of: str = "",
) -> None:  # fmt: skip
    warnings.simplefilter("ignore", gdsl.NotConvergedWarning)
    stored = json.loads(PROFILES.read_text())
    for name in only or values:
        knobs = ["schedule.order=as_given"] if name == "sssp" and backend == "cpu" else []
        result = compile_file(name, knobs).run(graph, values[name], backend=backend)
        records = [(each.site, each.frontier_size, each.edges or 0) for each in result.trace]
        sizes = graph.num_vertices, graph.num_edges
        plan = plan_for(name)
        plan = plan_for(name, graph=class_of(plan, of_trace(plan, *sizes, records)))
        passes = [_row(each) for each in of_trace(plan, *sizes, records).passes]
        stored[name + of] = {"vertices": sizes[0], "edges": sizes[1], **facts, "passes": passes}
        rows = (f'"{name}": {json.dumps(each)}' for name, each in stored.items())
        PROFILES.write_text("{\n" + ",\n".join(rows) + "\n}\n")


def _row(each: Pass) -> list[float | bool | None]:
    *numbers, alone = dataclasses.astuple(each)
    return [*(round(number, 2) for number in numbers), alone]
