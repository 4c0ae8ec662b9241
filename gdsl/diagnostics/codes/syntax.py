"""E01xx: the text is not a program."""

from __future__ import annotations

from gdsl.diagnostics.registry import Code

CODES: tuple[Code, ...] = (
    Code(
        "E0101",
        "unexpected text",
        "The parser met something that cannot stand at this place; the message lists what can.",
        "schedule { frontier = { source }; }      # the frontier has no name",
    ),
    Code(
        "E0102",
        "unknown character",
        "A character that no part of the language uses.",
        "distance[dst] = 1 $ 2;",
    ),
    Code(
        "E0103",
        "misspelt word",
        "A word stands where only certain keywords can, and it is close to one of them.",
        "vertx distance : int32;                  # vertex",
    ),
    Code(
        "E0104",
        "not a text",
        "A program is UTF-8 text without NUL bytes.",
    ),
    Code(
        "E0105",
        "nested too deeply",
        (
            "Blocks, calls or operators stand inside each other more deeply than the compiler follows (200 levels; "
            "each `else if` is one). Use `let` to name parts of the expression, or a function. Parentheses alone, "
            "operators in a row (`a + b + c + …`) and functions that call each other have no such limit."
        ),
    ),
    Code(
        "E0106",
        "empty program",
        "The file has no program: it needs `program name;`, and usually `problem { … }` and `schedule { … }`.",
    ),
    Code(
        "E0107",
        "the program ends too early",
        "The text ends inside a block, a statement or an expression; most often a `}` is missing.",
        "schedule { while (f) { f = advance(f, visit); }",
    ),
    Code(
        "E0108",
        "unterminated text",
        "A doc comment that begins with three quotes has to end with three quotes.",
        '"""Hop distances',
    ),
    Code(
        "E0109",
        "malformed number",
        "Numbers are written `12`, `0xff`, `1.5`, `1e-6`, without suffixes or underscores.",
        "let x = 1.5f;",
    ),
    Code(
        "E0110",
        "part of the program missing, repeated or out of order",
        (
            "A program is: doc comment, `program name;`, `requires …;`, `problem { … }`, functors and functions, "
            "one `schedule { … }`, and at most one `tune { … }`."
        ),
    ),
    Code(
        "E0111",
        "missing semicolon",
        "Every statement and declaration ends with `;`.",
        "distance[source] = 0\nfrontier f = { source };",
    ),
    Code(
        "E0112",
        "a form of another language",
        "The text uses a form that other languages have; the message names the form that means the same here.",
        "if (a and b) { i++; }                    # a && b, i += 1",
    ),
    Code(
        "E0113",
        "the program cannot be read",
        "The program is neither a file that can be opened nor, as a bare name, NAME.gdsl here or the name of a sample "
        "(`gdslc samples`).",
        "gdslc run missing.gdsl karate.mtx",
    ),
    Code(
        "E0114",
        "too many mistakes",
        (
            "The text has so many mistakes that not all were looked for. After many mistakes of syntax the rest of the "
            "text is not read: it may not be a program at all."
        ),
    ),
)
