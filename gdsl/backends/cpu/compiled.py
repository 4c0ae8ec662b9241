"""The cpu backend: programs made ready, from the cache where they were made before."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gdsl import cache
from gdsl.backends.cpu import library as libraries
from gdsl.backends.cpu.executable import CpuExecutable
from gdsl.backends.cpu.library import Library, LibraryError
from gdsl.backends.interface import Availability, Bindings, Need, Space
from gdsl.backends.machine import machine_space
from gdsl.cache.location import is_noexec, private_file
from gdsl.codegen.cpu.generated import Generated
from gdsl.diagnostics import GdslError
from gdsl.extents import of_graph
from gdsl.graph.graph import Graph
from gdsl.interpreter import uncollected
from gdsl.ir.nodes import Program
from gdsl.native import compiler as compilers
from gdsl.native import processor
from gdsl.types import Widths

if TYPE_CHECKING:
    from gdsl.plan.nodes import Plan
    from gdsl.plan.target import Sizes

_KIND = "cpu"
_LONGEST_NAME = 100
"""Letters of a program's name that its temporary file has: file systems allow 255 bytes."""


@dataclass
class CpuBackend:
    """Compiles with the C++ compiler of this machine; `sizes` are where the generated code changes its ways."""

    sizes: Sizes | None = None
    name: str = "cpu"

    def availability(self) -> Availability:
        """Whether there is a compiler."""
        compiler = compilers.find_compiler()
        if compiler is None:
            detail, fix = compilers.missing()
            return Availability(False, detail, fix)
        return Availability(True, f"C++ compiler {compiler}")

    def stays(self) -> bool:
        """A library needs no compiler any more."""
        return True

    def place(self, graph: Graph) -> None:
        """Left to the host."""

    def build(self, program: Program, id_bits: int) -> CpuExecutable:
        """As `build_for`, with ids of `id_bits` bits."""
        return self.build_for(program, Widths.both(id_bits))

    def build_for(self, program: Program, widths: Widths) -> CpuExecutable:
        """Make `program` ready. Raises E0902 without a compiler, E0905 where it refuses the generated text,
        E0906 where the compiler or what it makes is of no use."""
        compiler = compilers.required_compiler()
        key = (cache.program_key(program), str(widths), repr(self.sizes))
        generated = cache.load(_KIND, key)
        if isinstance(generated, Generated):
            library = _kept(_library_key(generated.text, compiler), compiler)
            if library is not None:  # the plan is built once somebody looks at a trace
                replan = partial(plan_of, program, self.sizes, again=True)
                return CpuExecutable(program, widths, generated, library, replan)
        from gdsl.codegen.cpu.generate import generate

        with uncollected():
            plan = plan_of(program, self.sizes)
            generated = generate(plan, widths)
        library = _library(generated.text, f"{program.name[:_LONGEST_NAME]}.cpp", compiler)
        cache.store(_KIND, key, generated)
        return CpuExecutable(program, widths, generated, library, lambda: plan)

    def needs(
        self, program: Program, widths: Widths, graph: Graph, bindings: Bindings, free: int | None
    ) -> tuple[Need, ...]:
        """By the plan's buffers, and the frontiers that the generated code makes."""
        from gdsl.backends import needs

        sizes = of_graph(graph.num_vertices, graph.num_edges, bindings.params)
        return needs.on_the_host(plan_of(program, self.sizes), widths, sizes, graph.directed)

    def space(self) -> Space:
        """The machine's memory."""
        return machine_space()


def _library_key(text: str, compiler: compilers.Compiler) -> tuple[cache.KeyPart, ...]:
    """Of C++ `text`, and not of the program: many tunings of one come to the same."""
    options = " ".join(compilers.OPTIONS)
    return text, str(compiler), compiler.identity, options, processor.identity()


def _library(text: str, name: str, compiler: compilers.Compiler) -> Library:
    """The library of C++ `text` (`name` is the file it says it is), made unless it is kept."""
    key = _library_key(text, compiler)
    kept = _kept(key, compiler)
    return kept or install(compilers.compile_library(text, name, compiler), key, compiler)


def install(binary: bytes, key: tuple[cache.KeyPart, ...], compiler: compilers.Compiler) -> Library:
    """Load what `compiler` made, and keep it under `key` once that has worked. Raises E0906 where it does not."""
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
    """Have the compiler make a library of nothing and load it. Raises E0902, E0905 or E0906 where that fails."""
    compiler = compilers.required_compiler()
    text = "".join(f'extern "C" void {symbol}() {{}}\n' for symbol in libraries.SYMBOLS)
    binary = compilers.compile_library(text, "trial.cpp", compiler)
    try:
        path = private_file(".so", binary)
    except OSError as error:
        reason = error.strerror or str(error)
        raise compilers.unusable(f"a library cannot be written: {reason}", compilers.FIX_SPACE) from None
    refusal = None if is_noexec(path.parent) else libraries.refusal(path)
    path.unlink(missing_ok=True)
    if refusal is not None:
        raise broken(compiler, refusal)


def broken(compiler: compilers.Compiler, refusal: str) -> GdslError:
    """E0906 for a library that is of no use."""
    fix = f"{compilers.FIX_BROKEN}, or use --backend reference"
    return compilers.unusable(f"the library that {compiler} made cannot be loaded: {refusal}", fix)


def _kept(key: tuple[cache.KeyPart, ...], compiler: compilers.Compiler) -> Library | None:
    """The library that is kept under `key`; None where it is not there, or cannot be used any more."""
    path = cache.get_file(_KIND, key)
    if path is None:
        return None
    with contextlib.suppress(LibraryError):
        return Library(path, compiler.identity)
    with contextlib.suppress(LibraryError, OSError):  # it may be the place, as on a file system mounted noexec
        return _loaded(private_file(".so", path.read_bytes()), compiler)
    return None


def _loaded(path: Path, compiler: compilers.Compiler) -> Library:
    """The library at `path`; a file outside the cache is not needed any more once it is loaded."""
    try:
        return Library(path, compiler.identity)
    finally:
        if not cache.contains(path):
            path.unlink(missing_ok=True)


def plan_of(program: Program, sizes: Sizes | None = None, *, again: bool = False, after: str | None = None) -> Plan:
    """The kernel plan of `program` (as lowered), verified, unless that was done when the same was made before. `after`:
    what it is when the pass of that name has run, unverified."""
    from gdsl.passes import pipelines
    from gdsl.plan import target
    from gdsl.plan.build import build

    return build(pipelines.apply(program, again=again), target.CPU, sizes, again=again, after=after)
