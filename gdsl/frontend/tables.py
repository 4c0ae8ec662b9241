"""Parsers that Lark builds from the grammar. The tables take it 0.15 s, so they are prepared; otherwise, as with
another version of Lark, they are kept in the cache, as JSON."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from gdsl import cache as disk_cache
from gdsl import prepared
from gdsl.resources import resource_text

if TYPE_CHECKING:
    from lark import Lark

STARTS = ("program", "library", "tune_entry")
"""The grammar's rules that a text may be read by."""
_KIND = "grammar"


@cache
def parser(start: str) -> Lark:
    """The parser for one of `STARTS`."""
    import lark

    key = (start, lark.__version__)
    sources: tuple[Callable[[], Any], ...] = (
        lambda: prepared.read(name_of(start), state()),
        lambda: json.loads(disk_cache.get(_KIND, key) or b""),
    )
    for source in sources:
        with contextlib.suppress(Exception):  # a broken table is built again
            return _with_short_chains(lark.Lark.load(_numbered_tables(source())))
    lark_parser = make(start)
    disk_cache.put(_KIND, key, json.dumps(tables(lark_parser), separators=(",", ":")).encode())
    return _with_short_chains(lark_parser)


def _with_short_chains(lark_parser: Lark) -> Lark:
    """The parser, whose rules of a single rule that adds no node (an expression is a sum is a product is a name) do
    nothing. Lark would compute the same places at each level, which takes it a quarter of the time."""
    callbacks = lark_parser._callbacks
    for rule in callbacks:
        chain = len(rule.expansion) == 1 and not rule.expansion[0].is_term
        if chain and rule.options.expand1 and rule.alias is None and not any(rule.options.empty_indices):
            callbacks[rule] = itemgetter(0)
    return lark_parser


def name_of(start: str) -> str:
    """What the tables of a start rule are called where they are prepared."""
    return f"grammar.{start}"


def state() -> str:
    """What tables depend on: the grammar, and Lark."""
    import lark

    grammar = hashlib.sha256(resource_text("grammar", "gdsl.lark").encode()).hexdigest()
    return f"lark {lark.__version__}, grammar {grammar}"


def make(start: str) -> Lark:
    """The parser for a start rule, built from the grammar."""
    import lark

    grammar = resource_text("grammar", "gdsl.lark")
    return lark.Lark(grammar, parser="lalr", start=start, propagate_positions=True, maybe_placeholders=True)


def tables(lark_parser: Lark) -> dict[str, Any]:
    """What `Lark.save` would pickle, which is numbers, texts, lists and dictionaries."""
    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    data, memo = lark_parser.memo_serialize([TerminalDef, Rule])
    return {"data": data, "memo": memo}


def _numbered_tables(saved: Any) -> Any:
    """The same for `Lark.load`: the keys that JSON turned into texts are numbers again."""
    saved["memo"] = _numbered(saved["memo"])
    table = saved["data"]["parser"]["parser"]
    table["tokens"] = _numbered(table["tokens"])
    table["states"] = {int(state): _numbered(actions) for state, actions in table["states"].items()}
    return saved


def _numbered(values: dict[str, Any]) -> dict[int, Any]:
    return {int(key): value for key, value in values.items()}
