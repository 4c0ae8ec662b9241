"""Parses params of `gdslc run`: -p NAME=VALUE, and what people write instead of it."""

from __future__ import annotations

import difflib
import itertools
import os
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from gdsl.deadline import doing
from gdsl.diagnostics import printable, shell_word

if TYPE_CHECKING:
    import numpy as np

    from gdsl.clusters.session import DistributedGraph
    from gdsl.graph import Graph

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_NUMBER = re.compile(r"-[0-9.].*")
_MISTYPED = 0.85
"""How alike two options are that differ by a letter or two."""
_TAKE_A_WORD = ("-p", "--param", "--tune", "-t", "--type")


def parse_params(assignments: Sequence[str], option: str = "-p") -> dict[str, str]:
    """The texts of -p, or of another `option`, by name. Raises a usage error for a word that is not an assignment, and
    for a repeated name."""
    by_name: dict[str, str] = {}
    for assignment in assignments:
        name, separator, text = assignment.partition("=")
        if not separator or not name.strip():
            rest = assignment.removeprefix("=")
            hint = f": write {option} {printable(rest)}" if name == "" and _ASSIGNMENT.fullmatch(rest) else ""
            raise click.UsageError(f"{option} {printable(assignment)}: must be of the form name=value{hint}")
        if name.strip() in by_name:
            raise click.UsageError(f"{option} {printable(name.strip())} is given twice")
        by_name[name.strip()] = text
    return by_name


def param_values(by_name: Mapping[str, str], graph: Graph | DistributedGraph) -> dict[str, object]:
    """The values of -p for a run on `graph`: an array from a file after an @, otherwise the text, which the program's
    types interpret."""
    from gdsl.binding import Text

    values: dict[str, object] = {}
    for name, text in by_name.items():
        values[name] = array_of(name, text, graph) if text.startswith("@") else Text(text)
    return values


def check_files(by_name: Mapping[str, str]) -> None:
    """Raise what `param_values` would raise for a file that is not there, before a graph is read."""
    from gdsl.cli.arrays import require_array

    for text in by_name.values():
        if text.startswith("@") and text != "@":
            require_array(text[1:])


def array_of(name: str, text: str, graph: Graph | DistributedGraph, option: str = "-p") -> np.ndarray[Any, Any]:
    """The array of the file after the @ in `text`, from `option`."""
    from gdsl.cli.arrays import read_array

    if text == "@":
        raise click.UsageError(f"{option} {name}=@: the name of a file is missing after the @")
    with doing(f"reading {text[1:]}"):
        return read_array(name, text[1:], max(graph.num_vertices, graph.num_edges))


class TakesParams(click.Command):
    """Suggests -p for a param that was written as an option (``--source 0``) or a bare word (``source=0``)."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """As click does; a usage error about such a word says what to write."""
        words = list(args)
        try:
            rest = super().parse_args(context, args)
        except click.NoSuchOption as error:
            advice = _said_for_option(words, error)
            if advice is None:
                raise
            raise click.UsageError(advice, context) from None
        except click.UsageError as error:
            advice = _said_for_words(words) if "unexpected extra argument" in error.message else None
            if advice is None:
                raise
            raise click.UsageError(advice, context) from None
        for word in (context.params.get("program_file"), context.params.get("graph_file")):
            if word is not None and _ASSIGNMENT.fullmatch(word) and not os.path.lexists(word):
                raise click.UsageError(f"'{word}' is not a file; a param is given by -p: -p {word}", context)
        return rest


def _said_for_option(words: list[str], error: click.NoSuchOption) -> str | None:
    """What to write instead of an unknown option, if it may be a param."""
    place, word = next(
        ((place, word) for place, word in enumerate(words) if word.startswith(error.option_name)), (0, "")
    )
    option, separator, value = word.partition("=")
    name = option.lstrip("-").replace("-", "_")
    if not _ASSIGNMENT.fullmatch(f"{name}="):
        return None
    following = words[place + 1] if place + 1 < len(words) else ""
    if not separator and _ASSIGNMENT.fullmatch(following):
        return f"there is no option '{option}'; a param is given by -p: -p {following}"
    if not separator:
        value = following if following and (not following.startswith("-") or _NUMBER.fullmatch(following)) else "VALUE"
    names = _names_in(words)
    close = [name] if name in names else difflib.get_close_matches(name, names, n=1)
    if close:
        return f"there is no option '{option}'; a param is given by -p: -p {close[0]}={value}"
    if any(_is_meant(option, known) for known in error.possibilities or ()):
        return None
    others = _commands_with(option, error.ctx)
    if others:
        return f"there is no option '{option}' here; it is one of gdslc {', '.join(others)}"
    hint = f"; the program takes {', '.join(names)}" if names else ""
    return f"there is no option '{option}'; params are set with -p, such as -p {name}={value}{hint}"


def _is_meant(option: str, known: str) -> bool:
    """Whether an unknown option is more likely a mistyped or shortened `known` than a param."""
    begins = len("--") + 3
    return option[:begins] == known[:begins] or difflib.SequenceMatcher(None, option, known).ratio() >= _MISTYPED


def _commands_with(option: str, context: click.Context | None) -> list[str]:
    """The other commands that have an option of this name."""
    group = context.parent.command if context is not None and context.parent is not None else None
    if context is None or context.parent is None or not isinstance(group, click.Group):
        return []
    commands = [(name, group.get_command(context.parent, name)) for name in group.list_commands(context.parent)]
    return [name for name, each in commands if each is not None and any(option in param.opts for param in each.params)]


def _said_for_words(words: list[str]) -> str | None:
    """What to write instead of a bare word that looks like a param, or like a further value of one."""
    for place, (option, assignment) in enumerate(itertools.pairwise(words)):
        match = _ASSIGNMENT.fullmatch(assignment) if option in ("-p", "--param") else None
        more = list(itertools.takewhile(_is_value, words[place + 2 :]))
        if match is not None and match[2] and more:
            return _said_for_more(match[1], match[2], more)
    for before, word in zip(["", *words], words, strict=False):
        if _ASSIGNMENT.fullmatch(word) and before not in _TAKE_A_WORD:
            return f"'{word}' is not an option; params are set with -p: -p {word}"
    for option, name, value in zip(words, words[1:], words[2:], strict=False):
        if option in ("-p", "--param") and "=" not in name and _ASSIGNMENT.fullmatch(f"{name}="):
            return f"-p {name}: write the value after a =, without blanks: -p {name}={value.removeprefix('=')}"
    return None


def _is_value(word: str) -> bool:
    """Whether `word` is not an option, an assignment, the program or the graph of the command."""
    from gdsl.program_files import meant_by

    is_file = os.path.lexists(word) or meant_by(word) != word or "." in word
    return not (is_file or word.startswith("-") or "=" in word)


def _said_for_more(name: str, value: str, more: Sequence[str]) -> str:
    """What to write instead of values separated by blanks: commas between the ids of a set, quotes around a name with
    blanks."""
    values = [word for each in (value, *more) for word in each.split(",") if word]
    if all(word.isdigit() for word in values):
        return f"-p {name}: write the members of a set with commas and no blanks: -p {name}={','.join(values)}"
    text = shell_word(f"{name}={' '.join((value, *more))}")
    return f"-p {name}: quote a value that contains blanks: -p {text}"


def _names_in(words: list[str]) -> list[str]:
    """The params and inputs of the program in the command, as far as they are known."""
    from gdsl.api.compiling import compile_file
    from gdsl.diagnostics import GdslError
    from gdsl.program_files import SUFFIX, meant_by

    path = next((meant_by(word) for word in words if not word.startswith("-")), "")
    if not path.endswith(SUFFIX) or not os.path.isfile(path):
        return []
    try:
        program = compile_file(path)
    except GdslError:
        return []
    return [*program.params, *program.inputs]
