"""The cpu backend: programs made ready, from the cache where they were made before."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

from gdsl import cache
from gdsl.backends.cpu import compiler as compilers
from gdsl.backends.cpu.executable import CpuExecutable
from gdsl.backends.interface import Availability
from gdsl.codegen.cpu.plan import Generated, Sizes
from gdsl.ir.nodes import Program

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

    def build(self, program: Program, id_bits: int) -> CpuExecutable:
        """Make `program` ready. Raises E0902 without a compiler, E0905 where it refuses the generated text."""
        compiler = compilers.required_compiler()
        key = (
            cache.program_key(program),
            id_bits,
            repr(self.sizes),
            str(compiler),
            compiler.identity,
            " ".join(compilers.OPTIONS),
            compilers.processor(),
        )
        facts, library = cache.get(_KIND, key), cache.get_file(_KIND, key)
        if facts is not None and library is not None:
            return CpuExecutable(program, id_bits, pickle.loads(facts), library)
        made = generated(program, id_bits, self.sizes)
        binary = compilers.compile_library(made.text, f"{program.name[:_LONGEST_NAME]}.cpp", compiler)
        cache.put(_KIND, key, pickle.dumps(made))
        return CpuExecutable(program, id_bits, made, cache.put_file(_KIND, key, binary))


def generated(program: Program, id_bits: int, sizes: Sizes | None = None) -> Generated:
    """The C++ of `program` (as lowered), and what the host must know of it."""
    from gdsl.codegen.cpu.generate import generate
    from gdsl.passes import pipelines

    return generate(pipelines.apply(program, pipelines.CPU), id_bits, sizes)
