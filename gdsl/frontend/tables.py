"""Parsers that Lark makes of the grammar; the tables take it 0.15 s, so they are kept in the cache, as JSON."""

from __future__ import annotations

import contextlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from gdsl import cache as kept
from gdsl.resources import resource_text

if TYPE_CHECKING:
    from lark import Lark

_KIND = "grammar"


@cache
def parser(start: str) -> Lark:
    """The parser for one of the grammar's start rules."""
    import lark

    key = (start, lark.__version__)
    data = kept.get(_KIND, key)
    if data is not None:
        with contextlib.suppress(Exception):  # whatever a broken table does: it is made anew
            return lark.Lark.load(_from_json(data))
    grammar = resource_text("grammar", "gdsl.lark")
    made = lark.Lark(grammar, parser="lalr", start=start, propagate_positions=True, maybe_placeholders=True)
    kept.put(_KIND, key, _to_json(made))
    return made


def _to_json(made: Lark) -> bytes:
    """What `Lark.save` would pickle, which is numbers, texts, lists and dictionaries."""
    from lark.grammar import Rule
    from lark.lexer import TerminalDef

    data, memo = made.memo_serialize([TerminalDef, Rule])
    return json.dumps({"data": data, "memo": memo}, separators=(",", ":")).encode()


def _from_json(data: bytes) -> Any:
    """The same for `Lark.load`: the keys that JSON has made texts of are numbers again."""
    saved = json.loads(data)
    saved["memo"] = _numbered(saved["memo"])
    table = saved["data"]["parser"]["parser"]
    table["tokens"] = _numbered(table["tokens"])
    table["states"] = {int(state): _numbered(actions) for state, actions in table["states"].items()}
    return saved


def _numbered(values: dict[str, Any]) -> dict[int, Any]:
    return {int(key): value for key, value in values.items()}
