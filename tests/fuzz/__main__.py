"""``python tests/fuzz``: run campaigns, print what was counted and found; exit status 1 after a finding."""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path
from typing import Any

import click

sys.path.insert(0, str(Path(__file__).parents[2]))  # where `tests` is
sys.path.insert(0, str(Path(__file__).parents[1]))  # where `fuzz`, `oracles` and `support` are

from fuzz import sanitizing
from fuzz.campaign import Campaign, Case, run
from gdsl.diagnostics import GdslError

CAMPAIGNS = {
    "text": ("fuzz.text", "mutated programs through the compiler"),
    "graphs": ("fuzz.graphs", "mutated graph files of every format"),
    "parts": ("fuzz.parts", "mutated graph files, read by several workers"),
    "names": ("fuzz.names", "words as names in every role, compiled and run"),
    "expressions": ("fuzz.expressions", "random expressions on several backends, bit for bit"),
    "literals": ("fuzz.literals", "random literals without types, by the types that the page says"),
    "programs": ("fuzz.programs", "random programs in many orders and on several backends"),
    "python": ("fuzz.python_calls", "calls of the Python interface with odd values"),
}


_BACKENDS = "Out of reference, cpu, emulator, cuda; with --programs also workers, words, teams."
_FILE = click.Path(dir_okay=False, path_type=Path)


def _flags(command: click.Command) -> click.Command:
    for name, (_, text) in reversed(CAMPAIGNS.items()):
        command.params.insert(0, click.Option([f"--{name}"], is_flag=True, help=f"{text[0].upper()}{text[1:]}."))
    return command


def _choose(module: Any, backends: str) -> None:
    """Have a campaign compare `backends`, if it compares any."""
    if backends and hasattr(module, "choose_backends"):
        try:
            module.choose_backends(backends.split(","))
        except ValueError as error:
            raise click.UsageError(str(error)) from None


def _repeat(path: Path) -> None:
    """Say what is wrong with the program in a file, and end."""
    from fuzz import programs

    try:
        wrong = programs.repeat(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise click.UsageError(f"{path}: {error}") from None
    except GdslError as error:
        print(f"refused:\n{error}")
        sys.exit(0)
    print("\n".join(wrong) or "nothing is wrong")
    sys.exit(bool(wrong))


def _sanitized(backends: str) -> None:
    """Run the same command again with the sanitizers, and end."""
    if not set(backends.split(",")) <= {"reference", "cpu"}:
        raise click.UsageError("--sanitize: only the cpu backend has C++ that the sanitizers can check")
    try:
        sys.exit(sanitizing.run_again(sys.argv[1:]))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except GdslError as error:
        raise click.ClickException(str(error)) from None


def _progress(campaign: Campaign) -> None:
    sanitizing.note(campaign.name, campaign.seed + campaign.cases)
    if campaign.cases % 200 == 0 and sys.stderr.isatty():
        print(
            f"\r{campaign.name}: {campaign.cases:,} cases, {len(campaign.findings)} findings", end="", file=sys.stderr
        )


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--seed", type=int, default=None, help="The seed of the first case; by default taken from the clock.")
@click.option("--count", type=click.IntRange(1), default=None, help="How many cases each campaign runs.")
@click.option("--minutes", type=float, default=None, help="How long each campaign runs; 1 without --count.")
@click.option(
    "--backends",
    default="reference,cpu",
    show_default=True,
    help="Out of reference, cpu, emulator, cuda; with --programs also workers, words, teams.",
)
@click.option("--list-marked", type=_FILE, help="Programs: a file for those with a mark that never differed.")
@click.option("--collect", type=_FILE, help="Programs: a file for those that are held back and differ indeed.")
@click.option("--repeat", type=_FILE, help="Programs: look again at the finding in this file.")
@click.option("--sanitize", is_flag=True, help="Have g++'s sanitizers check the C++ of the cpu backend.")
def main(
    seed: int | None,
    count: int | None,
    minutes: float | None,
    backends: str,
    list_marked: Path | None,
    collect: Path | None,
    repeat: Path | None,
    sanitize: bool,
    **chosen: bool,
) -> None:
    """Look for input that breaks gdsl. Each case follows from its seed alone: --seed N --count 1 repeats it.

    Without a campaign's name all of them are run.
    """
    if sanitize and not sanitizing.is_on():
        _sanitized(backends)
    sanitizing.begin()
    from fuzz import programs

    programs.options.marked, programs.options.collected = list_marked, collect
    if repeat is not None:
        _choose(programs, backends)
        _repeat(repeat)
    first = int(time.time()) if seed is None else seed
    names = [name for name in CAMPAIGNS if chosen[name]] or list(CAMPAIGNS)
    seconds = minutes * 60 if minutes is not None else (None if count is not None else 60.0)
    found = False
    for name in names:
        module = importlib.import_module(CAMPAIGNS[name][0])
        case: Case = module.case
        _choose(module, backends)
        sanitizing.note(name, first)
        campaign = run(name, sanitizing.watched(case), seed=first, count=count, seconds=seconds, progress=_progress)
        print(campaign.line())
        for own, text in campaign.findings:
            print(f"\n--- python tests/fuzz --{name} --seed {own} --count 1{' --sanitize' if sanitize else ''}\n{text}")
        found = found or bool(campaign.findings)
    sys.exit(found)


_flags(main)

if __name__ == "__main__":
    main()
