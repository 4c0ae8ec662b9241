"""The checker: names, types, and where each form may stand."""

from gdsl.frontend.check.program import CheckedProgram, check
from gdsl.frontend.check.tuning import Knobs, OperatorKnobs

__all__ = ["CheckedProgram", "Knobs", "OperatorKnobs", "check"]
