"""The checker: names, types, and where each form is allowed."""

from gdsl.frontend.check.program import CheckedProgram, check, check_all, check_tune_words
from gdsl.frontend.check.tuning import Knobs

__all__ = ["CheckedProgram", "Knobs", "check", "check_all", "check_tune_words"]
