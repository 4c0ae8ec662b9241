"""Messages to the user: what is wrong, where, and how to fix it. Every stage reports through this package."""

from gdsl.diagnostics.codes import Code, all_codes, explain, find_code
from gdsl.diagnostics.diagnostic import (
    TOO_MANY,
    Diagnostic,
    Edit,
    GdslError,
    Label,
    Suggestion,
    caution,
    enumerate_words,
    in_names_of,
    is_whole,
    printable,
    render,
    shell_word,
    shown,
    type_name,
)

__all__ = [
    "TOO_MANY",
    "Code",
    "Diagnostic",
    "Edit",
    "GdslError",
    "Label",
    "Suggestion",
    "all_codes",
    "caution",
    "enumerate_words",
    "explain",
    "find_code",
    "in_names_of",
    "is_whole",
    "printable",
    "render",
    "shell_word",
    "shown",
    "type_name",
]
