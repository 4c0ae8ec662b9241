"""Exports a program: the files of its folder and their texts."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from gdsl.backends.cuda import nvrtc
from gdsl.codegen.lines import comment_lines, title_line
from gdsl.codegen.templates import render, template_text
from gdsl.diagnostics import printable
from gdsl.diagnostics.codes import all_codes
from gdsl.export.checks import ChecksPrinter
from gdsl.export.host import architectures, program_text
from gdsl.export.interface import Interface, Result, interface_of
from gdsl.export.messages import literal_of, stop_texts
from gdsl.files import cannot_write
from gdsl.ir import nodes as ir
from gdsl.native import compiler
from gdsl.operations import Domain, Layout
from gdsl.source import Source
from gdsl.types import Widths
from gdsl.version import __version__

BACKENDS = ("cuda", "cpu")
_SUFFIXES = {"cuda": "cu", "cpu": "cpp"}
_SHARED = ("gdsl_graph.hpp", "gdsl_matrix_market.hpp", "gdsl_command_line.hpp")
_HEADERS = """
    aio alloca assert complex ctype cuda dirent dlfcn elf endian errno error fcntl features fenv float getopt glob grp
    iconv inttypes iso646 limits link locale malloc math memory netdb omp poll pthread pty pwd regex sched search
    semaphore setjmp signal spawn stab stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string
    strings syslog tar termio termios tgmath threads time uchar ucontext unistd utime utmp values wait wchar wctype
    """
"""Headers of C and of systems, which a file of the same name would hide."""
_TARGETS = "all clean depend edit_cache help install package preinstall rebuild_cache test"
"""Names of CMake's own targets."""
_RESERVED = {"main", *(name.rpartition(".")[0] for name in _SHARED), *_HEADERS.split(), *_TARGETS.split()}
_LONGEST_NAME = 100
"""The most letters of a program's name in file names: file systems allow 255 bytes."""
_OF_THIS_MACHINE = ("-march=native", "-fPIC", "-shared", "-w", "-O3", "-std=c++17", "-fopenmp")
"""Options that CMake sets itself, or that suit this machine only."""
_WITHOUT_NVCC = ("-default-device", "-lineinfo", "-std=c++17")
_QUIET = "-diag-suppress=177,550"
"""Suppresses warnings of variables of the runtime that a program does not use."""
_OPENMP = re.compile(r"^(\s*)#pragma (omp .*)$", re.MULTILINE)
_CODES = (601, 604, 605, 606, 608, 609, 610, 612, 613, 614, 707, 709, 711, 801, 804, 805, 806, 901, 905, 912)
"""The codes that a run can end with."""


@dataclass(frozen=True, slots=True)
class Table:
    """The results over vertices, or over edges, as one table."""

    what: str
    elements: str
    option: str
    arrays: tuple[Result, ...]


def export(program: ir.Program, source: Source, backend: str, directory: Path, *, force: bool = False) -> list[str]:
    """Write `program` (annotated, before `gdsl.passes`) into `directory` and return the names of the files. Raises
    E0911 where the directory cannot be written, or has files that `force` does not replace."""
    _check_folder(directory, force)
    files = files_of(program, source, backend)
    _write_folder(directory, files)
    return list(files)


def files_of(program: ir.Program, source: Source, backend: str) -> dict[str, str]:
    """The text of each file by its name."""
    without = (*program.tuning.without, "hoist_scalars")  # the host code keeps nothing with graphs
    tuning = dataclasses.replace(program.tuning, layout=Layout.AS_GIVEN, without=without)  # nor does it renumber
    program = dataclasses.replace(program, source_name=PurePath(program.source_name).name, tuning=tuning)
    interface, widths = interface_of(program), Widths.both(program.tuning.ids or 32)
    checks = ChecksPrinter(program, interface, widths, source)
    name, stem = program.name, stem_of(program.name)
    suffix, has_defaults = _SUFFIXES[backend], any(each.default is not None for each in interface.arguments)
    common = {"name": name, "stem": stem, "literal": literal_of, "has_defaults": has_defaults, "backend": backend}
    generated, host = program_text(program, checks, backend)
    arrays = [part.member for each in interface.results if each.domain is not None for part in each.parts]
    stops = list(stop_texts(program, generated.checks))
    shared = render("export", "shared.cpp.j2", host=host, stops=stops, arrays=arrays, **common)
    header = render("export", "checks.hpp.j2", hidden=checks.hidden, arguments=interface.arguments, **common)
    return {
        f"{stem}.h": _header(program, interface, widths, common),
        f"{stem}.{suffix}": _with_front(generated.text, shared, f"{name}.{suffix}", f"{stem}.{suffix}", common),
        f"{stem}_checks.hpp": header,
        f"{stem}_checks.cpp": checks.print(stem),
        "main.cpp": _main(interface, common),
        "CMakeLists.txt": _cmake(backend, suffix, architectures(program, widths), common),
        **{each: template_text("export", each) for each in _SHARED},
    }


def _with_front(text: str, shared: str, named: str, file: str, common: dict[str, object]) -> str:
    """Generated `text` as `file`, after its includes; line directives that name `named` are shifted."""
    front = render("export", "front.cpp.j2", **common)
    shift = front.count("\n")
    own = re.compile(rf'^#line (\d+) "{re.escape(named)}"$', re.MULTILINE)
    text = own.sub(lambda match: f'#line {int(match[1]) + shift} "{file}"', text)
    text = _OPENMP.sub(r"\1GDSL_OPENMP(\2)", text)
    return f"{front}{text.rstrip()}\n\n{shared}"


def stem_of(name: str) -> str:
    """The name of a program's files."""
    return f"{name[:_LONGEST_NAME]}_program" if name.lower() in _RESERVED else name[:_LONGEST_NAME]


def _header(program: ir.Program, interface: Interface, widths: Widths, common: dict[str, object]) -> str:
    head = [title_line(f"{program.name}: generated by gdsl {__version__} from {program.source_name} ({widths})")]
    doc = ["", *comment_lines(program.doc)] if program.doc.strip() else []
    titles = {each.code: each.title for each in all_codes()}
    return render(
        "export",
        "interface.h.j2",
        head=[*head, *doc],
        guard=f"GDSL_EXPORT_{program.name}_H",
        widths=widths,
        arguments=interface.arguments,
        results=interface.results,
        iterations=interface.iterations,
        milliseconds=interface.milliseconds,
        codes=[(number, titles[f"E{number:04}"]) for number in _CODES],
        **common,
    )


def _main(interface: Interface, common: dict[str, object]) -> str:
    tables = tuple(table for domain in Domain if (table := _table(interface, domain)).arrays)
    words = [
        f" {each.name}={'@FILE' if each.domain is not None and not each.is_set else 'VALUE'}"
        if each.default is None and not each.is_weight
        else f" [{each.name}={'@FILE' if each.is_weight else 'VALUE'}]"
        for each in interface.arguments
    ]
    words += [f" [{table.option} FILE.csv]" for table in tables]
    return render(
        "export",
        "main.cpp.j2",
        arguments=interface.arguments,
        scalars=[each for each in interface.results if each.domain is None],
        tables=tables,
        usage="".join(words),
        iterations=interface.iterations,
        milliseconds=interface.milliseconds,
        **common,
    )


def _table(interface: Interface, domain: Domain) -> Table:
    arrays = tuple(each for each in interface.results if each.domain is domain)
    vertices = domain is Domain.VERTEX
    plural = "vertices" if vertices else "edges"
    return Table(domain.value, f"num_{plural}", f"--{plural}", arrays)


def _cmake(backend: str, suffix: str, architectures: str, common: dict[str, object]) -> str:
    stem = common["stem"]
    options = " ".join(option for option in compiler.OPTIONS if option not in _OF_THIS_MACHINE)
    of_nvcc = (option for option in nvrtc.OPTIONS if option not in _WITHOUT_NVCC)
    cuda_options = " ".join((*of_nvcc, _QUIET))
    sources = f"{stem}.{suffix} {stem}_checks.cpp main.cpp -o {stem}"
    command = f"g++ -std=c++17 -O3 -fopenmp {options} {sources}"
    if backend == "cuda":
        of_host = ",".join(options.split())
        command = f"nvcc -std=c++17 -O3 -arch=native {cuda_options} -Xcompiler={of_host} {sources}"
    return render(
        "export",
        "CMakeLists.txt.j2",
        suffix=suffix,
        cuda=backend == "cuda",
        options=options,
        cuda_options=cuda_options,
        architectures=architectures,
        command=command,
        **common,
    )


_FORCE = "choose another directory, or have its files of these names replaced by --force"


def _check_folder(directory: Path, force: bool) -> None:
    """Raise E0911 where the directory cannot be written, or has files and `force` is not set."""
    try:
        if directory.is_dir():
            if not force and any(directory.iterdir()):
                raise cannot_write(directory, "the directory is not empty", _FORCE)
        elif os.path.lexists(directory):
            raise cannot_write(directory, "there is a file of that name", "name a directory")
        parent = directory if directory.is_dir() else Path(os.path.abspath(directory)).parent
        if not parent.is_dir():
            raise cannot_write(directory, f"there is no directory {printable(str(parent))}")
        if not os.access(parent, os.W_OK | os.X_OK):
            raise cannot_write(directory, f"the directory {printable(str(parent))} cannot be written")
    except (OSError, ValueError) as error:
        raise cannot_write(directory, _reason(error)) from None


def _write_folder(directory: Path, files: Mapping[str, str]) -> None:
    """Write all `files`, texts by name, into `directory`, or none of them. The directory is created if necessary; files
    of these names are replaced, and others stay. Raises E0911."""
    try:
        parent = directory if directory.is_dir() else Path(os.path.abspath(directory)).parent
        temporary = Path(tempfile.mkdtemp(prefix=".gdsl-", dir=parent))
        try:
            for name, text in files.items():
                (temporary / name).write_text(text, encoding="utf-8", newline="\n")
            for name in files:
                if (directory / name).is_dir():
                    raise cannot_write(directory, f"{name} is a directory there")
            if directory.is_dir():
                for name in files:
                    os.replace(temporary / name, directory / name)
            else:
                mask = os.umask(0)
                os.umask(mask)
                temporary.chmod(0o777 & ~mask)
                temporary.rename(directory)
        finally:
            with contextlib.suppress(OSError):
                shutil.rmtree(temporary)
    except (OSError, ValueError) as error:
        raise cannot_write(directory, _reason(error)) from None


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return "the path has a NUL character"
