"""Programs as Python packages (wheels) with compiled kernels: `gdslc export --wheel`, and what such a package calls."""

from __future__ import annotations

from gdsl.wheels.loading import differences_from_answer, program_of, usable_backends

__all__ = ["differences_from_answer", "program_of", "usable_backends"]
