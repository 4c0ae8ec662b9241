"""The cpu backend: compiles programs, or loads them from the cache, and runs them."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gdsl import cache
from gdsl.backends import failures
from gdsl.backends.batch import Bounds, Part
from gdsl.backends.cpu import library as libraries
from gdsl.backends.cpu.batch import Packing, run_batch
from gdsl.backends.cpu.library import Library, LibraryError
from gdsl.backends.cpu.planning import plan_of
from gdsl.backends.cpu.run import LoadedProgram, Run
from gdsl.backends.interface import Availability, Backend, Bindings, Build, Limits, Need, Outcome
from gdsl.cache.location import is_noexec, private_library
from gdsl.codegen.generated import CppText
from gdsl.diagnostics import GdslError
from gdsl.extents import of_graph
from gdsl.graph.graph import Graph
from gdsl.interpreter import uncollected
from gdsl.ir.nodes import Program
from gdsl.memory_use import MemoryUse
from gdsl.native import compiler as compilers
from gdsl.native import processor
from gdsl.types import Widths

if TYPE_CHECKING:
    from gdsl.plan.nodes import Plan
    from gdsl.plan.target import Sizes

_KIND = "cpu"
_LONGEST_NAME = 100
"""The most letters of a program's name in the name of its temporary file: file systems allow 255 bytes."""


class CpuExecutable(LoadedProgram):
    """A program in a shared library. Several runs may be under way, each in its own thread."""

    packing = Packing(lambda: None, 0, 0, 1)
    """How many values of the params may run together."""

    def build(self, graph: Graph) -> Build:
        """What runs on `graph`, which is one build for all graphs."""
        compiler = compilers.find_compiler()
        about = (("compiler", str(compiler)), ("options", " ".join(compilers.OPTIONS))) if compiler is not None else ()
        return Build(self.plan, "cpp", self.generated.text, about)

    def run(self, graph: Graph, bindings: Bindings, limits: Limits) -> Outcome:
        """Run to the end; raises GdslError (E0801, E0802, E0803, E0912) or KeyboardInterrupt where it is stopped."""
        try:
            run = Run(self, graph, bindings, limits)
        except MemoryError:
            raise failures.memory_error() from None
        try:
            run.call(self.library.run)
            return run.outcome()
        finally:
            if not run.abandoned:
                self.library.release(ctypes.byref(run.control))
                run.end()

    def run_batch(
        self, graph: Graph, bound: Sequence[Bindings], limits: Limits, bounds: Bounds
    ) -> Iterator[Part] | None:
        """By threads that run with one value each, or with many at a time."""
        return run_batch(self, graph, bound, limits, bounds, self.packing)


@dataclass
class CpuBackend(Backend):
    """Compiles with the C++ compiler of this machine; `sizes` are the thresholds of the generated code."""

    sizes: Sizes | None = None
    name: str = "cpu"

    def availability(self) -> Availability:
        """Whether there is a compiler."""
        compiler = compilers.find_compiler()
        if compiler is None:
            detail, fix = compilers.missing()
            return Availability(False, detail, fix)
        return Availability(True, f"C++ compiler {compiler}")

    def build(self, program: Program, widths: Widths | int) -> CpuExecutable:
        """Compile `program`. Raises E0902 without a compiler, E0905 where it refuses the generated text, E0906 where
        the compiler or its library cannot be used."""
        from gdsl.plan.target import CPU, INSTANCES

        widths = Widths.both(widths)
        executable = CpuExecutable(program, widths, *self._compiled(program, widths))
        sizes = self.sizes or CPU.sizes
        together = partial(self.build_instances, program, widths)
        executable.packing = Packing(together, sizes.packed_work, sizes.shared_visits, INSTANCES)
        return executable

    def build_instances(self, program: Program, widths: Widths) -> LoadedProgram | None:
        """The library for up to 64 instances that run together; None where the program's effects do not allow that.
        Raises as `build`."""
        if self._plan(program, instances=True).bits is None:
            return None
        return LoadedProgram(program, widths, *self._compiled(program, widths, instances=True))

    def build_shared(self, program: Program, widths: Widths) -> LoadedProgram:
        """The library for one of several workers (`share_run`). Raises as `build`."""
        return LoadedProgram(program, widths, *self._compiled(program, widths, workers=True))

    def _plan(self, program: Program, *, workers: bool = False, instances: bool = False) -> Plan:
        """The plan of one of these kinds, not verified."""
        return plan_of(program, self.sizes, verify=False, workers=workers, instances=instances)

    def _compiled(
        self, program: Program, widths: Widths, *, workers: bool = False, instances: bool = False
    ) -> tuple[CppText, Library, Callable[[], Plan]]:
        """The text, its library, and a function that returns the plan."""
        compiler = compilers.required_compiler()
        key = (
            cache.program_key(program),
            str(widths),
            repr(self.sizes),
            *(("workers",) if workers else ()),
            *(("instances",) if instances else ()),
        )
        plan_later = partial(self._plan, program, workers=workers, instances=instances)
        found = _known(key, compiler)
        if found is not None:
            return *found, plan_later
        with cache.lock(_KIND, key):  # workers on one machine need the same text at the same moment
            found = _known(key, compiler)
            if found is not None:
                return *found, plan_later
            from gdsl.codegen.cpu.generate import generate

            with uncollected():
                plan = plan_of(program, self.sizes, workers=workers, instances=instances)
                generated = generate(plan, widths)
            library = _library(generated.text, f"{program.name[:_LONGEST_NAME]}.cpp", compiler)
            cache.store(_KIND, key, generated)
        return generated, library, lambda: plan

    def needs(
        self,
        program: Program,
        widths: Widths,
        graph: Graph,
        bindings: Bindings,
        free: int | None,
        memory: MemoryUse | None = None,
    ) -> tuple[Need, ...]:
        """The plan's buffers, and the frontiers that the generated code allocates."""
        from gdsl.backends import needs

        sizes = of_graph(graph.num_vertices, graph.num_edges, bindings.params)
        return needs.on_the_host(plan_of(program, self.sizes), widths, sizes, graph.directed)


def _known(key: tuple[cache.KeyPart, ...], compiler: compilers.Compiler) -> tuple[CppText, Library] | None:
    """The text and the library under `key` in the cache: the plan is built when a trace is first looked at."""
    generated = cache.load(_KIND, key)
    if not isinstance(generated, CppText):
        return None
    library = _cached(_library_key(generated.text, compiler), compiler)
    return None if library is None else (generated, library)


def _library_key(text: str, compiler: compilers.Compiler) -> tuple[cache.KeyPart, ...]:
    """A key of the C++ `text` rather than of the program: many of its tunings generate the same."""
    options = " ".join(compilers.OPTIONS)
    return text, str(compiler), compiler.identity, options, processor.identity()


def _library(text: str, name: str, compiler: compilers.Compiler) -> Library:
    """The library of C++ `text`, compiled under this file `name` unless the cache has it."""
    key = _library_key(text, compiler)
    return _cached(key, compiler) or install(compilers.compile_library(text, name, compiler), key, compiler)


def install(binary: bytes, key: tuple[cache.KeyPart, ...], compiler: compilers.Compiler) -> Library:
    """Load a library, and cache it under `key` if it can be loaded. Raises E0906 if not."""
    refusals: list[str] = []

    def accept(path: Path) -> bool:
        refusal = libraries.refusal(path)
        refusals.extend([refusal] if refusal is not None else [])
        return refusal is None

    try:
        path = cache.put_file(_KIND, key, binary, accept=accept)
        if path is not None:
            return _loaded(path, compiler)
    except LibraryError as error:
        refusals.append(str(error))
    except OSError as error:
        reason = error.strerror or str(error)
        raise compilers.unusable(f"the compiled library cannot be written: {reason}", cache.REMEDY) from None
    if not cache.can_load_libraries():
        raise compilers.unusable(
            "compiled libraries cannot be loaded: the cache and the temporary directory are mounted noexec",
            cache.REMEDY,
        )
    raise broken(compiler, refusals[-1])


def try_compiler() -> None:
    """Compile and load an empty library. Raises E0902, E0905 or E0906 where that fails."""
    compiler = compilers.required_compiler()
    text = "".join(f'extern "C" void {symbol}() {{}}\n' for symbol in libraries.SYMBOLS)
    binary = compilers.compile_library(text, "trial.cpp", compiler)
    try:
        path = private_library(binary)
    except OSError as error:
        reason = error.strerror or str(error)
        raise compilers.unusable(f"a library cannot be written: {reason}", compilers.FIX_SPACE) from None
    refusal = None if is_noexec(path.parent) else libraries.refusal(path)
    path.unlink(missing_ok=True)
    if refusal is not None:
        raise broken(compiler, refusal)


def broken(compiler: compilers.Compiler, refusal: str) -> GdslError:
    """E0906 for a library that cannot be loaded."""
    fix = f"{compilers.FIX_BROKEN}, or use --backend reference"
    return compilers.unusable(f"the library that {compiler} made cannot be loaded: {refusal}", fix)


def _cached(key: tuple[cache.KeyPart, ...], compiler: compilers.Compiler) -> Library | None:
    """The library under `key` in the cache; None where there is none that can be loaded."""
    path = cache.get_file(_KIND, key)
    if path is None:
        return None
    with contextlib.suppress(LibraryError):
        return Library(path, compiler.identity)
    with contextlib.suppress(LibraryError, OSError):  # the cache may be mounted noexec
        return _loaded(private_library(path.read_bytes()), compiler)
    return None


def _loaded(path: Path, compiler: compilers.Compiler) -> Library:
    """The library at `path`; a file outside the cache is deleted once it is loaded."""
    try:
        return Library(path, compiler.identity)
    finally:
        if not cache.contains(path):
            path.unlink(missing_ok=True)
