"""The caller's params and inputs, checked before anything runs (messages E06xx)."""

from __future__ import annotations

from gdsl.binding.bind import Binder, bind, check_names, declared_inputs, declared_params, needed_widths, problem_data
from gdsl.binding.inputs import unchecked
from gdsl.binding.named import vertex_by_name
from gdsl.binding.params import Text, scalar_value
from gdsl.binding.several import values_of

__all__ = [
    "Binder",
    "Text",
    "bind",
    "check_names",
    "declared_inputs",
    "declared_params",
    "needed_widths",
    "problem_data",
    "scalar_value",
    "unchecked",
    "values_of",
    "vertex_by_name",
]
