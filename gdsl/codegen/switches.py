"""Tests on what is counted, as C++ and CUDA text."""

from __future__ import annotations

from collections.abc import Mapping

from gdsl.plan.nodes import Compare, Measure, Switch


def switch_text(switch: Switch, state: str, measures: Mapping[Measure, str]) -> str:
    """The next value of the flag `state`, given what each measure is called."""
    stay, enter = (" && ".join(_compare(each, measures) for each in part) for part in (switch.stay, switch.enter))
    return f"{state} ? {stay} : {enter}"


def _compare(each: Compare, measures: Mapping[Measure, str]) -> str:
    return f"{measures[each.left]} * {each.factor} {'>' if each.strict else '>='} {measures[each.right]}"
