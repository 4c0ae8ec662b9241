"""What every result may differ in from run to run: four grades, found by following levels through the schedule.

`schedule` follows them from step to step, `operators` through one operator, `values` through a value; `data` knows what
holds of data throughout. `relaxation` and `labels` prove that some loops end alike however their passes went, with
`monotone` for single operands; `order` says which loops may be worked off in any order.
"""

from __future__ import annotations

from dataclasses import dataclass

from gdsl.effects import ProgramEffects
from gdsl.ir.nodes import Doubt
from gdsl.operations import Grade
from gdsl.rules import Findings
from gdsl.uniqueness.data import Data
from gdsl.uniqueness.levels import Level
from gdsl.uniqueness.order import Obstacle, obstacles
from gdsl.uniqueness.schedule import Flow

__all__ = ["Grades", "grade"]


@dataclass(frozen=True)
class Grades:
    """The grade of all data at the end of a program, the reason for the worst grades, and for each `while`, by number,
    the obstacle to another order of its visits: None where it is monotone."""

    levels: dict[str, Level]
    obstacles: dict[int, Obstacle | None]

    def of(self, name: str) -> Grade:
        """The grade of an array or scalar."""
        return self.levels[name].grade

    @property
    def doubts(self) -> dict[str, Doubt]:
        """Why the data that is not unique is so, by name."""
        return {name: level.doubt for name, level in self.levels.items() if level.doubt is not None}


def grade(effects: ProgramEffects, findings: Findings) -> Grades:
    """The grades of all data of a program that the rules allow."""
    program = effects.program
    data = Data(effects)
    flow = Flow(effects, findings.sites, data)
    flow.block(program.schedule)
    levels = {declared.name: flow.state.value(declared.name) for declared in effects.data}
    return Grades(levels, obstacles(program, findings.sites, data))
