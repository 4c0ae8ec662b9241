"""The host's side of batches in which many values run together: launches in which teams of blocks take one group of
values after the other, with a bit for each value in the words of a vertex (`gdsl.plan.bit_parallel`)."""

from __future__ import annotations

from gdsl.backends.batch import Bounds
from gdsl.backends.cuda.team_memory import TeamLaunchMemory, TeamMemory
from gdsl.backends.cuda.teams import Call, Shape, TeamRuns
from gdsl.backends.interface import Pair, Scalar
from gdsl.plan import occupancy
from gdsl.plan.target import INSTANCES


class ApartError(Exception):
    """Some group of values shares too few visits of edges, or one of its runs was stopped: nothing of the part is
    there. `is_lasting`: the former, which other values on the graph would do as well."""

    def __init__(self, is_lasting: bool) -> None:
        super().__init__()
        self.is_lasting = is_lasting


class InstanceRuns(TeamRuns):
    """Runs a program, in its form for many values at a time, on one graph and device. Raises `ApartError` where the
    values had better run by themselves."""

    reported = 0
    """None before all are done: the values of a part may run once more."""

    @property
    def at_once(self) -> int:
        """The values of a group."""
        return INSTANCES * self.plan.sizes.instance_words

    def _shape(self, left: int, bounds: Bounds, memory: TeamMemory) -> Shape:
        """How many of the remaining values fit in memory at a time, and by which teams; at least one."""
        resident = self._resident()
        count = min(left, bounds.at_once or left)
        free = self._free(bounds)
        fit = max((free - memory.of_a_team) // max(memory.of_a_value, 1), 1)
        why = "as requested" if count < left else ""
        if fit < count:
            count, why = fit, "the most that memory allows"
            count = max(count // self.at_once * self.at_once, min(count, self.at_once))
        groups = -(-count // self.at_once)
        blocks = self._blocks(groups, resident)
        room = free - count * memory.of_a_value
        teams = max(min(groups, resident // blocks, room // memory.of_a_team), 1)
        return Shape(count, teams, max(blocks, self._blocks(teams, resident)), why)

    def _blocks(self, values: int, resident: int) -> int:
        """Of each team: few teams share the blocks where the graph is work for them."""
        return super()._blocks(occupancy.teams_of_groups(values), resident)

    def _read_results(
        self, call: Call, first: int, launch_memory: TeamLaunchMemory
    ) -> tuple[list[int], dict[str, list[Scalar | Pair]]]:
        control = call.memory.controls(launch_memory)
        if call.is_late():
            self._raise_failure(call, first, control)
        if not control["done"][:: self.at_once].all():
            raise ApartError(is_lasting=not control["exhausted"].any())
        scalars = {scalar.name: call.memory.scalar(launch_memory, scalar) for scalar in self._scalars}
        return control["iterations"].tolist(), scalars

    def _how(self, total: int, shape: Shape) -> str:
        launches = f"{-(-total // shape.count):,} launches of {shape.count:,}" if shape.count < total else "one launch"
        why = f", {shape.why}" if shape.why and shape.count < total else ""
        together = f"{min(self.at_once, shape.count):,} values at a time"
        parallel = f" in each of {shape.teams:,} teams" if shape.teams > 1 else ""
        return f"{launches}{why}, {together}{parallel}, {shape.blocks:,} block{'s' if shape.blocks > 1 else ''} each"
