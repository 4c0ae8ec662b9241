"""E09xx: what the machine lacks."""

from __future__ import annotations

from gdsl.diagnostics.registry import Code

CODES: tuple[Code, ...] = (
    Code(
        "E0901",
        "no GPU",
        "The cuda backend was asked for and no CUDA device answers. `gdslc doctor` says what is missing.",
        "gdslc run bfs.gdsl karate.mtx --backend cuda",
    ),
    Code(
        "E0902",
        "no compiler",
        "The cpu backend was asked for and no C++ compiler was found.",
        "gdslc run bfs.gdsl karate.mtx --backend cpu",
    ),
)
