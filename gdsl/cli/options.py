"""Options that several verbs share, and their callbacks."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from gdsl.cli import completing
from gdsl.cli.output import Command, file_name
from gdsl.cli.streams import message
from gdsl.diagnostics import GdslError, shown
from gdsl.knob_help import summary
from gdsl.knobs import OPTIONAL_PASSES, WITHOUT
from gdsl.numerals import real_number, whole_number
from gdsl.records import dataclass

if TYPE_CHECKING:
    from gdsl.graph import Graph

_TUNE_WORD = re.compile(r"[^=\s]+=.+|bounds\s+(on|off)")
_BACKENDS = ("auto", "cuda", "cpu", "reference")
_WEIGHTS = re.compile(r"random:[0-9]+(:[0-9]+)?")


class PassName(click.Choice):  # type: ignore[type-arg]
    """The name of a pass, of which there are many: a wrong one is answered with the one that is most like it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The name, or click's error."""
        from gdsl.frontend.vocabulary import closest

        near = closest(str(value), self.choices) if value not in self.choices else None
        if near is not None:
            self.fail(f"there is no pass {value!r}. Did you mean {near!r}?", param, ctx)
        return super().convert(value, param, ctx)


class Word(click.Choice):  # type: ignore[type-arg]
    """One of a few words; another one is answered with the one that is meant, also for what other tools call it."""

    def __init__(self, choices: Sequence[str], others: dict[str, str] | None = None) -> None:
        super().__init__(choices)
        self.others = others or {}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word, or click's error."""
        from gdsl.frontend.vocabulary import closest

        if value not in self.choices:
            near = self.others.get(str(value).lower()) or closest(str(value)[:100], self.choices)
            words = ", ".join(map(repr, self.choices))
            self.fail(f"{shown(value)} is not one of {words}.{f' Did you mean {near!r}?' if near else ''}", param, ctx)
        return value


OTHER_BACKENDS = {
    **dict.fromkeys(("gpu", "nvidia", "device"), "cuda"),
    **dict.fromkeys(("openmp", "omp", "cpp", "c++", "host", "native"), "cpu"),
    **dict.fromkeys(("python", "interpreter", "interpreted"), "reference"),
}
"""What other tools call the backends."""


def with_options(command: Any, options: Sequence[Callable[[Any], Any]]) -> Any:
    """`command` with these options, in their order."""
    for option in reversed(options):
        command = option(command)
    return command


def checked_limit(context: click.Context, option: click.Parameter, word: str | None) -> int | None:
    """A callback: an integer from 0 to 2^63 - 1, with the digits 0 to 9."""
    if word is None:
        return None
    try:
        number = whole_number(word.strip())
    except ValueError as error:
        raise click.BadParameter(f"{shown(word)}: {error}") from None
    if not 0 <= number < 2**63:
        raise click.BadParameter(f"{shown(number)} is not in the range from 0 to 2^63 - 1")
    return number


def memory_option(command: Command) -> Command:
    """Add --memory; the command gets it as `memory`, a word that `memory_use` accepts, or None."""
    return click.option(
        "--memory", callback=_checked_memory, metavar="SIZE",
        help="What the run may use of the GPU's memory: 2GB, 500MB or 1.5GiB; host keeps the edge lists in the memory "
        "of the host, device never does, auto does if they do not fit.  [default: auto]",
    )(command)  # fmt: skip


def _checked_memory(context: click.Context, option: click.Parameter, word: str | None) -> str | None:
    from gdsl.memory_use import memory_use

    if word is None:
        return None
    try:
        memory_use(word)
    except ValueError:
        raise click.BadParameter(
            f"{shown(word)} is not host, device, auto or a number of bytes, such as 2GB, 500MB or 1.5GiB"
        ) from None
    return word


def checked_gpus(context: click.Context, option: click.Parameter, word: str | None) -> int | str | list[int] | None:
    """A callback: a number of GPUs, `all`, or numbers of GPUs between commas."""
    if word is None or word == "all":
        return word
    try:
        if "," in word:
            return [whole_number(part.strip()) for part in word.rstrip(",").split(",")]
        count = whole_number(word.strip())
    except ValueError:
        raise click.BadParameter(
            f"{shown(word)} is not a number of GPUs, `all`, or a list of their numbers such as 0,1"
        ) from None
    if count < 1:
        raise click.BadParameter(f"{shown(word)}: at least one GPU runs a program")
    return count


def gpus_option(command: Command) -> Command:
    """Add --gpus."""
    return click.option(
        "--gpus",
        callback=checked_gpus,
        metavar="N",
        help="Run on N GPUs of this machine together; `all`, or their numbers, as in 0,1.",
    )(command)


def checked_seconds(context: click.Context, option: click.Parameter, word: str | None) -> float | None:
    """A callback: a positive number."""
    if word is None:
        return None
    try:
        number = real_number(word.strip())
    except ValueError as error:
        raise click.BadParameter(f"{shown(word)}: {error}") from None
    if not number > 0:
        raise click.BadParameter(f"{shown(word)} is not a positive number of seconds")
    return number


@dataclass(frozen=True, slots=True)
class GraphWords:
    """The options that say how a graph is read."""

    undirected: bool = False
    weights: str | None = None
    dedup: str | None = None
    no_loops: bool = False
    compact: bool = False
    reverse_arcs: bool = False
    format: str | None = None
    one_based: bool | None = None
    num_vertices: int | None = None
    directed: bool | None = None
    source_column: str | None = None
    target_column: str | None = None
    weight_column: str | None = None

    def options(self) -> dict[str, Any]:
        """These as options of `Graph.read`."""
        options = dataclasses.asdict(self)
        options["loops"] = not options.pop("no_loops")
        return options

    def open(self, path_or_spec: str) -> Graph:
        """Read the file, or generate the graph that a word such as ``rmat:18`` names; gaps in ids are reported. Raises
        GdslError E07xx."""
        from gdsl.graph import open_graph, unused_ids
        from gdsl.graph.messages import collecting
        from gdsl.progress import working

        with working(f"reading {path_or_spec}"), collecting() as notices:
            graph = open_graph(path_or_spec, **self.options())
        for each in notices:
            message(f"note: {each}")
        is_reported = self.num_vertices is not None or any("no edge" in each or "--compact" in each for each in notices)
        notice = None if is_reported else unused_ids(graph, path_or_spec, self.format)
        if notice is not None:
            message(f"note: {notice}")
        return graph


def import_path_option(command: Command) -> Command:
    """Add --import-path, which applies while the command runs."""
    return click.option(
        "--import-path",
        metavar="DIR",
        multiple=True,
        expose_value=False,
        callback=_import_from,
        help="Another folder that the program may import files from; may be repeated.",
    )(command)


def _import_from(context: click.Context, option: click.Parameter, folders: tuple[str, ...]) -> None:
    from gdsl.imports import importing_from

    context.with_resource(importing_from(folders))


def tuning_options(command: Command) -> Command:
    """Add --tune, --fuse and --without, which the command gets as `tune`, a tuple of words, and --import-path."""

    @functools.wraps(command)
    def wrapped(*, tune: tuple[str, ...], fuse: str | None, without: tuple[str, ...], **others: Any) -> Any:
        words = (*tune, f"schedule.fuse={fuse}") if fuse is not None else tune
        words = (*words, *(f"{WITHOUT}{name}" for name in without))
        return command(tune=words, **others)

    decorated = import_path_option(wrapped)
    decorated = click.option(
        "--without",
        metavar="PASS",
        multiple=True,
        type=PassName(OPTIONAL_PASSES),
        help=f"Leave out a pass over the plan, which changes no result; may be repeated. {', '.join(OPTIONAL_PASSES)}.",
    )(decorated)
    decorated = click.option(
        "--fuse",
        type=click.Choice(["on", "off"]),
        help="One kernel for the whole schedule, or one per operator (the same as --tune schedule.fuse=…).",
    )(decorated)
    return click.option(  # type: ignore[return-value]
        "--tune",
        metavar="KNOB=VALUE",
        multiple=True,
        callback=_checked_tune,
        shell_complete=completing.knobs,
        help=f"Set a knob, such as visit.direction=pull or schedule.ids=64; may be repeated. {summary()}",
    )(decorated)


def type_option_with(use: str) -> Callable[[Command], Command]:
    """Add -t; the command gets `types`, by type parameter, or None without -t. `use` says
    what it is for."""
    return click.option(
        "-t", "--type", "types", metavar="NAME=TYPE", multiple=True, callback=_checked_types,
        shell_complete=completing.types,
        help=f"Choose the type of a type parameter, such as weight_type=int64{use}",
    )  # fmt: skip


def _checked_types(context: click.Context, option: click.Parameter, words: tuple[str, ...]) -> dict[str, str] | None:
    assignments: dict[str, str] = {}
    for word in words:
        name, separator, type_ = (part.strip() for part in word.partition("="))
        if not (separator and name and type_):
            raise click.BadParameter(f"{shown(word)} is not of the form name=type, such as weight_type=int64")
        if name in assignments:
            raise click.BadParameter(f"the type of {name} is given twice")
        assignments[name] = type_
    return assignments or None


type_option = type_option_with("; by default, the dtypes of inputs decide.")
"""For commands that run programs."""
declared_type_option = type_option_with("; by default, the one that the program declares.")
"""For commands that have no inputs."""


def tune_file_options(command: Command) -> Command:
    """Add --tune-file and --no-tune-file; the command gets `tune_file`, a name, or whether to use the file next to the
    program."""

    @functools.wraps(command)
    def wrapped(*, tune_file: str | None, no_tune_file: bool, **others: Any) -> Any:
        if tune_file is not None and no_tune_file:
            raise click.UsageError("--tune-file and --no-tune-file exclude each other")
        return command(tune_file=not no_tune_file if tune_file is None else tune_file, **others)

    decorated = click.option("--no-tune-file", is_flag=True, help="Ignore the tune file next to PROGRAM.")(wrapped)
    return click.option(  # type: ignore[return-value]
        "--tune-file",
        metavar="FILE",
        shell_complete=completing.files(".tune"),
        help="Take the knobs from this file of gdslc tune instead of the one next to PROGRAM.",
    )(decorated)


def graph_options(command: Command) -> Command:
    """Add the options of `GraphWords`; the command gets them as `words`."""

    @functools.wraps(command)
    def wrapped(**values: Any) -> Any:
        words = GraphWords(**{field.name: values.pop(field.name) for field in dataclasses.fields(GraphWords)})
        return command(words=words, **values)

    return with_options(wrapped, _GRAPH_OPTIONS)  # type: ignore[no-any-return]


def param_option(help_text: str) -> Callable[[Command], Command]:
    """Add -p; the command gets `assignments`, a tuple of words such as ``source=0``."""
    return click.option(
        "-p", "--param", "assignments", metavar="NAME=VALUE", multiple=True, shell_complete=completing.params,
        help=help_text,
    )  # fmt: skip


def round_option(command: Command) -> Command:
    """Add --round; the command gets `rounded`, a tuple of names of params and inputs."""
    return click.option(
        "--round", "rounded", metavar="NAME", multiple=True, shell_complete=completing.names,
        help="Accept values of this param or input that its declared type cannot represent, and take the nearest ones. "
        "May be repeated.",
    )(command)  # fmt: skip


def backend_option(help_text: str | None = None, default: str | None = "auto") -> Callable[[Command], Command]:
    """Add --backend; the command gets `backend`, a name, auto, or None if that is the default."""
    return click.option(
        "--backend",
        type=Word(_BACKENDS, OTHER_BACKENDS),
        default=default,
        show_default=default is not None,
        help=help_text,
    )


def limit_options(timeout_help: str) -> Callable[[Command], Command]:
    """Add --timeout and --max-iterations; the command gets `timeout`, seconds, and `max_iterations`, passes of a loop;
    None means no limit."""

    def decorated(command: Command) -> Command:
        with_passes = click.option(
            "--max-iterations", callback=checked_limit, metavar="N", help="Stop a loop that needs more passes."
        )(command)
        return click.option("--timeout", callback=checked_seconds, metavar="SECONDS", help=timeout_help)(with_passes)

    return decorated


def output_option(help_text: str) -> Callable[[Command], Command]:
    """Add -o; the command gets it as `output`, a Path or None."""
    return click.option(
        "-o", "--output", metavar="FILE", callback=file_name, shell_complete=completing.files(), help=help_text
    )


def _checked_tune(context: click.Context, option: click.Parameter, words: tuple[str, ...]) -> tuple[str, ...]:
    for word in words:
        if not _TUNE_WORD.fullmatch(word.strip()):
            raise click.BadParameter(f"'{word}' is not of the form knob=value, such as visit.direction=pull")
    return words


def _checked_weights(context: click.Context, option: click.Parameter, word: str | None) -> str | None:
    if word is not None and not _WEIGHTS.fullmatch(word):
        raise click.BadParameter(f"'{word}' is not of the form random:SEED, such as random:1")
    return word


def _checked_format(context: click.Context, option: click.Parameter, word: str | None) -> str | None:
    if word is not None:
        from gdsl.graph.reading import format_of

        try:
            format_of("", word)
        except GdslError as error:
            [problem] = error.diagnostics
            raise click.BadParameter(f"{problem.message}; {problem.fix}") from None
    return word


_GRAPH_OPTIONS = (
    click.option("--undirected", is_flag=True, help="Store every edge both ways."),
    click.option(
        "--weights", metavar="random:SEED", callback=_checked_weights,
        help="Give every edge a weight from 1 to 64 (random:SEED:N: to N), determined by its ends and the seed.",
    ),
    click.option(
        "--dedup", type=click.Choice(["first", "sum", "min", "max"]),
        help="Merge parallel edges into one, with the first, the summed, the smallest or the largest weight.",
    ),
    click.option("--no-loops", is_flag=True, help="Remove self-loops."),
    click.option("--compact", is_flag=True, help="Remove vertices without edges; the ids of the file become names."),
    click.option(
        "--reverse-arcs", is_flag=True,
        help="Add a reverse arc with zero values for each arc that has none, as max_flow requires.",
    ),
    click.option(
        "--format", metavar="FORMAT", callback=_checked_format,
        help="The format of the graph file, if its name does not show it: mtx (Matrix Market), gr (DIMACS), npz "
        "(SciPy), csv, tsv, edges (an edge list), metis, parquet, arrow, graphml, "
        "gml, pajek, gexf, dot, json, adjlist, multiline-adjlist, graph6, sparse6 or leda.",
    ),
    click.option(
        "--one-based/--zero-based", default=None,
        help="Whether the ids of an edge list count from 1 or from 0; from 0 unless KONECT's comments say otherwise.",
    ),
    click.option(
        "--directed", is_flag=True, default=None,
        help="The edges of an edge list or table are arcs, whatever its comments say.",
    ),
    click.option("--source-column", metavar="NAME", help="The column of an edge list or table with the sources."),
    click.option("--target-column", metavar="NAME", help="The column with the destinations."),
    click.option("--weight-column", metavar="NAME", help="The column with the weights."),
    click.option(
        "--num-vertices", metavar="N", callback=checked_limit,
        help="The number of vertices of an edge list, if the last ones have no edges.",
    ),
)  # fmt: skip
