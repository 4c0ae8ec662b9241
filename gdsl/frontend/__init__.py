"""From text to the typed syntax tree."""

from gdsl.frontend.parser import parse, parse_tune_words

__all__ = ["parse", "parse_tune_words"]
