"""The results of code generation; a program from the cache needs no other part of the generator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gdsl.codegen.checks import CheckTable
from gdsl.plan.buffer_nodes import PROBLEM, Allocator, Buffer, Role
from gdsl.plan.exchange_nodes import Distribution, Exchange, Snapshot
from gdsl.plan.known_scalars import HoistedScalars
from gdsl.records import dataclass

if TYPE_CHECKING:
    from gdsl.plan.nodes import Plan


@dataclass(frozen=True, slots=True)
class CudaText:
    """A program as CUDA, and what the host needs to run it besides the plan."""

    text: str
    kernels: tuple[str, ...]
    """The kernel of each launch of the plan, in their order."""
    checks: CheckTable


@dataclass(frozen=True, slots=True)
class CppText:
    """A program as C++, and what the host must know to run it."""

    text: str
    checks: CheckTable
    """The computed indices, for messages."""
    buffers: tuple[Buffer, ...]
    """What the host hands over, in the order of its slots: arrays, scalars, and what else the plan has."""
    parts: tuple[str, ...]
    """The parts of the graph that are read."""
    exchanges: tuple[Exchange, ...] = ()
    """Of several workers: their exchanges, by number."""
    snapshots: tuple[Snapshot, ...] = ()
    """What they note before steps."""
    distribution: Distribution | None = None
    """What each of them holds; None: there is one worker."""
    hoisted: tuple[str, ...] = ()
    """Of each graph that is kept with the given one what it is kept under, by number. Its slot follows the buffers'."""
    hoisted_scalars: tuple[HoistedScalars, ...] = ()
    """The scalars that are kept with the given graph; the slots of their params follow those of the program's."""
    shared_params: tuple[str, ...] = ()
    """Of instances that run together: the params that must be the same in all of them."""


def data_buffers(plan: Plan) -> tuple[Buffer, ...]:
    """The buffers that the host hands over, in the order of its slots."""
    return tuple(
        buffer for buffer in plan.buffers if buffer.group == PROBLEM and buffer.allocator is not Allocator.PROGRAM
    )


def exchanges_of(plan: Plan) -> tuple[Exchange, ...]:
    """The exchanges of a plan, by number, also those between the turns of workers."""
    from gdsl.plan.nodes import Operation
    from gdsl.plan.walking import steps_in

    exchanges = []
    for step in steps_in(plan.schedule):
        if isinstance(step, Exchange):
            exchanges.append(step)
        elif isinstance(step, Operation) and step.turns is not None:
            exchanges.append(step.turns.exchange)
    return tuple(sorted(exchanges, key=lambda each: each.number))


def snapshots_of(plan: Plan) -> tuple[Snapshot, ...]:
    """What workers note before the steps of a plan."""
    from gdsl.plan.walking import steps_in

    return tuple(step for step in steps_in(plan.schedule) if isinstance(step, Snapshot))


def hoisted_keys(plan: Plan, parts: tuple[str, ...]) -> tuple[str, ...]:
    """What is kept with the given graph: the text that selects the edges, and what there is of each."""
    from gdsl.plan.walking import hoisted_graphs, leaves_edges_out

    of = "in_offsets" in parts, "reverse_edges" in parts, leaves_edges_out(plan)
    return tuple(f"{each.key}\n{of}" for each in hoisted_graphs(plan))


def graph_parts(plan: Plan) -> tuple[str, ...]:
    """The parts of the graph that the program reads."""
    return tuple(buffer.name for buffer in plan.buffers if buffer.role is Role.GRAPH)
