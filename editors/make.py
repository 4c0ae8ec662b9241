"""Writes what editors know of the language from its grammar and its words: `python -m editors.make`.

- `vscode/syntaxes/gdsl.tmLanguage.json`, the TextMate grammar, for colors alone;
- `tree-sitter-gdsl/grammar.js`, rule for rule the grammar of the parser;
- `kate/gdsl.xml`, the syntax of Kate, which names the language;
- `helix/queries/highlights.scm`, the queries of Tree-sitter with the names that the themes of Helix have.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from editors.grammar import Grammar, read
from gdsl.frontend import vocabulary

ROOT = Path(__file__).parents[1]
TEXTMATE = ROOT / "editors" / "vscode" / "syntaxes" / "gdsl.tmLanguage.json"
TREE_SITTER = ROOT / "editors" / "tree-sitter-gdsl" / "grammar.js"
QUERIES = ROOT / "editors" / "tree-sitter-gdsl" / "queries"
KATE = ROOT / "editors" / "kate" / "gdsl.xml"
HELIX = ROOT / "editors" / "helix" / "queries" / "highlights.scm"
_OF_HELIX = {
    "comment.documentation": "comment.block.documentation",
    "number": "constant.numeric.integer",
    "number.float": "constant.numeric.float",
    "boolean": "constant.builtin.boolean",
    "keyword.conditional": "keyword.control.conditional",
    "keyword.repeat": "keyword.control.repeat",
    "keyword.return": "keyword.control.return",
    "keyword.import": "keyword.control.import",
    "module": "namespace",
    "property": "variable.other.member",
    "type.definition": "type",
    "function.call": "function",
    "function.method.call": "function.method",
}
_HEAD = "// Generated from grammar/gdsl.lark by `python -m editors.make`.\n"
_DATA = ("param", "input", "local", "vertex", "edge", "scalar", "type", "frontier", "graph", "history", "buckets")
_CONTROL = ("if", "else", "for", "in", "while", "repeat", "break", "return", "accept", "on")


def grammar() -> Grammar:
    """The grammar of the parser."""
    return read((ROOT / "grammar" / "gdsl.lark").read_text(encoding="utf-8"))


def tree_sitter() -> str:
    """The grammar for Tree-sitter."""
    return _HEAD + grammar().javascript()


def textmate() -> str:
    """The TextMate grammar: words of the grammar by their kind, and what the compiler provides."""
    words = {word for word in grammar().literals if word.isidentifier()}
    types = sorted(vocabulary.TYPES)
    constants = ["true", "false", "inf", "none"]
    built_in = sorted(
        (
            vocabulary.FUNCTIONS
            | vocabulary.GRAPH_FUNCTIONS
            | vocabulary.SCHEDULE_FUNCTIONS
            | vocabulary.CONTEXTUAL_FUNCTIONS
            | vocabulary.ARRAY_REDUCTIONS
        )
        - words
    )
    storage = sorted(words & set(_DATA))
    control = sorted(words & set(_CONTROL))
    others = sorted(words - set(_DATA) - set(_CONTROL) - set(constants) - set(types))
    updates = sorted((word for word in grammar().literals if word.endswith("=") and word[0].isalpha()), key=str)
    patterns = [
        {"name": "comment.line.number-sign.gdsl", "match": "#.*$"},
        {"name": "string.quoted.triple.gdsl comment.block.documentation.gdsl", "begin": '"""', "end": '"""'},
        {"name": "string.quoted.double.gdsl", "match": '"[^"\\n]+"'},
        {
            "match": r"\b(functor|function|operator|procedure|program)\s+([A-Za-z_]\w*)",
            "captures": {"1": {"name": "keyword.other.gdsl"}, "2": {"name": "entity.name.function.gdsl"}},
        },
        {"name": "entity.name.tag.label.gdsl", "match": r"@[A-Za-z_]\w*"},
        {"name": "keyword.operator.update.gdsl", "match": rf"\b(?:{'|'.join(updates)})(?!=)"},
        {"name": "constant.numeric.hex.gdsl", "match": r"\b0[xX][0-9a-fA-F]+\b"},
        {"name": "constant.numeric.float.gdsl", "match": r"\b[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)\b"},
        {"name": "constant.numeric.integer.gdsl", "match": r"\b[0-9]+\b"},
        {"name": "constant.language.gdsl", "match": _any(constants)},
        {"name": "keyword.control.gdsl", "match": _any(control)},
        {"name": "storage.type.gdsl", "match": _any(storage)},
        {"name": "support.type.gdsl", "match": _any(types)},
        {"name": "keyword.other.gdsl", "match": _any(others)},
        {"name": "support.function.gdsl", "match": rf"{_any(built_in)}(?=\s*\()"},
        {"name": "variable.language.gdsl", "match": _any(sorted(vocabulary.VALUES))},
        {"name": "entity.name.function.call.gdsl", "match": r"\b[A-Za-z_]\w*(?=\s*\()"},
        {"name": "keyword.operator.gdsl", "match": r"=>|->|\.\.|[-+*/%&|^!~<>=?]+"},
    ]
    document = {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "comment": "Generated from grammar/gdsl.lark by `python -m editors.make`.",
        "name": "gdsl",
        "scopeName": "source.gdsl",
        "fileTypes": ["gdsl"],
        "patterns": patterns,
    }
    return json.dumps(document, indent=2) + "\n"


def helix() -> str:
    """The queries for colors with Helix's names of what is colored."""
    text = (QUERIES / "highlights.scm").read_text(encoding="utf-8")
    queries = re.sub(r"@([a-z.]+)", lambda found: f"@{_OF_HELIX.get(found[1], found[1])}", text)
    return "; Generated from tree-sitter-gdsl/queries by `python -m editors.make`.\n" + queries


def kate() -> str:
    """The syntax for Kate: comments and strings; the colors of words are those of the server's semantic tokens."""
    words = sorted(word for word in grammar().literals if word.isidentifier())
    items = "".join(f"<item>{word}</item>" for word in words)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE language>
<!-- Generated from grammar/gdsl.lark by `python -m editors.make`. -->
<language name="gdsl" version="1" kateversion="5.0" section="Sources" extensions="*.gdsl">
  <highlighting>
    <list name="words">{items}</list>
    <contexts>
      <context name="program" attribute="text" lineEndContext="#stay">
        <DetectChar attribute="comment" context="comment" char="#"/>
        <StringDetect attribute="doc" context="doc" String="&quot;&quot;&quot;"/>
        <keyword attribute="keyword" context="#stay" String="words"/>
        <Float attribute="number" context="#stay"/>
        <Int attribute="number" context="#stay"/>
      </context>
      <context name="comment" attribute="comment" lineEndContext="#pop"/>
      <context name="doc" attribute="doc" lineEndContext="#stay">
        <StringDetect attribute="doc" context="#pop" String="&quot;&quot;&quot;"/>
      </context>
    </contexts>
    <itemDatas>
      <itemData name="text" defStyleNum="dsNormal"/>
      <itemData name="comment" defStyleNum="dsComment"/>
      <itemData name="doc" defStyleNum="dsDocumentation"/>
      <itemData name="keyword" defStyleNum="dsKeyword"/>
      <itemData name="number" defStyleNum="dsDecVal"/>
    </itemDatas>
  </highlighting>
  <general>
    <comments><comment name="singleLine" start="#"/></comments>
    <keywords casesensitive="1"/>
  </general>
</language>
"""


def _any(words: list[str]) -> str:
    return rf"\b(?:{'|'.join(words)})\b"


def files() -> dict[Path, str]:
    """All generated files with their texts."""
    return {TEXTMATE: textmate(), TREE_SITTER: tree_sitter(), HELIX: helix(), KATE: kate()}


if __name__ == "__main__":
    for path, text in files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
