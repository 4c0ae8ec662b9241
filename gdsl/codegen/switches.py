"""Tests on what is counted, as C++ and CUDA text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gdsl.plan.nodes import Compare, Measure, Switch


@dataclass(frozen=True, slots=True)
class SwitchText:
    """What turns a flag on where it is off, and what keeps it on."""

    enter: str
    stay: str


def switch_text(switch: Switch, measures: Mapping[Measure, str]) -> SwitchText:
    """The tests of `switch`, given what each measure is called."""
    enter, stay = (" && ".join(_compare(each, measures) for each in part) for part in (switch.enter, switch.stay))
    return SwitchText(enter, stay)


def _compare(each: Compare, measures: Mapping[Measure, str]) -> str:
    factor = f" * {each.factor}" if each.factor != 1 else ""
    return f"{measures[each.left]}{factor} {'>' if each.strict else '>='} {measures[each.right]}"
