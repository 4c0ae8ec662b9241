"""From a program to the files of its folder."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from pathlib import Path, PurePath

from gdsl.backends.cuda import nvrtc
from gdsl.codegen.comments import comment_lines, title_line
from gdsl.codegen.templates import render, template_text
from gdsl.diagnostics.codes import all_codes
from gdsl.export import cpu, cuda, folder
from gdsl.export.checks import ChecksPrinter
from gdsl.export.interface import Found, Interface, interface_of
from gdsl.export.messages import literal_of, stop_texts
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
"""Headers of C and of systems; a file of such a name would be taken for one of them."""
_TARGETS = "all clean depend edit_cache help install package preinstall rebuild_cache test"
"""What CMake calls targets of its own."""
_TAKEN = {"main", *(name.rpartition(".")[0] for name in _SHARED), *_HEADERS.split(), *_TARGETS.split()}
_LONGEST_NAME = 100
"""Letters of a program's name that its files have: file systems allow 255 bytes."""
_OF_THIS_MACHINE = ("-march=native", "-fPIC", "-shared", "-w", "-O3", "-std=c++17", "-fopenmp")
"""Options that CMake has words for, or that are not for other machines."""
_WITHOUT_NVCC = ("-default-device", "-lineinfo", "-std=c++17")
_QUIET = "-diag-suppress=177,550"
"""No warnings of variables that a text of pieces has and this program does not read."""
_OPENMP = re.compile(r"^(\s*)#pragma (omp .*)$", re.MULTILINE)
_CODES = (601, 604, 605, 606, 608, 609, 610, 612, 613, 614, 707, 709, 711, 801, 804, 805, 806, 901, 905, 912)
"""What running can end in."""


@dataclass(frozen=True, slots=True)
class Table:
    """The results over vertices, or over edges, as one table."""

    what: str
    elements: str
    option: str
    arrays: tuple[Found, ...]


def export(program: ir.Program, source: Source, backend: str, directory: Path, *, force: bool = False) -> list[str]:
    """Write `program` (as lowered) into `directory`; the names of the files. Raises E0911 where that cannot be, or has
    files already, unless `force` has them replaced."""
    folder.check(directory, force)
    files = files_of(program, source, backend)
    folder.write(directory, files)
    return list(files)


def files_of(program: ir.Program, source: Source, backend: str) -> dict[str, str]:
    """The text of each file by its name."""
    tuning = dataclasses.replace(program.tuning, layout=Layout.AS_GIVEN)  # the host code numbers no vertices anew
    program = dataclasses.replace(program, source_name=PurePath(program.source_name).name, tuning=tuning)
    interface, widths = interface_of(program), Widths.both(program.tuning.ids or 32)
    checks = ChecksPrinter(program, interface, widths, source)
    name, stem = program.name, stem_of(program.name)
    suffix, has_defaults = _SUFFIXES[backend], any(each.default is not None for each in interface.given)
    common = {"name": name, "stem": stem, "literal": literal_of, "has_defaults": has_defaults, "backend": backend}
    made, host = (cuda if backend == "cuda" else cpu).program_text(program, checks)
    arrays = [part.member for each in interface.found if each.domain is not None for part in each.parts]
    stops = list(stop_texts(program, made.checks))
    shared = render("export", "shared.cpp.j2", host=host, stops=stops, arrays=arrays, **common)
    header = render("export", "checks.hpp.j2", hidden=checks.hidden, given=interface.given, **common)
    return {
        f"{stem}.h": _header(program, interface, widths, common),
        f"{stem}.{suffix}": _with_front(made.text, shared, f"{name}.{suffix}", f"{stem}.{suffix}", common),
        f"{stem}_checks.hpp": header,
        f"{stem}_checks.cpp": checks.print(stem),
        "main.cpp": _main(interface, common),
        "CMakeLists.txt": _cmake(backend, suffix, cuda.architectures(program, widths), common),
        **{each: template_text("export", each) for each in _SHARED},
    }


def _with_front(text: str, shared: str, named: str, file: str, common: dict[str, object]) -> str:
    """Generated `text` in `file`, with includes before it: what it says of the lines of `named` is moved on."""
    front = render("export", "front.cpp.j2", **common)
    moved = front.count("\n")
    own = re.compile(rf'^#line (\d+) "{re.escape(named)}"$', re.MULTILINE)
    text = own.sub(lambda found: f'#line {int(found[1]) + moved} "{file}"', text)
    text = _OPENMP.sub(r"\1GDSL_OPENMP(\2)", text)
    return f"{front}{text.rstrip()}\n\n{shared}"


def stem_of(name: str) -> str:
    """How the files of a program are called."""
    return f"{name[:_LONGEST_NAME]}_program" if name.lower() in _TAKEN else name[:_LONGEST_NAME]


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
        given=interface.given,
        found=interface.found,
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
        for each in interface.given
    ]
    words += [f" [{table.option} FILE.csv]" for table in tables]
    return render(
        "export",
        "main.cpp.j2",
        given=interface.given,
        scalars=[each for each in interface.found if each.domain is None],
        tables=tables,
        usage="".join(words),
        iterations=interface.iterations,
        milliseconds=interface.milliseconds,
        **common,
    )


def _table(interface: Interface, domain: Domain) -> Table:
    arrays = tuple(each for each in interface.found if each.domain is domain)
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
