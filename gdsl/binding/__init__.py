"""The caller's params and inputs, checked before anything runs (messages E06xx)."""

from __future__ import annotations

from gdsl.binding.bind import Binder, bind, needed_widths
from gdsl.binding.graph_checks import values_of
from gdsl.binding.inputs import unchecked
from gdsl.binding.names import check_names, declared_inputs, declared_params, problem_data
from gdsl.binding.params import Text, scalar_value, vertex_by_name

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
