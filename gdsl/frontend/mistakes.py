"""Turns the parser's two kinds of failure into one message that teaches: what was expected, and how to mend it.

The table of known mistakes is keyed by the parser's state, seen as the set of tokens that it would have taken, and by
the token that came instead, with the token before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from gdsl.diagnostics import Diagnostic, Edit, Label, Suggestion
from gdsl.frontend.failures import NO_STRINGS, Failure, declared_names, shown_character
from gdsl.frontend.foreign_syntax import foreign_form
from gdsl.frontend.mistyped_forms import mistyped_form
from gdsl.frontend.unfinished import unfinished_form
from gdsl.frontend.vocabulary import FOREIGN_TYPES, KEYWORDS, TYPES, closest, enumerate_words
from gdsl.source import Source, Span
from gdsl.types import TYPE_CLASSES

# fmt: off
_OPERATORS = frozenset((
    "OR", "AND", "BAR", "CARET", "AMPERSAND", "EQUALITY", "RELATION", "SHIFT", "PLUS", "MINUS", "STAR", "SLASH",
    "SLASHES", "PERCENT", "QMARK",
))
# fmt: on
# fmt: off
_OPERAND = frozenset((
    "NAME", "INTEGER", "HEXADECIMAL", "FLOAT", "TRUE", "FALSE", "INF", "NONE", "LPAR", "LBRACE", "MINUS", "NOT",
    "TILDE", "NOW", "CHANGED", "FETCH", "CAS",
))
# fmt: on
# fmt: off
_STATEMENT = frozenset((
    "LET", "VAR", "ACCEPT", "IF", "FOR", "WHILE", "REPEAT", "BREAK", "RETURN", "FRONTIER", "EDGE", "GRAPH",
    "HISTORY", "BUCKETS", "ON",
))
# fmt: on
_UPDATES = frozenset(("UPDATE", "ANY_ASSIGN", "SHORT_ASSIGN"))
_STATEMENT_WORDS = ("let", "var", "if", "for", "while", "repeat", "frontier", "accept", "return", "break")
_PART_WORDS = ("cond", "apply", "value", "problem", "schedule", "tune", "requires", "functor", "vertex", "edge")
_BEHIND_A_VALUE = re.compile(r"\s*(?:[=\[.@|&^*/%<>+]|-=|(?:min|max|any)=)")
"""What stands behind the name of a value, and behind no keyword."""
_ARRAYS_AND_SCALARS = ("scalar", "vertex", "edge", "param", "input")
_DATA_WORDS = ("param", "input", "local", "vertex", "edge", "scalar", "program", "function")


def describe(failure: Failure, source: Source) -> Diagnostic:
    """The message for `failure`."""
    for mistake in _KNOWN:
        found = mistake(failure, source)
        if found is not None:
            return found
    if failure.kind == "$END":
        notes = (f"expected here: {expected_words(failure)}",)
        return Diagnostic("E0107", "the program ends too early", failure.span, notes=notes, fix=_open_brace(source))
    what = f"unexpected `{failure.text}`"
    if failure.text == "}" and "SCHEDULE" in failure.expected:
        fix = "leave it out: every block before it has ended"
        return Diagnostic("E0101", "this `}` closes nothing", failure.span, fix=fix)
    return Diagnostic("E0101", what, failure.span, hint=f"expected {expected_words(failure)}")


def expected_words(failure: Failure) -> str:
    """The expected tokens in a person's words, such as ``an operator, `)` or `,` ``."""
    left = set(failure.expected)
    words: list[str] = []
    if {"NAME", "INTEGER", "LPAR"} <= left:
        left -= _OPERAND
        words.append("an expression")
    if left >= {"LET", "FRONTIER"}:
        left -= _STATEMENT
        words.append("a statement")
    if {"PLUS", "STAR"} <= left:
        left -= _OPERATORS
        words.append("an operator")
    if "UPDATE" in left:
        left -= _UPDATES
        words.append("an assignment")
    names = {"NAME": "a name", "INTEGER": "a number", "FLOAT": "a number", "DOC": "a doc comment", "$END": "the end"}
    names["STRING"] = "the name of a file in quotes"
    words += sorted({names[kind] for kind in left if kind in names})
    words += sorted(f"`{failure.spellings[kind]}`" for kind in left if kind in failure.spellings)
    return enumerate_words(words) if words else "the end of the program"


def _open_brace(source: Source) -> str | None:
    opened = [line for line, text in enumerate(source.text.split("\n"), 1) for _ in range(text.count("{"))]
    closed = source.text.count("}")
    return "add the missing `}`" if len(opened) > closed else None


def _after(span: Span) -> Span:
    return Span(span.end_line, span.end_column, span.end_line, span.end_column + 1)


# ---------------------------------------------------------------- the table


def _assignment_as_value(failure: Failure, source: Source) -> Diagnostic | None:
    if failure.kind != "SHORT_ASSIGN":
        return None
    fix = f"make it a statement of its own, `x {failure.text} …;`"
    return Diagnostic("E0112", f"`{failure.text}` assigns and has no value", failure.span, fix=fix)


def _assignment_in_condition(failure: Failure, source: Source) -> Diagnostic | None:
    in_condition = re.match(r"\s*(cond|if|while|accept|value|return)\b", failure.line_before)
    if failure.text == "=" and in_condition and failure.kind == "EQUAL":
        return Diagnostic("E0112", "`=` assigns and has no value", failure.span, fix="write `==` to compare")
    return None


def _number_suffix(failure: Failure, source: Source) -> Diagnostic | None:
    previous = failure.before_span
    adjacent = (previous.end_line, previous.end_column) == (failure.span.line, failure.span.column)
    if failure.before == "." and re.search(r"\d\.$", failure.line_before) and failure.kind != "NAME":
        fix = "write `1.0`, with digits on both sides"
        return Diagnostic("E0109", "a number ends with its point", previous, fix=fix)
    if failure.before[:1].isdigit() and adjacent and (failure.kind == "NAME" or failure.text == "."):
        span = Span(previous.line, previous.column, failure.span.end_line, failure.span.end_column)
        written = failure.before + failure.text
        return Diagnostic("E0109", f"`{written}` is not a number", span, fix=_mended_number(failure))
    if failure.text == "." and re.match(r"\.\d", source.line(failure.span.line)[failure.span.column - 1 :]):
        fix = "write `0.5`, with digits on both sides"
        return Diagnostic("E0109", "a number begins with its point", failure.span, fix=fix)
    return None


def _mended_number(failure: Failure) -> str:
    """What to write in place of a number with something behind it."""
    before, rest = failure.before, failure.text
    if rest == ".":
        return "write `1.0`, with digits on both sides"
    if re.fullmatch(r"[0-9_]+", rest):
        return f"write `{before}{rest.replace('_', '')}`"
    if before == "0" and rest[0] in "xX":
        return "write hexadecimal digits behind `0x`, such as `0xff`"
    if before == "0" and rest[0] in "bBoO":
        return "write the number in decimal, or in hexadecimal such as `0xff`"
    return "write the exponent, such as `1e3`" if rest in ("e", "E") else f"write `{before}`"


def _letter_of_another_script(failure: Failure, source: Source) -> Diagnostic | None:
    """A word that ends where a letter stands that looks like one of its own."""
    end = failure.span.end_column
    letter = source.line(failure.span.end_line)[end - 1 : end]
    if not failure.text.isidentifier() or letter.isascii() or not letter.isalpha():
        return None
    span = Span(failure.span.end_line, end, failure.span.end_line, end + 1)
    fix = "names are made of the letters a to z and A to Z, digits and `_`"
    return Diagnostic("E0102", f"unknown character {shown_character(letter)}", span, fix=fix)


def _string(failure: Failure, source: Source) -> Diagnostic | None:
    if failure.kind == "STRING" and "FROM" in failure.expected:
        return Diagnostic("E0101", "`from` is missing", failure.span, fix='write `import name from "file.gdsl";`')
    if failure.kind == "STRING":
        start = failure.span
        span = Span(start.line, start.column, start.line, start.column + 1)
        return Diagnostic("E0102", 'unknown character `"`', span, fix=NO_STRINGS)
    if failure.expected == {"STRING"}:
        message = "the name of the file stands in quotes"
        return Diagnostic("E0101", message, failure.span, fix='write `import name from "file.gdsl";`')
    return None


def _unclosed_block(failure: Failure, source: Source) -> Diagnostic | None:
    part = failure.line_before.strip()
    if failure.before == "functor" and failure.kind == "NAME" and part in ("vertex functor", "edge functor"):
        line = failure.span.line
        fix = f"close the block before line {line} with `}}`"
        return Diagnostic("E0101", "a functor inside another block", failure.before_span, fix=fix)
    return None


def _misspelt_keyword(failure: Failure, source: Source) -> Diagnostic | None:
    near = failure.near_word()
    if near is not None:
        return Diagnostic("E0103", f"unknown word `{failure.text}`", failure.span, fix=f"did you mean `{near}`?")
    first = re.match(r"\s*([A-Za-z_]\w*)", failure.line_before)
    if first is None or first.group(1) in KEYWORDS or first.group(1) in declared_names(source.text):
        return None
    word = first.group(1)
    column = _column_of_first_word(failure)
    if column is None or _BEHIND_A_VALUE.match(failure.line_before, first.end()):
        return None
    line = failure.span.line
    span = Span(line, column, line, column + len(word))
    near = closest(word, _STATEMENT_WORDS + _PART_WORDS + _DATA_WORDS)
    looks_wrong = failure.kind == "NAME" or failure.text in ("{", ":", "functor") or failure.before == word
    if near is None or near == word or not looks_wrong:
        return None
    return Diagnostic("E0103", f"unknown word `{word}`", span, fix=f"did you mean `{near}`?")


def _column_of_first_word(failure: Failure) -> int | None:
    if "\n" in failure.line_before.lstrip():
        return None
    if not failure.line_before:
        return None
    # The end of the text has no place of its own: the last character stands for it.
    end = failure.span.column + (1 if failure.kind == "$END" else 0)
    return end - len(failure.line_before.lstrip())


def _missing_parenthesis(failure: Failure, source: Source) -> Diagnostic | None:
    if failure.expected == {"LPAR"} and failure.before in ("if", "while", "repeat"):
        message = f"the condition of `{failure.before}` has no parentheses"
        return Diagnostic("E0101", message, failure.span, fix=f"write `{failure.before} (…) {{ … }}`")
    return None


def _missing_braces(failure: Failure, source: Source) -> Diagnostic | None:
    if failure.expected in ({"LBRACE"}, {"LBRACE", "IF"}) and failure.before in (")", "else"):
        if failure.text == "elif":
            return None
        message = "a block in braces is expected here"
        return Diagnostic("E0101", message, failure.span, fix="put the statement in braces: `{ … }`")
    if failure.expected == {"LBRACE"} and failure.before in ("problem", "schedule", "tune", "apply"):
        message = "a block in braces is expected here"
        return Diagnostic("E0101", message, failure.span, fix=f"write `{failure.before} {{ … }}`")
    if "PROGRAM" in failure.expected and failure.kind != "$END" and failure.text in _PART_WORDS + _DATA_WORDS:
        start = Span(failure.span.line, failure.span.column, failure.span.line, failure.span.column)
        found = Suggestion("write it first, such as `program my_program;`", (Edit(start, "program my_program;\n"),))
        message = "a program begins with `program name;`"
        return Diagnostic("E0101", message, failure.span, fix="write it first", suggestions=(found,))
    return None


def _data_apart(failure: Failure, source: Source) -> Diagnostic | None:
    """The program's data where statements stand."""
    behind = source.line(failure.span.end_line)[failure.span.end_column - 1 :].lstrip()
    if failure.before in _ARRAYS_AND_SCALARS and failure.kind == "NAME" and behind[:1] == ":":
        message = f"`{failure.before} {failure.text}` is declared where statements stand"
        fix = "declare it in `problem { … }`; the statements of a functor have `let` and `var`"
        return Diagnostic("E0101", message, failure.before_span, fix=fix)
    return None


def _type_declaration(failure: Failure, source: Source) -> Diagnostic | None:
    """A declared type without its default, in the words of another language, or where statements stand."""
    begun = re.search(r"\btype\s+(\w+)\s*:\s*(\w+)\s*$", failure.line_before)
    if begun is not None and failure.text == ";" and begun[2] in TYPE_CLASSES:
        message = f"the type `{begun[1]}` has no default, which is taken where nothing decides"
        fix = f"write `type {begun[1]} : {begun[2]} = {TYPE_CLASSES[begun[2]][-2].name};`"
        return Diagnostic("E0101", message, failure.span, fix=fix)
    if failure.text in ("typedef", "using", "template") and "TYPE" in failure.expected:
        fix = "write `type t : number = float32;` for a type that is the caller's, `type t = float32;` for another name"
        return Diagnostic("E0112", "types are declared by `type`", failure.span, fix=fix)
    behind = source.line(failure.span.end_line)[failure.span.end_column - 1 :].lstrip()
    if failure.before == "type" and failure.kind == "NAME" and behind[:1] in (":", "=") and "PLUS" in failure.expected:
        message = f"the type `{failure.text}` is declared where statements stand"
        return Diagnostic("E0101", message, failure.before_span, fix="declare it in `problem { … }`")
    return None


def _foreign_declaration(failure: Failure, source: Source) -> Diagnostic | None:
    known = FOREIGN_TYPES.keys() | TYPES.keys() | {"auto", "const"}
    if failure.kind == "NAME" and failure.before in known and "PLUS" in failure.expected:
        kind = FOREIGN_TYPES.get(failure.before, failure.before)
        named = "" if failure.before in ("auto", "const") else f" : {kind}"
        message = "the type stands behind the name"
        fix = f"write `let {failure.text}{named} = …;`, or `var` for a name that changes; for the schedule declare "
        fix += "a `scalar` in `problem`"
        return Diagnostic("E0112", message, failure.before_span, fix=fix)
    return None


def _missing_parenthesis_at_end(failure: Failure, source: Source) -> Diagnostic | None:
    if failure.text in (";", "{", "}") and "RPAR" in failure.expected:
        return Diagnostic("E0101", "a `)` is missing", failure.span, fix="close the parenthesis before this")
    return None


def _missing_semicolon(failure: Failure, source: Source) -> Diagnostic | None:
    if "SEMICOLON" not in failure.expected or failure.kind == "$END":
        return None
    if (
        failure.span.line == failure.before_span.end_line
        and failure.text != "}"
        and failure.text not in _STATEMENT_WORDS
    ):
        return None
    labels = (Label(failure.span, "before this"),) if failure.span.line != failure.before_span.end_line else ()
    return Diagnostic("E0111", "a `;` is missing", _after(failure.before_span), labels, fix="write `;` here")


def _keyword_as_name(failure: Failure, source: Source) -> Diagnostic | None:
    if failure.expected == {"NAME"} and failure.text.isidentifier():
        message = f"`{failure.text}` is a word of the language and cannot be a name here"
        return Diagnostic("E0203", message, failure.span, fix="choose another name")
    return None


_KNOWN: tuple[Callable[[Failure, Source], Diagnostic | None], ...] = (
    _letter_of_another_script,
    mistyped_form,
    _string,
    _number_suffix,
    foreign_form,
    _type_declaration,
    _data_apart,
    _foreign_declaration,
    _missing_parenthesis,
    _missing_braces,
    _assignment_as_value,
    _assignment_in_condition,
    _unclosed_block,
    unfinished_form,
    _misspelt_keyword,
    _missing_parenthesis_at_end,
    _missing_semicolon,
    _keyword_as_name,
)
