"""`gdslc check --schedules`: runs a program with many combinations of knobs."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field

import click

from gdsl.cli.options import GraphWords
from gdsl.cli.params import param_values, parse_params
from gdsl.cli.streams import message
from gdsl.deadline import doing, interrupting
from gdsl.diagnostics import shown
from gdsl.numerals import whole_number

ALL = "all"
_RARELY = 10.0
"""Seconds between lines of progress."""


def checked_number(context: click.Context, option: click.Parameter, word: str | None) -> str | int | None:
    """A callback: `all`, or a number of combinations."""
    if word is None or word.strip() == ALL:
        return word and ALL
    try:
        number = whole_number(word.strip())
    except ValueError:
        number = 0
    if number < 1:
        raise click.BadParameter(f"{shown(word)} is neither 'all' nor a number of combinations from 1 on")
    return number


@dataclass
class Tally:
    """The words that were tried, and the differences. `codes`: the differences in the one run of each code."""

    ways: int = 0
    codes: dict[str, list[str]] = field(default_factory=dict)
    run: Counter[str] = field(default_factory=Counter)
    differ: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[tuple[str, ...], list[str]]] = field(default_factory=list)

    def add(self, words: tuple[str, ...], differences: list[str]) -> None:
        """Count one combination."""
        self.ways += 1
        self.run.update(words)
        if differences:
            self.differ.update(words)
            self.wrong.append((words, differences))


def check_schedules(
    program_word: str,
    graph_word: str,
    assignments: tuple[str, ...],
    rounded: tuple[str, ...],
    backend: str,
    tuning: tuple[tuple[str, ...], dict[str, str] | None],
    words: GraphWords,
    how_many: str | int,
) -> bool:
    """Run the program with `how_many` combinations of knobs, print the outcome, and return whether all results agree.
    Raises GdslError if the program, the graph or the params are wrong."""
    from gdsl.api.compiling import compile_source
    from gdsl.api.loading import types_of
    from gdsl.api.schedules import Schedules, code_of, run_and_compare, uncompared
    from gdsl.backends import registry
    from gdsl.binding import check_names, needed_widths
    from gdsl.program_files import read_program
    from gdsl.progress import working

    with interrupting():
        source, params = read_program(program_word), parse_params(assignments)
        choice = registry.choose(backend)
        if choice.line:
            message(choice.line)
        chosen = choice.backend.name
        with doing(f"compiling {program_word}"):
            program = compile_source(source, tuning[0], types=tuning[1])
        check_names(program.ir, params, program.text)
        graph = words.open(graph_word)
        values = param_values(params, graph)
        types = types_of(program.instance(graph, values).ir, {})
        schedules = Schedules(source, tuning[0], grid=chosen == "cuda", types=types)
        with working("running the reference"):
            expected = schedules.program.run(graph, values, backend="reference", round=rounded)
        tally = Tally()
        with working("listing combinations"):
            ways = schedules.all() if isinstance(how_many, str) else schedules.sample(how_many)
            total = schedules.number_of_legal if isinstance(how_many, str) else min(how_many, schedules.number)
        progress = _Progress(total)
        with progress.bar:
            for way in ways:
                code = code_of(way.program.ir, chosen, needed_widths(way.program.ir, graph))
                if code not in tally.codes:
                    tally.codes[code] = run_and_compare(way, graph, values, expected, backend=chosen, round=rounded)
                tally.add(way.words, tally.codes[code])
                progress.add()
    _report(tally, f"{schedules.program.name} on {graph_word}", chosen, uncompared(schedules.program.ir))
    return not tally.wrong


class _Progress:
    """How many combinations are done: a bar on a terminal, elsewhere now and then a line."""

    def __init__(self, total: int) -> None:
        from gdsl.progress import Counting, on_terminal

        self.bar, self._total, self._done = Counting("combinations", total), total, 0
        self._said = None if on_terminal() else time.monotonic()

    def add(self) -> None:
        """One more is done."""
        self._done += 1
        self.bar.add(1)
        if self._said is not None and time.monotonic() - self._said > _RARELY:
            self._said = time.monotonic()
            message(f"{self._done} of {self._total} combinations have run")


def _report(tally: Tally, subject: str, backend: str, uncompared: list[str]) -> None:
    click.echo(f"{subject}: {tally.ways} combinations on {backend}, {len(tally.wrong)} differ from the reference")
    if len(tally.codes) < tally.ways:
        click.echo(f"  many come to the same code: {len(tally.codes)} were run")
    if tally.run:
        width = max(map(len, tally.run))
        click.echo(f"  {'knob':{width}}  {'run':>6}  differ")
        for word in sorted(tally.run):
            click.echo(f"  {word:{width}}  {tally.run[word]:6}  {tally.differ[word]:6}")
    for name in uncompared:
        click.echo(f"  {name}: not compared, as two runs need not have it alike")
    for words, mistake in tally.wrong:
        click.echo(f"differs: {' '.join(f'--tune {word}' for word in words)}")
        for line in mistake:
            click.echo(f"  {line}")
