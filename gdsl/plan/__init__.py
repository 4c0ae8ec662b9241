"""The kernel plan: every decision of a backend, before any text.

`build.build` builds it for a target, from a program that `gdsl.passes` have changed. Codegen prints it as CUDA or C++,
the host side of a backend allocates and launches as it says, and `gdslc compile --emit plan` shows it
(`printer.print_plan`).
"""
