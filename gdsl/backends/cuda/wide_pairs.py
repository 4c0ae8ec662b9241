"""GPUs without a compare-and-swap of 128 bits run no program that needs one."""

from __future__ import annotations

import re

from gdsl.diagnostics import GdslError
from gdsl.plan.nodes import Plan
from gdsl.plan.wide_pairs import exchanged_pairs
from gdsl.types import Widths

_LEAST = 90
"""The compute capability that has it, times ten."""


def check(plan: Plan, widths: Widths, architecture: str) -> None:
    """Raise E0908 where the plan needs what `architecture` (such as ``sm_80``) does not have."""
    number = re.search(r"\d+", architecture)
    if number is None or int(number[0]) >= _LEAST:
        return
    for data in exchanged_pairs(plan, widths):
        message = f"{architecture} cannot update the pairs of `{data.name}`, {data.type.name}, which take 128 bits each"
        fix = (
            "make both parts 32 bits wide (of a type parameter by -t, such as -t weight_type=int32), or run it on the "
            "cpu backend or on a GPU of compute capability 9.0 or above"
        )
        raise GdslError.single("E0908", message, data.span, fix=fix)
