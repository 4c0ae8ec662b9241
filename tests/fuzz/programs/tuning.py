"""Random `tune` parts."""

from __future__ import annotations

import random
import re

from gdsl.knobs import KNOBS

_TUNED = re.compile(r"\b(advance|neighbor_reduce(?!\(ef))\((?:[^(),]|\([^()]*\))*, (\w+)")
_PUSHED = re.compile(r"\b(\w+), to=edges")
_ALONE = re.compile(r"(?<![=(] )(?<!\()\badvance\((?:[^(),]|\([^()]*\))*, (\w+)")
"""Calls whose result nobody takes."""
_PART = re.compile(r"^tune \{[^{}]*\}\n?", re.MULTILINE)
_SCHEDULE_KNOBS = {"schedule.fuse = off;": 0.25, "schedule.ids = 64;": 0.15, "schedule.block = 64;": 0.1}


def knobs(random: random.Random, schedule: str) -> str:
    """A `tune` part for the functors that `schedule` advances or reduces over, or nothing."""
    lines: list[str] = []
    pushed, alone = set(_PUSHED.findall(schedule)), set(_ALONE.findall(schedule))
    for operator, name in sorted(set(_TUNED.findall(schedule))):
        for knob in KNOBS:
            if operator in knob.operators and random.random() < 0.4:
                arguments = f"auto({', '.join(f'{argument.name}=1' for argument in knob.arguments)})"
                values = (*knob.values, arguments) if knob.arguments else tuple(knob.values)
                values = tuple(value for value in values if value != "pull" or name not in pushed)
                chosen = random.choice(values)
                if not _is_refused(knob.name, chosen, name in pushed or name in alone, lines, name):
                    lines.append(f"{name}.{knob.name} = {chosen};")
    for text, probability in _SCHEDULE_KNOBS.items():
        if random.random() < probability:
            lines.append(text)
    return f"tune {{ {' '.join(lines)} }}\n" if lines else ""


def without_knobs(text: str) -> str:
    """`text` without its `tune` part."""
    return _PART.sub("", text)


def _is_refused(knob: str, value: str, no_vertices: bool, lines: list[str], name: str) -> bool:
    """What no program takes: some of the rest is refused as well, since only the checker knows which."""
    pulls = f"{name}.direction = pull;" in lines
    return {
        "balance": pulls and value != "auto",
        "frontier": no_vertices and value != "auto",
        "dedup": value == "none" and (no_vertices or pulls or f"{name}.frontier = bitmap;" in lines),
    }.get(knob, False)
