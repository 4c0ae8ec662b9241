"""Runs of a program by several workers that are threads of this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gdsl.backends.cpu.share_run import run_share
from gdsl.backends.interface import Limits, Outcome
from gdsl.backends.workers.outcomes import ShareOutcome
from gdsl.binding.shares import bind_share
from gdsl.graph import Graph
from gdsl.graph.shares import GraphShare
from gdsl.ir.nodes import Program
from gdsl.plan.target import Sizes
from tests.support.thread_group import ThreadCommunicator, run_group


def shared_run(
    program: Program,
    graph: Graph,
    given: Mapping[str, Any],
    size: int,
    *,
    limits: Limits | None = None,
    sizes: Sizes | None = None,
) -> tuple[list[ShareOutcome], Outcome]:
    """What each of `size` workers has of the result, and the whole result, gathered at worker 0."""

    def work(communicator: ThreadCommunicator) -> tuple[ShareOutcome, Outcome | None]:
        share = GraphShare.of(graph, communicator.rank, size)
        bindings = bind_share(program, share, given, communicator)
        found = run_share(program, share, bindings, communicator, limits, sizes=sizes, one_thread=True)
        return found, found.gathered()

    outcomes = run_group(size, work)
    whole = outcomes[0][1]
    assert whole is not None
    return [found for found, _ in outcomes], whole
