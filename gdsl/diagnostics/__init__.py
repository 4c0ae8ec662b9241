"""Messages to the user: what is wrong, where, and how to mend it. Every stage reports through this package."""

from gdsl.diagnostics.caution import caution
from gdsl.diagnostics.diagnostic import Diagnostic, Edit, Label, Suggestion
from gdsl.diagnostics.error import TOO_MANY, GdslError
from gdsl.diagnostics.registry import Code, all_codes, explain, find_code
from gdsl.diagnostics.render import render
from gdsl.diagnostics.shown import printable, shown, type_name

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
    "explain",
    "find_code",
    "printable",
    "render",
    "shown",
    "type_name",
]
