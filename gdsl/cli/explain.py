"""`gdslc explain`."""

from __future__ import annotations

import difflib
import os
import re
import shutil
import textwrap
from pathlib import Path

import click

from gdsl import knob_help, knobs
from gdsl.cli import completing
from gdsl.cli.options import declared_type_option, tuning_options
from gdsl.cli.output import check_writable, file_name, require_apart, write_output
from gdsl.cli.streams import message
from gdsl.diagnostics import printable
from gdsl.program_files import SUFFIX, meant_by
from gdsl.records import dataclass


def _size(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[int, int] | None:
    """The numbers of --size."""
    if value is None:
        return None
    numbers = re.fullmatch(r"([0-9]{1,15}):([0-9]{1,18})", value)
    if numbers is None or not int(numbers[1]) or not int(numbers[2]):
        raise click.BadParameter("write the numbers of vertices and of stored edges, such as 16777216:520000000")
    return int(numbers[1]), int(numbers[2])


@click.command(name="explain", short_help="Explain the code of a message, a tuning knob, or a program.")
@click.argument("word", metavar="[CODE|KNOB|GRADE|PROGRAM]", required=False, shell_complete=completing.explained)
@click.argument("program", metavar="[PROGRAM]", required=False, shell_complete=completing.programs)
@click.option(
    "--html", "page", metavar="FILE", callback=file_name, shell_complete=completing.files(),
    help="Write what is explained of a PROGRAM to FILE, as one page for a browser.",
)  # fmt: skip
@click.option("--json", "as_data", is_flag=True, help="Print what is explained of a PROGRAM as JSON.")
@click.option(
    "--size",
    metavar="V:E",
    callback=_size,
    help="With distribution: what to expect with so many vertices and stored edges.",
)
@click.option(
    "--run", "run", metavar="FILE", callback=file_name, shell_complete=completing.files(),
    help="With distribution: take from FILE, which gdslc run --json has printed, what a run of the program walks.",
)  # fmt: skip
@tuning_options
@declared_type_option
def command(
    word: str | None,
    program: str | None,
    page: Path | None,
    as_data: bool,
    size: tuple[int, int] | None,
    run: Path | None,
    tune: tuple[str, ...],
    types: dict[str, str] | None,
) -> None:
    """Explain what a message's CODE means, what a KNOB of --tune does, how results of a GRADE (exact, tried, rounding,
    converged, "not unique") may differ between runs, or what the compiler understood of a PROGRAM: its arguments and
    results; its data, who writes and reads it and how, why that is no race, and why results are exact or not; what
    every operator becomes on a GPU, and the bytes that it reads and writes for each edge and vertex; and what would
    make it faster.

    Without an argument, list all codes; with the word knobs, all knobs. With a word before the PROGRAM, order says for
    each of its loops whether it may be processed in another order, or why not; layout says whether its vertices may be
    renumbered internally; fusion says for each operator that follows another one whether both run in one sweep on a
    GPU, or why not; distribution says what several workers that each have a part of the graph hold of its data, and
    what they send each other after which step, and what time and memory to expect on several GPUs; map says whether
    many values of its params run together, so that they share the visits of edges, or why not; forms says which other
    knobs runs on a GPU may try.

    \b
    Examples:
      gdslc explain E0301
      gdslc explain visit.direction
      gdslc explain knobs
      gdslc explain rounding
      gdslc explain bfs
      gdslc explain bfs --html bfs.html
      gdslc explain order sssp
      gdslc explain layout pagerank
      gdslc explain fusion pagerank
      gdslc explain distribution pagerank
      gdslc explain distribution bfs --run bfs.json --size 67108864:2100000000
      gdslc explain map bfs
      gdslc explain forms bfs
    """
    from gdsl.api.description import EXPLAINED
    from gdsl.diagnostics import all_codes, explain, find_code

    asked = _Asked(page, as_data, tune, types)
    if (size is not None or run is not None) and (program is None or word != "distribution"):
        raise click.UsageError("--size and --run are for 'gdslc explain distribution PROGRAM'")
    if word is None:
        asked.require_program("without an argument, all codes are listed")
        for entry in all_codes():
            click.echo(f"{entry.code}  {entry.title}")
        return
    topic, code, (knob, near) = word.strip().lower(), find_code(word), knobs.named(word)
    if program is not None:
        topic = knob.name if knob is not None else topic
        if topic not in _OF_PROGRAMS:
            raise _no_subject(word, known=code is not None or knob is not None)
        asked.require_program(f"'gdslc explain {word} PROGRAM' prints lines")
        if topic == "distribution":
            _explain_distribution(program, size, run)
        else:
            _OF_PROGRAMS[topic](program)
    elif _is_program(word) and code is None and knob is None:
        _explain_program(word, asked)
    elif asked.anything:
        asked.require_program(f"'{word}' is not a program")
    elif code is not None:
        click.echo(explain(code), nl=False)
    elif topic in ("knob", "knobs", "schedule", "tune"):
        click.echo("\n".join(knob_help.listing()))
    elif knob is not None:
        click.echo(knob_help.explained(knob, word.strip().rpartition(".")[0]), nl=False)
    elif topic in EXPLAINED:
        click.echo(textwrap.fill(EXPLAINED[topic], 100))
    elif topic in _OF_PROGRAMS:
        raise click.UsageError(f"what is the program? 'gdslc explain {topic} PROGRAM'")
    else:
        raise _nothing_called(word, near)


def _nothing_called(word: str, knobs_like_it: list[str]) -> click.UsageError:
    """The error for what is no code, no knob and no program."""
    from gdsl.diagnostics import all_codes

    codes = [entry.code for entry in all_codes()]
    if re.fullmatch(r"[EWew]\d+|\d+", word.strip()):
        errors, warned = ([each for each in codes if each[0] == letter] for letter in "EW")
        code_ranges = f"errors are {errors[0]} to {errors[-1]}, warnings {warned[0]} to {warned[-1]}"
        return click.UsageError(f"there is no code '{word}': {code_ranges}. 'gdslc explain' lists all codes.")
    close = _programs_like(word) or [f"'gdslc explain {subject} PROGRAM'" for subject in _subject_like(word)]
    close = close or [*difflib.get_close_matches(word.upper(), codes, n=3), *knobs_like_it]
    hint = f" Did you mean {', '.join(close)}?" if close else ""
    lists = "'gdslc explain' lists all codes, 'gdslc explain knobs' all knobs."
    return click.UsageError(f"there is no code, no knob and no program '{word}'.{hint} {lists}")


def _no_subject(word: str, *, known: bool) -> click.UsageError:
    """The error for what is explained of no program; `known`: it has a meaning without one."""
    near = _subject_like(word)
    if near and not known:
        return click.UsageError(f"there is no '{word}' to explain. Did you mean 'gdslc explain {near[0]} PROGRAM'?")
    takes = ", ".join(f"'gdslc explain {name} PROGRAM'" for name in _OF_PROGRAMS)
    fault = f"'{word}' is explained without a program" if known else f"there is no '{word}' to explain"
    return click.UsageError(f"{fault}; {takes} take one")


def _subject_like(word: str) -> list[str]:
    return difflib.get_close_matches(word.strip().lower()[:100], _OF_PROGRAMS, n=1, cutoff=0.7)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is only asked of programs."""

    page: Path | None
    as_data: bool
    tune: tuple[str, ...]
    types: dict[str, str] | None

    @property
    def anything(self) -> bool:
        """Whether it is."""
        return self.page is not None or self.as_data or bool(self.tune) or bool(self.types)

    def require_program(self, instead: str) -> None:
        """Raise UsageError for options that the other explanations do not have."""
        if self.anything:
            raise click.UsageError(
                f"--html, --json, --tune, --without and -t are for 'gdslc explain PROGRAM', but {instead}"
            )


def _is_program(word: str) -> bool:
    return word == "-" or os.path.isfile(meant_by(word)) or word.endswith(SUFFIX)


def _programs_like(word: str) -> list[str]:
    from gdsl.program_files import samples

    return difflib.get_close_matches(word[:100].lower(), samples(), n=1, cutoff=0.7)


def _explain_orders(word: str) -> None:
    """A line for each loop without a fixed number of passes."""
    from gdsl.annotate import loop_orders
    from gdsl.api.compiling import compile_file
    from gdsl.plan.work_order import observed_loop

    compiled = compile_file(word)
    orders = loop_orders(compiled.ir, compiled.text)
    for loop, obstacle in orders:
        where = f"{loop.span.words}: "
        seen = ", and where a run visits each edge more than twice" if loop is observed_loop(compiled.ir) else ""
        if obstacle is None and len(loop.body) > 1:
            click.echo(
                f"{where}runs without buckets, from near to far where no list is long{seen}; as_given keeps the buckets"
            )
        elif obstacle is None:
            click.echo(
                f"{where}may run from near to far; auto does so on a CPU, and on a GPU for graphs with few edges per"
                f" vertex{seen}"
            )
        else:
            click.echo(f"{where}as given: {obstacle.why} ({obstacle.span.words})")
    if not orders:
        click.echo("the program has no while loop")


def _explain_layout(word: str) -> None:
    """Whether the vertices may be renumbered, or why not."""
    from gdsl.api.compiling import compile_file
    from gdsl.backends.cuda import plan_of
    from gdsl.uniqueness.layout import obstacle

    program = compile_file(word).ir
    hindrance = obstacle(program)
    if hindrance is None and plan_of(program).layout is not None:
        click.echo("may be by degree; on a GPU, auto does so for large graphs on which the cache gains from it")
    elif hindrance is None:
        click.echo("may be by degree; auto keeps the given order, since it would gain little or might lose time")
    else:
        click.echo(f"as given: {hindrance.why} ({hindrance.span.words})")


def _explain_fusion(word: str) -> None:
    """A line for each operator that follows another one."""
    from gdsl.api.compiling import compile_file
    from gdsl.backends.cuda import neighbors_of
    from gdsl.ir.nodes import Operator
    from gdsl.ir.traversal import all_steps
    from gdsl.plan import target
    from gdsl.plan.followers import filters_of_followers

    program = compile_file(word).ir
    if not program.tuning.fuse:
        click.echo("schedule.fuse is off: each operator is a kernel of its own")
        return
    pairs, followers = neighbors_of(program), filters_of_followers(program, target.CUDA_FUSED)
    steps = {step.site: step for step in all_steps(program.schedule) if isinstance(step, Operator)}
    for site, filters in sorted(followers.items()):
        step, names = (
            steps[site],
            " and of ".join(f"{steps[at].word} @{steps[at].label} ({steps[at].span.words})" for at in filters),
        )
        later = ", for each pass but the first" if len(filters) == 1 and filters[0] > site else ""
        click.echo(f"{step.span.words}: {step.word} @{step.label} runs in the sweep of {names}{later}")
    for pair in pairs:
        first, second, obstacle = pair.first.step, pair.second.step, pair.obstacle
        where = f"{second.span.words}: {second.word} @{second.label}"
        if obstacle is None:
            click.echo(f"{where} runs in the sweep of {first.word} @{first.label} ({first.span.words})")
        else:
            click.echo(f"{where} has a sweep of its own: {obstacle.why} ({obstacle.span.words})")
    if not pairs and not followers:
        click.echo("no operator directly follows another one")


def _explain_distribution(word: str, size: tuple[int, int] | None = None, run: Path | None = None) -> None:
    """What several workers hold of the data, and what they send each other where; what several GPUs would gain."""
    from gdsl.api.compiling import compile_file
    from gdsl.backends.cpu import plan_of
    from gdsl.clusters.model.report import RunFileError, expected, read_run
    from gdsl.plan.explain_distribution import explain
    from gdsl.types import Widths

    program = compile_file(word).ir
    try:
        walked = None if run is None else read_run(run.read_text(encoding="utf-8", errors="replace"), program)
    except (OSError, RunFileError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise click.UsageError(f"--run {printable(str(run))}: {why}") from None
    if not program.tuning.fuse and (size is not None or walked is not None):
        raise click.UsageError("schedule.fuse is off: such a program does not run on several GPUs of a host")
    click.echo("\n".join(explain(plan_of(program, workers=True), Widths.both(program.tuning.ids or 32))))
    if program.tuning.fuse:
        click.echo("\n".join(("", *expected(program, size, walked))))


def _explain_map(word: str) -> None:
    """Whether many values of the params run together, or why not."""
    from gdsl.api.compiling import compile_file
    from gdsl.passes import ir_passes
    from gdsl.plan.explain_map import explain

    click.echo(explain(ir_passes.apply(compile_file(word).ir, verify=False)))


def _explain_forms(word: str) -> None:
    """What runs on a GPU may try."""
    from gdsl.api.compiling import compile_file
    from gdsl.backends.cuda import plan_of
    from gdsl.ir.nodes import Operator
    from gdsl.ir.traversal import all_steps
    from gdsl.plan.alternatives import explain

    program = compile_file(word).ir
    labels = {step.site: step.label for step in all_steps(program.schedule) if isinstance(step, Operator)}
    click.echo("\n".join(explain(program, plan_of(program), labels)))


_OF_PROGRAMS = {
    "order": _explain_orders,
    "layout": _explain_layout,
    "fusion": _explain_fusion,
    "distribution": _explain_distribution,
    "map": _explain_map,
    "forms": _explain_forms,
}
"""What can be explained about a program."""


def _explain_program(word: str, asked: _Asked) -> None:
    """One page on what the compiler understood."""
    from gdsl.api.compiling import compile_file
    from gdsl.explanation import explain, page

    if asked.page is not None:
        check_writable(asked.page)
        require_apart(asked.page, meant_by(word))
    program = compile_file(word, asked.tune, types=asked.types)
    explanation = explain(program.ir, program.text, word)
    if asked.page is not None:
        text = page.as_html(explanation)
        write_output(asked.page, lambda file: file.write(text.encode()))
        message(f"wrote {printable(str(asked.page))}")
    if asked.as_data:
        click.echo(page.as_json(explanation), nl=False)
    elif asked.page is None:
        click.echo(page.as_text(explanation, shutil.get_terminal_size((110, 24)).columns), nl=False)
