"""Runs CUDA text on the CPU: modules, launches with findings, and memory."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy

from . import build
from .findings import Finding, Locator, RawReport, describe

_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_uint64, ctypes.c_uint64)


class Options(ctypes.Structure):
    """`Options` of native/core.h."""

    _fields_ = [
        ("grid", ctypes.c_uint32),
        ("block", ctypes.c_uint32),
        ("seed", ctypes.c_uint64),
        ("resident", ctypes.c_uint32),
        ("stride", ctypes.c_uint32),
        ("max_steps", ctypes.c_uint64),
        ("stop_at", ctypes.c_uint64),
        ("check_uninitialized", ctypes.c_uint32),
        ("teams", ctypes.c_uint32),
        ("gpus", ctypes.c_uint32),
        ("arguments", ctypes.c_uint32),
    ]


class EmulatorError(Exception):
    """A launch that could not go on; the findings say why."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        super().__init__("\n".join(map(str, findings)))
        self.findings = findings


class _Library:
    """The emulator, loaded once a process: its memory is shared by all modules."""

    def __init__(self) -> None:
        self.native = ctypes.CDLL(str(build.runtime_library()), mode=ctypes.RTLD_GLOBAL)
        native = self.native
        native.emulator_allocate.restype = ctypes.c_uint64
        native.emulator_allocate.argtypes = [ctypes.c_uint64]
        native.emulator_free.argtypes = [ctypes.c_uint64]
        native.emulator_mark_written.argtypes = [ctypes.c_uint64, ctypes.c_uint64]
        native.emulator_launch.restype = ctypes.c_bool
        native.emulator_launch.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(Options)]
        native.emulator_report.restype = ctypes.POINTER(RawReport)
        native.emulator_steps.restype = ctypes.c_uint64
        self.locator = Locator(native)
        self._callback = _CALLBACK(self.locator.same)
        native.emulator_set_site_callback(self._callback)

    def findings(self) -> tuple[Finding, ...]:
        """What was reported since the last call."""
        count = self.native.emulator_report_count()
        found = tuple(describe(self.native.emulator_report(i).contents, self.locator) for i in range(count))
        self.native.emulator_clear_reports()
        return found


@cache
def library() -> _Library:
    """The emulator."""
    return _Library()


class EmulatedModule:
    """A CUDA text, compiled for the emulator; `name` is what its own lines are called by in findings."""

    def __init__(self, text: str, name: str = "kernel.cu", coverage: bool = False) -> None:
        library()
        self.path: Path = build.compile_module(text, name, coverage)
        self._module = ctypes.CDLL(str(self.path))
        library().native.emulator_add_module(str(self.path).encode())
        self.kernels = build.kernel_names(text)

    def get_function(self, name: str) -> int:
        """The address of a kernel, for `launch`."""
        function = getattr(self._module, f"emulator_call_{name}")
        return int(ctypes.cast(function, ctypes.c_void_p).value or 0)

    def dump_coverage(self) -> None:
        """Write what a module built with `coverage` has counted."""
        self._module.emulator_dump()


@dataclass
class Schedule:
    """How the threads of launches take turns."""

    seed: int = 0
    resident: int = 0
    """Blocks at a time; 0: all, as in a cooperative launch."""
    stride: int = 0
    """Accesses between two switches on average; 0: the seed chooses."""
    max_steps: int = 200_000_000
    stop_at: int = 0
    """Accesses of a launch after which the host's flag asks for a stop; 0: it never does."""
    check_uninitialized: bool = False


def launch(
    kernel: int,
    grid: int,
    block: int,
    arguments: Sequence[Any],
    schedule: Schedule | None = None,
    teams: int = 1,
    gpus: int = 1,
    each: Sequence[Sequence[Any]] = (),
) -> tuple[bool, tuple[Finding, ...]]:
    """Run a kernel; (whether it came to its end, findings). Arguments are NumPy values or records, or buffers. Each of
    `gpus` GPUs has as many of the blocks of the grid: what one of them does is there for another only by accesses
    whose scope is the system, and atomics of two GPUs are atomic to each other only with that scope. `each`: the
    arguments of each GPU, where they have copies of data."""
    schedule = schedule or Schedule()
    every = [argument for own in each for argument in own] if each else arguments
    held = [numpy.asarray(_value(argument)).reshape(1) for argument in every]
    pointers = (ctypes.c_void_p * max(1, len(held)))(*(argument.ctypes.data for argument in held))
    options = Options(
        grid,
        block,
        schedule.seed,
        schedule.resident,
        schedule.stride,
        schedule.max_steps,
        schedule.stop_at,
        schedule.check_uninitialized,
        teams,
        gpus,
        len(arguments) if each else 0,
    )
    ended = library().native.emulator_launch(kernel, pointers, ctypes.byref(options))
    return bool(ended), library().findings()


def _value(argument: Any) -> Any:
    return numpy.uint64(argument.pointer) if isinstance(argument, EmulatedBuffer) else argument


class EmulatedBuffer:
    """Device memory of the emulator: exactly `nbytes` bytes may be touched."""

    resident = 0
    """Of divided memory, the bytes that a GPU would have."""

    def __init__(self, nbytes: int) -> None:
        # Whole words: a bool is exchanged by the word that it lies in.
        self.nbytes = max(4, -(-nbytes // 4) * 4)
        self.pointer: int = library().native.emulator_allocate(self.nbytes)
        if self.pointer == 0:
            raise MemoryError(f"the emulator has no room for {nbytes} bytes")

    def __del__(self) -> None:
        if getattr(self, "pointer", 0):
            library().native.emulator_free(self.pointer)

    def bytes(self) -> numpy.ndarray[Any, Any]:
        """The memory itself, as bytes."""
        return numpy.ctypeslib.as_array((ctypes.c_uint8 * self.nbytes).from_address(self.pointer))


class EmulatedCopies(EmulatedBuffer):
    """Device memory of which each GPU has a copy; this is that of the first."""

    def __init__(self, nbytes: int, gpus: int) -> None:
        super().__init__(nbytes)
        self.others = [EmulatedBuffer(nbytes) for _ in range(gpus - 1)]
