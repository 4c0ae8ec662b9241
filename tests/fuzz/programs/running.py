"""A program on the backends that were asked for: once, many times, or compiled together with others."""

from __future__ import annotations

import ctypes
import functools
import importlib
import re
import sys
import tempfile
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from interleaving.interleave import InterleavedCalls

from fuzz import sanitizing
from fuzz.expressions.running import checkout
from fuzz.programs.graphs import Pools, given_to
from gdsl.annotate import annotate
from gdsl.backends import registry
from gdsl.backends.cpu.backend import CpuExecutable, plan_of
from gdsl.backends.cpu.library import SYMBOLS, Library
from gdsl.backends.cpu.memory import ControlBlock, HostSlice
from gdsl.backends.interface import Bindings, Executable, Limits, Outcome
from gdsl.backends.reference.interpreter import interpret
from gdsl.binding import bind
from gdsl.codegen.cpu.generate import generate
from gdsl.diagnostics import GdslError
from gdsl.frontend import CheckedProgram, check, parse
from gdsl.graph import Graph
from gdsl.ir import nodes as ir
from gdsl.ir.lowering import lower
from gdsl.knobs import OPTIONAL_PASSES
from gdsl.native import compiler as compilers
from gdsl.native import processes
from gdsl.plan.graph_class import GENERAL, class_of
from gdsl.plan.heuristics import effects_of_graph
from gdsl.plan.nodes import Plan
from gdsl.plan.target import CPU, Sizes
from gdsl.source import Source
from gdsl.types import Widths

PASSES = 60
SECONDS = 3.0
Answer = Outcome | str
"""What a run gave, or the code of the error that ended it."""


def checked(text: str, tune: Sequence[str] = ()) -> CheckedProgram:
    """The typed tree of a program. Raises GdslError."""
    return check(parse(_source(text)), _source(text), tune)


def lowered(text: str, program: CheckedProgram, *, refuse: bool = True) -> ir.Program:
    """The IR of a typed program; without `refuse` also where the rules of reading and writing are broken."""
    return annotate(lower(program), _source(text), refuse)


def compiled(text: str, *, refuse: bool = True) -> ir.Program:
    """From text to IR. Raises GdslError."""
    return lowered(text, checked(text), refuse=refuse)


def _source(text: str) -> Source:
    return Source("program.gdsl", text)


def bits_of(program: ir.Program) -> int:
    """The width of ids that a program asks for; all our graphs are small."""
    return program.tuning.ids or 32


@dataclass(frozen=True)
class Place:
    """Where a run happens: a graph, and what the caller gives."""

    graph: Graph
    pools: Pools

    def bindings(self, program: ir.Program, id_bits: int) -> Bindings:
        """The caller's values for `program`. Raises GdslError."""
        return bind(program, self.graph, given_to(program, self.graph, self.pools), id_bits=id_bits)


Runner = Callable[[Place, int, float], Answer]
"""Runs a program at a place, in the order of a seed, with so many times the usual patience; below 1 it is fewer
passes in the usual time."""


def answered(executable: Callable[[Limits], Outcome], patience: float) -> Answer:
    """The outcome of a run, or the code of its error."""
    try:
        return executable(Limits(timeout=SECONDS * max(patience, 1), max_iterations=round(PASSES * patience)))
    except GdslError as error:
        return error.code


def on_reference(program: ir.Program) -> Runner:
    """The reference: whole calls one after another where the seed is even, mixed calls where it is odd."""
    bits = bits_of(program)

    def run(place: Place, seed: int, patience: float) -> Answer:
        bindings = place.bindings(program, bits)
        how: dict[str, Any] = {"make_calls": InterleavedCalls} if seed % 2 else {}
        return answered(
            lambda limits: interpret(program, place.graph, bindings, limits, id_bits=bits, seed=seed, **how), patience
        )

    return run


def on_executable(program: ir.Program, executable: Executable) -> Runner:
    """What a backend has made of a program; its orders are its own."""

    def run(place: Place, seed: int, patience: float) -> Answer:
        bindings = place.bindings(program, bits_of(program))
        answer = answered(lambda limits: executable.run(place.graph, bindings, limits), patience)
        sanitizing.check()
        return answer

    return run


# ---------------------------------------------------------------- cpu

SMALL = (Sizes(small_work=0), Sizes(small_work=0, hub_degree=2, hub_chunk=1, own_votes=0), CPU.sizes)
_FAST = tuple(option for option in compilers.OPTIONS if option not in ("-O3", "-march=native"))
_INCLUDE = re.compile(r"^#include.*$", re.MULTILINE)
_first: list[tuple[ctypes.CDLL, tempfile.TemporaryDirectory[str]]] = []


class CompilerRefusal(Exception):  # noqa: N818 (what the compiler says of our own text)
    """The C++ compiler's words."""


class _Part(Library):
    """One of the programs of a library."""

    def __init__(self, loaded: ctypes.CDLL, number: int) -> None:
        self.run, self.release = (getattr(loaded, f"{symbol}_{number}") for symbol in SYMBOLS)
        self.run.argtypes = [ctypes.POINTER(HostSlice)]
        self.release.argtypes = [ctypes.POINTER(ControlBlock)]
        self.release.restype = None


def without_some(program: ir.Program, random: Random) -> ir.Program:
    """`program`, every other time planned without some passes: one, a few or all."""
    if random.random() < _WITH_ALL:
        return program
    some = random.sample(OPTIONAL_PASSES, random.choice((1, 1, 2, 3, 8, len(OPTIONAL_PASSES))))
    return replace(program, tuning=replace(program.tuning, without=tuple(sorted(some))))


def cpu_executables(programs: Sequence[ir.Program], sizes: Sizes, *, optimized: bool = False) -> list[CpuExecutable]:
    """All programs in one library, since most of a compiler's time goes into the headers; not optimized, unless asked.

    Raises `CompilerRefusal`.
    """
    if not programs:
        return []
    plans = [plan_of(program, sizes) for program in programs]
    widths = [Widths.both(bits_of(program)) for program in programs]
    made = [generate(plan, each) for plan, each in zip(plans, widths, strict=True)]
    includes: dict[str, None] = {}
    parts = []
    for number, each in enumerate(made):
        includes.update(dict.fromkeys(_INCLUDE.findall(each.text)))
        own = re.sub(rf"\b({'|'.join(SYMBOLS)})\b", rf"\1_{number}", _INCLUDE.sub("", each.text))
        parts.append(f"namespace program_{number} {{\n{own}\n}}\n")
    text = "\n".join((*includes, *parts))
    options = (*_FAST, "-O3", "-march=native") if optimized else (*_FAST, "-O0")
    directory = tempfile.TemporaryDirectory(prefix="gdsl-fuzz-")
    source, library = Path(directory.name, "programs.cpp"), Path(directory.name, "programs.so")
    source.write_text(text, encoding="utf-8")
    command = [*compilers.required_compiler().command, *options, str(source), "-o", str(library)]
    status, output = processes.run(command, 300.0, 1 << 20)
    if status != 0:
        raise CompilerRefusal(output)
    loaded = ctypes.CDLL(str(library))
    _close_when_unused(loaded, directory)
    return [
        CpuExecutable(plan.program, each, generated, _Part(loaded, number), _given(plan))
        for number, (plan, each, generated) in enumerate(zip(plans, widths, made, strict=True))
    ]


def _given(plan: Plan) -> Callable[[], Plan]:
    return lambda: plan


def _close_when_unused(loaded: ctypes.CDLL, directory: tempfile.TemporaryDirectory[str]) -> None:
    """Functions hold on to their library, in whose file sanitizers look up the lines of their reports. The first stays,
    and with it OpenMP's own library."""
    if not _first:
        _first.append((loaded, directory))
        return
    close = ctypes.CDLL(None).dlclose
    close.argtypes = [ctypes.c_void_p]
    weakref.finalize(loaded, _close, close, loaded._handle, directory).atexit = False


def _close(close: Any, handle: int, directory: tempfile.TemporaryDirectory[str]) -> None:
    close(handle)
    directory.cleanup()


# ---------------------------------------------------------------- the others


_KEPT_FILES = 8
_UNCUT = 0.2
_WITH_ALL = 0.5
_SEVERAL_GPUS = 0.3
_OF_A_CLASS = 0.5
"""Of the programs that have another plan for a class of graphs."""
_compiled_files: list[Path] = []


def on_emulator(text: str, random: Random) -> tuple[Runner, tuple[str, ...]]:
    """`text` on the emulator in one of the modes that make a difference to it, and the tuning words of that mode.

    A run raises the emulator's error for what it finds."""
    running, modes = emulator("running"), emulator("modes")
    mode = random.choice(modes.modes_of.__wrapped__(text))
    words = (*mode.words, *(("schedule.layout=by_degree",) if compiled(text).any_ids and random.random() < 0.5 else ()))
    shape = running.UNCUT if random.random() < _UNCUT else mode.shape
    program = without_some(running.program_of.__wrapped__(text, words), random)
    facts = [fact for fact in ("deep", "short-lists", "hubs") if fact in effects_of_graph(program)]
    on = class_of([random.choice(facts)]) if facts and random.random() < _OF_A_CLASS else GENERAL
    gpus = random.choice((2, 3)) if program.tuning.fuse and random.random() < _SEVERAL_GPUS else 1
    built = running.emulated(program, shape, mode.widths, on=on, several_gpus=gpus > 1)
    keep_file(built.module.path)

    def run(place: Place, seed: int, patience: float) -> Answer:
        bindings = place.bindings(built.program, built.widths.vertex)
        device = running.device_for(seed, gpus * (1 + seed % (3 if gpus == 1 else 2)), gpus=gpus)
        patience *= 20 if patience >= 1 else 1
        return answered(lambda limits: built.run(place.graph, bindings, device, limits), patience)

    return run, (*words, *(f"without={name}" for name in program.tuning.without), f"{gpus} GPUs")


def keep_file(path: Path) -> None:
    """Remove an older file: the emulator keeps what it has compiled, and a campaign makes thousands."""
    _compiled_files.append(path)
    if len(_compiled_files) > _KEPT_FILES:
        _compiled_files.pop(0).unlink(missing_ok=True)


@functools.cache
def emulator(module: str) -> Any:
    """A module of the emulator's, which lies with the tests."""
    folder = str(checkout() / "tests")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(f"emulator.{module}")


def on_device(program: ir.Program) -> Runner:
    """`program` on the GPU."""
    return on_executable(program, registry.get("cuda").build(program, bits_of(program)))
