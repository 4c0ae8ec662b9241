"""Several GPUs of one machine as one device: a persistent kernel on each of them. Their memory is in `spread_memory`.

The kernels run the same text, whose blocks are numbered over all GPUs. All other work is done on the first one
(numbering vertices, copies from and to the host).

A GPU may be named more than once: its kernels then share its multiprocessors, which shows that a program is right on
several GPUs where there is only one.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from gdsl.backends.cuda.clocks import DONE, NOT_READY, Clock
from gdsl.backends.cuda.flat_ranges import load_function
from gdsl.backends.cuda.own_arguments import OwnArguments
from gdsl.backends.cuda.pinned_copies import STOPPED_FROM_BIT
from gdsl.backends.cuda.protocol import Arguments
from gdsl.backends.cuda.spread_memory import SpreadMemory
from gdsl.backends.cuda.whole_gpus import WholeGpus
from gdsl.backends.gpus import MOST_KERNELS
from gdsl.diagnostics import GdslError

_PLACE, _PLACE_WORDS, _BARRIER_WORDS_AT = "gdsl_place", 65, 3
"""The kernels' variable, of so many words of 8 bytes: the number of the GPU's first block, the number of all blocks,
how many kernels there are, which of them this is, after that of each but the first the address of its word for
barriers (that of the first is in the control block), and last whether vertices are divided by owner, and where its own
blocks arrive."""
assert MOST_KERNELS < _PLACE_WORDS - 1 - _BARRIER_WORDS_AT
_ARRIVALS_AT, _BARRIER_BYTES = 128, 256
"""Behind a kernel's word for barriers, in another line of the cache: where its own blocks arrive. Bytes of both."""
_ONE_RUN = threading.Lock()
"""Held by the run that is in progress on several GPUs: if each of two had a GPU that the other one waits for, both
would wait forever."""
_thread_of_run: int | None = None
"""The thread that holds it."""
_DYNAMIC_SHARED = 8
"""The driver's number for the attribute of dynamic shared memory."""
_ABORTED = (0b11 << (STOPPED_FROM_BIT + 1)) | (1 << (STOPPED_FROM_BIT - 1))
"""The word of a barrier that has every arrival that a run may wait for, and tells all to leave the run."""


class Share:
    """One kernel of a run: the GPU that it runs on, and how many of its multiprocessors it has."""

    def __init__(self, cupy: Any, gpu: int, kernels: int) -> None:
        """`kernels` of the run share the GPU."""
        runtime = cupy.cuda.runtime
        whole = int(runtime.deviceGetAttribute(runtime.cudaDevAttrMultiProcessorCount, gpu))
        self.gpu, self.multiprocessors, self.is_alone = gpu, whole // kernels, kernels == 1
        with cupy.cuda.Device(gpu):
            self.stream = cupy.cuda.Stream(non_blocking=True)
            self.ended = cupy.cuda.Event(disable_timing=True)


def _require_multiprocessor(share: Share, kernels: int) -> None:
    """Raise E0921 if `kernels` are more than the multiprocessors of the GPU that they share."""
    if share.multiprocessors:
        return
    raise GdslError.single(
        "E0921",
        f"GPU {share.gpu} is requested {kernels} times, and has fewer multiprocessors",
        fix=f"name GPU {share.gpu} fewer times: each time takes one of its multiprocessors or more",
    )


class SpreadKernel:
    """A kernel on each GPU of a run, loaded once for each share; `ptr` is that of the first. `variables` are the
    addresses of its variable `gdsl_place` there, and `stored` says for how many blocks, and whether by owner, something
    was stored in them last."""

    __slots__ = ("__weakref__", "functions", "ptr", "stored", "variables")

    def __init__(self, functions: Sequence[Any], variables: Sequence[int]) -> None:
        self.functions, self.variables = functions, variables
        self.ptr = functions[0].ptr
        self.stored: tuple[int, bool] | None = None


class SpreadModule:
    """A cubin, loaded on all GPUs of a run."""

    def __init__(self, modules: Sequence[Any], variables: Sequence[int], known: Callable[[SpreadKernel], None]) -> None:
        self._modules, self._variables, self._known = modules, variables, known

    def get_function(self, name: str) -> SpreadKernel:
        """The kernel called `name`."""
        functions = [module.get_function(name) for module in self._modules]
        for function in functions:
            load_function(function.ptr)
        kernel = SpreadKernel(functions, self._variables)
        self._known(kernel)
        return kernel


class SeveralGpus(SpreadMemory):
    """Several GPUs as one device, whose own number is that of the first."""

    def __init__(self, gpus: Sequence[int]) -> None:
        """`gpus`: their numbers, which exist. Raises E0907 without the extra, E0922 for GPUs that cannot reach each
        other's memory, and E0921 for one that is named more often than it has multiprocessors."""
        super().__init__(gpus)
        kernels = Counter(gpus)
        self.shares = [Share(self.cupy, gpu, kernels[gpu]) for gpu in gpus]
        for share in self.shares:
            _require_multiprocessor(share, kernels[share.gpu])
        self.own_multiprocessors = self.multiprocessors
        """Of the first GPU alone."""
        self.multiprocessors = sum(share.multiprocessors for share in self.shares)
        self._spread: weakref.WeakValueDictionary[int, SpreadKernel] = weakref.WeakValueDictionary()
        self._has_turn = self._is_queued = False
        """The second: whether the kernels of a run are queued, and nothing behind them changes what they leave."""
        self._launched: NDArray[Any] | None = None
        """The record of the run in progress, or of the last one."""
        self._whole_gpus = WholeGpus(share.gpu for share in self.shares if not share.is_alone)
        self._begin = self.cupy.cuda.Event(disable_timing=True)
        self._own_arguments = OwnArguments(len(gpus))
        self._cleared: tuple[object, Any] | None = None
        """The lane and the stream on which the words for barriers were cleared for the next run."""
        # During a run, the driver would wait for its end before it allocates these.
        _ = self._places, self._barrier_words, self._aborted, self._side_stream

    # Runs

    def try_acquire(self, timeout: float = 0) -> bool:
        """All GPUs, while no other run on several GPUs has any. Raises RuntimeError within a run of the same thread."""
        global _thread_of_run
        thread = threading.get_ident()
        if self._holder != thread:
            if _thread_of_run == thread:
                raise RuntimeError(
                    "a run on several GPUs is in progress in this thread; call the program after it has ended"
                )
            began = time.monotonic()
            if not _ONE_RUN.acquire(timeout > 0, timeout if timeout > 0 else -1):
                return False
            self._has_turn, _thread_of_run = True, thread
            timeout = max(0.0, timeout - (time.monotonic() - began))
        acquired, until = False, time.monotonic() + timeout
        try:
            if self._holder == thread or self._whole_gpus.acquire(
                until, lambda device: not isinstance(device, SeveralGpus)
            ):
                acquired = super().try_acquire(max(0.0, until - time.monotonic()))
        finally:
            if not acquired and self._holder != threading.get_ident():
                self._end_turn()
        return acquired

    def release(self, whole: bool) -> None:
        """Let others run."""
        try:
            super().release(whole)
        finally:
            self._end_turn()

    def _end_turn(self) -> None:
        global _thread_of_run
        if self._has_turn:
            try:
                self._whole_gpus.release()
            finally:
                self._has_turn, _thread_of_run = False, None
                _ONE_RUN.release()

    # Kernels

    def load(self, cubin: bytes) -> Any:
        """The kernels of a cubin; those whose blocks are numbered over all GPUs are loaded on each."""
        with self._on(self.id):
            first = super().load(cubin)
            try:
                variables = [first.get_global_var(_PLACE)]
            except Exception:  # the driver's: it has no such variable
                return first
        modules = [first]
        for share in self.shares[1:]:
            with self._on(share.gpu):
                module = super().load(cubin)
                modules.append(module)
                variables.append(module.get_global_var(_PLACE))
        return SpreadModule(modules, variables, self._know)

    def load_on_each(self, cubin: bytes) -> Any:
        """The kernels of a cubin, loaded on each GPU for `launch_on_each`; `launch` launches them on the first."""
        modules = []
        for share in self.shares:
            with self._on(share.gpu):
                modules.append(super().load(cubin))
        return SpreadModule(modules, (), self._know)

    def _know(self, kernel: SpreadKernel) -> None:
        self._spread[kernel.ptr] = kernel

    def reserve_dynamic_shared(self, kernel: Any) -> int:
        """Let `kernel` use a block's shared memory on each GPU; the bytes that it may use."""
        dynamic_shared = super().reserve_dynamic_shared(kernel)
        spread = self._spread.get(kernel.ptr)
        for function, share in zip(spread.functions if spread else (), self.shares, strict=False):
            with self._on(share.gpu):
                self._driver.funcSetAttribute(function.ptr, _DYNAMIC_SHARED, dynamic_shared)
        return dynamic_shared

    def launch(
        self, kernel: Any, blocks: int, threads: int, arguments: Arguments, teams: int = 1, dynamic_shared: int = 0
    ) -> None:
        """Launch the kernel on all GPUs, with `blocks` together; on the first alone if its blocks are not numbered over
        all of them. If a part of it cannot be launched, those that run are made to leave."""
        spread = self._spread.get(kernel.ptr)
        if spread is None or not spread.variables:
            own = max(1, blocks * self.own_multiprocessors // self.multiprocessors)
            super().launch(kernel, min(blocks, own), threads, arguments, teams, dynamic_shared)
            return
        stream = self._stream or self.stream()
        self._store_places(spread, blocks, arguments.by_owner)
        self._launched = arguments.values[0]
        of_shares = self._arguments_of_shares(arguments)
        self._have_cleared(stream)
        # If nothing is left to do before the run, no GPU has to wait for an event of another one.
        before = None if stream.done else self._begin
        if before is not None:
            before.record(stream)
        # The first GPU's kernel is launched last, since it runs in the caller's stream. If another thread copies in
        # that stream, the copy waits for the kernel, and the driver launches nothing until the copy is done.
        order, each, runtime = (*range(1, len(self.gpus)), 0), blocks // self.multiprocessors, self.cupy.cuda.runtime
        whole = False
        try:
            for number in order:
                runtime.setDevice(self.gpus[number])  # the last one is the one that it was
                shape, own = (each, threads, dynamic_shared), of_shares[number]
                self._launch_share(spread.functions[number], number, shape, own, (stream, before))
            for number in order:
                runtime.setDevice(self.gpus[number])
                self.shares[number].ended.record(self.shares[number].stream if number else stream)
            for share in self.shares[1:]:
                stream.wait_event(share.ended)
            self._is_queued = whole = True
        finally:
            if not whole:
                runtime.setDevice(self.id)
                self._abort()

    def prepare(self, arguments: Arguments) -> None:
        """The arguments of each kernel."""
        self._arguments_of_shares(arguments)

    def _arguments_of_shares(self, arguments: Arguments) -> list[Arguments]:
        has_copies = arguments.pointers is not None and "arena" in self.__dict__
        return self._own_arguments.of(arguments, self.arena) if has_copies else [arguments] * len(self.gpus)

    def end(self) -> None:
        """After that event, clear the words for barriers, so that the next run need not wait for it."""
        super().end()
        self._is_queued = False
        if self._cleared is None:
            stream = self._stream or self.stream()
            self._clear(stream)
            self._cleared = self.lane, stream

    def launch_on_each(self, launches: Sequence[tuple[Any, int, int, Sequence[Arguments]]]) -> None:
        """Launch kernels of `load_on_each`. Behind a run, each GPU waits for the kernels of the others, rather than for
        the first one to have waited for them."""
        stream, driver = self._stream or self.stream(), self._driver
        if not self._is_queued:
            self._begin.record(stream)
        for number, share in enumerate(self.shares):
            own = stream if number == 0 else share.stream
            with self._on(share.gpu):
                if number > 0:
                    others = [other.ended for other in self.shares if other is not share]
                    for event in others if self._is_queued else (self._begin,):
                        own.wait_event(event)
                for kernel, blocks, threads, arguments in launches:
                    function, blocks = self._spread[kernel.ptr].functions[number], blocks * share.multiprocessors
                    driver.launchKernel(
                        function.ptr, blocks, 1, 1, threads, 1, 1, 0, own.ptr, arguments[number].address, 0
                    )
                if number > 0:
                    share.ended.record(own)
        for share in self.shares[1:]:
            stream.wait_event(share.ended)

    def _store_places(self, kernel: SpreadKernel, blocks: int, by_owner: bool) -> None:
        """Let the kernels know their blocks and words for barriers, before any of them runs."""
        if kernel.stored == (blocks, by_owner):
            return
        first, kernel.stored, runtime = 0, None, self.cupy.cuda.runtime
        each = blocks // self.multiprocessors
        for number, share in enumerate(self.shares):
            place = first, each * self.multiprocessors, len(self.shares), number, *self._barrier_words[1:]
            first += each * share.multiprocessors
            here = self._places[number]
            here[: len(place)], here[-2:] = place, (by_owner, self._barrier_words[number] + _ARRIVALS_AT)
            with self._on(share.gpu):
                variable, kind = kernel.variables[number], runtime.memcpyHostToDevice
                runtime.memcpyAsync(variable, here.ctypes.data, here.nbytes, kind, share.stream.ptr)
                share.stream.synchronize()
        kernel.stored = blocks, by_owner

    def _launch_share(
        self, function: Any, number: int, shape: tuple[int, int, int], arguments: Arguments, after: tuple[Any, Any]
    ) -> None:
        """On the current GPU. `shape`: blocks a multiprocessor, threads, bytes of dynamic shared memory. `after`: the
        run's stream, and the event in it for which the others wait, if any."""
        share, (each, threads, dynamic_shared), (stream, before) = self.shares[number], shape, after
        driver, own, blocks = self._driver, stream if number == 0 else share.stream, each * share.multiprocessors
        if number > 0 and before is not None:
            own.wait_event(before)
        if share.is_alone:
            driver.launchCooperativeKernel(
                function.ptr, blocks, 1, 1, threads, 1, 1, dynamic_shared, own.ptr, arguments.address
            )
        else:  # a cooperative launch would have the GPU to itself
            driver.launchKernel(
                function.ptr, blocks, 1, 1, threads, 1, 1, dynamic_shared, own.ptr, arguments.address, 0
            )

    @cached_property
    def _places(self) -> list[NDArray[Any]]:
        """Pinned memory for what is stored in `gdsl_place`, of each share."""
        return [self.pinned(8 * _PLACE_WORDS).view(numpy.uint64) for _ in self.shares]

    @cached_property
    def _barrier_words(self) -> list[int]:
        """The addresses of the kernels' words for barriers, each in the memory of its GPU, where its blocks wait; the
        first is not used, but what is behind it."""
        self._barrier_memory = self.arena.allocate(_BARRIER_BYTES)
        return [self._barrier_memory.pointer + number * self.arena.stride for number in range(len(self.gpus))]

    def _clear(self, stream: Any) -> None:
        for word in self._barrier_words:
            self.cupy.cuda.runtime.memsetAsync(word, 0, _BARRIER_BYTES, stream.ptr)

    def _have_cleared(self, stream: Any) -> None:
        """Before a run, whatever its stream is; that of the control block is sent with it."""
        cleared, self._cleared = self._cleared, None
        if cleared is None:
            self._clear(stream)
        elif cleared[0] != self.lane:
            self.let_end(cleared[1], cleared[0])

    @cached_property
    def _aborted(self) -> NDArray[Any]:
        words = self.pinned(8).view(numpy.uint64)
        words[0] = _ABORTED
        return words

    @property
    def _control(self) -> int:
        """The address of the control block of the run in progress."""
        assert self._launched is not None
        return int(self._launched["run"]["control"][0])

    def _abort(self) -> None:
        """Let kernels leave that wait for others which do not come, and wait until they have."""
        runtime, (stream, _) = self.cupy.cuda.runtime, self._side_stream
        here, self._cleared = self._aborted.ctypes.data, None
        for word in (self._control, *self._barrier_words[1:]):
            runtime.memcpyAsync(word, here, 8, runtime.memcpyHostToDevice, stream.ptr)
        stream.synchronize()
        self.halt()

    def wait_for(self, clock: Clock, must_stop: Callable[[], bool] | None, until: float | None = None) -> bool:
        """As `CudaDevice.wait_for`; if the kernel on another GPU has failed, those that wait for it are made to
        leave."""

        def stop() -> bool:
            for share in self.shares[1:]:
                if self.cupy.cuda.runtime.eventQuery(share.ended.ptr) not in (DONE, NOT_READY):
                    self._abort()
                    share.ended.synchronize()  # raises what the driver says
            return must_stop is not None and must_stop()

        return super().wait_for(clock, stop, until)

    def halt(self) -> None:
        """Stop what is queued, and wait until that is over."""
        super().halt()
        for share in self.shares[1:]:
            share.stream.synchronize()
        if "_bringing" in self.__dict__:  # copies for which no work has waited yet
            self._bringing[0].synchronize()
