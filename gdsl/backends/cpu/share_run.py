"""One run of a program by several workers, of which each calls `run_share` with its share of the graph.

Every worker runs the same text over mirrors of the vertex arrays, on its own members, and at each exchange of the plan
(`gdsl.plan.distribution`) the text calls back into Python, where the worker exchanges data through its communicator.
"""

from __future__ import annotations

import ctypes

from gdsl.backends.cpu.backend import CpuBackend
from gdsl.backends.cpu.checkpoints import Checkpoints, RunState
from gdsl.backends.cpu.run import LoadedProgram
from gdsl.backends.cpu.worker_run import WorkerRun
from gdsl.backends.interface import Bindings, Limits
from gdsl.backends.workers.outcomes import ShareOutcome, agreed
from gdsl.communicator import Communicator
from gdsl.graph.shares import GraphShare
from gdsl.ir.nodes import Program
from gdsl.plan.target import Sizes
from gdsl.types import Widths


def run_share(
    program: Program,
    share: GraphShare,
    bindings: Bindings,
    communicator: Communicator,
    limits: Limits | None = None,
    *,
    sizes: Sizes | None = None,
    one_thread: bool = False,
    checkpoints: Checkpoints | None = None,
    resume: RunState | None = None,
) -> ShareOutcome:
    """Run `program` (annotated) on the graph of which this worker holds `share`, together with the other workers of
    `communicator`, which all call this with the same program.

    `bindings`: as of `gdsl.binding.bind_share`; vertex arrays of the whole graph, edge arrays of the worker's own edges
    or of all. `one_thread`: where each core has a worker of its own. `checkpoints` is asked after each pass of the
    schedule's outermost loops whether it takes the state of this worker, and `resume` is such a state, with which the
    run goes on; the graph, the shares, the program and the arguments must be the same. A mistake that any worker finds
    is raised on all: E0801 to E0806 and E0902 to E0912 as by the cpu backend, E0807 by the communicator,
    KeyboardInterrupt where one of them is interrupted.
    """
    widths = share.id_widths if program.tuning.ids is None else Widths.both(program.tuning.ids)

    def prepared() -> tuple[LoadedProgram, WorkerRun]:
        executable = CpuBackend(sizes).build_shared(program, widths)
        run = WorkerRun(executable, share, bindings, communicator, limits or Limits())
        run.one_thread = one_thread
        run.continue_with(checkpoints, resume)
        return executable, run

    executable, run = agreed(communicator, prepared)
    try:
        run.connect()
        exchanger = run.exchanger
        exchanger.clock.begin()
        run.work()
        lane = exchanger.clock.lane()
        return ShareOutcome(run.worker_outcome(), run.parts, exchanger.sent, exchanger.met, communicator, lane)
    finally:
        executable.library.release(ctypes.byref(run.control))
        run.end()
