"""What generation leaves behind, apart from how it is done: a program that is read from the cache needs no more."""

from __future__ import annotations

from gdsl.codegen.checks import CheckTable
from gdsl.records import dataclass


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated program: its text, and what the host must know to run it beside the plan."""

    text: str
    kernels: tuple[str, ...]
    """The kernel of each launch of the plan, in their order."""
    checks: CheckTable
