"""One run of a program by several workers with a GPU each: each calls `run_share` with its share of the graph."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, cast

import numpy

from gdsl import cache
from gdsl.backends import registry
from gdsl.backends.cuda import nvrtc, packaged
from gdsl.backends.cuda.choosing_links import links_for
from gdsl.backends.cuda.graph_cache import LoadedModule
from gdsl.backends.cuda.links import Links
from gdsl.backends.cuda.planning import check_wide_pairs, plan_of, require_no_graphs
from gdsl.backends.cuda.share_on_device import ShareOnDevice
from gdsl.backends.cuda.worker_enactor import WorkerEnactor
from gdsl.backends.interface import Bindings, Limits
from gdsl.backends.workers.outcomes import ShareOutcome, agreed
from gdsl.communicator import Communicator
from gdsl.diagnostics import GdslError
from gdsl.graph.shares import GraphShare
from gdsl.interpreter import uncollected
from gdsl.ir.nodes import Program
from gdsl.operations import ReduceOperation
from gdsl.types import Widths

if TYPE_CHECKING:
    from gdsl.backends.cuda.backend import CudaBackend
    from gdsl.backends.cuda.device import CudaDevice
    from gdsl.codegen.generated import CudaText
    from gdsl.plan.nodes import Plan


class SharedExecutable:
    """A program as it is on one GPU for the workers of a group, with the shares that it has run on."""

    def __init__(self, device: CudaDevice, plan: Plan, generated: CudaText, cubin: bytes, widths: Widths) -> None:
        self.device, self.plan, self.generated, self.widths = device, plan, generated, widths
        self.kernels = LoadedModule(device, cubin)
        self._enactors: weakref.WeakKeyDictionary[GraphShare, WorkerEnactor] = weakref.WeakKeyDictionary()

    def run(
        self, share: GraphShare, bindings: Bindings, limits: Limits, communicator: Communicator, links: Links | None
    ) -> ShareOutcome:
        """Together with the other workers. What stops one of them is raised on all."""
        device, whole, enactor = self.device, False, None
        device.acquire(limits.timeout)
        try:
            enactor = self._enactor(share, communicator)
            enactor.meet(communicator, links)
            outcome, lane = enactor.run_share(bindings, limits), enactor.exchanger.clock.lane()
            whole = True
        except BaseException as error:
            if enactor is None or not enactor.has_ended:  # such as too little memory here
                communicator.abort(error)
            raise
        finally:
            device.release(whole)
        exchanger = enactor.exchanger
        return ShareOutcome(outcome, enactor.parts, exchanger.sent, exchanger.met, communicator, lane)

    def _enactor(self, share: GraphShare, communicator: Communicator) -> WorkerEnactor:
        """That of an earlier run on the share, if all workers have theirs."""
        there = numpy.array([share in self._enactors], numpy.int64)
        if communicator.all_reduce(there, ReduceOperation.MIN)[0]:
            enactor = self._enactors[share]
        else:
            on_device = ShareOnDevice(self.device, share, self.widths, self.plan, communicator)
            arguments = self.device, self.kernels.get, self.plan, self.generated, on_device
            enactor = self._enactors[share] = WorkerEnactor(communicator, *arguments)
        return enactor


_executables: weakref.WeakKeyDictionary[CudaDevice, dict[tuple[Any, ...], SharedExecutable]]
_executables = weakref.WeakKeyDictionary()
"""Those of this process, by GPU and program."""


def _backend() -> CudaBackend:
    return cast("CudaBackend", registry.get("cuda"))


def build_shared(program: Program, widths: Widths, gpu: int) -> SharedExecutable:
    """The form of `program` for workers, on the GPU of this number here. Raises E0901, E0903 and E0908."""
    import cupy

    with cupy.cuda.Device(gpu):
        device = _backend().device()
        compilers = (*packaged.identity(program.source_name), *nvrtc.identity(), *nvrtc.OPTIONS)
        key = (cache.program_key(program), str(widths), "workers", device.architecture, *compilers)
        here = _executables.setdefault(device, {})
        if key not in here:
            here[key] = _built(program, widths, device, key)
        return here[key]


def _built(program: Program, widths: Widths, device: CudaDevice, key: tuple[Any, ...]) -> SharedExecutable:
    from gdsl.codegen.cuda.generate import generate

    cached: Any = cache.load("cuda", key)
    with uncollected():
        plan = plan_of(program, workers=True, verify=cached is None)
        if cached is None:
            check_wide_pairs(plan, widths, device.architecture)
            generated = generate(plan, widths)
            cubin = nvrtc.compile_to_cubin(generated.text, device.architecture, f"{program.name}.cu")
            cache.store("cuda", key, (generated, cubin))
            cached = generated, cubin
    generated, cubin = cached
    return SharedExecutable(device, plan, generated, cubin, widths)


def gpu_of_worker(place: int) -> int:
    """The number of the GPU for the worker `place` of this host: they take turns where it has fewer. Raises E0901."""
    state = _backend().availability()
    if not state.ok:
        raise GdslError.single("E0901", f"this worker has no GPU: {state.detail}", fix=state.fix)
    return place % _backend().gpu_count()


def links_of_workers(communicator: Communicator, gpu: int) -> tuple[Links | None, str]:
    """The links between the GPUs of all workers, or none, and in words what was chosen and why. All workers call it."""
    import cupy

    with cupy.cuda.Device(gpu):
        name = cupy.cuda.runtime.getDeviceProperties(gpu)["uuid"]
        return links_for(communicator, _backend().device(), bytes(name).hex())


def run_share(
    program: Program,
    share: GraphShare,
    bindings: Bindings,
    communicator: Communicator,
    limits: Limits | None = None,
    *,
    gpu: int = 0,
    links: Links | None = None,
) -> ShareOutcome:
    """As `gdsl.backends.cpu.share_run.run_share`, on the GPU of this number here, without checkpoints, and with `links`
    to the other GPUs if there are some; E0901, E0903, E0905, E0908, E0811 and E0912 as well."""
    import cupy

    widths = share.id_widths if program.tuning.ids is None else Widths.both(program.tuning.ids)

    def prepared() -> SharedExecutable:
        require_no_graphs(program)
        return build_shared(program, widths, gpu)

    executable = agreed(communicator, prepared)
    with cupy.cuda.Device(gpu):
        return executable.run(share, bindings, limits or Limits(), communicator, links)
