"""The grammar of the parser in the form of Tree-sitter: rules that never match nothing, and a rule for each node.

A rule of Lark that begins with `?`, or whose alternatives have names of their own, becomes a hidden rule (`_sum`), and
each of its named alternatives a rule of that name; several of one name are aliases (`binary`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Rule = tuple[Any, ...]
"""A word for its kind (seq, choice, repeat, repeat1, optional, symbol, alias, string, pattern) and its parts."""

_NAMES = {
    "NAME": "identifier",
    "DOC": "doc_comment",
    "INTEGER": "integer",
    "HEXADECIMAL": "hexadecimal",
    "FLOAT": "float",
    "STRING": "string",
    "COMMENT": "comment",
}
_PATTERNS = {"DOC": r'"""([^"]|"[^"]|""[^"])*"""'}
"""Patterns for an engine without lazy repetition."""
_SIGNS = {"RELATION": ("<=", ">=", "<", ">")}
"""Tokens whose patterns look ahead, which the longest match makes unnecessary."""
START = "source_file"


@dataclass(slots=True)
class Grammar:
    """All rules by name, the start rule first, and the literal texts that occur in them."""

    rules: dict[str, Rule] = field(default_factory=dict)
    literals: set[str] = field(default_factory=set)

    @property
    def tokens(self) -> set[str]:
        """The literal texts that are nodes of their own: one that is all of a rule is the node of that rule."""
        return {text for rule in self.rules.values() if rule[0] != "string" for text in _strings(rule)}

    def javascript(self) -> str:
        """The text of `grammar.js`."""
        rules = "\n\n".join(f"    {name}: $ => {_javascript(rule, 4)}," for name, rule in self.rules.items())
        return f"""
module.exports = grammar({{
  name: 'gdsl',

  word: $ => $.identifier,

  extras: $ => [/\\s/, $.comment],

  rules: {{
{rules}
  }},
}});
"""

    def lark(self) -> str:
        """The same rules as a grammar of Lark, which shows that they accept what the parser accepts."""
        lines = []
        for name, rule in self.rules.items():
            token = rule[0] == "pattern"
            lines.append(
                f"{_lark_name(name, self.rules)}: {_lark(rule, self.rules)}" if name != "comment" or token else ""
            )
        return "\n".join([*lines, "%ignore COMMENT", "%ignore /\\s+/"]) + "\n"


def _strings(rule: Rule) -> Iterator[str]:
    if rule[0] == "string":
        yield rule[1]
    for part in rule[1:]:
        if isinstance(part, tuple):
            yield from _strings(part)


def read(text: str) -> Grammar:
    """The grammar of Lark's notation."""
    from lark.load_grammar import load_grammar

    definitions, _ = load_grammar(text, "gdsl.lark", [], False)
    return _Reader(definitions).grammar


class _Reader:
    def __init__(self, definitions: Any) -> None:
        self.grammar = Grammar()
        self._terms = {name: tree for name, (tree, _), *_ in definitions.term_defs}
        self._rules = {
            name: (tree, options.expand1) for name, _, tree, options in definitions.rule_defs if name != "program"
        }
        self._nullable = {name for name, (tree, _) in self._rules.items() if self._is_nullable(tree)}
        self._visible = {name for name in self._rules if self._is_visible(name)}
        self.grammar.rules[START] = self._body(self._rules.pop("library")[0])
        for name, (tree, _) in self._rules.items():
            self._add(name, tree)
        for token, name in _NAMES.items():
            pattern = _PATTERNS.get(token) or _written(self._terms[token].children[0])[1:-1]
            self.grammar.rules[name] = ("pattern", pattern)

    def _is_nullable(self, tree: Any) -> bool:
        alternatives = [self._unnamed(each) for each in tree.children]
        return any(
            all(str(part.data) == "maybe" or (str(part.data) == "expr" and part.children[1] in "*?") for part in each)
            for each in (alternative.children for alternative in alternatives)
        )

    @staticmethod
    def _unnamed(alternative: Any) -> Any:
        return alternative.children[0] if alternative.data == "alias" else alternative

    def _is_visible(self, name: str) -> bool:
        tree, expanded = self._rules[name]
        return not expanded and all(each.data != "alias" for each in tree.children)

    def _add(self, name: str, tree: Any) -> None:
        if name in self._visible:
            self.grammar.rules[name] = self._body(tree)
            return
        choices: list[Rule] = []
        for each in tree.children:
            body = self._sequence(self._unnamed(each))
            if each.data == "alias":
                choices.append(self._named(str(each.children[1].name), body))
            elif self._rules[name][1]:
                choices.append(body)
            else:
                choices.append(self._named(name, body))
        self.grammar.rules[f"_{name}"] = choices[0] if len(choices) == 1 else ("choice", *choices)

    def _named(self, name: str, body: Rule) -> Rule:
        taken = {*self.grammar.rules, *self._visible}
        if name not in taken:
            self.grammar.rules[name] = body
            return ("symbol", name)
        same = next((key for key, rule in self.grammar.rules.items() if rule == body and key.startswith(name)), None)
        own = same or next(f"{name}_{number}" for number in range(2, 100) if f"{name}_{number}" not in taken)
        self.grammar.rules[own] = body
        return ("symbol", name) if own == name else ("alias", ("symbol", own), name)

    def _body(self, tree: Any) -> Rule:
        choices = [self._sequence(self._unnamed(each)) for each in tree.children]
        body = choices[0] if len(choices) == 1 else ("choice", *choices)
        return body[1] if body[0] == "optional" else body

    def _sequence(self, tree: Any) -> Rule:
        parts = [self._part(each) for each in tree.children]
        return parts[0] if len(parts) == 1 else ("seq", *parts)

    def _part(self, tree: Any) -> Rule:
        kind = str(tree.data)
        if kind == "value":
            return self._value(tree.children[0])
        if kind == "maybe":
            return ("optional", self._body(tree.children[0]))
        if kind == "expansions":
            return self._body(tree)
        inner, sign = self._part(tree.children[0]), str(tree.children[1])
        return ({"*": "repeat", "+": "repeat1", "?": "optional"}[sign], inner)

    def _value(self, value: Any) -> Rule:
        kind = type(value).__name__
        if kind == "NonTerminal":
            found = ("symbol", value.name if value.name in self._visible else f"_{value.name}")
            return ("optional", found) if value.name in self._nullable else found
        if kind == "Terminal":
            return self._token(value.name)
        return self._literal(value.children[0].value)

    def _token(self, name: str) -> Rule:
        if name in _NAMES:
            return ("symbol", _NAMES[name])
        if name in _SIGNS:
            self.grammar.literals.update(_SIGNS[name])
            return ("choice", *(("string", sign) for sign in _SIGNS[name]))
        strings = [self._literal(_written(each)) for each in self._terms[name].children]
        return strings[0] if len(strings) == 1 else ("choice", *strings)

    def _literal(self, written: str) -> Rule:
        text = written[1:-1]
        self.grammar.literals.add(text)
        return ("string", text)


def _written(alternative: Any) -> str:
    """The literal or pattern that is an alternative of a token, with its quotes."""
    return str(alternative.children[0].children[0].children[0].value)


# ------------------------------------------------------------ as text


def _javascript(rule: Rule, indent: int) -> str:
    kind, *parts = rule
    if kind == "symbol":
        return f"$.{parts[0]}"
    if kind == "string":
        return "'" + parts[0].replace("\\", "\\\\").replace("'", "\\'") + "'"
    if kind == "pattern":
        return f"/{parts[0].replace('/', chr(92) + '/')}/"
    if kind == "alias":
        return f"alias({_javascript(parts[0], indent)}, $.{parts[1]})"
    inner = [_javascript(each, indent + 2) for each in parts]
    line = f"{kind}({', '.join(inner)})"
    if len(line) + indent <= 100 and "\n" not in line:
        return line
    blank = " " * (indent + 2)
    return f"{kind}(\n{blank}{f',{chr(10)}{blank}'.join(inner)},\n{' ' * indent})"


def _lark_name(name: str, rules: dict[str, Rule]) -> str:
    return name.upper() if rules[name][0] == "pattern" else name


def _lark(rule: Rule, rules: dict[str, Rule]) -> str:
    kind, *parts = rule
    if kind == "symbol":
        return _lark_name(parts[0], rules)
    if kind == "string":
        return json.dumps(parts[0])
    if kind == "pattern":
        return f"/{parts[0].replace('/', chr(92) + '/')}/"
    if kind == "alias":
        return _lark(parts[0], rules)
    inner = [_lark(each, rules) for each in parts]
    if kind == "seq":
        return f"({' '.join(inner)})"
    if kind == "choice":
        return f"({' | '.join(inner)})"
    return f"({inner[0]}){ {'repeat': '*', 'repeat1': '+', 'optional': '?'}[kind] }"


def nodes(grammar: Grammar) -> Iterator[str]:
    """The names of the nodes that a tree may have."""
    yield from (name for name in grammar.rules if not name.startswith("_"))
