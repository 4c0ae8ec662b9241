"""From text to the typed syntax tree."""

from gdsl.frontend.check import CheckedProgram, check
from gdsl.frontend.parser import parse, parse_tune_words

__all__ = ["CheckedProgram", "check", "parse", "parse_tune_words"]
