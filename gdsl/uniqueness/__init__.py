"""How every result may differ from run to run: grades, found by following levels through the schedule.

`schedule` follows them from step to step, `operators` through one operator, `values` through a value; `data` knows what
holds of data throughout. `relaxation` and `labels` prove that some loops end alike in whatever order they run, with
`monotone` for single operands; `order` says which loops may be processed in any order.

`tried_data` finds the data that may depend on a program's own operator whose laws are only tried, not proved.
Everything that reads such data, or runs where it decides, may have another value where a law does not hold. The order
of the steps is ignored, so that loops need no second pass: too much may be graded *tried*, but never too little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from gdsl.effects import ProgramEffects
from gdsl.effects.access import Accesses
from gdsl.ir import nodes
from gdsl.ir.nodes import Doubt
from gdsl.ir.traversal import blocks_of, walk
from gdsl.operations import Grade
from gdsl.rules import Findings
from gdsl.uniqueness.data import Data
from gdsl.uniqueness.levels import Level
from gdsl.uniqueness.order import Obstacle, obstacles
from gdsl.uniqueness.schedule import Flow
from gdsl.uniqueness.whole_components import loose_sites

__all__ = ["Grades", "grade", "tried_data"]


@dataclass(frozen=True)
class Grades:
    """The grade of all data at the end of a program, the reason for the worst grades, and for each `while`, by number,
    the obstacle to another order of its visits: None where it is monotone."""

    levels: dict[str, Level]
    obstacles: dict[int, Obstacle | None]
    loose: frozenset[int] = frozenset()
    """The sites of advances on whose labels no result depends."""
    small: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """By array of integers whose values all fit 16 bits: the least and the greatest that it may have."""

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
    results = [array.name for array in program.arrays if not array.is_local]
    results += [scalar.name for scalar in program.scalars if not scalar.is_local]
    unique = all(levels[name].exact for name in results)
    if flow.joins_any:  # sets are known where labels are not: what has been concluded from that depends on them
        flow = Flow(effects, findings.sites, data, doubtful=True)
        flow.block(program.schedule)
        unique = all(flow.state.value(name).exact for name in results)
    loose = loose_sites(program.schedule, frozenset(flow.not_unique_after), unique)
    return Grades(levels, obstacles(program, findings.sites, data), loose, dict(_small(program, data)))


def _small(program: nodes.Program, data: Data) -> Iterator[tuple[str, tuple[int, int]]]:
    for array in program.arrays:
        if array.type.is_integer:
            values = data.ranges.data[array.name]
            if values.high - values.low < 1 << 16 and values.low >= -(1 << 15) and values.high < 1 << 16:
                yield array.name, (int(values.low), int(values.high))


_Step = tuple[frozenset[str], frozenset[str]]
"""What a step reads, including what decides whether and how often it runs, and what it writes: data and sets."""
_A_GRAPH = "what graphs are made of"
"""Represents the edges of graphs that the schedule builds: operators that walk them read it."""


def tried_data(program: nodes.Program, proved: frozenset[str]) -> frozenset[str]:
    """The names of arrays, scalars and sets that are computed from results of operators that are not in `proved`."""
    reductions = [node for node in walk(program.schedule) if isinstance(node, nodes.NeighborReduce)]
    unproved = (node for node in reductions if node.own is not None and node.own.function not in proved)
    unproved_arrays = {node.stores for node in unproved if node.stores is not None}
    steps = list(_steps(program.schedule, frozenset(), Accesses(program))) if unproved_arrays else []
    grown = bool(unproved_arrays)
    while grown:
        before = len(unproved_arrays)
        for read, written in steps:
            if not read.isdisjoint(unproved_arrays):
                unproved_arrays |= written
        grown = len(unproved_arrays) > before
    return frozenset(unproved_arrays)


def _steps(steps: Iterable[nodes.Step], around: frozenset[str], accesses: Accesses) -> Iterator[_Step]:
    for step in steps:
        touched, written = accesses.names_of_step(step)
        read = around | touched
        if isinstance(step, nodes.Operator):
            read = read | {_A_GRAPH}
        if isinstance(step, nodes.Contract | nodes.Subgraph):
            written = written | {_A_GRAPH}
        yield read, written
        for block in blocks_of(step):
            yield from _steps(block, read, accesses)
