"""`gdslc compile`."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gdsl.cli import completing, options
from gdsl.cli.streams import message, tell_warnings
from gdsl.knobs import ALL_PASSES, WITHOUT
from gdsl.plan.graph_class import FACTS
from gdsl.source import Span

if TYPE_CHECKING:
    from gdsl.graph.graph import Graph
    from gdsl.ir.nodes import Program
    from gdsl.plan.graph_class import GraphClass
    from gdsl.plan.nodes import Plan
    from gdsl.types import Widths

_FORMS = ("ast", "ir", "plan", "cuda", "cpp", "ptx", "cubin")
_OTHER_FORMS = {**dict.fromkeys(("cu", "gpu", "kernel"), "cuda"), **dict.fromkeys(("c++", "cc", "c", "cpu"), "cpp")}
_SUFFIXES = {
    ".cu": "cuda",
    ".cpp": "cpp",
    ".cc": "cpp",
    ".ptx": "ptx",
    ".cubin": "cubin",
    ".ir": "ir",
    ".plan": "plan",
    ".ast": "ast",
}
_BACKENDS = {"cuda": ("plan", "cuda", "ptx", "cubin"), "cpu": ("plan", "cpp")}
"""The forms of each backend; the others belong to none."""


@click.command(name="compile", short_help="Print the code generated for a program.")
@click.argument("program_file", metavar="PROGRAM", shell_complete=completing.programs)
@options.output_option(
    "Write to FILE instead of standard output; its suffix (" + " ".join(_SUFFIXES) + ") implies --emit."
)
@click.option(
    "--emit",
    type=options.Word(_FORMS, _OTHER_FORMS),
    help="What to print; by default cuda, or cpp for the cpu backend.",
)
@click.option(
    "--backend",
    type=options.Word(tuple(_BACKENDS), options.OTHER_BACKENDS),
    help="Whose plan or code to print; by default cuda.",
)
@click.option("--arch", metavar="sm_NN", help="The GPU architecture of ptx and cubin.  [default: sm_75]")
@click.option(
    "--after",
    metavar="PASS",
    type=options.PassName(ALL_PASSES),
    help=f"With --emit plan: print the plan after PASS. {', '.join(ALL_PASSES)}.",
)
@click.option("--teams", is_flag=True, help="Print the form in which teams of blocks run many values (run --each).")
@click.option("--several-gpus", is_flag=True, help="Print the form that several GPUs run together (run --gpus).")
@click.option(
    "--several-workers",
    is_flag=True,
    help="Print the form that several workers run together (run --workers), by default of the cpu backend.",
)
@click.option(
    "--graph",
    "graph_file",
    metavar="FILE",
    shell_complete=completing.graphs,
    help="Print what a run on this graph uses: its width of ids and its class; by default 32 bits, for any graph.",
)
@click.option(
    "--graph-class",
    "facts",
    metavar="CLASS",
    type=click.Choice(tuple(FACTS)),
    multiple=True,
    help=f"Print the form for a class of graphs; may be repeated. {', '.join(FACTS)}.",
)
@options.declared_type_option
@options.tuning_options
@options.graph_options
def command(
    program_file: str,
    output: Path | None,
    emit: str | None,
    backend: str | None,
    arch: str | None,
    graph_file: str | None,
    facts: tuple[str, ...],
    after: str | None,
    teams: bool,
    several_gpus: bool,
    several_workers: bool,
    types: dict[str, str] | None,
    tune: tuple[str, ...],
    words: options.GraphWords,
) -> None:
    """Compile PROGRAM and print the generated code; needs no GPU.

    PROGRAM is a .gdsl file, a bare name (NAME if there is such a file, else NAME.gdsl here, else the sample), or - for
    standard input.

    \b
    Examples:
      gdslc compile bfs
      gdslc compile my_program.gdsl --emit plan
      gdslc compile bfs --emit plan --backend cpu
      gdslc compile bfs --emit plan --after direction
      gdslc compile bfs --without fusion
      gdslc compile bfs --graph-class deep
      gdslc compile bfs --emit cubin --arch sm_90 -o bfs.cubin
    """
    from gdsl.cli.output import check_writable, print_binary, print_text, require_apart, write_output
    from gdsl.program_files import SUFFIX, meant_by

    backend = _backend_of_workers(backend, teams or several_gpus) if several_workers else backend
    form = emit or _SUFFIXES.get(output.suffix.lower() if output else "", "cpp" if backend == "cpu" else "cuda")
    _check(form, backend, arch, "--teams" if teams else "--several-gpus" if several_gpus else None)
    if teams and several_gpus:
        raise click.UsageError("--teams and --several-gpus are two forms: several GPUs run one value at a time")
    _check_after(after, form, teams, tune)
    _check_graph(graph_file, facts, form, backend)
    if output is not None and output.suffix.lower() == SUFFIX:
        raise click.UsageError(f"-o {output}: a program is read, not written; suffixes are {' '.join(_SUFFIXES)}")
    require_apart(output, meant_by(program_file), graph_file)
    if output is None and form == "cubin" and sys.stdout.isatty():
        raise click.UsageError("a cubin is binary and not written to a terminal; use -o FILE or a pipe")
    if output is not None:
        check_writable(output)
    chosen = _Form(
        form,
        backend or ("cpu" if form == "cpp" else "cuda"),
        arch or "sm_75",
        facts,
        after,
        teams,
        several_gpus,
        several_workers,
    )
    compiled = _made(program_file, chosen, graph_file, types, tune, words)
    if output is not None:
        data = compiled.encode() if isinstance(compiled, str) else compiled
        write_output(output, lambda file: file.write(data))
    elif isinstance(compiled, str):
        print_text(compiled)
    else:
        print_binary(compiled)


def _check(form: str, backend: str | None, arch: str | None, of_cuda: str | None) -> None:
    """Refuse options that do not apply to a form; `of_cuda` is one that chooses a form of the cuda backend."""
    if backend is not None and form not in _BACKENDS[backend]:
        raise click.UsageError(f"--backend {backend} is for --emit {', '.join(_BACKENDS[backend])}, not for {form}")
    if arch is not None and form not in ("ptx", "cubin"):
        raise click.UsageError(f"--arch is for --emit ptx and cubin, not for {form}")
    if of_cuda is not None and form not in _BACKENDS["cuda"]:
        raise click.UsageError(f"{of_cuda} is for --emit plan, cuda, ptx and cubin, not for {form}")
    if of_cuda is not None and backend == "cpu":
        raise click.UsageError(f"{of_cuda} is a form of the cuda backend")


def _backend_of_workers(backend: str | None, of_cuda: bool) -> str:
    """The backend whose form it is that several workers run: by default, cpu."""
    if of_cuda:
        raise click.UsageError("--several-workers is neither --teams nor --several-gpus")
    return backend or "cpu"


def _check_graph(graph_file: str | None, facts: tuple[str, ...], form: str, backend: str | None) -> None:
    """Refuse a graph, or a class of graphs, where nothing depends on it."""
    of_cpu = backend == "cpu" or form == "cpp"
    if graph_file is not None and (form in ("ast", "ir") or (form == "plan" and of_cpu)):
        which = "the plan of a CPU" if form == "plan" else form
        raise click.UsageError(f"{which} is the same for all graphs; leave --graph out")
    if facts and (form in ("ast", "ir") or of_cpu):
        which = "code for a CPU" if of_cpu else form
        raise click.UsageError(f"{which} is the same for all classes of graphs; leave --graph-class out")
    if facts and graph_file is not None:
        raise click.UsageError("--graph measures the class of its graph; leave --graph-class out")


def _check_after(after: str | None, form: str, teams: bool, tune: tuple[str, ...]) -> None:
    """Refuse --after if there is no such plan."""
    if after is None:
        return
    if form != "plan":
        raise click.UsageError(f"--after is for --emit plan, not for {form}")
    if teams:
        raise click.UsageError("--after shows the plan of one run; leave --teams out")
    if f"{WITHOUT}{after}" in tune:
        raise click.UsageError(f"--after {after} and --without {after} contradict each other")


@dataclass(frozen=True)
class _Form:
    """The request: the form, the backend whose plan or code it is, the architecture, the facts about graphs that it is
    for, the last pass, and whether teams of blocks, several GPUs or several workers run it."""

    name: str
    backend: str
    arch: str
    facts: tuple[str, ...]
    after: str | None
    teams: bool
    several_gpus: bool
    several_workers: bool


def _made(
    program_file: str,
    form: _Form,
    graph_file: str | None,
    types: dict[str, str] | None,
    tune: tuple[str, ...],
    words: options.GraphWords,
) -> str | bytes:
    from gdsl.api.compiling import compile_file

    if form.name == "ast":
        return _tree(program_file, tune, types)
    program = compile_file(program_file, tune, types=types)
    tell_warnings(program)
    if form.name == "ir":
        from gdsl.ir.printer import print_program

        return print_program(program.ir)
    graph = None if graph_file is None else words.open(graph_file)
    graph_class = _class(program.ir, form, graph)
    if form.name == "plan":
        from gdsl.plan.printer import print_plan

        return print_plan(_in_teams(program.ir, graph_class) if form.teams else _plan(program.ir, form, graph_class))
    from gdsl.types import Widths

    widths = Widths.both(program.ir.tuning.ids or 32)
    if graph is not None:
        from gdsl.binding import needed_widths

        widths = needed_widths(program.ir, graph)
    if form.several_workers and form.backend == "cpu":
        from gdsl.codegen.cpu.generate import generate as generate_cpp

        return generate_cpp(_plan(program.ir, form, graph_class), widths).text
    if form.name == "cpp":
        return program.source_for("cpp", widths)
    text = program.source_for("cuda", widths, graph_class)
    if form.teams or form.several_gpus or form.several_workers:
        from gdsl.codegen.cuda.generate import generate

        plan = _in_teams(program.ir, graph_class) if form.teams else _plan(program.ir, form, graph_class)
        text = generate(plan, widths).text
    return text if form.name == "cuda" else _machine_code(program.ir, text, widths, form.name, form.arch)


def _class(program: Program, form: _Form, graph: Graph | None) -> GraphClass:
    """The class of graphs that the form is for, as far as it matters to the program."""
    from gdsl.plan.graph_class import GENERAL, class_of
    from gdsl.plan.heuristics import relevant

    if form.facts:
        relevant_class = relevant(program, class_of(form.facts))
        if relevant_class == GENERAL:
            message(
                f"note: {program.name} is the same on graphs of the class {' and '.join(form.facts)} as on any other"
            )
        return relevant_class
    if graph is None or form.backend == "cpu":
        return GENERAL
    from gdsl.backends.cuda import class_on

    return class_on(program, graph)


def _machine_code(program: Program, text: str, widths: Widths, form: str, arch: str) -> str | bytes:
    """NVRTC's output for the CUDA `text`."""
    from gdsl.backends.cuda import nvrtc, plan_of, planning
    from gdsl.progress import working

    planning.check_wide_pairs(plan_of(program), widths, arch)
    with working(f"compiling for {arch}"):
        return nvrtc.compile_to_ptx(text, arch) if form == "ptx" else nvrtc.compile_to_cubin(text, arch)


def _plan(program: Program, form: _Form, graph_class: GraphClass) -> Plan:
    """The plan of a backend, or the plan after one of its passes."""
    from gdsl.backends import cpu, cuda
    from gdsl.backends.cuda.planning import require_no_graphs

    if form.backend == "cpu":
        return cpu.plan_of(program, after=form.after, workers=form.several_workers)
    if form.several_workers:
        require_no_graphs(program)
        return cuda.plan_of(program, workers=True, after=form.after)
    if form.several_gpus:
        cuda.require_fused(program)
    return cuda.plan_of(program, several_gpus=form.several_gpus, graph=graph_class, after=form.after)


def _in_teams(program: Program, graph_class: GraphClass) -> Plan:
    """The plan for batches."""
    from gdsl.backends.cuda import plan_of
    from gdsl.plan.teams import refusal

    why = refusal(plan_of(program))
    if why is not None:
        raise click.UsageError(
            f"--teams: {program.name} has no such form, since {why}; its runs are executed one by one"
        )
    return plan_of(program, teams=True, graph=graph_class)


def _tree(program_file: str, tune: tuple[str, ...], types: dict[str, str] | None) -> str:
    from gdsl.api.compiling import compile_file
    from gdsl.api.loading import types_of
    from gdsl.pipeline import load_checked
    from gdsl.program_files import read_program

    source = read_program(program_file)
    chosen = () if types is None else types_of(compile_file(program_file, types=types).ir, {})
    return print_tree(load_checked(source, tune, chosen).program)


def print_tree(root: object) -> str:
    """`root` and its descendants, one node per line with its place in the text; resolved names are left out."""
    return "\n".join(_lines(root, "", 0)) + "\n"


def _lines(value: object, label: str, depth: int) -> Iterator[str]:
    lead = "  " * depth + (f"{label}: " if label else "")
    if isinstance(value, tuple | list):
        yield f"{lead}{'[]' if not value else ''}".rstrip() if label else lead
        for item in value:
            yield from _lines(item, "-", depth + 1)
        return
    if not dataclasses.is_dataclass(value) or isinstance(value, type | Span):
        yield lead + _leaf(value)
        return
    span = getattr(value, "span", None)
    place = f"  @{span.line}:{span.column}" if isinstance(span, Span) else ""
    plain: list[tuple[str, object]] = []
    nested: list[tuple[str, object]] = []
    for field in dataclasses.fields(value):
        child = getattr(value, field.name)
        if field.name in ("span", "symbol", "symbols"):
            continue
        (nested if dataclasses.is_dataclass(child) or isinstance(child, tuple | list) else plain).append(
            (field.name, child)
        )
    words = " ".join(f"{name}={_leaf(child)}" for name, child in plain)
    yield f"{lead}{type(value).__name__}{' ' + words if words else ''}{place}"
    for name, child in nested:
        if not isinstance(child, Span):
            yield from _lines(child, name, depth + 1)


def _leaf(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    return repr(value) if isinstance(value, str) else str(value)
