"""gdsl programs on the emulator and on the reference backend, and the comparison of the two."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy
from oracles import CASES

from gdsl.backends.cuda import plan_of
from gdsl.backends.cuda.enactor import Enactor
from gdsl.backends.cuda.host_graph import HostGraph
from gdsl.backends.cuda.memory import GraphOnDevice
from gdsl.backends.cuda.numbering import Kernels, text_for
from gdsl.backends.cuda.renumbered_graph import RenumberedGraph
from gdsl.backends.cuda.renumbered_host_graph import RenumberedHostGraph
from gdsl.backends.interface import Bindings, Limits, Outcome
from gdsl.backends.placement import Placement
from gdsl.backends.reference.interpreter import interpret
from gdsl.codegen.cuda.generate import generate
from gdsl.codegen.generated import CudaText
from gdsl.graph import Graph
from gdsl.ir.nodes import NeighborReduce, Operator, Program
from gdsl.ir.traversal import all_steps
from gdsl.operations import Duplicates, Grade, Order
from gdsl.pipeline import Tunable
from gdsl.plan import hoisted_scalars, read_elements
from gdsl.plan.followers import filters_of_followers
from gdsl.plan.graph_class import GENERAL, GraphClass, class_of
from gdsl.plan.hoisted_scalars import hoisted_sites
from gdsl.plan.nodes import Operation, Plan, Sweep
from gdsl.plan.renumbering import is_worth, looking_up
from gdsl.plan.target import CUDA_FUSED, Sizes
from gdsl.plan.walking import own_sweeps, sweeps
from gdsl.program_files import read_source
from gdsl.types import Type, Widths

from .driver import EmulatedModule, Schedule
from .emulated_device import EmulatedDevice

ROOT = Path(__file__).parents[2]
SMALL = Sizes(
    block_threads=64,
    hub_degree=8,
    hub_chunk=5,
    pull_prefix=2,
    words_at_once=2,
    pulled_at_once=2,
    short_list=3,
    grouped_list=5,
    reduced_hub=10,
    reduced_chunk=6,
    local_room=9,
    local_members=3,
    local_rounds=6,
    local_look=2,
    staged=32,
    long_walk=6,
    near_set=3,
    table_least=2,
    table_slots=16,
    voted_alone=3,
    voted_by_lanes=4,
    vote_words=12,
    combined_words=8,
    vote_part=9,
    vote_part_of_few=6,
    radix_bits=2,
    bound_bits=4,
    listed_places=24,
    parted_members=3,
    gather_waits=0,
)
"""Numbers so small that small graphs reach every part of the generated code."""
TINY = Sizes(
    block_threads=32,
    hub_degree=3,
    hub_chunk=2,
    pull_prefix=1,
    pulled_at_once=1,
    short_list=1,
    grouped_list=2,
    reduced_hub=3,
    reduced_chunk=2,
    local_room=2,
    local_members=2,
    local_rounds=3,
    local_look=1,
    staged=32,
    long_walk=2,
    near_set=1,
    table_least=1,
    table_slots=64,
    voted_alone=1,
    voted_by_lanes=2,
    vote_words=16,
    combined_words=5,
    vote_part=5,
    vote_part_of_few=2,
    radix_bits=1,
    bound_bits=3,
    listed_places=7,
    parted_members=1,
    gather_waits=0,
    listed_edges=1,
)
NARROW = Widths.both(32)
WIDER = Sizes(
    block_threads=96,
    hub_degree=40,
    hub_chunk=33,
    pull_prefix=7,
    words_at_once=3,
    pulled_at_once=3,
    short_list=5,
    grouped_list=12,
    reduced_hub=40,
    reduced_chunk=33,
    local_room=40,
    local_members=4,
    local_rounds=100,
    local_look=5,
    staged=64,
    long_walk=40,
    near_set=20,
    table_least=3,
    table_slots=8,
    voted_alone=2,
    voted_by_lanes=12,
    vote_words=288,
    combined_words=40,
    vote_part=150,
    vote_part_of_few=40,
    radix_bits=3,
    bound_bits=4,
    parted_members=10,
)
UNCUT = replace(WIDER, hub_degree=10_000, reduced_hub=10_000)
"""No list is cut into chunks, so that reductions end without a barrier."""


@dataclass(frozen=True)
class Built:
    """A program, compiled for the emulator."""

    program: Program
    plan: Plan
    generated: CudaText
    module: EmulatedModule
    widths: Widths

    def run(
        self,
        graph: Graph,
        bindings: Bindings,
        device: EmulatedDevice,
        limits: Limits | None = None,
        placement: Placement | None = None,
        renumbers: bool = False,
    ) -> Outcome:
        """One run; raises EmulatorError for anything that the emulator found. With a `placement` its edge lists are in
        the memory of the host, with vertices by falling degree if it `renumbers`."""
        on_device = GraphOnDevice(device, graph, self.widths)
        if placement is not None:
            if renumbers:
                kernels = Kernels(device, renumbering(self.widths).get_function)
                on_device = RenumberedHostGraph(kernels, graph, self.widths, placement, 0)
            else:
                on_device = HostGraph(device, graph, self.widths, placement)
            enactor = Enactor(
                device, self.module.get_function, self.plan, self.generated, on_device, blocks=device.multiprocessors
            )
            return enactor.run(bindings, limits or Limits())
        layout = self.plan.layout
        if layout is not None and layout.looks_up and layout.always and graph.num_vertices:
            several_gpus = self.plan.target.several_gpus
            other = emulated(
                looking_up(self.program), self.plan.sizes, self.widths, False, self.plan.graph, several_gpus,
                self.plan.target.lanes,
            )  # fmt: skip
            return other.run(graph, bindings, device, limits)
        if layout is not None and layout.always and is_worth(layout, graph.num_vertices, graph.num_edges, float):
            kernels = Kernels(device, renumbering(self.widths, device.gpus > 1).get_function)
            on_device = RenumberedGraph(kernels, on_device, graph)
        blocks = device.multiprocessors
        enactor = Enactor(device, self.module.get_function, self.plan, self.generated, on_device, blocks=blocks)
        return enactor.run(bindings, limits or Limits())


@cache
def renumbering(widths: Widths, several_gpus: bool = False) -> EmulatedModule:
    """What numbers vertices by degree."""
    return EmulatedModule(text_for(widths, several_gpus), "renumbering.cu")


@cache
def program_of(name: str, tune: tuple[str, ...] = ()) -> Program:
    """The IR of a sample, of a program of tests/programs, or of a text."""
    return tunable(name).tuned(tune)


@cache
def tunable(name: str) -> Tunable:
    """The same, read once for all the ways to tune it."""
    if "\n" in name:
        return Tunable(read_source(name))
    path = ROOT / "samples" / f"{name}.gdsl"
    return Tunable(read_source(path if path.exists() else ROOT / "tests" / "programs" / f"{name}.gdsl"))


DEEP, SHORT_LISTS, HUBS = (class_of([fact]) for fact in ("deep", "short-lists", "hubs"))
"""Classes of graphs that programs have other plans for."""


def emulated(
    program: Program,
    shape: Sizes = SMALL,
    widths: Widths = NARROW,
    coverage: bool = False,
    on: GraphClass = GENERAL,
    several_gpus: bool = False,
    lanes: bool = False,
) -> Built:
    """A program (annotated, before `gdsl.passes`), compiled for the class of graphs `on`."""
    plan = plan_of(program, shape, graph=on, several_gpus=several_gpus, lanes=lanes)
    generated = generate(plan, widths)
    module = EmulatedModule(generated.text, f"{program.name}.cu", coverage)
    return Built(program, plan, generated, module, widths)


def text_of(name: str) -> str:
    """The text of such a program."""
    paths = (ROOT / folder / f"{name}.gdsl" for folder in ("samples", "tests/programs"))
    return name if "\n" in name else next(path for path in paths if path.exists()).read_text(encoding="utf-8")


def declared_functors(name: str) -> set[str]:
    """The functors in the text of such a program."""
    return set(re.findall(r"\bfunctor (\w+)", text_of(name)))


def labels_in(name: str) -> set[str]:
    """The labels in the text of such a program."""
    return set(re.findall(r"@(\w+)", text_of(name)))


@cache
def build(
    name: str,
    tune: tuple[str, ...] = (),
    shape: Sizes = SMALL,
    widths: Widths = NARROW,
    coverage: bool = False,
    on: GraphClass = GENERAL,
    several_gpus: bool = False,
    lanes: bool = False,
) -> Built:
    """A sample or program of the tests, compiled for the class of graphs `on`."""
    return emulated(program_of(name, tune), shape, widths, coverage, on, several_gpus, lanes)


def device_for(seed: int, blocks: int = 3, stride: int = 0, gpus: int = 1) -> EmulatedDevice:
    """A device whose launches take turns by `seed`; `blocks` of all `gpus` together."""
    return EmulatedDevice(blocks, Schedule(seed=seed, stride=stride), gpus)


# Comparison

VARYING = frozenset(
    {"sssp", "delta_stepping", "widest_path", "connected_components", "pagerank", "matching", "tree_edges", "draws"}
)
VARYING |= {"relaxing"}  # of support/merges.py
VARYING |= {case.name for case in CASES if case.varies}
"""Programs whose frontiers or passes depend on the order of calls: only their results are compared."""


def expect(program: Program, graph: Graph, bindings: Bindings, id_bits: int = 32) -> Outcome:
    """What the reference gives."""
    return interpret(program, graph, bindings, Limits(), id_bits=id_bits)


def trace_of(outcome: Outcome) -> tuple[tuple[int, int, int, int], ...]:
    """The parts of a trace that all backends share."""
    return tuple((r.site, r.iteration, r.frontier_size, r.edges) for r in outcome.trace)


def differences(program: Program, expected: Outcome, found: Outcome) -> list[str]:
    """What differs from the reference: results that are unique, and the trace where it is determined."""
    wrong = []
    for array in program.arrays:
        if array.is_local or not array.unique:
            continue
        a, b = expected.arrays[array.name], found.arrays[array.name]
        if not equal(array.type, a, b):
            if array.type.is_pair:
                wrong.append(f"{array.name} is {b}, not {a}")
                continue
            at = int(numpy.flatnonzero(~numpy.isclose(a, b, equal_nan=True))[:1].sum())
            wrong.append(f"{array.name}[{at}] is {b[at]}, not {a[at]}")
    for scalar in program.scalars:
        if scalar.is_local or not scalar.unique or scalar.grade is Grade.CONVERGED:
            continue
        a, b = expected.scalars[scalar.name], found.scalars[scalar.name]
        if not equal(scalar.type, *((a, b) if scalar.type.is_pair else (numpy.asarray([a]), numpy.asarray([b])))):
            wrong.append(f"{scalar.name} is {b}, not {a}")
    twice = any(knobs.dedup is Duplicates.NONE for knobs in program.tuning.sites)  # then sizes count duplicates
    twice |= program.tuning.order is Order.NEAR_FAR or has_rounds(program)  # and rounds are others
    asked = any(record.site >= len(program.tuning.sites) for record in found.trace)  # whether a reduction sends
    followers = filters_of_followers(program, CUDA_FUSED)  # which have no records of their own
    apart = {*followers, *_unrecorded(program)}
    traces = [[each for each in trace_of(outcome) if each[0] not in apart] for outcome in (expected, found)]
    if program.name not in VARYING and not twice and not asked and traces[0] != traces[1]:
        pairs = zip(*traces, strict=False)
        lengths = (len(traces[0]), len(traces[1]))
        first = next(((a, b) for a, b in pairs if a != b), lengths)
        wrong.append(f"trace: {first[1]}, not {first[0]} (site, iteration, size, edges)")
    if (
        program.name not in VARYING
        and program.tuning.order is not Order.NEAR_FAR
        and not has_rounds(program)
        and expected.iterations != found.iterations
    ):
        wrong.append(f"{found.iterations} iterations, not {expected.iterations}")
    return wrong


def _unrecorded(program: Program) -> set[int]:
    """The operators of a program that later runs on a graph skip, and those for which the schedule reads an element."""
    read = read_elements.run(program, CUDA_FUSED)
    sites = [{step.site for step in all_steps(each.schedule) if isinstance(step, Operator)} for each in (program, read)]
    return (sites[0] - sites[1]) | hoisted_sites(hoisted_scalars.run(program, CUDA_FUSED))


def has_rounds(program: Program) -> bool:
    """Whether blocks run rounds of their own, or passes find what they store themselves, so that there are fewer."""
    if id(program) not in _KNOWN:
        plan = plan_of(program)
        has = any(sweep.rounds is not None for sweep in sweeps(plan)) or any(in_place(plan))
        _KNOWN[id(program)] = (program, has)
    return _KNOWN[id(program)][1]


def in_place(plan: Plan) -> Iterator[Operation]:
    """The filters that run in the sweep of the reduction before them, which reads what they store (`in_place`)."""
    for operation in own_sweeps(plan):
        if operation.fused and isinstance(operation.does, Sweep) and operation.does.collect is not None:
            yield from (operation for each in operation.fused if isinstance(each.step, NeighborReduce))


_KNOWN: dict[int, tuple[Program, bool]] = {}
"""By the identity of a program, which is kept with it."""


def equal(type_: Type, a: Any, b: Any) -> bool:
    """Exactly for integers and ids, within a tolerance for floats, whose sums have no order."""
    if type_.is_pair:
        return all(equal(kind, *parts) for kind, *parts in zip(type_.parts, a, b, strict=True))
    if type_ in (Type.FLOAT32, Type.FLOAT64):
        tolerance = 2e-5 if type_ is Type.FLOAT32 else 1e-9
        return bool(numpy.allclose(a, b, rtol=tolerance, atol=tolerance / 100, equal_nan=True))
    return bool(numpy.array_equal(a, b))
