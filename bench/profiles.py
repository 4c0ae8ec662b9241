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
from gdsl.clusters.model.profile import Pass, Profile, of_trace
from gdsl.plan.nodes import Plan

PROFILES = Path(__file__).with_name("profiles.json")


def plan_for(program: str, without: tuple[str, ...] = ()) -> Plan:
    """The plan for several GPUs of a sample, without these passes."""
    ir = compile_file(program).ir
    tuning = dataclasses.replace(ir.tuning, without=(*ir.tuning.without, *without))
    return plan_of(dataclasses.replace(ir, tuning=tuning), several_gpus=True, verify=False)


def stored_profile(program: str, graph: str = "") -> Profile | None:
    """What a sample walks on a graph of the benchmarks, or on the smaller one; None if it is not stored."""
    stored = json.loads(PROFILES.read_text()).get(f"{program}-{graph}" if graph else program)
    if stored is None:
        return None
    passes = tuple(Pass(*row) for row in stored["passes"])
    return Profile(stored["vertices"], stored["edges"], passes, stored["occupied"])


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
    _store(graph, _values(source, weight), "cpu", int((degrees > 0).sum()), only)


def trace(name: str, only: Sequence[str] = ()) -> None:
    """The same on one GPU, on a graph of the benchmarks, from its first source."""
    graph = load(name, "cuda", 2)
    occupied = int((graph.module.diff(graph.offsets) > 0).sum())
    _store(graph.graph, _values(graph.sources[0], graph.weights), "cuda", occupied, only, f"-{name}")


def _store(
    graph: gdsl.Graph, values: dict[str, dict[str, Any]], backend: str, occupied: int, only: Sequence[str], of: str = ""
) -> None:
    warnings.simplefilter("ignore", gdsl.NotConvergedWarning)
    stored = json.loads(PROFILES.read_text())
    for name in only or values:
        knobs = ["schedule.order=as_given"] if name == "sssp" and backend == "cpu" else []
        result = compile_file(name, knobs).run(graph, values[name], backend=backend)
        records = [(each.site, each.frontier_size, each.edges or 0) for each in result.trace]
        profile = of_trace(plan_for(name), graph.num_vertices, graph.num_edges, records, occupied)
        passes = [[round(value, 2) for value in dataclasses.astuple(each)] for each in profile.passes]
        sizes = {"vertices": profile.vertices, "edges": profile.edges, "occupied": profile.occupied}
        stored[name + of] = {**sizes, "passes": passes}
        rows = (f'"{name}": {json.dumps(each)}' for name, each in stored.items())
        PROFILES.write_text("{\n" + ",\n".join(rows) + "\n}\n")
