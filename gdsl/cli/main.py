"""The entry point of `gdslc`: finds the verb, and turns every failure into a message and an exit status.

Exit status: 0 success, 1 the program, the input or the machine is at fault, 2 usage, 130 interrupted.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any, cast

import click

from gdsl.cache.location import show
from gdsl.cli import INTERRUPTED, streams
from gdsl.diagnostics import GdslError, shown
from gdsl.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_VERBS = {
    "compile": ("gdsl.cli.compile", "Print the code generated for a program."),
    "run": ("gdsl.cli.run", "Run a program on a graph."),
    "profile": ("gdsl.cli.profile", "Show where a run spends its time, as a page or a table."),
    "tune": ("gdsl.cli.tune", "Find the fastest knobs of a program for a kind of graph."),
    "export": ("gdsl.cli.export", "Write a program as C++ or CUDA that needs no gdsl."),
    "check": ("gdsl.cli.check", "Look for mistakes in programs, and fix them."),
    "fmt": ("gdsl.cli.fmt", "Format programs."),
    "explain": ("gdsl.cli.explain", "Explain the code of a message, a tuning knob, or a program."),
    "samples": ("gdsl.cli.samples", "List the programs that come with gdsl."),
    "doctor": ("gdsl.cli.doctor", "Show what this machine has, and what to install."),
    "graph": ("gdsl.cli.graph", "Generate, describe and convert graphs."),
    "init": ("gdsl.cli.init", "Create a folder with a program, a test and a README."),
    "watch": ("gdsl.cli.watch", "Check a program, and run it, each time it is saved."),
    "cache": ("gdsl.cli.cache", "Show what the cache holds, or empty it."),
    "lsp": ("gdsl.cli.lsp", "Run the language server for editors."),
    "completion": ("gdsl.cli.completion", "Print the script for completion in a shell."),
}

_ROOM = 256 << 20
"""Bytes of address space below which NumPy and SciPy do not load; some of their libraries would hang."""
_GARBAGE = 50_000
"""Objects after which Python collects garbage, instead of 700: a starting process creates that many again and again,
and ends before any of them is garbage."""


class _Verbs(click.Group):
    """Imports a verb only when it is used."""

    def list_commands(self, context: click.Context) -> list[str]:
        """All verbs, in the order of the manual."""
        return list(_VERBS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The verb called `name`."""
        if name not in _VERBS:
            return None
        return cast(click.Command, importlib.import_module(_VERBS[name][0]).command)

    def shell_complete(self, context: click.Context, incomplete: str) -> list[CompletionItem]:
        """The verbs that begin with the word, without importing them; options as click does."""
        if incomplete.startswith("-"):
            return super().shell_complete(context, incomplete)
        from click.shell_completion import CompletionItem

        return [CompletionItem(name, help=text) for name, (_, text) in _VERBS.items() if name.startswith(incomplete)]

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with a suggestion for a misspelled verb."""
        import difflib

        if arguments and not context.resilient_parsing and arguments[0] not in (*_VERBS, "") and arguments[0][0] != "-":
            close = difflib.get_close_matches(arguments[0], _VERBS, n=1)
            hint = f" Did you mean '{close[0]}'?" if close else _instead_of_verb(*arguments)
            context.fail(f"No such command {shown(arguments[0])}.{hint}")
        return super().resolve_command(context, arguments)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of verbs, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _VERBS.items()])


def _instead_of_verb(word: str, *others: str) -> str:
    """What to write for a word that is no verb."""
    from gdsl.program_files import SUFFIX, samples

    if word == "help":
        verb = f"{others[0]} " if others and others[0] in _VERBS else ""
        return f" Write 'gdslc {verb}--help'."
    if word == "version":
        return " Write 'gdslc --version'."
    if word.endswith(SUFFIX) or word in samples():
        return f" Programs are run by 'gdslc run {word} GRAPH'."
    return " 'gdslc --help' lists all."


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="gdslc", message="%(prog)s %(version)s")
def gdslc() -> None:
    """Compile graph programs (.gdsl) to CUDA or C++ and run them.

    \b
    Example:
      gdslc run bfs karate -p source=0
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `gdslc` with `arguments` (those of the process by default); returns the exit status."""
    warnings.showwarning = _show_warning  # type: ignore[assignment]
    if arguments is None:  # the process belongs to gdsl
        gc.set_threshold(_GARBAGE)
        if "_GDSLC_COMPLETE" in os.environ:
            from gdsl.cli.completion import answer

            return answer(os.environ["_GDSLC_COMPLETE"], gdslc)
    with streams.prepared():
        try:
            if arguments is None and "--mpi" in sys.argv:
                from gdsl.cli.ranks import on_ranks

                return on_ranks(lambda: _guarded(arguments))
            status = _guarded(arguments)
            sys.stdout.flush()
            return status
        except BrokenPipeError:  # the reader of the output (`head`, a pager) has what it wanted
            streams.discard_output()
            return 0
        except OSError as error:
            streams.discard_output()
            return _fail(_system_failure(error, main.__code__))


def _guarded(arguments: Sequence[str] | None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    return guarded(lambda: _invoke(words))


def _invoke(words: list[str]) -> None:
    _check_room()
    with gdslc.make_context("gdslc", words) as context:
        gdslc.invoke(context)


def guarded(action: Callable[[], object]) -> int:
    """Do `action`, print its failure as a message, and return the exit status. Raises OSError, which may be about the
    standard streams."""
    try:
        action()
        return 0
    except click.exceptions.Exit as request:
        return request.exit_code
    except click.ClickException as error:
        with streams.messages():
            error.show()
        return 2
    except GdslError as error:
        return _fail(_styled(str(error)))
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted", INTERRUPTED)
    except MemoryError as error:
        return _fail(_styled(str(GdslError.single("E0912", f"not enough memory{_detail(error)}"))))
    except OSError:
        raise
    except ImportError as error:
        return _fail(_styled(str(_import_failure(error))))
    except Exception as error:
        return _internal(error)


def _detail(error: BaseException) -> str:
    text = str(error).strip()
    return f": {text}" if text else ""


def _internal(error: Exception) -> int:
    """A defect of gdsl: one line for users, the traceback if GDSL_DEBUG is set."""
    if os.environ.get("GDSL_DEBUG"):
        with streams.messages():
            traceback.print_exception(error)
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(where.filename)}:{where.lineno}"
    return _fail(
        f"error: internal error in {place}: {type(error).__name__}: {error}\n"
        "  note: this is a defect of gdsl; please report it with the program and GDSL_DEBUG=1, which shows more"
    )


def _fail(text: str, status: int = 1) -> int:
    streams.message(text)
    return status


def _styled(text: str) -> str:
    """The first line of a message in bold if standard error is a terminal (click strips it elsewhere)."""
    head, separator, rest = text.partition("\n")
    return click.style(head, bold=True) + separator + rest


def _show_warning(message: Warning | str, category: type[Warning], *_: Any) -> None:
    if issubclass(category, RuntimeWarning):
        streams.message(f"warning: {message}")


# ------------------------------------------------------------ what the machine refuses


def _check_room() -> None:
    """Raise E0912 if the address space is too small to start (`ulimit -v`); if it is limited, use less."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    except (ImportError, OSError):
        return
    if limit == resource.RLIM_INFINITY:
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each thread takes address space, and gdsl has no work for them
    if limit < _ROOM:
        raise GdslError.single(
            "E0912",
            f"the address space of this process is limited to {limit >> 20} MiB, and NumPy and SciPy need "
            f"{_ROOM >> 20} MiB to load",
            fix="raise the limit (ulimit -v)",
        )


def _import_failure(error: ImportError) -> GdslError:
    """E0912 or E0907: a part of gdsl or of its dependencies cannot be loaded; the innermost error says why."""
    innermost: BaseException = error
    while (inner := innermost.__cause__ or innermost.__context__) is not None and isinstance(
        inner, (ImportError, OSError)
    ):
        innermost = inner
    lines = str(innermost).strip().splitlines() or [type(innermost).__name__]
    reason = lines[0]
    if "failed to map segment" in reason or "cannot allocate memory" in reason.lower():
        return GdslError.single("E0912", f"not enough memory to load a library: {reason}")
    return GdslError.single(
        "E0907",
        f"a part of gdsl or of what it needs cannot be loaded: {reason}",
        fix="install gdsl again; see gdslc doctor",
    )


def _system_failure(error: OSError, writer: CodeType) -> str:
    """What the system refused: the output, if it was refused to `writer` or to click, otherwise what the error
    names."""
    reason = error.strerror or str(error)
    frames = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    if any(code in frames for code in (click.echo.__code__, *streams.WRITERS)) or frames[-1:] == [writer]:
        return f"error: cannot write the output: {streams.reason(error)}"
    named = f" ({show(os.fsdecode(error.filename))})" if isinstance(error.filename, (str, bytes)) else ""
    return f"error: the system refuses: {reason}{named}"
