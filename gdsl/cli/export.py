"""`gdslc export`."""

from __future__ import annotations

from pathlib import Path

import click

from gdsl.cli import completing
from gdsl.cli.options import tuning_options, type_option
from gdsl.cli.streams import message, tell_warnings

_BACKENDS = ("cuda", "cpu")


@click.command(name="export", short_help="Write a program as C++ or CUDA that needs no gdsl.")
@click.argument("program_file", metavar="PROGRAM", shell_complete=completing.programs)
@click.option(
    "-o", "--output", metavar="DIR", required=True, help="The directory to write; created if it does not exist."
)
@click.option(
    "--backend", type=click.Choice(_BACKENDS), default="cuda", show_default=True,
    help="cuda writes a .cu for nvcc, cpu a .cpp for a C++ compiler with or without OpenMP.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Replace files of the same names in a directory that is not empty.")
@type_option
@tuning_options
def command(
    program_file: str, output: str, backend: str, force: bool, types: dict[str, str] | None, tune: tuple[str, ...]
) -> None:
    """Write PROGRAM as a folder of plain CUDA or C++, to be compiled and changed without gdsl.

    DIR gets NAME.cu (or NAME.cpp), the program with what runs it; NAME.h, an interface for C; main.cpp, a command that
    reads Matrix Market files; CMakeLists.txt, whose first lines say how to compile without CMake.

    PROGRAM is a .gdsl file, a bare name (NAME if there is such a file, else NAME.gdsl here, else the sample), or - for
    standard input. Ids have 32 bits unless --tune schedule.ids=64 is set; vertices keep their ids.
    Type parameters have their defaults unless -t chooses others.

    \b
    Examples:
      gdslc export bfs -o bfs_cuda
      gdslc export sssp -o sssp_cpu --backend cpu -t weight_type=int64
      gdslc export my_program.gdsl -o out --tune schedule.fuse=off --force
    """
    from gdsl.api.compiling import compile_file
    from gdsl.cli.output import refuse_hyphen
    from gdsl.diagnostics import GdslError, printable
    from gdsl.export import export

    refuse_hyphen(output)
    if not output:
        raise GdslError.single("E0911", "the name of the directory to write is empty")
    program = compile_file(program_file, tune, types=types)
    tell_warnings(program)
    files = export(program.ir, program.text, backend, Path(output), force=force)
    message(f"wrote {len(files)} files into {printable(output)}: {', '.join(files)}")
