"""Completions of the words of `gdslc` for shells. They are needed at every TAB, so nothing of the compiler is imported.

Each function is a `shell_complete` of click: it gets the context, the parameter and the word so far.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    Items = list[CompletionItem]
    Completer = Callable[[click.Context, click.Parameter, str], Items]

OPEN = "open"
"""The type of a completion that continues: no blank follows it."""
_MOST_FILES = 2000
_LONGEST_TEXT = 1 << 20


def programs(context: click.Context, param: click.Parameter, word: str) -> Items:
    """Files of programs, and names of samples, that begin with `word`."""
    from gdsl.program_files import SUFFIX, samples

    named = {} if _is_path(word) else samples()
    return _items(word, dict.fromkeys(named, "a sample")) + _files(word, (SUFFIX,))


def sample_names(context: click.Context, param: click.Parameter, word: str) -> Items:
    """The names of samples that begin with `word`."""
    from gdsl.program_files import samples

    return _items(word, dict.fromkeys(samples(), ""))


def graphs(context: click.Context, param: click.Parameter, word: str) -> Items:
    """Files of graphs, the graphs that come with gdsl, and generators."""
    from gdsl.graph_names import COMPRESSED, GENERATED, SUFFIXES, come_along

    named = {} if _is_path(word) else {**come_along(), **dict.fromkeys(GENERATED)}
    shown = {name: "a generated graph" if ":" in name else "comes with gdsl" for name in named}
    return _items(word, shown) + _files(word, (*SUFFIXES, *COMPRESSED))


def generators(context: click.Context, param: click.Parameter, word: str) -> Items:
    """The names of generated graphs that begin with `word`."""
    from gdsl.graph_names import GENERATED

    return _items(word, dict.fromkeys(GENERATED, ""))


def files(*suffixes: str) -> Completer:
    """Files with these suffixes; all files without a suffix."""
    return lambda context, param, word: _files(word, suffixes)


def params(context: click.Context, param: click.Parameter, word: str) -> Items:
    """``NAME=`` for the params and inputs of the program in the command, and files after ``NAME=@``. For ``--each``
    only params that may have many values, and ``NAME=all`` for a vertex."""
    from gdsl.cli.program_words import wanted

    name, separator, value = word.partition("=@")
    if separator:
        return [_item(f"{name}=@{item.value}", item.help, item.type) for item in _files(value, ())]
    many = param.name == "each"
    present = {each.partition("=")[0] for each in context.params.get(param.name or "") or ()}
    candidates = [
        each for each in wanted(_text(context)) if each.name not in present and (each.may_be_many or not many)
    ]
    named = [each for each in candidates if word.startswith(f"{each.name}=")]
    if many and named and named[0].kind == "vertex":
        return [_item(text, "every vertex") for text in (f"{named[0].name}=all",) if text.startswith(word)]
    return [_item(f"{each.name}=", each.kind, OPEN) for each in candidates if f"{each.name}=".startswith(word)]


def names(context: click.Context, param: click.Parameter, word: str) -> Items:
    """The params and inputs of the program in the command."""
    from gdsl.cli.program_words import wanted

    taken = context.params.get(param.name or "") or ()
    candidates = [each for each in wanted(_text(context)) if each.name not in taken]
    return [_item(each.name, each.kind) for each in candidates if each.name.startswith(word)]


def knobs(context: click.Context, param: click.Parameter, word: str) -> Items:
    """``KNOB=`` for the knobs of the program in the command, and after that the knob's values."""
    from gdsl.cli.program_words import knobs as knobs_of

    knobs = knobs_of(_text(context))
    name, separator, value = word.partition("=")
    if separator:
        knob = knobs.get(name)
        if knob is None:
            return []
        return [_item(f"{name}={each}", knob.each.get(each)) for each in knob.values if each.startswith(value)]
    return [_item(f"{name}=", knob.text, OPEN) for name, knob in knobs.items() if name.startswith(word)]


def types(context: click.Context, param: click.Parameter, word: str) -> Items:
    """``NAME=`` for the type parameters of the program in the command, and after that the types that each admits."""
    from gdsl.cli.program_words import type_parameters

    parameters = type_parameters(_text(context))
    name, separator, _ = word.partition("=")
    if separator:
        return [
            _item(each) for each in (f"{name}={type_}" for type_ in parameters.get(name, ())) if each.startswith(word)
        ]
    return [_item(f"{each}=", ", ".join(parameters[each]), OPEN) for each in parameters if each.startswith(word)]


def explained(context: click.Context, param: click.Parameter, word: str) -> Items:
    """What `gdslc explain` takes: codes, knobs, programs."""
    from gdsl.diagnostics import all_codes
    from gdsl.knobs import KNOBS, written

    words = {"knobs": "all tuning knobs", "fusion": "of a program: which operators share a sweep"}
    codes = {known.code: known.title for known in all_codes()} if word else {}  # there are a hundred codes
    named = {written(knob): knob.text for knob in KNOBS if not knob.operators}
    named.update((knob.name, knob.text) for knob in KNOBS)
    return _items(word, {**words, **named}) + _items(word.upper(), codes) + programs(context, param, word)


def _text(context: click.Context) -> str:
    """The text of the program in the command; empty if there is none, or none that can be read quickly."""
    from gdsl.program_files import meant_by

    present = context.params.get("program_file") or context.params.get("program_files") or ()
    words = [present] if isinstance(present, str) else [*present, *context.args]  # click stops at an incomplete option
    word = words[0] if words else ""
    with contextlib.suppress(OSError, ValueError):
        path = os.path.expanduser(meant_by(word))
        if os.path.isfile(path) and os.path.getsize(path) <= _LONGEST_TEXT:
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read()
    return ""


def _is_path(word: str) -> bool:
    return os.sep in word or word.startswith((".", "~"))


def _items(word: str, known: dict[str, str]) -> Items:
    return [_item(name, text) for name, text in known.items() if name.startswith(word)]


def _files(word: str, suffixes: tuple[str, ...]) -> Items:
    """The files that `word` may become, and directories, which continue."""
    folder, begin = os.path.split(word)
    candidates = []
    for entry in _entries(os.path.expanduser(folder) or os.curdir):
        name = entry.name
        if not name.startswith(begin) or (name.startswith(".") and not begin) or not name.isprintable():
            continue
        with contextlib.suppress(OSError):
            if entry.is_dir():
                candidates.append(_item(os.path.join(folder, name) + os.sep, None, OPEN))
            elif not suffixes or name.endswith(suffixes):
                candidates.append(_item(os.path.join(folder, name)))
    return sorted(candidates, key=lambda item: str(item.value))


def _entries(folder: str) -> Iterable[os.DirEntry[str]]:
    with contextlib.suppress(OSError, ValueError), os.scandir(folder) as entries:
        return list(itertools.islice(entries, _MOST_FILES))
    return ()


def _item(value: str, text: str | None = None, kind: str = "plain") -> CompletionItem:
    from click.shell_completion import CompletionItem

    return CompletionItem(value, kind, text or None)
