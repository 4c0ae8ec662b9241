"""The kernel plan: every decision of a backend, before any text.

`build.build` makes it of a program, as `gdsl.passes` leave it, for a target. Codegen prints it, the host side of a
backend allocates and launches by it, `printer.print_plan` shows it to people (`gdslc compile --emit plan`).
"""
