"""The result of code generation; a program from the cache needs no other part of the generator."""

from __future__ import annotations

from gdsl.codegen.checks import CheckTable
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated program: its text, and what the host needs to run it besides the plan."""

    text: str
    kernels: tuple[str, ...]
    """The kernel of each launch of the plan, in their order."""
    checks: CheckTable
