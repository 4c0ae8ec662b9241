"""`gdslc export`."""

from __future__ import annotations

from pathlib import Path

import click

from gdsl.cli import completing
from gdsl.cli.options import OTHER_BACKENDS, Word, declared_type_option, tuning_options
from gdsl.cli.params import parse_params
from gdsl.cli.streams import message, tell_warnings
from gdsl.records import dataclass

_BACKENDS = ("cuda", "cpu")


@dataclass(frozen=True, slots=True)
class _OfWheel:
    """The options that only a package has."""

    version: str | None
    arch: tuple[str, ...]
    no_kernels: bool
    all_types: bool
    assignments: tuple[str, ...]

    @property
    def first(self) -> str | None:
        """The first one that the caller used."""
        values = {
            "--version": self.version,
            "--arch": self.arch,
            "--no-kernels": self.no_kernels,
            "--all-types": self.all_types,
            "-p": self.assignments,
        }
        return next((option for option, value in values.items() if value or value == ""), None)


@click.command(name="export", short_help="Write a program as C++ or CUDA that needs no gdsl, or as a Python package.")
@click.argument("program_file", metavar="PROGRAM", shell_complete=completing.programs)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    help="The directory to write, created if it does not exist; with --wheel that of the wheel, which "
    "must exist, by default this one.",
)
@click.option(
    "--backend",
    type=Word(_BACKENDS, OTHER_BACKENDS),
    help="cuda writes a .cu for nvcc, cpu a .cpp for a C++ compiler with or without OpenMP.  [default: cuda]",
)
@click.option(
    "--force",
    is_flag=True,
    help="Replace files of the same names in a directory that is not empty; with --wheel a wheel that exists.",
)
@click.option("--wheel", metavar="NAME", help="Build a Python package NAME with compiled kernels, which needs gdsl.")
@click.option("--version", metavar="X.Y.Z", help="With --wheel: the version of the package.  [default: 0.1.0]")
@click.option(
    "--arch",
    metavar="sm_NN,…",
    multiple=True,
    help="With --wheel: the GPU architectures of the kernels, which later GPUs of a generation run too; may be "
    "repeated.  [default: sm_80,sm_90]",
)
@click.option(
    "--no-kernels", is_flag=True, help="With --wheel: leave the kernels out; NVRTC then compiles where they run."
)
@click.option(
    "--all-types",
    is_flag=True,
    help="With --wheel: compile kernels for every type that the type parameters admit, not for their defaults alone.",
)
@click.option(
    "-p",
    "--param",
    "assignments",
    metavar="NAME=VALUE",
    multiple=True,
    shell_complete=completing.params,
    help="With --wheel: an argument of the package's test, which runs on the graph karate; others are found.",
)
@declared_type_option
@tuning_options
def command(
    program_file: str,
    output: str | None,
    backend: str | None,
    force: bool,
    wheel: str | None,
    version: str | None,
    arch: tuple[str, ...],
    no_kernels: bool,
    all_types: bool,
    assignments: tuple[str, ...],
    types: dict[str, str] | None,
    tune: tuple[str, ...],
) -> None:
    """Write PROGRAM as a folder of plain CUDA or C++, to be compiled and changed without gdsl; or as a Python package.

    DIR gets NAME.cu (or NAME.cpp), the program with what runs it; NAME.h, an interface for C; main.cpp, a command that
    reads Matrix Market files; CMakeLists.txt, whose first lines say how to compile without CMake.

    With --wheel, DIR gets a wheel with the program, all files that it imports from, its compiled kernels, its types for
    editors, and a test. Once it is installed, NAME:PROGRAM means its program, for gdslc, Python and imports.

    PROGRAM is a .gdsl file, a bare name (NAME if there is such a file, else NAME.gdsl here, else the sample), or - for
    standard input. Ids have 32 bits unless --tune schedule.ids=64 is set; vertices keep their ids in a folder.
    Type parameters have their defaults unless -t chooses others.

    \b
    Examples:
      gdslc export bfs -o bfs_cuda
      gdslc export sssp -o sssp_cpu --backend cpu -t weight_type=int64
      gdslc export my_program.gdsl -o out --tune schedule.fuse=off --force
      gdslc export bfs --wheel graph_search --arch sm_80,sm_90
    """
    from gdsl.cli.output import refuse_hyphen
    from gdsl.diagnostics import GdslError

    of_wheel = _OfWheel(version, arch, no_kernels, all_types, assignments)
    if output is not None:
        refuse_hyphen(output)
        if not output:
            raise GdslError.single("E0911", "the name of the directory to write is empty")
    if wheel is not None:
        if backend is not None:
            raise click.UsageError("--backend is for a folder; a package has all backends, so leave it out")
        _check_alone(of_wheel, types)
        _export_wheel(program_file, wheel, Path(output or "."), force, of_wheel, types, tune)
        return
    if of_wheel.first is not None:
        raise click.UsageError(f"{of_wheel.first} is for a package; add --wheel NAME, or leave it out")
    if output is None:
        raise click.UsageError(
            "Missing option '-o' / '--output': the directory to write (or --wheel NAME for a package)"
        )
    _export_folder(program_file, output, backend or "cuda", force, types, tune)


def _check_alone(of_wheel: _OfWheel, types: dict[str, str] | None) -> None:
    """Refuse options of a package that contradict each other."""
    pairs = (
        ("--arch", of_wheel.arch, "--no-kernels", of_wheel.no_kernels),
        ("--all-types", of_wheel.all_types, "--no-kernels", of_wheel.no_kernels),
        ("--all-types", of_wheel.all_types, "-t", types),
    )
    for option, value, other, other_value in pairs:
        if value and other_value:
            raise click.UsageError(f"{option} and {other} exclude each other")


def _export_folder(
    program_file: str, output: str, backend: str, force: bool, types: dict[str, str] | None, tune: tuple[str, ...]
) -> None:
    from gdsl.api.compiling import compile_file
    from gdsl.diagnostics import printable
    from gdsl.export import export

    program = compile_file(program_file, tune, types=types)
    tell_warnings(program)
    files = export(program.ir, program.text, backend, Path(output), force=force)
    message(f"wrote {len(files)} files into {printable(output)}: {', '.join(files)}")


def _export_wheel(
    program_file: str,
    name: str,
    directory: Path,
    force: bool,
    of_wheel: _OfWheel,
    types: dict[str, str] | None,
    tune: tuple[str, ...],
) -> None:
    from gdsl.api.compiling import compile_file
    from gdsl.cli.params import param_values
    from gdsl.diagnostics import printable
    from gdsl.wheels.answers import GRAPH, graph_called
    from gdsl.wheels.building import Options, architectures_of, build, target_of

    assigned = parse_params(of_wheel.assignments)
    architectures = () if of_wheel.no_kernels else architectures_of(of_wheel.arch)
    values = param_values(assigned, graph_called(GRAPH)) if assigned else {}
    version = "0.1.0" if of_wheel.version is None else of_wheel.version
    options = Options(name, version, architectures, values, tune, types, of_wheel.all_types)
    target = target_of(options, directory, force)
    program = compile_file(program_file, tune, types=types)
    tell_warnings(program)
    built = build(program, options, target)
    kernels = f"kernels for {', '.join(architectures)}" if architectures else "no kernels"
    size = target.stat().st_size
    message(f"wrote {printable(str(target))}: {len(built)} files, {kernels}, {size / 1e3:.0f} kB")
