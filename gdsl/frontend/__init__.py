"""From text to the typed syntax tree."""

from gdsl.frontend.analysis import Analysis, Reading, analyze, analyze_library, is_library
from gdsl.frontend.check import CheckedProgram, check, check_tune_words
from gdsl.frontend.check.type_parameters import Types
from gdsl.frontend.parser import parse, parse_tune_words

__all__ = [
    "Analysis",
    "CheckedProgram",
    "Reading",
    "Types",
    "analyze",
    "analyze_library",
    "check",
    "check_tune_words",
    "is_library",
    "parse",
    "parse_tune_words",
]
