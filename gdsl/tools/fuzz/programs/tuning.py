"""Random `tune` parts."""

from __future__ import annotations

import random
import re

from gdsl.knobs import KNOBS

_TUNED = re.compile(r"\b(advance|neighbor_reduce(?!\(ef))\((?:[^(),]|\([^()]*\))*, (\w+)")
_PUSHED = re.compile(r"\b(\w+), to=edges")
_SCHEDULE_KNOBS = {"schedule.fuse = off;": 0.25, "schedule.ids = 64;": 0.15, "schedule.block = 64;": 0.1}


def knobs(random: random.Random, schedule: str) -> str:
    """A `tune` part for the functors that `schedule` advances or reduces over, or nothing."""
    lines, pushed = [], set(_PUSHED.findall(schedule))
    for operator, name in sorted(set(_TUNED.findall(schedule))):
        for knob in KNOBS:
            if operator in knob.operators and knob.values and random.random() < 0.4:
                arguments = f"auto({', '.join(f'{argument.name}=1' for argument in knob.arguments)})"
                values = (*knob.values, arguments) if knob.arguments else tuple(knob.values)
                values = tuple(value for value in values if value != "pull" or name not in pushed)
                lines.append(f"{name}.{knob.name} = {random.choice(values)};")
    for text, probability in _SCHEDULE_KNOBS.items():
        if random.random() < probability:
            lines.append(text)
    return f"tune {{ {' '.join(lines)} }}\n" if lines else ""
