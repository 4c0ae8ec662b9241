"""From text to the typed syntax tree."""

from gdsl.frontend.analysis import Analysis, Reading, analyse
from gdsl.frontend.check import CheckedProgram, check, check_tune_words
from gdsl.frontend.check.type_parameters import Types
from gdsl.frontend.parser import parse, parse_tune_words

__all__ = [
    "Analysis",
    "CheckedProgram",
    "Reading",
    "Types",
    "analyse",
    "check",
    "check_tune_words",
    "parse",
    "parse_tune_words",
]
